"""What follows an error: the hook, and one line in the log."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator, Sequence
from traceback import extract_tb
from typing import Any

import pytest

from cadenza import MemoryTarget, Persona, Scene, Settings, reply, say
from cadenza.errors import CadenzaError, ErrorKind, ProviderError, ToolError
from cadenza.models.error_kind import failure
from cadenza.replies.on_error import report
from cadenza.rules import RULES, Rule
from cadenza.types import Broke, Completed, Empty, Failed, Finished, NeedsTools, Outcome, Segment, TextDelta, ToolCall
from tests.actors import SCENE, Actor
from tests.helpers import written_by_the_bot

AT_ONCE = Settings.of(degree=1)
LEAK = "Rate limit reached for gpt in organization org-4711; see https://bills.example"
LIMITED = failure(LEAK, vendor="openai", status=429)
FRIENDLY = "Something went wrong; please tell the operator of this bot."


class Hook:
    """Notes the errors that it is called with."""

    def __init__(self) -> None:
        self.errors: list[CadenzaError] = []

    def __call__(self, error: CadenzaError) -> None:
        self.errors.append(error)


async def forgetful() -> AsyncIterator[str]:
    """A stream of the author's own, with a mistake in it."""
    yield "One.\n"
    print({}["sk-proj-0123456789abcdef"])  # noqa: T201  # it fails before


class Clumsy(Rule):
    """A rule with a mistake in it."""

    def change(self, segment: Segment) -> Segment:
        raise LookupError(segment.text)


def lamp() -> str:
    """Switch the lamp on."""
    msg = "no bulb"
    raise OSError(msg)


def place_of(error: BaseException | None) -> str:
    """The function in which *error* was raised."""
    assert error is not None
    return extract_tb(error.__traceback__)[-1].name


async def fall(what: str, target: MemoryTarget, hook: Hook, settings: Settings) -> Outcome:
    """Let something of the author's fail."""
    match what:
        case "stream":
            return (await say(target, forgetful(), settings=settings, on_error=hook)).outcome
        case "rule":
            rules = (*RULES, Clumsy)
            return (await say(target, "One.", rules=rules, settings=settings, on_error=hook)).outcome
        case _:
            calls = [[ToolCall(f"c{n}", "lamp", "{}"), Finished("tool_calls")] for n in range(2)]
            model, few = Actor(*calls).model, settings.with_values({"tool_failures": 2})
            return (await reply(SCENE, model, target, tools=[lamp], settings=few, on_error=hook)).outcome


@pytest.mark.parametrize("shows", ["friendly", "details", "off"])
@pytest.mark.parametrize(
    ("what", "kind", "place", "sentence"),
    [
        pytest.param("stream", KeyError, "forgetful", "the stream raised KeyError; the log has its traceback", id="stream"),
        pytest.param("rule", LookupError, "change", "a rule or another stage failed (LookupError)", id="rule"),
        pytest.param("tool", OSError, "lamp", "tools failed 2 times in a row, the last was lamp", id="tool"),
    ],
)  # fmt: skip
async def test_an_exception_of_the_author_s_keeps_type_cause_and_traceback(
    *, what: str, kind: type[Exception], place: str, sentence: str, shows: str, caplog: pytest.LogCaptureFixture
) -> None:
    target, hook = MemoryTarget(), Hook()
    outcome = await fall(what, target, hook, Settings.of(degree=1, show_errors=shows))

    assert isinstance(outcome, Broke)
    assert sentence == str(outcome.error)
    assert isinstance(outcome.error.__cause__, kind)
    assert place == place_of(outcome.error.__cause__)
    assert [outcome.error] == hook.errors
    lines = [record for record in caplog.records if record.name == "cadenza.replies.on_error"]
    assert [logging.ERROR] == [line.levelno for line in lines]
    shown = written_by_the_bot(lines)
    assert f"in {place}" in shown
    assert "0123456789abcdef" not in shown
    if shows == "friendly" and what != "tool":
        assert [FRIENDLY] == [notice.text for notice in target.notices]
    assert (shows == "off") == (not target.notices)


