"""A conversation in short-term memory: its last lines, their authors, and an optional summary."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...types import Line, Reply, Role
from ..store.store import Namespace, Record
from .location import Location

LINE_LENGTH = 4000
"""Characters kept of one line: Discord's longest message."""
_EMOJI = re.compile(r"<a?:(\w+):\d+>")
_QUOTE = re.compile(r"\A\(in reply to [^\n]*”\)\s*")
"""The quote before a reply in the history, which is somebody else's text."""
_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n+")
"""The end of a sentence."""
_MENTIONS = re.compile(r"\A(?:@\S+[\s,:]*)+")
"""Mentions at the start of a sentence."""
_QUOTED = 12
"""From this length on, a text that occurs in another counts as a quote rather than a coincidence."""


@dataclass(frozen=True, slots=True)
class RememberedLine:
    """A remembered line."""

    role: Role
    text: str
    speaker: str = ""
    by: str = ""
    """The id of the person who said it; empty if it was the character."""
    to: str = ""
    """The id of the person whom the character answered; empty if a person said it."""

    def is_of(self, person: str) -> bool:
        """Whether *person* said it, or it answers them."""
        return person in (self.by, self.to)


@dataclass(frozen=True, slots=True)
class ConversationMemory:
    """The memory of one person, or of all people, in one channel with one character."""

    channel: str
    lines: tuple[RememberedLine, ...] = ()
    summary: str = ""
    summary_of: frozenset[str] = frozenset()
    """The ids of all people in the summarised conversation."""
    at: float = 0.0
    """When it was last written, in seconds since 1970."""
    channel_name: str = ""
    parent: str = ""
    server: str = ""
    server_name: str = ""
    persona: str = ""
    """The id of the character, which stays when its name changes."""
    turn: str = ""
    is_private: bool = False
    owner: str = ""
    """The id of the person it belongs to; empty if it is the server's."""

    @classmethod
    def empty_at(cls, where: Location, *, owner: str, at: float) -> ConversationMemory:
        """An empty entry for *where*."""
        return cls(
            where.channel,
            at=at,
            channel_name=where.channel_name,
            parent=where.parent,
            server=where.server,
            server_name=where.server_name,
            persona=where.persona,
            turn=where.turn,
            is_private=where.stays_private,
            owner=owner,
        )

    @property
    def key(self) -> str:
        """The key of its record."""
        head = f"user:{self.owner}" if self.owner else f"server:{self.server}"
        return f"{head}:{self.channel}" + (f":{self.persona}" if self.persona else "")

    @property
    def is_empty(self) -> bool:
        """Whether it has neither lines nor a summary."""
        return not self.lines and not self.summary

    def involves(self, person: str) -> bool:
        """Whether it contains anything of *person*."""
        return (
            person in self.summary_of
            or any(line.is_of(person) for line in self.lines)
            or any(_named(person).search(text) for text in (self.summary, *(line.text for line in self.lines)))
        )

    def without(self, person: str) -> ConversationMemory:
        """The entry without *person*: their lines, answers to them, quotes of them, and a summary with them."""
        is_summed_up = person in self.summary_of or bool(_named(person).search(self.summary))
        return replace(
            self,
            lines=without(self.lines, person),
            summary="" if is_summed_up else self.summary,
            summary_of=frozenset() if is_summed_up else self.summary_of,
        )

    def as_record(self, expires: float | None) -> Record:
        """The entry as a record."""
        value = {
            "channel": self.channel,
            "channel_name": self.channel_name,
            "parent": self.parent,
            "server_name": self.server_name,
            "persona": self.persona,
            "turn": self.turn,
            "at": self.at,
            "is_private": self.is_private,
            "summary": self.summary,
            "summary_of": sorted(self.summary_of),
            "lines": [
                {"role": line.role.value, "speaker": line.speaker, "text": line.text, "by": line.by, "to": line.to}
                for line in self.lines
            ],
        }
        return Record(Namespace.SHORT_TERM, self.key, value, owner=self.owner, server=self.server, expires=expires)

    @classmethod
    def of_record(cls, record: Record) -> ConversationMemory:
        """The entry in *record*; unknown fields are ignored."""
        value: Mapping[str, Any] = record.value
        texts = ("channel_name", "parent", "server_name", "persona", "turn", "summary")
        return cls(
            str(value.get("channel", "")),
            lines=tuple(_line_of(line) for line in value.get("lines", ())),
            summary_of=frozenset(value.get("summary_of", ())),
            at=float(value.get("at", 0.0)),
            is_private=bool(value.get("is_private", True)),
            owner=record.owner,
            server=record.server,
            **{name: str(value.get(name, "")) for name in texts},
        )


