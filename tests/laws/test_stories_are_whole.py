"""Every word of the model is in exactly one story or fate: nothing is lost, and nothing is counted twice.

Where the text was not changed, it is known exactly which words are in which message.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Sequence
from random import Random

import pytest
from hypothesis import example, given, strategies as st

from cadenza.concurrency.stops import Stops
from cadenza.explain.recorder import Trace
from cadenza.explain.story import MessageStory, Stories
from cadenza.facts import ChunkHeard, LoggedFact
from cadenza.replies.pipeline import text_row
from cadenza.replies.reply import say
from cadenza.settings import Settings
from cadenza.targets.memory import MemoryTarget
from cadenza.text.units import WHITESPACE
from cadenza.types import Ending, Persona, Roster, Scene, StopReason, TextDelta
from tests.laws.material import CORPUS

SCENE = Scene(
    "channel",
    Persona("Ren"),
    roster=Roster(mentions={"mia": "<@1>"}, emoji={"wave": "<:wave:1>"}, speakers=("Mia",)),
)
PARTS = [
    "Hello there. ", "I am **bold** and *so*. ", "\n", "\n\n", "\r\n", "<think>why (not</think>", "<think></think>", "</think>",
    "<details><summary>s</summary>secret</details>", "<details>open ", "```py\nx = 1\nprint(x)\n```\n", "~~~\nfoo\n~~~\n",
    "```\n" + "line of code\n" * 40 + "```\n", "| a | b |\n|---|---|\n| 1 | 2 |\n", "|x|y|\n|-|-|\n" + "|1|2|\n" * 30,
    "(open ", '"quote ', "**un ", "`code` ", "- item one\n- item two\n", "> quoted text\n", "-# \n", "@mia ", "Ren: ", "Mia: ",
    ":wave: ", "🎉🎉 ", "\ud83c", "\x00", "x" * 300 + " ", "日本語です。元気？", "https://example.com/a?b=c ", "||spoiler|| ", "word " * 60,
]  # fmt: skip
MARKDOWN = st.lists(st.sampled_from(PARTS), min_size=1, max_size=12).map("".join)
SETTINGS = st.fixed_dictionaries(
    {"degree": st.integers(0, 3), "speaker_guard": st.booleans(), "tables": st.sampled_from(["text", "source"])},
    optional={
        "limit": st.sampled_from([60, 200]),
        "message_limit": st.integers(1, 3),
        "overflow": st.sampled_from([200, 500]),
        "overlap": st.booleans(),
    },
)


def heard(traced: Sequence[LoggedFact]) -> bytes:
    """What the model said, in UTF-16."""
    text = "".join(one.fact.text for one in traced if isinstance(one.fact, ChunkHeard) and one.fact.kind == "text")
    return text.encode("utf-16-le", "surrogatepass")


def told(traced: Sequence[LoggedFact]) -> list[tuple[MessageStory, list[list[int]]]]:
    """All that is told of *traced*, and which of the model's text that is."""
    stories = Stories()
    found = [one for fact in traced for one in stories.feed(fact)]
    return [(one, (one.about["story"] if one.kind == "story" else one.about)["raw"]) for one in found]  # type: ignore[index]  # as is documented


def is_whole(traced: Sequence[LoggedFact]) -> None:
    """The law."""
    raw = heard(traced)
    times = [0] * (len(raw) // 2)
    for _, ranges in told(traced):
        flat = [place for begin, end in ranges for place in (begin, end)]
        assert sorted(set(flat)) == flat
        for begin, end in ranges:
            times[begin:end] = [count + 1 for count in times[begin:end]]
    white = {place for place in range(len(times)) if raw[2 * place : 2 * place + 2].decode("utf-16-le", "replace") in WHITESPACE}  # fmt: skip
    assert {1} >= {count for place, count in enumerate(times) if place not in white}
    assert {0, 1} >= set(times)


def traced_reply(text: str, seed: int, stop_after: int | None, values: dict[str, object]) -> list[LoggedFact]:
    """The trace of a reply that says *text* in uneven pieces, and may be stopped after so many of them."""
    seen: list[LoggedFact] = []
    dice, stops = Random(seed), Stops()

    async def model() -> AsyncIterator[str]:
        rest, count = text, 0
        while rest:
            if count == stop_after:
                stops.request("turn", dice.choice([StopReason.USER, StopReason.FOLLOW_UP]))
            size, count = dice.randint(1, 9), count + 1
            yield rest[:size]
            rest = rest[size:]
            await asyncio.sleep(0)

    async def run() -> None:
        settings = Settings.of(**values, typing_budget=0.0)
        with stops.open("turn") as stop:
            await say(MemoryTarget(), model(), scene=SCENE, settings=settings, stop=stop, trace=seen.append)

    asyncio.run(run())
    return seen


@given(MARKDOWN, st.integers(0, 9), st.none() | st.integers(0, 60), SETTINGS)
@example("Hello <think>a</think> you (all\nof", 0, 5, {"degree": 1})
def test_every_word_is_in_one_story_or_fate(
    text: str, seed: int, stop_after: int | None, values: dict[str, object]
) -> None:
    is_whole(traced_reply(text, seed, stop_after, values))


@pytest.mark.parametrize("name", CORPUS)
def test_every_word_of_the_corpus_is_in_one_story_or_fate(name: str) -> None:
    is_whole(traced_reply(CORPUS[name], len(name), None, {"degree": len(name) % 4}))


WORDS = st.lists(st.sampled_from(["hello", "you", "the", "sea", "so", "元気", "🎉", "far,"]), min_size=1, max_size=9)
PROSE = st.lists(WORDS.map(lambda words: " ".join(words) + "."), min_size=1, max_size=12).map("\n".join)


@given(PROSE, st.integers(0, 9), st.integers(0, 2))
def test_prose_is_where_it_was(text: str, seed: int, degree: int) -> None:
    traced = traced_reply(text, seed, None, {"degree": degree})
    raw = heard(traced)

    for one, ranges in told(traced):
        assert "story" == one.kind
        words = "".join(raw[2 * begin : 2 * end].decode("utf-16-le") for begin, end in ranges)
        assert "".join(str(one.about["story"]["text"]).split()) == "".join(words.split())  # type: ignore[index]  # as is documented


def test_a_long_reply_is_told_in_time() -> None:
    """A quarter of what a megabyte would be; what is quadratic would not end."""
    text = "Hello there, a (plain) sentence. And **another** one.\n<think>hm, so</think>" * 3200
    seen: list[LoggedFact] = []
    trace = Trace(seen.append, clock=lambda: 0.0)
    row = text_row(SCENE, Settings.of(degree=1, flood_limit=100_000), Random(0), trace=trace)
    for piece in re.findall(r"[\s\S]{1,4}", text):
        trace.heard(TextDelta(piece))
        row.feed(piece)
    row.flush(Ending.FINAL)
    begun = time.process_time()
    stories = Stories()
    fates = [one for fact in seen for one in stories.feed(fact)]

    assert 3200 == len(fates)
    assert time.process_time() - begun < 20.0
