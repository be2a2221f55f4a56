"""How a model is told what is remembered: what may be told here, the newest first, and not too much of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ...types import ContextItem, Role, Tag
from .conversation import ConversationMemory, RememberedLine
from .location import Location
from .notes import Remark

SHORT_TERM_LENGTH = 6000
"""Characters of all that is told of other places."""
ENTRY_LENGTH = 2000
"""Characters of what is told of one place."""
NOTES_LENGTH = 4000
"""Characters of all notes about one person, and about one server."""


def may_be_told(entry: ConversationMemory, where: Location, may_see: Callable[[str], bool]) -> bool:
    """Whether *entry* may be told there.

    What is private is told only where it was said, and what was said in a server nowhere but in that server. Whoever is
    answered must see the channel.
    """
    if entry.persona != where.persona:
        return False
    if entry.channel == where.channel:
        return bool(entry.summary)  # the lines stand in the history already
    return not entry.is_private and entry.server == where.server and may_see(entry.channel)


def is_told(note: Remark, where: Location) -> bool:
    """Whether a note about whoever is answered may be told there."""
    return where.is_direct or note.origin in ("", where.server)


def conversations(entries: Iterable[ConversationMemory], where: Location, now: float) -> Iterator[ContextItem]:
    """What was said elsewhere lately, and what came before here; of two about one place, the one with a summary."""
    places: dict[str, ConversationMemory] = {}
    for entry in entries:
        if entry.channel not in places or (entry.summary and not places[entry.channel].summary):
            places[entry.channel] = entry
    newest_first = sorted(places.values(), key=lambda entry: -entry.at)
    told = _within((_conversation(entry, where, now) for entry in newest_first), SHORT_TERM_LENGTH)
    if told:
        text = "What was said with you lately, the newest first:\n\n" + "\n\n".join(told)
        yield ContextItem(Tag.SHORT_TERM_MEMORY, (text,), Role.USER)


def notes(remarks: Iterable[Remark], tag: Tag, heading: str) -> Iterator[ContextItem]:
    """The notes under a heading, each with its number."""
    told = _within((f"{note.number}. {note.text}" for note in remarks), NOTES_LENGTH)
    if told:
        yield ContextItem(tag, ("\n".join((heading, *told)),), Role.USER)


def _conversation(entry: ConversationMemory, where: Location, now: float) -> str:
    if entry.summary:
        return f"{_place(entry, where)}, {_ago(now - entry.at)}, in short: {_indented(entry.summary)}"
    kept: list[str] = []
    room = ENTRY_LENGTH
    for line in reversed(entry.lines):  # the last ones are wanted if there is no room for all
        told = _line(line)
        room -= len(told) + 1
        if room < 0:
            break
        kept.append(told)
    return "\n".join((f"{_place(entry, where)}, {_ago(now - entry.at)}:", *reversed(kept)))


def _place(entry: ConversationMemory, where: Location) -> str:
    if entry.channel == where.channel:
        return "Here"
    return f"In #{entry.channel_name}" if entry.channel_name else "In another channel"


def _line(line: RememberedLine) -> str:
    speaker = "You" if line.role is Role.MODEL else line.speaker or "Somebody"
    text = line.text if len(line.text) <= ENTRY_LENGTH // 2 else line.text[: ENTRY_LENGTH // 2 - 1] + "…"
    return f"{' '.join(speaker.split())}: {_indented(text)}"


def _indented(text: str) -> str:
    """*text* such that none of its lines can pass for what somebody else said."""
    return text.replace("\n", "\n    ")


def _ago(seconds: float) -> str:
    minutes = max(0, int(seconds // 60))
    match minutes:
        case 0:
            return "just now"
        case 1:
            return "a minute ago"
        case _ if minutes < 60:
            return f"{minutes} minutes ago"
        case _ if minutes < 120:
            return "an hour ago"
        case _:
            return f"{minutes // 60} hours ago"


def _within(texts: Iterable[str], room: int) -> list[str]:
    """As many of *texts*, from the first on, as there is room for."""
    told: list[str] = []
    for text in texts:
        room -= len(text) + 2
        if room < 0:
            break
        told.append(text)
    return told
