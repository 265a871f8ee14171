"""Thousands of random calls by four identities: no answer, count or error ever holds what is another's.

Each planted memory has marks that occur nowhere else: a word, an entity, a session, a tag, a domain and its id; a task
run has a word, a tool, an error and its id. A call may tell a mark only to those who may see the memory or the run, or
to whoever put the very mark into the call. The identities call at the same time, each from a seed of its own.
"""

import json
import random
from collections import Counter
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from uuid_utils import uuid7

from retrograph.errors import RetrographError
from retrograph.graph import Connection, Graph, open_bank_space
from retrograph.graph.store import NewLink
from retrograph.memory import Memory
from retrograph.memory.facade import Resources
from retrograph.memory.trajectories import Step, StepKind, TaskStatus
from retrograph.models import Identity, MemoryType, Scope, Turn
from retrograph.server.arguments import TurnArgument
from retrograph.server.failures import failure_of
from retrograph.server.learning import StepArgument
from retrograph.server.prompts import Prompts
from retrograph.server.resources import Resources as ServedResources
from retrograph.server.tools import Tools
from retrograph.settings import Settings

from .conftest import DIMENSIONS, EPOCH, Garden, PlannedEncoder, ask, toward

SEED = 20260514
CALLS = 5_200
_SHARED = "Kestrel 网关"


@dataclass
class Planted:
    """A memory, its marks, who may see it, and who may review it: one that waits is seen by its writer alone."""

    id: str
    marks: dict[str, str]
    seen_by: frozenset[str]
    reviewed_by: frozenset[str]

    @property
    def traces(self) -> list[str]:
        """All that would betray it."""
        return [self.id, *self.marks.values()]


@dataclass
class Party:
    """One identity with the tools as it has them."""

    name: str
    identity: Identity
    memory: Memory
    foreign: list[Planted] = field(default_factory=list[Planted])
    own: list[Planted] = field(default_factory=list[Planted])
    foreign_runs: list[Planted] = field(default_factory=list[Planted])
    own_runs: list[Planted] = field(default_factory=list[Planted])
    cursors: list[str] = field(default_factory=list[str])
    jobs: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        self.tools = Tools(self.memory)
        self.prompts = Prompts(self.memory)
        self.resources = ServedResources(self.memory)

    def call(self, name: str, /, **arguments: Any) -> str:
        """Everything that the caller is told: the answer, or the error, its facts included."""
        told_by, _, method = name.rpartition(" ")
        bodies = {"": self.tools, "prompt": self.prompts, "resource": self.resources}
        body = getattr(bodies[told_by], method)
        try:
            answer = body(**arguments)
        except RetrographError as error:
            failure = failure_of(error)
            return json.dumps([failure.text, dict(failure.facts)], ensure_ascii=False)
        if isinstance(answer, str):
            return answer
        shown = answer.structured_content
        if name == "memory_changes":
            self.cursors.append(shown["cursor"])
        elif name == "memory_ingest":
            self.jobs.append(shown["job"])
        return json.dumps(shown, ensure_ascii=False) + "".join(block.text for block in answer.content)


