"""Streams that block: they are read in a thread, and the loop goes on."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from traceback import extract_tb
from typing import Any

import pytest
from anthropic import Anthropic
from openai import OpenAI

from cadenza import MemoryTarget, Settings, from_stream, say
from cadenza.concurrency.stops import Stops
from cadenza.errors import ProviderError
from cadenza.types import Broke, Chunk, Completed, Failed, Finished, Stopped, StopReason, TextDelta
from tests.loopback import Act, Answer, serving
from tests.models.client_items import CLAUDE, CLAUDE_SAID, COMPLETIONS
from tests.models.recorded import joined

AT_ONCE = Settings.of(degree=1)
ASKED: Any = [{"role": "user", "content": "Weather?"}]
_WHO: ContextVar[str] = ContextVar("_WHO", default="nobody")


def events(items: list[dict[str, Any]]) -> bytes:
    return b"".join(b"event: %b\ndata: %b\n\n" % (str(item.get("type", "x")).encode(), json.dumps(item).encode()) for item in items)  # fmt: skip


async def heard(stream: Any) -> list[Chunk]:
    return joined([chunk async for chunk in from_stream(stream)])


class Gate:
    """A generator that waits in its thread until it is let through, and notes that it was closed."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.closed = threading.Event()
        self.began = threading.Event()

    def words(self) -> Iterator[str]:
        try:
            yield "One.\n"
            self.began.set()
            self.open.wait(30)
            yield "Two.\n"
        finally:
            self.closed.set()


async def until(event: threading.Event) -> None:
    assert await asyncio.to_thread(event.wait, 5)


async def test_a_generator_that_blocks_does_not_block_the_loop() -> None:
    gate, target = Gate(), MemoryTarget()
    saying = asyncio.create_task(say(target, gate.words(), settings=AT_ONCE))
    await until(gate.began)  # this could not run if the generator blocked the loop
    gate.open.set()

    assert Completed("end_of_stream") == (await saying).outcome
    assert ["One.", "Two."] == target.texts


async def test_a_stop_does_not_wait_for_it_and_it_is_closed_when_it_goes_on() -> None:
    gate, stops, target = Gate(), Stops(), MemoryTarget()
    with stops.open("turn") as handle:
        saying = asyncio.create_task(say(target, gate.words(), settings=AT_ONCE, stop=handle))
        await until(gate.began)
        stops.request("turn")
        result = await asyncio.wait_for(saying, 2)

    assert Stopped(StopReason.USER) == result.outcome
    assert not gate.closed.is_set()
    gate.open.set()
    await until(gate.closed)
    assert [] == target.texts


async def test_whoever_hangs_up_while_it_waits_to_be_heard_finds_it_closed() -> None:
    closed = False

    def endless() -> Iterator[str]:
        nonlocal closed
        try:
            while True:
                yield "a"
        finally:
            closed = True

    chunks = from_stream(endless())
    await anext(chunks)
    await asyncio.sleep(0.05)
    await chunks.aclose()

    assert closed


async def test_it_is_read_ahead_only_a_little() -> None:
    read = 0

    def counted() -> Iterator[str]:
        nonlocal read
        for _ in range(10_000):
            read += 1
            yield "a"

    chunks = from_stream(counted())
    await anext(chunks)
    await asyncio.sleep(0.1)
    await chunks.aclose()

    assert read <= 200


async def test_what_it_raises_keeps_its_type_and_traceback() -> None:
    def broken() -> Iterator[str]:
        yield "Hi"
        {}["tea"]  # it is to fail

    result = await say(MemoryTarget(), broken(), settings=AT_ONCE)

    assert isinstance(result.outcome, Broke)
    cause = result.outcome.error.__cause__
    assert isinstance(cause, KeyError)
    assert "broken" in [frame.name for frame in extract_tb(cause.__traceback__)]
    assert "the stream raised KeyError; the log has its traceback" == str(result.outcome.error)


async def test_it_sees_the_context_variables_of_its_caller() -> None:
    def who() -> Iterator[str]:
        yield _WHO.get()

    _WHO.set("Mia")

    assert [TextDelta("Mia"), Finished("end_of_stream")] == await heard(who())


async def test_a_context_manager_is_entered_and_left_in_the_thread() -> None:
    threads: list[int] = []

    @contextmanager
    def opened() -> Iterator[Iterator[str]]:
        threads.append(threading.get_ident())
        yield iter("Hi")
        threads.append(threading.get_ident())

    assert [TextDelta("Hi"), Finished("end_of_stream")] == await heard(opened())
    assert 1 == len(set(threads))
    assert threading.get_ident() not in threads


@pytest.mark.parametrize("kind", [list, tuple, iter], ids=["list", "tuple", "its iterator"])
async def test_what_is_at_hand_needs_no_thread(kind: Any) -> None:
    chunks = from_stream(kind(["a", "b"]))
    await anext(chunks)

    assert not [thread for thread in threading.enumerate() if thread.name == "cadenza stream"]
    await chunks.aclose()


async def test_ten_thousand_texts_are_not_slow() -> None:
    began = time.perf_counter()
    chunks = [chunk async for chunk in from_stream(word for word in ["a"] * 10_000)]

    assert 10_001 == len(chunks)
    assert time.perf_counter() - began < 2.0  # it takes about 0.03 s


# --- the clients ------------------------------------------------------------------------


async def test_the_blocking_client_of_openai() -> None:
    items, chunks = COMPLETIONS[0].values
    async with serving(Answer((events(items), b"data: [DONE]\n\n"))) as server:  # type: ignore[arg-type]
        with OpenAI(base_url=server.url + "/v1", api_key="k", max_retries=0) as client:
            stream = await asyncio.to_thread(client.chat.completions.create, model="m", messages=ASKED, stream=True)

            assert chunks == await heard(stream)


async def test_the_blocking_helper_of_anthropic_is_opened_in_the_thread() -> None:
    async with serving(Answer((events(CLAUDE),))) as server:
        with Anthropic(base_url=server.url, api_key="k", max_retries=0) as client:
            manager = client.messages.stream(model="m", max_tokens=9, messages=ASKED)

            assert CLAUDE_SAID == await heard(manager)


async def test_a_connection_that_breaks_is_a_provider_s_error() -> None:
    items = COMPLETIONS[0].values[0]
    async with serving(Answer((events(items[:2]), Act.RESET))) as server:  # type: ignore[index]
        with OpenAI(base_url=server.url + "/v1", api_key="k", max_retries=0) as client:
            stream = await asyncio.to_thread(client.chat.completions.create, model="m", messages=ASKED, stream=True)
            *_, last = await heard(stream)

    assert isinstance(last, Failed)
    assert isinstance(last.error, ProviderError)
    assert last.error.retryable
