"""What one person says in a row is answered together, in virtual time."""

from __future__ import annotations

import asyncio

import pytest

from cadenza.settings import Settings
from cadenza.turns import StopResult, Verdict
from cadenza.turns.waiting import Dropped
from tests.at_the_desk import desk, quiet

pytestmark = pytest.mark.looptime


async def test_a_burst_is_answered_together() -> None:
    made = desk(debounce=2.0)
    verdicts = []
    for text in ("one", "two", "three"):
        verdicts.append(made.write(text))
        await asyncio.sleep(1.5)
    await quiet(made)

    assert [Verdict.GATHERED] * 3 == verdicts
    assert ["one+two+three"] == made.texts
    assert [5.0] == made.begins
    assert ["message"] == made.whys


async def test_somebody_else_goes_behind_a_burst_and_ends_it() -> None:
    made = desk(debounce=2.0)
    verdicts = [made.write("one"), made.write("else", "bob"), made.write("two")]
    await quiet(made)

    assert [Verdict.GATHERED, Verdict.QUEUED, Verdict.QUEUED] == verdicts
    assert ["one", "else", "two"] == made.texts


async def test_what_is_gathered_waits_for_no_turn_of_its_own() -> None:
    made = desk(debounce=2.0)
    made.write("one")
    made.write("two")
    await asyncio.sleep(3.0)

    assert () == made.ran[0].turn.waiting


async def test_a_burst_behind_others_is_gathered_too() -> None:
    made = desk(debounce=2.0, waiting=1)
    made.write("one")
    await asyncio.sleep(5.0)

    assert [Verdict.QUEUED, Verdict.GATHERED] == [made.write("two", "bob"), made.write("three", "bob")]
    assert Verdict.FULL is made.write("four", "cat")
    await quiet(made)
    assert ["one", "two+three"] == made.texts


async def test_whoever_does_not_stop_writing_is_answered_in_the_end() -> None:
    made = desk(debounce=2.0, interrupts=0)
    for number in range(12):
        made.write(str(number))
        await asyncio.sleep(1.0)

    assert [10.0] == made.begins
    await quiet(made)
    assert ["0+1+2+3+4+5+6+7+8+9", "10+11"] == made.texts


async def test_a_follow_up_is_gathered_too() -> None:
    made = desk(debounce=2.0)
    made.write("one")
    await asyncio.sleep(5.0)
    verdicts = [made.write("two")]
    await asyncio.sleep(1.0)
    verdicts.append(made.write("three"))
    await quiet(made)

    assert [Verdict.INTERRUPTED, Verdict.GATHERED] == verdicts
    assert ["one", "one+two+three"] == made.texts
    assert [2.0, 8.0] == made.begins
    assert [] == made.dropped


async def test_a_stop_is_not_gathered_and_ends_a_burst() -> None:
    made = desk(debounce=2.0)
    made.write("one")
    made.write("two")

    assert Verdict.STOPPED is made.write("stop")
    await quiet(made)
    assert [] == made.texts
    assert [("one", Dropped.STOPPED), ("two", Dropped.STOPPED)] == made.dropped


async def test_a_stop_during_a_reply_is_not_gathered() -> None:
    made = desk(debounce=2.0)
    made.write("one")
    await asyncio.sleep(3.0)

    assert Verdict.STOPPED is made.write("stop")
    await quiet(made)
    assert (["one"], ["user"]) == (made.texts, made.outcomes)


async def test_a_command_is_not_gathered() -> None:
    made = desk(debounce=2.0)

    assert Verdict.STARTED is made.write("one", command=True)
    await quiet(made)
    made.write("two")
    made.write("three", command=True)
    made.write("four")
    await quiet(made)
    assert ["one", "two", "three", "four"] == made.texts


async def test_a_command_to_stop_clears_what_is_gathered() -> None:
    made = desk(debounce=2.0)
    made.write("one")

    assert StopResult(was_running=False, cleared=1) == made.turns.stop("general")
    await quiet(made)
    assert [] == made.texts


async def test_new_settings_hold_at_once_also_where_somebody_is_being_answered() -> None:
    made = desk(debounce=0.0, interrupts=0)
    made.write("one")
    await asyncio.sleep(0.1)

    made.turns.change(Settings.of(debounce=2.0, interrupts=0))
    verdicts = [made.write("two"), made.write("three")]
    await quiet(made)

    assert Verdict.GATHERED is verdicts[1]
    assert ["one", "two+three"] == made.texts
