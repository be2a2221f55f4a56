"""Formulas are really drawn, and what cannot be drawn is refused in time."""

from __future__ import annotations

import time
from io import BytesIO

import pytest

from cadenza.pictures import FormulaPictures, Picture, PictureRefused

pytest.importorskip("ziamath")
pytest.importorskip("resvg_py")
Image = pytest.importorskip("PIL.Image")

DRAWN = {
    "a fraction": r"\[x = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}\]",
    "aligned": r"\[\begin{aligned} (x-y)^2 &= x^2 - 2xy + y^2 \\ &= x^2 + y^2 - 2xy \end{aligned}\]",
    "numbered": r"\[\begin{align} a &= b \tag{1} \\ c &= d \nonumber \end{align}\]",
    "cases": r"$$f(x) = \begin{cases} x & \text{if } x < 0 \\ -x & \text{otherwise} \end{cases}$$",
    "a matrix": r"$$\begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}$$",
    "an integral": r"$$\int_{-\infty}^{\infty} e^{-x^2} \, dx = \sqrt{\pi}$$.",
    "quoted": "> \\[\n> x = 1\n> \\]",
}


@pytest.mark.parametrize("source", DRAWN.values(), ids=DRAWN)
def test_a_formula_is_drawn_in_light_ink_on_a_dark_card(source: str) -> None:
    picture = FormulaPictures().picture(source)

    assert isinstance(picture, Picture), picture
    image = Image.open(BytesIO(picture.data)).convert("RGBA")
    assert (picture.width, picture.height) == image.size
    assert image.getpixel((0, 0))[3] == 0  # the corners are round
    assert image.getpixel((image.width // 2, 3)) == (0x2B, 0x2D, 0x31, 255)
    drawn = image.crop((24, 24, image.width - 24, image.height - 24)).convert("L")
    low, high = drawn.getextrema()
    assert (low < 60, high > 200) == (True, True)
    box = drawn.point(lambda value: 255 * (value > 120)).getbbox()
    assert box is not None
    assert (box[2] - box[0]) / drawn.width > 0.9  # it fills its card


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(r"\[\foo{x}\]", id="a command that is not known"),
        pytest.param(r"\[\text{速度} = 1\]", id="a character that the font does not have"),
        pytest.param(r"\[\frac{a}{\]", id="broken off"),
        pytest.param("\\[" + "{" * 40 + "}" * 40 + "\\]", id="too deep"),
        pytest.param("\\[" + "x + " * 25_000 + "x\\]", id="too long"),
        pytest.param("\\[" + "x + " * 100 + "x\\]", id="too wide"),
        pytest.param("\\[" + "x \\\\ " * 180 + "x\\]", id="too high"),
        pytest.param("\\[" + "\\hat" * 240 + "x\\]", id="accents upon accents"),
        pytest.param("\\[" + "x_1^2" * 195 + "\\]", id="as long as it may be"),
        pytest.param(r"\[\hspace{100000cm} x\]", id="space without end"),
        pytest.param(r"\[\text{<mspace width='9e9px'/>}\]", id="markup"),
        pytest.param(r"\[\mathop{x}\]", id="a size below zero"),
        pytest.param("| a | b |", id="no formula"),
        pytest.param("", id="nothing"),
    ],
)
def test_what_cannot_be_drawn_well_is_refused_in_time(source: str) -> None:
    begun = time.monotonic()
    found = FormulaPictures().picture(source)

    assert isinstance(found, PictureRefused)
    assert found.reason.endswith(".")
    assert FormulaPictures().paint(source) is None
    assert time.monotonic() - begun < 9


def test_a_formula_that_is_a_little_too_wide_is_made_smaller() -> None:
    source = r"\[x = a + b + c + d + e + f + g\]"
    whole = FormulaPictures().picture(source)
    assert isinstance(whole, Picture)
    smaller = FormulaPictures(width=whole.width // 2 - 40).picture(source)

    assert isinstance(smaller, Picture)
    assert smaller.width <= whole.width - 80
    assert isinstance(FormulaPictures(width=100).picture(source), PictureRefused)


def test_one_is_shared_if_it_is_installed() -> None:
    assert FormulaPictures.if_installed() is FormulaPictures.if_installed() is not None
