"""Predicates, and the words that are no entities.

The predicate vocabulary is small on purpose: a verb joins it only where every common reading of the verb with
that preposition means the predicate. Everything else keeps its lemma in snake case.
"""

from retrograph.extraction.language import HAN, word_set
from retrograph.models import EntityType

# (verb lemma, preposition or "") → predicate.
VERBS: dict[tuple[str, str], str] = {
    ("work", "at"): "works_at", ("work", "for"): "works_at", ("be employed", "by"): "works_at",
    ("intern", "at"): "works_at", ("join", ""): "joined", ("work", "on"): "works_on",
    ("work", "with"): "works_with", ("collaborate", "with"): "works_with", ("work", "in"): "works_in",
    ("work", "as"): "is_a", ("live", "in"): "lives_in", ("live", "at"): "lives_in",
    ("reside", "in"): "lives_in", ("live", "with"): "lives_with", ("move", "to"): "moved_to",
    ("relocate", "to"): "moved_to", ("study", "at"): "studies_at", ("graduate", "from"): "graduated_from",
    ("study", ""): "studies", ("like", ""): "likes", ("love", ""): "likes", ("enjoy", ""): "likes",
    ("adore", ""): "likes", ("dislike", ""): "dislikes", ("hate", ""): "dislikes",
    ("detest", ""): "dislikes", ("loathe", ""): "dislikes", ("prefer", ""): "prefers",
    ("favor", ""): "prefers", ("favour", ""): "prefers", ("use", ""): "uses", ("utilize", ""): "uses",
    ("utilise", ""): "uses", ("employ", ""): "employs", ("switch", "to"): "uses", ("migrate", "to"): "uses",
    ("rely", "on"): "depends_on", ("depend", "on"): "depends_on", ("depend", "upon"): "depends_on",
    ("require", ""): "depends_on", ("own", ""): "owns", ("possess", ""): "owns",
    ("belong", "to"): "belongs_to", ("cause", ""): "causes", ("trigger", ""): "causes",
    ("lead", "to"): "causes", ("result", "in"): "causes", ("run", "on"): "runs_on",
    ("deploy", "on"): "runs_on", ("deploy", "to"): "runs_on", ("host", "on"): "runs_on",
    ("deploy", "in"): "runs_on", ("host", "in"): "runs_on", ("manage", ""): "manages",
    ("lead", ""): "manages", ("supervise", ""): "manages", ("head", ""): "manages",
    ("oversee", ""): "manages", ("maintain", ""): "maintains", ("report", "to"): "reports_to",
    ("know", ""): "knows", ("learn", ""): "learns", ("speak", ""): "speaks", ("listen", "on"): "listens_on",
    ("locate", "in"): "located_in", ("locate", "at"): "located_in", ("situate", "in"): "located_in",
    ("base", "in"): "located_in", ("store", "in"): "stored_in", ("headquarter", "in"): "located_in",
    ("consist", "of"): "consists_of", ("compose", "of"): "consists_of", ("comprise", ""): "consists_of",
    ("contain", ""): "contains", ("include", ""): "contains", ("host", ""): "hosts",
    ("write", "in"): "written_in", ("build", "with"): "uses", ("build", "on"): "uses",
    ("bear", "in"): "born_in", ("marry", ""): "married_to", ("marry", "to"): "married_to",
    ("replace", ""): "replaces", ("supersede", ""): "replaces", ("connect", "to"): "connects_to",
    ("talk", "to"): "connects_to", ("create", ""): "created", ("develop", ""): "created",
    ("found", ""): "founded", ("acquire", ""): "acquired", ("take over", ""): "manages",
    ("approve", ""): "approved", ("treat", ""): "treats", ("treat", "with"): "treated_with",
    ("suffer", "from"): "has_condition", ("diagnose", "with"): "has_condition", ("play", ""): "plays",
    ("support", ""): "supports", ("teach", ""): "teaches", ("teach", "at"): "works_at",
    ("visit", ""): "visited", ("fly", "to"): "visited", ("travel", "to"): "visited",
    ("attend", ""): "attends", ("adhere", "to"): "follows", ("leave", ""): "left",
    ("cost", ""): "has_price", ("weigh", ""): "has_weight", ("quit", ""): "left",
    ("resign", "from"): "left", ("buy", ""): "bought", ("purchase", ""): "bought",
}  # fmt: skip

