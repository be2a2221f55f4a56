"""The tool loop, by the numbered cases of what it must do.

1 a call and an answer · 2 five failures · 3 a hundred rounds · 4, 5, 6 words before a call · 7 a tool that settles ·
8 something to know from now on · 9 a tool that is not exposed · 10 a call without a name · 11 a call that was cut off ·
12 an empty round behind a tool · 13 a follow-up during a tool · 14 a stop during a tool · 15 a silent model ·
16 a stop during an answer · 17 a slow tool.

More about 11 stands in ``test_replies.py`` (through a real dialect), about 15 and 16 in ``test_pipeline.py``, and how a
single call is run in ``tools/test_running.py``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import pytest

from cadenza.concurrency.stops import Stops
from cadenza.errors import ErrorKind, ToolError
from cadenza.targets.memory import MemoryTarget
from cadenza.tools.consent import ConsentPolicy
from cadenza.types import (
    Abilities,
    Broke,
    Completed,
    ContextItem,
    Empty,
    Finished,
    NeedsTools,
    Outcome,
    Participant,
    Persona,
    Roster,
    Scene,
    Served,
    Stalled,
    Stopped,
    StopReason,
    Tag,
    ThoughtDelta,
    ToolCall,
    ToolResult,
    Usage,
)
from tests.actors import BUSY, NO_MODEL, NOTHING, SCENE, Actor, Step, broken, call, fails, perform, tool
from tests.timing import now

pytestmark = pytest.mark.looptime

Runs = list[Mapping[str, object]]
VIDEO = ContextItem(Tag.CURRENT_CONTEXT, ("what the video shows",))
REPEATING = Abilities(goes_on=False)


def told(actor: Actor, time: int = -1) -> list[tuple[str, str]]:
    """What *actor* was told behind the history, the given time."""
    return [(turn.role.value, turn.text) for turn in actor.prompts[time].turns[1:]]


# --- 1 to 3: how often -----------------------------------------------------------------------------


async def test_1_a_call_and_an_answer() -> None:
    actor, target = Actor([call()], ["done"]), MemoryTarget()

    result = await perform(actor, target=target, tools=[tool()])

    assert (["done"], Completed("end_of_stream"), "done") == (target.texts, result.outcome, result.transcript)
    assert [("model", ""), ("tool", "4")] == told(actor)
    assert ["dice"] == [use.call.name for use in result.tools]


async def test_1_several_calls_in_one_answer_are_all_run_and_told_in_their_order() -> None:
    """B26."""
    calls = [call(identity=str(number), arguments=f'{{"n": {number}}}') for number in range(3)]
    runs: Runs = []
    actor = Actor(calls, ["done"])

    await perform(actor, tools=[tool(runs=runs)])

    assert [{"n": 0}, {"n": 1}, {"n": 2}] == runs
    assert ["0", "1", "2"] == [turn.call_id for turn in actor.prompts[1].turns[2:]]


async def test_2_five_failures_in_a_row_end_it() -> None:
    runs: Runs = []
    actor, target = Actor([call()]), MemoryTarget()

    result = await perform(actor, target=target, tools=[broken(runs=runs)])

    assert isinstance(result.outcome, Broke)
    assert isinstance(result.outcome.error, ToolError)
    assert (5, 5, "") == (len(runs), actor.asked, result.transcript)
    assert ["The tools failed"] == [notice.title for notice in target.notices]


@pytest.mark.parametrize(
    ("rounds", "asked"),
    [
        pytest.param("FFFF S FFFF S", 10, id="a success in between"),
        pytest.param("FF FF F", 3, id="several at once count each"),
        pytest.param("FFFFFS F", 2, id="a success behind them in the same round"),
        pytest.param("SFFFF F", 2, id="a success before them in the same round"),
    ],
)
async def test_2_only_failures_in_a_row_count(rounds: str, asked: int) -> None:
    """Of several calls at once the last ones count: what succeeded before or among them is progress, too."""
    parted = rounds.split() if asked < 5 else list(rounds.replace(" ", ""))
    answers = [
        [call({"F": "bad", "S": "good"}[kind], f"{number}.{place}") for place, kind in enumerate(kinds)]
        for number, kinds in enumerate(parted)
    ]
    actor = Actor(*answers, ["done"])

    result = await perform(actor, tools=[broken("bad"), tool(name="good")])

    is_broken = rounds in ("FF FF F", "SFFFF F")
    assert is_broken == isinstance(result.outcome, Broke)
    assert asked + (not is_broken) == actor.asked


async def test_3_a_hundred_rounds_end_it_and_people_are_told_once_that_it_takes_longer() -> None:
    """Ours ends as stopped, not as a timeout: nothing took too long, there was only too much of it."""
    runs: Runs = []
    actor, target = Actor([call()]), MemoryTarget()

    result = await perform(actor, target=target, tools=[tool(runs=runs)])

    assert Stopped(StopReason.ROUND_LIMIT) == result.outcome
    assert (100, 100) == (len(runs), actor.asked)
    assert ["Still working", "Too many steps"] == [notice.title for notice in target.notices]
    assert "20 rounds of tools" in target.notices[0].text


async def test_3_tries_that_came_to_nothing_are_no_rounds_with_tools() -> None:
    runs: Runs = []
    target = MemoryTarget()
    actor = Actor([call()], [call()], [BUSY], [call()], ["done"])

    await perform(actor, target=target, tools=[tool(runs=runs)], tool_notice=2, tool_rounds=4)

    assert (3, ["Still working"]) == (len(runs), [notice.title for notice in target.notices])


async def test_3_nobody_is_told_where_errors_are_not_shown() -> None:
    target = MemoryTarget()

    await perform(Actor([call()]), target=target, tools=[tool()], tool_rounds=30, show_errors="off")

    assert [] == target.notices


# --- 4 to 7: words before a call ---------------------------------------------------------------------


async def test_4_words_before_a_call_are_said_once_and_told_with_it() -> None:
    """They reach the transcript, too (B61)."""
    actor, target = Actor(["Let me check.", call()], ["Here."]), MemoryTarget()

    result = await perform(actor, target=target, tools=[tool()])

    assert ["Let me check.", "Here."] == target.texts
    assert "Let me check.\nHere." == result.transcript
    assert [("model", "Let me check."), ("tool", "4")] == told(actor)


async def test_5_blanks_before_a_call_are_no_words() -> None:
    actor, target = Actor(["   ", call()], ["Here."]), MemoryTarget()

    await perform(actor, target=target, tools=[tool()])

    assert ["Here."] == target.texts
    assert [("model", ""), ("tool", "4")] == told(actor)


async def test_6_each_call_has_its_own_words() -> None:
    actor = Actor(["One.", call()], ["Two.", call()], ["Three."])

    await perform(actor, tools=[tool()])

    assert [("model", "One."), ("tool", "4"), ("model", "Two."), ("tool", "4")] == told(actor)


@pytest.mark.parametrize(
    ("answer", "gives", "asked"),
    [
        pytest.param(["Noted.", call()], "4", 1, id="words before it are the answer"),
        pytest.param([call()], "4", 2, id="without words it goes on"),
        pytest.param(["Noted.", call()], ToolResult(("no",), is_error=True), 2, id="it failed"),
        pytest.param(["Noted.", call(), call("other", "2")], "4", 2, id="another tool does not settle it"),
        pytest.param(["Noted.", call()], ToolResult((), context=(VIDEO,)), 2, id="there is something new to know"),
    ],
)
async def test_7_a_tool_that_settles_it(answer: Sequence[Step], gives: object, asked: int) -> None:
    actor = Actor(answer, ["More."])

    result = await perform(actor, tools=[tool(gives, settles=True), tool(name="other")])

    assert asked == actor.asked
    assert isinstance(result.outcome, Completed)


@pytest.mark.parametrize("text", ["Bye.", ""], ids=["after words", "without a word"])
async def test_7_a_tool_can_end_the_turn(text: str) -> None:
    actor, target = Actor([text, call()], ["never"]), MemoryTarget()

    result = await perform(actor, target=target, tools=[tool(ToolResult(("sent",), ends_turn=True))])

    assert (Completed("tool"), 1) == (result.outcome, actor.asked)
    assert [text] * bool(text) == target.texts


# --- 8 to 11: calls that are something else -------------------------------------------------------------


async def test_8_what_is_to_be_known_from_now_on_is_known_from_the_beginning() -> None:
    actor, target = Actor([call()], ["It is about cats."]), MemoryTarget()

    await perform(actor, target=target, tools=[tool(ToolResult((), context=(VIDEO,)))])

    assert ["what the video shows", "Mia: hello"] == [turn.text for turn in actor.prompts[1].turns]
    assert ["It is about cats."] == target.texts


async def test_8_the_same_is_known_only_once() -> None:
    actor = Actor([call()], [call()], ["It is about cats."])

    await perform(actor, tools=[tool(ToolResult((), context=(VIDEO,)))])

    assert ["what the video shows", "Mia: hello"] == [turn.text for turn in actor.prompts[2].turns]


async def test_9_a_tool_that_is_not_exposed_is_not_run() -> None:
    runs: Runs = []
    actor = Actor([call()], ["All right."])

    result = await perform(actor, tools=[tool(runs=runs)], consent=ConsentPolicy(()))

    assert [] == runs
    assert result.tools[0].result.is_error
    assert "not exposed" in told(actor)[-1][1]
    assert () == actor.prompts[0].tools


async def test_10_a_call_without_a_name_is_not_run_and_the_model_may_do_better() -> None:
    """Ours tells the model, which may do better, and counts it as a failure; nothing ends because of it."""
    runs: Runs = []
    actor, target = Actor([ToolCall("1", "", "{}")], ["Never mind."]), MemoryTarget()

    result = await perform(actor, target=target, tools=[tool(runs=runs)])

    assert ([], ["Never mind."]) == (runs, target.texts)
    assert result.tools[0].result.is_error


async def test_11_a_call_that_was_cut_off_is_not_run_and_its_arguments_are_not_told() -> None:
    runs: Runs = []
    actor = Actor([ToolCall("1", "dice", '{"sides": 6}', is_truncated=True)])

    result = await perform(actor, tools=[tool(runs=runs)])

    assert ([], 5) == (runs, actor.asked)
    assert isinstance(result.outcome, Broke)
    assert {"{}"} == {made.arguments for turn in actor.prompts[-1].turns for made in turn.calls}


# --- 12: an empty round behind a tool -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "needs_answer", "outcome"),
    [
        pytest.param(["Done.", call()], NOTHING, False, Completed("stop"), id="there is nothing to add"),
        pytest.param(["Done.", call()], NOTHING, True, Empty("stop"), id="the tool needs an answer"),
        pytest.param([call()], NOTHING, False, Empty("stop"), id="nothing was ever said"),
        pytest.param(["Done.", call()], [Finished("length")], False, Empty("length"), id="it had no room"),
        pytest.param(["Done.", call()], ["Mia: hi"], False, Completed("end_of_stream"), id="the label goes"),
        pytest.param(NOTHING, NOTHING, False, Empty("stop"), id="no tool was run"),
    ],
)
async def test_12_an_empty_round_behind_a_tool(
    first: Sequence[Step], second: Sequence[Step], outcome: Outcome, *, needs_answer: bool
) -> None:
    actor = Actor(first, second)

    result = await perform(actor, tools=[tool(needs_answer=needs_answer)], empty_retries=0)

    assert outcome == result.outcome


async def test_12_what_a_guard_let_nothing_pass_of_is_no_answer() -> None:
    scene = Scene("channel", Persona("Ren"), SCENE.history, Roster(participants=(Participant("Mia"),)))
    actor = Actor([call()], ["Mia: hello yourself"])

    result = await perform(actor, scene=scene, tools=[tool()], empty_retries=1)

    assert [Empty("speaker_guard")] == [failure.outcome for failure in result.failures]


async def test_12_every_tool_of_the_last_round_counts() -> None:
    calls = ["Done.", call("search", "1"), call("note", "2")]

    result = await perform(
        Actor(calls, NOTHING), tools=[tool(name="search", needs_answer=True), tool(name="note")], empty_retries=0
    )

    assert Empty("stop") == result.outcome


async def test_12_who_begins_anew_and_says_nothing_has_not_answered() -> None:
    watch = tool(ToolResult((), context=(VIDEO,)))

    result = await perform(Actor(["Let me see.", call()], NOTHING), tools=[watch], empty_retries=0)

    assert Empty("stop") == result.outcome


# --- 13 to 17: stops and time ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reason", "taken", "texts", "outcome"),
    [
        pytest.param(StopReason.FOLLOW_UP, False, ["One.", "Two."], Completed("end_of_stream"), id="13 a follow-up"),
        pytest.param(StopReason.USER, True, ["One."], Stopped(StopReason.USER), id="14 a stop"),
    ],
)
async def test_what_is_asked_for_while_a_tool_runs(
    reason: StopReason, texts: list[str], outcome: Outcome, *, taken: bool
) -> None:
    """A follow-up is refused: what the tool does is worth more. It waits for its turn instead."""
    actor, target, stops, answers = Actor(["One.", call()], ["Two."]), MemoryTarget(), Stops(), list[bool]()
    with stops.open("turn") as handle:
        asyncio.get_running_loop().call_later(1, lambda: answers.append(stops.request("turn", reason)))

        result = await perform(actor, target=target, tools=[tool(lambda: asyncio.sleep(2, "4"))], stop=handle)

    assert ([taken], texts, outcome) == (answers, target.texts, result.outcome)
    assert (1.0 if taken else 2.0) == now()
    assert len(texts) == actor.asked
    assert [taken] == [use.result.is_error for use in result.tools]


@pytest.mark.parametrize(
    ("answer", "seconds", "has_begun"),
    [
        pytest.param([1e9], 300.0, False, id="never began"),
        pytest.param(["One.", 1e9], 120.0, True, id="fell silent"),
    ],
)
async def test_15_a_model_that_is_silent_for_too_long(
    answer: Sequence[Step], seconds: float, *, has_begun: bool
) -> None:
    target = MemoryTarget()

    result = await perform(Actor([call()], answer), target=target, tools=[tool()])

    assert (Stalled(has_begun), seconds) == (result.outcome, now())
    assert ["The answer broke off" if has_begun else "No answer"] == [notice.title for notice in target.notices]


async def test_16_a_stop_during_an_answer_is_heard_at_once() -> None:
    stops = Stops()
    with stops.open("turn") as handle:
        asyncio.get_running_loop().call_later(1, stops.request, "turn")

        result = await perform(Actor([call()], ["One", 1e9]), tools=[tool()], stop=handle)

    assert (Stopped(StopReason.USER), 1.0) == (result.outcome, now())


async def test_17_a_tool_that_is_too_slow_is_stopped_and_the_model_is_told() -> None:
    actor, target = Actor([call()], ["Never mind."]), MemoryTarget()

    await perform(actor, target=target, tools=[tool(lambda: asyncio.sleep(1e9))], tool_timeout=5.0)

    assert (["Never mind."], 5.0) == (target.texts, now())
    assert "took longer than 5 seconds" in told(actor)[-1][1]


async def test_a_turn_has_a_time_limit_however_many_rounds_it_takes() -> None:
    """B59."""
    actor = Actor(["", 1.0, call()])

    result = await perform(actor, tools=[tool(lambda: asyncio.sleep(9, "4"))], turn_timeout=95.0)

    assert (Stopped(StopReason.TIME_LIMIT), 95.0, 10) == (result.outcome, now(), actor.asked)


# --- models that say everything again ----------------------------------------------------------------------------


async def test_a_model_that_says_all_again_has_said_enough_when_its_tools_succeeded() -> None:
    actor, target = Actor(["Rolling.", call()], ["never"], abilities=REPEATING), MemoryTarget()

    result = await perform(actor, target=target, tools=[tool()])

    assert (["Rolling."], Completed("tool"), 1) == (target.texts, result.outcome, actor.asked)


@pytest.mark.parametrize(
    ("rounds", "texts"),
    [
        pytest.param((["A.", call()], ["A.\nB."]), ["A.", "B."], id="and goes on"),
        pytest.param((["A.", call()], ["C."]), ["A.", "C."], id="and changes its mind"),
        pytest.param((["A.", call()], [call()], ["A.\nB."]), ["A.", "B."], id="not before the next call but later"),
        pytest.param((["A.\nB.", call()], ["A.\nC."]), ["A.", "B.", "C."], id="a part of it"),
    ],
)
async def test_what_such_a_model_says_again_is_shown_once(rounds: Sequence[Sequence[Step]], texts: list[str]) -> None:
    target = MemoryTarget()

    await perform(Actor(*rounds, abilities=REPEATING), target=target, tools=[tool(needs_answer=True)])

    assert texts == target.texts


async def test_three_failures_end_the_turn_of_such_a_model_with_what_it_said() -> None:
    runs: Runs = []
    actor, target = Actor(["Rolling.", call()], abilities=REPEATING), MemoryTarget()

    result = await perform(actor, target=target, tools=[broken(runs=runs)])

    assert (["Rolling."], Completed("tool"), 3) == (target.texts, result.outcome, len(runs))
    assert ["The tools failed"] == [notice.title for notice in target.notices]


async def test_that_they_failed_and_that_another_model_was_asked_is_one_notice() -> None:
    actor, target = Actor(["Rolling.", call()], name="second", abilities=REPEATING), MemoryTarget()

    await perform(Actor([NO_MODEL]), actor, target=target, tools=[broken()])

    assert ["The tools failed"] == [notice.title for notice in target.notices]
    assert "Before that: `first`" in target.notices[0].text


async def test_a_success_in_between_lets_such_a_model_fail_anew() -> None:
    bad, good = ["A.", call("bad")], ["A.", call("good")]
    actor = Actor(bad, bad, good, bad, bad, ["A.\nB."], abilities=REPEATING)
    target = MemoryTarget()

    await perform(actor, target=target, tools=[broken("bad"), tool(name="good", needs_answer=True)])

    assert ["A.", "B."] == target.texts


# --- what is left of them ------------------------------------------------------------------------------------------


async def test_usage_is_counted_of_all_and_thoughts_are_kept_of_what_stands() -> None:
    first = Actor(
        [ThoughtDelta("one"), "Rolling.", Usage(1, 1), Served("a"), call()],
        [ThoughtDelta("two"), "Hm.", Usage(10, 10), fails(ErrorKind.MODEL)],
    )
    second = Actor([ThoughtDelta("three"), "Done.", Usage(100, 100)], name="second")

    result = await perform(first, second, tools=[tool()])

    assert (("one", "three"), Usage(111, 111)) == (result.thoughts, result.usage)
    assert "Rolling.\nDone." == result.transcript


async def test_who_served_the_model_before_did_not_serve_this_one() -> None:
    first = Actor([Served("a router's choice"), "Rolling.", call()], [NO_MODEL])

    results = [
        await perform(first, Actor(["Done."], name="second"), tools=[tool()]),
        await perform(Actor([Served("b"), call()], [Served("c"), "Done."]), tools=[tool()]),
        await perform(Actor([Served("b"), "Done.", call()], NOTHING), tools=[tool()]),
    ]

    assert ["", "c", "b"] == [result.served_by for result in results]


async def test_gathered_words_are_sent_before_their_tools_are_run() -> None:
    texts: list[list[str]] = []
    target = MemoryTarget()
    actor = Actor(["One.\nTwo.", call()], ["Three.\nFour."])

    await perform(actor, target=target, tools=[tool(lambda: texts.append(target.texts))], degree=0)

    assert [["One.\nTwo."]] == texts
    assert ["One.\nTwo.", "Three.\nFour."] == target.texts


async def test_no_reply_ends_with_wanting_tools() -> None:
    result = await perform(Actor([call()]), tools=[tool()], tool_rounds=1)

    assert not isinstance(result.outcome, NeedsTools)
