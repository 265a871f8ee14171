"""Feedback: what a reader says of hits moves later rankings, within bounds, and nobody else's memories."""

from datetime import timedelta

import pytest

from retrograph.errors import InvalidInput, NotFound
from retrograph.memory.feedback import record_feedback
from retrograph.models import FeedbackReport, Scope

from .conftest import DIMENSIONS, EPOCH, Garden, toward

_QUERY = "zzyzx"


@pytest.fixture
def aimed(garden: Garden) -> Garden:
    garden.encoder.plan[_QUERY] = [1.0] + [0.0] * (DIMENSIONS - 1)
    return garden


def _mark(garden: Garden, *ids: str, useful: bool = True, days: float = 0) -> FeedbackReport:
    return record_feedback(
        garden.graph, ids, useful=useful, identity=garden.identity, half_life_days=14, now=EPOCH + timedelta(days=days)
    )


def test_useful_memory_overtakes_its_equal_and_useless_falls_behind(aimed: Garden) -> None:
    same = toward(0.9, "same")
    first = aimed.plant("told one way 重启", vector=same)
    second = aimed.plant("told another way", vector=same)
    leader, follower = aimed.found(_QUERY)
    assert {leader, follower} == {first, second}
    _mark(aimed, follower)
    assert aimed.found(_QUERY) == [follower, leader]
    for _ in range(3):
        _mark(aimed, follower, useful=False)
    assert aimed.found(_QUERY) == [leader, follower]


def test_praise_does_not_lift_what_bears_less_on_the_query(aimed: Garden) -> None:
    near = aimed.plant("near", vector=toward(0.9, "near"))
    far = aimed.plant("far", vector=toward(0.7, "far"))
    for _ in range(50):
        _mark(aimed, far)
    assert aimed.found(_QUERY) == [near, far]


def test_feedback_is_counted_and_use_too(aimed: Garden) -> None:
    memory = aimed.plant("told")
    _mark(aimed, memory)
    (view,) = _mark(aimed, memory, memory).memories
    assert (view.feedback, view.access_count) == (2, 2)
    (view,) = _mark(aimed, memory, useful=False).memories
    assert (view.feedback, view.access_count) == (1, 2)
    record = aimed.get(memory).memory
    assert (record.feedback, record.access_count, record.last_accessed_at) == (1, 2, EPOCH)


def test_half_life_grows_with_use_after_a_pause_not_with_use_at_once(aimed: Garden) -> None:
    memory = aimed.plant("told", created_at=EPOCH)

    def half_life(days: float, *, useful: bool = True) -> float | None:
        return _mark(aimed, memory, useful=useful, days=days).memories[0].half_life_days

    assert half_life(0.1) is None
    assert half_life(2) == pytest.approx(21)
    assert half_life(2.5) == pytest.approx(21)
    assert half_life(4, useful=False) == pytest.approx(21)
    assert half_life(4) == pytest.approx(31.5)
    for day in range(6, 40, 2):
        longest = half_life(day)
    assert longest == 365


def test_half_life_longer_than_the_longest_is_kept(aimed: Garden) -> None:
    memory = aimed.plant("told", created_at=EPOCH, half_life_days=1_000.0)
    assert _mark(aimed, memory, days=5).memories[0].half_life_days == 1_000


def test_one_unknown_id_records_nothing(aimed: Garden) -> None:
    memory = aimed.plant("told")
    with pytest.raises(NotFound, match="no-such"):
        _mark(aimed, memory, "no-such")
    assert aimed.get(memory).memory.feedback == 0


def test_nobody_marks_what_they_may_not_see(aimed: Garden) -> None:
    ada = aimed.seen_by(user="ada")
    secret = ada.plant("private", scope=Scope.PRIVATE)
    for stranger in (aimed.seen_by(user="bob"), aimed.seen_by(user="ada", bank="test-elsewhere")):
        with pytest.raises(NotFound):
            _mark(stranger, secret)
    assert ada.get(secret).memory.feedback == 0
    assert _mark(ada, secret).memories[0].feedback == 1


def test_archived_memory_takes_no_feedback(aimed: Garden) -> None:
    memory = aimed.plant("told")
    aimed.forget(memory)
    with pytest.raises(NotFound):
        _mark(aimed, memory)


@pytest.mark.parametrize("count", [0, 1_001])
def test_number_of_ids_out_of_range_is_an_error(aimed: Garden, count: int) -> None:
    with pytest.raises(InvalidInput):
        _mark(aimed, *(str(n) for n in range(count)))


def test_recall_itself_changes_nothing(aimed: Garden) -> None:
    memory = aimed.plant("told", vector=toward(0.9))
    before = aimed.get(memory)
    assert aimed.found(_QUERY) == [memory]
    assert aimed.get(memory) == before
