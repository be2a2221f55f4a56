"""Emphasis that is longer than a message: every segment says which marks are open where it begins and ends."""

from __future__ import annotations

import re
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, strategies as st

from cadenza.settings import BufferSettings
from cadenza.stages.s5_buffer import Buffer
from cadenza.text.repair import enclose
from cadenza.text.spans import SpanKind, survey
from cadenza.types import Ending, Kind, Segment
from tests.laws.material import CORPUS, nasty_markdown

_SETTINGS = BufferSettings(overflow=300, hold=2000, code_overflow=200)
_SHORT = ["word", "one two three", "It ends. It begins", "a line\nand another", "日本語。そう"]
_SHAPES = ("lines", "sentences")
_MARKS = ("**", "*", "_", "__", "~~", "||")
_BLOCK = "\n```py\nx = 1\n```\n"


def _segments(text: str, settings: BufferSettings, shape: str, *, seed: int | None = None) -> list[Segment]:
    """The segments of *text*, which comes in one piece or, with a *seed*, in small ones."""
    buffer, dice, items = Buffer(settings, sentences=shape == "sentences"), Random(seed), []
    while text:
        size = dice.randint(1, 9) if seed is not None else len(text)
        items += buffer.feed(text[:size])
        text = text[size:]
    items += buffer.flush(Ending.FINAL)
    return [item for item in items if isinstance(item, Segment)]


@st.composite
def _emphasised(draw: st.DrawFn, marks: tuple[str, ...] = _MARKS) -> str:
    """Words in emphasis that closes within the reach of its kind; what is nested has other marks."""
    mark = draw(st.sampled_from(marks))
    content = draw(st.lists(st.sampled_from(_SHORT), min_size=1, max_size=2))
    if len(mark) > 1:
        content += draw(st.sampled_from([[], [_BLOCK, "then"], ["and\n\nmore"]]))
    if mark == "||" and len(marks) == len(_MARKS):
        content += draw(st.sampled_from([[], ["many lines\n" * 150 + "end"], ["many words " * 150 + "end"]]))
    others = tuple(other for other in marks if other[0] != mark[0])
    if others and draw(st.booleans()):
        content += ["so", draw(_emphasised(others)), "on"]
    return f"{mark}{' '.join(content)}{mark}"


@st.composite
def _balanced(draw: st.DrawFn) -> str:
    """Prose in which every mark closes."""
    plain = st.sampled_from(["plain words", "a sentence. And more", "end.\n", "para\n\n", "- item", f"code:{_BLOCK}so"])
    long = st.sampled_from(["**", "*", "_", "~~"]).map(lambda mark: mark + "on one line " * 200 + "end" + mark)
    return " ".join(draw(st.lists(st.one_of(plain, _emphasised(), long), min_size=1, max_size=6)))


def _marks_left(text: str) -> str:
    """The marks of *text* that neither open nor close anything."""
    found = [span for span in survey(text).spans if span.kind is SpanKind.EMPHASIS]
    marks = {place for span in found for place in range(span.start, span.start + len(span.marker))}
    marks |= {place for span in found for place in range(span.end - len(span.marker), span.end)}
    left = "".join(" " if place in marks else character for place, character in enumerate(text))
    return re.sub(r"[^*_~|]", "", left)


@given(_balanced(), st.sampled_from(_SHAPES), st.integers(0, 2**32))
def test_segments_put_together_are_the_text_and_each_stands_alone(text: str, shape: str, seed: int) -> None:
    segments = _segments(text, _SETTINGS, shape)

    assert text == "".join(segment.text for segment in segments)
    assert segments == _segments(text, _SETTINGS, shape, seed=seed)
    assert ["", *(segment.ends_in for segment in segments)] == [*(segment.opens_in for segment in segments), ""]
    for segment in segments:
        if segment.kind is Kind.PROSE:
            assert not _marks_left(enclose(segment.text, segment.opens_in, segment.ends_in))
        else:
            assert segment.opens_in == segment.ends_in


@given(
    nasty_markdown(),
    st.sampled_from(_SHAPES),
    st.builds(
        BufferSettings, overflow=st.integers(50, 1000), hold=st.integers(0, 2000), code_overflow=st.integers(200, 2000)
    ),
    st.integers(0, 2**32),
)
def test_slices_do_not_change_what_is_open(text: str, shape: str, settings: BufferSettings, seed: int) -> None:
    segments = _segments(text, settings, shape)

    assert segments == _segments(text, settings, shape, seed=seed)
    for before, after in pairwise(segments):
        # Emphasis whose line did not close it ends with that line; nothing else does.
        assert after.opens_in.count("|") == before.ends_in.count("|")
        assert not after.opens_in.strip("".join(before.ends_in))


@pytest.mark.parametrize("name", CORPUS)
def test_a_real_reply_leaves_no_mark_open(name: str) -> None:
    segments = _segments(CORPUS[name], BufferSettings(), "lines")

    assert not any(segment.opens_in or segment.ends_in for segment in segments if segment.kind is Kind.PROSE)
