"""How few messages there may be: a table of what is left, and what that means for the next message."""

from __future__ import annotations

from math import inf, nan

import pytest
from hypothesis import given, strategies as st

from cadenza.stages.s7_allowance import Ration, ration
from cadenza.targets.target import Allowance

FULL = Allowance(5, 5, 0.0)


@pytest.mark.parametrize(
    ("allowance", "due", "wanted"),
    [
        pytest.param(FULL, 1, Ration(0.0, 1), id="all are left"),
        pytest.param(Allowance(4, 5, 5.0), 1, Ration(0.0, 1), id="most are left"),
        pytest.param(FULL, 4, Ration(0.0, 1), id="enough for all that wait"),
        pytest.param(FULL, 9, Ration(0.0, 3), id="more wait than may leave, one of which is kept"),
        pytest.param(Allowance(15, 30, 29.0), 1, Ration(1.0, 1), id="half are left, spread over the time"),
        pytest.param(Allowance(16, 30, 29.0), 1, Ration(0.0, 1), id="one more than half are left"),
        pytest.param(Allowance(2, 5, 3.0), 1, Ration(1.0, 1), id="few are left, spread over the time"),
        pytest.param(Allowance(2, 5, 3.0), 6, Ration(1.0, 6), id="few are left, and what waits leaves together"),
        pytest.param(Allowance(2, 4, 3.0), 1, Ration(1.0, 1), id="exactly half is few"),
        pytest.param(Allowance(1, 5, 3.0), 2, Ration(3.0, 2, is_forced=True), id="the last one is kept"),
        pytest.param(Allowance(0, 5, 3.0), 2, Ration(3.0, 2, is_forced=True), id="none is left"),
        pytest.param(Allowance(0, 5, 0.0), 1, Ration(0.0, 1), id="it is over"),
        pytest.param(Allowance(0, 5, -1.0), 1, Ration(0.0, 1), id="it has long been over"),
        pytest.param(Allowance(1, 1, 0.0), 1, Ration(0.0, 1), id="where there is only one, it is used"),
        pytest.param(Allowance(0, 1, 4.0), 1, Ration(4.0, 1, is_forced=True), id="and then waited for"),
        pytest.param(Allowance(0, 5, inf), 1, Ration(30.0, 1, is_forced=True), id="for ever is not believed"),
        pytest.param(Allowance(0, 5, nan), 1, Ration(30.0, 1, is_forced=True), id="nor is no number"),
        pytest.param(Allowance(-3, 0, 2.0), 1, Ration(2.0, 1, is_forced=True), id="nor are numbers that cannot be"),
    ],
)
def test_while_more_is_to_come(allowance: Allowance, due: int, wanted: Ration) -> None:
    assert wanted == ration(allowance, due, is_last=False, since=1.0, was_short=False)


@pytest.mark.parametrize(
    ("allowance", "due", "wanted"),
    [
        pytest.param(Allowance(1, 5, 3.0), 1, Ration(0.0, 1), id="the one that was kept is for this"),
        pytest.param(Allowance(2, 5, 3.0), 2, Ration(0.0, 1), id="as many as are left"),
        pytest.param(Allowance(2, 5, 3.0), 5, Ration(0.0, 3), id="evenly"),
        pytest.param(Allowance(0, 5, 3.0), 5, Ration(3.0, 5, is_forced=True), id="none is left"),
    ],
)
@pytest.mark.parametrize("was_short", [False, True])
def test_at_the_end_nothing_is_kept(allowance: Allowance, due: int, wanted: Ration, *, was_short: bool) -> None:
    assert wanted == ration(allowance, due, is_last=True, since=1.0, was_short=was_short)


def test_a_reply_that_was_short_before_spreads_its_messages_from_the_first_on() -> None:
    moments, now, last = [], 0.0, -1.0
    for left in (5, 4, 3, 2, 1):
        seconds = 5.0 - now if left < 5 else 0.0
        wait, share, _ = ration(
            Allowance(left, 5, seconds), 3, is_last=False, since=now - last if left == 5 else 0.0, was_short=True
        )
        now, last = now + wait, now + wait
        moments.append((now, share))

    assert [(0.0, 3), (1.25, 3), (2.5, 3), (3.75, 3), (5.0, 3)] == moments


@given(
    st.builds(Allowance, st.integers(0, 10), st.integers(1, 10), st.floats(0.0, 30.0)),
    st.integers(1, 50),
    st.floats(0.0, 30.0),
    st.fixed_dictionaries({"is_last": st.booleans(), "was_short": st.booleans()}),
)
def test_the_wait_ends_when_all_are_there_again_and_none_is_sent_that_is_not_left(
    allowance: Allowance, due: int, since: float, state: dict[str, bool]
) -> None:
    found = ration(allowance, due, since=since, **state)

    assert 0.0 <= found.wait <= allowance.seconds
    assert 1 <= found.share <= due
    assert found.is_forced or allowance.left > 0 or allowance.seconds == 0.0
