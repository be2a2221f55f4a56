"""Files in a stream: what becomes of the text around them depends on the text alone, and every difference is explained."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import example, given, strategies as st

from cadenza import Attachment, MemoryTarget, Settings, say
from cadenza.facts import LoggedFact
from cadenza.targets.target import Limits
from tests.laws.material import nasty_markdown
from tests.laws.test_law8_explained import unexplained

FILE = Attachment("fox.png", b"fox")
SHAPES = ("reply", "blocks", "lines", "sentences")
Item = str | Attachment


def messages(
    items: Sequence[Item], shape: str, facts: list[LoggedFact] | None = None, *, takes_files: bool = True
) -> list[tuple[str, bool]]:
    """The messages of a stream of *items*, and whether each has a file."""
    target = MemoryTarget(limits=Limits(files=takes_files))
    settings = Settings.of(shape=shape, code_file=0, typing=False, tables="text", math="text")
    asyncio.run(say(target, list(items), settings=settings, trace=None if facts is None else facts.append))
    return [(post.text, post.attachment is not None) for post in target.posts]


def by_characters(items: Sequence[Item]) -> Iterator[Item]:
    for item in items:
        yield from item if isinstance(item, str) else (item,)


around = st.lists(nasty_markdown(12), min_size=1, max_size=4)


@given(around, st.sampled_from(SHAPES))
@example(["a\n```py\nx\n", "y\n```\nb"], "blocks")
@example(["<think>a", "b</think>c"], "lines")
@example(["| a | b |\n|---|---|\n", "| 1 | 2 |\n"], "blocks")
@example(["**a", "b**\n\nc"], "sentences")
def test_slices_and_traces_change_nothing(texts: list[str], shape: str) -> None:
    items = [item for text in texts for item in (text, FILE)]
    facts: list[LoggedFact] = []

    whole = messages(items, shape)

    assert whole == messages([*by_characters(items)], shape)
    assert whole == messages(items, shape, facts)
    assert len(texts) == sum(has_file for _, has_file in whole)
    assert [] == [*unexplained([logged.fact for logged in facts])]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_target_without_files_gets_as_many_messages(shape: str) -> None:
    items = ["One.\n\nTwo:", FILE, "- a\n- b", FILE]

    with_files = messages(items, shape)
    named = messages(items, shape, takes_files=False)

    assert [text or "📎 fox.png (3 B)" for text, _ in with_files] == [text for text, _ in named]
