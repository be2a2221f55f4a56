"""Draw the picture: a dark card with a header, rows in two shades, and formatted text."""

from __future__ import annotations

from io import BytesIO

from PIL import Image, ImageColor, ImageDraw

from ..text.tables import Alignment
from .fonts import EMOJI, SCALE, SIZE, Fonts
from .layout import CODE_PADDING, LINE, PADDING_X, Cell, Layout, Piece

_HEADER, _EVEN, _ODD = "#1e1f22", "#2b2d31", "#313338"
_HEADER_TEXT, _TEXT, _LINK = "#f2f3f5", "#dbdee1", "#00a8fc"
_CODE, _HEADER_CODE = "#1e1f22", "#35373c"

_SHARES = {Alignment.LEFT: 0.0, Alignment.CENTRE: 0.5, Alignment.RIGHT: 1.0}
"""The share of a line's free space that is to its left."""

_RADIUS = 8 * SCALE
_CODE_RADIUS = 3 * SCALE
_BASELINE = round(LINE / 2 + 0.36 * SIZE)
"""From the top of a line; capitals are centred."""
_SLANT = 0.2
_SMOOTH = 4
"""Oversampling of the corners."""
_STEPS = 16
"""Steps of transparency in a corner; as many of the 256 colours are reserved."""
_COLOURS = 256 - _STEPS


def draw(layout: Layout, fonts: Fonts) -> Image.Image:
    """Draw *layout*, in full colour and with square corners."""
    image = Image.new("RGB", (layout.width, layout.height), _EVEN)
    pen = _Pen(image, fonts)
    top = 0
    for number, (row, height) in enumerate(zip(layout.rows, layout.heights, strict=True)):
        ground = _HEADER if number == 0 else _EVEN if number % 2 else _ODD
        pen.draw.rectangle((0, top, layout.width, top + height - 1), fill=ground)
        left = 0
        for cell, width, alignment in zip(row, layout.columns, layout.alignments, strict=True):
            pen.cell(
                cell, left + PADDING_X, top + layout.padding, width - 2 * PADDING_X, alignment, is_header=number == 0
            )
            left += width
        top += height
    return image


def encode(image: Image.Image) -> bytes:
    """A PNG of *image* in at most 256 colours, with round, transparent corners."""
    # The fastest of Pillow's methods, and the best with emoji. No background is off by more than one step.
    flat = image.quantize(_COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    palette = [*(flat.getpalette() or ()), *[0] * 3 * _COLOURS][: 3 * _COLOURS]
    flat.putpalette([*palette, *ImageColor.getrgb(_EVEN) * _STEPS])
    _round_corners(flat)
    data = BytesIO()
    flat.save(data, "PNG", transparency=bytes([255] * _COLOURS + [255 * step // _STEPS for step in range(_STEPS)]))
    return data.getvalue()


def _round_corners(image: Image.Image) -> None:
    """Make the corners of *image* transparent, with the reserved colours."""
    large = Image.new("L", (_RADIUS * _SMOOTH, _RADIUS * _SMOOTH), 0)
    ImageDraw.Draw(large).ellipse((0, 0, 2 * large.width, 2 * large.height), fill=255)
    corner = large.resize((_RADIUS, _RADIUS), Image.Resampling.BOX)
    steps = corner.point([_COLOURS + value * _STEPS // 256 for value in range(256)])
    faded = corner.point([255 * (value < 255) for value in range(256)])
    right, bottom = image.width - _RADIUS, image.height - _RADIUS
    for x, y, turn in (
        (0, 0, None),
        (right, 0, Image.Transpose.FLIP_LEFT_RIGHT),
        (0, bottom, Image.Transpose.FLIP_TOP_BOTTOM),
        (right, bottom, Image.Transpose.ROTATE_180),
    ):
        turned, mask = (part if turn is None else part.transpose(turn) for part in (steps, faded))
        image.paste(turned, (x, y), mask)


class _Pen:
    """Draws cells onto an image."""

    def __init__(self, image: Image.Image, fonts: Fonts) -> None:
        self._image = image
        self._fonts = fonts
        self.draw = ImageDraw.Draw(image)

    def cell(self, cell: Cell, left: int, top: int, width: int, alignment: Alignment, *, is_header: bool) -> None:
        """Draw *cell* in a space of *width*."""
        for number, line in enumerate(cell.lines):
            # Right-to-left text is aligned to the right, unless its column has an alignment.
            share = 1.0 if alignment is Alignment.LEFT and not cell.rightwards else _SHARES[alignment]
            x = left + share * (width - line.width)
            y = top + number * LINE
            self._code_grounds(line.pieces, x, y, fill=_HEADER_CODE if is_header else _CODE)
            for piece in line.pieces:
                self._piece(piece, round(x + piece.x), y, cell, colour=_HEADER_TEXT if is_header else _TEXT)

    def _code_grounds(self, pieces: tuple[Piece, ...], left: float, top: int, *, fill: str) -> None:
        """Draw the background of code: one for adjacent pieces."""
        start: float | None = None
        for piece, after in zip(pieces, [*pieces[1:], None], strict=False):
            if piece.style.code:
                start = piece.x if start is None else start
                if after is None or not after.style.code:
                    box = (
                        round(left + start - CODE_PADDING),
                        top + SCALE,
                        round(left + piece.x + piece.width + CODE_PADDING) - 1,
                        top + LINE - SCALE,
                    )
                    self.draw.rounded_rectangle(box, _CODE_RADIUS, fill=fill)
                    start = None

    def _piece(self, piece: Piece, x: int, top: int, cell: Cell, *, colour: str) -> None:
        style, font = piece.style, piece.font
        colour = _LINK if style.link else colour
        baseline = top + _BASELINE
        if font.is_emoji:
            picture = self._fonts.emoji(piece.text, font)
            self._image.paste(picture, (x, top + (LINE - EMOJI) // 2), picture)
        elif font.slanted:
            self._slanted(piece, x, top, cell, colour)
        else:
            self._text(self.draw, piece, (x, baseline), cell, colour)
        end = x + round(piece.width)
        if style.underline:
            self.draw.rectangle((x, baseline + 2 * SCALE, end, baseline + 3 * SCALE - 1), fill=colour)
        if style.strike:
            middle = baseline - round(0.3 * SIZE)
            self.draw.rectangle((x, middle, end, middle + SCALE - 1), fill=colour)

    def _text(
        self, pen: ImageDraw.ImageDraw, piece: Piece, place: tuple[int, int], cell: Cell, colour: str | int
    ) -> None:
        """Write *piece* with the left end of its baseline at *place*."""
        pen.text(
            place,
            piece.text,
            colour,
            piece.font.pillow,
            anchor="ls",
            stroke_width=piece.font.stroke,
            direction=("ltr" if cell.rightwards else "rtl") if self._fonts.shapes else None,
            language=cell.language if self._fonts.shapes else None,
        )

    def _slanted(self, piece: Piece, x: int, top: int, cell: Cell, colour: str) -> None:
        """Draw upright text and shear it."""
        mask = Image.new("L", (round(piece.width) + SIZE, LINE), 0)
        self._text(ImageDraw.Draw(mask), piece, (SIZE // 2, _BASELINE), cell, 255)
        mask = mask.transform(
            mask.size, Image.Transform.AFFINE, (1, _SLANT, -_SLANT * _BASELINE, 0, 1, 0), Image.Resampling.BICUBIC
        )
        self._image.paste(colour, (x - SIZE // 2, top), mask)
