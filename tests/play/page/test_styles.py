"""The styles: both themes are readable, and the page has them all."""

from __future__ import annotations

import re

import pytest

from cadenza.play import page

_COLOUR = re.compile(r"--([a-z0-9-]+): (#[0-9a-f]{6});")
GROUNDS = ("ground", "ground-2", "ground-3", "hover")
PAIRS = [
    *((ink, ground) for ink in ("ink", "ink-2", "accent", "good", "warn", "bad") for ground in GROUNDS),
    ("accent-ink", "accent"),
    ("mention-ink", "mention"),
    ("ink", "pinging"),
    ("ink-2", "pinging"),
    *(("on-m", f"m{number}") for number in range(6)),
    *((f"m{number}", ground) for number in range(6) for ground in ("ground", "ground-2")),
]


def _themes() -> dict[str, dict[str, str]]:
    sheets = [
        re.findall(r":root[^{]*\{([^}]*)\}", page.asset(name).decode())[:3] for name in ("base.css", "inside.css")
    ]
    light, by_system, dark = (dict(_COLOUR.findall("".join(bodies))) for bodies in zip(*sheets, strict=True))
    return {"light": light, "dark by the system": light | by_system, "dark by hand": light | dark}


def _brightness(colour: str) -> float:
    """What WCAG calls relative luminance."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", ["light", "dark by the system", "dark by hand"])
def test_words_stand_out_from_what_they_are_on(theme: str) -> None:
    colours = _themes()[theme]

    faint = {}
    for ink, ground in PAIRS:
        low, high = sorted((_brightness(colours[ink]), _brightness(colours[ground])))
        if (contrast := (high + 0.05) / (low + 0.05)) < 4.5:
            faint[ink, ground] = round(contrast, 2)

    assert faint == {}


def test_both_ways_to_the_dark_theme_are_the_same() -> None:
    themes = _themes()

    assert themes["dark by the system"] == themes["dark by hand"] != themes["light"]


@pytest.mark.skipif("index.html" not in page.names(), reason="there is no live page here")
def test_the_live_page_has_every_sheet() -> None:
    linked = re.findall(r'href="/page/([a-z_]+\.css)"', page.asset("index.html").decode())

    assert sorted(name for name in page.names() if name.endswith(".css")) == sorted(linked)
