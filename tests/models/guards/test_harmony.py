from __future__ import annotations

import pytest
from hypothesis import example, given, strategies as st

from cadenza.models.guards.harmony import HarmonyGuard
from cadenza.models.guards.text_calls import TextCalls
from cadenza.types import Chunk, TextDelta, ThoughtDelta, ToolCall
from tests.models.guards.guarding import PROMPT, calls, heard, words


def guard() -> HarmonyGuard:
    return HarmonyGuard(TextCalls(PROMPT))


SEARCH = ToolCall("web_search-0", "web_search", '{"query": "tea"}')


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "<|channel|>analysis<|message|>plan<|end|><|start|>assistant<|channel|>final<|message|>Hello<|return|>",
            [ThoughtDelta("plan"), TextDelta("Hello")],
            id="a thought and an answer",
        ),
        pytest.param(
            "<|channel|>analysis<|message|>plan<|end|>Hello", [ThoughtDelta("plan"), TextDelta("Hello")], id="half read"
        ),
        pytest.param("<|channel|>analysis<|message|>plan", [ThoughtDelta("plan")], id="a thought without end"),
        pytest.param(
            "<|channel|>analysis<|message|>a<|channel|>final<|message|>b",
            [ThoughtDelta("a"), TextDelta("b")],
            id="ends forgotten",
        ),
        pytest.param(
            "<|channel|>commentary<|message|>I will look.<|end|>",
            [TextDelta("I will look.")],
            id="what is said before a call",
        ),
        pytest.param(
            '<|channel|>commentary to=functions.web_search <|constrain|>json<|message|>{"query": "tea"}<|call|>',
            [SEARCH],
            id="a call",
        ),
        pytest.param(
            '<|start|>assistant to=functions.web_search<|channel|>commentary json<|message|>{"query": "tea"}',
            [SEARCH],
            id="a call, addressed in front and cut off where it ends",
        ),
        pytest.param(
            '<|channel|>commentary to=web_search<|message|>{"query": "tea"}<|call|>',
            [SEARCH],
            id="a call without its folder",
        ),
        pytest.param(
            '<|channel|>commentary to=functions.web_search<|message|>{"query": "tea"}<|end|>'
            "<|channel|>commentary to=functions.now<|message|>{}<|call|>",
            [SEARCH, ToolCall("now-1", "now", "{}")],
            id="two calls",
        ),
        pytest.param(
            '<|channel|>commentary to=functions.web_search<|message|>{"query": "tea"}<|start|>assistant<|channel|>final<|message|>Hi',
            [SEARCH, TextDelta("Hi")],
            id="a call whose end was forgotten",
        ),
        pytest.param(
            "<|channel|>analysis to=python code<|message|>1 + 1<|call|>x",
            [ThoughtDelta("1 + 1"), TextDelta("x")],
            id="a tool of its own",
        ),
        pytest.param("Hello<|end|>", [TextDelta("Hello")], id="an end"),
        pytest.param("Hello", [TextDelta("Hello")], id="no token"),
        pytest.param(
            "<|channel|>final<|message|>```\nx\n```<|return|>", [TextDelta("```\nx\n```")], id="a code block at the end"
        ),
    ],
)
def test_messages_are_what_their_headers_say(text: str, expected: list[Chunk]) -> None:
    assert expected == heard(guard, text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("The <|channel|> token names a channel.", id="a token in prose"),
        pytest.param("It opens with <|start|> and then more.", id="another"),
        pytest.param("`<|channel|>analysis<|message|>` is a header.", id="in code"),
        pytest.param("a<|message|>b", id="a message without header"),
        pytest.param("a<|constrain|>b", id="a constraint of nothing"),
        pytest.param("x<|start|>user<|message|>hey", id="somebody else's words"),
        pytest.param("<|channel|>a<|start|> b c", id="a header within a header"),
        pytest.param("<|channel|>" + "a" * 17 + "<|message|>b", id="no name of a channel"),
        pytest.param("<|chan", id="half a token"),
    ],
)
def test_what_is_no_header_is_text(text: str) -> None:
    assert [TextDelta(text)] == heard(guard, text)


def test_a_header_without_its_message_is_kept_but_not_shown() -> None:
    text = "<|channel|>final<|message|>Hi<|end|><|start|>assistant<|chan"

    assert [TextDelta("Hi"), ThoughtDelta("<|start|>assistant<|chan")] == heard(guard, text)


def test_a_call_that_is_not_whole_is_marked() -> None:
    (call,) = calls(heard(guard, '<|channel|>commentary to=functions.now<|message|>{"a": "b'))

    assert ("now", True) == (call.name, call.is_truncated)


PIECES = [
    *("<|start|>", "<|channel|>", "<|message|>", "<|end|>", "<|call|>", "<|constrain|>", "<|"),
    *("assistant", "user", "analysis", "final", "commentary", " to=functions.now", "json", "{}", "z", "`", "\n", " "),
]


@example("<|channel|>final z<|message|>")
@example("<|start|>z<|message|>")
@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join))
def test_words_are_said_or_thought_or_part_of_a_call_however_they_are_sliced(text: str) -> None:
    out = heard(guard, text)

    if not calls(out):
        assert text.count("z") == words(out).count("z")


@given(st.text(st.characters(blacklist_characters="<"), max_size=60))
def test_text_without_tokens_passes_byte_for_byte(text: str) -> None:
    assert text == words(heard(guard, text))
