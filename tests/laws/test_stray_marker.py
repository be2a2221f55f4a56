"""A stray marker never stops the talk: a mark that does not close holds nobody up for long.

Counted in characters, whatever the token size: nothing here depends on time.
"""

from __future__ import annotations

from itertools import cycle, product
from random import Random

import pytest

from cadenza.replies.pipeline import text_row
from cadenza.settings import Settings
from cadenza.stages.s5_buffer import Buffer
from cadenza.types import Persona, Post, Scene, Segment
from tests.laws.nasty import plain

_LENGTH = 4000
_STRAY = [
    *("so sad :( today", 'a 27" screen', "I <3 it", "one ( bracket", "one [ bracket", "one { brace", 'a "quote', "a “quote"),
    *("a 「quote", "a （bracket", "a *star", "two **stars", "an _underscore", "two ~~waves", "two ||bars", "a `tick", "a `` pair"),
    *("(glued", "[glued", '"glued', "**glued", "x (y [z **w ||v", "a <b", "</", "<thi", "https://", "a | b", "『《〈«‹｢", "{"),
    *("a <think> tag", "the <details> element", "**a <details open> b", "- <details>", "`<think>`", "`a <thought> b"),
    *("a \\( mark", "a \\[ mark", "\\[\nx = 1", "a $x mark", "two $$ marks", "$$\nx = 1", "$5 and $10", "\\[ x \\( y $z"),
    "| a | b |\n|---|---|\n| x | y |\n```py\nx = (1\n```",
]  # fmt: skip
_ENGLISH = [
    "This is an ordinary line about nothing at all, of the usual length",
    "and then there is another one that is shorter than that",
    "People write like this. They hardly ever stop to think about it",
    "It goes on for a while, as it does, and then it goes on",
]
_JAPANESE = ["今日はとてもいい天気ですね。散歩に行きましょう。", "それから、お茶を飲みながらゆっくり話をしました。"]


def _reply(stray: str, lines: list[str], between: str, mark: str = "") -> str:
    text, line = stray + between, cycle(lines)
    while len(text) < _LENGTH:
        text += mark + next(line) + between
    return text.rstrip("\n")


_SHAPES = {
    "paragraphs": (_ENGLISH, "\n\n", ""),
    "lines": (_ENGLISH, "\n", ""),
    "bullets": (_ENGLISH, "\n", "- "),
    "numbers": (_ENGLISH, "\n", "1. "),
    "japanese": (_JAPANESE, "\n", ""),
}


def _tokens(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


def _said(reply: str, size: int, settings: Settings) -> tuple[str, int]:
    """What is in messages before the last token of *reply*, and after how many characters the first message came."""
    row = text_row(Scene("", Persona("")), settings.with_values({"flood_limit": 1_000_000}), Random(0))
    said, first = "", len(reply)
    *tokens, _last = _tokens(reply, size)
    for number, token in enumerate(tokens, start=1):
        for post in row.feed(token):
            assert isinstance(post, Post)
            said += post.text
            first = min(first, number * size)
    return said, first


@pytest.mark.parametrize("shape", _SHAPES)
@pytest.mark.parametrize("stray", _STRAY)
def test_nearly_all_is_said_before_the_last_token(stray: str, shape: str) -> None:
    """At least 98 % of a long reply is in messages before its last token, and the first comes within 2000 characters."""
    reply = _reply(stray, *_SHAPES[shape])
    for degree, size in product((1, 2, 3), (4, 16)):
        said, first = _said(reply, size, Settings.reference(degree=degree))

        assert len(plain(said)) >= 0.98 * len(plain(reply))
        assert first <= 2000


@pytest.mark.parametrize("shape", _SHAPES)
@pytest.mark.parametrize("stray", _STRAY)
def test_where_lists_stay_whole_at_most_one_message_waits(stray: str, shape: str) -> None:
    """A list, a verse or neighbouring blocks wait for their end, but never for more than a message holds."""
    reply = _reply(stray, *_SHAPES[shape])
    for degree, size in product((None, 1, 3), (4, 16)):
        said, first = _said(reply, size, Settings.of(degree=degree))

        assert len(plain(reply)) - len(plain(said)) <= 1950
        assert first <= 2100  # a message is full when the line has come that does not fit any more


@pytest.mark.parametrize("shape", _SHAPES)
@pytest.mark.parametrize("stray", _STRAY)
def test_nearly_all_leaves_the_buffer_before_the_last_token(stray: str, shape: str) -> None:
    """The same of the raw characters that the buffer lets go."""
    reply = _reply(stray, *_SHAPES[shape])
    for sentences, size in product((False, True), (4, 16)):
        buffer = Buffer(sentences=sentences)
        *tokens, _last = _tokens(reply, size)
        left = sum(len(item.text) for token in tokens for item in buffer.feed(token) if isinstance(item, Segment))

        assert 0.98 * len(reply) <= left <= len(reply)


@pytest.mark.parametrize("stray", _STRAY)
def test_it_is_decided_by_the_text_alone(stray: str) -> None:
    """After 1000 characters the same has left, whether they came in one piece, in fours or one by one."""
    reply = _reply(stray, *_SHAPES["lines"])[:1000]

    outcomes = []
    for size in (1, 4, 16, 1000):
        buffer = Buffer()
        outcomes.append([item for token in _tokens(reply, size) for item in buffer.feed(token)])

    assert all(outcome == outcomes[0] for outcome in outcomes)
