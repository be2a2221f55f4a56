"""Mentions: the pings in a text that its sender allows.

Without ``allowed_mentions`` every mention pings. With it only those that it lists do, and the author of the replied-to
message only if it says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from .api_errors import as_list, as_object, invalid, not_one_of, too_long
from .wire import Json

_KINDS = ("everyone", "roles", "users")
_MOST = 100
_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)  # mentions in code do not ping
_USER = re.compile(r"<@!?(\d+)>")
_ROLE = re.compile(r"<@&(\d+)>")
_EVERYBODY = re.compile(r"@(?:everyone|here)\b")


@dataclass(frozen=True, slots=True)
class Allowed:
    """The pings that a message may have: of each kind all, or those listed."""

    everyone: bool = False
    all_users: bool = False
    all_roles: bool = False
    users: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    replied_user: bool = False


FOR_MESSAGES = Allowed(everyone=True, all_users=True, all_roles=True, replied_user=True)
"""The default of bots and people."""
FOR_WEBHOOKS = Allowed(all_users=True)
"""The default of webhooks."""


@dataclass(frozen=True, slots=True)
class PingedIds:
    """The mentions of a message, in the order of the text."""

    users: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    everyone: bool = False


def as_allowed(value: object, default: Allowed) -> Allowed:
    """Validate ``allowed_mentions``; *default* if it is missing."""
    if value is None:
        return default
    value = as_object(value, at="allowed_mentions")
    parse = as_list(value.get("parse"), at="allowed_mentions.parse")
    for number, kind in enumerate(parse):
        if kind not in _KINDS:
            raise not_one_of(at=f"allowed_mentions.parse.{number}", choices=str(_KINDS))
    return Allowed(
        everyone="everyone" in parse,
        all_users="users" in parse,
        all_roles="roles" in parse,
        users=_listed(value, "users", parse),
        roles=_listed(value, "roles", parse),
        replied_user=bool(value.get("replied_user")),
    )


def _listed(value: Json, kind: str, parse: list[str]) -> frozenset[str]:
    ids = as_list(value.get(kind), at=f"allowed_mentions.{kind}")
    if ids and kind in parse:
        problem = f'parse:["{kind}"] and {kind}: [ids...] are mutually exclusive.'
        raise invalid(at="allowed_mentions", code="MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", problem=problem)
    if len(ids) > _MOST:
        raise too_long(at=f"allowed_mentions.{kind}", most=_MOST)
    return frozenset(map(str, ids))


def pinged_by(content: str, allowed: Allowed, *, answered: str | None = None) -> PingedIds:
    """The *allowed* mentions of *content*; *answered* is the author of the replied-to message."""
    prose = _CODE.sub(" ", content)
    users = [user for user in _USER.findall(prose) if allowed.all_users or user in allowed.users]
    if answered is not None and allowed.replied_user:
        users.append(answered)
    roles = [role for role in _ROLE.findall(prose) if allowed.all_roles or role in allowed.roles]
    everyone = allowed.everyone and _EVERYBODY.search(prose) is not None
    return PingedIds(_once(users), _once(roles), everyone)


def _once(ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(ids))
