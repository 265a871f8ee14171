"""Statements like "the budget is 80,000" taken apart, and whether two of them give one thing two values."""

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from retrograph.extraction import lexicon_frames as lexicon
from retrograph.extraction.duplicates import Signature, signature
from retrograph.extraction.language import TEXTS_KEPT
from retrograph.extraction.lexicon_denials import OF_SOME
from retrograph.extraction.vocabulary import TECHNOLOGIES, is_multi_attribute

_SENTENCE = re.compile(r"(?<=[.!?])(?<!\b[MDS][rst]\.)(?<!\bMrs\.)(?<!\bProf\.)\s+|(?<=[。！？；])\s*|\n+")
_HAN = re.compile(r"[\u3400-\u9fff]")
_MOST_CLAUSES = 8
# "About release: we shipped build 12": a sentence behind a heading is no value of it, and a value that asks is none.
_TELLS = re.compile(r"(?:we|i|you|they|he|she|it|there)\b|我|你|他|她|大家|多少|什么|谁|哪|几[点个号]", re.IGNORECASE)
PREFERS_FOR, PREFERS_OVER = "prefers for", "prefers over"


STATES = tuple(group | {w for state in group for w in signature(state).words} for group in lexicon.STATES_EN)
"""States that exclude one another, as written and in the form that a signature gives them."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A statement taken apart.

    Args:
        subject: Who or what it is about; with the purpose, where somebody prefers something for one.
        predicate: By which words, lower case.
        value: What it says of the subject, as written.
        other: What the value is preferred to.
    """

    subject: str
    predicate: str
    value: str
    other: str = ""


@lru_cache(maxsize=TEXTS_KEPT)
def frames(text: str) -> tuple[Frame, ...]:
    """The frames of a text, one a clause, at most eight clauses.

    A clause without a subject goes on with the one before; a clause about "it" is passed over.
    """
    found: list[Frame] = []
    clauses = 0
    for sentence in _SENTENCE.split(text.strip()):
        going = 0  # frames of this sentence: only they are continued
        bare = sentence.replace("’", "'").rstrip(".!?。！？；; ")
        if sentence.rstrip().endswith(("?", "？")):
            continue
        whole = _preference(lexicon.LEAD_IN.sub("", bare))
        for clause in [bare] if whole else lexicon.CLAUSE.split(bare):
            clauses += 1
            if clauses > _MOST_CLAUSES:
                return tuple(found)
            body = lexicon.LEAD_IN.sub("", clause).strip()
            frame = whole or _preference(body) or _plain(body, found[-1].subject if going else "")
            if frame is not None and not lexicon.POINTING.match(frame.subject):
                found.append(frame)
                going += 1
            elif frame is None and going and body:
                last = found[-1]
                found[-1] = Frame(last.subject, last.predicate, f"{last.value}, {body}", last.other)
    return tuple(found)


# "在2号线上坏了" is what happened at a place, not where something is: "在上海了".
_DONE_THERE = re.compile(r"^.+?(?:[上里中内外边旁处楼室站店厅]|附近)[^，。上里中内外边旁处]+[了过]$")
# "在 2026-03-01 发布了…" is what happened then.
_DONE_THEN = re.compile(
    r"^\s*(?:\d{4}[-/年]\d|\d{1,2}月|\d{1,2}[日号](?![楼线门院馆井库])|\d{1,2}点|[今昨明前后][天日晚早]|[去今明]年|[上下本这]个?[周月]"
    r"|(?:周|星期)[一二三四五六日天]|早上|上午|中午|下午|晚上).*[了过]"
)


def _happened(value: str) -> bool:
    return bool(_DONE_THERE.search(value) or _DONE_THEN.match(value))


_ONCE_ZH = ("昨天", "今天", "明天", "前天", "后天", "今早", "今晚", "昨晚", "明早", "明晚")


