"""Our nouns as discord.py's, and back."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from typing import Any

import discord
from discord import ui

from ..discord.api import Button, Embed, Outgoing, Place, PlaceKind, Seen, Sent, Webhook


def arguments(message: Outgoing) -> dict[str, Any]:
    """What ``send`` of a channel and of a webhook are told alike. Made anew for each try: discord.py closes files."""
    told: dict[str, Any] = {
        "content": message.content or None,
        "allowed_mentions": mentions(message),
        "silent": message.is_silent,
        "suppress_embeds": not message.has_previews,
    }
    if message.files:
        told["files"] = [discord.File(io.BytesIO(file.data), file.name) for file in message.files]
    if message.embeds:
        told["embeds"] = [embed_of(embed) for embed in message.embeds]
    if message.buttons:
        told["view"] = view_of(message.buttons)
    return told


def mentions(message: Outgoing) -> discord.AllowedMentions:
    """Whom *message* may call. Every field is set: what is left out would be taken from the client, or be everybody."""
    return discord.AllowedMentions(
        everyone=False,
        users=[discord.Object(int(id_)) for id_ in message.users],
        roles=[discord.Object(int(id_)) for id_ in message.roles],
        replied_user=False,
    )


def embed_of(embed: Embed) -> discord.Embed:
    """The box of *embed*."""
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
    """A row of *buttons* that discord.py does not listen to: whoever presses one is heard as any interaction is."""
    view = ui.View(timeout=None)
    for button in buttons:
        view.add_item(ui.Button(label=button.label, custom_id=button.id))
    view.stop()  # or discord.py would keep it, for good
    return view


def place_of(channel: object) -> Place | None:
    """What a channel of discord.py is to us; ``None`` if it is none."""
    parent: str | None = None
    match channel:
        case discord.Thread():
            kind, guild, parent = PlaceKind.THREAD, channel.guild, str(channel.parent_id)
        case discord.CategoryChannel():
            return None  # nothing can be said in it
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


def sent_of(message: discord.Message, guild: str | None) -> Sent:
    """The receipt for *message*, which stands in the server *guild*."""
    channel = str(message.channel.id)
    return Sent(
        message=str(message.id),
        channel=channel,
        webhook=None if message.webhook_id is None else str(message.webhook_id),
        url=f"https://discord.com/channels/{guild or '@me'}/{channel}/{message.id}",
    )


def seen_of(message: discord.Message) -> Seen:
    """*message* as it was read back."""
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
    """*webhook*, if it can be spoken through; *user* is who we are."""
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