def without(lines: Iterable[RememberedLine], person: str) -> tuple[RememberedLine, ...]:
    """*lines* without those of *person*, answers to them, and lines that quote them."""
    lines = tuple(lines)
    quotable = [said for line in lines if line.by == person for said in _quotable(line.text)]
    left = (
        line for line in lines if not line.is_of(person) and not any(said in _plain(line.text) for said in quotable)
    )
    name = _named(person)
    return tuple(replace(line, text=name.sub("@someone", line.text)) for line in left)


def without_forgotten(history: Iterable[Line], is_forgotten: Callable[[str, str], bool]) -> tuple[Line, ...]:
    """*history* without lines for which *is_forgotten(author, id)* is true, answers to them, and quotes of them."""
    left: list[Line] = []
    quotable: list[str] = []
    is_gone = False
    for line in history:
        text = _plain(line.text)
        if not line.is_own:
            is_gone = is_forgotten(line.author, line.message_id)
            if is_gone:
                quotable += _quotable(line.text)
        if not is_gone and not any(said in text for said in quotable):
            left.append(line)
    return tuple(left)


def lines_to_keep(
    where: Location, history: Sequence[Line], reply: Reply, *, hidden: Collection[str], limit: int
) -> tuple[RememberedLine, ...]:
    """The last *limit* lines of *history* and the reply, without anything of *hidden* people."""
    lines = (*_said(history), RememberedLine(Role.MODEL, _cut(answer_of(reply)), to=where.person))
    for person in hidden:
        lines = without(lines, person)
    return lines[-limit:] if limit > 0 else ()


def answer_of(reply: Reply) -> str:
    """The text of *reply*, with its ``<details>`` under a heading."""
    said = normalised(reply.transcript.strip())
    details = "\n\n".join(filter(None, (text.strip() for text in reply.details)))
    return f"{said}\n\n[Scene Metadata]\n{normalised(details)}" if details else said


def normalised(text: str) -> str:
    """*text* with custom emoji as their names."""
    return _EMOJI.sub(r":\1:", text)


def _said(history: Sequence[Line]) -> tuple[RememberedLine, ...]:
    """The lines of *history* with a known author. Others are not kept, as nobody could request their deletion."""
    said: list[RememberedLine] = []
    last = ""
    for line in history:
        text = _cut(normalised(_QUOTE.sub("", line.text.strip())))
        if not line.is_own:
            last = line.author
        if not text or not last:
            continue
        if line.is_own:
            said.append(RememberedLine(Role.MODEL, text, line.speaker, to=last))
        else:
            said.append(RememberedLine(Role.USER, text, line.speaker, by=last))
    return tuple(said)


def _line_of(value: Mapping[str, Any]) -> RememberedLine:
    texts = {name: str(value.get(name, "")) for name in ("text", "speaker", "by", "to")}
    return RememberedLine(Role.MODEL if value.get("role") == Role.MODEL.value else Role.USER, **texts)


def _named(person: str) -> re.Pattern[str]:
    """A pattern for the id of *person* in a text."""
    return re.compile(rf"<@!?{re.escape(person)}>|(?<!\d){re.escape(person)}(?!\d)")


def _quotable(text: str) -> list[str]:
    """The sentences of *text* that are long enough to recognise as quotes, without mentions and the final mark."""
    sentences = (_MENTIONS.sub("", _plain(sentence)).rstrip(".!?…。！？") for sentence in _END.split(text))
    return [sentence for sentence in sentences if len(sentence) >= _QUOTED]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _cut(text: str) -> str:
    return text if len(text) <= LINE_LENGTH else text[: LINE_LENGTH - 1] + "…"
