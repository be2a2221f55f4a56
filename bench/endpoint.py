"""A server that streams as the big providers do, for the benchmark of clients: run by itself, in a process of its own.

    python bench/endpoint.py        prints its address and serves until its standard input is closed

The base address of an interface says how much it sends and how fast:
``/openai/20000/0`` is 20 000 events at full speed, ``/anthropic/500/4000`` is 500 events, one every 4 000 µs.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from random import Random

from corpus import sentence

BLOCK = 64
"""Events that are handed to the network at once at full speed."""


def tokens(count: int) -> Iterator[str]:
    """*count* pieces of made-up prose, about four characters each."""
    dice = Random(1)
    text = ""
    for _ in range(count):
        while len(text) < 8:
            text += sentence(dice)
        size = dice.randint(2, 6)
        yield text[:size]
        text = text[size:]


def _data(value: object, event: str = "") -> bytes:
    name = f"event: {event}\n" if event else ""
    return f"{name}data: {json.dumps(value, separators=(',', ':'))}\n\n".encode()


_HEAD = {
    "id": "chatcmpl-CbXyZ0123456789abcdefghijkl",
    "object": "chat.completion.chunk",
    "created": 1762000000,
    "model": "gpt-5.1-2025-11-13",
    "service_tier": "default",
    "system_fingerprint": "fp_0123456789",
}
_CHOICE = {"index": 0, "logprobs": None, "finish_reason": None}


def openai_opening() -> bytes:
    """The event before the first token of a chat completion."""
    first = {"role": "assistant", "content": "", "refusal": None}
    return _data({**_HEAD, "choices": [{**_CHOICE, "delta": first}], "usage": None})


def openai_event(delta: dict[str, object]) -> bytes:
    """One event of a chat completion: a token, say."""
    return _data({**_HEAD, "choices": [{**_CHOICE, "delta": delta}], "usage": None, "obfuscation": "a1b2c3"})


def openai_closing(count: int, reason: str = "stop") -> bytes:
    """The events behind the last one of *count* tokens."""
    end: dict[str, object] = {**_CHOICE, "delta": {}, "finish_reason": reason}
    usage = {"prompt_tokens": 9, "completion_tokens": count, "total_tokens": count + 9}
    return (
        _data({**_HEAD, "choices": [end], "usage": None})
        + _data({**_HEAD, "choices": [], "usage": usage})
        + b"data: [DONE]\n\n"
    )


def openai_events(count: int) -> Iterator[bytes]:
    """A chat completion."""
    yield openai_opening()
    for token in tokens(count):
        yield openai_event({"content": token})
    yield openai_closing(count)


def anthropic_events(count: int) -> Iterator[bytes]:
    """A message."""
    usage = {"input_tokens": 9, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 1}
    message: dict[str, object] = {
        "id": "msg_0123456789",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5-20250929",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    yield _data({"type": "message_start", "message": message}, "message_start")
    block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    yield _data(block, "content_block_start")
    for token in tokens(count):
        delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": token}}
        yield _data(delta, "content_block_delta")
    yield _data({"type": "content_block_stop", "index": 0}, "content_block_stop")
    end = {"stop_reason": "end_turn", "stop_sequence": None}
    yield _data({"type": "message_delta", "delta": end, "usage": {"output_tokens": count}}, "message_delta")
    yield _data({"type": "message_stop"}, "message_stop")


def google_events(count: int) -> Iterator[bytes]:
    """Generated content."""
    for number, token in enumerate(tokens(count), start=1):
        candidate: dict[str, object] = {"content": {"parts": [{"text": token}], "role": "model"}, "index": 0}
        if number == count:
            candidate["finishReason"] = "STOP"
        usage = {"promptTokenCount": 9, "candidatesTokenCount": number, "totalTokenCount": number + 9}
        value = {
            "candidates": [candidate],
            "usageMetadata": {**usage, "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 9}]},
            "modelVersion": "gemini-2.5-flash",
            "responseId": "a1b2c3d4e5f6g7h8",
        }
        yield _data(value).replace(b"\n", b"\r\n")


EVENTS: dict[str, Callable[[int], Iterator[bytes]]] = {
    "openai": openai_events,
    "anthropic": anthropic_events,
    "google": google_events,
}


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            length = head.split("content-length:")[1].split("\r\n")[0] if "content-length:" in head else "0"
            await reader.readexactly(int(length))
            _, name, count, pause, *_ = head.split(" ")[1].split("/")
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
            await _send(writer, EVENTS[name](int(count)), int(pause) / 1_000_000)
            writer.write(b"0\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def _send(writer: asyncio.StreamWriter, events: Iterator[bytes], pause: float) -> None:
    chunks = (b"%x\r\n%b\r\n" % (len(event), event) for event in events)
    if pause:
        for chunk in chunks:
            writer.write(chunk)
            await asyncio.sleep(pause)
        return
    block: list[bytes] = []
    for chunk in chunks:
        block.append(chunk)
        if len(block) == BLOCK:
            writer.write(b"".join(block))
            await writer.drain()
            block.clear()
    writer.write(b"".join(block))
    await writer.drain()


async def _serve() -> None:
    server = await asyncio.start_server(_answer, "127.0.0.1", 0, limit=1 << 20)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(_serve())
