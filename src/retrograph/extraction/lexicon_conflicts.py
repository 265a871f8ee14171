"""Words by which one statement takes another back, and words that place a statement in the past or the future."""

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
# "from A to B": A is what no longer holds.
REPLACEMENT = re.compile(
    r"\b(?:switch(?:ed|es|ing)?|migrat(?:ed|es|ing)|mov(?:ed|es|ing)|chang(?:ed|es|ing)|went|upgrad(?:ed|es|ing)|downgrad(?:ed|es|ing)|transferred|transition(?:ed|ing)?|convert(?:ed|ing)?|renamed|relocated)\b(?P<what>[^.,;]{0,40}?)\s+from\s+(?P<old>[^.,;]{1,50}?)\s+to\s+(?P<new>[^.,;]{1,60})"
    r"|\breplac(?:ed|es|ing)\s+(?P<old2>[^.,;]{1,50}?)\s+(?:with|by)\s+(?P<new2>[^.,;]{1,60})"
    r"|\b(?:uses?|using|chose|picked|went with|runs? on|(?:deploys?|builds?|tests?|works?|writes?|monitors?|manages?|tracks?|pays?|cooks?|plays?) (?:with|in|on|by))\s+(?P<new3>[^.,;]{1,50}?)\s+instead of\s+(?P<old3>[^.,;]{1,60})"
    r"|(?:从|由)(?P<old4>[^，。；,]{1,20}?)(?:改为|改成|换成|换到|迁移到|切换到|迁到|变成|变为|升级到|搬到|转到|调整为|改用)(?P<new4>[^，。；,]{1,24})"
    r"|把(?P<old5>[^，。；,]{1,20}?)(?:改为|改成|换成|替换为|替换成|升级到|调整为)(?P<new5>[^，。；,]{1,24})"
    r"|不再(?:使用|用)(?P<old6>[^，。；,]{1,20}?)[，,；;]?\s*(?:而是|改为|改用|换成)(?P<new6>[^，。；,]{1,24})"
    r"|\bno longer (?:uses?|using|runs? on|works? (?:at|for)|lives? in)\s+(?P<old7>[^.,;]{1,40}?)(?:[,;]|\s+but|\s+and)\s+(?:it |we |they |he |she |now |is |has |instead |moved to |switched to |uses? |using )*(?P<new7>[^.,;]{1,60})"
)

# Adverbs that a retelling may add.
ADVERBS = frozenset(
    "now anymore again still today longer already actually currently recently really just ever finally since instead".split()
)

# A state told in the past tense is history, unless the verb tells of a change.
HISTORY = re.compile(
    r"\b(?:used to|formerly|previously|once (?:was|were|lived|worked|used|ran)|originally|back then|in the past|at the time|at that time|initially|lived|worked|ran|resided|was|were|had (?:a|an|the|\d+)|belonged|stood|cost|listened|reported to|hosted|liked|loved|preferred|owned|led|managed)\b"
    r"|曾经|曾(?=在|是|住|用|任)|以前|之前(?=是|在|住|用|叫)|原来(?=是|在|住|用|叫)|原先|过去(?=是|在|住|用)|当时|那时|早先|从前|本来(?=是|在)"
)
CHANGE = re.compile(
    r"\b(?:moved|relocated|switched|migrated|changed|became|renamed|upgraded|replaced|transferred|joined|left|started|stopped|quit|raised|lowered|increased|reduced|set to|promoted|now|no longer|any ?more|updated|turned|slipped|pushed|postponed|delayed|rescheduled|brought forward|rose|fell|grew|climbed|went (?:up|down)|decreased|bumped|extended|shortened|adjusted|downgraded|converted|corrected|was set)\b"
    r"|改|换|搬|迁|变|调整|升级|推迟|提前|延期|延后|延长|缩短|[涨降升跌挪延增减][到至]|更新|现在|不再|已经"
)
PLANNED = re.compile(
    r"\b(?:will|going to|plans? to|planning to|intends? to|might|may|could|would|considering|thinking (?:of|about)|wants? to|hopes? to|proposed|if)\b|打算|计划|准备|可能(?:会|要)|也许|考虑|想要?(?=搬|换|改)|将(?:要|会|于|在)|如果"
)
# Whatever time a text names beside one of these, it holds when it is told.
PRESENT = re.compile(r"\b(?:now|currently|these days|nowadays|no longer|any ?more|at present)\b|现在|目前|如今|不再")
# A comma inside a number parts nothing.
SEVERAL_CLAUSES = re.compile(r",\s|;|\b(?:and|but|while)\b|[，；]|[.!?]\s+\S|[。！？]\s*\S", re.IGNORECASE)
