"""The shell: reading and sending side by side, interrupted at once, never half-way. All in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from random import Random

import pytest

from cadenza.concurrency.stops import Stops
from cadenza.concurrency.tasks import end_task
from cadenza.errors import DeliveryError, DeliveryKind, InputError, ProviderError
from cadenza.models.dialects.scripted import ScriptedCodec, parse_script, transport
from cadenza.models.model import Model, stream
from cadenza.replies.outbox.outbox import Outbox
from cadenza.replies.pipeline import clean, rule_context, run_round, settle, text_row
from cadenza.replies.reply import say
from cadenza.rules import RULES, Rule
from cadenza.rules.rule import RuleContext
from cadenza.settings import Settings
from cadenza.stages.s4_round import Round
from cadenza.types import (
    Broke,
    Chunk,
    Completed,
    Empty,
    Ending,
    Finished,
    HttpRequest,
    Identity,
    Line,
    Notice,
    Persona,
    Post,
    Prompt,
    Receipt,
    Reply,
    Roster,
    Scene,
    Segment,
    Sprite,
    Stalled,
    Stopped,
    StopReason,
    TextDelta,
)
from tests.timing import SlowStream, TimedTarget, now

pytestmark = pytest.mark.looptime

AT_ONCE = Settings.of(degree=1)
TYPED = Settings.of(degree=2, thinking_chance=0.0, typing_tail=3600.0)


async def stopped_after(
    seconds: float,
    model: SlowStream,
    target: TimedTarget,
    *,
    reason: StopReason = StopReason.USER,
    settings: Settings = AT_ONCE,
) -> tuple[Reply, float]:
    """Let *model* speak, stop it after *seconds*; give back the reply and when it came."""
    stops = Stops()
    with stops.open("turn") as handle:
        asyncio.get_running_loop().call_later(seconds, stops.request, "turn", reason)
        reply = await say(target, model, settings=settings, stop=handle)
    return reply, now()


# --- delivering ------------------------------------------------------------------------------


async def test_messages_leave_while_the_model_still_speaks() -> None:
    target = TimedTarget()

    await say(target, SlowStream("one\n", 1.0, "two\n", 1.0, "three"), settings=AT_ONCE)

    assert ["one", "two", "three"] == target.texts
    assert [1.0, 2.0, 2.0] == target.arrived


async def test_a_pause_is_shortened_by_the_time_that_the_model_took() -> None:
    target = TimedTarget()

    await say(target, SlowStream("one\nt", 0.5, "wo\nx", 3.0), settings=TYPED)

    assert [0.0, 0.75] == target.arrived[:2]
    assert target.arrived[2] == 3.5


async def test_typing_is_shown_until_the_last_message_and_not_after() -> None:
    target = TimedTarget()

    await say(target, SlowStream(20.0, "one"), settings=AT_ONCE)

    assert [0.0, 8.0, 16.0] == target.typed
    assert max(target.typed) < target.arrived[-1]


async def test_order_is_kept_when_sending_is_slow() -> None:
    target = TimedTarget(latency=2.0)
    words = [f"{number}\n" for number in range(30)]

    await say(target, SlowStream(*words), settings=AT_ONCE)

    assert [str(number) for number in range(30)] == target.texts


async def test_a_slow_chat_slows_the_model_down_instead_of_filling_the_memory() -> None:
    target = TimedTarget(latency=1.0)
    read: list[float] = []

    async def model() -> AsyncIterator[str]:
        for number in range(20):
            read.append(now())
            yield f"{number}\n"

    await say(target, model(), settings=Settings.of(degree=1, queue=2))

    assert read[-1] > 10.0
    assert len(target.posts) == 20


@pytest.mark.parametrize(
    "speech", ["one\ntwo", ["one\n", "two"], [TextDelta("one\ntwo"), Finished()]], ids=["text", "texts", "chunks"]
)
async def test_words_may_come_in_many_forms(speech: list[str | Chunk]) -> None:
    target = TimedTarget()

    reply = await say(target, speech, settings=AT_ONCE)

    assert ["one", "two"] == target.texts
    assert isinstance(reply.outcome, Completed)
    assert reply.transcript == "one\ntwo"


async def test_silence_is_an_empty_reply() -> None:
    reply = await say(TimedTarget(), SlowStream(1.0), settings=AT_ONCE)

    assert isinstance(reply.outcome, Empty)


# --- stopping --------------------------------------------------------------------------------


async def test_a_stop_while_waiting_for_the_first_word_takes_effect_at_once() -> None:
    model, target = SlowStream(60.0, "late"), TimedTarget()

    reply, when = await stopped_after(1.5, model, target)

    assert (Stopped(StopReason.USER), 1.5, []) == (reply.outcome, when, target.texts)
    assert model.closed


async def test_a_stop_in_mid_sentence_is_followed_by_nothing() -> None:
    target = TimedTarget()

    reply, when = await stopped_after(1.0, SlowStream("First. Second, and th", 60.0, "en\nmore"), target)

    assert [] == target.texts
    assert (Stopped(StopReason.USER), 1.0) == (reply.outcome, when)


@pytest.mark.parametrize(("on_stop", "more"), [("silence", []), ("clause", ["two."])])
@pytest.mark.parametrize("ends", [False, True], ids=["the model goes on", "the model has finished"])
async def test_a_stop_inside_a_pause_drops_what_waits(on_stop: str, more: list[str], *, ends: bool) -> None:
    model, target = SlowStream("one.\ntwo. And more.\nthree.\nfour is not", *([] if ends else [60.0])), TimedTarget()

    reply, when = await stopped_after(0.2, model, target, settings=TYPED.with_values({"on_stop": on_stop}))

    assert ["one.", *more] == target.texts == [receipt.post.text for receipt in reply.receipts]
    assert (Stopped(StopReason.USER), 0.2) == (reply.outcome, when)
    assert ("one.\ntwo. And more.\nthree.\nfour is not", "\n".join(target.texts)) == (reply.text, reply.transcript)


async def test_a_follow_up_drops_what_was_not_sent() -> None:
    target = TimedTarget()

    reply, when = await stopped_after(
        0.2, SlowStream("one.\ntwo.\nthree.", 60.0), target, reason=StopReason.FOLLOW_UP, settings=TYPED
    )

    assert (["one."], Stopped(StopReason.FOLLOW_UP), 0.2) == (target.texts, reply.outcome, when)


async def test_a_send_under_way_is_never_cancelled_and_its_receipt_is_kept() -> None:
    target = TimedTarget(latency=5.0)

    reply, when = await stopped_after(
        1.0, SlowStream("one\ntwo\n", 60.0), target, reason=StopReason.FOLLOW_UP, settings=AT_ONCE
    )

    assert ["one"] == [receipt.post.text for receipt in reply.receipts] == target.texts
    assert when == 5.0


async def test_of_what_a_stop_leaves_out_nothing_was_said() -> None:
    """The last message is one clause; the model must not believe that it said more."""
    target, settings = TimedTarget(), Settings.of(degree=0, limit=50, on_stop="clause")

    reply, _ = await stopped_after(1.0, SlowStream("words and words. " * 10, 60.0), target, settings=settings)

    assert ["words and words."] == target.texts == [reply.transcript]


async def test_it_is_settled_only_when_nothing_is_under_way_any_more() -> None:
    target, stops = TimedTarget(latency=3.0), Stops()
    with stops.open("turn") as handle:
        round_ = Round(text_row(Scene("", Persona("")), AT_ONCE, Random(0)))
        async with Outbox(target, stop=handle) as outbox:
            await run_round(round_, SlowStream("one\ntwo"), outbox, stop=handle)
            asyncio.get_running_loop().call_later(1.0, stops.request, "turn")
            outcome = await settle(round_, outbox, stop=handle)

            assert (["one"], 3.0, Stopped(StopReason.USER)) == (target.texts, now(), outcome)


@pytest.mark.parametrize("rest", [60.0, 0.0], ids=["model still speaking", "model done"])
async def test_no_send_starts_after_a_stop_is_visible(rest: float) -> None:
    """Even if the stop and the end of a pause fall on the same moment, the stop was first."""
    target = TimedTarget()
    stops = Stops()
    with stops.open("turn") as handle:
        asyncio.get_running_loop().call_at(0.75, stops.request, "turn", StopReason.FOLLOW_UP)
        await say(target, SlowStream("one\ntwo\nthree", rest), settings=TYPED, stop=handle)

    assert ["one"] == target.texts


@pytest.mark.parametrize("moment", [0.0, 0.1, 0.5, 1.0, 1.4, 2.0, 2.7, 3.3, 4.1, 5.0, 7.5])
@pytest.mark.parametrize("reason", [StopReason.USER, StopReason.FOLLOW_UP, StopReason.SHUTDOWN])
async def test_whenever_it_is_stopped_what_arrived_is_a_prefix_of_what_was_said(
    reason: StopReason, moment: float
) -> None:
    said = "one.\ntwo, three.\n\n```py\nfour\n```\nfive. six\nseven"
    model = SlowStream(*(piece for character in said for piece in (character, 0.1)))
    target = TimedTarget(latency=0.3)

    reply, _ = await stopped_after(moment, model, target, reason=reason, settings=TYPED)

    letters = "".join(filter(str.isalpha, said))
    assert letters.startswith("".join(filter(str.isalpha, "".join(target.texts))))
    assert target.texts == [receipt.post.text for receipt in reply.receipts]
    assert model.closed


@pytest.mark.parametrize(
    ("model", "settings"),
    [
        pytest.param(SlowStream("a.\nb.\nc.\nd.\ne.\nf."), {"message_limit": 4}, id="limit reached"),
        pytest.param(SlowStream("a.\nb.\nc.\nd.", 60.0, "e."), {"message_limit": 3}, id="limit reached by the stop"),
        pytest.param(SlowStream("a.\nb.\nc.\nd.", ConnectionError()), {}, id="model broken off"),
        pytest.param(SlowStream("a.\nb.\nc.\nd.", 60.0), {"idle_timeout": 0.5}, id="model stalled"),
    ],
)
async def test_a_stop_counts_for_what_waits_whatever_else_has_ended_the_round(
    model: SlowStream, settings: dict[str, object]
) -> None:
    target = TimedTarget()

    await stopped_after(1.0, model, target, settings=TYPED.with_values({"typing_least": 2.0, **settings}))

    assert [0.0] == target.started


@pytest.mark.parametrize("behaviour", ["raises", "returns", "takes its time"])
async def test_what_a_stream_does_when_it_is_hung_up_changes_nothing(behaviour: str) -> None:
    async def model() -> AsyncIterator[str]:
        yield "one.\ntwo. thr"
        try:
            await asyncio.sleep(60.0)
        except asyncio.CancelledError:
            match behaviour:
                case "raises":
                    raise ConnectionError from None
                case "takes its time":
                    await asyncio.sleep(30.0)
                    raise

    target, stops = TimedTarget(), Stops()
    with stops.open("turn") as handle:
        asyncio.get_running_loop().call_later(1.0, stops.request, "turn")
        reply = await say(target, model(), settings=AT_ONCE, stop=handle)

    assert (["one."], [0.0]) == (target.texts, target.started)
    assert reply.outcome == Stopped(StopReason.USER)


@pytest.mark.parametrize("reason", [StopReason.USER, StopReason.FOLLOW_UP])
async def test_a_stop_that_was_there_before_leaves_the_model_alone(reason: StopReason) -> None:
    asked = 0

    async def model() -> AsyncIterator[str]:
        nonlocal asked
        asked += 1
        yield "hi"

    target, stops = TimedTarget(), Stops()
    with stops.open("turn") as handle:
        stops.request("turn", reason)
        reply = await say(target, model(), settings=AT_ONCE, stop=handle)

    assert (Stopped(reason), [], 0) == (reply.outcome, target.texts, asked)
    assert () == stops.running(), "nothing of it is left for the next turn"


async def test_the_last_message_keeps_to_the_limit_too() -> None:
    target = TimedTarget()
    lines = "\n".join("word " * 16 for _ in range(6))

    await stopped_after(0.2, SlowStream(lines, 60.0), target, settings=Settings.of(degree=2, limit=100))

    assert max(map(len, target.texts)) <= 100


# --- going wrong -------------------------------------------------------------------------------


async def test_a_model_that_falls_silent_is_given_up_and_what_it_said_is_sent() -> None:
    model, target = SlowStream("half a sen", 1000.0), TimedTarget()

    reply = await say(target, model, settings=Settings.of(degree=1, idle_timeout=30.0))

    assert (["half a sen"], Stalled(has_begun=True), 30.0) == (target.texts, reply.outcome, now())
    assert model.closed


async def test_slow_sending_does_not_look_like_a_silent_model() -> None:
    target = TimedTarget(latency=50.0)
    settings = Settings.of(degree=1, idle_timeout=30.0, queue=1)

    reply = await say(target, SlowStream(*(f"{number}\n" for number in range(5))), settings=settings)

    assert isinstance(reply.outcome, Completed)
    assert len(target.posts) == 5


async def test_a_model_that_breaks_off_leaves_what_it_said() -> None:
    target = TimedTarget()

    reply = await say(target, SlowStream("one\ntw", ProviderError("overloaded")), settings=AT_ONCE)

    assert ["one", "tw"] == target.texts
    assert isinstance(reply.outcome, Broke)
    assert str(reply.outcome.error) == "overloaded"


@pytest.mark.parametrize(
    ("shows", "title", "text"),
    [
        ("friendly", "", "There can be no answer at the moment; please tell the operator of this bot."),
        ("details", "The model could not answer", "Overloaded."),
    ],
)
async def test_people_are_told_of_a_failure_as_the_settings_say(shows: str, title: str, text: str) -> None:
    target = TimedTarget()

    await say(target, SlowStream("hi", ProviderError("Overloaded")), settings=Settings.of(degree=1, show_errors=shows))

    assert [(title, text)] == [(notice.title, notice.text) for notice in target.notices]


@pytest.mark.parametrize("shows", ["friendly", "off"])
async def test_people_are_told_of_a_failure_unless_the_settings_say_no(shows: str) -> None:
    target = TimedTarget()
    settings = Settings.of(degree=1, show_errors=shows)

    reply = await say(target, SlowStream("hi", ProviderError("overloaded")), settings=settings)

    assert ["hi"] == target.texts
    assert (shows != "off") == bool(target.notices) == bool(reply.notices)


async def test_a_notice_comes_behind_the_last_message() -> None:
    shown: list[str] = []

    class Watched(TimedTarget):
        async def send(self, post: Post, /) -> Receipt:
            receipt = await super().send(post)
            shown.append(post.text)
            return receipt

        async def notify(self, _notice: Notice, /) -> None:
            shown.append("notice")

    await say(Watched(latency=1.0), SlowStream("one\ntwo", ProviderError("overloaded")), settings=AT_ONCE)

    assert ["one", "two", "notice"] == shown


async def test_after_a_stop_people_are_not_told_of_a_failure() -> None:
    target = TimedTarget()

    reply, _ = await stopped_after(0.2, SlowStream("one.\ntwo.", ProviderError("overloaded")), target, settings=TYPED)

    assert (["one."], Stopped(StopReason.USER), []) == (target.texts, reply.outcome, target.notices)


async def test_a_foreign_error_is_named_but_its_text_is_not_repeated() -> None:
    """The text of an error from a client library may hold an address with a key in it."""
    reply = await say(TimedTarget(), SlowStream("one", RuntimeError("key=secret")), settings=AT_ONCE)

    assert isinstance(reply.outcome, Broke)
    assert "RuntimeError" in str(reply.outcome.error)
    assert "secret" not in str(reply.outcome.error)


@pytest.mark.parametrize(
    "error",
    [DeliveryError("refused", code=50013, kind=DeliveryKind.MISSING_PERMISSIONS), OSError("token=secret")],
    ids=["ours", "foreign"],
)
async def test_a_refused_message_ends_the_reply_and_nothing_follows_it(error: Exception) -> None:
    model, target = SlowStream("one\ntwo\nthree\n", 60.0), TimedTarget(fail_at=1, error=error)

    reply = await say(target, model, settings=AT_ONCE)

    assert ["one"] == target.texts
    assert isinstance(reply.outcome, Broke)
    assert isinstance(reply.outcome.error, DeliveryError)
    assert "secret" not in str(reply.outcome.error)
    assert now() < 1.0
    assert model.closed


async def test_a_cancelled_reply_leaves_nothing_running_and_loses_no_receipt() -> None:
    model, target = SlowStream("one\ntwo\n", 60.0), TimedTarget(latency=3.0)
    before = asyncio.all_tasks()
    task = asyncio.create_task(say(target, model, settings=AT_ONCE))
    await asyncio.sleep(1.0)

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert ["one"] == target.texts
    assert model.closed
    assert before == asyncio.all_tasks()


async def test_a_target_that_gives_up_by_itself_has_failed() -> None:
    """A cancellation that nobody asked for is an error like others."""
    target = TimedTarget(fail_at=1, error=asyncio.CancelledError())

    reply = await say(target, SlowStream(*(f"{number}\n" for number in range(20))), settings=AT_ONCE)

    assert isinstance(reply.outcome, Broke)
    assert ["0"] == target.texts


async def test_a_stream_that_gives_up_by_itself_has_failed() -> None:
    reply = await say(TimedTarget(), SlowStream("one", asyncio.CancelledError()), settings=AT_ONCE)

    assert isinstance(reply.outcome, Broke)
    assert reply.transcript == "one"


class RudeTarget(TimedTarget):
    """A chat whose typing indicator does what it wants."""

    def __init__(self, manner: BaseException | float) -> None:
        super().__init__()
        self._manner = manner

    async def typing(self, identity: Identity | None, /) -> None:
        await super().typing(identity)
        if isinstance(self._manner, BaseException):
            raise self._manner
        await asyncio.sleep(self._manner)


@pytest.mark.parametrize("manner", [TimeoutError(), ValueError("x"), 5.0], ids=["times out", "fails", "takes its time"])
async def test_the_typing_indicator_holds_nothing_up(manner: BaseException | float) -> None:
    target = RudeTarget(manner)

    reply = await say(target, SlowStream(1.0, "one\n", 1.0, "two"), settings=AT_ONCE)

    assert ([2.0, 2.0], Completed("end_of_stream")) == (target.started, reply.outcome)
    assert len(target.typed) < 5


async def test_a_stream_that_hangs_up_slowly_has_still_finished() -> None:
    async def model() -> AsyncIterator[Chunk]:
        try:
            yield TextDelta("one")
            yield Finished()
        finally:
            await asyncio.sleep(500.0)

    reply = await say(TimedTarget(), model(), settings=AT_ONCE)

    assert reply.outcome == Completed()


async def test_a_fast_model_lets_others_have_a_turn() -> None:
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    task = asyncio.create_task(others())
    await say(TimedTarget(), [TextDelta("x")] * 5000, settings=AT_ONCE)
    await end_task(task)

    assert turns > 10


@pytest.mark.parametrize("item", [b"bytes", 4])
async def test_a_stream_of_something_else_is_named(item: object) -> None:
    with pytest.raises(InputError, match=type(item).__name__):
        await say(TimedTarget(), [item], settings=AT_ONCE)  # type: ignore[list-item]


class Failing(Rule):
    """Fails where it is told to, and at the end if nobody told it."""

    def change(self, segment: Segment) -> Segment:
        if "fail" in segment.text:
            raise ValueError(segment.text)
        return segment

    def flush(self, why: Ending, /) -> tuple[()]:
        raise KeyError(why)


@pytest.mark.parametrize(
    ("items", "kind", "texts"),
    [
        pytest.param(["one\n", 1.0, "fail secret\n", 1.0, "two\n"], ValueError, ["one"], id="in the middle"),
        pytest.param(["one\ntwo\nfail secret\nthree"], ValueError, ["one", "two"], id="in the middle of a chunk"),
        pytest.param(["one\n", 1.0, "two"], KeyError, ["one", "two"], id="at the end"),
    ],
)
async def test_a_rule_that_fails_ends_the_reply_and_what_was_planned_before_is_sent(
    items: list[str | float], kind: type[Exception], texts: list[str]
) -> None:
    target = TimedTarget()

    reply = await say(target, SlowStream(*items), settings=AT_ONCE, rules=[Failing])

    assert texts == target.texts
    assert isinstance(reply.outcome, Broke)
    assert f"a rule or another stage failed ({kind.__name__})" == str(reply.outcome.error)
    assert isinstance(reply.outcome.error.__cause__, kind)


class FailingFirst(Rule):
    """Fails before anything was said."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        raise KeyError


