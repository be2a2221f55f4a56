"""The arguments of a call: as written if they are whole, and of what was cut off only what is."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import accumulate

import pytest
from hypothesis import given, strategies as st

from cadenza.models.dialects.call_arguments import tool_call
from cadenza.types import Opaque, ToolCall
from tests.helpers import calls_of

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
objects = st.dictionaries(st.text(), values, max_size=5)


def spread_out(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param('{"a":1}', id="an object"),
        pytest.param(' {"a" : [1, {"b": null}] }\n', id="with its blanks"),
        pytest.param('{"a":"猫🐈","b":"\\ud83d"}', id="letters of all kinds, and half an escaped one"),
        pytest.param('{"a":1,"a":2}', id="a key twice"),
        pytest.param('{"a":' + "[" * 90 + "]" * 90 + "}", id="deep"),
        pytest.param('{"a":[' + ",".join(["{}"] * 500) + "]}", id="wide"),
    ],
)
def test_whole_arguments_stay_as_they_were_written(arguments: str) -> None:
    assert ToolCall("1", "f", arguments) == tool_call("1", "f", arguments)


@pytest.mark.parametrize("arguments", ["", " \n\t"], ids=["nothing", "blanks"])
def test_no_arguments_are_an_empty_object(arguments: str) -> None:
    assert ToolCall("1", "f", "{}") == tool_call("1", "f", arguments)


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        pytest.param('{"a":1,"b":"tru', '{"a":1}', id="in a text"),
        pytest.param('{"a":1,"b":"x\\', '{"a":1}', id="in an escape"),
        pytest.param('{"a":1,"b":"x\\u12', '{"a":1}', id="in a long escape"),
        pytest.param('{"a":true,"b', '{"a":true}', id="in a key"),
        pytest.param('{"a":null,"b"', '{"a":null}', id="behind a key"),
        pytest.param('{"a":"x","b":', '{"a":"x"}', id="behind a colon"),
        pytest.param('{"a":"x",', '{"a":"x"}', id="behind a comma"),
        pytest.param('{"a":"x"', '{"a":"x"}', id="before the last bracket"),
        pytest.param('{"a":12', "{}", id="in a number, perhaps"),
        pytest.param('{"a":12 ', '{"a":12}', id="behind a number"),
        pytest.param('{"a":-1.5e', "{}", id="in the exponent"),
        pytest.param('{"a":tr', "{}", id="in a word"),
        pytest.param('{"a":[1,2,3', '{"a":[1,2]}', id="in a list"),
        pytest.param('{"a":[', "{}", id="at the beginning of a list"),
        pytest.param('{"a":1,"b":{"c":"x', '{"a":1}', id="in the first of an inner object"),
        pytest.param('{"a":1,"b":{"c":"x","d":', '{"a":1,"b":{"c":"x"}}', id="in the second of an inner object"),
        pytest.param('{"a":[[],{}],"b":[{"c":[0,', '{"a":[[],{}],"b":[{"c":[0]}]}', id="in many at once"),
        pytest.param("{", "{}", id="at the very beginning"),
        pytest.param('{"a":"}]","b":"', '{"a":"}]"}', id="brackets in a text"),
    ],
)
def test_of_what_was_cut_off_the_whole_part_is_kept(arguments: str, kept: str) -> None:
    assert ToolCall("1", "f", kept, is_truncated=True) == tool_call("1", "f", arguments)


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        pytest.param("null", "{}", id="null"),
        pytest.param("[1,2]", "{}", id="a list"),
        pytest.param("city: Oslo", "{}", id="no JSON"),
        pytest.param('{"a":NaN}', "{}", id="a number that is none"),
        pytest.param('{"a":1,"b":012,"c":3}', '{"a":1}', id="a number that is no JSON"),
        pytest.param('{"a":1,"b":"x\ny"}', '{"a":1}', id="a line end in a text"),
        pytest.param('{"a":1} and', '{"a":1}', id="something behind it"),
        pytest.param('{"a":1]', '{"a":1}', id="the wrong bracket"),
        pytest.param("{1:2}", "{}", id="a key that is no text"),
        pytest.param('{"a" 1}', "{}", id="no colon"),
        pytest.param('{"a":1 "b":2}', '{"a":1}', id="no comma"),
        pytest.param('{"a":1,,}', '{"a":1}', id="a comma too many"),
        pytest.param('{"a":' + "9" * 5000 + "}", "{}", id="a number that nobody can read"),
    ],
)
def test_what_is_not_right_is_never_taken_for_whole(arguments: str, kept: str) -> None:
    """A call with arguments that nobody can read is not a call without arguments."""
    assert ToolCall("1", "f", kept, is_truncated=True) == tool_call("1", "f", arguments)


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        pytest.param('{"a":' * 100_000, "{}", id="objects that are never closed"),
        pytest.param('{"a":1,"b":' + "[" * 100_000, '{"a":1}', id="lists that are never closed"),
        pytest.param('{"a":1,"b":' + "[" * 100_000 + "]" * 100_000 + "}", '{"a":1}', id="lists that are closed"),
        pytest.param('{"a":1,"b":' + "[" * 300 + "]" * 300 + "}", '{"a":1}', id="deep, but Python could read it"),
    ],
)
def test_what_nests_too_deep_is_left_out(arguments: str, kept: str) -> None:
    assert ToolCall("1", "f", kept, is_truncated=True) == tool_call("1", "f", arguments)


def test_what_is_kept_of_something_deep_can_be_read() -> None:
    kept = tool_call("1", "f", '{"a":1,"b":' * 100_000).arguments

    assert json.loads(kept)["b"]["b"]["b"]["a"] == 1


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        pytest.param('{"a":"\ud83d\ude00"}', '{"a":"😀"}', id="two halves"),
        pytest.param('{"a":"\ud83d"}', '{"a":"\ufffd"}', id="one half"),
    ],
)
def test_a_character_that_came_in_two_halves_is_one(arguments: str, kept: str) -> None:
    assert ToolCall("1", "f", kept) == tool_call("1", "f", arguments)


@pytest.mark.parametrize("arguments", ['{"a":1}', '{"a":1', ""])
def test_the_state_goes_along(arguments: str) -> None:
    state = Opaque("dialect:vendor", '"signed"')

    assert state == tool_call("1", "f", arguments, state).state


@given(objects, st.sampled_from([json.dumps, spread_out]), st.data())
def test_wherever_it_is_cut_what_is_kept_was_meant(
    meant: dict[str, object], write: Callable[[object], str], data: st.DataObject
) -> None:
    text = write(meant)
    cut = data.draw(st.integers(1, len(text) - 1))

    call = tool_call("1", "f", text[:cut])

    assert call.is_truncated
    assert _is_part_of(json.loads(call.arguments), meant)
    assert ToolCall("1", "f", text) == tool_call("1", "f", text)


@given(objects.filter(bool))
def test_everything_that_is_whole_is_kept(meant: dict[str, object]) -> None:
    members = [f"{json.dumps(key)}:{json.dumps(value)}," for key, value in meant.items()]
    for count, text in enumerate(accumulate(members), start=1):
        kept = json.loads(tool_call("1", "f", "{" + text).arguments)

        assert dict(list(meant.items())[:count]) == kept


def test_the_cost_grows_with_the_length_and_not_faster() -> None:
    short, long = ('{"a":1,"b":[' + '{"x":"y"},' * count for count in (500, 5000))

    assert calls_of(lambda: tool_call("1", "f", long)) < 11 * calls_of(lambda: tool_call("1", "f", short))


def _is_part_of(part: object, whole: object) -> bool:
    """Whether *part* is *whole*, or the beginning of it."""
    match part, whole:
        case dict(), dict():
            begun = list(whole)[: len(part)]
            return list(part) == begun and all(_is_part_of(part[key], whole[key]) for key in part)
        case list(), list():
            return len(part) <= len(whole) and all(map(_is_part_of, part, whole))
        case _:
            return type(part) is type(whole) and part == whole
