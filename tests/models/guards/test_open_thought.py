from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cadenza.models.guards.open_thought import OpenThoughtGuard
from cadenza.types import Chunk, Finished, TextDelta, ThoughtDelta, ToolCall, Usage
from tests.helpers import same_every_way
from tests.models.guards.guarding import fed, heard, words

LONG = "word " * 1000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("plan</think>Hello", [ThoughtDelta("plan"), TextDelta("Hello")], id="only the end is seen"),
        pytest.param("a\nb\n\nc</think>\nHi", [ThoughtDelta("a\nb\n\nc"), TextDelta("\nHi")], id="several lines"),
        pytest.param("plan</mm:THINKING>Hi", [ThoughtDelta("plan"), TextDelta("Hi")], id="another tag"),
        pytest.param("a < b </thi</think>Hi", [ThoughtDelta("a < b </thi"), TextDelta("Hi")], id="almost before"),
        pytest.param("</think>Hi", [TextDelta("Hi")], id="nothing was thought"),
        pytest.param("plan</think>", [ThoughtDelta("plan")], id="nothing was said"),
        pytest.param("a</think>b</think>c", [ThoughtDelta("a"), TextDelta("b</think>c")], id="only the first"),
        pytest.param("The answer.", [TextDelta("The answer.")], id="no end: it was the answer"),
        pytest.param("I <3 you </thi", [TextDelta("I <3 you </thi")], id="half an end"),
        pytest.param(" \n", [TextDelta(" \n")], id="white space"),
        pytest.param("<think>a</think>b", [TextDelta("<think>a</think>b")], id="a whole block is left to stage 5"),
        pytest.param("\n <mm:think>a", [TextDelta("\n <mm:think>a")], id="likewise, unfinished"),
        pytest.param("<b>a</b></think>c", [ThoughtDelta("<b>a</b>"), TextDelta("c")], id="another tag in front"),
        pytest.param("<thi", [TextDelta("<thi")], id="half a beginning"),
        pytest.param(" " * 65 + "a</think>b", [ThoughtDelta(" " * 65 + "a"), TextDelta("b")], id="far indented"),
        pytest.param(
            " " * 65 + "<think>a</think>b",
            [ThoughtDelta(" " * 65 + "<think>a"), TextDelta("b")],
            id="a tag far indented",
        ),
        pytest.param(LONG + "</think>Hi", [ThoughtDelta(LONG), TextDelta("Hi")], id="a long thought"),
        pytest.param(LONG, [ThoughtDelta(LONG), TextDelta(LONG)], id="a long answer was taken for a thought as well"),
    ],
)
def test_what_stands_before_the_end_of_the_thought_is_one(text: str, expected: list[Chunk]) -> None:
    assert expected == heard(OpenThoughtGuard, text)


def test_a_long_thought_does_not_look_like_silence() -> None:
    guard = OpenThoughtGuard()

    first = fed(guard, [TextDelta(LONG)])

    assert [ThoughtDelta(LONG)] == first


def test_a_short_thought_waits() -> None:
    assert [] == fed(OpenThoughtGuard(), [TextDelta("plan")])


def test_an_interface_that_tells_thoughts_apart_has_none_in_its_text() -> None:
    chunks: list[Chunk] = [TextDelta("\n"), ThoughtDelta("hm"), TextDelta("Hi"), TextDelta(" </think>")]

    assert [ThoughtDelta("hm"), TextDelta("\nHi </think>")] == fed(OpenThoughtGuard(), chunks)


def test_a_thought_of_its_own_in_the_middle_changes_nothing() -> None:
    chunks: list[Chunk] = [TextDelta("a"), ThoughtDelta("hm"), TextDelta("b</think>c")]

    assert [ThoughtDelta("hmab"), TextDelta("c")] == fed(OpenThoughtGuard(), chunks)


def test_what_waits_is_said_before_a_call_and_only_once() -> None:
    call = ToolCall("1", "f", "{}")
    chunks: list[Chunk] = [TextDelta("Let me see."), Usage(1, 1), call, TextDelta("x</think>"), Finished()]

    expected = [Usage(1, 1), TextDelta("Let me see."), call, TextDelta("x</think>"), Finished()]
    assert expected == fed(OpenThoughtGuard(), chunks)


@given(st.text("ab <>/think\n", max_size=60))
def test_whatever_the_text_nothing_of_it_is_lost(text: str) -> None:
    out = same_every_way(text, lambda pieces: fed(OpenThoughtGuard(), [*map(TextDelta, pieces), Finished()]))

    assert text.replace("</think>", "", 1) == words(out) or text == words(out)
