"""Lay out the picture of a table: choose the widths of columns and break lines.

All widths and heights are in pixels of the picture, as the fonts measure them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ..text.inline_styles import Run, runs
from ..text.line_breaks import may_break
from ..text.tables import Alignment, Table
from ..text.units import graphemes
from .fonts import EMOJI, INVISIBLE, SCALE, SIZE, Font, Fonts, Unshowable

if TYPE_CHECKING:
    import regex

LINE = 22 * SCALE
"""The height of a line."""
PADDING_X, PADDING_Y = 12 * SCALE, 8 * SCALE
"""Padding of a cell."""
TIGHT = 3 * SCALE
"""Padding above and below the text of a table that would otherwise be too tall."""
CODE_PADDING = 4 * SCALE
"""Padding of code."""

_LEGIBLE = 56 * SCALE
"""The least width of a column with broken words, about seven letters."""
_SHORT, _LONG = 88 * SCALE, 144 * SCALE
"""Shorter cells than the first are not broken; longer words than the second may be."""
_SHORT_CODE = 16
"""Code of at most this many characters is not broken."""
_NARROWEST = SIZE // 2
_LONGEST = 24_000
"""More characters do not fit into any picture."""

_SOFT = frozenset("/-_.?&=:,;+#%|\\–—")
"""Characters after which a long word is broken."""

_SPACES = frozenset(" \u200b")
"""Characters at which a line may be broken, and which are not shown there."""
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]")
_LINE_END = re.compile("\r\n|[\r\u2028\u2029]")
_SPACE = re.compile("[\t\v\f\u1680\u2000-\u2006\u2008-\u200a\u205f\u3000]")
"""Spaces of all widths; not every font has glyphs for them."""
_HALF = re.compile("[\ud800-\udfff]")
_KANA = re.compile("[\u3041-\u30ff]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_HAN = re.compile("[\u3400-\u9fff]")


class Piece(NamedTuple):
    """A part of a line in one font and style."""

    text: str
    font: Font
    style: Run
    """Its text is empty."""
    x: float
    """Distance from the left end of its line."""
    width: float


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of a cell."""

    pieces: tuple[Piece, ...]
    width: float


@dataclass(frozen=True, slots=True)
class Cell:
    """The lines of a cell."""

    lines: tuple[TextLine, ...]
    rightwards: bool
    """Whether it is read from left to right."""
    language: str | None
    """The language whose variants of shared characters are drawn."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The whole picture: the first row is the header."""

    columns: tuple[int, ...]
    """The width of each column, with padding."""
    rows: tuple[tuple[Cell, ...], ...]
    padding: int
    """Padding above and below the text of a cell."""
    alignments: tuple[Alignment, ...]
    is_broken: bool
    """Whether lines were broken to make it narrower."""

    @property
    def heights(self) -> list[int]:
        """The height of each row."""
        return [LINE * max(len(cell.lines) for cell in row) + 2 * self.padding for row in self.rows]

    @property
    def width(self) -> int:
        """The width of the picture."""
        return sum(self.columns)

    @property
    def height(self) -> int:
        """The height of the picture."""
        return sum(self.heights)


def lay_out(table: Table, fonts: Fonts, *, preferred: int, widest: int, highest: int) -> Layout:
    """Lay out *table* in the *preferred* width if possible, and never wider than *widest*."""
    if not table.header:
        reason = "The table has no columns."
        raise Unshowable(reason)
    if sum(len(cell) for row in (table.header, *table.rows) for cell in row) > _LONGEST:
        reason = "The table is too long for a picture."
        raise Unshowable(reason)
    if (1 + len(table.rows)) * (LINE + 2 * TIGHT) > highest:
        reason = f"{len(table.rows)} rows are too many for a picture."
        raise Unshowable(reason)
    texts = _Texts(table, fonts)
    layout = texts.laid_out(preferred, widest)
    if layout.is_broken:
        wider = texts.laid_out(widest, widest)
        # The smaller area wastes less space.
        if layout.height > highest or wider.width * wider.height < layout.width * layout.height:
            layout = wider
    if layout.height > highest:
        layout = replace(layout, padding=TIGHT)
    if layout.height > highest:
        reason = f"The picture would be {layout.height} pixels high."
        raise Unshowable(reason)
    return layout


