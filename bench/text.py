"""What a token costs: ``make bench``.

Streams made-up documents in tokens of four characters through the whole pure half (round, buffer, rules, composer) and
prints, for each: what a token costs as a multiple of an empty method call (so that machines can be compared), the same
in nanoseconds, megabytes a second, and the most memory held at once. Read the calls; the times are this machine's at
this moment.

How it is measured, so that a busy machine shows little: a document is timed in stretches of about a millisecond, each
followed by as short a run of empty calls, and all documents take turns in every round. Of each stretch, and of the
calls beside it, the best of all rounds counts; a document is the sum of its stretches, and a call the mean of all
places. So the figures are a ratio of minima, and both sides had the same chances. Minima of whole documents are worse:
a long one is never left in peace for as long as it takes, a short one is, and the difference looks like growth. Medians
of the ratio in each round are worse too: where something else runs most of the time, they measure that.

Memory comes from a pass of its own, because tracing slows everything down: the peak minus what was there before. The
tokens are cut off one by one as they are needed, and the posts are dropped as they come; the round's own record of what
was said is counted.

    python bench/text.py [--seed N | --fresh] [--degree N] [--no-save | --json FILE | --traced | --profile NAME]

A run with the default seed and degree writes ``bench/results/`` and the table in docs/cost.md; any other run writes only
what ``--json`` names. A fresh seed gives documents that nobody has tuned for. ``--traced`` measures every document also
with a hook for facts that keeps none of them.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import platform
import pstats
import time
import tracemalloc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random, SystemRandom
from statistics import mean
from typing import NamedTuple

from cadenza.explain.recorder import Trace
from cadenza.replies.pipeline import text_row
from cadenza.settings import Settings
from cadenza.stages.s4_round import Round
from cadenza.types import Finished, Persona, Scene, TextDelta
from corpus import documents
from report import Results, Row, dump, save, screen

TOKEN = 4
ROUNDS = 15
STRETCH = 2_000
"""Characters that are timed at once: long enough for the clock, short enough to fit between two interruptions."""
CALLS = 10_000
"""Empty calls that are timed at once, likewise."""
SEED, DEGREE = 1, 1


class _Empty:
    def call(self) -> None:
        """Do nothing: the yardstick."""


class Stretch(NamedTuple):
    """The seconds that a stretch of a document took, and those of an empty call right after it."""

    seconds: float
    call: float


def tokens(text: str) -> Iterator[TextDelta]:
    """*text* as a model sends it, cut as it is asked for."""
    return (TextDelta(text[start : start + TOKEN]) for start in range(0, len(text), TOKEN))


def fresh_round(degree: int, trace: Trace | None = None) -> Round:
    """A round that has heard nothing yet."""
    settings = Settings.of(degree=degree, flood_limit=1_000_000)
    return Round(text_row(Scene("", Persona("Ren")), settings, Random(0), trace=trace))


def fresh_trace() -> Trace:
    """A trace whose hook keeps nothing."""
    return Trace(lambda _: None, "bench", clock=float)


def feed(round_: Round, chunks: Iterable[TextDelta | Finished], trace: Trace | None = None) -> None:
    """Let *round_* receive all *chunks*, and *trace* hear them first, as the reader of a reply does."""
    if trace is None:
        for chunk in chunks:
            round_.receive(chunk)
        return
    for chunk in chunks:
        trace.heard(chunk)
        round_.receive(chunk)


def seconds_for_a_call() -> float:
    """How long an empty method call takes."""
    empty, calls = _Empty(), range(CALLS)
    begin = time.perf_counter()
    for _ in calls:
        empty.call()
    return (time.perf_counter() - begin) / CALLS


def stretches(text: str, degree: int, trace: Trace | None = None) -> list[Stretch]:
    """Stream *text* once, and time it stretch by stretch."""
    round_, timed = fresh_round(degree, trace), []
    for start in range(0, len(text), STRETCH):
        chunks: list[TextDelta | Finished] = [*tokens(text[start : start + STRETCH])]
        if start + STRETCH >= len(text):
            chunks.append(Finished())
        begin = time.perf_counter()
        feed(round_, chunks, trace)
        seconds = time.perf_counter() - begin
        timed.append(Stretch(seconds, seconds_for_a_call()))
    return timed


def best(runs: Sequence[Sequence[Stretch]]) -> list[Stretch]:
    """The least that each stretch of a document took in any of the *runs*, and so the calls."""
    return [
        Stretch(min(one.seconds for one in same), min(one.call for one in same)) for same in zip(*runs, strict=True)
    ]


def peak_bytes(text: str, degree: int) -> int:
    """The most memory held at once while *text* is streamed, without what was there before."""
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        round_ = fresh_round(degree)
        feed(round_, tokens(text))
        feed(round_, [Finished()])
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def row(name: str, text: str, *, seconds: float, call: float, peak: int) -> Row:
    """The figures for *text*."""
    count, size = -(-len(text) // TOKEN), len(text.encode())
    return Row(
        name=name,
        size=size,
        tokens=count,
        ns_per_token=round(seconds / count * 1e9, 1),
        calls_per_token=round(seconds / count / call, 2),
        mb_per_s=round(size / seconds / 1e6, 2),
        peak_kb=round(peak / 1000, 1),
    )


def measure(texts: Mapping[str, str], *, degree: int = DEGREE, seed: int = SEED, rounds: int = ROUNDS) -> Results:
    """Measure all *texts*, in turns."""
    runs: dict[str, list[list[Stretch]]] = {name: [] for name in texts}
    for _ in range(rounds):
        for name, text in texts.items():
            gc.collect()  # what the last document left behind is not this one's cost
            runs[name].append(stretches(text, degree))
    bests = {name: best(of_document) for name, of_document in runs.items()}
    call = mean(one.call for of_document in bests.values() for one in of_document)
    rows = tuple(
        row(name, text, seconds=sum(one.seconds for one in bests[name]), call=call, peak=peak_bytes(text, degree))
        for name, text in texts.items()
    )
    return Results(platform.python_version(), seed, degree, TOKEN, rounds, round(call * 1e9, 1), rows)


def trace_costs(texts: Mapping[str, str], *, degree: int = DEGREE, rounds: int = ROUNDS) -> dict[str, float]:
    """How many times as much each of *texts* costs with a hook for facts as without one, measured in turns."""
    plain: dict[str, list[list[Stretch]]] = {name: [] for name in texts}
    traced: dict[str, list[list[Stretch]]] = {name: [] for name in texts}
    for _ in range(rounds):
        for name, text in texts.items():
            plain[name].append(stretches(text, degree))
            traced[name].append(stretches(text, degree, fresh_trace()))
    sums = [{name: sum(one.seconds for one in best(runs)) for name, runs in each.items()} for each in (plain, traced)]
    return {name: sums[1][name] / sums[0][name] for name in texts}


def profile(text: str, degree: int) -> None:
    """Print the 25 functions that take most of the time of *text*."""
    round_ = fresh_round(degree)
    chunks: list[TextDelta | Finished] = [*tokens(text), Finished()]
    with cProfile.Profile() as profiler:
        feed(round_, chunks)
    pstats.Stats(profiler).strip_dirs().sort_stats("tottime").print_stats(25)


def seed_of(text: str) -> int:
    """The number that *text* says, or a new one for ``random``."""
    return SystemRandom().randrange(1_000_000) if text == "random" else int(text)


def _options() -> tuple[argparse.ArgumentParser, argparse.Namespace]:
    parser = argparse.ArgumentParser(description="What a token costs.")
    seed = parser.add_mutually_exclusive_group()
    seed.add_argument("--seed", type=seed_of, default=SEED, help="where the dice for the documents start, or: random")
    seed.add_argument("--fresh", action="store_true", help="the same as --seed random")
    parser.add_argument("--degree", type=int, default=DEGREE, choices=range(4), help="how the text is split")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--no-save", action="store_true", help="write nothing")
    what.add_argument("--json", type=Path, metavar="FILE", help="write the figures to FILE and nothing else")
    what.add_argument(
        "--traced", action="store_true", help="how much more it costs with a hook for facts; writes nothing"
    )
    what.add_argument("--profile", metavar="NAME", help="print the costliest functions for one document instead")
    return parser, parser.parse_args()


def _keep(results: Results, options: argparse.Namespace) -> str:
    """Write what is to be written, and say so."""
    if options.json:
        options.json.write_text(dump(results), encoding="utf-8")
        return f"written: {options.json}"
    if options.no_save or (results.seed, results.degree) != (SEED, DEGREE):
        return "nothing written"
    save(results)
    return "written: bench/results/text.json, bench/results/text.svg and the table in docs/cost.md"


def main() -> None:
    """Measure everything, print a table and keep it; or profile one document."""
    parser, options = _options()
    seed: int = seed_of("random") if options.fresh else options.seed
    texts = documents(seed)
    if options.profile:
        name = next((name for name in texts if name.startswith(options.profile)), None)
        if not name:
            parser.error(f"no document begins with {options.profile!r}; there are: {', '.join(texts)}")
        print(f"{name}, seed {seed}, degree {options.degree}")
        profile(texts[name], options.degree)
        return
    print(f"seed {seed}: {len(texts)} documents in {ROUNDS} rounds, about half a minute ...\n", flush=True)
    if options.traced:
        costs = trace_costs(texts, degree=options.degree)
        print("\n".join(f"{name:36} {cost:5.2f} times as much with a hook" for name, cost in costs.items()))
        return
    results = measure(texts, degree=options.degree, seed=seed)
    print("\n".join(screen(results)))
    print(f"\n{_keep(results, options)}")


if __name__ == "__main__":
    main()
