"""`/metrics`: what is counted, who may read it, and that no word of a caller is in it."""

import json
import re
from contextlib import suppress
from pathlib import Path

import pytest
from fastmcp.exceptions import ToolError
from mcp import MCPError
from starlette.testclient import TestClient

from retrograph import errors
from retrograph.models import Identity
from retrograph.server import build_server
from retrograph.server.identity import Grant, Right
from retrograph.server.metrics import Metrics
from retrograph.server.serving import http_options

DASHBOARD = Path(__file__).parents[3] / "deploy" / "grafana" / "retrograph.json"
SECRETS = ("秘密計画", "Zanzibar", "ada-lovelace")


@pytest.fixture
def metrics(memory):
    return Metrics(memory)


@pytest.fixture
def counted(caller_of, memory, metrics):
    caller = caller_of(memory)
    caller.server = build_server(memory, metrics=metrics, warm=False)
    return caller


def value(metrics, name, /, **labels):
    return metrics.registry.get_sample_value(name, labels)


def test_calls_are_counted_by_tool_and_outcome(counted, metrics):
    counted("memory_write", content="The cellar key is under the mat. 钥匙")
    counted("memory_search", query="cellar 钥匙")
    counted("memory_search", query="nothing of this")
    counted.error("memory_get", memory_id="no-such")
    counted.error("memory_get", wrong=1)
    assert value(metrics, "retrograph_calls_total", name="memory_search", outcome="ok") == 2
    assert value(metrics, "retrograph_calls_total", name="memory_get", outcome="not_found") == 1
    assert value(metrics, "retrograph_calls_total", name="memory_get", outcome="invalid_input") == 1
    assert value(metrics, "retrograph_call_seconds_count", name="memory_get") == 2


def test_hit_rate_gate_and_steps_of_a_recall_are_counted(counted, metrics):
    counted("memory_write", content="The cellar key is under the mat.")
    counted("memory_write", content="hi")
    counted("memory_search", query="cellar")
    counted("memory_search", query="absent")
    assert value(metrics, "retrograph_writes_total", outcome="stored") == 1
    assert value(metrics, "retrograph_writes_total", outcome="refused") == 1
    assert value(metrics, "retrograph_writes_total", outcome="quarantined") == 0
    assert value(metrics, "retrograph_recalls_total", found="yes") == 1
    assert value(metrics, "retrograph_recalls_total", found="no") == 1
    assert value(metrics, "retrograph_hits_total") == 1
    for step in ("encode", "query", "rest"):
        assert value(metrics, "retrograph_recall_step_seconds_count", step=step) == 2
    whole = value(metrics, "retrograph_recall_seconds_sum")
    parts = sum(value(metrics, "retrograph_recall_step_seconds_sum", step=step) for step in ("encode", "query", "rest"))
    assert parts >= whole * 0.99


def test_a_recall_that_fails_is_no_recall_that_found_nothing(counted, metrics, memory):
    memory.shelf.failures["search"] = errors.EngineUnavailable("down")
    counted.error("memory_search", query="x")
    assert value(metrics, "retrograph_recalls_total", found="no") == 0
    assert value(metrics, "retrograph_calls_total", name="memory_search", outcome="engine_unavailable") == 1


def test_what_a_caller_says_is_in_no_label(counted, metrics):
    counted("memory_write", content=f"{SECRETS[0]} is in {SECRETS[1]}", tags=[SECRETS[2]])
    counted("memory_search", query=SECRETS[1])
    counted.error("memory_get", memory_id=SECRETS[2])
    counted.ask(lambda client: _swallow(client.call_tool(SECRETS[1], {})))
    counted.ask(lambda client: _swallow(client.read_resource(f"entity://{SECRETS[1]}")))
    counted.ask(lambda client: _swallow(client.read_resource(f"{SECRETS[1].lower()}://x")))
    counted.ask(lambda client: _swallow(client.get_prompt("recall_context", {"topic": SECRETS[0]})))
    counted.ask(lambda client: _swallow(client.get_prompt(SECRETS[1], {})))
    text = metrics.text().decode()
    for secret in (*SECRETS, "zanzibar", "atelier"):
        assert secret not in text
    assert value(metrics, "retrograph_calls_total", name="recall_context", outcome="ok") == 1
    assert "entity://" in text
    assert value(metrics, "retrograph_calls_total", name="unknown", outcome="not_found") == 2


