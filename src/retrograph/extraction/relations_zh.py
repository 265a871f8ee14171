"""Chinese relations: patterns over the tagger's words, clause by clause.

Lighter than the English reader: a closed list of verbs and frames. Conditions, questions and plans are passed
over.
"""

import re
from collections.abc import Sequence

from retrograph.extraction.clauses_zh import PARTICLES, Clause, Noun, clauses
from retrograph.extraction.entities_zh import Word
from retrograph.extraction.identifiers import NOUN_WEIGHT, Span
from retrograph.extraction.language import word_set
from retrograph.extraction.relations import Reading
from retrograph.extraction.vocabulary import (
    CHINESE_ATTRIBUTES,
    CHINESE_GENERIC,
    CHINESE_VERBS,
    PROMOTING,
    TASTE,
    is_generic,
)
from retrograph.models import EntityType, RelationMention

_UNSURE = word_set(
    "如果 要是 假如 假设 倘若 可能 也许 大概 或许 打算 希望 计划 准备 是否 吗 应该 能不能 要不要 考虑 想 "
    "想要 将 将要 即将 建议 谁 什么 哪 哪里 哪个 为什么 怎么 几 多少 听说 以为 觉得 据说 曾经 曾 以前 呢 "
    "最好 必须 当 只要 除非 一旦"
)
_NEGATORS = word_set("不 没 没有 别 未 不再 从不 并不 并没有 从来不 绝不 不太 不怎么")
_ATTRIBUTE_NAMES = {
    "经理": "manager", "上司": "manager", "老板": "boss", "负责人": "lead", "技术负责人": "tech_lead",
    "主管": "supervisor", "创始人": "founder", "导师": "mentor", "老师": "teacher", "教练": "coach",
    "医生": "doctor", "妈妈": "mother", "母亲": "mother", "爸爸": "father", "父亲": "father",
    "妻子": "wife", "老婆": "wife", "太太": "wife", "丈夫": "husband", "老公": "husband", "哥哥": "brother",
    "弟弟": "brother", "姐姐": "sister", "妹妹": "sister", "儿子": "son", "女儿": "daughter",
    "朋友": "friend", "男朋友": "boyfriend", "女朋友": "girlfriend", "同事": "colleague",
    "室友": "roommate", "邻居": "neighbor", "首都": "capital", "总部": "headquarters", "生日": "birthday",
    "地址": "address", "邮箱": "email", "电话": "phone", "预算": "budget", "价格": "price", "成本": "cost",
    "工资": "salary", "房租": "rent", "端口": "port", "版本": "version", "截止日期": "deadline",
    "截止时间": "deadline", "颜色": "color", "状态": "status", "职位": "job", "年龄": "age", "剂量": "dose",
    "家乡": "hometown", "母语": "language", "爱好": "hobby", "CEO": "ceo", "CTO": "cto", "CFO": "cfo",
    "项目经理": "project_manager", "产品经理": "product_manager",
}  # fmt: skip
_IN_FRAMES = {
    "工作": "works_at", "上班": "works_at", "任职": "works_at", "就职": "works_at", "实习": "works_at",
    "住": "lives_in", "居住": "lives_in", "定居": "lives_in", "生活": "lives_in", "读书": "studies_at",
    "上学": "studies_at", "念书": "studies_at", "读大学": "studies_at", "就读": "studies_at",
    "运行": "runs_on", "当医生": "works_at", "教书": "works_at",
}  # fmt: skip
_BY_FRAMES = {
    "引起": "causes", "导致": "causes", "造成": "causes", "引发": "causes", "带领": "manages",
    "牵头": "manages", "负责": "responsible_for", "管理": "manages", "主管": "manages", "维护": "maintains",
    "开发": "created", "设计": "created", "创办": "founded", "创立": "founded", "创建": "created",
    "编写": "created", "收购": "acquired", "主持": "manages", "领导": "manages",
}  # fmt: skip
_SURE, _FAIR = 0.85, 0.7
# Only people, or what carries a name, can be the subject of these.
_OF_PEOPLE = TASTE | frozenset(
    {"studies_at", "works_at", "works_in", "lives_in", "graduated_from", "speaks", "knows", "good_at"}
)


