"""Words by which one statement takes another back, and the frames of "X is Y" that hold one value at a time."""

# ruff: noqa: E501  (a row of a table reads best on one line)

import re

# A speaker who corrects: at the start of a text or of its clause.
CORRECTION = re.compile(
    r"^(?:no[,.!]|nope|actually|correction|sorry[,.]|wait[,.]|oops|scratch that|i was wrong|i misspoke|my mistake|that(?:'s| is| was) (?:wrong|not right|incorrect|outdated|no longer)|"
    r"update[:,]|not quite|to correct|i meant|i mean|rather[,:]|turns out)\b|\b(?:i was wrong|i misspoke|correcting|to correct (?:that|myself)|should (?:actually )?(?:be|read|have been)|is actually|are actually|not .{1,30}? but|instead of|has (?:been )?changed|is now|are now|now (?:is|uses?|runs?|lives?|works?)|"
    r"(?:no longer|not .{0,20}any ?more))\b"
    r"|^(?:不对|不是|错了|说错了|更正|纠正|订正|抱歉[，,]|其实|实际上|准确(?:地)?说|应该是|等等[，,])|应该是|而不是|不是.{1,20}而是|改(?:为|成|到|用|叫)|换成|换到|变成|变为|已(?:经)?(?:改|换|变|迁|搬)|不再|现在(?:是|用|改|在|住|换|叫)|更新为|调整为|说错"
)
SUBJECTLESS = re.compile(
    r"^(?:no|actually|correction|sorry|wait|oops|i meant|i mean|update)?[,.:!\s]*(?:it(?:'s| is| was| should be)|that(?:'s| is| should be)|should be|i meant|make (?:it|that))\s+(?P<value>.+)$"
    r"|^(?:不对|不是|错了|说错了|更正|其实|抱歉)[，,。:：\s]*(?:应该)?(?:是|改为|改成)(?P<value_zh>.+)$"
)
LEAD_IN = re.compile(
    r"^(?:(?:no|nope|actually|correction|sorry|wait|oops|well|update|fyi|note|remember|scratch that|i was wrong|my mistake|now|so|ok|okay|turns out|in fact|as of (?:now|today)|currently|from now on|starting today|today|maybe|perhaps|probably|possibly|i think|i believe|i guess|apparently|supposedly|it seems|as far as i know)(?: that)?[,.:!\s]+)+"
    r"|^(?:(?:不对|错了|说错了|更正|纠正|抱歉|其实|实际上|准确(?:地)?说|注意|记住|现在|目前|从现在起|从今天起|等等|可能|也许|好像|似乎|据说|听说|大概)[，,。:：!！\s]*)+"
)
# "from A to B": A is what no longer holds.
REPLACEMENT = re.compile(
    r"\b(?:switch(?:ed|es|ing)?|migrat(?:ed|es|ing)|mov(?:ed|es|ing)|chang(?:ed|es|ing)|went|upgrad(?:ed|es|ing)|downgrad(?:ed|es|ing)|transferred|transition(?:ed|ing)?|convert(?:ed|ing)?|renamed|relocated)\b(?P<what>[^.,;]{0,40}?)\s+from\s+(?P<old>[^.,;]{1,50}?)\s+to\s+(?P<new>[^.,;]{1,60})"
    r"|\breplac(?:ed|es|ing)\s+(?P<old2>[^.,;]{1,50}?)\s+(?:with|by)\s+(?P<new2>[^.,;]{1,60})"
    r"|\b(?:uses?|using|chose|picked|went with|runs? on)\s+(?P<new3>[^.,;]{1,50}?)\s+instead of\s+(?P<old3>[^.,;]{1,60})"
    r"|(?:从|由)(?P<old4>[^，。；,]{1,20}?)(?:改为|改成|换成|换到|迁移到|切换到|迁到|变成|变为|升级到|搬到|转到|调整为|改用)(?P<new4>[^，。；,]{1,24})"
    r"|把(?P<old5>[^，。；,]{1,20}?)(?:改为|改成|换成|替换为|替换成|升级到|调整为)(?P<new5>[^，。；,]{1,24})"
    r"|不再(?:使用|用)(?P<old6>[^，。；,]{1,20}?)[，,；;]?\s*(?:而是|改为|改用|换成)(?P<new6>[^，。；,]{1,24})"
    r"|\bno longer (?:uses?|using|runs? on|works? (?:at|for)|lives? in)\s+(?P<old7>[^.,;]{1,40}?)(?:[,;]|\s+but|\s+and)\s+(?:it |we |they |he |she |now |is |has |instead |moved to |switched to |uses? |using )*(?P<new7>[^.,;]{1,60})"
)

