"""Who is answered when: the order, how many wait, and follow-ups (§11, T96), in virtual time."""

from __future__ import annotations

import asyncio

import pytest

from cadenza.concurrency.stops import Stops
from cadenza.turns import Verdict
from cadenza.turns.channels import Turn
from cadenza.turns.waiting import Dropped, IncomingMessage, TurnReason
from tests.at_the_desk import Answer, desk, quiet

pytestmark = pytest.mark.looptime

LONG = Answer(60.0)
TOOLS = Answer(60.0, uses_tools=True)


# --- one after another -------------------------------------------------------------------------


async def test_a_message_is_answered_at_once() -> None:
    made = desk()

    assert Verdict.STARTED is made.write("hello")
    await quiet(made)

    assert ["hello"] == made.texts
    assert [0.0] == made.begins
    assert [TurnReason.MESSAGE.value] == made.whys


async def test_one_turn_a_channel_runs_at_a_time_and_others_wait_in_order() -> None:
    made = desk()

    verdicts = [made.write(text, author) for text, author in (("one", "ann"), ("two", "bob"), ("three", "cat"))]
    await quiet(made)

    assert [Verdict.STARTED, Verdict.QUEUED, Verdict.QUEUED] == verdicts
    assert ["one", "two", "three"] == made.texts
    assert [0.0, 10.0, 20.0] == made.begins
    assert ["message", "queued", "queued"] == made.whys


async def test_channels_do_not_wait_for_each_other() -> None:
    made = desk()

    made.write("here", channel="one")
    made.write("there", channel="two")
    await quiet(made)

    assert [0.0, 0.0] == made.begins


async def test_a_turn_knows_what_waits_for_a_turn_of_its_own() -> None:
    made = desk()
    made.write("one")
    made.write("two", "bob")
    made.write("three", "cat")
    await asyncio.sleep(1.0)

    assert ("two", "three") == made.ran[0].turn.waiting
    await asyncio.sleep(10.0)
    assert ("three",) == made.ran[1].turn.waiting
    await quiet(made)
    assert () == made.ran[2].turn.waiting


async def test_a_turn_that_one_makes_oneself_has_nobody_waiting() -> None:
    turn = Turn("1", "general", (IncomingMessage("1", "general", "ann", "hi"),), TurnReason.MESSAGE, Stops().open("1"))

    assert ((), "ann") == (turn.waiting, turn.author)


async def test_turns_have_ids_of_their_own_and_can_be_stopped_by_them_from_elsewhere() -> None:
    stops = Stops()
    made = desk(stops=stops)
    made.write("one", channel="a")
    made.write("two", channel="b")
    await asyncio.sleep(1.0)
    first, second = (ran.turn.id for ran in made.ran)

    assert first.startswith("a/")
    assert {first, second} == set(stops.running())
    assert await stops.stop(first, by="operator")
    await quiet(made)

    assert ["user", "completed"] == made.outcomes
    assert not await stops.stop(first)
    assert () == stops.running()


async def test_after_a_restart_no_turn_has_the_id_of_one_before() -> None:
    ids = []
    for _ in range(2):
        made = desk()
        made.write("one")
        await quiet(made)
        ids.append(made.ran[0].turn.id)

    assert ids[0] != ids[1], "a button to stop the first would stop the second"


async def test_the_running_turns_are_those_under_way() -> None:
    made = desk()
    made.write("one", channel="a")
    made.write("two", channel="b")
    made.write("three", "bob", channel="b")

    assert ["one", "two"] == [turn.messages[0].text for turn in made.turns.running()]
    await quiet(made)
    assert () == made.turns.running()


async def test_a_message_that_is_heard_twice_is_answered_once() -> None:
    made = desk(interrupts=0)
    made.write("one")
    made.write("two")

    assert [Verdict.REPEATED, Verdict.REPEATED] == [made.write("one"), made.write("two")]
    await quiet(made)
    assert ["one", "two"] == made.texts


async def test_what_belongs_to_a_message_comes_back_with_its_turn() -> None:
    made, thing = desk(), object()
    made.turns.heard(IncomingMessage("1", "general", "ann", "hi", persona="Ren", payload=thing))
    await quiet(made)

    assert thing is made.ran[0].turn.messages[0].payload
    assert "Ren" == made.ran[0].turn.persona


# --- how many wait, and how long: B63 ----------------------------------------------------------


