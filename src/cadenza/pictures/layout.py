"""Where everything in the picture of a table stands: columns as wide as they should be, lines broken where they may be.

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
from ..text.tables import Alignment, Table
from ..text.units import graphemes
from .fonts import EMOJI, INVISIBLE, SCALE, SIZE, Font, Fonts, Unshowable

if TYPE_CHECKING:
    import regex

LINE = 22 * SCALE
"""From one line to the next."""
PADDING_X, PADDING_Y = 12 * SCALE, 8 * SCALE
"""Between the edge of a cell and its text."""
TIGHT = 3 * SCALE
"""The same above and below, where rows have to stand closer together to be shown at all."""
CODE_PADDING = 4 * SCALE
"""Between the edge of the ground of code and the code."""

_LEGIBLE = 56 * SCALE
"""A column in which words are broken is at least as wide as this, about seven letters."""
_SHORT, _LONG = 88 * SCALE, 144 * SCALE
"""Cells that are shorter than the first are not broken, words that are longer than the second may be."""
_SHORT_CODE = 16
"""Code of so few characters is not broken."""
_NARROWEST = SIZE // 2
_LONGEST = 24_000
"""No more characters than this can fit into any picture."""

_NO_START = frozenset(
    "、。，．・：；！？）」』】〕〉》〗〙｝］’”ーぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶ々ゝゞヽヾ…‥〜～゛゜％‰℃"
    ",.!?:;)]}%»›"
)
"""What does not stand first in a line."""
_NO_END = frozenset("（「『【〔〈《〖〘｛［‘“￥＄([{«‹$£¥€#@")
"""What does not stand last in a line."""
_SOFT = frozenset("/-_.?&=:,;+#%|\\–—")
"""Behind these a word that is too long is best broken."""

_SPACES = frozenset(" \u200b")
"""Where a line may be broken, and what is then not shown."""
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]")
_LINE_END = re.compile("\r\n|[\r\u2028\u2029]")
_SPACE = re.compile("[\t\v\f\u1680\u2000-\u2006\u2008-\u200a\u205f\u3000]")
"""Spaces of all widths, for which not every font has a glyph."""
_HALF = re.compile("[\ud800-\udfff]")
_KANA = re.compile("[\u3041-\u30ff]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_HAN = re.compile("[\u3400-\u9fff]")


class Piece(NamedTuple):
    """A stretch of a line that is drawn at once."""

    text: str
    font: Font
    look: Run
    """Its text is empty."""
    x: float
    """From the left end of its line."""
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
    """In which language characters are drawn that several share."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The whole picture: the first row is the header."""

    columns: tuple[int, ...]
    """How wide each column is, with the space beside its text."""
    rows: tuple[tuple[Cell, ...], ...]
    padding: int
    """Above and below the text of a cell."""
    alignments: tuple[Alignment, ...]
    is_broken: bool
    """Whether lines were broken to make the picture narrower."""

    @property
    def heights(self) -> list[int]:
        """How high each row is."""
        return [LINE * max(len(cell.lines) for cell in row) + 2 * self.padding for row in self.rows]

    @property
    def width(self) -> int:
        """How wide the picture is."""
        return sum(self.columns)

    @property
    def height(self) -> int:
        """How high the picture is."""
        return sum(self.heights)


def lay_out(table: Table, fonts: Fonts, *, preferred: int, widest: int, highest: int) -> Layout:
    """Find a place for all of *table*: in the *preferred* width if that does, and never wider than *widest*."""
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
        # The less ground there is behind the same text, the less of it was wasted.
        if layout.height > highest or wider.width * wider.height < layout.width * layout.height:
            layout = wider
    if layout.height > highest:
        layout = replace(layout, padding=TIGHT)
    if layout.height > highest:
        reason = f"The picture would be {layout.height} pixels high."
        raise Unshowable(reason)
    return layout


