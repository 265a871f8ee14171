"""Feedback: what a reader says of hits moves later rankings, within bounds, and nobody else's memories."""

from datetime import timedelta
from typing import Any

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


def _half_life(garden: Garden, memory: str, day: float, *, useful: bool = True, **more: Any) -> float | None:
    now = EPOCH + timedelta(days=day)
    params = {"useful": useful, "identity": garden.identity, "half_life_days": 14, "now": now} | more
    return record_feedback(garden.graph, [memory], **params).memories[0].half_life_days


def test_half_life_grows_by_what_was_forgotten_before_the_use(aimed: Garden) -> None:
    memory = aimed.plant("told", created_at=EPOCH)
    assert _half_life(aimed, memory, 0) is None
    assert _half_life(aimed, memory, 14) == pytest.approx(14 * 2)
    assert _half_life(aimed, memory, 15, useful=False) == pytest.approx(28)
    assert _half_life(aimed, memory, 14 + 28) == pytest.approx(56)
    for day in range(100, 2000, 200):
        longest = _half_life(aimed, memory, day)
    assert longest == 365


def test_spaced_uses_lengthen_a_half_life_more_than_massed_ones(aimed: Garden) -> None:
    massed, spaced, once = (aimed.plant(text, created_at=EPOCH) for text in ("massed 一次", "spaced", "once"))
    for use in range(6):
        _half_life(aimed, massed, 30 + use / 24)
        _half_life(aimed, spaced, 5 * (use + 1))
    days = {m: aimed.get(m).memory.half_life_days or 0 for m in (massed, spaced)}
    assert days[spaced] > 1.4 * days[massed]
    assert days[massed] == pytest.approx(_half_life(aimed, once, 30), rel=0.05)


def test_half_life_of_domain_and_type_is_where_growth_begins(aimed: Garden) -> None:
    support = aimed.plant("a ticket", created_at=EPOCH, domain="support")
    fact = aimed.plant("a fact", created_at=EPOCH, type="fact")
    both = aimed.plant("both", created_at=EPOCH, domain="support", type="fact")
    own = aimed.plant("own", created_at=EPOCH, domain="support", half_life_days=8.0)
    given = {"half_lives": {"support": 4, "fact": 20}}
    assert _half_life(aimed, support, 4, **given) == pytest.approx(8)
    assert _half_life(aimed, fact, 20, **given) == pytest.approx(40)
    assert _half_life(aimed, both, 4, **given) == pytest.approx(8)
    assert _half_life(aimed, own, 8, **given) == pytest.approx(16)


def test_recency_falls_by_the_half_life_of_the_domain(aimed: Garden) -> None:
    same = toward(0.9, "same")
    quick = aimed.plant("told in support", vector=same, domain="support")
    slow = aimed.plant("told elsewhere", vector=same, domain="slow")
    for now in (EPOCH + timedelta(days=4), EPOCH + timedelta(days=40)):
        recency = {
            hit.memory.id: term.value
            for hit in aimed.search(_QUERY, now=now, min_score=0.0).hits
            for term in hit.terms
            if term.name == "recency"
        }
        days = (now - EPOCH).days
        assert recency[quick] == pytest.approx(2 ** (-days / 4), abs=1e-3)
        assert recency[slow] == pytest.approx(2 ** (-days / 90), abs=1e-3)


def test_half_life_longer_than_the_longest_is_kept(aimed: Garden) -> None:
    memory = aimed.plant("told", created_at=EPOCH, half_life_days=1_000.0)
    assert _mark(aimed, memory, days=500).memories[0].half_life_days == 1_000


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
