"""Chunks of guild members, for clients that request them."""

from __future__ import annotations

from .intents import Intent
from .protocol import Hangup
from .wire import Json

_CHUNK = 1000
"""Members in one event."""
_FOUND = 100
"""Members in the answer to a search."""


def chunks(members: list[Json], data: Json, intents: Intent) -> list[Json]:
    """The events for a request *data* for some of *members*, without the guild."""
    chosen = _chosen(members, data, intents)
    if chosen is None:
        return []
    found = {member["user"]["id"] for member in chosen}
    common: Json = {"not_found": [who for who in _user_ids(data) if who not in found]}
    if "nonce" in data:
        common["nonce"] = data["nonce"]
    parts = [chosen[start : start + _CHUNK] for start in range(0, len(chosen), _CHUNK)] or [[]]
    return [
        {**common, "members": part, "chunk_index": index, "chunk_count": len(parts)} for index, part in enumerate(parts)
    ]


def _user_ids(data: Json) -> list[str]:
    asked = data.get("user_ids") or ()
    return [str(who) for who in (asked if isinstance(asked, list | tuple) else (asked,))]


def _chosen(members: list[Json], data: Json, intents: Intent) -> list[Json] | None:
    """The requested members: by id, by the beginning of a name, or all, which needs the intent."""
    if ids := _user_ids(data):
        return [member for member in members if member["user"]["id"] in ids][:_FOUND]
    start = str(data.get("query", "")).casefold()
    limit = data.get("limit", 0)
    if not isinstance(limit, int) or limit < 0:
        raise Hangup(4002, "Error while decoding payload.")
    if not start and not limit:
        return members if Intent.GUILD_MEMBERS in intents else None
    named = [member for member in members if any(name.casefold().startswith(start) for name in _names(member))]
    return named[: min(limit or _FOUND, _FOUND)]


def _names(member: Json) -> list[str]:
    user = member["user"]
    return [name for name in (member.get("nick"), user.get("global_name"), user["username"]) if name]
