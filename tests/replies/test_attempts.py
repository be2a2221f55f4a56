"""One answer, however many tries it takes, by the numbered cases of a generation turn and of superseded messages.

§10: 1, 2, 8 who is told what · 3 a message that is superseded · 4, 5 no notice after a stop · 6 the chat's fault · 7 keys ·
9 silence · 10 empty answers · 11 drawing (``test_casting.py``) · 12 no room (``test_casting.py``, ``test_dialogue.py``) ·
13 a fallback that is refused · 14 tools in words · 15 a filter.
W: T82 to T86 superseded messages. ``test_stories_of_trouble.py`` tells many of them with their times.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from itertools import groupby

import pytest
from hypothesis import given, strategies as st

from cadenza.concurrency.stops import Stops
from cadenza.errors import DeliveryError, ErrorKind
from cadenza.models.keys import Keyring
from cadenza.models.model import Model
from cadenza.models.vendors import codec
from cadenza.settings import FallbackSettings
from cadenza.targets.discord.policies import kind_of
from cadenza.targets.memory import MemoryTarget
from cadenza.targets.target import Limits
from cadenza.types import (
    Attachment,
    Broke,
    Completed,
    Empty,
    HttpRequest,
    Line,
    Notice,
    Outcome,
    Persona,
    Post,
    Receipt,
    Scene,
    Stalled,
    Stopped,
    StopReason,
    ThoughtDelta,
)
from tests.actors import (
    BLOCKED,
    BUSY,
    LIMITED,
    NO_MODEL,
    NOTHING,
    REFUSED,
    SCENE,
    STOPS_SHORT,
    Actor,
    Step,
    broken,
    call,
    fails,
    perform,
    tool,
)
from tests.timing import TimedTarget, now
from tests.trouble import Channel

pytestmark = pytest.mark.looptime


def titles(notices: Sequence[Notice]) -> list[str]:
    return [notice.title for notice in notices]


class Wall:
    """A chat from which nothing can be taken back."""

    def __init__(self) -> None:
        self._memory = MemoryTarget()
        self.limits, self.send, self.typing = self._memory.limits, self._memory.send, self._memory.typing

    @property
    def texts(self) -> list[str]:
        return self._memory.texts


class Stubborn(MemoryTarget):
    """A chat that refuses to take back what is in *stuck*, and notes what it was asked to take back, and when."""

    def __init__(self, *stuck: str) -> None:
        super().__init__()
        self._stuck = stuck
        self.removing = 0
        self.asked: list[str] = []

    async def remove(self, receipt: Receipt, /) -> None:
        assert self.removing == 0, "one at a time"
        self.removing += 1
        self.asked.append(receipt.post.text)
        await asyncio.sleep(1.0)
        self.removing -= 1
        if receipt.post.text in self._stuck:
            msg = "unknown message"
            raise DeliveryError(msg, code=10008)
        await super().remove(receipt)


# --- 1, 2, 8, 13: who is told what ----------------------------------------------------------------------------


async def test_1_a_fallback_answers_and_one_line_says_so() -> None:
    first, second, target = Actor([LIMITED]), Actor(["Hi."], name="second"), MemoryTarget()

    result = await perform(first, second, target=target)

    assert (["Hi."], Completed("end_of_stream"), "second") == (target.texts, result.outcome, result.model)
    assert ["Another model answered"] == titles(target.notices)
    assert "`second` answered instead of `first`" in target.notices[0].text
    assert target.notices == list(result.notices)


async def test_1_that_line_can_be_left_out() -> None:
    target = MemoryTarget()

    await perform(Actor([NO_MODEL]), Actor(["Hi."], name="second"), target=target, show_fallback=False)

    assert [] == target.notices


async def test_2_an_error_is_shown_once() -> None:
    target = MemoryTarget()

    result = await perform(Actor([NO_MODEL]), target=target)

    assert (["No such model"], (), "first") == (titles(target.notices), result.failures, result.model)


@pytest.mark.parametrize(
    "models",
    [
        pytest.param([[NO_MODEL]], id="an error"),
        pytest.param([NOTHING], id="nothing"),
        pytest.param([["Well", BLOCKED], [1e9]], id="several"),
        pytest.param([["Well", 1e9]], id="silence"),
    ],
)
async def test_2_passive_turns_are_silent(models: Sequence[Sequence[Step]]) -> None:
    target = MemoryTarget()

    await perform(*map(Actor, models), target=target, show_errors="off")

    assert [] == target.notices


async def test_8_of_five_keys_three_are_tried_then_the_next_model_and_the_last_error_is_shown() -> None:
    """B50: with more keys than tries the last error was shown to nobody."""
    keys = Keyring([f"k{number}" for number in range(1, 6)])
    first, target = Actor(["Hm.", REFUSED], keys=keys), MemoryTarget()

    result = await perform(first, Actor([NO_MODEL], name="second"), target=target)

    assert ["k1", "k2", "k3"] == first.keys
    assert ["No such model"] == titles(target.notices)
    assert "Before that: `first`" in target.notices[0].text
    assert ["Hm."] == target.texts
    assert 3 == len(result.failures)


async def test_13_a_fallback_that_is_refused_leaves_the_failure_that_was_and_it_is_shown() -> None:
    """Somebody's own models fail, and those of the server may not be used."""
    target = MemoryTarget()

    async def refused() -> Model | None:
        return None

    result = await perform(Actor([NO_MODEL]), refused, target=target)

    assert isinstance(result.outcome, Broke)
    assert (["No such model"], ()) == (titles(target.notices), result.failures)