# "be ADJ PREP" → predicate.
ADJECTIVES: dict[tuple[str, str], str] = {
    ("allergic", "to"): "allergic_to", ("responsible", "for"): "responsible_for", ("fond", "of"): "likes",
    ("fluent", "in"): "speaks", ("dependent", "on"): "depends_on", ("afraid", "of"): "afraid_of",
    ("interested", "in"): "interested_in", ("married", "to"): "married_to", ("based", "in"): "located_in",
    ("located", "in"): "located_in", ("intolerant", "to"): "allergic_to",
    ("compatible", "with"): "compatible_with", ("engaged", "to"): "engaged_to", ("part", "of"): "part_of",
    ("addicted", "to"): "addicted_to",
}  # fmt: skip

# Chinese verb → predicate; "在" and "是" are read by their surroundings.
CHINESE_VERBS: dict[str, str] = {
    "喜欢": "likes", "喜爱": "likes", "爱": "likes", "热爱": "likes", "爱吃": "likes", "爱喝": "likes",
    "讨厌": "dislikes", "厌恶": "dislikes", "反感": "dislikes", "偏好": "prefers", "偏爱": "prefers",
    "更喜欢": "prefers", "用": "uses", "使用": "uses", "采用": "uses", "选用": "uses", "改用": "uses",
    "换成": "uses", "基于": "uses", "依赖": "depends_on", "依赖于": "depends_on", "需要": "depends_on",
    "负责": "responsible_for", "主管": "manages", "管理": "manages", "领导": "manages", "带领": "manages",
    "维护": "maintains", "属于": "belongs_to", "隶属于": "belongs_to", "归属": "belongs_to",
    "住在": "lives_in", "居住在": "lives_in", "定居": "lives_in", "定居在": "lives_in",
    "位于": "located_in", "坐落于": "located_in", "坐落在": "located_in", "任职于": "works_at",
    "就职于": "works_at", "供职于": "works_at", "入职": "works_at", "就职": "works_at", "任职": "works_at",
    "跳槽到": "works_at", "跳槽去": "works_at",
    "加入": "joined", "拥有": "owns", "搬到": "moved_to", "搬去": "moved_to", "搬往": "moved_to",
    "迁到": "moved_to", "迁至": "moved_to", "导致": "causes", "引起": "causes", "引发": "causes",
    "造成": "causes", "包含": "contains", "包括": "contains", "认识": "knows", "运行在": "runs_on",
    "部署在": "runs_on", "运行于": "runs_on", "部署于": "runs_on", "毕业于": "graduated_from",
    "就读于": "studies_at", "改为": "is", "改成": "is", "调整为": "is", "变为": "is", "变成": "is",
    "升级到": "is", "提高到": "is", "降到": "is", "增加到": "is", "推迟到": "is", "延期到": "is",
    "会说": "speaks", "精通": "speaks", "养": "owns", "养了": "owns", "买了": "bought", "收购": "acquired",
    "替换": "replaces", "取代": "replaces", "调用": "depends_on", "患有": "has_condition",
    "创办": "founded", "创立": "founded", "连接": "connects_to", "连接到": "connects_to",
    "监听": "listens_on", "离开": "left", "支持": "supports", "出生于": "born_in", "出生在": "born_in",
    "汇报给": "reports_to", "擅长": "good_at", "迁移到": "uses", "切换到": "uses", "托管在": "runs_on",
    "开发": "created", "研发": "created",
}  # fmt: skip

# Of these a subject has one value at a time: a new value retires the old one.
_SINGLE = word_set(
    "works_at lives_in runs_on located_in moved_to is born_in comes_from married_to engaged_to "
    "reports_to listens_on belongs_to stored_in"
)
# "X's Y is Z" has one value for every Y but these.
_MULTI_ATTRIBUTES = word_set(
    "friend brother sister child son daughter colleague coworker cousin uncle aunt member hobby teammate "
    "neighbor neighbour pet dog cat student patient customer client competitor goal interest skill "
    "founder cofounder author co-founder part component module feature dependency alias nickname partner "
    "grandchild classmate example"
)