class _Span(NamedTuple):
    """Characters in one font and style."""

    text: str
    font: Font
    style: Run
    width: float


class _Token(NamedTuple):
    """An unbreakable sequence of spans, or the space between two."""

    spans: tuple[_Span, ...]
    width: float
    is_space: bool


_Paragraph = list[_Token]


class _Texts:
    """The text of all cells, measured."""

    def __init__(self, table: Table, fonts: Fonts) -> None:
        self._table = table
        self._measure = _Measure(fonts)
        header = tuple(tuple(run._replace(bold=True) for run in runs(cell)) for cell in table.header)
        cells = [header, *(tuple(map(runs, row)) for row in table.rows)]
        if any(run.spoiler for row in cells for cell in row for run in cell):
            reason = "Nothing can be hidden in a picture."
            raise Unshowable(reason)
        self._words = [["".join(run.text for run in cell) for cell in row] for row in cells]
        self._language = _language("".join(word for row in self._words for word in row), None)
        self._cells = [[self._measure.paragraphs(cell) for cell in row] for row in cells]
        columns = list(zip(*self._cells, strict=True))
        self._natural = [max(map(_natural, column)) for column in columns]
        self._least = [
            min(natural, max(_SHORT, min(_LONG, max(map(_longest_word, column)))))
            for natural, column in zip(self._natural, columns, strict=True)
        ]

    def laid_out(self, preferred: int, widest: int) -> Layout:
        """Break lines to the *preferred* width, or a larger one if words would have to be broken."""
        around = 2 * PADDING_X * len(self._natural)
        room, least = _room(self._least, preferred - around, widest - around)
        columns = [self._column(*column) for column in enumerate(_shared(self._natural, least, room))]
        self._use_up(columns, room)
        rows = tuple(zip(*columns, strict=True))
        used = list(map(_used, columns))
        return Layout(
            tuple(max(_NARROWEST, _up(width)) + 2 * PADDING_X for width in used),
            rows,
            PADDING_Y,
            self._table.alignments,
            is_broken=any(used < natural for used, natural in zip(used, self._natural, strict=True)),
        )

    def _use_up(self, columns: list[list[Cell]], room: float) -> None:
        """Broken lines seldom fill their column: give the free width to columns where it saves lines."""
        lines = _lines(columns)
        used = list(map(_used, columns))
        for number in sorted(range(len(columns)), key=self._natural.__getitem__, reverse=True):
            spare = room - sum(used)
            if spare > 0 and used[number] < self._natural[number]:
                before, columns[number] = columns[number], self._column(number, used[number] + spare)
                if _lines(columns) < lines:
                    lines, used[number] = _lines(columns), _used(columns[number])
                else:
                    columns[number] = before

    def _column(self, number: int, width: float) -> list[Cell]:
        """Break the lines of a column."""
        return [
            self._measure.cell(cells[number], width, words[number], self._language)
            for cells, words in zip(self._cells, self._words, strict=True)
        ]


