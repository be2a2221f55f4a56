"""What can be made to go wrong: which calls are struck, and by what."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from cadenza.sim.faults import Banning, Failing, Fault, Faults, Losing, Slowing, Verdict

SAY = "POST /channels/*/messages"
OOPS = Failing(500, 0, "500: simulated", None, None, is_carried_out=False)
LOST = Losing(is_carried_out=True)


def strike(faults: Faults, times: int = 1) -> list[Verdict | None]:
    return [faults.strike("POST", "/channels/1/messages")[1] for _ in range(times)]


KINDS: dict[str, tuple[Callable[[Faults], Fault], Verdict]] = {
    "an error": (lambda faults: faults.fail(SAY, 500), OOPS),
    "an error with all there is to it": (
        lambda faults: faults.fail(SAY, 400, 50035, message="no", fields={"a": {}}, is_carried_out=True),
        Failing(400, 50035, "no", {"a": {}}, None, is_carried_out=True),
    ),
    "an answer lost": (lambda faults: faults.lose(SAY), LOST),
    "a call lost": (lambda faults: faults.lose(SAY, is_carried_out=False), Losing(is_carried_out=False)),
    "a storm": (lambda faults: faults.storm(SAY, 2.5), Slowing(2.5, is_global=False, has_via=True)),
    "a storm over everything": (
        lambda faults: faults.storm(SAY, 2.5, is_global=True, has_via=False),
        Slowing(2.5, is_global=True, has_via=False),
    ),
    "a ban": (lambda faults: faults.ban(times=1, retry_after=5.0), Banning(5.0)),
}


@pytest.mark.parametrize(("make", "verdict"), KINDS.values(), ids=KINDS)
def test_a_fault_strikes_what_it_means_until_it_is_ended(make: Callable[[Faults], Fault], verdict: Verdict) -> None:
    faults = Faults()
    fault = make(faults)

    assert [verdict] == strike(faults)
    assert fault.struck == 1
    fault.end()
    assert [None] == strike(faults)


def test_other_calls_are_spared() -> None:
    faults = Faults()
    faults.fail(SAY, 500)

    assert (0.0, None) == faults.strike("GET", "/channels/1/messages")
    assert [OOPS] == strike(faults)


ROWS = {
    "once": ({}, "x...."),
    "twice": ({"times": 2}, "xx..."),
    "after two": ({"after": 2}, "..x.."),
    "after two, twice": ({"after": 2, "times": 2}, "..xx."),
    "each": ({"every": 1}, "xxxxx"),
    "each second": ({"every": 2}, ".x.x."),
    "each second, once": ({"every": 2, "times": 1}, ".x..."),
    "each second after one": ({"every": 2, "after": 1}, "..x.x"),
}


@pytest.mark.parametrize(("options", "expected"), ROWS.values(), ids=ROWS)
def test_how_often_it_strikes_is_said(options: dict[str, int], expected: str) -> None:
    faults = Faults()
    faults.lose(SAY, **options)  # type: ignore[arg-type]  # a table of options that are all numbers

    assert expected == "".join("x" if struck else "." for struck in strike(faults, 5))


@given(st.integers(0, 5), st.integers(1, 5), st.integers(1, 5), st.integers(0, 40))
def test_each_nth_after_the_first_few_is_struck_and_never_more_than_said(
    after: int, every: int, times: int, calls: int
) -> None:
    faults = Faults()
    faults.lose(SAY, after=after, every=every, times=times)

    expected = [after + every * number for number in range(1, times + 1) if after + every * number <= calls]

    assert expected == [number for number, struck in enumerate(strike(faults, calls), start=1) if struck]


def test_one_that_strikes_speaks_alone_and_the_next_waits_for_its_turn() -> None:
    faults = Faults()
    faults.fail(SAY, 500)
    faults.lose(SAY)

    assert [OOPS, LOST, None] == strike(faults, 3)


def test_delays_add_up_and_come_on_top() -> None:
    faults = Faults()
    faults.delay(SAY, 2)
    faults.delay("* /**", 0.5, times=1)
    faults.fail(SAY, 500)

    assert [(2.5, OOPS), (2.0, None)] == [faults.strike("POST", "/channels/1/messages") for _ in range(2)]


def test_a_storm_is_over_after_so_many() -> None:
    faults = Faults()
    faults.storm(SAY, 1.0, 2)

    assert [True, True, False] == [isinstance(verdict, Slowing) for verdict in strike(faults, 3)]


def test_all_can_be_cleared_at_once() -> None:
    faults = Faults()
    fault = faults.ban()
    faults.delay(SAY, 1.0)
    faults.clear()

    assert (0.0, None) == faults.strike("POST", "/channels/1/messages")
    assert fault.is_over


@pytest.mark.parametrize("options", [{"times": 0}, {"every": 0}, {"after": -1}], ids=str)
def test_one_that_could_never_strike_is_refused(options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="times, every and after"):
        Faults().lose(SAY, **options)  # type: ignore[arg-type]  # likewise


def test_several_calls_can_be_meant_and_are_counted_together() -> None:
    faults = Faults()
    faults.lose(f"{SAY}, POST /webhooks/*/*", times=2)

    calls = ("/webhooks/1/token", "/users/@me/channels", "/channels/1/messages", "/webhooks/1/token")
    assert [LOST, None, LOST, None] == [faults.strike("POST", path)[1] for path in calls]
