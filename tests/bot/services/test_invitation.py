"""The link that lets a bot in."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import discord
import pytest

from cadenza.bot.services.invitation import PERMISSIONS, RIGHTS, SCOPES, invite_link

NAMES = {
    "View Channels": "view_channel",
    "Send Messages in Threads": "send_messages_in_threads",
    "Use External Emoji": "use_external_emojis",
}


def test_the_link_is_what_discord_py_would_make() -> None:
    link = invite_link("123")

    theirs = discord.utils.oauth_url(123, permissions=discord.Permissions(PERMISSIONS), scopes=SCOPES)
    assert parse_qs(urlsplit(theirs).query) == parse_qs(urlsplit(link).query)
    assert urlsplit(theirs).path == urlsplit(link).path


@pytest.mark.parametrize("right", RIGHTS, ids=lambda right: right.name)
def test_every_permission_is_the_bit_that_its_name_says(right: object) -> None:
    name, bit = right.name, right.bit  # type: ignore[attr-defined]

    assert getattr(discord.Permissions(bit), NAMES.get(name, name.lower().replace(" ", "_")))
    assert 1 == bit.bit_count()
