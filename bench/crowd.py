"""Many turns at once in one process, and what that costs it: run by ``turns.py``.

    python bench/crowd.py CLIENT LOOP ADDRESS TURNS TOKENS      prints JSON

LOOP is ``asyncio`` or ``uvloop``, or ``speed.run``, which is how a program with many turns should be run.

A turn of Cadenza goes all the way from bytes to messages, in a target that only notes when each send started. The
openai SDK only reads.

What the crowd adds to a message is the time from the writing of the token that decides it to the start of its send. At
degree 1 that token is the one with the first character behind the line end, for the last message it is the end of the
answer. At degree 2 a message is not late while somebody still types: it is due when it is decided and the pause behind
the moment at which the one before it was due is over. Both processes read the same clock.
"""

from __future__ import annotations

import asyncio
import gc
import json
import resource
import sys
import time
from array import array
from bisect import bisect_right
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import asdict, dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, Protocol, TypeAlias
from urllib.request import urlopen

from cadenza import Http, Identity, Limits, Line, Persona, Post, Receipt, Scene, Settings, connect, reply
from cadenza.concurrency import event_loop
from paced import PACE, passage

STARTS = 200
"""Turns that begin in a second, one after another, as they do where people talk: never all in one moment."""
TYPING = 5.0
"""Seconds for which a turn may be held up by typing."""
SETTINGS = {
    "cadenza, degree 1": Settings.of(degree=1, flood_limit=1000, private_addresses=True),
    # At first somebody types; in the end nobody does, so that the turns last as long as their streams.
    "cadenza, degree 2": Settings.of(degree=2, typing_budget=TYPING, flood_limit=1000, private_addresses=True),
}
_CLOSING = 5.0
"""Seconds that sockets are given to close."""
CLIENTS = (*SETTINGS, "openai SDK")
BEST = "speed.run"
"""How a program with many turns should be run."""


class Heard(Protocol):
    """What one turn leaves behind."""

    def check(self, tokens: Sequence[str]) -> None:
        """Fail unless all of *tokens* arrived, in order."""

    def delays(self, tokens: Sequence[str], written: Sequence[float]) -> list[float]:
        """The seconds that were added to each message, or token, if they and then the end were *written* then."""


Ask: TypeAlias = Callable[[str], Awaitable[Heard]]
"""Has one turn, after a question."""


# --- Cadenza ---------------------------------------------------------------------------


class Messages:
    """A target that notes when each send started."""

    limits = Limits()

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.started = array("d")
        self.pauses = array("d")

    async def send(self, post: Post, /) -> Receipt:
        """Note it."""
        self.started.append(time.monotonic())
        self.pauses.append(post.pause)
        self.texts.append(post.text)
        return Receipt(post, str(len(self.texts)))

    async def typing(self, identity: Identity | None, /) -> None:
        """Nobody is watching."""

    def check(self, tokens: Sequence[str]) -> None:
        """Fail unless every line of *tokens* is a message, in order."""
        assert self.texts == lines(tokens), next(
            (
                f"{ours!r} is not {theirs!r}"
                for ours, theirs in zip(self.texts, lines(tokens), strict=False)
                if ours != theirs
            ),
            "a message is missing",
        )

    def delays(self, tokens: Sequence[str], written: Sequence[float]) -> list[float]:
        """The seconds from when each message was due to the start of its send."""
        added, due, left = [], 0.0, TYPING
        for start, pause, decider in zip(self.started, self.pauses, deciders(tokens), strict=True):
            ready = max(written[decider], due)
            typing = min(max(0.0, due + pause - ready), left)
            due, left = ready + typing, left - typing
            added.append(start - due)
        return added


def lines(tokens: Sequence[str]) -> list[str]:
    """The messages that a passage comes to."""
    return [line.strip() for line in "".join(tokens).split("\n") if line.strip()]


def deciders(tokens: Sequence[str]) -> list[int]:
    """Which token decides each line of a passage: where the next one begins; behind the last is the end."""
    ends = [*accumulate(map(len, tokens))]
    starts = accumulate(len(line) + 1 for line in "".join(tokens).removesuffix("\n").split("\n"))
    return [bisect_right(ends, start) for start in starts]


@asynccontextmanager
async def cadenza(address: str, settings: Settings) -> AsyncIterator[Ask]:
    """Turns from bytes to messages, with one model over one shared way."""
    async with Http(settings.http) as http:
        model = connect("openai:model", key="key", url=f"{address}/v1", settings=settings, http=http)

        async def ask(question: str) -> Heard:
            target = Messages()
            await reply(Scene("bench", Persona("Ren"), (Line("Ann", question),)), model, target, settings=settings)
            return target

        yield ask


# --- the openai SDK ----------------------------------------------------------------------


