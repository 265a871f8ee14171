"""The words of denials: attitudes that say one thing, what adds nothing, numbers that say how much."""

# ruff: noqa: E501  (a row of a table reads best on one line)

import re

_BE = r"(?:is|am|are|'s|'m|'re)"
# An attitude in one form each, so that whoever changes it meets what was said before; applied before anything else.
STANCES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), canonical)
    for pattern, canonical in (
        (r",?\s?\b(?:these days|nowadays|at the moment|right now|at present|for now|any ?more|as of (?:now|today))\b", ""),
        (rf"\b{_BE} no longer\b", "is not"),
        (r"\b(?:has |have )?lost (?:all |any )?(?:interest in|my taste for|his taste for|her taste for)\b", "is not interested in"),
        (rf"\b{_BE} (?:crazy|mad|wild|passionate|nuts) about\b|\b{_BE} (?:a )?(?:big |huge |great )?fans? of\b|\b{_BE} (?:fond of|into|keen on|addicted to the taste of)\b", "like"),
        (r"\b(?:loves?|adores?|enjoys?|relish(?:es)?)\b", "like"),
        (rf"\b(?:does not|doesn't|do not|don't) like\b|\b(?:dislikes?|hates?|detests?|loathes?|despises?|abhors?|can(?:not|'t| not) (?:stand|bear|abide))\b|\b{_BE} (?:sick|tired|weary) of\b|\b{_BE} fed up with\b|\b(?:has |have )?(?:grown|got|gotten|grew) (?:tired|sick|weary) of\b", "not like"),
        (rf"\b(?:oppos(?:es|e)|objects? to)\b|\b{_BE} (?:against|opposed to)\b", "not support"),
        (rf"\b{_BE} (?:in favou?r of|for)\b(?= the\b)", "support"),
        (r"\b(?:is|are) off(?=[.!,;]|$| again\b| now\b)", "is disabled"),
        (r"\b(?:distrusts?|mistrusts?)\b", "not trust"),
        (r"\b(?:refuses?|declines?) to\b|\b(?:gave|has given|have given|gives?) up\b|\b(?:quit|quits|stopped|has stopped|have stopped|ceased)\b(?= \w+ing\b)", "not"),
        (r"现在|目前|如今|最近|已经|再也|其实|终于|仍然|一直|(?:非常|特别|十分|超级|最)(?=喜|爱|讨|热|支|反)|(?<=[^不])(?:很|挺|蛮|超)(?=喜|爱|讨)", ""),
        (r"(?:不再|不太|不怎么|不大)(?=喜欢|爱|支持|信任)", "不"),
        (r"热爱|喜爱|迷恋|痴迷于?|沉迷于?|着迷于|钟爱|喜欢上了?|爱上了?|(?<![可恋亲敬热相做])爱(?=[吃喝看玩听打跳唱逛用穿学])", "喜欢"),
        (r"讨厌|厌恶|痛恨|憎恨|反感|受不了|厌倦了?|受够了|腻烦了?|(?<=[^可悔])恨(?=[^不])", "不喜欢"),
        (r"反对|不赞成|不赞同", "不支持"),
        (r"赞成|赞同|拥护", "支持"),
        (r"不信任|怀疑(?=[^是])", "不信任"),
        (r"戒掉了?|戒了", "不"),
        (r"禁止|严禁|不准|不许|不允许|不得(?!不)", "不"),
        (r"不可以|不能够?|不会(?![议员计话面场谈长所馆])", "不"),
        (r"可以|能够|允许|准许|(?<![可性功智才技动潜职热核万本只不])能(?![力源量耗])|(?<![不机社协宴开晚聚国学公体约年例周晨大])会(?![议员计话面场谈长所馆])", ""),
    )
)  # fmt: skip
# What a retelling may add or leave out. In the forms that a signature gives words.
ADVERBS = frozenset(
    "now anymore anymor again still today longer already actually currently recently really just ever finally since instead very truly".split()
)
ADVERBS_ZH = re.compile(
    r"现在|目前|如今|已经|再也|其实|最近|终于|仍然|还是|一直|[了已很]$|^我们的?|已(?=完成|关闭|开启|上线|启用|禁用)"
)
# "Likes tea in the morning": in which case it holds.
CASE_EN = re.compile(
    r"\b(?:in (?:the )?(?=morning|afternoon|evening|spring|summer|autumn|fall|winter)|at (?=night|noon|work|home|school|lunch|dinner|breakfast)|on (?=weekdays?|weekends?|\w+days?\b)|during |for (?=breakfast|lunch|dinner|work|fun)|when |while |with |without |after |before )(?P<case>[^,;]+)$",
    re.IGNORECASE,
)
CASE_ZH = re.compile(
    r"早上|上午|中午|下午|晚上|夜里|周末|工作日|平时|上班时|下班后|春天|夏天|秋天|冬天|(?:周|星期)[一二三四五六日天]|早餐|午餐|晚餐"
)
# What happened, or happens at a time: it may happen again with another number.
HAPPENED = re.compile(
    r"(?<!is )(?<!are )(?<!be )\b(?!need|speed|feed|exceed|proceed|seed|bed\b|red\b)[a-z]{2,}ed\b"
    r"|\b(?:was|were|had|did|went|ran|bought|sold|got|made|took|came|saw|ate|drank|met|won|lost|paid|spent|sent|found|gave|wrote|held|left|broke|built|drove|flew|grew|rose|fell|slept|swam|rode|taught|caught|"
    r"yesterday|today|tonight|tomorrow|ago|last (?:night|week|month|year|\w+day)|this (?:morning|week|month|year))\b"
    r"|[了过]|昨[天晚]|今[天晚早]|明天|前天|刚才?|上(?:周|个?月)|本(?:周|月)|去年",
    re.IGNORECASE,
)
NUMBER = re.compile(
    r"(?<![\w.,-])\d+(?:,\d{3})*(?:\.\d+)?|(?<![\w-])(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|hundred)(?![\w-])"
    r"|(?<=[\u3400-\u9fff])\d+(?:\.\d+)?|[零一二两三四五六七八九十百千]+(?=[个天年月日号元块万亿点分秒人次台周岁台套份条项倍小位字行名层楼级只张本件把辆座家间杯碗瓶])",
    re.IGNORECASE,
)
# A verb of the present, or a word of limits, and no noun that the number names.
AMOUNT_BEFORE = re.compile(
    r"(?:^|\s)(?:[a-z]{2,}(?<!s)s|have|need|use|keep|allow|take|want|own|eat|drink|pay|earn|wait|sleep|work|serve|most|least|than|over|under|up to|only|exactly|about|around|roughly|every|within|after|for|maximum|minimum|of|is|are|to)"
    r" (?:[$€£¥])?$",
    re.IGNORECASE,
)
AMOUNT_AFTER = re.compile(
    r"\s?%|(?!\s?(?:on|in|at|for|to|from|when|if|and|or|with|as|by|of|the|an?|is|are|but|because|while|until|after|before)\b)\s?[a-z]+\b",
    re.IGNORECASE,
)
AMOUNT_AFTER_ZH = re.compile(
    r"\s?(?:[个天年元块万亿秒人次台岁套份条项倍位字行名只张本件把辆座家间杯碗瓶度米斤]|小时|分钟|公里|公斤|毫秒|%|[A-Za-z]+)"
)
# Of some and not of all: others of them may be otherwise.
OF_SOME = re.compile(
    r"\b(?:one|two|three|some|several|many|most|half|part|any|none|each|a few|a couple|\d+) of\b|\b(?:some|several|many|most|certain|other|another|few) [a-z]+|有的|有些|某些|某个|某|部分|一些|多数|有人|另一|其他|其中",
    re.IGNORECASE,
)
COPULA = re.compile(
    r"\b(?:is|are|was|were|be|been|am|remains?|stays?|left|keeps?|kept|has|have|gets?|got)\b|'s\b|'re\b", re.IGNORECASE
)
NAMED_BEFORE_ZH = re.compile(r"第\s?$|[号#]\s?$")
# Words that begin like the negative form of another and are none.
NO_NEGATIVE_FORMS = frozenset(
    "uncover unfold unpack unload unwind unlik unlike unless until under union unit unite uniqu unique uncle undo invaluabl inflammabl indifferent".split()
)
_ADJECTIVE = r"(?:iv|abl|ibl|[ai]nt|ent|correct|secur|direct|formal|valid|stabl|complet|accurat|adequat|appropriat|definit|eligibl|capabl|sincer|tangibl|human|san)$"
NEGATED_BASE: dict[str, re.Pattern[str]] = {
    "in": re.compile(rf"(?:^.{{2,}}{_ADJECTIVE}|^(?:correct|secur|direct|formal|valid|stabl|san)$)"),
    "im": re.compile(
        r"^(?:possibl|perfect|mobil|matur|mutabl|polit|proper|practical|pur|patient|partial|permanent|probabl|movabl|moral)$"
    ),
    "ir": re.compile(r"^(?:regular|responsibl|relevant|reversibl|rational|replaceabl|resistibl)$"),
    "il": re.compile(r"^(?:legal|legibl|literat|logical|legitimat)$"),
    "dis": re.compile(
        r"^(?:connected|honest|agre|approv|approved|allow|allowed|trust|satisfied|organi[sz]ed|engaged|obey|obedient|continued|similar|loyal|abled|armed)$"
    ),
}
