"""Tables as text, for where there is no picture: columns in a code block or, if they are too wide, a list.

The list has one record a row::

    **Tea: Green**
    - **Temperature:** 75 °C
    - **Time:** 2 min
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from .inline_styles import plain
from .spans import ATOMS, SpanKind, survey
from .tables import Alignment, Table
from .units import display_width, fits, graphemes, units

WIDTH = 56
"""The widest line of a code block, in columns.

A line that is too wide is folded, and the columns of a folded table cannot be told apart. How many fit depends on the
device: a window on a desk shows a hundred, a narrow one, an embed or a phone with small letters between fifty and
sixty. Records, which fold well everywhere, are the better choice for whatever needs more than that.
"""
_GAP = "  "
_TALLEST = 6
"""A row that takes more lines than this is easier to read as a record."""
_LONGEST_WORD = 12
"""A column is not made narrower than its longest word, unless that is longer than this."""

_MARKED = re.compile(r"[*_~`|\\<\[]")
_LIVELY = re.compile(r"\|\||\]\(|://|<[@#/it]")
_LIVELY_KINDS = (SpanKind.LINK, SpanKind.URL, SpanKind.TAG)
_SPACES = re.compile("[\t-\r\x85\u2028\u2029]")
_STEERING = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_ODD = re.compile(f"{_SPACES.pattern}|{_STEERING.pattern}|[\ud800-\udfff]")
_RULE = re.compile("(?:> ?)?─[─ ]*")
_BESIDE = "> "
_THIRD_BACKTICK = re.compile("`(?=``)")
_TO_SETTLE = re.compile(r"(?<!\\)(?:\*+|_{2,}|~{2,}|\|{2,}|`+)|[ \t]?<br[ \t]?/?>[ \t]?", re.IGNORECASE)


# --- columns ------------------------------------------------------------------------------


def as_columns(table: Table, *, width: int = WIDTH) -> str | None:
    """*table* as a code block of at most *width* columns; ``None`` if that would not do it justice."""
    room = width - len(_GAP) * (len(table.header) - 1)
    if room < len(table.header) or _is_lively(table):
        return None
    grid = [list(map(_shown, row)) for row in (table.header, *table.rows)]
    sizes = [list(map(display_width, row)) for row in grid]
    wanted = list(map(max, zip(*sizes, strict=True)))
    if 0 < sum(wanted) <= room:  # most tables are small, and nothing has to be wrapped
        lines = [_line(row, row_sizes, wanted, table.alignments) for row, row_sizes in zip(grid, sizes, strict=True)]
        return "\n".join(["```", lines[0], _rule(wanted), *lines[1:], "```"])
    widths = _widths(grid, wanted, room)
    if widths is None:
        return None
    wrapped = [[_wrapped(cell, column) for cell, column in zip(row, widths, strict=True)] for row in grid]
    if any(len(cell) > _TALLEST for row in wrapped for cell in row):
        return None
    widths = [max(map(display_width, chain.from_iterable(column)), default=0) for column in zip(*wrapped, strict=True)]
    header, *rows = [list(_row_lines(row, widths, table.alignments)) for row in wrapped]
    return "\n".join(["```", *header, _rule(widths), *_stacked(rows), "```"])


def _is_lively(table: Table) -> bool:
    """Whether *table* holds what only prose can show: a spoiler, an address, a mention, a time. Emoji have names."""
    return any(_LIVELY.search("\n".join(row)) and any(map(_has_life, row)) for row in (table.header, *table.rows))


def _has_life(cell: str) -> bool:
    return any(
        span.marker == "||" or (span.kind in _LIVELY_KINDS and not cell.startswith(("<:", "<a:"), span.start))
        for span in survey(cell).spans
    )


def _shown(cell: str) -> str:
    """*cell* as a code block can show it: no marks, nothing that steers, and nothing that ends the block."""
    if not cell:
        return ""
    text = plain(cell) if _MARKED.search(cell) else cell
    if _ODD.search(text):
        text = _STEERING.sub("", _SPACES.sub(" ", text)).encode("utf-8", "replace").decode()
    return _THIRD_BACKTICK.sub("`\u200b", text).strip()


def _widths(grid: Sequence[Sequence[str]], wanted: Sequence[int], room: int) -> list[int] | None:
    """How wide the columns of *grid* are: those that are wider than what is left for them all cut down to one width."""
    columns = zip(*grid, strict=True)
    least = [min(most, _longest_word(column)) for most, column in zip(wanted, columns, strict=True)]
    if not any(wanted) or sum(least) > room:
        return None
    widest = min(room, max(wanted))
    while sum(widths := [max(low, min(most, widest)) for low, most in zip(least, wanted, strict=True)]) > room:
        widest -= 1
    for column, most in enumerate(wanted):  # what is left over is less than one for each that wants more
        if widths[column] < most and sum(widths) < room:
            widths[column] += 1
    fits = all(most <= column * _TALLEST for most, column in zip(wanted, widths, strict=True))
    return widths if fits else None


def _longest_word(column: Sequence[str]) -> int:
    longest = 1
    for cell in column:
        for word in cell.split(" "):
            longest = max(longest, display_width(word))
            if longest >= _LONGEST_WORD:
                return _LONGEST_WORD
    return longest


def _wrapped(text: str, width: int) -> list[str]:
    """*text* in lines of at most *width* columns; none if there is no text."""
    if len(text) * 2 <= width or display_width(text) <= width:
        return [text] if text else []
    lines = [""]
    for word in filter(None, text.split(" ")):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if display_width(longer) <= width:
            lines[-1] = longer
        else:
            lines += _pieces(word, width)
    return list(filter(None, lines))


def _pieces(word: str, width: int) -> Iterator[str]:
    """*word*, cut where a line is full, between characters as people see them."""
    if display_width(word) <= width:
        yield word
        return
    piece, used = "", 0
    for character in graphemes(word):
        columns = display_width(character)
        if piece and used + columns > width:
            yield piece
            piece, used = "", 0
        piece += character
        used += columns
    yield piece


def _rule(widths: Iterable[int]) -> str:
    """The line under the header."""
    return _GAP.join("─" * column for column in widths).rstrip()


def _line(row: Sequence[str], sizes: Sequence[int], widths: Sequence[int], alignments: Sequence[Alignment]) -> str:
    """A row that takes one line."""
    return _GAP.join(map(_padded, row, sizes, widths, alignments)).rstrip(" ")


def _row_lines(row: Sequence[Sequence[str]], widths: Sequence[int], alignments: Sequence[Alignment]) -> Iterator[str]:
    for number in range(max(1, *map(len, row))):
        parts = [cell[number] if number < len(cell) else "" for cell in row]
        yield _line(parts, list(map(display_width, parts)), widths, alignments)


def _padded(text: str, size: int, width: int, alignment: Alignment) -> str:
    space = width - size
    if alignment is Alignment.LEFT:
        return text + " " * space
    before = space // 2 if alignment is Alignment.CENTRE else space
    return " " * before + text + " " * (space - before)


def _stacked(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The lines of *rows*; one of several lines is set off from its neighbours, or nobody knows where it begins."""
    before = 1
    for number, row in enumerate(rows):
        if number and max(before, len(row)) > 1:
            yield ""
        yield from row
        before = len(row)


