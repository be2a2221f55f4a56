"""What a streamed chunk costs in Cadenza and in the vendors' own clients: part of ``make bench``.

A server in a process of its own streams made-up answers over loopback; each client reads them in a process of its own,
and its CPU time is counted. Clients take turns, and the median of several rounds counts: read the ratios, which are
taken in one run, and not the microseconds.

    python bench/providers.py [--no-save]
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median

from clients import CLIENTS
from report import RESULTS, ROOT, Goal, with_table

HERE = Path(__file__).parent
PAGE = ROOT / "docs" / "providers.md"
FULL, PACED, LONG = 20_000, 400, 100_000
"""Events of a stream at full speed, of a paced one, and of the one over which the memory is watched."""
PACE = 4_000
"""Microseconds between two events of a paced stream."""
ROUNDS = 5
GOALS = {
    "full speed": (
        ("cadenza", "openai SDK", 1 / 15),
        ("cadenza, Gemini", "google-genai", 1 / 15),
        ("cadenza, Anthropic", "anthropic SDK", 1 / 5),
    ),
    "paced": (("cadenza", "openai SDK", 0.45),),
}
"""What one client may cost against another."""
MEMORY = 1.05
"""How much more memory there may be at the end of a long stream than after its first tenth."""
PACED_CLIENTS = ("cadenza", "openai SDK")


@dataclass(frozen=True, slots=True)
class Cost:
    """One client in one way of streaming."""

    client: str
    way: str
    us_per_chunk: float


@dataclass(frozen=True, slots=True)
class Found:
    """A whole run."""

    python: str
    versions: dict[str, str]
    rounds: int
    costs: tuple[Cost, ...]
    memory_growth: float
    """Memory at the end of 100 000 chunks against memory after the first tenth of them."""


@contextmanager
def serving(script: str = "endpoint.py", *words: str) -> Iterator[str]:
    """A server; its address."""
    command = [sys.executable, str(HERE / script), *words]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603  # our own
        assert server.stdin
        assert server.stdout
        try:
            yield server.stdout.readline().strip()
        finally:
            server.stdin.close()


def read(client: str, address: str, events: int, pause: int = 0) -> dict[str, float]:
    """What *client* says that *events* events cost it."""
    command = [sys.executable, str(HERE / "clients.py"), client, address, str(events), str(pause)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)  # noqa: S603  # likewise
    if done.returncode:
        msg = f"the client {client!r} failed:\n{done.stderr}"
        raise RuntimeError(msg)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def measure(
    address: str, *, rounds: int = ROUNDS, full: int = FULL, paced: int = PACED, clients: Sequence[str] = tuple(CLIENTS)
) -> tuple[Cost, ...]:
    """What a chunk costs each client, in turns."""
    runs = [(client, "full speed", full, 0) for client in clients]
    runs += [(client, "paced", paced, PACE) for client in clients if client in PACED_CLIENTS]
    seconds: dict[tuple[str, str], list[float]] = {(client, way): [] for client, way, _, _ in runs}
    characters: dict[tuple[str, str], set[float]] = {}
    for _ in range(rounds):
        for client, way, events, pause in runs:
            found = read(client, address, events, pause)
            seconds[client, way].append(found["cpu"] / events * 1e6)
            characters.setdefault((CLIENTS[client][0], way), set()).add(found["characters"])
    for (interface, way), heard in characters.items():
        if "messages" not in interface and len(heard) > 2:  # messages have no line ends of their own
            msg = f"the clients of {interface} did not hear the same ({way}): {heard}"
            raise RuntimeError(msg)
    return tuple(Cost(client, way, median(values)) for (client, way), values in seconds.items())


def goals(found: Found) -> list[Goal]:
    """How a run stands to what is wanted of it."""
    cost = {(row.client, row.way): row.us_per_chunk for row in found.costs}
    wanted = [
        Goal(f"{ours} / {theirs}, {way}", cost[ours, way] / cost[theirs, way], limit)
        for way, pairs in GOALS.items()
        for ours, theirs, limit in pairs
    ]
    return [*wanted, Goal("memory over 100 000 chunks", found.memory_growth, MEMORY)]


def conditions(found: Found) -> str:
    """What the figures hold for, in a line."""
    names = ", ".join(f"{name} {number}" for name, number in found.versions.items())
    return f"Python {found.python}, {names}; medians of {found.rounds} rounds in turns"


def _ratio(goal: Goal) -> str:
    return f"1/{1 / goal.value:.0f}" if goal.value < 0.2 else f"{goal.value:.2f}"


def screen(found: Found) -> Iterator[str]:
    """The lines for a terminal."""
    yield conditions(found)
    yield ""
    for row in found.costs:
        yield f"{row.client:24}{row.way:14}{row.us_per_chunk:8.1f} µs of CPU a chunk"
    yield ""
    for goal in goals(found):
        yield f"{goal}   ({_ratio(goal)})"


def markdown(found: Found) -> str:
    """The table for the page."""
    cost: Mapping[tuple[str, str], float] = {(row.client, row.way): row.us_per_chunk for row in found.costs}
    lines = ["| client | full speed, µs a chunk | paced, µs a chunk |", "|---|--:|--:|"]
    for client in CLIENTS:
        paced = f"{cost[client, 'paced']:.0f}" if (client, "paced") in cost else ""
        lines.append(f"| {client} | {cost[client, 'full speed']:.1f} | {paced} |")
    lines += ["", "| ratio | found | goal |", "|---|--:|--:|"]
    lines += [f"| {goal.name} | {_ratio(goal)} | {_limit(goal.limit)} |" for goal in goals(found)]
    return "\n".join([*lines, "", f"{conditions(found)}."]) + "\n"


def _limit(limit: float) -> str:
    return f"1/{1 / limit:.0f}" if limit < 0.3 else f"{limit:g}"


def load(text: str) -> Found:
    """What ``main`` wrote."""
    fields = json.loads(text)
    costs = tuple(Cost(**row) for row in fields.pop("costs"))
    return Found(**fields, costs=costs)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(description="Measure what a streamed chunk costs.")
    parser.add_argument("--no-save", action="store_true", help="write no files")
    options = parser.parse_args(arguments)
    with serving() as address:
        costs = measure(address)
        long = read("cadenza", address, LONG)
    versions = {name: version(name) for name in ("aiohttp", "msgspec", "openai", "anthropic", "google-genai")}
    found = Found(platform.python_version(), versions, ROUNDS, costs, long["peak_kb"] / long["early_kb"])
    print("\n".join(screen(found)))
    if not options.no_save:
        RESULTS.mkdir(parents=True, exist_ok=True)
        (RESULTS / "providers.json").write_text(json.dumps(asdict(found), indent=2) + "\n", encoding="utf-8")
        PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), markdown(found)), encoding="utf-8")


if __name__ == "__main__":
    main()
