"""Our nouns as discord.py's."""

from __future__ import annotations

from typing import Any

import aiohttp
import discord
import pytest

from cadenza.targets.discord.api import Button, Embed, Outgoing
from cadenza.targets.discord_py.payloads import arguments, embed_of, place_of, view_of, webhook_of
from cadenza.types import Attachment


def test_a_message_says_no_more_than_it_has() -> None:
    told = arguments(Outgoing("Hi."))

    assert {"content", "allowed_mentions", "silent", "suppress_embeds"} == set(told)
    assert {"parse": [], "users": [], "roles": []} == told["allowed_mentions"].to_dict()


def test_files_are_made_anew_for_each_try() -> None:
    message = Outgoing(files=(Attachment("a.txt", b"abc"),))
    [first] = arguments(message)["files"]
    first.close()

    [second] = arguments(message)["files"]

    assert (b"abc", "a.txt") == (second.fp.read(), second.filename)


def test_a_file_has_its_alt_text() -> None:
    files = (Attachment("a.txt", b"abc", "letters"), Attachment("b.txt", b"", "so long " * 200), Attachment("c", b""))

    letters, long, none = (file.description for file in arguments(Outgoing(files=files))["files"])

    assert ("letters", None) == (letters, none)
    assert long is not None
    assert 1000 < len(long) <= 1024


def test_a_reply_pings_whom_it_answers_if_it_says_so() -> None:
    assert arguments(Outgoing("Hi.", pings_author=True))["allowed_mentions"].replied_user is True


async def test_a_layout_is_sent_without_words() -> None:
    layout = discord.ui.LayoutView()
    layout.add_item(discord.ui.TextDisplay("Hello."))

    told = arguments(Outgoing("Hi.", is_silent=True, view=layout))

    assert {"allowed_mentions", "silent", "view"} == set(told)
    assert layout is told["view"]


@pytest.mark.parametrize(
    ("embed", "expected"),
    [
        pytest.param(
            Embed("words"), {"description": "words", "type": "rich", "flags": 0}, id="what is empty is not there"
        ),
        pytest.param(
            Embed("words", author="Mia", author_url="https://e.org/", author_icon="https://e.org/i.png", colour=1),
            {
                "description": "words",
                "type": "rich",
                "flags": 0,
                "color": 1,
                "author": {"name": "Mia", "url": "https://e.org/", "icon_url": "https://e.org/i.png"},
            },
            id="an author",
        ),
        pytest.param(
            Embed("words", at=1_700_000_000.0),
            {"description": "words", "type": "rich", "flags": 0, "timestamp": "2023-11-14T22:13:20+00:00"},
            id="a time",
        ),
    ],
)
def test_a_box_has_what_was_said(embed: Embed, expected: dict[str, object]) -> None:
    assert {name: value for name, value in expected.items() if name != "flags"} == {
        name: value for name, value in embed_of(embed).to_dict().items() if name != "flags"
    }


async def test_buttons_are_listened_to_by_nobody() -> None:
    view = view_of((Button("Stop", "stop:1"), Button("Go on", "go:1")))

    [row] = view.to_components()
    assert ["stop:1", "go:1"] == [button["custom_id"] for button in row["components"]]
    assert view.is_finished()


@pytest.mark.parametrize(
    "data", [{"type": 1}, {"type": 2, "token": "t"}], ids=["no token", "one that follows another channel"]
)
async def test_a_webhook_that_nobody_can_speak_through_is_none(data: dict[str, Any]) -> None:
    async with aiohttp.ClientSession() as session:
        payload: Any = {"id": 1, **data}

        assert webhook_of(discord.Webhook(payload, session), "1") is None


def test_what_is_no_channel_is_no_place() -> None:
    assert place_of(None) is None
