"""Cues of what kind of statement a text is: (weight, pattern) rows for each memory type, English and Chinese.

Patterns are matched on lower-cased text with typographic quotes made plain. A weight of 3 decides nearly alone
(the word names the type), 2 is a strong habit, 1 tips a balance.
"""

# ruff: noqa: E501  (a row of a table reads best on one line)

import re

from retrograph.extraction.language import has_han
from retrograph.models import MemoryType

Cue = tuple[float, re.Pattern[str]]

_RAW: dict[MemoryType, tuple[tuple[float, str], ...]] = {
    MemoryType.LESSON: (
        (
            3.4,
            r"\b(?:halved|doubled|tripled|slashed|cut|sped up|slowed down) (?:the|our|my|its)|\bonly (?:happens?|occurs?|shows up|appears?|fails?|crashes|breaks?|works?|reproduces?) (?:when|if|after|on|with|in|once)|\bwasted .{2,40}\b(?:because|on|before|since|until)|\b(?:would|could|might) have (?:saved|avoided|prevented|caught|helped|been)|\bgot .{2,40} (?:working|running|unstuck|green|back)|\b(?:worthless|useless|pointless|dangerous|no good) (?:until|unless|without|if|when)|^(?:don't|do not|never) (?:trust|rely on|assume|underestimate|believe|forget)\b|\b(?:isn't|wasn't|is not|was not) the .{2,40}[,;:] (?:it|but)|\bdid(?:n't| not) help,? (?:but|until)|\b(?:saved|cost) us\b|\bthe (?:real |actual |true )?(?:reason|culprit|trigger)\b|\bthat's (?:why|what broke|what caused)|\bmade (?:it|things|everything) (?:worse|better|work)|\bafter that (?:it|the \w+) worked",
        ),
        (
            3.4,
            r"(?:以后|之后|后)[^，。]{0,12}(?:就)?(?:消失|好|正常|恢复|稳定|解决|不再|快|没)(?:了|多)|上次.{0,12}(?:锁|挂|崩|丢|卡|炸|坏|出|踩|吃|失败|搞)|(?:问题)?不是.{1,20}[，,]?(?:而)?是|省(?:了|下)?.{0,6}(?:时间|功夫|麻烦|钱)|白(?:忙|干|费|花)|害得|这才|怪不得|浪费了|(?:早点|提前|先).{2,20}(?:就不会|就能|省)|吃亏|不靠谱|不能(?:相信|信|依赖|指望)|别(?:信|指望|相信|依赖)|看似.{1,20}其实",
        ),
        (
            4,
            r"\b(?:lessons? (?:learn\w+|here|is|was|from)|learn(?:ed|t) (?:that|the hard way|not to|to|a lesson)|the (?:takeaway|moral|lesson|trick|gotcha|pitfall|catch)\b|in hindsight|(?:root|real|underlying|actual) cause|post-?mortem)",
        ),
        (
            3.5,
            r"\b(?:next time\b|turn(?:s|ed) out\b|should(?:n't| not)? have \w+|the (?:fix|solution|workaround|remedy|cure|culprit|mistake) (?:was|is|for|turned)|(?:beware|watch out|be careful)\b|never again|it (?:only )?work(?:s|ed) (?:only )?(?:after|once|when|because)|the (?:problem|issue|bug|failure|error|outage|crash|leak|slowdown|deadlock) (?:was|came|went away|disappeared|is caused|is)\b)",
        ),
        (
            3.2,
            r"\b(?:fail\w*|broke|crash\w*|hung|hangs|timed out|leak\w*|wrong|corrupt\w*|deadlock\w*|slow|flaky|stale|lost|stuck|rejected|silently \w+)\b.{0,80}\b(?:because|since the|due to|unless|until we|as soon as|if (?:the|you|we)|when (?:the|you|we))\b",
        ),
        (
            3.2,
            r"\b(?:fixed|solved|resolved|cured|avoided|prevented|mitigated|worked around|went away|helped|sped up)\b.{0,60}\b(?:by|after|with|once|when)\b|\b(?:fixes|solves|cures|prevents|avoids)\b.{0,60}\b(?:error|bug|leak|crash|problem|issue|timeout|deadlock|conflict|failure|race|flak\w+)",
        ),
        (
            3.2,
            r"^(?:avoid|don't|do not|never|always)\b.{3,120}\b(?:because|otherwise|or (?:else|it|the|you)|since it|it (?:breaks|fails|causes|corrupts|hangs|leaks)|as it|leads to|after it|they|which)\b",
        ),
        (
            3,
            r"\b(?:solved|fixed|cured|resolved|eliminated|got rid of|unblocked|restored) (?:the|our|this|that|all|most|it)\b|\b(?:made|makes|making) .{3,60}\b(?:faster|slower|worse|better|easier|harder|impossible|unusable|unstable|stable|reliable)\b|\b(?:cut|reduced|doubled|halved|improved|shrank) .{3,60}\b(?:from|by|in half|to)\b",
        ),
        (
            2,
            r"\b(?:caused by|causes?|led to|resulted in|breaks? (?:if|when|the|on)|(?:doesn't|does not|won't|didn't|did not) work (?:if|when|with|because|on|unless|until))\b",
        ),
        (
            4,
            r"教训|踩(?:了|过)?(?:的|个|一个)?坑|经验(?:是|告诉|教训|表明|总结)|根因|根本原因|(?:问题|故障|失败|报错|崩溃|原因|错误|超时|泄漏|卡顿)(?:的)?(?:原因)?(?:是|出在|在于|源于|来自)|原来是|才发现|后来发现|事后|复盘",
        ),
        (
            3.5,
            r"下次|下一次(?:要|应)|早知道|(?:本来|当初|原本|事先|本)(?:应该?|就该|就应)|解决(?:办法|方法|方案)|(?:不要|别|避免|千万).{2,40}(?:否则|不然|因为|会导致|以免|会)|否则(?:会|就)|不然(?:会|就)|吃(?:一堑|了亏)",
        ),
        (
            3.2,
            r"(?:失败|报错|崩溃|超时|泄漏|变慢|卡住|丢失|出错|出问题|死锁|异常|挂了|故障).{0,40}(?:因为|由于|是因|导致|引起|造成)|(?:因为|由于|导致).{2,60}(?:失败|报错|崩溃|超时|泄漏|变慢|卡住|丢失|出错|死锁|故障|异常|挂了)|(?:就|才)(?:好了|正常了|解决了|恢复了|能用了|不再报错|成功了?)",
        ),
    ),
    MemoryType.CONSTRAINT: (
        (
            3.2,
            r"\b(?:needs? (?:a |an |the |explicit |written )*(?:signature|permission|consent|sign-?off|approval|review|visa|licen[cs]e|clearance)|(?:anything|everything|everyone|nobody|no one|none|nothing) (?:above|over|below|under|beyond|outside|inside|older|larger|from|without|but|in|with)|(?:under|below|within|above|over) \d+(?:\.\d+)? ?(?:mb|gb|kb|ms|seconds?|minutes?|hours?|days?|%|percent|lines?|words?|characters?|euros?|dollars?|km|kg|people)|(?:has|have|is|are|must|may) to stay|stays? (?:on|in|within|under|below|inside|behind|off)|not (?:one|a single|an hour|a day|a cent) more|only (?:on|in|during|between|after|before|from|with|for|via|through|over) \w+|without (?:approval|permission|consent|asking|review|exception)|(?:seats|fits|holds) (?:at most |up to )?\d+|off limits|no exceptions?|strictly|out of bounds|use only|read-?only for)\b",
        ),
        (
            3.2,
            r"(?:别|勿|莫)(?:超过|高于|低于|早于|晚于|直接|动|碰|在|把|用|改)|一定(?:要|得)|(?:没有?|未|无).{1,14}(?:不能|不得|不许|不可|不予|无法生效)|不(?:予|许|准|可)|以(?:上|下|内)(?:的)?(?:都|须|要|需|必)|之内|谁(?:都|也)不|任何人(?:都|不)|限(?:于|制|定|额|速|时)|不(?:收|接受|支持)超|才(?:能|可以?)(?:上线|合并|发布|生效|进入|使用|付款|打款)|凡是|除.{1,12}外.{0,6}(?:都|均|一律)|前必须",
        ),
        (
            3,
            r"\b(?:must(?:n't| not| never)?|mandatory|not allowed|forbidden|prohibited|is required|are required|under no circumstances|no (?:more|fewer|less|later|earlier) than|may not|may only|not permitted|off[- ]limits|not acceptable|disallowed|banned|compulsory|shall not|hard (?:limit|requirement|deadline))\b",
        ),
        (
            3,
            r"\b(?:can(?:not|'t) (?:exceed|be (?:older|larger|longer|more|shared|stored|deployed|merged|changed|used|sent|committed|logged|exposed|published)|use|deploy|store|leave|go (?:over|above|beyond))|has to (?:be|stay|run|fit|finish|support|pass|work)|have to (?:be|stay|fit|pass|use|support|go through|sign)|only \w+(?: \w+){0,3} (?:may|can|are allowed)|(?:limited|restricted|capped) to|at (?:most|least) \d|up to \d+ \w+ (?:only|max)|max(?:imum)? (?:of |is |size|length|number)|minimum|upper limit|deadline (?:is|for)|(?:budget|quota|limit|cap|ceiling) (?:is|of|for)\b|requires (?:approval|two|a|at least|sign|review|all|every|explicit)|needs? (?:approval|sign-?off|two (?:reviews|approvals))|subject to|compl(?:y|iant|iance) with)",
        ),
        (
            3,
            r"^(?:please )?(?:never|always|don't ever|do not ever|don't|do not|no)\b(?! (?:worry|forget|know|think|like|idea|problem|thanks|need|one|way))",
        ),
        (
            2.5,
            r"\b(?:never|always) (?:commit|push|deploy|use|run|store|log|merge|send|call|write|edit|delete|touch|share|rebase|release|be|expose|round|trust|ask|include|check|sign|keep)\b|\bevery \w+(?: \w+){0,3} (?:must|has to|needs)\b|\b(?:policy|rule|regulation|requirement|constraint|gdpr|hipaa|sla)\b|\bin (?:all|any) case\b|\bfrom now on\b|\bby default,? (?:all|every)",
        ),
        (
            3,
            r"必须|不得|不允许|不许|禁止|严禁|不准|务必|一律|只允许|只能|仅限|仅允许|不可以?(?:超过|外传|修改|删除|使用|直接|在|公开|存|用)|不能(?:超过|多于|少于|晚于|早于|直接|在|把|外传|泄露|提交|合并|存|使用|出|用|晚|低|高|离)|不超过|不少于|不低于|不高于|不晚于|最多|至少|最迟|最晚|上限|下限|截止(?:日期|时间)|要求(?:所有|必|是|在|每)|需要(?:经过|两|审批|至少)|需经|规定|硬性|严格|预算(?:是|为|上限|不)|以内|之内(?:完成|返回|恢复)",
        ),
        (2.5, r"^(?:请)?(?:不要|别|永远不要|千万不要|绝不|始终|总是|每次都?要)(?!忘|担心|客气|管|急|着急|谢)"),
    ),
    MemoryType.DECISION: (
        (
            3.4,
            r"\b(?:going forward|from (?:now on|next \w+|\w+day|january|february|march|april|may|june|july|august|september|october|november|december)(?: on)?,? (?:the|we|all|every|our|each|\w+ (?:will|owns?|takes?|handles?))|no more \w+|\w+ it is\b|(?:we|they|he|she|i|management|the \w+) said (?:no|yes) to|turned down|(?:goes|moves|changes|shifts) from .{2,40} to\b|is off[;,.]|will (?:pay|own|take over|be (?:split|merged|moved|replaced|dropped|retired|outsourced|renamed|run))|we(?:'re| are) (?:dropping|moving|switching|keeping|hiring|not|adopting|using|cutting|killing|splitting|merging|outsourcing|sticking)|stays? (?:with us|as is)|gets? (?:the go-ahead|the green light|a second chance)|call: )",
        ),
        (
            3.4,
            r"先不|暂不|不(?:打算|准备)|挪到|调到|改期|就(?:用|选|按|这么|走|定|买|去)|打算|商量(?:后|好|过)|讨论后|开工|外包给|交给|由.{1,10}(?:接手|接管|来做|牵头)|砍掉|下线|合并(?:到|成)|拆(?:成|分)|不做了|不再|定了|说好|以后(?:由|改|不|统一|都由|每)|从(?:下|本|这)(?:个)?(?:周|月|季度|版|迭代).{0,4}(?:起|开始)",
        ),
        (
            4,
            r"\b(?:decid(?:ed|es)|decision (?:is|was|made|to)|agreed (?:to|that|on|with)|settled on|opted (?:for|to|against)|chose(?:n)?|picked|went with|(?:going|gone) with|voted (?:to|for|against)|signed off on|approved|concluded (?:that|to)|resolved to|committed to|ruled out|rejected the|dropped the idea|the plan is|the verdict|call was made|consensus)\b",
        ),
        (
            3.2,
            r"\b(?:we(?:'ll| will| are going to|'re going to| shall)|the team will|the company will|let's|i(?:'ll| will)) (?:\w+ )?(?:use|adopt|go with|switch|migrate|move (?:to|the|from|off)|replace|keep|drop|standardi[sz]e|postpone|ship|launch|deprecate|build|host|start with|stick with|split|rewrite|retire|freeze|skip|release|hire|stay)\b",
        ),
        (
            3,
            r"\b(?:switch(?:ed|ing) (?:from|to|over)|migrat(?:ed|ing) (?:from|to)|replac(?:ed|ing) \w+.{0,30} with|instead of|in favou?r of|postponed (?:the|to|until)|moved the \w+ (?:to|from)|cancell?ed the|standardi[sz]ed on|adopted)\b",
        ),
        (
            4,
            r"决定|选定|敲定|商定|一致同意|拍板|达成(?:一致|共识)|定(?:为|下来|了|在)|投票|批准了|已批准|获批|最终(?:选|采|用|定|方案)|确定(?:用|使用|采用|为|了|下来|在|由|先|走|选)|同意(?:了|用|把|将|采|推|由|先)|否决|结论是",
        ),
        (
            3.2,
            r"选择了|选了|改用|改为|改成|换成|切换到|迁移到|采用|统一(?:用|使用|采)|推迟(?:到|至)|(?:我们|团队|公司|大家)(?:将|会|打算|准备|计划)(?:在|把|用|采|改|迁|上|先|统一|于)?|不再(?:用|使用|支持|维护|采)|放弃|弃用|取消了|方案(?:是|定)",
        ),
    ),
    MemoryType.PREFERENCE: (
        (
            3,
            r"\b(?:over \w+,? any (?:day|time)|nothing beats|can't get enough|can do without|could do without|swears? by|soft spot for|picky about|no fan of|(?:cat|dog|morning|night|evening|beach|people|book|numbers) person|(?:avoids?|shuns?) \w+|would (?:much |far |really )?rather|(?:only|never) (?:reads?|eats?|drinks?|wears?|listens? to|watches|buys?|orders?|flies|travels?|codes?|writes?|works? (?:at|in|with|from)|answers?|takes?)|finds? .{3,40}\b(?:exhausting|annoying|boring|relaxing|tedious|distracting|soothing|irritating|fun|ugly|beautiful|helpful|useless|confusing|delicious|disgusting)|works best for (?:me|her|him|them|us)|happiest when|at (?:my|his|her|their) best|can't concentrate|(?:is|are|am|'m|'s) (?:vegan|vegetarian|picky|indifferent to))\b|\bmore than anything\b",
        ),
        (
            3,
            r"无.{1,3}不欢|比起.{1,20}更|(?:^|我|他|她|们|[\u4e00-\u9fff]{2})嫌|(?:只|从不|从来不|一向不|坚决不|尽量不|不怎么|不太|很少)(?:吃|喝|看|听|用|穿|读|坐|买|碰|玩|去)|(?:怕|受得了)(?:吵|辣|冷|热|黑|生)|更?(?:顺手|合胃口|合口味|对胃口)|说话.{0,8}(?:直接|简短|客气)|直接一点就好|随意一点|吃素|离不开|百.{1,3}不厌|情愿|看不惯|在意|介意",
        ),
        (
            3.3,
            r"\b(?:prefer(?:s|red|ence|ences|ring)?|favou?rites?|favou?rs|would rather|rather (?:have|use|work|read|see|not)|fond of|fan of|can't stand|cannot stand|can't bear|hat(?:e|es|ed)\b|detests?|loathes?|dislikes?|(?:don't|doesn't|do not|does not|didn't|never|really|always|also|still|absolutely|no longer) (?:\w+ )?(?:like|love|enjoy|want|care for|mind)s?|adores?|(?:is|am|are|'m|'s|'re) (?:really |very |not |so )*(?:into|keen on|passionate about|crazy about|partial to|sick of|tired of|annoyed by|bothered by|allergic to meetings)\b|taste (?:for|in)|my go-to|go-to)",
        ),
        (
            3,
            r"(?:\b(?:i|we|he|she|they|who|user|and|team|you|client|customer|boss|manager|wife|husband|son|daughter|mother|father|sister|brother|friend|everyone|colleagues?)|^[a-z][\w'-]*(?: [a-z][\w'-]*)?|\b[a-z]+) (?:really |also |both |all |only |mostly |usually )?(?:likes?|loves?|enjoys?|hates?|wants?|likes to|loves to)\b(?! to (?:know|ask|see if|make sure|check|confirm|thank|say))",
        ),
        (
            3,
            r"\bcall me \w+|\b(?:i'd (?:like|prefer|rather|love)|would (?:like|love|prefer) (?:to|it|the|my|all|answers|responses|if)|(?:please )?(?:always )?(?:answer|reply|respond|write|address|call|speak|talk|explain|format|show|give|keep) (?:to )?(?:me|us|answers|replies|responses|explanations|code|comments|in|it|the|things|them)\b.{0,50}\b(?:always|in (?:english|chinese|german|french|spanish|metric|british|bullet\w*|short|plain|dark|markdown)|short|brief|concise|bullet points|without|by (?:my )?(?:first )?name|formal\w*|informal\w*|no emojis?)|usually (?:drinks?|eats?|works?|orders?|takes?|reads?|runs?|goes)|no emojis|works? best (?:in|at|with)|feels? most|dark mode|vim keybindings)\b",
        ),
        (
            3.3,
            r"喜欢|偏好|偏爱|讨厌|厌恶|最爱|热爱|钟爱|宁愿|宁可|更愿意|反感|受不了|不爱|爱(?:吃|喝|看|听|玩|用|穿|好|去)|倾向(?:于)?|喜爱|习惯(?:用|于|在|先|早|晚|每|是|了)|口味|痴迷|着迷|不感兴趣|感兴趣|情有独钟",
        ),
        (
            2.6,
            r"(?:希望|想要|想让|更想|愿意|不想|不希望|不愿)(?!知道|问|确认|看看)|(?:回答|回复|注释|代码|文档|邮件|称呼|答案|说明|解释)(?:我)?(?:时|的时候)?(?:请|要|都|尽量|最好)?(?:用|使用|简短|简洁|写|叫)|叫我|称呼我|最好(?:用|是|在|能)|尽量",
        ),
    ),
    MemoryType.SKILL: (
        (
            3.5,
            r"^(?:if|when|whenever|once|in case) .{4,90}, (?:then )?(?:please )?(?:open|run|use|press|pull|click|restart|set|call|check|type|add|delete|hold|turn|unplug|reset|switch|go|select|try|remove|clear|kill|stop|start|install|enter|wait|log|copy|mount|export|edit|reload|flush)\b|^\w+ing [^:]{3,50}: ?(?:first |just )?[a-z]+\b.*,|^(?:hold|press|click|open|type|select|pull|push|turn|unplug|drag|enter) .{3,80}\b(?:to|then|and)\b|\b(?:here is|here's|this is) how\b|\brecipe for\b",
        ),
        (
            3.5,
            r"(?:遇到|碰到|出现|如果|要是|一旦|万一).{2,30}[，,](?:就|可以|先|请)?(?:用|执行|运行|重启|打开|点|删|改|按|查|清|拔|换|输入)|(?:选|点|打开|进入|勾选|按住|填).{1,20}[，,](?:再|然后|接着|最后)|^[^，。：:]{2,14}[：:](?:先|在|打开|进入|菜单|点|选|用|执行|运行|把)|按住|用.{1,20}(?:查|跑|执行|生成|导出|配置|启动).{0,20}(?:再|然后|即可|就行)",
        ),
        (
            3.4,
            r"\b(?:how to|steps? (?:to|for|are|is)|the (?:procedure|process|recipe|command|way|steps|workflow|runbook|easiest way) (?:to|for|is)|in order to|to \w+ (?:the|a|an|all|any|your|our|one|it|\w+)[^.,;]{0,60}[,:;]? (?:run|use|set|call|execute|type|open|first|press|add|pass|export|invoke|start|go|send|edit|create|bump|delete|apply|tag|you (?:can|need|have|must|should)|we|just|do|click|put|stop|drain)\b|can be (?:done|restarted|restored|rolled back|regenerated|rebuilt|reset|triggered|reproduced|tested) (?:by|with|via|using)|(?:first|start by) .{3,80}(?:, |; )?(?:then|and then|next|after that|finally)\b)",
        ),
        (3.2, r"\byou (?:can|could|need to|have to|must) .{3,80}\b(?:by|via|using|through|with the)\b"),
        (
            2.5,
            r"\b(?:by (?:running|calling|setting|using|passing|typing|pressing|adding)|run `|use `|with `|with the command|with the flag|playbook|runbook|recipe|tutorial|knows how to|is able to|can be (?:run|used|built|tested|deployed) (?:with|by|via))\b",
        ),
        (
            3.4,
            r"步骤|流程(?:是|为|：|:)|方法(?:是|：|:|为)|操作(?:是|方法|步骤)|先.{2,40}(?:，|,)?(?:再|然后|接着|最后)|只要.{1,30}就(?:可以|能|行)|(?:可以|能)?(?:通过|用|使用|执行|运行|按).{1,40}(?:来|即可|就可以|就能|就行)|(?:想|要|需要|如果要|如需).{1,30}(?:，|,|时)?(?:运行|执行|使用|先|调用|可以|用|设置|输入|点|在)|命令(?:是|为|：)|怎么(?:做|用|配)|教程|技巧",
        ),
    ),
    MemoryType.TASK_STATE: (
        (
            3.6,
            r"\b(?:chapter|step|stage|part|page|module|phase|batch|file|table|item) \w+ of \w+|\b(?:nothing|only|just|everything) (?:is )?(?:left|missing|remains|but the|except)|\b(?:is|are|was) (?:still )?(?:missing|outstanding|stuck|stalled|delayed|overdue|waiting|queued|unmerged|unresolved|incomplete|unfinished|half\b)|\b(?:missing|stuck|stalled|blocked|pending|draft|done|open)(?:[:;.]|$)|\bstuck\b|\b(?:is|are|sits?|lies?) with (?:the|our|legal|\w+)\b|\b(?:is|now|currently|are) at \d+ ?(?:%|percent|of)|\b(?:has|have) been (?:running|waiting|building|failing|going|working|stuck) (?:since|for)\b|\bdraft(?:ed)?\b.{0,40}\b(?:next|now|then|needs?)|^[\w ]{3,30}: .{3,60}\b(?:done|missing|open|left|pending|ready)\b|\bto go\b|\b(?:hasn't|haven't|has not|have not) (?:been |yet |even )?\w+ed\b|\bnot (?:ready|complete|there) (?:yet)?",
        ),
        (
            3.6,
            r"(?:改|写|做|跑|看|读|翻译|迁|测|学|录|画|审)到(?:了)?第?|(?:跑|做|写|改|迁|看|翻译|测|修)了?一半|(?:晚上|回头|明早|下周|改天|周[一二三四五六日])再(?:跑|做|写|改|弄|看|接|补)|还要(?:补|写|做|改|测|等|加)|(?:等|待).{1,12}(?:就|才|后|再)(?:能|可以|开始|做|发)?|没(?:写|做|改|测|弄|跑|合|上|审)完|差不多(?:了|完成)|剩.{0,4}(?:个|张|条|页|章|项)|在(?:跑|做|写|改|审|测|修|排队)(?!步)|初稿|半成品|停在|延期|处于.{1,8}阶段|第.{1,3}阶段",
        ),
        (
            3.6,
            r"\b(?:in progress|work in progress|wip|underway|under way|ongoing|blocked|pending|to-?do|next steps?|next up|left to (?:do|migrate|fix|write|review|test|port|translate|check)|remaining|remains? (?:to|open)|still (?:need|have|to|open|missing|waiting|working|failing|running|red|not|in|being|on|left|outstanding|unresolved|requires|owes|lacks)\w*|not (?:yet|started|finished|done|merged|deployed|reviewed)|so far|halfway|half way|half done|half finished|on hold|paused|stuck (?:on|at|in)|waiting (?:for|on)|awaiting|\d+ ?% (?:done|complete|finished|ready|of the)|\d+ (?:of|out of) (?:the )?\d+|(?:is|are|'s) (?:almost|nearly|about) (?:done|finished|ready|complete)|yet to (?:be )?\w+|picks? up (?:at|from|with)|continue (?:at|from|with)|left off|to be (?:done|reviewed|merged|tested|fixed)|up next|scheduled (?:for|to)|due (?:on|by|tomorrow|next|this|friday|monday)|in review|under review|open items?|backlog|status:)",
        ),
        (
            3,
            r"\b(?:(?:currently|now|right now|at the moment|presently) (?:working|migrating|writing|refactoring|debugging|testing|porting|reviewing|implementing|running|fixing|on|in|being|investigating|building)|working on|(?:is|are|done|finished|completed|merged|ready),? (?:but|next|and now|only|except)|half of (?:the|them)|(?:the|phase|step|stage|part|milestone|sprint|task|ticket|branch|pr|migration|rollout|refactoring) \w* ?(?:is|was) (?:done|finished|complete|completed|merged|ready|open|started|closed|green))\b",
        ),
        (
            3.6,
            r"进行中|正在|待办|待(?:处理|审核|合并|修复|确认|评审|测试|完成|定|上线)|还没(?:有)?|尚未|未完成|还(?:剩|差|有.{1,12}(?:没|未|待|要))|剩(?:下|余)|卡在|等待|等着|在等|下一步|进度|阻塞|暂停|搁置|完成了?\s*(?:\d|一半|大半|百分|第|三分|前|[一二三四五六七八九十]+个)|做到|写到|目前(?:完成|做|卡|进|已|还|只|在)|只差|接下来|\d+\s?[%％](?:了)?|已(?:完成|合并|上线|部署|提交|修复).{0,20}(?:还|剩|但|下一|待|，接)|刚开始|快(?:做完|完成|好)了|在评审|评审中|测试中|处理中|迁移中|排期|未(?:开始|合并|上线|修复|完成)|明天(?:继续|接着)|继续(?:做|写|改|迁移)",
        ),
    ),
    MemoryType.REFLECTION: (
        (
            3.4,
            r"\b(?:we|i|people|the team|most of us|they|my \w+) (?:tend|always end up|usually end up|keep (?:\w+ing)|often (?:forget|skip|underestimate|overestimate|spend|end up)|work(?:s)? better|learn(?:s)? best|focus(?:es)? better|am (?:more|less|most|least) \w+|are (?:at our best|better|worse|too \w+))\b|\b(?:i|we) (?:feel|believe|suspect|find) (?:that )?(?:i|we|our|my|the team)\b",
        ),
        (
            3.4,
            r"一.{1,8}(?:起来)?.{0,4}就(?:容易|会|忘|想|变)|(?:我们|我|大家|团队).{0,8}(?:容易|总是|老是|经常|往往|一般都会)(?:忘|跳过|忽略|高估|低估|拖|急|把|会|在|想|陷)|效率(?:更|最|比)|状态(?:更|最)好|(?:越|愈).{1,8}(?:越|愈)|收获(?:最大)?|学到(?:了)?(?:很多|不少)",
        ),
        (
            4,
            r"\b(?:looking back|on reflection|reflecting on|i(?:'ve| have) (?:noticed|realised|realized|come to)|(?:i|we) (?:noticed|realised|realized) (?:that )?(?:i|we|my|our)|in retrospect|overall[, ]|all in all|in general,|a pattern|the pattern|tends? to|it seems (?:that )?(?:the|we|i|our|most)|over the (?:past|last) (?:few |several |\w+ )?(?:weeks|months|sprints|projects|years),? (?:i|we|our|the|it)|my impression|most of our|i think (?:we|our|my|the team) (?:work|tend|often|usually|spend|are|need))\b",
        ),
        (
            4,
            r"回顾|反思|总的来说|总体(?:来看|而言|上)|回头(?:看|想)|我(?:发现|意识到|注意到|感觉)(?:自己|我们|团队|大家|每|总|，|,|最近)?|看来(?:我们|团队|我|大家)|往往|规律(?:是)?|这段时间(?:以来)?|整体(?:来看|上|而言)|感悟|体会(?:是|到)",
        ),
    ),
    MemoryType.EVENT: (
        (
            2.3,
            r"(?<!is )(?<!are )(?<!be )(?<!was )(?<!were )(?<!been )(?<!'s )(?<!not )\b(?!need|speed|feed|seed|bed\b|red\b|shared|based|called|named|located|used|unused|hundred|indeed|embed|exceed|proceed|succeed|limited|advanced|required|distributed|nested|fixed|signed|encrypted)[a-z]{2,}ed\b(?! (?:by|in|on|with|to) (?:default|the \w+ (?:is|are)))|\b(?:became|began|broke|brought|built|caught|chose|cut|fell|felt|fought|found|forgot|gave|grew|heard|hit|hurt|kept|led|let|lost|made|paid|put|rang|rode|rose|said|sang|sent|shot|shut|slept|spent|split|spoke|stole|struck|swam|taught|thought|threw|told|took|understood|woke|wore|went (?:off|well|wrong|live|down)|had (?:a|an|one|two|three|four|twins|\w+ (?:kittens|puppies|babies|guests))|broke (?:up|down|out)|got (?:the|his|her|my|into|out|back|lost|stolen|robbed))\b",
        ),
        (
            2.3,
            r"(?<![除为养有算])[\u4e00-\u9fff](?:了|过)(?!解|度|程|滤|期|去)|否决|断电|停电|弄丢|丢在|摔|撞|着火|地震|当(?:爸爸|妈妈)|生病|去世|怀孕|分手|毕业|开业|庆祝|聚会|见面",
        ),
        (
            2.6,
            r"\b(?:yesterday|last (?:night|week|month|year|summer|winter|spring|autumn|fall|weekend|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december)|this (?:morning|afternoon|week)|earlier today|(?:\d+|a|an|two|three|four|five|six|several|few) (?:minutes?|hours?|days?|weeks?|months?|years?) ago|back in \d{4}|on (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|june|july|august|september|october|november|december|the \d+(?:st|nd|rd|th))\b|in (?:(?:january|february|march|april|may|june|july|august|september|october|november|december)(?: \d{4})?|(?:19|20)\d\d)\b|on \d{4}-\d\d-\d\d|at \d{1,2}(?::\d\d)? ?(?:am|pm)|(?:today|tonight|tomorrow|next (?:week|month|year|monday|tuesday|wednesday|thursday|friday)))\b",
        ),
        (
            2.4,
            r"\b(?:went|met|visited|attended|travel+ed|flew|drove|arrived|left|joined|moved|relocated|graduated|married|engaged|gave birth|was born|born|died|passed away|retired|resigned|quit|was (?:hired|fired|promoted|laid off|acquired|founded|launched|released|born|hit|attacked|hacked|rolled back|cancell?ed|opened)|got (?:married|promoted|engaged|divorced|hired|a (?:new|dog|cat|puppy)|hurt|sick)|bought|sold|adopted|won|lost|released|launched|shipped|deployed|rolled out|published|announced|presented|demoed|celebrated|crashed|went down|broke (?:his|her|my|the)|hosted|ran (?:a|the|his|her)|finished (?:the|his|her) (?:marathon|race|degree|phd)|signed (?:the|a)|started (?:a|his|her|at|working|as|school|learning)|held (?:a|the)|happened|took place|occurred|interviewed|called|booked|had (?:a|an|dinner|lunch|surgery)|saw|watched|ate|cooked|hiked|climbed|camped|birthday party|trip to|conference)\b",
        ),
        (
            2.6,
            r"昨天|昨晚|前天|今(?:天|早|晚)|上(?:个|周|星期|礼拜|月|次)|去年|前年|刚才|刚刚|(?:\d+|[一二三四五六七八九十两几]+)(?:个)?(?:分钟|小时|天|周|星期|月|年)(?:之|以)?前|\d{1,2}月\d{1,2}[日号]|(?:19|20)\d\d年|(?:周|星期|礼拜)[一二三四五六日天](?:早|上|下|晚|我|他|她|和|在|去|有|的|要|将)?|明(?:天|年|晚)|下(?:周|个月|星期)",
        ),
        (
            2.4,
            r"(?:去|来|见|到|买|卖|搬|回|辞|离|入|参加|发布|上线|发生|举行|举办|召开|结婚|订婚|出生|毕业|升职|辞职|离职|入职|加入|获得|赢|输|完成|收养|领养|拜访|参观|旅行|出差|演讲|宕机|崩溃|回滚|访问|开|吃|看|爬|跑|签|面试|宣布|出版|成立|收购|住院|做)(?:了|过|完)|宕机|出差|婚礼|生日聚会|聚餐",
        ),
    ),
    MemoryType.FACT: (
        (
            2.6,
            r"\b(?:teaches|takes (?:around|about|roughly|\d)|reports? in|reachable|go(?:es)? to|live(?:s)? in|grew up|resets? (?:every|each|at)|sits? (?:between|behind|in)|written (?:by|in)|comes from|made of|has (?:\d|a |an |two|three|four|five)|runs (?:every|at|on|for)|lasts|every (?:hour|day|night|week|month|year|monday|\d+)|on weekdays|full of|next to|consists|maps? to|rounds?|counts?|syncs?|pulls? (?:from|data)|pushes)\b",
        ),
        (
            2.6,
            r"养(?:了|着)|一共|总共|由.{1,20}(?:组成|构成|生成|触发)|走的是|写的是|有效期|保留|每(?:秒|天|小时|周|月|年).{0,6}(?:处理|产生|执行|一次|更新|支持)|分(?:为|成).{1,6}(?:种|类|级|层|部分)|今年.{1,4}岁|姓|属(?:虎|兔|龙|蛇|马|羊|猴|鸡|狗|猪|鼠|牛)|籍贯|从事|开了(?:一)?家",
        ),
        (2.2, r"\b(?:is|are|was|were|has|have|had|'s|'re|'m|am)\b"),
        (
            2.5,
            r"\b(?:lives?|works?|runs?|uses?|owns?|listens?|costs?|contains?|supports?|belongs?|depends?|consists?|requires?|provides?|stores?|stands for|maintains?|manages?|leads?|reports? to|speaks?|knows?|studies|teaches|connects?|exposes?|returns?|points? to|handles?|serves?|sits|located|based|named|called|born|includes?|weighs|measures|takes|expires|ends|starts|opens|closes|holds|means|equals|reads from|writes to|talks to|inherits|implements|extends|imports|defaults to|comes with|ships with|allergic to|aged|years old|email|phone|address|birthday|anniversary|hosts?|keeps?|builds? (?:on|with)|written in|deployed (?:to|on|in|at)|hosted|lie[sd]? in|version)\b",
        ),
        (
            2.2,
            r"是|位于|坐落|属于|负责|依赖|包含|由.{1,20}(?:组成|维护|负责|提供|编写|开发)|叫(?:做)?|名叫|住在?|工作|有|用(?:的|了)?|使用|端口|版本|地址|电话|生日|邮箱|在.{1,20}(?:上|里|中|工作|上班|读书|部署|运行|维护)|部署在|运行在|监听|存(?:放|储)?在|支持|毕业于|来自|过敏|会说|擅长|职位|担任|等于|指的是|兼容|默认|写的|维护|管理|返回|发送|写入|读取|输出|接收|调用|提供|产生|对应|指向|连接|继承|实现|放在|装在|共享|需要|(?<![正现存实内])在(?![线乎意])",
        ),
    ),
}
_COMPILED: dict[MemoryType, tuple[Cue, ...]] = {
    kind: tuple((weight, re.compile(pattern)) for weight, pattern in rows) for kind, rows in _RAW.items()
}
# Most texts are of one script: half of the patterns can find nothing in them.
CUES_ZH = {kind: tuple(cue for cue in cues if has_han(cue[1].pattern)) for kind, cues in _COMPILED.items()}
CUES_EN = {kind: tuple(cue for cue in cues if not has_han(cue[1].pattern)) for kind, cues in _COMPILED.items()}
# How likely a statement of a type is to be useful later.
DURABILITY: dict[MemoryType, float] = {
    MemoryType.PREFERENCE: 0.95,
    MemoryType.DECISION: 0.95,
    MemoryType.CONSTRAINT: 0.95,
    MemoryType.LESSON: 0.95,
    MemoryType.SKILL: 0.9,
    MemoryType.TASK_STATE: 0.85,
    MemoryType.REFLECTION: 0.85,
    MemoryType.FACT: 0.85,
    MemoryType.EVENT: 0.85,
    MemoryType.NOTE: 0.35,
}
# Share of its durability that a type's importance starts from.
IMPORTANCE: dict[MemoryType, float] = {
    MemoryType.CONSTRAINT: 0.75,
    MemoryType.LESSON: 0.7,
    MemoryType.DECISION: 0.7,
    MemoryType.PREFERENCE: 0.65,
    MemoryType.SKILL: 0.6,
    MemoryType.REFLECTION: 0.55,
    MemoryType.FACT: 0.5,
    MemoryType.TASK_STATE: 0.5,
    MemoryType.EVENT: 0.45,
    MemoryType.NOTE: 0.3,
}

