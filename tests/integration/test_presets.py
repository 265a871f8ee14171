"""Presets: the formulas the field publishes, on the same candidates as our own blend."""

import math
from datetime import timedelta

import pytest

from retrograph.errors import InvalidInput
from retrograph.models import Hit

from .conftest import DIMENSIONS, EPOCH, Garden, toward

_QUERY = "zzyzx"
_NOW = EPOCH + timedelta(days=14)
_PUBLISHED = ("similarity-feedback", "similarity-importance-time", "vector-entity", "decay-product")


@pytest.fixture
def aimed(garden: Garden) -> Garden:
    garden.encoder.plan[_QUERY] = [1.0] + [0.0] * (DIMENSIONS - 1)
    return garden


def _only_hit(garden: Garden, preset: str) -> Hit:
    (hit,) = garden.search(_QUERY, preset=preset, now=_NOW, half_life_days=14).hits
    return hit


@pytest.mark.parametrize(
    ("preset", "expected"),
    [
        # Cosine 0.8, one half-life old, importance 0.6, five accesses, feedback 3.
        ("similarity-feedback", 0.5 * 0.8 + 0.2 * 0.5 + 0.2 * (1 - math.exp(-1)) + 0.1 * 0.75),
        ("similarity-importance-time", 0.6 * 0.8 + 0.2 * 0.6 + 0.2 * 0.5),
        ("decay-product", 0.8 * 0.5 * 0.6),
    ],
)
def test_published_formula_is_computed_as_published(aimed: Garden, preset: str, expected: float) -> None:
    aimed.plant("told", vector=toward(0.8), importance=0.6, access_count=5, feedback=3)
    # Recency is by halves with ln 2 to four digits.
    assert _only_hit(aimed, preset).score == pytest.approx(expected, abs=2e-3)


def test_formula_with_entities_counts_activation(aimed: Garden) -> None:
    aimed.plant("told", vector=toward(0.8), importance=0.6, mentions=["rig7"])
    terms = {term.name: term for term in _only_hit(aimed, "vector-entity").terms}
    assert terms["entity"].value > 0
    assert [terms[name].weight for name in ("similarity", "entity", "importance", "recency", "access")] == [
        0.4, 0.2, 0.15, 0.15, 0.1,
    ]  # fmt: skip


@pytest.mark.parametrize("preset", _PUBLISHED)
def test_terms_of_a_published_formula_add_up_to_the_score(aimed: Garden, preset: str) -> None:
    told = aimed.plant("told 服务器", vector=toward(0.8), importance=0.6, access_count=5, feedback=-2, mentions=["a"])
    aimed.plant("linked", mentions=["a"])
    for hit in aimed.search(_QUERY, preset=preset, now=_NOW).hits:
        assert {term.name for term in hit.terms} == {
            "similarity", "entity", "importance", "recency", "access", "feedback",
        }  # fmt: skip
        assert hit.score == pytest.approx(sum(term.contribution for term in hit.terms), abs=1e-6)
    explained = aimed.explain(_QUERY, told, preset=preset, now=_NOW)
    assert explained.found
    assert any("similarity" in step for step in explained.steps)


def test_unknown_preset_is_an_error_that_lists_them(garden: Garden) -> None:
    garden.plant("told")
    with pytest.raises(InvalidInput) as error:
        garden.search(_QUERY, preset="best")
    for name in ("retrograph", *_PUBLISHED):
        assert name in str(error.value.cure)


def test_greatest_boosts_do_not_lift_what_bears_less_on_the_query(aimed: Garden) -> None:
    """Everything that can be said for the one, everything against the other: the nearer one is first all the same."""
    near = aimed.plant("near", vector=toward(0.9, "near"), importance=0.0, feedback=-50, confidence=0.3)
    famous = aimed.plant(
        "famous", vector=toward(0.7, "famous"), importance=1.0, feedback=50, access_count=500, at=_NOW, confidence=1.0
    )
    aimed.plant("nothing to do with it", importance=1.0, feedback=50, access_count=500, pinned=True)
    assert aimed.found(_QUERY, now=_NOW) == [near, famous]


def test_published_sum_lifts_fame_where_our_own_does_not(aimed: Garden) -> None:
    """What the comparison is for."""
    near = aimed.plant("near", vector=toward(0.9, "near"), importance=0.0, at=EPOCH - timedelta(days=300))
    famous = aimed.plant("famous", vector=toward(0.7, "famous"), importance=1.0, feedback=50, access_count=500, at=_NOW)
    assert aimed.found(_QUERY, now=_NOW) == [near, famous]
    assert aimed.found(_QUERY, now=_NOW, preset="similarity-feedback") == [famous, near]
