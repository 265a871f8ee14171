"""The MCP server: the memory as tools, resources and prompts over stdio and streamable HTTP."""

from retrograph.server.app import build_server
from retrograph.server.serving import serve

__all__ = ["build_server", "serve"]