# --- 3 and T82 to T86: superseded messages ------------------------------------------------------------------------


async def test_3_what_a_silent_model_had_said_goes_when_the_next_one_speaks() -> None:
    target = TimedTarget()
    first = Actor(["One.\nTwo.\n<think>", 1e9])
    second = Actor([5.0, "Hello."], name="second")
    seen: list[tuple[float, list[str]]] = []
    for time in (1.0, 121.0, 124.9, 125.1):
        asyncio.get_running_loop().call_at(time, lambda: seen.append((now(), target.texts)))

    result = await perform(first, second, target=target)
    await asyncio.sleep(1)

    both = ["One.", "Two."]
    assert [(1.0, both), (121.0, both), (124.9, both), (125.1, ["Hello."])] == seen
    assert ("Hello.", ["Hello."]) == (result.transcript, [receipt.post.text for receipt in result.receipts])


async def test_t82_nothing_to_take_back() -> None:
    target = Stubborn()

    await perform(Actor([NO_MODEL]), Actor(["Hello."], name="second"), target=target)

    assert [] == target.asked


async def test_t83_all_of_it_is_taken_back_one_at_a_time() -> None:
    """Which way a message is removed, by a webhook or by the bot, is the target's own matter."""
    target = Stubborn()

    await perform(Actor(["One.\nTwo.\nThree.\nF", NO_MODEL]), Actor(["Hello."], name="second"), target=target)

    assert ["One.", "Three.", "Two."] == sorted(target.asked)
    assert ["Hello."] == target.texts


async def test_t84_what_cannot_be_taken_back_is_skipped_and_was_said() -> None:
    target = Stubborn("One.")

    result = await perform(Actor(["One.\nTwo.\nTh", NO_MODEL]), Actor(["Hello."], name="second"), target=target)

    assert ["One.", "Two."] == sorted(target.asked)
    assert (["One.", "Hello."], "One.\nHello.") == (target.texts, result.transcript)


async def test_t85_what_is_just_being_sent_is_taken_back_too() -> None:
    target = TimedTarget(latency=2.0)
    first, second = Actor(["One.\nTwo.\n", 3.0, "Three.", NO_MODEL]), Actor(["Hello."], name="second")

    await perform(first, second, target=target)

    assert ["Hello."] == target.texts


@pytest.mark.parametrize("seconds", [0.0, 9.0], ids=["at once", "after a silence"])
async def test_half_a_line_does_not_flash_up_when_a_model_breaks_off(seconds: float) -> None:
    """Whether somebody does better is known in a moment; until then it is kept."""
    target = TimedTarget()

    await perform(Actor(["First you bu", seconds, NO_MODEL]), Actor(["Hello."], name="second"), target=target)

    assert (1, ["Hello."]) == (len(target.started), target.texts)


async def test_t85_what_was_not_sent_yet_never_is() -> None:
    target = TimedTarget()
    first = Actor(["One.\nTwo.\nThree.\nFour.", NO_MODEL])

    await perform(first, Actor(["Hello."], name="second"), target=target, degree=2, typing_least=5.0, typing_most=5.0)

    assert (2, ["Hello."]) == (len(target.started), target.texts)


async def test_t86_notices_are_not_taken_back() -> None:
    """Ours sends no notice before it is known who answers; that it takes longer stays true whoever goes on."""
    target = MemoryTarget()
    first = Actor([call()], ["Well.", NO_MODEL])

    await perform(first, Actor(["Hello."], name="second"), target=target, tools=[tool()], tool_notice=1)

    assert ["Still working", "Another model answered"] == titles(target.notices)