async def test_only_so_many_wait() -> None:
    made = desk(waiting=2)
    verdicts = [made.write(str(number), f"person {number}") for number in range(5)]
    await quiet(made)

    assert [Verdict.STARTED, Verdict.QUEUED, Verdict.QUEUED, Verdict.FULL, Verdict.FULL] == verdicts
    assert ["0", "1", "2"] == made.texts
    assert [] == made.dropped, "who was refused at once is not told twice"


async def test_if_nobody_may_wait_the_first_is_answered_all_the_same() -> None:
    made = desk(waiting=0)

    assert [Verdict.STARTED, Verdict.FULL] == [made.write("one"), made.write("two", "bob")]
    await quiet(made)
    assert Verdict.STARTED is made.write("three", "bob")
    await quiet(made)


async def test_what_has_waited_too_long_is_not_answered() -> None:
    made = desk(waiting_age=30.0, answers={"one": LONG})
    made.write("one")
    await asyncio.sleep(10.0)
    made.write("two", "bob")
    await asyncio.sleep(30.0)
    made.write("three", "cat")
    await quiet(made)

    assert ["one", "three"] == made.texts
    assert [("two", Dropped.TOO_OLD)] == made.dropped


async def test_what_is_too_old_leaves_its_place_to_others() -> None:
    made = desk(waiting=1, waiting_age=5.0, answers={"one": LONG})
    made.write("one")
    made.write("two", "bob")
    await asyncio.sleep(6.0)

    assert Verdict.QUEUED is made.write("three", "cat")
    await asyncio.sleep(0)
    assert [("two", Dropped.TOO_OLD)] == made.dropped


# --- follow-ups --------------------------------------------------------------------------------


async def test_admission_1_whoever_is_answered_and_says_more_interrupts() -> None:
    made = desk()
    made.write("one")
    made.write("waiting", "bob")
    await asyncio.sleep(3.0)

    assert Verdict.INTERRUPTED is made.write("more")
    await asyncio.sleep(0.1)

    assert 1 == made.turns._channels["general"].interrupts
    await quiet(made)
    assert ["one", "one+more", "waiting"] == made.texts
    assert ["follow_up", "completed", "completed"] == made.outcomes
    assert [0.0, 3.0, 13.0] == made.begins
    assert ["message", "follow_up", "queued"] == made.whys


async def test_admission_2_in_a_tool_chain_more_waits_in_front_and_interrupts_nothing() -> None:
    made = desk(answers={"one": TOOLS})
    made.write("one")
    made.write("waiting", "bob")
    await asyncio.sleep(3.0)

    assert Verdict.QUEUED is made.write("more")
    await quiet(made)

    assert ["one", "more", "waiting"] == made.texts
    assert ["completed"] * 3 == made.outcomes


async def test_admission_3_and_t96_after_three_in_a_row_it_waits() -> None:
    made = desk()
    made.write("0")
    made.write("other", "bob")
    verdicts = []
    for number in range(1, 6):
        await asyncio.sleep(1.0)
        verdicts.append(made.write(str(number)))
    await quiet(made)

    assert [*[Verdict.INTERRUPTED] * 3, Verdict.QUEUED, Verdict.GATHERED] == verdicts
    assert ["0", "0+1", "0+1+2", "0+1+2+3", "other", "4+5"] == made.texts


async def test_whoever_says_more_during_tools_again_and_again_does_not_keep_others_waiting() -> None:
    made = desk(answers={str(number): TOOLS for number in range(9)})
    made.write("0")
    made.write("other", "bob")
    await asyncio.sleep(1.0)
    for number in range(1, 9):
        made.write(str(number))
        await asyncio.sleep(60.0)
    await quiet(made)

    assert ["0", "1", "2", "3", "other"] == made.texts[:5]
    assert [] == made.dropped


async def test_what_one_person_says_while_others_are_answered_is_answered_together() -> None:
    made = desk(waiting=2)
    made.write("one")
    verdicts = []
    for text, author in (("a", "bob"), ("b", "bob"), ("c", "cat"), ("d", "bob"), ("e", "cat")):
        await asyncio.sleep(1.0)
        verdicts.append(made.write(text, author))
    await quiet(made)

    assert [Verdict.QUEUED, Verdict.GATHERED, Verdict.QUEUED, Verdict.FULL, Verdict.GATHERED] == verdicts
    assert ["one", "a+b", "c+e"] == made.texts


async def test_what_was_said_before_an_interruption_stands_and_is_not_asked_again() -> None:
    made = desk(answers={"one": Answer(60.0, says=(1.0,))})
    made.write("one")
    await asyncio.sleep(2.0)
    made.write("more")
    await quiet(made)

    assert ["one", "more"] == made.texts


