"""Each query file on a real Neo4j: what the planner makes of it, and graph in, rows out."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import Any

import neo4j
import pytest

from retrograph import cypher
from retrograph.graph import Connection, Graph, open_bank_space
from retrograph.graph.records import reader, visible_as
from retrograph.graph.store import Supersession, find_claims
from retrograph.models import Source

from .conftest import DIMENSIONS, EPOCH, Garden, ask

_AT = EPOCH
_BANK = "explained"

_SENSIBLE: dict[str, Any] = {
    "STRING": "a",
    "BOOLEAN": True,
    "INTEGER": 5,
    "FLOAT": 0.5,
    "ZONED DATETIME": _AT,
    "MAP": {},
    "LIST<STRING>": ["a", "b"],
    "LIST<INTEGER>": [1],
    "LIST<FLOAT>": [1.0] * DIMENSIONS,
    "LIST<MAP>": [],
    "LIST<LIST<ANY>>": [],
}
"""A value of each declared type: the planner looks at types, not at values."""

SCANS = {
    "bank_stats": ("ArchivedMemory", "the archive has no index by bank; counting it is rare"),
    "claim_slot": ("EmbeddingSlot", "there are at most four embedding slots"),
    "list_jobs": ("Job", "a job is an ingest that somebody asked for: there are few, and one by its id is looked up"),
    "list_tokens": ("AccessToken", "a token is made by hand: there are few"),
    "list_migrations": ("SchemaMigration", "there is a migration for each version of the schema, a handful"),
    "read_load": ("Memory", "the whole database is counted, at most four times a minute"),
    "remove_strays": (
        "EmbeddingA",
        "once, at the end of a re-embedding: vectors are found by id, and these ids are gone",
    ),
}
"""Queries that may scan a label, which, and why."""

_STOCK = """CYPHER 25
UNWIND range(0, 2999) AS n
CREATE (m:Memory {id: 'stock-' + n, bank: 'stock-' + n % 40, session_key: 'stock-' + n / 20, created_at: $at,
                  occurred_at: $at + duration({minutes: n}), derived_by: 'stock-' + n % 200, audience: 'b',
                  status: 'active'})