async def test_a_target_that_cannot_take_back_gets_no_second_answer_behind_half_of_one() -> None:
    target, second = Wall(), Actor(["Hello."], name="second")

    result = await perform(Actor(["One.\nTwo", NO_MODEL]), second, target=target)

    assert (0, ["One.", "Two"]) == (second.asked, [text for text in target.texts if not text.startswith("-#")])
    assert isinstance(result.outcome, Broke)
    assert target.texts[-1].startswith("-# ")


async def test_a_target_that_cannot_take_back_gets_another_answer_if_nothing_was_said() -> None:
    target = Wall()

    await perform(Actor([NO_MODEL]), Actor(["Hello."], name="second"), target=target)

    assert "Hello." == target.texts[0]


@pytest.mark.parametrize("degree", [0, 1, 2])
@pytest.mark.parametrize(
    "later",
    [
        pytest.param([[NO_MODEL]], id="an error"),
        pytest.param([[1e9]], id="silence"),
        pytest.param([NOTHING, [BLOCKED]], id="several"),
        pytest.param([["<think>hm</think>", BLOCKED]], id="thoughts"),
    ],
)
async def test_what_nobody_betters_stays_whole(degree: int, later: Sequence[Sequence[Step]]) -> None:
    """Its thoughts do, too: they belong to what stands."""
    said = [ThoughtDelta("deep"), "One.\nTwo.\nThree.", BLOCKED]
    others = [Actor(answer, name=str(number)) for number, answer in enumerate(later)]
    target = TimedTarget()

    result = await perform(Actor(said), *others, target=target, degree=degree, empty_retries=0)

    assert "One. Two. Three." == " ".join(" ".join(target.texts).split())
    assert "deep" == result.thoughts[0]
    assert not isinstance(result.outcome, Completed)
    assert 1 == len(target.notices)


@pytest.mark.parametrize(
    ("rounds", "shown"),
    [
        pytest.param((["Two.", BLOCKED],), ["Two."], id="from the beginning"),
        pytest.param((["One.", call()], ["Two.", BLOCKED]), ["One.", "Two."], id="behind what a tool was called with"),
    ],
)
async def test_half_of_an_answer_ends_as_it_broke_off_if_the_next_model_has_nothing_to_say(
    rounds: Sequence[Sequence[Step]], shown: list[str]
) -> None:
    target = MemoryTarget()

    result = await perform(
        Actor(*rounds), Actor(NOTHING, name="second"), target=target, tools=[tool()], empty_retries=0
    )

    assert (shown, Broke, "first") == (target.texts, type(result.outcome), result.model)
    assert [("second", Empty("stop"))] == [(failure.model, failure.outcome) for failure in result.failures]
    assert ["Blocked by a filter"] == [notice.title for notice in target.notices]


async def test_of_several_beginnings_the_last_one_stays() -> None:
    target = MemoryTarget()
    models = Actor(["One.", NO_MODEL]), Actor(["Two.", NO_MODEL], name="second"), Actor([NO_MODEL], name="third")

    result = await perform(*models, target=target)

    assert (["Two."], "Two.") == (target.texts, result.transcript)


async def test_messages_of_a_reply_before_go_when_this_one_begins_and_not_if_it_does_not() -> None:
    """They were handed over by whoever answers an edited message anew."""
    from cadenza.replies.reply import reply

    target = MemoryTarget()
    before = await perform(Actor(["Old."]), target=target)

    await reply(SCENE, Actor([NO_MODEL]).model, target, supersedes=before.receipts)
    stays = target.texts
    result = await reply(SCENE, Actor([1.0, "New."]).model, target, supersedes=before.receipts)

    assert (["Old."], ["New."], "New.") == (stays, target.texts, result.transcript)


# --- 4, 5: stops --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", [StopReason.USER, StopReason.FOLLOW_UP])
@pytest.mark.parametrize("degree", [1, 2])
async def test_4_5_a_fallback_that_is_stopped_is_not_told_of(reason: StopReason, degree: int) -> None:
    """Also if it was done, and only its messages were still being typed."""
    target, stops = TimedTarget(), Stops()
    second = Actor(["One.\nTwo.\nThree.", *([1e9] if degree == 1 else [])], name="second")
    with stops.open("turn") as handle:
        asyncio.get_running_loop().call_later(0.5, stops.request, "turn", reason)

        result = await perform(Actor([NO_MODEL]), second, target=target, stop=handle, degree=degree)

    assert (Stopped(reason), []) == (result.outcome, target.notices)


