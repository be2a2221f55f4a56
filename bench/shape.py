"""How replies look in each shape: part of ``make bench``.

Answers as models write them (``answers.py``) become messages in each shape, and in the manner of the reference. What is
counted is how many messages there are, which of them are fragments, and what looks otherwise than the model wrote it.

Then some of them are said at a steady pace to a chat that takes five messages in five seconds, in virtual time: what
waits there is put together, and is counted again.

    python bench/shape.py [--no-save]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from random import Random
from statistics import median
from typing import TypeVar

import looptime

from answers import FAMILIES, answers
from cadenza.replies.pipeline import text_row
from cadenza.replies.reply import say
from cadenza.settings import Settings
from cadenza.types import Completed, Ending, Persona, Post, Scene
from fragments import SORTS, fragment
from looks import Look, compare
from plot import bars
from report import RESULTS, ROOT, Goal, with_table
from wait import OpenChat, Voice

Number = TypeVar("Number", int, float)

PAGE = ROOT / "docs" / "shapes.md"
SHAPES: Mapping[str, Settings] = {
    "reply": Settings.of(shape="reply"),
    "blocks": Settings.of(shape="blocks"),
    "lines": Settings.of(shape="lines"),
    "sentences": Settings.of(shape="sentences"),
    "reference": Settings.reference(degree=1),
}
"""The settings of each shape; ``reference`` makes a message of every line."""
ANSWERS, PACED = 300, 40
"""How many answers of each family are planned, and how many of them are said to a chat."""
SPEED = 50
"""Tokens a second."""
MEDIAN, NINETIETH, FRAGMENTS, LINES, LAST, CHATTY_LAST = 4, 8, 2.0, 10.0, 3.0, 2.0
"""Goals for an assistant: messages a reply and percent of fragments in blocks, in lines; seconds to the end."""


@dataclass(frozen=True, slots=True)
class Row:
    """All answers of a family in one shape."""

    family: str
    shape: str
    messages: float
    messages_p90: int
    """Messages a reply, as they are planned."""
    characters: float
    """Characters a message, the median."""
    fragments: Mapping[str, float]
    """How many messages of 100 are fragments, by sort."""
    nested: int
    flat: int
    put_in: int
    half: int
    torn: int
    """See ``looks.Look``."""
    shown: float
    """Messages a reply as a chat shows them that takes only so many: the median."""
    numbers: int
    lost: int
    """Wrong numbers and lost empty lines there."""
    last: float
    last_p90: float
    """Seconds from the last token to the last character."""

    @property
    def fragmented(self) -> float:
        """How many messages of 100 are fragments."""
        return round(sum(self.fragments.values()), 1)


@dataclass(frozen=True, slots=True)
class Found:
    """A whole run."""

    python: str
    rows: tuple[Row, ...]


# --- measuring -----------------------------------------------------------------------------


def planned(text: str, settings: Settings) -> list[str]:
    """The messages of an answer."""
    row = text_row(Scene("shape", Persona("")), settings, Random(0))
    return [post.text for post in (*row.feed(text), *row.flush(Ending.FINAL)) if isinstance(post, Post)]


async def _said(text: str, settings: Settings) -> tuple[OpenChat, float]:
    chat, voice = OpenChat(), Voice(text, SPEED)
    left = await say(chat, voice, settings=settings)
    assert isinstance(left.outcome, Completed), left.outcome
    return chat, chat.shown[-1] - voice.heard[-1]


def said(text: str, settings: Settings) -> tuple[list[str], float]:
    """The messages as a chat shows them, and the seconds from the last token to the last character."""
    with asyncio.Runner(loop_factory=lambda: looptime.new_event_loop(start=0.0, noop_cycles=0)) as runner:
        chat, last = runner.run(_said(text, settings))
    return chat.texts, last


def measure_one(family: str, shape: str, *, count: int = ANSWERS, paced: int = PACED) -> Row:
    """Measure the answers of one *family* in one *shape*."""
    settings, texts = SHAPES[shape], answers(family, count)
    replies = [planned(text, settings) for text in texts]
    look = Look()
    for text, messages in zip(texts, replies, strict=True):
        look.add(compare(text, messages))
    shown, times, paced_look = list[int](), list[float](), Look()
    for text in texts[:paced]:
        messages, last = said(text, settings)
        shown.append(len(messages))
        times.append(last)
        paced_look.add(compare(text, messages))
    return Row(
        family=family,
        shape=shape,
        messages=median(map(len, replies)),
        messages_p90=_ninetieth([len(messages) for messages in replies]),
        characters=median(len(message) for messages in replies for message in messages),
        fragments=_fragments(replies),
        nested=look.nested,
        flat=look.flat,
        put_in=look.put_in,
        half=look.half,
        torn=look.torn,
        shown=median(shown),
        numbers=paced_look.numbers,
        lost=paced_look.lost,
        last=round(median(times), 2),
        last_p90=round(_ninetieth(times), 2),
    )


def _ninetieth(values: Sequence[Number]) -> Number:
    return sorted(values)[len(values) * 9 // 10]


def _fragments(replies: Sequence[Sequence[str]]) -> dict[str, float]:
    """How many messages of 100 are fragments, by sort; a message that is the whole reply is none."""
    sorts = Counter(fragment(message) for messages in replies if len(messages) > 1 for message in messages)
    total = sum(map(len, replies))
    return {sort: round(100 * sorts[sort] / total, 1) for sort in SORTS}


def measure() -> Found:
    """Measure everything."""
    rows = (measure_one(family, shape) for family, shape in product(FAMILIES, SHAPES))
    return Found(platform.python_version(), tuple(rows))


# --- showing -------------------------------------------------------------------------------


def goals(found: Found) -> list[Goal]:
    """How a run stands to what is wanted of it."""
    rows = {(row.family, row.shape): row for row in found.rows}
    blocks, lines, reply = (rows["assistant", shape] for shape in ("blocks", "lines", "reply"))
    own = [row for row in found.rows if row.shape != "reference"]
    return [
        Goal("assistant, blocks: messages a reply, median", blocks.messages, MEDIAN),
        Goal("assistant, blocks: messages a reply, 90th percentile", blocks.messages_p90, NINETIETH),
        Goal("assistant, blocks: % of fragments", blocks.fragmented, FRAGMENTS),
        Goal("assistant, lines: % of fragments", lines.fragmented, LINES),
        Goal("assistant, blocks: s to the end, 90th percentile", blocks.last_p90, LAST),
        Goal("chatty, blocks: s to the end, 90th percentile", rows["chatty", "blocks"].last_p90, CHATTY_LAST),
        Goal("assistant, reply: empty lines put in", reply.put_in, 0),
        Goal("all shapes: flat items", sum(row.flat for row in own), 0),
        Goal("all shapes: half indented code", sum(row.half for row in own), 0),
        Goal("all shapes: torn formulas", sum(row.torn for row in own), 0),
        Goal("all shapes, paced: wrong numbers", sum(row.numbers for row in own), 0),
        Goal("all shapes, paced: lost empty lines", sum(row.lost for row in own), 0),
    ]


_HEAD = ["answers", "shape", "messages", "90th", "chars", *SORTS, "all", "flat", "put in", "half code", "torn"]
_PACED_HEAD = ["answers", "shape", "messages", "wrong numbers", "lost lines", "end, s", "90th, s"]


def _cells(row: Row) -> list[str]:
    shares = [f"{row.fragments[sort]:.1f}" for sort in SORTS]
    counts = [f"{row.flat} of {row.nested}", str(row.put_in), str(row.half), str(row.torn)]
    size = [f"{row.messages:g}", str(row.messages_p90), f"{row.characters:g}"]
    return [row.family, row.shape, *size, *shares, f"{row.fragmented:.1f}", *counts]


def _paced_cells(row: Row) -> list[str]:
    times = [f"{row.last:.2f}", f"{row.last_p90:.2f}"]
    return [row.family, row.shape, f"{row.shown:g}", str(row.numbers), str(row.lost), *times]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|---|---|{'--:|' * (len(head) - 2)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def screen(found: Found) -> Iterator[str]:
    """The lines for a terminal."""
    for head, cells in ((_HEAD, _cells), (_PACED_HEAD, _paced_cells)):
        rows = [head, *(cells(row) for row in found.rows)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            yield "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        yield ""
    yield from map(str, goals(found))


def markdown(found: Found) -> str:
    """The tables for the page."""
    lines = [
        *_table(_HEAD, [_cells(row) for row in found.rows]),
        "",
        f"The first {PACED} of each, said at {SPEED} tokens/s to a chat that takes five messages in five seconds:",
        "",
        *_table(_PACED_HEAD, [_paced_cells(row) for row in found.rows]),
        "",
        "| goal | found | at most |",
        "|---|--:|--:|",
        *(f"| {goal.name} | {goal.value:g} | {goal.limit:g} |" for goal in goals(found)),
    ]
    return "\n".join(lines) + "\n"


def picture(found: Found) -> str:
    """The plot, as SVG."""
    rows = {row.shape: row for row in found.rows if row.family == "assistant"}
    values = {
        f"{shape}, {name}": float(value)
        for shape, row in rows.items()
        for name, value in (("median", row.messages), ("90th percentile", row.messages_p90))
    }
    title = "Messages that an assistant's answer becomes"
    return bars(title, values, goal=MEDIAN, goal_name="goal for blocks, median")


def load(text: str) -> Found:
    """What ``save`` wrote."""
    fields = json.loads(text)
    return Found(fields["python"], tuple(Row(**row) for row in fields["rows"]))


def save(found: Found) -> None:
    """Write figures, plot and page."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "shape.json").write_text(json.dumps(asdict(found), indent=2) + "\n", encoding="utf-8")
    (RESULTS / "shape.svg").write_text(picture(found), encoding="utf-8")
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), markdown(found)), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, show, and write down."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--no-save", action="store_true", help="write no files")
    options = parser.parse_args(arguments)
    found = measure()
    print("\n".join(screen(found)))
    if not options.no_save:
        save(found)


if __name__ == "__main__":
    main()
