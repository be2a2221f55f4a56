"""How turns end before their time: stops in words and by command, and turns that hang (§11, T89 to T93)."""

from __future__ import annotations

import asyncio

import pytest

from cadenza.concurrency.stops import Stops
from cadenza.turns import StopResult, Verdict
from cadenza.turns.waiting import Dropped
from cadenza.types import StopReason
from tests.at_the_desk import Answer, desk, others, quiet

pytestmark = pytest.mark.looptime

LONG = Answer(60.0)
TOOLS = Answer(60.0, uses_tools=True)


# --- stops in words ----------------------------------------------------------------------------


async def test_admission_6_a_stop_in_words_is_obeyed_and_not_answered() -> None:
    made = desk(answers={"one": LONG})
    made.write("one", persona="Ren")
    made.write("waiting", "bob")
    await asyncio.sleep(2.0)

    assert Verdict.STOPPED is made.write("Ren, stop!")
    assert (StopReason.USER, "ann") == (made.ran[0].turn.stop.reason, made.ran[0].turn.stop.by)
    await quiet(made)

    assert ["one", "waiting"] == made.texts
    assert ["message", "queued"] == made.whys
    assert ["user", "completed"] == made.outcomes


async def test_admission_7_and_t92_somebody_elses_stop_is_an_ordinary_message() -> None:
    made = desk()
    made.write("one")

    assert Verdict.QUEUED is made.write("stop", "bob")
    await quiet(made)
    assert ["one", "stop"] == made.texts
    assert ["completed", "completed"] == made.outcomes


async def test_b54_a_stop_word_in_a_sentence_is_a_follow_up() -> None:
    made = desk()
    made.write("one")

    assert Verdict.INTERRUPTED is made.write("wait, what time is it?")
    await quiet(made)


async def test_a_stop_when_nobody_is_answered_is_an_ordinary_message() -> None:
    made = desk()

    assert Verdict.STARTED is made.write("stop")
    await quiet(made)


async def test_stops_in_words_may_be_turned_off() -> None:
    made = desk(stop_phrases=False)
    made.write("one")

    assert Verdict.INTERRUPTED is made.write("stop")
    await quiet(made)


async def test_a_command_of_that_text_is_no_stop_in_words() -> None:
    made = desk()
    made.write("one")

    assert Verdict.QUEUED is made.write("stop", command=True)
    await quiet(made)


async def test_the_reply_to_a_command_can_be_stopped_in_words() -> None:
    made = desk()
    made.write("one", command=True)
    await asyncio.sleep(1.0)

    assert Verdict.STOPPED is made.write("stop")
    await quiet(made)
    assert ["user"] == made.outcomes


async def test_b53_what_comes_between_a_stop_and_its_end_waits() -> None:
    made = desk(answers={"one": Answer(4.0, heeds=False)})
    made.write("one")
    await asyncio.sleep(1.0)
    made.write("stop")

    assert [Verdict.QUEUED, Verdict.QUEUED] == [made.write("what now"), made.write("me too", "bob")]
    await quiet(made)
    assert ["one", "what now", "me too"] == made.texts
    assert [] == made.dropped


async def test_a_second_stop_meanwhile_drops_what_came_between() -> None:
    made = desk(answers={"one": Answer(4.0, heeds=False)})
    made.write("one")
    await asyncio.sleep(1.0)
    made.write("stop")
    made.write("what now")

    assert Verdict.STOPPED is made.write("stop!!")
    await quiet(made)
    assert ["one"] == made.texts
    assert [("what now", Dropped.STOPPED)] == made.dropped


async def test_a_stop_ends_everything_that_its_author_waits_for_and_nothing_else() -> None:
    made = desk(answers={"one": TOOLS})
    made.write("one")
    await asyncio.sleep(1.0)
    made.write("theirs", "bob")
    made.write("more")
    made.write("command", command=True)
    made.write("stop")
    await quiet(made)

    assert ["one", "theirs"] == made.texts
    assert [("more", Dropped.STOPPED), ("command", Dropped.STOPPED)] == made.dropped


async def test_whoever_waits_for_others_may_think_better_of_it() -> None:
    made = desk()
    made.write("one")
    made.write("two", "bob")

    assert Verdict.STOPPED is made.write("never mind", "bob")
    await quiet(made)
    assert ["one"] == made.texts
    assert ["completed"] == made.outcomes
    assert [("two", Dropped.STOPPED)] == made.dropped


async def test_t89_what_comes_after_a_stop_is_answered() -> None:
    made = desk()
    made.write("one")
    made.write("stop")
    await quiet(made)
    made.write("two")
    await quiet(made)

    assert ["one", "two"] == made.texts
    assert ["message", "message"] == made.whys


async def test_a_stop_outranks_a_follow_up_that_is_on_its_way() -> None:
    made = desk(answers={"one": Answer(4.0, heeds=False)})
    made.write("one")
    await asyncio.sleep(1.0)
    made.write("more")

    assert Verdict.STOPPED is made.write("stop")
    await quiet(made)
    assert ["one"] == made.texts
    assert [("one", Dropped.STOPPED), ("more", Dropped.STOPPED)] == made.dropped
    assert StopReason.USER is made.ran[0].turn.stop.reason


