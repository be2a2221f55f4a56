"""What the rules cost: part of ``make bench``.

Gives single segments of prose to the whole row of stage 6, in a scene with 250 server emoji and 200 known handles and
with everything switched on that can be, and prints milliseconds for 1 000 characters, and how that grows from a segment
of 1 000 characters to one of 15 000. Each figure is the best of many runs, and the texts take turns.

    python bench/rules.py [--no-save]
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from random import Random

from cadenza.rules.rule import RuleContext, Scan
from cadenza.settings import Settings
from cadenza.stages.s6_rules import rule_row
from cadenza.types import Boundary, Ending, Participant, Persona, Roster, Segment, Sprite
from corpus import sentence, words
from report import RESULTS, ROOT, Goal, with_table

PAGE = ROOT / "docs" / "pipeline" / "06-rules.md"
SHORT, LONG = 1_000, 15_000
ROUNDS = 9
LIMIT = 1.0
"""Milliseconds that 1 000 characters may cost."""
HOSTILE = "nothing but brackets"
"""Nobody writes that; it is measured because every character of it may open or close something."""
GROWTH = 1.2
"""How many times as much 1 000 characters may cost in a long segment as in a short one."""


def scene(seed: int = 1) -> RuleContext:
    """A busy server: 250 emoji, 200 handles, 20 people in the scene, and every rule on."""
    dice = Random(seed)
    emoji = {f"{words(dice, 1)}_{number}": f"<:e{number}:{10**17 + number}>" for number in range(250)}
    handles = {
        (words(dice, 1) + (f" {words(dice, 1)}" if number % 4 == 0 else str(number))): f"<@{10**17 + number}>"
        for number in range(200)
    }
    people = tuple(Participant(name.title(), (name,)) for name in list(handles)[:20])
    return RuleContext(
        Persona("Ren", ("Renny", "Ren Amamiya"), sprites=(Sprite("mad", "m"), Sprite("glad", "g"))),
        Roster(
            mentions=handles,
            emoji=emoji,
            personas={"Aki": "aki", "Shy Tomori": "tomori"},
            participants=people,
            speakers=tuple(person.name for person in people),
            recent_emoji=tuple(list(emoji)[:20]),
        ),
        Settings.of(unknown_emoji="strip", sanitise="*", unicode_spaces=True, speaker_guard=True).rules,
        prefill="Sure, here",
    )


def texts(context: RuleContext, size: int, seed: int = 2) -> dict[str, str]:
    """Segments of *size* characters, of every kind that a rule looks at."""
    names, handles = list(context.roster.emoji), list(context.roster.mentions)
    makers: Mapping[str, Callable[[Random], str]] = {
        "prose": sentence,
        "emoji in every clause": lambda dice: f"{words(dice, 3)} :{dice.choice(names)}: {words(dice, 2)} :nope: ",
        "nothing but emoji": lambda dice: f":{dice.choice(names)}:",
        "a handle in every clause": lambda dice: (
            f"{words(dice, 3)} @{dice.choice(handles)}, @nobody {words(dice, 1)}. "
        ),
        "nothing but handles": lambda dice: f"@{dice.choice(handles)} ",
        "code and addresses": lambda dice: f"`{words(dice, 1)} :x: @a` https://e.x/{words(dice, 1)} {words(dice, 2)} ",
        "lines with labels": lambda dice: f"{dice.choice(['Ren', 'Note', 'Ren (mad)', '- Ren'])}: {words(dice, 6)}\n",
        "colons": lambda dice: dice.choice([":", "::", ": ", "a:", ":a"]),
        "at signs": lambda dice: dice.choice(["@", "@@", "@ ", "a@"]),
        "brackets": lambda dice: f"{dice.choice(['[', ']', '<', '>', '[system: ', '(', ')'])}{words(dice, 1)} ",
        HOSTILE: lambda dice: dice.choice(["[", "]", "<", ">", "[system:", "(", ")"]),
        "Markdown and HTML": lambda dice: dice.choice(
            [
                f"#### {words(dice, 3)}\n",
                f"- [x] {words(dice, 4)} [^1]\n",
                f"<b>{words(dice, 3)}</b> H<sub>2</sub>O &amp; {words(dice, 2)}<br>\n",
                f"{words(dice, 4)} [{words(dice, 2)}][1] ![{words(dice, 1)}](https://e.x/a.png)\n",
            ]
        ),
        "line ends": lambda _: "\n",
        "everything": lambda dice: dice.choice(
            [
                sentence(dice),
                f":{dice.choice(names)}: ",
                f"@{dice.choice(handles)} ",
                f"`{words(dice, 1)}` ",
                f"Ren: {words(dice, 2)}\n",
                "sn·eaky ",
                "👩‍💻 ",
            ]
        ),
    }
    return {name: _of_size(make, size, Random(seed)) for name, make in makers.items()}


def _of_size(make: Callable[[Random], str], size: int, dice: Random) -> str:
    parts: list[str] = []
    length = 0
    while length < size:
        parts.append(make(dice))
        length += len(parts[-1])
    return "".join(parts)[:size]


def seconds_for(context: RuleContext, text: str) -> float:
    """How long the row takes for one segment; building the row does not count."""
    row = rule_row(replace(context, scan=Scan()))  # what was scanned in another run must not help
    begin = time.perf_counter()
    row.feed(Segment(text, Boundary.FINAL))
    row.flush(Ending.FINAL)
    return time.perf_counter() - begin


@dataclass(frozen=True, slots=True)
class Cost:
    """What one kind of text costs."""

    name: str
    short_ms: float
    """Milliseconds for 1 000 characters, in a segment of 1 000."""
    long_ms: float
    """The same, in a segment of 15 000."""

    @property
    def growth(self) -> float:
        """How many times as much a long segment costs."""
        return self.long_ms / self.short_ms if self.short_ms else 1.0


def measure(rounds: int = ROUNDS, *, short: int = SHORT, long: int = LONG) -> list[Cost]:
    """Measure every kind of text, in turns."""
    context = scene()
    best: dict[tuple[str, int], float] = {}
    for _ in range(rounds):
        for size, repeats in ((short, 5), (long, 1)):
            for name, text in texts(context, size).items():
                gc.collect()
                for _ in range(repeats):
                    seconds = seconds_for(context, text)
                    best[name, size] = min(seconds, best.get((name, size), seconds))
    names = dict.fromkeys(name for name, _ in best)
    return [
        Cost(name, round(best[name, short] * 1e6 / short, 4), round(best[name, long] * 1e6 / long, 4)) for name in names
    ]


def goals(costs: Sequence[Cost]) -> list[Goal]:
    """How *costs* stand to what is wanted: for the costliest that somebody may write, and for the one that grows most."""
    worst = max((cost for cost in costs if cost.name != HOSTILE), key=lambda cost: max(cost.short_ms, cost.long_ms))
    growing = max(costs, key=lambda cost: cost.growth)
    return [
        Goal(f"rules: {worst.name}, ms for 1 000 characters", max(worst.short_ms, worst.long_ms), LIMIT),
        Goal(f"rules: {growing.name}, 15 000 / 1 000", growing.growth, GROWTH),
    ]


def screen(costs: Sequence[Cost]) -> Iterator[str]:
    """The lines for a terminal."""
    yield f"Python {platform.python_version()}; 250 emoji, 200 handles, every rule on; ms for 1 000 characters"
    yield ""
    yield f"{'one segment of':28}{'1 000':>10}{'15 000':>10}"
    for cost in costs:
        yield f"{cost.name:28}{cost.short_ms:10.3f}{cost.long_ms:10.3f}"
    yield ""
    yield from map(str, goals(costs))


def markdown(costs: Sequence[Cost]) -> str:
    """The table for the page about the rules."""
    lines = [
        "| one segment of | ms for 1 000 characters, in a segment of 1 000 | in a segment of 15 000 |",
        "|---|--:|--:|",
        *(f"| {cost.name} | {cost.short_ms:.2f} | {cost.long_ms:.2f} |" for cost in costs),
    ]
    return "\n".join(lines) + "\n"


def save(costs: Sequence[Cost]) -> None:
    """Write the figures, and the table into the page about the rules."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "rules.json").write_text(json.dumps([asdict(cost) for cost in costs], indent=2) + "\n", encoding="utf-8")
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), markdown(costs)), encoding="utf-8")


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description="What the rules cost.")
    parser.add_argument("--no-save", action="store_true", help="write nothing")
    options = parser.parse_args()
    costs = measure()
    print(*screen(costs), sep="\n")
    if not options.no_save:
        save(costs)
        print("written: bench/results/rules.json and the table in docs/pipeline/06-rules.md")


if __name__ == "__main__":
    main()
