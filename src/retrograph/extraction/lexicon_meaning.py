"""What words change the meaning of a statement: negators, opposites, words that say the same, words that say nothing."""

# ruff: noqa: E501  (a row of a table reads best on one line)

import re

NEGATORS_EN = frozenset(
    "not no never none nobody nothing nowhere neither nor cannot without hardly barely seldom rarely cant dont wont isnt "
    "arent doesnt didnt wasnt werent shouldnt couldnt wouldnt hasnt havent hadnt aint".split()
)
# Longer forms first; each is one negation.
NEGATOR_PHRASES_EN = re.compile(
    r"\b(?:no longer|not any ?more|not at all|used to|stopped|stop|stops|quit|quits|gave up|gives up|cease[sd]?|"
    r"refuses? to|refused to|fail(?:s|ed)? to|instead of|rather than|except(?: for)?|lacks?|lacking)\b"
)
# Characters of negation that are none inside these words.
NO_NEGATION_ZH = re.compile(
    r"不错|不但|不仅|不过(?![敏期滤来去度夜时关])|不断|不同|不久|不管|不论|不得不|不可避免|差不多|了不起|对不起|不好意思|没错|没事|没问题|非常|非洲|除非|"
    r"无论|无线|无锡|未来|未必|未婚妻|未婚夫|特别|别人|别的|别名|区别|类别|级别|性别|分别|识别|告别|个别|鉴别|莫斯科|莫名|是不是|有没有|能不能|要不要|会不会|可不可以|好不好"
)
NEGATORS_ZH = re.compile(
    r"不再|不会|不能|不可以?|不要|不用|不该|不应该?|不必|不准|不得|不喜欢|从不|从未|从来不|从来没有?|绝不|并不|并没有?|并非|"
    r"没有|没能|没|无法|未曾|尚未|还没|禁止|严禁|拒绝|停止|戒了|戒掉|取消|放弃|不|无|未|勿|莫|别|非"
)

# canonical word, whether it turns the polarity, forms. Forms are matched on folded text, longest first.
SAME_MEANING_EN: tuple[tuple[str, bool, str], ...] = (
    (
        "like",
        False,
        r"likes?|liked|enjoys?|is fond of|are fond of|am fond of|is into|is keen on|is a fan of|am a fan of",
    ),
    ("love", False, r"loves?|adores?|is crazy about|is passionate about"),
    ("like", True, r"dislikes?|is not fond of"),
    ("hate", False, r"hates?|detests?|loathes?|despises?|abhors?|can(?:not|'t| not) stand|can(?:not|'t) bear"),
    ("prefer", False, r"prefers?|favou?rs|would rather have|would rather use"),
    ("use", False, r"uses?|utili[sz]es?|makes use of|makes? use of|employs"),
    ("live", False, r"lives?|resides?|is based|is living|is residing"),
    ("work", False, r"works?|is employed|is working"),
    ("move", False, r"moved|relocated|has moved|has relocated"),
    ("own", False, r"owns?|is the owner of|is in charge of|is responsible for|takes care of"),
    ("need", False, r"needs?|requires?|must have"),
    ("must", False, r"must|has to|have to|is required to|are required to|shall|needs to"),
    ("run", False, r"runs?|is running|is hosted|is deployed"),
    ("start", False, r"starts?|begins?|kicks off"),
    ("started", False, r"started|began|kicked off"),
    ("finish", False, r"finished|completed|is done|was completed|was finished"),
    ("fix", False, r"fixed|repaired|resolved|solved|was fixed|has been fixed"),
    ("cause", False, r"caused|was the cause of|led to|resulted in|was caused by"),
    ("buy", False, r"bought|purchased"),
    ("choose", False, r"chose|picked|selected|opted for|decided on|went with|settled on"),
    ("decide", False, r"decided|agreed"),
    ("database", False, r"database|db"),
    ("production", False, r"production|prod"),
    ("repository", False, r"repository|repo"),
    ("configuration", False, r"configuration|config"),
    ("documentation", False, r"documentation|docs"),
    ("application", False, r"application|app"),
    ("javascript", False, r"javascript|js"),
    ("typescript", False, r"typescript|ts"),
    ("kubernetes", False, r"kubernetes|k8s"),
    ("postgresql", False, r"postgresql|postgres"),
    ("always", False, r"always|every time|at all times"),
    ("daily", False, r"daily|every day|each day|once a day"),
    ("weekly", False, r"weekly|every week|each week|once a week"),
    ("monthly", False, r"monthly|every month|each month|once a month"),
    ("morning", False, r"mornings?"),
    ("big", False, r"big|large|huge"),
    ("small", False, r"small|little|tiny"),
    ("quick", False, r"quick|fast|rapid"),
    ("child", False, r"child|kid"),
    ("children", False, r"children|kids"),
    ("picture", False, r"pictures?|photos?|images?"),
    ("film", False, r"films?|movies?"),
    ("car", False, r"cars?|automobiles?"),
    ("phone", False, r"phone|telephone|mobile"),
    ("email", False, r"e-?mails?"),
    ("because", False, r"because of|because|due to|owing to"),
    ("about", False, r"about|approximately|roughly|around"),
    ("mother", False, r"mother|mum|mom"),
    ("father", False, r"father|dad"),
    ("enable", False, r"enabled?|turned on|switched on|activated?|is on"),
    ("enable", True, r"disabled?|turned off|switched off|deactivated?"),
    ("allow", False, r"allowed|permitted|allows|permits"),
    ("allow", True, r"forbidden|prohibited|forbids|prohibits|disallowed|banned"),
)
SAME_MEANING_ZH: tuple[tuple[str, bool, str], ...] = (
    ("喜欢", False, r"喜欢|喜爱|爱好|钟爱|偏爱|爱喝|爱吃"),
    ("喜欢", True, r"讨厌|厌恶"),
    ("用", False, r"使用|采用|运用|用的是|用着|用"),
    ("住", False, r"居住|住在|家在|定居|住"),
    ("工作", False, r"工作|上班|任职|就职"),
    ("负责", False, r"负责|主管|掌管|管理"),
    ("必须", False, r"必须|务必|一定要|需要|得"),
    ("搬", False, r"搬家?|迁居|迁"),
    ("买", False, r"购买|购入|买"),
    ("决定", False, r"决定|敲定|商定"),
    ("选", False, r"选择|选定|选用|选"),
    ("修", False, r"修复|修好|解决|修"),
    ("完成", False, r"完成|做完|搞定|完工"),
    ("导致", False, r"导致|引起|造成|引发"),
    ("开始", False, r"开始|启动|着手"),
    ("每天", False, r"每天|每日|天天"),
    ("每周", False, r"每周|每星期|每个星期"),
    ("每月", False, r"每个?月"),
    ("星期", False, r"星期|礼拜|周"),
    ("数据库", False, r"数据库|db"),
    ("生产", False, r"生产环境|线上环境|线上|生产"),
    ("电话", False, r"手机号码|手机号|电话号码|电话"),
    ("因为", False, r"因为|由于"),
    ("大约", False, r"大约|大概|约"),
    ("妈妈", False, r"妈妈|母亲"),
    ("爸爸", False, r"爸爸|父亲"),
    ("部署", False, r"部署|运行|跑"),
    ("启用", False, r"启用|开启|打开"),
    ("启用", True, r"禁用|停用|关闭|关掉"),
    ("允许", False, r"允许|准许"),
    ("位于", False, r"位于|坐落于|地处"),
)

