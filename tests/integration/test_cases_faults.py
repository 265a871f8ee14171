"""Writes that break half-way at each step leave nothing; the work of a write does not grow with its session."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from retrograph import cypher
from retrograph.cypher import CypherQuery
from retrograph.errors import EncoderError, ExtractionError, GraphError
from retrograph.extraction import Extractor
from retrograph.extraction.extractor import KnownNames
from retrograph.graph import Connection, Graph, open_bank_space
from retrograph.graph.driver import Call
from retrograph.graph.records import session_key
from retrograph.memory.drafts import Draft
from retrograph.memory.writing import Writer
from retrograph.models import Extraction, Identity, Outcome, Scope
from retrograph.settings import Settings

from .conftest import DIMENSIONS, EPOCH, PlannedEncoder, Vectors, ask, dump

_DIVIDES_BY_NOTHING = CypherQuery(
    name="break",
    purpose="",
    text="UNWIND [0] AS zero RETURN 1 / zero AS n",
    mode="write",
    params={},
    returns={"n": "INTEGER"},
)


_NOTHING: KnownNames = {}


class _BrokenEncoder(PlannedEncoder):
    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        raise EncoderError("the encoder went away", cure="Start it.")


class _BrokenExtractor(Extractor):
    def extract_many(
        self, texts: Sequence[str], *, speakers: Sequence[str | None] | None = None, known_names: KnownNames = _NOTHING
    ) -> list[Extraction]:
        raise ExtractionError("the model went away", cure="Install it.")


class _BreakingGraph(Graph):
    """Fails inside the transaction that writes, after a number of its queries; counts the queries of the last."""

    def __init__(self, at: Connection, after: int) -> None:
        super().__init__(lambda: at)
        self.after = after
        self.queries = 0

    def run_all(self, calls: Sequence[Call]) -> list[list[dict[str, Any]]]:
        names = [call[0] if isinstance(call[0], str) else call[0].name for call in calls]
        if "write_memories" not in names:
            return super().run_all(calls)
        self.queries = len(calls)
        if self.after <= len(calls):
            calls = [*calls[: self.after], (_DIVIDES_BY_NOTHING, {}), *calls[self.after :]]
        return super().run_all(calls)


class _CountingGraph(Graph):
    """Asks the database for the profile of everything it runs, and adds up its hits."""

    def __init__(self, at: Connection) -> None:
        super().__init__(lambda: at)
        self.hits = 0

    def run_all(self, calls: Sequence[Call]) -> list[list[dict[str, Any]]]:
        answers: list[list[dict[str, Any]]] = []
        driver, at = self._open()
        with driver.session(database=at.database) as session, session.begin_transaction() as tx:
            for query, params in calls:
                loaded = cypher.load(query) if isinstance(query, str) else query
                text, given = loaded.bind(params)
                result = tx.run(f"PROFILE {text}", given)  # pyright: ignore[reportArgumentType]
                answers.append([record.data() for record in result])
                self.hits += _hits(result.consume().profile)
            tx.commit()
        return answers


def _hits(plan: Any) -> int:
    return int(plan.get("dbHits") or 0) + sum(map(_hits, plan.get("children") or ()))


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    made = Extractor()
    made.warm()
    return made


_SEED = (Draft("Lena lives in Oslo.", occurred_at=EPOCH, session="s"), Draft("小李住在苏州。", occurred_at=EPOCH))
_LATER = EPOCH + timedelta(days=30)
_BATCH = (
    Draft("Lena lives in Turin.", occurred_at=_LATER, session="s"),
    Draft("小李住在无锡。", occurred_at=_LATER, session="s"),
    Draft("Teddy is short for Theodora Vance.", occurred_at=_LATER),
    Draft("小李住在苏州。", occurred_at=EPOCH, session="t"),
)


def test_failure_after_any_query_of_a_write_leaves_the_graph_as_it_was(
    database: Connection, graph: Graph, settings: Settings, extractor: Extractor
) -> None:
    breaking = _BreakingGraph(database, after=99)
    writer = Writer(breaking, PlannedEncoder(), extractor, settings=settings)
    writer.write(_SEED, identity=settings.identity, force=True)
    before = dump(graph, settings.bank)
    breaking.after = 0
    tried = 0
    while tried <= breaking.queries:
        breaking.after = tried
        with pytest.raises(GraphError):
            writer.write(_BATCH, identity=settings.identity, force=True)
        assert dump(graph, settings.bank) == before, f"after {tried} queries"
        tried += 1
    assert breaking.queries >= 5
    breaking.after = 99
    outcomes = [r.outcome for r in writer.write(_BATCH, identity=settings.identity, force=True)]
    assert outcomes == [Outcome.STORED, Outcome.STORED, Outcome.STORED, Outcome.MERGED]
    breaking.close()


@pytest.mark.parametrize("broken", ["encoder", "extractor"])
def test_failure_before_the_transaction_leaves_the_graph_as_it_was(
    graph: Graph, settings: Settings, extractor: Extractor, broken: str
) -> None:
    good = Writer(graph, PlannedEncoder(), extractor, settings=settings)
    good.write(_SEED, identity=settings.identity, force=True)
    before = dump(graph, settings.bank)
    writer = Writer(
        graph,
        _BrokenEncoder() if broken == "encoder" else PlannedEncoder(),
        _BrokenExtractor() if broken == "extractor" else extractor,
        settings=settings,
    )
    with pytest.raises(EncoderError if broken == "encoder" else ExtractionError, match="went away"):
        writer.write(_BATCH, identity=settings.identity, force=True)
    assert dump(graph, settings.bank) == before


def _plant_session(graph: Graph, identity: Identity, turns: int) -> None:
    """A session of many turns, a minute apart, as bare as the write path needs it."""
    ask(
        graph,
        "CREATE (s:Session {bank: $bank, key: $key, id: 'long'}) WITH s "
        "UNWIND range(1, $turns) AS n "
        "CREATE (m:Memory {id: $bank + '-' + n, bank: $bank, identity_key: $bank + '-' + n, session_key: $key, "
        "  audience: $audience, status: 'active', content: 'turn', occurred_at: $at + duration({minutes: n})})"
        "-[:IN_SESSION]->(s) "
        "WITH m ORDER BY m.occurred_at WITH collect(m) AS chain "
        "UNWIND range(0, size(chain) - 2) AS i WITH chain[i] AS a, chain[i + 1] AS b CREATE (a)-[:NEXT]->(b) "
        "RETURN count(*) AS n",
        write=True,
        bank=identity.bank,
        key=session_key(identity, "long"),
        audience=identity.audience(Scope.GLOBAL),
        at=EPOCH,
        turns=turns,
    )


@pytest.mark.parametrize("where", ["at the end", "in the middle"])
def test_write_into_a_session_of_20000_turns_takes_no_more_database_hits_than_into_one_of_10(
    database: Connection, graph: Graph, settings: Settings, extractor: Extractor, where: str
) -> None:
    hits: dict[int, int] = {}
    for turns in (10, 20_000):
        identity = replace(settings.identity, bank=f"{settings.bank}-{turns}-{where.replace(' ', '')}")
        open_bank_space(graph, identity.bank, encoder=PlannedEncoder.name, dimensions=DIMENSIONS)
        _plant_session(graph, identity, turns)
        ask(graph, "CALL db.awaitIndexes() RETURN 1 AS done")
        counting = _CountingGraph(database)
        writer = Writer(counting, PlannedEncoder(), extractor, settings=settings)
        at = _end(turns) if where == "at the end" else EPOCH + timedelta(minutes=turns // 2, seconds=30)
        draft = Draft("Lena lives in Turin, 林涛说。", occurred_at=at, session="long")
        result = writer.write([draft], identity=identity, force=True)[0]
        assert result.outcome is Outcome.STORED
        hits[turns] = counting.hits
        counting.close()
        beside = ask(graph, "MATCH (a)-[:NEXT]->(m {id: $id}) RETURN a.occurred_at AS at", id=result.id)
        assert len(beside) == 1
    assert hits[10] > 0
    assert hits[20_000] <= 1.5 * hits[10] + 100, hits


def _end(turns: int) -> datetime:
    return EPOCH + timedelta(minutes=turns + 1)