@pytest.fixture(scope="module")
def parties(graph: Graph, database: Connection) -> Generator[dict[str, Party]]:
    """Four identities over two banks, full of memories of every scope; vectors are planned, so that all are near."""
    bank, other = f"fuzz-{uuid7()}", f"fuzz-{uuid7()}"
    given = {"uri": database.uri, "username": database.username, "password": database.password}
    settings = Settings.load(bank=bank, **given)
    encoder = PlannedEncoder()
    resources = Resources(settings)
    resources._encoder = encoder  # pyright: ignore[reportPrivateUsage]
    who = {
        "ann": Identity(bank, user="ann", agent="coder", team="red"),
        "eve": Identity(bank, user="eve", team="blue"),
        "planner": Identity(bank, agent="planner", team="red"),
        "outsider": Identity(other, user="ann", agent="coder", team="red"),
    }
    found = {name: Party(name, each, Memory(settings, identity=each, shared=resources)) for name, each in who.items()}
    draw = random.Random(SEED)
    planted = [item for name in who for item in _plant(graph, encoder, settings, name, who, draw)]
    for party in found.values():
        party.own = [item for item in planted if party.name in item.seen_by]
        party.foreign = [item for item in planted if party.name not in item.seen_by]
    runs = [run for party in found.values() for run in _record(party, found, draw)]
    for party in found.values():
        party.own_runs = [run for run in runs if party.name in run.seen_by]
        party.foreign_runs = [run for run in runs if party.name not in run.seen_by]
    yield found
    # Else the server of another test would work on what waits here.
    done_with = "MATCH (j:Job) WHERE j.bank IN $banks OPTIONAL MATCH (j)-[:CHUNK]->(c) DETACH DELETE j, c"
    ask(graph, done_with, write=True, banks=[bank, other])
    resources.close()


def _plant(
    graph: Graph, encoder: PlannedEncoder, settings: Settings, name: str, who: dict[str, Identity], draw: random.Random
) -> list[Planted]:
    mine = who[name]
    space = open_bank_space(graph, mine.bank, encoder=encoder.name, dimensions=DIMENSIONS)
    garden = Garden(graph, encoder, settings, mine, space.slot)
    items: list[Planted] = []
    rows: list[dict[str, Any]] = []
    for number in range(24):
        scope = (Scope.PRIVATE, Scope.PRIVATE, Scope.TEAM)[number % 3]
        # Half of the marks are Chinese, so that both analyzers have something to betray.
        secret = f"{draw.getrandbits(40):010x}"
        letters = "".join(chr(0x4E00 + draw.randrange(0x3000)) for _ in range(6))
        marks = {
            "word": f"w{secret}" if number % 2 else letters,
            "entity": f"Entity{secret}",
            "session": f"session-{secret}",
            "tag": f"tag-{secret}",
            "domain": f"domain-{secret}",
        }
        row = garden.row(
            f"The {_SHARED} holds {marks['word']} for the {marks['entity']} 部署 queue",
            vector=toward(0.9, secret),
            mentions=[_SHARED, marks["entity"]],
            scope=scope,
            session=marks["session"] if number % 4 else "standup",
            tags=(marks["tag"], "shared"),
            domain=marks["domain"] if number % 5 else "shared",
            metadata={"secret": marks["word"]},
            type=list(MemoryType)[number % len(MemoryType)],
            status="pending_review" if number % 12 == 11 else "active",
            at=EPOCH + timedelta(minutes=number),
        )
        audience = mine.audience(scope)
        seen = frozenset(n for n, each in who.items() if each.bank == mine.bank and audience in each.audiences)
        waits = number % 12 == 11
        rows.append(row)
        items.append(Planted(row["id"], marks, seen & {name} if waits else seen, seen if waits else frozenset()))
    links = [NewLink(items[n].id, items[n + 1].id, "supports", 0.9) for n in range(0, 22, 2)]
    garden.plant_all(rows, links=links)
    garden.forget(*(item.id for item in items[20:22]))
    return items


def _record(party: Party, everybody: dict[str, Party], draw: random.Random) -> list[Planted]:
    """Task runs of a party, private and of its team, that have ended and can be reflected on."""
    runs: list[Planted] = []
    for scope in (Scope.PRIVATE, Scope.TEAM):
        secret = f"{draw.getrandbits(40):010x}"
        marks = {"word": f"task{secret}", "tool": f"tool{secret}", "error": f"失败{secret}"}
        steps = [
            Step(StepKind.DECISION, text=f"Use {marks['word']}.", reason=f"the {_SHARED} needs {marks['word']}"),
            Step(StepKind.TOOL, tool=marks["tool"], input="部署", error=marks["error"]),
        ]
        task = f"Mend the {_SHARED} for {marks['word']}"
        run = party.memory.record_trajectory(task, steps, status=TaskStatus.FAILURE, scope=scope)
        audience = party.identity.audience(scope)
        seen = {
            name
            for name, each in everybody.items()
            if each.identity.bank == party.identity.bank and audience in each.identity.audiences
        }
        runs.append(Planted(run.id, marks, frozenset(seen), frozenset()))
    return runs


