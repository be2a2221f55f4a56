"""The input of ``cadenza explain``: the answers in a file, each as a film that is read or rehearsed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from typing import BinaryIO, TypeVar

from ...errors import InputError, Sentence
from ...explain.fact_log import read
from ...explain.words import replies
from ...facts import LoggedFact
from .film import Film, load
from .from_trace import films_of
from .options import ExplainOptions
from .plan import beats_of
from .rehearsal import rehearse
from .sources import LARGEST, Source, understood

T = TypeVar("T")

_RATE = 50.0
_TOKEN = 4
_MOST_TOKENS = 50_000
"""A longer text is said in larger chunks; the messages are the same."""
_LOOKED_AT = 20
_LOOKED_INTO = 2**20
"""Lines, and bytes, that are inspected to recognise a trace."""


@dataclass(frozen=True, slots=True)
class ExplainInput:
    """The films to explain."""

    what: str
    """As ``sources.Source.what``."""
    told: str
    """What it was recognised as, in a sentence."""
    is_rehearsed: bool
    films: tuple[tuple[Film, ...], ...]
    """One film for each answer, or two for a comparison."""


def data_of(name: str) -> bytes:
    """The content of the file *name*: all of a trace; of other input only enough to see that it is too large."""
    try:
        if name != "-":
            with Path(name).open("rb") as file:
                return _read(file)
    except (OSError, ValueError) as error:  # a name with a NUL in it is a ValueError
        msg = Sentence("cannot read {name}: {error}", name=repr(name), error=getattr(error, "strerror", None) or error)
        raise InputError(msg) from None
    if sys.stdin is None:
        msg = Sentence("there is no standard input to read")
        raise InputError(msg)
    return _read(sys.stdin.buffer)


def _read(file: BinaryIO) -> bytes:
    data = file.read(LARGEST + 1)
    return data + file.read() if len(data) > LARGEST and is_trace(data) else data


def is_trace(data: bytes) -> bool:
    """Whether at least half of the first lines of *data* are facts of a trace; the others are reported."""
    lines = [line for line in data[:_LOOKED_INTO].split(b"\n") if line.strip()][:_LOOKED_AT]
    facts, _ = read(lines)
    return bool(facts) and 2 * len(facts) >= len(lines)


def subject_of(wanted: ExplainOptions, data: bytes) -> ExplainInput:
    """The answers in *data*, rehearsed; a film is taken as it is unless an option changes something."""
    if not data.strip():
        msg = Sentence(
            "there is nothing to explain in {file}; give what a model said, or a recorded stream",
            file=repr(wanted.file),
        )
        raise InputError(msg)
    found = sources_of(wanted, data)
    what = found[0].what
    if what == "film" and not wanted.is_rehearsed:
        film = load(data)
        films = [film] if wanted.answer is None else _chosen(wanted, _replies(film))
        return ExplainInput(what, "A film.", is_rehearsed=False, films=tuple((one,) for one in films))
    sources = _chosen(wanted, found)
    told = sources[0].told if len(sources) == 1 else f"{len(sources)} answers; the first: {sources[0].told}"
    return ExplainInput(what, told, is_rehearsed=True, films=tuple(_films(wanted, one) for one in sources))


def chosen_replies(wanted: ExplainOptions, facts: Sequence[LoggedFact]) -> list[LoggedFact]:
    """The facts of the chosen replies of a trace."""
    return [logged for reply in _chosen(wanted, replies(facts)) for logged in reply]


def subject_of_trace(wanted: ExplainOptions, facts: Sequence[LoggedFact]) -> ExplainInput:
    """The films of a trace, as it happened."""
    films = tuple((film,) for film in _chosen(wanted, films_of(facts)))
    return ExplainInput("trace", "A trace of Cadenza.", is_rehearsed=False, films=films)


def _chosen(wanted: ExplainOptions, answers: Sequence[T]) -> Sequence[T]:
    """The chosen *answers*; a page shows only one."""
    count = len(answers)
    if wanted.answer is None:
        if wanted.html and count > 1:
            msg = Sentence(
                "there are {count} answers in {name}, and a page shows one; choose it with --answer N",
                count=count,
                name=repr(wanted.name),
            )
            raise InputError(msg)
        return answers
    if not 1 <= wanted.answer <= count:
        msg = Sentence(
            "there is no answer {answer} in {called}; it has {count}",
            answer=wanted.answer,
            called=repr(wanted.name),
            count=count,
        )
        raise InputError(msg)
    return [answers[wanted.answer - 1]]


def _replies(film: Film) -> list[Film]:
    """*film* once for each reply in it, with the inside of only that reply."""
    turns = dict.fromkeys(turn for record in film.records if isinstance(turn := record.about.get("turn"), str))
    return [
        replace(film, records=tuple(record for record in film.records if record.about.get("turn", turn) == turn))
        for turn in turns
    ]


def sources_of(wanted: ExplainOptions, data: bytes) -> list[Source]:
    """The answers in *data*."""
    rate = _RATE if wanted.rate is None else wanted.rate
    if wanted.is_text:
        return [_said(_decoded(wanted, data), rate, "A text of")]
    sources = understood(data, wanted.name, rate=rate, timed=wanted.rate is None)
    first = sources[0]
    if first.what == "text" and len(first.beats) > _MOST_TOKENS:
        text = "".join(getattr(chunk, "text", "") for beat in first.beats for chunk in beat.chunks)
        return [_said(text, rate, "A long text of")]
    return sources


def _decoded(wanted: ExplainOptions, data: bytes) -> str:
    if len(data) > LARGEST:
        msg = Sentence(
            "{called} is larger than {largest} MB; give a part of it",
            called=repr(wanted.name),
            largest=LARGEST // 2**20,
        )
        raise InputError(msg)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        msg = Sentence("{called} is not text in UTF-8; if it is text, save it as UTF-8", called=repr(wanted.name))
        raise InputError(msg) from None


def _said(text: str, rate: float, what: str) -> Source:
    """*text* in tokens; a long one in larger tokens, at the same speed in characters."""
    size = max(_TOKEN, ceil(len(text) / _MOST_TOKENS))
    beats = beats_of(text, rate * _TOKEN / size, token=size)
    return Source("text", f"{what} {len(text)} characters.", tuple(beats))


def _films(wanted: ExplainOptions, source: Source) -> tuple[Film, ...]:
    """*source*, rehearsed with each of the settings."""
    plain = replace(source, settings=None)
    bases = (replace(wanted.base, settings=settings) for settings in wanted.settings(source.settings))
    return tuple(rehearse(plain.rehearsal(base)) for base in bases)
