"""The official Python SDK as the client, over stdio and over HTTP; the TypeScript one is in `bench/conformance.py`."""

import asyncio
import sys

import pytest
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from .test_mcp_http import Served

TOLD = "记住：the brass telescope belongs to 王芳."


async def talked(streams):
    """What the SDK's session gets of the calls that every client makes."""
    async with ClientSession(*streams[:2]) as session:
        started = await session.initialize()
        tools = await session.list_tools()
        written = await session.call_tool("memory_write", {"content": TOLD, "force": True})
        found = await session.call_tool("memory_search", {"query": "Whose is the brass telescope? 望远镜"})
        wrong = await session.call_tool("memory_get", {"memory_id": "no-such"})
        stats = await session.read_resource("stats://bank")
        prompt = await session.get_prompt("recall_context", {"topic": "telescope"})
        return started, tools.tools, written, found, wrong, stats.contents[0].text, prompt.messages[0].content.text


def check(answers):
    started, tools, written, found, wrong, stats, prompt = answers
    assert started.server_info.name == "retrograph"
    assert len(tools) == 20
    assert all(tool.output_schema for tool in tools)
    assert [hit["id"] for hit in found.structured_content["hits"]] == [written.structured_content["id"]]
    assert wrong.is_error
    assert wrong.content[0].text.startswith("not_found: ")
    assert '"memories":1' in stats
    assert TOLD in prompt


def test_the_official_sdk_writes_and_recalls_over_stdio(environment):
    server = StdioServerParameters(command=sys.executable, args=["-m", "retrograph", "serve"], env=environment)

    async def over_stdio():
        async with stdio_client(server) as streams:
            return await talked(streams)

    check(asyncio.run(over_stdio()))


def test_the_official_sdk_writes_and_recalls_over_http(environment, tmp_path):
    served = Served(environment, tmp_path / "server.log")

    async def over_http():
        async with streamable_http_client(f"{served.root}/mcp") as streams:
            return await talked(streams)

    try:
        check(asyncio.run(over_http()))
    finally:
        served.process.terminate()
        served.process.wait(timeout=60)
    if served.process.returncode:
        pytest.fail(served.log.read_text("utf-8"))