def _plain(body: str, before: str) -> Frame | None:
    aged = lexicon.AGE_EN.match(body) or lexicon.AGE_ZH.match(body)
    if aged:
        return _frame(f"{aged['who']} age", "is", next(filter(None, aged.groups()[1:])))
    if not _HAN.search(body):
        match = lexicon.PREDICATE_EN.search(f" {body} ")
        if match is None or lexicon.HAPPENED_EN.match(f"{match['predicate']}\0{f' {body} '[match.end() :]}".lower()):
            return None
        subject = body[: match.start() - 1] if match.start() else before
        used = lexicon.USED_ATTRIBUTE.match(f" {body} "[match.end() :].strip())
        if used and re.match(r"(?:now )?uses?$", match["predicate"], re.IGNORECASE):
            return _frame(f"{subject} {used['attribute']}", "set to", used["value"])
        return _frame(subject, match["predicate"], f" {body} "[match.end() :])
    timed = lexicon.TIMED_ZH.match(body)
    if timed and not timed["who"].endswith(_ONCE_ZH):
        return _frame(f"{timed['who']}{timed['what']}", "在", timed["value"])
    made = lexicon.MADE_WITH_ZH.match(body)
    if made:
        return _frame(made["who"], "用的是", made["value"])
    by = lexicon.BY_ZH.search(body)
    if by:
        return _frame(body[: by.start()] or before, "由", by["value"])
    numbered = lexicon.NUMBERED_ZH.search(body)
    if numbered and lexicon.ATTRIBUTE_ZH.search(body[: numbered.start()]):
        return _frame(body[: numbered.start()], "是", numbered["value"])
    found = lexicon.PREDICATE_ZH.finditer(body)
    # Without a clause before it, what opens the clause is its subject: "缓存换成了…" is about the cache.
    match = next((m for m in found if m.start() or before), None)
    if match is None or (match["predicate"] == "在" and _happened(body[match.end() :])):
        return None
    return _frame(body[: match.start()] or before, match["predicate"], body[match.end() :])


def _frame(subject: str, predicate: str, value: str) -> Frame | None:
    subject = lexicon.DETERMINER.sub("", subject.strip().lower())
    for pattern, name in lexicon.SAME_ATTRIBUTES:
        subject = pattern.sub(name, subject)
    if OF_SOME.match(subject):
        return None
    value = lexicon.EACH_ZH.sub("", value.strip())
    return Frame(subject, predicate.lower(), value) if subject and value else None


def _preference(body: str) -> Frame | None:
    if not _HAN.search(body):
        match = lexicon.PREFERENCE_EN.match(body)
    else:
        match = next((m for p in lexicon.PREFERENCE_ZH if (m := p.match(body))), None)
    if match is None:
        return None
    fields = {key: (value or "").strip() for key, value in match.groupdict().items()}
    purpose = fields.get("purpose") or fields.get("before") or ""
    if fields.get("other"):
        return Frame(f"{fields['who']} {purpose}".strip().lower(), PREFERS_OVER, fields["value"], fields["other"])
    return Frame(f"{fields['who']} {purpose}".lower(), PREFERS_FOR, fields["value"]) if purpose else None


def frame_key(frame: Frame) -> str:
    """A key that two frames share where they could give one thing two values; "" where the frame has none."""
    words = sorted(set(signature(frame.subject).words))
    if frame.predicate == PREFERS_OVER:
        words += sorted({*signature(frame.value).words, *signature(frame.other).words})
    elif not (has_one_value(frame) or signature(frame.value).numbers or _version(frame) or _state_of(frame)):
        return ""
    return "\x1f".join(("", *words)) if words else ""


def values_at_odds(new: Frame, old: Frame) -> str:
    """Why two frames give one thing two values, as a sentence; "" where they do not."""
    if _TELLS.match(new.value) or _TELLS.match(old.value):
        return ""
    of_new, of_old = signature(new.subject), signature(old.subject)
    if not of_new.words or Counter(of_new.words) != Counter(of_old.words) or of_new.negative != of_old.negative:
        return ""
    mine, theirs = signature(new.value), signature(old.value)
    if mine.negative or theirs.negative or Counter(mine.words) == Counter(theirs.words):
        return ""
    if PREFERS_OVER in (new.predicate, old.predicate):
        return _reversed(new, old)
    excluded = _states_exclude(new, old)
    if not (excluded or _families(new) & _families(old)) or _of_other_cases(new, old) or _day_and_hour(new, old):
        return ""
    several = set(mine.words) <= set(theirs.words) or set(theirs.words) <= set(mine.words)
    other = (
        _differ_in_numbers_only(mine, theirs)
        or _another_version(new, old)
        or (not several and has_one_value(new) and has_one_value(old))
        or excluded
    )
    return f"{new.subject} has one value, and it is {new.value} rather than {old.value}" if other else ""


def _reversed(new: Frame, old: Frame) -> str:
    """Tea over coffee, then coffee over tea."""
    one, other = ((set(signature(f.value).words), set(signature(f.other).words)) for f in (new, old))
    if one[0] and one == (other[1], other[0]):
        return f"{new.subject} prefers {new.value}, and no longer {old.value}"
    return ""


def _families(frame: Frame) -> set[str]:
    """What a predicate may say; one that is in no family says only itself."""
    found = {name for name, pattern in lexicon.FAMILIES if pattern.search(frame.predicate)}
    return found or {frame.predicate.removeprefix("now ").rstrip("s")}


