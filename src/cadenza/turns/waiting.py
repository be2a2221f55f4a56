"""What was said in a channel and waits for its turn, in order. Values and a list of them: time is handed in.

A message may still be gathered: what the same person says next, before anybody else, is answered together with it, if
that comes within ``debounce`` seconds or while it has to wait for others anyway. Until the seconds are over it is not
ripe, and nothing behind it overtakes it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

from ..settings import ChannelSettings
from ..types import Receipt

INSTANT = 1e-6
"""Less than this is no time: adding up floats leaves crumbs, and a timer must not wait for those again and again."""

_LONGEST_BURST = 5
"""So many times the debounce, whoever does not stop writing is answered all the same."""

_MOST_GATHERED = 50
"""Messages that are answered together at most."""


@dataclass(frozen=True, slots=True)
class IncomingMessage:
    """A message that is to be answered."""

    id: str
    channel: str
    author: str
    text: str
    is_command: bool = False
    """Whether it is a command, or a reply was asked for by other means than writing: it interrupts nothing, nothing
    interrupts it, and nothing is gathered with it.
    """
    persona: str = ""
    """Whom it is addressed to, if anybody in particular."""
    payload: object = None
    """Whatever belongs to it and is wanted back, such as the message as a chat's own library knows it."""


class TurnReason(Enum):
    """How a turn came about."""

    MESSAGE = "message"
    """Somebody said something, and nobody else was being answered."""
    QUEUED = "queued"
    """The same, after it had waited for others."""
    FOLLOW_UP = "follow_up"
    """Whoever was being answered said something more."""
    STOP_REPLY = "stop_reply"
    """Somebody asked in words to stop, and that is answered."""
    EDITED = "edited"
    """A message was changed soon after its answer had begun, and is answered anew."""


class Dropped(Enum):
    """Why a message that waited is not answered."""

    SUPERSEDED = "superseded"
    """Its author said so much more that it is left to the history of what is answered."""
    TOO_OLD = "too_old"
    STOPPED = "stopped"
    """Its author, or a command, asked for silence."""
    DELETED = "deleted"
    STALE = "stale"
    """The turn before it hung."""
    SHUTDOWN = "shutdown"


_ORDINARY = (TurnReason.MESSAGE, TurnReason.QUEUED)
_GATHERING = (TurnReason.MESSAGE, TurnReason.QUEUED, TurnReason.FOLLOW_UP)


@dataclass(frozen=True, slots=True)
class QueuedTurn:
    """One turn to come: the messages of one person that are answered together."""

    messages: tuple[IncomingMessage, ...]
    why: TurnReason
    persona: str
    """Who is to answer; empty if that was not said."""
    heard_at: float
    """When the first of them came."""
    ripe_at: float
    """From when on it may be answered: until then there may be more."""
    succeeds: str = ""
    """The id of the turn in whose place it comes."""
    supersedes: tuple[Receipt, ...] = ()
    """Messages of replies in whose place it comes."""

    @classmethod
    def of(cls, message: IncomingMessage, why: TurnReason, now: float) -> QueuedTurn:
        """A turn that answers *message*, and could begin at once."""
        return cls((message,), why, message.persona, now, now)

    @property
    def author(self) -> str:
        """Who is answered."""
        return self.messages[0].author

    @property
    def is_command(self) -> bool:
        """Whether a command asked for it."""
        return self.messages[0].is_command

    def has(self, message_id: str) -> bool:
        """Whether that message is among those that are answered."""
        return any(message.id == message_id for message in self.messages)

    def without(self, gone: frozenset[str]) -> tuple[IncomingMessage, ...]:
        """The messages that are not *gone*."""
        return tuple(message for message in self.messages if message.id not in gone)

    def follows(self, turn: str) -> bool:
        """Whether it says more to whoever answers in *turn*."""
        return self.why is TurnReason.FOLLOW_UP and self.succeeds == turn

    def edited(self, message: IncomingMessage) -> QueuedTurn | None:
        """The same with *message* as it is now; ``None`` if it is not here, a command, or says what it said before."""
        old = next((known for known in self.messages if known.id == message.id), None)
        if old is None or old.is_command or old.text == message.text:
            return None
        messages = tuple(message if known is old else known for known in self.messages)
        return replace(self, messages=messages, persona=message.persona or self.persona)


def _belongs(message: IncomingMessage, entry: QueuedTurn) -> bool:
    """Whether *message* can be answered together with *entry*: the same person says more to the same persona."""
    is_talk = entry.why in _GATHERING and not entry.is_command and not message.is_command
    is_for_same = "" in (entry.persona, message.persona) or entry.persona == message.persona
    return is_talk and is_for_same and entry.author == message.author and len(entry.messages) < _MOST_GATHERED


