"""Replies to tell of: a text, rehearsed."""

from __future__ import annotations

from base64 import b64decode
from random import Random
from typing import Any

from cadenza.play.films.film import Film, load
from cadenza.play.films.plan import Rehearsal, beats_of
from cadenza.play.films.rehearsal import rehearse
from cadenza.play.films.summary import Message, ReplySummary, tellings
from cadenza.settings import Settings

_WORDS = [
    "the",
    "ferry",
    "was",
    "late",
    "and",
    "nobody",
    "minded",
    "least",
    "of",
    "all",
    "dog",
    "we",
    "had",
    "tea",
    "bread",
    "whole",
    "evening",
    "lighthouse",
    "keeper",
    "sea",
    "under",
    "over",
    "green",
    "window",
    "quiet",
    "harbour",
    "seven",
    "bells",
    "between",
    "stones",
    "walking",
    "slowly",
    "home",
    "again",
]


def mixed_text(size: int) -> str:
    """A text of *size* characters as models write them, in which no line comes twice: prose, code, tables, thoughts."""
    chance, lines, length = Random(9), list[str](), 0
    while length < size:
        words = chance.choices(_WORDS, k=chance.randint(10, 25))
        one, two, three, number = *words[:3], chance.randint(0, 10**6)
        prose = f"{one.capitalize()} {two}, **{three}** ({number}) {' '.join(words[3:])}.\n"
        rare = {
            0: f"```py\nfor {one} in range({number}):\n    print({two})\n```\n",
            1: f"| what | when |\n|---|---|\n| {one} | {number} |\n| {two} | later |\n\n",
            2: f"<think>What did {one} {two} {number} ask for?</think>",
        }
        lines.append(rare.get(chance.randrange(20), prose))
        length += len(lines[-1])
    return "".join(lines)[:size]


def filmed(text: str, *, rate: float = 50.0, settings: dict[str, object] | None = None, **rest: Any) -> Film:
    """A film of *text*."""
    return rehearse(Rehearsal(beats_of(text, rate), settings=Settings().with_values(settings or {}), **rest))


def told(text: str, *, rate: float = 50.0, settings: dict[str, object] | None = None, **rest: Any) -> ReplySummary:
    """What is told of *text*."""
    return tellings(filmed(text, rate=rate, settings=settings, **rest))[0]


def message(**story: object) -> Message:
    """A message of which this much is known."""
    return Message(1, 1.0, "7", "Ren", str(story.get("text", "")), story, {})


def unpacked(film: str) -> Film:
    """A film that was packed for a page."""
    return load(b64decode(film))