async def test_a_stop_counts_while_the_words_of_a_model_are_typed_that_may_have_no_more_tools() -> None:
    target, stops = TimedTarget(), Stops()
    with stops.open("turn") as handle:
        asyncio.get_running_loop().call_later(0.5, stops.request, "turn")

        result = await perform(
            Actor(["One.\nTwo.\nThree.", call()]), target=target, tools=[tool()], stop=handle, degree=2, tool_rounds=1
        )

    assert (Stopped(StopReason.USER), []) == (result.outcome, target.notices)


@pytest.mark.parametrize(
    ("models", "time"),
    [
        pytest.param([[0.1, fails(ErrorKind.OVERLOADED, status=503, retry_after=9.0)]], 1.0, id="before a retry"),
        pytest.param([NOTHING], 0.5, id="before an empty model is asked again"),
        pytest.param([[0.5, NO_MODEL], [1e9]], 1.0, id="while the next one thinks"),
    ],
)
@pytest.mark.parametrize("reason", [StopReason.USER, StopReason.TIME_LIMIT])
async def test_a_stop_between_two_tries_is_heard_at_once(
    models: Sequence[Sequence[Step]], time: float, reason: StopReason
) -> None:
    stops = Stops()
    actors = [Actor(answer, name=str(number)) for number, answer in enumerate(models)]
    with stops.open("turn") as handle:
        if reason is StopReason.USER:
            asyncio.get_running_loop().call_later(time, stops.request, "turn")

        limit = time if reason is StopReason.TIME_LIMIT else 1800.0
        result = await perform(*actors, stop=handle, turn_timeout=limit)

    assert (Stopped(reason), time) == (result.outcome, now())
    assert [1] * len(actors) == [actor.asked for actor in actors]


@pytest.mark.parametrize("has_begun", [False, True], ids=["the first", "another"])
async def test_a_stop_is_heard_while_a_model_is_made_ready(*, has_begun: bool) -> None:
    cancelled: list[bool] = []

    async def hangs() -> Model | None:
        try:
            await asyncio.sleep(1e9)
        finally:
            cancelled.append(True)
        return None

    target, stops = MemoryTarget(), Stops()
    with stops.open("turn") as handle:
        asyncio.get_running_loop().call_later(1.0, stops.request, "turn")

        result = await perform(*([Actor(["One.", NO_MODEL])] * has_begun), hangs, target=target, stop=handle)

    assert (Stopped(StopReason.USER), 1.0, [True]) == (result.outcome, now(), cancelled)
    assert ([], []) == (target.texts, target.notices)


@pytest.mark.parametrize(
    ("reason", "on_stop", "texts"),
    [
        pytest.param(StopReason.USER, "silence", ["One."], id="a stop: nothing more"),
        pytest.param(StopReason.TIME_LIMIT, "clause", ["One.", "Two."], id="out of time: likewise"),
        pytest.param(StopReason.USER, "clause", ["One.", "Two."], id="a stop: one more clause"),
        pytest.param(StopReason.FOLLOW_UP, "clause", ["One."], id="a follow-up: nothing more"),
    ],
)
async def test_what_was_put_aside_while_somebody_else_is_looked_for_is_not_forgotten(
    reason: StopReason, on_stop: str, texts: list[str]
) -> None:
    """What was said and not sent yet is decided by the same table as any other stop."""
    target, stops = TimedTarget(), Stops()
    first = Actor(["One.\nTwo.\nThree.", BUSY])
    with stops.open("turn") as handle:
        asyncio.get_running_loop().call_later(0.5, stops.request, "turn", reason)

        result = await perform(first, target=target, stop=handle, degree=2, typing_least=3.0, on_stop=on_stop)

    assert (texts, Stopped(reason)) == (target.texts, result.outcome)
    assert "\n".join(texts) == result.transcript


async def test_waiting_for_another_try_does_not_look_like_a_stale_turn() -> None:
    stops, idle = Stops(), []
    with stops.open("turn") as handle:
        asyncio.get_running_loop().call_later(2.0, lambda: idle.append(handle.idle_since))

        await perform(Actor([fails(ErrorKind.OVERLOADED, status=503, retry_after=5.0)], ["Hi."]), stop=handle)

    assert [None] == idle


