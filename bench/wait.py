"""How long a reader waits for what the model has said: part of ``make bench``.

A model speaks at a steady pace into a chat that takes five messages in five seconds, as Discord does, and refuses what
comes too early (a 429). All of it happens in virtual time, so a run takes a moment and finds the same on every machine.

A character is waited for from the moment at which its token was heard to the moment at which its message had arrived.
Every reply is delivered twice: to a chat that says how many messages it takes, so that the outbox can put together what
would have to wait, and to one that does not.

Then two hundred channels of one simulated Discord are spoken to at once, which together take fifty requests a second.

    python bench/wait.py [--no-save]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
from bisect import bisect_left
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from random import Random
from statistics import mean, median

import looptime

from cadenza.replies.reply import say
from cadenza.settings import Settings
from cadenza.targets.target import Allowance, Limits
from cadenza.types import Chunk, Completed, Finished, Identity, Post, Receipt, TextDelta
from channels import deliver
from plot import Curve, curves
from report import RESULTS, ROOT, Goal, with_table

PAGE = ROOT / "docs" / "readers-wait.md"
SIZES, SPEEDS, DEGREES = (1500, 8000), (50, 150), (0, 1, 2, 3)
TOKEN = 4
"""Characters of a token."""
SEED = 7
MESSAGES, SECONDS = 5, 5.0
"""How many messages the chat takes in how many seconds."""
LATENCY = 0.08
"""Seconds from the start of a send to its arrival."""
SHOWN = (8000, 150, 1)
"""Size, speed and degree of the reply that is plotted, and for which there are goals."""
LAST, MEAN = 2.5, 2.0
"""Goals, in seconds: from the last token to the last character, and the mean wait for one."""

CHANNELS, CROWD_SIZE, CROWD_SPEED = 200, 1500, 50
"""How many are spoken to at once, and what each is told."""
SPREAD = 2.0
"""Goal: how much longer than in the median channel people may wait in the worst."""

_STORY = (
    "the rain had stopped before anyone in the harbour noticed and a slow light came over roofs boats nets while people "
    "opened their doors looked at each other laughed a little and went back to whatever they had been doing"
)


@dataclass(frozen=True, slots=True)
class Row:
    """One reply; times are in seconds."""

    size: int
    speed: int
    """Tokens a second."""
    degree: int
    is_paced: bool
    """Whether the chat says how many messages it takes."""
    messages: int
    refused: int
    """How many sends came too early."""
    first: float
    """From the first token to the first message."""
    mean: float
    p95: float
    """How long a character is waited for."""
    last: float
    """From the last token to the last character."""


@dataclass(frozen=True, slots=True)
class Crowd:
    """Many channels at once; times are in seconds."""

    channels: int
    is_named: bool
    """Whether personas speak, through webhooks, or the bot."""
    messages: int
    refused: int
    """How many requests came too early."""
    median: float
    worst: float
    """The 95th percentile of the wait for a character: in the median channel, and in the worst."""
    last: float
    """From the last token to the last character of all."""


@dataclass(frozen=True, slots=True)
class Found:
    """A whole run."""

    python: str
    rows: tuple[Row, ...]
    crowds: tuple[Crowd, ...]
    curves: tuple[Curve, ...]
    """How much of the plotted reply was heard, and shown, at which time."""


# --- the model and the chat --------------------------------------------------------------


def passage(size: int, seed: int = SEED) -> str:
    """A reply of *size* characters: paragraphs of one to four sentences."""
    dice, words, text = Random(seed), _STORY.split(), ""
    while len(text) < size:
        for _ in range(dice.randint(1, 4)):
            sentence = " ".join(dice.choice(words) for _ in range(dice.randint(5, 16)))
            text += sentence.capitalize() + ". "
        text = text.rstrip() + "\n"
    return text[: size - 1].rstrip(" .\n") + "."


class Voice:
    """A model that says *text* at *speed* tokens a second, and notes when."""

    def __init__(self, text: str, speed: int) -> None:
        self._tokens = [text[start : start + TOKEN] for start in range(0, len(text), TOKEN)]
        self._speed = speed
        self.heard: list[float] = []
        """When each letter could be, however late somebody listens."""

    async def __aiter__(self) -> AsyncIterator[Chunk]:
        loop = asyncio.get_running_loop()
        for number, token in enumerate(self._tokens):
            spoken = (number + 1) / self._speed
            await asyncio.sleep(spoken - loop.time())
            self.heard += [spoken] * len(letters(token))
            yield TextDelta(token)
        yield Finished()


class Chat:
    """A chat that takes so many messages in so many seconds, counted from the first of them."""

    def __init__(self) -> None:
        self.limits = Limits()
        self.texts: list[str] = []
        self.refused = 0
        self.shown: list[float] = []
        """When each letter was."""
        self._loop = asyncio.get_running_loop()
        self._left, self._resets = MESSAGES, 0.0

    async def send(self, post: Post, /) -> Receipt:
        """Show *post*; if it comes too early, refuse it, and take it when it is time, as a library for Discord does."""
        self._renew()
        if not self._left:
            self.refused += 1
            await asyncio.sleep(self._resets - self._loop.time())
            self._renew()
        if self._left == MESSAGES:
            self._resets = self._loop.time() + SECONDS
        self._left -= 1
        await asyncio.sleep(LATENCY)
        self.texts.append(post.text)
        self.shown += [self._loop.time()] * len(letters(post.text))
        return Receipt(post, str(len(self.texts)))

    async def typing(self, identity: Identity | None, /) -> None:
        """Nobody is watching."""

    def _renew(self) -> None:
        if self._loop.time() >= self._resets - 1e-9:
            self._left = MESSAGES


class OpenChat(Chat):
    """The same, which says how many it takes."""

    def allowance(self, _: Identity | None, /) -> Allowance:
        """What it takes now."""
        self._renew()
        return Allowance(self._left, MESSAGES, max(0.0, self._resets - self._loop.time()))


def letters(text: str) -> str:
    """What is waited for: marks and spaces may be put elsewhere, or left out."""
    return "".join(filter(str.isalnum, text)).casefold()


# --- measuring -----------------------------------------------------------------------------


async def _delivered(voice: Voice, degree: int, *, is_paced: bool) -> Chat:
    chat = OpenChat() if is_paced else Chat()
    left = await say(chat, voice, settings=Settings.of(degree=degree))
    assert isinstance(left.outcome, Completed), left.outcome
    return chat


def measure_one(size: int, speed: int, degree: int, *, is_paced: bool) -> tuple[Row, Voice, Chat]:
    """Deliver one reply; it must arrive complete and in order."""
    text = passage(size)
    voice = Voice(text, speed)
    with asyncio.Runner(loop_factory=lambda: looptime.new_event_loop(start=0.0, noop_cycles=0)) as runner:
        chat = runner.run(_delivered(voice, degree, is_paced=is_paced))
    assert letters(text) == letters("".join(chat.texts)), "what was said did not arrive"
    waits = sorted(shown - heard for heard, shown in zip(voice.heard, chat.shown, strict=True))
    row = Row(
        size=size,
        speed=speed,
        degree=degree,
        is_paced=is_paced,
        messages=len(chat.texts),
        refused=chat.refused,
        first=round(chat.shown[0] - voice.heard[0], 2),
        mean=round(mean(waits), 2),
        p95=round(waits[len(waits) * 95 // 100], 2),
        last=round(chat.shown[-1] - voice.heard[-1], 2),
    )
    return row, voice, chat


def measure_crowd(channels: int, *, is_named: bool) -> Crowd:
    """Deliver a reply to each of *channels* at once; all must arrive complete and in order."""
    texts = [passage(CROWD_SIZE, seed) for seed in range(channels)]
    voices = [Voice(text, CROWD_SPEED) for text in texts]
    delivering = deliver(
        voices,
        persona=Identity("Ren", "https://example.com/ren.png") if is_named else None,
        latency=LATENCY,
        letters=letters,
    )
    with asyncio.Runner(loop_factory=lambda: looptime.new_event_loop(start=0.0, noop_cycles=0)) as runner:
        delivered = runner.run(delivering)
    assert not delivered.broken, "a reply did not end well"
    waits: list[float] = []
    for text, voice, arrived, shown in zip(texts, voices, delivered.texts, delivered.shown, strict=True):
        assert letters(text) == letters("".join(arrived)), "what was said did not arrive"
        waited = sorted(shown - heard for heard, shown in zip(voice.heard, shown, strict=True))
        waits.append(waited[len(waited) * 95 // 100])
    return Crowd(
        channels=channels,
        is_named=is_named,
        messages=delivered.messages,
        refused=delivered.refused,
        median=round(median(waits), 2),
        worst=round(max(waits), 2),
        last=round(delivered.ended - max(voice.heard[-1] for voice in voices), 2),
    )


def measure() -> Found:
    """Measure everything."""
    rows: list[Row] = []
    shown: list[Curve] = []
    for size, speed, degree, is_paced in product(SIZES, SPEEDS, DEGREES, (False, True)):
        row, voice, chat = measure_one(size, speed, degree, is_paced=is_paced)
        rows.append(row)
        if (size, speed, degree) == SHOWN:
            shown.append(curve("shown, paced" if is_paced else "shown, not paced", chat.shown))
            if is_paced:
                shown.insert(0, curve("heard", voice.heard, step=200))
    crowds = [measure_crowd(CHANNELS, is_named=is_named) for is_named in (False, True)]
    return Found(platform.python_version(), tuple(rows), tuple(crowds), tuple(shown))


def curve(name: str, times: Sequence[float], step: int = 1) -> Curve:
    """How many letters were there at which of *times*: only where that changes, and of those every *step*-th."""
    moments = sorted(set(times))
    points = [(round(moment, 3), bisect_left(times, moment + 1e-9)) for moment in moments]
    return Curve(name, tuple(points[:-1:step] + points[-1:]), is_stepped=step == 1)


# --- showing -------------------------------------------------------------------------------


def goals(found: Found) -> list[Goal]:
    """How a run stands to what is wanted of it."""
    row = next(row for row in found.rows if (row.size, row.speed, row.degree) == SHOWN and row.is_paced)
    about = f"{row.size} characters at {row.speed} tokens/s, degree {row.degree}"
    return [
        Goal(f"{about}: s to its end", row.last, LAST),
        Goal(f"{about}: s of mean wait", row.mean, MEAN),
        Goal("sends refused, all paced replies", float(sum(row.refused for row in found.rows if row.is_paced)), 0),
        *(goal for crowd in found.crowds for goal in _crowd_goals(crowd)),
    ]


def _crowd_goals(crowd: Crowd) -> list[Goal]:
    about = f"{crowd.channels} channels, {_speaker(crowd)}"
    return [
        Goal(f"{about}: requests refused", float(crowd.refused), 0),
        Goal(f"{about}: p95, worst / median channel", round(crowd.worst / crowd.median, 2), SPREAD),
    ]


def _speaker(crowd: Crowd) -> str:
    return "personas" if crowd.is_named else "bot"


def _cells(row: Row) -> list[str]:
    times = (f"{value:.2f}" for value in (row.first, row.mean, row.p95, row.last))
    paced = "yes" if row.is_paced else "no"
    return [str(row.size), str(row.speed), str(row.degree), paced, str(row.messages), str(row.refused), *times]


def _crowd_cells(crowd: Crowd) -> list[str]:
    times = (f"{value:.2f}" for value in (crowd.median, crowd.worst, crowd.last))
    return [str(crowd.channels), _speaker(crowd), str(crowd.messages), str(crowd.refused), *times]


_CROWD_HEAD = ["channels", "speaker", "messages", "429s", "p95, median", "p95, worst", "end, s"]
_HEAD = ["characters", "tokens/s", "degree", "paced", "messages", "429s", "first, s", "mean, s", "p95, s", "end, s"]


def screen(found: Found) -> Iterator[str]:
    """The lines for a terminal."""
    yield "  ".join(_HEAD)
    for row in found.rows:
        yield "  ".join(cell.rjust(len(head)) for head, cell in zip(_HEAD, _cells(row), strict=True))
    yield ""
    yield "  ".join(_CROWD_HEAD)
    for crowd in found.crowds:
        yield "  ".join(cell.rjust(len(head)) for head, cell in zip(_CROWD_HEAD, _crowd_cells(crowd), strict=True))
    yield ""
    yield from map(str, goals(found))


def markdown(found: Found) -> str:
    """The tables for the page."""
    lines = [
        f"| {' | '.join(_HEAD)} |",
        f"|{'--:|' * len(_HEAD)}",
        *(f"| {' | '.join(_cells(row))} |" for row in found.rows),
        "",
        f"The same with {CHANNELS} channels of one server at once, {CROWD_SIZE} characters at {CROWD_SPEED} tokens/s each:",
        "",
        f"| {' | '.join(_CROWD_HEAD)} |",
        f"|{'--:|' * len(_CROWD_HEAD)}",
        *(f"| {' | '.join(_crowd_cells(crowd))} |" for crowd in found.crowds),
        "",
        "| goal | found | at most |",
        "|---|--:|--:|",
        *(f"| {goal.name} | {goal.value:.2f} | {goal.limit:g} |" for goal in goals(found)),
    ]
    return "\n".join(lines) + "\n"


def picture(found: Found) -> str:
    """The plot, as SVG."""
    size, speed, degree = SHOWN
    title = f"Letters of a reply of {size} characters at {speed} tokens a second, degree {degree}"
    return curves(title, found.curves, across="seconds", up="letters")


def load(text: str) -> Found:
    """What ``save`` wrote."""
    fields = json.loads(text)
    drawn = (Curve(one["name"], tuple(map(tuple, one["points"])), one["is_stepped"]) for one in fields["curves"])
    rows, crowds = (Row(**row) for row in fields["rows"]), (Crowd(**crowd) for crowd in fields["crowds"])
    return Found(fields["python"], tuple(rows), tuple(crowds), tuple(drawn))


def save(found: Found) -> None:
    """Write figures, plot and page."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "wait.json").write_text(json.dumps(asdict(found), indent=2) + "\n", encoding="utf-8")
    (RESULTS / "wait.svg").write_text(picture(found), encoding="utf-8")
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
