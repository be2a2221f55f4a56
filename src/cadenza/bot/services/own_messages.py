"""The bot's own messages: which character said each, with which sprite, to whom, in reply to what.

Discord knows neither personas nor sprites, only names that anyone may use. So each message of ours is stored by its id,
without its text. Look-ups are cached for a while, misses too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields
from typing import Any

from ...explain.tracebacks import get_logger
from ..store.store import Namespace, Record, Store, StoreError
from .bounded_dict import make_room

logger = get_logger(__name__)

_CACHED = 7200.0
"""Seconds that a look-up is cached."""
_MOST = 5000
"""How many messages are cached."""
_KEPT = 30 * 86_400.0
"""Seconds that a message is kept in the store."""


@dataclass(frozen=True, slots=True)
class OwnMessage:
    """A message of ours."""

    id: str
    channel: str
    persona: str
    """The name of the character that said it."""
    label: str = ""
    """The label that the model sees before it: ``Ren (mad): ``."""
    sprite: str = ""
    """The sprite it was shown with."""
    turn: str = ""
    """The id of its turn, the same for all messages of one reply."""
    answers: str = ""
    """The id of the message that was answered."""
    author: str = ""
    """The id of the person who was answered."""
    is_webhook: bool = False
    """Whether a webhook sent it."""


class OwnMessages:
    """The messages of one bot. Never raises: an unknown message is shown as it is."""

    def __init__(self, store: Store, *, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._clock = clock
        self._known: dict[str, tuple[float, OwnMessage | None]] = {}  # the oldest look-up first

    async def note(self, messages: Iterable[OwnMessage], *, server: str) -> None:
        """Keep *messages*, which were sent; those of direct messages are only cached."""
        records = []
        for own in messages:
            self._remember(own.id, own)
            if server:
                value = {name: value for name, value in asdict(own).items() if value and name != "id"}
                expires = self._clock() + _KEPT
                records.append(
                    Record(Namespace.SPRITE_MESSAGES, own.id, value, owner=own.author, server=server, expires=expires)
                )
        if not records:
            return
        try:
            await self._store.put(*records)
        except StoreError as error:
            logger.warning("some of the bot's messages could not be stored: %s", error, exc_info=error)

    async def about(self, message: str) -> OwnMessage | None:
        """The message with this id; ``None`` if it is not ours, or too old."""
        at, known = self._known.get(message, (0.0, None))
        if at and self._clock() - at < _CACHED:
            return known
        try:
            record = await self._store.get(Namespace.SPRITE_MESSAGES, message)
        except StoreError:
            return known
        own = None if record is None else _of_value(message, record.value)
        self._remember(message, own)
        return own

    async def of_turn(self, own: OwnMessage) -> tuple[OwnMessage, ...]:
        """All messages of the reply that *own* is part of, in order."""
        found = {id_: known for id_, (_, known) in self._known.items() if known and known.turn == own.turn}
        try:
            records = await self._store.find(Namespace.SPRITE_MESSAGES, owner=own.author)
        except StoreError:
            records = []
        for record in records:
            if record.value.get("turn") == own.turn:
                found[record.key] = _of_value(record.key, record.value) or own
        return tuple(sorted(found.values(), key=lambda message: (len(message.id), message.id)))

    async def last(self, channel: str, *, server: str = "") -> OwnMessage | None:
        """Our newest message in *channel*; those from before a restart are found through *server*."""
        here = [known for _, known in self._known.values() if known and known.channel == channel]
        if not here and server:
            here = await self._stored(channel, server)
        return max(here, key=lambda message: (len(message.id), message.id), default=None)

    async def _stored(self, channel: str, server: str) -> list[OwnMessage]:
        try:
            records = await self._store.find(Namespace.SPRITE_MESSAGES, server=server)
        except StoreError:
            return []
        here = (record for record in records if record.value.get("channel") == channel)
        return [own for record in here if (own := _of_value(record.key, record.value))]

    def forget(self, *messages: str) -> None:
        """Drop deleted *messages* from the cache."""
        for message in messages:
            self._known.pop(message, None)

    def forget_person(self, person: str) -> None:
        """Drop replies to *person* from the cache; the store deletes its own records."""
        self.forget(*[id_ for id_, (_, known) in self._known.items() if known and known.author == person])

    def _remember(self, message: str, own: OwnMessage | None) -> None:
        self._known.pop(message, None)
        make_room(self._known, _MOST)
        self._known[message] = self._clock(), own


def _of_value(message: str, value: Any) -> OwnMessage | None:
    names = {spec.name for spec in fields(OwnMessage)}
    try:
        return OwnMessage(message, **{name: item for name, item in value.items() if name in names})
    except TypeError:  # written by a version that kept less
        return None
