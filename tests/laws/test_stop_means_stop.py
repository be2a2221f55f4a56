"""After a stop nothing more is sent that was not being sent already, in every shape, in a simulated Discord.

Of an answer of fourteen lines, three messages have arrived. The others wait for the typing, for the rate limit, for the
model, for a tool or for another attempt.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from cadenza.concurrency.stops import StopHandle, Stops
from cadenza.errors import ErrorKind
from cadenza.replies.reply import reply, say
from cadenza.settings import Settings
from cadenza.sim.rate_limits import RateLimits
from cadenza.targets.discord.target import DiscordTarget
from cadenza.types import Completed, Persona, Post, Receipt, Reply, Scene, Stopped, StopReason
from tests.actors import Actor, call, fails
from tests.discord_room import Room
from tests.timing import SlowStream

pytestmark = pytest.mark.looptime

TURN = "turn"
LINES = [f"Line {number} of the answer is here. It has a second sentence, and more" for number in range(1, 15)]
TEXTS = {
    "lines": "\n".join(LINES),
    "sentences": "\n".join(LINES),
    "blocks": "\n\n".join(LINES),
    "reply": "\n\n".join(LINES),
}
CLAUSES = {
    "lines": "Line 4 of the answer is here.",
    "sentences": "It has a second sentence, and more",
    "blocks": "Line 4 of the answer is here.",
    "reply": "Line 4 of the answer is here.",
}
"""What comes next behind three messages, up to the end of its clause."""
WAYS = ["typing", "rate limit", "model"]
SILENCE, CLAUSE = "silence", "clause"


class Stopping(DiscordTarget):
    """A channel where somebody says stop once three messages have arrived, or when the fourth is being sent."""

    stops: Stops
    reason = StopReason.USER
    is_late = False
    count = 0

    async def send(self, post: Post, /) -> Receipt:
        self.count += 1
        if self.count == 4 and self.is_late:
            self.stops.request(TURN, self.reason)
            await asyncio.sleep(1.0)
        receipt = await super().send(post)
        if self.count == 3 and not self.is_late:
            self.stops.request(TURN, self.reason)
        return receipt


def settings_for(shape: str, on_stop: str, *, typing: bool) -> Settings:
    limit = {"limit": 100} if shape == "reply" else {}
    gather = {"gather": 50} if shape == "blocks" else {}
    return Settings.of(shape=shape, typing=typing, casual=False, on_stop=on_stop, **limit, **gather)


def stopping(room: Room, stops: Stops, reason: StopReason = StopReason.USER, *, is_late: bool = False) -> Stopping:
    target = Stopping(room.api, room.channel, shared=room.shared)
    target.stops, target.reason, target.is_late = stops, reason, is_late
    return target


async def stopped(
    shape: str, way: str, on_stop: str = SILENCE, reason: StopReason = StopReason.USER, *, is_late: bool = False
) -> tuple[Room, Reply]:
    """Deliver the answer and stop it."""
    room, stops = Room(limits=RateLimits() if way == "rate limit" else None), Stops()
    words = [item for word in TEXTS[shape].split(" ") for item in (f"{word} ", 0.02 if way == "rate limit" else 0.05)]
    stream = SlowStream(TEXTS[shape]) if way == "typing" else SlowStream(*words)
    with stops.open(TURN) as handle:
        target = stopping(room, stops, reason, is_late=is_late)
        settings = settings_for(shape, on_stop, typing=way == "typing")
        result = await say(target, stream, settings=settings, stop=handle)
    await asyncio.sleep(600.0)
    return room, result


def check(room: Room, result: Reply, texts: Sequence[str], reason: StopReason = StopReason.USER) -> None:
    """*texts* stand in the channel, and the reply says so."""
    assert texts == room.texts()
    assert Stopped(reason) == result.outcome
    assert texts == [receipt.post.text for receipt in result.receipts]
    assert "\n".join(texts) == result.transcript
    assert () == result.notices


async def whole(shape: str) -> list[str]:
    """The messages of the answer that nobody stops."""
    room = Room()
    result = await say(room.target(), TEXTS[shape], settings=settings_for(shape, SILENCE, typing=False))
    assert isinstance(result.outcome, Completed)
    assert len(room.texts()) >= 14
    return room.texts()


@pytest.mark.parametrize("reason", [StopReason.USER, StopReason.FOLLOW_UP], ids=lambda reason: reason.value)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("shape", TEXTS)
async def test_after_three_messages_there_are_three(shape: str, way: str, reason: StopReason) -> None:
    check(*await stopped(shape, way, reason=reason), (await whole(shape))[:3], reason)


@pytest.mark.parametrize("on_stop", [SILENCE, CLAUSE])
@pytest.mark.parametrize("way", ["typing", "model"])
@pytest.mark.parametrize("shape", TEXTS)
async def test_what_was_being_sent_arrives_once_and_nothing_follows(shape: str, way: str, on_stop: str) -> None:
    check(*await stopped(shape, way, on_stop, is_late=True), (await whole(shape))[:4])


@pytest.mark.parametrize("shape", TEXTS)
async def test_the_clause_that_comes_next_is_the_last_if_the_settings_say_so(shape: str) -> None:
    check(*await stopped(shape, "typing", CLAUSE), [*(await whole(shape))[:3], CLAUSES[shape]])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("shape", TEXTS)
async def test_wherever_it_waits_at_most_that_clause_follows(shape: str, way: str) -> None:
    room, result = await stopped(shape, way, CLAUSE)

    more = room.texts()[3:]
    assert more in ([], [CLAUSES[shape]])
    check(room, result, [*(await whole(shape))[:3], *more])


@pytest.mark.parametrize("on_stop", [SILENCE, CLAUSE])
@pytest.mark.parametrize("shape", TEXTS)
async def test_a_stop_before_the_first_clause_is_whole(shape: str, on_stop: str) -> None:
    room, stops = Room(), Stops()
    with stops.open(TURN) as handle:
        asyncio.get_running_loop().call_later(1.0, stops.request, TURN)
        settings = settings_for(shape, on_stop, typing=True)
        result = await say(room.target(), SlowStream(LINES[0][:20], 60.0), settings=settings, stop=handle)

    check(room, result, [])


BUSY, GONE = fails(ErrorKind.OVERLOADED, retry_after=60.0), fails(ErrorKind.MODEL)


@pytest.mark.parametrize("on_stop", [SILENCE, CLAUSE])
@pytest.mark.parametrize(
    ("models", "shown"),
    [
        pytest.param([["One.\nTwo.\nThree.", call("roll")]], ["One.", "Two.", "Three."], id="while a tool runs"),
        pytest.param([["One.\nTwo.\nTh", 0.5, BUSY]], ["One.", "Two."], id="before a retry"),
        pytest.param([["One.\nTwo.\nTh", 0.5, GONE], [60.0, "late"]], ["One.", "Two."], id="in another attempt"),
    ],
)
async def test_a_stop_between_two_answers_of_a_model(
    models: list[list[object]], shown: list[str], on_stop: str
) -> None:
    room, stops = Room(), Stops()
    actors = [Actor(model, name=str(number)) for number, model in enumerate(models)]  # type: ignore[arg-type]
    with stops.open(TURN) as handle:
        asyncio.get_running_loop().call_later(5.0, stops.request, TURN)
        result = await _asked(room, actors, settings_for("lines", on_stop, typing=False), handle)

    check(room, result, shown)


async def roll() -> str:
    """Roll a die for a long while."""
    return await asyncio.sleep(60.0, "4")


async def _asked(room: Room, actors: Sequence[Actor], settings: Settings, handle: StopHandle) -> Reply:
    return await reply(
        Scene("general", Persona("Ren")),
        [actor.model for actor in actors],
        room.target(),
        settings=settings.with_values({"retry_wait": 100.0}),
        tools=[roll],
        stop=handle,
    )