class FailingWithThePrefill(Rule):
    def feed(self, segment: Segment, /) -> tuple[Segment, ...]:
        if segment.text == "Well,":
            raise KeyError
        return (segment,)


@pytest.mark.parametrize("rule", [FailingFirst, FailingWithThePrefill])
async def test_a_rule_that_fails_while_it_is_built_ends_the_reply_like_one_that_fails_later(rule: type[Rule]) -> None:
    scene, target = replace(SCENE, prefill="Well,"), TimedTarget()

    result = await say(target, "done.", scene=scene, rules=(rule, *RULES))

    assert isinstance(result.outcome, Broke)
    assert ("a rule or another stage failed (KeyError)", []) == (str(result.outcome.error), target.texts)


async def test_a_rule_that_fails_at_a_stop_changes_nothing_about_the_stop() -> None:
    target = TimedTarget()

    class FailingAtTheEnd(Rule):
        def flush(self, why: Ending, /) -> tuple[()]:
            raise KeyError(why)

    stops = Stops()
    with stops.open("turn") as handle:
        asyncio.get_running_loop().call_later(1.0, stops.request, "turn")
        model = SlowStream("one\ntwo.", 60.0)
        settings = AT_ONCE.with_values({"on_stop": "clause"})
        reply = await say(target, model, settings=settings, rules=[FailingAtTheEnd], stop=handle)

    assert (["one", "two."], Stopped(StopReason.USER)) == (target.texts, reply.outcome)


