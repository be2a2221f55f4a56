"""Replies that wait for those before them, in any target."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from cadenza.concurrency.stops import Stops
from cadenza.errors import InputError
from cadenza.facts import LoggedFact, MessageWaits, ReplyQueued
from cadenza.models.connect import scripted
from cadenza.replies.say import reply, say
from cadenza.settings import Settings
from cadenza.targets.memory import MemoryTarget
from cadenza.types import (
    Completed,
    Identity,
    Line,
    Persona,
    Post,
    Prompt,
    Receipt,
    Scene,
    Stopped,
    StopReason,
)

pytestmark = pytest.mark.looptime

LINES = Settings.of(shape="lines")


class Hill(MemoryTarget):
    """A target with a channel, which counts how often it shows the typing indicator."""

    channel = "hill"

    def __init__(self) -> None:
        super().__init__()
        self.typed = 0

    async def typing(self, _: Identity | None, /) -> None:
        self.typed += 1


async def counting(name: str, *, lines: int = 3, seconds: float = 1.0) -> AsyncIterator[str]:
    """A model that says a line every now and then."""
    for number in range(lines):
        yield f"{name} {number}\n"
        await asyncio.sleep(seconds)


async def test_two_answers_do_not_interleave() -> None:
    target = Hill()

    first, second = await asyncio.gather(*(say(target, counting(name), settings=LINES) for name in "ab"))

    assert ["a 0", "a 1", "a 2", "b 0", "b 1", "b 2"] == target.texts
    assert (Completed("end_of_stream"),) * 2 == (first.outcome, second.outcome)


async def test_they_do_if_they_are_told_not_to_wait() -> None:
    target = Hill()

    await asyncio.gather(*(say(target, counting(name), settings=LINES, queue=False) for name in "ab"))

    assert ["a 0", "b 0", "a 1", "b 1", "a 2", "b 2"] == target.texts


async def test_the_stream_is_read_while_its_messages_wait() -> None:
    target, loop = Hill(), asyncio.get_running_loop()
    began = loop.time()

    await asyncio.gather(*(say(target, counting(name), settings=LINES) for name in "ab"))

    assert 3.0 == pytest.approx(loop.time() - began, abs=0.1)


async def test_the_second_says_that_it_waits_with_the_typing_indicator_and_in_its_facts() -> None:
    target, facts = Hill(), list[LoggedFact]()

    await asyncio.gather(say(target, counting("a", seconds=20.0)), say(target, "b", trace=facts.append))

    assert target.typed >= 60 // 8
    [queued] = [one.fact for one in facts if isinstance(one.fact, ReplyQueued)]
    assert (1, pytest.approx(60.0, abs=0.1)) == (queued.ahead, queued.seconds)
    assert ["reply_before"] == [one.fact.why for one in facts if isinstance(one.fact, MessageWaits)]


async def test_a_stop_while_it_waits_sends_nothing() -> None:
    target, stops = Hill(), Stops()

    async def stop_soon() -> None:
        await asyncio.sleep(0.5)
        stops.request("b")

    with stops.open("b") as stop:
        _, said, _ = await asyncio.gather(
            say(target, counting("a"), settings=LINES),
            say(target, "b", settings=Settings.of(on_stop="silence"), stop=stop),
            stop_soon(),
        )

    assert ["a 0", "a 1", "a 2"] == target.texts
    assert Stopped(StopReason.USER) == said.outcome


async def test_a_notice_waits_as_messages_do() -> None:
    class Talker(Hill):
        async def notify(self, _: object, /) -> None:
            self.seen = [*self.texts]

    target = Talker()

    await asyncio.gather(say(target, counting("a"), settings=LINES), say(target, ""))

    assert ["a 0", "a 1", "a 2"] == target.seen


async def test_a_cancelled_reply_lets_the_next_begin() -> None:
    target = Hill()
    first = asyncio.create_task(say(target, counting("a", lines=100), settings=LINES))
    second = asyncio.create_task(say(target, "b"))
    await asyncio.sleep(1.5)
    first.cancel()

    await asyncio.wait([first, second])

    assert ["a 0", "b"] == target.texts


async def test_what_is_said_inside_a_reply_does_not_wait_for_it() -> None:
    target = Hill()

    async def telling() -> AsyncIterator[str]:
        yield "one\nand more\n"
        await asyncio.sleep(1.0)
        await say(target, "inside")
        yield "two\n"

    await say(target, telling(), settings=LINES)

    assert ["one", "inside", "and more", "two"] == target.texts


async def test_what_was_queued_before_is_sent_before_what_is_said_inside() -> None:
    class Slow(Hill):
        async def send(self, post: Post, /) -> Receipt:
            await asyncio.sleep(2.0)
            return await super().send(post)

    target = Slow()

    async def telling() -> AsyncIterator[str]:
        yield "one\ntwo\nthree\nand more\n"
        await say(target, "inside")

    await say(target, telling(), settings=LINES)

    assert ["one", "two", "three", "inside", "and more"] == target.texts


@pytest.mark.parametrize("on_stop", ["silence", "clause"])
@pytest.mark.parametrize("stream", ["One. Two. Three.\n\nFour.", "broken"])
async def test_a_stop_while_it_waits_says_nothing_and_ends_at_once(on_stop: Any, stream: str) -> None:
    target, stops, loop = Hill(), Stops(), asyncio.get_running_loop()

    async def broken() -> AsyncIterator[str]:
        raise KeyError
        yield ""

    async def stopped() -> float:
        with stops.open("b") as stop:
            loop.call_later(0.5, stops.request, "b")
            said = broken() if stream == "broken" else stream
            await say(target, said, settings=Settings.of(on_stop=on_stop), stop=stop)
            return loop.time()

    began = loop.time()
    _, ended = await asyncio.gather(say(target, counting("a"), settings=LINES), stopped())

    assert (["a 0", "a 1", "a 2"], []) == (target.texts, target.notices)
    assert 0.5 == pytest.approx(ended - began, abs=0.1)


async def test_one_handle_for_two_replies_loses_nothing() -> None:
    target, stops = Hill(), Stops()
    with stops.open("a") as stop:
        await say(target, "one", stop=stop)
        await say(target, "two", stop=stop)

    assert ["one", "two"] == target.texts


async def test_a_target_without_a_channel_has_its_own_queue() -> None:
    one, other = MemoryTarget(), MemoryTarget()
    loop = asyncio.get_running_loop()
    began = loop.time()

    await asyncio.gather(say(one, counting("a"), settings=LINES), say(other, counting("b"), settings=LINES))

    assert 3.0 == pytest.approx(loop.time() - began, abs=0.1)


async def test_a_model_is_asked_when_it_is_its_turn() -> None:
    target, loop, asked = Hill(), asyncio.get_running_loop(), list[float]()
    began = loop.time()

    def answer(_: Prompt) -> list[str]:
        asked.append(loop.time() - began)
        return ["b"]

    scene = Scene("hill", Persona("Ren"), history=(Line("Mia", "Hello?"),))
    await asyncio.gather(say(target, counting("a"), settings=LINES), reply(scene, scripted(answer), target))

    assert ["a 0", "a 1", "a 2", "b"] == target.texts
    assert [pytest.approx(3.0, abs=0.1)] == asked


async def test_a_model_that_is_stopped_while_it_waits_is_not_asked() -> None:
    target, stops, asked = Hill(), Stops(), list[Prompt]()

    async def stop_soon() -> None:
        await asyncio.sleep(0.5)
        stops.request("b")

    scene = Scene("hill", Persona("Ren"), history=(Line("Mia", "Hello?"),))
    model = scripted(lambda prompt: asked.append(prompt) or ["b"])
    with stops.open("b") as stop:
        _, said, _ = await asyncio.gather(
            say(target, counting("a"), settings=LINES), reply(scene, model, target, stop=stop), stop_soon()
        )

    assert (Stopped(StopReason.USER), []) == (said.outcome, asked)


async def test_a_target_alone_has_nothing_to_answer() -> None:
    with pytest.raises(
        InputError, match=r"a MemoryTarget has no messages to answer; use reply\(scene, model, target\)"
    ):
        await reply(MemoryTarget(), scripted(lambda _: ["b"]))  # type: ignore[call-overload]


async def test_a_scene_is_a_scene() -> None:
    with pytest.raises(InputError, match="scene must be a Scene, such as"):
        await reply("hill", scripted(lambda _: ["b"]), MemoryTarget())  # type: ignore[call-overload]
    with pytest.raises(InputError, match="a Scene has its own persona"):
        await reply(  # type: ignore[call-overload]
            Scene("hill", Persona("Ren")), scripted(lambda _: ["b"]), MemoryTarget(), persona=Persona("Mia")
        )
