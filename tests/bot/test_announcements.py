"""Notices under the bot's own name."""

from __future__ import annotations

from dataclasses import replace

import discord
import pytest

from cadenza.bot.announcements import Announcements, reworded
from cadenza.bot.services.choices import Choice
from cadenza.bot.services.quotas import Excess
from cadenza.errors import ErrorKind, ProviderError
from cadenza.languages import catalogue, languages
from cadenza.replies.notices import TEXTS, failed, fell_back, still_working
from cadenza.types import Broke, Empty, Failure, Notice, Stalled, Stopped, StopReason, Urgency
from tests.bot.bot_room import BotRoom, bot_room, parrot


async def _message(room: BotRoom) -> discord.Message:
    asked = room.mia.says(room.general, "hello")
    channel = room.bot.get_channel(int(room.general))
    assert isinstance(channel, discord.TextChannel)
    return await channel.fetch_message(int(asked))


@pytest.mark.parametrize("excess", list(Excess))
async def test_every_limit_has_its_sentence(excess: Excess) -> None:
    async with bot_room(parrot) as room:
        announcements = Announcements(room.services, room.bot, room.bot.client_state, room.bot.background)
        announcements.refuse(await _message(room), excess)
        await room.bot.background.finish()

        assert room.answers()[0].startswith("-# ")
        assert ["Cadenza"] == room.names()


async def test_a_notice_is_in_the_language_of_the_channel() -> None:
    async with bot_room(parrot) as room:
        await room.services.choices.change_channel(
            room.general, room.guild.id, lambda choice: replace(choice, language="ja")
        )
        announcements = Announcements(room.services, room.bot, room.bot.client_state, room.bot.background)
        await announcements.tell(await _message(room), "This works in servers only.")

        assert Choice(language="ja") == await room.services.choices.here(room.guild.id, room.general)
        assert ["This works in servers only."] != room.answers()
        assert not room.answers()[0].isascii()


# --- in the language of the reader ---

OTHERS = [language for language in languages() if language != "en"]


@pytest.mark.parametrize("language", OTHERS)
def test_every_notice_of_the_pipeline_is_in_the_catalogue(language: str) -> None:
    assert set() == set(TEXTS.values()) - set(catalogue(language))


@pytest.mark.parametrize(
    ("notice", "text"),
    [
        (failed(Empty("stop"), show_errors="details", model="openai:gpt-5.1"), "gpt-5.1` は何も言いませんでした。"),
        (
            failed(Stalled(has_begun=True), show_errors="details", model="openai:gpt-5.1"),
            "gpt-5.1` は返事の途中で黙りました。",
        ),
        (failed(Stopped(StopReason.TIME_LIMIT), show_errors="details", model="m"), "返事が許された時間を超えた"),
        (still_working(7), "ツールを 7 回使いました。"),
        (fell_back([Failure("a:b", Empty("stop"))], "c:d", show_errors="details"), "の代わりに"),
    ],
)
def test_a_notice_is_said_in_another_language_with_its_values(notice: Notice | None, text: str) -> None:
    assert notice is not None
    other = reworded(notice, "ja")

    assert text in other.text
    assert notice.title != other.title
    assert notice.urgency is other.urgency
    assert len(notice.tips) == len(other.tips)
    assert not set(notice.tips) & set(other.tips)
    assert notice == reworded(notice, "en")


def test_what_others_said_stays_as_they_said_it() -> None:
    error = ProviderError("the model is overloaded; try again later", kind=ErrorKind.OVERLOADED)
    notice = failed(Broke(error), show_errors="details", model="m")
    assert notice is not None
    other = reworded(notice, "ja")

    assert (notice.text, "混み合っています") == (other.text, other.title)
    unknown = Notice("The moon knows this.", Urgency.INFO)
    assert unknown == reworded(unknown, "ja")