# --- 6: the chat's fault -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        pytest.param(50001, Stopped(StopReason.MISSING_ACCESS), id="no access"),
        pytest.param(10003, Stopped(StopReason.CHANNEL_GONE), id="no such channel"),
        pytest.param(50013, None, id="no permission"),
        pytest.param(50035, None, id="a message that is not taken"),
        pytest.param(None, None, id="no code"),
    ],
)
async def test_6_a_message_that_cannot_be_sent_is_no_reason_to_ask_anybody_else(
    code: int | None, outcome: Outcome | None
) -> None:
    """Nor is 50013, for which the fallback was run: a delivery error is never a reason to run a model again (W1)."""
    keys = Keyring(["k1", "k2"])
    first, second = Actor(["One.\nTwo.", 1.0, "Three."], keys=keys), Actor(["Hello."], name="second")
    target = TimedTarget(fail_at=0, error=DeliveryError("no", code=code, kind=kind_of(code)))

    result = await perform(first, second, target=target)

    assert (1, 0, []) == (first.asked, second.asked, target.notices)
    assert [0, 0] == [record.errors for record in keys]
    if outcome:
        assert outcome == result.outcome
    else:
        assert isinstance(result.outcome, Broke)


async def test_6_also_if_it_was_only_being_sent_when_the_model_broke_down() -> None:
    second = Actor(["Hello."], name="second")
    target = TimedTarget(latency=2.0, fail_at=1, error=DeliveryError("no"))

    result = await perform(Actor(["One.\nTwo.\nThree.", 3.0, NO_MODEL]), second, target=target)

    assert 0 == second.asked
    assert isinstance(result.outcome, Broke)
    assert isinstance(result.outcome.error, DeliveryError)


# --- 7, 9, 10, 15: keys and models -------------------------------------------------------------------------------


async def test_7_another_key_answers_and_what_the_first_had_said_goes() -> None:
    keys = Keyring(["k1", "k2"])
    actor, target = Actor(["Well.", LIMITED], ["Hello."], keys=keys), MemoryTarget()

    result = await perform(actor, target=target)

    first, second = keys
    assert (60.0, 0, 1) == (first.cooling_until, first.uses, second.uses)
    assert (["k1", "k2"], ["Hello."], []) == (actor.keys, target.texts, target.notices)
    assert 1 == len(result.failures)


async def test_9_a_silent_model_is_not_asked_with_another_key() -> None:
    keys = Keyring(["k1", "k2"])
    actor = Actor([1e9], keys=keys)

    result = await perform(actor, Actor(["Hello."], name="second"))

    assert (1, Completed("end_of_stream")) == (actor.asked, result.outcome)
    assert [0, 0] == [record.uses for record in keys]


async def test_10_an_empty_answer_is_asked_for_again_and_then_of_the_next_model() -> None:
    """Ours passes it on, in place of ending silently (B55); another key would not help."""
    keys = Keyring(["k1", "k2"])
    first, second, target = Actor(NOTHING, keys=keys), Actor(NOTHING, name="second"), MemoryTarget()

    result = await perform(first, second, target=target)

    assert (Empty("stop"), 5) == (result.outcome, len(result.failures))
    assert (["k1"] * 3, [0.0, 1.0, 2.0], [2.0, 3.0, 4.0]) == (first.keys, first.times, second.times)
    assert ["No answer"] == titles(target.notices)


async def test_10_a_model_without_room_is_told_less_each_time() -> None:
    history = tuple(
        Line("Ren" if is_own else "Mia", str(number), is_own=is_own) for number in range(8) for is_own in (False, True)
    )[:-1]
    actor = Actor(STOPS_SHORT)

    await perform(actor, scene=Scene("channel", Persona("Ren"), history))

    assert [15, 11, 7] == [len(prompt.turns) for prompt in actor.prompts]


async def test_15_a_filter_rests_no_key() -> None:
    keys = Keyring(["k1", "k2"])
    actor = Actor([BLOCKED], keys=keys)

    await perform(actor)

    assert (["k1"], [0.0, 0.0]) == (actor.keys, [record.cooling_until for record in keys])


async def test_two_replies_at_once_share_what_is_known_of_their_keys() -> None:
    keys = Keyring(["k1", "k2"], FallbackSettings())
    one, two = Actor([1.0, LIMITED], ["One."], keys=keys), Actor([2.0, REFUSED], [LIMITED], keys=keys)
    fallback = Actor(["Two."], name="second")

    results = await asyncio.gather(perform(one), perform(two, fallback))

    assert (["k1", "k2"], ["k2"]) == (one.keys, two.keys)
    assert ["One.", "Two."] == [result.transcript for result in results]


# --- 14: what one model is told is not what another is ------------------------------------------------------------------


