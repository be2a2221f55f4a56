"""The name under which a sprite is shown, so that a chat which groups messages by name shows every avatar.

Discord groups messages in a row under one name, shows only the avatar of the first, and drops invisible characters in
names. So when the sprite changes, the name changes too: to one that looks the same. Only delivered messages count.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ...text.names import NEUTRAL, both, lookalike
from ...types import Identity

_NUMBER = re.compile("[0-9]+")


@dataclass(slots=True)
class _Last:
    """The last delivery to a channel."""

    sprite: str = ""
    is_disguised: bool = False
    """Whether it was shown under a lookalike name."""
    message_id: str = ""
    at: float = 0.0
    disguises: set[str] = field(default_factory=set)
    """The lookalike names used in this channel."""


class NameContinuity:
    """Remembers the last sprite of each channel and chooses the name of the next one."""

    def __init__(
        self, *, clock: Callable[[], float] = time.monotonic, time_to_live: float = 600.0, most: int = 2000
    ) -> None:
        self._clock = clock
        self._time_to_live = time_to_live
        self._most = most
        self._channels: dict[str, _Last] = {}  # the least recently used one first

    def dressed(self, channel: str, identity: Identity, *, last_message_id: str | None) -> Identity:
        """Return *identity* with the name to show it under next in *channel*.

        *last_message_id* is the last message of the channel by any author, if known: after another author's message
        nothing is grouped.
        """
        last = self._last(channel)
        if not identity.sprite or last is None or _is_later(last_message_id, last.message_id):
            return identity
        is_other = bool(last.sprite) and last.sprite != identity.sprite
        if is_other == last.is_disguised:
            return identity
        name = _disguise(identity)
        last.disguises.add(name)
        return replace(identity, name=name)

    def note(self, channel: str, identity: Identity | None, message_id: str) -> None:
        """Note a delivery as *identity*, which ``dressed`` returned; ``None`` is the bot under its own name."""
        last = self._last(channel) or _Last()
        self._channels.pop(channel, None)
        if identity is None:
            return
        if identity.sprite:
            last.sprite, last.is_disguised = identity.sprite, identity.name in last.disguises
        last.message_id, last.at = message_id, self._clock()
        self._make_room()
        self._channels[channel] = last

    def _last(self, channel: str) -> _Last | None:
        last = self._channels.get(channel)
        return None if last is None or self._is_over(last) else last

    def _is_over(self, last: _Last) -> bool:
        return self._clock() - last.at > self._time_to_live

    def _make_room(self) -> None:
        if len(self._channels) < self._most:
            return
        self._channels = {channel: last for channel, last in self._channels.items() if not self._is_over(last)}
        while len(self._channels) >= self._most:
            del self._channels[next(iter(self._channels))]


def _disguise(identity: Identity) -> str:
    """Return another name for *identity*: a lookalike, or else the name with its sprite in brackets."""
    sprite = NEUTRAL.strip("()") if identity.sprite == NEUTRAL else identity.sprite
    return lookalike(identity.name) or both(identity.name, sprite)


def _is_later(message_id: str | None, other: str) -> bool:
    """Return whether one message came after another, by their numbers; other ids are not compared."""
    if message_id is None or not _NUMBER.fullmatch(message_id) or not _NUMBER.fullmatch(other):
        return False
    return _size(message_id) > _size(other)


def _size(number: str) -> tuple[int, str]:
    """Return a sort key for numbers of any length."""
    digits = number.lstrip("0")
    return len(digits), digits
