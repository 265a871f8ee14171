"""The checks of a bank's graph: each finds the fault that it is for, and what is safe is put right."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from retrograph.consolidation import CHECKS, CheckReport, check_bank
from retrograph.graph.store import Supersession
from retrograph.memory.trajectories import Step, StepKind, TaskStatus

from .conftest import EPOCH, Garden, ask
from .test_consolidation import consolidate
from .test_consolidation_jobs import LATE, _everything
from .test_consolidation_reflecting import ran

_MINE = "MATCH (m:Memory {bank: $bank}) WHERE m.content = 'Ann keeps bees.' "


def check(garden: Garden, *, repair: bool = False) -> CheckReport:
    return check_bank(garden.graph, garden.identity.bank, encoder=lambda: garden.encoder, repair=repair)


@pytest.fixture
def kept(garden: Garden) -> Garden:
    """A bank with something for every check, in order."""
    older = garden.plant("Ann keeps cats.", mentions=["Ann"])
    newer = garden.plant("Ann keeps bees.", mentions=["Ann", "Bees"], session="s", at=EPOCH + timedelta(days=1))
    garden.plant_all([], supersessions=[Supersession(newer, older, "told otherwise")])
    garden.plant("安养猫，Ann likes tea。", mentions=["安"], session="s", language="mixed")
    garden.seen_by(user="安").plant("私人的事。", scope="private", language="zh")
    garden.relate("Ann", "keeps", "Bees", memory_id=newer)
    garden.forget(garden.plant("It rained.", mentions=["Rain"]))
    ran(garden, Step(StepKind.TOOL, tool="ls", output="a"), Step(StepKind.RESULT, "done"), status=TaskStatus.SUCCESS)
    return garden


def test_bank_in_order_has_no_fault(kept: Garden) -> None:
    report = check(kept)
    assert report.faults == ()
    assert (report.memories, report.runs, report.left) == (5, 1, 0)
    assert report.entities == 4


def test_bank_that_was_consolidated_and_undone_has_no_fault(garden: Garden) -> None:
    _everything(garden)
    report = consolidate(garden, now=LATE, settings={"archive_summarised": True})
    assert report.changed > 10
    assert check(garden).faults == ()
    from retrograph.consolidation import undo_run

    assert report.run
    undo_run(garden.graph, garden.identity.bank, report.run)
    assert check(garden).faults == ()


_REPAIRED = {
    "layer": "SET m:Episodic",
    "layer, none": "REMOVE m:Semantic",
    "vector": "MATCH (e:EmbeddingA|EmbeddingB|EmbeddingC|EmbeddingD {id: m.id}) DELETE e",
    "vector filters": "MATCH (e:EmbeddingA|EmbeddingB|EmbeddingC|EmbeddingD {id: m.id}) SET e.status = 'archived'",
    "vector filters, audience": "MATCH (e:EmbeddingA|EmbeddingB|EmbeddingC|EmbeddingD {id: m.id}) "
    "SET e.audience = 'u61'",
    "superseded": "MATCH (m)-[:SUPERSEDES]->(o) SET o.status = 'active', "
    "o.filter_tokens = replace(o.filter_tokens, 'ssuperseded', 'sactive') "
    "WITH o MATCH (e:EmbeddingA|EmbeddingB|EmbeddingC|EmbeddingD {id: o.id}) SET e.status = 'active', "
    "e.audience = replace(e.audience, 'superseded', 'active')",
    "hash": "SET m.content_hash = 'x'",
    "context": "SET m.context = 'Monday'",
    "relation": "MATCH (:Entity {bank: $bank})-[r:RELATES]->() SET r.memory_ids = ['gone', m.id]",
    "relation, backed by nothing": "MATCH (:Entity {bank: $bank})-[r:RELATES]->() SET r.memory_ids = []",
    "orphan": "CREATE (:Entity {bank: $bank, key: '无人提及', name: '无人提及', type: 'concept'})",
}


@pytest.mark.parametrize("name", _REPAIRED)
def test_fault_is_found_named_and_put_right(kept: Garden, name: str) -> None:
    kind = name.partition(",")[0]
    ask(kept.graph, _MINE + _REPAIRED[name], write=True, bank=kept.identity.bank)
    report = check(kept)
    assert report.counts == {kind: 1}
    assert [fault.check for fault in report.faults] == [kind]
    assert report.left == 1
    assert check(kept).counts == {kind: 1}, "looking changes nothing"
    mended = check(kept, repair=True)
    assert [fault.repaired for fault in mended.faults] == [True]
    assert mended.left == 0
    assert check(kept).faults == ()
    words = [m.content for m in (hit.memory for hit in kept.search("Ann bees", limit=10, min_score=0.0).hits)]
    assert "Ann keeps bees." in words
    assert "Ann keeps cats." not in words


_REPORTED = {
    "words filters": "SET m.filter_tokens = 'sactive'",
    "audience": "SET m.scope = 'private', m.user_id = 'ann'",
    "circle": "MATCH (m)-[:SUPERSEDES]->(o) CREATE (o)-[:SUPERSEDES]->(m)",
    "bank": "CREATE (m)-[:LINKS {type: 'similar', strength: 1.0}]->(:Memory {id: $bank + 'x', bank: 'another'})",
    "steps": "MATCH (t:Trajectory {bank: $bank})-[:STEP]->(s {number: 2}) DETACH DELETE s",
}


@pytest.mark.parametrize("kind", _REPORTED)
def test_fault_that_has_two_sides_is_only_reported(kept: Garden, kind: str) -> None:
    ask(kept.graph, _MINE + _REPORTED[kind], write=True, bank=kept.identity.bank)
    for repair in (False, True):
        report = check(kept, repair=repair)
        assert report.counts[kind] >= 1
        assert not any(fault.repaired for fault in report.faults if fault.check == kind)
        assert report.left >= 1


def test_leftovers_of_a_write_that_was_cut_off_are_removed(kept: Garden) -> None:
    slot = kept.slot.upper()
    ask(
        kept.graph,
        f"CREATE (:Embedding{slot} {{id: $id, bank: $bank}}) CREATE (:JobChunk {{id: $id}})",
        write=True,
        id=f"stray-{kept.identity.bank}",
        bank=kept.identity.bank,
    )
    report = check(kept)
    assert {(f.check, f.detail) for f in report.faults} == {("leftover", "vector"), ("leftover", "chunk")}
    assert check(kept, repair=True).left == 0
    assert check(kept).faults == ()


def test_lease_of_a_dead_process_is_released_and_a_live_one_is_left(kept: Garden) -> None:
    long_ago = datetime.now(UTC) - timedelta(days=2)
    name = f"consolidate:{kept.identity.bank}"
    for lease, at in ((name, long_ago), (f"{name}-live", datetime.now(UTC) + timedelta(minutes=1))):
        ask(
            kept.graph,
            "CREATE (:Lease {name: $name, holder: 'h', expires_at: $at})",
            write=True,
            name=lease,
            at=at,
        )
    assert [fault.id for fault in check(kept).faults if fault.check == "lease"] == [name]
    check(kept, repair=True)
    left: list[dict[str, Any]] = ask(
        kept.graph, "MATCH (l:Lease) WHERE l.name STARTS WITH $name RETURN l.name AS name", name=name
    )
    assert left == [{"name": f"{name}-live"}]
    ask(kept.graph, "MATCH (l:Lease {name: $name}) DELETE l", write=True, name=f"{name}-live")


def test_index_that_is_gone_is_made_again(kept: Garden) -> None:
    kept.graph.run_statement("CYPHER 25 DROP INDEX job_state", doing="test")
    try:
        report = check(kept)
        assert [(fault.check, fault.id) for fault in report.faults] == [("index", "job_state")]
    finally:
        mended = check(kept, repair=True)
    assert mended.left == 0
    assert check(kept).faults == ()


def test_memory_that_a_text_index_does_not_have_is_told(kept: Garden) -> None:
    ask(kept.graph, _MINE + "REMOVE m.filter_tokens", write=True, bank=kept.identity.bank)
    report = check(kept)
    assert report.counts == {"words filters": 1, "indexed": 2}


def test_every_check_has_a_fault_that_shows_it() -> None:
    shown = {name.partition(",")[0] for name in _REPAIRED} | set(_REPORTED)
    assert shown | {"leftover", "lease", "index", "indexed"} == set(CHECKS)
