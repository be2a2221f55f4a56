"""What short-term memory holds of one conversation: its last lines, whose they are, and a summary if there is one."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...types import Line, Reply, Role
from ..store.store import Record, Shelf
from .location import Location

LINE_LENGTH = 4000
"""Characters that are kept of one line: as much as anybody can say on Discord at once."""
_EMOJI = re.compile(r"<a?:(\w+):\d+>")
_QUOTE = re.compile(r"\A\(in reply to [^\n]*”\)\s*")
"""How a history begins a line that answers another: with words that are somebody else's."""
_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n+")
"""Where a sentence is over."""
_CALL = re.compile(r"\A(?:@\S+[\s,:]*)+")
"""How one begins that calls somebody."""
_QUOTED = 12
"""Characters from which on a text that occurs in another is taken to be quoted, not to be there by chance."""


@dataclass(frozen=True, slots=True)
class RememberedLine:
    """A line that is remembered."""

    role: Role
    text: str
    speaker: str = ""
    by: str = ""
    """The id of the person who said it; empty if it was the character."""
    to: str = ""
    """The id of the person whom the character answered with it; empty if a person said it."""

    def is_of(self, person: str) -> bool:
        """Whether *person* said it, or was told it."""
        return person in (self.by, self.to)


@dataclass(frozen=True, slots=True)
class ConversationMemory:
    """What is remembered of a person, or of everybody, in one channel with one character."""

    channel: str
    lines: tuple[RememberedLine, ...] = ()
    summary: str = ""
    summary_of: frozenset[str] = frozenset()
    """The ids of all who took part in what was summed up."""
    at: float = 0.0
    """When it was last written, in seconds since 1970."""
    channel_name: str = ""
    parent: str = ""
    server: str = ""
    server_name: str = ""
    persona: str = ""
    """The lineage of the character: its id, which stays when it is given another name."""
    turn: str = ""
    is_private: bool = False
    owner: str = ""
    """The id of the person whose it is; empty if it is the server's."""

    @classmethod
    def at_place(cls, where: Location, *, owner: str, at: float) -> ConversationMemory:
        """An entry for *where* with nothing in it yet."""
        return cls(
            where.channel,
            at=at,
            channel_name=where.channel_name,
            parent=where.parent,
            server=where.server,
            server_name=where.server_name,
            persona=where.persona,
            turn=where.turn,
            is_private=where.is_secluded,
            owner=owner,
        )

    @property
    def key(self) -> str:
        """Where it is kept."""
        head = f"user:{self.owner}" if self.owner else f"server:{self.server}"
        return f"{head}:{self.channel}" + (f":{self.persona}" if self.persona else "")

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to be told."""
        return not self.lines and not self.summary

    def involves(self, person: str) -> bool:
        """Whether there is anything of *person* in it."""
        return (
            person in self.summary_of
            or any(line.is_of(person) for line in self.lines)
            or any(_named(person).search(text) for text in (self.summary, *(line.text for line in self.lines)))
        )

    def without(self, person: str) -> ConversationMemory:
        """The same without *person*: what they said, what they were told, who quotes them, and a summary with them."""
        is_summed_up = person in self.summary_of or bool(_named(person).search(self.summary))
        return replace(
            self,
            lines=without(self.lines, person),
            summary="" if is_summed_up else self.summary,
            summary_of=frozenset() if is_summed_up else self.summary_of,
        )

    def as_record(self, expires: float | None) -> Record:
        """What a store keeps of it."""
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
        return Record(Shelf.SHORT_TERM, self.key, value, owner=self.owner, server=self.server, expires=expires)

    @classmethod
    def of_record(cls, record: Record) -> ConversationMemory:
        """What was kept; what is not known any more is passed over."""
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
    """*lines* without those of *person*, those with which they were answered, and those in which they are quoted."""
    lines = tuple(lines)
    quotable = [said for line in lines if line.by == person for said in _quotable(line.text)]
    left = (
        line for line in lines if not line.is_of(person) and not any(said in _plain(line.text) for said in quotable)
    )
    name = _named(person)
    return tuple(replace(line, text=name.sub("@someone", line.text)) for line in left)


def unforgotten(history: Iterable[Line], is_forgotten: Callable[[str, str], bool]) -> tuple[Line, ...]:
    """*history* without lines that *is_forgotten* says of by author and id, answers to them, and where they are quoted."""
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


def remembered(
    where: Location, history: Sequence[Line], reply: Reply, *, hidden: Collection[str], limit: int
) -> tuple[RememberedLine, ...]:
    """The last *limit* lines of *history* and what was answered, with nothing of whoever is *hidden*."""
    lines = (*_said(history), RememberedLine(Role.MODEL, _cut(answer_of(reply)), to=where.person))
    for person in hidden:
        lines = without(lines, person)
    return lines[-limit:] if limit > 0 else ()


def answer_of(reply: Reply) -> str:
    """What a character said, with what it noted down in ``<details>`` under a heading."""
    said = normalised(reply.transcript.strip())
    details = "\n\n".join(filter(None, (text.strip() for text in reply.details)))
    return f"{said}\n\n[Scene Metadata]\n{normalised(details)}" if details else said


def normalised(text: str) -> str:
    """*text* with emoji of servers as their names."""
    return _EMOJI.sub(r":\1:", text)


def _said(history: Sequence[Line]) -> tuple[RememberedLine, ...]:
    """The lines of *history* of which it is known whose they are; of others nobody could have them forgotten."""
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
    """Where *person* stands in a text by their id."""
    return re.compile(rf"<@!?{re.escape(person)}>|(?<!\d){re.escape(person)}(?!\d)")


def _quotable(text: str) -> list[str]:
    """The sentences of *text* that are known again elsewhere, without whom they call and the mark that ends them."""
    sentences = (_CALL.sub("", _plain(sentence)).rstrip(".!?…。！？") for sentence in _END.split(text))
    return [sentence for sentence in sentences if len(sentence) >= _QUOTED]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _cut(text: str) -> str:
    return text if len(text) <= LINE_LENGTH else text[: LINE_LENGTH - 1] + "…"
