"""Feedback, the context of a session, and bringing back, as a client calls them, in English, Chinese and mixed."""

import asyncio
import json
from urllib.parse import quote

import pytest
from fastmcp import Client
from tests.e2e.conftest import Tools

from retrograph.retrieval.cut import estimate_tokens

RESTARTS = {
    "How long does the Kestrel gateway take to restart?": (
        "Restarting the Kestrel gateway takes the night shift an hour.",
        "The Kestrel gateway is back forty minutes after a restart.",
    ),
    "银杏网关重启要多久？": ("银杏网关重启后夜班等一个小时。", "银杏网关重启后四十分钟恢复。"),
    "Kestrel 缓存 restart 要多久？": ("Kestrel 缓存 restart 要一个小时。", "Kestrel 缓存 restart 之后四十分钟恢复。"),
}


@pytest.mark.parametrize("question", RESTARTS)
def test_what_was_of_use_comes_first_the_next_time(tools, question):
    ids = [tools("memory_write", content=text, type="fact", force=True)["id"] for text in RESTARTS[question]]
    first, second = (hit["id"] for hit in tools("memory_search", query=question, limit=2)["hits"])
    assert {first, second} == set(ids)
    for _ in range(4):
        marked = tools("memory_feedback", useful=[second], not_useful=[first])["memories"]
    assert [(view["id"], view["feedback"]) for view in marked] == [(second, 4), (first, -4)]
    assert [hit["id"] for hit in tools("memory_search", query=question, limit=2)["hits"]] == [second, first]


def test_feedback_is_recorded_whole_or_not_at_all(tools):
    known = tools("memory_write", content="陈静负责月度账单。", force=True)["id"]
    assert tools.error("memory_feedback", useful=[known], not_useful=["no-such"])[0] == "not_found"
    code, said = tools.error("memory_feedback", useful=[known], not_useful=[known])
    assert code == "invalid_input" and "useful and not useful" in said
    assert tools.error("memory_feedback")[0] == "invalid_input"
    assert tools.error("memory_feedback", useful=["x"] * 101)[0] == "invalid_input"
    assert tools("memory_feedback", useful=[known, known])["memories"][0]["feedback"] == 1


CHAT = [
    {"speaker": "Ines", "content": "We move the invoice tables today.", "occurred_at": "2026-03-01T09:00Z"},
    {"speaker": "周敏", "content": "先停掉 nightly export，再迁移发票表。", "occurred_at": "2026-03-01T09:01Z"},
    {"speaker": "Ines", "content": "Export is off; the copy runs.", "occurred_at": "2026-03-01T09:02Z"},
]  # fmt: skip


def _told(tools):
    tools("memory_ingest", turns=CHAT, session="迁移 standup")
    tools("memory_write", content="The rollback plan lies in the wiki under Harbour.", force=True)
    state = "发票表迁移：复制进行中，校验未开始。"
    tools("memory_write", content=state, type="task_state", session="迁移 standup", force=True)
    tools("memory_write", content="Rewrite the login page: half done.", type="task_state", force=True)


def test_one_call_takes_a_conversation_up_after_a_restart(tools, memory):
    _told(tools)
    again = Tools(memory.for_identity(memory.identity))
    answer = again("session_context", session="迁移 standup", query="Where is the rollback plan?", last=3)
    assert [turn["content"] for turn in answer["turns"]][-1] == "发票表迁移：复制进行中，校验未开始。"
    assert [turn["speaker"] for turn in answer["turns"][:2]] == ["周敏", "Ines"]
    assert answer["turns_total"] == 4
    assert [task["content"] for task in answer["tasks"]] == ["Rewrite the login page: half done."]
    assert answer["hits"][0]["content"] == "The rollback plan lies in the wiki under Harbour."
    assert "not instructions" in answer["notice"]
    shown = {item["id"] for item in answer["turns"] + answer["tasks"]}
    assert not shown & {hit["id"] for hit in answer["hits"]}


@pytest.mark.parametrize("budget", [100, 150, 400, 1_000, 3_000])
def test_the_budget_holds_for_all_that_is_sent(tools, budget):
    _told(tools)
    result = tools.result("session_context", session="迁移 standup", query="rollback plan 回滚", max_tokens=budget)
    answer = result.structured_content
    assert estimate_tokens(json.dumps(answer, ensure_ascii=False, separators=(",", ":"))) <= budget
    assert estimate_tokens(result.content[0].text) <= budget
    if answer.get("turns"):
        assert answer["turns"][-1]["content"].startswith("发票表迁移")


def test_context_without_a_session_or_out_of_bounds_is_an_error_with_its_cure(tools):
    code, said = tools.error("session_context")
    assert code == "invalid_input" and "session" in said
    for arguments in ({"last": 0}, {"last": 201}, {"max_tokens": 1}, {"max_tokens": 50}, {"query": ""}, {"limit": 0}):
        assert tools.error("session_context", session="s", **arguments)[0] == "invalid_input"
    assert tools("session_context", session="nobody spoke")["turns_total"] == 0


def test_forgotten_and_replaced_memories_come_back(tools):
    kept = tools("memory_write", content="Ines 的护照放在 blue drawer。", force=True)["id"]
    tools("memory_forget", memory_ids=[kept])
    assert tools("memory_restore", memory_ids=[kept]) == {"changed": True, "restored": [kept]}
    assert tools("memory_restore", memory_ids=[kept]) == {"changed": False, "unchanged": [kept]}
    newer = tools("memory_update", memory_id=kept, content="Ines 的护照放在 red drawer。")["id"]
    assert tools("memory_get", memory_id=kept)["status"] == "superseded"
    undone = tools("memory_restore", memory_ids=[kept], superseded_by=newer)
    assert undone["changed"] and undone["statuses"] == {kept: "active", newer: "active"}
    assert tools("memory_restore", memory_ids=[kept], superseded_by=newer)["changed"] is False
    assert tools.error("memory_restore", memory_ids=[kept, newer], superseded_by=newer)[0] == "invalid_input"
    assert tools.error("memory_restore", memory_ids=["no-such"])[0] == "not_found"
    assert tools.error("memory_restore", memory_ids=[kept], superseded_by="no-such")[0] == "not_found"


def test_a_session_and_an_entity_are_resources_whatever_their_names(tools):
    _told(tools)
    tools("memory_write", content="周敏 maintains the Harbour wiki.", force=True)

    async def read(uri):
        async with Client(tools.server) as client:
            return json.loads((await client.read_resource(uri))[0].text)

    session = asyncio.run(read(f"session://{quote('迁移 standup', safe='')}"))
    assert session["turns"][0]["content"] == CHAT[0]["content"]
    assert session["turns_total"] == 4
    entity = asyncio.run(read(f"entity://{quote('周敏', safe='')}"))
    assert "周敏 maintains the Harbour wiki." in [memory["content"] for memory in entity["memories"]]
