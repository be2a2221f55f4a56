from __future__ import annotations

from dataclasses import replace

import pytest

from cadenza.models.guards.text_calls import TextCalls
from cadenza.types import PromptTurn, Role, ToolCall, ToolSpec
from tests.models.guards.guarding import PROMPT


def test_ids_are_made_of_name_and_number() -> None:
    calls = TextCalls(PROMPT)

    assert ["now-0", "now-1", "web_search-2"] == [calls.call(name, "{}").id for name in ("now", "now", "web_search")]


def test_an_id_is_not_used_again_in_a_later_round() -> None:
    earlier = PromptTurn(Role.MODEL, (), calls=(ToolCall("now-0", "now", "{}"), ToolCall("now-1", "now", "{}")))

    calls = TextCalls(replace(PROMPT, turns=(earlier,)))

    assert "now-2" == calls.call("now", "{}").id


def test_what_tools_take_is_known() -> None:
    calls = TextCalls(PROMPT)

    assert ("read_file", "web_search", "now") == calls.names
    assert ("query", "count") == calls.parameters("web_search")
    assert ("query",) == calls.required("web_search")
    assert () == calls.parameters("unknown") == calls.required("unknown")


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        pytest.param({"properties": {"a": {"type": "string"}}, "required": ["a"]}, "a", id="one text"),
        pytest.param({"properties": {"a": {"type": "integer"}}, "required": ["a"]}, None, id="no text"),
        pytest.param({"properties": {"a": {"type": "string"}}}, None, id="not required"),
        pytest.param({"required": ["a"]}, None, id="not described"),
        pytest.param({"properties": ["a"], "required": "a"}, None, id="nonsense"),
        pytest.param(
            {"properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["a", "b"]}, None, id="two"
        ),
    ],
)
def test_a_lone_text_stands_for_the_one_parameter_that_must_be_there(
    parameters: dict[str, object], expected: str | None
) -> None:
    prompt = replace(PROMPT, tools=(ToolSpec("f", "", parameters),))

    assert expected == TextCalls(prompt).only_text("f")
