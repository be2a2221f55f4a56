"""What the reference gets wrong around a turn, by the number in its list of defects, and what Cadenza does instead.

The numbers stand in section 12 of the specification of stages 1 to 4. Here everything goes through ``reply`` or a desk
as a whole, in virtual time. Those that stand elsewhere:

| number | what | where |
|---|---|---|
| B18 | a tool that was timed out acts later | ``tools/test_defects.py``, ``tools/test_running.py``, ``tools/test_threads.py`` |
| B26 | only the first of several calls is run | ``test_rounds.py``, ``test_provider_defects.py`` |
| B50 | failures that nobody is told of | ``test_notices.py``, and here |
| B52 | every error counts against a key | ``test_keys.py``, ``test_casting.py`` |
| B53, B54 | messages lost behind a stop; stop words anywhere | ``turns/test_desk_stops.py`` |
| B56 | another model repeats what tools have done | ``tools/test_running.py``, ``tools/test_defects.py``, ``test_tries.py`` |
| B58 | how long a provider asks to wait is ignored | ``test_keys.py``, ``test_provider_defects.py`` |
| B60 | the papers say other than the code | ``test_docs.py``: every setting with its default; and here |

B3 to B6, B10 to B12, B20 to B33 and B40 to B42 are those of providers: ``test_provider_defects.py``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from cadenza.concurrency.stops import Stops
from cadenza.models.keys import Keyring
from cadenza.targets.memory import MemoryTarget
from cadenza.turns import Verdict
from cadenza.turns.waiting import Dropped
from cadenza.types import (
    Broke,
    Completed,
    ContextItem,
    Empty,
    Outcome,
    Stalled,
    Stopped,
    StopReason,
    Tag,
    ToolResult,
    Usage,
)
from tests.actors import LIMITED, NO_MODEL, NOTHING, REFUSED, Actor, Step, call, perform, tool
from tests.at_the_desk import Answer, desk, quiet
from tests.timing import TimedTarget, now

pytestmark = pytest.mark.looptime

KNOWN = ContextItem(Tag.CURRENT_CONTEXT, ("what the video shows",))


# --- stops and timing -------------------------------------------------------------------------------


async def test_b7_a_stop_behind_the_last_word_does_not_end_the_next_turn() -> None:
    stops = Stops()
    for _ in range(2):
        with stops.open("channel/1") as handle:
            result = await perform(Actor(["Hello."]), stop=handle)
        assert Completed("end_of_stream") == result.outcome
        assert not stops.request("channel/1")


async def test_b8_two_turns_of_one_channel_are_stopped_apart() -> None:
    stops = Stops()
    with stops.open("channel/1") as old, stops.open("channel/2") as new:
        asyncio.get_running_loop().call_later(1.0, stops.request, "channel/1")

        results = await asyncio.gather(*(perform(Actor([5.0, "Hi."]), stop=handle) for handle in (old, new)))

    assert [Stopped(StopReason.USER), Completed("end_of_stream")] == [result.outcome for result in results]


async def test_b9_a_stop_is_heard_though_the_model_says_nothing() -> None:
    stops = Stops()
    with stops.open("turn") as handle:
        asyncio.get_running_loop().call_later(1.0, stops.request, "turn")

        result = await perform(Actor([1e9]), stop=handle)

    assert (Stopped(StopReason.USER), 1.0) == (result.outcome, now())


@pytest.mark.parametrize("end", [pytest.param(NO_MODEL, id="an error"), pytest.param("", id="its end")])
async def test_b13_a_follow_up_while_the_last_words_are_sent_is_a_follow_up_and_nothing_is_forgotten(end: Step) -> None:
    stops, target = Stops(), TimedTarget(latency=2.0)
    actor = Actor(["<think>hm</think>One.\nTwo.", Usage(3, 2), end])
    with stops.open("turn") as handle:
        asyncio.get_running_loop().call_later(1.0, stops.request, "turn", StopReason.FOLLOW_UP)

        result = await perform(actor, target=target, stop=handle)

    assert Stopped(StopReason.FOLLOW_UP) == result.outcome
    assert ("One.", ["One."]) == (result.transcript, target.texts)
    assert (("hm",), Usage(3, 2)) == (result.thoughts, result.usage)


async def test_b13_a_follow_up_while_the_words_before_a_call_are_sent_is_refused_and_ends_nothing() -> None:
    """The tool is at work meanwhile; whoever asked knows at once that the message has to wait."""
    stops, target, taken = Stops(), TimedTarget(latency=2.0), list[bool]()
    with stops.open("turn") as handle:
        asyncio.get_running_loop().call_later(1.0, lambda: taken.append(stops.request("turn", StopReason.FOLLOW_UP)))

        result = await perform(Actor(["One.\nTwo.", call()], ["Three."]), target=target, tools=[tool()], stop=handle)

    assert ([False], Completed("end_of_stream")) == (taken, result.outcome)
    assert ["One.", "Two.", "Three."] == target.texts


async def test_b16_silence_ends_a_reply_and_a_word_in_time_does_not() -> None:
    ends = [await perform(Actor(["One.\n", pause, "Two."]), idle_timeout=120.0) for pause in (119.0, 121.0)]

    assert [Completed("end_of_stream"), Stalled(has_begun=True)] == [result.outcome for result in ends]
    assert 119.0 + 120.0 == now(), "as soon as it was silent for too long, and not when it speaks again"


async def test_b59_a_turn_has_a_time_limit_over_all_its_tries_and_tools() -> None:
    slow = Actor(["", 40.0, call()], ["", 40.0, NO_MODEL])

    result = await perform(
        slow, Actor([1e9], name="second"), tools=[tool(lambda: asyncio.sleep(40.0, "4"))], turn_timeout=150.0
    )

    assert (Stopped(StopReason.TIME_LIMIT), 150.0) == (result.outcome, now())


# --- what is remembered -------------------------------------------------------------------------------

HIDDEN = "<think>hm</think><details>why</details>"


@pytest.mark.parametrize(
    ("answer", "outcome", "transcript"),
    [
        pytest.param((HIDDEN,), Empty("end_of_stream"), "", id="b14 nothing was said"),
        pytest.param((HIDDEN, "One.\nTwo", 1e9), Stalled(has_begun=True), "One.\nTwo", id="b15 it fell silent"),
        pytest.param((HIDDEN, "One.\nTwo", NO_MODEL), None, "One.\nTwo", id="b15 it broke off"),
        pytest.param((HIDDEN, "One.\nTwo", 50.0), Stopped(StopReason.FOLLOW_UP), "One.", id="b17 a follow-up"),
    ],
)
async def test_b14_b15_b17_what_was_shown_and_hidden_is_known_however_it_ends(
    answer: Sequence[Step], outcome: Outcome | None, transcript: str
) -> None:
    stops, target = Stops(), MemoryTarget()
    with stops.open("turn") as handle:
        if isinstance(outcome, Stopped):
            asyncio.get_running_loop().call_later(1.0, stops.request, "turn", outcome.reason)

        result = await perform(Actor(answer), target=target, stop=handle, empty_retries=0)

    assert (outcome == result.outcome) if outcome else isinstance(result.outcome, Broke)
    assert transcript == result.transcript == "\n".join(target.texts)
    assert (("hm",), ("why",)) == (result.thoughts, result.details)


async def test_b19_details_alone_are_no_answer() -> None:
    result = await perform(Actor(["<details>HP 10</details>"]), empty_retries=0)

    assert (Empty("end_of_stream"), "", ("HP 10",)) == (result.outcome, result.transcript, result.details)


async def test_b29_the_model_is_told_exactly_what_people_saw_before_its_call() -> None:
    """An unfinished clause before a call is left out, for both."""
    actor, target = Actor(["I will check. Then may", call()], ["Here."]), MemoryTarget()

    result = await perform(actor, target=target, tools=[tool()])

    assert "I will check." == target.texts[0] == actor.prompts[1].turns[1].text
    assert "I will check.\nHere." == result.transcript


async def test_b61_words_before_a_call_are_remembered_with_the_answer() -> None:
    rounds = (["One.", call()], ["Two.", call()], ["Three."])

    result = await perform(Actor(*rounds), tools=[tool()])

    assert "One.\nTwo.\nThree." == result.transcript


async def test_b62_words_before_a_call_are_told_in_one_shape_whatever_came_of_it() -> None:
    told = []
    for gives in ("4", ToolResult((), context=(KNOWN,)), ToolResult(("no",), is_error=True)):
        actor = Actor(["Let me look.", call()], ["Here."])
        await perform(actor, tools=[tool(gives)])
        told += [turn for turn in actor.prompts[1].turns if turn.text == "Let me look."]

    assert ["model"] * 3 == [turn.role.value for turn in told]


# --- keys, models, notices ------------------------------------------------------------------------------


@pytest.mark.parametrize("keys", [pytest.param(count, id=f"{count} keys") for count in (1, 2, 3, 4, 5)])
async def test_b50_b51_however_many_keys_fail_people_are_told_once_and_every_key_rests(keys: int) -> None:
    ring, target = Keyring([f"k{number}" for number in range(keys)]), MemoryTarget()

    result = await perform(Actor([REFUSED], keys=ring), target=target)

    tried = min(keys, 3)
    assert isinstance(result.outcome, Broke)
    assert 1 == len(target.notices)
    assert [300.0] * tried + [0.0] * (keys - tried) == [record.cooling_until for record in ring]


async def test_b55_silence_is_passed_on_and_if_nobody_speaks_it_is_told() -> None:
    target, second = MemoryTarget(), Actor(["Hello."], name="second")
    assert Completed("end_of_stream") == (await perform(Actor(NOTHING), second, target=target)).outcome
    assert ["Hello."] == target.texts

    target = MemoryTarget()
    assert Empty("stop") == (await perform(Actor(NOTHING), target=target)).outcome
    assert ["No answer"] == [notice.title for notice in target.notices]


async def test_b57_nothing_of_a_try_that_failed_is_left_but_what_tools_have_done() -> None:
    """No notice comes before it is known who answers, so there is none to take back."""
    target = MemoryTarget()
    first = Actor(["One.\nTwo.", LIMITED])

    await perform(first, Actor(["Hello."], name="second"), target=target)

    assert ["Hello."] == target.texts
    assert ["Another model answered"] == [notice.title for notice in target.notices]


@pytest.mark.parametrize("rounds", [3, 7])
async def test_b60_the_limits_of_the_loop_are_settings_that_count(rounds: int) -> None:
    actor, target = Actor([call()]), MemoryTarget()

    result = await perform(actor, target=target, tools=[tool()], tool_rounds=rounds, tool_notice=2)

    assert (Stopped(StopReason.ROUND_LIMIT), rounds) == (result.outcome, actor.asked)
    assert "tools were used 2 times" in target.notices[0].text


# --- the queue --------------------------------------------------------------------------------------------


async def test_b63_what_waits_is_bounded_in_number_and_in_age() -> None:
    made = desk(waiting=2, waiting_age=30.0, answers={"0": Answer(40.0)})

    verdicts = [made.write(str(number), f"person {number}") for number in range(4)]
    await quiet(made)

    assert [Verdict.STARTED, Verdict.QUEUED, Verdict.QUEUED, Verdict.FULL] == verdicts
    assert (["0"], [("1", Dropped.TOO_OLD), ("2", Dropped.TOO_OLD)]) == (made.texts, made.dropped)
