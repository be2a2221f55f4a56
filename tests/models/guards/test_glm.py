from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from cadenza.errors import ErrorKind, ProviderError
from cadenza.models.guards.glm import GlmGuard
from cadenza.models.guards.template import LONGEST_CALL
from cadenza.types import Chunk, Ending, Failed, Finished, Prompt, TextDelta, ThoughtDelta, ToolCall, Usage
from tests.helpers import calls_of, same_every_way
from tests.models.guards.guarding import PROMPT, calls, fed, words
from tests.models.recorded import joined, written

ASKED = replace(PROMPT, speaker="Ren")
QUERY = "<arg_key>query</arg_key>\n<arg_value>tea</arg_value>\n"
SEARCH = ToolCall("web_search-0", "web_search", '{"query": "tea"}')


def answered(text: str, prompt: Prompt = ASKED, reason: str = "stop") -> list[Chunk]:
    """What comes out for *text*, however it is sliced; the end is the last of it."""

    def run(pieces: list[str]) -> tuple[list[dict[str, object]], list[Chunk]]:
        chunks = fed(GlmGuard(prompt, "novelai"), [*map(TextDelta, pieces), Finished(reason)])
        return written(chunks), chunks

    return same_every_way(text, lambda pieces: _Heard(*run(pieces))).chunks


class _Heard:
    """What was heard; the same as what says the same."""

    def __init__(self, told: list[dict[str, object]], chunks: list[Chunk]) -> None:
        self._told = told
        self.chunks = chunks

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Heard) and self._told == other._told

    def __hash__(self) -> int:
        return hash(str(self._told))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("<think>plan</think>Hello", [ThoughtDelta("plan"), TextDelta("Hello")], id="a thought"),
        pytest.param("<think></think>\nHello", [TextDelta("\nHello")], id="an empty one"),
        pytest.param("<think>plan", [ThoughtDelta("plan")], id="one without end"),
        pytest.param(
            "Hi <think>a</think>you <think>b</think>there",
            [TextDelta("Hi "), ThoughtDelta("a"), TextDelta("you "), ThoughtDelta("b"), TextDelta("there")],
            id="in between",
        ),
        pytest.param(
            "<think>plan\nRen: Hey", [ThoughtDelta("plan"), TextDelta("\nRen: Hey")], id="one that the persona ends"
        ),
        pytest.param(
            f"<think>I use <tool_call>now</tool_call>, or\nweb_search\n{QUERY}</think>ok",
            [ThoughtDelta(f"I use <tool_call>now</tool_call>, or\nweb_search\n{QUERY}".strip()), TextDelta("ok")],
            id="with calls, which are thoughts",
        ),
        pytest.param("</think>Hello", [TextDelta("Hello")], id="the end of one before anything is said"),
        pytest.param(" \n</think>Hello", [TextDelta(" \nHello")], id="the same behind white space"),
        pytest.param(
            "＜think＞a＜/think＞b", [ThoughtDelta("a＜/think＞b")], id="another script opens, but does not close"
        ),
        pytest.param("I write `<think>`, see?", [TextDelta("I write `<think>`, see?")], id="talked about"),
        pytest.param("```\n</think>\n```\nb", [TextDelta("```\n</think>\n```\nb")], id="in a block of code"),
        pytest.param("a < b <thin", [TextDelta("a < b <thin")], id="half a tag"),
        pytest.param("a </thi", [TextDelta("a </thi")], id="half an end"),
    ],
)
def test_thoughts_are_thoughts(text: str, expected: list[Chunk]) -> None:
    assert [*expected, Finished("stop")] == answered(text)


@pytest.mark.parametrize("tail", ["", "Ren: and once more", "\n<tool_call>now</tool_call>", "</think>"])
def test_the_end_of_no_thought_ends_the_answer_and_what_was_said_stays(tail: str) -> None:
    assert [TextDelta("Good ni"), Finished("stop")] == answered(f"Good ni</think>{tail}", reason="length")


def test_the_end_of_no_thought_behind_a_call_ends_the_answer_too() -> None:
    assert [SEARCH, Finished("tool_calls")] == answered(f"<tool_call>web_search\n{QUERY}</tool_call></think>Hi")


