"""Tidy the text around a removal: remove also what only the removed part needed.

Without its emoji, ``hi :x: there`` is ``hi there``, ``hi :x:!`` is ``hi!``, ``**:x:** hi`` is ``hi``, ``hi (:x:)`` is
``hi``, and ``- :x:`` is an empty line. A line keeps its indentation and its end, two words stay two, and only text next
to a removal changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ..types import Edit
from .tables import quote
from .units import LINE_ENDS, SPACES, UNSPACED, WHITESPACE

if TYPE_CHECKING:
    from .prose import Prose

_LINE_ENDS = frozenset(LINE_ENDS)
_SPACE = frozenset(SPACES)

EMPHASIS = "*_~|"
"""Marks that emphasise or hide what they enclose."""
PAIRS = "()[]{}「」『』（）“”«»\"\"''"
"""Brackets and quotes, each followed by its partner."""
BLOCK_MARK = re.compile(r"[-*+•]|>+|#{1,6}|-#|[0-9]{1,2}[.)]")
"""The mark of a list item, a quote or a heading; a number of three digits is text."""

_IN_BLOCK_MARK = frozenset("-*+•>#.)0123456789")
_OPENER = dict(zip(PAIRS[1::2], PAIRS[::2], strict=True))
_MAY_CLOSE = frozenset([*_OPENER, *EMPHASIS])
_FACE = re.compile(rf"(?:\A|[{WHITESPACE}])[:;=][-'^]?[(\[{{]\Z")
_MOST_MARKS = 8
_LONGEST_LINE = 1000
_OPENING = "(\\[{「『（“«"
_CLOSING = ")\\]}」』）”»"
# A mark that may open or close opens after a space, and closes in front of one.
_OPENS = re.compile(rf"[{_OPENING}]\Z|(?:\A|(?<=[{WHITESPACE}{_OPENING}]))[*_~|\"']{{1,{_MOST_MARKS}}}\Z")
_CLOSES = re.compile(
    rf"[{_CLOSING}。！？、，]|[.,!?…*_~|\"']{{1,{_MOST_MARKS}}}(?=[{_CLOSING}{WHITESPACE}]|\Z)|[:;](?=[{WHITESPACE}]|\Z)"
)
_JOINS = re.compile(rf"(?![{UNSPACED}]{{2}})[^\W_]{{2}}|[@#.,;:!?…][^\W_]|[<\\].|\]\(|([*_~|])\1")
"""What would become one word, a mention, a tag, a link or another mark without anything between."""
_CELL = re.compile(r"(?:\\\||[^|\r\n])+")


def tidied(prose: Prose, edits: Iterable[Edit], *, ends_line: bool = True) -> Iterator[Edit]:
    """The *edits* that may be made in *prose*; removals also take what only they needed.

    Neighbouring removals become one. *ends_line* tells whether the text ends a line.
    """
    text = prose.text
    done = 0
    opened = True  # whether all of the line before `done` is removed, except its indentation
    for edit in _runs(prose, edits):
        if edit.start < done:
            continue  # a space of it is removed already
        if edit.text:
            opened, done = False, edit.end
            yield edit
            continue
        start, end = edit.start, edit.end
        before, after = _before(text, start, done), _after(text, end)
        closes = after == len(text) or text[after] in _LINE_ENDS
        begin = _before_mark(text, before, done) if closes and (ends_line or after < len(text)) else before
        opened = opened if begin == done else text[begin - 1] in _LINE_ENDS
        if opened and closes:  # an empty line has no spaces
            removal = Edit(begin, after if after < len(text) else end)
        else:
            removal = _removal(text, (before, start, end, after), opens=opened, closes=closes)
        if removal.start == before < start and text[end : end + 1].strip(WHITESPACE) and prose.is_after_address(before):
            removal = Edit(start, end)  # nothing may follow directly after an address
        done = removal.end
        yield removal


def tidied_cells(prose: Prose, edits: Iterable[Edit]) -> Iterator[Edit]:
    """Removals in a table, which keeps every bar and every line: only the inside of a cell is tidied."""
    rest = [edit for edit in edits if prose.is_free(edit.start, edit.end)][::-1]
    for cell in _CELL.finditer(prose.text):
        if not rest:
            return
        found: list[Edit] = []
        while rest and rest[-1].start < cell.end():
            edit = rest.pop()
            if edit.end <= cell.end():  # an edit across a bar is skipped
                found.append(edit)
        if found:
            yield from _in_cell(prose, cell, found)


def without_emphasis(text: str, start: int, end: int, *, marks: str = EMPHASIS, floor: int = 0) -> tuple[int, int]:
    """``text[start:end]`` with the *marks* around it if they emphasise nothing else; none before *floor*."""
    width = 0
    limit = min(start - floor, len(text) - end, _MOST_MARKS)
    while width < limit and text[start - width - 1] == text[end + width] and text[end + width] in marks:
        width += 1
    if width and _is_opened(text, start):
        return start - width, end + width
    return start, end


def _runs(prose: Prose, edits: Iterable[Edit]) -> list[Edit]:
    """The *edits* that may be made, removals with what encloses nothing else; joined if only spaces are between."""
    text = prose.text
    runs: list[Edit] = []
    for edit in _rows(prose, edits):
        reach = runs[-1].end if runs else 0
        if edit.start < reach:
            continue  # the previous one has taken a mark of it
        run = edit if edit.text else _enclosed(prose, edit, reach)
        while runs and _are_one(text, runs[-1], run):
            both = Edit(runs.pop().start, run.end)
            run = _enclosed(prose, both, runs[-1].end if runs else 0)
        runs.append(run)
    return runs


def _rows(prose: Prose, edits: Iterable[Edit]) -> Iterator[Edit]:
    """The *edits* that may be made; removals with only spaces between them are joined."""
    row: Edit | None = None
    for edit in edits:
        if not prose.is_free(edit.start, edit.end):
            continue
        if row and _are_one(prose.text, row, edit):
            row = Edit(row.start, edit.end)
            continue
        if row:
            yield row
        row = edit
    if row:
        yield row


def _are_one(text: str, edit: Edit, later: Edit) -> bool:
    """Whether two edits are removals with nothing but spaces between them."""
    return not edit.text and not later.text and _after(text, edit.end) >= later.start


def _enclosed(prose: Prose, edit: Edit, floor: int) -> Edit:
    """A removal with the emphasis, brackets and quotes that enclose nothing else."""
    text = prose.text
    start, end, _ = edit
    while start > floor:
        last = _after(text, end)
        if text[last : last + 1] not in _MAY_CLOSE:
            break
        wider = without_emphasis(text, start, end, floor=floor)
        if wider == (start, end):
            wider = _with_pair(text, start, last, floor) or wider
        if wider == (start, end) or not prose.is_free(*wider):
            break
        start, end = wider
    return Edit(start, end)


def _with_pair(text: str, start: int, last: int, floor: int) -> tuple[int, int] | None:
    """The range from the opening partner of the mark at *last*, if that pair encloses nothing but the removal."""
    closer = text[last]
    mark = "||" if text.startswith("||", last) else _OPENER.get(closer)
    first = _before(text, start, floor)
    if mark is None or first - len(mark) < floor or not text.startswith(mark, first - len(mark)):
        return None
    begin, end = first - len(mark), last + len(mark)
    if mark not in ("||", closer):
        is_face = _FACE.search(text[max(0, first - 4) : first])  # `:( X)` closes what was opened before
        return None if is_face else (begin, end)
    opens = (first == start and _is_opened(text, start)) or (mark != "'" and _is_first(text, mark, begin))
    return (begin, end) if opens else None


def _is_first(text: str, mark: str, index: int) -> bool:
    """Whether the *mark* at *index* opens something, counted by the equal marks before it on its line."""
    begin = text.rfind("\n", max(0, index - _LONGEST_LINE), index) + 1
    return (begin > 0 or index <= _LONGEST_LINE) and text.count(mark, begin, index) % 2 == 0


def _removal(text: str, places: tuple[int, int, int, int], *, opens: bool, closes: bool) -> Edit:
    """The removal, with the spaces around it that are no longer needed."""
    before, start, end, after = places
    if opens:
        return Edit(start, after)
    if closes or (before < start and end < after):
        return Edit(before, end)
    if before < start:
        return Edit(before if _CLOSES.match(text, end) else start, end)
    if end < after:
        return Edit(start, after if _is_opened(text, start) else end)
    return Edit(start, end, " " if _JOINS.match(text[start - 1] + text[end]) else "")


def _in_cell(prose: Prose, cell: re.Match[str], edits: list[Edit]) -> list[Edit]:
    """The removals in one cell; an empty cell keeps a space, and a bar where the line has none."""
    text = prose.text
    opens, closes = text[cell.start() - 1 : cell.start()] != "|", text[cell.end() : cell.end() + 1] != "|"
    begin = _after(text, cell.start() + (len(quote(cell.group())) if opens else 0))
    end = _before(text, cell.end(), begin)
    if edits[0].start > begin or edits[-1].end < end or len(edits) > 1:  # most hold one emoji and nothing else
        inner = prose.part(begin, end)
        removals = list(tidied(inner, [Edit(edit.start - begin, edit.end - begin) for edit in edits]))
        if inner.edited(removals).text.strip(WHITESPACE):
            return [
                _before_bar(text, Edit(start + begin, end + begin, put), cell.end()) for start, end, put in removals
            ]
    space = " " if begin == cell.start() or opens else ""
    return [Edit(begin, end if closes else cell.end(), "|" * opens + space + "|" * closes)]


def _before_bar(text: str, edit: Edit, bar: int) -> Edit:
    """*edit*, changed so that no backslash precedes the *bar*, which would escape it."""
    return edit._replace(text=" ") if edit.end == bar and text[edit.start - 1] == "\\" else edit


def _before(text: str, index: int, floor: int) -> int:
    while index > floor and text[index - 1] in _SPACE:
        index -= 1
    return index


def _after(text: str, index: int) -> int:
    while index < len(text) and text[index] in _SPACE:
        index += 1
    return index


def _before_mark(text: str, index: int, floor: int) -> int:
    """Where the line begins, if only the mark of a list item or the like is before *index*; otherwise *index*."""
    begin = index
    while begin > floor and (text[begin - 1] in _IN_BLOCK_MARK or text[begin - 1] in _SPACE):
        begin -= 1
    marks = text[begin:index].split()
    return begin if all(map(BLOCK_MARK.fullmatch, marks)) else index


def _is_opened(text: str, index: int) -> bool:
    """Whether a mark that opens something ends at *index*."""
    return _OPENS.search(text[max(0, index - _MOST_MARKS - 1) : index]) is not None
