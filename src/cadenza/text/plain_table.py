"""Tables as text, if there is no picture: columns in a code block or, if they are too wide, a list.

The list has one record per row::

    **Tea: Green**
    - **Temperature:** 75 °C
    - **Time:** 2 min
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from .inline_styles import plain
from .line_breaks import parts
from .origins import join, lines_of
from .repair import harmless
from .spans import ATOMS, SpanKind, survey
from .tables import Alignment, Table
from .units import display_width, fits, units

WIDTH = 56
"""The widest line of a code block, in columns.

A wider line wraps, and the columns of a wrapped table cannot be read. How many columns fit depends on the device: a
desktop window shows a hundred; a narrow window, an embed or a phone with small letters fifty to sixty. Wider tables
become records, which wrap well everywhere.
"""
_GAP = "  "
_TALLEST = 6
"""A taller row is easier to read as a record."""
_NARROW, _TALLEST_NARROW = 14, 3
"""In a narrower column than the first, with a word or two in a line, rows are not taller than the second."""

_MARKED = re.compile(r"[*_~`|\\<\[]")
_INTERACTIVE = re.compile(r"\|\||\]\(|://|<[@#/it]")
_INTERACTIVE_KINDS = (SpanKind.LINK, SpanKind.URL, SpanKind.TAG)
_SPACES = re.compile("[\t-\r\x85\u2028\u2029]")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_ODD = re.compile(f"{_SPACES.pattern}|{_CONTROLS.pattern}|[\ud800-\udfff]")
_LEFT = Alignment.LEFT  # a global is faster to look up
_RULE = re.compile("(?:> ?)?─[─ ]*\n")
_BESIDE = "> \n"
_TO_ESCAPE = re.compile(r"(?<!\\)(?:\*+|_{2,}|~{2,}|\|{2,}|`+)|[ \t]?<br[ \t]?/?>[ \t]?", re.IGNORECASE)


# --- columns ------------------------------------------------------------------------------


def as_columns(table: Table, *, width: int = WIDTH) -> str | None:
    """*table* as a code block of at most *width* columns; ``None`` if it does not suit the table."""
    room = width - len(_GAP) * (len(table.header) - 1)
    if room < len(table.header) or _needs_prose(table):
        return None
    grid = [list(map(_shown, row)) for row in (table.header, *table.rows)]
    sizes = [list(map(display_width, row)) for row in grid]
    wanted = list(map(max, zip(*sizes, strict=True)))
    if 0 < sum(wanted) <= room:  # most tables are small and need no wrapping
        lines = [_line(row, row_sizes, wanted, table.alignments) for row, row_sizes in zip(grid, sizes, strict=True)]
        return "\n".join(["```", lines[0], _rule(wanted), *lines[1:], "```"])
    for breaks in (False, True):  # words are broken only if they have to be
        widths = _widths(grid, wanted, room, breaks=breaks)
        wrapped = _wrapped_rows(grid, widths, breaks=breaks) if widths else None
        if wrapped is not None:
            return _block(wrapped, table.alignments)
    return None


def _block(wrapped: Sequence[Sequence[Sequence[str]]], alignments: Sequence[Alignment]) -> str:
    """The code block with *wrapped* rows, the first of which is the header."""
    widths = [max(map(display_width, chain.from_iterable(column)), default=0) for column in zip(*wrapped, strict=True)]
    header, *rows = [list(_row_lines(row, widths, alignments)) for row in wrapped]
    return "\n".join(["```", *header, _rule(widths), *_stacked(rows), "```"])


def _needs_prose(table: Table) -> bool:
    """Whether *table* holds what code cannot show: a spoiler, an address, a mention, a time. Emoji have names."""
    return any(
        _INTERACTIVE.search("\n".join(row)) and any(map(_is_interactive, row)) for row in (table.header, *table.rows)
    )


def _is_interactive(cell: str) -> bool:
    return any(
        span.marker == "||" or (span.kind in _INTERACTIVE_KINDS and not cell.startswith(("<:", "<a:"), span.start))
        for span in survey(cell).spans
    )


def _shown(cell: str) -> str:
    """*cell* as a code block can show it: without marks, control characters and anything that ends the block."""
    if not cell:
        return ""
    text = plain(cell) if _MARKED.search(cell) else cell
    if not text.isprintable() and _ODD.search(text):
        text = _CONTROLS.sub("", _SPACES.sub(" ", text)).encode("utf-8", "replace").decode()
    return harmless(text).strip()


def _widths(grid: Sequence[Sequence[str]], wanted: Sequence[int], room: int, *, breaks: bool) -> list[int] | None:
    """The widths of the columns of *grid*; columns that want more than their share get the same width.

    A column is at least as wide as its longest word or, if it *breaks* words, as the longest part of one.
    """
    columns = zip(*grid, strict=True)
    least = [min(most, _longest_part(column, breaks=breaks)) for most, column in zip(wanted, columns, strict=True)]
    if not any(wanted) or sum(least) > room:
        return None
    widest = min(room, max(wanted))
    while sum(widths := [max(low, min(most, widest)) for low, most in zip(least, wanted, strict=True)]) > room:
        widest -= 1
    for column, most in enumerate(wanted):  # less than one column is left for each that wants more
        if widths[column] < most and sum(widths) < room:
            widths[column] += 1
    fits = all(most <= column * _TALLEST for most, column in zip(wanted, widths, strict=True))
    return widths if fits else None


def _longest_part(column: Sequence[str], *, breaks: bool) -> int:
    words = {word for cell in column for word in cell.split(" ")}
    return max(display_width(part) for word in words for part in parts(word, 0 if breaks else None))


def _wrapped_rows(
    grid: Sequence[Sequence[str]], widths: Sequence[int], *, breaks: bool
) -> list[list[list[str]]] | None:
    """The lines of all cells; ``None`` if a cell is too tall to be read well."""
    rows = [[_wrapped(cell, width, breaks=breaks) for cell, width in zip(row, widths, strict=True)] for row in grid]
    is_tall = any(
        len(cell) > (_TALLEST if width >= _NARROW else _TALLEST_NARROW)
        for row in rows
        for cell, width in zip(row, widths, strict=True)
    )
    return None if is_tall else rows


def _wrapped(text: str, width: int, *, breaks: bool) -> list[str]:
    """*text* in lines of at most *width* columns; empty without text."""
    if len(text) * 2 <= width or display_width(text) <= width:
        return [text] if text else []
    lines, used = [""], 0
    for word in filter(None, text.split(" ")):
        space = " " if used else ""
        for part in parts(word, width if breaks else None):
            size = len(space) + display_width(part)
            if used + size <= width:
                lines[-1] += space + part
            else:
                lines.append(part)
                used, size = 0, size - len(space)
            used += size
            space = ""
    return list(filter(None, lines))


def _rule(widths: Iterable[int]) -> str:
    """The line under the header."""
    return _GAP.join("─" * column for column in widths).rstrip()


def _line(row: Sequence[str], sizes: Sequence[int], widths: Sequence[int], alignments: Sequence[Alignment]) -> str:
    """A row of one line."""
    return _GAP.join(map(_padded, row, sizes, widths, alignments)).rstrip(" ")


def _row_lines(row: Sequence[Sequence[str]], widths: Sequence[int], alignments: Sequence[Alignment]) -> Iterator[str]:
    for number in range(max(1, *map(len, row))):
        parts = [cell[number] if number < len(cell) else "" for cell in row]
        yield _line(parts, list(map(display_width, parts)), widths, alignments)


def _padded(text: str, size: int, width: int, alignment: Alignment) -> str:
    space = width - size
    if alignment is _LEFT:
        return text + " " * space
    before = space // 2 if alignment is Alignment.CENTRE else space
    return " " * before + text + " " * (space - before)


def _stacked(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The lines of *rows*; a row of several lines gets empty lines around it, so that its beginning is clear."""
    before = 1
    for number, row in enumerate(rows):
        if number and max(before, len(row)) > 1:
            yield ""
        yield from row
        before = len(row)


