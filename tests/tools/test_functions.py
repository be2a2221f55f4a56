"""Tools from plain functions."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping

import pytest

from cadenza.errors import SettingsError, ToolError
from cadenza.tools.functions import tool, toolset
from cadenza.tools.tool import Tool, ToolContext
from cadenza.types import ToolSpec


def roll(sides: int = 6) -> str:
    """Roll a die."""
    return f"1 of {sides} in {threading.current_thread().name}"


async def look(city: str, context: ToolContext) -> str:
    """Look at the sky."""
    await asyncio.sleep(0)
    return f"{city} {context.key} in {threading.current_thread().name}"


class TeaHouse:
    """Serves tea."""

    async def __call__(self, kind: str) -> str:
        return f"{kind} in {threading.current_thread().name}"

    def pour(self, kind: str) -> str:
        return kind


async def run(*_: object) -> str:
    raise NotImplementedError


MADE = Tool(ToolSpec("made", "", {}), run)
MAIN = threading.main_thread().name


def test_a_decorator_makes_a_tool() -> None:
    @tool
    def dice(sides: int = 6) -> int:
        """Roll a die."""
        return sides

    assert isinstance(dice, Tool)
    assert ("dice", "Roll a die.") == (dice.spec.name, dice.spec.description)
    assert {"sides": {"type": "integer", "description": "Default: 6."}} == dice.spec.parameters["properties"]


def test_a_decorator_may_say_more() -> None:
    @tool(
        name="throw", description="Throw.", seconds=2.5, needs_answer=True, settles=True, once=True, repeatable=True,
        needs_consent=True, types={"sides": float},
    )  # fmt: skip
    def dice(sides: int) -> int:
        """Roll a die."""
        return sides

    assert ("throw", "Throw.") == (dice.spec.name, dice.spec.description)
    assert {"sides": {"type": "number"}} == dice.spec.parameters["properties"]
    assert dice.seconds == 2.5
    assert all((dice.needs_answer, dice.settles, dice.once, dice.repeatable, dice.needs_consent))


def unsaid(text: str):  # type: ignore[no-untyped-def]  # noqa: ANN201  # which is the point
    return text


async def noted(text: str) -> None:
    """Note something."""


@pytest.mark.parametrize(
    ("made", "needs_answer"),
    [
        pytest.param(tool(roll), True, id="it gives something back"),
        pytest.param(tool(unsaid), True, id="it does not say"),
        pytest.param(tool(noted), False, id="it gives nothing back"),
        pytest.param(tool(functools.partial(noted, text="x")), False, id="a partial one"),
        pytest.param(tool(roll, needs_answer=False), False, id="it is said that there is no need"),
        pytest.param(tool(noted, needs_answer=True), True, id="it is said that there is"),
    ],
)
def test_what_a_function_gives_back_needs_an_answer(made: Tool, *, needs_answer: bool) -> None:
    assert needs_answer is made.needs_answer


def test_an_option_that_there_is_not_is_refused() -> None:
    with pytest.raises(SettingsError, match="a tool has no option 'timeout'; it has: name, description"):
        tool(roll, timeout=3)  # type: ignore[call-overload]  # which is the point


@pytest.mark.parametrize(
    ("made", "arguments", "result"),
    [
        pytest.param(tool(roll), {"sides": "8"}, "1 of 8 in cadenza tool roll", id="a function runs in a thread"),
        pytest.param(tool(look), {"city": "Oslo"}, f"Oslo k in {MAIN}", id="a coroutine is awaited"),
        pytest.param(tool(TeaHouse()), {"kind": "mint"}, f"mint in {MAIN}", id="an object that is awaited"),
        pytest.param(tool(functools.partial(look, city="Rome")), {}, f"Rome k in {MAIN}", id="a part of a coroutine"),
        pytest.param(tool(lambda: TeaHouse()("mint"), name="tea"), {}, f"mint in {MAIN}", id="a function that gives back a coroutine"),
        pytest.param(tool(TeaHouse().pour), {"kind": "mint"}, "mint", id="a method"),
    ],
)  # fmt: skip
async def test_what_is_run(made: Tool, arguments: Mapping[str, object], result: object) -> None:
    assert result == await made.run(arguments, ToolContext(key="k"))


async def test_what_a_model_sends_is_checked_before_the_function_sees_it() -> None:
    seen: list[object] = []

    @tool
    async def note(number: int) -> None:
        seen.append(number)

    assert note.check is not None
    assert {"number": 6} == note.check({"number": "6"})
    for ask in (note.check, lambda arguments: note.run(arguments, ToolContext())):
        with pytest.raises(ToolError, match=r"The argument 'number' is not right: Expected `int`, got `str`\."):
            await _awaited(ask({"number": "six"}))
    assert [] == seen


async def _awaited(value: object) -> object:
    return await value if isinstance(value, Awaitable) else value


@pytest.mark.parametrize(
    ("made", "name"),
    [
        (tool(roll), "roll"),
        (tool(functools.partial(roll, 6)), "roll"),
        (tool(TeaHouse()), "tea_house"),
        (tool(TeaHouse().pour), "pour"),
        (tool(lambda: 1, name="one"), "one"),
    ],
    ids=["function", "partial", "object", "method", "lambda"],
)
def test_a_tool_is_called_as_its_function(made: Tool, name: str) -> None:
    assert name == made.spec.name


def many() -> Iterator[int]:
    yield 1


async def many_more() -> AsyncIterator[int]:
    yield 1


@pytest.mark.parametrize(
    ("function", "said"),
    [
        pytest.param(lambda: 1, "'<lambda>' cannot be the name of a tool", id="a lambda without a name"),
        pytest.param(TeaHouse, "the tool 'TeaHouse' must be a function", id="a class"),
        pytest.param(many, "the tool 'many' is a generator function; return a list instead", id="a generator"),
        pytest.param(many_more, "the tool 'many_more' is a generator function", id="an async generator"),
        pytest.param(classmethod(roll), "the tool 'roll' must be a function", id="a class method that is not bound"),
        pytest.param(5, "the tool 'int' must be a function, not 5", id="a number"),
    ],
)
def test_what_cannot_be_a_tool_is_refused(function: Callable[..., object], said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        tool(function)

    assert said in str(caught.value)


def test_a_set_of_tools_goes_by_their_names() -> None:
    tools = toolset([roll, MADE, tool(look, name="sky")])

    assert ["roll", "made", "sky"] == list(tools)
    assert MADE is tools["made"]


def test_in_a_mapping_the_keys_are_the_names() -> None:
    tools = toolset({"dice": roll, "other": MADE, "made": MADE})

    assert ["dice", "other", "made"] == [made.spec.name for made in tools.values()] == list(tools)


def test_tools_may_come_one_by_one() -> None:
    assert ["roll"] == list(toolset(one for one in [roll]))
    assert {} == toolset([]) == toolset(()) == toolset(None)


@pytest.mark.parametrize(
    ("tools", "said"),
    [
        pytest.param([roll, tool(look, name="roll")], "there are two tools named 'roll'", id="the same name twice"),
        pytest.param([None], "must be a function, not None", id="nothing"),
        pytest.param([Tool(ToolSpec("a b", "", {}), run)], "'a b' cannot be the name of a tool", id="a name that nobody takes"),
        pytest.param({"größe": roll}, "'größe' cannot be the name of a tool", id="a key that nobody takes"),
        pytest.param([tool(roll, name="x" * 64), roll, Tool(ToolSpec("y" * 65, "", {}), run)], "cannot be the name of a tool", id="a long name"),
        pytest.param(MADE, "put a single one into a list", id="one alone"),
        pytest.param(roll, "tools must be a list of functions and tools, not function", id="a function alone"),
        pytest.param("roll", "tools must be a list of functions and tools, not str", id="a text"),
    ],
)  # fmt: skip
def test_what_is_no_set_of_tools_is_refused(tools: list[Tool], said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        toolset(tools)

    assert said in str(caught.value)
