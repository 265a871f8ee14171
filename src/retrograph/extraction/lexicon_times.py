"""Words of time, English and Chinese, and what looks like a time and is none."""

# ruff: noqa: E501  (a row of a table reads best on one line)

import re

MONTHS_EN = {
    name: number
    for number, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sept sep",
            "october oct",
            "november nov",
            "december dec",
        ),
        start=1,
    )
    for name in names.split()
}
WEEKDAYS_EN = {
    name: number
    for number, names in enumerate(
        (
            "monday mon",
            "tuesday tues tue",
            "wednesday wed",
            "thursday thurs thur thu",
            "friday fri",
            "saturday sat",
            "sunday sun",
        )
    )
    for name in names.split()
}
UNITS_EN = {
    name: unit
    for unit, names in {
        "second": "second seconds sec secs",
        "minute": "minute minutes min mins",
        "hour": "hour hours hr hrs",
        "day": "day days",
        "week": "week weeks wk wks",
        "month": "month months mon mons",
        "quarter": "quarter quarters",
        "year": "year years yr yrs",
        "decade": "decade decades",
        "weekend": "weekend weekends",
        "fortnight": "fortnight fortnights",
    }.items()
    for name in names.split()
}
NUMBERS_EN = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "thirteen": 13,
    "fourteen": 14,
    "fifteen": 15,
    "twenty": 20,
    "thirty": 30,
    "half a": 0.5,
    "half an": 0.5,
}
SEASONS_EN = {"spring": 0, "summer": 1, "autumn": 2, "fall": 2, "winter": 3}
# Unmistakable even without a preposition, a year or a day beside it.
CLEAR_MONTHS_EN = "january|february|july|september|october|november|december"
ORDINALS_EN = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "last": 4}

MONTH = "|".join(sorted(MONTHS_EN, key=len, reverse=True))
WEEKDAY = "|".join(sorted(WEEKDAYS_EN, key=len, reverse=True))
LONG_WEEKDAY = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
UNIT = "|".join(sorted(UNITS_EN, key=len, reverse=True))
NUMBER = r"\d{1,4}|" + "|".join(sorted(NUMBERS_EN, key=len, reverse=True))
SEASON = "|".join(SEASONS_EN)
YEAR = r"(?:1[89]|20|21)\d\d"
MONTH_PREPOSITIONS = r"in|since|until|till|by|during|of|from|before|after|through|throughout|between|around|last|next|this|past|coming|early|late|mid|mid-|and|to|for|about"

UNITS_ZH = {
    "秒": "second",
    "秒钟": "second",
    "分": "minute",
    "分钟": "minute",
    "小时": "hour",
    "个小时": "hour",
    "钟头": "hour",
    "个钟头": "hour",
    "天": "day",
    "日": "day",
    "周": "week",
    "星期": "week",
    "个星期": "week",
    "礼拜": "week",
    "个礼拜": "week",
    "月": "month",
    "个月": "month",
    "季度": "quarter",
    "个季度": "quarter",
    "年": "year",
    "个年头": "year",
    "周末": "weekend",
    "个周末": "weekend",
}
WEEKDAYS_ZH = {
    "一": 0,
    "二": 1,
    "三": 2,
    "四": 3,
    "五": 4,
    "六": 5,
    "日": 6,
    "天": 6,
    "1": 0,
    "2": 1,
    "3": 2,
    "4": 3,
    "5": 4,
    "6": 5,
}
DAYS_ZH = {
    "大前天": -3,
    "前天": -2,
    "前日": -2,
    "昨天": -1,
    "昨日": -1,
    "昨": -1,
    "今天": 0,
    "今日": 0,
    "今": 0,
    "当天": 0,
    "明天": 1,
    "明日": 1,
    "明": 1,
    "后天": 2,
    "大后天": 3,
}
YEARS_ZH = {
    "大前年": -3,
    "前年": -2,
    "去年": -1,
    "上一年": -1,
    "今年": 0,
    "本年": 0,
    "本年度": 0,
    "明年": 1,
    "来年": 1,
    "下一年": 1,
    "后年": 2,
    "大后年": 3,
}
SEASONS_ZH = {"春": 0, "夏": 1, "秋": 2, "冬": 3}
DIGITS_ZH = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
# Two numbers side by side are a guess (两三天), not a number of two digits.
NEIGHBOURS_ZH = ("一两", "一二", "两三", "二三", "三四", "三五", "四五", "五六", "六七", "七八", "八九")
DAY_PARTS_ZH = {
    "凌晨": (0, 5),
    "清晨": (5, 8),
    "早晨": (5, 9),
    "早上": (5, 12),
    "上午": (5, 12),
    "中午": (11, 13),
    "下午": (12, 18),
    "傍晚": (17, 19),
    "晚上": (18, 24),
    "晚间": (18, 24),
    "夜里": (20, 30),
    "半夜": (22, 30),
    "深夜": (22, 30),
    "早": (5, 12),
    "晚": (18, 24),
    "晨": (5, 9),
    "夜": (18, 30),
}

