"""Facts as records of a film, and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from ...errors import InputError, Sentence
from ...explain.fact_log import from_json, template_and_values
from ...explain.sentences import Said, as_json
from ...explain.telling import held_because, told_of
from ...facts import (
    ChunkHeard,
    Edge,
    Fact,
    LoggedFact,
    MessagePlanned,
    MessageSent,
    ReplyBegan,
    TextChanged,
    TextHeld,
    values_of,
)
from .film import Film, FilmRecord

_LEFT_OUT: Mapping[str, frozenset[str]] = MappingProxyType(
    {MessagePlanned.name: frozenset({"origin"}), MessageSent.name: frozenset({"origin", "covers"})}
)
"""Values that are not in a film, by fact: the story of the message tells where its text comes from."""
_READ = frozenset({ReplyBegan.name, ChunkHeard.name})
"""Facts that are read again from a film."""


def said_in(fact: Fact) -> tuple[str, str] | None:
    """The sort and the text of a chunk that is a token: ``text`` or ``thought``; ``None`` for any other fact."""
    match fact:
        case ChunkHeard(kind="text" | "thought" as sort, text=text):
            return sort, text
        case _:
            return None


def record_of(logged: LoggedFact, at: float) -> FilmRecord | None:
    """The record of a fact that is no token, at a time of the film; ``None`` for a change of white space."""
    fact, told = logged.fact, _told(logged.fact)
    if told is None and isinstance(fact, TextChanged):
        return None
    left_out = _LEFT_OUT.get(fact.name, ())
    about = {name: _plain(value) for name, value in values_of(fact).items() if name not in left_out}
    said = None if told is None else as_json(told)
    return FilmRecord(at, "fact", {"turn": logged.turn, "fact": fact.name, "about": about, "told": said})


def _told(fact: Fact) -> Said | None:
    """*fact* as a sentence; of a hold, which a story tells when it is over, the reason."""
    match fact:
        case TextHeld(why=why, mark=mark) if why:
            return held_because(why, mark)
        case _:
            return told_of(fact)


def _plain(value: object) -> object:
    """*value* as JSON would give it back."""
    match value:
        case Edge():
            return {"reason": value.reason, "setting": value.setting, "value": _plain(value.value), "mark": value.mark}
        case Sentence():
            return _plain(template_and_values(value))
        case str():
            return str(value)  # of a text that knows its origin, only the text
        case Mapping():
            return {str(name): _plain(inner) for name, inner in value.items()}
        case tuple() | list():
            return [_plain(inner) for inner in value]
        case _:
            return value


def facts_of(film: Film) -> Iterator[LoggedFact]:
    """What a model said in *film*, and how its replies began; a fact that is not valid is left out."""
    for record in film.records:
        match record.about:
            case {"turn": str(turn), "fact": str(name), "about": dict(about)} if name in _READ:
                try:
                    yield from_json({**about, "fact": name, "at": record.at, "turn": turn})
                except InputError:
                    continue
            case {"turn": str(turn), "sort": "text" | "thought" as sort, "text": str(), "lengths": list()}:
                for at, since, text in _tokens(record):
                    yield LoggedFact(ChunkHeard(sort, since, text, {}), at, turn)
            case _:
                pass


def _tokens(record: FilmRecord) -> Iterator[tuple[float, float, str]]:
    """When each token came, how long after the one before it in its record, and its text."""
    about: Mapping[str, Any] = record.about
    data, start, before = about["text"].encode("utf-16-le", "surrogatepass"), 0, 0.0
    for length, since in zip(about["lengths"], about.get("times", ()), strict=False):
        if not isinstance(length, int) or length < 0 or not isinstance(since, int | float):
            msg = Sentence("the film cannot be read: its tokens have lengths or times that are no numbers")
            raise InputError(msg)
        piece = data[2 * start : 2 * (start + length)]
        start += length
        yield record.at + since, since - before, piece.decode("utf-16-le", "surrogatepass")
        before = since
