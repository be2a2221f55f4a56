"""Which of the messages in a chat are ours: who of our characters said them, in which look, to whom, in answer to what.

Discord knows neither a persona nor a look, only names that anybody may have. So each message of ours is written down by
its id, without a word of what it says. What was looked up is remembered for a while, also that there was nothing.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields
from typing import Any

from ..store.store import Record, Shelf, Store, StoreError
from .bounded_dict import make_room

logger = logging.getLogger(__name__)

_REMEMBERED = 7200.0
"""Seconds for which it is remembered what was looked up."""
_MOST = 5000
"""How many messages that is remembered of."""
_KEPT = 30 * 86_400.0
"""Seconds for which it is written down."""


@dataclass(frozen=True, slots=True)
class OwnMessage:
    """A message of ours."""

    id: str
    channel: str
    persona: str
    """The name of the character that said it."""
    label: str = ""
    """What the model is to see in front of it: ``Ren (mad): ``."""
    sprite: str = ""
    """The look that it was shown with."""
    turn: str = ""
    """All messages of one reply have the same."""
    answers: str = ""
    """The id of the message that was answered."""
    author: str = ""
    """The id of whoever was answered."""
    is_webhook: bool = False
    """Whether it was said under another name than the bot's."""


class OwnMessages:
    """One for a bot. Nothing here raises: a message that nobody knows is shown as it is."""

    def __init__(self, store: Store, *, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._clock = clock
        self._known: dict[str, tuple[float, OwnMessage | None]] = {}  # the one that was looked up longest ago is first

    async def note(self, messages: Iterable[OwnMessage], *, server: str) -> None:
        """They were said; outside of servers that is only remembered."""
        records = []
        for own in messages:
            self._remember(own.id, own)
            if server:
                value = {name: value for name, value in asdict(own).items() if value and name != "id"}
                expires = self._clock() + _KEPT
                records.append(
                    Record(Shelf.SPRITE_MESSAGES, own.id, value, owner=own.author, server=server, expires=expires)
                )
        if not records:
            return
        try:
            await self._store.put(*records)
        except StoreError as error:
            logger.warning("it was not written down whose messages some are: %s", error)

    async def about(self, message: str) -> OwnMessage | None:
        """What is known of a message; ``None`` if it is not ours, or too old."""
        at, known = self._known.get(message, (0.0, None))
        if at and self._clock() - at < _REMEMBERED:
            return known
        try:
            record = await self._store.get(Shelf.SPRITE_MESSAGES, message)
        except StoreError:
            return known
        own = None if record is None else _of_value(message, record.value)
        self._remember(message, own)
        return own

    async def of_turn(self, own: OwnMessage) -> tuple[OwnMessage, ...]:
        """All messages of the reply that *own* is part of, the first one first."""
        found = {id_: known for id_, (_, known) in self._known.items() if known and known.turn == own.turn}
        try:
            records = await self._store.find(Shelf.SPRITE_MESSAGES, owner=own.author)
        except StoreError:
            records = []
        for record in records:
            if record.value.get("turn") == own.turn:
                found[record.key] = _of_value(record.key, record.value) or own
        return tuple(sorted(found.values(), key=lambda message: (len(message.id), message.id)))

    async def last(self, channel: str, *, server: str = "") -> OwnMessage | None:
        """The newest message of ours in *channel*; what was said before a restart is looked up among those of *server*."""
        here = [known for _, known in self._known.values() if known and known.channel == channel]
        if not here and server:
            here = await self._written(channel, server)
        return max(here, key=lambda message: (len(message.id), message.id), default=None)

    async def _written(self, channel: str, server: str) -> list[OwnMessage]:
        try:
            records = await self._store.find(Shelf.SPRITE_MESSAGES, server=server)
        except StoreError:
            return []
        here = (record for record in records if record.value.get("channel") == channel)
        return [own for record in here if (own := _of_value(record.key, record.value))]

    def forget(self, *messages: str) -> None:
        """They are gone."""
        for message in messages:
            self._known.pop(message, None)

    def forget_person(self, person: str) -> None:
        """It is not known any more which messages answer *person*; the store forgets what is written down."""
        self.forget(*[id_ for id_, (_, known) in self._known.items() if known and known.author == person])

    def _remember(self, message: str, own: OwnMessage | None) -> None:
        self._known.pop(message, None)
        make_room(self._known, _MOST)
        self._known[message] = self._clock(), own


def _of_value(message: str, value: Any) -> OwnMessage | None:
    names = {spec.name for spec in fields(OwnMessage)}
    try:
        return OwnMessage(message, **{name: item for name, item in value.items() if name in names})
    except TypeError:  # of a version that kept less
        return None