# The words of a sentence about what is to come; a bare weekday or month then lies ahead.
FUTURE_EN = re.compile(
    r"\b(?:will|won't|shall|going to|gonna|plan(?:s|ned|ning)? (?:to|for)|due|deadline|upcoming|scheduled|expects?|must be|needs? to be|has to be|"
    r"have to|until|till|by|tomorrow|next|let's|intends?|promised to|is meeting|are meeting|is leaving|are leaving|starts? on|begins? on|(?:is|are) (?:on|at|in) (?:the \d+\w*|\d+\w*|next|january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|we're|they're|i'm (?:flying|leaving|meeting|off)|"
    r"appointment|reminder|i'll|we'll|he'll|she'll|they'll|it'll|flight (?:is|leaves)|expires?|ends on|want(?:s)? to|should|remember to|don't forget)\b"
)
PAST_EN = re.compile(
    r"\b(?:was|were|had|did|went|met|said|told|came|left|saw|got|took|made|gave|found|broke|began|ran|wrote|bought|sold|won|lost|held|felt|kept|spoke|\w{2,}ed|last|ago|since|yesterday)\b"
)
FUTURE_ZH = re.compile(
    r"将|会(?!议|员|计|话|面|场|谈)|打算|计划|准备|要(?!求|点|素|么|是|不)|截止|之前(?:完成|交|提交|必须)|到期|预计|预定|明天|下周|下个?月|需要|记得|提醒|务必|必须|安排在|约在|定在|下班前"
)
PAST_ZH = re.compile(r"了(?!解)|过(?!期|程|滤|度|于|去)|上周|上个?月|昨天|去年|刚")

