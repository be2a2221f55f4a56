"""What becomes of a turn whose message is deleted or edited, wherever it is just then."""

from __future__ import annotations

import asyncio

import pytest

from cadenza.turns import Verdict
from cadenza.turns.waiting import Dropped
from cadenza.types import StopReason
from tests.at_the_desk import Answer, desk, quiet, receipts

pytestmark = pytest.mark.looptime

LONG = Answer(60.0)


# --- deleted -----------------------------------------------------------------------------------


async def test_the_reply_to_a_deleted_message_ends() -> None:
    made = desk()
    made.write("one")
    made.write("two", "bob")
    await asyncio.sleep(2.0)

    assert made.turns.deleted("general", "one")
    assert not made.turns.deleted("general", "one")
    await quiet(made)
    assert ["trigger_gone", "completed"] == made.outcomes
    assert [0.0, 2.0] == made.begins
    assert [] == made.dropped


async def test_a_reply_to_several_messages_ends_when_all_are_deleted() -> None:
    made = desk(debounce=1.0)
    made.write("one")
    made.write("two")
    await asyncio.sleep(3.0)

    await asyncio.sleep(4.0)

    made.turns.deleted("general", "two")
    assert made.ran[0].turn.stop.reason is None
    made.turns.deleted("general", "one")
    await quiet(made)
    assert ["trigger_gone"] == made.outcomes


async def test_what_is_left_when_one_of_several_is_deleted_soon_is_answered_anew() -> None:
    made = desk(debounce=1.0, answers={"two": Answer(60.0, says=(1.0,))})
    made.write("one")
    made.write("two")
    await asyncio.sleep(3.0)

    assert made.turns.deleted("general", "two")
    await quiet(made)
    assert ["one+two", "one"] == made.texts
    assert ["trigger_gone", "completed"] == made.outcomes
    assert receipts("1:0") == made.ran[1].turn.supersedes


@pytest.mark.parametrize("seconds", [pytest.param(0.0, id="before it began"), pytest.param(1.0, id="while it runs")])
async def test_a_question_is_answered_although_the_follow_up_that_interrupted_it_was_deleted(seconds: float) -> None:
    made = desk()
    made.write("one")
    await asyncio.sleep(1.0)
    made.write("more")
    await asyncio.sleep(seconds)

    assert made.turns.deleted("general", "more")
    await quiet(made)
    assert "one" == made.texts[-1]
    assert "completed" == made.outcomes[-1]


async def test_what_is_deleted_after_its_answer_is_not_answered_anew_with_the_rest() -> None:
    made = desk(debounce=1.0, answers={"two": Answer(1.0)})
    made.write("one")
    made.write("two")
    await asyncio.sleep(3.0)

    assert not made.turns.deleted("general", "two"), "what is over is over"
    assert made.edit("one", "1")
    await quiet(made)
    assert ["one+two", "1"] == made.texts


async def test_a_deleted_message_that_waits_is_not_answered() -> None:
    made = desk()
    made.write("one")
    made.write("two", "bob")

    assert made.turns.deleted("general", "two")
    await quiet(made)
    assert ["one"] == made.texts
    assert [("two", Dropped.DELETED)] == made.dropped


async def test_a_deleted_message_is_not_gathered() -> None:
    made = desk(debounce=2.0)
    made.write("one")
    made.write("two")

    assert made.turns.deleted("general", "two")
    assert Verdict.GATHERED is made.write("three"), "the burst goes on"
    await quiet(made)
    assert ["one+three"] == made.texts


async def test_when_all_that_was_gathered_is_deleted_nothing_is_answered() -> None:
    made = desk(debounce=2.0)
    made.write("one")

    assert made.turns.deleted("general", "one")
    assert {} == made.turns._channels
    await asyncio.sleep(5.0)
    assert [] == made.texts


async def test_a_deleted_follow_up_is_not_answered() -> None:
    made = desk(answers={"one": Answer(4.0, heeds=False)})
    made.write("one")
    await asyncio.sleep(1.0)
    made.write("more")
    made.turns.deleted("general", "more")
    made.turns.deleted("general", "one")
    await quiet(made)

    assert ["one"] == made.texts
    assert StopReason.FOLLOW_UP is made.ran[0].turn.stop.reason


