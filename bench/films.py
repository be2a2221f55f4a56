"""What it costs to film a reply: part of ``make bench``.

The same text is delivered bare, to a chat in memory, and rehearsed: in a simulated Discord, with a camera that tells of every
token what became of it. Beside that stands how large the film is.

    python bench/films.py [--no-save] [--rounds N]
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from operator import itemgetter
from pathlib import Path
from typing import TypeVar

from cadenza import MemoryTarget, Settings, say
from cadenza.play.films.film import dump
from cadenza.play.films.plan import Rehearsal, beats_of
from cadenza.play.films.rehearsal import rehearse, spoken
from cadenza.play.films.virtual_time import run
from report import RESULTS, ROOT, Goal, with_table

T = TypeVar("T")

PAGE = ROOT / "docs" / "films.md"
SIZES = (10_000, 100_000, 1_000_000)
ROUNDS = 3
RATE, TOKEN = 1000.0, 4
LARGE, GROWTH = 3.0, 1.5
"""Goals: megabytes of the film of a megabyte, and how many times as much a token of the longest text costs as of the shortest."""

_PROSE = "The ferry was late, and **nobody** minded (least of all the dog). We had tea, bread, and a *whole* evening.\n"
_CODE = "```py\nfor hour in range(24):\n    print(hour)\n```\n"
_TABLE = "| what | when |\n|---|---|\n| tea | now |\n| bread | later |\n\n"
_THOUGHT = "<think>What did they ask for?</think>"
TEXTS = {
    "mixed, degree 1": ((_PROSE * 4 + _CODE + _PROSE + _TABLE + _THOUGHT), 1),
    "mixed, degree 0": ((_PROSE * 4 + _CODE + _PROSE + _TABLE + _THOUGHT), 0),
    "one line": ("word after word ", 1),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One text."""

    name: str
    size: int
    """Characters."""
    tokens: int
    bare: float
    """Microseconds of a token in the bare pipeline."""
    filmed: float
    """And in a rehearsal."""
    seconds: float
    """Of the whole rehearsal."""
    kilobytes: float
    """Of the film, for each thousand characters."""


@dataclass(frozen=True, slots=True)
class Found:
    """A whole run; the best of its rounds."""

    python: str
    rounds: int
    rows: tuple[Row, ...]


def measure_one(name: str, size: int, rounds: int) -> Row:
    """Deliver one text, bare and filmed."""
    part, degree = TEXTS[name]
    text = (part * (size // len(part) + 1))[:size]
    beats, settings = beats_of(text, RATE, token=TOKEN), Settings.of(degree=degree, flood_limit=1_000_000)
    wanted = Rehearsal(beats, settings=settings, limits=None, painter=None)
    bare, _ = _best(rounds, lambda: run(say(MemoryTarget(), spoken(beats), settings=settings)))
    filmed, film = _best(rounds, lambda: rehearse(wanted))
    tokens = len(beats) - 1
    return Row(
        name=name,
        size=size,
        tokens=tokens,
        bare=round(bare / tokens * 1e6, 1),
        filmed=round(filmed / tokens * 1e6, 1),
        seconds=round(filmed, 2),
        kilobytes=round(len(dump(film)) / size, 2),
    )


def _best(rounds: int, work: Callable[[], T]) -> tuple[float, T]:
    """The processor time of *work*, at its best, for other programs only make it longer; and what came of it."""
    times: list[tuple[float, T]] = []
    for _ in range(rounds):
        begun = time.process_time()
        made = work()
        times.append((time.process_time() - begun, made))
    return min(times, key=itemgetter(0))


def measure(rounds: int) -> Found:
    """Measure everything; the longer texts once."""
    rows = (measure_one(name, size, rounds if size == SIZES[0] else 1) for name in TEXTS for size in SIZES)
    return Found(platform.python_version(), rounds, tuple(rows))


# --- showing -------------------------------------------------------------------------------


def goals(found: Found) -> list[Goal]:
    """How a run stands to what is wanted of it."""
    return [goal for name in TEXTS for goal in _goals_of(name, [row for row in found.rows if row.name == name])]


def _goals_of(name: str, rows: Sequence[Row]) -> list[Goal]:
    first, last = rows[0], rows[-1]
    return [
        Goal(f"{name}: MB of the film of a megabyte", last.kilobytes * last.size / 1e6, LARGE),
        Goal(f"{name}: a token, longest / shortest", round(last.filmed / first.filmed, 2), GROWTH),
    ]


_HEAD = ["text", "characters", "bare, µs a token", "filmed, µs a token", "filmed, s", "kB of film per 1000 characters"]


def _cells(row: Row) -> list[str]:
    times = [f"{row.bare:.1f}", f"{row.filmed:.1f}", f"{row.seconds:.2f}", f"{row.kilobytes:.2f}"]
    return [row.name, str(row.size), *times]


def screen(found: Found) -> Iterator[str]:
    """The lines for a terminal."""
    yield "  ".join(_HEAD)
    for row in found.rows:
        yield "  ".join(cell.rjust(len(head)) for head, cell in zip(_HEAD, _cells(row), strict=True))
    yield ""
    yield from map(str, goals(found))


def markdown(found: Found) -> str:
    """The tables for the page."""
    lines = [
        f"| {' | '.join(_HEAD)} |",
        f"|---|{'--:|' * (len(_HEAD) - 1)}",
        *(f"| {' | '.join(_cells(row))} |" for row in found.rows),
        "",
        "| goal | found | at most |",
        "|---|--:|--:|",
        *(f"| {goal.name} | {goal.value:.2f} | {goal.limit:g} |" for goal in goals(found)),
        "",
        f"Python {found.python}, tokens of {TOKEN} characters, no rate limit; processor time, of the shortest texts the best of {found.rounds} rounds.",
    ]
    return "\n".join(lines) + "\n"


def load(text: str) -> Found:
    """What ``save`` wrote."""
    fields = json.loads(text)
    return Found(fields["python"], fields["rounds"], tuple(Row(**row) for row in fields["rows"]))


def save(found: Found, folder: Path = RESULTS, page: Path = PAGE) -> None:
    """Write figures and page."""
    written = with_table(page.read_text(encoding="utf-8"), markdown(found))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "films.json").write_text(json.dumps(asdict(found), indent=2) + "\n", encoding="utf-8")
    page.write_text(written, encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, show, and write down."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--no-save", action="store_true", help="write no files")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often each text is delivered")
    options = parser.parse_args(arguments)
    found = measure(options.rounds)
    print("\n".join(screen(found)))
    if not options.no_save:
        save(found)


if __name__ == "__main__":
    main()