# Frames: who, by what predicate, which value. Longer predicates first.
PREDICATE_EN = re.compile(
    r"\s+(?P<predicate>(?:is|are) (?:now )?(?:set to|located in|located at|hosted (?:on|in|at|by)|deployed (?:on|in|to)|stored (?:in|on)|written in|called|named|due (?:on|by)?|scheduled for|based in|owned by|managed by|maintained by|led by|"
    r"married to|capped at|limited to|at|on|in|version)|(?:now )?(?:(?:runs|ran|is running|was running) (?:on|in)|(?:lives|lived|is living|was living) (?:in|at)|resides in|resided in|(?:works|worked|is working) (?:at|for)|sits in|listens on|starts at|starts on|ends at|ends on|expires on|expires in|expires after|expires|begins at|opens at|closes at|"
    r"reports to|points to|defaults to|takes place (?:on|in|at)|moved to|changed to|was set to|was moved to|was changed to|was raised to|was lowered to|has moved to|has changed to|was renamed to)|"
    r"(?:now )?(?:costs?|takes|lasts|weighs|measures|equals|holds|has|have|allows|supports|uses|requires|needs|keeps|retains|serves|processes|handles|runs|retries|contains|employs)|(?:is|are|was|were|will be|should be|must be|shall be)(?: now| actually| currently| only)*)\s+"
)
PREDICATE_ZH = re.compile(
    r"(?:现在|目前|已经|已|其实|应该|将|可能|也许|好像|大概|似乎|要|被)*(?P<predicate>设(?:置)?为|改为|改成|换成|改到|调整为|变成|变为|更新为|提高到|降低到|增加到|减少到|推迟到|提前到|定在|定为|安排在|位于|坐落于|住在|搬到|运行在|部署在|托管在|存(?:储|放)?在|就职于|任职于|监听|默认为|归属于?|由|叫做?|等于|需要|花费|支持|允许|最多|最少|共有|有|是|为|在|用的是|：|:)(?:了)?"
)
# Predicates of which a subject has one value, whatever the value is.
SINGLE_EN = re.compile(
    r"\b(?:set to|located (?:in|at)|hosted (?:on|in|at|by)|deployed (?:on|in|to)|stored (?:in|on)|called|named|due|scheduled for|based in|owned by|managed by|maintained by|led by|married to|capped at|limited to|(?:runs|ran|running) (?:on|in)|(?:lives|lived|living) (?:in|at)|"
    r"reside[sd] in|(?:works|worked|working) (?:at|for)|sits in|listens on|starts? (?:at|on)|ends (?:at|on)|expires|begins at|opens at|closes at|reports to|points to|defaults to|takes place|moved to|changed to|raised to|lowered to|renamed to|version)"
)
SINGLE_ZH = re.compile(
    r"设(?:置)?为|改为|改成|换成|改到|调整为|变成|变为|更新为|提高到|降低到|增加到|减少到|推迟到|提前到|定在|定为|安排在|位于|坐落于|住在|搬到|运行在|部署在|托管在|存(?:储|放)?在|就职于|任职于|监听|默认为|归属|叫|等于"
)
# Predicates that say one thing; a verb of change says several. Two frames conflict only where they share one.
FAMILIES: tuple[tuple[str, str], ...] = (
    ("live", r"(?:lives?|lived|living) (?:in|at)|reside[sd]|moved to|has moved to|住在|搬到|^在"),
    ("work", r"(?:works?|worked|working) (?:at|for)|就职于|任职于"),
    (
        "run",
        r"(?:runs|ran|running) (?:on|in)|hosted|deployed|moved to|has moved to|was moved to|^runs|运行在|部署在|托管在|改到|^在",
    ),
    (
        "place",
        r"located|based in|sits in|(?:is|are)(?: now)? (?:in|at|on)$|moved to|has moved to|was moved to|takes place|位于|坐落|改到|安排在|^在",
    ),
    (
        "time",
        r"starts? (?:at|on)|begins at|(?:is|are)(?: now)? (?:at|on|due|scheduled)|due|scheduled for|takes place|moved to|was moved to|改到|推迟到|提前到|定在|定为|安排在|^在|^(?:is|are|是|为)",
    ),
    ("end", r"ends (?:at|on)|expires"),
    ("store", r"stored|存"),
    ("listen", r"listens on|监听"),
    ("name", r"called|named|renamed|叫"),
    ("owner", r"owned by|managed by|maintained by|led by|^由|归属"),
    (
        "be",
        r"^(?:is|are|was|were|will be|should be|must be|shall be)(?: now| actually| currently| only)*$|set to|changed to|raised to|lowered to|capped at|limited to|defaults to|equals|version|^(?:是|为|:|：|用的是|等于|默认为)|设|改|换成|调整为|变|更新为|提高到|降低到|增加到|减少到",
    ),
)
# "The budget is…", "Anna's manager is…": a subject of these has one value; "Anna is…" has many.
ATTRIBUTE_EN = re.compile(
    r"\b(?:budget|deadline|owner|maintainer|manager|lead|leader|boss|ceo|cto|cfo|president|chair|head|director|capital|headquarters?|status|state|phase|version|port|host|hostname|server|url|endpoint|address|ip|region|zone|branch|"
    r"price|cost|fee|salary|rent|rate|ratio|limit|quota|timeout|ttl|interval|threshold|size|length|width|height|weight|depth|capacity|number|count|total|amount|score|balance|age|birthday|birthdate|anniversary|name|surname|nickname|title|role|position|job|"
    r"email|e-mail|phone|mobile|password policy|username|id|code|colour|color|default|setting|value|level|priority|severity|mode|format|encoding|locale|timezone|time zone|language setting|currency|theme|font|license|licence|framework version|runtime|"
    r"database|provider|vendor|supplier|plan|tier|schedule|date|time|day|start|end|launch|release|go-live|meeting|standup|stand-up|retro|review|demo|appointment|flight|interview|wedding|party|exam|location|venue|place|room|office|city|country|hometown|"
    r"residence|home|school|employer|company|team lead|doctor|dentist|wife|husband|spouse|partner|girlfriend|boyfriend|goal|target|objective|strategy|policy|rule|standard|max(?:imum)?|min(?:imum)?|frequency|cadence|retention|"
    r"backend|frontend|editor|ide|shell|os|model|encoder|tool of choice|favou?rite \w+|preferred \w+|main \w+|primary \w+|current \w+|default \w+|next \w+)\b"
)
ATTRIBUTE_ZH = re.compile(
    r"(?:预算|截止(?:日期|时间)?|负责人|经理|领导|老板|主管|组长|总监|首都|总部|状态|阶段|版本|端口|主机|服务器|网址|地址|区域|分支|价格|费用|成本|工资|薪资|房租|比例|上限|下限|限额|配额|超时|间隔|阈值|大小|长度|宽度|高度|重量|容量|数量|总数|金额|"
    r"分数|余额|年龄|生日|纪念日|名字|姓名|昵称|称呼|职位|职务|岗位|工号|邮箱|电话|手机号?|号码|密码策略|用户名|颜色|默认\w*|设置|级别|优先级|模式|格式|编码|时区|币种|主题|字体|许可证|数据库|供应商|套餐|日程|日期|时间|会议|例会|评审|发布日?|上线(?:时间|日期)?|地点|"
    r"会议室|办公室|城市|国家|家乡|住址|学校|公司|医生|妻子|丈夫|老婆|老公|女朋友|男朋友|目标|策略|政策|规则|标准|最大值|最小值|频率|周期|保留期|后端|前端|编辑器|模型|最喜欢的\w+|首选\w*|主要\w*|当前\w*)$"
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
        "married single divorced engaged",
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
        "blocked unblocked done pending",
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
        "启用 禁用",
        "开放 关闭",
        "在线 离线",
        "已婚 未婚 离婚 单身",
        "公开 私有",
        "允许 禁止",
        "必须 可选",
        "成功 失败",
        "正常 异常",
        "通过 驳回 拒绝",
        "同意 反对",
        "空闲 忙",
        "自动 手动",
        "临时 永久",
        "同步 异步",
        "入职 离职",
        "加入 退出",
        "健康 故障",
    )
)
# Adverbs that a retelling may add.
ADVERBS = frozenset(
    "now anymore again still today longer already actually currently recently really just ever finally since instead".split()
)
ADVERBS_ZH = re.compile(r"现在|目前|如今|已经|再也|其实|最近|终于|仍然|还是|一直|了$")