EXPLICIT = re.compile(
    r"(?:^|[.!;:,]\s*|\b(?:please|and|also|can you|could you|would you|will you|you should|i want you to|i need you to|make sure to|make sure you|to)\s+)"
    r"(?:remember(?!\s*(?:when|how (?:we|you|i)|me\b|the (?:time|day)|last|if|whether|what|where|why|who|\?|correctly|right|seeing|that time))"
    r"|(?:do not|don't|never) forget(?! me)|keep (?:this|that|it)?\s?in mind|bear in mind|memori[sz]e (?:this|that|it|the|my)|(?:make|take) a (?:mental )?note|"
    r"(?:save|store|write|put|note|record|log|keep|commit) (?:this|that|it|the following) (?:down|to (?:your )?memory|in (?:your )?memory|for (?:later|future|next time)|somewhere)|note (?:this|that|it) down|for (?:future reference|the record)|"
    r"add (?:this|that|it) to (?:your )?(?:memory|memories|notes))\b"
    r"|(?<!不)(?<!你还)(?<!还)(?:请|要|帮我|你|务必|一定要|麻烦)?(?:记住|记下(?:来)?|记好|牢记|记一下|记着|记录下来|别忘(?:了|记)?|不要忘(?:了|记)?|存(?:一下|下来|到记忆)|保存到?记忆|备忘|写(?:进|入)(?:你的)?记忆)(?!了吗|吗|没|了么)|(?:^|[，。！,!])\s*(?:请|要|你要|帮我)?记得(?!吗|那|当|上次|以前|我们|你|他|她|小时候|吧|去年)"
)
NOTED = re.compile(
    r"(?:^|[.!;]\s*)(?:please note|note that|note:|nb:|n\.b\.|fyi|important:|reminder:|heads[- ]up)|请注意|注意[:：]|重要[:：]|提醒[:：]"
)