# Words of which a statement can hold one side only; equal otherwise, the two statements contradict.
OPPOSITES_EN: tuple[frozenset[str], ...] = tuple(
    frozenset(group.split())
    for group in (
        "love like hate",
        "enable disable",
        "allow deny block",
        "accept reject refuse",
        "open close opened closed",
        "start stop end finish",
        "before after",
        "above below",
        "always never sometimes",
        "increase decrease increased decreased rise fall rose fell raised lowered",
        "up down",
        "upstream downstream",
        "inbound outbound",
        "left right",
        "north south east west",
        "hot cold",
        "warm cool",
        "fast slow",
        "quick slow",
        "early late earlier later",
        "first last second third",
        "min max minimum maximum",
        "more less fewer",
        "most least",
        "best worst",
        "better worse",
        "good bad",
        "safe unsafe dangerous",
        "success failure succeeded failed passed",
        "pass fail",
        "public private",
        "internal external",
        "local remote",
        "staging production development testing",
        "dev prod test",
        "read write",
        "upload download",
        "import export",
        "buy sell bought sold",
        "lend borrow",
        "win lose won lost",
        "win loss",
        "gain lose",
        "add remove added removed",
        "create delete created deleted",
        "show hide",
        "lock unlock",
        "mount unmount",
        "synchronous asynchronous sync async",
        "morning afternoon evening night noon",
        "day night",
        "today yesterday tomorrow",
        "monday tuesday wednesday thursday friday saturday sunday",
        "january february march april may june july august september october november december",
        "spring summer autumn fall winter",
        "daily weekly monthly yearly hourly quarterly",
        "red green blue yellow black white orange purple brown pink grey gray",
        "true false",
        "yes no",
        "on off",
        "big small",
        "large small",
        "high low higher lower",
        "long short longer shorter",
        "old new",
        "old young",
        "older younger",
        "married single divorced",
        "male female",
        "mother father",
        "brother sister",
        "son daughter",
        "husband wife",
        "he she",
        "his her",
        "him her",
        "employee employer",
        "parent child",
        "client server",
        "buyer seller",
        "teacher student",
        "vertical horizontal",
        "primary secondary replica",
        "master replica",
        "encrypted plaintext",
        "mandatory optional",
        "required optional",
        "required forbidden",
        "cheap expensive",
        "light dark",
        "happy sad",
        "rich poor",
        "full empty",
        "wet dry",
        "hard soft easy",
        "tabs spaces",
        "vegetarian vegan carnivore",
        "tea coffee",
        "cat dog",
        "cats dogs",
        "mutable immutable",
        "stable unstable",
        "available unavailable",
        "valid invalid",
        "online offline",
        "with without",
        "include exclude",
        "all some none",
        "everyone nobody",
        "agree disagree",
        "agreed disagreed",
        "approve reject approved rejected",
        "hire fire hired fired",
        "join leave joined left",
        "arrive depart arrived departed",
        "seconds minutes hours days weeks months years",
        "mb gb tb kb",
        "kg g lb",
        "km m miles",
        "euros dollars pounds yuan yen",
        "from to",
        "over under",
        "must may should",
        "can cannot",
        "will would",
        "was will",
        "compress decompress",
        "encode decode",
        "commit rollback",
        "push pull",
        "ascending descending",
        "serial parallel",
        "manual automatic manually automatically",
        "temporary permanent temporarily permanently",
        "wired wireless",
    )
)
OPPOSITES_ZH: tuple[frozenset[str], ...] = tuple(
    frozenset(group.split())
    for group in (
        "喜欢 讨厌 爱 恨",
        "启用 禁用",
        "开 关",
        "上 下",
        "左 右",
        "前 后",
        "早 晚",
        "大 小",
        "多 少",
        "高 低",
        "长 短",
        "快 慢",
        "新 旧",
        "男 女",
        "东 西 南 北",
        "春 夏 秋 冬",
        "增加 减少",
        "提高 降低",
        "上升 下降",
        "成功 失败",
        "通过 拒绝",
        "同意 反对",
        "允许 禁止",
        "总是 从不",
        "公开 私有",
        "内部 外部",
        "本地 远程",
        "测试 生产 开发 预发",
        "读 写",
        "上传 下载",
        "导入 导出",
        "买 卖",
        "借 还",
        "赢 输",
        "添加 删除",
        "创建 删除",
        "显示 隐藏",
        "同步 异步",
        "上午 下午 晚上 早上 中午",
        "今天 昨天 明天",
        "红 绿 蓝 黄 黑 白",
        "真 假",
        "已婚 未婚 离婚",
        "父 母",
        "哥 姐 弟 妹",
        "儿子 女儿",
        "主 从",
        "必须 可以",
        "便宜 贵",
        "热 冷",
        "茶 咖啡",
        "猫 狗",
        "入职 离职",
        "加入 退出",
        "批准 驳回",
        "自动 手动",
        "临时 永久",
        "升序 降序",
        "全部 部分",
        "在线 离线",
        "最大 最小",
        "最早 最晚",
        "第一 第二 第三 最后",
        "老师 学生",
        "甲方 乙方",
        "客户端 服务端",
        "加密 明文",
        "推荐 不推荐",
        "进 出",
    )
)