def split_columns(block: str, limit: int) -> list[str]:
    """Split a code block of columns into messages of at most *limit* units, each with the header; empty if it fails."""
    if fits(block, limit):
        return [block]
    opening, *body, closing = lines_of(block)
    rule = next((number for number, line in enumerate(body) if _RULE.fullmatch(line)), len(body))
    head, rows = [opening, *body[: rule + 1]], body[rule + 1 :]
    room = limit - units("".join([*head, "\n", closing]))
    parts: list[list[str]] = []
    used = room + 1  # nothing fits before the first part begins
    for row in rows:
        used += units(row)
        if used > room:
            parts.append([])
            used = units(row)
        if used > room:
            return []
        if row.strip(_BESIDE) or parts[-1]:
            parts[-1].append(row)
    return [join([*head, *_without_last_blank(part), closing]) for part in parts if part]


def _without_last_blank(rows: list[str]) -> list[str]:
    return rows if rows[-1].strip(_BESIDE) else rows[:-1]


# --- records ------------------------------------------------------------------------------


def as_records(table: Table) -> str:
    """*table* as a list: the first cell of a row is the title, and the others follow with their names."""
    names = [_with_lone_marks_escaped(name, in_bold=True).rstrip(" :：") for name in table.header]
    return "\n\n".join("\n".join(_record(names, row)) for row in table.rows if any(row))


def _record(names: Sequence[str], row: Sequence[str]) -> Iterator[str]:
    if row[0]:
        title = _with_lone_marks_escaped(row[0], in_bold=True)
        yield f"**{names[0]}: {title}**" if names[0] else f"**{title}**"
    for name, cell in zip(names[1:], row[1:], strict=True):
        if cell:
            yield f"- **{name}:** {_with_lone_marks_escaped(cell)}" if name else f"- {_with_lone_marks_escaped(cell)}"


def _with_lone_marks_escaped(cell: str, *, in_bold: bool = False) -> str:
    """*cell* with its paired marks; lone ones are escaped, because they could pair up in the list.

    With *in_bold*, stars are removed, which would end the bold, and a last backslash is doubled.
    """
    if _TO_ESCAPE.search(cell):
        cell = _Marks(cell).escaped(in_bold=in_bold)
    if in_bold and (len(cell) - len(cell.rstrip("\\"))) % 2:
        cell += "\\"
    return cell


class _Marks:
    """Which characters of a cell are marks, and which are protected: code, links, addresses and tags."""

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

    def escaped(self, *, in_bold: bool) -> str:
        """The cell with lone marks escaped; *in_bold*, without paired stars."""
        return _TO_ESCAPE.sub(self._without_stars if in_bold else self._escaped, self._cell)

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
        return " " if between_code else ""  # keep two runs of backticks apart