@pytest.mark.parametrize("place", ["nowhere", "general"])
async def test_a_message_that_nobody_knows_may_be_deleted(place: str) -> None:
    made = desk()
    made.write("one")

    assert not made.turns.deleted(place, "another")
    await quiet(made)
    assert not made.turns.deleted(place, "one"), "what is over is over"


# --- edited ------------------------------------------------------------------------------------


async def test_an_edited_message_is_answered_anew_and_first() -> None:
    made = desk(answers={"one": Answer(60.0, says=(1.0, 2.0, 50.0))})
    made.write("one")
    made.write("two", "bob")
    await asyncio.sleep(3.0)

    assert made.edit("one", "1")
    await quiet(made)

    assert ["one", "1", "two"] == made.texts
    assert ["message", "edited", "queued"] == made.whys
    assert ["trigger_gone", "completed", "completed"] == made.outcomes
    assert receipts("1:0", "1:1") == made.ran[1].turn.supersedes
    assert () == made.ran[2].turn.supersedes


async def test_a_message_that_was_edited_after_its_answer_is_answered_anew() -> None:
    made = desk(answers={"one": Answer(2.0, says=(1.0,))})
    made.write("one")
    await asyncio.sleep(4.0)

    assert made.edit("one", "1")
    await quiet(made)
    assert ["one", "1"] == made.texts
    assert receipts("1:0") == made.ran[1].turn.supersedes


async def test_an_edit_of_what_was_answered_waits_for_whoever_is_being_answered() -> None:
    made = desk(answers={"one": Answer(1.0)})
    made.write("one")
    made.write("two", "bob")
    made.write("three", "cat")
    await asyncio.sleep(2.0)

    assert made.edit("one", "1")
    await quiet(made)
    assert ["one", "two", "1", "three"] == made.texts
    assert ["completed"] * 4 == made.outcomes


@pytest.mark.parametrize("seconds", [pytest.param(1.0, id="finished"), pytest.param(60.0, id="running")])
async def test_a_late_edit_changes_nothing(seconds: float) -> None:
    made = desk(answers={"one": Answer(seconds)})
    made.write("one")
    await asyncio.sleep(5.5)

    assert not made.edit("one", "1")
    await quiet(made)
    assert ["one"] == made.texts


async def test_edits_may_be_left_alone() -> None:
    made = desk(rerun_seconds=0.0)
    made.write("one")

    assert not made.edit("one", "1")
    await quiet(made)
    assert ["one"] == made.texts


async def test_an_edit_that_changes_no_word_changes_nothing() -> None:
    made = desk(answers={"one": Answer(1.0)})
    made.write("one")
    made.write("two", "bob")

    assert not made.edit("one", "one")
    assert not made.edit("two", "two", "bob")
    await asyncio.sleep(2.0)
    assert not made.edit("one", "one")
    await quiet(made)
    assert ["one", "two"] == made.texts


async def test_a_command_cannot_be_edited() -> None:
    made = desk(answers={"one": Answer(1.0)})
    made.write("one", command=True)
    made.write("two", command=True)

    assert [False, False] == [made.edit("one", "1"), made.edit("two", "2")]
    await asyncio.sleep(2.0)
    assert not made.edit("one", "1")
    await quiet(made)
    assert ["one", "two"] == made.texts


async def test_an_edited_message_that_waits_is_answered_as_it_is_now() -> None:
    made = desk(answers={"one": LONG})
    made.write("one")
    made.write("two", "bob")
    await asyncio.sleep(50.0)

    assert made.edit("two", "2", "bob")
    await quiet(made)
    assert ["one", "2"] == made.texts
    assert ["message", "queued"] == made.whys


async def test_an_edited_message_is_gathered_as_it_is_now() -> None:
    made = desk(debounce=2.0)
    made.write("one")
    made.write("two")

    assert made.edit("one", "1")
    await quiet(made)
    assert ["1+two"] == made.texts


async def test_a_message_of_several_may_be_edited() -> None:
    made = desk(debounce=1.0)
    for text in ("one", "two", "three"):
        made.write(text)
    await asyncio.sleep(2.0)

    assert made.edit("one", "1")
    made.turns.deleted("general", "three")
    await quiet(made)
    assert ["one+two+three", "1+two"] == made.texts


