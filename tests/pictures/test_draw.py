"""What is drawn, looked at pixel by pixel."""

from __future__ import annotations

from io import BytesIO
from itertools import pairwise

import pytest
from PIL import Image, ImageChops

from cadenza.pictures.draw import draw, encode
from cadenza.pictures.fonts import SCALE, Fonts
from cadenza.pictures.layout import LINE, PADDING_X, PADDING_Y, lay_out
from cadenza.text.tables import Alignment, Table
from tests.pictures.fonts_here import table

LATIN = Fonts((), ())
HEADER, EVEN, ODD, CODE, LINK = (
    (0x1E, 0x1F, 0x22),
    (0x2B, 0x2D, 0x31),
    (0x31, 0x33, 0x38),
    (0x1E, 0x1F, 0x22),
    (0, 0xA8, 0xFC),
)


def _drawn(source: Table, fonts: Fonts = LATIN) -> Image.Image:
    return draw(lay_out(source, fonts, preferred=1100, widest=1400, highest=5000), fonts)


def _cell(picture: Image.Image, row: int = 1) -> Image.Image:
    """The text of a row of a table with one column and one line a row."""
    top = row * (LINE + 2 * PADDING_Y)
    return picture.crop((0, top, picture.width, top + LINE + 2 * PADDING_Y))


def _ink(picture: Image.Image) -> tuple[int, int, int, int]:
    """What is not ground: left, top, right, bottom."""
    ground = Image.new("RGB", picture.size, picture.getpixel((0, 0)))
    return ImageChops.difference(picture, ground).getbbox() or (0, 0, 0, 0)


def _colours(picture: Image.Image) -> set[object]:
    return {colour for _, colour in picture.getcolors(1 << 20) or ()}


def test_rows_have_their_grounds() -> None:
    picture = _drawn(table("a", "b", "c", "d"))

    assert [HEADER, EVEN, ODD, EVEN] == [_cell(picture, row).getpixel((2, 2)) for row in range(4)]


@pytest.mark.parametrize("cell", ["x", "**x**", "*x*", "`x`", "~~x~~", "__x__", "[x](https://a.example)"])
def test_nothing_is_clipped_or_touches_the_edge(cell: str) -> None:
    left, top, right, bottom = _ink(_cell(_drawn(table("header", cell))))

    assert PADDING_X - 2 <= left < right <= _drawn(table("header", cell)).width - PADDING_X + 2
    assert PADDING_Y <= top < bottom <= LINE + PADDING_Y + 1


def test_text_stands_where_its_column_says() -> None:
    left, centre, right = (_ink(_cell(_drawn(table("a long header", "x", alignment=how)))) for how in Alignment)
    width = _drawn(table("a long header", "x")).width

    assert abs(left[0] - PADDING_X) <= 3
    assert abs(centre[0] + centre[2] - width) <= 3
    assert abs(width - PADDING_X - right[2]) <= 3


def test_all_looks_stand_on_one_baseline() -> None:
    bottoms = {_ink(_cell(_drawn(table("header", cell))))[3] for cell in ("x", "**x**", "*x*", "x **x** *x*")}

    assert max(bottoms) - min(bottoms) <= 1


def test_bold_is_thicker_and_italic_leans() -> None:
    plain, bold, italic = (_cell(_drawn(table("header", cell))).convert("L") for cell in ("l", "**l**", "*l*"))

    def ink(picture: Image.Image) -> int:
        return sum(value > 100 for value in picture.tobytes())

    assert ink(plain) < ink(bold)
    left, _, right, _ = _ink(plain.convert("RGB"))
    leaning_left, _, leaning_right, _ = _ink(italic.convert("RGB"))
    assert right - left < leaning_right - leaning_left
    assert leaning_right > right


@pytest.mark.parametrize(
    ("cell", "top", "bottom"),
    [
        pytest.param("__l            l__", 0.75, 1.0, id="under"),
        pytest.param("~~l            l~~", 0.4, 0.65, id="through"),
    ],
)
def test_lines_are_drawn_under_and_through(cell: str, top: float, bottom: float) -> None:
    def between(picture: Image.Image) -> Image.Image:
        """What stands in the middle, between the two letters."""
        return picture.crop((picture.width // 2 - 4, PADDING_Y, picture.width // 2 + 4, PADDING_Y + LINE))

    ink = _ink(between(_cell(_drawn(table("h", cell)))))

    assert (0, 0, 0, 0) == _ink(between(_cell(_drawn(table("h", cell[2:-2])))))
    assert (0, 8, SCALE) == (ink[0], ink[2], ink[3] - ink[1])
    assert top * LINE <= ink[1] < ink[3] <= bottom * LINE


def test_links_have_their_colour() -> None:
    assert LINK in _colours(_cell(_drawn(table("header", "[xxxx](https://a.example)"))))
    assert LINK not in _colours(_cell(_drawn(table("header", "xxxx"))))


def test_code_has_one_ground_for_all_its_pieces() -> None:
    picture = _cell(_drawn(table("header", "x `y`**`z`** `w` x")))
    middle = [picture.getpixel((x, PADDING_Y + 2 * SCALE)) == CODE for x in range(picture.width)]

    assert 4 == sum(before != after for before, after in pairwise(middle))


def test_code_in_a_header_can_be_told_from_it() -> None:
    assert (0x35, 0x37, 0x3C) in _colours(_cell(_drawn(table("`code`")), 0))


def test_where_letters_are_not_joined_text_is_drawn_all_the_same() -> None:
    fonts = Fonts((), ())
    fonts.shapes = False

    assert _ink(_cell(_drawn(table("header", "x"), fonts))) != (0, 0, 0, 0)


def test_a_png_has_round_corners_and_its_colours() -> None:
    drawn = _drawn(table("**bold** | `code`", "*a* | [b](https://a.example)", "c | d"))

    image = Image.open(BytesIO(encode(drawn)))

    assert ("PNG", "P", drawn.size) == (image.format, image.mode, image.size)
    full = image.convert("RGBA")
    right, bottom = full.width - 1, full.height - 1
    assert [0] * 4 == [full.getpixel(corner)[3] for corner in ((0, 0), (right, 0), (0, bottom), (right, bottom))]  # type: ignore[index]
    assert 255 == full.getpixel((right // 2, 0))[3] == full.getpixel((0, bottom // 2))[3]  # type: ignore[index]
    steps = {full.getpixel((x, y))[3] for x in range(16) for y in range(16)}  # type: ignore[index]
    assert len(steps) > 4
    difference = ImageChops.difference(full.convert("RGB"), drawn).crop((16, 16, right - 16, bottom - 16))
    assert max(high for _, high in difference.getextrema()) <= 12  # type: ignore[misc]


def test_the_same_picture_is_the_same_bytes() -> None:
    assert encode(_drawn(table("a | b", "c | d"))) == encode(_drawn(table("a | b", "c | d")))
