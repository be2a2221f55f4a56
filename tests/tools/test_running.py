"""Calls of a reply: what is run, what is not, and what the model is told."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date

import pytest

from cadenza.errors import ToolError
from cadenza.tools.consent import Consent, ConsentPolicy
from cadenza.tools.functions import tool, toolset
from cadenza.tools.running import ToolRunner
from cadenza.tools.tool import Tool, ToolContext
from cadenza.types import Persona, Scene, ToolCall, ToolResult, ToolSpec, ToolUse
from tests.timing import now
from tests.tools.test_images import PNG

pytestmark = pytest.mark.looptime

SECRET = "token=secret-1"  # noqa: S105  # what must not be seen


def call(name: str, arguments: str = "{}", *, number: int = 1, is_truncated: bool = False) -> ToolCall:
    return ToolCall(str(number), name, arguments, is_truncated=is_truncated)


def made(name: str, run: Callable[..., Awaitable[object]]) -> Tool:
    return Tool(ToolSpec(name, "", {}), run)


class Log:
    """Tools that note what they did."""

    def __init__(self) -> None:
        self.did: list[str] = []
        self.keys: list[str] = []

    async def send(self, text: str, context: ToolContext) -> str:
        self.keys.append(context.key)
        self.did.append(text)
        return f"sent {len(self.did)}"

    async def slow(self, seconds: float) -> str:
        try:
            await asyncio.sleep(seconds)
        finally:
            self.did.append(f"ended at {now():g}")
        return f"slept {seconds:g}"


def failing(error: BaseException) -> Tool:
    async def fail(*_: object) -> None:
        raise error

    return made("fail", fail)


async def result_of(tool_runner: ToolRunner, *calls: ToolCall, attempt: int = 0) -> ToolResult:
    *_, use = await tool_runner.run(calls, attempt=attempt)
    return use.result


# --- what is run ----------------------------------------------------------------------------------


async def test_a_tool_is_given_its_arguments_and_where_it_is() -> None:
    seen: list[tuple[Mapping[str, object], ToolContext]] = []

    async def note(arguments: Mapping[str, object], context: ToolContext) -> None:
        seen.append((arguments, context))

    scene, asked = Scene("general", Persona("Ren")), call("note", '{"city": "Oslo"}')
    (use,) = await ToolRunner({"note": made("note", note)}, scene=scene, turn="7").run([asked])

    ((arguments, context),) = seen
    assert ({"city": "Oslo"}, asked, scene, 32) == (arguments, context.call, context.scene, len(context.key))
    assert ToolUse(asked, ToolResult(("Done; there is nothing to show.",))) == use


async def test_calls_run_at_once_and_are_told_in_order() -> None:
    log = Log()
    tool_runner = ToolRunner(toolset([log.slow]))

    uses = await tool_runner.run([call("slow", f'{{"seconds": {seconds}}}', number=seconds) for seconds in (3, 1, 2)])

    assert ["slept 3", "slept 1", "slept 2"] == [use.result.text for use in uses]
    assert [3, 1, 2] == [use.seconds for use in uses]
    assert (3, list(uses)) == (now(), tool_runner.uses)


async def test_a_crowd_of_calls_waits_for_its_turn() -> None:
    log = Log()

    await ToolRunner(toolset([log.slow]), seconds=1.5).run([call("slow", '{"seconds": 1}')] * 20)

    assert 3 == now(), "eight at a time, and to wait is not to take too long"
    assert 20 == len(log.did)


async def test_no_call_is_no_use() -> None:
    assert () == await ToolRunner({}).run([])


@dataclass(frozen=True)
class Sky:
    clear: bool
    day: date


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("clear", "clear"),
        ({"sky": "clear"}, '{"sky": "clear"}'),
        (Sky(clear=True, day=date(2025, 1, 31)), '{"clear": true, "day": "2025-01-31"}'),
        (None, "Done; there is nothing to show."),
    ],
    ids=["text", "data", "dataclass", "nothing"],
)
async def test_what_a_tool_gives_back_is_told(value: object, text: str) -> None:
    async def give(*_: object) -> object:
        return value

    result = await result_of(ToolRunner({"give": made("give", give)}), call("give"))

    assert (text, False) == (result.text, result.is_error)


async def test_pictures_are_shown_and_long_texts_cut() -> None:
    async def give(*_: object) -> object:
        return ["word " * 1000, PNG]

    text, picture = (await result_of(ToolRunner({"give": made("give", give)}, result_limit=300), call("give"))).parts

    assert isinstance(text, str)
    assert not isinstance(picture, str)
    assert (True, PNG) == (len(text) <= 300, picture.data)


async def test_a_run_that_is_no_coroutine_is_a_tool_all_the_same() -> None:
    result = await result_of(ToolRunner({"give": made("give", lambda *_: "at once")}), call("give"))  # type: ignore[arg-type,return-value]  # people do it

    assert "at once" == result.text


# --- what goes wrong is told ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        pytest.param(call("weathr"), "There is no tool named 'weathr', so nothing was run; the nearest are: weather.", id="a slip of the pen"),
        pytest.param(call("zzz"), "There is no tool named 'zzz', so nothing was run; there are: weather, dice.", id="no tool"),
        pytest.param(call("z" * 9999), f"There is no tool named '{'z' * 64}', so nothing was run; there are: weather, dice.", id="a long name"),
        pytest.param(call("weather", "Oslo"), "The arguments were not valid JSON, so the tool was not run; send the call again with one JSON object.", id="no JSON"),
        pytest.param(call("weather", "[1]"), "The arguments must be a JSON object, so the tool was not run; send the call again with one.", id="a list"),
        pytest.param(call("weather", "{}"), "The argument 'city' is missing. The tool was not run; send the call again.", id="an argument is missing"),
        pytest.param(call("weather", '{"city": "Oslo", "days": "many"}'), "The argument 'days' is not right: Expected `int`, got `str`. The tool was not run; send the call again.", id="an argument is wrong"),
    ],
)  # fmt: skip
async def test_a_call_that_cannot_be_run_is_told_what_to_do_better(asked: ToolCall, told: str) -> None:
    ran: list[str] = []

    async def weather(city: str, days: int = 1) -> None:
        ran.append(f"{city} {days}")

    async def dice() -> None:
        ran.append("dice")

    result = await result_of(ToolRunner(toolset([weather, dice])), asked)

    assert ([], ToolResult((told,), is_error=True)) == (ran, result)


async def test_among_no_tools_there_are_none() -> None:
    assert (await result_of(ToolRunner({}), call("dice"))).text.endswith("there are: none.")


@pytest.mark.parametrize("name", ["send", "nowhere"])
async def test_9_11_a_call_that_was_cut_off_is_not_run_and_its_arguments_are_not_replayed(name: str) -> None:
    log = Log()

    (use,) = await ToolRunner(toolset([log.send])).run([call(name, '{"text": "delete all"}', is_truncated=True)])

    assert [] == log.did
    assert use.result.is_error
    assert ("{}", True) == (use.call.arguments, use.call.is_truncated)
    assert name == "nowhere" or "cut off before its arguments were whole, so the tool was not run" in use.result.text
    assert "delete" not in use.result.text


@pytest.mark.parametrize("arguments", ['{"text": "a', "[1]", "[" * 100_000], ids=["cut off", "a list", "nested"])
async def test_b28_arguments_that_cannot_be_read_are_not_replayed(arguments: str) -> None:
    log = Log()

    (use,) = await ToolRunner(toolset([log.send])).run([call("send", arguments)])

    assert ([], True, "{}") == (log.did, use.result.is_error, use.call.arguments)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        pytest.param(ToolError("There is no such city; ask for its country."), "There is no such city; ask for its country.", id="what the tool says"),
        pytest.param(ToolError(), "The tool could not do it.", id="a tool that says nothing"),
        pytest.param(RuntimeError(SECRET), "The tool failed: RuntimeError. Try it in another way, or go on without it.", id="another error"),
        pytest.param(asyncio.CancelledError(SECRET), "The tool failed: CancelledError. Try it in another way, or go on without it.", id="it gives up"),
        pytest.param(TimeoutError(SECRET), "The tool failed: TimeoutError. Try it in another way, or go on without it.", id="a time limit of its own"),
        pytest.param(SystemExit(SECRET), "The tool failed: SystemExit. Try it in another way, or go on without it.", id="it wants to leave"),
    ],
)  # fmt: skip
async def test_a_tool_that_fails_is_told_without_its_secrets(
    error: BaseException, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        result = await result_of(ToolRunner({"fail": failing(error)}), call("fail"))

    assert ToolResult((told,), is_error=True) == result
    assert SECRET not in caplog.text
    named = [] if isinstance(error, ToolError) else ["the tool fail failed"]
    assert named == [record.message for record in caplog.records if record.name.startswith("cadenza")]


async def test_a_check_that_fails_is_a_failure_of_its_tool() -> None:
    def check(_: Mapping[str, object]) -> Mapping[str, object]:
        raise RuntimeError(SECRET)

    log = Log()
    broken = replace(tool(log.send), check=check)

    assert "The tool failed: RuntimeError." in (await result_of(ToolRunner({"send": broken}), call("send"))).text
    assert [] == log.did


# --- time -------------------------------------------------------------------------------------------


async def test_9_17_b18_a_tool_that_takes_too_long_is_stopped_and_the_model_is_told() -> None:
    log = Log()

    result = await result_of(ToolRunner(toolset([log.slow]), seconds=2.5), call("slow", '{"seconds": 10}'))
    await asyncio.sleep(60)

    told = "The tool took longer than 2.5 seconds and was stopped. Ask it for less, or go on without it."
    assert ToolResult((told,), is_error=True) == result
    assert ["ended at 2.5"] == log.did, "it does not act later"


async def test_the_time_of_a_tool_goes_before_that_of_the_workshop() -> None:
    log = Log()
    tool_runner = ToolRunner(toolset([tool(log.slow, seconds=20)]), seconds=2.5)

    assert "slept 10" == (await result_of(tool_runner, call("slow", '{"seconds": 10}'))).text


async def test_b18_a_tool_that_does_not_listen_is_left_behind_and_the_model_is_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def deaf() -> None:
        while now() < 60:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                continue

    tool_runner = ToolRunner(toolset([deaf]), seconds=2, grace=1)
    with caplog.at_level(logging.WARNING):
        result = await result_of(tool_runner, call("deaf"))

    assert pytest.approx(3.1) == now()
    assert result.is_error
    assert "could not be stopped, so it may still do what it was asked" in result.text
    assert [
        "cadenza tool deaf did not end within 1 seconds after it was cancelled, and was abandoned"
    ] == caplog.messages
    await asyncio.sleep(100)


async def test_a_reply_that_is_cancelled_ends_every_tool_and_it_is_known_what_was_begun() -> None:
    log = Log()
    tool_runner = ToolRunner(toolset([log.slow]))

    running = asyncio.create_task(
        tool_runner.run([call("slow", f'{{"seconds": {seconds}}}', number=seconds) for seconds in (1, 30, 40)])
    )
    await asyncio.sleep(2)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    assert ["ended at 1", "ended at 2", "ended at 2"] == log.did
    assert [
        ("1", False, "slept 1"),
        ("30", True, "The reply ended before the tool did."),
        ("40", True, "The reply ended before the tool did."),
    ] == [(use.call.id, use.result.is_error, use.result.text) for use in tool_runner.uses]


# --- consent ------------------------------------------------------------------------------------------


async def answered(answer: object) -> object:
    await asyncio.sleep(1)
    return answer


async def never() -> bool:
    await asyncio.sleep(10_000)
    return True


def broken() -> bool:
    raise RuntimeError(SECRET)


@pytest.mark.parametrize(
    ("consent", "told"),
    [
        pytest.param(lambda *_: True, "sent 1", id="yes"),
        pytest.param(lambda *_: answered(answer=True), "sent 1", id="yes, after a while"),
        pytest.param(lambda *_: False, "The tool was not run: consent was refused.", id="no"),
        pytest.param(lambda *_: answered(answer="Mia says no."), "The tool was not run: Mia says no.", id="no, and why"),
        pytest.param(lambda *_: None, "The tool was not run: consent was refused.", id="no answer"),
        pytest.param(lambda *_: 1, "The tool was not run: consent was refused.", id="something like yes"),
        pytest.param(None, "The tool was not run: it needs consent, and there is nobody to ask.", id="nobody to ask"),
        pytest.param(lambda *_: broken(), "The tool was not run: it needs consent, and there is nobody to ask.", id="asking fails"),
        pytest.param(lambda *_: never(), "The tool was not run: consent was not given in time.", id="never an answer"),
    ],
)  # fmt: skip
async def test_what_needs_consent_is_run_with_consent(
    consent: Consent | None, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    log = Log()
    tool_runner = ToolRunner(toolset([tool(log.send, needs_consent=True)]), consent=consent)

    result = await result_of(tool_runner, call("send", '{"text": "hi"}'))

    assert (told, told != "sent 1") == (result.text, result.is_error)
    assert (["hi"] if told == "sent 1" else []) == log.did
    assert all(SECRET not in record.message for record in caplog.records)


async def test_who_is_asked_sees_what_the_tool_will_see() -> None:
    seen: list[object] = []

    def consent(asked: Tool, asking: ToolCall, arguments: Mapping[str, object]) -> bool:
        seen.extend([asked.spec.name, asking.id, arguments])
        return False

    @tool(needs_consent=True)
    async def pay(amount: int, currency: str = "EUR") -> None: ...

    await ToolRunner({"pay": pay}, consent=consent).run([call("pay", '{"amount": "150"}')])

    assert ["pay", "1", {"amount": 150, "currency": "EUR"}] == seen


async def test_nobody_is_asked_about_what_needs_no_consent_or_cannot_be_run() -> None:
    asked: list[object] = []
    log = Log()
    tool_runner = ToolRunner(
        toolset({"send": log.send, "ask": tool(log.slow, needs_consent=True)}), consent=lambda *_: bool(asked.append(1))
    )

    await tool_runner.run([call("send", '{"text": "hi"}'), call("ask", '{"seconds": "many"}')])

    assert ([], ["hi"]) == (asked, log.did)


async def test_9_9_what_is_not_exposed_is_not_run_and_the_model_is_told_so() -> None:
    log = Log()
    tool_runner = ToolRunner(toolset([log.send, log.slow]), consent=ConsentPolicy(["slow"]))

    result = await result_of(tool_runner, call("send", '{"text": "hi"}'))

    assert ["slow"] == [spec.name for spec in tool_runner.specs()]
    assert [] == log.did
    assert result.is_error
    assert "The tool was not run: it is not exposed in this conversation; exposed are: slow." == result.text
    assert "slept 1" == (await result_of(tool_runner, call("slow", '{"seconds": 1}'))).text


# --- what is not done twice -----------------------------------------------------------------------------


async def test_what_is_done_once_is_taken_away_when_it_has_succeeded() -> None:
    log = Log()
    tool_runner = ToolRunner(toolset([tool(log.send, once=True), log.slow]))

    first, second = await tool_runner.run([call("send", '{"text": "a"}'), call("send", '{"text": "b"}')])

    assert (["a"], "sent 1") == (log.did, first.result.text)
    assert "The tool was not run: it runs only once in a reply." == second.result.text
    assert ["slow"] == [spec.name for spec in tool_runner.specs()]
    assert tool_runner.tool("send") is not None


async def test_what_failed_may_be_done_again() -> None:
    tool_runner = ToolRunner({"fail": replace(failing(ToolError("no")), once=True)})

    await tool_runner.run([call("fail")])

    assert ["fail"] == [spec.name for spec in tool_runner.specs()]


HI, HI_AGAIN = call("send", '{"text": "hi"}'), call("send", ' {"text" : "hi"}', number=2)


async def test_b56_what_one_model_did_another_is_told_of_and_does_not_do_again() -> None:
    log = Log()
    tool_runner = ToolRunner(toolset([log.send]), turn="7")

    first = await result_of(tool_runner, HI, attempt=0)
    second = await result_of(tool_runner, HI_AGAIN, attempt=1)
    third = await result_of(tool_runner, HI, attempt=4)

    assert (["hi"], "sent 1") == (log.did, first.text)
    assert first == second == third
    assert [HI] == [use.call for use in tool_runner.uses], "what was told from memory was not done"


async def test_b56_equal_calls_of_one_model_are_all_run_and_counted() -> None:
    log = Log()
    tool_runner = ToolRunner(toolset([log.send]), turn="7")

    await tool_runner.run([HI, HI_AGAIN])
    assert ["hi", "hi"] == log.did
    assert 2 == len(set(log.keys))
    again = await tool_runner.run([HI, HI, HI], attempt=1)

    assert ["sent 1", "sent 2", "sent 3"] == [use.result.text for use in again]
    assert 3 == len(log.did)


async def test_b56_what_may_be_repeated_is_repeated() -> None:
    log = Log()
    tool_runner = ToolRunner(toolset([tool(log.send, repeatable=True)]), turn="7")

    await tool_runner.run([HI])
    await tool_runner.run([HI], attempt=1)

    assert ["hi", "hi"] == log.did
    assert 1 == len(set(log.keys)), "a service that does nothing twice can tell"


async def test_b56_other_arguments_are_another_call() -> None:
    log = Log()
    tool_runner = ToolRunner(toolset([log.send]), turn="7")

    await tool_runner.run([HI])
    await tool_runner.run([call("send", '{"text": "ho"}')], attempt=1)

    assert ["hi", "ho"] == log.did


async def test_b56_arguments_are_the_same_if_they_mean_the_same() -> None:
    rolled: list[int] = []

    async def roll(sides: int, times: int = 1) -> None:
        rolled.append(sides * times)

    tool_runner = ToolRunner(toolset([roll]), turn="7")
    for attempt, arguments in enumerate(
        ['{"sides": 6}', '{"times": 1, "sides": "6"}', '{"sides": 6.0, "times": null}']
    ):
        await tool_runner.run([call("roll", arguments)], attempt=attempt)

    assert [6] == rolled


async def test_b56_what_did_not_succeed_is_tried_again_under_the_same_key() -> None:
    keys: list[str] = []

    async def waver(context: ToolContext) -> str:
        keys.append(context.key)
        if len(keys) == 1:
            msg = "not now"
            raise ToolError(msg)
        return "well"

    tool_runner = ToolRunner(toolset([waver]), turn="7")
    await tool_runner.run([call("waver")])

    assert "well" == (await result_of(tool_runner, call("waver"), attempt=1)).text
    assert keys[0] == keys[1]


async def test_b56_what_succeeded_at_the_second_time_is_not_done_again() -> None:
    done: list[str] = []

    async def waver(context: ToolContext) -> str:
        done.append(context.key)
        if len(done) == 1:
            msg = "not now"
            raise ToolError(msg)
        return f"done {len(done)}"

    tool_runner = ToolRunner(toolset([waver]), turn="7")
    for _ in range(2):
        await tool_runner.run([call("waver")])

    assert "done 2" == (await result_of(tool_runner, call("waver"), attempt=1)).text
    assert 1 == len(set(done)), "to try it again is not another call"
    assert "done 3" == (await result_of(tool_runner, call("waver"), attempt=1)).text
    assert 2 == len(set(done)), "but this one is"


async def test_b56_keys_are_those_of_the_turn() -> None:
    log = Log()
    for turn in ("7", "7", "8", "", ""):
        await ToolRunner(toolset([log.send]), turn=turn).run([HI])

    first, same, other, *nameless = log.keys
    assert first == same
    assert 4 == len({first, other, *nameless}), "turns without a name are not the same turn"