async def test_a_message_may_be_edited_again_and_again_and_the_first_answer_is_removed_once() -> None:
    made = desk(answers={"one": Answer(60.0, says=(1.0,)), "1": Answer(60.0, says=(3.0,))})
    made.write("one")
    await asyncio.sleep(2.0)
    made.edit("one", "1")
    await asyncio.sleep(1.0)  # nothing is said yet in place of the first answer
    made.edit("one", "I")
    await asyncio.sleep(1.0)
    made.edit("one", "i")
    await quiet(made)

    assert ["one", "1", "I", "i"] == made.texts
    first = receipts("1:0")
    assert [(), first, first, first] == [ran.turn.supersedes for ran in made.ran]


async def test_a_rerun_that_has_spoken_is_itself_what_is_removed() -> None:
    made = desk(answers={text: Answer(60.0, says=(1.0,)) for text in ("one", "1")})
    made.write("one")
    await asyncio.sleep(2.0)
    made.edit("one", "1")
    await asyncio.sleep(2.0)
    made.edit("one", "I")
    await quiet(made)

    assert [(), receipts("1:0"), receipts("2:0")] == [ran.turn.supersedes for ran in made.ran]


async def test_two_edits_before_the_answer_has_ended_make_one_turn() -> None:
    made = desk(answers={"one": Answer(4.0, heeds=False)})
    made.write("one")
    await asyncio.sleep(1.0)

    assert [True, True] == [made.edit("one", "1"), made.edit("one", "I")]
    await quiet(made)
    assert ["one", "I"] == made.texts


async def test_a_follow_up_to_a_rerun_that_has_not_spoken_removes_the_first_answer_in_its_place() -> None:
    made = desk(answers={"one": Answer(60.0, says=(1.0,))})
    made.write("one")
    await asyncio.sleep(2.0)
    made.edit("one", "1")
    await asyncio.sleep(1.0)
    made.write("more")
    await quiet(made)

    assert ["one", "1", "1+more"] == made.texts
    assert receipts("1:0") == made.ran[2].turn.supersedes


async def test_what_was_edited_and_then_deleted_is_not_answered() -> None:
    made = desk(answers={"one": Answer(4.0, heeds=False)})
    made.write("one")
    await asyncio.sleep(1.0)
    made.edit("one", "1")

    assert made.turns.deleted("general", "one")
    await quiet(made)
    assert ["one"] == made.texts


async def test_a_stop_in_words_ends_a_rerun_too() -> None:
    made = desk(answers={"one": Answer(4.0, heeds=False)})
    made.write("one")
    await asyncio.sleep(1.0)
    made.edit("one", "1")

    assert [Verdict.STOPPED, Verdict.STOPPED] == [made.write("stop"), made.write("stop!")]
    await quiet(made)
    assert ["one"] == made.texts


async def test_a_reply_that_was_stopped_is_not_run_again() -> None:
    made = desk(answers={"one": Answer(3.0, heeds=False)})
    made.write("one")
    await asyncio.sleep(1.0)
    made.write("stop")

    assert not made.edit("one", "1")
    await asyncio.sleep(3.0)
    assert not made.edit("one", "1")
    await quiet(made)
    assert ["one"] == made.texts


async def test_a_question_that_was_interrupted_is_answered_as_it_is_now() -> None:
    made = desk(answers={"one": Answer(3.0, heeds=False)})
    made.write("one")
    await asyncio.sleep(1.0)
    made.write("more")

    assert made.edit("one", "1")
    await asyncio.sleep(3.0)
    assert made.edit("one", "I")
    await quiet(made)
    assert ["one", "1+more", "I+more"] == made.texts


async def test_the_answer_to_a_stop_is_not_run_again() -> None:
    made = desk(answers={"stop": Answer(1.0)})
    made.write("one")
    made.write("stop")
    await asyncio.sleep(0.5)
    assert not made.edit("stop", "stop it!")
    await asyncio.sleep(1.0)
    assert not made.edit("stop", "stop it!")
    await quiet(made)


async def test_a_message_that_nobody_knows_may_be_edited() -> None:
    made = desk()

    assert not made.edit("one", "1")
    made.write("two")
    assert not made.edit("one", "1")
    await quiet(made)


async def test_a_message_whose_answer_failed_may_be_edited_to_try_again() -> None:
    made = desk(answers={"one": Answer(1.0, error=LookupError())})
    made.write("one")
    await asyncio.sleep(2.0)

    assert made.edit("one", "1")
    await quiet(made)
    assert ["failed", "completed"] == made.outcomes
