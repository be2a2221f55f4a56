"""Who is answered when: the order, how many wait, follow-ups and bursts (§11, T96), in virtual time."""

from __future__ import annotations

import asyncio

import pytest

from cadenza.replies import say
from cadenza.settings import Settings
from cadenza.stops import StopHandle, Stops
from cadenza.turns import Stopping, Turns, Verdict
from cadenza.turns.channels import Turn
from cadenza.turns.waiting import Dropped, Heard, Why
from cadenza.types import Completed, Reply, Stopped, StopReason
from tests.at_the_desk import Answer, desk, others, quiet
from tests.timing import SlowStream, TimedTarget, now

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
    assert [Why.MESSAGE.value] == made.whys


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
    turn = Turn("1", "general", (Heard("1", "general", "ann", "hi"),), Why.MESSAGE, Stops().open("1"))

    assert ((), "ann") == (turn.waiting, turn.author)


async def test_turns_have_ids_of_their_own_and_can_be_stopped_by_them_from_elsewhere() -> None:
    stops = Stops()
    made = desk(stops=stops)
    made.write("one", channel="a")
    made.write("two", channel="b")
    await asyncio.sleep(1.0)
    first, second = (ran.turn.id for ran in made.ran)

    assert {first, second} == set(stops.running())
    assert await stops.stop(first, by="operator")
    await quiet(made)

    assert ["user", "completed"] == made.outcomes
    assert not await stops.stop(first)
    assert () == stops.running()


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
    made.turns.heard(Heard("1", "general", "ann", "hi", persona="Ren", payload=thing))
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
    assert ["one", "more", "waiting"] == made.texts
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

    assert [Verdict.INTERRUPTED] * 3 + [Verdict.QUEUED] * 2 == verdicts
    assert ["0", "1", "2", "3", "other", "4", "5"] == made.texts


async def test_the_count_begins_anew_when_a_reply_was_not_interrupted() -> None:
    made = desk(interrupts=1)
    for number in range(3):
        assert Verdict.STARTED is made.write(f"{number}")
        assert Verdict.INTERRUPTED is made.write(f"{number} more")
        assert Verdict.INTERRUPTED is made.write(f"{number} and more"), "nothing was said, so nothing is interrupted"
        await asyncio.sleep(1.0)
        assert Verdict.QUEUED is made.write(f"{number} still more")
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


async def test_admission_8_of_two_follow_ups_the_newest_is_answered() -> None:
    made = desk(answers={"one": TOOLS})
    made.write("one")
    made.write("waiting", "bob")
    await asyncio.sleep(1.0)
    made.write("two")
    made.write("three")
    await quiet(made)

    assert ["one", "three", "waiting"] == made.texts
    assert [("two", Dropped.SUPERSEDED)] == made.dropped


async def test_of_two_follow_ups_to_a_reply_that_takes_its_time_to_end_the_newest_is_answered() -> None:
    made = desk(answers={"one": Answer(4.0, heeds=False)})
    made.write("one")
    await asyncio.sleep(1.0)

    assert [Verdict.INTERRUPTED, Verdict.INTERRUPTED] == [made.write("two"), made.write("three")]
    await asyncio.sleep(0.1)
    assert 1 == made.turns._channels["general"].interrupts
    await quiet(made)
    assert ["one", "three"] == made.texts


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


# --- bursts ------------------------------------------------------------------------------------


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
    assert ["one", "two+three"] == made.texts
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
    await asyncio.sleep(0.1)
    assert ["one", "stop"] == made.texts


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

    assert Stopping(was_running=False, cleared=1) == made.turns.stop("general")
    await quiet(made)
    assert [] == made.texts


# --- what goes wrong ---------------------------------------------------------------------------


class Odd(BaseException):
    """Something that is no ``Exception``."""