# Times that come again say nothing of when; they are taken out first.
RECURRING = re.compile(
    rf"\b(?:every|each|any|all)\s+(?:other\s+|second\s+|single\s+|\d+\s+|few\s+|two\s+|three\s+)?(?:{LONG_WEEKDAY}|{UNIT}|morning|evening|afternoon|night|noon|{MONTH}|{SEASON}|weekday|weekend|q[1-4])\b(?:\s+and\s+(?:{LONG_WEEKDAY}))?"
    rf"(?:\s+(?:at|before|after|from|until)\s+(?:\d{{1,2}}(?::\d\d)?\s*(?:am|pm)?|noon|midnight)\b(?:\s+(?:to|until)\s+\d{{1,2}}(?::\d\d)?\s*(?:am|pm)?)?)?"
    rf"|\b(?:on\s+)?(?:mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|weekdays|weekends)\b(?!\s+(?:ago|back|earlier|from\s+now)\b)"
    rf"|\b(?:{UNIT})s?\s+(?:in|after)\s+(?:day|week|month|year)\b|\b(?:once|twice|\d+ times|three times)\s+(?:a|per|every|each)\s+(?:{UNIT})\b|\bper\s+(?:{UNIT})\b|\ban?\s+(?:day|week|month|year)\s+(?:in advance|before|later than)\b"
    r"|每(?:逢|隔|个|到)?(?:工作日|[一二两三四五六七八九十\d]*(?:个)?(?:周|星期|礼拜|月|季度|年|天|日|小时|分钟|周末|早上|晚上|晚|早|上午|下午))(?:[一二三四五六日天末]|\d{1,2}[日号]|初|底|末)?(?:(?:和|、|及)(?:周|星期)?[一二三四五六日天])*(?:的)?(?:(?:早上|上午|下午|晚上|凌晨|中午)?(?:\d{1,2}|[一二三四五六七八九十]+)点(?:半|\d{1,2}分?)?)?(?:都|的)?|逢(?:周|星期)[一二三四五六日天]|(?<![昨今明前后每当])天天(?!气|空|亮|黑|台)|(?<![去今明前后本来当\d])年年(?![初中底末])",
    re.IGNORECASE,
)
# What carries numbers or words of time and is none. Case is kept.
NO_TIME = re.compile(
    r"""https?://\S+ | (?<![\w.+\-])[\w.+\-]{1,64}@[\w\-]{1,64}\.\w+ | `[^`]*` | \b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b | \bv?\d+\.\d+\.\d+(?:[\-+.]\w+)*\b(?!\.)
    | \b(?:dec|oct|hex|bin)\s(?:to|2)\s(?:dec|oct|hex|bin)\b(?!,?\s\d) | \b[A-Z][A-Z0-9]+-\d+\b | [\$€£¥]\s?[\d,.]+\w? | (?<!\w)\#\d+ | \b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f\-]{4,}\b | \b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,64}\b
    | (?i:\b(?:port|version|release\s+v?|build|room|line|page|issue|ticket|pr|id|no\.?|number|code|error|status|http|rfc|iso|pid|size|limit|timeout|chunk|batch|level|chapter|section|step|row|column|bus|flight|gate)\s*[:=\#]?\s*\d[\w.\-]*)
    | (?:端口|版本|房间|编号|工号)\s*[:：]?\s*\d[\w.]* | 第\s*\d[\d.]*(?![\d.]|\s*个?(?:季度|周[一二三四五六日天末]|天))
    | (?i:\bsecond(?:ary|hand|\s+(?:half|time|floor|attempt|try|version|one|row|place|largest|best|opinion|line|field|column|step|part|phase|argument|parameter|language|job|child|monitor|option|reason)))
    | (?i:\b(?:in|at|within)\s+(?:no\s+time|the\s+meantime))
    | (?i:\b(?:set|reset|raise|lower|increase|decrease|reduce|bump|scale|adjust|map|default|count|grew|rose|fell|equal)\w{0,3}\b(?:\s(?!year|date|start|end)[a-z_]+){0,4}?\s(?:to|by|at|is|=)\s+\d{4}\b(?![-/年]))
    | \b(?:Black|Cyber|Ruby|Fat|Casual|Taco|Ash|Manic)\s(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b(?!\s(?:sale|is\s(?:on|in|next|this))) | \b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day(?:\.com|\s(?:Times|Telegraph|Mirror|Post|Herald|Tribune|Express|Magazine|Gazette|Lab|Labs|Inc|Ltd|Corp|GmbH))\b
    | (?i:\b(?:batch|size|group|pool|total|buffer|maximum|length|width|height|sum|window|queue|budget|load)(?:es|s)?\sof\s\d{4}\b) | \d{1,3}排\d{1,3}[号座]
    | \bQ[1-4]\s(?=(?:chip|model|engine|car|board|processor|camera|phone|series|sensor|battery|printer|transistor)s?\b)
    | 今日(?:头条|资本|说法)|明日(?:方舟|之后)|明天系|五月天(?!气)|十月(?:怀胎|革命)
    | [一二三四五六七八九十]{1,2}月(?:[花兔鸟瓜菊红](?!利|包|军|色|旗|火|酒|遍|了|费|掉|销|光|钱|得|在|的|[\d一二三四五六七八九十])|妈咪|物语|谷) | [一二三四五六七八九十]{1,2}月[\u4e00-\u9fff](?<![份底初中末的在新老该本总分子各两多几有是和与])(?=品牌|集团|餐厅|酒店|乐队|书店|工作室) | [一二三四五六七八九十]{1,2}月(?=(?:科技|传媒|文化|资本|咖啡)(?:公司|有限|集团|是一))
    | 周[一二三四五六](?:福(?![利建州田特彩清气])|[一元凡围鸣喜](?=说|是|在|和|与|的|负责|提交|认为|建议|加入|先生|女士|老师|经理|[，。]))
    | (?<=叫)春天 | 春天(?=百货|里|花园|酒店|公寓|广场|小区|咖啡|幼儿园|传媒|集团|公司|品牌|乐队|出版社) | 《[^》\d]{1,30}》 | (?:五一|七一|八一|五四|十一)(?=[大中]?[路街]|广场|大道|小学|中学|公园|大厦) | 小周(?=末)
    | (?<=[A-Za-z0-9])[/\\][\w./\\\-]{1,100}\.\w+ | (?<![\w\-])[\w\-]{1,64}\.(?:py|js|ts|md|txt|json|yaml|yml|log|csv|sql|go|rs|java|toml|html|pdf|png)\b
    """,
    re.VERBOSE,
)
MEASURED_AFTER_YEAR = re.compile(
    r"\s*(?:%|(?:ms|kb|mb|gb|tb|px|rpm|rps|qps|usd|eur|dollars?|euros?|yuan|people|users?|requests?|rows?|items?|lines?|files?|tokens?|bytes?|chars?|characters?|records?|"
    r"memor(?:y|ies)|points?|steps?|seconds?|minutes?|hours?|days?|weeks?|months?|times?|units?|meters?|metres?|km|miles?|feet|kg|customers?|employees?|students?|words?|pages?|"
    r"messages?|events?|nodes?|edges?|entries|documents?|tests?|calls?|connections?|threads?|epochs?|samples?|images?|copies|parts?|pieces?|samples?)\b|[.,]?\d|[-/]\d|\.\d|:\d|x\b)",
    re.IGNORECASE,
)
RECENCY = re.compile(
    r"\b(?:(?:the|our|my|your|his|her|their)?\s*(?:last|latest|most recent|newest|previous) (?:time|thing|one|conversation|chat|session|discussion|message|decision|version|update|change|status|meeting|call|task|note|memory|talk|run|attempt|deploy(?:ment)?|release|error|issue|\d+|few|couple|two|three|five|ten)s?\b"
    r"|most recent(?:ly)?|recent(?:ly)?|lately|latest|newest|just now|so far|these days|currently|at the moment|right now|nowadays|up to date|last (?:did|do|was|were|talk(?:ed)?|sp(?:oke|eak)|said|saw|met|heard|discussed|used|worked|left off|changed)\b|(?:did|was|were|have|has|had|do|does|i|we|you|he|she|they)\s+(?:\w+\s+)?last\s*(?:\w+\s*)?[?]|where (?:did )?we le(?:ft|ave) off"
    r"|what(?:'s| is|’s) (?:new|up)\b|(?:anything|something) new\b|\bany (?:news|updates?)\b|(?:catch|bring|get) me up\b)"
    r"|最近|近来|近期|最新|上次|上一次|上回|最后一次|前一次|刚才|刚刚|目前|当前|现在|眼下|近日|这阵子|这段时间|最后(?:说|做|提|聊|讨论|一个|一条)|之前(?:说|聊|讨论|提)|(?:什么|啥)新(?:的|消息|闻|进展|情况|动态|事|变化)|近况|新鲜事"
)

