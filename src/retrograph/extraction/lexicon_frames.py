"""The frames of "X is Y": predicates, what has one value at a time, and states that exclude one another."""

# ruff: noqa: E501  (a row of a table reads best on one line)

import re

LEAD_IN = re.compile(
    r"^(?:(?:no|nope|actually|correction|sorry|wait|oops|well|update|fyi|note|remember|scratch that|i was wrong|my mistake|now|so|ok|okay|turns out|in fact|as of (?:now|today)|currently|from now on|starting today|today|maybe|perhaps|probably|possibly|i think|i believe|i guess|apparently|supposedly|it seems|as far as i know)(?: that)?[,.:!\s]+)+"
    r"|^(?:since|as of|starting|from)\s+(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|(?:this|last) \w+|\d{4})(?: on)?,?\s+"
    r"|^(?:(?:不对|错了|说错了|更正|纠正|抱歉|其实|实际上|准确(?:地)?说|注意|记住|现在|目前|从现在起|从今天起|等等|可能|也许|好像|似乎|据说|听说|大概)[，,。:：!！\s]*)+"
    r"|^从[^，,。]{1,8}(?:起|开始)[，,\s]*",
    re.IGNORECASE,
)
# Where one clause ends and the next may begin. A comma inside a number cuts nothing.
CLAUSE = re.compile(
    r"\s*[;；，]\s*|,\s+(?:and\s+|but\s+|so\s+|while\s+|because\s+)?|,(?=[\u3400-\u9fff])"
    r"|\s+(?:and|but)\s+(?=(?:it|he|she|they|we|now|the|its|our|his|her|their)\s)",
    re.IGNORECASE,
)
POINTING = re.compile(
    r"(?:it|he|she|they|that|this|which|who|there|its|his|her|their)\b|它|他|她|这|那|其", re.IGNORECASE
)

# A value that became another: "slipped to", "was pushed back to", "has been upgraded to".
_PUT_OFF = r"(?:slipped|pushed(?: back| out)?|postponed|delayed|rescheduled|brought forward) (?:to|until|till)"
# "was cut by 5 %", "were put off": what happened and may happen again, which gives nothing a value.
HAPPENED_EN = re.compile(
    r"(?:was|were)\0(?:\w+ly )?(?!(?:based|located|called|named|married|engaged|divorced|limited|capped|priced|rated|dated|"
    r"used|supposed|owned|headed|managed|hosted|powered|estimated|planned|scheduled|expected|required|allowed|needed|fixed)\b)"
    r"(?:[a-z]{2,}(?<!ne)ed|cut|put|held|sent|made|built|taken|given|lost|found|sold|bought|paid|hit|shut|brought|told|left|"
    r"met|won|stolen|broken|written|shown|seen|driven|thrown|torn|hurt|spent|struck|drawn|caught|fought|frozen|laid|sunk|"
    r"swept|read|blown|beaten)\b"
)
_CHANGED = (
    rf"(?:(?:was|were|is|has been|have been|got) (?:now )?)?(?:{_PUT_OFF}|(?:rose|risen|fell|fallen|dropped|grew|grown|climbed|shrank|went up|went down|increased|decreased|reduced|raised|lowered|cut|bumped|extended|shortened"
    r"|adjusted|updated|upgraded|downgraded|switched|migrated|converted|moved|relocated|changed|corrected|went)(?: from [^\s,;]{1,20}(?: [a-z%]{1,10})?)? (?:to|until|till))"
)
# "Our meeting" and "the meeting" are one; "email address" is the email.
DETERMINER = re.compile(r"^(?:the|our|this) ", re.IGNORECASE)
SAME_ATTRIBUTES = ((re.compile(r"\be-?mail address\b", re.IGNORECASE), "email"), (re.compile(r"\b(?:tele)?phone number\b", re.IGNORECASE), "phone"),
                   (re.compile(r"手机号码|电话号码"), "手机号"))  # fmt: skip
