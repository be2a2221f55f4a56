"""Summarises a film: its replies, each with its messages, the events between them, and its numbers.

The terminal, ``--json`` and comparisons use it. A film may come from another version, or from an editor: fields that
are missing or of another type are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, groupby, pairwise
from math import fsum

from ...explain.sentences import Said, as_json, rendered
from ...explain.telling import fate_told, quoted
from ...facts import (
    AttemptBegan,
    ChunkHeard,
    MessagesMerged,
    MessagesSpared,
    MessagesSuperseded,
    ReplyBegan,
    ReplyEnded,
    RequestSent,
    RoundEnded,
    TextChanged,
    TextHeld,
)
from ...settings import settings_fields
from ...text.blocks import code_in
from ...text.inline_styles import date_of
from .film import Film, FilmRecord, Json
from .values import About, number_of, numbers_of, part_of, parts_of, sentence_of, text_of

_TAG = re.compile(
    r"<(?:(?P<sign>@[!&]?|\#)(?P<id>\d+)|id:(?P<place>customize|browse|guide)|a?(?P<emoji>:\w+:)\d+"
    r"|(?P<command>/[^\n<>:]+):\d+|t:(?P<seconds>-?\d{1,12})(?::(?P<style>[tTdDfFRsS]))?)>",
    re.ASCII,
)
_UNTOLD = frozenset(
    fact.name
    for fact in (
        ReplyBegan,
        AttemptBegan,
        RequestSent,
        TextHeld,
        MessagesMerged,
        MessagesSuperseded,
        MessagesSpared,
        RoundEnded,
        ReplyEnded,
    )
)
"""Facts that are no events between messages: a message, or the end, covers them."""
_HOLDS = ("held", "released")
"""Effects of a rule that change no text: a message tells them, or what becomes of the text."""
_SHARES = ("model", "buffer", "queue", "sending")
_OF_MODELS = frozenset(
    {
        *(spec.name for section, spec in settings_fields() if section in ("context", "http", "fallback", "channel")),
        *("turn_timeout", "tool_rounds", "tool_notice", "tool_failures", "tool_timeout", "tool_result_limit"),
    }
)
"""The settings of asking models, of tools and of turns: ``say`` has none of these."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message made from the model's text."""

    number: int
    at: float
    """When it had arrived, in seconds since the film began, as all times here."""
    id: str
    author: str
    shown: str
    """The text as people read it: with names instead of ids."""
    story: About
    """Its story, as in ``docs/films.md``."""
    took: Mapping[str, float]
    """Where the time went since the message before: ``model``, ``buffer``, ``queue`` and ``sending``."""
    pings: tuple[str, ...] = ()
    """The names that it pings."""
    shows: tuple[str, ...] = ()
    """The names that it shows without a ping."""

    @property
    def text(self) -> str:
        """The text as it was sent."""
        return text_of(self.story, "text")

    @property
    def file(self) -> str:
        """The name of its file, if it has one."""
        return text_of(self.story, "file")

    def as_json(self) -> Json:
        """As JSON."""
        return {
            "id": self.id,
            "author": self.author,
            "at": _rounded(self.at),
            **self.story,
            "took": dict(self.took),
            "pings": list(self.pings),
            "shows": list(self.shows),
        }


@dataclass(frozen=True, slots=True)
class ReplyEvent:
    """An event between two messages."""

    at: float
    what: str
    """The name of the fact; ``said`` is a message of another person."""
    told: str
    """In words."""

    def as_json(self) -> Json:
        """As JSON."""
        return {"at": _rounded(self.at), "what": self.what, "told": self.told}


@dataclass(frozen=True, slots=True)
class ReplyNumbers:
    """A reply in numbers. Times are in seconds since it began; ``None`` if it did not happen."""

    messages: int = 0
    planned: int = 0
    """Messages before merging."""
    characters: int = 0
    """In all messages."""
    tokens: int = 0
    """Chunks of the model."""
    first_message: float | None = None
    last_token: float | None = None
    last_message: float | None = None
    after_last_token: float | None = None
    """Seconds from the last token to the last message; ``None`` if that came before."""
    held: float = 0.0
    """Seconds that the buffer held text, and that messages waited."""
    typing: float = 0.0
    rate_limit: float = 0.0
    refusals: int = 0
    """Answers with status 429."""
    unshown: Mapping[str, int] = field(default_factory=dict)
    """UTF-16 units of the model's text that are in no message, by their fate."""

    def as_json(self) -> Json:
        """As JSON."""
        return {
            name: dict(value) if isinstance(value, Mapping) else value
            for name in self.__slots__
            for value in [getattr(self, name)]
        }