async def test_14_each_model_is_told_of_tools_in_its_own_way() -> None:
    """One whose calls are plain text is told so; the next one, whose calls are not, is not."""
    bodies: dict[str, list[str]] = {"novelai": [], "openai": []}

    def asked(vendor: str, name: str) -> Model:
        async def transport(request: HttpRequest) -> AsyncIterator[bytes]:
            bodies[vendor].append(request.body.decode())
            yield b'data: {"error": {"message": "no such model", "code": 404}}\n\n'

        return Model(codec(vendor, name, key="k"), transport, name=vendor)

    for pair in (("novelai", "glm-4-6"), ("openai", "gpt-5.1")), (("openai", "gpt-5.1"), ("novelai", "glm-4-6")):
        await perform(*(asked(*names) for names in pair), tools=[tool(name="weather")])

    assert bodies["novelai"][0] == bodies["novelai"][1]
    assert bodies["openai"][0] == bodies["openai"][1]
    assert "weather" in json.loads(bodies["novelai"][0])["prompt"]
    (spec,) = json.loads(bodies["openai"][0])["tools"]
    assert "weather" == spec["function"]["name"]
    assert "weather" not in json.dumps(json.loads(bodies["openai"][0])["messages"])


# --- a model that takes over --------------------------------------------------------------------------------------------


async def test_messages_of_rounds_whose_tools_were_run_stay_when_another_takes_over() -> None:
    """It is told of them and goes on; only those of the round that failed are superseded (B56)."""
    runs: list[Mapping[str, object]] = []
    first = Actor(["Let me look.", call()], ["It is", NO_MODEL])
    second, target = Actor([call()], ["It is 4."], name="second"), MemoryTarget()

    result = await perform(first, second, target=target, tools=[tool(runs=runs)])

    assert ["Let me look.", "It is 4."] == target.texts
    assert [("model", "Let me look."), ("tool", "4")] == [
        (turn.role.value, turn.text) for turn in second.prompts[0].turns[1:]
    ]
    assert (1, 1) == (len(runs), len(result.tools))


async def test_the_same_model_asked_once_more_may_use_the_same_tool_again() -> None:
    runs: list[Mapping[str, object]] = []
    actor = Actor([call()], [BUSY], [call()], ["Done."])

    await perform(actor, tools=[tool(runs=runs)])

    assert 2 == len(runs)


async def test_five_failures_pass_the_turn_on_and_nothing_that_was_told_is_taken_back() -> None:
    first, target = Actor(["One.", call()], [call()], [call()], [call()], ["Five.", call()]), MemoryTarget()
    second = Actor(*[[call()] for _ in range(4)], ["Done."], name="second")

    result = await perform(first, second, target=target, tools=[broken()])

    assert (["One.", "Five.", "Done."], Completed("end_of_stream")) == (target.texts, result.outcome)
    assert (5, 5) == (first.asked, second.asked)
    assert 1 + 10 == len(second.prompts[0].turns)
    assert ["Another model answered"] == titles(target.notices)
    assert "tools failed 5 times in a row" in target.notices[0].text


async def test_five_failures_pass_the_turn_on_even_where_nothing_can_be_taken_back() -> None:
    target, second = Wall(), Actor(["Done."], name="second")

    await perform(Actor(["One.", call()]), second, target=target, tools=[broken()], tool_failures=1)

    assert (1, ["One.", "Done."]) == (second.asked, target.texts[:2])


async def test_limits_of_a_reply_count_what_stands_over_all_tries() -> None:
    """W6: messages that were taken back do not count, those before a tool do."""
    first = Actor(["One.", call()], ["Two.\nThree.", NO_MODEL])
    second, target = Actor(["Two.\nThree.\nFour.\nFive."], name="second"), MemoryTarget()

    result = await perform(first, second, target=target, tools=[tool()], message_limit=3)

    assert (["One.", "Two.", "Three."], Stopped(StopReason.MESSAGE_LIMIT)) == (target.texts, result.outcome)


async def test_what_does_not_fit_goes_with_the_last_message_over_all_tries() -> None:
    first = Actor(["One.", call()], ["Two.\nThree.", NO_MODEL])
    second, target = Actor(["Two.\nThree.\nFour.\nFive."], name="second"), MemoryTarget(limits=Limits(files=True))

    result = await perform(first, second, target=target, tools=[tool()], message_limit=3)

    assert ["One.", "Two.", "Three."] == target.texts
    assert Attachment("reply.md", b"Four.\nFive.\n") == target.posts[-1].attachment
    assert ("One.\nTwo.\nThree.\nFour.\nFive.", True) == (result.transcript, isinstance(result.outcome, Completed))


