"""Nothing of one tenant, user or team is seen by another: no hit, no step, no count, no link, no hint."""

from collections.abc import Callable
from typing import Any

import pytest

from retrograph.errors import NotFound
from retrograph.memory.administering import bank_stats, get_memory, link_memories
from retrograph.models import Identity, Scope

from .conftest import DIMENSIONS, Garden, ask, toward

_QUERY = "zzyzx"
_AXIS = [1.0] + [0.0] * (DIMENSIONS - 1)


@pytest.fixture
def ann(plant: Callable[..., Garden]) -> Garden:
    """Ann's view of a bank in which the query points along the first axis."""
    garden = plant(user="ann", agent="helper", team="red")
    garden.encoder.plan[_QUERY] = _AXIS
    return garden


_OTHERS: list[tuple[str, dict[str, Any]]] = [
    ("private", {"user": "eve"}),
    ("private", {"user": None, "agent": "other"}),
    ("private", {"user": "ann", "bank": "elsewhere"}),
    ("team", {"user": "eve", "team": "blue"}),
]


@pytest.mark.parametrize(("scope", "who"), _OTHERS)
def test_memory_of_somebody_else_is_nowhere_in_an_answer(ann: Garden, scope: str, who: dict[str, Any]) -> None:
    if "bank" in who:
        who = who | {"bank": f"{ann.identity.bank}-{who['bank']}"}
    eve = ann.seen_by(**who)
    near = {"vector": toward(0.99), "scope": scope, "mentions": ["turbine"], "session": "s", "tags": ("x",)}
    hers = [eve.plant(f"secret {n} zzyzx", **near) for n in range(5)]
    mine = ann.plant("mine zzyzx", vector=toward(0.5), mentions=["turbine"], session="s", tags=("x",))
    linked = ann.plant("mine too", vector=toward(-1.0), mentions=["other"])
    if eve.identity.bank == ann.identity.bank:  # no call makes an edge between two banks
        ann.link(mine, hers[0])
        ann.link(hers[0], linked)
    for more in ({}, {"deep": True}, {"tags": ("x",)}, {"session": "s"}, {"limit": 50}):
        result = ann.search(_QUERY, **more)
        steps = {step.id for hit in result.hits for step in hit.path}
        assert {hit.memory.id for hit in result.hits} <= {mine, linked}
        assert not steps & set(hers)
        assert not any("secret" in step.name for hit in result.hits for step in hit.path)
        assert "secret" not in str(result)
    assert [h.memory.id for h in ann.search("turbine zzyzx").hits][:1] == [mine]


@pytest.mark.parametrize(("scope", "who"), _OTHERS)
def test_memory_of_somebody_else_cannot_be_read_linked_explained_or_counted(
    ann: Garden, scope: str, who: dict[str, Any]
) -> None:
    if "bank" in who:
        who = who | {"bank": f"{ann.identity.bank}-{who['bank']}"}
    eve = ann.seen_by(**who)
    hers = eve.plant("hers zzyzx", scope=scope, mentions=["only hers"], session="only hers")
    mine = ann.plant("mine")
    ann.link(mine, hers)
    with pytest.raises(NotFound):
        ann.get(hers)
    with pytest.raises(NotFound):
        ann.explain(_QUERY, hers)
    for pair in ((mine, hers), (hers, mine)):
        with pytest.raises(NotFound):
            link_memories(ann.graph, *pair, "supports", strength=1.0, identity=ann.identity)
    assert ann.get(mine).links == ()
    stats = bank_stats(ann.graph, identity=ann.identity)
    assert (stats.memories, stats.entities, stats.sessions) == (1, 0, 0)


def test_not_found_says_the_same_of_what_is_hidden_and_of_what_is_not_there(ann: Garden) -> None:
    hers = ann.seen_by(user="eve").plant("hers", scope="private")

    def said(memory_id: str) -> str:
        with pytest.raises(NotFound) as refused:
            get_memory(ann.graph, memory_id, identity=ann.identity)
        return str(refused.value).replace(memory_id, "ID")

    assert said(hers) == said("0198-not-there")


def test_identity_sees_what_is_its_own_its_teams_and_everyones(ann: Garden) -> None:
    eve = ann.seen_by(user="eve")
    rows = {
        "my own": ann.row("my own zzyzx", scope=Scope.PRIVATE),
        "my agent's": ann.seen_by(user=None).row("my agent's zzyzx", scope=Scope.PRIVATE),
        "my team's": eve.row("my team's zzyzx", scope=Scope.TEAM),
        "everyone's": eve.row("everyone's zzyzx", scope=Scope.GLOBAL),
        "hers": eve.row("hers zzyzx", scope=Scope.PRIVATE),
    }
    ann.plant_all(list(rows.values()))
    seen = {hit.memory.content.removesuffix(" zzyzx") for hit in ann.search(_QUERY, limit=20).hits}
    assert seen == {"my own", "my agent's", "my team's", "everyone's"}
    nobody = ann.seen_by(user=None, agent=None, team="main")
    assert {h.memory.content.removesuffix(" zzyzx") for h in nobody.search(_QUERY, limit=20).hits} == {"everyone's"}


@pytest.mark.parametrize("bank", ["a b", "*", "b OR c", "租户", "A", "a", "x" * 200, 'a"b', "a'b"])
def test_bank_names_are_never_mixed_up(plant: Callable[..., Garden], bank: str) -> None:
    base = plant()
    prefix = base.identity.bank
    one, other = base.seen_by(bank=f"{prefix}{bank}"), base.seen_by(bank=f"{prefix}{bank.swapcase()}!")
    for garden in (one, other):
        base.graph.run(
            "create_bank", bank=garden.identity.bank, encoder=base.encoder.name, slot=base.slot, dimensions=DIMENSIONS
        )
    mine = one.plant("turbine zzyzx", mentions=["Turbine"])
    theirs = other.plant("turbine zzyzx", mentions=["Turbine"])
    assert one.found("turbine zzyzx") == [mine]
    assert other.found("turbine zzyzx") == [theirs]


def test_no_edge_crosses_from_bank_to_bank(plant: Callable[..., Garden]) -> None:
    gardens = [plant(), plant()]
    for garden in gardens:
        memory = garden.plant("Ann lives in Oslo", mentions=["Ann", "Oslo"], session="s")
        garden.plant("Ann again", mentions=["Ann"], session="s")
        garden.relate("Ann", "lives_in", "Oslo", memory_id=memory)
    crossing = ask(
        gardens[0].graph,
        "MATCH (a {bank: $bank})--(b) WHERE b.bank <> $bank RETURN count(*) AS n",
        bank=gardens[0].identity.bank,
    )
    assert crossing == [{"n": 0}]


def test_two_users_sessions_of_one_name_are_two_sessions(ann: Garden) -> None:
    eve = ann.seen_by(user="eve")
    first = ann.plant("ann's turn", session="monday", scope="private")
    second = eve.plant("eve's turn", session="monday", scope="private")
    rows = ask(ann.graph, "MATCH (s:Session {bank: $bank}) RETURN count(s) AS n", bank=ann.identity.bank)
    assert rows == [{"n": 2}]
    chained = ask(ann.graph, "MATCH (:Memory {id: $a})-[r:NEXT]-(:Memory {id: $b}) RETURN r", a=first, b=second)
    assert chained == []


def test_identity_without_a_bank_row_reads_nothing(ann: Garden) -> None:
    ann.plant("mine zzyzx")
    assert ann.seen_by(bank="").search(_QUERY).hits == ()
    assert bank_stats(ann.graph, identity=Identity("never made")).memories == 0