class _Measure:
    """Splits text into unbreakable words and puts these into lines."""

    def __init__(self, fonts: Fonts) -> None:
        self._fonts = fonts
        self._widths: dict[tuple[str, int], float] = {}

    def width(self, text: str, font: Font) -> float:
        """The width of *text*; with an emoji font, of one emoji."""
        if font.is_emoji:
            return float(EMOJI)
        key = (text, id(font))
        width = self._widths.get(key)
        if width is None:
            width = self._widths[key] = font.pillow.getlength(text) + font.stroke
        return width

    def paragraphs(self, cell: Sequence[Run]) -> list[_Paragraph]:
        """The paragraphs of a cell, at least one."""
        parts: list[list[Run]] = [[]]
        for run in cell:
            text = _clean(run.text)
            if not self._fonts.shapes:
                text = INVISIBLE.sub("", text).replace("\u00a0", " ")  # they would be drawn
            elif run.code and len(text) <= _SHORT_CODE:
                text = text.replace(" ", "\u00a0")
            first, *others = text.split("\n")
            parts[-1].append(run._replace(text=first))
            parts += [[run._replace(text=text)] for text in others]
        return [list(self._taken_apart(part)) for part in parts]

    def cell(self, paragraphs: list[_Paragraph], width: float, text: str, language: str | None) -> Cell:
        """Break *paragraphs* into lines of *width*."""
        rightwards = _is_rightwards(text)
        lines = tuple(
            self._line(spans, rightwards=rightwards)
            for paragraph in paragraphs
            for spans in self._broken(paragraph, width)
        )
        return Cell(lines, rightwards, _language(text, language))

    def _taken_apart(self, paragraph: list[Run]) -> Iterator[_Token]:
        """The words of a paragraph and the spaces between them, in order."""
        spans: list[_Span] = []
        before = ""
        font: Font | None = None
        for run in paragraph:
            style = run._replace(text="")
            for character in _characters(run.text):
                if before and _may_break(before, character):
                    yield self._token(spans, is_space=before in _SPACES)
                    spans = []
                font = self._font(character, style, before, font)
                before = character
                if spans and spans[-1].font is font and spans[-1].style == style and not font.is_emoji:
                    spans[-1] = spans[-1]._replace(text=spans[-1].text + character)
                else:
                    spans.append(_Span(character, font, style, 0.0))
        if spans:
            yield self._token(spans, is_space=before in _SPACES)

    def _font(self, character: str, style: Run, before: str, last: Font | None) -> Font:
        """The font for *character*; spaces, and neutral characters after right-to-left text, keep the previous font."""
        if last and not last.is_emoji and character[0] in last.covered:
            sticks = character in _SPACES or (_is_leftwards(before[0]) and not character[0].isalnum())
            if sticks and self._fonts.font(before, style) is last:
                return last
        return self._fonts.font(character, style, is_emoji=_is_emoji(character))

    def _token(self, spans: list[_Span], *, is_space: bool) -> _Token:
        measured = tuple(span._replace(width=self.width(span.text, span.font)) for span in spans)
        width = sum(span.width for span in measured)
        if any(span.style.code for span in spans):
            # Every word of code has padding; between two words of code there is none.
            width += -2 * CODE_PADDING if is_space else 2 * CODE_PADDING
        return _Token(measured, width, is_space)

    def _broken(self, paragraph: _Paragraph, width: float) -> Iterator[list[_Span]]:
        """The lines of a paragraph, at least one, without space at their ends."""
        line: list[_Span] = []
        used = 0.0
        space: _Token | None = None
        for token in paragraph:
            if token.is_space:
                space = token
                continue
            if line and used + (space.width if space else 0.0) + token.width > width:
                yield line
                line, used = [], 0.0
            elif line and space:
                line += space.spans
                used += space.width
            space = None
            if token.width > width:
                *parts, line = self._in_parts(token, width)
                yield from parts
                used = sum(span.width for span in line)
            else:
                line += token.spans
                used += token.width
        yield line

    def _in_parts(self, token: _Token, width: float) -> Iterator[list[_Span]]:
        """Break a word that is too long for a line, after a punctuation mark if one is near."""
        part: list[_Span] = []
        used = 0.0
        good = 0
        for text, font, style, _ in token.spans:
            room = width - 2 * CODE_PADDING if style.code else width
            for character in _characters(text):
                advance = self.width(character, font)
                if part and used + advance > room:
                    end = good or len(part)
                    yield part[:end]
                    part, good = part[end:], 0
                    used = sum(span.width for span in part)
                part.append(_Span(character, font, style, advance))
                used += advance
                if character in _SOFT and used > width / 2:
                    good = len(part)
        yield part

    def _line(self, spans: list[_Span], *, rightwards: bool) -> TextLine:
        """Join *spans* into pieces of the same style."""
        merged: list[_Span] = []
        for span in spans:
            if merged and merged[-1].font is span.font and merged[-1].style == span.style and not span.font.is_emoji:
                merged[-1] = merged[-1]._replace(text=merged[-1].text + span.text)
            else:
                merged.append(span)
        pieces: list[Piece] = []
        x = 0.0
        in_code = False
        for text, font, style, _ in merged if rightwards else reversed(merged):
            x += CODE_PADDING * (style.code != in_code)
            in_code = style.code
            width = self.width(text, font)
            pieces.append(Piece(text, font, style, x, width))
            x += width
        return TextLine(tuple(pieces), x + CODE_PADDING * in_code)


