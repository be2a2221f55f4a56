"""Law 8: every difference between what the model wrote and what people read has a fact that says why.

Each character of a message is the model's own, from a known place, or was put in for a named reason. Each character of the
model that is in no message is in a fact that names the rule or the reason. And each message knows what decided where it
starts and where it ends: a setting and its value, or the model.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import TypeVar

import pytest
from hypothesis import example, given, strategies as st

from answers import FAMILIES, answers
from cadenza.concurrency.stops import Stops
from cadenza.facts import (
    SETTINGS,
    ChunkHeard,
    Edge,
    Fact,
    LoggedFact,
    MessageEnd,
    MessageLeftOut,
    MessagePlanned,
    MessageSent,
    QueueCut,
    TextChanged,
    TextHidden,
)
from cadenza.replies.outbox.prepare import PostPreparer
from cadenza.replies.reply import say
from cadenza.settings import Settings
from cadenza.stages.s5_buffer import Buffer
from cadenza.stages.s7_delivery import Composer
from cadenza.targets.memory import MemoryTarget
from cadenza.targets.target import Allowance, Limits
from cadenza.text.intake import ODD
from cadenza.text.origins import Range, union, without
from cadenza.text.tables import Table
from cadenza.text.units import WHITESPACE
from cadenza.types import Aside, Halt, Identity, Persona, Post, Receipt, Roster, Scene, Segment, Sprite, StopReason
from tests.laws.material import CORPUS, nasty_markdown

F = TypeVar("F")
SCENE = Scene(
    "channel",
    Persona("Ren", aliases=("Renny",), sprites=(Sprite("mad"),)),
    roster=Roster(mentions={"mia": "<@1>"}, emoji={"wave": "<:wave:1>"}, speakers=("Mia",), recent_emoji=("tada",)),
)
SHAPES: dict[str, dict[str, object]] = {
    "reply": {"shape": "reply"},
    "blocks": {"shape": "blocks"},
    "lines": {"shape": "lines"},
    "sentences": {"shape": "sentences"},
    "casual": {"degree": 3},
    "short": {"shape": "reply", "limit": 200, "gather": 120},
    "file": {"shape": "lines", "message_limit": 3, "speaker_guard": True},
    "pictures": {"shape": "blocks"},
    "no pictures": {"shape": "lines"},
    "details": {"shape": "blocks", "details": "spoiler"},
    "code file": {"shape": "blocks", "code_file": 1, "limit": 200},
    "rate limit": {"shape": "lines"},
}
REWRITES = ("tables", "formulas", "details")
"""These write a whole block afresh, with line ends of their own."""
NO_REASON = ("", "composer")
"""What stands for an unknown reason."""
FILES = ("file", "pictures", "no pictures", "code file")
"""With these the chat takes files."""


class Painter:
    """Paints nothing in no time, or fails."""

    def __init__(self, *, fails: bool) -> None:
        self._fails = fails

    def paint(self, _: Table | str, /) -> bytes | None:
        return None if self._fails else b"png"


class Metered(MemoryTarget):
    """Takes one message at a time, and the next one a moment later, so that queued messages are merged."""

    left = 1

    def allowance(self, _: Identity | None, /) -> Allowance:
        return Allowance(self.left, 1, 0.001)

    async def send(self, post: Post, /) -> Receipt:
        self.left = 0
        asyncio.get_running_loop().call_later(0.001, setattr, self, "left", 1)
        return await super().send(post)


def facts_of(
    text: str, shape: str, *, seed: int = 0, stop_after: int | None = None, rules_off: Sequence[str] = ()
) -> list[Fact]:
    """The facts of a reply that says *text* in uneven pieces."""
    seen: list[LoggedFact] = []
    dice, stops = Random(seed), Stops()
    target = (Metered if shape == "rate limit" else MemoryTarget)(limits=Limits(files=shape in FILES))
    painter = Painter(fails=shape == "no pictures")
    preparer = PostPreparer(painter, formula_painter=painter)

    async def model() -> AsyncIterator[str]:
        rest, count = text, 0
        while rest:
            if count == stop_after:
                stops.request("turn", dice.choice([StopReason.USER, StopReason.FOLLOW_UP]))
            size, count = dice.randint(1, 40), count + 1
            yield rest[:size]
            rest = rest[size:]
            await asyncio.sleep(0)

    async def run() -> None:
        settings = Settings.of(**SHAPES[shape], typing_budget=0.0, rules_off=tuple(rules_off))
        with stops.open("turn") as stop:
            await say(target, model(), scene=SCENE, settings=settings, stop=stop, preparer=preparer, trace=seen.append)

    asyncio.run(run())
    return [logged.fact for logged in seen]


def of(kind: type[F], facts: Sequence[Fact]) -> list[F]:
    return [fact for fact in facts if isinstance(fact, kind)]


def heard(facts: Sequence[Fact]) -> str:
    return "".join(fact.text for fact in of(ChunkHeard, facts) if fact.kind == "text")


def unexplained(facts: Sequence[Fact]) -> Iterator[str]:
    """What breaks the law."""
    raw = heard(facts)
    for sent in of(MessageSent, facts):
        yield from _unexplained_in(sent, raw)
    gone = without([(0, len(raw))], _accounted_for(facts))
    yield from (f"no fact says why {raw[start:end]!r} at {start} is not shown" for start, end in gone)
    yield from _lost_without_a_reason(facts)
    yield from _lost_line_ends(facts, raw)
    yield from _unexplained_edges(of(MessagePlanned, facts))


def _unexplained_in(sent: MessageSent, raw: str) -> Iterator[str]:
    place = 0
    for size, start, why in sent.origin:
        shown = sent.text[place : place + size]
        if start < 0 and why in NO_REASON:
            yield f"no fact says why {shown!r} is in {sent.text!r}"
        elif start >= 0 and raw[start : start + size] != shown:
            yield f"{shown!r} in {sent.text!r} is not what stands at {start}"
        place += size
    if place != len(sent.text):
        yield f"only {place} characters of {sent.text!r} have an origin"


def _accounted_for(facts: Sequence[Fact]) -> list[Range]:
    """The model's text that is shown, or that a fact says is not."""
    planned = {fact.number: fact for fact in of(MessagePlanned, facts)}
    places: list[Range] = []
    for fact in facts:
        match fact:
            case MessageSent():
                places += ((start, start + size) for size, start, _ in fact.origin if start >= 0)
                places += fact.covers if fact.attachment else ()
            case TextHidden(ranges=ranges) | TextChanged(by=str(), ranges=ranges):
                places += ranges
            case MessageLeftOut(posts=numbers) | QueueCut(dropped=numbers):
                places += (place for number in numbers for place in planned[number].covers)
            case _:
                pass
    return union(sorted(places))


