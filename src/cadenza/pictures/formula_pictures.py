"""Paint formulas: LaTeX in, a PNG out, or the reason why there is none. Needs the extra ``math``.

``ziamath`` lays the formula out, in pure Python and with a font of its own; ``resvg`` turns its outlines into pixels.
A formula is drawn at twice the size at which Discord shows it, on the same dark card as a table.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING, Self

from ..text.formulas import parse
from .paint import Picture, PictureRefused

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from ziamath.zmath import Latex

_CARD, _INK = "#2b2d31", "#dbdee1"
_SCALE = 2
_SIZE = 18 * _SCALE
_PADDING = 12 * _SCALE
_RADIUS = 8 * _SCALE
_SMALLEST = 0.65
"""A formula that is too wide is made smaller, but not below this share of its size."""
_LONGEST = 1000
_DEEPEST = 16

_UNSEEN = re.compile(r"\\label\{[^{}]*\}|\\(?:nonumber|notag)(?![A-Za-z])")
_NUMBER = re.compile(r"\\tag\*?\{([^{}]*)\}")
_ALIGNED = re.compile(r"\\(begin|end)\{(?:align|flalign|eqnarray)\*?\}")
_NESTING = re.compile(r"(?<!\\)[{}]|\\(?:begin|end|left|right)(?![A-Za-z])")


class FormulaPictures:
    """Makes pictures of formulas. Thread-safe."""

    def __init__(self, *, width: int = 700, height: int = 1250) -> None:
        """A picture is at most *width* by *height* CSS pixels, and has twice as many each way."""
        self._width = width * _SCALE
        self._height = height * _SCALE
        self._lock = Lock()  # the fonts of ziamath cache, and are not thread-safe

    @classmethod
    @lru_cache(maxsize=1)
    def if_installed(cls) -> Self | None:
        """A shared instance, if ziamath and resvg are installed."""
        with suppress(Exception):  # a broken stand-in may have no spec
            return cls() if find_spec("ziamath") and find_spec("resvg_py") else None
        return None

    def paint(self, source: str, /) -> bytes | None:
        """A PNG of the formula *source*, or ``None``. Never raises."""
        result = self.picture(source)
        return result.data if isinstance(result, Picture) else None

    def picture(self, source: str, /) -> Picture | PictureRefused:
        """A picture of the formula *source*, marks included, or why there is none. Never raises."""
        formula = parse(source)
        if formula is None:
            return PictureRefused("This is no formula.")
        if len(formula.latex) > _LONGEST or _depth(formula.latex) > _DEEPEST:
            return PictureRefused("The formula is too long, or nested too deeply.")
        try:
            from resvg_py import svg_to_bytes  # noqa: PLC0415  # an extra
            from ziamath.zmath import Latex  # noqa: PLC0415
        except Exception as error:  # noqa: BLE001  # they may be broken
            return PictureRefused(f"ziamath or resvg-py is not installed ({error}); both come with cadenza[math].")
        try:
            with self._lock:
                laid_out = Latex(_prepared(formula.latex), size=_SIZE, color=_INK)
                if unknown := _unknown(laid_out):
                    return PictureRefused(f"The formula has something that cannot be drawn: {unknown}.")
                drawing = laid_out.svgxml()
            size = self._fitted(float(drawing.get("width", 0)), float(drawing.get("height", 0)))
            if size is None:
                return PictureRefused("The formula is too large, or there is nothing to see.")
            width, height = (round(side) + 2 * _PADDING for side in size)
            card = _on_card(drawing, size, (width, height))
            return Picture(svg_to_bytes(svg_string=card, skip_system_fonts=True), width, height)
        except Exception as error:  # noqa: BLE001  # after any failure the formula is sent as text
            return PictureRefused(f"The picture could not be made: {error!r}.")

    def _fitted(self, width: float, height: float) -> tuple[float, float] | None:
        """The size at which a formula is drawn; ``None`` if it would be unreadable."""
        if width <= 0 or height <= 0:
            return None
        share = min(1.0, (self._width - 2 * _PADDING) / width, (self._height - 2 * _PADDING) / height)
        return (width * share, height * share) if share >= _SMALLEST else None


def _depth(latex: str) -> int:
    """How deeply the groups and environments of *latex* are nested."""
    depth = deepest = 0
    for mark in _NESTING.finditer(latex):
        depth += 1 if mark.group() in ("{", "\\begin", "\\left") else -1
        deepest = max(deepest, depth)
    return deepest


def _prepared(latex: str) -> str:
    """*latex* with what ziamath does not know put in other words."""
    latex = _NUMBER.sub(r"\\qquad \\text{(\1)}", _UNSEEN.sub("", latex))
    return _ALIGNED.sub(r"\\\1{aligned}", latex).replace("\\operatorname*", "\\operatorname")


def _unknown(formula: Latex) -> str:
    """A command that was not understood, or a character that the font does not have; empty if there is none."""
    text = "".join(formula.mathml.itertext())
    if "\\" in text:
        return "a command"
    return next(
        (character for character in text if not character.isspace() and not formula.font.glyphindex(character)), ""
    )


def _on_card(drawing: Element, size: tuple[float, float], card: tuple[int, int]) -> str:
    """The SVG of *drawing* on a card with round corners."""
    from xml.etree.ElementTree import tostring  # noqa: PLC0415  # ziamath has imported it

    for name, value in zip(("x", "y", "width", "height"), (_PADDING, _PADDING, *size), strict=True):
        drawing.set(name, f"{value:.2f}")
    width, height = card
    ground = f'<rect width="{width}" height="{height}" rx="{_RADIUS}" fill="{_CARD}"/>'
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">'
    return f"{opening}{ground}{tostring(drawing, encoding='unicode')}</svg>"