# Verbs the English lemmatiser gets wrong: it makes "hates" a hat.
_LEMMAS = {"hat": "hate", "hop": "hope", "instal": "install", "uninstalle": "uninstall", "flie": "fly"}


def verb_lemma(lemma: str) -> str:
    """The lemma of a verb, in lower case, mended where the lemmatiser is known to be wrong."""
    lowered = lemma.lower()
    return _LEMMAS.get(lowered, lowered)


def is_single_valued(predicate: str) -> bool:
    """Whether a subject has one value of a predicate at a time, so that a newer value retires an older one.

    Places of living, work and running, and attributes ("the budget is …", `has_manager`) are single-valued;
    tastes, tools, languages, possessions and acquaintances are not.

    Args:
        predicate: A normalised predicate.
    """
    if predicate.startswith("has_"):
        attribute = predicate.removeprefix("has_")
        return not is_multi_attribute(attribute) and attribute != "condition"
    return predicate in _SINGLE


def is_multi_attribute(noun: str) -> bool:
    """Whether one has several of these at a time: friends, hobbies, pets."""
    return noun in _MULTI_ATTRIBUTES


# Pairs of predicates that exclude one another for the same subject and object.
OPPOSITES: dict[str, str] = {
    "likes": "dislikes", "dislikes": "likes", "joined": "left", "left": "works_at", "works_at": "left",
}  # fmt: skip

# Words for the people around somebody or something.
PEOPLE_ATTRIBUTES = word_set(
    "cardiologist physiotherapist dermatologist accountant tutor barber hairdresser trainer physician "
    "pediatrician nanny babysitter grandma grandpa niece nephew gp midwife optician vet manager boss ceo "
    "cto cfo coo president chairman director founder cofounder owner lead leader head mentor coach "
    "supervisor teacher professor doctor dentist lawyer landlord assistant secretary mother father mom "
    "dad mum wife husband spouse brother sister son daughter friend partner girlfriend boyfriend fiancé "
    "fiancée uncle aunt cousin grandmother grandfather roommate colleague neighbor neighbour maintainer "
    "author captain chef conductor nurse surgeon therapist chair producer sponsor reviewer"
)
# Kin, roles and attributes: "X's manager is Y" and "Y, the manager of X" say one thing.
ATTRIBUTES = PEOPLE_ATTRIBUTES | word_set(
    "quota threshold retention provider plan manager boss ceo cto cfo coo president chairman director "
    "founder cofounder owner lead leader head mentor coach supervisor teacher professor doctor dentist "
    "lawyer landlord assistant secretary mother father mom dad mum wife husband spouse brother sister "
    "son daughter friend partner girlfriend boyfriend fiancé fiancée uncle aunt cousin grandmother "
    "grandfather roommate colleague neighbor neighbour capital headquarters birthday address email phone "
    "number password username name nickname budget price cost salary rent port version timeout limit "
    "deadline size color colour status state maintainer author job title role age height weight dose "
    "dosage diagnosis blood type hometown nationality language timezone hobby goal project employer "
    "company school office location host url path branch region default database framework editor vendor "
    "supplier client customer dog cat pet captain chef conductor nurse surgeon therapist chair "
    "editor-in-chief producer sponsor reviewer"
)
CHINESE_ATTRIBUTES = word_set(
    "经理 老板 上司 领导 负责人 主管 总监 创始人 导师 老师 教练 医生 妈妈 爸爸 母亲 父亲 妻子 老婆 太太 "
    "丈夫 老公 哥哥 弟弟 姐姐 妹妹 儿子 女儿 朋友 男朋友 女朋友 同事 室友 邻居 爷爷 奶奶 外公 外婆 叔叔 "
    "阿姨 首都 总部 生日 地址 邮箱 电话 密码 名字 预算 价格 成本 工资 房租 端口 版本 截止日期 截止时间 "
    "颜色 状态 职位 职业 年龄 身高 体重 剂量 血型 家乡 籍贯 国籍 母语 爱好 目标 公司 学校 班主任 数据库 "
    "语言 时区 超时时间 上限 维护者 作者 项目经理 产品经理 技术负责人 队长 班长 房东 主治医生 CEO CTO "
    "CFO"
)