@dataclass(frozen=True, slots=True)
class ReplySummary:
    """One reply, summarised."""

    persona: str
    settings: About
    """Those that differ from the defaults."""
    messages: tuple[Message, ...]
    events: tuple[ReplyEvent, ...]
    fates: tuple[About, ...]
    """The fates of text that is in no message: ``at``, ``raw``, ``fate`` and ``told`` each."""
    outcome: About
    """How it ended: ``kind``, ``reason`` and ``error``."""
    ended: str
    """The same in words; empty if it has no end."""
    numbers: ReplyNumbers
    unused: tuple[str, ...] = ()
    """The names of those settings that play no role, because the text was given and no model was asked."""

    def only(self, number: int) -> ReplySummary | None:
        """The same with only that message and no events; ``None`` if it is not here."""
        found = tuple(message for message in self.messages if message.number == number)
        return replace(self, messages=found, events=(), fates=()) if found else None

    def as_json(self) -> Json:
        """As JSON."""
        return {
            "persona": self.persona,
            "settings": dict(self.settings),
            "outcome": dict(self.outcome),
            "numbers": self.numbers.as_json(),
            "messages": [message.as_json() for message in self.messages],
            "events": [event.as_json() for event in self.events],
            "fates": [dict(fate) for fate in self.fates],
        }


def tellings(film: Film) -> list[ReplySummary]:
    """Every reply in *film*, in the order in which they began."""
    turns: dict[str, list[FilmRecord]] = {}
    around: list[FilmRecord] = []
    for record in film.records:
        turn = record.about.get("turn")
        (turns.setdefault(turn, []) if isinstance(turn, str) else around).append(record)
    found: list[ReplySummary] = []
    since, names = 0.0, _Names(around)
    for records in turns.values():
        until = records[-1].at if len(found) < len(turns) - 1 else film.seconds
        own = [record for record in around if since <= record.at <= until]
        found.append(_Reply(records, own, names).telling(film.settings))
        since = max(since, until)
    return found


def counted(told: Iterable[ReplySummary]) -> list[ReplySummary]:
    """*told* with their messages numbered through all replies."""
    number = count(1)
    return [
        replace(one, messages=tuple(replace(message, number=next(number)) for message in one.messages)) for one in told
    ]


class _Names:
    """The names in a film."""

    def __init__(self, records: Iterable[FilmRecord]) -> None:
        self._names: dict[str, str] = {}
        self.authors: dict[str, str] = {}
        """The author's name of each message."""
        self.mentions: dict[str, Mapping[str, bool]] = {}
        """The people named in each message, and whether it pings them."""
        self.bots: set[str] = set()
        for record in records:
            match record.about:
                case {"person": {"id": str(id_), "name": str(name)} as person}:
                    self._names[id_] = name
                    if person.get("is_bot") is True:
                        self.bots.add(id_)
                case {"channel": {"id": str(id_), "name": str(name)}}:
                    self._names[id_] = name
                case {"message": {"id": str(id_), "author": {"name": str(name)}} as message}:
                    self.authors[id_] = name
                    self._note_mentions(id_, message)

    def _note_mentions(self, id_: str, message: About) -> None:
        pinged = message.get("pings")
        known = {one for one in pinged if isinstance(one, str)} if isinstance(pinged, list) else set()
        found: dict[str, bool] = {}
        for node in _mentions_in(message.get("markup")):
            match node:
                case {"sort": "user" | "role", "id": str(named), "name": str(name)}:
                    self._names.setdefault(named, name)
                    found[f"@{name}"] = named in known or found.get(f"@{name}", False)
                case {"sort": "everyone" | "here" as everybody}:
                    found[f"@{everybody}"] = "everyone" in known
        self.mentions[id_] = found

    def in_words(self, text: str) -> str:
        """*text* with names instead of ids; code stays as it is."""
        code = code_in(text) if "<" in text else []
        return _TAG.sub(lambda tag: tag[0] if any(tag.start() in one for one in code) else self._named(tag), text)

    def _named(self, tag: re.Match[str]) -> str:
        if tag["seconds"]:
            return date_of(int(tag["seconds"]), tag["style"] or "f")
        if tag["place"]:
            return f"#{tag['place']}"
        name = self._names.get(tag["id"] or "")
        return tag["emoji"] or tag["command"] or (tag[0] if name is None else f"{tag['sign'][0]}{name}")


