"""Pauses, and of what they are made. What they come to is tested with the composer."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cadenza.settings import DeliverySettings
from cadenza.stages.s7_pacing import Pace, Pacer
from tests.helpers import Dice


def paces(*texts: str, dice: Dice | None = None, **settings: float) -> list[Pace]:
    pacer = Pacer(DeliverySettings(**{"degree": 2, **settings}), (dice or Dice()).random)
    return [pacer.pause_before(text) for text in texts]


@pytest.mark.parametrize(
    ("rolls", "expected"),
    [
        pytest.param((0.0, 0.99), Pace(1.0, 0.75, 0.25, 0.0), id="a breath"),
        pytest.param((0.5, 0.99), Pace(1.625, 0.75, 0.875, 0.0), id="a longer one"),
        pytest.param((0.0, 0.0), Pace(1.5, 0.75, 0.25, 0.5), id="thinking, at least three quarters of a second"),
        pytest.param((0.6, 0.0), Pace(2.25, 0.75, 1.0, 0.5), id="thinking, half as long again"),
    ],
)
def test_a_pause_is_made_of_typing_a_breath_and_some_thinking(rolls: tuple[float, ...], expected: Pace) -> None:
    assert expected == paces("a", "b", "c", dice=Dice(*rolls))[2]


def test_the_first_message_has_no_pause_and_the_second_no_breath() -> None:
    assert [Pace(), Pace(0.75, 0.75)] == paces("a", "b")


@pytest.mark.parametrize("degree", [0, 1])
def test_without_typing_there_is_no_pause(degree: int) -> None:
    assert [Pace()] * 3 == paces("a", "b", "c", degree=degree)


def test_what_the_budget_has_no_room_for_is_cut() -> None:
    assert [0.0, 0.25, 0.5, 0.5] == [pace.cut for pace in paces(*"abcd", dice=Dice(0.0, 0.99), typing_budget=0.5)]


@given(st.lists(st.text(max_size=300), max_size=8), st.floats(0, 20), st.lists(st.floats(0, 0.999), min_size=1))
def test_what_a_pause_is_made_of_adds_up(texts: list[str], budget: float, rolls: list[float]) -> None:
    for pace in paces(*texts, dice=Dice(*rolls), typing_budget=budget):
        assert pytest.approx(pace.typing + pace.breath + pace.thinking - pace.cut, abs=1e-4) == pace.pause
        assert min(pace) >= 0
