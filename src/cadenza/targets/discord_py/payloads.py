"""Converts our values to discord.py's, and back."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from typing import Any

import discord
from discord import ui

from ...text import alt_text
from ...types import Attachment
from ..discord.api import Button, Embed, Outgoing, Place, PlaceKind, Seen, Sent, Webhook
from .early_receipts import Confirmed


def arguments(message: Outgoing) -> dict[str, Any]:
    """Arguments for ``send`` of a channel or a webhook. Build them for each try: discord.py closes files."""
    told: dict[str, Any] = {"allowed_mentions": mentions(message), "silent": message.is_silent}
    if message.view is not None:
        told["view"] = message.view
        if message.view.has_components_v2():
            return told
    told |= {"content": message.content or None, "suppress_embeds": not message.has_previews}
    if message.files:
        told["files"] = [*map(file_of, message.files)]
    if message.embeds:
        told["embeds"] = [embed_of(embed) for embed in message.embeds]
    if message.buttons:
        told["view"] = view_of(message.buttons)
    return told


def mentions(message: Outgoing) -> discord.AllowedMentions:
    """The users and roles that *message* may ping. Every field is set, since discord.py has defaults for missing ones."""
    return discord.AllowedMentions(
        everyone=False,
        users=[discord.Object(int(id_)) for id_ in message.users],
        roles=[discord.Object(int(id_)) for id_ in message.roles],
        replied_user=message.pings_author,
    )


def file_of(file: Attachment) -> discord.File:
    """*file* for discord.py, with its alt text."""
    return discord.File(io.BytesIO(file.data), file.name, description=alt_text.within(file.description) or None)


def embed_of(embed: Embed) -> discord.Embed:
    """*embed* for discord.py."""
    made = discord.Embed(
        description=embed.description or None,
        title=embed.title or None,
        url=embed.url or None,
        colour=embed.colour,
        timestamp=None if embed.at is None else datetime.fromtimestamp(embed.at, UTC),
    )
    if embed.author:
        made.set_author(name=embed.author, url=embed.author_url or None, icon_url=embed.author_icon or None)
    if embed.footer:
        made.set_footer(text=embed.footer)
    return made


def view_of(buttons: tuple[Button, ...]) -> ui.View:
    """A row of *buttons* without listeners; presses arrive as interactions."""
    view = ui.View(timeout=None)
    for button in buttons:
        view.add_item(ui.Button(label=button.label, custom_id=button.id))
    view.stop()  # otherwise discord.py would keep it for ever
    return view


def place_of(channel: object) -> Place | None:
    """The place of a channel; ``None`` if messages cannot be sent there."""
    parent: str | None = None
    match channel:
        case discord.Thread():
            kind, guild, parent = PlaceKind.THREAD, channel.guild, str(channel.parent_id)
        case discord.CategoryChannel():
            return None  # not messageable
        case discord.ForumChannel():
            kind, guild = PlaceKind.FORUM, channel.guild
        case discord.abc.GuildChannel():
            kind, guild = PlaceKind.CHANNEL, channel.guild
        case discord.abc.PrivateChannel() if isinstance(channel, discord.DMChannel | discord.GroupChannel):
            return Place(str(channel.id), PlaceKind.DIRECT)
        case _:
            return None
    last = getattr(channel, "last_message_id", None)
    return Place(
        str(channel.id),
        kind,
        guild=str(guild.id),
        parent=parent,
        last_message=None if last is None or kind is PlaceKind.FORUM else str(last),
        file_limit=guild.filesize_limit,
    )


def sent_of(confirmed: Confirmed, guild: str | None) -> Sent:
    """The receipt for a message in *guild*."""
    message = confirmed.message
    channel = str(message.channel.id)
    return Sent(
        message=str(message.id),
        channel=channel,
        webhook=None if message.webhook_id is None else str(message.webhook_id),
        url=f"https://discord.com/channels/{guild or '@me'}/{channel}/{message.id}",
        is_answered=confirmed.is_answered,
    )


def seen_of(message: discord.Message) -> Seen:
    """*message* as a value."""
    return Seen(
        message=str(message.id),
        content=message.content,
        author=str(message.author.id),
        webhook=None if message.webhook_id is None else str(message.webhook_id),
        nonce=None if message.nonce is None else str(message.nonce),
        name=message.author.name,
        files=tuple(file.filename for file in message.attachments),
    )


def webhook_of(webhook: discord.Webhook, user: str, *, channel: str = "") -> Webhook | None:
    """*webhook*, if it has a token; *user* is our own id."""
    if webhook.token is None or webhook.type is not discord.WebhookType.incoming:
        return None
    return Webhook(
        id=str(webhook.id),
        token=webhook.token,
        channel=channel or str(webhook.channel_id),
        name=webhook.name or "",
        is_ours=webhook.user is not None and str(webhook.user.id) == user,
        has_avatar=webhook.avatar is not None,
    )