async def test_what_is_said_after_a_tool_when_the_messages_are_used_up_is_told() -> None:
    target = MemoryTarget(limits=Limits(files=True))

    result = await perform(
        Actor(["One.\nTwo.\nThree.", call()], ["Four."]), target=target, tools=[tool()], message_limit=2
    )

    assert (["One.", "Two."], Stopped(StopReason.MESSAGE_LIMIT)) == (target.texts, result.outcome)
    assert Attachment("reply.md", b"Three.\n") == target.posts[-1].attachment
    assert ["There is more"] == titles(target.notices)


@pytest.mark.parametrize(
    ("when_full", "told"), [("file", ["There is more"]), ("notice", ["There is more"]), ("stop", [])]
)
async def test_where_there_are_no_files_people_are_told_that_there_is_more(when_full: str, told: list[str]) -> None:
    target = MemoryTarget()

    result = await perform(Actor(["One.\nTwo.\nThree."]), target=target, message_limit=2, when_full=when_full)

    assert (["One.", "Two."], Stopped(StopReason.MESSAGE_LIMIT)) == (target.texts, result.outcome)
    assert told == titles(target.notices)


async def test_a_reply_that_met_its_limit_was_not_ended_by_a_stop_that_came_later() -> None:
    stops, target = Stops(), TimedTarget(latency=2.0)
    with stops.open("turn") as handle:
        asyncio.get_running_loop().call_later(1.0, stops.request, "turn")

        result = await perform(Actor(["One.\nTwo.\nThree."]), target=target, stop=handle, message_limit=2)

    assert (["One."], Stopped(StopReason.MESSAGE_LIMIT)) == (target.texts, result.outcome)
    assert [] == target.notices, "who said stop is not told that there is more"


@pytest.mark.parametrize(
    ("rounds", "replies"),
    [
        pytest.param(([NO_MODEL],), ["42", None], id="nothing was said"),
        pytest.param((["Well.", NO_MODEL],), ["42", None], id="what was said is taken back"),
        pytest.param((["Well.", call()], [NO_MODEL]), ["42", None, None], id="what was said stays"),
    ],
)
async def test_the_first_message_that_stands_answers_the_one_that_was_asked(
    rounds: Sequence[Sequence[Step]], replies: list[str | None]
) -> None:
    target = MemoryTarget()
    scene = Scene("channel", Persona("Ren"), SCENE.history, reply_to="42")

    await perform(Actor(*rounds), Actor(["One.\nTwo."], name="second"), scene=scene, target=target, tools=[tool()])

    assert replies == [post.reply for post in target.posts]


async def test_a_message_that_is_just_being_sent_when_another_takes_over_counts() -> None:
    channel = Channel(latency=1.0)
    scene = Scene("channel", Persona("Ren"), SCENE.history, reply_to="42")
    models = Actor(["One.", call()]), Actor(["Two.\nThree."], name="second")

    await perform(*models, scene=scene, target=channel, tools=[broken()], tool_failures=1, message_limit=2)

    assert [("One.", "42"), ("Two.", None)] == [(receipt.post.text, receipt.post.reply) for receipt in channel.shown]


@pytest.mark.parametrize(
    ("rounds", "prefills", "texts"),
    [
        pytest.param(([NO_MODEL],), ["Well,"], ["Well, done."], id="it begins anew"),
        pytest.param((["then.", call()], [NO_MODEL]), [""], ["Well,then.", "done."], id="it goes on"),
    ],
)
async def test_words_are_put_into_the_next_mouth_only_if_it_begins_anew(
    rounds: Sequence[Sequence[Step]], prefills: list[str], texts: list[str]
) -> None:
    scene = Scene("channel", Persona("Ren"), SCENE.history, prefill="Well,")
    second, target = Actor([" done."], name="second"), MemoryTarget()

    await perform(Actor(*rounds), second, scene=scene, target=target, tools=[tool()], show_prefill=True)

    assert prefills == [prompt.prefill for prompt in second.prompts]
    assert texts == target.texts


async def test_gathered_words_of_a_model_that_broke_down_are_not_mixed_with_those_of_the_next() -> None:
    target = MemoryTarget()
    first = Actor(["One.\nTwo.", call()], ["Three.\nFour", NO_MODEL])

    await perform(first, Actor(["Five.\nSix."], name="second"), target=target, tools=[tool()], degree=0)

    assert ["One.\nTwo.", "Five.\nSix."] == target.texts