class _Reply:
    """The records of one reply, and those *around* it."""

    def __init__(self, records: Sequence[FilmRecord], around: Sequence[FilmRecord], names: _Names) -> None:
        self._records = records
        self._around = around
        self._names = names
        begun = self._last_fact(ReplyBegan.name)
        self._begun = part_of(begun.about, "about") if begun else {}
        self._begins = begun.at if begun else records[0].at

    def telling(self, settings: About) -> ReplySummary:
        """Its summary; *settings* are those of the film."""
        persona = text_of(self._begun, "persona")
        own = self._begun.get("settings")
        messages = tuple(self._messages(persona))
        end = self._last_fact(ReplyEnded.name)
        outcome = part_of(end.about, "about").get("outcome") if end else None
        fates = [
            {"at": _rounded(one.at), **_without_turn(one.about), "told": as_json(fate_told(text_of(one.about, "fate")))}
            for one in self._of("fate")
        ]
        return ReplySummary(
            persona,
            dict(own if isinstance(own, Mapping) else settings),
            messages,
            tuple(sorted([*self._events(messages), *self._thoughts(), *self._others()], key=lambda event: event.at)),
            tuple(fates),
            dict(outcome) if isinstance(outcome, Mapping) else {"kind": "", "reason": "", "error": None},
            sentence_of(end.about.get("told")) if end else "",
            self._numbers(messages, fates),
            tuple(name for name in own if name in _OF_MODELS)
            if isinstance(own, Mapping) and self._begun.get("kind") == "say"
            else (),
        )

    def _of(self, kind: str) -> list[FilmRecord]:
        return [record for record in self._records if record.kind == kind]

    def _last_fact(self, name: str) -> FilmRecord | None:
        """The last fact with this name."""
        return next((record for record in reversed(self._of("fact")) if record.about.get("fact") == name), None)

    # --- messages --------------------------------------------------------------------------

    def _messages(self, persona: str) -> Iterator[Message]:
        for number, record in enumerate(self._of("story"), start=1):
            story = record.about.get("story")
            if not isinstance(story, Mapping):
                continue
            id_ = text_of(record.about, "message")
            author = self._names.authors.get(id_) or text_of(story, "name") or persona
            took = (later - earlier for earlier, later in pairwise(_times(story, record.at)))
            shares = {share: max(0.0, _rounded(seconds)) for share, seconds in zip(_SHARES, took, strict=True)}
            shown = self._names.in_words(text_of(story, "text"))
            named = self._names.mentions.get(id_, {})
            pings, shows = (tuple(name for name in named if named[name] is is_pinged) for is_pinged in (True, False))
            yield Message(number, record.at, id_, author, shown, story, shares, pings, shows)

    # --- what else happened ----------------------------------------------------------------

    def _events(self, messages: Sequence[Message]) -> Iterator[ReplyEvent]:
        seen = {number for message in messages for number in numbers_of(message.story, "segments")}
        for record in self._of("fact"):
            name, told = text_of(record.about, "fact"), sentence_of(record.about.get("told"))
            about = part_of(record.about, "about")
            is_covered = name == TextChanged.name and (
                text_of(about, "effect") in _HOLDS or not seen.isdisjoint(numbers_of(about, "segments"))
            )
            if told and name not in _UNTOLD and not is_covered:
                yield ReplyEvent(record.at, name, told)

    def _thoughts(self) -> Iterator[ReplyEvent]:
        """Thoughts that the API sent apart from the text, each in one piece."""
        for sort, tokens in groupby(self._of("tokens"), key=lambda record: record.about.get("sort")):
            if sort == "thought":
                *_, last = pieces = [*tokens]
                thought = "".join(text_of(piece.about, "text") for piece in pieces)
                said = rendered(Said("hidden.thought", {"text": quoted(thought)}))
                yield ReplyEvent(last.until, ChunkHeard.name, said)

    def _others(self) -> Iterator[ReplyEvent]:
        """Messages of other people."""
        for record in self._around:
            match record.about:
                case {"message": {"author": {"id": str(id_), "name": str(name), **rest}, "content": str(text)}}:
                    is_ours = id_ in self._names.bots or rest.get("is_webhook") is True
                    if record.kind == "message" and not is_ours:
                        yield ReplyEvent(record.at, "said", f"{name}: {self._names.in_words(text)}")

    # --- numbers ---------------------------------------------------------------------------

    def _numbers(self, messages: Sequence[Message], fates: Sequence[About]) -> ReplyNumbers:
        said = [record for record in self._of("tokens") if record.about.get("sort") == "text"]
        last_token = max((record.until for record in self._of("tokens")), default=None)
        last = messages[-1].at if messages else None
        late = None if last is None or last_token is None or last < last_token else last - last_token
        waits = [wait for message in messages for wait in parts_of(message.story, "waits")]
        unshown: dict[str, int] = {}
        for fate in fates:
            name = text_of(fate, "fate")
            unshown[name] = unshown.get(name, 0) + _length(fate.get("raw"))
        return ReplyNumbers(
            messages=len(messages),
            planned=sum(max(1, len(numbers_of(message.story, "posts"))) for message in messages),
            characters=sum(len(message.text) for message in messages),
            tokens=sum(len(numbers_of(record.about, "lengths")) for record in said),
            first_message=self._since(messages[0].at if messages else None),
            last_token=self._since(last_token),
            last_message=self._since(last),
            after_last_token=None if late is None else _rounded(late),
            held=_rounded(_span(hold for message in messages for hold in parts_of(message.story, "holds"))),
            typing=_rounded(fsum(seconds_between(wait) for wait in waits if wait.get("why") == "typing")),
            rate_limit=_rounded(fsum(seconds_between(wait) for wait in waits if wait.get("why") == "rate_limit")),
            refusals=sum(record.kind == "call" and record.about.get("status") == 429 for record in self._around),
            unshown=unshown,
        )

    def _since(self, at: float | None) -> float | None:
        return None if at is None else _rounded(max(0.0, at - self._begins))