@pytest.mark.parametrize("text", ["I would say that the sea is", "no end,", "「開いた", "One. Two"])
@pytest.mark.parametrize("reason", ["stop", "length"])
def test_a_last_sentence_that_has_not_ended_is_said(text: str, reason: str) -> None:
    assert [TextDelta(text), Finished(reason)] == answered(text, reason=reason)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"<tool_call>web_search\n{QUERY}</tool_call>", id="as it was taught"),
        pytest.param(f"<tool_call>\nweb_search\n{QUERY}</tool_call>", id="on a line of its own"),
        pytest.param(f"＜tool_call＞web_search\n{QUERY}＜/tool_call＞", id="brackets of another script"),
        pytest.param(f"<tool\u200b_call>web_search\n{QUERY}</tool_call>", id="something invisible"),
        pytest.param(f"<tool_call>web_search\n{QUERY}</tool_call", id="the last bracket missing"),
        pytest.param(f"<tool_call>web_search\n{QUERY}</tool_c", id="half of the end missing"),
        pytest.param(f"<tool_call>web_search\n{QUERY}", id="the end missing"),
        pytest.param(f"web_search\n{QUERY}</tool_call>", id="the beginning missing"),
        pytest.param(f"web_search\n{QUERY}", id="both missing"),
        pytest.param(f"web_search{QUERY}", id="both missing, on one line"),
        pytest.param(f"Web-Serach  \n\n  {QUERY}", id="both missing, the name nearly right"),
        pytest.param(f"  web_search\n{QUERY}", id="both missing, a little to the right"),
        pytest.param(f"<think>plan</think></think>web_search\n{QUERY}", id="behind a thought"),
    ],
)
def test_a_call_is_a_call(text: str) -> None:
    *out, end = answered(text)

    assert [SEARCH] == calls(out)
    assert "" == "".join(chunk.text for chunk in out if isinstance(chunk, TextDelta)).strip()
    assert Finished("tool_calls") == end


def test_words_and_calls_stay_in_order_and_no_two_have_one_id() -> None:
    text = (
        f"Let me look.\n<tool_call>web_search\n{QUERY}</tool_call>\n<tool_call>now<tool_call>now</tool_call> Hm.\n"
        f"read_file\n<arg_key>path</arg_key><arg_value>a</arg_value>\nNow web_search\n{QUERY}"
    )

    assert [
        TextDelta("Let me look.\n"),
        SEARCH,
        TextDelta("\n"),
        ToolCall("now-1", "now", "{}"),
        ToolCall("now-2", "now", "{}"),
        TextDelta(" Hm.\n"),
        ToolCall("read_file-3", "read_file", '{"path": "a"}'),
        TextDelta(f"\nNow web_search\n{QUERY}"),
        Finished("tool_calls"),
    ] == answered(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("`<tool_call>now</tool_call>`", id="in code"),
        pytest.param("```xml\n<tool_call>now</tool_call>\n```", id="in a block of code"),
        pytest.param(f"```\nweb_search\n{QUERY}```", id="in a block of code, without a tag"),
        pytest.param("now\nis the time", id="a name in prose"),
        pytest.param("now", id="a name and nothing else"),
        pytest.param("web_search\n\n", id="a name and white space"),
        pytest.param("web_search\n<arg", id="a name and half a key"),
        pytest.param(f"I use web_search\n{QUERY}", id="a name that does not begin its line"),
        pytest.param(f"unknown\n{QUERY}", id="a name that nobody has"),
        pytest.param(QUERY, id="no name"),
        pytest.param("a <tool_call", id="half a tag"),
        pytest.param("</tool_call>", id="the end of no call"),
    ],
)
def test_what_is_no_call_is_text(text: str) -> None:
    assert [TextDelta(text), Finished("stop")] == answered(text)


@pytest.mark.parametrize("text", ["<tool_call>now</tool_call>", f"web_search\n{QUERY}", "now"])
def test_without_tools_nothing_is_a_call(text: str) -> None:
    assert [TextDelta(text), Finished("stop")] == answered(text, Prompt("", ()))


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        pytest.param("<tool_call>web_search\n<arg_key>query</arg_key>\n<arg_value>te", {}, id="in a value"),
        pytest.param(f"<tool_call>web_search\n{QUERY}", {"query": "tea"}, id="before its end"),
        pytest.param(f"web_search\n{QUERY}", {"query": "tea"}, id="one without a tag"),
    ],
)
def test_a_call_that_is_cut_off_is_marked(text: str, kept: object) -> None:
    call, end = answered(text, reason="length")

    assert isinstance(call, ToolCall)
    assert (True, kept) == (call.is_truncated, json.loads(call.arguments))
    assert Finished("length") == end


