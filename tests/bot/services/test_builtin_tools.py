"""The built-in tools: a clock and dice."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, strategies as st

from cadenza.bot.services.builtin_tools import builtin_tools, now_in, rolled
from cadenza.errors import ToolError
from cadenza.tools.tool import ToolContext

pytestmark = pytest.mark.looptime
NOON = 1_792_411_200.0
"""19 October 2026, 12:00 in Greenwich."""


@pytest.mark.parametrize(
    ("zone", "expected"),
    [
        ("UTC", "Monday, 19 October 2026, 12:00 (UTC, UTC+0000)"),
        ("Europe/Berlin", "Monday, 19 October 2026, 14:00 (Europe/Berlin, UTC+0200)"),
        (" Asia/Tokyo ", "Monday, 19 October 2026, 21:00 (Asia/Tokyo, UTC+0900)"),
        ("Pacific/Kiritimati", "Tuesday, 20 October 2026, 02:00 (Pacific/Kiritimati, UTC+1400)"),
    ],
)
def test_the_time_is_told_as_people_there_say_it(zone: str, expected: str) -> None:
    assert expected == now_in(zone, NOON)


@pytest.mark.parametrize("zone", ["Mars/Olympus", "", "America", "../../etc/passwd", "/etc/passwd", "\x00", "\ud800", "茶" * 500])  # fmt: skip
def test_a_zone_that_there_is_not_is_one_sentence_for_the_model(zone: str) -> None:
    with pytest.raises(ToolError, match=r"There is no time zone .*; use a name such as") as caught:
        now_in(zone, NOON)

    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("roll", "expected"),
    [
        ("d1", "d1: 1"),
        ("3d1+1", "3d1+1: 1 + 1 + 1 + 1 = 4"),
        (" 2 D1 - 5 ", "2d1-5: 1 + 1 - 5 = -3"),
        ("2d1+1d1-1d1", "2d1+1d1-1d1: 1 + 1 + 1 - 1 = 2"),
        ("-2d1", "-2d1: - 1 - 1 = -2"),
        ("7", "7: 7"),
        ("1w1", "1w1: 1"),
        ("２ｄ１＋３", "2d1+3: 1 + 1 + 3 = 5"),
    ],
)
def test_each_die_is_told_and_the_sum(roll: str, expected: str) -> None:
    assert expected == rolled(roll, Random(1))


@given(st.integers(1, 100), st.integers(1, 1000), st.integers())
def test_no_die_shows_more_than_it_has_sides(count: int, sides: int, seed: int) -> None:
    shown = rolled(f"{count}d{sides}", Random(seed)).partition(": ")[2].partition(" =")[0]

    dice = [int(die) for die in shown.split(" + ")]
    assert count == len(dice)
    assert all(1 <= die <= sides for die in dice)


@pytest.mark.parametrize(
    "roll",
    ["", "two dice", "101d6", "0d6", "2d0", "2d1001", "60d6+60d6", "d", "2d6+", "2d6++1", "1+" * 5000 + "1"],
    ids=lambda roll: roll[:12] or "nothing",
)
def test_what_cannot_be_rolled_is_one_sentence_for_the_model(roll: str) -> None:
    with pytest.raises(ToolError) as caught:
        rolled(roll, Random(1))

    assert str(caught.value).endswith(".")
    assert len(str(caught.value)) < 200


def test_chance_is_handed_in() -> None:
    assert rolled("20d20", Random(5)) == rolled("20d20", Random(5)) != rolled("20d20", Random(6))


async def test_a_model_can_run_both() -> None:
    tools = builtin_tools(clock=lambda: NOON, random=Random(1))

    assert "Monday, 19 October 2026, 12:00 (UTC, UTC+0000)" == await tools["time"].run({}, ToolContext())
    assert rolled("2d6", Random(1)) == await tools["dice"].run({"roll": "2d6"}, ToolContext())
    assert ["time", "dice"] == [tool.spec.name for tool in tools.values()]
    assert all("description" in str(tool.spec.parameters) and tool.spec.description for tool in tools.values())
