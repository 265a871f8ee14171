"""A picture of a recall for clients that show MCP Apps: the page, and which tools it belongs to."""

from importlib import resources
from typing import Any

from fastmcp import FastMCP
from fastmcp.apps import AppConfig
from fastmcp.tools import Tool

URI = "ui://retrograph/recall.html"
TOOLS = ("memory_search",)
"""Their answers are what the page draws."""


def page() -> str:
    """The page: one file of markup, style and script that asks no other address for anything."""
    return resources.files("retrograph.server").joinpath("app_recall.html").read_text(encoding="utf-8")


def add_picture(server: FastMCP[Any]) -> None:
    """Registers the page. It holds no memory: what it draws, the client hands it from the tool's answer."""
    server.resource(
        URI,
        name="recall_picture",
        title="A recall as a graph",
        description="Draws what memory_search walked: memories, entities and the winning paths, with their scores.",
        app=AppConfig(prefers_border=True),
    )(page)


def drawn(tool: Tool) -> Tool:
    """The tool, with the page named where the page draws its answers; other clients do not look at that."""
    if tool.name in TOOLS:
        tool.meta = {**(tool.meta or {}), "ui": {"resourceUri": URI}}
    return tool