def test_a_value_that_a_stop_string_cut_in_two_is_not_taken_for_whole() -> None:
    call, end = answered("<tool_call>web_search\n<arg_key>query</arg_key>\n<arg_value>te", reason="stop")

    assert isinstance(call, ToolCall)
    assert call.is_truncated
    assert Finished("tool_calls") == end


@pytest.mark.parametrize("reason", ["stop", "length"])
def test_a_call_of_nobody_is_kept_but_not_shown(reason: str) -> None:
    assert [TextDelta("Hi "), ThoughtDelta("<tool_call>web_se"), Finished(reason)] == answered(
        "Hi <tool_call>web_se", reason=reason
    )


@pytest.mark.parametrize("inside", ["", " ", "I do not know what to call", '{"a": 1}'])
def test_a_call_that_makes_no_sense_is_a_failure_and_never_text(inside: str) -> None:
    text, failed = answered(f"Look: <tool_call>{inside}</tool_call> and more")

    assert TextDelta("Look: ") == text
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, ProviderError)
    assert (ErrorKind.API, "tool_call_parse_error") == (failed.error.kind, failed.error.code)


def test_a_call_that_makes_no_sense_at_the_very_end_is_the_only_end() -> None:
    (failed,) = answered("<tool_call>I do not know</tool_call")

    assert isinstance(failed, Failed)


def test_a_call_that_never_ends_is_broken_off() -> None:
    text = f"<tool_call>web_search\n<arg_key>query</arg_key><arg_value>{'x' * (LONGEST_CALL + 50)}</arg_value></tool_call>Hi"

    call, rest, after, end = joined(_in_order(answered(text)))

    assert isinstance(call, ToolCall)
    assert call.is_truncated
    assert isinstance(rest, ThoughtDelta)
    assert (TextDelta("Hi"), Finished("tool_calls")) == (after, end)


def _in_order(chunks: list[Chunk]) -> list[Chunk]:
    """*chunks* with calls first: a thought goes past."""
    return sorted(chunks, key=lambda chunk: not isinstance(chunk, ToolCall))


def test_what_is_held_comes_before_a_failure_and_counts_go_past() -> None:
    guard = GlmGuard(ASKED, "novelai")
    failed = Failed(ProviderError("x"))

    assert [] == list(guard.feed(TextDelta("Hello")))  # the first word of a line may be a name
    assert [Usage(1, 2)] == list(guard.feed(Usage(1, 2)))
    assert [TextDelta("Hello"), failed] == list(guard.feed(failed))


def test_a_stream_without_an_end_loses_nothing() -> None:
    guard = GlmGuard(ASKED, "novelai")

    assert [TextDelta("a ")] == [*guard.feed(TextDelta("a ")), *guard.feed(TextDelta("<tool_"))]
    assert [TextDelta("<tool_")] == list(guard.flush(Ending.FINAL))


def test_the_words_of_an_answer_are_not_looked_at_twice() -> None:
    """Behind the first word of a line a token costs the same, however long the line is."""

    def cost(length: int) -> int:
        guard = GlmGuard(ASKED, "novelai")
        for _ in range(length):
            guard.feed(TextDelta(" word"))
        return calls_of(lambda: guard.feed(TextDelta(" more")))

    assert cost(10) == cost(1000)


PIECES = [
    "<tool_call>",
    "</tool_call>",
    "<arg_key>",
    "</arg_key>",
    "<arg_value>",
    "</arg_value>",
    "<think>",
    "</think>",
]
PIECES += ["now", "web_search", "query", "x y", "\n", " ", "`", "```", "<", "＜", "Ren:", "\u200b", "{}"]


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join), st.sampled_from(["stop", "length"]))
def test_whatever_comes_it_comes_to_the_same_in_every_slicing_and_ends_once(text: str, reason: str) -> None:
    *out, end = answered(text, reason=reason)

    assert isinstance(end, Finished | Failed)
    assert not any(isinstance(chunk, Finished | Failed) for chunk in out)


without_calls = st.lists(
    st.sampled_from(
        [piece for piece in PIECES if piece not in ("<tool_call>", "<think>", "</think>", "now", "web_search")]
    )
    | st.text(max_size=10),
    max_size=12,
)


@given(without_calls.map("".join))
def test_no_call_is_made_of_text_without_a_tag_or_a_name_and_no_letter_is_lost(text: str) -> None:
    assert text == words(answered(text))
    assert [] == calls(answered(text))


@given(st.text("now web_searchread_file\n.,!<`", max_size=40))
def test_names_alone_are_text(text: str) -> None:
    assert text == words(answered(text))