def parted(block: str, limit: int) -> list[str]:
    """A code block of columns in messages of at most *limit* units, each with the header; none if that cannot be done."""
    if fits(block, limit):
        return [block]
    opening, *body, closing = block.split("\n")
    rule = next((number for number, line in enumerate(body) if _RULE.fullmatch(line)), len(body))
    head, rows = [opening, *body[: rule + 1]], body[rule + 1 :]
    room = limit - units("\n".join([*head, "", closing]))
    parts: list[list[str]] = []
    used = room + 1  # nothing fits before the first part is begun
    for row in rows:
        used += units(row) + 1
        if used > room:
            parts.append([])
            used = units(row) + 1
        if used > room:
            return []
        if row.strip(_BESIDE) or parts[-1]:
            parts[-1].append(row)
    return ["\n".join([*head, *_without_last_blank(part), closing]) for part in parts if part]


def _without_last_blank(rows: list[str]) -> list[str]:
    return rows if rows[-1].strip(_BESIDE) else rows[:-1]


# --- records ------------------------------------------------------------------------------


def as_records(table: Table) -> str:
    """*table* as a list: every row has its first cell for a title, and the others with their names below it."""
    names = [_settled(name, in_bold=True).rstrip(" :：") for name in table.header]
    return "\n\n".join("\n".join(_record(names, row)) for row in table.rows if any(row))


def _record(names: Sequence[str], row: Sequence[str]) -> Iterator[str]:
    if row[0]:
        title = _settled(row[0], in_bold=True)
        yield f"**{names[0]}: {title}**" if names[0] else f"**{title}**"
    for name, cell in zip(names[1:], row[1:], strict=True):
        if cell:
            yield f"- **{name}:** {_settled(cell)}" if name else f"- {_settled(cell)}"


def _settled(cell: str, *, in_bold: bool = False) -> str:
    """*cell* with its marks, but for those that stand alone: they might find each other in the list.

    What stands *in_bold* loses its stars, which would end the bold, and a backslash at its end does not escape one.
    """
    if _TO_SETTLE.search(cell):
        cell = _Marks(cell).settled(in_bold=in_bold)
    if in_bold and (len(cell) - len(cell.rstrip("\\"))) % 2:
        cell += "\\"
    return cell


class _Marks:
    """What is a mark in a cell, and what is out of reach: code, links, addresses and tags."""

    def __init__(self, cell: str) -> None:
        self._cell = cell
        self._kept: set[int] = set()
        self._marks: set[int] = set()
        for span in survey(cell).spans:
            if span.kind in ATOMS:
                self._kept.update(range(span.start, span.end))
            elif span.kind is SpanKind.EMPHASIS:
                width = len(span.marker)
                self._marks.update(range(span.start, span.start + width), range(span.end - width, span.end))

    def settled(self, *, in_bold: bool) -> str:
        """The cell with a backslash before what is no mark; *in_bold* without stars that are one."""
        return _TO_SETTLE.sub(self._without_stars if in_bold else self._escaped, self._cell)

    def _escaped(self, match: re.Match[str]) -> str:
        found, start = match.group(), match.start()
        if "<" in found:
            return found if start in self._kept else " "
        return "".join(
            character if index in self._kept or index in self._marks else f"\\{character}"
            for index, character in enumerate(found, start)
        )

    def _without_stars(self, match: re.Match[str]) -> str:
        if match.start() not in self._marks or not match.group().startswith("*"):
            return self._escaped(match)
        between_code = self._cell[match.start() - 1 : match.start()] == self._cell[match.end() : match.end() + 1] == "`"
        return " " if between_code else ""  # two runs of backticks stay two
