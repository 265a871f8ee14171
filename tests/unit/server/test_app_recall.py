"""The page that draws a recall: where it is named, and that it needs nothing from elsewhere."""

import asyncio
import re
from types import SimpleNamespace
from typing import Any

import pytest
from fastmcp import Client

from retrograph.models import Identity
from retrograph.server import build_server
from retrograph.server.app_recall import TOOLS, URI, page
from retrograph.settings import ServerSettings


def _server(profile: str) -> Any:
    settings = SimpleNamespace(timezone="UTC", server=ServerSettings.model_validate({"profile": profile}))
    memory: Any = SimpleNamespace(settings=settings, identity=Identity())
    return build_server(memory, warm=False)


def _listed(profile: str) -> tuple[list[Any], list[Any]]:
    async def ask() -> tuple[list[Any], list[Any]]:
        async with Client(_server(profile)) as client:
            return await client.list_tools(), await client.list_resources()

    return asyncio.run(ask())


def test_search_names_the_page_and_no_other_tool_does():
    tools, resources = _listed("full")
    named = {tool.name: tool.meta["ui"] for tool in tools if tool.meta and "ui" in tool.meta}
    assert named == {key: {"resourceUri": URI} for key in TOOLS}
    (listed,) = [resource for resource in resources if str(resource.uri) == URI]
    assert listed.mime_type == "text/html;profile=mcp-app"


def test_page_is_read_as_the_page_of_an_app():
    async def read() -> Any:
        async with Client(_server("full")) as client:
            return await client.read_resource(URI)

    (content,) = asyncio.run(read())
    assert content.mime_type == "text/html;profile=mcp-app"
    assert content.text == page()


def test_small_profile_has_no_picture():
    tools, resources = _listed("core")
    assert not [tool for tool in tools if tool.meta and "ui" in tool.meta]
    assert URI not in [str(resource.uri) for resource in resources]


def test_page_is_one_small_file_that_asks_nobody_for_anything():
    text = page()
    assert len(text.encode()) < 16_384
    addresses = set(re.findall(r"""(?:https?:)?//[^\s"'`)]+""", re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)))
    assert addresses == {"http://www.w3.org/2000/svg"}, "the name of SVG, which is no address to fetch"
    assert not re.search(r"\bfetch\(|XMLHttpRequest|WebSocket|\bimport\b|<link|<img|src=|@import|url\(", text)


@pytest.mark.parametrize("danger", ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("])
def test_page_never_makes_markup_of_what_it_is_given(danger: str):
    assert danger not in page()
