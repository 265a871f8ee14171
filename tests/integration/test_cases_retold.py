"""A value told in several ways goes as a whole when another one is told."""

from collections.abc import Sequence
from datetime import timedelta

import pytest

from retrograph.memory import Memory
from retrograph.models import Status

from .conftest import EPOCH

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
