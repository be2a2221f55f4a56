from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from cadenza.tools.running import run_call
from cadenza.tools.tool import Tool
from cadenza.types import ToolCall, ToolSpec


async def echo(arguments: Mapping[str, object], *_: object) -> str:
    return f"got {dict(arguments)}"


async def break_down(*_: object) -> str:
    msg = "token=secret"
    raise RuntimeError(msg)


async def never_mind(*_: object) -> str:
    raise asyncio.CancelledError


TOOLS = {
    name: Tool(ToolSpec(name, "", {}), run)
    for name, run in {"echo": echo, "break_down": break_down, "never_mind": never_mind}.items()
}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param('{"city": "Oslo"}', "got {'city': 'Oslo'}", id="object"),
        pytest.param("{}", "got {}", id="empty object"),
        pytest.param("", "got {}", id="nothing"),
    ],
)
async def test_a_tool_is_given_its_arguments(arguments: str, told: str) -> None:
    assert told == await run_call(TOOLS, ToolCall("1", "echo", arguments))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param('{"city": "Os', "not valid JSON", id="cut off"),
        pytest.param("Oslo", "not valid JSON", id="no JSON"),
        pytest.param("[1]", "must be a JSON object", id="list"),
        pytest.param("null", "must be a JSON object", id="null"),
        pytest.param("[" * 100_000, "not valid JSON", id="nested too deep to read"),
    ],
)
async def test_arguments_that_are_no_object_are_told_to_the_model(arguments: str, told: str) -> None:
    assert told in await run_call(TOOLS, ToolCall("1", "echo", arguments))


async def test_a_call_that_was_cut_off_is_not_run_and_the_model_is_told_what_arrived() -> None:
    ran: list[Mapping[str, object]] = []

    async def note(arguments: Mapping[str, object], *_: object) -> str:
        ran.append(arguments)
        return "noted"

    call = ToolCall("1", "note", '{"city": "Oslo"}', is_truncated=True)
    told = await run_call({"note": Tool(ToolSpec("note", "", {}), note)}, call)

    assert ran == []
    assert "was not run" in told
    assert '{"city": "Oslo"}' in told


async def test_an_unknown_tool_is_answered_with_the_known_ones() -> None:
    told = await run_call(TOOLS, ToolCall("1", "weather", "{}"))

    assert told == "There is no tool named 'weather'; there are: echo, break_down, never_mind."


async def test_an_unknown_tool_among_none_says_so() -> None:
    assert "there are: none" in await run_call({}, ToolCall("1", "weather", "{}"))


async def test_a_tool_that_fails_is_told_to_the_model_without_its_secrets() -> None:
    assert await run_call(TOOLS, ToolCall("1", "break_down", "{}")) == "The tool failed: RuntimeError."


async def test_a_tool_that_gives_up_is_told_to_the_model() -> None:
    assert await run_call(TOOLS, ToolCall("1", "never_mind", "{}")) == "The tool failed: CancelledError."


async def test_a_reply_that_is_cancelled_cancels_its_tool() -> None:
    async def endless(*_: object) -> str:
        await asyncio.Event().wait()
        return "never"

    tools = {"endless": Tool(ToolSpec("endless", "", {}), endless)}
    task = asyncio.create_task(run_call(tools, ToolCall("1", "endless", "{}")))
    await asyncio.sleep(0)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize(
    ("result", "told"),
    [(None, "null"), ({"a": 1}, '{"a": 1}'), (4, "4"), ("x", "x"), ({"city": "京都 🍵"}, '{"city": "京都 🍵"}')],
)
async def test_data_is_told_as_json(result: object, told: str) -> None:
    async def give(*_: object) -> object:
        return result

    assert told == await run_call({"give": Tool(ToolSpec("give", "", {}), give)}, ToolCall("1", "give", "{}"))


class Broken:
    def __str__(self) -> str:
        msg = "token=secret"
        raise RuntimeError(msg)


LOOP: list[object] = []
LOOP.append(LOOP)


@pytest.mark.parametrize(
    ("result", "error"),
    [
        pytest.param({(1, 2): 3}, "TypeError", id="a key that is no text"),
        pytest.param(LOOP, "ValueError", id="in itself"),
        pytest.param(Broken(), "RuntimeError", id="it cannot be shown"),
    ],
)
async def test_data_that_cannot_be_told_is_a_failure_of_the_tool(result: object, error: str) -> None:
    async def give(*_: object) -> object:
        return result

    told = await run_call({"give": Tool(ToolSpec("give", "", {}), give)}, ToolCall("1", "give", "{}"))

    assert f"The tool failed: {error}." == told


@pytest.mark.looptime
async def test_b18_a_tool_that_takes_too_long_is_stopped_and_the_model_is_told() -> None:
    steps: list[str] = []

    async def crawl(*_: object) -> str:
        steps.append("begun")
        await asyncio.sleep(10)
        steps.append("acted")
        return "late"

    tools = {"crawl": Tool(ToolSpec("crawl", "", {}), crawl)}
    told = await run_call(tools, ToolCall("1", "crawl", "{}"), seconds=2.5)
    await asyncio.sleep(60)

    assert ("The tool took longer than 2.5 seconds and was stopped.", ["begun"]) == (told, steps)
    assert "late" == await run_call(tools, ToolCall("1", "crawl", "{}"), seconds=11)


async def test_a_timeout_of_its_own_is_a_failure_of_the_tool() -> None:
    async def wait(*_: object) -> str:
        raise TimeoutError

    tools = {"wait": Tool(ToolSpec("wait", "", {}), wait)}

    assert "The tool failed: TimeoutError." == await run_call(tools, ToolCall("1", "wait", "{}"), seconds=5)
