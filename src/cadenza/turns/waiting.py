"""The queue of messages in one channel. Time is a parameter.

A message may be gathered: the next message of the same author, if no other author speaks in between, is answered
together with it, if it comes within ``debounce`` seconds or while the first one waits anyway. Until then the entry is
not ripe, and nothing after it overtakes it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

from ..settings import ChannelSettings
from ..types import Receipt

INSTANT = 1e-6
"""Shorter waits are rounding errors of floats; a timer must not wait for them again and again."""

_LONGEST_BURST = 5
"""Multiple of the debounce after which an author who does not stop writing is answered."""

_MOST_GATHERED = 50
"""Maximum of messages that are answered together."""


@dataclass(frozen=True, slots=True)
class IncomingMessage:
    """A message that is to be answered."""

    id: str
    channel: str
    author: str
    text: str
    is_command: bool = False
    """Whether a command or another action than writing asked for the reply: it neither interrupts nor is interrupted,
    and nothing is gathered with it.
    """
    persona: str = ""
    """The persona it is addressed to, if any."""
    payload: object = None
    """Anything the caller wants back, such as the message object of a chat library."""


class TurnReason(Enum):
    """Why a turn began."""

    MESSAGE = "message"
    """A message in an idle channel."""
    QUEUED = "queued"
    """A message that waited for other turns."""
    FOLLOW_UP = "follow_up"
    """The author who was being answered wrote again."""
    EDITED = "edited"
    """A message was edited soon after its answer began, and is answered again."""


class Dropped(Enum):
    """Why a queued message is not answered."""

    SUPERSEDED = "superseded"
    """Its author wrote so much more that it is only part of the history."""
    TOO_OLD = "too_old"
    STOPPED = "stopped"
    """Its author or a command asked to stop."""
    DELETED = "deleted"
    STALE = "stale"
    """The turn before it was stuck."""
    SHUTDOWN = "shutdown"


_ORDINARY = (TurnReason.MESSAGE, TurnReason.QUEUED)
_GATHERING = (TurnReason.MESSAGE, TurnReason.QUEUED, TurnReason.FOLLOW_UP)


@dataclass(frozen=True, slots=True)
class QueuedTurn:
    """A future turn: messages of one author that are answered together."""

    messages: tuple[IncomingMessage, ...]
    why: TurnReason
    persona: str
    """The persona that answers; empty if none was named."""
    heard_at: float
    """When the first message came."""
    ripe_at: float
    """When it may be answered; until then more messages may join it."""
    succeeds: str = ""
    """The id of the turn that it replaces."""
    supersedes: tuple[Receipt, ...] = ()
    """Messages of earlier replies that it replaces."""

    @classmethod
    def of(cls, message: IncomingMessage, why: TurnReason, now: float) -> QueuedTurn:
        """Return an entry for *message* that may begin at once."""
        return cls((message,), why, message.persona, now, now)

    @property
    def author(self) -> str:
        """The author who is answered."""
        return self.messages[0].author

    @property
    def is_command(self) -> bool:
        """Whether a command asked for it."""
        return self.messages[0].is_command

    def has(self, message_id: str) -> bool:
        """Return whether it holds that message."""
        return any(message.id == message_id for message in self.messages)

    def without(self, gone: frozenset[str]) -> tuple[IncomingMessage, ...]:
        """Return the messages that are not *gone*."""
        return tuple(message for message in self.messages if message.id not in gone)

    def follows(self, turn: str) -> bool:
        """Return whether it is a follow-up of *turn*."""
        return self.why is TurnReason.FOLLOW_UP and self.succeeds == turn

    def edited(self, message: IncomingMessage) -> QueuedTurn | None:
        """Return a copy with the edited *message*; ``None`` if it is not here, a command, or has the same text."""
        old = next((known for known in self.messages if known.id == message.id), None)
        if old is None or old.is_command or old.text == message.text:
            return None
        messages = tuple(message if known is old else known for known in self.messages)
        return replace(self, messages=messages, persona=message.persona or self.persona)


def _belongs(message: IncomingMessage, entry: QueuedTurn) -> bool:
    """Return whether *message* can join *entry*: same author, same persona."""
    is_talk = entry.why in _GATHERING and not entry.is_command and not message.is_command
    is_for_same = "" in (entry.persona, message.persona) or entry.persona == message.persona
    return is_talk and is_for_same and entry.author == message.author and len(entry.messages) < _MOST_GATHERED


class TurnQueue:
    """The queue of one channel."""

    def __init__(self, settings: ChannelSettings) -> None:
        self.settings = settings
        """The current settings."""
        self._entries: list[QueuedTurn] = []
        self._last_heard = ""

    def __bool__(self) -> bool:
        return bool(self._entries)

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all queued messages."""
        return tuple(message.id for entry in self._entries for message in entry.messages)

    @property
    def ripe_at(self) -> float | None:
        """When the first turn may begin; ``None`` if there is none."""
        return self._entries[0].ripe_at if self._entries else None

    def holds(self, is_meant: Callable[[QueuedTurn], bool]) -> bool:
        """Return whether an entry that *is_meant* waits."""
        return any(map(is_meant, self._entries))

    def has_room(self, *, is_idle: bool) -> bool:
        """Return whether one more may wait; in an idle channel, the first entry does not count."""
        ordinary = sum(entry.why in _ORDINARY for entry in self._entries)
        return ordinary < self.settings.waiting + is_idle

    # --- putting in -------------------------------------------------------------------------

    def add(self, message: IncomingMessage, why: TurnReason, now: float) -> None:
        """Queue *message* last."""
        self._entries.append(self._gathering(QueuedTurn.of(message, why, now), now))
        self._last_heard = message.id

    def follow(
        self, message: IncomingMessage, before: tuple[IncomingMessage, ...], *, turn: str, persona: str, now: float
    ) -> None:
        """Queue *message*, a follow-up of *turn*, first.

        It is answered together with the messages *before* it, whose answer it interrupts; see ``hand_over``.
        """
        entry = QueuedTurn(
            (*before, message), TurnReason.FOLLOW_UP, message.persona or persona, now, now, succeeds=turn
        )
        self.put_first(self._gathering(entry, now))
        self._last_heard = message.id

    def join(self, message: IncomingMessage, turn: str, now: float) -> list[IncomingMessage] | None:
        """Add *message* to the follow-up of *turn*; return the messages beyond the maximum, ``None`` without a follow-up."""
        for index, entry in enumerate(self._entries):
            if entry.follows(turn):
                self._extend(index, message, now)
                extended = self._entries[index]
                self._entries[index] = replace(extended, messages=extended.messages[-_MOST_GATHERED:])
                return list(extended.messages[:-_MOST_GATHERED])
        return None

    def put_first(self, entry: QueuedTurn) -> None:
        """Queue *entry* first."""
        self._entries.insert(0, entry)

    def gather(self, message: IncomingMessage, now: float, *, is_idle: bool) -> bool:
        """Add *message* to the entry of the message before it, if they belong together; return whether.

        In an idle channel only an entry that is not ripe yet takes more.
        """
        for index, entry in enumerate(self._entries):
            has_time = now < entry.ripe_at or not is_idle
            if has_time and entry.messages[-1].id == self._last_heard and _belongs(message, entry):
                self._extend(index, message, now)
                return True
        return False

    def _extend(self, index: int, message: IncomingMessage, now: float) -> None:
        entry = self._entries[index]
        persona = entry.persona or message.persona
        more = replace(entry, messages=(*entry.messages, message), persona=persona, ripe_at=now)
        self._entries[index] = more if len(more.messages) == _MOST_GATHERED else self._gathering(more, now)
        self._last_heard = message.id

    def _gathering(self, entry: QueuedTurn, now: float) -> QueuedTurn:
        """Return *entry* with its ripening time postponed."""
        if entry.is_command:
            return entry
        debounce = self.settings.debounce
        return replace(entry, ripe_at=max(now, min(now + debounce, entry.heard_at + debounce * _LONGEST_BURST)))

    # --- changing and taking out ------------------------------------------------------------

    def edit(self, message: IncomingMessage) -> bool:
        """Update an edited message; return whether it waits and its text has changed."""
        for index, entry in enumerate(self._entries):
            if edited := entry.edited(message):
                self._entries[index] = edited
                return True
        return False

    def delete(self, message_id: str) -> list[IncomingMessage]:
        """Remove one message and return it."""
        gone = frozenset({message_id})
        found: list[IncomingMessage] = []
        for entry in tuple(self._entries):
            if entry.has(message_id):
                found += [message for message in entry.messages if message.id == message_id]
                self._put_in_place(entry, entry.without(gone))
        return found

    def _put_in_place(self, entry: QueuedTurn, left: tuple[IncomingMessage, ...]) -> None:
        """Reduce *entry* to the messages *left*; later messages can still join it."""
        index = self._entries.index(entry)
        self._entries[index : index + 1] = [replace(entry, messages=left)] if left else []
        if left and entry.messages[-1].id == self._last_heard:
            self._last_heard = left[-1].id

    def take_out(self, is_meant: Callable[[QueuedTurn], bool] = lambda _: True) -> list[IncomingMessage]:
        """Remove every entry that *is_meant* and return the messages."""
        found = [message for entry in self._entries if is_meant(entry) for message in entry.messages]
        self._entries = [entry for entry in self._entries if not is_meant(entry)]
        return found

    def take_too_old(self, now: float) -> list[IncomingMessage]:
        """Remove the ordinary entries that waited longer than ``waiting_age`` and return their messages.

        Follow-ups and edits are first in the queue and do not expire.
        """
        latest = now - self.settings.waiting_age
        return self.take_out(lambda entry: entry.why in _ORDINARY and entry.ripe_at < latest)

    def hand_over(self, turn: str, ended: QueuedTurn, owed: tuple[Receipt, ...], said: tuple[Receipt, ...]) -> None:
        """Tell the successor of *turn*, which answered *ended*, what that turn *said*.

        *owed* are the messages that the turn should have replaced. If it said anything, a follow-up answers the rest.
        """
        answered = frozenset(message.id for message in ended.messages if said)
        for index, entry in enumerate(self._entries):
            if entry.follows(turn):
                left = entry.without(answered) or entry.messages
                self._entries[index] = replace(entry, messages=left, supersedes=owed)
            elif turn and entry.succeeds == turn:
                self._entries[index] = replace(entry, supersedes=owed + said)

    def take_ripe(self, now: float) -> QueuedTurn | None:
        """Remove the first entry and return it, if it may begin."""
        return self._entries.pop(0) if self._entries and self._entries[0].ripe_at <= now + INSTANT else None
