"""The tools over the in-memory transport, with the real facade and a real Neo4j behind."""

import asyncio
import json
from dataclasses import replace

import pytest
from fastmcp import Client
from tests.e2e.conftest import Tools

STORY = [
    "Remember that Ada Lovelace maintains the Orion scheduler.",
    "Remember that the Orion scheduler runs on the machine rig7.",
    "记住：李雷负责夸父项目的部署。",
    "记住：夸父项目使用 Neo4j 数据库。",
    "Remember: 王芳 prefers TypeScript over JavaScript for the Orion dashboard.",
]


@pytest.fixture
def told(tools):
    """A bank in which the story has been told, and the id of each of its sentences."""
    return {text: tools("memory_write", content=text, force=True)["id"] for text in STORY}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Who maintains the Orion scheduler?", STORY[0]),
        ("夸父项目用什么数据库？", STORY[3]),
        ("Which language does 王芳 like?", STORY[4]),
    ],
)
def test_what_was_written_is_found_in_its_language(tools, told, query, expected):
    hits = tools("memory_search", query=query, limit=3)["hits"]
    assert expected in [hit["content"] for hit in hits]
    hit = next(hit for hit in hits if hit["content"] == expected)
    assert hit["id"] == told[expected]
    assert hit["path"]
    assert 0 <= hit["relevance"] <= 1


def test_text_block_is_fenced_and_explain_has_every_term(tools, told):
    answer = tools("memory_search", query="Orion scheduler", text=True, explain=True)
    assert "instruction" in answer["text"]
    assert "Ada Lovelace" in answer["text"]
    term = answer["hits"][0]["terms"][0]
    assert set(term) == {"name", "value", "weight", "contribution"}


def test_a_memory_goes_from_write_to_forget_and_is_gone_from_recall(tools):
    metadata = {"ticket": "OPS-7", "nested": {"空": None, "list": [1, 2.5]}}
    first = tools("memory_write", content="The deploy of Orion failed on Friday.", force=True, metadata=metadata)
    second = tools("memory_write", content="A full disk broke the deploy of Orion.", force=True)
    assert tools("memory_write", content="The deploy of Orion failed on Friday.", force=True)["id"] == first["id"]
    link = tools("memory_link", from_id=second["id"], to_id=first["id"], type="causes")
    assert link["created"] is True
    whole = tools("memory_get", memory_id=first["id"])
    assert whole["metadata"] == metadata
    assert {"id": second["id"], "type": "causes", "direction": "in", "strength": 1.0} in whole["links"]
    explained = tools("memory_explain", query="Orion deploy", memory_id=first["id"])
    assert explained["found"] is True
    assert explained["rank"] >= 1
    tried = tools("memory_forget", memory_ids=[first["id"]], dry_run=True)
    assert (tried["dry_run"], tried["count"]) == (True, 1)
    assert tools("memory_forget", memory_ids=[first["id"]])["count"] == 1
    left = [hit["id"] for hit in tools("memory_search", query="Orion deploy failed")["hits"]]
    assert first["id"] not in left
    assert second["id"] in left


def test_forget_by_filter_counts_first_and_acts_when_told(tools):
    for number in range(3):
        tools(
            "memory_write", content=f"Draft {number} of the Orion report is in the attic.", tags=["draft"], force=True
        )
    tools("memory_write", content="The final Orion report hangs in the hall.", tags=["final"], force=True)
    assert tools("memory_forget", tags=["draft"])["count"] == 3
    assert tools("memory_forget", tags=["draft"], hard=True, dry_run=False)["count"] == 3
    assert tools("memory_forget", tags=["draft"])["count"] == 0
    assert tools("memory_forget", tags=["final"])["count"] == 1


def test_ingest_twice_stores_once(tools):
    turns = [
        {"content": "I moved to Hangzhou in March.", "speaker": "Ann", "occurred_at": "2026-03-02", "id": "t1"},
        {"content": "杭州的龙井茶很好喝。", "speaker": "小明", "occurred_at": "2026-03-03", "id": "t2"},
    ]
    first = tools("memory_ingest", turns=turns, session="s1")
    assert (first["total"], first["stored"]) == (2, 2)
    second = tools("memory_ingest", turns=turns, session="s1")
    assert second["stored"] == 0
    assert second["ids"] == first["ids"]
    found = tools("memory_search", query="Where does Ann live?", session="s1")["hits"]
    assert found[0]["speaker"] == "Ann"
    assert found[0]["occurred_at"].startswith("2026-03-02")