def _arguments(tool: str, party: Party, draw: random.Random, others: list[Party]) -> dict[str, Any]:
    """Random arguments that reach for what is another's more often than not."""
    aim = draw.choice(party.foreign if draw.random() < 0.6 else party.own)
    made_up = draw.random() < 0.1
    memory_id = str(uuid7()) if made_up else aim.id
    mark = aim.marks[draw.choice(list(aim.marks))]
    query = draw.choice(
        [mark, _SHARED, f"{_SHARED} {mark}", "部署 queue", f"what does the {aim.marks['entity']} hold?", "*"]
    )
    # Each form of filter is planned once, for seconds: few of them, and what needs none in many variants.
    narrow: dict[str, Any] = draw.choice(
        [
            {},
            {"deep": True},
            {"as_of": "2026-03-02"},
            {"tags": [aim.marks["tag"]]},
            {"tags": ["shared"]},
            {"session": aim.marks["session"]},
            {"session": "standup"},
            {"domain": aim.marks["domain"]},
            {"types": [draw.choice(list(MemoryType))]},
        ]
    )
    match tool:
        case "memory_search":
            more = draw.choice([{}, {"text": True}, {"explain": True}, {"hops": 0}])
            return {"query": query, "limit": draw.choice([1, 5, 50]), **narrow, **more}
        case "memory_get" | "memory_history" | "resource memory":
            return {"memory_id": memory_id}
        case "memory_explain":
            return {"query": query, "memory_id": memory_id, "deep": draw.random() < 0.5}
        case "memory_forget":
            hard = draw.random() < 0.5
            only_looks = {"dry_run": True} if aim in party.own else {}
            return {"memory_ids": [memory_id], "hard": hard, **only_looks}
        case "memory_link":
            pair = [draw.choice(party.own).id, draw.choice(party.foreign).id]
            draw.shuffle(pair)
            return {"from_id": pair[0], "to_id": pair[1], "type": draw.choice(["causes", "支持"])}
        case "memory_update":
            return {"memory_id": draw.choice(party.foreign).id, "tags": ["stolen"]}
        case "memory_feedback":
            return {"useful": [draw.choice(party.foreign).id]}
        case "memory_restore":
            twins = draw.sample(party.foreign, 2)
            return {"memory_ids": [twins[0].id], "superseded_by": draw.choice([None, twins[1].id])}
        case "memory_review":
            theirs = draw.choice([item for item in party.foreign if party.name not in item.reviewed_by])
            return draw.choice([{}, {"memory_id": theirs.id, "approve": draw.random() < 0.5}])
        case "entity_explore":
            return {"name": draw.choice([aim.marks["entity"], _SHARED, mark]), "limit": draw.choice([1, 100])}
        case "resource entity":
            return {"name": draw.choice([aim.marks["entity"], _SHARED])}
        case "resource session":
            return {"session": draw.choice([aim.marks["session"], "standup"])}
        case "memory_ingest":
            # Nobody works on jobs here: what is asked for waits, private to whoever asked.
            turns = [TurnArgument(content=f"{party.name} waits 等待", occurred_at="2026-03-01")]
            return {"turns": turns, "ctx": None, "wait": False}
        case "trajectory_record":
            step = StepArgument(kind=StepKind.RESULT, output="stolen")
            return {"trajectory_id": draw.choice(party.foreign_runs).id, "steps": [step]}
        case "memory_reflect":
            run = draw.choice(draw.choice([party.foreign_runs, party.own_runs]))
            is_draft = run in party.own_runs or draw.random() < 0.5
            return {"trajectory_id": run.id, "draft": is_draft}
        case "memory_summarize":
            span = draw.choice([{"session": aim.marks["session"]}, {"session": "standup"}, {"since": "2026-03-01"}])
            return {**span, "quotes": draw.choice([1, 50])}
        case "entity_merge":
            pair = [draw.choice(party.foreign).marks["entity"], draw.choice(party.own).marks["entity"]]
            draw.shuffle(pair)
            return {"alias": pair[0], "canonical": pair[1], "undo": draw.random() < 0.5}
        case "session_context":
            more = {"query": query} if draw.random() < 0.2 else {}
            return {"session": draw.choice([aim.marks["session"], "standup"]), "last": draw.choice([1, 200]), **more}
        case "memory_changes":
            theirs = [cursor for other in others for cursor in other.cursors]
            cursor = draw.choice([None, *theirs[-20:]])
            return {"cursor": cursor, "limit": 200, "since": None if cursor else draw.choice([None, "2020-01-01"])}
        case "memory_job":
            return {"job_id": draw.choice([aim.id, "no-such", *(job for other in others for job in other.jobs[-5:])])}
        case "prompt recall_context":
            return {"topic": query}
        case "prompt reflect_on_task":
            return {"task": query}
        case "prompt extract_memories":
            return {"text": query}
        case _:
            return {}


