"""What is sent to have something said, beside what the real discord.py makes of the same."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from typing import Any

import discord
import pytest
from discord.http import handle_message_parameters

from cadenza.sim.payloads import as_files, as_message, as_picture, as_webhook_message
from cadenza.sim.wire import File, Json
from cadenza.targets.discord.api import Button, Embed, Outgoing, WebhookIdentity
from cadenza.types import Attachment

FULL = Embed(
    description="down", title="up", url="https://a.b", author="Ren", author_url="https://c.d",
    author_icon="https://e.f", footer="foot", colour=0xFF,
)  # fmt: skip
MESSAGES = {
    "a text": Outgoing("hi"),
    "a nonce": Outgoing("hi", nonce="abc"),
    "a reply": Outgoing("hi", reply_to="12"),
    "a reply that pings": Outgoing("hi", reply_to="12", pings_author=True),
    "people and roles": Outgoing("<@1> <@&2>", users=("1", "3"), roles=("2",)),
    "quiet": Outgoing("hi", is_silent=True, has_previews=False),
    "without previews": Outgoing("hi", has_previews=False),
    "files": Outgoing("hi", files=(Attachment("a.txt", b"a"), Attachment("b.txt", b"b"))),
    "a file with alt text": Outgoing("hi", files=(Attachment("a.txt", b"a", "a letter"),)),
    "a full embed and a plain one": Outgoing("", embeds=(FULL, Embed("only"))),
    "an embed with a time": Outgoing("", embeds=(Embed("words", at=1_700_000_000.25),)),
    "six buttons": Outgoing("hi", buttons=tuple(Button(f"label {n}", f"id {n}") for n in range(6))),
}


def _flags(message: Outgoing) -> discord.MessageFlags:
    flags = discord.MessageFlags()
    flags.suppress_embeds = not message.has_previews
    flags.suppress_notifications = message.is_silent
    return flags


def _embed(embed: Embed) -> discord.Embed:
    made = discord.Embed(
        description=embed.description or None,
        title=embed.title or None,
        url=embed.url or None,
        colour=embed.colour,
        timestamp=None if embed.at is None else datetime.fromtimestamp(embed.at, UTC),
    )
    if embed.author:
        made.set_author(name=embed.author, url=embed.author_url or None, icon_url=embed.author_icon or None)
    return made.set_footer(text=embed.footer) if embed.footer else made


def _mentions(message: Outgoing) -> discord.AllowedMentions:
    people = [discord.Object(int(user)) for user in message.users]
    roles = [discord.Object(int(role)) for role in message.roles]
    return discord.AllowedMentions(everyone=False, users=people, roles=roles, replied_user=message.pings_author)


def by_discord_py(message: Outgoing, **more: Any) -> Json:
    """The JSON that the real one sends, in a request with files or without."""
    options: dict[str, Any] = {"allowed_mentions": _mentions(message), **more}
    if _flags(message).value:
        options["flags"] = _flags(message)
    if message.embeds:
        options["embeds"] = [_embed(embed) for embed in message.embeds]
    if message.files:
        options["files"] = [
            discord.File(io.BytesIO(file.data), file.name, description=file.description or None)
            for file in message.files
        ]
    if message.buttons:
        options["view"] = discord.ui.View()
        for button in message.buttons:
            options["view"].add_item(discord.ui.Button(label=button.label, custom_id=button.id))
    made = handle_message_parameters(message.content, **options)
    return made.payload or json.loads(made.multipart[0]["value"])


@pytest.mark.parametrize("message", MESSAGES.values(), ids=MESSAGES)
async def test_a_message_is_the_same_that_discord_py_sends(message: Outgoing) -> None:
    more: dict[str, Any] = {"nonce": message.nonce or None}
    if message.reply_to:
        reference = discord.MessageReference(message_id=12, channel_id=7, fail_if_not_exists=False)
        more["message_reference"] = reference.to_message_reference_dict()

    assert by_discord_py(message, **more) == as_message("7", message)


@pytest.mark.parametrize("message", MESSAGES.values(), ids=MESSAGES)
@pytest.mark.parametrize(
    "face", [WebhookIdentity("Ren"), WebhookIdentity("Ren", "https://a.b/c.png")], ids=["name", "face"]
)
async def test_so_is_what_a_webhook_says_which_knows_neither_replies_nor_nonces(
    face: WebhookIdentity, message: Outgoing
) -> None:
    expected = by_discord_py(message, username=face.name, avatar_url=face.avatar_url or "")

    assert expected == as_webhook_message(face, message)


class _Card(discord.ui.LayoutView):
    text: discord.ui.TextDisplay[discord.ui.LayoutView] = discord.ui.TextDisplay("Once more?")


async def test_a_layout_is_the_same_that_discord_py_sends() -> None:
    layout = _Card(timeout=None)
    flags = discord.MessageFlags(components_v2=True, suppress_notifications=True)
    expected = handle_message_parameters(view=layout, flags=flags, allowed_mentions=_mentions(Outgoing())).payload

    sent = as_message("7", Outgoing(view=layout, is_silent=True))

    assert expected == {name: value for name, value in sent.items() if name != "content"}
    assert "" == sent["content"]


def test_whatever_is_said_nobody_is_called_who_is_not_named() -> None:
    assert {"parse": [], "users": [1], "roles": []} == (
        as_message("7", Outgoing("@everyone <@1> <@2>", users=("1",)))["allowed_mentions"]
    )


def test_files_go_along_as_they_are() -> None:
    assert (File("a.txt", b"a"), File("b.txt", b"b")) == as_files(MESSAGES["files"])


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        (None, None),
        (b"\x89PNG", "data:image/png;base64,iVBORw=="),
        (b"\xff\xd8\xff", "data:image/jpeg;base64,/9j/"),
        (b"GIF8", "data:image/gif;base64,R0lGOA=="),
        (b"RIFF", "data:image/webp;base64,UklGRg=="),
        (b"tea", "data:application/octet-stream;base64,dGVh"),
    ],
    ids=str,
)
def test_a_picture_is_written_as_text(image: bytes | None, expected: str | None) -> None:
    assert expected == as_picture(image)