def chinese_relations(words: Sequence[Word], spans: Sequence[Span], *, speaker: str | None = None) -> list[Reading]:
    """Relations of a tagged Chinese sentence.

    Args:
        words: From `entities_zh.words_of`.
        spans: The entities found in it; subjects and objects take their names.
        speaker: Who says it: the subject of 我; without one it is `user`.

    Returns:
        Relations in the order of the text, each once.
    """
    if any(word.text in {"？", "?", "吗", "呢"} for word in words[-3:]):
        return []
    seen: dict[tuple[str, str, str, bool], Reading] = {}
    inherited: list[Noun] = []
    for part in clauses(words):
        clause = Clause(part, spans, speaker)
        if _UNSURE & set(clause.texts):
            inherited = clause.subjects(len(part)) or inherited
            if {"如果", "要是", "假如", "只要", "一旦", "除非"} & set(clause.texts):
                return list(seen.values())
            continue
        subjects, readings = _read(clause, inherited)
        inherited = subjects or inherited
        for reading in readings:
            relation = reading.relation
            seen.setdefault((relation.subject, relation.predicate, relation.object, relation.negated), reading)
    return list(seen.values())


def _read(clause: Clause, inherited: list[Noun]) -> tuple[list[Noun], list[Reading]]:
    for frame in (_favourite, _named_kin, _changed, _by_whom, _passive, _towards, _inside, _verb, _copula):
        found = frame(clause, inherited)
        if found is not None:
            return found
    return clause.subjects(len(clause.words)) or clause.topic(), []


_Found = tuple[list[Noun], list[Reading]] | None


def _subjects_or(clause: Clause, verb: int, inherited: list[Noun]) -> list[Noun]:
    own = clause.subjects(verb)
    if own:
        return own
    if all(
        word.tag in {"d", "c", "TIME", "ad", "u", "xc", "p", "v", "t"} or word.text in _NEGATORS
        for word in clause.words[:verb]
    ):
        return inherited
    return []


def _negated(clause: Clause, verb: int) -> bool:
    return any(text in _NEGATORS for text in clause.texts[max(0, verb - 3) : verb])


def _favourite(clause: Clause, inherited: list[Noun]) -> _Found:
    """S 最喜欢的 N 是 Z."""
    like = next((i for i, text in enumerate(clause.texts) if text in {"最喜欢", "最爱"}), -1)
    split = clause.texts[like : like + 2] == ["最", "喜欢"] or (
        like < 0 and "最" in clause.texts and clause.index("喜欢") == clause.index("最") + 1
    )
    like = clause.index("最") if split and like < 0 else like
    of = clause.index("的", max(like, 0))
    is_ = clause.index("是", max(of, 0))
    if like < 0 or of < 0 or is_ != of + 2:
        return None
    subjects = _subjects_or(clause, like, inherited)
    kind, values = clause.texts[of + 1], clause.nouns(is_ + 1)
    predicate = f"has_favorite_{_ATTRIBUTE_NAMES.get(kind, kind)}"
    return subjects, _readings(subjects, predicate, values, f"最喜欢的{kind}是", _negated(clause, is_), _SURE)


def _named_kin(clause: Clause, inherited: list[Noun]) -> _Found:
    """For 我老婆李静…: whose kin, then what the rest of the clause says of the one named."""
    noun = clause.noun(0)
    if noun is None or noun.owner is None or noun.name not in CHINESE_ATTRIBUTES or noun.last + 1 >= len(clause.words):
        return None
    name = clause.noun(noun.last + 1)
    if name is None or name.type is not EntityType.PERSON:
        return None
    predicate = f"has_{_ATTRIBUTE_NAMES.get(noun.name, noun.name)}"
    found = _readings([noun.owner], predicate, [name], noun.name, False, _SURE)
    subjects, rest = _read(Clause(clause.words[noun.last + 1 :], clause.spans, clause.speaker), inherited)
    return subjects or [name], found + rest


