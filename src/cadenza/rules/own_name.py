"""Remove the persona's own name in front of its words, ``Ren: hello`` → ``hello``.

A reply may open with any of its names, or with an unfilled placeholder, ``{{char}}: hello``. Later only the shown name
counts, exactly as it is written, or any name with a modifier in brackets; and only where speech may begin: at the
beginning of a line, or after a sentence or an emoji. In the latter case the words get a line of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..text.labels import BLANK, BRACKETED, FIGURE, after_white, any_of, before_space, label, opening_label, spellings
from ..text.prose import Prose
from ..text.sentences import ends_sentence
from ..text.units import WHITESPACE
from ..types import Edit, Ending, Kind, Segment
from .rule import RUNS_ON, Rule, RuleContext


class OwnName(Rule):
    """Removes labels with own names."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._has_opened = False  # whether anything visible was passed on
        self._labels_itself = False  # whether the reply opened with a label
        self._line = _EMPTY
        names = context.own_names
        own = any_of(names)
        self._folded = tuple(name.lower() for name in spellings(names))
        self._opening = opening_label(any_of(context.opening_names))
        # ``max: 5`` is no label of Max.
        self._later = label(rf"(?:{own}){BLANK}*+{BRACKETED}|(?-i:{any_of([context.persona.name.strip()])})")

    @property
    def is_idle(self) -> bool:
        """Whether the persona has no name."""
        return not self.context.opening_names

    def feed(self, segment: Segment, /) -> Iterable[Segment]:
        """Remove the labels from *segment* if it is prose."""
        if segment.kind is not Kind.PROSE:
            self._has_opened, self._line = True, _EMPTY
            return (segment,)
        if (":" in segment.text or "：" in segment.text) and self._may_have_label(segment.text):
            segment = self.edited(segment, self._edits(segment))
        if not self._has_opened:
            self._has_opened = bool(segment.text.strip(WHITESPACE))
        self._line = self._line.then(segment.text) if segment.boundary in RUNS_ON else _EMPTY
        return (segment,)

    def flush(self, why: Ending, /) -> Iterable[Segment]:
        """After a tool call the model starts over."""
        if why is Ending.TOOL_CALL:
            self._has_opened, self._line = False, _EMPTY
        return ()

    def _may_have_label(self, text: str) -> bool:
        """A quick check: most text has no label, and the scan for code is the expensive part."""
        if not self._has_opened and self._opening.match(text, after_white(text, 0)):
            return True
        folded = text.lower()
        return any(name in folded for name in self._folded) and self._later.search(text) is not None

    def _edits(self, segment: Segment) -> Iterator[Edit]:
        text, prose, line = segment.text, self.prose(segment), self._line
        done = floor = 0
        for edit in () if self._has_opened else self._opening_edits(prose):
            yield edit
            done = floor = edit.end
            self._labels_itself = True
        for match in prose.matches(self._later):
            if match.start() < floor:
                continue
            line, done = line.then(text[done : match.start()]), match.start()
            if not line.may_be_followed_by_speech or self._is_score(match):
                continue
            is_in_line = not line.is_blank and not _is_last(segment, match.end())
            yield Edit(before_space(text, match.start(), floor), match.end(), "\n" if is_in_line else "")
            line, done = _EMPTY, match.end()
            floor = done

    def _is_score(self, match: re.Match[str]) -> bool:
        """Whether the label precedes a figure, in a reply that did not open with a label: ``Scores:⏎Ren: 3``."""
        is_plain = not self._labels_itself and match["modifier"] is None
        return is_plain and FIGURE.match(match.string, match.end()) is not None

    def _opening_edits(self, prose: Prose) -> Iterator[Edit]:
        """The labels that the reply opens with, each with the indentation of its line."""
        done = 0
        while match := self._opening.match(prose.text, after_white(prose.text, done)):
            if not prose.is_free(*match.span()):
                break
            yield Edit(before_space(prose.text, match.start(), done), match.end())
            done = match.end()


# --- where speech may begin -----------------------------------------------------------

_NEAR = 64
"""How much of either end of a line is checked: longer than a tag."""
_BLOCK = re.compile(r"(?:[-*+•]|-?#{1,3}|\d{1,9}[.)])(?:\s|\Z)|>")
_EMOJI = re.compile(r"(?:<a?:\w{1,32}:\d{1,20}>|(?<![\w:]):(?=[0-9~]*[A-Za-z_])[\w~]{2,32}:)\Z", re.ASCII)
# A label directly after one of these belongs to what follows: ``*waves*Ren: hi``. After a quote or emphasis that opens,
# it does not: ``**Ren: hi**``.
_BEFORE_GLUED = re.compile(r"(?:[)\]`,、）\u2600-\u27bf\ufe0f\U0001f000-\U0001ffff]|(?<=[^\s*_~\\])[*_~]{1,8})\Z")
_OPENERS = "“«「『"
_QUOTES = re.compile("[“«「『”»」』]")


class _Line(NamedTuple):
    """The state of a line up to some index."""

    head: str = ""
    """Its first characters."""
    tail: str = ""
    """Its last characters."""
    straight: int = 0
    """Whether a straight quote is open."""
    depth: int = 0
    """How many other quotes are open."""

    def then(self, text: str) -> _Line:
        """The line after *text*; if *text* holds line ends, the line that begins last."""
        _, line_end, text = text.rpartition("\n")
        line = _EMPTY if line_end else self
        return _Line(
            (line.head + text[:_NEAR]).lstrip(WHITESPACE)[:_NEAR],
            (line.tail + text[-_NEAR:])[-_NEAR:],
            (line.straight + text.count('"')) % 2,
            _depth(text, line.depth),
        )

    @property
    def is_blank(self) -> bool:
        """Whether the line is empty so far."""
        return not self.head and not self.tail.strip(WHITESPACE)

    @property
    def may_be_followed_by_speech(self) -> bool:
        """Whether speech may begin here: not in quotes, lists or headings, nor within a sentence."""
        if self.straight or self.depth or _BLOCK.match(self.head):
            return False
        said = self.tail.rstrip(WHITESPACE)
        if said.endswith("."):
            return said[-2:-1] == "." or said[-2:-1].isdigit() or ends_sentence(said, len(said) - 1)
        is_glued = said == self.tail and _BEFORE_GLUED.search(said) is not None
        return is_glued or self.is_blank or said[-1:] in tuple("!?…。！？") or _EMOJI.search(said) is not None


def _depth(text: str, depth: int) -> int:
    """How many quotes are open after *text* if *depth* were before it; closing marks without a partner do not count."""
    for mark in _QUOTES.findall(text):
        depth = depth + 1 if mark in _OPENERS else max(0, depth - 1)
    return depth


_EMPTY = _Line()


def _is_last(segment: Segment, index: int) -> bool:
    """Whether the line ends at *index*."""
    return segment.text.startswith(("\n", "\r\n"), index) or (
        index == len(segment.text) and segment.boundary not in RUNS_ON
    )
