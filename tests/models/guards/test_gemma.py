from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from cadenza.models.guards.gemma import GemmaGuard
from cadenza.models.guards.text_calls import TextCalls
from cadenza.types import Chunk, Prompt, TextDelta, ThoughtDelta
from tests.models.guards.guarding import PROMPT, calls, fed, heard, words


def guard() -> GemmaGuard:
    return GemmaGuard(TextCalls(PROMPT))


def called(text: str) -> list[tuple[str, object]]:
    """The whole calls in *text*."""
    return [(call.name, json.loads(call.arguments)) for call in calls(heard(guard, text)) if not call.is_truncated]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "<|channel>thought\nThey greet me.<channel|>Hello",
            [ThoughtDelta("They greet me."), TextDelta("Hello")],
            id="a thought",
        ),
        pytest.param("<|channel>thought\n<channel|>Hello", [TextDelta("Hello")], id="an empty thought"),
        pytest.param("<|channel>thought\nplan", [ThoughtDelta("plan")], id="a thought without end"),
        pytest.param(
            "a<|channel>thought b\n\nc<channel|>d",
            [TextDelta("a"), ThoughtDelta("b\n\nc"), TextDelta("d")],
            id="in between",
        ),
        pytest.param("<|channel>final x", [TextDelta("<|channel>final x")], id="another channel"),
        pytest.param("a<channel|>b", [TextDelta("ab")], id="an end without beginning"),
        pytest.param(
            "<|channel>thought a <tool_call|>b<channel|>", [ThoughtDelta("a <tool_call|>b")], id="another's end"
        ),
        pytest.param(
            "It writes `<|channel>thought`.", [TextDelta("It writes `<|channel>thought`.")], id="talked about"
        ),
        pytest.param("a <|tool_cal", [TextDelta("a <|tool_cal")], id="half a token"),
        pytest.param("x </tool_code> y", [TextDelta("x </tool_code> y")], id="the end of no code"),
    ],
)
def test_channels_are_thoughts(text: str, expected: list[Chunk]) -> None:
    assert expected == heard(guard, text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            '<|tool_call>call:web_search{query:<|"|>tea<|"|>,count:2}<tool_call|>',
            [("web_search", {"query": "tea", "count": 2})],
            id="one",
        ),
        pytest.param(
            "<|tool_call>call:now{}<tool_call|><|tool_call>call:now{}<tool_call|>", [("now", {}), ("now", {})], id="two"
        ),
        pytest.param("<|tool_call>call:now{}call:now{}<tool_call|>", [("now", {}), ("now", {})], id="two in one"),
        pytest.param("<|tool_call>call:now{}<|tool_call>call:now{}", [("now", {}), ("now", {})], id="ends forgotten"),
        pytest.param("<|tool_call>call:now{}", [("now", {})], id="whole but for the token"),
        pytest.param("<|tool_call>call:google:mcp:now{}<tool_call|>", [("now", {})], id="with where it comes from"),
        pytest.param("<|tool_call>call:unknown {}<tool_call|>", [("unknown", {})], id="a tool that there is not"),
        pytest.param('<tool_code>web_search("tea")</tool_code>', [("web_search", {"query": "tea"})], id="code"),
        pytest.param(
            '<tool_code>\nprint(default_api.web_search(query="a)b"))\nnow()\n</tool_code>',
            [("web_search", {"query": "a)b"}), ("now", {})],
            id="code that prints, twice",
        ),
        pytest.param("<tool_code>now()", [("now", {})], id="code without its end"),
        pytest.param(
            '<tool_code>read_file("<channel|>")</tool_code>',
            [("read_file", {"path": "<channel|>"})],
            id="a token in a text",
        ),
    ],
)
def test_calls_are_calls(text: str, expected: list[tuple[str, object]]) -> None:
    assert expected == called(text)
    assert "" == words(heard(guard, text))


def test_words_and_calls_stay_in_order() -> None:
    text = 'Let me look.<|tool_call>call:read_file{path:<|"|>a<|"|>}<tool_call|> Done.'

    first, call, last = heard(guard, text)

    assert (TextDelta("Let me look."), TextDelta(" Done.")) == (first, last)
    assert [call] == calls([call])


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('<|tool_call>call:web_search{query:<|"|>te', id="in a text"),
        pytest.param("<|tool_call>call:web_search{", id="behind the brace"),
        pytest.param('<tool_code>web_search(query="te', id="in code"),
        pytest.param("<tool_code>web_search(query=term)</tool_code>", id="code that has to be run"),
    ],
)
def test_a_call_that_is_not_whole_is_marked(text: str) -> None:
    (call,) = calls(heard(guard, text))

    assert ("web_search", True) == (call.name, call.is_truncated)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("<|tool_call> opens a call", id="a token in prose"),
        pytest.param("<|tool_call>call: and so on", id="a longer one"),
        pytest.param("<|tool_call>call:name<tool_call|>", id="no arguments"),
        pytest.param("<tool_code> is a tag", id="a tag in prose"),
        pytest.param("<tool_code>unknown(1)</tool_code>", id="code for no tool"),
        pytest.param("<tool_code>x = now()</tool_code>", id="other code"),
        pytest.param("<tool_code></tool_code>", id="no code"),
        pytest.param("<tool_code>a<tool_code>b c d", id="a tag behind another"),
    ],
)
def test_what_is_no_call_is_text(text: str) -> None:
    assert [TextDelta(text)] == heard(guard, text)


def test_a_call_that_breaks_off_before_its_name_ends_is_kept_but_not_shown() -> None:
    assert [TextDelta("Hi "), ThoughtDelta("<|tool_call>call:web_se")] == heard(guard, "Hi <|tool_call>call:web_se")


def test_code_calls_nothing_where_there_are_no_tools() -> None:
    text = "<tool_code>now()</tool_code>"

    assert [TextDelta(text)] == heard(lambda: GemmaGuard(TextCalls(Prompt("", ()))), text)


def test_a_call_within_a_thought_does_not_end_it() -> None:
    text = "<|channel>thought a<|tool_call>call:now{}<tool_call|>b<channel|>c"

    first, call, *rest = heard(guard, text)

    assert (ThoughtDelta("a"), [ThoughtDelta("b"), TextDelta("c")]) == (first, rest)
    assert [call] == calls([call])


PIECES = [
    *("<|channel>thought", "<channel|>", "<|tool_call>", "call:", "<tool_call|>", "<tool_code>", "</tool_code>"),
    *("now", "{", "}", '<|"|>', "print(", "now()", "(", "a=", "1", "`", "\n", " ", "z", "<"),
]


@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join))
def test_text_without_a_call_keeps_its_words_however_it_is_sliced(text: str) -> None:
    out = heard(guard, text)

    assert calls(out) or text.count("z") == words(out).count("z")


def test_the_rest_of_a_call_that_is_too_long_ends_where_the_call_does() -> None:
    long = "<|tool_call>call:now{a:" + "1" * (1 << 16)

    def told(end: str) -> list[Chunk]:
        return fed(guard(), [TextDelta(long), TextDelta(end)])[1:]

    assert [ThoughtDelta("111111}"), TextDelta("Hi")] == told("}<tool_call|>Hi")
    assert [ThoughtDelta("111111}")] == told("}<|tool_call>call:now{}<tool_call|>")[:1]
    assert TextDelta("Hi") == told("}<|tool_call>call:now{}<tool_call|>Hi")[-1]


@given(st.text(st.characters(blacklist_characters="<"), max_size=60))
def test_text_without_tokens_passes_byte_for_byte(text: str) -> None:
    assert text == words(heard(guard, text))
