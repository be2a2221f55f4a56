"""MCP servers as a source of tools; start with ``server.py``."""

from .server import McpOptions, McpServer

__all__ = ["McpOptions", "McpServer"]
