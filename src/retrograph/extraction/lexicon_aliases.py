"""Words by which a text says that two names are one, and Chinese names as they look."""

# ruff: noqa: E501  (a row of a table reads best on one line)

from retrograph.extraction.language import HAN

WORDS_FOR_ALIAS = "又名|又称|又叫|也叫|也称|别名|别称|简称|外号|绰号|昵称|小名|乳名|花名|网名|笔名|艺名|英文名|原名|曾用名|旧称|人称|俗称|代号"
NOUNS_FOR_ALIAS = (
    "又名|别名|别称|简称|外号|绰号|昵称|小名|乳名|花名|网名|笔名|艺名|英文名|原名|曾用名|旧称|缩写|代号|俗称"
)
# Familiar and full Chinese names, told from nouns by their first character.
FAMILIAR_HAN = (
    r"(?!老[师板婆公人年外家乡爸妈大总问]|小[区学说时孩姐心组事店费吃问]|大[家会学厅楼人哥姐叔爷妈概约量问]|阿姨)"
    rf"[老小阿大][{HAN}]{{1,2}}"
)
FULL_HAN = rf"[赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦许何吕施张孔曹严华金魏陶姜戚谢邹喻苏潘葛范彭郎鲁韦马苗方俞任袁柳鲍史唐费薛雷贺倪汤罗毕郝安常于傅康伍余顾孟黄萧尹姚邵汪毛米戴宋庞熊纪舒屈项祝董梁杜阮蓝季贾路江童颜郭梅林钟徐邱高夏蔡田樊胡凌霍万卢莫丁邓洪包左石崔龚程陆翁段侯武刘叶黎白蒲赖温庄晏阎易廖曾关欧阳](?![师总哥姐叔姨爷婆董])[{HAN}]{{1,2}}"
CODE_NAME = r"(?:code[ -]?name|working title|nickname|nick|pet name)"
