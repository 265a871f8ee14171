"""Chinese and mixed entities: the tagger's names, compound nouns, and Latin names inside Chinese text."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from retrograph.extraction.identifiers import NAME_WEIGHT, NOUN_WEIGHT, Span
from retrograph.extraction.language import ENGLISH_VERBS, has_han, word_set
from retrograph.extraction.vocabulary import CHINESE_GENERIC, CHINESE_PRONOUNS, TECHNOLOGIES, is_generic
from retrograph.models import EntityType


class Word(NamedTuple):
    """A word of the Chinese tagger.

    Args:
        text: Its characters.
        tag: LAC's tag, `latin` for a run of Latin words, `name` for a name or identifier found before.
        start: Offset in the text.
        label: LAC's own tag of the first part, where `tag` was replaced.
    """

    text: str
    tag: str
    start: int
    label: str = ""

    @property
    def end(self) -> int:
        """Offset after the last character."""
        return self.start + len(self.text)


_LATIN_TOKEN = r"[A-Za-zÀ-ɏ][A-Za-z0-9À-ɏ]*(?:[.+#@&'’_-]*[A-Za-z0-9À-ɏ]+)*[+#]*"
_LATIN_RUN = re.compile(rf"{_LATIN_TOKEN}(?: (?:\d+(?:\.\d+)*(?![\d.])|{_LATIN_TOKEN}))*")
_TYPES = {
    "PER": EntityType.PERSON,
    "ORG": EntityType.ORGANISATION,
    "LOC": EntityType.PLACE,
    "nw": EntityType.PRODUCT,
}
_COMPOUND_TAGS = frozenset({"n", "nz", "vn", "an", "nw"})
NOMINAL = _COMPOUND_TAGS | {"PER", "ORG", "LOC", "latin", "name", "s"}

# English words that Chinese speakers drop into a sentence: they name nothing.
_LOOSE_LATIN = word_set(
    "ok okay hi hello bye thanks thank you sorry please yes no and or the a an is are to of for in on at "
    "with by it bug review code deploy release check fix test demo meeting call deadline feature update "
    "email mail app web pc tv vs via etc am pm ps offer happy nice good cool team leader boss case share "
    "sync merge commit push pull build run log debug online offline ready done todo hr ceo cto cfo ppt "
    "id ip url ai dm vip diy wifi plan task issue project server client api sdk db dev prod user users "
    "system key value"
)
_COMMON_CHINESE_TAIL = word_set(
    "集群 服务 数据库 公司 团队 项目 框架 工具 系统 库 语言 平台 版本 接口 插件 模型 账号 实例 脚本 文件 "
    "镜像 组件 客户端 办公室"
)


def words_of(tagged: Sequence[tuple[str, str]], piece: str, offset: int, names: Sequence[Span]) -> list[Word]:
    """The tagger's words with offsets; Latin runs and names found before become one word each.

    Args:
        tagged: What the tagger gave for `piece`, without gaps.
        piece: The stretch of text.
        offset: Where it stands in the whole text.
        names: Identifiers and known names, offsets in the whole text.
    """
    atoms: list[Word] = []
    at = offset
    for text, tag in tagged:
        atoms.append(Word(text, tag, at, tag))
        at += len(text)
    fixed = [(span.start, span.end, "name") for span in names]
    for match in _LATIN_RUN.finditer(piece):
        start, end = match.start() + offset, match.end() + offset
        if not any(start < other[1] and other[0] < end for other in fixed):
            fixed.append((start, end, "latin"))
    return _whole_firms(list(_merged(atoms, sorted(fixed), piece, offset)))


_TRADES = word_set(
    "电子 科技 物流 机械 制药 化工 软件 网络 通信 传媒 食品 医药 医疗 能源 地产 保险 证券 航空 汽车 教育 资本 实业 "
    "重工 生物 半导体 集团 银行 影业 纺织 钢铁 水泥 乳业 酒业 建筑 智能 股份"
)


def _whole_firms(words: list[Word]) -> list[Word]:
    """A name and the trade right behind it are one firm, unless a noun goes on: 金瑞电子 in 金瑞电子的零件."""
    whole: list[Word] = []
    for word, after in zip(words, [*words[1:], None], strict=True):
        before = whole[-1] if whole else None
        ends = after is None or after.tag not in NOMINAL
        if before and ends and word.text in _TRADES and before.tag in {"PER", "ORG"} and before.end == word.start:
            whole[-1] = Word(before.text + word.text, "ORG", before.start, before.label)
        elif ends and word.tag == "f" and len(word.text) == 4 and word.text[2:] in _TRADES:
            whole.append(word._replace(tag="ORG"))
        else:
            whole.append(word)
    return whole


def names_beside_people(names: Sequence[Span], tagged: Sequence[tuple[str, str]], offset: int) -> list[Span]:
    """The known names without those that are the beginning of another person's name (张伟 in 张伟明).

    Args:
        names: Identifiers and known names, offsets in the whole text.
        tagged: What the tagger gave for a piece of it, without gaps.
        offset: Where the piece stands in the whole text.
    """
    people: list[tuple[int, int]] = []
    at = offset
    for text, tag in tagged:
        if tag == "PER":
            people.append((at, at + len(text)))
        at += len(text)
    return [
        name
        for name in names
        if not any(
            start <= name.start and name.end <= end and name.end - name.start < end - start for start, end in people
        )
    ]


def _merged(atoms: list[Word], fixed: list[tuple[int, int, str]], piece: str, offset: int) -> Iterator[Word]:
    inside = [(s, e, t) for s, e, t in fixed if offset <= s and e <= offset + len(piece)]
    for atom in atoms:
        cuts = [(s, e, t) for s, e, t in inside if s < atom.end and atom.start < e]
        if not cuts:
            if atom.text.strip():
                yield atom
            continue
        at = atom.start
        for start, end, tag in cuts:
            if at < start:
                yield from _rest(piece[at - offset : start - offset], atom, at)
            if atom.start <= start:
                yield Word(piece[start - offset : end - offset], tag, start, atom.tag)
            at = max(at, end)
        if at < atom.end:
            yield from _rest(piece[at - offset : atom.end - offset], atom, at)


def _rest(text: str, atom: Word, start: int) -> Iterator[Word]:
    if text.strip():
        yield Word(text, atom.tag if has_han(text) else "w", start, atom.label)


def chinese_entities(words: Sequence[Word], taken: Sequence[Span]) -> list[Span]:
    """Entities of a tagged Chinese sentence.

    Args:
        words: From `words_of`.
        taken: Identifiers and known names found before; they keep their place.

    Returns:
        Spans with offsets in the whole text; a compound may enclose a name.
    """
    spans: list[Span] = []
    for i, word in enumerate(words):
        if word.tag == "latin":
            before = words[i - 1].text if i else ""
            if span := _latin(word, words[i + 1].text if i + 1 < len(words) else "", before):
                spans.append(span)
        elif word.tag in _TYPES and (span := _name(word)):
            spans.append(span)
    for run in _runs(_joined_verbs(words)):
        spans.extend(_compounds(run))
    return [
        span
        for span in spans
        if not any(
            span.start < t.end
            and t.start < span.end
            and not (span.start <= t.start and t.end <= span.end and span.end - span.start > t.end - t.start)
            for t in taken
        )
    ]


_COMPOUND_HEADS = word_set(
    "模块 工具 系统 平台 服务 流程 组件 引擎 算法 任务 方案 脚本 中心 接口 队列 策略 机制 框架 页面 插件 "
    "器 功能 管道 流水线 手册 报告 计划 合同 材料"
)
_NO_COMPOUND_VERBS = word_set(
    "检查 修复 使用 部署 重启 升级 迁移 更新 删除 查看 修改 访问 打开 关闭 发现 需要 喜欢 依赖 负责 属于 "
    "导致 提供 增加 改用 没有 继续 完成 开发 进入 做 用 调用 维护 管理 优化 停止 启动 说明"
)


def _joined_verbs(words: Sequence[Word]) -> list[Word]:
    """Verbs inside a compound become part of it: 图片处理模块, 登录服务 at the head of a clause."""
    joined = list(words)
    for i, word in enumerate(joined[:-1]):
        if (
            word.tag != "v"
            or len(word.text) != 2
            or word.text in _NO_COMPOUND_VERBS
            or joined[i + 1].text not in _COMPOUND_HEADS
        ):
            continue
        before = joined[i - 1] if i else None
        if (
            before is None
            or before.tag in {"u", "p", "c", "w"}
            or (before.tag in {"n", "vn", "nz"} and (i == 1 or joined[i - 2].tag in {"p", "u", "w", "c", "v"}))
        ):
            joined[i] = word._replace(tag="vn")
    return joined


def _name(word: Word) -> Span | None:
    text = word.text.strip("·“”\"'《》的")
    if len(text) < 2 or is_generic(text) or not has_han(text) or text in CHINESE_PRONOUNS:
        return None
    start = word.start + word.text.index(text)
    return Span(start, start + len(text), text, _TYPES[word.tag], NAME_WEIGHT)


def _latin(word: Word, after: str, before: str) -> Span | None:
    text = word.text
    parts = text.split(" ")
    verbs = [place for place, part in enumerate(parts) if part in ENGLISH_VERBS]
    parts = parts[verbs[-1] + 1 :] if verbs else parts
    while (
        parts and parts[0].lower() in _LOOSE_LATIN and (len(parts) > 1 or not parts[0].isupper() or len(parts[0]) < 2)
    ):
        if len(parts) > 1 and parts[0].lower() not in {
            "the",
            "a",
            "an",
            "to",
            "of",
            "for",
            "and",
            "in",
            "on",
            "is",
            "it",
            "please",
            "ok",
            "hi",
            "hello",
        }:
            break
        parts = parts[1:]
    text = " ".join(parts)
    lowered = text.lower()
    if not text or (len(text) < 2 and text not in "CR"):
        return None
    if lowered in _LOOSE_LATIN or is_generic(text):
        return None
    start = word.end - len(text)
    return Span(start, word.end, text, latin_type(text, word.label, after, before), NAME_WEIGHT)


_PERSON_BEFORE = word_set("告诉 和 跟 找 问 给 请 叫 同事 朋友 让 通知 联系")
_PERSON_AFTER = word_set("觉得 说 喜欢 负责 认为 想 告诉 建议 讨厌 住 在 来 去 也")


def latin_type(text: str, label: str, after: str, before: str) -> EntityType:
    """Type of a Latin name inside Chinese text, from its form, the tagger's guess and the words around it."""
    lowered = text.lower()
    if lowered in TECHNOLOGIES or lowered.split(" ")[0] in TECHNOLOGIES:
        return EntityType.TOOL
    if after in {"集群", "数据库", "框架", "库", "插件", "镜像", "脚本", "服务器", "工具"}:
        return EntityType.TOOL
    if re.search(r"\b(?:Inc|Corp|Ltd|LLC|GmbH|Group)\.?$", text):
        return EntityType.ORGANISATION
    capital = all(part[:1].isupper() and part[1:].islower() for part in text.split(" "))
    if (
        capital
        and len(text.split(" ")) < 3
        and ((before in _PERSON_BEFORE and label != "LOC") or after in _PERSON_AFTER)
    ):
        return EntityType.PERSON
    if label in {"PER", "ORG", "LOC"} and capital:
        return _TYPES[label]
    if not any(char.isupper() for char in text):
        return EntityType.CONCEPT if " " in text or text.isalpha() or "-" in text else EntityType.TOOL
    return EntityType.PRODUCT


