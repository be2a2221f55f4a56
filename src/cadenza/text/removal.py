"""What goes with something that is taken out of a text: the white space that only it needed.

``hi :x: there`` without its emoji is ``hi there``, ``hi :x:!`` is ``hi!``, ``**:x:** hi`` is ``hi``. A line keeps its
indentation and its end, two words stay two, and nothing that is not next to a removal is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from .prose import Edit, Prose
from .units import WHITESPACE

_LINE_ENDS = frozenset("\n\v\f\r\u2028\u2029")
_SPACES = "".join(character for character in WHITESPACE if character not in _LINE_ENDS)
_SPACE = frozenset(_SPACES)

EMPHASIS = "*_~|"
"""Marks that emphasise or hide what they enclose."""

_MOST_MARKS = 8
_OPENING = "(\\[{「『（“«"
_CLOSING = ")\\]}」』）”»"
# A mark that may open or close opens behind a space, and closes in front of one.
_OPENS = re.compile(rf"[{_OPENING}]\Z|(?:\A|(?<=[{WHITESPACE}{_OPENING}]))[*_~|\"']{{1,{_MOST_MARKS}}}\Z")
_CLOSES = re.compile(
    rf"[{_CLOSING}。！？、，]|[.,!?…*_~|\"']{{1,{_MOST_MARKS}}}(?=[{_CLOSING}{WHITESPACE}]|\Z)|[:;](?=[{WHITESPACE}]|\Z)"
)
_JOINS = re.compile(r"[^\W_]{2}|[@#.,;:!?…][^\W_]|[<\\].|\]\(|([*_~|])\1")
"""What would become one word, a mention, a tag, a link or another mark if nothing stood between."""


def tidied(prose: Prose, edits: Iterable[Edit]) -> Iterator[Edit]:
    """*edits* that may be made in *prose*; those that leave nothing take the white space along that only they needed.

    What stands beside another removal goes with it as one.
    """
    text = prose.text
    done = 0
    opened = True  # whether all of the line that stands before `done` has gone, but for its indentation
    for edit in _runs(text, (edit for edit in edits if prose.is_free(edit.start, edit.end))):
        if edit.start < done:
            continue  # the one before has taken a mark of it
        if edit.text:
            opened, done = False, edit.end
            yield edit
            continue
        start, end = without_emphasis(text, edit.start, edit.end, floor=done)
        before, after = _before(text, start, done), _after(text, end)
        opened = opened if before == done > 0 else before == 0 or text[before - 1] in _LINE_ENDS
        removal = _removal(text, (before, start, end, after), opens=opened)
        if (
            removal.start == before < start
            and text[end : end + 1].strip(WHITESPACE)
            and prose.is_behind_address(before)
        ):
            removal = Edit(start, end)  # nothing may come to stand right behind an address
        done = removal.end
        yield removal


def without_emphasis(text: str, start: int, end: int, *, marks: str = EMPHASIS, floor: int = 0) -> tuple[int, int]:
    """``text[start:end]`` with the *marks* around it, if they emphasise nothing else; none before *floor* are taken."""
    width = 0
    limit = min(start - floor, len(text) - end, _MOST_MARKS)
    while width < limit and text[start - width - 1] == text[end + width] and text[end + width] in marks:
        width += 1
    if width and _is_opened(text, start):
        return start - width, end + width
    return start, end


def _runs(text: str, edits: Iterable[Edit]) -> Iterator[Edit]:
    """*edits*, with removals that only spaces part made one."""
    run: Edit | None = None
    for edit in edits:
        if run and not run.text and not edit.text and not text[run.end : edit.start].strip(_SPACES):
            run = run._replace(end=edit.end)
            continue
        if run:
            yield run
        run = edit
    if run:
        yield run


def _removal(text: str, places: tuple[int, int, int, int], *, opens: bool) -> Edit:
    """Take out what stands between the spaces *before* and *after* it, and those that are too many without it."""
    before, start, end, after = places
    closes = after == len(text) or text[after] in _LINE_ENDS
    if opens and closes:
        return Edit(before, after if after < len(text) else end)  # an empty line has no spaces
    if opens:
        return Edit(start, after)
    if closes or (before < start and end < after):
        return Edit(before, end)
    if before < start:
        return Edit(before if _CLOSES.match(text, end) else start, end)
    if end < after:
        return Edit(start, after if _is_opened(text, start) else end)
    return Edit(start, end, " " if _JOINS.match(text[start - 1] + text[end]) else "")


def _before(text: str, index: int, floor: int) -> int:
    while index > floor and text[index - 1] in _SPACE:
        index -= 1
    return index


def _after(text: str, index: int) -> int:
    while index < len(text) and text[index] in _SPACE:
        index += 1
    return index


def _is_opened(text: str, index: int) -> bool:
    """Whether a mark that opens something ends at *index*."""
    return _OPENS.search(text[max(0, index - _MOST_MARKS - 1) : index]) is not None