def _changed(clause: Clause, inherited: list[Noun]) -> _Found:
    """把 X 改为 Y, X 从 A 改为 B."""
    at = next(
        (
            i
            for i, text in enumerate(clause.texts)
            if text
            in {
                "改为",
                "改成",
                "换成",
                "改到",
                "调整为",
                "更换为",
                "切换为",
                "切换到",
                "迁移到",
                "迁到",
                "升级到",
            }
        ),
        -1,
    )
    take = next((i for i, text in enumerate(clause.texts) if text in {"把", "将"}), -1)
    if at < 0 or take < 0 or take > at:
        return None
    things = clause.nouns(take + 1)
    values = clause.nouns(at + 1)
    predicate = "moved_to" if clause.texts[at] in {"迁移到", "迁到", "改到"} else "is"
    return clause.subjects(take) or inherited, _readings(
        things, predicate, values, clause.texts[at], _negated(clause, take), _SURE
    )


def _by_whom(clause: Clause, inherited: list[Noun]) -> _Found:
    """X 由 Y 负责; X 由 A、B 和 C 组成."""
    by = clause.index("由")
    if by < 0:
        return None
    things = _subjects_or(clause, by, inherited)
    doers = clause.nouns(by + 1)
    if not things or not doers:
        return None
    after = clause.texts[doers[-1].last + 1 :]
    if any(text in {"组成", "构成"} for text in after[:2]):
        return things, _readings(things, "consists_of", doers, "由…组成", _negated(clause, by), _SURE)
    verb = next((text for text in after[:3] if text in _BY_FRAMES), None)
    if verb is None:
        return None
    return things, _readings(doers, _BY_FRAMES[verb], things, f"由…{verb}", _negated(clause, by), _SURE)


def _passive(clause: Clause, inherited: list[Noun]) -> _Found:
    """X 被 Y 收购."""
    by = clause.index("被")
    if by < 0:
        return None
    things, doers = _subjects_or(clause, by, inherited), clause.nouns(by + 1)
    verb = next((text for text in clause.texts[by + 1 :] if text in CHINESE_VERBS or text in _BY_FRAMES), None)
    if not things or not doers or verb is None:
        return things, []
    predicate = _BY_FRAMES.get(verb) or CHINESE_VERBS[verb]
    return things, _readings(doers, predicate, things, f"被…{verb}", _negated(clause, by), _SURE)


def _towards(clause: Clause, inherited: list[Noun]) -> _Found:
    """S 对 X 过敏, S 对 X 感兴趣."""
    to = clause.index("对")
    if to < 0:
        return None
    subjects, objects = _subjects_or(clause, to, inherited), clause.nouns(to + 1)
    after = "".join(clause.texts[objects[-1].last + 1 :]) if objects else "".join(clause.texts[to + 1 :])
    for word, predicate in (("过敏", "allergic_to"), ("感兴趣", "interested_in")):
        if word in after:
            negated = after.startswith(("不", "没")) or _negated(clause, to)
            return subjects, _readings(subjects, predicate, objects, f"对…{word}", negated, _SURE)
    return subjects, []