_MIX = {
    "memory_get": 40, "memory_history": 20, "resource memory": 10, "memory_search": 5, "memory_explain": 3,
    "memory_forget": 5, "memory_link": 5, "memory_update": 5, "memory_feedback": 5, "memory_restore": 4,
    "memory_review": 1, "entity_explore": 5, "entity_merge": 2, "session_context": 4, "memory_changes": 4,
    "memory_ingest": 1, "memory_job": 4, "trajectory_record": 4, "memory_reflect": 4, "memory_summarize": 3,
    "resource entity": 2, "resource session": 2, "resource bank": 1, "prompt recall_context": 1,
    "prompt reflect_on_task": 1, "prompt extract_memories": 1,
}  # fmt: skip


def _probes(party: Party) -> list[Any]:
    """What must stay as it was whatever others do: counts, and which memories an answer holds."""
    found = party.tools.memory_search(_SHARED, limit=100, min_score=0.0).structured_content
    entity = party.tools.entity_explore(_SHARED, limit=100).structured_content
    stats = json.loads(party.call("resource bank"))
    feed = party.tools.memory_changes(since="2020-01-01", limit=200).structured_content
    return [
        sorted(hit["id"] for hit in found["hits"]),
        found.get("omitted", 0),
        entity["memories_total"],
        entity.get("relations_total", 0),
        entity.get("candidates_total", 0),
        # Its own searches, and how often it and others recalled what they share, do change.
        {name: value for name, value in stats.items() if name not in ("sessions", "usage", "utilisation")},
        [change["memory"]["id"] for change in feed.get("changes", [])],
    ]


