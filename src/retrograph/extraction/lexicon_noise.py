"""Words of talk that carry nothing to keep: greetings, thanks, questions, requests, logs, code.

Every table is matched on text folded by `duplicates.normalise` unless its name says `RAW`.
"""

# ruff: noqa: E501  (a row of a table reads best on one line)

import re

GREETINGS_EN = (
    "hi hello hey hiya yo howdy greetings morning afternoon evening goodbye bye cya later cheers welcome night "
    "good there again all team everyone folks guys friend see you soon tomorrow have a nice great day weekend "
    "how are doing what's up whats is it going to meet nice back ttyl take care dear"
).split()
GREETING_STARTS_EN = (
    "hi|hello|hey|hiya|howdy|yo|greetings|good (?:morning|afternoon|evening|night|day)|bye|goodbye|see you|see ya|"
    "have a (?:nice|good|great|lovely)|nice to (?:meet|see)|how are you|how's it going|what's up|take care|talk (?:to you )?(?:soon|later)|"
    "happy (?:friday|monday|holidays|new year)|welcome back|long time no see|happy to help|glad to (?:help|hear)"
)

ACK_WORDS_EN = (
    "ok okay okey k kk yes yeah yep yup no nope nah sure fine thanks thank you thx ty cool great nice perfect "
    "awesome excellent good got it gotcha right alright agreed understood noted roger copy that done makes sense "
    "sounds well please so much a lot very lovely wonderful brilliant amazing fantastic super sweet indeed exactly "
    "absolutely definitely of course no problem np welcome my pleasure anytime worries lgtm lol haha hahaha hmm hm "
    "uh um ah oh wow yay oops i see ack all set and for the help looks to me works go ahead is fine this that's "
    "thats im i'm with you again really just you're cheers interesting true fair enough point same here too will do "
    "on it appreciate your it'd be let me think moment second sec one wait hold"
).split()

ACKS_ZH = (
    "好的 好 嗯 嗯嗯 哦 噢 行 可以 收到 明白 明白了 了解 了解了 知道了 懂了 没问题 谢谢 多谢 感谢 辛苦了 辛苦 不客气 "
    "是的 对 对的 没错 不是 不用 不用了 哈哈 哈哈哈 呵呵 嘿嘿 太好了 太棒了 很好 不错 棒 厉害 牛 赞 没事 好吧 好嘞 ok OK "
    "okay 稍等 等一下 等等 我看看 让我想想 继续 请继续 下一步 好了 完成了 搞定 可以了 就这样 先这样 那就这样吧 没关系 "
    "真的吗 是吗 这样啊 原来如此 非常感谢 谢谢你 谢谢您 谢谢帮忙 谢谢你的帮助 感谢帮助 加油 同意 赞成 当然 当然可以 没毛病"
).split()
GREETINGS_ZH = (
    "你好 您好 大家好 早 早上好 上午好 中午好 下午好 晚上好 晚安 早安 再见 拜拜 回见 明天见 回头见 下次见 嗨 哈喽 "
    "在吗 在么 在不在 你好呀 你好啊 好久不见 新年快乐 周末愉快 最近怎么样 最近好吗 吃了吗 幸会 欢迎 欢迎回来 辛苦啦"
).split()
FILLERS_ZH = "啊呀吧呢嘛啦哦噢哈了的哟喔，。！？、~～… !?.,啦们大家各位你您老师同学朋友大"

# A question word asks when a verb or a pronoun follows as in a question; "what we need is…" and "Will left" do not.
QUESTION_STARTS_EN = (
    r"^(?:(?:so|and|but|also|then|well) )?(?:(?:what|who|whom|whose|where|when|why|how|which)(?:'s|'re)?\s+(?:(?:\w+\s+){0,2}(?:is|are|was|were|do|does|did|can|could|would|will|should|shall|has|have|had|am)\b(?!.*[,;])|"
    r"(?:many|much|long|often|far|old|about|come|to)\b(?!.*[:,]))|(?:who|what|which)\s+(?:\w+s|\w+ed|made|wrote|won|broke|took|gave)\b|"
    r"(?:is|are|am|was|were|do|does|did|can|could|would|will|shall|should|may|might|has|have|had|isn't|aren't|don't|doesn't|didn't|can't|couldn't|won't|wouldn't)\s+"
    r"(?:i|you|we|they|he|she|it|there|this|that|these|those|the|a|an|my|your|our|his|her|their|any|anyone|anybody|someone|everyone|all|[a-z]+ \w+ (?:yet|already|now|again)|\w+ (?:reply|know|like|want|work|use|need|have|finish|call|come|go|send|fix|say))\b(?!\s+(?:exceed|be )))"
)
QUESTION_ZH = r"[吗么呢]\s*[?？]?\s*$|(?:多少|什么(?!都)|哪[里儿个些天种]?|谁|几[点个号天次台]?|怎么(?:样|办|用|做|回事)?|如何|为何)[^，。,]{0,4}$|[?？]\s*$|^(?:请问|为什么|怎么|怎样|如何|什么|哪|谁|几点|多少|是不是|能不能|可不可以|有没有|要不要)"

