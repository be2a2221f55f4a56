from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from cadenza.models.dialects.call_arguments import tool_call
from cadenza.models.dialects.novelai_prompts import glm_prompt
from cadenza.models.guards.glm_calls import CallEnd, GlmTools
from cadenza.types import Prompt, PromptTurn, Role, ToolCall, ToolSpec

KINDS = {
    "text": {"type": "string"},
    "whole": {"type": "integer"},
    "number": {"type": "number"},
    "flag": {"type": "boolean"},
    "list": {"type": "array"},
    "thing": {"type": "object"},
    "maybe": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    "either": {"type": ["integer", "string"]},
    "odd": {"anyOf": [True, {"type": "array"}]},
    "any": {},
}
TOOLS = GlmTools(
    (
        ToolSpec("web_search", "", {"properties": {"query": {"type": "string"}, "count": {"type": "integer"}}}),
        ToolSpec("kinds", "", {"properties": KINDS}),
        ToolSpec("lock_channel", "", {}),
        ToolSpec("now", "", {"properties": None}),
    )
)


def pair(key: str, value: str) -> str:
    return f"<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n"


def read(source: str, end: CallEnd = CallEnd.SEEN) -> tuple[str, object] | None:
    """The call in *source*, if it is whole."""
    written = TOOLS.read(source, end)
    if written is None:
        return None
    call = tool_call("", *written)
    assert not call.is_truncated, call
    return call.name, json.loads(call.arguments)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("web_search\n" + pair("query", "tea"), {"query": "tea"}, id="as it was taught"),
        pytest.param(
            "web_search<arg_key>query</arg_key><arg_value>tea</arg_value>", {"query": "tea"}, id="on one line"
        ),
        pytest.param("web_search\n", {}, id="no arguments"),
        pytest.param("  `web_search`\n" + pair("query", "tea"), {"query": "tea"}, id="a name in code marks"),
        pytest.param(
            "web_search\n＜arg_key＞query＜/arg_key＞〈arg_value〉＜tea＞〈/arg_value〉",
            {"query": "＜tea＞"},
            id="brackets of another script, not those of a value",
        ),
        pytest.param(
            "web\u200b_search\n<arg_\u200bkey>query</arg_key\ufeff><arg_value>👩\u200d🚀</arg_value>",
            {"query": "👩\u200d🚀"},
            id="what is invisible in a tag, not in a value",
        ),
        pytest.param(
            "web_search\n<arg_key>query</arg_key>\n<arg_value>tea</arg_value", {"query": "tea"}, id="no bracket"
        ),
        pytest.param(
            "web_search\n<arg_key>query</arg_key\n<arg_value>tea</arg_value\n<arg_key>count</arg_key><arg_value>2",
            {"query": "tea", "count": 2},
            id="hardly a bracket",
        ),
        pytest.param(
            "web_search\n<arg_key>query</arg_key>\n<arg_value>tea\n<arg_key>count</arg_key>\n<arg_value>2</arg_value>",
            {"query": "tea", "count": 2},
            id="the end of a value forgotten",
        ),
        pytest.param("web_search<arg_key>query<arg_value>tea</arg_value>", {"query": "tea"}, id="the end of a key"),
        pytest.param(
            "web_search<arg_key>query</arg_key>tea</arg_value>", {"query": "tea"}, id="the beginning of a value"
        ),
        pytest.param(
            "web_search<arg_key>query</arg_key><arg_value>a <arg_value> b</arg_value></arg_value>",
            {"query": "a <arg_value> b"},
            id="a tag in a value",
        ),
        pytest.param("web_search\n" + pair("query", "a") + pair("query", "b"), {"query": "b"}, id="said twice"),
        pytest.param("web_search\n" + pair("Query", "tea"), {"query": "tea"}, id="a key in another case"),
        pytest.param("web_search\n" + pair("cuont", "2"), {"cuont": 2}, id="a key that is too far off"),
        pytest.param("web_search\n" + pair("q", "tea"), {"q": "tea"}, id="a key that there is not"),
        pytest.param('web_search\n{"query": "tea"}', {"query": "tea"}, id="JSON"),
        pytest.param('web_search({"query": "tea"})', {"query": "tea"}, id="JSON in brackets"),
        pytest.param("web_search\nquery: tea: green\n- count: 2,\n", {"query": "tea: green", "count": 2}, id="lines"),
        pytest.param('web_search\nquery="green tea"\ncount=2', {"query": "green tea", "count": 2}, id="assignments"),
        pytest.param('{"name": "web-search", "arguments": {"query": "tea"}}', {"query": "tea"}, id="all JSON"),
        pytest.param('{"name": "web_search", "parameters": {}}', {}, id="all JSON, in other words"),
    ],
)
def test_a_call_is_read_however_it_is_written(source: str, expected: object) -> None:
    assert ("web_search", expected) == read(source)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        pytest.param("web_search", "web_search", id="right"),
        pytest.param("web-search", "web_search", id="a dash"),
        pytest.param("WebSearch", "web_search", id="another case"),
        pytest.param("web_serach", "web_search", id="a slip of the pen"),
        pytest.param("functions.web_search", "web_search", id="with where it comes from"),
        pytest.param("unlock_channel", None, id="the opposite"),
        pytest.param("block_channel", None, id="something else"),
        pytest.param("web", None, id="a part"),
        pytest.param("mow", None, id="too short to tell"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_a_name_may_be_nearly_right_but_not_another(written: str, name: str | None) -> None:
    assert name == TOOLS.named(written)


def test_a_tool_that_there_is_not_is_called_by_its_name() -> None:
    assert ("unlock_channel", {"a": "b"}) == read("unlock_channel\n" + pair("a", "b"))


@pytest.mark.parametrize(
    ("key", "text", "expected"),
    [
        ("text", "12", "12"),
        ("text", " a\nb ", " a\nb "),
        ("text", "true", "true"),
        ("whole", "12", 12),
        ("whole", " -3 ", -3),
        ("whole", "2.0", 2),
        ("whole", "2.5", "2.5"),
        ("whole", "two", "two"),
        ("whole", '"2"', '"2"'),
        ("whole", "true", "true"),
        ("number", "2.5", 2.5),
        ("number", "NaN", "NaN"),
        ("number", "9" * 5000, "9" * 5000),
        ("flag", "True", True),
        ("flag", "yes", "yes"),
        ("list", '["a", 1]', ["a", 1]),
        ("list", "a, b", "a, b"),
        ("list", "[" * 5000, "[" * 5000),
        ("thing", '{"a": {"b": null}}', {"a": {"b": None}}),
        ("maybe", "null", None),
        ("maybe", "3", 3),
        ("either", "3", "3"),
        ("odd", "[3]", [3]),
        ("any", "3", 3),
        ("any", "three", "three"),
        ("any", '"3"', "3"),
        ("unknown", "[1]", [1]),
    ],
)
def test_a_value_becomes_what_the_tool_wants_if_it_can(key: str, text: str, expected: object) -> None:
    assert ("kinds", {key: expected}) == read("kinds\n" + pair(key, text))


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("", id="nothing"),
        pytest.param(" \n ", id="white space"),
        pytest.param("I do not know what to call", id="prose"),
        pytest.param("now\nand then\nsome prose", id="prose behind a name"),
        pytest.param("<arg_key>a</arg_key><arg_value>b</arg_value>", id="no name"),
        pytest.param('{"query": "tea"}', id="JSON without a name"),
        pytest.param("[1]", id="other JSON"),
    ],
)
def test_what_makes_no_sense_is_no_call(source: str) -> None:
    assert TOOLS.read(source, CallEnd.SEEN) is None


