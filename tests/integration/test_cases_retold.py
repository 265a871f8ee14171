"""A value told in several ways goes as a whole when another one is told, and one that is told again holds again."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import permutations

import pytest

from retrograph.graph import Graph
from retrograph.memory import Memory
from retrograph.models import Status, Turn

from .conftest import EPOCH, ask

_DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("ways", "change"),
    [
        (["My weight is 82 kg.", "I weigh 82 kg."], "My weight is 78 kg."),
        (["Omar likes green tea.", "Omar is fond of green tea."], "Omar does not like green tea."),
        (["我喜欢吃榴莲。", "我爱吃榴莲。"], "我讨厌吃榴莲。"),
    ],
)
@pytest.mark.parametrize("late", [False, True], ids=["told in order", "told late"])
def test_every_way_of_telling_the_old_value_is_history(
    memory: Memory, ways: Sequence[str], change: str, late: bool
) -> None:
    told = [(text, EPOCH + n * _DAY) for n, text in enumerate((*ways, change))]
    ids = {text: memory.write(text, force=True, occurred_at=at).id for text, at in (reversed(told) if late else told)}
    statuses = {text: memory.get(str(id)).memory.status for text, id in ids.items()}
    assert statuses == {**dict.fromkeys(ways, Status.SUPERSEDED), change: Status.ACTIVE}


@pytest.mark.parametrize("batch_size", [1, 3])
@pytest.mark.parametrize(
    ("value", "other", "again"),
    [
        ("Priya lives in Lyon.", "Priya lives in Turin.", "Priya lives in Lyon."),
        ("Priya lives in Lyon.", "Priya lives in Turin.", "Priya is living in Lyon."),
        ("小王住在北京。", "小王住在上海。", "小王住在北京。"),
    ],
)
def test_what_was_said_last_counts_though_a_repeat_brings_no_new_memory(
    memory: Memory, graph: Graph, value: str, other: str, again: str, batch_size: int
) -> None:
    story = [Turn(text, occurred_at=EPOCH + n * _DAY) for n, text in zip((0, 2, 3), (value, other, again), strict=True)]
    for number, order in enumerate(permutations(story)):
        bank = f"{memory.identity.bank}-{number}"
        memory.for_identity(replace(memory.identity, bank=bank)).ingest(order, batch_size=batch_size, force=True)
        rows = ask(
            graph, "MATCH (m:Memory {bank: $bank}) RETURN m { .content, .status, .superseded_at } AS m", bank=bank
        )
        ended = {row["m"]["content"]: row["m"]["superseded_at"] for row in rows if row["m"]["content"] == other}
        assert ended == {other: EPOCH + 3 * _DAY}, order
        current = {row["m"]["content"] for row in rows if row["m"]["status"] == "active"}
        assert len(current) == 1 and current <= {value, again}, order


def test_history_says_that_the_older_one_was_said_again(memory: Memory) -> None:
    story = (("Priya lives in Lyon.", 0), ("Priya lives in Lyon.", 3), ("Priya lives in Turin.", 2))
    ids = [memory.write(text, force=True, occurred_at=EPOCH + day * _DAY).id for text, day in story]
    versions = memory.history(str(ids[2]))
    assert [version.memory.content for version in versions] == ["Priya lives in Turin.", "Priya lives in Lyon."]
    assert any(version.reason and "said again on 2026-03-04" in version.reason for version in versions)
