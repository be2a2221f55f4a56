"""An MCP server as anybody might write one with the official SDK, for tests; it is run as a program.

``a_server.py stdio|http new|old|paged [port]``: over what it speaks, and how. A *new* one speaks the latest protocol. An
*old* one knows only the handshake. A *paged* one lists its tools one at a time.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
from collections import defaultdict
from typing import Any, Self, TypedDict

import anyio
from mcp import MCPError
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import Context, Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import (
    METHOD_NOT_FOUND,
    CallToolRequestParams,
    CallToolResult,
    ErrorData,
    JSONRPCError,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

REFUSAL = {"code": METHOD_NOT_FOUND, "message": "Method not found"}
PNG = b"\x89PNG\r\n\x1a\n and so on"


class Weather(TypedDict):
    """What the weather is like."""

    city: str
    degrees: float


class Deaf:
    """Messages to a server that does not know the newest greeting, and refuses it."""

    def __init__(self, incoming: Any, outgoing: Any) -> None:
        self._incoming, self._outgoing = incoming, outgoing

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> object:
        while True:
            item = await self._incoming.__anext__()
            message = getattr(item, "message", None)
            if getattr(message, "method", "") != "server/discover":
                return item
            refusal = JSONRPCError(jsonrpc="2.0", id=message.id, error=ErrorData(**REFUSAL))
            await self._outgoing.send(SessionMessage(refusal))

    async def receive(self) -> object:
        try:
            return await self.__anext__()
        except StopAsyncIteration:
            raise anyio.EndOfStream from None

    async def aclose(self) -> None:
        await self._incoming.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def deaf(app: Any, kind: str) -> Any:
    """The same over HTTP."""

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        heard = [await receive()] if scope["type"] == "http" and scope["method"] == "POST" else []
        if kind == "old" and heard and b'"server/discover"' in heard[0]["body"]:
            body = json.dumps({"jsonrpc": "2.0", "id": None, "error": REFUSAL}).encode()
            headers = [(b"content-type", b"application/json")]
            await send({"type": "http.response.start", "status": 400, "headers": headers})
            await send({"type": "http.response.body", "body": body})
            return

        async def again() -> Any:
            return heard.pop() if heard else await receive()

        await app(scope, again, send)

    return answer


def main(over: str, kind: str, port: str = "0") -> None:
    """Serve until nobody listens any more."""
    if over == "http":
        serve_http(talking(), kind, int(port))
    else:
        asyncio.run(serve_stdio(paged() if kind == "paged" else talking()._lowlevel_server, kind))


def serve_http(server: MCPServer, kind: str, port: int) -> None:
    import uvicorn

    listener = socket.create_server(("127.0.0.1", port))
    print(listener.getsockname()[1], os.getpid(), flush=True)  # noqa: T201  # how a test hears of it
    app = deaf(server.streamable_http_app(), kind)
    config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1)
    asyncio.run(uvicorn.Server(config).serve(sockets=[listener]))


async def serve_stdio(server: Server, kind: str) -> None:
    async with stdio_server() as (incoming, outgoing):
        options = server.create_initialization_options()
        heard = Deaf(incoming, outgoing) if kind == "old" else incoming
        await server.run(heard, outgoing, options)


def talking() -> MCPServer:
    server = MCPServer("tea", instructions="Ask before you pour.", log_level="ERROR")
    begun, cancelled = defaultdict(asyncio.Event), defaultdict(asyncio.Event)

    @server.tool(annotations=ToolAnnotations(read_only_hint=True))
    def greet(name: str) -> str:
        """Say hello to somebody."""
        return f"Hello, {name}!"

    @server.tool(annotations=ToolAnnotations(idempotent_hint=True, destructive_hint=False))
    def weather(city: str) -> Weather:
        return {"city": city, "degrees": 21.5}

    @server.tool(name="draw.picture")
    def picture() -> Image:
        return Image(data=PNG, format="png")

    @server.tool()
    def fail() -> str:
        msg = "There is no tea left."
        raise ToolError(msg)

    @server.tool()
    def refuse() -> str:
        msg = f"not with this key: {os.environ.get('TEA_KEY')}"
        raise MCPError(-32050, msg)

    @server.tool()
    async def slow(mark: str) -> str:
        begun[mark].set()
        try:
            await anyio.sleep_forever()
        except anyio.get_cancelled_exc_class():
            cancelled[mark].set()
            raise
        return "never"

    @server.tool()
    async def has_begun(mark: str) -> bool:
        return await begun[mark].wait()

    @server.tool()
    async def was_cancelled(mark: str) -> bool:
        return await cancelled[mark].wait()

    @server.tool()
    def crash() -> str:
        print("the kettle burst", "TEA_KEY", os.environ.get("TEA_KEY"), file=sys.stderr, flush=True)  # noqa: T201  # as servers do
        os._exit(3)

    @server.tool()
    def pid() -> int:
        return os.getpid()

    @server.tool()
    def header(name: str, ctx: Context) -> str:
        return (ctx.headers or {}).get(name, "none")

    @server.tool()
    def environment() -> dict[str, str]:
        return dict(os.environ)

    @server.tool()
    async def learn(name: str, ctx: Context) -> str:
        server.add_tool(lambda: "learnt", name=name)
        if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
            await ctx.notify_tools_changed()
        else:
            await ctx.session.send_tool_list_changed()
        return "now I know"

    return server


def paged() -> Server:
    """Three tools on three pages."""
    names = ["one", "two", "three"]

    async def on_list(_: object, asked: PaginatedRequestParams | None) -> ListToolsResult:
        number = int(asked.cursor) if asked and asked.cursor else 0
        following = str(number + 1) if number + 1 < len(names) else None
        return ListToolsResult(tools=[Tool(name=names[number], input_schema={"type": "object"})], next_cursor=following)

    async def on_call(_: object, asked: CallToolRequestParams) -> CallToolResult:
        return CallToolResult(content=[TextContent(text=asked.name)])

    return Server("paged", on_list_tools=on_list, on_call_tool=on_call)


if __name__ == "__main__":
    main(*sys.argv[1:])