REQUEST_VERBS_EN = (
    "add analyse analyze apply ask build call change check clean click close commit compare compile complete continue "
    "convert copy create debug delete deploy describe do draft draw edit email execute explain export fetch find finish "
    "fix format generate get give go help import improve install investigate keep let list load look make merge move "
    "open optimise optimize paste print proceed provide pull push put read rebase redo refactor remove rename replace "
    "reply report rerun reset restart retry return review rewrite rollback run save scan schedule search send set show "
    "shorten simplify skip sort start stop submit suggest summarise summarize take tell test think translate try turn "
    "undo update upgrade upload verify view wait walk write"
).split()
# A polite opening makes a request of anything; a bare verb does with a measure word behind it, or alone.
REQUEST_ZH = (
    r"^(?:请(?!假|客|教|注意|记|勿|务必|不要|别)|麻烦你?|劳驾|帮我|帮忙|帮(?:他|她|我们)|给我|替我|再(?:来|试|跑|说|做|写|查|看|给)|让(?!我们的|步)|快(?:点|去|帮|看))"
    r"|^(?:先|再|你)?(?:看|跑|运行|执行|打开|关闭|生成|翻译|总结|解释|检查|测试|修复|修改|重写|写|列出|搜索|查|查找|继续|重试|试|说说|讲讲|介绍|展示|显示|删除|删掉|提交|改|优化|告诉我|画|发|把)"
    r"(?:\s*(?:一下|一遍|一个|一首|一篇|一份|一张|一段|下(?!午|周|个|一|载|单)|这|那|上面|下面|以上|以下|我|最近|全部|所有|出来|给我|看看|吧)|.{0,4}[。！!]?$|.{1,20}(?:一下|一遍|给我|发我|出来)[。！!]?$)"
)

VAGUE_SUBJECTS_EN = "it this that they these those something someone somebody everything anything things stuff".split()
INTENT_NOW_EN = (
    r"^(?:let me|let's|i'?ll|i will|i'm going to|i am going to|i'm gonna|gonna|going to|one (?:moment|sec|second)|"
    r"give me a (?:moment|sec|second|minute)|hold on|hang on|brb|be right back|back in|just a)\b"
)
INTENT_NOW_ZH = (
    r"^(?:我(?:先|再|去|来|马上|现在|这就)+(?:看|试|查|跑|想|弄|处理|改|搞)|让我|稍等|等我|马上|我看看|我试试)"
)

CHATTER_EN = (
    r"\b(?:lol|lmao|haha+|hmm+|meh|whatever|never ?mind|nvm|just kidding|jk|idk|i don't know|i have no idea|no idea|"
    r"not sure|i guess|blah|testing 1 2 3|asdf\w*|qwerty|foo bar baz|lorem ipsum|ping|pong|that'?s (?:it|all|fine|funny|"
    r"great|weird|odd|hilarious|interesting|too bad)|weird|same as (?:before|above)|as (?:before|above)|"
    r"it'?s (?:raining|sunny|cold|hot|late|early|friday|monday) (?:today|again|here|outside|out|already)?)\b"
)
CHATTER_ZH = (
    r"哈哈|呵呵|嘻嘻|随便|无所谓|不知道|不清楚|不确定|没想好|没什么|算了|开玩笑|测试测试|啦啦|天气(?:真|不错|很好)|"
    r"好无聊|好累|好困|困死|累死|饿了|吃什么|下雨了|真热|真冷|好热|好冷|有意思|真有趣"
)

