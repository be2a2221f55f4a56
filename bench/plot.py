"""Horizontal bars as SVG, by a few lines of our own: a picture for a README needs no plotting library."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

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


def _goal(value: float, scale: float, bottom: int) -> str:
    x = f"{LEFT + value * scale:.1f}"
    return (
        f'<line class="goal" x1="{x}" x2="{x}" y1="{TOP - 8}" y2="{bottom}"/>'
        f'<text class="goal-name" x="{x}" y="{TOP - 14}">goal for mixed text: {value:g}</text>'
    )


def bars(title: str, values: Mapping[str, float], *, goal: float) -> str:
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
        _goal(goal, scale, bottom),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"
