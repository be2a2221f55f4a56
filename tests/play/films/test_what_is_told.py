"""Whether what a film tells is what happened: rehearsals of all kinds, looked at by somebody who knows none of the code.

What is checked is in ``docs/films.md``: each character of the model is in one message or has one fate, times and places are
in order, and what a story says of its message is what the channel shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from cadenza import Settings
from cadenza.play.films.fault_names import RehearsalFault
from cadenza.play.films.film import Film
from cadenza.play.films.plan import Rehearsal, beats_of
from cadenza.play.films.rehearsal import rehearse
from cadenza.text.tables import Table
from cadenza.types import Persona
from tests.play.films.told import filmed

PIECES = (
    "Hello there, this is a line.\n", "A **bold** and *soft* word. ", "(an aside\nover two lines) ", "```py\nx = 1\n```\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n", "<think>hm, let me see</think>", "Evening, @Mia! :wave: Here we go.\n", ":wave:\n",
    "🌙🌙\n", "😀 many\n", "Mia: what do you say?\n", "日本語の文です。次の文です。\n", "||secret||\n", "> quoted\n", "- a\n- b\n", "\n\n", "...\n",
    "[happy] Sure.\n", "<details><summary>s</summary>inner</details>", "long words " * 40 + "\n", "https://example.com/a_b\n", "And then… ",
)  # fmt: skip
TROUBLES = ("rate_limit", "lost", "slow", "broken", "webhook_gone")
_SLACK = 1e-3


class Painter:
    """Paints nothing in no time."""

    def paint(self, _: Table, /) -> bytes:
        return b"\x89PNG\r\n\x1a\n"


def some_rehearsal(seed: int) -> Rehearsal:
    """One of very many."""
    dice = Random(seed)
    text = "".join(dice.choices(PIECES, k=dice.randrange(1, 12)))
    chosen: dict[str, Any] = {"degree": dice.randrange(4), "limit": dice.choice([60, 300, 1950])}
    return Rehearsal(
        beats_of(text, dice.choice([20.0, 50.0, 500.0]), token=dice.choice([1, 3, 7, 40])),
        settings=Settings.of(**chosen, tables=dice.choice(["picture", "text", "source"])),
        persona=Persona("Ren", is_alter=dice.random() < 0.3),
        asked=dice.choice(["", "Tell me."]),
        emoji=dice.choice([(), ("wave",)]),
        stop_at=dice.random() * 6 if dice.random() < 0.4 else None,
        faults=(RehearsalFault(dice.choice(TROUBLES), at_message=dice.randrange(1, 4)),) if dice.random() < 0.3 else (),  # type: ignore[arg-type]
        painter=Painter(),
    )


def part(text: str, begin: int, end: int) -> str:
    return text.encode("utf-16-le")[2 * begin : 2 * end].decode("utf-16-le")


def letters(text: str) -> str:
    """What nobody but a rule for tags and names may change."""
    text = re.sub(r"<@\d+>", "@Mia", re.sub(r"<(:\w+:)\d+>", r"\1", text))
    return "".join(filter(str.isalnum, text)).casefold()


def raw_of(film: Film) -> str:
    return "".join(one.about["text"] for one in film.of_kind("tokens") if one.about["sort"] == "text")


def complaints(film: Film) -> Iterator[str]:
    """What is told and is not so."""
    raw = raw_of(film)
    ended = "reply"
    shown = {one.about["message"]["id"]: one.about["message"] for one in film.of_kind("message")}
    stories = [one for one in film.records if one.kind == "story"]
    for number, record in enumerate(stories, start=1):
        story: dict[str, Any] = record.about["story"]
        times, message = story["times"], shown[record.about["message"]]
        if (number, ended) != (story["number"], story["starts"]["reason"]):
            yield f"{number} does not begin where the one before it ended"
        ended = story["ends"]["reason"]
        order = [times["heard"], times["planned"], times["sending"], times["sent"]]
        if any(later < earlier - _SLACK for earlier, later in pairwise(order)):
            yield f"{number} has times out of order: {times}"
        for what, last in (("holds", times["planned"]), ("waits", times["sending"])):
            if any(not span["from"] < span["to"] <= last + _SLACK for span in story[what]):
                yield f"{number} has {what} that do not end in time: {story[what]}, {times}"
        if len(story["posts"]) != (story["merged"] or {"count": 1})["count"]:
            yield f"{number} is not made of as many messages as is said"
        told = "".join(part(raw, *span) for span in story["raw"])
        if not story["file"] and (message["content"] != story["text"] or letters(told) != letters(story["text"])):
            yield f"{number} says {message['content']!r}, which is not {told!r}"
        if not told:
            yield f"{number} is made of nothing"
    yield from _complaints_of_fates(film)


def _complaints_of_fates(film: Film) -> Iterator[str]:
    raw = raw_of(film)
    owners: dict[int, str] = {}
    for record in film.records:
        if record.kind in ("story", "fate"):
            name = record.about.get("message") or record.about["fate"]
            for begin, end in record.about.get("story", record.about)["raw"]:
                for place in range(begin, end):
                    if owners.setdefault(place, name) != name:
                        yield f"{place} is in {owners[place]} and in {name}"
    left = [place for place in range(len(raw.encode("utf-16-le")) // 2) if place not in owners]
    if "".join(part(raw, place, place + 1) for place in left).strip():
        yield f"nobody knows what became of {left}"
    holds = [one.about["about"]["why"] for one in film.of_kind("fact") if one.about["fact"] == "text_held"]
    if holds and holds[-1]:
        yield f"what is held for {holds[-1]} is held for ever"


@pytest.mark.parametrize("seeds", [range(start, start + 20) for start in range(0, 40, 20)], ids=str)
def test_what_is_told_is_what_happened(seeds: range) -> None:
    found = {seed: [*complaints(rehearse(some_rehearsal(seed)))] for seed in seeds}

    assert {} == {seed: told for seed, told in found.items() if told}


@pytest.mark.parametrize("on_stop", ["silence", "clause"])
def test_a_picture_that_waits_at_a_stop_is_dropped(on_stop: str) -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    settings = Settings.of(degree=2, on_stop=on_stop)
    film = rehearse(
        Rehearsal(beats_of(f"One.\n{table}\n\nAnd more.\n", 500.0), settings=settings, stop_at=0.3, painter=Painter())
    )

    assert ["One."] == [one.about["story"]["text"] for one in film.of_kind("story")]
    assert [] == [*complaints(film)]


_CODE = "".join(f"print({number})\n" for number in range(600))
IN_FILES = [
    pytest.param(
        "One.\nTwo.\nThree.\nAnd **four**.\n",
        {"degree": 1, "message_limit": 2},
        [(None, "One."), ("reply.md", "Two.\nThree.\nAnd **four**.")],
        id="what a full reply has no room for",
    ),
    pytest.param(
        f"Now:\n{'a' * 30} {_CODE}\nThat is all.",
        {"degree": 0, "message_limit": 2},
        [(None, None), ("reply.md", None)],
        id="what a full reply of few messages has no room for",
    ),
    pytest.param(
        f"See:\n```py\n{_CODE}```\nDone.\n",
        {"degree": 1, "code_file": 2},
        [(None, "See:"), ("code.py", f"```py\n{_CODE}```"), (None, "Done.")],
        id="a long block of code",
    ),
]


@pytest.mark.parametrize(("text", "settings", "expected"), IN_FILES)
def test_what_is_in_a_file_belongs_to_the_message_with_the_file(
    text: str, settings: dict[str, object], expected: list[tuple[str | None, str | None]]
) -> None:
    film = filmed(text, settings=settings, painter=None)

    told = [record.about["story"] for record in film.of_kind("story")]
    words = [(one["file"], "".join(text[start:end] for start, end in one["raw"])) for one in told]
    assert [] == film.of_kind("fate")
    assert expected == [
        (file, said if wanted[1] else None) for (file, said), wanted in zip(words, expected, strict=True)
    ]
    assert "".join(text.split()) == "".join("".join(said for _, said in words).split())
