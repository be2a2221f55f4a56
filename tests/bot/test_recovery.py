"""What becomes of messages that a process which died was answering."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import discord
import pytest

from cadenza.bot import recovery
from cadenza.bot.recovery import OLDEST, Fate, fate_of, mark, parts_of
from cadenza.bot.services.journal import JournalEntry
from cadenza.sim.permissions import Permission
from cadenza.targets.discord.api import Embed, Outgoing, WebhookIdentity
from cadenza.targets.discord_py.channel_info import room_of
from cadenza.targets.discord_py.client_state import ClientState
from cadenza.types import Boundary, Identity, Post
from tests.bot.evening import Evening, at_work
from tests.leaps import time_of_day

pytestmark = pytest.mark.timeout(60)


@dataclass
class Morning:
    """After a death: Mia has asked something."""

    evening: Evening
    question: str

    def entry(self, **about: Any) -> JournalEntry:
        now = time_of_day()
        given = {"key": self.question, "message": self.question, "at": now, "has_begun": True, "began": now, **about}
        return JournalEntry(channel=self.evening.general, author=self.evening.mia.id, **given)

    async def fate(self, after_restart: str = "finish", *, now: float = 0.0, **about: Any) -> Fate:
        entry = self.entry(**about)
        fate, message = await fate_of(entry, self.evening.client, after_restart=after_restart, now=now or time_of_day())
        if fate is not Fate.DROP:
            assert message is not None
            assert int(entry.message) == message.id
        return fate

    async def says(self, text: str, *, reply_to: str | None = None) -> None:
        """The bot says something itself."""
        await self.evening.api.send(self.evening.general, Outgoing(text, reply_to=reply_to))

    async def says_as(self, name: str, text: str) -> None:
        """A character does, through a webhook."""
        api = self.evening.api
        found = await api.webhooks(self.evening.general)
        webhook = found[0] if found else await api.create_webhook(self.evening.general, "w")
        await api.send_as(webhook, WebhookIdentity(name), Outgoing(text))

    async def asked(self) -> discord.Message:
        return await self.channel.fetch_message(int(self.question))

    @property
    def channel(self) -> discord.PartialMessageable:
        return self.evening.client.get_partial_messageable(int(self.evening.general))


@asynccontextmanager
async def morning() -> AsyncIterator[Morning]:
    async with at_work(Evening()) as evening:
        yield Morning(evening, evening.mia.says(evening.general, "What is the time?"))


# --- nobody waits for it any more --------------------------------------------------------------


@pytest.mark.parametrize(("age", "fate"), [(OLDEST - 5, Fate.ANSWER), (OLDEST + 5, Fate.DROP), (-60.0, Fate.ANSWER)])
async def test_what_is_too_old_is_dropped(age: float, fate: Fate) -> None:
    async with morning() as room:
        assert fate is await room.fate(now=time_of_day() + age)


async def test_a_question_that_was_deleted_is_dropped() -> None:
    async with morning() as room:
        room.evening.mia.deletes(room.evening.general, room.question)

        assert Fate.DROP is await room.fate()


async def test_what_was_asked_in_a_channel_that_is_gone_is_dropped() -> None:
    async with morning() as room:
        room.evening.world.delete_channel(room.evening.mia.id, room.evening.general)

        assert Fate.DROP is await room.fate()


async def test_what_cannot_be_read_is_dropped() -> None:
    async with morning() as room:
        denied = Permission.READ_MESSAGE_HISTORY
        room.evening.world.overwrite(room.evening.general, room.evening.guild.everyone, deny=denied)

        assert Fate.DROP is await room.fate()


@pytest.mark.parametrize(
    "about", [{"message": "x", "key": "x"}, {"message": "", "key": "made up"}], ids=["odd", "none"]
)
async def test_what_names_no_message_is_dropped(about: dict[str, Any]) -> None:
    async with morning() as room:
        assert Fate.DROP is await room.fate(**about)


async def test_if_it_cannot_be_seen_what_was_said_nothing_is_said_again(caplog: pytest.LogCaptureFixture) -> None:
    async with morning() as room:
        room.evening.faults.fail("GET /channels/*/messages", 400, 50035)

        assert Fate.DROP is await room.fate()
        assert "HTTPException" in caplog.text


async def test_discord_is_not_waited_for_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recovery, "_TAKES", 0.2)
    async with morning() as room:
        room.evening.faults.delay("GET /channels/*/messages/*", 2.0)

        assert Fate.DROP is await room.fate()


# --- what stands there ---------------------------------------------------------------------------


async def test_what_nobody_has_answered_is_answered() -> None:
    async with morning() as room:
        room.evening.tom.says(room.evening.general, "Late.")

        assert Fate.ANSWER is await room.fate()


@pytest.mark.parametrize("name", ["", "Ren"], ids=["the bot", "a character"])
@pytest.mark.parametrize(
    ("after_restart", "fate"),
    [("finish", Fate.FINISH), ("mark", Fate.MARK), ("leave", Fate.DROP), ("nonsense", Fate.MARK)],
)
async def test_half_an_answer_is_treated_as_is_wanted(name: str, after_restart: str, fate: Fate) -> None:
    async with morning() as room:
        await (room.says_as(name, "It is") if name else room.says("It is", reply_to=room.question))

        assert fate is await room.fate(after_restart, persona=name)


async def test_what_only_waited_is_answered_whatever_was_said_meanwhile() -> None:
    async with morning() as room:
        await room.says("The answer to another question.")

        assert Fate.ANSWER is await room.fate(has_begun=False, began=0.0)


async def test_what_waited_to_be_finished_is_not_answered_anew() -> None:
    """The process that was to finish it died too, before it could begin."""
    async with morning() as room:
        await room.says("It is", reply_to=room.question)

        assert Fate.FINISH is await room.fate(has_begun=False)


async def test_what_was_finished_in_answer_to_its_first_half_is_part_of_the_answer() -> None:
    async with morning() as room:
        await room.says("It is", reply_to=room.question)
        await room.says("four", reply_to=room.evening.last()["id"])
        await room.says("o'clock.")
        found = await parts_of(room.entry(), await room.asked())

    assert ["It is", "four", "o'clock."] == [part.content for part in found]


async def test_the_answer_to_another_message_is_none_to_this_one() -> None:
    async with morning() as room:
        other = room.evening.tom.says(room.evening.general, "And the date?")
        await room.says("It is Sunday,", reply_to=other)
        await room.says("the first.")

        assert Fate.ANSWER is await room.fate()
        assert Fate.FINISH is await room.fate(message=other, key=other)


async def test_a_webhook_says_in_a_box_what_it_answers() -> None:
    async with morning() as room:
        evening = room.evening
        client_state = ClientState.of(evening.client)
        other = evening.tom.says(evening.general, "And the date?")
        for asked, text in ((room.question, "It is four."), (other, "It is Sunday.")):
            message = await room.channel.fetch_message(int(asked))
            target = await client_state.target(await room_of(message), turn=asked, persona=Identity("Ren"))
            await target.send(Post(text, Boundary.FINAL, reply=asked))
        asked, second = [await room.channel.fetch_message(int(one)) for one in (room.question, other)]
        entries = [room.entry(), room.entry(message=other, key=other)]
        found = [
            [part.content for part in await parts_of(entry, trigger)]
            for entry, trigger in zip(entries, (asked, second), strict=True)
        ]
        await client_state.close()

    assert [["", "It is four."], ["", "It is Sunday."]] == found


@pytest.mark.parametrize("may_delete", [True, False])
async def test_a_box_without_words_behind_it_is_no_answer(*, may_delete: bool) -> None:
    async with morning() as room:
        evening = room.evening
        box = Embed(url=(await room.asked()).jump_url, author="Replying to Mia")
        webhook = await evening.api.create_webhook(evening.general, "w")
        await evening.api.send_as(webhook, WebhookIdentity("Ren"), Outgoing(embeds=(box,)))
        if not may_delete:
            evening.faults.fail("DELETE /channels/*/messages/*", 403, 50013)

        assert Fate.ANSWER is await room.fate(persona="Ren")
        assert (["What is the time?"] if may_delete else ["What is the time?", ""]) == evening.texts()


async def test_a_whole_answer_is_told_by_where_its_last_message_was_to_stand() -> None:
    async with morning() as room:
        assert Fate.ANSWER is await room.fate(last_behind="0")
        await room.says("It is", reply_to=room.question)
        first = room.evening.last()["id"]

        assert [Fate.DROP, Fate.FINISH] == [await room.fate(last_behind=behind) for behind in ("0", first)]
        await room.says("four.")
        assert [Fate.DROP, Fate.FINISH] == [await room.fate(last_behind=behind) for behind in (first, "")]


async def test_what_was_marked_is_not_marked_again() -> None:
    async with morning() as room:
        await room.says("It is", reply_to=room.question)
        [part] = await parts_of(room.entry(), await room.asked())
        await mark(room.channel, part, "ja")

        assert [Fate.DROP, Fate.DROP] == [await room.fate(how) for how in ("mark", "finish")]


async def test_an_answer_that_ends_the_process_again_and_again_is_given_up() -> None:
    async with morning() as room:
        assert [Fate.ANSWER, Fate.MARK] == [await room.fate(tries=tries) for tries in (2, 3)]
        assert Fate.ANSWER is await room.fate(tries=9, has_begun=False, began=0.0)


async def test_the_box_of_a_polite_end_goes_if_that_was_none() -> None:
    async with morning() as room:
        evening = room.evening
        box = Outgoing(
            embeds=(Embed("The reply was cut off by a restart; ask again in a moment.", ""),), is_silent=True
        )
        await evening.api.send(evening.general, box)
        assert Fate.ANSWER is await room.fate("mark")
        assert ["What is the time?"] == evening.texts()

        await room.says("It is", reply_to=room.question)
        await evening.api.send(evening.general, box)
        assert Fate.DROP is await room.fate("mark")  # people know
        assert Fate.FINISH is await room.fate()
        assert ["What is the time?", "It is"] == evening.texts()


async def test_what_is_said_anew_is_looked_for_where_it_stands_and_not_behind_what_it_answers() -> None:
    async with morning() as room:
        await room.says("It is four.", reply_to=room.question)
        old = room.evening.last()["id"]
        again = {"key": f"{room.question}#again-1", "supersedes": (old,)}
        assert Fate.ANSWER is await room.fate(**again)
        for number in range(120):
            room.evening.tom.says(room.evening.general, str(number))
        await asyncio.sleep(1.0)  # what was said before is older
        began = time_of_day() + recovery._SKEW
        await asyncio.sleep(0.01)
        await room.says("It is")

        assert Fate.FINISH is await room.fate(**again, began=began)


async def test_a_clock_that_is_ahead_makes_nobody_say_it_twice() -> None:
    async with morning() as room:
        await room.says("It is")
        ahead = time_of_day() + 30

        assert Fate.FINISH is await room.fate(at=ahead, began=ahead, now=ahead)


async def test_what_was_said_before_the_answer_began_is_none_of_it() -> None:
    async with morning() as room:
        await room.says("The end of an answer to somebody else.")

        assert Fate.ANSWER is await room.fate(began=time_of_day() + 30)


async def test_of_several_characters_each_has_its_own_answer() -> None:
    async with morning() as room:
        await room.says_as("Ren", "It is four.")
        key = f"{room.question}#Lou"

        assert Fate.ANSWER is await room.fate(key=key, persona="Lou")
        await room.says_as("angry (Lou)", "It is")
        assert Fate.FINISH is await room.fate(key=key, persona="Lou")


async def test_what_people_and_other_webhooks_say_is_no_answer() -> None:
    async with morning() as room:
        evening = room.evening
        theirs = evening.world.create_webhook(evening.mia.id, evening.general, {"name": "news"})
        evening.world.execute_webhook(theirs["id"], theirs["token"], {"content": "News!"})
        evening.tom.says(evening.general, "Four.", reply_to=room.question)

        assert Fate.ANSWER is await room.fate()


# --- commands --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("after_restart", "has_begun", "says", "fate"),
    [
        ("finish", True, True, Fate.MARK),
        ("mark", True, True, Fate.MARK),
        ("leave", True, True, Fate.DROP),
        ("finish", True, False, Fate.DROP),
        ("finish", False, True, Fate.DROP),
    ],
    ids=["half", "half, to mark", "half, to leave", "nothing said", "only waited"],
)
async def test_half_an_answer_to_a_command_is_marked(
    *, after_restart: str, has_begun: bool, says: bool, fate: Fate
) -> None:
    async with morning() as room:
        if says:
            await room.says("It is", reply_to=room.question)

        assert fate is await room.fate(after_restart, key="regenerate-1", has_begun=has_begun)


# --- marking -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "text"),
    [("en", "-# I was restarted in the middle of this answer."), ("ja", "-# この返答の途中で再起動しました。")],
)
async def test_a_mark_is_a_small_line_that_answers_the_last_part(language: str, text: str) -> None:
    async with morning() as room:
        await room.says("It is", reply_to=room.question)
        [*_, last] = await parts_of(room.entry(), await room.asked())

        assert await mark(room.channel, last, language)
        shown = room.evening.last()
        assert (text, str(last.id)) == (shown["content"], shown["message_reference"]["message_id"])
        assert [] == shown["mentions"]


async def test_a_mark_that_cannot_be_set_is_no_error(caplog: pytest.LogCaptureFixture) -> None:
    async with morning() as room:
        asked = await room.asked()
        room.evening.faults.fail("POST /channels/*/messages", 403, 50013)

        assert not await mark(room.channel, asked, "en")
        assert "could not be marked" in caplog.text