# --- the command to stop -----------------------------------------------------------------------


async def test_t90_where_nothing_goes_on_there_is_nothing_to_stop() -> None:
    stops = Stops()
    made = desk(stops=stops)

    stopping = made.turns.stop("general", by="ann")

    assert StopResult(was_running=False, cleared=0) == stopping
    assert not stopping
    assert () == stops.running()
    assert {} == made.turns._channels


async def test_t91_a_command_stops_the_reply_and_clears_what_waits() -> None:
    made = desk(answers={"one": LONG})
    made.write("one")
    made.write("two", "bob")
    made.write("three", "cat")
    await asyncio.sleep(5.0)

    stopping = made.turns.stop("general", by="mod")
    assert StopResult(was_running=True, cleared=2) == stopping
    assert stopping
    await asyncio.sleep(0.9)

    assert {} == made.turns._channels
    assert ["user"] == made.outcomes
    assert "mod" == made.ran[0].turn.stop.by
    assert [("two", Dropped.STOPPED), ("three", Dropped.STOPPED)] == made.dropped


async def test_a_command_of_somebody_who_may_not_stop_others_stops_only_what_they_asked_for() -> None:
    made = desk(answers={"one": LONG})
    made.write("one")
    made.write("two", "bob")
    made.write("three", "cat")
    await asyncio.sleep(5.0)

    assert StopResult(was_running=False, cleared=1) == made.turns.stop("general", by="bob", author="bob")
    assert not made.turns.stop("general", by="bob", author="bob")
    assert StopResult(was_running=True, cleared=0) == made.turns.stop("general", by="ann", author="ann")
    await quiet(made)
    assert ["one", "three"] == made.texts
    assert ["user", "completed"] == made.outcomes
    assert [("two", Dropped.STOPPED)] == made.dropped


async def test_what_comes_after_a_command_to_stop_is_answered() -> None:
    made = desk(answers={"one": Answer(4.0, heeds=False)})
    made.write("one")
    await asyncio.sleep(1.0)
    made.turns.stop("general")

    assert Verdict.QUEUED is made.write("next")
    await quiet(made)
    assert ["one", "next"] == made.texts


async def test_a_reply_that_does_not_heed_a_stop_is_cancelled() -> None:
    made = desk(stop_grace=2.0, answers={"one": Answer(60.0, heeds=False)})
    made.write("one")
    made.write("two", "bob")
    await asyncio.sleep(1.0)
    made.write("stop")
    await quiet(made)

    assert ["cancelled", "completed"] == made.outcomes
    assert [0.0, 3.0] == made.begins


# --- a turn that does not get on ---------------------------------------------------------------


async def test_admission_9_and_t93_a_turn_that_does_not_get_on_gives_way_and_what_waited_is_gone() -> None:
    made = desk(answers={"one": Answer(1000.0)})
    made.write("one")
    made.write("two", "bob")
    await asyncio.sleep(181.0)

    assert ["stale"] == made.outcomes
    assert [("two", Dropped.STALE)] == made.dropped
    assert Verdict.STARTED is made.write("three", "bob")
    await quiet(made)
    assert ["one", "three"] == made.texts


async def test_admission_9_what_has_a_limit_of_its_own_is_not_stale() -> None:
    made = desk(waiting_age=2000.0, answers={"one": Answer(1000.0, watched=True)})
    made.write("one")
    made.write("two", "bob")
    await quiet(made)

    assert ["completed", "completed"] == made.outcomes


async def test_a_turn_that_gets_on_is_not_stale() -> None:
    made = desk(answers={"one": Answer(1000.0, gets_on=170.0)})
    made.write("one")
    await quiet(made)

    assert ["completed"] == made.outcomes


async def test_a_turn_is_stale_so_long_after_it_last_got_on() -> None:
    made = desk(answers={"one": Answer(1000.0)})
    made.write("one")
    await asyncio.sleep(100.0)
    made.ran[0].turn.stop.touch()
    await quiet(made)

    assert ["stale"] == made.outcomes
    assert 280.0 == made.ran[0].end


async def test_a_stale_turn_that_heeds_nothing_is_cancelled() -> None:
    made = desk(answers={"one": Answer(1000.0, heeds=False)})
    made.write("one")
    await asyncio.sleep(182.0)
    assert Verdict.QUEUED is made.write("two", "bob"), "it was given up, but has not ended yet"
    await quiet(made)

    assert ["cancelled", "completed"] == made.outcomes
    assert [0.0, 185.0] == made.begins
    assert 0 == made.turns.left_behind


async def test_a_turn_that_cannot_be_ended_is_left_behind_and_does_not_keep_the_channel() -> None:
    made = desk(answers={"one": Answer(1000.0, heeds=False, yields=False)})
    made.write("one")
    await asyncio.sleep(182.0)
    made.write("two", "bob")
    await asyncio.sleep(20.0)

    assert [0.0, 190.0] == made.begins
    assert 1 == made.turns.left_behind
    assert {"cadenza answer"} == others()
    await asyncio.sleep(1000.0)
    assert {} == made.turns._channels
    assert set() == others() == made.turns._attendant._left