# Verbs that say nothing lasting about their subject and object.
LIGHT_VERBS = word_set(
    "say tell think believe go come get make take do try want need see ask give let keep look seem feel "
    "find put set help show mean happen start stop begin finish call hear hope wish talk discuss mention "
    "know remember forget bring become turn remain stay sit stand wait have be spend pay meet send "
    "receive add change check fix test review close open break fail reach hit last plan decide agree "
    "expect consider explain describe suggest recommend notice"
)
TASTE = frozenset({"likes", "dislikes", "prefers", "allergic_to", "afraid_of", "addicted_to", "interested_in"})
# With these predicates even a plain single noun is worth a node: "likes tea".
PROMOTING = TASTE | word_set(
    "uses speaks plays owns studies learns teaches has_condition treated_with depends_on good_at runs_on"
)

PRONOUNS = word_set(
    "i me my mine myself you your yours yourself he him his himself she her hers herself it its itself "
    "we us our ours ourselves they them their theirs themselves this that these those who whom whose "
    "which what someone somebody something anyone anybody anything everyone everybody everything nobody "
    "nothing none one ones both all each other others another here there where when why how whatever "
    "whoever y'all"
)
# Heads too general to connect anything: alone or with an adjective they are no entity.
GENERIC = word_set(
    "human ai ton tons bunch api apis url urls ui ux id ids cpu gpu ram os pc tv ip http https faq user "
    "users thing things stuff way ways time times day days week weeks month months year years hour hours "
    "minute minutes second seconds moment today tomorrow yesterday tonight morning afternoon evening "
    "night weekend people person man men woman women guy guys kid kids child children folk folks lot "
    "lots bit piece part parts kind kinds sort type types example case cases point points fact facts "
    "reason reasons problem problems issue issues question questions answer answers idea ideas thought "
    "thoughts opinion view change changes update updates result results work job jobs task tasks place "
    "places side area areas end start beginning middle top bottom back front number numbers amount group "
    "groups set sets list level levels line lines word words name names system systems information info "
    "detail details matter effort chance difference use need plan plans goal goals step steps rest half "
    "whole value values item items option options feeling feelings life world home house room car family "
    "friend friends help hand hands eye eyes face head heart mind money news story trip visit talk call "
    "conversation chat message messages meeting meetings email note notes look try deal sense everything "
    "experience advice support attention order request response report reports document documents text "
    "data file files code error errors bug bugs fix test tests version versions release default setting "
    "settings feature features function functions team teams company companies service services app apps "
    "application tool tools product products project projects process server servers machine machines "
    "website page pages site office school class course book books movie movies song songs game games "
    "music food water lunch dinner breakfast meal drink mess fun luck smile hug memory memories dream "
    "dreams past future present situation condition state status success failure progress reminder "
    "summer winter spring autumn fall season holiday birthday date dates deadline price cost budget port "
    "total sum rate average majority couple dozen hundred thousand million percent pair row reply "
    "picture pictures photo photos pic video videos thanks congrats wow hey hi hello yeah ok okay lol "
    "sure sorry please welcome bye colleague colleagues coworker coworkers boss manager owner member "
    "members customer customers client clients assistant agent agents model models bot session sessions "
    "context requests purpose effect impact role everyone anyone someone nobody mr mrs ms dr sir madam "
    "mom dad mum mother father brother sister wife husband son daughter aunt uncle cousin parents"
)
# What people say at the start of a sentence, with a capital: no names.
INTERJECTIONS = word_set(
    "glad yep yup nope nah wanna gonna gotta woohoo woah whoa aww awww aw awesome agreed oof btw gon "
    "cherish haha hahaha lol omg phew ugh yay congrats congratulations absolutely exactly definitely "
    "totally wow oh ah hmm hm hey hi hello thanks thank cheers yeah yes no ok okay sure right well "
    "please sorry bye goodbye kudos bravo cool nice great good sounds looks seems hope looking seeing "
    "love loving keep way long time happy excited proud lucky true wait welp anyway anyways fyi imo tbh "
    "idk asap tl;dr todo note nb eg ie etc damn gosh jeez dude bro man girl guys buddy pal hun honey "
    "dear lord god goodness merry ps rip lmao rofl heyo howdy yo sup nm np ty thx pls plz ditto indeed "
    "alright morning evening"
)
# Class words behind a name ("the Redis cluster", "Globex office"): the name alone is the entity.
CLASS_WORDS = word_set(
    "cluster database db server service app application library framework tool platform team group "
    "company firm office client driver engine instance account project product package module plugin "
    "image container node pod university hospital clinic restaurant cafe hotel airport station street "
    "city town village country province state region district language branch version release update api "
    "sdk cli repo repository dashboard website site page file folder directory config ticket issue bug "
    "task error endpoint host machine vm queue topic table index bucket guy girl person people user "
    "users employee manager engineer developer team's"
)
# Class words that show a name before them to be a technology.
TECH_CLASSES = word_set(
    "cluster database db server library framework driver engine instance package module plugin container "
    "pod api sdk cli repo endpoint queue topic index cache broker dashboard client query queries script "
    "scripts pipeline backend frontend runtime compiler editor"
)
# Adjectives and nouns in front that say when or how good, not which.
LOOSE_MODIFIERS = word_set(
    "new old good bad great big little nice best better worst last next first second third other same "
    "own such more most many much several few some any certain various different whole entire current "
    "recent former previous latest early late long short high low main important real actual possible "
    "able right wrong sure happy sad beautiful lovely amazing awesome wonderful fantastic incredible "
    "favorite favourite cool fun special huge tiny simple easy hard difficult full empty only just very "
    "really quite also even still daily weekly monthly yearly annual today tomorrow yesterday tonight "
    "sweet cute gorgeous super total overall general usual typical tough perfect local extra additional "
    "single double enough less least numerous countless another every each all both half brand-new "
    "available related following above below upcoming existing initial final positive negative kind wild "
    "loving strong weak peaceful true inspiring supportive trendy exciting personal unique crazy proud "
    "meaningful rough intense pure relaxing inspirational motivational valuable helpful useful useless "
    "serious rewarding tasty delicious yummy pretty nice-looking close rare common normal weird strange "
    "funny scary brave massive enormous insane sheer constant much-needed hard-working thoughtful "
    "generous honest gentle stunning breathtaking magical memorable unforgettable younger older bigger "
    "smaller better-known famous popular young lively vibrant cozy comfy lucky terrible horrible awful"
)