def has_one_value(frame: Frame) -> bool:
    """Whether the subject has one value of the predicate at a time, whatever the value is."""
    predicate = frame.predicate
    if predicate == "joined" or re.match("转|分", predicate):
        return bool(lexicon.TEAM_EN.search(frame.value) or lexicon.TEAM_ZH.search(frame.value))
    if (
        lexicon.SINGLE_EN.search(predicate)
        or lexicon.SINGLE_ZH.search(predicate)
        or predicate in ("由", "用的是", "使用的是")
    ):
        return True
    timed = lexicon.TIMED.search(predicate)
    if timed and kind_of_time(frame.value):
        return True
    copula = re.match(r"(?:is|are|was|were|will be|should be|must be)\b|是|为|在|用的是|使用的是|有|：|:", predicate)
    tail = re.sub(r"\s+(?:of|for|in|at|on)\s.*$", "", frame.subject)
    head = tail.rsplit(" ", 1)[-1]
    if not copula or is_multi_attribute(head):
        return False
    if head in lexicon.THINGS and not lexicon.CHOSEN.search(tail) and not _pins_down(frame.value):
        return False
    return bool(lexicon.ATTRIBUTE_EN_END.search(tail) or lexicon.ATTRIBUTE_ZH.search(frame.subject))


def _pins_down(value: str) -> bool:
    """A number, a name or a time, and no mere quality: "the party is fun"."""
    sign = signature(value)
    known = any(word in TECHNOLOGIES for word in value.lower().split())
    return bool(sign.numbers or sign.names or known or kind_of_time(value))


def _of_other_cases(new: Frame, old: Frame) -> bool:
    """For "9 on weekdays" and "10 on Sundays": both hold, each in its case."""
    cases = [lexicon.CASE.search(frame.value) for frame in (new, old)]
    return all(cases) and cases[0].group("case").lower() != cases[1].group("case").lower()  # pyright: ignore[reportOptionalMemberAccess]


def _day_and_hour(new: Frame, old: Frame) -> bool:
    """For "on Tuesday" and "at 10 am": one says the day and one the hour, and both hold."""
    kinds = kind_of_time(new.value), kind_of_time(old.value)
    return kinds[0] != kinds[1] and "hour" in kinds and bool(lexicon.TIMED.search(new.predicate))


def _differ_in_numbers_only(a: Signature, b: Signature) -> bool:
    """Both values are numbers of the same thing: "3 replicas" and "5 replicas", and not "candidate 58" and "59"."""
    if not a.numbers or not b.numbers or a.numbers == b.numbers:
        return False
    if any(sign.words[0] not in sign.numbers and not _measures(sign.words[0]) for sign in (a, b)):
        return False
    words_a = [w for w in a.words if w not in a.numbers]
    words_b = [w for w in b.words if w not in b.numbers]
    return Counter(words_a) == Counter(words_b) and len(a.numbers) == len(b.numbers)


def _measures(word: str) -> bool:
    return bool(lexicon.ATTRIBUTE_EN.fullmatch(word) or lexicon.ATTRIBUTE_ZH.search(word))


def _version(frame: Frame) -> tuple[str, str] | None:
    """The name and the version of a value that is nothing else."""
    if "use" not in _families(frame) and "be" not in _families(frame):
        return None
    match = lexicon.VERSIONED.fullmatch(frame.value)
    if match is None or lexicon.COUNTED.search(match["name"]):
        return None
    return match["name"].lower(), match["version"]


def _another_version(new: Frame, old: Frame) -> bool:
    mine, theirs = _version(new), _version(old)
    return mine is not None and theirs is not None and mine[0] == theirs[0] and mine != theirs


def _state_of(frame: Frame) -> str:
    """The state that a copula gives its subject: "divorced", "married" in "is married to Tom"."""
    if not re.match(r"(?:is|are)\b|是", frame.predicate):
        return ""
    words = signature(f"{frame.predicate} {frame.value}").words
    return words[0] if words and any(words[0] in group for group in STATES) else ""


def _states_exclude(new: Frame, old: Frame) -> bool:
    mine, theirs = _state_of(new), _state_of(old)
    return bool(mine and theirs and mine != theirs) and any(mine in group and theirs in group for group in STATES)


def kind_of_time(text: str) -> str:
    """`weekday`, `month` or `hour`, where a text names one; else ""."""
    return next((kind for kind, pattern in lexicon.KINDS_OF_TIME if pattern.search(text)), "")
