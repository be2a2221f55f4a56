from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cadenza.models.guards.spill import SpillGuard
from cadenza.types import Chunk, Finished, TextDelta, ThoughtDelta, Usage
from tests.models.guards.guarding import fed, heard, words

THOUGHT = ThoughtDelta("I ")


def parted(text: str) -> tuple[str, str]:
    """What of *text*, behind a thought, is one too, and what is the answer."""
    out = heard(SpillGuard, text, THOUGHT)
    return (
        "".join(chunk.text for chunk in out if isinstance(chunk, ThoughtDelta)).removeprefix("I "),
        "".join(chunk.text for chunk in out if isinstance(chunk, TextDelta)),
    )


@pytest.mark.parametrize(
    ("spilt", "answer"),
    [
        pytest.param("must do.", "Hello!", id="5.8 a capital"),
        pytest.param("wait.", "Actually", id="5.8 a single word"),
        pytest.param("g it out.", "hey master", id="5.8 small letters behind several words"),
        pytest.param("wait...", "Hello", id="5.8 several marks"),
        pytest.param("version 3.5 is out.", "Nice", id="5.8 a dot in a number"),
        pytest.param("i use v.s.code for it.", "Nice", id="dots behind single letters"),
        pytest.param("look at github.com first!", "Nice", id="a dot in an address"),
        pytest.param("so be it!", "“Hi”", id="a quote"),
        pytest.param("ok.", "*waves*", id="emphasis"),
        pytest.param("ok.", "😀", id="a picture"),
        pytest.param("ok.", "(Hi)", id="a bracket"),
        pytest.param("ok。", "はい", id="a letter without case"),
        pytest.param(" \n ok then?", "Hi", id="white space in front"),
        pytest.param("a" * 178 + ".", "B", id="as far as is looked"),
    ],
)
def test_the_end_of_a_thought_is_taken_off(spilt: str, answer: str) -> None:
    assert (spilt, answer) == parted(spilt + answer)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("wait. Actually", id="5.8 a space behind"),
        pytest.param("wait.\nActually", id="a line end behind"),
        pytest.param("apple.com is nice", id="5.8 an address"),
        pytest.param("hey try github.com/x or notes.txt", id="an address behind several words"),
        pytest.param("it is, e.g. that", id="an abbreviation"),
        pytest.param("obj.method is nice", id="a single word and small letters"),
        pytest.param("use `obj.Method` now", id="5.8 code"),
        pytest.param("Must do.Hello!", id="begins with a capital"),
        pytest.param("「ok.Hello", id="begins with a mark"),
        pytest.param("ok then", id="5.9 no end"),
        pytest.param("ok then.", id="nothing behind the end"),
        pytest.param("ok then. ", id="white space behind the end"),
        pytest.param("notes.tx", id="cut off in a word"),
        pytest.param("   ", id="white space"),
        pytest.param("", id="nothing"),
        pytest.param("a" * 179 + ".B", id="farther than is looked"),
        pytest.param("a" * 300, id="long"),
        pytest.param("a" * 170 + "!" * 20 + "B", id="a long run of marks"),
        pytest.param(" " * 65 + "ok.Hello", id="far indented"),
    ],
)
def test_what_only_looks_like_it_is_the_answer(text: str) -> None:
    assert ("", text) == parted(text)


def test_5_9_without_a_thought_nothing_is_spilt() -> None:
    assert [TextDelta("must do.Hello!")] == heard(SpillGuard, "must do.Hello!")


def test_a_thought_behind_the_first_words_does_not_count() -> None:
    chunks: list[Chunk] = [TextDelta("a"), THOUGHT, TextDelta("must do.Hello!")]

    assert chunks == fed(SpillGuard(), chunks)


def test_white_space_is_not_the_first_word() -> None:
    chunks: list[Chunk] = [TextDelta("\n"), THOUGHT, TextDelta("must do.Hello!")]

    assert [TextDelta("\n"), ThoughtDelta("I must do."), TextDelta("Hello!")] == fed(SpillGuard(), chunks)


def test_only_the_first_words_are_looked_at() -> None:
    chunks: list[Chunk] = [THOUGHT, TextDelta("Hello. "), TextDelta("must do.Hello!")]

    assert [THOUGHT, TextDelta("Hello. must do.Hello!")] == fed(SpillGuard(), chunks)


def test_counts_on_the_way_do_not_decide() -> None:
    chunks: list[Chunk] = [THOUGHT, TextDelta("must do."), Usage(1, 1), TextDelta("Hello!"), Finished()]

    expected = [THOUGHT, Usage(1, 1), ThoughtDelta("must do."), TextDelta("Hello!"), Finished()]
    assert expected == fed(SpillGuard(), chunks)


@given(st.text("ab B.!?`3\n。 は", max_size=40))
def test_nothing_is_lost_and_how_it_is_sliced_does_not_matter(text: str) -> None:
    assert "I " + text == words(heard(SpillGuard, text, THOUGHT))
