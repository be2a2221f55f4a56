"""Long-term notes: sentences about a person or a server, written by a model or by people, kept until deleted."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from ...errors import InputError
from ..store.store import Namespace, Record, Store
from .screening import holds_secret

NOTE_LENGTH = 500
DIRECT = "direct"
"""The origin of a note from direct messages: it is used nowhere else."""
PRIVATE = "private"
"""The origin of a note from a private channel: it is used in direct messages only."""
_WORD = re.compile(r"\w+")
_SMALL_WORDS = frozenset(
    {"a", "an", "the", "is", "are", "was", "were", "be", "been", "has", "have", "had", "that", "this", "of", "to", "it"}
)


class About(StrEnum):
    """What a note is about."""

    PERSON = "user"
    SERVER = "server"


class By(StrEnum):
    """Who wrote a note."""

    MODEL = "model"
    PERSON = "person"


@dataclass(frozen=True, slots=True)
class NoteSubject:
    """The person or server that notes are about."""

    about: About
    id: str

    @property
    def prefix(self) -> str:
        """The prefix of the keys of its notes."""
        return f"{self.about}:{self.id}/"


@dataclass(frozen=True, slots=True)
class Remark:
    """A stored note."""

    number: int
    """The number for people and models, unique for its subject."""
    text: str
    by: By
    at: float
    key: str = ""
    writer: str = ""
    """For a model's note about a server: the id of the person it was answering."""
    origin: str = ""
    """The id of the server it comes from, ``DIRECT`` or ``PRIVATE``; empty for a person's own note, used everywhere."""


class Notes:
    """The notes about all people and servers. It does not check privacy choices; the caller does."""

    def __init__(self, store: Store, limit: Callable[[], int], clock: Callable[[], float]) -> None:
        self._store = store
        self._limit = limit
        self._clock = clock

    async def of(self, subject: NoteSubject) -> list[Remark]:
        """All notes about *subject*, the newest first."""
        owner, server = _belonging(subject)
        found = await self._store.find(Namespace.NOTES, prefix=subject.prefix, owner=owner, server=server)
        return [_remark_of(record) for record in reversed(found)]

    async def add(self, subject: NoteSubject, text: str, *, by: By, writer: str = "", origin: str = "") -> Remark:
        """Store a note, or return the one that says the same; raises an ``InputError`` if it is invalid."""
        text = _checked(text)
        notes = await self.of(subject)
        for note in notes:
            if is_same(note.text, text) and note.origin == origin:
                return note
        if len(notes) >= self._limit():
            msg = "The limit of notes is reached; delete one first."
            raise InputError(msg)
        at = self._clock()
        number = max((note.number for note in notes), default=0) + 1
        key = f"{subject.prefix}{int(at * 1000):014d}-{number:06d}"
        value = {"number": number, "text": text, "by": by.value, "at": at, "writer": writer, "origin": origin}
        owner, server = _belonging(subject)
        record = Record(Namespace.NOTES, key, value, owner=owner, server=server)
        await self._store.put(record)
        return _remark_of(record)

    async def find(self, subject: NoteSubject, number: int) -> Remark | None:
        """The note with this number."""
        return next((note for note in await self.of(subject) if note.number == number), None)

    async def delete(self, subject: NoteSubject, number: int) -> Remark | None:
        """Delete the note with this number; return it, if there was one."""
        note = await self.find(subject, number)
        if note is None or not await self._store.delete(Namespace.NOTES, note.key):
            return None
        return note

    async def clear(self, subject: NoteSubject) -> int:
        """Delete all notes about *subject*; return how many there were."""
        return await self._store.delete(Namespace.NOTES, *(note.key for note in await self.of(subject)))

    async def scrub(self, person: str) -> int:
        """Remove *person* from the notes about servers and other people; return how many notes were deleted.

        A model's notes about a server from answering them are deleted, and its notes with their id. Notes written by
        people belong to them or the server: there only the id is removed.
        """
        gone = 0
        for record in await self._store.find(Namespace.NOTES):
            note = _remark_of(record)
            if record.owner == person or (note.writer != person and person not in note.text):
                continue
            if note.by is By.MODEL:
                gone += await self._store.delete(Namespace.NOTES, record.key)
            else:
                await self._store.change(Namespace.NOTES, record.key, lambda kept: _anonymous(kept, person))
        return gone


def is_same(one: str, other: str) -> bool:
    """Whether two notes are the same apart from case, punctuation, order and small words."""
    return _essence(one) == _essence(other)


def _essence(text: str) -> Counter[str]:
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    return Counter([word for word in words if word not in _SMALL_WORDS] or words)


def _checked(text: str) -> str:
    text = " ".join(text.split())
    if not text:
        msg = "A note needs some words."
        raise InputError(msg)
    if len(text) > NOTE_LENGTH:
        msg = "A note has 500 characters at most; write a shorter one."
        raise InputError(msg)
    if holds_secret(text):
        msg = "That looks like a key, a token or a password, and such things are not kept in notes."
        raise InputError(msg)
    return text


def _belonging(subject: NoteSubject) -> tuple[str, str]:
    """The owner and the server of the notes about *subject*."""
    return (subject.id, "") if subject.about is About.PERSON else ("", subject.id)


def _anonymous(record: Record | None, person: str) -> Record | None:
    if record is None:
        return None
    value: Mapping[str, Any] = record.value
    text = re.sub(rf"<@!?{re.escape(person)}>", "@someone", str(value.get("text", ""))).replace(person, "someone")
    return replace(record, value={**value, "text": text})


def _remark_of(record: Record) -> Remark:
    value: Mapping[str, Any] = record.value
    return Remark(
        int(value.get("number", 0)),
        str(value.get("text", "")),
        By.PERSON if value.get("by") == By.PERSON else By.MODEL,
        float(value.get("at", 0.0)),
        key=record.key,
        writer=str(value.get("writer", "")),
        origin=str(value.get("origin", DIRECT)),
    )