def _inside(clause: Clause, inherited: list[Noun]) -> _Found:
    """S 在 P 工作 / 住 / 上学; S 住 / 部署 / 运行 在 P; P 在 L."""
    at = clause.index("在")
    if at < 0:
        return None
    subjects = _subjects_or(clause, at, inherited)
    places = clause.nouns(at + 1)
    if not places:
        return None
    before = clause.texts[at - 1] if at else ""
    negated = _negated(clause, at)
    if before in {"住", "居住", "定居", "生活"}:
        return subjects, _readings(
            clause.subjects(at - 1) or inherited,
            "lives_in",
            places,
            f"{before}在",
            _negated(clause, at - 1),
            _SURE,
        )
    if before in {"部署", "运行", "跑", "托管", "安装", "放"}:
        things = _subjects_or(clause, at - 1, inherited)
        predicate = "stored_in" if before == "放" else "runs_on"
        return things, _readings(things, predicate, places, f"{before}在", _negated(clause, at - 1), _SURE)
    after = clause.texts[places[-1].last + 1 :]
    head = next((text for text in after[:2] if text in _IN_FRAMES), None)
    if head:
        predicate = _IN_FRAMES[head]
        if predicate == "works_at":
            predicate = "works_in" if places[0].type is EntityType.PLACE else predicate
        return subjects, _readings(subjects, predicate, places[:1], f"在…{head}", negated, _SURE)
    if any(text in {"当", "做", "担任"} for text in after[:1]):
        kinds = clause.nouns(places[-1].last + 2)
        firms = [place for place in places[:1] if place.type is not EntityType.PLACE]
        return subjects, _readings(subjects, "works_at", firms, "在…当", negated, _SURE) + _readings(
            subjects, "is_a", kinds, "当", negated, _SURE
        )
    if not after or all(text in {"了", "里", "内", "上"} for text in after):
        local = [place for place in places if place.type is EntityType.PLACE]
        things = [s for s in subjects if s.type is not EntityType.PERSON]
        return subjects, _readings(things, "located_in", local, "在", negated, _FAIR)
    return None


def _verb(clause: Clause, inherited: list[Noun]) -> _Found:
    """S (不) V (了) O、O 和 O."""
    for i, word in enumerate(clause.words):
        text, negative = word.text, False
        if text in {"说", "讲"} and re.search(r"[语话文]$", clause.texts[i + 1] if i + 1 < len(clause.words) else ""):
            text = "会说"
        if text not in CHINESE_VERBS and text[:1] in {"不", "没", "别"} and text[1:] in CHINESE_VERBS:
            text, negative = text[1:], True
        if text not in CHINESE_VERBS or word.tag not in {"v", "vn", "vd", "p", "ad"} or i + 1 >= len(clause.words):
            continue
        subjects = _subjects_or(clause, i, inherited)
        if not subjects:
            continue
        predicate = CHINESE_VERBS[text]
        at = i + 1
        while at < len(clause.words) and (
            clause.texts[at] in PARTICLES
            or (
                predicate in TASTE
                and clause.words[at].tag in {"v", "d"}
                and at + 1 < len(clause.words)
                and clause.words[at].text not in {"不"}
            )
        ):
            at += 1
        objects = clause.nouns(at)
        if not objects and predicate in TASTE and at < len(clause.words) and clause.words[at].tag in {"v", "vn"}:
            word = clause.words[at]
            objects = [
                Noun(
                    word.text,
                    at,
                    at,
                    None,
                    False,
                    False,
                    None,
                    Span(word.start, word.end, word.text, EntityType.CONCEPT, NOUN_WEIGHT),
                )
            ]
        if predicate == "uses" and (
            objects and objects[-1].last + 1 < len(clause.words) and clause.texts[objects[-1].last + 1] in {"的"}
        ):
            objects = []
        if predicate == "is":
            subjects, predicate = _valued(subjects)
        elif objects and predicate != "uses" and _runs_on(clause, objects[-1].last):
            objects = []
        if (
            predicate not in TASTE | {"listens_on", "good_at", "is"}
            and not predicate.startswith("has_")
            and any(o.literal for o in objects)
        ):
            objects = [o for o in objects if not o.literal]
        return subjects, _readings(subjects, predicate, objects, text, negative or _negated(clause, i), _SURE)
    return None


def _runs_on(clause: Clause, last: int) -> bool:
    """Whether the object is only the beginning of something longer that the tagger cut (字节 + 跳动)."""
    return last + 1 < len(clause.words) and clause.words[last + 1].tag in {"v", "vn", "n", "a"}


def _valued(subjects: list[Noun]) -> tuple[list[Noun], str]:
    """X的Y 改为 Z says of X what its Y is; without an owner, Y is Z."""
    first = subjects[0]
    if first.owner is not None and first.name in CHINESE_ATTRIBUTES:
        return [first.owner], f"has_{_ATTRIBUTE_NAMES.get(first.name, first.name)}"
    return [noun for noun in subjects if noun.type is not EntityType.PERSON], "is"


