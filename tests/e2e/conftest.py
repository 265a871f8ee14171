"""A server called in its own process, and what a process of its own needs to work in a test's bank."""

import asyncio
import os
from pathlib import Path

import pytest
from fastmcp import Client

from retrograph.server import build_server
from retrograph.settings import Settings


class Tools:
    """Calls tools of one server."""

    def __init__(self, memory):
        self.server = build_server(memory, warm=False)

    def __call__(self, tool, **arguments):
        result = self.result(tool, **arguments)
        assert not result.is_error, result.content[0].text
        return result.structured_content

    def result(self, tool, **arguments):
        async def called():
            async with Client(self.server) as client:
                return await client.call_tool(tool, arguments, raise_on_error=False)

        return asyncio.run(called())

    def error(self, tool, **arguments):
        """Code and words of the error."""
        result = self.result(tool, **arguments)
        assert result.is_error, result.structured_content
        return result.meta["retrograph/error"]["code"], result.content[0].text

    def code(self, tool, **arguments):
        return self.error(tool, **arguments)[0]


@pytest.fixture
def tools(memory):
    return Tools(memory)


@pytest.fixture
def environment(settings: Settings, tmp_path: Path) -> dict[str, str]:
    """What a process needs to work in this test's bank, and nothing of whoever runs the tests."""
    assert settings.uri and settings.password
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("RETROGRAPH_")},
        "RETROGRAPH_URI": settings.uri,
        "RETROGRAPH_USERNAME": settings.username,
        "RETROGRAPH_PASSWORD": settings.password.get_secret_value(),
        "RETROGRAPH_BANK": settings.bank,
        "RETROGRAPH_DATA_DIR": str(tmp_path / "data"),
    }
