"""A thousand turns at once, and how soon a stop is silence: part of ``make bench``.

A server in a process of its own streams to a crowd of turns in another, each at 50 tokens a second, and the whole of
``reply`` stands between its bytes and the messages. Beside it the openai SDK only reads such streams. Then turns are
stopped, in every phase there is.

What is added to a message is the time from the writing of the token that decides it to the start of its send. It
depends on the machine and on what else that does; on two cores, one of which belongs to the server, nothing else
should.

    python bench/turns.py [--no-save] [--turns N]
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

from crowd import BEST, Crowd, Held, percentiles
from providers import HERE, serving
from report import RESULTS, ROOT, Goal, with_table

PAGE = ROOT / "docs" / "many-turns.md"
MOST, SOME = 500, 150
"""Tokens of each turn where there are the most of them, and of each of fewer."""
CURVE = (1, 10, 100, 300)
MANY = 1000
BESIDE = 100
"""Streams that the SDK reads: more it can hardly do."""
TIMES = 50
"""Stops in each phase."""
_MOMENTS = ("before", "amid", "after")
LATE = 20.0
"""Milliseconds that the server may be late; if it is later, something else had the machine, and the row says little."""
OURS, TYPED, THEIRS = "cadenza, degree 1", "cadenza, degree 2", "openai SDK"

DELAY, SILENCE = 100.0, 50.0
"""Milliseconds: what may be added to 99 of 100 messages of a thousand turns, and how soon there must be silence."""
RATIO = 0.45
"""What a token of ours, delivered, may cost against one that the SDK only reads."""
OBJECTS, MEMORY = 1.01, 1.25
"""How many more objects, and how much more memory, there may be behind a crowd than before it: what is freed is not
always given back, and the crowd before was shorter.
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One crowd of one client."""

    client: str
    loop: str
    turns: int
    p50_ms: float
    p99_ms: float
    max_ms: float
    us_per_token: float
    cores: float
    late_ms: float
    """By how much the server was late itself, at the 99th percentile."""
    before: Held
    amid: Held
    after: Held


@dataclass(frozen=True, slots=True)
class Silence:
    """Stops in one phase, in milliseconds from the request."""

    phase: str
    loop: str
    p50_ms: float
    max_ms: float
    """To the last start of a send."""
    returned_p50_ms: float
    returned_max_ms: float
    """To the end of the turn."""


@dataclass(frozen=True, slots=True)
class Found:
    """A whole run."""

    python: str
    versions: dict[str, str]
    many: int
    tokens: int
    times: int
    rows: tuple[Row, ...]
    silences: tuple[Silence, ...]


# --- measuring -----------------------------------------------------------------------------


def loops() -> list[str]:
    """The event loops that can be measured here."""
    if find_spec("uvloop"):
        return ["asyncio", "uvloop"]
    print("NOT MEASURED: uvloop, which is not installed here. Try: pip install uvloop", flush=True)
    return ["asyncio"]


def plan(known: Sequence[str], many: int = MANY) -> list[tuple[str, str, int, int]]:
    """Client, loop, turns and tokens of every crowd; the cheap ones first."""
    few = [(OURS, loop, turns, SOME) for turns in CURVE if turns < many for loop in known]
    beside = [(THEIRS, loop, BESIDE, SOME) for loop in known if many >= BESIDE]
    most = [(OURS, loop, many, MOST) for loop in (*known, BEST)]
    return [*few, *beside, *most, (TYPED, BEST, many, MOST)]


def crowd(address: str, client: str, loop: str, turns: int, tokens: int) -> Row:
    """What *turns* turns of *client* cost."""
    found = json.loads(_run("crowd.py", client, loop, address, str(turns), str(tokens)))
    return row(client, loop, Crowd(**found | _held(found)))


def _held(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: Held(**fields[name]) for name in _MOMENTS}


def row(client: str, loop: str, found: Crowd) -> Row:
    """The figures of a crowd."""
    p50, p99, most = (round(seconds * 1e3, 2) for seconds in found.delays)
    return Row(
        client=client,
        loop=loop,
        turns=found.turns,
        p50_ms=p50,
        p99_ms=p99,
        max_ms=most,
        us_per_token=round(found.cpu / found.tokens * 1e6, 1),
        cores=round(found.cpu / found.seconds, 2),
        late_ms=round(found.late * 1e3, 2),
        before=found.before,
        amid=found.amid,
        after=found.after,
    )


def silences(address: str, loop: str, times: int = TIMES) -> Iterator[Silence]:
    """How soon there is silence, phase by phase."""
    for phase, quiet in json.loads(_run("silence.py", loop, address, str(times))).items():
        silent, _, longest = percentiles([one["silent"] * 1e3 for one in quiet])
        returned, _, last = percentiles([one["returned"] * 1e3 for one in quiet])
        yield Silence(phase, loop, *(round(value, 2) for value in (silent, longest, returned, last)))


def _run(script: str, *words: str) -> str:
    command = [sys.executable, str(HERE / script), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)  # noqa: S603  # our own
    if done.returncode:
        msg = f"{script} failed with {', '.join(words)}:\n{done.stderr}"
        raise RuntimeError(msg)
    return done.stdout


def measure(many: int = MANY, tokens: int = MOST, times: int = TIMES) -> Found:
    """Measure everything."""
    known = loops()
    with serving("paced.py", str(max(many, times, BESIDE)), str(tokens)) as address:
        rows = [
            crowd(address, client, loop, turns, min(size, tokens)) for client, loop, turns, size in plan(known, many)
        ]
        quiet = [one for loop in known for one in silences(address, loop, times)]
    return Found(platform.python_version(), _versions(), many, tokens, times, tuple(rows), tuple(quiet))


def _versions() -> dict[str, str]:
    found = {}
    for name in ("aiohttp", "uvloop", "openai"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


# --- showing -------------------------------------------------------------------------------


def goals(found: Found) -> list[Goal]:
    """How a run stands to what is wanted of it; what is wanted holds for a program that is run as it should be."""
    most = next(row for row in found.rows if (row.client, row.loop, row.turns) == (OURS, BEST, found.many))
    wanted = [
        Goal(f"ms added to 99 % of messages, {found.many} turns, {BEST}", most.p99_ms, DELAY),
        Goal("objects behind a crowd / before it", most.after.objects / most.before.objects, OBJECTS),
        Goal("memory behind a crowd / before it", most.after.rss_kb / most.before.rss_kb, MEMORY),
        Goal("tasks and files more behind a crowd than before it", float(_left(most)), 0),
    ]
    beside = {row.client: row.us_per_token for row in found.rows if row.turns == BESIDE}  # the fastest loop is the last
    if THEIRS in beside and OURS in beside:
        wanted.append(
            Goal(f"a token delivered / read by the SDK, {BESIDE} turns", beside[OURS] / beside[THEIRS], RATIO)
        )
    phases = dict.fromkeys(one.phase for one in found.silences)
    return wanted + [Goal(f"ms to silence {phase}", _longest(found, phase), SILENCE) for phase in phases]


def _left(row: Row) -> int:
    return (row.after.tasks - row.before.tasks) + (row.after.files - row.before.files)


def _longest(found: Found, phase: str) -> float:
    return max(one.max_ms for one in found.silences if one.phase == phase)


def doubts(found: Found) -> Iterator[str]:
    """What the figures cannot say, because the server was held up itself."""
    if late := [f"{one.client}, {one.loop}, {one.turns}" for one in found.rows if one.late_ms > LATE]:
        yield f"The server was late itself, so that something else had this machine, for: {'; '.join(late)}."


def conditions(found: Found) -> str:
    """What the figures hold for, in a line."""
    names = ", ".join(f"{name} {number}" for name, number in found.versions.items())
    return f"Python {found.python}, {names}; {found.tokens} tokens a turn at the most, {found.times} stops a phase and loop"


def screen(found: Found) -> Iterator[str]:
    """The lines for a terminal."""
    yield conditions(found)
    yield ""
    yield f"{'client':20}{'loop':17}{'turns':>6}{'p50':>9}{'p99':>9}{'max ms':>9}{'µs/token':>10}{'cores':>7}{'server p99 ms late':>20}"
    for one in found.rows:
        delays = "".join(f"{value:9.1f}" for value in (one.p50_ms, one.p99_ms, one.max_ms))
        yield (
            f"{one.client:20}{one.loop:17}{one.turns:6}{delays}{one.us_per_token:10.1f}{one.cores:7.2f}{one.late_ms:20.1f}"
        )
    yield ""
    for quiet in found.silences:
        yield (
            f"{quiet.phase:32}{quiet.loop:9}silent after {quiet.p50_ms:6.1f} ms, at most {quiet.max_ms:7.1f};"
            f" over after {quiet.returned_p50_ms:6.1f}, at most {quiet.returned_max_ms:7.1f}"
        )
    yield ""
    yield from map(str, goals(found))
    yield from doubts(found)


def markdown(found: Found) -> str:
    """The tables for the page."""
    held = "tasks before / amid / after | memory before / amid / after, MB | files before / after"
    lines = [
        f"| client | loop | turns | added, p50 / p99 / max, ms | server late, p99, ms | CPU a token, µs | cores | {held} |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|",
        *map(_line, found.rows),
        "",
        "| a stop | loop | last send started, p50 / max, ms | reply returned, p50 / max, ms |",
        "|---|---|--:|--:|",
        *(
            f"| {one.phase} | {one.loop} | {one.p50_ms:.1f} / {one.max_ms:.1f}"
            f" | {one.returned_p50_ms:.1f} / {one.returned_max_ms:.1f} |"
            for one in found.silences
        ),
        "",
        "| goal | found | at most |",
        "|---|--:|--:|",
        *(f"| {goal.name} | {goal.value:.2f} | {goal.limit:g} |" for goal in goals(found)),
        "",
        f"{conditions(found)}.",
        *doubts(found),
    ]
    return "\n".join(lines) + "\n"


def _line(one: Row) -> str:
    held = (one.before, one.amid, one.after)
    tasks = " / ".join(str(moment.tasks) for moment in held)
    memory = " / ".join(f"{moment.rss_kb / 1000:.0f}" for moment in held)
    delays = f"{one.p50_ms:.1f} / {one.p99_ms:.1f} / {one.max_ms:.1f}"
    files = f"{one.before.files} / {one.after.files}"
    figures = f"{delays} | {one.late_ms:.1f} | {one.us_per_token:.0f} | {one.cores:.2f} | {tasks} | {memory} | {files}"
    return f"| {one.client} | {one.loop} | {one.turns} | {figures} |"


def load(text: str) -> Found:
    """What ``main`` wrote."""
    fields = json.loads(text)
    rows = tuple(Row(**one | _held(one)) for one in fields.pop("rows"))
    quiet = tuple(Silence(**one) for one in fields.pop("silences"))
    return Found(**fields, rows=rows, silences=quiet)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(description="Measure a thousand turns at once, and how soon a stop is silence.")
    parser.add_argument("--no-save", action="store_true", help="write no files")
    parser.add_argument(
        "--turns", type=int, default=MANY, metavar="N", help="how many are the most; others save nothing"
    )
    options = parser.parse_args(arguments)
    print(f"{options.turns} turns at once and {TIMES} stops a phase: about three minutes ...\n", flush=True)
    found = measure(options.turns)
    print("\n".join(screen(found)))
    if not options.no_save and options.turns == MANY:
        RESULTS.mkdir(parents=True, exist_ok=True)
        (RESULTS / "turns.json").write_text(json.dumps(asdict(found), indent=2) + "\n", encoding="utf-8")
        PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), markdown(found)), encoding="utf-8")


if __name__ == "__main__":
    main()
