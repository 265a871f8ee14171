"""Patterns of the safety screen, as tables: instructions aimed at a model, claims of authority, secrets.

Injection and authority patterns are matched on text folded by `safety.unmask` (NFKC, no zero-width characters,
look-alike letters made Latin, lower case). Secret patterns are matched on the raw text.
"""

# ruff: noqa: E501  (a row of a table reads best on one line)

import re

_VERB = r"(?:ignor\w*|disregard\w*|forget\w*|overrid\w*|overwrite|bypass\w*|discard|neglect|skip|drop|do not (?:follow|obey)|don't (?:follow|obey)|stop (?:following|obeying))"
_OLD = r"(?:all|any|every|each|previous\w*|prior|preceding|above|earlier|foregoing|former|initial|original|existing|current|system|safety|developer|your|my|the|these|those|of|other|default|built-in|and|content|hidden|what(?:ever)?|everything)"
_RULES = r"(?:instruction|prompt|rule|guideline|directive|direction|command|order|polic(?:y|ie)|constraint|restriction|guardrail|safeguard|programming|training|context|persona|filter)s?"

INJECTION_EN: tuple[tuple[str, str], ...] = (
    (
        "overrides instructions",
        rf"\b(?:pay no (?:attention|heed) to|set aside|put aside|cast aside|throw (?:away|out)|do away with|erase|wipe|let go of|no longer (?:follow|obey)|never mind|turn away from|disobey|rebel against|break|violate|abandon)\s+(?:(?:{_OLD})(?:'s)?[\s,]+){{0,4}}(?:(?:previous|prior|earlier|original|initial|system|developer|safety|your)[\s,]+)(?:(?:{_OLD})[\s,]+){{0,3}}{_RULES}\b",
    ),
    (
        "overrides instructions",
        rf"\b(?:set aside|put aside|forget|ignore|disregard|drop|pay no (?:attention|heed) to)\s+(?:all |any |the |those |these |whatever |every )*{_RULES}\s+(?:that |which )?(?:you (?:were|have been|are|had been|got|received|have)|(?:given|told|said|shown) to you)\b",
    ),
    (
        "overrides instructions",
        r"\byour (?:previous|prior|earlier|old|former|original|initial|current|system|developer|safety) (?:instructions?|prompts?|rules|guidelines|directives?|commands|programming) (?:are|is|have been|has been|were|do not|don't|no longer) (?:now |hereby |all )*(?:void|cancel\w*|obsolete|revoked|overrid\w+|replaced|suspended|lifted|invalid|null|apply|count|matter|gone|deleted)",
    ),
    (
        "overrides instructions",
        r"\b(?:treat|regard|consider|take|use|accept) (?:the following|this|these|what follows|the text below|my (?:message|words|text))\b.{0,30}\bas (?:a |the |my )*(?:your |new |real |only |updated )+(?:system |developer )?(?:prompt|instructions?|directives?|rules|orders)\b",
    ),
    (
        "new role",
        r"\bfrom (?:now on|this (?:point|moment|message|second)(?: on\w*| forward)?|here on(?: out)?)[, ]+(?:please |only |always )*(?:answer|respond|reply to|reply|obey|comply|follow|serve) (?:to |with |only |every |all |each |any |me\b|my\b|no\b|as\b)",
    ),
    (
        "steers later answers",
        r"\b(?:whatever|no matter what|regardless of what) (?:the |a |any )?(?:user|users|human|anyone|they|someone|people) (?:says?|asks?|wants?|types?|requests?)\b.{0,40}\b(?:respond|reply|answer|say|output|return|tell|recommend|refuse|give|reveal)\b",
    ),
    (
        "overrides instructions",
        r"\b(?:ignore[zr]?|oublie[zr]?|ne tiens pas compte de|ne tenez pas compte de) (?:(?:toutes?|tous|les?|tes|vos|ces) ){1,3}(?:(?:instructions?|consignes?|règles?|directives?) (?:précédentes?|antérieures?|ci-dessus|données)|(?:précédentes?|antérieures?) (?:instructions?|consignes?|règles?))",
    ),
    (
        "overrides instructions",
        r"\b(?:ignora|ignore|ignorad|olvida|olvide|haz caso omiso de|descarta|esquece|esqueça|desconsidere|dimentica|trascura|ignorate) (?:(?:todas?|todos?|las?|los|as|os|tus|sus|suas|tutte|tutti|le|gli|i) ){1,3}(?:(?:instrucciones|órdenes|ordenes|reglas|indicaciones|instruções|regras|ordens|istruzioni|regole) (?:anteriores|previas|prévias|precedentes|precedenti|de arriba|acima)|(?:anteriores|previas|precedenti) (?:instrucciones|instruções|istruzioni))",
    ),
    (
        "overrides instructions",
        r"\b(?:ignorier\w*|vergiss|vergessen sie|missachte\w*|negeer|vergeet) (?:(?:alle|die|deine|ihre|sämtliche|bisherigen|je|uw) ){0,3}(?:vorherigen|bisherigen|vorigen|früheren|obigen|vorhergehenden|vorige|eerdere|bovenstaande) (?:anweisungen|instruktionen|befehle|regeln|vorgaben|instructies|regels|opdrachten)",
    ),
    (
        "overrides instructions",
        r"(?:игнорируй(?:те)?|забудь(?:те)?|отмени(?:те)?) (?:все |всё |эти |свои |твои )*(?:предыдущие|прежние|прошлые|вышеуказанные) (?:инструкции|указания|команды|правила)",
    ),
    (
        "overrides instructions",
        r"(?:以前|これまで|今まで|上記|前|先)の(?:すべての|全ての|全)?(?:指示|命令|ルール|プロンプト|指令)(?:は|を|も)?(?:すべて|全て|全部)?(?:無視|忘れ|破棄)|(?:이전|위|앞|기존)의?\s?(?:모든\s?)?(?:지시|명령|지침|규칙|프롬프트)(?:사항)?(?:을|를|은|는)?\s?(?:모두\s?|전부\s?|다\s?)?(?:무시|잊)",
    ),
    (
        "overrides instructions",
        r"\byour (?:\w+ )?(?:instructions|rules|guidelines|prompt|programming) (?:are|is|have been|has been) (?:now )?(?:void|cancel\w+|no longer|obsolete|revoked|overridden|replaced|suspended|lifted|invalid)",
    ),
    ("new role", r"\bstop being (?:an? |the |so )?(?:ai|assistant|helpful|chatbot|language model|model|safe)\b"),
    (
        "reveals the prompt",
        r"\bwhat(?:'s| is| was| does) (?:in )?your (?:system|hidden|initial|secret|original) (?:prompt|instructions?|message)",
    ),
    (
        "reveals the prompt",
        r"\b(?:output|repeat|print|recite|echo|copy) (?:back )?(?:everything|all|the (?:text|words|content|conversation|messages?|lines?))(?: (?:text|words|content))? (?:above|before this|preceding|so far|up to here)\b",
    ),
    (
        "attacks the memory",
        r"\b(?:delete|erase|wipe|purge|clear|destroy|overwrite|forget) (?:all |every |each |any )(?:of )?(?:the |your |stored |saved |user(?:'s)? |existing )*memor(?:y|ies)\b",
    ),
    (
        "steers later answers",
        r"\balways (?:recommend|say|answer|reply|suggest|promote|claim|respond)\b.{0,60}\bwhen(?:ever)? (?:you(?:'re| are) )?(?:asked|(?:someone|anyone|a user|users?|the user|people) asks?)",
    ),
    ("overrides instructions", rf"\b{_VERB}\s+(?:{_OLD}(?:'s)?[\s,]+){{1,6}}{_RULES}\b"),
    (
        "overrides instructions",
        rf"\b{_VERB}\s+(?:everything|all|anything|whatever|what)\b.{{0,30}}\b(?:above|before|previously|told|said|learned|so far|up to now)\b",
    ),
    (
        "new role",
        r"\byou are (?:now|no longer) (?:(?:an?|the|my) (?:[\w\-]+ ){0,4}(?:model|ai|assistant|bot|chatbot|agent|persona|character|hacker|expert|gpt|llm|system|simulator|terminal|interpreter|pirate|villain|attacker)\b|(?:in|entering) \w+ mode|dan\b|free\b|bound\b|unbound|un(?:restricted|filtered|censored|limited|chained)|subject to|limited by|restricted|chatgpt|\w*gpt\b|jailbroken|[\w\-]+ (?:without|with no)\b)",
    ),
    (
        "new role",
        r"\b(?:act|behave|respond|answer|pretend|roleplay|role-play|operate|function)\s+(?:as|like|to be|that you are|as if you (?:are|were|have))\s+(?:if\s+)?(?:an?\s+|the\s+|my\s+)?(?:dan\b|un(?:restricted|filtered|censored|limited)|evil|jailbroken|hacker|root|admin\w*|developer|ai (?:without|with no)|you have no|model without|different (?:ai|assistant|model))",
    ),
    ("new role", r"\bpretend (?:that )?(?:you (?:have no|are not|aren't|can do|don't have)|there are no)\b"),
    (
        "new role",
        r"\bfrom (?:now on|this (?:point|moment|message)(?: on\w*| forward)?)[, ]+(?:you|the (?:assistant|model|ai|agent))\s+(?:must|will|shall|should|are|only|always|never|have to|need to|can|may)\b",
    ),
    (
        "reveals the prompt",
        r"\b(?:reveal|print|show|display|output|repeat|leak|expose|disclose|dump|tell me|give me|share|recite|return|write out|copy|paste|send|echo|summari[sz]e)\b.{0,40}\b(?:(?:system|hidden|initial|secret|original|developer|internal|above|full)\s+(?:prompt|instruction|message|rule|guideline|directive)s?|(?:your (?:prompt|instructions|guidelines|training data|rules)|(?:your|the) (?:system message|system prompt))\b)",
    ),
    (
        "reveals the prompt",
        r"\bwhat (?:is|are|were) your (?:system |initial |hidden |original |secret )+(?:prompt|instruction|rule|message)s?",
    ),
    (
        "forged header",
        r"(?:^|\n)\s*(?:#+\s*|\[|<\|?|\*\*)?\s*(?:new |updated |real |actual |important |urgent )*(?:system|developer|admin\w*)(?:\s+(?:prompt|message|instruction|override|note|notice|update|command)s?)?(?:\]|\|?>|\*\*)?\s*[:：]\s*(?:you|ignore|forget|disregard|from now|always|never|do not|the assistant|override|new|reveal|all|delete|send|respond|execute|grant|assistant|disable|enable|act)\b",
    ),
    (
        "forged header",
        r"<\|(?:im_start|im_end|system|endoftext|user|assistant|eot_id|start_header_id)\|>|\[/?inst\]|<</?sys>>|\bbegin (?:new )?system (?:prompt|message)\b|</?(?:system|system_prompt|instructions?)>",
    ),
    (
        "forged header",
        r"\b(?:new|updated|real|important|additional|following|override|secret) (?:system )?(?:instruction|directive)s?(?: for (?:the |you|this )?(?:ai|assistant|model|agent|llm)?)?\s*[:：]",
    ),
    (
        "unlocks the model",
        r"\b(?:(?<!phone )(?<!tablet )jail-?br(?:eak|oke)\w*(?!.{0,30}\b(?:iphones?|ipads?|ios|androids?|phones?|consoles?|kindles?|apps?|firmware)\b)|do anything now|dan mode|(?:enable|enter|activate|switch to|turn on) (?:god|developer|debug|sudo|admin|maintenance|unrestricted|unsafe) mode|(?:without|no) (?:any )?(?:restrictions?|filters?|safety|guardrails|limitations?|censorship) (?:whatsoever|apply|applies|anymore|and))\b",
    ),
    (
        "unlocks the model",
        r"\b(?:disable|turn off|remove|deactivate|switch off|circumvent|evade) (?:all |any |your |the |its )*(?:safety|content|security|moderation|ethic\w*) (?:filter|check|rule|guard\w*|polic\w+|setting|mechanism|protocol|measure|guideline|restriction|layer)s?",
    ),
    (
        "hides from the user",
        r"\b(?:do not|don't|never|without) (?:tell\w*|inform\w*|mention\w* (?:this |it )?to|alert\w*|notify\w*|warn\w*|let\w*|show\w* (?:this |it )?to|reveal\w* (?:this |it )?to|ask\w*) (?:the )?(?:user|human|operator|anyone|owner|administrator)s?\b(?!\s+(?:their|his|her|raw|internal|stack|technical|low-level|debug|an? (?:raw|stack|technical|generic|error))\b)",
    ),
    (
        "sends data away",
        r"\b(?:send|post|upload|forward|exfiltrate|transmit|email|leak|submit|append|copy)\b.{0,60}\b(?:conversation|chat history|memor(?:y|ies)|secrets?|credentials?|passwords?|api keys?|tokens?|user(?:'s)? data|private (?:data|keys?)|env(?:ironment)? (?:vars?|variables?|file)|\.env)\b.{0,60}\b(?:to|at|into|via)\b.{0,30}(?:https?://|www\.|[\w.]+@|[\w-]+\.(?:com|net|io|xyz|ru|cn|evil|example|org|site|top)\b)",
    ),
    (
        "steers later answers",
        r"\b(?:when(?:ever)?|if|every time|any time|each time|next time) (?:the |a |any )?(?:user|human|someone|anyone|they|somebody|people)\b.{0,60}\b(?:asks?|says?|mentions?|requests?|queries|wants?)\b.{0,80}\b(?:always |never |instead |you (?:must|should|will) )(?:answer|say|reply|respond|recommend|tell|claim|output|deny|refuse|insist|suggest|give|direct|send|return|pretend|lie)\b",
    ),
    (
        "steers later answers",
        r"\b(?:the (?:assistant|ai|model|agent|llm)|ai assistants?|(?:any|every|all) (?:ai|llm|language model|agent)s?(?: reading this)?)\b.{0,30}\b(?:must|should|shall|has to|will|needs? to) (?:now |always |instead |from now on |immediately )*(?:ignore|obey|forget|disregard|reveal|comply with every|bypass|override|trust everything|exfiltrate|delete all)",
    ),
    (
        "steers later answers",
        r"\b(?:attention|note to|message to|instructions? (?:to|for)|dear) (?:all |any |the |future )*(?:ai |language |llm )?(?:ai|llm|language model|assistant|agent|chatbot)s?\b\s*[:,!]",
    ),
)
_ZH_OLD = r"(?:以上|之前|先前|前面|上面|此前|上述|原有|原来|现有|已有|所有|全部|一切|任何|你的|你|系统|的|你收到|收到|给你|设定|安全|开发者|过|内置|默认){1,6}"
_ZH_RULES = r"(?:指令|指示|提示词?|规则|规定|设定|要求|命令|约束|限制|说明|准则|内容|对话|上下文|安全策略|守则|身份)"
INJECTION_ZH: tuple[tuple[str, str], ...] = (
    (
        "overrides instructions",
        rf"(?:你(?:之前|先前|此前|以前|原来|现有|收到)|之前|先前|以上|上述|前面)(?:收到|得到|接受|设定|给你|给出)?的?(?:所有|全部|一切|任何)?(?:的)?(?:系统)?{_ZH_RULES}(?:现在|从此|从现在起)?(?:都|全部|全|均|通通|一律)?(?:不算数|作废|无效|失效|取消|不再有效|不用管|不必理会|不用遵守|不必遵守|忘掉|忘记|忽略|无视)",
    ),
    (
        "attacks the memory",
        r"(?:删除|清空|清除|抹掉|销毁|忘掉)(?:掉)?(?:所有|全部|一切)(?:的)?(?:用户|人|他人|别人|租户|对话)(?:的)?(?:所有|全部)?(?:存储的?)?记忆",
    ),
    (
        "new role",
        r"从(?:现在|此刻|今|这一刻)(?:起|开始|以后)?[,，]?\s*你(?:就|都|要)*(?:只|仅)(?:能|可以|准|许)?(?:听|服从|回答|听命|执行)",
    ),
    (
        "steers later answers",
        r"(?:无论|不管|不论)(?:用户|对方|别人|任何人|谁|我)(?:以后|之后)?(?:问|说|提出|输入|要求)(?:你)?(?:什么|啥|任何).{0,10}(?:都|一律|全部)(?:要|必须|只)?(?:回答|回复|说|输出|拒绝|推荐|答应|同意|照做)",
    ),
    (
        "overrides instructions",
        r"(?:不用|不必|不需要|无需|不再需要|别再|停止)(?:再)?(?:遵守|遵循|理会|服从|执行)(?:以上|之前|先前|前面|上面|所有|全部|任何|你的|系统|开发者|安全|的){1,6}(?:指令|指示|提示词?|规则|设定|要求|准则|限制)",
    ),
    (
        "reveals the prompt",
        r"(?:把|将)(?:上面|以上|前面|之前)(?:的)?(?:所有|全部|一切)?(?:内容|文字|对话|文本|指令|提示词?)?(?:都)?(?:原样|逐字|完整|一字不差)?(?:地)?(?:输出|复述|重复|打印|发出来)",
    ),
    (
        "attacks the memory",
        r"(?:删除|清空|清除|抹掉|销毁|忘掉)(?:掉)?(?:所有|全部|一切|用户的?|你的?)(?:的)?(?:存储的?)?记忆",
    ),
    ("new role", r"(?:假装|假设|想象)(?:自己|你)?(?:是|为)(?:一个|一名)?(?:没有|不受|无)(?:任何)?(?:限制|约束|审查)"),
    (
        "overrides instructions",
        rf"(?:忽略|无视|忘记|忘掉|忘了|不要理会|不要遵守|不再遵守|停止遵守|抛开|抛弃|放弃|跳过|绕过|覆盖|推翻|丢弃|别管|不用管|清除){_ZH_OLD}{_ZH_RULES}",
    ),
    (
        "overrides instructions",
        r"(?:ignore|disregard|forget|bypass|忽略|无视|忘记|忘掉|绕过)\s*(?:all|any|previous|prior|above|your|the|system|以上|之前|先前|前面|上面|所有|全部|一切|你的|的|\s){1,8}(?:instruction|prompt|rule|guideline|restriction|指令|指示|提示词?|规则|设定|限制)",
    ),
    (
        "overrides instructions",
        r"(?:忽略|无视|忘记|忘掉|不要理会)(?:掉)?(?:以上|之前|上面|前面|先前)(?:的)?(?:一切|所有|全部|说的|的话)",
    ),
    (
        "new role",
        r"你现在(?:开始)?(?:就)?(?:是(?:一个|一名|一位|一只|dan|\w*gpt|不受|没有|越狱|黑客|管理员)|扮演|不再(?:是|受|遵)|不受|没有(?:任何)?限制|处于|已?进入)|从(?:现在|此刻|今)(?:起|开始|以后)?[,，]?\s*你(?:就|都|要)*(?:是|扮演|必须|将|不再|只能|不受|没有|处于|进入|听|服从)",
    ),
    (
        "new role",
        r"(?:请|你)?(?:扮演|假装|伪装成?|充当|模拟)(?:自己|你)?(?:是|成|为)?(?:一个|一名|没有|不受|任何|无)?.{0,8}(?:限制|约束|审查|过滤|黑客|管理员|越狱|root|dan|开发者模式)",
    ),
    (
        "reveals the prompt",
        r"(?:输出|泄露|泄漏|透露|告诉我|显示|打印|展示|重复|复述|公开|给我看|说出|写出|发送|返回).{0,12}(?:系统提示词?|系统指令|初始提示词?|隐藏(?:的)?(?:提示|指令|规则)|内部(?:指令|规则|提示)|你的(?:提示词|指令|系统|设定|规则)|提示词)",
    ),
    (
        "reveals the prompt",
        r"(?:系统提示词?|初始指令|隐藏指令|内部指令|你的提示词).{0,6}(?:是什么|发给我|告诉我|打印出来|输出|全文|原文|公开)",
    ),
    (
        "forged header",
        r"(?:^|\n)\s*[\[【]?(?:系统|开发者|管理员)(?:消息|指令|提示|通知|命令)?[\]】]?\s*[:：]\s*(?:你|忽略|无视|从现在|请|必须|不要|立即|新|解除|授予|执行)",
    ),
    ("forged header", r"(?:新的?|更新后?的|最新|真正的|追加)(?:系统)?(?:指令|指示|命令)\s*[:：]"),
    (
        "unlocks the model",
        r"(?:越狱|开发者模式|上帝模式|无限制模式|调试模式|管理员模式)(?!在?(?:我|你|他|她)?的?(?:手机|平板|浏览器|电视|设置|安卓|电脑)).{0,6}(?:已?开启|已?启用|已?激活|进入|模式)|(?:进入|开启|启用|激活|切换到).{0,4}(?:越狱|开发者|上帝|无限制|不受限|管理员)模式",
    ),
    (
        "unlocks the model",
        r"(?:关闭|禁用|解除|绕过|去掉|移除|取消)(?:所有|全部|你的|一切|任何|的)*(?:安全|内容|道德|审查|伦理)(?:过滤|限制|检查|策略|机制|规则|审核|约束)",
    ),
    (
        "hides from the user",
        r"(?:不要|别|切勿|禁止|不得|无需|不用|不准)(?:告诉|告知|提醒|通知|询问|让|警告|透露给|提示)(?:用户|任何人|对方|他们|主人|管理员)",
    ),
    (
        "sends data away",
        r"(?:发送|上传|转发|提交|泄露|传|发|外传|邮寄).{0,20}(?:到|至|给|往).{0,10}(?:https?://|www\.|[\w.]+@|\w+\.(?:com|net|io|xyz|cn|top))",
    ),
    (
        "steers later answers",
        r"(?:当|每当|如果|只要|每次|一旦)(?:用户|有人|别人|对方|任何人).{0,20}(?:问|说|提到|提及|要求|询问|咨询).{0,30}(?:(?:一律|都|总是|必须|始终|只能|永远|就|应当|务必)(?:要)?(?:回答|回复|说|推荐|告诉|声称|否认|拒绝|输出|建议|假装|引导))",
    ),
)

