"""MCP servers as a source of tools; ``server.py`` is the door."""

from .server import McpOptions, McpServer

__all__ = ["McpOptions", "McpServer"]