def _lost_without_a_reason(facts: Sequence[Fact]) -> Iterator[str]:
    """What a stage dropped for a reason that does not explain such a text."""
    planned = " ".join(message.text for message in of(MessagePlanned, facts)).lower()
    for fact in of(TextChanged, facts):
        if fact.effect == "dropped" and fact.stage in ("buffer", "composer"):
            lost = [text for text in fact.before if text.strip(WHITESPACE) and not _may_drop(fact.by, text)]
            if fact.by == "casual":  # a word that was part of another word may be told so
                lost = [text for text in lost if text.strip(WHITESPACE).lower() not in planned]
            yield from (f"{fact.by} does not explain why {text!r} is gone" for text in lost)


def _may_drop(by: str, text: str) -> bool:
    """Whether a step can have dropped *text*, which is not white space."""
    match by:
        case "composer" | "completed" | "needs_tools" | "joint" | "spacing":
            return False
        case "split" | "casual":
            return not any(map(str.isalnum, text))  # a full stop, a comma, a mark
        case "intake":
            return ODD.issuperset(text)
        case "empty_code":
            return not any(map(str.isalnum, text.partition("\n")[2]))
        case _:
            return True


def _lost_line_ends(facts: Sequence[Fact], raw: str) -> Iterator[str]:
    """The line ends that were put in where the model's own stood, if nothing else took that out.

    The composer takes out only the white space that is not needed; where it puts a line end in, that of the model is.
    """
    shown = [(start, start + size) for sent in of(MessageSent, facts) for size, start, _ in sent.origin if start >= 0]
    changed = of(TextChanged, facts)
    empty = [one for fact in changed if fact.by == "empty_code" for one in fact.ranges]
    for sent in of(MessageSent, facts):
        place = 0
        for number, (size, start, why) in enumerate(sent.origin):
            put_in, place = sent.text[place : place + size], place + size
            if start >= 0 or "\n" not in put_in or why in REWRITES:
                continue
            before = max((start + size for size, start, _ in sent.origin[:number] if start >= 0), default=len(raw))
            after = min((start for _, start, _ in sent.origin[number + 1 :] if start >= 0), default=0)
            hidden = (one for fact in of(TextHidden, facts) for one in fact.ranges)
            if any(before <= start < after for start, _ in empty):
                continue  # a line end next to code that is not shown
            others = (one for fact in changed if fact.by != why and fact.stage != "composer" for one in fact.ranges)
            left = without([(before, after)], union(sorted([*shown, *hidden, *others]))) if before < after else []
            yield from (
                f"{why} put {put_in!r} into {sent.text!r} instead of what the model wrote at {start}"
                for start, end in left
                if "\n" in raw[start:end]
            )


