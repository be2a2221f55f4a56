"""What a bot may do in a channel, worked out from what Discord's interface tells of roles and overwrites."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias

Json: TypeAlias = Mapping[str, Any]

EVERYTHING = (1 << 53) - 1
_ADMINISTRATOR = 1 << 3
_VIEW = 1 << 10
_READ_HISTORY = 1 << 16


def rights_in(channel: Json, *, server: str, member: Json, roles: Iterable[Json], is_owner: bool = False) -> int:
    """The permissions, as bits, that *member* has in *channel* of *server*, which has these *roles*.

    The role of everybody counts first, then all other roles together, then the member; whoever does not see a channel
    may do nothing there, and whoever is timed out only see and read.
    """
    own = {server, *member.get("roles", ())}
    held = 0
    for role in roles:
        if role.get("id") in own:
            held |= int(role.get("permissions", 0))
    if is_owner or held & _ADMINISTRATOR:
        return EVERYTHING
    overwrites = {one.get("id"): one for one in channel.get("permission_overwrites") or ()}
    me = (member.get("user") or {}).get("id")
    for group in ([server], [role for role in own if role != server], [me]):
        found = [overwrites[id_] for id_ in group if id_ in overwrites]
        held &= ~_together(found, "deny")
        held |= _together(found, "allow")
    if not held & _VIEW:
        return 0
    return held & (_VIEW | _READ_HISTORY) if _is_timed_out(member) else held


def _together(overwrites: Iterable[Json], side: str) -> int:
    bits = 0
    for one in overwrites:
        bits |= int(one.get(side, 0))
    return bits


def _is_timed_out(member: Json) -> bool:
    until = member.get("communication_disabled_until")
    return bool(until) and datetime.fromisoformat(str(until)) > datetime.now(UTC)