def _room(least: list[float], preferred: float, widest: float) -> tuple[float, list[float]]:
    """The width for the text of all columns together, and the least width of each."""
    room = min(max(sum(least), preferred), widest)
    if sum(least) <= room:
        return room, least
    limit = _largest(lambda limit: sum(min(width, limit) for width in least) <= room, max(least))
    if limit < _LEGIBLE:
        reason = f"{len(least)} columns are too many for a picture that can be read."
        raise Unshowable(reason)
    return room, [min(width, limit) for width in least]


def _shared(natural: list[float], least: list[float], room: float) -> list[float]:
    """The width of the text of each column, by the square root of its length.

    So a column with four times the text is twice as wide as another, and only twice as high.
    """
    if sum(natural) <= room:
        return natural

    def widths(share: float) -> list[float]:
        return [max(low, min(high, share * high**0.5)) for low, high in zip(least, natural, strict=True)]

    return widths(_largest(lambda share: sum(widths(share)) <= room, max(natural) ** 0.5))


def _used(column: list[Cell]) -> float:
    """The width of the widest line of a column."""
    return max(line.width for cell in column for line in cell.lines)


def _lines(columns: list[list[Cell]]) -> int:
    """The number of lines of all rows."""
    return sum(max(len(cell.lines) for cell in row) for row in zip(*columns, strict=True))


def _largest(fits: Callable[[float], bool], most: float) -> float:
    """Nearly the largest number up to *most* that *fits*; 0 always does."""
    low, high = 0.0, most
    for _ in range(24):
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _natural(paragraphs: Iterable[_Paragraph]) -> float:
    return max(sum(token.width for token in paragraph) for paragraph in paragraphs)


def _longest_word(paragraphs: Iterable[_Paragraph]) -> float:
    return max((token.width for paragraph in paragraphs for token in paragraph if not token.is_space), default=0.0)


def _clean(text: str) -> str:
    """*text* without control and direction characters; a lone surrogate becomes U+FFFD."""
    text = _SPACE.sub(" ", _LINE_END.sub("\n", text))
    return _HALF.sub("\ufffd", _CONTROL.sub("", text))


def _characters(text: str) -> Sequence[str]:
    """The graphemes of *text*."""
    return text if text.isascii() else graphemes(text)


def _may_break(before: str, after: str) -> bool:
    """Whether a line may end between two characters."""
    if before in _SPACES or after in _SPACES:
        return not (before in _SPACES and after in _SPACES)
    return may_break(before, after)


@lru_cache(maxsize=4096)
def _is_emoji(character: str) -> bool:
    return not character.isascii() and _emoji().match(character) is not None


def _is_leftwards(character: str) -> bool:
    return unicodedata.bidirectional(character) in ("R", "AL")


def _is_rightwards(text: str) -> bool:
    """Whether the first letter of *text* is of a left-to-right script."""
    if text.isascii():
        return True
    strong = (direction for direction in map(unicodedata.bidirectional, text) if direction in ("L", "R", "AL"))
    return next(strong, "L") == "L"


def _language(text: str, default: str | None) -> str | None:
    """The language of *text*, for the variants of Chinese characters."""
    if text.isascii():
        return None
    if _KANA.search(text):
        return "ja"
    if _HANGUL.search(text):
        return "ko"
    return (default or "zh-Hans") if _HAN.search(text) else None


def _up(number: float) -> int:
    return int(-(-number // 1))


@lru_cache(maxsize=1)
def _emoji() -> regex.Pattern[str]:
    """Matches the start of an emoji, but not of a symbol in text style."""
    import regex  # noqa: PLC0415  # most tables do without

    return regex.compile(
        r"(?!.\ufe0e)(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}(?:\ufe0f|\u200d|\p{Emoji_Modifier})|[0-9#*]\ufe0f?\u20e3)"
    )
