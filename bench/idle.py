"""How long a bot takes to start, and what it costs while nobody talks to it: part of ``make bench``.

The bot runs as people run it, ``cadenza run --sim``, in a process of its own: its start is the time from there to the
line that says that it is ready. Then nobody says anything, and its memory and processor time are looked at.

The simulated Discord runs in the same process, and counts.

    python bench/idle.py [--no-save] [--rounds N] [--seconds N]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from report import RESULTS, ROOT, Goal, with_table

PAGE = ROOT / "docs" / "bot" / "running.md"
COMMAND = (sys.executable, "-m", "cadenza", "run", "--sim")
READY = "is ready"
ROUNDS, SECONDS = 5, 10.0
START, MEMORY = 3.0, 150.0
"""Goals: seconds until it is ready, and megabytes when it is idle."""
_PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class Found:
    """A whole run; the medians of its rounds."""

    python: str
    rounds: int
    idle: float
    """Seconds for which nobody said anything."""
    start: float
    """Seconds until it was ready."""
    memory: float
    """Megabytes that were resident then."""
    memory_after: float
    """And after it was idle."""
    processor: float
    """Milliseconds of processor time for each idle second."""


def measure_once(command: Sequence[str], seconds: float) -> tuple[float, float, float, float]:
    """Start a bot, wait, and end it: its start, its memory before and after, its processor time."""
    with TemporaryDirectory() as folder:
        began = time.perf_counter()
        with subprocess.Popen(  # noqa: S603  # our own command line
            command,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        ) as process:
            assert process.stdin
            assert process.stdout
            try:
                line = process.stdout.readline()
                start = time.perf_counter() - began
                assert READY in line, f"it said {line!r}"
                before, used = resident(process.pid), processor(process.pid)
                time.sleep(seconds)
                after, spent = resident(process.pid), processor(process.pid) - used
                process.stdin.close()
                assert process.wait(_PATIENCE) == 0
            finally:
                if process.poll() is None:
                    process.kill()
    return start, before, after, spent / seconds * 1000


def resident(process: int) -> float:
    """The megabytes of memory that *process* holds."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) * 1024 / 1e6


def processor(process: int) -> float:
    """The seconds of processor time that *process* has used."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(command: Sequence[str] = COMMAND, *, rounds: int = ROUNDS, seconds: float = SECONDS) -> Found:
    """Measure everything."""
    rows = [measure_once(command, seconds) for _ in range(rounds)]
    start, memory, after, spent = (median(column) for column in zip(*rows, strict=True))
    return Found(
        platform.python_version(), rounds, seconds, round(start, 2), round(memory, 1), round(after, 1), round(spent, 1)
    )


def goals(found: Found) -> list[Goal]:
    """How a run stands to what is wanted of it."""
    return [
        Goal("seconds until it is ready", found.start, START),
        Goal("megabytes when it is idle", found.memory_after, MEMORY),
    ]


def _rows(found: Found) -> list[tuple[str, str]]:
    return [
        ("until it is ready", f"{found.start:.2f} s"),
        ("memory when it is ready", f"{found.memory:.1f} MB"),
        (f"memory after {found.idle:g} idle seconds", f"{found.memory_after:.1f} MB"),
        ("processor time in an idle second", f"{found.processor:.1f} ms"),
    ]


def screen(found: Found) -> Iterator[str]:
    """The lines for a terminal."""
    for name, figure in _rows(found):
        yield f"{name:40}{figure:>12}"
    yield ""
    yield from map(str, goals(found))


def markdown(found: Found) -> str:
    """The table for the page."""
    lines = [
        "| an idle bot | found |",
        "|---|--:|",
        *(f"| {name} | {figure} |" for name, figure in _rows(found)),
        "",
        f"Python {found.python}, the median of {found.rounds} starts, with the simulated Discord in the same process.",
    ]
    return "\n".join(lines) + "\n"


def load(text: str) -> Found:
    """What ``save`` wrote."""
    return Found(**json.loads(text))


def save(found: Found, folder: Path = RESULTS, page: Path = PAGE) -> None:
    """Write figures and page."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "idle.json").write_text(json.dumps(asdict(found), indent=2) + "\n", encoding="utf-8")
    page.write_text(with_table(page.read_text(encoding="utf-8"), markdown(found)), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, show, and write down."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--no-save", action="store_true", help="write no files")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often it is started")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for how long it is idle")
    options = parser.parse_args(arguments)
    if not Path("/proc/self/status").exists():
        print("an idle bot is only measured where there is /proc, as on Linux")
        return
    found = measure(rounds=options.rounds, seconds=options.seconds)
    print("\n".join(screen(found)))
    if not options.no_save:
        save(found)


if __name__ == "__main__":
    main()
