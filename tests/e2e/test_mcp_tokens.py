"""Tokens end to end: made on the command line, asked for by a server, narrowed, revoked; and the audit."""

import asyncio
import json
import re
import subprocess
import sys
import time

import httpx
import pytest
from fastmcp import Client


@pytest.fixture
def run(environment):
    """Runs `retrograph …` to its end."""

    def run(*arguments, code=0, **more):
        done = subprocess.run(
            [sys.executable, "-m", "retrograph", *arguments],
            capture_output=True,
            check=False,
            env=environment | more,
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == code, (done.stdout + done.stderr).decode()
        return done

    return run


@pytest.fixture
def root(environment, tmp_path):
    """The address of a server that asks for tokens of the graph."""
    log = tmp_path / "server.log"
    with log.open("w") as stderr:
        process = subprocess.Popen(
            [sys.executable, "-m", "retrograph", "serve", "--transport", "http", "--port", "0"],
            env=environment | {"RETROGRAPH_SERVER_AUTH": "tokens"},
            stderr=stderr,
        )
    for _ in range(1200):
        found = re.search(r"(http://127\.0\.0\.1:\d+)/mcp\n", log.read_text("utf-8"))
        if found or process.poll() is not None:
            break
        time.sleep(0.1)
    assert found, log.read_text("utf-8")
    yield found[1]
    process.terminate()
    process.wait(timeout=60)
    assert "rg_" not in log.read_text("utf-8"), "no token is in the log"
    sys.stderr.write(log.read_text("utf-8"))


def test_a_token_lets_in_narrows_and_is_revoked_while_the_server_runs(root, run):
    def made(*arguments):
        return json.loads(run("token", "create", "--json", *arguments).stdout)

    def call(token, tool, **arguments):
        async def called():
            async with Client(f"{root}/mcp", auth=token) as client:
                return await client.call_tool(tool, arguments, raise_on_error=False)

        return asyncio.run(called())

    ann = made("--user", "ann", "--team", "red", "--label", "笔记本")
    planner = made("--agent", "planner", "--team", "red", "--right", "read")
    assert call(ann["token"], "memory_write", content="记住：the harbour key is in the blue tin.", force=True)
    shared = call(ann["token"], "memory_write", content="For all: 港口 closes at nine.", scope="team", force=True)
    assert shared.is_error and "'share'" in shared.content[0].text
    read = call(planner["token"], "memory_search", query="harbour key 港口")
    assert read.structured_content["hits"] == []
    assert "may not write" in call(planner["token"], "memory_write", content="x").content[0].text

    [told] = [view for view in json.loads(run("token", "list", "--json").stdout) if view["id"] == ann["id"]]
    assert (told["user"], told["rights"], told["label"]) == ("ann", ["read", "write"], "笔记本")
    assert "token" not in told
    run("token", "revoke", ann["id"])
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    headers = {"Accept": "application/json, text/event-stream", "Authorization": f"Bearer {ann['token']}"}
    for _ in range(60):
        status = httpx.post(f"{root}/mcp", json=message, headers=headers).status_code
        if status == 401:
            break
        time.sleep(0.5)
    assert status == 401

    entries = json.loads(run("audit", "--by-user", "ann", "--json").stdout)
    assert [(entry["action"], entry["user"]) for entry in entries["entries"]] == [("stored", "ann")]
    assert b"harbour" not in run("audit").stdout


def test_an_open_address_is_refused_without_a_token_and_says_why(run):
    done = run("serve", "--transport", "http", "--host", "0.0.0.0", "--port", "0", code=2)
    said = done.stderr.decode()
    assert "anybody who reaches this machine could read" in said
    assert "retrograph token create" in said and "RETROGRAPH_SERVER_AUTH=tokens" in said


def test_keys_that_are_not_there_stop_the_server_with_the_cure(run):
    given = {
        "RETROGRAPH_SERVER_JWT_KEYS": "/nowhere/jwks.json",
        "RETROGRAPH_SERVER_JWT_ISSUER": "https://id.example.com",
        "RETROGRAPH_SERVER_JWT_AUDIENCE": "retrograph",
    }
    said = run("serve", "--transport", "http", "--port", "0", code=2, **given).stderr.decode()
    assert "server.jwt_keys" in said and "JWKS" in said and "Traceback" not in said