# A state told in the past tense is history, unless the verb tells of a change.
HISTORY = re.compile(
    r"\b(?:used to|formerly|previously|once (?:was|were|lived|worked|used|ran)|originally|back then|in the past|at the time|at that time|initially|lived|worked|ran|resided|was|were|had (?:a|an|the|\d+)|belonged|stood|cost|listened|reported to|hosted|liked|loved|preferred|owned|led|managed)\b"
    r"|曾经|曾(?=在|是|住|用|任)|以前|之前(?=是|在|住|用|叫)|原来(?=是|在|住|用|叫)|原先|过去(?=是|在|住|用)|当时|那时|早先|从前|本来(?=是|在)"
)
CHANGE = re.compile(
    r"\b(?:moved|relocated|switched|migrated|changed|became|renamed|upgraded|replaced|transferred|joined|left|started|stopped|quit|raised|lowered|increased|reduced|set to|promoted|now|no longer|any ?more|postponed|rescheduled|updated|was (?:moved|changed|raised|lowered|renamed|replaced|set|migrated|postponed|rescheduled|updated))\b"
    r"|改|换|搬|迁|变|调整|升级|推迟|提前|更新|现在|不再|已经"
)
PLANNED = re.compile(
    r"\b(?:will|going to|plans? to|planning to|intends? to|might|may|could|would|considering|thinking (?:of|about)|wants? to|hopes? to|proposed|if)\b|打算|计划|准备|可能(?:会|要)|也许|考虑|想要?(?=搬|换|改)|将(?:要|会|于|在)|如果"
)