# Shapes of pasted machine output; matched line by line on the raw text.
LOG_LINE_RAW = re.compile(
    r"""^\s*(?:
      [\[(]?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d)?[^ ]*\s.*\b(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b
      | [\[(]?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d[.,Z+\-\d\])]*\s
      | [\[(]?\d\d:\d\d:\d\d[.,\d]*[\])]?\s
      | (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\s+\d{1,2}\s\d\d:\d\d:\d\d\s
      | [\[(<]?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)[\])>]?[: \t][:\s]*\S
      | at\s+[\w.$<>]+\(.*\)$ | File\s"[^"]+",\sline\s\d+ | Traceback\s\(most\srecent
      | (?:E|F|W|I)\d{4}\s\d\d:\d\d
      | (?:npm|yarn|pip|cargo|docker|kubectl|git|make)\s(?:ERR!|WARN|error|warning)
      | \d{1,3}(?:\.\d{1,3}){3}\s-\s
      | (?:remote|Receiving\sobjects|Resolving\sdeltas|Counting\sobjects|Downloading|Collecting|Installing|Fetching|
         Requirement\salready|Successfully\sinstalled|Building\swheel|Pulling|Unpacking)\b[: ].*(?:\d|%|\.\.\.|==|\()
      | Step\s\d+/\d+\s*:\s | \s*-{2,}>\s
      | (?:PASS|FAIL|ok|FAILED|PASSED|SKIP(?:PED)?)\s+\S*(?:::|/|\.\w+)\S*
      | ={3,}.*={3,}$ | -{5,}\s*$ | \d+\s(?:passed|failed)(?:,|\sin\b)
      | level=\w+\s | \S+\s\|\s+\d | \w+\[\d+\]:\s
      | (?:GET|POST|PUT|DELETE|PATCH|HEAD)\s/\S*\s+(?:HTTP|\d{3})
      | \w*(?:Error|Exception)(?::\s.*)?$
      | \{"(?:time|ts|level|msg|timestamp|severity)":
    )""",
    re.VERBOSE,
)
CODE_LINE_RAW = re.compile(
    r"""^\s*(?:
      (?:def|class|async\sdef)\s\w+.*:\s*(?:\#.*)?$ | (?:import|from)\s[\w.]+(?:\simport\s.*|\sas\s\w+)?\s*;?$
      | (?:const|let|var)\s\w+\s*[:=] | function\s*\w*\(.*\)\s*\{ | (?:public|private|protected|static|export|fn|func|impl|struct|enum|interface|type)\s.*[({=<]
      | (?:if|for|while|switch|else|elif|try|except|catch|with|match)\b.*[:{]\s*$ | (?:return|yield|raise|throw|await)\b.*;?\s*$
      | [\w.\[\]"']+\s*[-+*/|&]?=\s*[^=\s].*$ | [})\]];?,?\s*$ | [\w.]+\(.*\)\s*[;{]?\s*$
      | <(?:/?[a-zA-Z][\w-]*)(?:\s[^>]*)?/?> | (?i:SELECT|INSERT\sINTO|UPDATE|DELETE\sFROM|CREATE\s(?:TABLE|INDEX)|ALTER\sTABLE|DROP\sTABLE|MATCH)\s.*(?i:\bFROM\b|\bSET\b|\bVALUES\b|\(|\bRETURN\b|\bADD\b|;)
      | [#]include\s | @\w+(?:\(.*\))?$ | (?:\$|>>>|%)\s\S | (?:sudo|curl|wget|docker|kubectl|git|npm|pip|cd|ls|grep|cat|echo|export|chmod|make)\s[-\w./~$"'|]+(?:\s.*)?$
      | [-+]{1,3}\s?[\w/.]+.*[;{}()]\s*$ | @@\s.*@@ | diff\s--git | "[\w-]+":\s.*,?$ | \{\s*$ | //.* | /\*.*
    )""",
    re.VERBOSE,
)
MACHINE_CHARS = re.compile(r"[{}()\[\]<>;=|&$#@\\^~`*/_%]")
KEYBOARD_MASH = re.compile(
    r"^(?:(.)\1{4,}|[asdfghjkl;]{6,}|[qwertyuiop]{7,}|[zxcvbnm]{6,}|(\w{1,4}\s?)\2{3,})$", re.IGNORECASE
)

# What may stand in front of a statement without being part of it.
LIGHT_POLITE = re.compile(
    r"^(?:(?:please|pls|kindly|hmm*|ugh|uh+|um+|ah+|hey|hi|hello|ok|okay|yes|no|sure|thanks|thank you|great|well|so|and|now|then|alright|also|oh|right|cool|perfect|good)[,.! ]+)+",
    re.IGNORECASE,
)
POLITE_QUESTION = re.compile(r"^(?:can|could|would|will) you (?:please )?", re.IGNORECASE)
LAUGHTER = re.compile(r"\b(?:lol|lmao|(?:ha){2,}h?|jk|just kidding)\W*$|哈哈+\W*$")

# What assistants and hosts say to be polite; whole sentences of it say nothing.
BOILERPLATE = re.compile(
    r"\b(?:feel free to|let me know if|i hope (?:this|that|it) helps|hope (?:this|that|it) helps|as an ai\b|i'?d be happy to|happy to help|glad (?:i could|to) help|"
    r"here(?:'s| is| are) (?:the|your|a|some|an) (?:code|answer|list|summary|result|example|translation|version|update\w*|\w+ you (?:asked|requested|wanted))|tell me more|"
    r"sounds like a plan|is there anything else|how can i (?:help|assist)|don't hesitate|if you have (?:any )?(?:more |further |other )?questions|looking forward to|(?:still )?working on it)\b"
    r"|希望(?:这)?(?:对|能)(?:你|您|帮).{0,6}帮|随时(?:问|联系|告诉|找|叫|提)我|如(?:果)?(?:还)?有.{0,6}(?:问题|疑问|需要).{0,8}(?:随时|请|联系|问|告诉)|以下是(?:您|你)|很高兴(?:能|为|帮)|我这就(?:去)?|有什么可以帮|乐意(?:效劳|帮)"
)
# "What we need is a cheaper host" asks nothing.
CLEFT = re.compile(
    r"^(?:what|who|where|how|why|when)\s+(?:(?:i|you|we|they|he|she|it|the \w+|my \w+|our \w+)\s+\w+|\w+s)\b.{0,50}\b(?:is|are|was|were)\s+\w+.*[^?]$"
)
