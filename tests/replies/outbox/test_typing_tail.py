"""How long people wait once the model has finished, while somebody types: in virtual time, at 50 tokens a second."""

from __future__ import annotations

import asyncio

import looptime
import pytest

from answers import answers
from cadenza.replies.outbox.outbox import Outbox
from cadenza.replies.reply import say
from cadenza.settings import Settings
from cadenza.types import Boundary, Completed, Post
from tests.timing import now
from tests.trouble import Channel, MeteredChannel
from wait import Chat, OpenChat, Voice, passage

SPEED = 50
"""Tokens a second."""


class UnlimitedChat(Chat):
    """A chat that takes everything at once."""

    def _renew(self) -> None:
        self._left = 1_000_000


CHATS = {"five in five seconds": OpenChat, "without a limit": UnlimitedChat}
LONG = [*(passage(1500, seed) for seed in range(8)), *(text[:1500] for text in answers("assistant", 8))]
CHATTY = [
    *(text for text in answers("chatty", 40) if 120 <= len(text) <= 200),
    *(passage(200, seed) for seed in range(8)),
]


async def _tail(text: str, chat: type[Chat], settings: Settings) -> float:
    voice, arrived = Voice(text, SPEED), chat()
    reply = await say(arrived, voice, settings=settings)
    assert isinstance(reply.outcome, Completed)
    assert arrived.refused == 0
    return arrived.shown[-1] - voice.heard[-1]


def tail(text: str, chat: type[Chat], settings: Settings) -> float:
    """The seconds from the last token of *text* to its last letter."""
    with asyncio.Runner(loop_factory=lambda: looptime.new_event_loop(start=0.0, noop_cycles=0)) as runner:
        return runner.run(_tail(text, chat, settings))


@pytest.mark.parametrize("chat", CHATS.values(), ids=CHATS)
@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({"shape": "lines", "typing": True}, id="lines"),
        pytest.param({"shape": "sentences", "typing": True}, id="sentences"),
        pytest.param({"degree": 3}, id="degree 3"),
        pytest.param({"typing": True}, id="blocks"),
        pytest.param({}, id="the defaults"),
    ],
)
@pytest.mark.parametrize(
    ("texts", "most"),
    [pytest.param(LONG, 3.0, id="1500 characters"), pytest.param(CHATTY, 2.0, id="200 chatty characters")],
)
def test_the_last_words_come_soon_after_the_last_token(
    texts: list[str], most: float, settings: dict[str, object], chat: type[Chat]
) -> None:
    assert most >= max(tail(text, chat, Settings.of(**settings)) for text in texts)


@pytest.mark.parametrize("chat", CHATS.values(), ids=CHATS)
def test_a_character_may_take_its_time(chat: type[Chat]) -> None:
    hasty, slow = (Settings.of(degree=2, typing_tail=seconds) for seconds in (1.5, 3600.0))

    assert tail(LONG[0], chat, hasty) + 3.0 < tail(LONG[0], chat, slow)


def typed(count: int) -> list[Post]:
    return [Post(str(number), Boundary.NEWLINE, 2.0) for number in range(count)]


@pytest.mark.looptime
async def test_the_model_does_not_wait_for_the_typing() -> None:
    channel = Channel()
    async with Outbox(channel, settings=Settings.of(queue=4, typing_tail=1.0)) as outbox:
        outbox.add(typed(4))
        await outbox.room()
        assert 0.25 == pytest.approx(now()), "a quarter of what is left of the typing"
        await asyncio.sleep(1.0)
        assert [0.25] == channel.started, "where there is room, typing takes its time"
        outbox.close()


@pytest.mark.looptime
async def test_without_a_shorter_tail_the_model_waits_for_the_typing() -> None:
    async with Outbox(Channel(), settings=Settings.reference(queue=4)) as outbox:
        outbox.add(typed(4))
        await outbox.room()
        assert 2.0 == pytest.approx(now())


@pytest.mark.looptime
async def test_at_the_end_all_that_is_left_shares_the_messages_that_are_left() -> None:
    channel = MeteredChannel()
    async with Outbox(channel, settings=Settings.of(typing_tail=1.0)) as outbox:
        for post in typed(3):
            outbox.add([post])
            await asyncio.sleep(1.5)
        outbox.add(typed(8))
        outbox.close()

    assert (0, True) == (channel.refused, now() < 5.6), "nobody waits for the limit to reset"
