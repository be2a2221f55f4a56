"""Privileged intents: asked for where they are allowed, and a sentence where they are not."""

from __future__ import annotations

import discord
import pytest

from cadenza.bot.application_info import PortalError
from cadenza.bot.config.config import Config, DiscordConfig
from cadenza.bot.intents import PRIVILEGES, application, intents_for, missing_intents
from cadenza.sim.intents import PRIVILEGED, Intent
from tests.bot.portal_room import TOKEN, Room, served

ALLOWED = PRIVILEGES[0].flags | PRIVILEGES[1].flags


def config(choice: str) -> Config:
    """One that chooses the same for both."""
    return Config(discord=DiscordConfig(message_content=choice, members=choice))


@pytest.mark.parametrize(
    ("choice", "flags", "asked", "sentences"),
    [
        ("auto", 0, False, 0),
        ("auto", 1 << 15 | 1 << 19, True, 0),
        ("auto", 1 << 14 | 1 << 18, True, 0),
        ("on", ALLOWED, True, 0),
        ("on", 0, False, 2),
        ("off", ALLOWED, False, 0),
    ],
)
def test_what_is_not_allowed_is_never_asked_for(
    caplog: pytest.LogCaptureFixture,
    choice: str,
    flags: int,
    asked: bool,  # noqa: FBT001  # a column
    sentences: int,
) -> None:
    intents = intents_for(config(choice), flags)

    assert (asked, asked) == (intents.message_content, intents.members)
    assert sentences == len(caplog.messages) == len(missing_intents(config(choice), flags))


def test_the_sentence_has_the_clicks() -> None:
    first, _ = missing_intents(config("on"), 0)

    assert (
        "[discord] message_content is on, but the portal does not allow it: open https://discord.com/developers"
        in first
    )
    assert "Bot, Privileged Gateway Intents, switch on Message Content Intent, Save Changes" in first


def test_what_a_bot_lives_on_is_asked_for_and_no_more() -> None:
    intents = intents_for(Config(), 0)

    assert intents.guilds
    assert intents.guild_messages
    assert intents.dm_messages
    assert intents.guild_reactions
    assert intents.webhooks
    assert not intents.presences
    assert not intents.guild_typing


@pytest.mark.parametrize("privileged", [PRIVILEGED, Intent.MESSAGE_CONTENT, Intent(0)], ids=["all", "content", "none"])
async def test_the_real_client_connects_with_what_is_made_of_the_flags(privileged: Intent) -> None:
    room = Room()
    async with served(room, privileged=privileged) as server:
        intents = intents_for(config("on"), await application(TOKEN, url=server.url))
        client = discord.Client(intents=intents, guild_ready_timeout=0.05)
        async with server.running(client, TOKEN):
            assert client.is_ready()

    assert (Intent.MESSAGE_CONTENT in privileged, Intent.GUILD_MEMBERS in privileged) == (
        intents.message_content, intents.members,
    )  # fmt: skip


async def test_a_wrong_token_is_a_sentence() -> None:
    async with served(Room()) as server:
        with pytest.raises(PortalError, match="does not accept the token"):
            await application("wrong", url=server.url)
