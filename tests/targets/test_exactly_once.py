"""A thousand messages over lines that break again and again: none is missing, none is there twice, all are in order.

Discord stores each message whose answer is lost. Turns run at the same time, in one channel and in threads that share its
webhook, people talk in between, and everybody says the same few words, so that messages are hard to tell apart. The
limits of Discord hold. All of it in virtual time.
"""

from __future__ import annotations

import asyncio
from itertools import cycle, islice

import pytest

from cadenza.replies.reply import say
from cadenza.settings import Settings
from cadenza.sim.rate_limits import RateLimits
from cadenza.targets.discord.target import DiscordTarget
from cadenza.types import Completed, Receipt
from tests.discord_room import BOT_SENDS, REN, WEBHOOK_SENDS, Room, post

pytestmark = pytest.mark.looptime

PATHS = {"bot": (None, BOT_SENDS), "webhook": (REN, WEBHOOK_SENDS)}
WORDS = ("Ha!", "Ha!", "No.", "Ha!", "Well.", "Well.", "Ha!")
PLACES, TURNS, MESSAGES = 10, 4, 25
"""A thousand messages in all."""


def places(room: Room) -> list[str]:
    """Channels, and in each a thread that speaks through the same webhook."""
    channels = [room.world.add_channel(room.guild, f"room {number}") for number in range(PLACES // 2)]
    return [*channels, *(room.world.add_thread(channel, "aside") for channel in channels)]


def told(room: Room, place: str) -> list[tuple[str, str]]:
    """What the bot and its personas said in *place*: ids and texts, the oldest first.

    If even the answers are lost that tell of a limit, a webhook may be given up on: then the name stands in front.
    """
    return [
        (message["id"], message["content"].removeprefix("**Ren:** "))
        for message in room.messages(place)
        if message["author"].get("bot")
    ]


async def speak(target: DiscordTarget, room: Room, begin: int) -> list[Receipt]:
    receipts = []
    for number, text in enumerate(islice(cycle(WORDS), begin, begin + MESSAGES)):
        receipts.append(await target.send(post(text)))
        if number % 3 == 0:
            room.mia.says(target.channel, text)
    return receipts


@pytest.mark.parametrize("every", [1, 2, 3])
@pytest.mark.parametrize("path", PATHS)
async def test_a_thousand_messages_arrive_once_each_if_every_nth_answer_is_lost(path: str, every: int) -> None:
    persona, match = PATHS[path]
    room = Room(limits=RateLimits())
    lost = room.faults.lose(match, every=every)

    async def turns(place: str) -> list[list[Receipt]]:
        """Two at a time."""
        arrived: list[list[Receipt]] = []
        for first in range(0, TURNS, 2):
            pair = [room.target(place, turn=str(turn), persona=persona) for turn in (first, first + 1)]
            arrived += await asyncio.gather(*(speak(target, room, first) for target in pair))
        return arrived

    rooms = places(room)
    everything = await asyncio.gather(*map(turns, rooms))
    assert 1000 == sum(len(receipts) for arrived in everything for receipts in arrived)
    for place, arrived in zip(rooms, everything, strict=True):
        said = [[(receipt.message_id, receipt.post.text) for receipt in receipts] for receipts in arrived]
        assert all(sorted(one) == one for one in said)
        assert sorted(one for turn in said for one in turn) == told(room, place)
    assert lost.struck >= 1000 // every


@pytest.mark.parametrize("every", [1, 2, 3])
@pytest.mark.parametrize("path", PATHS)
async def test_whole_replies_arrive_once_if_every_nth_answer_is_lost(path: str, every: int) -> None:
    persona, match = PATHS[path]
    room = Room()
    room.faults.lose(match, every=every)
    lines = [text for _ in range(PLACES) for text in WORDS]
    settings = Settings.of(degree=1, flood_limit=1000)

    async def answer(place: str) -> None:
        target = room.target(place, persona=persona)
        left = await say(target, "\n".join(lines), settings=settings)
        assert isinstance(left.outcome, Completed)
        assert told(room, place) == [(receipt.message_id, receipt.post.text) for receipt in left.receipts]

    rooms = places(room)
    await asyncio.gather(*map(answer, rooms))
    for place in rooms:
        assert " ".join(lines).split() == " ".join(text for _, text in told(room, place)).split()
