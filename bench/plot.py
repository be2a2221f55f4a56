"""Horizontal bars and curves as SVG, by a few lines of our own: a picture for a README needs no plotting library."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import cycle

WIDTH, LEFT, RIGHT, TOP, STEP, BAR = 800, 290, 70, 64, 24, 14

# The picture brings its own background: a page may be dark where the reader's system is light, or the other way round.
STYLE = """
  .paper { fill: #ffffff } text { font: 13px sans-serif; fill: #1f2328 } .title { font-weight: bold }
  .name, .value, .goal-name { text-anchor: end } .bar { fill: #2f6fbb }
  .goal { stroke: #b35900; stroke-dasharray: 4 3 } .goal-name { fill: #b35900 }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117 } text { fill: #e6edf3 } .bar { fill: #589be0 }
    .goal { stroke: #e8a04c } .goal-name { fill: #e8a04c }
  }
"""


def _row(number: int, name: str, value: float, scale: float) -> str:
    top = TOP + number * STEP
    base = top + BAR - 2
    return (
        f'<text class="name" x="{LEFT - 8}" y="{base}">{escape(name)}</text>'
        f'<rect class="bar" x="{LEFT}" y="{top}" width="{value * scale:.1f}" height="{BAR}" rx="2"/>'
        f'<text class="value" x="{WIDTH - 16}" y="{base}">{value:.1f}</text>'
    )


def _goal(name: str, value: float, scale: float, bottom: int) -> str:
    x = f"{LEFT + value * scale:.1f}"
    return (
        f'<line class="goal" x1="{x}" x2="{x}" y1="{TOP - 8}" y2="{bottom}"/>'
        f'<text class="goal-name" x="{x}" y="{TOP - 14}">{escape(name)}: {value:g}</text>'
    )


def bars(title: str, values: Mapping[str, float], *, goal: float, goal_name: str = "goal for mixed text") -> str:
    """A picture with a bar for each of *values*, and a line at *goal*."""
    scale = (WIDTH - LEFT - RIGHT) / max(goal, *values.values())
    bottom = TOP + len(values) * STEP
    rows = [_row(number, name, value, scale) for number, (name, value) in enumerate(values.items())]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 12}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="paper" width="{WIDTH}" height="{bottom + 12}" rx="6"/>',
        f'<text class="title" x="16" y="26">{escape(title)}</text>',
        *rows,
        _goal(goal_name, goal, scale, bottom),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


# --- curves --------------------------------------------------------------------------------

HEIGHT, MARGIN, LEGEND = 360, 60, 170
COLOURS = ("#8b949e", "#b35900", "#2f6fbb")


@dataclass(frozen=True, slots=True)
class Curve:
    """Values that grow over time."""

    name: str
    points: tuple[tuple[float, int], ...]
    is_stepped: bool = False
    """Whether the value stays as it is until the next point."""


def _path(curve: Curve, across: float, up: float) -> str:
    bottom = HEIGHT - MARGIN
    steps = [f"M{MARGIN},{bottom}"]
    for time, value in curve.points:
        x, y = f"{MARGIN + time * across:.1f}", f"{bottom - value * up:.1f}"
        steps.append(f"H{x}V{y}" if curve.is_stepped else f"L{x},{y}")
    return "".join(steps)


def _ticks(most_time: float, most_value: int, across: float, up: float) -> Iterator[str]:
    bottom = HEIGHT - MARGIN
    for time in range(0, int(most_time) + 1, 5):
        x = f"{MARGIN + time * across:.1f}"
        yield f'<text x="{x}" y="{bottom + 20}" text-anchor="middle">{time}</text>'
    for value in range(0, most_value + 1, 2000):
        y = f"{bottom - value * up:.1f}"
        yield f'<line class="grid" x1="{MARGIN}" x2="{WIDTH - LEGEND}" y1="{y}" y2="{y}"/>'
        yield f'<text class="value" x="{MARGIN - 8}" y="{y}">{value}</text>'


def curves(title: str, values: Sequence[Curve], *, across: str, up: str) -> str:
    """A picture with a line for each of *values*; *across* and *up* say what is counted in the two directions."""
    most_time = max(time for curve in values for time, _ in curve.points)
    most_value = max(value for curve in values for _, value in curve.points)
    x_scale, y_scale = (WIDTH - MARGIN - LEGEND) / most_time, (HEIGHT - 2 * MARGIN) / most_value
    lines = [
        f'<path d="{_path(curve, x_scale, y_scale)}" fill="none" stroke="{colour}" stroke-width="2"/>'
        f'<text x="{WIDTH - LEGEND + 30}" y="{MARGIN + number * STEP}">{escape(curve.name)}</text>'
        f'<rect x="{WIDTH - LEGEND + 10}" y="{MARGIN + number * STEP - 10}" width="12" height="10" fill="{colour}"/>'
        for number, (curve, colour) in enumerate(zip(values, cycle(COLOURS), strict=False))
    ]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{STYLE}  .grid {{ stroke: #8b949e; stroke-opacity: 0.3 }}\n</style>",
        f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}" rx="6"/>',
        f'<text class="title" x="16" y="26">{escape(title)}</text>',
        f'<text x="{MARGIN}" y="{MARGIN - 12}" text-anchor="middle">{escape(up)}</text>',
        f'<text class="value" x="{WIDTH - LEGEND}" y="{HEIGHT - 18}">{escape(across)}</text>',
        *_ticks(most_time, most_value, x_scale, y_scale),
        *lines,
        "</svg>",
    ]
    return "\n".join(parts) + "\n"