def test_no_call_ever_tells_what_is_anothers(parties: dict[str, Party], graph: Graph) -> None:
    everybody = list(parties.values())
    before = {name: _probes(party) for name, party in parties.items()}

    def many_calls(party: Party) -> Counter[str]:
        """A quarter of the calls; all that this party is told is held against what is another's."""
        draw = random.Random(f"{SEED} {party.name}")
        others = [other for other in everybody if other is not party]
        counts: Counter[str] = Counter()
        for number in range(CALLS // len(everybody)):
            tool = draw.choices(list(_MIX), weights=list(_MIX.values()))[0]
            arguments = _arguments(tool, party, draw, others)
            told = party.call(tool, **arguments)
            given = json.dumps(arguments, ensure_ascii=False, default=str)
            counts[tool] += 1
            for item in (*party.foreign, *party.foreign_runs):
                if tool == "memory_review" and party.name in item.reviewed_by:
                    continue
                for trace in item.traces:
                    assert trace not in told or trace in given, (number, party.name, tool, arguments, told[:2_000])
        return counts

    with ThreadPoolExecutor(len(everybody)) as pool:
        counts = sum(pool.map(many_calls, everybody), Counter[str]())
    assert counts.total() >= 5_000
    assert set(counts) == set(_MIX), "every kind of call was made"
    after = {name: _probes(party) for name, party in parties.items()}
    assert after == before
    for party in everybody:
        for item in party.foreign[:3]:
            kept = ask(graph, "MATCH (m {id: $id}) RETURN m.tags AS tags, m.feedback AS feedback", id=item.id)
            assert kept[0]["feedback"] in (0, None) and "stolen" not in kept[0]["tags"]


def test_what_waits_for_review_is_its_writer_s_alone_whoever_shares_the_team(
    parties: dict[str, Party], graph: Graph
) -> None:
    writer, mate = parties["ann"], parties["planner"]
    before = {name: json.loads(party.call("resource bank")) for name, party in parties.items()}
    waiting = [item for item in writer.own if item.reviewed_by and item in mate.foreign]
    assert len(waiting) == before["ann"]["by_status"]["pending_review"] == 2
    assert before["planner"]["by_status"]["pending_review"] == 2
    for item in waiting:
        for tool in ("memory_forget", "memory_feedback", "memory_update", "memory_restore", "memory_link"):
            made_up = str(uuid7())
            nothing = mate.call(tool, **_BY_ID[tool](made_up)).replace(made_up, "ID")
            assert mate.call(tool, **_BY_ID[tool](item.id)).replace(item.id, "ID") == nothing
        assert writer.call("memory_get", memory_id=item.id)
    kept = ask(graph, "MATCH (m:Memory) WHERE m.id IN $ids RETURN m.id AS id", ids=[item.id for item in waiting])
    assert len(kept) == 2


_BY_ID: dict[str, Callable[[str], dict[str, Any]]] = {
    "memory_get": lambda i: {"memory_id": i},
    "resource memory": lambda i: {"memory_id": i},
    "memory_history": lambda i: {"memory_id": i},
    "memory_explain": lambda i: {"query": _SHARED, "memory_id": i, "deep": True},
    "memory_forget": lambda i: {"memory_ids": [i], "hard": True},
    "memory_update": lambda i: {"memory_id": i, "tags": ["x"]},
    "memory_feedback": lambda i: {"useful": [i]},
    "memory_restore": lambda i: {"memory_ids": [i]},
    "memory_review": lambda i: {"memory_id": i, "approve": True},
    "memory_link": lambda i: {"from_id": i, "to_id": "no-such-either", "type": "causes"},
    "memory_job": lambda i: {"job_id": i},
}


@pytest.mark.parametrize("tool", _BY_ID)
def test_an_id_that_was_guessed_right_reads_like_one_that_was_made_up(parties: dict[str, Party], tool: str) -> None:
    for party in parties.values():
        job = (
            parties["eve" if party.name != "eve" else "ann"].memory.ingest_later([Turn("x y z", occurred_at=EPOCH)]).id
        )
        made_up = str(uuid7())
        nothing = party.call(tool, **_BY_ID[tool](made_up)).replace(made_up, "ID")
        for memory_id in (*(item.id for item in party.foreign[::11] if party.name not in item.reviewed_by), job):
            assert party.call(tool, **_BY_ID[tool](memory_id)).replace(memory_id, "ID") == nothing


@pytest.mark.parametrize("uri", ["entity_explore", "entity_merge"])
def test_a_name_that_was_guessed_right_reads_like_one_that_was_made_up(parties: dict[str, Party], uri: str) -> None:
    for party in parties.values():
        own = party.own[0].marks["entity"]
        for item in party.foreign[::11]:
            answers: list[str] = []
            for name in (item.marks["entity"], "Entity0000000000"):
                arguments = {"name": name} if uri == "entity_explore" else {"alias": name, "canonical": own}
                answers.append(party.call(uri, **arguments).replace(name, "NAME").replace(name.lower(), "NAME"))
            assert answers[0] == answers[1]