@pytest.mark.parametrize(
    ("source", "end", "kept"),
    [
        pytest.param("web_search", CallEnd.CUT, {}, id="behind the name"),
        pytest.param("web_search\n" + pair("query", "tea"), CallEnd.CUT, {"query": "tea"}, id="behind a pair"),
        pytest.param("web_search\n<arg_key>qu", CallEnd.STOPPED, {}, id="in a key"),
        pytest.param("web_search\n<arg_key>query</arg_key>\n", CallEnd.STOPPED, {}, id="behind a key"),
        pytest.param("web_search\n<arg_key>query</arg_key>\n", CallEnd.SEEN, {}, id="behind a key, with its end"),
        pytest.param(
            "web_search\n" + pair("count", "2") + "<arg_key>query</arg_key><arg_value>te",
            CallEnd.STOPPED,
            {"count": 2},
            id="in a value",
        ),
        pytest.param('web_search\n{"count": 2, "query": "te', CallEnd.STOPPED, {"count": 2}, id="in JSON"),
        pytest.param("web_search\ncount: 2\nquery: te", CallEnd.STOPPED, {"count": 2, "query": "te"}, id="in a line"),
    ],
)
def test_a_call_that_breaks_off_is_marked_and_keeps_what_is_whole(source: str, end: CallEnd, kept: object) -> None:
    written = TOOLS.read(source, end)

    assert written is not None
    call = tool_call("", *written)
    assert ("web_search", True, kept) == (call.name, call.is_truncated, json.loads(call.arguments))


@pytest.mark.parametrize("source", ["now", "now\n", "web_search\n" + pair("query", "tea")])
def test_a_call_that_the_model_ended_with_its_answer_is_whole(source: str) -> None:
    assert read(source, CallEnd.SEEN) == read(source, CallEnd.STOPPED)


@pytest.mark.parametrize("end", [CallEnd.STOPPED, CallEnd.CUT])
def test_the_beginning_of_a_name_calls_nobody(end: CallEnd) -> None:
    assert TOOLS.read("web_se", end) is None


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=3), inner, max_size=3),
    max_leaves=6,
)
texts = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="<＜﹤〈《⟨❮‹|["), max_size=20)


@given(
    st.fixed_dictionaries(
        {}, optional={"text": texts, "any": values.filter(lambda value: value != ""), "list": st.lists(values)}
    )
)
def test_what_a_history_says_was_called_is_read_as_the_same_call(arguments: dict[str, object]) -> None:
    call = ToolCall("1", "kinds", json.dumps(arguments))
    prompt = glm_prompt(Prompt("", (PromptTurn(Role.MODEL, (), (call,)),)))
    source = prompt.partition("<tool_call>")[2].partition("</tool_call>")[0]

    assert ("kinds", arguments) == read(source)


@given(st.text("<>/argkeyvlu_ \n{}:=", max_size=80), st.sampled_from(CallEnd))
def test_nothing_that_a_model_writes_breaks_it(source: str, end: CallEnd) -> None:
    written = TOOLS.read(f"now{source}", end)

    assert written is None or json.loads(tool_call("", *written).arguments) is not None