async def test_the_count_begins_anew_when_a_reply_was_not_interrupted() -> None:
    made = desk(interrupts=1)
    for number in range(3):
        assert Verdict.STARTED is made.write(f"{number}")
        assert Verdict.INTERRUPTED is made.write(f"{number} more")
        assert Verdict.INTERRUPTED is made.write(f"{number} and more"), "nothing was said, so nothing is interrupted"
        await asyncio.sleep(1.0)
        assert Verdict.QUEUED is made.write(f"{number} still more")
        await quiet(made)


async def test_the_count_begins_anew_although_others_keep_the_channel_busy() -> None:
    made = desk(interrupts=1)
    made.write("one")
    assert Verdict.INTERRUPTED is made.write("more")
    await asyncio.sleep(1.0)
    made.write("waiting", "bob")
    made.write("also waiting")
    await asyncio.sleep(20.0)
    assert ["one", "one+more", "waiting", "also waiting"] == made.texts

    assert Verdict.INTERRUPTED is made.write("and more")
    await quiet(made)


async def test_a_follow_up_may_come_before_the_first_word() -> None:
    made = desk()
    made.write("one")

    assert Verdict.INTERRUPTED is made.write("more")
    await quiet(made)
    assert [0.0, 0.0] == made.begins


async def test_admission_4_somebody_else_waits() -> None:
    made = desk()
    made.write("one")

    assert Verdict.QUEUED is made.write("two", "bob")
    await quiet(made)
    assert ["completed", "completed"] == made.outcomes


async def test_admission_5_a_turn_that_a_command_asked_for_is_not_interrupted() -> None:
    made = desk()
    made.write("one", command=True)

    assert Verdict.QUEUED is made.write("more")
    await asyncio.sleep(1.0)
    assert not made.ran[0].turn.stop.takes_follow_ups
    await quiet(made)
    assert ["completed", "completed"] == made.outcomes


async def test_a_command_interrupts_nothing() -> None:
    made = desk()
    made.write("one")

    assert Verdict.QUEUED is made.write("two", command=True)
    await quiet(made)
    assert ["completed", "completed"] == made.outcomes


@pytest.mark.parametrize(
    ("persona", "verdict", "answers"),
    [
        pytest.param("Ren", Verdict.INTERRUPTED, "Ren", id="the same persona"),
        pytest.param("", Verdict.INTERRUPTED, "Ren", id="nobody in particular"),
        pytest.param("Anon", Verdict.QUEUED, "Anon", id="another one"),
    ],
)
async def test_a_message_to_another_persona_is_no_follow_up(persona: str, verdict: Verdict, answers: str) -> None:
    made = desk()
    made.write("one", persona="Ren")

    assert verdict is made.write("two", persona=persona)
    await quiet(made)
    assert ["Ren", answers] == [ran.turn.persona for ran in made.ran]


async def test_admission_8_two_follow_ups_make_one_turn() -> None:
    made = desk(answers={"one": TOOLS})
    made.write("one")
    made.write("waiting", "bob")
    await asyncio.sleep(1.0)
    made.write("two")
    made.write("three")
    await quiet(made)

    assert ["one", "two+three", "waiting"] == made.texts
    assert [] == made.dropped


async def test_whoever_says_all_too_much_is_told_what_is_left_to_the_history() -> None:
    made = desk(answers={"one": TOOLS})
    made.write("one")
    await asyncio.sleep(1.0)
    for number in range(51):
        made.write(str(number))
    await quiet(made)

    assert [("0", Dropped.SUPERSEDED)] == made.dropped
    assert 50 == len(made.ran[1].turn.messages)


async def test_two_follow_ups_to_a_reply_that_takes_its_time_to_end_make_one_turn() -> None:
    made = desk(answers={"one": Answer(4.0, heeds=False)})
    made.write("one")
    await asyncio.sleep(1.0)

    assert [Verdict.INTERRUPTED, Verdict.INTERRUPTED] == [made.write("two"), made.write("three")]
    await asyncio.sleep(0.1)
    assert 1 == made.turns._channels["general"].interrupts
    await quiet(made)
    assert ["one", "one+two+three"] == made.texts


async def test_a_follow_up_is_not_too_old_when_a_tool_takes_long() -> None:
    made = desk(waiting_age=5.0, answers={"one": TOOLS})
    made.write("one")
    await asyncio.sleep(1.0)
    made.write("more")
    await quiet(made)

    assert ["one", "more"] == made.texts


async def test_without_interrupts_everything_waits() -> None:
    made = desk(interrupts=0)
    made.write("one")

    assert Verdict.QUEUED is made.write("more")
    await quiet(made)