def _unexplained_edges(planned: Sequence[MessagePlanned]) -> Iterator[str]:
    last = Edge("reply")
    for message in planned:
        if message.starts != last:
            yield f"{message.text!r} starts with {message.starts}, but the one before it ends with {last}"
        last = message.ends
        decided = SETTINGS.get(MessageEnd(last.reason))
        if decided is not None and (not last.setting or last.value is None):
            yield f"no setting decides that {message.text!r} ends with {last}"


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", CORPUS)
def test_every_difference_in_the_corpus_is_explained(name: str, shape: str) -> None:
    facts = facts_of(CORPUS[name], shape, seed=len(name))

    assert [] == [*unexplained(facts)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("family", FAMILIES)
def test_every_difference_in_an_answer_is_explained(family: str, shape: str) -> None:
    for seed, text in enumerate(answers(family, 8, seed=8)):
        facts = facts_of(text, shape, seed=seed, stop_after=5 * seed if seed % 2 else None)

        assert [] == [*unexplained(facts)], text


@given(nasty_markdown(), st.sampled_from([*SHAPES]), st.integers(0, 9), st.none() | st.integers(0, 12))
@example("One.\n\nTwo.\n\nThree:\n\n$$a\n= b$$\n\n- a\n- b\n\nThe end. And so on and so on and so on", "file", 0, 2)
@example("\n!!\n.\n", "reply", 0, None)
@example("\\( \\frac{a}{b} \\)" + 420 * "a", "short", 0, None)
@example("</think>```\x1b[31m\n</think>\n", "reply", 0, None)
def test_every_difference_is_explained(text: str, shape: str, seed: int, stop_after: int | None) -> None:
    facts = facts_of(text, shape, seed=seed, stop_after=stop_after)

    assert [] == [*unexplained(facts)]


# --- what the law notices ---------------------------------------------------------------

_LINES = "First one is here.\nSecond one is here.\nThird one is here.\n"


def test_the_law_notices_what_the_buffer_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    original = Buffer.feed

    def feed(self: Buffer, text: str, /) -> Sequence[Segment | Aside | Halt]:
        made = original(self, text)
        return [item for item in made if not (isinstance(item, Segment) and "Second" in item.text)] if made else made

    monkeypatch.setattr(Buffer, "feed", feed)

    assert [*unexplained(facts_of(_LINES, "lines"))]


@pytest.mark.parametrize(
    "told",
    [
        pytest.param(lambda _: None, id="lost"),
        pytest.param(lambda text: text.replace("one", "two"), id="rewritten"),
        pytest.param(lambda _: "lorem ipsum", id="replaced"),
        pytest.param(lambda text: text + " And more.", id="added"),
    ],
)
def test_the_law_notices_what_the_composer_makes_up(
    monkeypatch: pytest.MonkeyPatch, told: Callable[[str], str | None]
) -> None:
    original = Composer.feed

    def feed(self: Composer, segment: Segment, /) -> Sequence[Post | Halt]:
        text = told(segment.text) if segment.text.startswith("Second") else segment.text
        return () if text is None else original(self, replace(segment, text=text))

    monkeypatch.setattr(Composer, "feed", feed)

    assert [*unexplained(facts_of(_LINES, "lines"))]
