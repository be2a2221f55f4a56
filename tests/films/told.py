"""Replies to tell of: a text, rehearsed."""

from __future__ import annotations

from typing import Any

from cadenza.films.film import Film
from cadenza.films.rehearsal import Rehearsal, beats_of, rehearse
from cadenza.films.telling import Message, Telling, tellings
from cadenza.settings import Settings


def filmed(text: str, *, rate: float = 50.0, settings: dict[str, object] | None = None, **rest: Any) -> Film:
    """A film of *text*."""
    return rehearse(Rehearsal(beats_of(text, rate), settings=Settings().with_values(settings or {}), **rest))


def told(text: str, *, rate: float = 50.0, settings: dict[str, object] | None = None, **rest: Any) -> Telling:
    """What is told of *text*."""
    return tellings(filmed(text, rate=rate, settings=settings, **rest))[0]


def message(**story: object) -> Message:
    """A message of which this much is known."""
    return Message(1, 1.0, "7", "Ren", str(story.get("text", "")), story, {})