async def test_cancelled_twice_it_still_leaves_nothing_behind() -> None:
    async def model() -> AsyncIterator[str]:
        try:
            yield "one"
            await asyncio.sleep(60.0)
        finally:
            await asyncio.sleep(5.0)

    before = asyncio.all_tasks()
    task = asyncio.create_task(say(TimedTarget(), model(), settings=AT_ONCE))
    await asyncio.sleep(1.0)
    task.cancel()
    await asyncio.sleep(1.0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert before == asyncio.all_tasks()


async def test_nothing_is_left_running_after_any_ending() -> None:
    before = asyncio.all_tasks()
    for model in (
        SlowStream("one\ntwo"),
        SlowStream("one", ProviderError("x")),
        SlowStream("one", 1000.0),
    ):
        await say(TimedTarget(), model, settings=AT_ONCE)

    assert before == asyncio.all_tasks()


# --- from a model's stream to chunks ----------------------------------------------------------


async def test_stream_reads_a_scripted_model_through_all_its_stages() -> None:
    script = parse_script('{"thought": "hm"}\n{"text": "Hi"}\n{"finish": "stop"}\n{"text": "never"}')
    model = Model(ScriptedCodec(), transport([script], asyncio.sleep))

    chunks = [chunk async for chunk in stream(model, Prompt("", ()))]

    assert ["ThoughtDelta", "TextDelta", "Finished"] == [type(chunk).__name__ for chunk in chunks]


async def test_closing_a_stream_hangs_up() -> None:
    hung_up = False

    async def endless(_: HttpRequest) -> AsyncIterator[bytes]:
        nonlocal hung_up
        try:
            while True:
                yield b'{"text": "x"}\n'
        finally:
            hung_up = True

    chunks = stream(Model(ScriptedCodec(), endless), Prompt("", ()))
    await anext(chunks)
    await chunks.aclose()  # type: ignore[attr-defined]  # it is a generator, whatever its signature says

    assert hung_up


def test_a_tap_sees_the_segments_between_stages_five_and_six() -> None:
    from cadenza.replies.pipeline import with_tap
    from cadenza.replies.replay import _Tap
    from cadenza.types import Ending, Persona, Scene

    tap = _Tap()
    row = with_tap(text_row(Scene("", Persona("Ren")), AT_ONCE, Random(0)), tap)

    row.feed("Ren: hello\n")
    row.flush(Ending.FINAL)

    assert ["Ren: hello\n"] == [segment.text for segment in tap.segments]


# --- held back -----------------------------------------------------------------------------------

FACES = Scene("c", Persona("Ren", sprites=(Sprite("mad", "m.png"),)))
HELD = "Ren (mad): No!\nNever, ever.\n\n```py\nx = 1\n```\n| a | b |\n|---|---|\n| 1 | 2 |\n\n**Well**\nyes"


@pytest.mark.parametrize("degree", [0, 1, 2])
async def test_an_answer_that_was_held_back_is_said_as_it_would_have_been(degree: int) -> None:
    settings = Settings.of(degree=degree)
    at_once, draft, later = TimedTarget(), TimedTarget(), TimedTarget()
    await say(at_once, HELD, scene=FACES, settings=settings)

    held = await say(draft, HELD, scene=FACES, settings=settings)
    result = await say(later, held.transcript, scene=FACES, settings=settings)

    def looks(target: TimedTarget) -> list[tuple[str, Identity | None, str]]:
        return [(post.text, post.identity, post.said) for post in target.posts]

    assert looks(at_once) == looks(later)
    assert held.transcript == result.transcript


@pytest.mark.parametrize("moment", [0.0, 2.0], ids=["before it was said", "while it is said"])
async def test_of_an_answer_that_was_held_back_a_stop_lets_no_more_be_said(moment: float) -> None:
    draft, chat, stops = TimedTarget(), TimedTarget(latency=1.5), Stops()
    with stops.open("turn") as handle:
        held = await say(draft, "one\ntwo\nthree", settings=AT_ONCE, stop=handle)
        asyncio.get_running_loop().call_later(moment, stops.request, "turn", StopReason.FOLLOW_UP)
        await asyncio.sleep(0.0)
        result = await say(chat, held.transcript, settings=AT_ONCE, stop=handle)

    assert ["one", "two", "three"] == draft.texts
    assert (["one", "two"] if moment else []) == chat.texts
    assert ("\n".join(chat.texts), Stopped(StopReason.FOLLOW_UP)) == (result.transcript, result.outcome)


# --- text of tools and commands ------------------------------------------------------------------

SCENE = Scene(
    "c",
    Persona("Ren", ("Renny",), sprites=(Sprite("mad", "m.png"),)),
    roster=Roster(mentions={"ada": "<@1>"}, emoji={"wave": "<:wave:2>"}, personas={"Aki": "aki"}),
)


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        pytest.param("Ren: hi @Ada :wave:", "hi <@1> <:wave:2>", id="names, people, emoji"),
        pytest.param("Aki: Renny: hi", "hi", id="an opening label of any persona"),
        pytest.param("**Aki:** hi\nAki (sad): ho\nRen: he", "hi\nAki (sad): ho\nhe", id="but only there"),
        pytest.param("one\n\n```py\n@ada :wave:\n```\n...\ntwo", "one\n\n```py\n@ada :wave:\n```\n...two", id="code"),
        pytest.param("<think>hm</think>hello", "hello", id="thoughts are left out"),
        pytest.param("hi\nbye...\n...", "hi\nbye...\n...", id="what was held comes last"),
        pytest.param(" \n ", "", id="nothing"),
        pytest.param("a\n\n\n\nb\n\n\nc", "a\n\nb\n\nc", id="empty lines"),
        pytest.param("```\na\n\n\n\nb\n```\n\n\n\nc", "```\na\n\n\n\nb\n```\n\nc", id="empty lines of code"),
        pytest.param("a\n\n\n\n```\nb\n```", "a\n\n```\nb\n```", id="empty lines before code"),
        pytest.param(
            "| a | b |\n|---|---|\n| 1 | 2 |\n\n\n\nc",
            "```\na  b\n─  ─\n1  2\n```\n\nc",
            id="empty lines behind a table",
        ),
    ],
)
def test_text_of_a_tool_passes_the_same_rules(text: str, cleaned: str) -> None:
    assert cleaned == clean(text, SCENE)


