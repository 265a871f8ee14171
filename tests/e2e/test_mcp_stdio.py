"""The server as a process of its own, spoken to over stdio, with a real Neo4j behind."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

from retrograph.engine import Engine
from retrograph.server.tools import TOOLS
from retrograph.settings import Settings

SERVE = "from retrograph.server import serve; from retrograph.settings import Settings; serve(Settings.load())"
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}
ROOT = Path(__file__).parents[2]


def environment(settings, **more):
    password = settings.password.get_secret_value()
    return os.environ | {
        "RETROGRAPH_URI": settings.uri,
        "RETROGRAPH_USERNAME": settings.username,
        "RETROGRAPH_PASSWORD": password,
        "RETROGRAPH_BANK": settings.bank,
        **more,
    }


def transport(env, log=None):
    return StdioTransport(sys.executable, ["-c", SERVE], env=env, keep_alive=False, log_file=log)


class Wire:
    """A server process and the raw lines that go to and from it."""

    def __init__(self, env):
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVE],
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def send(self, line):
        self.process.stdin.write(line.encode("ascii") + b"\n")
        self.process.stdin.flush()

    def ask(self, number, method, params):
        self.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
        return self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read().decode()
        return json.loads(line)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_old_and_new_protocol_write_and_recall(settings, mode):
    async def talk():
        async with Client(transport(environment(settings)), mode=mode) as client:
            tools = await client.list_tools()
            written = await client.call_tool(
                "memory_write", {"content": "记住 the render farm 渲染农场 runs on rig7.", "force": True}
            )
            found = await client.call_tool("memory_search", {"query": "渲染农场在哪台机器上?"})
            return tools, written.structured_content, found.structured_content

    tools, written, found = asyncio.run(talk())
    assert len(tools) == len(TOOLS)
    assert written["outcome"] == "stored"
    assert [hit["id"] for hit in found["hits"]] == [written["id"]]


def test_stdout_carries_the_protocol_alone_and_the_end_of_input_ends_the_server(settings):
    with Wire(environment(settings, RETROGRAPH_LOG_LEVEL="debug")) as wire:
        assert wire.ask(1, "initialize", HELLO)["result"]["serverInfo"]["name"] == "retrograph"
        answer = wire.ask(2, "tools/call", {"name": "memory_search", "arguments": {"query": "x"}})
        assert answer["id"] == 2
        rest, log = wire.process.communicate(timeout=60)
    assert wire.process.returncode == 0
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in rest.splitlines())
    text = log.decode()
    assert not re.search("gofastmcp|new version|update available|╭", text, re.IGNORECASE)
    assert settings.password.get_secret_value() not in text


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_told_to_stop_the_server_ends_in_good_order(settings, number):
    with Wire(environment(settings)) as wire:
        wire.ask(1, "initialize", HELLO)
        wire.ask(2, "tools/call", {"name": "memory_search", "arguments": {"query": "x"}})
        wire.process.send_signal(number)
        _, log = wire.process.communicate(timeout=60)
    assert wire.process.returncode == 0
    assert "Traceback" not in log.decode()


def test_half_a_character_is_read_as_a_replacement_and_answered(settings):
    with Wire(environment(settings)) as wire:
        wire.ask(1, "initialize", HELLO)
        call = {"name": "memory_write", "arguments": {"content": "Remember the emoji \ud83d of Orion.", "force": True}}
        stored = wire.ask(2, "tools/call", call)["result"]["structuredContent"]
        read = wire.ask(3, "tools/call", {"name": "memory_get", "arguments": {"memory_id": stored["id"]}})
    assert read["result"]["structuredContent"]["content"] == "Remember the emoji \ufffd of Orion."


def test_the_handshake_is_answered_without_a_database_and_calls_say_what_is_wrong(settings):
    env = environment(
        settings, RETROGRAPH_URI="bolt://127.0.0.1:9", RETROGRAPH_CONNECT_TIMEOUT_S="1", RETROGRAPH_RETRY_S="0"
    )
    with Wire(env) as wire:
        assert "result" in wire.ask(1, "initialize", HELLO)
        assert len(wire.ask(2, "tools/list", {})["result"]["tools"]) == len(TOOLS)
        result = wire.ask(3, "tools/call", {"name": "memory_search", "arguments": {"query": "x"}})["result"]
    assert result["isError"] is True
    assert result["_meta"]["retrograph/error"]["code"] == "engine_unavailable"
    assert "bolt://" not in json.dumps(result)


def test_a_megabyte_over_the_wire_is_answered(settings):
    with Wire(environment(settings)) as wire:
        wire.ask(1, "initialize", HELLO)
        call = {"name": "memory_write", "arguments": {"content": "长文本" * 350_000}}
        result = wire.ask(2, "tools/call", call)["result"]
        assert result["isError"] is True
        assert result["_meta"]["retrograph/error"]["field"] == "content"
        assert "result" in wire.ask(3, "tools/list", {})


@pytest.fixture
def empty_folder(tmp_path):
    """The environment of a user with an installed engine and no data yet."""
    base = Settings.load(data_dir=tmp_path / "data")
    engine = Engine(base.engine, data_dir=base.data_dir, cache_dir=base.cache_dir)
    if not engine.is_installed():
        engine.install()
    env = {name: value for name, value in os.environ.items() if not name.startswith("RETROGRAPH_")}
    yield env | {"RETROGRAPH_DATA_DIR": str(base.data_dir), "RETROGRAPH_CACHE_DIR": str(base.cache_dir)}
    engine.stop(force=True)


def test_four_servers_started_at_once_on_an_empty_folder_all_work(empty_folder):
    async def one(number):
        async with Client(transport(empty_folder)) as client:
            await client.call_tool(
                "memory_write", {"content": f"Server {number} keeps the key of room {number}.", "force": True}
            )
            return client, await client.call_tool("memory_search", {"query": "Who keeps the key?", "limit": 10})

    async def four():
        return await asyncio.gather(*[one(number) for number in range(4)])

    results = asyncio.run(four())
    for number, (_, found) in enumerate(results):
        contents = [hit["content"] for hit in found.structured_content["hits"]]
        assert f"Server {number} keeps the key of room {number}." in contents

    async def after():
        async with Client(transport(empty_folder)) as client:
            return json.loads((await client.read_resource("stats://bank"))[0].text)

    assert asyncio.run(after())["memories"] == 4


@pytest.mark.skipif(sys.platform != "linux", reason="sets the home folder as Linux knows it")
def test_the_documented_python_client_runs(run_program):
    text = (ROOT / "docs" / "mcp.md").read_text("utf-8")
    program = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    assert "Ada decided on Neo4j for the render queue." in run_program(program, timeout_s=120)