class _Span(NamedTuple):
    """Characters in one font and look."""

    text: str
    font: Font
    look: Run
    width: float


class _Token(NamedTuple):
    """Spans that stand on one line if they fit into one; or the space between two such."""

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
        """Break lines so that the columns take the *preferred* room, or more if words would have to be broken."""
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
        """Broken lines seldom fill their column: give what they leave to where it makes the picture less high."""
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
    """Takes text apart into what may not be broken, and puts that into lines."""

    def __init__(self, fonts: Fonts) -> None:
        self._fonts = fonts
        self._widths: dict[tuple[str, int], float] = {}

    def width(self, text: str, font: Font) -> float:
        """How wide *text* is, a single character if *font* draws emoji."""
        if font.is_emoji:
            return float(EMOJI)
        key = (text, id(font))
        width = self._widths.get(key)
        if width is None:
            width = self._widths[key] = font.pillow.getlength(text) + font.stroke
        return width

    def paragraphs(self, cell: Sequence[Run]) -> list[_Paragraph]:
        """The paragraphs of a cell, at least one; each is what stands between two line ends."""
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
        """What may not be broken, and the space between, one after the other."""
        spans: list[_Span] = []
        before = ""
        font: Font | None = None
        for run in paragraph:
            look = run._replace(text="")
            for character in _characters(run.text):
                if before and _may_break(before, character):
                    yield self._token(spans, is_space=before in _SPACES)
                    spans = []
                font = self._font(character, look, before, font)
                before = character
                if spans and spans[-1].font is font and spans[-1].look == look and not font.is_emoji:
                    spans[-1] = spans[-1]._replace(text=spans[-1].text + character)
                else:
                    spans.append(_Span(character, font, look, 0.0))
        if spans:
            yield self._token(spans, is_space=before in _SPACES)

    def _font(self, character: str, look: Run, before: str, last: Font | None) -> Font:
        """What draws *character*: space, and what has no direction of its own in a script that has, as what is before it."""
        if last and not last.is_emoji and character[0] in last.covered:
            sticks = character in _SPACES or (_is_leftwards(before[0]) and not character[0].isalnum())
            if sticks and self._fonts.font(before, look) is last:
                return last
        return self._fonts.font(character, look, is_emoji=_is_emoji(character))

    def _token(self, spans: list[_Span], *, is_space: bool) -> _Token:
        measured = tuple(span._replace(width=self.width(span.text, span.font)) for span in spans)
        width = sum(span.width for span in measured)
        if any(span.look.code for span in spans):
            # Every word of code brings space for the edges of its ground; between two words there are none.
            width += -2 * CODE_PADDING if is_space else 2 * CODE_PADDING
        return _Token(measured, width, is_space)

    def _broken(self, paragraph: _Paragraph, width: float) -> Iterator[list[_Span]]:
        """The lines of a paragraph, at least one. Space at either end of a line is left out."""
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
        """A word that is too long for a line, in lines: broken behind a mark if one is near, else anywhere."""
        part: list[_Span] = []
        used = 0.0
        good = 0
        for text, font, look, _ in token.spans:
            room = width - 2 * CODE_PADDING if look.code else width
            for character in _characters(text):
                advance = self.width(character, font)
                if part and used + advance > room:
                    end = good or len(part)
                    yield part[:end]
                    part, good = part[end:], 0
                    used = sum(span.width for span in part)
                part.append(_Span(character, font, look, advance))
                used += advance
                if character in _SOFT and used > width / 2:
                    good = len(part)
        yield part

    def _line(self, spans: list[_Span], *, rightwards: bool) -> TextLine:
        """Put *spans* beside each other; those that look the same become one piece."""
        merged: list[_Span] = []
        for span in spans:
            if merged and merged[-1].font is span.font and merged[-1].look == span.look and not span.font.is_emoji:
                merged[-1] = merged[-1]._replace(text=merged[-1].text + span.text)
            else:
                merged.append(span)
        pieces: list[Piece] = []
        x = 0.0
        in_code = False
        for text, font, look, _ in merged if rightwards else reversed(merged):
            x += CODE_PADDING * (look.code != in_code)
            in_code = look.code
            width = self.width(text, font)
            pieces.append(Piece(text, font, look, x, width))
            x += width
        return TextLine(tuple(pieces), x + CODE_PADDING * in_code)