class TurnQueue:
    """The turns to come in one channel."""

    def __init__(self, settings: ChannelSettings) -> None:
        self.settings = settings
        """What holds from now on."""
        self._entries: list[QueuedTurn] = []
        self._last_heard = ""

    def __bool__(self) -> bool:
        return bool(self._entries)

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all messages that wait."""
        return tuple(message.id for entry in self._entries for message in entry.messages)

    @property
    def ripe_at(self) -> float | None:
        """When the first turn may begin; ``None`` if there is none."""
        return self._entries[0].ripe_at if self._entries else None

    def holds(self, is_meant: Callable[[QueuedTurn], bool]) -> bool:
        """Whether a turn that *is_meant* waits."""
        return any(map(is_meant, self._entries))

    def has_room(self, *, is_idle: bool) -> bool:
        """Whether one more may wait; if nobody is being answered, the first of them does not wait for anybody."""
        ordinary = sum(entry.why in _ORDINARY for entry in self._entries)
        return ordinary < self.settings.waiting + is_idle

    # --- putting in -------------------------------------------------------------------------

    def add(self, message: IncomingMessage, why: TurnReason, now: float) -> None:
        """Put *message* behind all others."""
        self._entries.append(self._gathering(QueuedTurn.of(message, why, now), now))
        self._last_heard = message.id

    def follow(
        self, message: IncomingMessage, before: tuple[IncomingMessage, ...], *, turn: str, persona: str, now: float
    ) -> None:
        """Put *message*, which says more to whoever answers in *turn*, before all others.

        It is answered together with those *before* it, whose answer ends for it; see ``hand_over``.
        """
        entry = QueuedTurn(
            (*before, message), TurnReason.FOLLOW_UP, message.persona or persona, now, now, succeeds=turn
        )
        self.put_first(self._gathering(entry, now))
        self._last_heard = message.id

    def join(self, message: IncomingMessage, turn: str, now: float) -> list[IncomingMessage] | None:
        """Answer *message* together with what follows *turn*; give back what is too much, ``None`` if nothing follows."""
        for index, entry in enumerate(self._entries):
            if entry.follows(turn):
                self._extend(index, message, now)
                extended = self._entries[index]
                self._entries[index] = replace(extended, messages=extended.messages[-_MOST_GATHERED:])
                return list(extended.messages[:-_MOST_GATHERED])
        return None

    def put_first(self, entry: QueuedTurn) -> None:
        """Put *entry* before all others."""
        self._entries.insert(0, entry)

    def gather(self, message: IncomingMessage, now: float, *, is_idle: bool) -> bool:
        """Answer *message* together with the one before it, if they belong together; say whether they do.

        If nobody is being answered, only what is not ripe yet waits for more.
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
        """*entry*, open for more."""
        if entry.is_command:
            return entry
        debounce = self.settings.debounce
        return replace(entry, ripe_at=max(now, min(now + debounce, entry.heard_at + debounce * _LONGEST_BURST)))

    # --- changing and taking out ------------------------------------------------------------

    def edit(self, message: IncomingMessage) -> bool:
        """Answer *message* as it is now; say whether it waits and says something else than before."""
        for index, entry in enumerate(self._entries):
            if edited := entry.edited(message):
                self._entries[index] = edited
                return True
        return False

    def delete(self, message_id: str) -> list[IncomingMessage]:
        """Take out one message; give it back."""
        gone = frozenset({message_id})
        found: list[IncomingMessage] = []
        for entry in tuple(self._entries):
            if entry.has(message_id):
                found += [message for message in entry.messages if message.id == message_id]
                self._put_in_place(entry, entry.without(gone))
        return found

    def _put_in_place(self, entry: QueuedTurn, left: tuple[IncomingMessage, ...]) -> None:
        """Leave of *entry* only what is *left*; a burst goes on without what was taken out of it."""
        index = self._entries.index(entry)
        self._entries[index : index + 1] = [replace(entry, messages=left)] if left else []
        if left and entry.messages[-1].id == self._last_heard:
            self._last_heard = left[-1].id

    def take_out(self, is_meant: Callable[[QueuedTurn], bool] = lambda _: True) -> list[IncomingMessage]:
        """Take out every turn that *is_meant*; give back its messages."""
        found = [message for entry in self._entries if is_meant(entry) for message in entry.messages]
        self._entries = [entry for entry in self._entries if not is_meant(entry)]
        return found

    def take_too_old(self, now: float) -> list[IncomingMessage]:
        """Take out what has waited for its turn so long that nobody expects an answer any more; give it back.

        What stands before all others is not kept from its turn by a crowd, so it is not counted.
        """
        latest = now - self.settings.waiting_age
        return self.take_out(lambda entry: entry.why in _ORDINARY and entry.ripe_at < latest)

    def hand_over(self, turn: str, ended: QueuedTurn, owed: tuple[Receipt, ...], said: tuple[Receipt, ...]) -> None:
        """Tell the one that succeeds *turn*, by which *ended* was answered, what that *said* and *owed*.

        What it owed was to take the place of others. If it had begun to speak, what follows is about the rest.
        """
        answered = frozenset(message.id for message in ended.messages if said)
        for index, entry in enumerate(self._entries):
            if entry.follows(turn):
                left = entry.without(answered) or entry.messages
                self._entries[index] = replace(entry, messages=left, supersedes=owed)
            elif turn and entry.succeeds == turn:
                self._entries[index] = replace(entry, supersedes=owed + said)

    def take_ripe(self, now: float) -> QueuedTurn | None:
        """Take out the first turn if it may begin."""
        return self._entries.pop(0) if self._entries and self._entries[0].ripe_at <= now + INSTANT else None