@pytest.mark.parametrize("error", [LookupError("key sk-secret"), asyncio.CancelledError("sk-secret"), Odd("sk-secret")])
async def test_an_answer_that_fails_does_not_end_the_channel(
    error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    made = desk(answers={"one": Answer(1.0, error=error)})
    made.write("one")
    made.write("two", "bob")
    await quiet(made)

    assert ["failed", "completed"] == made.outcomes
    assert [("one", error)] == made.failed
    assert type(error).__name__ in caplog.text
    assert "secret" not in caplog.text


async def test_an_answer_that_is_no_coroutine_fails_as_any_other(caplog: pytest.LogCaptureFixture) -> None:
    failed: list[str] = []
    turns = Turns(lambda _: 5, on_failed=lambda _, error: failed.append(type(error).__name__))  # type: ignore[arg-type,return-value]
    turns.heard(Heard("1", "general", "ann", "hi"))
    await asyncio.sleep(1.0)

    assert ["TypeError"] == failed
    assert "TypeError" in caplog.text
    await turns.close()


async def test_there_may_be_nothing_to_say() -> None:
    async def answer(_: Turn) -> None:
        return None

    async with Turns(answer) as turns:
        turns.heard(Heard("1", "general", "ann", "hi"))
        await asyncio.sleep(1.0)
        assert turns.edited(Heard("1", "general", "ann", "ho"))


async def test_a_listener_that_fails_ends_nothing(caplog: pytest.LogCaptureFixture) -> None:
    async def answer(_: Turn) -> Reply:
        msg = "sk-secret"
        raise LookupError(msg)

    def listener(*_: object) -> None:
        msg = "sk-secret"
        raise ValueError(msg)

    turns = Turns(answer, on_failed=listener, on_dropped=listener)
    turns.heard(Heard("1", "general", "ann", "hi"))
    turns.heard(Heard("2", "general", "bob", "hi"))
    turns.deleted("general", "2")
    await asyncio.sleep(1.0)

    assert ["the answer to a message failed (LookupError)", "a listener failed (ValueError)"] == sorted(
        {record.message for record in caplog.records}, reverse=True
    )
    assert () == turns.running()
    await turns.close()


async def test_who_is_told_that_something_was_dropped_may_say_it_again() -> None:
    heard: list[Verdict] = []

    async def answer(_: Turn) -> Reply:
        await asyncio.sleep(5.0)
        return Reply(Completed())

    turns = Turns(answer, on_dropped=lambda message, _: heard.append(turns.heard(message)))
    turns.heard(Heard("1", "general", "ann", "hi"))
    turns.heard(Heard("2", "general", "bob", "hi"))
    turns.stop("general")
    await asyncio.sleep(1.0)

    assert [Verdict.QUEUED] == heard
    await turns.close()


class BrokenStops(Stops):
    def open(self, turn: str, /) -> StopHandle:
        msg = f"no way to sk-secret {turn}"
        raise OSError(msg)


async def test_a_registry_that_fails_does_not_keep_anybody_from_being_answered(
    caplog: pytest.LogCaptureFixture,
) -> None:
    made = desk(stops=BrokenStops())
    made.write("one")
    await asyncio.sleep(1.0)
    made.write("stop")
    await quiet(made)

    assert ["user", "completed"] == made.outcomes
    assert "OSError" in caplog.text
    assert "secret" not in caplog.text


async def test_ten_thousand_channels_are_forgotten_when_nothing_goes_on_in_them() -> None:
    stops = Stops()
    made = desk(stops=stops)
    for number in range(10_000):
        made.write("one", channel=str(number))
    assert 10_000 == len(made.turns._channels) == len(stops.running())
    made.write("two", "bob", channel="0")
    await asyncio.sleep(25.0)

    assert 10_001 == len(made.ran)
    assert {} == made.turns._channels
    assert () == stops.running()
    assert set() == others()


# --- with a real reply -------------------------------------------------------------------------------


async def test_a_reply_that_is_interrupted_says_nothing_more_and_the_next_one_says_everything() -> None:
    target = TimedTarget()

    async def answer(turn: Turn) -> Reply:
        words = SlowStream(*(piece for word in ("one\n", "two\n", "three\n") for piece in (word, 1.0)))
        return await say(target, words, settings=Settings.of(degree=1), stop=turn.stop)

    async with Turns(answer) as turns:
        turns.heard(Heard("1", "general", "ann", "count"))
        await asyncio.sleep(1.5)
        assert Verdict.INTERRUPTED is turns.heard(Heard("2", "general", "ann", "again, please"))
        await asyncio.sleep(1.0)

    assert ["one", "one", "two", "three"] == target.texts
    assert [1.0, 2.5, 3.5, 4.5] == target.arrived


async def test_at_a_shutdown_what_was_said_so_far_is_sent_up_to_its_last_clause() -> None:
    target, replies = TimedTarget(), list[Reply]()

    async def answer(turn: Turn) -> Reply:
        words = SlowStream("Once upon a time, there was a", 60.0, "nother one")
        replies.append(await say(target, words, settings=Settings.of(degree=1), stop=turn.stop))
        return replies[0]

    async with Turns(answer) as turns:
        turns.heard(Heard("1", "general", "ann", "tell me"))
        await asyncio.sleep(1.0)

    assert [Stopped(StopReason.SHUTDOWN)] == [reply.outcome for reply in replies]
    assert 1 == len(target.texts)
    assert "Once upon a time, there was a".startswith(target.texts[0].rstrip(",."))
    assert 11.0 == now()