def _runs(words: Sequence[Word]) -> Iterator[list[Word]]:
    run: list[Word] = []
    for word in words:
        if (run and (word.start != run[-1].end or word.tag not in NOMINAL)) or word.tag not in NOMINAL:
            if run:
                yield run
            run = []
        if word.tag in NOMINAL:
            run.append(word)
    if run:
        yield run


_SINGLE_LENGTH = 3
_COMPOUND_LENGTH = 4


def _compounds(run: list[Word]) -> Iterator[Span]:
    """Compound nouns of a run of nominal words, with or without a name in front."""
    common = [word for word in run if word.tag in _COMPOUND_TAGS]
    if not common:
        return
    front = [word for word in run if word.tag in {"PER", "ORG", "LOC", "latin", "name"}]
    tail = run[run.index(front[-1]) + 1 :] if front else run
    if not tail:
        return
    place_first = len(front) == 1 and run[0] is front[0] and front[0].tag in {"ORG", "LOC"}
    told = "".join(word.text for word in tail) not in CHINESE_GENERIC | _COMMON_CHINESE_TAIL
    yield from _compound(run if place_first and told else tail)


def _compound(words: list[Word]) -> Iterator[Span]:
    if len(words) > 1 and words[-1].text in {"工作", "上班", "实习"}:
        words = words[:-1]
    while len(words) > 1 and words[-1].text in _WEAK_TAILS:
        words = words[:-1]
    while words and (words[0].tag == "an" or words[0].text in CHINESE_PRONOUNS):
        words = words[1:]
    if not words:
        return
    text = "".join(word.text for word in words)
    if is_generic(text) or not has_han(text):
        return
    if len(words) == 1:
        word = words[0]
        least = {"n": _SINGLE_LENGTH, "nz": 2, "vn": _COMPOUND_LENGTH}.get(word.tag)
        if least is None or len(text) < least or text[:1] in _PRONOUN_LIKE:
            return
        yield Span(word.start, word.end, text, _compound_type(text), NOUN_WEIGHT)
        return
    if words[-1].tag not in {"n", "nz", "vn"} or len(text) < _COMPOUND_LENGTH - 1:
        return
    if all(word.text in CHINESE_GENERIC for word in words) or text.startswith("投入"):
        return
    yield Span(words[0].start, words[-1].end, text, _compound_type(text), NOUN_WEIGHT)


_WEAK_TAILS = word_set(
    "时候 方面 方式 情况 过程 状态 比例 前身 原名 主体 步骤 性质 时期 阶段 程度 原因 问题 结果 效果 地带"
)
_PRONOUN_LIKE = frozenset("同每某各这那此该全")
_ORGANISATION_END = re.compile(
    r"(?:公司|集团|银行|大学|医院|学校|法院|中学|小学|学院|研究所|研究院|事务所|委员会|董事会|协会|基金会|法务部|市场部|财务部|人事部|技术部|销售部)$"
)
_PLACE_END = re.compile(r"(?:机房|机场|火车站|公园|广场|博物馆|图书馆|大厦|车站|大道)$")


def _compound_type(text: str) -> EntityType:
    if _ORGANISATION_END.search(text):
        return EntityType.ORGANISATION
    return EntityType.PLACE if _PLACE_END.search(text) else EntityType.CONCEPT