EMPTY_WORDS_EN = frozenset(
    "a an the is are am be been being do does did of in on at to for that which it's its very really just also so well "
    "please quite actually simply has have had there this these those and as by will's currently now i'd you know "
    "'s s would lot lots much".split()
)
EMPTY_CHARS_ZH = frozenset(
    "的了地着过吧呢啊呀嘛吗是在就都也很真将会被把给个之其所而且与和及跟于等那这那儿里家位名只条件"
)

NUMBER_WORDS_EN = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen twenty".split()
    )
} | {
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
    "hundred": 100,
    "thousand": 1000,
    "million": 1_000_000,
    "dozen": 12,
    "twice": 2,
    "once": 1,
    "half": 0.5,
}
MULTIPLIERS = {"k": 1e3, "m": 1e6, "b": 1e9, "bn": 1e9, "万": 1e4, "亿": 1e8, "千": 1e3, "百万": 1e6, "%": 1}

# Names as they look on the page: capitals, digits inside, dotted or hyphened, Latin inside Chinese.
NAME_RAW = re.compile(
    r"""(?<![A-Za-z0-9_'])(?:
        [A-Z][A-Za-z0-9_'\-]*[+#]* | [a-z]+[A-Z]\w* | [A-Za-z]\w*[-_.]?\d[A-Za-z0-9_.\-]* | \d+[A-Za-z_\-][A-Za-z0-9_\-]*[A-Za-z][A-Za-z0-9_\-]*
        | [A-Za-z0-9_\-]+(?:[._/][A-Za-z0-9_\-]+)+ | [a-z]\w*-\w+ | [A-Za-z][A-Za-z0-9_.+#\-]*(?=\s?[\u3400-\u4dbf\u4e00-\u9fff]) | (?<=[\u3400-\u4dbf\u4e00-\u9fff])[A-Za-z][A-Za-z0-9_.+#\-]* | (?<=[\u3400-\u4dbf\u4e00-\u9fff]\s)[A-Za-z][A-Za-z0-9_.+#\-]*
    )""",
    re.VERBOSE | re.ASCII,
)
NOT_NAMES = frozenset(
    "i i'm i've i'd i'll the a an we we're you he she it they my our your his her their this that these those there here and but or so "
    "if when while because since until after before in on at for from to with by of as not no never always please don't do does did is are was "
    "were be can could should would will may might must let lets let's all every each some any most many one two three use use used "
    "yesterday today tomorrow last next now then also what who where why how which ok okay yes monday tuesday wednesday thursday "
    "friday saturday sunday january february march april may june july august september october november december".split()
)
