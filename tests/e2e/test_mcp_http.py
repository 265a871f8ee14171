"""The server as a process of its own over streamable HTTP, with a token, and a real Neo4j behind."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import time

import httpx
import pytest
from fastmcp import Client

SERVE = (
    "import sys; from retrograph.server import serve; from retrograph.settings import Settings; "
    "serve(Settings.load(), transport='http', port=0)"
)
TOKEN = "a long and random 令牌"


class Served:
    """A running server."""

    def __init__(self, env, log):
        self.log = log
        with log.open("w") as stderr:
            self.process = subprocess.Popen([sys.executable, "-c", SERVE], env=env, stderr=stderr)
        for _ in range(1200):
            found = re.search(r"(http://127\.0\.0\.1:\d+)/mcp\n", log.read_text("utf-8"))
            if found or self.process.poll() is not None:
                break
            time.sleep(0.1)
        assert found, log.read_text("utf-8")
        self.root = found[1]

    def client(self, token=TOKEN, **more):
        return Client(f"{self.root}/mcp", auth=token, **more)

    def ready(self):
        for _ in range(600):
            response = httpx.get(f"{self.root}/health/ready")
            if response.status_code == 200:
                return response.json()
            time.sleep(0.1)
        raise AssertionError(response.text)


@pytest.fixture
def served(settings, tmp_path):
    env = os.environ | {
        "RETROGRAPH_URI": settings.uri,
        "RETROGRAPH_USERNAME": settings.username,
        "RETROGRAPH_PASSWORD": settings.password.get_secret_value(),
        "RETROGRAPH_BANK": settings.bank,
        "RETROGRAPH_SERVER_TOKEN": TOKEN,
    }
    server = Served(env, tmp_path / "server.log")
    yield server
    if server.process.poll() is None:
        server.process.terminate()
    server.process.wait(timeout=60)
    # Shown by pytest where a test failed: the reference of an error leads here.
    sys.stderr.write(server.log.read_text("utf-8"))


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_old_and_new_protocol_write_and_recall_with_the_token(served, mode):
    async def talk():
        async with served.client(mode=mode) as client:
            written = await client.call_tool(
                "memory_write", {"content": "记住：周报 goes out every Friday at 17:00.", "force": True}
            )
            found = await client.call_tool("memory_search", {"query": "周报什么时候发？", "text": True})
            return written.structured_content, found

    written, found = asyncio.run(talk())
    assert [hit["id"] for hit in found.structured_content["hits"]] == [written["id"]]
    assert "Friday" in found.content[0].text


def test_progress_of_an_ingest_arrives_over_http(served):
    seen = []

    async def report(done, total, message):
        seen.append((done, total))

    async def talk():
        async with served.client() as client:
            turns = [{"content": f"Shelf {n} holds 第{n}卷 of the archive.", "speaker": "Ann"} for n in range(70)]
            return await client.call_tool("memory_ingest", {"turns": turns}, progress_handler=report)

    answer = asyncio.run(talk()).structured_content
    assert answer["total"] == 70
    assert answer["stored"] + answer["merged"] == 70
    assert seen[-1] == (70, 70)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_eight_clients_at_once_are_served(served):
    async def one(number):
        async with served.client() as client:
            content = f"The locker {number} belongs to 员工{number}."
            await client.call_tool("memory_write", {"content": content, "force": True})
            return await client.call_tool("memory_search", {"query": f"locker {number}", "limit": 10})

    async def eight():
        return await asyncio.gather(*[one(number) for number in range(8)])

    for number, found in enumerate(asyncio.run(eight())):
        contents = [hit["content"] for hit in found.structured_content["hits"]]
        assert f"The locker {number} belongs to 员工{number}." in contents


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic YTpi"}])
def test_without_the_token_nothing_is_said(served, headers):
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    response = httpx.post(
        f"{served.root}/mcp", json=message, headers=headers | {"Accept": "application/json, text/event-stream"}
    )
    assert response.status_code == 401
    assert "memory" not in response.text


def test_names_that_resolve_here_by_trick_are_refused(served):
    assert httpx.get(f"{served.root}/health/live", headers={"Host": "evil.example"}).status_code == 421
    origin = {"Origin": "http://evil.example", "Authorization": "Bearer x"}
    assert httpx.post(f"{served.root}/mcp", json={}, headers=origin).status_code == 403


def test_health_says_ready_and_the_server_ends_in_good_order(served):
    assert httpx.get(f"{served.root}/health/live").json() == {"status": "live"}
    assert served.ready()["checks"] == {"engine": "ok", "schema": "ok", "encoder": "ok"}
    served.process.send_signal(signal.SIGTERM)
    served.process.wait(timeout=60)
    log = served.log.read_text("utf-8")
    assert served.process.returncode == 0
    assert "Traceback" not in log
    assert TOKEN not in log