# Technologies whose names are plain words or person-like, so that no pattern shows them to be tools. Only names
# that the English model is known to label as people, places or companies, or to miss in Chinese text.
TECHNOLOGIES = word_set(
    "python java rust golang ruby perl scala kotlin swift docker kubernetes k8s redis kafka postgres "
    "postgresql mysql mongodb sqlite neo4j elasticsearch rabbitmq nginx terraform ansible jenkins "
    "grafana prometheus airflow spark hadoop flink pytorch tensorflow pandas numpy django flask fastapi "
    "react angular svelte node.js linux ubuntu debian windows macos android ios git svn jira slack "
    "notion figma excel vim emacs vscode webpack celery helm vault consul istio envoy cypher graphql "
    "cassandra clickhouse snowflake bigquery datadog sentry pytest ruff spacy pip npm yarn conda make "
    "cmake bash zsh powershell cron systemd etcd minio traefik jupyter hive presto dbt mypy pyright"
)

PERSON_TITLES = word_set("mr mrs ms miss dr prof professor sir dame captain judge uncle aunt coach nurse")

CHINESE_GENERIC = word_set(
    "人工智能助手 机器人 东西 事情 事 问题 时候 时间 地方 人 大家 用户 系统 方面 情况 原因 结果 方式 "
    "方法 办法 内容 部分 感觉 意思 关系 样子 上面 下面 里面 外面 后面 前面 旁边 今天 明天 昨天 现在 以后 "
    "以前 之前 之后 我们 你们 他们 自己 别人 朋友 同事 老师 学生 孩子 女人 男人 妈妈 爸爸 爷爷 奶奶 哥哥 "
    "姐姐 弟弟 妹妹 儿子 女儿 老婆 老公 妻子 丈夫 家人 家 公司 学校 团队 部门 项目 产品 服务 工作 任务 "
    "会议 会 数据 文件 代码 信息 消息 功能 版本 程序 软件 工具 机器 服务器 网站 页面 链接 电话 邮件 名字 "
    "名称 号 钱 车 房子 饭 水 书 电影 音乐 游戏 歌 照片 图片 视频 新闻 故事 计划 目标 想法 建议 意见 "
    "经验 机会 生活 世界 国家 城市 早上 中午 下午 晚上 周末 上午 夜里 年 月 日 天 小时 分钟 次 个 位 种 "
    "件 事儿 心情 身体 手 头 眼睛 脸 门 路 话 字 预算 价格 端口 总部 首都 负责人 经理 老板 领导 医生 "
    "客户 成员 组 部 层 方案 需求 流程 过程 步骤 阶段 区 点 面 线 助手 模型 小组 环境 默认 配置 任何人 "
    "人们 一点 数量 规则 变化 作用 条件 状态 效果 习惯 全家 员工 家里 结论 重点 周 原来 下周 上周 礼拜 "
    "号码 总监 创始人 主管 教练 导师 邻居 室友 地址 密码 生日 爱好 职位 成本 工资 房租 年龄 身高 体重 "
    "颜色 截止日期 朋友们 同学 同学们 目录 记录 日志 报告 文档 接口 请求 错误 测试 线上 本地 命令 参数 "
    "结构 类型 值 表 列 行 主题 会员 订单 早餐 午饭 晚饭 午餐 晚餐 数据库 同一个人 所有人 年轻人 "
    "机器人们 老人 家长 大人 小时候 时间点 星期 号线 一些 一下 大部分 全部 总数 平均 第一 之一"
)

