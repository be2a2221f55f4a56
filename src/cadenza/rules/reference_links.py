"""Show links whose address is elsewhere: ``[text][1]`` → ``[text](https://…)`` if ``[1]: https://…`` came before it.

Models put the addresses at the end, when the text was sent already. Then ``[text][1]`` is shown as ``text¹``, and
``[1]: https://…`` as ``¹ <https://…>``, so that readers can match them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..text.scripts import superscript
from ..types import Edit, Segment
from .rule import LineRule, RuleContext

_DEFINITION = (
    r"^[ \t]{0,3}\[(?P<defined>[^\[\]\n^][^\[\]\n]{0,60})\]:[ \t]++<?(?P<address>https?://[^\s<>]++)>?"
    r"(?:[ \t]++(?:\"(?P<title>[^\"\n]++)\"|'(?P<other_title>[^'\n]++)'))?+(?=[ \t]*+$)"
)
# Indices in unmarked code, ``a[i][j]``, follow a word.
_LINK = r"(?<![\w\])}\\])\[(?P<text>[^\[\]\n]{1,200})(?P<end>\]\[(?P<id>[^\[\]\n^][^\[\]\n]{0,60})?\])(?![\[(:])"
_EITHER = re.compile(f"{_DEFINITION}|{_LINK}", re.MULTILINE | re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{1,3}")
_LETTERS = re.compile(r"[^\W\d_]{2}")


class ReferenceLinks(LineRule):
    """Replaces links and the lines with their addresses. What may be something else than a link stays."""

    sign = "["

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._addresses: dict[str, str] = {}
        self._used: set[str] = set()

    def change(self, segment: Segment) -> Segment:
        """Replace the links and definitions in *segment*."""
        if "][" not in segment.text and "]:" not in segment.text:
            return segment  # most brackets are neither
        edits = list(self._edits(segment))
        has_address = any("<" in edit.text or "(" in edit.text for edit in edits)
        return self.rewritten(segment, edits) if has_address or not edits else self.edited(segment, edits)

    def _edits(self, segment: Segment) -> Iterator[Edit]:
        for match in _EITHER.finditer(segment.text):
            begin = match.start()
            if match["defined"] is not None:
                if self.begins_line(segment.text, begin) and self.prose(segment).is_free(begin, begin + 1):
                    yield self._definition(match)
            elif edits := self._link(match):  # the scan costs more than this check
                prose = self.prose(segment)
                if prose.is_free(begin, begin + 1) and prose.is_free(*match.span("end")):
                    self._used.add(match["id"])
                    yield from edits

    def _definition(self, match: re.Match[str]) -> Edit:
        name, address = match["defined"], match["address"]
        is_numbered = _NUMBER.fullmatch(name) and name in self._used
        self._addresses.setdefault(_key(name), address)
        title = match["title"] or match["other_title"]
        mark = superscript(name) if is_numbered else f"[{name}]:"
        return Edit(*match.span(), f"{mark} <{address}>" + (f" ({title})" if title else ""))

    def _link(self, match: re.Match[str]) -> Sequence[Edit]:
        """The edits that show a link; none if it may be something else."""
        text, name = match["text"], match["id"] or match["text"]
        begin, (end, after) = match.start(), match.span("end")
        address = self._addresses.get(_key(name))
        if address is not None:
            is_even = address.count("(") == address.count(")")
            return (Edit(end, after, f"]({address})" if is_even else f"](<{address}>)"),)
        if match["id"] is None or match.string[begin - 1 : begin] == "!":
            return ()  # an image, or perhaps no link at all
        if _NUMBER.fullmatch(name) and _LETTERS.search(text):
            return Edit(begin, begin + 1), Edit(end, after, superscript(name) or name)
        if " " in text.strip() and _LETTERS.search(text):  # words, so it is no index
            return Edit(begin, begin + 1), Edit(end, after, f" [{name}]")
        return ()


def _key(name: str) -> str:
    return " ".join(name.casefold().split())