MERGE (s:Session {bank: m.bank, key: m.session_key})
CREATE (m)-[:IN_SESSION]->(s)
CREATE (m)-[:SUPERSEDES {at: $at}]->(older:Memory {id: 'older-' + n, bank: m.bank})
CREATE (m)-[:DERIVED_FROM]->(older)"""
"""Enough of each kind, in many banks: in a store of a handful the planner rightly scans."""

_NO_DATA = {
    "await_indexes",
    "drop_embedding_index",
    "list_indexes",
    "list_transactions",
    "read_place",
    *(name for name in cypher.names() if name.startswith("create_") and name != "create_bank"),
}


@pytest.fixture(scope="module")
def session(database: Connection, graph: Graph) -> Iterator[neo4j.Session]:
    """The bare driver, to ask for plans and read its notices."""
    open_bank_space(graph, _BANK, encoder="test-planned", dimensions=DIMENSIONS)
    auth = (database.username, database.password)
    with neo4j.GraphDatabase.driver(database.uri, auth=auth) as driver, driver.session() as opened:
        opened.run(_STOCK, at=_AT).consume()
        opened.run("CALL db.prepareForReplanning()").consume()
        yield opened
        opened.run("MATCH (n) WHERE n.bank STARTS WITH 'stock-' DETACH DELETE n").consume()


def _parameters(query: cypher.CypherQuery) -> dict[str, Any]:
    unknown = set(query.params.values()) - _SENSIBLE.keys()
    assert not unknown, f"{query.name}.cypher declares types that are not in _SENSIBLE: {unknown}"
    return {name: _SENSIBLE[kind] for name, kind in query.params.items()}


def _forms(query: cypher.CypherQuery, full: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """With all optional parameters, with none, and with each alone."""
    options = sorted(query.optional)
    for kept in chain([options, []], ([one] for one in options)):
        yield {name: None if name in query.optional and name not in kept else value for name, value in full.items()}


def _slot(session: neo4j.Session) -> str:
    return session.run("MATCH (b:Bank {name: $bank}) RETURN b.slot AS slot", bank=_BANK).single(strict=True)["slot"]


def _uses_an_index(kind: str) -> bool:
    # An index that is nearly empty is read whole rather than searched.
    return (
        "IndexSeek" in kind
        or "IndexScan" in kind
        or "Search" in kind
        or "MergeUniqueNode" in kind
        or kind == "ProcedureCall"
    )


def _operators(plan: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield plan["operatorType"].partition("@")[0], plan.get("args", {}).get("Details", "")
    for child in plan.get("children", ()):
        yield from _operators(child)


@pytest.mark.parametrize("name", [n for n in cypher.names() if n not in _NO_DATA])
def test_query_is_planned_over_indexes_without_a_notice(name: str, session: neo4j.Session) -> None:
    slot = _slot(session)
    query = cypher.load(name).in_slot(slot)
    excused = SCANS[name][0].replace("EmbeddingA", f"Embedding{slot.upper()}") if name in SCANS else ""
    for full in _forms(query, _parameters(query)):
        text, given = query.bind(full)
        summary = session.run(f"EXPLAIN {text}", given).consume()
        notices = [
            f"{s.gql_status} {s.status_description}"
            for s in summary.gql_status_objects
            if s.is_notification and s.raw_classification in ("DEPRECATION", "PERFORMANCE", "GENERIC", "UNSUPPORTED")
        ]
        assert notices == []
        assert summary.plan is not None
        operators = list(_operators(summary.plan))
        kinds = {kind for kind, _ in operators}
        assert not {"AllNodesScan", "DirectedAllRelationshipsScan", "UndirectedAllRelationshipsScan"} & kinds, sorted(
            kinds
        )
        scans = [details for kind, details in operators if "LabelScan" in kind or "LabelsScan" in kind]
        assert {label.partition(":")[2] for label in scans} <= {excused}, scans
        seeks = [kind for kind in kinds if _uses_an_index(kind)]
        assert seeks or scans or "NodeCountFromCountStore" in kinds, sorted(kinds)


def test_excused_scans_are_still_scans(session: neo4j.Session) -> None:
    for name in SCANS:
        query = cypher.load(name)
        scanned: set[str] = set()
        for full in _forms(query, _parameters(query)):
            text, given = query.bind(full)
            plan = session.run(f"EXPLAIN {text}", given).consume().plan  # pyright: ignore[reportArgumentType]
            assert plan is not None
            scanned |= {details.partition(":")[2] for kind, details in _operators(plan) if "LabelScan" in kind}
        assert SCANS[name][0] in scanned, f"{name} needs no excuse any more"


def test_check_of_plans_sees_a_scan_and_a_deprecation(session: neo4j.Session) -> None:
    plan = session.run("EXPLAIN CYPHER 25 MATCH (n) WHERE n.x = 1 RETURN n").consume().plan
    assert plan is not None
    assert "AllNodesScan" in {kind for kind, _ in _operators(plan)}
    with pytest.raises(AssertionError, match="DEPRECATION"):
        session.run("EXPLAIN CYPHER 5 MATCH (n:Memory) RETURN id(n)").consume()


@pytest.mark.parametrize("name", [n for n in cypher.names() if n not in _NO_DATA])
def test_columns_are_the_declared_ones(name: str, session: neo4j.Session) -> None:
    query = cypher.load(name).in_slot(_slot(session))
    text, given = query.bind(_parameters(query))
    assert list(session.run(f"EXPLAIN {text}", given).keys()) == list(query.returns)


# --- Graph in, rows out ---------------------------------------------------------------------------------------------


def test_mark_batch_leaves_the_last_batch_and_tells_the_one_before(garden: Garden) -> None:
    bank = garden.identity.bank
    asked = {"keys": [], "identity_keys": [], "source_keys": []}

    def marked(batch: str) -> list[dict[str, Any]]:
        return garden.graph.run("mark_batch", bank=bank, batch=batch)

    garden.graph.run("mark_batch", bank=bank, batch="first")
    assert marked("second") == [{"before": "first"}]
    assert garden.graph.run("prepare_writes", bank=bank, **asked)[0]["last_batch"] == "second"
    assert garden.graph.run("mark_batch", bank="another bank", batch="third") == []


def test_prepare_writes_knows_entities_and_tellings_of_this_bank_only(garden: Garden) -> None:
    row = garden.row("Ann is here.", mentions=["Ann"])
    garden.plant_all([row])
    asked = {"keys": ["ann", "bob"], "identity_keys": [row["identity_key"]], "source_keys": [row["source_key"], "x"]}
    known = garden.graph.run("prepare_writes", bank=garden.identity.bank, **asked)[0]
    assert known["entities"] == [{"key": "ann", "name": "Ann", "type": "concept"}]
    assert {twin["id"] for twin in known["twins"]} == {row["id"]}
    other = garden.graph.run("prepare_writes", bank="another bank", **(asked | {"identity_keys": []}))[0]
    assert other == {"entities": [], "twins": [], "last_batch": None}


def test_find_neighbours_gives_the_nearest_of_one_audience_and_of_each_status(garden: Garden) -> None:
    near = garden.plant("near", vector=[1.0, 0.1] + [0.0] * 14, mentions=["Ann"])
    far = garden.plant("far", vector=[0.1, 1.0] + [0.0] * 14)
    old = garden.plant("old", vector=[1.0] + [0.0] * 15, status="superseded")
    garden.seen_by(user="eve").plant("private", vector=[1.0] + [0.0] * 15, scope="private")
    query = cypher.load("find_neighbours").in_slot(garden.slot)
    rows = [{"row": 7, "vector": [1.0] + [0.0] * 15}, {"row": 8, "vector": [1.0] + [0.0] * 15}]
    current, former = (visible_as(garden.identity.bank, "g", status) for status in ("active", "superseded"))
    asked = {"visible": [current], "rows": rows, "k": 5}
    found = {row["memory"]["id"]: row for row in garden.graph.run(query, **asked, least=0.0)}
    assert set(found) == {near, far}
    assert found[near]["memory"]["entities"] == ["ann"]
    cosines = {of["row"]: of["cosine"] for of in found[near]["near"]}
    assert cosines == {7: pytest.approx(1 / 1.01**0.5, abs=1e-3), 8: pytest.approx(1 / 1.01**0.5, abs=1e-3)}
    assert [row["memory"]["id"] for row in garden.graph.run(query, **asked, least=0.9)] == [near]
    one_each = garden.graph.run(query, **asked | {"visible": [current, former], "k": 1}, least=0.0)
    assert {row["memory"]["id"] for row in one_each} == {near, old}


def test_claims_of_other_banks_and_of_the_archive_hide_none_of_this_one(garden: Garden) -> None:
    key = "c12345678901234567890"

    def claim(at: Garden, text: str) -> dict[str, Any]:
        row = at.row(text)
        tokens = f"{row['properties']['filter_tokens']} {key}"
        return row | {"properties": row["properties"] | {"claim_keys": [key], "filter_tokens": tokens}}

    mine = garden.plant_all([claim(garden, f"Priya lives in town {n}.") for n in range(12)])
    garden.forget(*mine[:10])
    other = garden.seen_by(bank=f"{garden.identity.bank}-other")
    other.plant_all([claim(other, f"Priya lives in town {n}.") for n in range(60)])
    found = find_claims(garden.graph, garden.identity.bank, "g", [[key], [], ["cnothing"]], limit=5)
    assert [[s.id for s in claims] for claims in found] == [sorted(mine[10:]), [], []]


def test_find_memories_lists_what_matches_oldest_first(garden: Garden) -> None:
    rows = [
        garden.row("second", at=EPOCH + timedelta(hours=2), domain="d", tags=("x", "y"), session="s"),
        garden.row("first", at=EPOCH, domain="d", tags=("x",), session="s", source=Source.TOOL),
        garden.row("third", at=EPOCH + timedelta(hours=4)),
    ]
    second, first, third = garden.plant_all(rows)
    base: dict[str, Any] = {
        "bank": garden.identity.bank, "audiences": ["g"], "statuses": ["active"], "types": None, "domain": None,
        "session": None, "source": None, "tags": None, "since": None, "until": None, "limit": 10,
    }  # fmt: skip

    def listed(**more: Any) -> list[str]:
        return [row["id"] for row in garden.graph.run("find_memories", **(base | more))]

    assert listed() == [first, second, third]
    assert listed(limit=1) == [first]
    assert listed(domain="d", tags=["x"]) == [first, second]
    assert listed(tags=["x", "y"]) == [second]
    assert listed(source="tool") == [first]
    assert listed(session="s", since=EPOCH + timedelta(hours=1)) == [second]
    assert listed(until=EPOCH + timedelta(hours=2)) == [first]
    assert listed(statuses=["superseded"]) == []
    assert listed(audiences=["t00"]) == []
    assert listed(bank="other") == []


def test_chain_sessions_puts_late_comers_into_their_place(garden: Garden) -> None:
    for hour in (4, 1, 3, 2, 0):
        garden.plant(f"turn {hour}", at=EPOCH + timedelta(hours=hour), session="s")
    garden.plant("elsewhere", at=EPOCH + timedelta(hours=2, minutes=30), session="t")
    assert _chain(garden) == [(f"turn {n}", f"turn {n + 1}") for n in range(4)]


def test_chain_sessions_orders_turns_of_one_instant_by_id(garden: Garden) -> None:
    garden.plant_all([garden.row(f"turn {n}", session="s") for n in range(5)])
    edges = _chain(garden)
    assert len(edges) == 4
    assert len({a for a, _ in edges}) == len({b for _, b in edges}) == 4


def _chain(garden: Garden) -> list[tuple[str, str]]:
    rows = ask(
        garden.graph,
        "MATCH (a:Memory {bank: $bank})-[:NEXT]->(b) RETURN a.content AS a, b.content AS b ORDER BY a",
        bank=garden.identity.bank,
    )
    return [(row["a"], row["b"]) for row in rows]


def test_refresh_contexts_gathers_what_stands_around_a_turn(garden: Garden) -> None:
    ids = [
        garden.plant(f"turn {n}", at=EPOCH + timedelta(hours=n), session="s", speaker="Ann", date_words=f"day {n}")
        for n in range(5)
    ]
    context = ask(garden.graph, "MATCH (m:Memory {id: $id}) RETURN m.context AS c", id=ids[2])[0]["c"]
    lines = context.splitlines()
    assert lines[0] == "day 2"
    assert [line for line in lines if "turn" in line] == ["Ann: turn 0", "Ann: turn 1", "Ann: turn 2", "Ann: turn 3"]


def test_refresh_contexts_keeps_a_private_turn_out_of_its_neighbours(garden: Garden) -> None:
    ann = garden.seen_by(user="ann")
    ann.plant("for everyone", session="s")
    ann.plant("secret words", at=EPOCH + timedelta(hours=1), session="s", scope="private")
    ann.plant("for everyone again", at=EPOCH + timedelta(hours=2), session="s")
    rows = ask(
        garden.graph, "MATCH (m:Memory {bank: $bank, audience: 'g'}) RETURN m.context AS c", bank=garden.identity.bank
    )
    assert len(rows) == 2
    assert not any("secret" in row["c"] for row in rows)


def test_link_memories_keeps_the_greater_strength(garden: Garden) -> None:
    a, b = garden.plant("a"), garden.plant("b")
    row = {"row": 0, "from_id": a, "to_id": b, "type": "supports", "strength": 0.5, "at": _AT}
    assert garden.graph.run("link_memories", rows=[row])[0]["created"]
    again = garden.graph.run("link_memories", rows=[row | {"strength": 0.9}, row | {"strength": 0.2}])
    assert [(r["created"], r["strength"]) for r in again] == [(False, 0.9), (False, 0.9)]
    assert garden.graph.run("link_memories", rows=[row | {"to_id": "nowhere"}]) == []


def test_reinforce_memories_counts_a_source_once(garden: Garden) -> None:
    memory = garden.plant("said before")
    row = {"id": memory, "source_key": "k1", "at": datetime(2026, 4, 1, tzinfo=UTC)}
    assert len(garden.graph.run("reinforce_memories", rows=[row])) == 1
    assert garden.graph.run("reinforce_memories", rows=[row]) == []
    record = garden.get(memory).memory
    assert (record.access_count, record.last_accessed_at) == (1, row["at"])


def test_supersede_memories_marks_the_older_and_takes_it_out_of_both_indexes(garden: Garden) -> None:
    older = garden.plant("old words", vector=[1.0] + [0.0] * 15)
    newer = garden.plant("new words", at=EPOCH + timedelta(days=1), vector=[1.0] + [0.0] * 15)
    for _ in range(2):
        garden.plant_all([], supersessions=[Supersession(newer, older, "said so")])
    assert garden.get(older).superseded_by == (newer,)
    assert garden.get(newer).supersedes == (older,)
    record = garden.get(older).memory
    assert record.status == "superseded"
    assert garden.get(newer).memory.version == record.version + 1
    assert garden.found("words") == [newer]
    assert garden.found("words", as_of=EPOCH + timedelta(hours=1)) == [older]


def test_versions_told_in_any_order_make_one_chain(garden: Garden) -> None:
    for order in ((0, 1, 2), (2, 0, 1), (1, 2, 0)):
        ids = [garden.plant(f"version {n}", at=EPOCH + timedelta(days=n)) for n in range(3)]
        told: list[int] = []
        for number in order:
            pairs = [Supersession(ids[max(a, number)], ids[min(a, number)], "r") for a in told]
            garden.plant_all([], supersessions=pairs)
            told.append(number)
        assert [garden.get(i).supersedes for i in ids] == [(), (ids[0],), (ids[1],)], order
        records = [garden.get(i).memory for i in ids]
        assert [(r.version, r.status.value) for r in records] == [(1, "superseded"), (2, "superseded"), (3, "active")]


def test_claim_slot_gives_each_encoder_one_slot_and_none_where_all_are_taken(graph: Graph) -> None:
    """In a transaction that is rolled back: slots are for good."""
    claim = cypher.load("claim_slot")
    taken = {row["slot"] for row in ask(graph, "MATCH (s:EmbeddingSlot) RETURN s.slot AS slot")}
    free = [slot for slot in cypher.EMBEDDING_SLOTS if slot not in taken]
    again = [(claim, {"encoder": "test-planned", "dimensions": 1, "slots": list(cypher.EMBEDDING_SLOTS)})] * 2
    first, second = graph.run_all(again)
    assert first == second
    assert first[0]["dimensions"] == DIMENSIONS, "the slot keeps the size it was made with"
    assert graph.run(claim, encoder="a new one", dimensions=1, slots=sorted(taken)) == []
    assert free or len(taken) == len(cypher.EMBEDDING_SLOTS)


def test_create_bank_keeps_the_encoder_of_its_first_write(garden: Garden) -> None:
    bank = garden.identity.bank
    made = garden.graph.run("create_bank", bank=bank, encoder="another", slot="d", dimensions=9)[0]
    assert made["encoder"] == garden.encoder.name
    assert garden.graph.run("get_bank", bank=bank) == [made | {"is_arriving": False}]
    assert garden.graph.run("get_bank", bank=f"{bank}-not") == []


def test_bank_stats_count_what_the_reader_may_see(garden: Garden) -> None:
    garden.plant("one", mentions=["Ann"], session="s")
    garden.plant("two", type="event", status="superseded", at=EPOCH + timedelta(days=1))
    eve = garden.seen_by(user="eve")
    eve.plant("hers", mentions=["Secret"], session="hers", scope="private")
    gone = garden.plant("archived")
    garden.forget(gone)
    row = garden.graph.run("bank_stats", **reader(garden.identity))[0]
    assert sorted((t["type"], t["status"], t["n"]) for t in row["types"]) == [
        ("event", "superseded", 1),
        ("fact", "active", 1),
    ]
    assert (row["archived"], row["entities"], row["sessions"], row["encoder"]) == (1, 1, 1, garden.encoder.name)
    assert (row["oldest_at"], row["newest_at"]) == (EPOCH, EPOCH + timedelta(days=1))
    mine = garden.graph.run("bank_stats", **reader(eve.identity))[0]
    assert (mine["entities"], mine["sessions"]) == (2, 2)


def test_draw_bank_draws_memories_with_what_they_mention(garden: Garden, session: neo4j.Session) -> None:
    garden.plant("one", mentions=["Ann", "Bob"])
    text, given = cypher.load("draw_bank").bind({"bank": garden.identity.bank})
    paths = [record["p"] for record in session.run(text, given)]
    assert {path.end_node["name"] for path in paths} == {"Ann", "Bob"}


def test_write_relations_makes_one_edge_for_each_audience_backed_by_all_who_say_so(garden: Garden) -> None:
    first = garden.plant("a", mentions=["Ann", "Oslo"])
    second = garden.plant("b", mentions=["Ann", "Oslo"])
    for memory in (first, second, second):
        garden.relate("Ann", "lives_in", "Oslo", memory_id=memory)
    garden.relate("Ann", "lives_in", "Oslo", memory_id=second, audience="u65")
    edges = ask(
        garden.graph,
        "MATCH (:Entity {bank: $bank})-[r:RELATES]->() RETURN r.audience AS a, r.memory_ids AS ids ORDER BY a",
        bank=garden.identity.bank,
    )
    assert edges == [{"a": "g", "ids": [first, second]}, {"a": "u65", "ids": [second]}]


def test_write_aliases_is_idempotent(garden: Garden) -> None:
    memories = [garden.plant("one"), garden.plant("two")]
    row = {
        "alias": "a", "alias_key": "a", "canonical": "c", "canonical_key": "c", "type": "person",
        "audience": "g", "at": _AT
    }  # fmt: skip
    for memory in (memories[0], *memories):
        garden.graph.run("write_aliases", bank=garden.identity.bank, rows=[row | {"memory_id": memory}])
    edges = ask(
        garden.graph,
        "MATCH (:Entity {bank: $bank})-[r:ALIAS_OF]->(c) RETURN c.name AS c, r.memory_ids AS ids",
        bank=garden.identity.bank,
    )
    assert edges == [{"c": "c", "ids": memories}]
