"""Law 2: what is said arrives. Nothing is lost, doubled or moved but what a named rule removes."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, strategies as st

from cadenza.replies.pipeline import Takes, text_row
from cadenza.settings import Settings
from cadenza.stages.s4_round import Round
from cadenza.targets.target import Limits
from cadenza.types import Finished, Persona, Post, Scene, TextDelta
from tests.laws.material import CORPUS, messages, numbered_markdown, numbered_words, play
from tests.laws.nasty import DEGREES
from tests.rules_at_work import RENDERING

_HIDES = ("<think", "</think", ":think", "<details")


@pytest.mark.parametrize("degree", DEGREES)
@given(numbered_markdown(), st.sampled_from([1950, 400, 60]))
def test_every_word_arrives_once_and_in_order(degree: int | None, text: str, limit: int) -> None:
    arrived = "".join(messages(text, degree=degree, limit=limit))

    assert numbered_words(text) == numbered_words(arrived)


@pytest.mark.parametrize("degree", DEGREES)
@given(
    numbered_markdown(),
    st.fixed_dictionaries(
        {"message_limit": st.integers(1, 9), "limit": st.sampled_from([1950, 400, 60]), "code_file": st.integers(0, 3)}
    ),
    st.integers(1, 50),
)
def test_what_is_too_much_for_messages_arrives_in_files(
    degree: int | None, text: str, values: dict[str, int], size: int
) -> None:
    """However the text is sliced, what is shown in messages and files is all of it, and so is what the model sees."""
    slices = [text[start : start + size] for start in range(0, len(text), size)]

    posts = _with_files(slices, degree=degree, **values)

    shown = "".join(post.text + (post.attachment.data.decode() if post.attachment else "") for post in posts)
    assert len(posts) <= values["message_limit"]
    assert numbered_words(text) == numbered_words(shown)
    assert numbered_words(text) == numbered_words("".join(post.said for post in posts))
    assert posts == _with_files([text], degree=degree, **values)


def _with_files(slices: list[str], **values: object) -> list[Post]:
    settings = Settings.of(tables="source", **values)
    round_ = Round(text_row(Scene("", Persona("")), settings, Random(0), takes=Takes(Limits(files=True))))
    return [post for event in (*map(TextDelta, slices), Finished()) for post in round_.receive(event)]


@pytest.mark.parametrize("degree", [0, 1, 2, None])
@given(st.lists(st.integers(0, 9999), min_size=1, max_size=900))
def test_words_that_were_apart_stay_apart(degree: int | None, numbers: list[int]) -> None:
    words = [f"w{number}" for number in numbers]

    assert words == " ".join(messages(" ".join(words), degree=degree)).split()


@given(numbered_markdown(), st.integers(50, 300), st.integers(0, 300))
def test_small_buffers_lose_nothing_either(text: str, overflow: int, hold: int) -> None:
    arrived = "".join(messages(text, degree=1, overflow=overflow, code_overflow=200, hold=hold))

    assert numbered_words(text) == numbered_words(arrived)


@given(numbered_markdown(), st.sampled_from(["tool", "stop", "follow_up"]), st.sampled_from([0, 1, 3, None]))
def test_a_reply_that_is_broken_off_is_a_prefix_of_what_was_said(text: str, end: str, degree: int | None) -> None:
    arrived = numbered_words("".join(messages(text, degree=degree, end=end)))

    assert numbered_words(text).startswith(arrived)


@given(numbered_markdown())
def test_segments_are_the_text_itself(text: str) -> None:
    """Stage 5 only cuts: put together again its segments are the text, but for what it closes at the very end.

    A code block that opens at the very end and has nothing in it is left out.
    """
    together = "".join(segment["text"] for segment in play(text)["segments"])
    said = text.rstrip("` \n")

    assert together.startswith(said)
    assert set(together[len(said) :]) <= set(')]*_~|"」』”»）\n` ')


@pytest.mark.parametrize("degree", [0, 1, 2, None])
@pytest.mark.parametrize("name", [name for name, text in CORPUS.items() if not any(tag in text for tag in _HIDES)])
def test_a_real_reply_arrives_letter_by_letter(name: str, degree: int | None) -> None:
    text = CORPUS[name]

    arrived = messages(text, degree=degree, limit=2000, code_overflow=100_000, rules_off=RENDERING)

    assert _letters(text) == _letters("".join(_without_repeated_heads(arrived)))


def _without_repeated_heads(arrived: list[str]) -> Iterator[str]:
    """The messages, but for what every part of a cut code block or table repeats: its first line or two."""
    before = ""
    for message in arrived:
        lines = 1 if message.startswith("```") else 2 if message.startswith("| ") else 0
        head = message.split("\n")[:lines]
        repeats = lines and "\n".join(head) in before  # a heading may stand in front of the first part
        yield "\n".join(message.split("\n")[lines:]) if repeats else message
        before = message


def _letters(text: str) -> str:
    return "".join(character for character in text if character.isalnum())


def test_hidden_blocks_leave_the_words_around_them_in_order() -> None:
    result = play("Before <think>plan</think>after\nlast <details><summary>s</summary>kept</details>word", degree=1)

    assert ["Before after", "last word"] == [post["text"] for post in result["posts"]]
    assert (["plan"], ["kept"]) == (result["thoughts"], result["details"])
