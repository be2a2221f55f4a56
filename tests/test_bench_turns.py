"""The benchmark of many turns: everybody hears the same, nothing is left, and the page says what was found.

No test measures time: what is asked of a run is what it looked at.
"""

from __future__ import annotations

import asyncio
import json
from array import array
from collections.abc import Iterator
from dataclasses import asdict, replace

import pytest

import crowd
from cadenza import Boundary, Post, TextDelta
from crowd import BEST, CLIENTS, SETTINGS, Crowd, Held, Messages, Tokens, deciders, lines, measure, percentiles
from paced import passage
from providers import serving
from report import RESULTS
from silence import PHASES, Quiet, measure_phase
from silence import TOKENS as STREAMED
from text import fresh_round
from turns import (
    BESIDE,
    CURVE,
    MANY,
    MOST,
    OURS,
    PAGE,
    THEIRS,
    TYPED,
    Found,
    Row,
    Silence,
    goals,
    load,
    markdown,
    plan,
    row,
    screen,
)

TURNS, SAID = 4, 20


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving("paced.py", str(TURNS), str(SAID)) as found:
        yield found


# --- the texts ---------------------------------------------------------------------------


def test_every_stream_has_a_text_of_its_own_and_the_same_every_time() -> None:
    texts = ["".join(passage(stream, SAID)) for stream in range(50)]

    assert 50 == len(set(texts))
    assert texts == ["".join(passage(stream, SAID)) for stream in range(50)]
    assert all(SAID == len(passage(stream, SAID)) for stream in range(50))


def test_a_shorter_passage_is_the_beginning_of_a_longer_one() -> None:
    assert passage(3, 500)[:SAID] == passage(3, SAID)


@pytest.mark.parametrize("stream", range(10))
def test_a_line_is_decided_where_the_next_one_begins(stream: int) -> None:
    """What is measured from is what the library itself waits for."""
    tokens, round_ = passage(stream, 400), fresh_round(degree=1)

    posts = [(number, post.text) for number, token in enumerate(tokens) for post in round_.receive(TextDelta(token))]

    decided = [*zip(deciders(tokens), lines(tokens), strict=True)]
    assert posts == [pair for pair in decided if pair[0] < len(tokens)]
    assert [400] == [number for number, _ in decided[len(posts) :]]


# --- what was added ------------------------------------------------------------------------

TEXT = ["One", ".\n", "Tw", "o.\n", "Three."]
WRITTEN = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


async def _sent(pauses: list[float], started: list[float]) -> Messages:
    target = Messages()
    for text, pause in zip(lines(TEXT), pauses, strict=True):
        await target.send(Post(text, Boundary.NEWLINE, pause))
    target.started = array("d", started)
    return target


@pytest.mark.parametrize(
    ("pauses", "started", "expected"),
    [
        pytest.param([0.0, 0.0, 0.0], [2.5, 4.25, 5.125], [0.5, 0.25, 0.125], id="from the token that decides it"),
        pytest.param([0.0, 0.0, 0.0], [6.0, 6.0, 6.0], [4.0, 2.0, 1.0], id="also if another was late before it"),
        pytest.param([0.0, 4.0, 0.0], [2.0, 6.5, 6.75], [0.0, 0.5, 0.75], id="but not while somebody types"),
    ],
)
async def test_what_is_added_to_a_message(pauses: list[float], started: list[float], expected: list[float]) -> None:
    target = await _sent(pauses, started)

    assert expected == target.delays(TEXT, WRITTEN)


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


def test_percentiles_are_of_the_values_in_order() -> None:
    assert (50, 99, 99) == percentiles([*range(99, -1, -1)])
    assert (7.0, 7.0, 7.0) == percentiles([7.0])


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


def test_a_row_is_figures_for_a_token() -> None:
    found = row(OURS, "uvloop", CROWD)

    assert (1.0, 50.0, 200.0) == (found.p50_ms, found.p99_ms, found.max_ms)
    assert (10.0, 0.4, 2.0) == (found.us_per_token, found.cores, found.late_ms)


@pytest.mark.parametrize(
    ("found", "missed"),
    [
        pytest.param(_found(), [], id="all is well"),
        pytest.param(_found(delay=0.2), [0], id="messages are late"),
        pytest.param(_found(after=replace(HELD, objects=41_000)), [1], id="objects are kept"),
        pytest.param(_found(after=replace(HELD, rss_kb=90_000)), [2], id="memory is kept"),
        pytest.param(_found(after=replace(HELD, tasks=2)), [3], id="a task is left"),
        pytest.param(_found(after=replace(HELD, files=8)), [3], id="a file is left"),
        pytest.param(_found(theirs=10.0), [4], id="a token is dear"),
        pytest.param(_found(silent=60.0), [5, 6, 7, 8, 9], id="a stop is not heard"),
    ],
)
def test_goals_say_what_is_missed(found: Found, missed: list[int]) -> None:
    assert missed == [number for number, goal in enumerate(goals(found)) if goal.value > goal.limit]


def test_every_row_every_phase_and_every_goal_is_shown() -> None:
    found = _found()
    shown, page = "\n".join(screen(found)), markdown(found)

    for text in (shown, page):
        assert all(goal.name in text for goal in goals(found))
        assert all(phase.name in text for phase in PHASES)
        assert all(client in text for client in (OURS, TYPED, THEIRS))


def test_results_survive_being_written_down() -> None:
    assert _found() == load(json.dumps(asdict(_found())))


def test_all_sizes_are_measured_with_all_loops_and_the_most_last() -> None:
    runs = plan(["asyncio", "uvloop"])

    ours = [(loop, turns) for client, loop, turns, _ in runs if client == OURS]
    usual = {(loop, turns) for loop in ("asyncio", "uvloop") for turns in (*CURVE, MANY)}
    assert usual | {(BEST, MANY)} == set(ours)
    assert (TYPED, BEST, MANY, MOST) == runs[-1]
    assert {"asyncio", "uvloop"} == {loop for client, loop, _, _ in runs if client == THEIRS}
    assert {"asyncio", BEST} == {loop for _, loop, _, _ in plan(["asyncio"])}


def test_the_page_says_what_the_last_run_found() -> None:
    found = load((RESULTS / "turns.json").read_text(encoding="utf-8"))

    assert markdown(found) in PAGE.read_text(encoding="utf-8")


def test_a_row_for_which_the_server_was_late_is_doubted() -> None:
    found = _found()
    late = replace(found, rows=(*found.rows[:-1], replace(found.rows[-1], late_ms=300.0)))

    assert "The server was late itself" not in markdown(found)
    assert f"for: {TYPED}, {BEST}, {MANY}." in markdown(late)
    assert f"for: {TYPED}, {BEST}, {MANY}." in "\n".join(screen(late))