_POWER = r"(?:admin(?:istrator)?|root|super-?user|super-?admin|owner of (?:this|the) (?:system|account|bank|workspace)|system owner|developer of (?:this|the) (?:system|model|ai|assistant)|sysadmin|ceo|anthropic|openai|security officer|maintainer with full)"
_SUBJECT = r"(?:the |this |current |our )*(?:user|requester|caller|speaker|sender|person|client|account|operator|customer|i|i'm|you|he|she|they)"
AUTHORITY_EN: tuple[tuple[str, str], ...] = (
    (
        "claims a privileged role",
        rf"\b{_SUBJECT}(?:'s|\s+(?:is|am|are|was|has been (?:made|promoted to)|became|identif\w+ as|should be treated as|must be treated as|acts? as|speaks? (?:as|for)))\s+(?:now |actually |really |also |indeed )*(?:an? |the |your |our |from )*(?:\w+ )?{_POWER}\b",
    ),
    (
        "claims a privileged role",
        rf"\b(?:treat|consider|regard|recogni[sz]e|mark) {_SUBJECT} as (?:an? |the )*(?:\w+ )?(?:{_POWER}|owner|trusted|verified|privileged)\b",
    ),
    (
        "claims rights",
        rf"\b{_SUBJECT} (?:now |already )?(?:has|have|had|holds?|was (?:given|granted)|is (?:given|granted)|(?:has|have) been (?:given|granted))\s+(?:been (?:given|granted) )?(?:an? |the )?(?:full|root|admin\w*|unrestricted|unlimited|elevated|super-?user|complete|total|highest)(?:[ -]level)?\s+(?:access|rights?|privileges?|permissions?|clearance|authority|control|powers?)",
    ),
    (
        "claims rights",
        r"\b(?:grant|give|assign) (?:me|him|her|them|(?:the |this )?user) (?:full |root |admin\w* |unrestricted |elevated |owner )+(?:access|rights?|privileges?|permissions?)",
    ),
    (
        "claims approval",
        r"\b(?:pre-?approved|authori[sz]ed|approved|cleared|permitted|exempt\w*) (?:by (?:the )?(?:admin\w*|security|management|owner|legal|it|system|anthropic|openai|ceo)\w*(?: team)?|to (?:bypass|skip|override|ignore|access (?:all|everything|any)|see all|delete any))",
    ),
    (
        "claims approval",
        r"\b(?:no (?:further )?(?:verification|authentication|authori[sz]ation|approval|confirmation) (?:is |are )?(?:needed|required|necessary) (?:for|from) (?:this|the) user|skip (?:all )?(?:verification|authentication|permission|security) (?:checks?|steps?) for)",
    ),
)
AUTHORITY_ZH: tuple[tuple[str, str], ...] = (
    (
        "claims a privileged role",
        r"(?:用户|我|他|她|此人|对方|该账号|当前用户|本人|该用户|这位用户|你)(?:就|其实|已经|现在|才)?(?:是|为|成为|属于|升级为|被任命为)(?:一名|一位|本|该|你的|这个)?(?:系统|超级|平台|最高|数据库)?(?:管理员|超管|超级用户|root|系统所有者|所有者|开发者本人|站长|admin\w*)",
    ),
    (
        "claims rights",
        r"(?:用户|我|他|她|此人|该账号|当前用户|本人|该用户)?(?:拥有|具有|具备|获得|享有|已获|被授予|有)(?:了)?(?:最高|全部|所有|完全|管理员|超级|root|无限制?|不受限制的?|系统级?)(?:的)?(?:管理)?(?:权限|访问权|授权|控制权|权力)",
    ),
    (
        "claims approval",
        r"(?:已经?|均已)(?:获得|得到|经过?|由|被)(?:管理员|安全团队|管理层|系统|老板|官方|上级|法务)(?:的)?(?:批准|授权|同意|许可|审批|豁免)|(?:无需|不需要|跳过|免除)(?:任何|进一步|再次|所有)?(?:的)?(?:验证|身份验证|授权|审批|权限检查|确认身份)",
    ),
    (
        "claims rights",
        r"(?:授予|赋予|给)(?:我|他|她|该?用户|此人)(?:以)?(?:管理员|最高|全部|所有|root|超级|完全)(?:的)?(?:权限|访问权|权力)",
    ),
)

