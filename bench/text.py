"""What a token costs: ``make bench``.

Streams made-up documents in tokens of four characters through the whole pure half (round, buffer, rules, composer) and
prints, for each: nanoseconds a token, the same as a multiple of an empty method call measured in the same run (so that
machines can be compared), and megabytes a second. Read the ratios; the times are this machine's at this moment.

    python bench/text.py [--seed N] [--degree N]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from random import Random

from cadenza.pipeline import text_row
from cadenza.settings import Settings
from cadenza.stages.s4_round import Round
from cadenza.types import Finished, Persona, Scene, TextDelta

TOKEN = 4
ROUNDS = 5


class _Empty:
    def call(self) -> None:
        """Do nothing: the yardstick."""


def _words(dice: Random, count: int) -> str:
    return " ".join("".join(dice.choices("etaoinshrdlu", k=dice.randint(2, 9))) for _ in range(count))


def _sentence(dice: Random) -> str:
    return _words(dice, dice.randint(4, 18)).capitalize() + dice.choice([". ", ". ", "! ", "? "])


def _chatty(dice: Random) -> str:
    return _sentence(dice) + dice.choice([":) ", "", "lol ", '27" ', "**really** "]) + "\n"


def _prose(dice: Random) -> str:
    return "".join(_sentence(dice) for _ in range(dice.randint(5, 12))) + "\n\n"


def _list(dice: Random) -> str:
    return "".join(f"- **{_words(dice, 2)}**: {_sentence(dice)}\n" for _ in range(6)) + "\n"


def _code(dice: Random) -> str:
    body = "".join(f"    {_words(dice, 1)} = f({_words(dice, 1)}, [1, 2])\n" for _ in range(15))
    return f"{_sentence(dice)}\n```py\n{body}```\n"


def _japanese(dice: Random) -> str:
    return (
        "".join(dice.choices("あいうえおかきくけこ漢字文章例", k=dice.randint(10, 40))) + dice.choice("。、！") + "\n"
    )


def _table(dice: Random) -> str:
    rows = "".join(f"| {_words(dice, 2)} | {dice.randint(0, 99)} |\n" for _ in range(8))
    return f"| name | count |\n|---|---|\n{rows}\n"


def _mixed(dice: Random) -> str:
    return dice.choice([_chatty, _prose, _list, _code, _japanese, _table])(dice)


def document(make: Callable[[Random], str], size: int, seed: int) -> str:
    """A document of *size* characters."""
    dice = Random(seed)
    parts: list[str] = []
    length = 0
    while length < size:
        parts.append(make(dice))
        length += len(parts[-1])
    return "".join(parts)[:size]


def documents(seed: int) -> dict[str, str]:
    """What is measured, by name."""
    return {
        "chatty 10 kB": document(_chatty, 10_000, seed),
        "prose 10 kB": document(_prose, 10_000, seed),
        "lists 10 kB": document(_list, 10_000, seed),
        "code 10 kB": document(_code, 10_000, seed),
        "Japanese 10 kB": document(_japanese, 10_000, seed),
        "tables 10 kB": document(_table, 10_000, seed),
        "one code block 15 kB": "```py\n" + document(lambda dice: _words(dice, 6) + "\n", 15_000, seed) + "```",
        "open bracket 100 kB": "(" + document(_prose, 100_000, seed).replace("\n\n", " "),
        "mixed 10 kB": document(_mixed, 10_000, seed),
        "mixed 100 kB": document(_mixed, 100_000, seed),
        "mixed 1 MB": document(_mixed, 1_000_000, seed),
    }


def seconds_for(text: str, degree: int) -> float:
    """How long it takes to stream *text*: the best of some rounds, for the rest is noise."""
    settings = Settings.of(degree=degree)
    tokens = [TextDelta(text[start : start + TOKEN]) for start in range(0, len(text), TOKEN)]
    best = float("inf")
    for _ in range(ROUNDS if len(text) < 500_000 else 2):
        round_ = Round(text_row(Scene("", Persona("Ren")), settings, Random(0)))
        begin = time.perf_counter()
        for token in tokens:
            round_.receive(token)
        round_.receive(Finished())
        best = min(best, time.perf_counter() - begin)
    return best


def seconds_for_a_call() -> float:
    """How long an empty method call takes."""
    empty, calls = _Empty(), range(1_000_000)
    best = float("inf")
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        for _ in calls:
            empty.call()
        best = min(best, time.perf_counter() - begin)
    return best / len(calls)


def main() -> None:
    """Measure everything and print a table."""
    parser = argparse.ArgumentParser(description="What a token costs.")
    parser.add_argument("--seed", type=int, default=1, help="where the dice for the documents start")
    parser.add_argument("--degree", type=int, default=1, choices=range(4), help="how the text is split")
    options = parser.parse_args()
    call = seconds_for_a_call()
    print(f"an empty method call: {call * 1e9:.0f} ns; tokens of {TOKEN} characters; degree {options.degree}\n")
    print(f"{'document':24}{'ns/token':>10}{'calls/token':>13}{'MB/s':>8}")
    for name, text in documents(options.seed).items():
        per_token = seconds_for(text, options.degree) / (len(text) / TOKEN)
        speed = len(text.encode()) / (per_token * len(text) / TOKEN) / 1e6
        print(f"{name:24}{per_token * 1e9:10.0f}{per_token / call:13.1f}{speed:8.1f}")


if __name__ == "__main__":
    main()