async def test_people_are_not_told_what_a_provider_says_and_the_log_is(caplog: pytest.LogCaptureFixture) -> None:
    async def refused() -> AsyncIterator[str]:
        yield "One.\n"
        raise LIMITED

    target, hook = MemoryTarget(), Hook()
    await say(target, refused(), settings=AT_ONCE, on_error=hook)

    assert ["Too much is going on at the moment; try again in a little while."] == [one.text for one in target.notices]
    assert [LIMITED] == hook.errors
    [line] = [record for record in caplog.records if record.name == "cadenza.replies.on_error"]
    assert (logging.WARNING, True) == (line.levelno, "org-4711" in line.getMessage())


async def test_a_hook_may_be_a_coroutine() -> None:
    told: list[CadenzaError] = []

    async def hook(error: CadenzaError) -> None:
        told.append(error)

    await say(MemoryTarget(), forgetful(), on_error=hook)

    assert 1 == len(told)


@pytest.mark.parametrize("is_async", [False, True], ids=["at once", "awaited"])
async def test_a_hook_that_fails_changes_nothing(caplog: pytest.LogCaptureFixture, *, is_async: bool) -> None:
    async def fails() -> None:
        raise ZeroDivisionError

    def hook(_: CadenzaError) -> Any:
        return fails() if is_async else 1 / 0

    result = await say(MemoryTarget(), forgetful(), settings=AT_ONCE, on_error=hook)

    assert isinstance(result.outcome, Broke)
    assert "the hook on_error failed" in [record.getMessage() for record in caplog.records]


async def test_a_reply_without_an_answer_has_an_error() -> None:
    hook = Hook()
    result = await say(MemoryTarget(), "", on_error=hook)

    assert isinstance(result.outcome, Empty)
    [error] = hook.errors
    assert isinstance(error, ProviderError)
    assert "The model returned an empty answer; rephrase the message or use another model." == str(error)


async def test_nothing_is_called_when_all_went_well() -> None:
    hook = Hook()
    await say(MemoryTarget(), "Hi", on_error=hook)
    await reply(SCENE, Actor(["Hi"]).model, MemoryTarget(), on_error=hook)

    assert [] == hook.errors


async def test_an_attempt_that_another_followed_is_no_error_of_the_reply() -> None:
    hook, target = Hook(), MemoryTarget()
    models = [Actor([Failed(LIMITED)]).model, Actor(["Hi"], name="second").model]
    result = await reply(SCENE, models, target, settings=AT_ONCE, on_error=hook)

    assert isinstance(result.outcome, Completed)
    assert ([], ["Hi"]) == (hook.errors, target.texts)
    assert ["Another model answered this time."] == [notice.text for notice in target.notices]


async def test_the_last_failure_is_that_of_the_reply() -> None:
    hook, busy = Hook(), Failed(failure("busy", vendor="openai", status=503))
    models = [Actor([Failed(LIMITED)]).model, Actor([busy], name="second").model]
    await reply(SCENE, models, MemoryTarget(), settings=Settings.of(retry_delay=0.0), on_error=hook)

    assert [ErrorKind.OVERLOADED] == [error.kind for error in hook.errors if isinstance(error, ProviderError)]


async def test_no_error_is_nothing_to_report(caplog: pytest.LogCaptureFixture) -> None:
    hook = Hook()
    await report(None, hook)
    await report(ToolError("no"))

    assert [] == hook.errors
    assert ["a reply failed: no"] == [record.getMessage() for record in caplog.records]


# --- tools by hand ----------------------------------------------------------------------


async def test_a_stream_that_ends_in_tool_calls_says_nothing_to_people_and_a_second_say_goes_on() -> None:
    call, hook, target = ToolCall("c", "roll", '{"sides": 6}'), Hook(), MemoryTarget()

    def asks() -> Iterator[TextDelta | ToolCall | Finished]:
        yield from (TextDelta("Let me roll.\n"), call, Finished("tool_calls"))

    scene = Scene("general", Persona("Ren"))
    first = await say(target, asks(), scene=scene, settings=AT_ONCE, on_error=hook)
    assert NeedsTools((call,)) == first.outcome
    second = await say(target, ["It is a 4."], scene=scene, settings=AT_ONCE, on_error=hook)

    assert Completed("end_of_stream") == second.outcome
    assert ["Let me roll.", "It is a 4."] == target.texts
    told: Sequence[object] = (*target.notices, *hook.errors)
    assert [] == list(told)
