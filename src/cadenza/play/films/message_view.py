"""Converts a message from Discord's JSON to what a page shows; our own scanner reads its Markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from ...sim.content_types import kind_of
from ...sim.objects import MessageFlag, MessageKind
from ...sim.transcript import name_of
from ...sim.wire import Json
from ...text.markup import Names, nodes, plain
from .image_size import size_of
from .urls import Addresses

_SPOILER = "SPOILER_"
_LONGEST_QUOTE = 200
_HIDDEN = "▒▒▒"
"""Replaces a spoiler where a message is quoted."""
_WEB = re.compile(r"https?://\S+")
_ATTACHED = "attachment://"
_UNTOLD = (None, "", "application/octet-stream")
_BUTTON, _LINK = 2, 5
_STYLES: Mapping[int, str] = {1: "primary", 2: "secondary", 3: "success", 4: "danger"}
_MENUS: Mapping[int, str] = {3: "texts", 5: "users", 6: "roles", 7: "mentionables", 8: "channels"}
_SYSTEM: Mapping[int, str] = {
    MessageKind.CHANNEL_PINNED_MESSAGE: "pinned",
    MessageKind.THREAD_CREATED: "thread",
    MessageKind.THREAD_STARTER_MESSAGE: "thread",
}


def as_shown(message: Json, names: Names, addresses: Addresses) -> Json:
    """*message*, in the simulated Discord's JSON, as a page shows it.

    *names* maps ids to names; people listed in the message need no entry. *addresses* says where pictures
    and files are. Own reactions are marked for the user who fetched the message.
    """
    message = _without_stand_in(message)
    names = _with_people(message, names)
    flags, content = message["flags"], message["content"]
    return {
        "id": message["id"],
        "channel": message["channel_id"],
        "author": _author(message, names, addresses),
        "time": message["timestamp"],
        "content": content,
        "markup": nodes(content, names),
        "reply": _reply(message, names, addresses),
        "command": _command(message, names),
        "is_edited": bool(message["edited_timestamp"]),
        "is_private": bool(flags & MessageFlag.EPHEMERAL),
        "is_thinking": bool(flags & MessageFlag.LOADING),
        "is_silent": bool(flags & MessageFlag.SUPPRESS_NOTIFICATIONS),
        "pings": _pings(message),
        "files": [_file(attachment, addresses) for attachment in message["attachments"]],
        "embeds": [_embed(embed, message, names, addresses) for embed in message["embeds"]],
        "components": [[_component(part) for part in row["components"]] for row in message["components"]],
        "reactions": [_reaction(reaction) for reaction in message.get("reactions", ())],
        "system": _SYSTEM.get(message["type"]),
    }


def _without_stand_in(message: Json) -> Json:
    """A thread's starter line refers to the message that the thread was made from; show that one."""
    first = message.get("referenced_message")
    if message["type"] != MessageKind.THREAD_STARTER_MESSAGE or first is None:
        return message
    parts = ("author", "content", "attachments", "embeds", "mentions", "mention_everyone", "mention_roles")
    return message | {part: first[part] for part in parts} | {"type": MessageKind.DEFAULT}


def _with_people(message: Json, names: Names) -> Names:
    """*names*, with those that the message itself holds."""
    brought = {user["id"]: _nick(user) or name_of(user, {}) for user in message["mentions"]}
    return replace(names, users={**brought, **names.users}) if brought else names


def _nick(user: Json) -> str | None:
    """The display name of a mentioned user."""
    nick: str | None = (user.get("member") or {}).get("nick")
    return nick


def _author(message: Json, names: Names, addresses: Addresses) -> Json:
    author = message["author"]
    nick = (message.get("member") or {}).get("nick")
    return {
        "id": author["id"],
        "name": names.users.get(author["id"]) or nick or name_of(author, {}),
        "avatar": addresses.avatar(author),
        "is_bot": bool(author["bot"]),
        # A response to an interaction uses a webhook, but its author is the bot itself.
        "is_webhook": "webhook_id" in message and "interaction_metadata" not in message,
    }


def _reply(message: Json, names: Names, addresses: Addresses) -> Json | None:
    if message["type"] != MessageKind.REPLY:
        return None
    answered = message.get("referenced_message")
    if answered is None:
        return {"id": None, "name": "", "avatar": None, "text": ""}
    author = answered["author"]
    return {
        "id": answered["id"],
        "name": name_of(author, names.users),
        "avatar": addresses.avatar(author),
        "text": _gist(answered, _with_people(answered, names)),
    }


