"""A server that streams to a crowd, each stream at the pace of a model: run by itself, in a process of its own.

    python bench/paced.py STREAMS TOKENS       prints its address and serves until its standard input is closed

Whoever asks says somewhere in the question what to stream: ``<text 17 500>`` is 500 tokens of the passage of stream 17,
one every 20 ms; ``<burst 17 500>`` is the same at once; ``<call 17 0>`` calls a tool; at ``<mute 17 0>`` it listens and
never says a word. ``GET /written`` tells, stream by stream, when each token was written, on the clock of this machine
that all its processes share, and ``GET /pace`` how late that was.

There is one clock for all streams, which wakes up once a millisecond and writes a twentieth of them, so that it takes
as little as possible of a machine on which it is not what is measured.
"""

from __future__ import annotations

import asyncio
import gc
import json
import re
import sys
import time
from array import array
from collections.abc import Iterable, Sequence
from functools import cached_property
from random import Random

from corpus import sentence
from endpoint import openai_closing, openai_event, openai_opening

PACE = 0.02
"""Seconds from one token of a stream to the next: 50 tokens a second."""
SLOTS = 20
"""Into how many moments a pace is divided; a stream has its own."""
TOOL = "wait"
_MARK = "\N{WHITE STAR}"
_WANTED = re.compile(rb"<(text|burst|call|mute) (\d+) (\d+)>")


def passage(stream: int, count: int) -> list[str]:
    """The tokens of *stream*: *count* pieces of chat, about four characters each, like those of no other stream."""
    dice, pieces = Random(stream), list[str]()
    text = f"Turn {stream} begins.\n"
    while len(pieces) < count:
        while len(text) < 8:
            text += "".join(sentence(dice) for _ in range(dice.randint(1, 2))).rstrip() + "\n"
        size = dice.randint(2, 6)
        pieces.append(text[:size])
        text = text[size:]
    return pieces


def framed(body: bytes) -> bytes:
    """*body* as a chunk of an HTTP answer."""
    return b"%x\r\n%b\r\n" % (len(body), body)


class Wording:
    """What stands around a token in an event, made once."""

    def __init__(self) -> None:
        mark = json.dumps(_MARK)[1:-1].encode()
        self._before, self._behind = openai_event({"content": _MARK}).split(mark)
        self._size = len(self._before) + len(self._behind)

    def event(self, token: bytes) -> bytes:
        """The event of *token*, which is written as JSON writes it."""
        return b"%x\r\n%b%b%b\r\n" % (self._size + len(token), self._before, token, self._behind)


def opening() -> bytes:
    """What comes before the first token."""
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    return head + framed(openai_opening())


def closing(count: int, reason: str = "stop") -> bytes:
    """What comes behind the last one of *count* tokens."""
    return framed(openai_closing(count, reason)) + b"0\r\n\r\n"


def call() -> bytes:
    """The events of an answer that calls the tool."""
    function = {"name": TOOL, "arguments": "{}"}
    return framed(
        openai_event({"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": function}]})
    )


class Stream:
    """One answer on its way, token by token."""

    def __init__(self, line: asyncio.Transport, tokens: Sequence[bytes], wording: Wording) -> None:
        self._line = line
        self._tokens = tokens
        self._wording = wording
        self._next = 0
        self.written = array("d")
        """When each token, and then the end, was written."""

    def step(self) -> bool:
        """Write the next token; ``False`` if there is none any more, or nobody who reads."""
        if self._line.is_closing():
            return False
        self.written.append(time.monotonic())
        if self._next == len(self._tokens):
            self._line.write(closing(self._next))
            return False
        self._line.write(self._wording.event(self._tokens[self._next]))
        self._next += 1
        return True

    def rush(self) -> None:
        """Write everything at once."""
        tokens = self._tokens[self._next :]
        self._line.write(b"".join(map(self._wording.event, tokens)) + closing(len(self._tokens)))


