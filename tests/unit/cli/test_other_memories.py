"""Exports of other memory systems, told by their content and read as turns."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from retrograph.cli.sources import BadTurn, Format, open_bytes
from retrograph.errors import InvalidInput
from retrograph.models import EntityInput, EntityType, RelationInput, Source, Turn

MCP = [
    {
        "type": "entity",
        "name": "Nadia Roth",
        "entityType": "person",
        "observations": ["Prefers trains", "Nadia Roth speaks Czech"],
    },
    {"type": "entity", "name": "支付服务", "entityType": "服务", "observations": ["用 Go 写成"]},
    {"type": "entity", "name": "Brno office", "entityType": "location", "observations": []},
    {"type": "relation", "from": "Nadia Roth", "to": "Brno office", "relationType": "works_in"},
    {"type": "relation", "from": "Nadia Roth", "to": "支付服务", "relationType": "负责"},
]
MEM0 = {
    "results": [
        {
            "id": "m-1",
            "memory": "Likes long walks",
            "user_id": "nadia",
            "created_at": "2026-01-02T03:04:05-07:00",
            "categories": ["hobbies"],
            "metadata": {"k": {"deep": [1, "二"]}},
            "run_id": "r-9",
        },
        {"id": "m-2", "memory": "喜欢喝龙井茶", "created_at": None},
    ],
    "relations": [{"source": "nadia", "relationship": "owns", "target": "bicycle"}],
}
GRAPHITI = {
    "nodes": [
        {"uuid": "n1", "name": "Nadia", "labels": ["Entity", "Person"], "summary": "Lives by the river."},
        {"uuid": "n2", "name": "布尔诺", "labels": ["Entity"], "summary": ""},
    ],
    "edges": [
        {
            "uuid": "e1",
            "source_node_uuid": "n1",
            "target_node_uuid": "n2",
            "name": "LIVES_IN",
            "fact": "Nadia lives in 布尔诺",
            "created_at": "2026-02-01T00:00:00Z",
            "valid_at": "2026-01-01T00:00:00Z",
            "invalid_at": "2026-03-01T00:00:00Z",
        }
    ],
    "episodes": [{"uuid": "p1", "content": "Nadia: I moved.", "valid_at": "2026-01-01T00:00:00Z"}],
}


def lines(items: list[Any]) -> bytes:
    return "\n".join(json.dumps(item, ensure_ascii=False) for item in items).encode()


def read(content: bytes, format: Format | None = None) -> tuple[Format, list[Turn | BadTurn]]:
    opened = open_bytes(content, format=format, timezone="UTC")
    return opened.format, list(opened.read())


def as_bytes(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


@pytest.mark.parametrize(
    "content",
    [
        lines(MCP),
        as_bytes(
            {
                "entities": [{k: v for k, v in item.items() if k != "type"} for item in MCP[:3]],
                "relations": [{k: v for k, v in item.items() if k != "type"} for item in MCP[3:]],
            }
        ),
    ],
    ids=["lines", "read_graph"],
)
def test_mcp_memory_gives_a_memory_for_each_observation_and_relation(content: bytes) -> None:
    form, turns = read(content)
    assert form is Format.MCP_MEMORY
    assert [turn.content for turn in turns if isinstance(turn, Turn)] == [
        "Nadia Roth: Prefers trains",
        "Nadia Roth speaks Czech",
        "支付服务: 用 Go 写成",
        "Brno office is a location.",
        "Nadia Roth works in Brno office.",
        "Nadia Roth负责支付服务。",
    ]
    first, last = turns[0], turns[-1]
    assert isinstance(first, Turn)
    assert isinstance(last, Turn)
    assert first.entities == (EntityInput("Nadia Roth", EntityType.PERSON),)
    assert first.source is Source.INFERENCE
    assert last.relations == (RelationInput("Nadia Roth", "负责", "支付服务"),)
    assert len({turn.id for turn in turns if isinstance(turn, Turn)}) == len(turns)


@pytest.mark.parametrize(
    "content", [as_bytes(MEM0), as_bytes({"memories": MEM0["results"]}), as_bytes(MEM0["results"])]
)
def test_mem0_keeps_ids_times_labels_and_metadata(content: bytes) -> None:
    form, turns = read(content)
    assert form is Format.MEM0
    assert turns[0] == Turn(
        content="Likes long walks",
        session="r-9",
        occurred_at=datetime(2026, 1, 2, 10, 4, 5, tzinfo=UTC),
        source=Source.INFERENCE,
        id="m-1",
        tags=("hobbies",),
        metadata={"user_id": "nadia", "k": {"deep": [1, "二"]}},
    )
    assert isinstance(turns[1], Turn)
    assert turns[1].content == "喜欢喝龙井茶"


def test_relations_of_mem0_become_memories_of_both_ends() -> None:
    _, turns = read(as_bytes(MEM0))
    assert isinstance(turns[-1], Turn)
    assert turns[-1].content == "nadia owns bicycle."
    assert turns[-1].relations == (RelationInput("nadia", "owns", "bicycle"),)


def test_graphiti_keeps_what_was_true_when_and_what_was_said() -> None:
    form, turns = read(as_bytes(GRAPHITI))
    assert form is Format.GRAPHITI
    told = {turn.id: turn for turn in turns if isinstance(turn, Turn)}
    edge = told["e1"]
    assert (edge.valid_from, edge.valid_until) == (datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 3, 1, tzinfo=UTC))
    assert edge.entities == (EntityInput("Nadia", EntityType.PERSON), EntityInput("布尔诺"))
    assert edge.relations == (RelationInput("Nadia", "LIVES_IN", "布尔诺"),)
    assert told["p1"].source is Source.USER
    assert "Nadia: Lives by the river." in [turn.content for turn in told.values()]
    assert read(as_bytes(GRAPHITI["edges"]))[0] is Format.GRAPHITI


@pytest.mark.parametrize(
    ("content", "reasons"),
    [
        (lines([*MCP[:1], {"type": "relation", "from": "A"}, 7]), 2),
        (as_bytes([{"memory": "ok"}, {"memory": ""}, 3, {"memory": "x", "created_at": "soon"}]), 3),
        (as_bytes({"edges": [{"fact": "ok"}, {"fact": None}, "x"]}), 2),
        (as_bytes({"results": [{"memory": "茶", "categories": "no list", "metadata": 7}]}), 0),
    ],
)
def test_what_is_no_memory_is_named_and_the_rest_is_read(content: bytes, reasons: int) -> None:
    _, turns = read(content)
    bad = [turn for turn in turns if isinstance(turn, BadTurn)]
    assert len(bad) == reasons
    assert all(item.place and item.reason for item in bad)
    assert any(isinstance(turn, Turn) for turn in turns)


@pytest.mark.parametrize("format", [Format.MCP_MEMORY, Format.MEM0, Format.GRAPHITI])
@pytest.mark.parametrize("content", [b"hello", b'[{"content": "x", "role": "user"}]', b'{"a": 1}'])
def test_a_form_that_the_file_has_not_is_refused(content: bytes, format: Format) -> None:
    with pytest.raises(InvalidInput):
        read(content, format)
