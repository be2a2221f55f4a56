"""The benchmark of many turns: everybody hears the same, nothing is left, and the page says what was found.

No test measures time: what is asked of a run is what it looked at.
"""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Iterator
from dataclasses import replace

import pytest

import crowd
from cadenza import Boundary, Post
from crowd import BEST, CLIENTS, SETTINGS, Crowd, Held, Messages, Tokens, lines, measure
from providers import serving
from report import RESULTS
from silence import PHASES, TOKENS as STREAMED, Quiet, measure_phase
from turns import (
    BESIDE,
    MANY,
    MOST,
    OURS,
    PAGE,
    THEIRS,
    TYPED,
    Found,
    Row,
    Silence,
    load,
    markdown,
    row,
)

TURNS, SAID = 4, 20


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving("paced.py", str(TURNS), str(SAID)) as found:
        yield found


TEXT = ["One", ".\n", "Tw", "o.\n", "Three."]


async def _sent(pauses: list[float], started: list[float]) -> Messages:
    target = Messages()
    for text, pause in zip(lines(TEXT), pauses, strict=True):
        await target.send(Post(text, Boundary.NEWLINE, pause))
    target.started = array("d", started)
    return target


async def test_a_message_that_is_missing_out_of_place_or_wrong_fails_the_run() -> None:
    for texts in (["One.", "Two."], ["Two.", "One.", "Three."], ["One.", "Tw.", "Three."]):
        target = Messages()
        target.texts = texts
        with pytest.raises(AssertionError):
            target.check(TEXT)

    (await _sent([0.0] * 3, [0.0] * 3)).check(TEXT)


def test_a_token_that_is_missing_fails_the_run() -> None:
    heard = Tokens()
    heard.texts = TEXT[:-1]

    with pytest.raises(AssertionError):
        heard.check(TEXT)


# --- a tiny run ----------------------------------------------------------------------------


@pytest.mark.parametrize("client", CLIENTS)
def test_a_crowd_hears_everything_and_leaves_nothing_behind(
    client: str, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = SETTINGS[TYPED]
    monkeypatch.setattr(crowd, "TYPING", 0.25)  # nobody needs to watch somebody type for long
    monkeypatch.setitem(SETTINGS, TYPED, replace(typed, delivery=replace(typed.delivery, typing_budget=0.25)))

    found = asyncio.run(measure(client, address, TURNS, SAID))

    assert (TURNS, TURNS * SAID) == (found.turns, found.tokens)
    assert (found.before.tasks, found.before.files) == (found.after.tasks, found.after.files)
    assert found.amid.tasks > found.before.tasks
    assert 0 <= found.delays[0] <= found.delays[1] <= found.delays[2]


def test_turns_are_stopped_in_every_phase() -> None:
    async def each_at_once(address: str) -> list[list[Quiet]]:
        return await asyncio.gather(*(measure_phase(phase, address, 2) for phase in PHASES))

    with serving("paced.py", "2", str(STREAMED)) as long:
        found = asyncio.run(each_at_once(long))

    assert [2] * len(PHASES) == [len(row) for row in found]
    assert all(0 <= one.silent <= one.returned for row in found for one in row)
    # Who waited for the end of a pause, a tool or a rate limit would be silent a second later at the earliest.
    assert all(one.silent < 1.0 for row in found for one in row)


# --- what is shown ---------------------------------------------------------------------------

HELD = Held(50_000, 1, 7, 40_000)
AMID = Held(90_000, 3001, 1007)
CROWD = Crowd(MANY, MANY * MOST, 12.5, 5.0, (0.001, 0.05, 0.2), 0.002, HELD, AMID, HELD)


def _found(*, delay: float = 0.05, after: Held = HELD, silent: float = 1.0, theirs: float = 100.0) -> Found:
    many = replace(CROWD, delays=(0.001, delay, 0.2), after=after)
    beside = [replace(row(OURS, "uvloop", many), turns=BESIDE)]
    beside += [replace(beside[0], client=THEIRS, us_per_token=theirs)]
    quiet = tuple(Silence(phase.name, "uvloop", 0.5, silent, 2.0, 3.0) for phase in PHASES)
    rows: tuple[Row, ...] = (*beside, row(OURS, BEST, many), row(TYPED, BEST, many))
    return Found("3.11", {"openai": "3"}, MANY, MOST, 50, rows, quiet)


def test_the_page_says_what_the_last_run_found() -> None:
    found = load((RESULTS / "turns.json").read_text(encoding="utf-8"))

    assert markdown(found) in PAGE.read_text(encoding="utf-8")
