"""The thought log over the simulated Discord: when it is told, when it is not, and under which name."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import discord
import pytest

from cadenza.bot import thought_log
from cadenza.bot.services.choices import Choice
from cadenza.bot.services.thought_record import ThoughtRecord
from cadenza.bot.thought_log import Thought, log_thoughts
from cadenza.sim.objects import ChannelKind, MessageFlag
from cadenza.sim.permissions import Permission
from cadenza.targets.discord_py.client_state import ClientState
from cadenza.types import Identity
from tests.bot.evening import Evening, at_work

pytestmark = pytest.mark.timeout(60)

RECORD = ThoughtRecord(thoughts=["Hm, @everyone."], model="openai:gpt-5.1")
REN = Identity("Ren", "https://example.com/ren.png")
SILENT = 1 << 12


@dataclass
class Logged:
    """An evening with a channel for thoughts."""

    evening: Evening
    log: str

    @property
    def choice(self) -> Choice:
        return Choice(thought_log=self.log)

    def place(self, channel: str = "") -> Any:
        found = self.evening.client.get_channel(int(channel or self.evening.general))
        assert found is not None
        return found

    async def tell(self, choice: Choice | None = None, **about: Any) -> list[Any]:
        """Tell the log of a turn; gives back what stands there then."""
        thought = Thought(
            **{
                "record": RECORD, "channel": self.place(), "turn": "t", "persona": "Ren", "identity": None,
                "seconds": 5.0, "waited": 1.0, **about,
            }
        )  # fmt: skip
        await log_thoughts(thought, choice or self.choice, ClientState.of(self.evening.client), self.evening.client)
        return self.evening.world.messages(self.log)


@asynccontextmanager
async def logged(
    *, in_log: Permission = Permission.NONE, in_general: Permission = Permission.NONE
) -> AsyncIterator[Logged]:
    """Have a log; what is denied to everybody there, and where the bot is talked to, can be said."""
    evening = Evening()
    log = evening.world.add_channel(evening.guild, "thoughts")
    for place, denied in ((log, in_log), (evening.general, in_general)):
        evening.world.overwrite(place, evening.guild.everyone, deny=denied)
        if denied & Permission.VIEW_CHANNEL:
            evening.world.overwrite(place, evening.bot, allow=Permission.VIEW_CHANNEL)
    async with at_work(evening):
        yield Logged(evening, log)


async def test_the_log_is_told_by_the_bot_and_nobodys_phone_rings() -> None:
    async with logged() as room:
        [message] = await room.tell(record=replace(RECORD, urls={"3": "https://discord.com/channels/1/2/3"}))

    [box] = message["embeds"]
    assert "Source: https://discord.com/channels/1/2/3\n\n**Thoughts**\nHm, @everyone." == box["description"]
    assert "openai | gpt-5.1 | Generation time: 4.0s | Queue time: 1.0s" == box["footer"]["text"]
    assert "timestamp" in box
    assert ("Cadenza", SILENT, False) == (
        message["author"]["username"],
        message["flags"] & SILENT,
        message["mention_everyone"],
    )
    assert not message["flags"] & MessageFlag.EPHEMERAL


async def test_a_character_tells_its_own_thoughts_through_a_webhook() -> None:
    async with logged() as room:
        [message] = await room.tell(identity=REN, record=replace(RECORD, thoughts=["Hm."]))

    assert ("Ren", True) == (message["author"]["username"], bool(message.get("webhook_id")))
    assert message["embeds"][0]["description"].startswith(f"Source: <#{room.evening.general}>")


async def test_where_there_can_be_no_webhook_the_bot_tells_it() -> None:
    async with logged() as room:
        room.evening.faults.fail("GET /channels/*/webhooks", 403, 50013)
        [message] = await room.tell(identity=REN)

    assert "Cadenza" == message["author"]["username"]


async def test_what_may_have_arrived_is_not_told_twice() -> None:
    async with logged() as room:
        room.evening.faults.lose("POST /webhooks/*/*", times=1)
        messages = await room.tell(identity=REN)

    assert 1 == len(messages)


async def test_a_webhook_that_is_refused_does_not_keep_it_from_being_told() -> None:
    async with logged() as room:
        room.evening.faults.fail("POST /webhooks/*/*", 400, 50035)
        [message] = await room.tell(identity=REN)

    assert "Cadenza" == message["author"]["username"]


async def test_a_long_thought_is_several_messages_and_a_file() -> None:
    async with logged() as room:
        messages = await room.tell(record=replace(RECORD, thoughts=["word " * 4000]))

    assert [1, 1, 1] == [len(message["embeds"]) for message in messages]
    assert ["thoughts-continued.md"] == [file["filename"] for file in messages[-1]["attachments"]]


@pytest.mark.parametrize(
    "choice",
    [
        pytest.param({"thought_log": None}, id="no log"),
        pytest.param({"thought_log": ""}, id="none at all"),
        pytest.param({"is_private": True}, id="T106 a private channel, or its parent"),
        pytest.param({"thought_log": "1"}, id="a channel that is gone"),
        pytest.param({"thought_log": "thoughts"}, id="no channel"),
    ],
)
async def test_it_is_not_told(choice: dict[str, Any]) -> None:
    async with logged() as room:
        assert [] == await room.tell(replace(room.choice, **choice))


async def test_t106_a_thread_of_a_private_channel_tells_nothing() -> None:
    """``Choices.here`` lays the choice of a thread over that of its channel, which is private here."""
    async with logged() as room:
        here = Choice().over(Choice(is_private=True)).over(room.choice)

        assert [] == await room.tell(here)


async def test_direct_messages_tell_nothing() -> None:
    async with logged() as room:
        direct = await room.evening.client.create_dm(discord.Object(int(room.evening.mia.id)))

        assert [] == await room.tell(channel=direct)
        assert [] == await room.tell(channel=discord.Object(1))


async def test_another_server_is_told_nothing(caplog: pytest.LogCaptureFixture) -> None:
    evening = Evening()
    away = evening.world.add_guild("Away", owner=evening.mia, members=[evening.mia, evening.bot])
    elsewhere = evening.world.add_channel(away, "thoughts")
    async with at_work(evening):
        assert [] == await Logged(evening, elsewhere).tell()
        assert "it is not a channel of that server" in caplog.text


async def test_a_category_is_no_log(caplog: pytest.LogCaptureFixture) -> None:
    evening = Evening()
    category = evening.world.add_channel(evening.guild, "all", kind=ChannelKind.CATEGORY)
    async with at_work(evening):
        await Logged(evening, category).tell()
        assert "it takes no messages" in caplog.text


@pytest.mark.parametrize(
    "denied",
    [Permission.SEND_MESSAGES, Permission.EMBED_LINKS, Permission.ATTACH_FILES],
    ids=["send", "embed", "file"],
)
async def test_where_the_bot_may_not_tell_it_the_operator_reads_why(
    denied: Permission, caplog: pytest.LogCaptureFixture
) -> None:
    async with logged(in_log=denied) as room:
        assert [] == await room.tell()
        assert "the bot may not send messages, embeds and files there" in caplog.text


@pytest.mark.parametrize(
    ("in_log", "in_general", "told"),
    [
        pytest.param(Permission.NONE, Permission.VIEW_CHANNEL, 0, id="hidden, told to everybody"),
        pytest.param(Permission.VIEW_CHANNEL, Permission.VIEW_CHANNEL, 1, id="hidden, told to nobody else"),
        pytest.param(Permission.VIEW_CHANNEL, Permission.NONE, 1, id="open, told to few"),
    ],
)
async def test_nobody_reads_in_the_log_what_was_said_where_they_may_not_look(
    in_log: Permission, in_general: Permission, told: int
) -> None:
    async with logged(in_log=in_log, in_general=in_general) as room:
        assert told == len(await room.tell())


@pytest.mark.parametrize(("private", "told"), [(False, 1), (True, 0)], ids=["public", "private"])
async def test_of_threads_only_public_ones_are_told(*, private: bool, told: int) -> None:
    evening = Evening()
    log = evening.world.add_channel(evening.guild, "thoughts")
    thread = evening.world.add_thread(evening.general, "aside", private=private, owner=evening.mia)
    evening.world.join_thread(thread, evening.bot)
    async with at_work(evening):
        room = Logged(evening, log)
        assert told == len(await room.tell(channel=room.place(thread)))


async def test_an_error_is_swallowed_and_its_words_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    async with logged() as room:
        room.evening.faults.fail("POST /channels/*/messages", 400, 50035)

        assert [] == await room.tell()
        assert "thought log failed" in caplog.text


async def test_it_takes_no_longer_than_it_may(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(thought_log, "LONGEST", 0.2)
    async with logged() as room:
        room.evening.faults.delay("POST /channels/*/messages", 1.0)
        await room.tell()

        assert "TimeoutError" in caplog.text