# Words beside a time that open one side of it, or make one span of two.
SINCE = re.compile(
    r"(?:\b(?:since|ever since|from|starting(?: from| on| in)?|beginning(?: in| on)?|effective(?: from| as of)?|as of|valid from|as from)|自从?|从|打从|始于)\s*(?:the\s+|about\s+)?$",
    re.IGNORECASE,
)
SINCE_TAIL = re.compile(
    r"^\s*(?:onwards?|on\b(?=[,. ]|$)|以来|之?后一直|起(?:，|,|就|生效|开始|一直|执行|实行|$|[^诉草点床])|开始|至今|到现在|之后|以后|生效)",
    re.IGNORECASE,
)
AFTER = re.compile(r"\bafter\s+(?:the\s+)?$", re.IGNORECASE)
AFTER_TAIL = re.compile(r"^\s*(?:之后|以后|过后)")
BEFORE = re.compile(r"\b(?:before|prior to|earlier than)\s+(?:the\s+)?$|早于$", re.IGNORECASE)
BEFORE_TAIL = re.compile(r"^\s*(?:之前|以前|前(?!几|天|台|端|后))")
UNTIL = re.compile(
    r"(?:\b(?:until|till|til|through|up to|valid (?:until|through|till)|expires?(?: on| in| at)?|ends?(?: on| in)|no later than|good until|lasts? until)|直到|直至|截至|截止到?|有效期至|有效至|到|至|持续到|延(?:长|期)到|不晚于)\s*(?:the\s+|end of\s+)?$",
    re.IGNORECASE,
)
UNTIL_TAIL = re.compile(r"^\s*(?:为止|截止|到期|之前(?:都|有效|一直)|前(?:有效|都)|结束|失效|过期)")
FROM_NOW = re.compile(
    r"\b(?:from now on|from today on|going forward|henceforth|effective immediately|as of now|starting now)\b|从现在(?:起|开始)|从今(?:往后|以后|天起)|自即日起|即日起|今后(?!几|两|三|一)",
    re.IGNORECASE,
)
# A range that is over is an event's, unless the verb tells of a state.
STATE_RANGE = re.compile(
    r"\b(?:valid|effective|applie[sd]|lived|lives|worked|works|served|studied|was (?:the|a|an|in|on|at|head|ceo|cto)|were|ran|led|owned|stayed|used|in force|held)\b|有效|住|工作|担任|任职|就读|生效|负责|是",
    re.IGNORECASE,
)
FOR_THE_NEXT = re.compile(r"\bfor\s+(?:the\s+)?(?:next|coming|following)\b|未来|接下来|今后|往后", re.IGNORECASE)
RANGE_LINK = re.compile(
    r"^\s*(?:,\s*)?(?:-|–|—|~|～|to|through|thru|until|till|and|到|至|直到|和|与|跟)\s*(?:the\s+|on\s+)?$",
    re.IGNORECASE,
)
RANGE_AND = re.compile(r"^\s*(?:,\s*)?(?:and|和|与|跟)\s*", re.IGNORECASE)

# A year told in words, and what joins it to a month, a day, a season or a quarter beside it.
WORD_OF_YEAR = re.compile(r"(?:the\s+)?(?:last|previous|past|this|next|coming)\s+year(?:'s)?", re.IGNORECASE)
OF_YEAR = re.compile(r"\s*,?\s*(?:of\s+|in\s+)?", re.IGNORECASE)
IN_YEAR = re.compile(r"(?:'s)?,?\s*的?\s*(?:in\s+|on\s+)?(?:the\s+)?", re.IGNORECASE)

# Where a clause tells of the past as well, only these make it one about what is to come.
STRONG_FUTURE = re.compile(
    r"\b(?:will|won't|shall|going to|due|deadline|upcoming|scheduled|until|till|by|i'll|we'll|he'll|she'll|they'll|plan(?:s|ned)? (?:to|for)|must be|needs? to be)\b|将|截止|打算|计划|预计|预定|之前(?:完成|交|提交)|安排在|到期|下班前"
)
