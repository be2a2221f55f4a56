"""Refusals by Discord: counted for ten minutes, with one warning an episode."""

from __future__ import annotations

import logging

import pytest

from cadenza.bot.services.invalid_requests import ALARM, WINDOW, InvalidRequests


class Clock:
    """A time that is set."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("status", "is_shared", "expected"),
    [(401, False, 1), (403, False, 1), (429, False, 1), (429, True, 0), (404, False, 0), (200, False, 0), (500, False, 0)],
    ids=str,
)  # fmt: skip
def test_only_what_discord_counts_is_counted(status: int, expected: int, *, is_shared: bool) -> None:
    refusals = InvalidRequests(clock=Clock())

    refusals.answered(status, is_shared=is_shared)

    assert expected == refusals.recent()


def test_after_ten_minutes_they_are_forgotten() -> None:
    clock = Clock()
    refusals = InvalidRequests(clock=clock)
    refusals.answered(403)
    clock.now += WINDOW / 2
    refusals.answered(403)

    clock.now += WINDOW / 2
    assert 1 == refusals.recent()
    clock.now += WINDOW / 2
    assert 0 == refusals.recent()


def test_the_log_is_warned_once_an_episode(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    refusals = InvalidRequests(clock=clock)
    with caplog.at_level(logging.WARNING):
        for _ in range(ALARM - 1):
            refusals.answered(429)
        before = len(caplog.records)
        for _ in range(100):
            refusals.answered(429)
        during = len(caplog.records)
        clock.now += WINDOW + 1
        for _ in range(ALARM):
            refusals.answered(403)

    assert (0, 1, 2) == (before, during, len(caplog.records))
    assert "5000 calls in ten minutes" in caplog.records[0].getMessage()


def test_a_storm_takes_no_memory() -> None:
    clock = Clock()
    refusals = InvalidRequests(clock=clock)
    for _ in range(20_000):
        clock.now += 0.1
        refusals.answered(429)

    assert len(refusals._bins) <= WINDOW / 5 + 1
