"""The token, the intents and the permissions, looked at in the simulated Discord."""

from __future__ import annotations

import re

import pytest

from cadenza.bot.checks.discord_checks import check_discord
from cadenza.bot.checks.findings import DoctorContext, Finding, Severity
from cadenza.bot.config.config import Config, ConversationConfig, DiscordConfig
from cadenza.bot.services.invitation import PERMISSIONS
from cadenza.sim import Permission, guilds
from cadenza.sim.intents import PRIVILEGED, Intent
from tests.bot.portal_room import TOKEN, Room, served


async def found(
    room: Room, *, config: Config | None = None, privileged: Intent = PRIVILEGED, token: str = TOKEN
) -> list[Finding]:
    """What is found in *room*."""
    async with served(room, privileged=privileged) as server:
        return list(await check_discord(DoctorContext(config or Config(), {"DISCORD_TOKEN": token}, server.url, 2.0)))


def of(findings: list[Finding], check: str) -> list[str]:
    """The sentences of one check, with their marks."""
    return [f"{finding.level.value} {finding.text}" for finding in findings if finding.check == check]


async def test_all_is_well() -> None:
    room = Room()

    findings = await found(room)

    assert ["✓ Discord knows the bot as Ren."] == of(findings, "token")
    assert ["✓ Message Content Intent is switched on.", "✓ Server Members Intent is switched on."] == of(
        findings, "intents"
    )
    assert ["✓ Home: the bot has all permissions in 1 channel."] == of(findings, "servers")
    (invitation,) = of(findings, "invitation")
    assert f"client_id={room.bot.id}&scope=bot+applications.commands&permissions={PERMISSIONS}" in invitation
    assert {Severity.GOOD} == {finding.level for finding in findings}


@pytest.mark.parametrize(
    ("token", "words"),
    [
        ("", "✗ DISCORD_TOKEN in .env: there is no token; open https://discord.com/developers/applications"),
        ("123456789012345678", "✗ DISCORD_TOKEN in .env: that is an id, as of an application or a client"),
        ("Ab-3" * 8, "✗ DISCORD_TOKEN in .env: that looks like the client secret of the page OAuth2"),
        (TOKEN + "old", "✗ Discord does not accept the token; make a new one (Bot, Reset Token)"),
    ],
    ids=["none", "an id", "a client secret", "an old one"],
)
async def test_a_wrong_token_is_one_sentence_and_not_shown(token: str, words: str) -> None:
    findings = await found(Room(), token=token)

    (sentence,) = of(findings, "token")
    assert sentence.startswith(words)
    assert not token or token not in sentence
    assert 1 == len(findings)


@pytest.mark.parametrize(
    ("choice", "mark", "words"),
    [
        (
            "auto",
            "!",
            "is optional, and the portal does not allow it: open https://discord.com/developers/applications",
        ),
        ("on", "✗", "is on, but the portal does not allow it: open https://discord.com/developers/applications"),
        ("off", "✓", "is not requested; it hears only who mentions it, replies to it or writes in private."),
    ],
)
async def test_a_missing_intent_is_told_with_the_clicks(choice: str, mark: str, words: str) -> None:
    config = Config(discord=DiscordConfig(message_content=choice))

    content, _ = of(await found(Room(), config=config, privileged=Intent.GUILD_MEMBERS), "intents")

    assert content.startswith(mark)
    assert words in content


async def test_in_no_server_the_link_is_the_way() -> None:
    room = Room()
    guilds.leave(room.world.state, room.guild, room.bot)

    (sentence,) = of(await found(room), "servers")

    assert re.match(
        r"! The bot is in no server yet; open this link and choose one: https://discord.com/oauth2", sentence
    )


async def test_what_is_missing_is_told_with_what_does_not_work_and_where_to_change_it() -> None:
    room = Room()
    aside = room.world.add_channel(room.guild, "aside")
    hidden = room.world.add_channel(room.guild, "hidden")
    room.world.overwrite(aside, room.bot, deny=Permission.MANAGE_WEBHOOKS | Permission.SEND_MESSAGES)
    room.world.overwrite(hidden, room.bot, deny=Permission.VIEW_CHANNEL)

    (sentence,) = of(await found(room), "servers")

    assert sentence.startswith(
        "! Home: Send Messages is missing in #aside, so it cannot speak there; "
        "Manage Webhooks is missing in #aside, so characters have no name and avatar of their own (to change it: Server Settings"
    )
    assert "hidden" not in sentence


async def test_a_channel_that_it_should_answer_in_must_be_seen() -> None:
    room = Room()
    hidden = room.world.add_channel(room.guild, "hidden")
    room.world.overwrite(hidden, room.bot, deny=Permission.VIEW_CHANNEL)
    config = Config(conversation=ConversationConfig(channels=(str(hidden),)))

    (sentence,) = of(await found(room, config=config), "servers")

    assert sentence.startswith("! Home: View Channels is missing in #hidden, so it does not see the channel")


async def test_a_server_in_which_it_cannot_speak_is_bad() -> None:
    room = Room()
    room.world.overwrite(room.general, room.bot, deny=Permission.SEND_MESSAGES)

    (sentence,) = of(await found(room), "servers")

    assert sentence.startswith(
        "✗ Home: the bot cannot send messages in any channel; give it View Channels and Send Messages (Server"
    )


async def test_what_is_missing_everywhere_is_said_so() -> None:
    room = Room()
    for name in "abcdefgh":
        room.world.overwrite(room.world.add_channel(room.guild, name), room.bot, deny=Permission.ATTACH_FILES)
    room.world.overwrite(room.general, room.bot, deny=Permission.ATTACH_FILES | Permission.EMBED_LINKS)

    (sentence,) = of(await found(room), "servers")

    assert "Attach Files is missing everywhere, so tables are shown as text" in sentence
    assert "Embed Links is missing in #general" in sentence


async def test_of_many_servers_some_are_looked_at() -> None:
    room = Room()
    for number in range(11):
        guild = room.world.add_guild(f"G{number}", owner=room.mia, members=[room.mia, room.bot])
        room.world.add_channel(guild, "general")

    sentences = of(await found(room), "servers")

    assert (11, "✓ 2 more servers were not checked.") == (len(sentences), sentences[-1])


async def test_a_server_that_does_not_tell_is_a_warning() -> None:
    room = Room()
    room.faults.fail("GET /guilds/*/roles", 403, 50001)

    (sentence,) = of(await found(room), "servers")

    assert "! Home: its permissions could not be read: Discord refused to answer (status 403)." == sentence


async def test_a_list_of_servers_that_is_refused_is_a_warning() -> None:
    room = Room()
    room.faults.fail("GET /users/@me/guilds", 403, 50001)

    (sentence,) = of(await found(room), "servers")

    assert sentence.startswith("! it is not known in which servers the bot is: ")
