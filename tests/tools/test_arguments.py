"""Arguments as models write them, and as nobody should."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from enum import Enum, IntEnum
from typing import Any, Literal, NotRequired, TypedDict

import pytest
from hypothesis import given, strategies as st

from cadenza.errors import ToolError
from cadenza.models.dialects.call_arguments import tool_call
from cadenza.tools.arguments import arguments_of, can_be_null, check_names, convert, read_json
from cadenza.tools.schemas import schema_of
from cadenza.types import ToolCall

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        pytest.param('{"city": "Oslo"}', {"city": "Oslo"}, id="object"),
        pytest.param("{}", {}, id="empty object"),
        pytest.param("", {}, id="nothing"),
        pytest.param('{"a": "\\ud83c\\udf75"}', {"a": "🍵"}, id="a character in two halves"),
        pytest.param('{"a\\ud83c": "\\udf75"}', {"a�": "�"}, id="halves of characters"),
    ],
)
def test_what_a_tool_is_handed(text: str, arguments: object) -> None:
    assert arguments == arguments_of(ToolCall("1", "echo", text))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param('{"city": "Os', "not valid JSON", id="cut off"),
        pytest.param("Oslo", "not valid JSON", id="no JSON"),
        pytest.param('{"a": NaN}', "not valid JSON", id="not a number"),
        pytest.param('{"a": ' + "9" * 5000 + "}", "not valid JSON", id="a number that is too long"),
        pytest.param("[1]", "must be a JSON object", id="list"),
        pytest.param("null", "must be a JSON object", id="null"),
        pytest.param('{"a": ' + "[" * 150 + "]" * 150 + "}", "nested too deep", id="nested deep"),
        pytest.param("[" * 100_000, "not valid JSON", id="nested too deep to read"),
        pytest.param('{"a": "' + "x" * 1_000_000 + '"}', "longer than 1000000 characters", id="too long"),
    ],
)
def test_what_cannot_be_read_is_told_to_the_model(text: str, told: str) -> None:
    with pytest.raises(ToolError, match=r"the tool was not run") as caught:
        arguments_of(ToolCall("1", "echo", text))

    assert told in str(caught.value)


def test_as_many_containers_may_stand_in_one_another_as_the_dialects_let_pass() -> None:
    text = '{"a": ' + "[" * 99 + "]" * 99 + "}"

    assert not tool_call("1", "echo", text).is_truncated
    assert ["a"] == list(arguments_of(ToolCall("1", "echo", text)))


@pytest.mark.parametrize("arguments", ['{"city": ', '{"city"', "{]", '{"a": 1} and more'], ids=str)
def test_b28_arguments_that_cannot_be_mended_are_not_taken_for_none(arguments: str) -> None:
    call = tool_call("1", "echo", arguments)

    with pytest.raises(ToolError, match="cut off before its arguments were whole"):
        arguments_of(call)


@given(st.text())
def test_whatever_is_written_there_it_is_read_or_refused(text: str) -> None:
    with suppress(ToolError):
        assert isinstance(arguments_of(ToolCall("1", "echo", text)), dict)


@given(JSON)
def test_what_is_json_is_read_as_it_is(value: object) -> None:
    assert value == read_json(json.dumps(value, ensure_ascii=False))
    assert value == read_json(json.dumps(value))


# --- what the model meant -----------------------------------------------------------------------


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Filter(TypedDict):
    word: str
    since: NotRequired[date]


@dataclass(frozen=True)
class Point:
    x: int
    y: int = 0
    tags: list[str] = field(default_factory=list)
    length: float = field(init=False, default=0.0)


@dataclass
class Even:
    number: int

    def __post_init__(self) -> None:
        if self.number % 2:
            msg = "The number must be even."
            raise ToolError(msg)


@dataclass
class Fails:
    with_value: bool

    def __post_init__(self) -> None:
        msg = "token=secret"
        raise ValueError(msg) if self.with_value else RuntimeError(msg)


def converted(value: object, hint: Any) -> object:
    return convert(value, hint, schema_of(hint), "it")


@pytest.mark.parametrize(
    ("hint", "value", "meant"),
    [
        pytest.param(str, "six", "six", id="text"),
        pytest.param(str, 123456789012345678, "123456789012345678", id="an id as a number"),
        pytest.param(str, 1.5, "1.5", id="a number for a text"),
        pytest.param(int, 6, 6, id="whole number"),
        pytest.param(int, 6.0, 6, id="whole number with a point"),
        pytest.param(int, "6", 6, id="whole number as text"),
        pytest.param(int, " -6.0 ", -6, id="whole number as text with a point"),
        pytest.param(float, 6, 6.0, id="number without a point"),
        pytest.param(float, " 1.5", 1.5, id="number as text"),
        pytest.param(bool, False, False, id="no"),
        pytest.param(bool, "True ", True, id="yes as text"),
        pytest.param(bool, 0, False, id="no as a number"),
        pytest.param(None, None, None, id="null"),
        pytest.param(None, "None", None, id="null as a word"),
        pytest.param(Any, {"a": [1]}, {"a": [1]}, id="anything"),
        pytest.param(object, "a", "a", id="any object"),
        pytest.param(date, "2025-01-31", date(2025, 1, 31), id="day"),
        pytest.param(date, "2025-01-31T18:30:00Z", date(2025, 1, 31), id="a moment for a day"),
        pytest.param(datetime, "2025-01-31T18:30Z", datetime(2025, 1, 31, 18, 30, tzinfo=UTC), id="moment"),
        pytest.param(Literal["small", "Large"], " LARGE", "Large", id="choice in capitals"),
        pytest.param(Literal[1, "auto"], "1", 1, id="choice of a number as text"),
        pytest.param(Literal[1, 2], 1.0, 1, id="choice of a number with a point"),
        pytest.param(Colour, "Blue", Colour.BLUE, id="Enum"),
        pytest.param(Level, "2", Level.HIGH, id="IntEnum"),
        pytest.param(list[int], [1, "2"], [1, 2], id="list"),
        pytest.param(list[int], 1, [1], id="one thing for a list of one"),
        pytest.param(list[int], "[1, 2]", [1, 2], id="a list as text"),
        pytest.param(list[str], "[a] and b", ["[a] and b"], id="a text that only looks like a list"),
        pytest.param(list[str], '{"a": 1}', ['{"a": 1}'], id="an object as text is no list"),
        pytest.param(set[int], [1, 1, 2], {1, 2}, id="set"),
        pytest.param(frozenset[int], [1, 1], frozenset({1}), id="frozenset"),
        pytest.param(tuple[int, ...], ["1", 2], (1, 2), id="tuple"),
        pytest.param(tuple[int, str], '["1", "a"]', (1, "a"), id="pair as text"),
        pytest.param(dict[str, float], {"a": "1.5"}, {"a": 1.5}, id="dict"),
        pytest.param(Mapping[str, Any], '{"a": 1}', {"a": 1}, id="dict as text"),
        pytest.param(Point, {"x": "1", "y": None}, Point(1), id="null for what need not be there"),
        pytest.param(list[Point], {"x": 1, "y": 2, "tags": "a"}, [Point(1, 2, ["a"])], id="dataclass in a list"),
        pytest.param(Filter, {"word": "a", "since": "2025-01-31"}, {"word": "a", "since": date(2025, 1, 31)}, id="TypedDict"),
        pytest.param(Even, {"number": 2}, Even(2), id="a dataclass that checks itself"),
        pytest.param(int | str, "6", "6", id="what is exactly right goes first"),
        pytest.param(str | int, 6, 6, id="in any order"),
        pytest.param(int | bool, "6", 6, id="then what may be meant"),
        pytest.param(Point | None, '{"x": 1}', Point(1), id="an object as text or nothing"),
        pytest.param(int | None, " ", None, id="an empty text for nothing"),
        pytest.param(date | None, "null", None, id="no day as a word"),
        pytest.param(list[str] | None, "None", None, id="nothing is not a list of it"),
        pytest.param(str | None, "null", "null", id="a text may be any word"),
        pytest.param(str | None, 6, "6", id="a number for a text or nothing"),
    ],
)  # fmt: skip
def test_what_is_meant_is_taken(hint: object, value: object, meant: object) -> None:
    read = converted(value, hint)

    assert (meant, type(meant)) == (read, type(read))


@pytest.mark.parametrize(
    ("hint", "value", "said"),
    [
        pytest.param(str, True, "'it' is not right: Expected `str`, got `bool`", id="a truth for a text"),
        pytest.param(int, "six", "'it' is not right: Expected `int`, got `str`", id="a word for a number"),
        pytest.param(int, 6.5, "'it' is not right: Expected `int`, got `float`", id="a fraction"),
        pytest.param(int, True, "'it' is not right: Expected `int`, got `bool`", id="a truth for a number"),
        pytest.param(int, "9" * 5000, "'it' is not right: Integer value out of range", id="a number without end"),
        pytest.param(float, "nan", "'it' is not right: Expected a finite number", id="not a number"),
        pytest.param(float, float("inf"), "'it' is not right: Expected a finite number", id="no end"),
        pytest.param(float, 10**400, "'it' is not right: Number out of range", id="a number that is too large"),
        pytest.param(bool, "maybe", "'it' is not right: Expected `bool`, got `str`", id="a word for a truth"),
        pytest.param(date, "tomorrow", "'it' is not right: Invalid RFC3339 encoded date", id="a word for a day"),
        pytest.param(Literal["a", "b"], "c", '\'it\' must be one of "a", "b", not "c"', id="no choice"),
        pytest.param(Colour, [1], '\'it\' must be one of "red", "blue", not [1]', id="a list for a choice"),
        pytest.param(list[int], [1, "a"], "'it[1]' is not right: Expected `int`, got `str`", id="in a list"),
        pytest.param(list[int], None, "'it' is not right: Expected `array`, got `null`", id="null for a list"),
        pytest.param(tuple[int, str], [1], "'it' is not right: Expected `array` of length 2, got 1", id="too few"),
        pytest.param(dict[str, int], [], "'it' is not right: Expected `object`, got `array`", id="a list for an object"),
        pytest.param(list[Point], [{"x": 1}, {"y": 1}], "'it[1]' is not right: Object missing required field `x`", id="deep inside"),
        pytest.param(Point, {"x": 1, "tag": "a"}, "'it.tag' is not known; perhaps 'tags' is meant; there are only: x, y, tags", id="a slip of the pen"),
        pytest.param(Point, {"x": 1, "length": 2}, "'it.length' is not known; there are only: x, y, tags", id="what no model may set"),
        pytest.param(Point | None, {"x": "a"}, "'it.x' is not right: Expected `int`, got `str`", id="not quite what may be missing"),
        pytest.param(int | bool, [], "'it' is not right: Expected `bool | int`, got `array`", id="neither"),
        pytest.param(Even, {"number": 3}, "'it' is not right: The number must be even", id="refused by its class"),
        pytest.param(Fails, {"with_value": True}, "'it' is not right: ValueError", id="its class fails at a value"),
        pytest.param(Fails, {"with_value": False}, "'it' is not right: RuntimeError", id="its class fails"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_to_the_model(hint: object, value: object, said: str) -> None:
    with pytest.raises(ToolError) as caught:
        converted(value, hint)

    assert f"The argument {said}." == str(caught.value).replace("valueError", "ValueError").replace(
        "runtime", "Runtime"
    )


def test_an_unknown_name_is_told_with_those_that_there_are() -> None:
    check_names({"a": 1}, {"a": 1, "b": 2})
    with pytest.raises(ToolError, match=r"^The argument 'c' is not known; there are only: a, b\.$"):
        check_names({"c": 1}, {"a": 1, "b": 2})
    with pytest.raises(ToolError, match=r"^The argument 'c' is not known; there are none to give\.$"):
        check_names({"c": 1}, {})


def test_null_is_allowed_or_not() -> None:
    assert can_be_null(schema_of(int | None))
    assert not can_be_null(schema_of(int))


HINTS: list[Any] = [str, int, float, bool, None, Any, date, datetime, Literal["a", 1], Colour, list[int], set[str], tuple[int, str], dict[str, int], Point, Filter, int | str, Point | None]  # fmt: skip


@given(JSON)
def test_every_value_is_taken_or_refused(value: object) -> None:
    for hint in HINTS:
        with suppress(ToolError):
            converted(value, hint)


SCALARS: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (str, st.text()),
    (int, st.integers()),
    (bool, st.booleans()),
    (float, st.floats(allow_nan=False, allow_infinity=False)),
    (Literal["a", "b"], st.sampled_from("ab")),
]


@st.composite
def typed(draw: st.DrawFn, depth: int = 3) -> tuple[Any, Any]:
    """A type, and a value of it as JSON has it."""
    kind = draw(st.sampled_from(["scalar", "list", "dict", "maybe", "pair"] if depth else ["scalar"]))
    if kind == "scalar":
        hint, values = draw(st.sampled_from(SCALARS))
        return hint, draw(values)
    hint, value = draw(typed(depth - 1))
    match kind:
        case "list":
            return list[hint], [value] * draw(st.integers(0, 3))
        case "dict":
            return dict[str, hint], dict.fromkeys(draw(st.sets(st.text(max_size=5), max_size=3)), value)
        case "maybe":
            return hint | None, draw(st.sampled_from([value, None]))
        case _:
            other, another = draw(typed(depth - 1))
            return tuple[hint, other], (value, another)


@given(typed())
def test_what_is_of_the_type_comes_through_unchanged(pair: tuple[Any, Any]) -> None:
    hint, value = pair

    assert value == converted(json.loads(json.dumps(value)), hint)


@given(st.integers())
def test_a_whole_number_is_the_same_as_text(number: int) -> None:
    assert number == converted(str(number), int) == converted(number, int)