async def test_silence_of_the_one_who_takes_over_is_no_answer_to_what_a_tool_found() -> None:
    first = Actor(["Let me look.", call()], [NO_MODEL])

    result = await perform(first, Actor(NOTHING, name="second"), tools=[tool(needs_answer=True)], empty_retries=0)

    assert Empty("stop") == result.outcome


# --- time ---------------------------------------------------------------------------------------------------------------


async def test_the_time_limit_ends_a_turn_and_not_the_sending_of_its_last_words() -> None:
    target = TimedTarget(latency=10.0)

    result = await perform(Actor(["One.\nTwo.\nThree."]), target=target, turn_timeout=5.0)

    assert (Completed("end_of_stream"), 3, []) == (result.outcome, len(target.posts), target.notices)


async def test_stalls_of_all_models_together_do_not_take_longer_than_the_turn_may() -> None:
    models = [Actor([1e9], name=str(number)) for number in range(9)]

    result = await perform(*models)

    assert (Stopped(StopReason.TIME_LIMIT), 1800.0) == (result.outcome, now())
    assert all(Stalled(has_begun=False) == failure.outcome for failure in result.failures)


async def test_nothing_is_left_running() -> None:
    async def late() -> Model | None:
        await asyncio.sleep(1.0)
        return None

    await perform(Actor(["Well.", NO_MODEL]), late, Actor([BUSY]), Actor(["Hello."]))

    assert {asyncio.current_task()} == asyncio.all_tasks()


async def test_a_post_that_a_stage_planned_is_what_the_receipt_shows() -> None:
    """A brought-back beginning keeps its receipts: nothing is sent a second time."""
    sent: list[Post] = []

    class Noting(MemoryTarget):
        async def send(self, post: Post, /) -> Receipt:
            sent.append(post)
            return await super().send(post)

    result = await perform(Actor(["One.", NO_MODEL]), Actor([NO_MODEL], name="second"), target=Noting())

    assert ["One."] == [post.text for post in sent] == [receipt.post.text for receipt in result.receipts]


# --- whatever happens ---------------------------------------------------------------------------------------------------

ENDS: dict[str, tuple[Step, ...]] = {
    "tool": (call(),),
    "done": (),
    "empty": NOTHING,
    "short": STOPS_SHORT,
    "busy": (BUSY,),
    "limited": (LIMITED,),
    "refused": (REFUSED,),
    "blocked": (BLOCKED,),
    "gone": (NO_MODEL,),
}
ROUNDS = st.lists(st.tuples(st.integers(0, 3), st.sampled_from(sorted(ENDS))), min_size=1, max_size=4)


@given(scripts=st.lists(ROUNDS, min_size=1, max_size=3), degree=st.integers(0, 2), works=st.booleans())
def test_never_two_answers_and_never_half_of_one_that_could_be_whole(
    scripts: list[list[tuple[int, str]]], degree: int, *, works: bool
) -> None:
    """Of every round all of its messages stand or none; of those whose tools were not run, at most one stands.

    Each message says which round of which model it belongs to, and which of its messages it is.
    """
    actors = [
        Actor(
            *([_lines(f"{place}.{number}", count), *ENDS[end]] for number, (count, end) in enumerate(script)),
            name=str(place),
        )
        for place, script in enumerate(scripts)
    ]
    said = {
        f"{place}.{number}": (count, end)
        for place, script in enumerate(scripts)
        for number, (count, end) in enumerate(script)
    }
    target = MemoryTarget()
    quick = {"retry_delay": 0.0, "typing_budget": 0.0, "tool_rounds": 6}

    result = asyncio.run(perform(*actors, target=target, tools=[tool() if works else broken()], degree=degree, **quick))

    lines = [line for text in target.texts for line in text.split("\n") if line]
    assert [receipt.post.text for receipt in result.receipts] == target.texts
    assert "\n".join(target.texts) == result.transcript
    for name in {line.rpartition("-")[0] for line in lines}:
        shown = [line for line in lines if line.startswith(f"{name}-")]
        assert not len(shown) % said[name][0], "half of it"
    answers = [
        list(group) for name, group in groupby(line.rpartition("-")[0] for line in lines) if said[name][1] != "tool"
    ]
    assert len(answers) <= 1
    assert not isinstance(result.outcome, Completed) or not target.notices or "Another" in target.notices[-1].title
    assert isinstance(result.outcome, Completed) or len(target.notices) == 1


def _lines(name: str, count: int) -> str:
    return "\n".join(f"{name}-{number}" for number in range(count))