async def _swallow(asked):
    with suppress(MCPError, ToolError):
        await asked


def test_the_database_is_counted_once_for_many_readers(metrics, memory):
    for _ in range(3):
        text = metrics.text().decode()
    assert "retrograph_turns_waiting 70.0" in text
    assert "retrograph_memories_recalled 3.0" in text
    assert "retrograph_retries_total 2.0" in text
    assert [name for name, *_ in memory.shelf.calls] == ["load"]


def test_a_database_that_is_down_is_said_and_hides_nothing_else(metrics, memory):
    memory.shelf.failures["load"] = errors.EngineUnavailable("bolt://secret")
    text = metrics.text().decode()
    assert "retrograph_database_up 0.0" in text
    assert "retrograph_writes_total" in text
    assert "retrograph_memories " not in text
    assert "secret" not in text


def scrape(memory, *, client=("127.0.0.1", 5000), token=None, tokens=None, **headers):
    app = build_server(memory, tokens=tokens, warm=False).http_app(**http_options(memory.settings))
    web = TestClient(app, base_url="http://127.0.0.1:8765", client=client)
    sent = headers | ({"Authorization": f"Bearer {token}"} if token else {})
    return web.get("/metrics", headers=sent)


def test_this_machine_reads_without_a_token(memory):
    answer = scrape(memory)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=")
    assert "retrograph_calls_total" in answer.text or "retrograph_writes_total" in answer.text
    assert scrape(memory, client=("::1", 5000)).status_code == 200


@pytest.mark.parametrize("passed_on", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via", "X-Forwarded-Host"])
def test_another_machine_and_what_a_proxy_passed_on_need_a_token(memory, passed_on):
    assert scrape(memory, **{passed_on: "203.0.113.5"}).status_code == 403
    answer = scrape(memory, client=("203.0.113.5", 5000))
    assert answer.status_code == 403
    assert "right admin" in answer.text


def test_only_a_token_with_the_right_admin_reads_from_elsewhere(memory):
    who = Identity(bank="atelier")
    tokens = {"admin": Grant(who), "reader": Grant(who, frozenset({Right.READ, Right.WRITE}))}
    far = ("203.0.113.5", 5000)
    assert scrape(memory, client=far, tokens=tokens, token="admin").status_code == 200
    for token in ("reader", "unknown", None):
        assert scrape(memory, client=far, tokens=tokens, token=token).status_code == 403


def test_the_setting_closes_it_to_this_machine_or_to_all(make_memory):
    assert scrape(make_memory(server={"metrics": "admin"})).status_code == 403
    assert scrape(make_memory(server={"metrics": "off"})).status_code == 404


def test_every_expression_of_the_dashboard_names_what_is_exported(counted, metrics):
    counted("memory_write", content="The cellar key is under the mat.")
    counted("memory_search", query="cellar")
    counted.error("memory_get", memory_id="no-such")
    with pytest.raises(errors.EngineUnavailable):
        _failing_query(metrics)
    exported: dict[str, set[str]] = {}
    for family in metrics.registry.collect():
        for sample in family.samples:
            exported.setdefault(sample.name, set()).update(sample.labels)
    panels = json.loads(DASHBOARD.read_text("utf-8"))["panels"]
    expressions = [target["expr"] for panel in panels for target in panel["targets"]]
    assert len(expressions) > 20
    for expression in expressions:
        names = set(re.findall(r"\b(?:retrograph|process)_[a-z_]+", expression))
        assert names, expression
        assert names <= set(exported), expression
        known = {"le", "job", "instance"}.union(*(exported[name] for name in names))
        groups = re.findall(r"by \(([^)]*)\)", expression)
        asked = {label.strip() for group in groups for label in group.split(",")}
        asked |= set(re.findall(r"[{,]\s*([a-z_]+)!?=", expression))
        assert asked <= known, expression


def _failing_query(metrics):
    from retrograph.watching import step, watched_by

    with watched_by(metrics), step("query", "recall"):
        raise errors.EngineUnavailable("down")