# "Is 41 years old", "turned 42", 今年41岁.
AGE_EN = re.compile(
    r"^(?P<who>.{1,40}?) (?:is(?: now)? (?P<years>\d{1,3}) years? old|(?:just )?turn(?:ed|s) (?P<age>\d{1,3}))$",
    re.IGNORECASE,
)
AGE_ZH = re.compile(r"^(?P<who>.{1,12}?)(?:今年|现在|已经|刚|满|是|有)*(?P<age>\d{1,3})(?:周)?岁了?$")
# Frames: who, by what predicate, which value. Longer predicates first.
PREDICATE_EN = re.compile(
    rf"\s+(?P<predicate>(?:is|are) (?:now )?(?:set to|located in|located at|hosted (?:on|in|at|by)|deployed (?:on|in|to)|stored (?:in|on)|written in|called|named|due (?:on|by)?|scheduled for|based in|owned by|managed by|maintained by|led by|"
    r"married to|engaged to|capped at|limited to|(?:kept|retained|cached|archived|valid) for|(?:deleted|purged|archived|rotated|refreshed) (?:after|every)|(?:billed|priced|estimated|valued|rated) at|(?:tracked|kept|managed|filed|documented) (?:in|with)|(?:run|handled|provided|powered|supplied|operated) by|built (?:with|on)|"
    r"(?:served|held|sent|delivered|collected|paid|closed|cleaned|reviewed) (?:at|on)|at|on|in|version)|(?:now )?(?:(?:runs|ran|is running|was running) (?:on|in)|(?:lives|lived|is living|was living) (?:in|at)|resides in|resided in|(?:works|worked|is working) (?:at|for|as)|is dating|(?:studies|studied) at|sits in|listens on|starts at|starts on|ends at|ends on|expires on|expires in|expires after|expires|begins at|opens at|closes at|"
    rf"reports to|points to|defaults to|takes place (?:on|in|at)|(?:happens?|occurs?) (?:on|at|every)|(?:departs|leaves|arrives|boards|lands|meets|airs|gathers) (?:at|on)|(?:departs|leaves) from|moved to|transferred to|was transferred to|was reassigned to|joined|changed to|was set to|was moved to|was changed to|was raised to|was lowered to|has moved to|has changed to|was renamed to|{_CHANGED})|"
    r"(?:now )?(?:\w+s every|costs?|takes|lasts|weighs|seats|fits|accommodates|charges|pays|earns|covers|spans|totals|averages|measures|equals|holds|has|have|allows|supports|uses?|requires|needs|keeps|retains|serves|processes|handles|runs|retries|contains|employs)|(?:is|are|was|were|will be|should be|must be|shall be)(?: now| actually| currently| only)*)\s+",
    re.IGNORECASE,
)
_CHANGED_ZH = r"(?:提高|降低|增加|减少|推迟|提前|延期|延后|延长|缩短|升级|[涨降升跌挪延增减])[到至]|[延增减]为"
PREDICATE_ZH = re.compile(
    rf"(?:现在|目前|已经|已|其实|应该|将|可能|也许|好像|大概|似乎|要|被)*(?P<predicate>设(?:置)?为|改为|改成|换成|改到|调整为|变成|变为|更新为|{_CHANGED_ZH}|定在|定为|安排在|位于|坐落于|住在|搬到|迁到|迁至|搬至|调[到去往入]|转岗到|转[到去入]|分到|分配到|运行在|跑在|部署在|托管在|存(?:储|放)?在|就职于|任职于|监听|默认为|归属于?|由|叫做?|等于|需要|花费|支持|允许|最多|最少|共有|"
    r"保留|缓存|有效期|每月|每年|今年|(?:用|使用)的是|有|是|为|(?<![现正存所实内])在|：|:)(?:了)?"
)
# "房租3000元", "体重61公斤": an attribute with its number behind it.
NUMBERED_ZH = re.compile(r"(?:大约|约|共|是|为)*(?P<value>\d.*)$")
# "解析器是用C写的": what something is made with.
MADE_WITH_ZH = re.compile(
    r"^(?P<who>[^，]{1,20}?)是?(?:用|使用|采用)(?P<value>[^，]{1,20}?)(?:编写|写|开发|实现|搭建|构建)的$"
)
# Of these a subject has one value where the value is a time.
TIMED = re.compile(
    r"^(?:is|are)(?: now)? (?:on|at)$|^(?:happens?|occurs?)|^(?:departs|leaves|arrives|boards|lands|meets|airs|gathers) (?:at|on)"
    r"|(?:served|held|sent|delivered|collected|paid|closed|cleaned|reviewed) (?:at|on)$|^在$"
)
# "食堂早上7点开饭": when something that happens every day does.
TIMED_ZH = re.compile(
    r"^(?P<who>.+?)(?:每天|每日|平时|一般|都|在|是)*(?P<value>(?:早上|上午|中午|下午|晚上|凌晨|早|晚)?[\d一二三四五六七八九十]{1,3}(?::\d\d|点(?:半|一刻|[\d一二三四五六七八九十]{1,3}分?)?)(?:钟)?)"
    r"(?P<what>开门|关门|开始|结束|开会|出发|发车|起飞|到站|到达|上班|下班|上课|放学|营业|打烊|开放|关闭|开饭|开盘|收盘|起床|睡觉)$"
)
# "Uses the MIT license": what it says is which license it has.
USED_ATTRIBUTE = re.compile(
    r"^(?:the |an? )?(?P<value>.+?) (?P<attribute>licen[sc]e|theme|font|plan|tier|locale|currency|time ?zone|region|encoding|layout)$",
    re.IGNORECASE,
)
# "每月3000元" says how much, as "3000元" behind 每月 does.
EACH_ZH = re.compile(r"^每个?[天周月年](?=\d)")
# "由张敏负责": the value stands between.
BY_ZH = re.compile(r"由(?P<value>[^，。]{1,16}?)(?:来)?(?:负责|管理|维护|主管|牵头|主持|带领|运营|提供)")
_PURPOSE_ZH = r"(?:做|写|记|画|看|听|读|跑|编|查|管|开|发|订|学|聊|办|处理|调试|部署|沟通|搜索|翻译|上网)"
_RATHER_ZH = r"(?:(?:更|最|比较|还是)(?:喜欢|爱|习惯)|偏好|偏爱|习惯|倾向于?|优先|首选)"
# What somebody prefers for a purpose: one value for each purpose. What somebody prefers to another: not the reverse.
PREFERENCE_EN = re.compile(
    r"^(?:(?:for|when) (?P<before>[^,]{2,40}), )?(?P<who>[^,]{1,40}?) (?:now |still |really |usually |generally )*(?:prefers?|favou?rs?) (?:to use |using )?"
    r"(?P<value>[^,;]{1,40}?)(?: (?:over|to|rather than|instead of) (?P<other>[^,;]{1,40}?))?(?: (?:for|as|when|while) (?P<purpose>[^,;]{1,50}))?(?: now| these days| nowadays)?$",
    re.IGNORECASE,
)
PREFERENCE_ZH = (
    re.compile(
        rf"^(?P<who>[^，]{{1,12}}?)(?:在)?(?P<purpose>{_PURPOSE_ZH}[^，。]{{0,8}}?)(?:的时候|时候|时)?(?:现在|目前)?{_RATHER_ZH}(?:使用|用)?(?P<value>[^，。]{{1,20}})$"
    ),
    re.compile(
        rf"^(?P<who>[^，]{{1,12}}?)(?:现在|目前)?{_RATHER_ZH}(?:使用|用)(?P<value>[A-Za-z][\w .+#-]*|[^，。]{{1,8}}?)(?:来|去)?(?P<purpose>{_PURPOSE_ZH}[^，。]{{1,8}})$"
    ),
    re.compile(
        rf"^(?P<who>[^，]{{1,12}}?)(?:现在|目前)?{_RATHER_ZH}(?P<value>[^，。]{{1,10}}?)(?:胜过|多过|超过|，?而不是)(?P<other>[^，。]{{1,10}})$"
    ),
    re.compile(
        rf"^(?:比起|相比|和)(?P<other>[^，。]{{1,10}}?)(?:相比)?[，,]?(?P<who>[^，]{{1,12}}?)(?:现在|目前)?{_RATHER_ZH}(?P<value>[^，。]{{1,10}})$"
    ),
)
TEAM_ZH = re.compile(r"(?:组|部|部门|团队|中心|科室|处|线)$")
TEAM_EN = re.compile(r"\b(?:team|department|group|division|squad|unit)$", re.IGNORECASE)
# A name with its version: another version takes the place of the first.
VERSIONED = re.compile(
    r"(?P<name>[A-Za-z][\w+#.-]*(?: [A-Za-z][\w+#.-]*)?) v?(?P<version>\d+(?:\.\d+)*)", re.IGNORECASE
)
# A number behind one of these names a thing, and is no version.
COUNTED = re.compile(
    r"\b(?:test|build|job|task|ticket|issue|step|case|candidate|run|experiment|room|host|node|server|item|page|line|line no|number|no)$",
    re.IGNORECASE,
)
# Predicates of which a subject has one value, whatever the value is.
SINGLE_EN = re.compile(
    r"\b(?:set to|located (?:in|at)|hosted (?:on|in|at|by)|deployed (?:on|in|to)|stored (?:in|on)|called|named|due|scheduled for|based in|owned by|managed by|maintained by|led by|married to|engaged to|capped at|limited to|(?:runs|ran|running) (?:on|in)|(?:lives|lived|living) (?:in|at)|"
    r"(?:kept|retained|cached|archived|valid) for|(?:deleted|purged|archived|rotated|refreshed) (?:after|every)|(?:billed|priced|estimated|valued|rated) at|(?:tracked|kept|managed|filed|documented) (?:in|with)|(?:run|handled|provided|powered|supplied|operated) by|(?:studies|studied) at|transferred to|reassigned to|"
    r"reside[sd] in|(?:works|worked|working) (?:at|for|as)|is dating|written in|sits in|listens on|starts? (?:at|on)|ends (?:at|on)|expires|begins at|opens at|closes at|reports to|points to|defaults to|takes place|moved to|changed to|raised to|lowered to|renamed to|version|prefers for|(?:departs|leaves) from)"
    rf"|{_PUT_OFF}",
    re.IGNORECASE,
)
SINGLE_ZH = re.compile(
    rf"设(?:置)?为|改为|改成|换成|改到|调整为|变成|变为|更新为|{_CHANGED_ZH}|定在|定为|安排在|位于|坐落于|住在|搬到|迁到|迁至|搬至|调[到去往入]|转岗到|运行在|跑在|部署在|托管在|存(?:储|放)?在|就职于|任职于|监听|默认为|归属|叫|等于|负责人"
)
# Predicates that say one thing; a verb of change says several. Two frames conflict only where they share one.
FAMILIES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("live", r"(?:lives?|lived|living) (?:in|at)|reside[sd]|moved to|has moved to|住在|搬到|迁到|^在"),
        ("work", r"(?:works?|worked|working) (?:at|for)|就职于|任职于"),
        ("team", r"moved to|transferred to|reassigned to|joined|调[到去往入]|转岗到|转[到去入]|分到|分配到"),
        (
            "run",
            r"(?:runs|ran|running) (?:on|in)|hosted|deployed|moved to|has moved to|was moved to|^runs|运行在|跑在|部署在|托管在|改到|迁[到至]|^在",
        ),
        (
            "place",
            r"located|based in|sits in|(?:is|are)(?: now)? (?:in|at|on)$|moved to|has moved to|was moved to|takes place|位于|坐落|改到|安排在|搬[到至]|迁[到至]|^在",
        ),
        (
            "time",
            r"starts? (?:at|on)|begins at|(?:is|are)(?: now)? (?:at|on|due|scheduled)|due|scheduled for|takes place|happens?|occurs?|(?:departs|leaves|arrives|boards|lands|meets|airs|gathers) (?:at|on)|(?:served|held|sent|delivered|collected|paid|closed|cleaned|reviewed) (?:at|on)|moved to|was moved to|改到|定在|定为|安排在|^在|^(?:is|are|是|为)"
            rf"|{_CHANGED}|{_CHANGED_ZH}",
        ),
        ("end", r"ends (?:at|on)|expires"),
        ("store", r"stored|存"),
        ("listen", r"listens on|监听"),
        ("name", r"called|named|renamed|叫"),
        ("owner", r"owned by|managed by|maintained by|led by|^由|归属|负责人"),
        ("use", r"^(?:now )?(?:uses?|runs|requires)$|(?:up|down)graded to|(?:用|使用)的是|升级到|换成"),
        (
            "be",
            r"^(?:is|are|was|were|will be|should be|must be|shall be)(?: now| actually| currently| only)*$|set to|changed to|raised to|lowered to|capped at|limited to|defaults to|equals|version|^(?:是|为|:|：|用的是|使用的是|等于|默认为)|设|改|换成|调整为|变|更新为|今年|每[月年]"
            rf"|{_CHANGED}|{_CHANGED_ZH}",
        ),
    )
)
# "The budget is…", "Anna's manager is…": a subject of these has one value; "Anna is…" has many.
_ATTRIBUTES_EN = (
    r"\b(?:budget|deadline|owner|maintainer|manager|lead|leader|boss|ceo|cto|cfo|president|chair|head|director|capital|headquarters?|status|state|phase|version|port|host|hostname|server|url|endpoint|address|ip|region|zone|branch|"
    r"price|cost|fee|salary|rent|rate|ratio|limit|quota|timeout|ttl|interval|threshold|size|length|width|height|weight|depth|capacity|number|count|total|amount|score|balance|age|birthday|birthdate|anniversary|name|surname|nickname|title|role|position|job|"
    r"email|e-mail|phone|mobile|password policy|password|passcode|passphrase|pin|username|id|code|colour|color|default|setting|value|level|priority|severity|mode|format|encoding|locale|timezone|time zone|language setting|currency|theme|font|license|licence|framework version|runtime|"
    r"database|provider|vendor|supplier|plan|tier|schedule|date|time|day|start|end|launch|release|go-live|meeting|standup|stand-up|retro|review|demo|appointment|flight|interview|wedding|party|exam|location|venue|place|room|office|city|country|hometown|"
    r"residence|home|school|employer|company|team|team lead|doctor|dentist|landlord|tutor|mentor|coach|trainer|lawyer|accountant|therapist|supervisor|teacher|captain|chef|principal|chairman|treasurer|secretary|wife|husband|spouse|partner|girlfriend|boyfriend|goal|target|objective|strategy|policy|rule|standard|max(?:imum)?|min(?:imum)?|frequency|cadence|retention|"
    r"backend|frontend|editor|ide|shell|os|model|encoder|queue|broker|cache|load balancer|orchestrator|scheduler|tool of choice|favou?rite \w+|preferred \w+|main \w+|primary \w+|current \w+|default \w+|next \w+)\b"
)
ATTRIBUTE_EN = re.compile(_ATTRIBUTES_EN, re.IGNORECASE)
ATTRIBUTE_EN_END = re.compile(f"{_ATTRIBUTES_EN}$", re.IGNORECASE)
# Of these attributes that are things too, a quality is no value.
THINGS = frozenset(
    "job party meeting flight interview wedding exam review demo retro office room school home place plan database server host phone mobile model team standup release launch appointment branch url endpoint queue broker cache shell editor city country company theme policy rule schedule doctor dentist landlord tutor mentor coach trainer lawyer accountant therapist supervisor teacher captain chef principal chairman treasurer secretary manager boss lead wife husband partner".split()
)
CHOSEN = re.compile(r"\b(?:default|primary|main|current|next|new|favou?rite|preferred|chosen)\b", re.IGNORECASE)
# "9 on weekdays": a number, and the case in which it holds.
CASE = re.compile(r"^\S*\d\S*(?: \w+)?,? (?P<case>(?:on|for|per|in|during) .+)$", re.IGNORECASE)
ATTRIBUTE_ZH = re.compile(
    r"(?:预算|截止(?:日期|时间)?|负责人|经理|领导|老板|主管|组长|总监|首都|总部|状态|阶段|版本|端口|主机|服务器|网址|地址|区域|分支|价格|费用|成本|工资|薪资|房租|比例|上限|下限|限额|配额|超时|间隔|阈值|大小|长度|宽度|高度|重量|体重|身高|容量|数量|总数|金额|"
    r"分数|余额|年龄|生日|纪念日|名字|姓名|昵称|称呼|职位|职务|岗位|工号|邮箱|电话|手机号?|号码|密码策略|密码|口令|用户名|颜色|默认\w*|设置|级别|优先级|模式|格式|编码|时区|币种|主题|字体|许可证|数据库|消息队列|缓存|供应商|套餐|日程|日期|时间|会议|例会|周会|晨会|评审|发布日?|上线(?:时间|日期)?|地点|"
    r"框架|期限|(?:开发|编程|后端|前端|主要|默认|脚本)语言|操作系统|浏览器|支付方式|会议室|办公室|城市|国家|家乡|住址|学校|公司|医生|妻子|丈夫|老婆|老公|女朋友|男朋友|目标|策略|政策|规则|标准|最大值|最小值|频率|周期|保留期|有效期|后端|前端|编辑器|模型|最喜欢的\w+|首选\w*|主要\w*|当前\w*)$"
)
# States that exclude one another, as the one word in which two statements differ.
STATES_EN: tuple[frozenset[str], ...] = tuple(
    frozenset(group.split())
    for group in (
        "love hate",
        "like hate",
        "enable disable enabl disabl",
        "allow deny block forbid allowed denied",
        "open closed close",
        "up down",
        "online offline",
        "on off",
        "married single divorced engaged widowed",
        "available unavailable",
        "public private",
        "true false",
        "required optional forbidden",
        "active inactive",
        "green red yellow amber",
        "healthy unhealthy degraded broken",
        "passing failing",
        "pass fail",
        "alive dead",
        "vegetarian vegan",
        "safe unsafe",
        "stable unstable",
        "valid invalid",
        "mandatory optional",
        "manual automatic",
        "synchronous asynchronous",
        "blocked unblocked done finish finished completed complete pending progress paused cancelled canceled shipped planned",
        "support oppose reject",
        "approved rejected",
        "accepted rejected declined",
        "finished unfinished",
        "supported unsupported deprecated",
        "agree disagree",
        "hired fired",
        "joined left",
        "employed unemployed retired",
        "full empty",
        "busy free",
        "internal external",
        "temporary permanent",
    )
)
STATES_ZH: tuple[frozenset[str], ...] = tuple(
    frozenset(group.split())
    for group in (
        "喜欢 讨厌 爱 恨",
        "启用 禁用 停用",
        "开放 关闭",
        "开启 关闭",
        "在线 离线",
        "已婚 未婚 离婚 单身 结婚",
        "抽烟 戒烟",
        "喝酒 戒酒",
        "公开 私有",
        "允许 禁止",
        "必须 可选",
        "成功 失败",
        "正常 异常",
        "通过 驳回 拒绝",
        "同意 反对",
        "进行中 处理中 开发中 测试中 审核中 完成 暂停 搁置 阻塞 上线",
        "空闲 忙",
        "自动 手动",
        "临时 永久",
        "同步 异步",
        "入职 离职",
        "加入 退出",
        "健康 故障",
    )
)
KINDS_OF_TIME: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("weekday", r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:周|星期|礼拜)[一二三四五六日天]"),
        (
            "month",
            r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b|\d月|\d{4}-\d\d",
        ),
        ("hour", r"\b\d{1,2}(?::\d\d)? ?(?:am|pm|o'clock)\b|\b\d{1,2}:\d\d\b|[上下]午|[\d一二三四五六七八九十]点"),
    )
)
