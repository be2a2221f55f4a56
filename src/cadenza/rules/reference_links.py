"""Show links whose address is elsewhere: ``[text][1]`` → ``[text](https://…)`` if ``[1]: https://…`` came before it.

Models put the addresses at the end, when the text was sent already. Then ``[text][1]`` is shown as ``text¹``, and
``[1]: https://…`` as ``¹ <https://…>``, so that readers can match them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

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

    sign = "]"

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._addresses: dict[str, str] = {}
        self._numbered: set[str] = set()  # shown as a number, because the address was not known

    def change(self, segment: Segment) -> Segment:
        """Replace the links and definitions in *segment*."""
        if "][" not in segment.text and "]:" not in segment.text:
            return segment
        return self.rewritten(segment, self._edits(segment))

    def _edits(self, segment: Segment) -> Iterator[Edit]:
        prose = self.prose(segment)
        for match in _EITHER.finditer(segment.text):
            if not prose.is_free(match.start(), match.start() + 1):
                continue
            if match["defined"] is None:
                if prose.is_free(*match.span("end")):
                    yield from self._link(match)
            elif self.begins_line(segment.text, match.start()):
                yield self._definition(match)

    def _definition(self, match: re.Match[str]) -> Edit:
        name, address = match["defined"], match["address"]
        self._addresses.setdefault(_key(name), address)
        title = match["title"] or match["other_title"]
        mark = superscript(name) if name in self._numbered else f"[{name}]:"
        return Edit(*match.span(), f"{mark} <{address}>" + (f" ({title})" if title else ""))

    def _link(self, match: re.Match[str]) -> Iterator[Edit]:
        text, name = match["text"], match["id"] or match["text"]
        begin, end = match.start(), match.end()
        address = self._addresses.get(_key(name))
        if address is not None:
            is_even = address.count("(") == address.count(")")
            yield Edit(match.start("end"), end, f"]({address})" if is_even else f"](<{address}>)")
        elif match.string[begin - 1 : begin] == "!" or match["id"] is None:
            return  # an image, or perhaps no link at all
        elif _NUMBER.fullmatch(name) and _LETTERS.search(text):
            self._numbered.add(name)
            yield Edit(begin, begin + 1)
            yield Edit(match.start("end"), end, superscript(name) or name)
        elif " " in text.strip():  # words, so it is no index
            yield Edit(begin, begin + 1)
            yield Edit(match.start("end"), end, f" [{name}]")


def _key(name: str) -> str:
    return " ".join(name.casefold().split())
