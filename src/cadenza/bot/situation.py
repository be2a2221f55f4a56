"""The context of a conversation for the model: place, time, people, emoji and manners."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

import discord

from ..stages.s1_parts import notice
from ..targets.discord_py.readable_text import shortened
from ..types import ContextItem, Note, Persona, Role, Tag

_PEOPLE = 30
"""People that are named at most."""
_EMOJI = 80
_LONGEST_TOPIC = 300

_HOW_TO_CHAT = (
    "This is a live chat. Write as people write there: short and natural, one thought a line; every line is sent as a "
    "message of its own. Leave out headings and lists unless somebody asks for them; a table may be used where it helps. "
    "Speak only for yourself, and put no name in front of what you say"
)


def place(channel: Any, guild: discord.Guild | None, asker: str) -> ContextItem:
    """The place of the conversation."""
    return _told(Tag.CURRENT_CONTEXT, " ".join(_place(channel, guild, asker)))


def time(now: datetime, *, depth: int) -> Note:
    """The time, *depth* lines before the end: whatever follows it cannot be cached for long."""
    return Note(f"It is {now:%A, %d %B %Y, %H:%M} UTC.", depth)


def _place(channel: Any, guild: discord.Guild | None, asker: str) -> Iterator[str]:
    if guild is None:
        yield f"This is a private conversation with {asker}."
        return
    name, parent = _line(getattr(channel, "name", "")), getattr(channel, "parent", None)
    where = f"the channel #{name}" if parent is None else f"the thread “{name}” of the channel #{_line(parent.name)}"
    yield f"This is {where} of the server “{_line(guild.name)}”."
    topic = _line(getattr(parent or channel, "topic", None) or "")
    if topic:
        yield f"It is about: {shortened(topic, _LONGEST_TOPIC)}"


def company(people: Sequence[str], characters: Sequence[str], *, can_call_characters: bool) -> ContextItem | None:
    """The people in the conversation and how to ping them; ``None`` if there are none."""
    told = [f"In this conversation: {_listed(people)}."] if people else []
    if characters:
        told.append(f"Other characters here: {_listed(characters)}.")
    if not told:
        return None
    told.append("Write @ and a name to ping somebody.")
    if characters and can_call_characters:
        told.append("A character who is called by name may answer.")
    return _told(Tag.USERS_IN_CONVERSATION, " ".join(told))


def emoji(names: Sequence[str]) -> ContextItem | None:
    """The custom emoji of the guild; ``None`` if there are none."""
    if not names:
        return None
    shown = " ".join(f":{name}:" for name in names[:_EMOJI])
    return ContextItem(Tag.SERVER_EMOJI, (f"Emoji of this server, to be used sparingly: {shown}",), Role.SYSTEM)


def manners(persona: Persona) -> ContextItem:
    """How to write in a chat."""
    sprite = f", but to show a sprite: '{persona.name} (sprite): '" if persona.sprites else ""
    return ContextItem(Tag.HUMANIZER_RULES, (f"{_HOW_TO_CHAT}{sprite}.",), Role.SYSTEM)


def _told(tag: Tag, text: str) -> ContextItem:
    """*text* placed late in the prompt, since it changes from turn to turn: what precedes it can be cached."""
    return ContextItem(tag, (notice(text),))


def _listed(names: Iterable[str]) -> str:
    names = list(names)
    more = f" and {len(names) - _PEOPLE} more" if len(names) > _PEOPLE else ""
    # Sorted: the order in which they spoke changes with every message.
    return ", ".join(sorted(names[:_PEOPLE], key=str.casefold)) + more


def _line(text: str) -> str:
    return " ".join(text.split())
