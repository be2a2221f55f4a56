"""Whom a message may ping: only people and roles of the scene, and never everyone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ...settings import DeliverySettings
from ...text.blocks import code_in
from ...types import Roster

_TAG = re.compile(r"<@(?P<sign>[!&]?)(?P<id>[0-9]{1,20})>")
_MOST = 100
"""How many ids Discord takes in one list."""


class Pings(NamedTuple):
    """The ids that one message pings, in the order of the text."""

    users: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()


class _Tag(NamedTuple):
    id: str
    is_role: bool


class PingBudget:
    """Who may be pinged in one turn, and who was already."""

    def __init__(
        self,
        roster: Roster | None = None,
        settings: DeliverySettings | None = None,
        is_found: Callable[[str], bool] | None = None,
    ) -> None:
        """*is_found* says whether a tag that is not in *roster* belongs to someone who was looked up."""
        self._known = frozenset(_known(roster or Roster()))
        self._is_found = is_found
        self._pinged: set[str] = set()
        self.allow(settings or DeliverySettings())

    def allow(self, settings: DeliverySettings) -> None:
        """Ping as many as *settings* say from now on; who was pinged already counts."""
        self._people = min(settings.mention_people, _MOST)
        self._roles = settings.mention_roles

    def pinged_by(self, text: str) -> Pings:
        """Whom a message with *text* may ping; they count as pinged from now on."""
        tags = [tag for tag in dict.fromkeys(tags_in(text)) if self._knows(tag)]
        users = tuple(tag.id for tag in tags if not tag.is_role and self._admit(tag.id))
        roles = tuple(tag.id for tag in tags if tag.is_role and self._roles)
        return Pings(users, roles[:_MOST])

    def _knows(self, tag: _Tag) -> bool:
        if tag in self._known or self._is_found is None:
            return tag in self._known
        return any(self._is_found(f"<@{sign}{tag.id}>") for sign in (("&",) if tag.is_role else ("", "!")))

    def _admit(self, user: str) -> bool:
        if user not in self._pinged and len(self._pinged) >= self._people:
            return False
        self._pinged.add(user)
        return True


def tags_in(text: str) -> Iterator[_Tag]:
    """The people and roles that *text* mentions by tag, outside code."""
    if "<@" not in text:
        return
    code = code_in(text)
    for match in _TAG.finditer(text):
        if not any(match.start() in stretch for stretch in code):
            yield _Tag(match["id"], is_role=match["sign"] == "&")


def _known(roster: Roster) -> Iterator[_Tag]:
    """All tags of *roster*."""
    aliases = (alias for person in roster.participants for alias in person.aliases)
    for tag in (*roster.mentions.values(), *aliases):
        match = _TAG.fullmatch(tag)
        if match:
            yield _Tag(match["id"], is_role=match["sign"] == "&")
