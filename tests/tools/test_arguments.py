"""Arguments as models write them, and as nobody should."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadenza.errors import ToolError
from cadenza.models.dialects.call_arguments import tool_call
from cadenza.tools.arguments import arguments_of, read_json
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