@pytest.mark.parametrize(
    "query",
    [
        '+bank_key:* AND (content:"x" OR context:[* TO *]) && !(a || b) ^2 ~ \\ /re/ {} :',
        'Orion" OR bank_key:*',
        "MATCH (n) DETACH DELETE n //",
        "为什么 " * 900,
        "word " * 600,
        "?!…",
        "🚀" * 50,
    ],
)
def test_awkward_queries_are_answered(tools, told, query):
    assert isinstance(tools("memory_search", query=query)["hits"], list)


def test_a_predicate_that_looks_like_cypher_is_data(tools):
    predicate = "x]->() DETACH DELETE n //`"
    relation = {"subject": "Orion", "predicate": predicate, "object": "rig7"}
    written = tools("memory_write", content="Orion uses rig7 for rendering.", relations=[relation], force=True)
    relations = tools("memory_get", memory_id=written["id"])["relations"]
    assert predicate in [relation["predicate"] for relation in relations]


@pytest.mark.parametrize("content", ["长" * 1_000_000, "a\0b", "   ", "\n\t"])
def test_content_that_cannot_be_kept_is_a_clear_error(tools, content):
    result = tools.result("memory_write", content=content, force=True)
    if result.is_error:
        assert result.meta["retrograph/error"]["code"] == "invalid_input"
        assert len(result.content[0].text) < 1000
    else:
        # Refusing by policy, or storing what is left without the NUL, are answers as well.
        assert result.structured_content["outcome"] in {"refused", "stored"}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("memory_get", {"memory_id": "0198c0de-0000-7000-8000-000000000000"}),
        ("memory_get", {"memory_id": "' OR 1=1 //"}),
        ("memory_forget", {"memory_ids": ["nowhere"]}),
        ("memory_link", {"from_id": "a", "to_id": "b", "type": "causes"}),
        ("memory_explain", {"query": "x", "memory_id": "nowhere"}),
    ],
)
def test_an_unknown_memory_is_not_found(tools, tool, arguments):
    assert tools.code(tool, **arguments) == "not_found"


def test_a_memory_of_another_bank_or_user_reads_as_unknown(tools, memory, told):
    one = told[STORY[0]]
    for stranger in (
        replace(memory.identity, bank=memory.identity.bank + "-other"),
        replace(memory.identity, bank=memory.identity.bank + "-other", user="bob"),
    ):
        foreign = Tools(memory.for_identity(stranger))
        assert foreign.code("memory_get", memory_id=one) == "not_found"
        assert foreign("memory_search", query="Orion")["hits"] == []
    ann = Tools(memory.for_identity(replace(memory.identity, user="ann")))
    private = ann("memory_write", content="Ann's locker at Orion has the code 4711.", force=True)["id"]
    bob = Tools(memory.for_identity(replace(memory.identity, user="bob")))
    assert bob.code("memory_get", memory_id=private) == "not_found"
    assert private not in [hit["id"] for hit in bob("memory_search", query="locker code 4711")["hits"]]
    assert ann("memory_get", memory_id=private)["user"] == "ann"


def test_eight_calls_at_once_all_count(tools, memory):
    async def eight():
        async with Client(tools.server) as client:
            writes = [
                client.call_tool("memory_write", {"content": f"The crate {n} holds 第{n}号零件.", "force": True})
                for n in range(4)
            ]
            reads = [client.call_tool("memory_search", {"query": f"crate {n}"}) for n in range(4)]
            return await asyncio.gather(*writes, *reads)

    results = asyncio.run(eight())
    assert [result.structured_content["outcome"] for result in results[:4]] == ["stored"] * 4
    assert memory.stats().memories == 4


def test_resources_and_prompts_read_the_bank(tools, told):
    async def read():
        async with Client(tools.server) as client:
            stats = await client.read_resource("stats://bank")
            one = await client.read_resource(f"memory://{told[STORY[2]]}")
            prompt = await client.get_prompt("recall_context", {"topic": "夸父项目"})
            return json.loads(stats[0].text), json.loads(one[0].text), prompt.messages[0].content.text

    stats, one, prompt = asyncio.run(read())
    assert stats["memories"] == len(STORY)
    assert one["content"] == STORY[2]
    assert "夸父" in prompt