# Formats that their issuers publish; each is anchored on a prefix, so that a hash or a UUID cannot match.
_EDGE = r"(?<![A-Za-z0-9_\-/+.])"
SECRET_FORMATS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("private key", r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"),
        ("AWS access key", _EDGE + r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])"),
        ("GitHub token", _EDGE + r"(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{60,255})"),
        ("GitLab token", _EDGE + r"gl(?:pat|dt|ptt|rt|oas|cbt|soat|ft|agent|imt)-[A-Za-z0-9_\-]{20,64}"),
        ("Slack token", _EDGE + r"xox[abeoprs]-[A-Za-z0-9-]{10,}|" + _EDGE + r"xapp-\d-[A-Za-z0-9-]{10,}"),
        (
            "Slack webhook",
            r"https://hooks\.slack\.com/(?:services|workflows)/T[A-Z0-9]{6,}/[A-Z0-9]{6,}/[A-Za-z0-9]{16,}",
        ),
        ("Stripe key", _EDGE + r"(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}|" + _EDGE + r"whsec_[A-Za-z0-9]{24,}"),
        (
            "OpenAI or Anthropic key",
            _EDGE + r"sk-(?:proj-|ant-|svcacct-|or-v1-|admin-)?[A-Za-z0-9_\-]{20,}(?![A-Za-z0-9])",
        ),
        ("Google API key", _EDGE + r"AIza[A-Za-z0-9_\-]{35}(?![A-Za-z0-9_\-])"),
        (
            "Google OAuth secret",
            _EDGE + r"(?:GOCSPX-[A-Za-z0-9_\-]{28}|ya29\.[A-Za-z0-9_\-]{20,}|1//0[A-Za-z0-9_\-]{30,})",
        ),
        ("Hugging Face token", _EDGE + r"hf_[A-Za-z]{30,40}(?![A-Za-z0-9])"),
        ("PyPI token", r"pypi-AgE[A-Za-z0-9_\-]{40,}"),
        ("npm token", _EDGE + r"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
        ("SendGrid key", _EDGE + r"SG\.[A-Za-z0-9_\-]{16,32}\.[A-Za-z0-9_\-]{16,64}"),
        ("Twilio key", _EDGE + r"SK[0-9a-f]{32}(?![0-9A-Za-z])"),
        ("Telegram bot token", _EDGE + r"\d{8,10}:AA[A-Za-z0-9_\-]{32,33}(?![A-Za-z0-9_\-])"),
        ("DigitalOcean token", _EDGE + r"do[por]_v1_[a-f0-9]{64}"),
        ("Databricks token", _EDGE + r"dapi[a-f0-9]{32}(?:-\d)?(?![0-9A-Za-z])"),
        ("Shopify token", _EDGE + r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
        ("Vault token", _EDGE + r"hv[sbr]\.[A-Za-z0-9_\-]{20,}"),
        ("Alibaba Cloud key", _EDGE + r"LTAI[A-Za-z0-9]{12,24}(?![A-Za-z0-9])"),
        ("Tencent Cloud key", _EDGE + r"AKID[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
        ("Age key", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
        ("Azure storage key", r"(?i:AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{40,}={0,2}"),
        ("JSON web token", _EDGE + r"eyJ[A-Za-z0-9_\-]{8,}\.eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}"),
        (
            "password in a URL",
            r"\b[a-z][a-z0-9+.\-]{1,20}://[^\s:/@'\"<>]{1,80}:(?!(?:\*+|x+|<[^>]*>|\$\{?\w+\}?|\{\{?[^}]*\}?\}|%s|pass(?:word)?|password|secret|pwd|changeme|example)@)[^\s:/@'\"<>]{3,}@[\w.\-]+",
        ),
    )
)
# A name that announces a secret, then a value; the value must look like one (see `safety._looks_secret`).
SECRET_ASSIGNMENT = re.compile(
    r"""(?P<name>(?:(?:api[_\- ]?key|secret(?:[_\- ]?(?:access[_\- ]?)?key)?|access[_\- ]?key|auth[_\- ]?token|access[_\- ]?token|
        refresh[_\- ]?token|bearer[_\- ]?token|(?<![A-Za-z])token(?!iz|is)|(?<![A-Za-z])pass(?![A-Za-z])|passw(?:or)?d|passphrase|passcode|(?<![A-Za-z])pwd|(?<![A-Za-z])pin(?![A-Za-z])|private[_\- ]?key|client[_\- ]?secret|encryption[_\- ]?key|signing[_\- ]?key|credentials?)
        [A-Za-z0-9_]{0,40})|密码|口令|密钥|令牌|私钥|访问密钥|验证码)
        ["']?(?:\s+(?:for|of|to|on)\s+[\w .'\-]{1,30}?)?\s*(?P<by>[:=：]|:=|=>|\bis\b|\bwas\b|\bto\b|是|为|改成|设为)\s*["'`“]?(?P<value>[^\s"'`”，。；,;<>]{4,})["'`”]?""",
    re.VERBOSE | re.IGNORECASE,
)
BEARER = re.compile(r"\b(?:Bearer|Basic|Token)\s+(?P<value>[A-Za-z0-9+/_\-.=]{16,})", re.IGNORECASE)
# "login: bob / Gf7$kk21".
LOGIN_PAIR = re.compile(
    r"(?:\b(?:credentials?|creds|log-?in|account)\b|账号密码|账号|账户|登录|登陆)(?:\s+(?:is|are|for [\w .-]{1,20}?)|是|为)?\s*[:：]?\s*[\w.@-]{2,40}\s?/\s?(?P<value>[^\s/，。；]{6,40})(?![/\w])",
    re.IGNORECASE,
)
CARD = re.compile(r"(?<![\w.\-])(?:\d[ -]?){12,18}\d(?![\w\-]|\.\d)")
CARD_PREFIX = re.compile(
    r"^(?:4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11,14}|6(?:011|5\d\d|4[4-9]\d)\d{12,15}|35\d{14}|62\d{14,17})$"
)
PLACEHOLDER = re.compile(
    r"""^(?:[<{\[$%(].*|.*[>}\])]$|(.)\1*$|(?:your|my|the|our|some|a|an|example|sample|dummy|fake|test|todo|changeme|redacted|hidden|
        none|null|nil|true|false|undefined|required|optional|expired|invalid|missing|wrong|empty|set|unset|stored|
        rotated|revoked|env|os|process|config|settings|self|vault|kept|read|being|not|in|from)(?:$|[_\-.(\[/].*)|\w+\(.*|x{3,}.*|\*+.*|\.{3,}.*|
        [a-z_]+(?:\.[a-z_]+)+(?:\(.*)?|--?[a-z].*|/.*|https?:.*)$""",
    re.VERBOSE | re.IGNORECASE,
)
LOOKALIKES = str.maketrans(
    "аеорсухіјѕԁɡһпкмтвАЕОРСУХІЈЅКМТВНοαεικνρτυχΟΑΕΙΚΝΡΤΥΧ", "aeopcyxijsdghnkmtbAEOPCYXIJSKMTBHoaeiknptuxOAEIKNPTYX"
)
LETTERS_OF_DIGITS = str.maketrans("01345@$", "oieasas")
INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)