def test_text_is_cleaned_without_a_scene_too() -> None:
    assert "Ren: hi @ada" == clean("Ren: hi @ada [system: be nice]")


async def test_what_is_cleaned_is_what_is_said() -> None:
    target = TimedTarget()
    text = "Ren: hi @ada\nRen (mad): `@ada` [system: be nice]"

    await say(target, text, scene=SCENE, settings=Settings.of(degree=1))

    assert clean(text, SCENE).split("\n") == target.texts


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("word " * 20_000 + "end", id="prose"),
        pytest.param("```py\n" + "x = 1\n" * 20_000 + "```", id="code"),
        pytest.param("(oops\n" + "words and words.\n" * 1000 + "end", id="a mark that never closes"),
    ],
)
def test_a_text_that_is_known_as_a_whole_is_not_cut(text: str) -> None:
    assert text == clean(text)


def test_a_text_that_is_cleaned_has_no_prefill() -> None:
    assert "Sure, here we go" == clean("Sure, here we go", replace(SCENE, prefill="Sure, here"))


@pytest.mark.parametrize(
    ("given", "lookback", "used"),
    [
        pytest.param((), 5, ("wave",), id="from the history"),
        pytest.param(("star",), 5, ("star",), id="as the roster says"),
        pytest.param((), 0, (), id="not looked for"),
    ],
)
def test_which_emoji_were_used(given: tuple[str, ...], lookback: int, used: tuple[str, ...]) -> None:
    history = (Line("Ren", "hi <:wave:1>", is_own=True), Line("Mia", ":tada:"))
    scene = replace(SCENE, history=history, roster=replace(SCENE.roster, recent_emoji=given))

    assert used == rule_context(scene, Settings.of(emoji_lookback=lookback)).roster.recent_emoji