def _copula(clause: Clause, inherited: list[Noun]) -> _Found:
    """X的Y是Z; S是X的Y; S是一名N; Y是90万."""
    at = next(
        (
            i
            for i, text in enumerate(clause.texts)
            if text in {"是", "为", "叫", "叫做", "不是", "改为", "改成", "担任"}
        ),
        -1,
    )
    if at < 0:
        return None
    verb = clause.texts[at]
    subjects = _subjects_or(clause, at, inherited)
    values = clause.nouns(at + 1)
    negated = _negated(clause, at) or verb == "不是"
    if not subjects or not values:
        return subjects, []
    subject = subjects[0]
    if values[-1].last + 1 < len(clause.words) and clause.texts[values[-1].last + 1] not in {
        "了",
        "吧",
        "啊",
        "呀",
    }:
        return subjects, []
    if subject.owner is not None and subject.name in CHINESE_ATTRIBUTES:
        predicate = f"has_{_ATTRIBUTE_NAMES.get(subject.name, subject.name)}"
        return subjects, _readings(
            [subject.owner], predicate, [v for v in values if v.owner is None], verb, negated, _SURE
        )
    if verb in {"叫", "叫做"}:
        return subjects, []
    return subjects, _predicated(subjects, values, verb, negated)


def _predicated(subjects: list[Noun], values: list[Noun], verb: str, negated: bool) -> list[Reading]:
    value = values[0]
    if value.owner is not None and value.name in CHINESE_ATTRIBUTES and not value.owner.pronoun:
        return _readings(
            [value.owner],
            f"has_{_ATTRIBUTE_NAMES.get(value.name, value.name)}",
            [s._replace(owner=None) for s in subjects],
            verb,
            negated,
            _SURE,
        )
    if value.owner is not None and value.name in {"成员", "员工", "子公司", "一部分", "组成部分", "模块"}:
        return _readings(
            subjects,
            "works_at" if value.name == "员工" else "part_of",
            [value.owner],
            f"{verb}…{value.name}",
            negated,
            _SURE,
        )
    if value.owner is not None:
        return []
    if verb in {"改为", "改成"}:
        return _readings(subjects, "is", values, verb, negated, _SURE)
    attribute = any(subjects[0].name.endswith(name) for name in CHINESE_ATTRIBUTES)
    if value.literal or attribute:
        return (
            _readings(subjects, "is", values, verb, negated, _SURE)
            if attribute or subjects[0].type is not EntityType.PERSON
            else []
        )
    if value.span is not None and verb in {"是", "不是", "担任"} and value.type is None:
        return _readings(subjects, "is_a", values, verb, negated, _FAIR)
    return []


def _readings(
    subjects: Sequence[Noun],
    predicate: str,
    objects: Sequence[Noun],
    surface: str,
    negated: bool,
    confidence: float,
) -> list[Reading]:
    found: list[Reading] = []
    for subject in subjects:
        for value in objects:
            if subject.pronoun or value.pronoun or subject.literal or subject.name == value.name:
                continue
            if predicate in _OF_PEOPLE and subject.type is None:
                continue
            if subject.owner is not None and subject.name in CHINESE_GENERIC and predicate != "is":
                continue
            if _vague(value) and predicate not in {"likes", "dislikes", "is_a"}:
                continue
            settled = predicate
            if predicate == "moved_to" and subject.type is EntityType.PERSON and value.type is EntityType.PLACE:
                settled = "lives_in"
            if predicate == "joined" and subject.type is EntityType.PERSON and value.type is EntityType.ORGANISATION:
                settled = "works_at"
            relation = RelationMention(
                subject=subject.name,
                predicate=settled,
                object=value.name,
                surface=surface,
                negated=negated,
                confidence=confidence,
                object_is_literal=value.literal,
            )
            promoted = tuple(
                n.span
                for n in (subject, value)
                if n.span and not is_generic(n.span.name) and (settled in PROMOTING or len(n.span.name) >= 4)
            )
            found.append(Reading(relation, promoted))
    return found


def _vague(noun: Noun) -> bool:
    return noun.span is not None and noun.name in CHINESE_GENERIC