class Tokens:
    """What a client heard, and when."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.heard = array("d")

    def check(self, tokens: Sequence[str]) -> None:
        """Fail unless *tokens* are what was heard."""
        assert self.texts == tokens

    def delays(self, tokens: Sequence[str], written: Sequence[float]) -> list[float]:
        """The seconds from the writing to the hearing of each token."""
        return [heard - wrote for heard, wrote, _ in zip(self.heard, written, tokens, strict=False)]


@asynccontextmanager
async def openai_sdk(address: str) -> AsyncIterator[Ask]:
    """Streams that are only read, over one shared client."""
    from openai import AsyncOpenAI  # noqa: PLC0415  # it weighs more than all the rest

    async with AsyncOpenAI(api_key="key", base_url=f"{address}/v1", max_retries=0) as client:

        async def ask(question: str) -> Heard:
            heard = Tokens()
            events = await client.chat.completions.create(
                model="model",
                messages=[{"role": "user", "content": question}],
                stream=True,
                stream_options={"include_usage": True},
            )
            async for event in events:
                if event.choices and (text := event.choices[0].delta.content):
                    heard.heard.append(time.monotonic())
                    heard.texts.append(text)
            return heard

        yield ask


# --- a crowd -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Held:
    """What a process holds at a moment."""

    rss_kb: int
    tasks: int
    files: int
    objects: int = 0
    """Those that the garbage collector knows; 0 where they were not counted."""


@dataclass(frozen=True, slots=True)
class Crowd:
    """What a crowd cost."""

    turns: int
    tokens: int
    """Those of all turns together."""
    seconds: float
    cpu: float
    delays: tuple[float, float, float]
    """Seconds that were added: the median, the 99th percentile, the most."""
    late: float
    """Seconds by which the server was late, at the 99th percentile: if it is slow, nobody is measured but the server."""
    before: Held
    amid: Held
    after: Held


def held(*, counting: bool = False) -> Held:
    """What this process holds now."""
    return Held(_rss_kb(), len(asyncio.all_tasks()), _files(), len(gc.get_objects()) if counting else 0)


def _files() -> int:
    return sum(1 for _ in Path("/dev/fd").iterdir())


def _rss_kb() -> int:
    """The memory of this process; where the system does not tell, the most that it was."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text(encoding="ascii").partition("VmRSS:")[2].split()[0])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def client(name: str, address: str) -> AbstractAsyncContextManager[Ask]:
    """The client called *name*, opened."""
    return cadenza(address, SETTINGS[name]) if name in SETTINGS else openai_sdk(address)


async def wave(name: str, address: str, turns: int, tokens: int, *, ramp: float) -> tuple[list[Heard], Held]:
    """Have *turns* turns at once, but for the *ramp*; and what is held in the midst of them."""
    loop, before = asyncio.get_running_loop(), _left()
    async with client(name, address) as ask, asyncio.TaskGroup() as group:
        begin, running = loop.time(), []
        for number in range(turns):
            if (early := begin + ramp * number / turns - loop.time()) > 0:  # who is late does not rest
                await asyncio.sleep(early)
            running.append(group.create_task(_turn(ask, f"<text {number} {tokens}>")))
        amid = held()
        heard = [await turn for turn in running]
    await _gone(before)
    return heard, amid


async def _gone(before: int) -> None:
    """Wait until no more is left than *before*: sockets are closed behind the back of whoever closes them."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + _CLOSING  # what a first crowd needs may stay for ever
    while _left() > before and loop.time() < deadline:  # noqa: ASYNC110  # nobody says when a file is closed
        await asyncio.sleep(0.01)


def _left() -> int:
    """How many tasks and files there are."""
    return len(asyncio.all_tasks()) + _files()


async def _turn(ask: Ask, question: str) -> Heard:
    return await ask(question)


async def _still() -> Held:
    """What is held when nothing goes on."""
    gc.collect()
    return held(counting=True)


async def measure(name: str, address: str, turns: int, tokens: int) -> Crowd:
    """Let *turns* turns of *tokens* tokens each run in this process, and look what they cost.

    Before them as many run for a shorter time: what a crowd needs once is not what every crowd leaves behind.
    """
    ramp = turns / STARTS
    await wave(name, address, turns, min(tokens, round(ramp / 2 / PACE) + 25), ramp=ramp / 2)
    _fetch(f"{address}/written")
    _fetch(f"{address}/pace")
    before = await _still()
    begin, cpu = time.monotonic(), time.process_time()
    heard, amid = await wave(name, address, turns, tokens, ramp=ramp)
    seconds, cpu = time.monotonic() - begin, time.process_time() - cpu
    late: float = json.loads(_fetch(f"{address}/pace"))["p99"]
    delays = _delays(heard, array("d", _fetch(f"{address}/written")), tokens)
    del heard
    after = await _still()
    return Crowd(turns, turns * tokens, seconds, cpu, delays, late, before, amid, after)


def _delays(heard: Sequence[Heard], written: array[float], tokens: int) -> tuple[float, float, float]:
    """What was added, in order of size; and a failure if anything is missing."""
    found: list[float] = []
    for number, one in enumerate(heard):
        said = passage(number, tokens)
        one.check(said)
        found += one.delays(said, written[number * (tokens + 1) : (number + 1) * (tokens + 1)])
    return percentiles(found)


def percentiles(values: Sequence[float]) -> tuple[float, float, float]:
    """The median, the 99th percentile and the most."""
    row = sorted(values)
    return row[len(row) // 2], row[len(row) * 99 // 100], row[-1]


def _fetch(address: str) -> bytes:
    with urlopen(address, timeout=60) as answer:  # noqa: S310  # our own server
        body: bytes = answer.read()
    return body


def new_loop(name: str) -> Callable[[], asyncio.AbstractEventLoop] | None:
    """What makes the event loop called *name*."""
    if name == "asyncio":
        return None
    import uvloop  # noqa: PLC0415  # an option

    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory


def run(way: str, main: Coroutine[Any, Any, Crowd]) -> Crowd:
    """Run *main* in the *way* that is called so."""
    if way == BEST:
        return event_loop.run(main)
    with asyncio.Runner(loop_factory=new_loop(way)) as runner:
        return runner.run(main)


if __name__ == "__main__":
    _, which, how, where, how_many, how_long = sys.argv
    print(json.dumps(asdict(run(how, measure(which, where, int(how_many), int(how_long))))))