def _gist(message: Json, names: Names) -> str:
    """The text of a message in one line without marks; if it has none, what it is instead."""
    words = " ".join(plain(nodes(message["content"], names), hidden=_HIDDEN).split())
    embeds, files = message["embeds"], message["attachments"]
    if not words and embeds:
        words = str(embeds[0].get("title") or embeds[0].get("description") or "")
    if not words and files:
        words = str(files[0]["filename"])
    return words if len(words) <= _LONGEST_QUOTE else f"{words[: _LONGEST_QUOTE - 1]}…"


def _command(message: Json, names: Names) -> Json | None:
    interaction = message.get("interaction")
    return interaction and {"name": interaction["name"], "who": name_of(interaction["user"], names.users)}


def _pings(message: Json) -> list[str]:
    pinged = [user["id"] for user in message["mentions"]] + list(message["mention_roles"])
    return [*pinged, "everyone"] if message["mention_everyone"] else pinged


def _file(attachment: Json, addresses: Addresses) -> Json:
    name, data = attachment["filename"], addresses.data(attachment)
    size = size_of(data)
    told = attachment.get("content_type")
    return {
        "id": attachment["id"],
        "name": name.removeprefix(_SPOILER),
        "size": attachment["size"],
        "type": kind_of(name, data) if told in _UNTOLD else told,
        "url": addresses.file(attachment),
        "width": size.width if size else None,
        "height": size.height if size else None,
        "about": attachment.get("description") or "",
        "is_spoiler": name.startswith(_SPOILER),
    }


def _embed(embed: Json, message: Json, names: Names, addresses: Addresses) -> Json:
    colour = embed.get("color")
    return {
        "author": (embed.get("author") or {}).get("name") or "",
        "title": nodes(embed.get("title") or "", names),
        "url": _web(embed.get("url")),
        "text": nodes(embed.get("description") or "", names),
        "fields": [
            {"name": field["name"], "value": nodes(field["value"], names), "is_inline": bool(field.get("inline"))}
            for field in embed.get("fields", ())
        ],
        "footer": (embed.get("footer") or {}).get("text") or "",
        "colour": f"#{colour & 0xFFFFFF:06x}" if isinstance(colour, int) else None,
        "image": _picture(embed.get("image"), message, addresses),
        "thumbnail": _picture(embed.get("thumbnail"), message, addresses),
        "time": embed.get("timestamp"),
    }


def _picture(picture: Json | None, message: Json, addresses: Addresses) -> str | None:
    """The picture of an embed: a file of its message, or one in this world."""
    url = str((picture or {}).get("url") or "")
    if not url.startswith(_ATTACHED):
        return addresses.picture(url)
    name = url.removeprefix(_ATTACHED)
    return next((addresses.file(file) for file in message["attachments"] if file["filename"] == name), None)


def _web(url: object) -> str | None:
    return url if isinstance(url, str) and _WEB.fullmatch(url) else None


def _component(part: Json) -> Json:
    is_button = part.get("type") == _BUTTON
    is_link = is_button and part.get("style") == _LINK
    shown: Json = {
        "sort": "link" if is_link else "button" if is_button else "menu",
        "id": part.get("custom_id"),
        "label": part.get("label") or "",
        "emoji": _emoji(part.get("emoji")),
        "style": _STYLES.get(part.get("style", 0)) if is_button else None,
        "url": _web(part.get("url")),
        "is_disabled": bool(part.get("disabled")),
        "options": [_option(option) for option in part.get("options", ())],
        "placeholder": part.get("placeholder") or "",
    }
    if is_button:
        return shown
    least, most = part.get("min_values", 1), part.get("max_values", 1)
    return shown | {"of": _MENUS.get(part.get("type", 0), "texts"), "least": least, "most": most}


def _option(option: Json) -> Json:
    return {
        "label": option.get("label") or "",
        "value": option.get("value") or "",
        "about": option.get("description") or "",
        "emoji": _emoji(option.get("emoji")),
        "is_chosen": bool(option.get("default")),
    }


def _emoji(emoji: object) -> Json | None:
    """An emoji as a node."""
    if not isinstance(emoji, dict):
        return None
    is_animated = bool(emoji.get("animated"))
    return {"is": "emoji", "name": emoji.get("name") or "", "id": emoji.get("id"), "is_animated": is_animated}


def _reaction(reaction: Json) -> Json:
    return {"emoji": _emoji(reaction["emoji"]), "count": reaction["count"], "is_mine": bool(reaction["me"])}
