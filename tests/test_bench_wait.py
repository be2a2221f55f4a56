"""The benchmark of a reader's wait: virtual time, so every run finds the same, and the page says what it found."""

from __future__ import annotations

import pytest

from cadenza.targets.discord.throttle import Throttle
from channels import deliver
from report import RESULTS
from wait import (
    CHANNELS,
    PAGE,
    SHOWN,
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


def test_the_goals_are_met() -> None:
    assert [] == [str(goal) for goal in goals(FOUND) if goal.value > goal.limit]


def test_the_page_and_the_plot_say_what_the_last_run_found() -> None:
    assert markdown(FOUND) in PAGE.read_text(encoding="utf-8")
    assert picture(FOUND) == (RESULTS / "wait.svg").read_text(encoding="utf-8")
    assert len(FOUND.rows) + len(FOUND.crowds) + len(goals(FOUND)) + 4 == len(list(screen(FOUND)))