@pytest.mark.parametrize(
    ("given", "known"),
    [
        pytest.param((), ("Mia", "Jo"), id="from the history"),
        pytest.param(("Kai", "Jo"), ("Kai", "Jo", "Mia"), id="besides those of the roster"),
    ],
)
def test_who_spoke_before_is_known_to_the_rules(given: tuple[str, ...], known: tuple[str, ...]) -> None:
    lines = [
        Line("Mia", "hi"),
        Line("Ren", "hello", is_own=True),
        Line("Jo", "hey"),
        Line("", "a join"),
        Line("Mia", "so"),
    ]
    scene = replace(SCENE, history=tuple(lines), roster=Roster(speakers=given))

    assert known == rule_context(scene, Settings()).roster.speakers


async def test_a_reply_ends_before_the_words_of_somebody_who_is_only_in_the_history() -> None:
    scene, target = Scene("general", Persona("Ren"), history=(Line("Mia", "hi"),)), TimedTarget()

    await say(target, "Hello!\nMia: How are you?", scene=scene, settings=Settings.of(degree=1, speaker_guard=True))

    assert ["Hello!"] == target.texts


async def test_a_stream_that_cannot_be_closed_does_not_take_its_answer_along() -> None:
    async def clumsy() -> AsyncIterator[Chunk]:
        try:
            yield TextDelta("One.")
            yield Finished()
            yield TextDelta("Two.")
        finally:
            raise ValueError

    target = TimedTarget()
    round_ = Round(text_row(Scene("", Persona("")), AT_ONCE, Random(0)))
    async with Outbox(target) as outbox:
        outcome = await run_round(round_, clumsy(), outbox)

    assert (Completed("stop"), ["One."]) == (outcome, target.texts)
