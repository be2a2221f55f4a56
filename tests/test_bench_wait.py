"""The benchmark of a reader's wait: virtual time, so every run finds the same, and the page says what it found."""

from __future__ import annotations

import pytest

from cadenza.targets.discord.throttle import Throttle
from cadenza.text.units import units
from channels import deliver
from plot import Curve, curves
from report import RESULTS
from wait import (
    CHANNELS,
    DEGREES,
    PAGE,
    SHOWN,
    SIZES,
    SPEEDS,
    curve,
    goals,
    letters,
    load,
    markdown,
    measure_crowd,
    measure_one,
    passage,
    picture,
    screen,
)

FOUND = load((RESULTS / "wait.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("size", SIZES)
def test_a_passage_is_as_long_as_it_should_be_and_the_same_every_time(size: int) -> None:
    assert (True, passage(size)) == (0 <= size - units(passage(size)) < 20, passage(size))


@pytest.mark.parametrize("is_paced", [False, True], ids=["not paced", "paced"])
def test_a_run_finds_what_stands_in_the_results(*, is_paced: bool) -> None:
    size, speed, degree = SHOWN

    row, _, _ = measure_one(size, speed, degree, is_paced=is_paced)

    assert row in FOUND.rows


@pytest.mark.parametrize("is_named", [False, True], ids=["bot", "personas"])
def test_two_hundred_channels_at_once_are_never_refused_and_none_waits_twice_as_long(*, is_named: bool) -> None:
    crowd = measure_crowd(CHANNELS, is_named=is_named)

    assert crowd in FOUND.crowds
    assert (200, 0, True) == (crowd.channels, crowd.refused, crowd.worst <= 2 * crowd.median)


@pytest.mark.looptime
async def test_they_would_be_refused_if_nobody_held_back() -> None:
    texts = [passage(1500, seed) for seed in range(CHANNELS)]

    found = await deliver(texts, persona=None, latency=0.08, letters=letters, throttle=Throttle(limit=1_000_000))

    assert found.refused > CHANNELS


def test_a_chat_that_does_not_say_what_it_takes_gets_too_much() -> None:
    refused = {row.is_paced: row.refused for row in FOUND.rows if (row.size, row.speed, row.degree) == SHOWN}

    assert (True, 0) == (refused[False] > 0, refused[True])


def test_everything_was_measured() -> None:
    assert {(size, speed, degree, paced) for size in SIZES for speed in SPEEDS for degree in DEGREES for paced in (False, True)} == {
        (row.size, row.speed, row.degree, row.is_paced) for row in FOUND.rows
    }  # fmt: skip


def test_the_goals_are_met() -> None:
    assert [] == [str(goal) for goal in goals(FOUND) if goal.value > goal.limit]


def test_the_page_and_the_plot_say_what_the_last_run_found() -> None:
    assert markdown(FOUND) in PAGE.read_text(encoding="utf-8")
    assert picture(FOUND) == (RESULTS / "wait.svg").read_text(encoding="utf-8")
    assert len(FOUND.rows) + len(FOUND.crowds) + len(goals(FOUND)) + 4 == len(list(screen(FOUND)))


def test_a_curve_has_a_point_where_something_was_shown() -> None:
    assert Curve("shown", ((1.0, 2), (3.0, 5)), is_stepped=True) == curve("shown", [1.0, 1.0, 3.0, 3.0, 3.0])
    assert ((1.0, 1), (4.0, 4)) == curve("heard", [1.0, 2.0, 3.0, 4.0], step=3).points


def test_a_plot_has_a_line_and_a_name_for_each_curve() -> None:
    drawn = curves(
        "A & B",
        [Curve("<heard>", ((0.5, 1), (1.0, 2))), Curve("shown", ((1.0, 2),), is_stepped=True)],
        across="s",
        up="n",
    )

    assert (2, True, True) == (drawn.count("<path"), "&lt;heard&gt;" in drawn, "A &amp; B" in drawn)
    assert "HV" not in drawn


def test_only_letters_are_waited_for() -> None:
    assert "abc1" == letters("A b, *c* 1.\n")
