"""An MCP server by hand, in the old protocol and without the SDK, which takes a while to load; it is run as a program.

``a_simple_server.py polite|ancient|rude``: for tests of how programs begin and end, not of what is said to them. An
*ancient* one ends when it is greeted in the new way, a *rude* one does not end when it should.
"""

from __future__ import annotations

import json
import os
import signal
import sys

TOOLS = ("greet", "pid", "crash", "environment")


def main(kind: str) -> None:
    """Serve until nobody listens any more."""
    if kind == "rude":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for line in sys.stdin:
        asked = json.loads(line)
        if kind == "ancient" and asked["method"] == "server/discover":
            os._exit(1)
        if "id" in asked:
            print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer(asked)}), flush=True)  # noqa: T201  # how it speaks
    while kind == "rude":
        signal.pause()


def answer(asked: dict[str, dict[str, dict[str, str]]]) -> dict[str, object]:
    match asked["method"]:
        case "initialize":
            told = {"protocolVersion": "2025-06-18", "serverInfo": {"name": "tea", "version": ""}}
            return {"result": {**told, "capabilities": {"tools": {}}}}
        case "tools/list":
            return {"result": {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]}}
        case "tools/call":
            text = call(str(asked["params"]["name"]), asked["params"].get("arguments") or {})
            return {"result": {"content": [{"type": "text", "text": text}]}}
        case _:
            return {"error": {"code": -32601, "message": "Method not found"}}


def call(name: str, arguments: dict[str, str]) -> str:
    match name:
        case "greet":
            return f"Hello, {arguments['name']}!"
        case "pid":
            return str(os.getpid())
        case "environment":
            return json.dumps(dict(os.environ))
        case _:
            print("the kettle burst", "TEA_KEY", os.environ.get("TEA_KEY"), file=sys.stderr, flush=True)  # noqa: T201  # as servers do
            os._exit(3)


if __name__ == "__main__":
    main(*sys.argv[1:])
