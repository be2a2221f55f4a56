"""Which name a persona's look is shown under, so that a chat which groups messages by name shows every face.

A chat like Discord shows the face of the first of several messages in a row under one name, and drops what nobody can
see in a name. So when the look changes from one message to the next, the name changes too: to one that looks the same.
What counts is what arrived: a message that was never delivered changes nothing.
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
    """What was last delivered to a channel."""

    look: str = ""
    is_disguised: bool = False
    """Whether that look stood under another name than the persona's."""
    message_id: str = ""
    at: float = 0.0
    disguises: set[str] = field(default_factory=set)
    """The names that were made up here."""


class NameContinuity:
    """Remembers, for each channel, the look that was seen last, and names the next one."""

    def __init__(
        self, *, clock: Callable[[], float] = time.monotonic, time_to_live: float = 600.0, most: int = 2000
    ) -> None:
        self._clock = clock
        self._time_to_live = time_to_live
        self._most = most
        self._channels: dict[str, _Last] = {}  # the one that was heard of longest ago is first

    def dressed(self, channel: str, identity: Identity, *, last_message_id: str | None) -> Identity:
        """*identity* with the name that it should be shown under next in *channel*.

        *last_message_id* is the last message of the channel, whoever wrote it, as far as that is known: behind somebody
        else's message any name stands for itself.
        """
        last = self._last(channel)
        if not identity.look or last is None or _is_later(last_message_id, last.message_id):
            return identity
        is_other = bool(last.look) and last.look != identity.look
        if is_other == last.is_disguised:
            return identity
        name = _disguise(identity)
        last.disguises.add(name)
        return replace(identity, name=name)

    def note(self, channel: str, identity: Identity | None, message_id: str) -> None:
        """A message was delivered as *identity*, as ``dressed`` gave it; ``None`` is the bot under its own name."""
        last = self._last(channel) or _Last()
        self._channels.pop(channel, None)
        if identity is None:
            return
        if identity.look:
            last.look, last.is_disguised = identity.look, identity.name in last.disguises
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
    """Another name for *identity*: one that looks the same, or else with its look in brackets."""
    look = NEUTRAL.strip("()") if identity.look == NEUTRAL else identity.look
    return lookalike(identity.name) or both(identity.name, look)


def _is_later(message_id: str | None, other: str) -> bool:
    """Whether one message came after another. Ids are numbers that grow; what is none is not compared."""
    if message_id is None or not _NUMBER.fullmatch(message_id) or not _NUMBER.fullmatch(other):
        return False
    return _size(message_id) > _size(other)


def _size(number: str) -> tuple[int, str]:
    """What orders numbers by their size, however many digits they have."""
    digits = number.lstrip("0")
    return len(digits), digits
