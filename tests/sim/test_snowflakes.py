from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cadenza.sim.snowflakes import EPOCH, Calendar, Snowflakes, as_timestamp, from_timestamp, made_at

TIMES = st.floats(EPOCH + 1, EPOCH + 10**9)


@given(st.lists(TIMES, min_size=2, max_size=50))
def test_every_id_is_greater_than_the_last_whatever_the_clock_does(times: list[float]) -> None:
    clock = iter(times)
    snowflakes = Snowflakes(lambda: next(clock))

    ids = [int(snowflakes.next()) for _ in times]

    assert sorted(set(ids)) == ids


@given(TIMES)
def test_an_id_says_when_it_was_made(time: float) -> None:
    assert made_at(Snowflakes(lambda: time).next()) == pytest.approx(time, abs=0.002)


def test_thousands_in_one_moment_differ() -> None:
    snowflakes = Snowflakes(lambda: EPOCH + 1000)

    ids = [snowflakes.next() for _ in range(10_000)]

    assert 10_000 == len(set(ids))
    assert EPOCH + 1000 == made_at(ids[0])


@given(TIMES)
def test_a_timestamp_can_be_read_back(time: float) -> None:
    assert from_timestamp(as_timestamp(time)) == pytest.approx(time, abs=1e-5)


def test_a_timestamp_looks_like_discords() -> None:
    assert "2015-01-01T00:00:00.000000+00:00" == as_timestamp(EPOCH)


@pytest.mark.parametrize(
    ("reading", "starts", "expected"),
    [
        pytest.param(1_800_000_000.0, None, 1_800_000_000.0, id="a clock that tells the time is believed"),
        pytest.param(7.0, None, 1_767_225_600.0, id="one that begins at nought is moved to 2026"),
        pytest.param(7.0, 1_900_000_000.0, 1_900_000_000.0, id="or to where it is told"),
        pytest.param(1_800_000_000.0, 1_900_000_000.0, 1_900_000_000.0, id="which holds for any clock"),
    ],
)
def test_the_calendar(reading: float, starts: float | None, expected: float) -> None:
    readings = [reading, reading + 2.5]
    calendar = Calendar(lambda: readings.pop(0), starts)

    assert [expected, expected + 2.5] == [calendar.now(), calendar.now()]