def _room(least: list[float], preferred: float, widest: float) -> tuple[float, list[float]]:
    """How much room the text of all columns together is given, and how much that of each one at least."""
    room = min(max(sum(least), preferred), widest)
    if sum(least) <= room:
        return room, least
    limit = _largest(lambda limit: sum(min(width, limit) for width in least) <= room, max(least))
    if limit < _LEGIBLE:
        reason = f"{len(least)} columns are too many for a picture that can be read."
        raise Unshowable(reason)
    return room, [min(width, limit) for width in least]


def _shared(natural: list[float], least: list[float], room: float) -> list[float]:
    """How wide the text of each column may be: by the root of its length.

    So a column with four times the text is twice as wide as another, and only twice as high.
    """
    if sum(natural) <= room:
        return natural

    def widths(share: float) -> list[float]:
        return [max(low, min(high, share * high**0.5)) for low, high in zip(least, natural, strict=True)]

    return widths(_largest(lambda share: sum(widths(share)) <= room, max(natural) ** 0.5))


def _used(column: list[Cell]) -> float:
    """How wide the widest line of a column is."""
    return max(line.width for cell in column for line in cell.lines)


def _lines(columns: list[list[Cell]]) -> int:
    """How many lines all rows take together."""
    return sum(max(len(cell.lines) for cell in row) for row in zip(*columns, strict=True))


def _largest(fits: Callable[[float], bool], most: float) -> float:
    """The largest number up to *most* that *fits*, nearly; 0 is sure to."""
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
    """*text* without what steers a terminal or the order of letters; half a character becomes the sign for one."""
    text = _SPACE.sub(" ", _LINE_END.sub("\n", text))
    return _HALF.sub("\ufffd", _CONTROL.sub("", text))


def _characters(text: str) -> Sequence[str]:
    """The characters of *text* as people count them."""
    return text if text.isascii() else graphemes(text)


@lru_cache(maxsize=4096)
def _may_break(before: str, after: str) -> bool:
    """Whether a line may end between two characters."""
    if before in _SPACES or after in _SPACES:
        return not (before in _SPACES and after in _SPACES)
    return (_is_wide(before) or _is_wide(after)) and after[0] not in _NO_START and before not in _NO_END


def _is_wide(character: str) -> bool:
    """Whether lines may be broken on either side: Chinese characters, kana, emoji; Korean is broken between words."""
    return unicodedata.east_asian_width(character[0]) in ("W", "F") and not _HANGUL.match(character)


@lru_cache(maxsize=4096)
def _is_emoji(character: str) -> bool:
    return not character.isascii() and _emoji().match(character) is not None


def _is_leftwards(character: str) -> bool:
    return unicodedata.bidirectional(character) in ("R", "AL")


def _is_rightwards(text: str) -> bool:
    """Whether the first letter of *text* belongs to a script that is read from left to right."""
    if text.isascii():
        return True
    strong = (direction for direction in map(unicodedata.bidirectional, text) if direction in ("L", "R", "AL"))
    return next(strong, "L") == "L"


def _language(text: str, default: str | None) -> str | None:
    """The language of *text*, as far as it says how a Chinese character is drawn."""
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
    """How a character begins that is to be shown as an emoji and not as a sign in the text."""
    import regex  # noqa: PLC0415  # most tables do without

    return regex.compile(
        r"(?!.\ufe0e)(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}(?:\ufe0f|\u200d|\p{Emoji_Modifier})|[0-9#*]\ufe0f?\u20e3)"
    )