STRONG = re.compile(
    r"\b(?:love[sd]?|hate[sd]?|adores?|detests?|loathes?|terrified|furious|thrilled|excited|devastated|heartbroken|proud|afraid|scared|angry|grateful|"
    r"favou?rite|passionate|can't stand|cannot stand|dream(?:s|ed)? of|obsessed|delighted|miserable|ecstatic|worried|anxious|desperate(?:ly)?)\b"
    r"|最爱|热爱|深爱|痛恨|恨|害怕|恐惧|激动|兴奋|难过|伤心|愤怒|生气|骄傲|自豪|感激|着迷|痴迷|受不了|非常喜欢|特别喜欢|极其|焦虑|担心"
)
MARKED = re.compile(
    r"\b(?:prefer(?:s|red)?|likes?|enjoys?|dislikes?|wants?|never|always|must(?:n't)?|important|critical|crucial|essential|urgent|absolutely|really|very|"
    r"strongly|extremely|allergic|forbidden|strictly|under no circumstances|happy|sad|upset|annoy(?:ed|ing|s)|tired of|sick of|hope[sd]?|wish(?:es)?|rather)\b|!"
    r"|喜欢|讨厌|偏好|希望|想要|必须|绝不|严禁|禁止|重要|关键|紧急|非常|特别|十分|务必|千万|过敏|一定|宁愿|开心|高兴|失望|！"
)
EN_WORD = re.compile(r"[A-Za-z][A-Za-z'\-]*")
HEDGED = re.compile(
    r"\b(?:maybe|perhaps|possibly|probably|might|i (?:think|guess|believe|suppose)|not sure|seems?|apparently|could be|presumably|allegedly|rumou?r|supposedly|as far as i know|if i recall|iirc)\b"
    r"|可能|也许|大概|或许|好像|似乎|据说|听说|应该是吧|不确定|估计|说不定|貌似"
)
STANDING = re.compile(
    r"\b(?:always|never|from now on|by default|every time|whenever|going forward|in (?:the )?future|each time|at all times|until further notice|unless|prefer|make sure|ensure|be sure to|before \w+ing|after \w+ing|in production|rather than|instead of)\b|, not\b|每次|总是|始终|以后|今后|从现在起|永远|默认|一律|从此|都要|不要再|凡是"
)
# What makes a statement of today's talk and nothing more.
FLEETING = re.compile(
    r"\b(?:just now|right now|a (?:moment|second|minute) ago|brb|in a (?:bit|minute|sec|moment)|for lunch|grab (?:a )?(?:coffee|lunch|bite)|be back|afk|typing|scrolling|refreshing|loading|heading out|logging off|call it a day)\b"
    r"|刚刚?点了?|吃饭去|去吃(?:饭|午饭|晚饭)|先下了|下线了|马上回来|待会儿?|等会儿?|一会儿"
)
# "Remember that…" in front of a statement.
REMINDER = re.compile(
    r"^(?:please |can you |could you )*(?:remember|don't forget|do not forget|note|keep in mind|bear in mind|fyi|for the record|"
    r"for future reference)(?: that| to|:|,)?\s+|^(?:请|帮我|你要|麻烦)?(?:你)?(?:记住|记下来?|记得|别忘了?|不要忘记?|注意|备忘)[:：,，]?\s*"
)
# A whole fact in two or three words: what somebody is or does, how much of a thing there is.
_IS = (
    "vegan|vegetarian|pescatarian|diabetic|c(?:o?e)liac|asthmatic|an[ae]?emic|epileptic|dyslexic|autistic|allergic|deaf|blind|"
    "colou?r-?blind|near-?sighted|far-?sighted|left-?handed|right-?handed|ambidextrous|bilingual|pregnant|married|single|"
    "divorced|separated|widowed|engaged|adopted|retired|unemployed|self-?employed|freelance|tee-?total|sober|religious|jewish|"
    "muslim|christian|catholic|protestant|orthodox|hindu|buddhist|sikh|atheist|agnostic|gay|lesbian|bisexual|trans|"
    "gluten-?free|lactose-?intolerant|kosher|halal|dead|missing|bankrupt|\\d{1,3}"
)
_DOES = "smoke|vape|drink|drive|swim|ski|surf|cycle|run|climb|dance|sing|paint|knit|garden|snore|stutter|sleepwalk|meditate|fast|pray"
_DID = "died|left|quit|resigned|retired|married|divorced|graduated|relapsed|enlisted|emigrated|defected|converted|recovered"
_AMOUNT_OF = (
    "budget|deadline|due(?: date)?|price|cost|fee|rent|salary|deposit|port|version|weight|height|age|size|limit|timeout|quota|"
    "capacity|headcount|rate|target|eta|launch|release|kick-?off|birthday|pin"
)
TERSE = re.compile(
    rf"^(?:i'm|i am|we're|we are|(?:he|she)(?:'s| is)|they're) (?:now |still |also )?(?:an? )?(?:not )?(?:{_IS})[.!]*$"
    rf"|^(?:i|we|they) (?:don't |do not |never |still |used to )?(?:{_DOES})[.!]*$"
    rf"|^(?:i|we|he|she|they) (?:{_DID})[.!]*$"
    r"|^(?:i|we|he|she|they) (?:quit|stopped|gave up) (?:smoking|drinking|gambling|driving|coffee|sugar|meat|alcohol)[.!]*$"
    rf"|^(?:the |our |my )?(?:{_AMOUNT_OF})(?: is| was|:)? [$€£¥~<>≤≥]?(?:\d|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|tomorrow|today)[^;?]{{0,40}}$"
    r"|^(?:我|我们|咱|他|她|他们|[\u4e00-\u9fff]{2,3})(?:现在|已经|一直|也|都|从不|不|早就|刚|又)*"
    r"(?:吃素|素食|信佛|信教|抽烟|吸烟|喝酒|戒烟|戒酒|戒糖|开车|健身|怀孕|流产|离职|辞职|退休|失业|创业|结婚|订婚|离婚|分手|再婚|丧偶|"
    r"去世|过世|走失|住院|出院|搬家|移民|入伍|毕业|退学|破产|近视|远视|色盲|失明|失聪|贫血|左撇子|单身|已婚|未婚|独居|糖尿病|高血压|哮喘|"
    r"是(?:素食者|左撇子|独生子女?|独生女|穆斯林|基督徒|佛教徒|单亲))(?:了|的|过敏)?[。！!.]*$"
    r"|^(?:总|总的)?(?:预算|截止(?:日期)?|工期|价格|报价|成本|费用|房租|租金|押金|首付|工资|月薪|年薪|端口|版本|体重|身高|年龄|尺寸|面积|上限|下限|"
    r"限额|超时|配额|容量|人数|名额|目标|汇率|利率|税率|生日|密级)(?:是|为|定为|定在|：|:)?[约共]?[$€£¥]?[\d一二三四五六七八九十两百千半][^，,；;？?吗呢]*$",
    re.IGNORECASE,
)
# A name and what its bearer does: "Leo smokes."; what things do ("It works") and what is said of talk is none.
TERSE_OF_NAME = re.compile(
    rf"^(?!(?:It|That|This|What|Who|Nothing|Everything|Something|Nobody|Everybody|Everyone|Someone|Time|God|Here|There|Life|Build|"
    rf"Tests?|Code|Sounds|Looks|Makes|Works|Seems|Feels|Goes|Never|Always)\b)[A-Z][a-zé]+ (?:(?:{_DOES})s|(?:{_DID})|"
    rf"(?:is|was) (?:an? )?(?:{_IS}))[.!]*$"
)