class Wheel:
    """The one clock of all streams."""

    def __init__(self) -> None:
        self._slots: list[list[Stream]] = [[] for _ in range(SLOTS)]
        self._wanted = asyncio.Event()
        self.late = array("d")
        """By how many seconds each token was late."""

    def add(self, stream: Stream) -> None:
        """Let *stream* begin, at the moment at which the fewest others are served."""
        min(self._slots, key=len).append(stream)
        self._wanted.set()

    async def turn(self) -> None:
        """Serve for ever; sleep while there is nobody to be served."""
        while True:
            await self._wanted.wait()
            await self._serve()
            self._wanted.clear()

    async def _serve(self) -> None:
        begin, tick = time.monotonic(), 0
        while any(self._slots):
            due = begin + tick * PACE / SLOTS
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            slot = tick % SLOTS
            streams = self._slots[slot]
            if streams:
                ended = [stream for stream in streams if not self._stepped(stream, due)]
                for stream in ended:
                    streams.remove(stream)
            tick += 1

    def _stepped(self, stream: Stream, due: float) -> bool:
        goes_on = stream.step()
        if stream.written:
            self.late.append(stream.written[-1] - due)
        return goes_on


class House:
    """What all lines share: the passages, the clock, and what was written to whom."""

    def __init__(self, streams: int, tokens: int) -> None:
        self.wheel = Wheel()
        self.wording = Wording()
        self._streams = streams
        self._tokens = tokens
        self.begun: dict[int, Stream] = {}

    @cached_property
    def passages(self) -> list[list[bytes]]:
        """The tokens of each stream, as JSON writes them."""
        rows = (passage(stream, self._tokens) for stream in range(self._streams))
        return [[json.dumps(token)[1:-1].encode() for token in row] for row in rows]

    def stream(self, line: asyncio.Transport, number: int, count: int) -> Stream:
        """The first *count* tokens of stream *number*."""
        self.begun[number] = stream = Stream(line, self.passages[number][:count], self.wording)
        return stream

    def written(self) -> bytes:
        """When the tokens were written, stream by stream; then it is forgotten."""
        moments = b"".join(self.begun[number].written.tobytes() for number in sorted(self.begun))
        self.begun.clear()
        return moments

    def pace(self) -> bytes:
        """How late the tokens were, at the median, at the 99th percentile and at worst; then it is forgotten."""
        late = sorted(self.wheel.late) or [0.0]
        self.wheel.late = array("d")
        found = {"p50": late[len(late) // 2], "p99": late[len(late) * 99 // 100], "max": late[-1]}
        return json.dumps({**found, "cpu": time.process_time()}).encode()


class Line(asyncio.Protocol):
    """A connection, over which one question is asked after another."""

    def __init__(self, shared: House) -> None:
        self._house = shared
        self._line: asyncio.Transport | None = None
        self._heard = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Somebody calls."""
        assert isinstance(transport, asyncio.Transport)
        self._line = transport

    def data_received(self, data: bytes) -> None:
        """Answer, once the question is whole."""
        self._heard += data
        head, end, body = self._heard.partition(b"\r\n\r\n")
        if not end:
            return
        lines = head.lower().split(b"\r\n")
        lengths = [line.partition(b":")[2] for line in lines if line.startswith(b"content-length:")]
        if len(body) >= int(lengths[0] if lengths else 0):
            self._heard = b""
            self._answer(lines[0].split(b" ")[1], body)

    def _answer(self, path: bytes, body: bytes) -> None:
        assert self._line is not None
        shared, line = self._house, self._line
        wanted = _WANTED.search(body)
        match wanted.groups() if wanted else path:
            case b"text", number, count:
                line.write(opening())
                shared.wheel.add(shared.stream(line, int(number), int(count)))
            case b"burst", number, count:
                line.write(opening())
                shared.stream(line, int(number), int(count)).rush()
            case b"call", _, _:
                line.write(opening() + call() + closing(0, "tool_calls"))
            case b"mute", _, _:
                line.write(opening())
            case b"/written":
                line.write(_whole(shared.written()))
            case b"/pace":
                line.write(_whole(shared.pace()))
            case _:
                line.write(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")


def _whole(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)


async def _serve(streams: int, tokens: int) -> None:
    shared, loop = House(streams, tokens), asyncio.get_running_loop()
    assert len(shared.passages) == streams  # made before anybody waits for them
    gc.collect()
    gc.freeze()
    gc.disable()  # no pause of ours may look like one of those who are measured
    server = await loop.create_server(lambda: Line(shared), "127.0.0.1", 0, backlog=4096)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    async with asyncio.TaskGroup() as group:
        clock = group.create_task(shared.wheel.turn())
        await loop.run_in_executor(None, sys.stdin.read)
        clock.cancel()
    server.close()


def _numbers(words: Iterable[str]) -> list[int]:
    return [int(word) for word in words]


if __name__ == "__main__":
    asyncio.run(_serve(*_numbers(sys.argv[1:])))