# Chinese pronouns and measure-like words that LAC tags as nouns now and then.
CHINESE_PRONOUNS = word_set(
    "我 你 您 他 她 它 我们 你们 他们 她们 它们 咱们 咱 这 那 这个 那个 这里 那里 谁 什么 自己 大家"
)

PLACE_PREDICATES = frozenset({"lives_in", "located_in", "born_in", "visited"})
ORGANISATION_PREDICATES = frozenset({"works_at", "studies_at", "graduated_from"})
TOOL_PREDICATES = frozenset({"uses", "written_in"})

# Subjects of these are people, whatever the model took them for.
PERSON_SUBJECTS = frozenset(
    {
        "likes",
        "dislikes",
        "works_at",
        "lives_in",
        "speaks",
        "studies",
        "allergic_to",
        "has_condition",
        "married_to",
        "reports_to",
    }
)
ORGANISATION_SUBJECTS = frozenset({"has_ceo", "has_cto", "has_cfo", "has_coo", "has_founder", "has_headquarters"})
PERSON_OBJECTS = frozenset(f"has_{role}" for role in PEOPLE_ATTRIBUTES) | {"reports_to", "married_to"}
OBJECT_TYPES: dict[str, EntityType] = (
    dict.fromkeys(sorted(PLACE_PREDICATES), EntityType.PLACE)
    | dict.fromkeys(sorted(ORGANISATION_PREDICATES), EntityType.ORGANISATION)
    | dict.fromkeys(sorted(TOOL_PREDICATES), EntityType.TOOL)
    | dict.fromkeys(sorted(PERSON_OBJECTS), EntityType.PERSON)
)  # fmt: skip


def is_generic(name: str) -> bool:
    """Whether a name is a pronoun or a noun so general that as an entity it would only be a hub."""
    lowered = name.strip().lower()
    return (
        not lowered
        or lowered in PRONOUNS
        or lowered in GENERIC
        or lowered in CHINESE_GENERIC
        or lowered in CHINESE_PRONOUNS
        or (len(lowered) == 1 and (lowered.isascii() or lowered in HAN))
    )