def _mentions_in(markup: object) -> Iterator[About]:
    """The mentions in *markup*, in order, at any depth."""
    left = [markup]
    while left:
        match left.pop():
            case list() as nodes:
                left += reversed(nodes)
            case dict() as node if node.get("is") == "mention":
                yield node
            case {"of": within} | {"items": within}:
                left.append(within)


def _times(story: About, sent: float) -> tuple[float, ...]:
    """When the model began its text and had said it, and when it was planned, sending and sent."""
    times = part_of(story, "times")
    there = number_of(times, "sent", sent)
    sending = number_of(times, "sending", there)
    planned = number_of(times, "planned", sending)
    heard = number_of(times, "heard", planned)
    return number_of(times, "since", heard), heard, planned, sending, there


def seconds_between(part: About) -> float:
    """The seconds of a hold or a wait."""
    return max(0.0, number_of(part, "to") - number_of(part, "from"))


def _span(parts: Iterable[About]) -> float:
    """The seconds of all *parts* together; one that two messages share counts once."""
    spans = sorted({(number_of(part, "from"), number_of(part, "to")) for part in parts})
    seconds, until = 0.0, 0.0
    for begun, over in spans:
        seconds += max(0.0, over - max(begun, until))
        until = max(until, over)
    return seconds


def _length(raw: object) -> int:
    ranges = raw if isinstance(raw, list) else []
    return sum(
        one[1] - one[0]
        for one in ranges
        if isinstance(one, list) and len(one) == 2 and all(type(n) is int for n in one)
    )


def _without_turn(about: About) -> dict[str, object]:
    return {name: value for name, value in about.items() if name != "turn"}


def _rounded(seconds: float) -> float:
    return round(seconds, 6)
