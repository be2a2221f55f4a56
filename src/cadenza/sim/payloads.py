"""The JSON of messages that a client sends, the same as discord.py's."""

from __future__ import annotations

from base64 import b64encode
from datetime import UTC, datetime

from ..targets.discord.api import Button, Embed, Outgoing, WebhookIdentity
from ..text import alt_text
from ..types import Attachment
from .wire import File, Json

_NO_PREVIEWS = 1 << 2
_SILENT = 1 << 12
_LAYOUT = 1 << 15
_ROW = 5
"""Buttons in a row."""
_IMAGES = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif", b"RIFF": "image/webp"}
"""Pictures by their first bytes."""


def as_message(channel: str, message: Outgoing) -> Json:
    """A message of the bot itself."""
    payload = _common(message)
    if message.nonce:
        payload |= {"nonce": message.nonce, "enforce_nonce": True}
    if message.reply_to is not None:
        reference = {"type": 0, "message_id": _id(message.reply_to), "channel_id": _id(channel)}
        payload["message_reference"] = reference | {"fail_if_not_exists": False}
    return payload


def as_webhook_message(identity: WebhookIdentity, message: Outgoing) -> Json:
    """A message through a webhook; it has neither replies nor nonces."""
    payload = _common(message) | {"username": identity.name}
    if identity.avatar_url:
        payload["avatar_url"] = identity.avatar_url
    return payload


def as_files(message: Outgoing) -> tuple[File, ...]:
    """The uploaded files."""
    return tuple(File(file.name, file.data) for file in message.files)


def as_picture(image: bytes | None) -> str | None:
    """A picture as a data URI."""
    if image is None:
        return None
    kind = next((kind for start, kind in _IMAGES.items() if image.startswith(start)), "application/octet-stream")
    return f"data:{kind};base64,{b64encode(image).decode('ascii')}"


def _id(text: str) -> int | str:
    """An id as discord.py writes it; anything else is left for Discord to refuse."""
    return int(text) if text.isdecimal() else text


def _common(message: Outgoing) -> Json:
    payload: Json = {
        "content": message.content,
        "tts": False,
        "allowed_mentions": {
            "parse": [],
            "users": [_id(user) for user in message.users],
            "roles": [_id(role) for role in message.roles],
        },
    }
    if message.pings_author:
        payload["allowed_mentions"]["replied_user"] = True
    flags = (0 if message.has_previews else _NO_PREVIEWS) | (_SILENT if message.is_silent else 0)
    if flags:
        payload["flags"] = flags
    if message.embeds:
        payload["embeds"] = [_embed(embed) for embed in message.embeds]
    if message.buttons:
        payload["components"] = _rows(message.buttons)
    if message.view is not None:
        payload["components"] = message.view.to_components()
        if message.view.has_components_v2():
            payload["flags"] = flags | _LAYOUT
    if message.files:
        payload["attachments"] = [_described(number, file) for number, file in enumerate(message.files)]
    return payload


def _described(number: int, file: Attachment) -> Json:
    described: Json = {"id": number, "filename": file.name}
    return described | ({"description": text} if (text := alt_text.within(file.description)) else {})


def _embed(embed: Embed) -> Json:
    shape: Json = {"type": "rich", "flags": 0}
    texts = {"title": embed.title, "description": embed.description, "url": embed.url}
    shape |= {name: text for name, text in texts.items() if text}
    if embed.colour is not None:
        shape["color"] = embed.colour
    if embed.at is not None:
        shape["timestamp"] = datetime.fromtimestamp(embed.at, UTC).isoformat()
    if embed.footer:
        shape["footer"] = {"text": embed.footer}
    author = {"name": embed.author, "url": embed.author_url, "icon_url": embed.author_icon}
    if embed.author:
        shape["author"] = {name: text for name, text in author.items() if text}
    return shape


def _rows(buttons: tuple[Button, ...]) -> list[Json]:
    shapes = [
        {"type": 2, "style": 2, "label": button.label, "custom_id": button.id, "disabled": False} for button in buttons
    ]
    return [{"type": 1, "components": shapes[start : start + _ROW]} for start in range(0, len(shapes), _ROW)]
