"""What a run found, and how it is shown: in a terminal, as JSON, as a plot and in docs/cost.md."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from plot import bars

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "bench" / "results"
PAGE = ROOT / "docs" / "cost.md"
BEGIN, END = "<!-- bench:begin -->\n", "<!-- bench:end -->"

COST = ("mixed 100 kB", 50.0)
"""The document that stands for all, and the calls that a token of it may cost."""
GROWTH = 1.2
"""How many times as much a token may cost in the first document of a pair as in the second."""
PAIRS = (
    ("mixed 1 MB", "mixed 10 kB"),
    ("open parenthesis 100 kB", "mixed 10 kB"),
    ("open parenthesis 100 kB", "open parenthesis 10 kB"),
)


@dataclass(frozen=True, slots=True)
class Row:
    """One document."""

    name: str
    size: int
    """Bytes of UTF-8."""
    tokens: int
    ns_per_token: float
    calls_per_token: float
    mb_per_s: float
    peak_kb: float
    """The most memory that was held at once, without the tokens."""


@dataclass(frozen=True, slots=True)
class Results:
    """A whole run. What it says about the machine is its Python and how fast that calls an empty method."""

    python: str
    seed: int
    degree: int
    token: int
    """Characters of a token."""
    rounds: int
    call_ns: float
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Goal:
    """Something that is wanted, and what there is."""

    name: str
    value: float
    limit: float

    def __str__(self) -> str:
        verdict = "met" if self.value <= self.limit else "not met"
        return f"{self.name:52}{self.value:8.2f}   goal: at most {self.limit:.3g}, {verdict}"


def goals(rows: Sequence[Row]) -> list[Goal]:
    """How *rows* stand to what is wanted of them."""
    cost = {row.name: row.calls_per_token for row in rows}
    name, limit = COST
    growth = [Goal(f"{long} / {short}", cost[long] / cost[short], GROWTH) for long, short in PAIRS]
    return [*growth, Goal(f"{name}, calls a token", cost[name], limit)]


def conditions(results: Results) -> str:
    """What the figures hold for, in a line."""
    return (
        f"Python {results.python}, degree {results.degree}, seed {results.seed}, tokens of {results.token} characters;"
        f" an empty method call took {results.call_ns:.0f} ns"
    )


def screen(results: Results) -> Iterator[str]:
    """The lines for a terminal."""
    width = max(len(row.name) for row in results.rows)
    yield conditions(results)
    yield ""
    yield f"{'document':{width}}{'calls/token':>13}{'ns/token':>10}{'MB/s':>8}{'peak kB':>9}"
    for row in results.rows:
        figures = f"{row.calls_per_token:13.1f}{row.ns_per_token:10.0f}{row.mb_per_s:8.1f}{row.peak_kb:9.0f}"
        yield f"{row.name:{width}}{figures}"
    yield ""
    yield from map(str, goals(results.rows))


def markdown(results: Results) -> str:
    """The table for docs/cost.md."""
    lines = [
        "| document | calls per token | ns per token | MB/s | peak memory, kB |",
        "|---|--:|--:|--:|--:|",
        *(
            f"| {row.name} | {row.calls_per_token:.1f} | {row.ns_per_token:.0f} | {row.mb_per_s:.1f}"
            f" | {row.peak_kb:.0f} |"
            for row in results.rows
        ),
        "",
        f"{conditions(results)}.",
    ]
    return "\n".join(lines) + "\n"


def with_table(page: str, table: str) -> str:
    """*page* with *table* in its place between the two marks."""
    head, begin, rest = page.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not (begin and end):
        msg = f"the page has no place for the table: it needs a line {BEGIN.strip()} and a line {END}"
        raise ValueError(msg)
    return f"{head}{begin}{table}{end}{tail}"


def picture(results: Results) -> str:
    """The plot, as SVG."""
    costs = {row.name: row.calls_per_token for row in results.rows}
    return bars("What a token costs, in empty method calls", costs, goal=COST[1])


def dump(results: Results) -> str:
    """*results* as JSON."""
    return json.dumps(asdict(results), indent=2) + "\n"


def load(text: str) -> Results:
    """What ``dump`` wrote."""
    fields = json.loads(text)
    rows = tuple(Row(**row) for row in fields.pop("rows"))
    return Results(**fields, rows=rows)


def save(results: Results, folder: Path = RESULTS, page: Path = PAGE) -> None:
    """Write figures and plot into *folder*, and the table into *page*."""
    text = with_table(page.read_text(encoding="utf-8"), markdown(results))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "text.json").write_text(dump(results), encoding="utf-8")
    (folder / "text.svg").write_text(picture(results), encoding="utf-8")
    page.write_text(text, encoding="utf-8")
