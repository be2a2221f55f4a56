"""Makes films for requests of the page, as JSON or as an HTML file. It blocks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from msgspec import UNSET

from ...errors import CadenzaError, InputError, Sentence
from ...explain.fact_log import encoded
from ...settings import Settings
from ...sim.rate_limits import Rate
from ..films.fault_names import RehearsalFault
from ..films.film import Film, packed
from ..films.plan import Rehearsal
from ..films.rehearsal import rehearse
from ..films.sources import understood
from ..films.usual_bot import rehearse_usual
from ..films.virtual_time import Abandoned, GivenUp
from ..page import film_page
from .request_types import Rehearse, Share, Side, check_changeable
from .tour import LABELS, Story, shown

T = TypeVar("T")

_SHORT = 60
"""Characters of an answer that are listed."""


def checked(side: Side) -> Settings:
    """The settings of *side*, checked before the film starts."""
    check_changeable(side.settings)
    return Settings().with_values(side.settings)


def rehearsed(wanted: Rehearse, given_up: GivenUp | None = None) -> bytes:
    """The films of *wanted*, as JSON."""
    sources = understood(wanted.file or wanted.text, wanted.name, rate=wanted.rate)
    if wanted.answer > len(sources):
        called = repr(wanted.name) if wanted.name else Sentence("the input")
        msg = Sentence(
            "there is no answer {answer} in {called}; it has {count}",
            answer=wanted.answer,
            called=called,
            count=len(sources),
        )
        raise InputError(msg)
    source = sources[wanted.answer - 1]
    films = [_film(source.rehearsal(_rehearsal(wanted, side)), side, given_up) for side in wanted.sides]
    return encoded(
        {
            "what": source.what,
            "told": source.told,
            "answer": wanted.answer,
            "answers": [_in_short(one.said) for one in sources],
            "films": [packed(film) for film in films],
        }
    )


def _in_short(said: str) -> str:
    """The beginning of an answer, for the list of answers."""
    line = " ".join(said[: 2 * _SHORT].split())
    return line if len(line) <= _SHORT else f"{line[: _SHORT - 1]}…"


def told(story: Story, language: str, given_up: GivenUp | None = None) -> bytes:
    """A story of the tour with its films, as JSON."""
    seen = _finished(lambda: shown(story, language, given_up=given_up))
    return encoded(
        {
            "id": story.id,
            "title": dict(story.title),
            "about": dict(story.about),
            "captions": seen.captions,
            "labels": [dict(label) for label in LABELS],
            "films": [packed(film) for film in seen.films],
        }
    )


def shared(wanted: Share, language: str) -> bytes:
    """An HTML page with the films of *wanted*."""
    page = film_page(
        wanted.films, title=wanted.title, labels=wanted.labels, captions=wanted.captions, language=language
    )
    return page.encode("utf-8", "replace")


def _rehearsal(wanted: Rehearse, side: Side) -> Rehearsal:
    plain = Rehearsal(
        (),
        checked(side),
        asked=wanted.asked,
        title=side.label if isinstance(side.label, str) else "",
        stop_at=side.stop_at,
        faults=tuple(RehearsalFault(one.what, one.times, one.at_message, one.seconds) for one in side.faults),
    )
    if side.limits is UNSET:
        return plain
    rate = None if side.limits is None else Rate(side.limits.messages, side.limits.seconds)
    return replace(plain, limits=rate)


def _film(rehearsal: Rehearsal, side: Side, given_up: GivenUp | None) -> Film:
    make = rehearse_usual if side.is_usual else rehearse
    return _finished(lambda: make(rehearsal, given_up=given_up))


def _finished(work: Callable[[], T]) -> T:
    """The result of *work*; a ``CadenzaError`` if it was cancelled."""
    try:
        return work()
    except Abandoned:
        msg = "this film was cancelled"
        raise CadenzaError(msg) from None
