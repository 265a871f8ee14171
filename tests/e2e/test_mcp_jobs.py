"""A conversation handed to a running server with wait=false is stored by it, and another client can follow."""

import asyncio
import os
import sys
import time

from fastmcp import Client
from fastmcp.client.transports import StdioTransport

SERVE = "from retrograph.server import serve; from retrograph.settings import Settings; serve(Settings.load())"
TURNS = [
    {"content": "The render queue runs on rig7.", "speaker": "Ann", "session": "s", "occurred_at": "2026-03-01T10:00"},
    {"content": "渲染队列的负责人是李娜。", "speaker": "Ben", "session": "s", "occurred_at": "2026-03-01T10:01"},
]


def test_job_of_a_server_is_done_while_it_serves_and_survives_it(settings):
    environment = os.environ | {
        "RETROGRAPH_URI": settings.uri,
        "RETROGRAPH_USERNAME": settings.username,
        "RETROGRAPH_PASSWORD": settings.password.get_secret_value(),
        "RETROGRAPH_BANK": settings.bank,
    }

    def client():
        return Client(StdioTransport(sys.executable, ["-c", SERVE], env=environment, keep_alive=False))

    async def queue():
        async with client() as server:
            answer = await server.call_tool("memory_ingest", {"turns": TURNS, "wait": False})
            return answer.structured_content["job"]

    async def follow(job_id):
        async with client() as server:
            until = time.monotonic() + 300
            while time.monotonic() < until:
                job = (await server.call_tool("memory_job", {"job_id": job_id})).structured_content
                if job["state"] not in ("queued", "running"):
                    break
                await asyncio.sleep(1)
            found = (await server.call_tool("memory_search", {"query": "渲染队列的负责人"})).structured_content
            return job, [hit["content"] for hit in found["hits"]]

    # The server that took it may be gone before it is done.
    job_id = asyncio.run(queue())
    job, found = asyncio.run(follow(job_id))
    assert (job["state"], job["done"], job["stored"] + job.get("unchanged", 0)) == ("done", 2, 2)
    assert TURNS[1]["content"] in found
