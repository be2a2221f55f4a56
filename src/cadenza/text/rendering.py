"""Markdown written in another chat's marks.

The scanner says what is bold, code or a link. Only those marks are replaced; the text between them stays as it is, and
code stays to the letter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from ..types import Edit
from .elements import Element, Sort, elements
from .emoji import EMOJI
from .inline_styles import STYLES, date_of
from .units import WHITESPACE

Mark: TypeAlias = str | tuple[str, str]
"""What stands on both sides of a text, or what opens and what closes it. An empty one shows the text alone."""

_SHAPE = re.compile(
    r"(?:(?P<long>[ \t]*>>>[ \t]+)|[ \t]*>[ \t]+)?[ \t]*"
    r"(?:(?P<heading>#{1,3} +)(?=[^\s#])|(?P<subtext>-# +)(?=\S)|(?P<bullet>[-*] +)(?=\S))?"
)
"""How a line begins: a quote, and in it a heading, subtext or an item of a list."""
_ESCAPE = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
_ADDRESS = re.compile(r"\s*<?(?P<url>https?://[^\s<>]++)>?(?:\s+[\"'].*[\"'])?\s*")
_TIME = re.compile(r"<t:(?P<seconds>-?\d{1,13})(?::(?P<style>[a-zA-Z]))?>", re.ASCII)
_COMMAND = re.compile(r"<(?P<command>/.+):\d+>", re.ASCII)
_FENCE = re.compile(r"(?P<opening>(?P<run>[`~]{3,})[^\n]*\n)(?P<code>.*?)\n?[ \t>]*(?P=run)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Marks:
    """A chat's own marks: a ``Markup`` for ``Limits(markup=...)``. The defaults are those of common Markdown.

    Mentions stay as they are: their ids are the chat's own.
    """

    bold: Mark = "**"
    italic: Mark = "*"
    underline: Mark = ""
    strike: Mark = "~~"
    spoiler: Mark = ""
    code: Mark = "`"
    fence: Mark = "```"
    heading: Mark | None = None
    """``None`` leaves ``#`` in front of it."""
    subtext: Mark = ""
    """Small print: a notice is that, too."""
    bullet: str | None = None
    """What begins an item of a list; ``None`` leaves it."""
    link: str = "{text} ({url})"
    """How a masked link is written, with ``{text}`` and ``{url}``."""
    backslash: bool = True
    """Whether a backslash makes a mark plain text."""
    escapes: Mapping[str, str] = field(default_factory=dict)
    """Characters that text and code must not hold, each with what stands for it, such as ``{"<": "&lt;"}``."""
    unit: Callable[[str], int] = len
    """How the chat counts the length of a message."""

    def rendered(self, text: str, /) -> str:
        """*text* in these marks."""
        parts: list[str] = []
        position, escapes = 0, str.maketrans(dict(self.escapes))
        for start, end, instead in sorted(_Edits(self, text).found()):
            if start >= position:  # what stands inside of an edit before has gone with it
                parts += text[position:start].translate(escapes), instead
                position = end
        return "".join(parts) + text[position:].translate(escapes)

    def size(self, text: str, /) -> int:
        """How long *text* is in these marks."""
        return self.unit(self.rendered(text))

    def notice(self, text: str, /) -> str:
        """*text* as subtext."""
        return self.rendered(f"-# {text}")


class _Edits:
    """The edits that write one text in other marks."""

    def __init__(self, marks: Marks, text: str) -> None:
        self._marks = marks
        self._text = text
        self._elements = elements(text)
        literal = (Sort.BLOCK, Sort.CODE, Sort.ADDRESS, Sort.TAG)
        self._literal = [element for element in self._elements if element.sort in literal]
        self._headings: list[range] = []

    def found(self) -> Iterator[Edit]:
        yield from self._shapes()
        for number, element in enumerate(self._elements):
            yield from self._element(number, element)
        if not self._marks.backslash:
            yield from (Edit(*escape.span()) for escape in self._outside(_ESCAPE.finditer(self._text)))

    def _outside(self, matches: Iterator[re.Match[str]]) -> Iterator[re.Match[str]]:
        """Those of *matches* that do not begin within code, an address or a tag, nor where a code block does."""
        literal = iter(self._literal)
        inside = next(literal, None)
        for match in matches:
            while inside and inside.end <= match.start():
                inside = next(literal, None)
            if inside is None or match.start() < inside.start + (inside.sort is not Sort.BLOCK):
                yield match

    # --- lines ------------------------------------------------------------------------

    def _shapes(self) -> Iterator[Edit]:
        quote = False  # whether a >>> stands before: it quotes all that follows
        for line in self._outside(re.finditer(r"^.*$", self._text, re.MULTILINE)):
            begin, end = line.start(), line.start() + len(line.group().rstrip(WHITESPACE))
            shape = _SHAPE.match(self._text, begin, end)
            if quote:
                yield Edit(begin, begin, "> ")
            if shape is None:
                continue
            if shape["long"]:
                quote = True
                yield Edit(*shape.span("long"), "> ")
            yield from self._shape(shape, end)

    def _shape(self, shape: re.Match[str], end: int) -> Iterator[Edit]:
        marks = self._marks
        if (shape["heading"] or shape["subtext"]) and any(code.start < end < code.end for code in self._literal):
            return  # its line ends in a code block
        if shape["heading"] and marks.heading is not None:
            self._headings.append(range(shape.start("heading"), end))
            yield from _around(shape.span("heading"), (end, end), marks.heading)
        elif shape["subtext"]:
            yield from _around(shape.span("subtext"), (end, end), marks.subtext)
        elif shape["bullet"] and marks.bullet is not None:
            yield Edit(*shape.span("bullet"), marks.bullet)

    # --- within a line ------------------------------------------------------------------

    def _element(self, number: int, element: Element) -> Iterator[Edit]:
        start, end, marks = element.start, element.end, self._marks
        source = self._text[start:end]
        match element.sort:
            case Sort.EMPHASIS:
                yield from self._emphasis(element)
            case Sort.LINK:
                yield from self._link(number, element)
            case Sort.CODE if marks.code != "`":
                width = len(source) - len(source.lstrip("`"))
                yield from _around((start, start + width), (end - width, end), marks.code)
            case Sort.BLOCK if marks.fence != "```" and (fence := _FENCE.fullmatch(source)):
                opening, code = fence.end("opening"), fence.end("code")
                yield from _around((start, start + opening), (start + code, end), marks.fence)
            case Sort.ADDRESS if source.startswith("<") and source.endswith(">"):
                yield from _around((start, start + 1), (end - 1, end), "")
            case Sort.TAG if (words := _words(source)) != source:
                yield Edit(start, end, words)
            case _:
                pass

    def _emphasis(self, element: Element) -> Iterator[Edit]:
        width = len(element.mark)
        begin, stop = element.start + width, element.end - width
        if element.mark not in STYLES or begin >= stop or not self._text.startswith(element.mark, stop):
            return
        styles, (opening, closing) = STYLES[element.mark], ("", "")
        for heading in self._headings:
            if heading.start <= element.start < heading.stop:
                if element.end > heading.stop:
                    return  # it would have to close within the heading
                own = self._marks.heading
                styles = tuple(style for style in styles if getattr(self._marks, style) != own)
        for style in styles:
            before, after = _pair(getattr(self._marks, style))
            opening, closing = opening + before, after + closing
        yield Edit(element.start, begin, opening)
        yield Edit(stop, element.end, closing)

    def _link(self, number: int, element: Element) -> Iterator[Edit]:
        """A masked link. One whose text is another address stays as it is written."""
        middle = self._text.rfind("](", element.start, element.end)
        address = _ADDRESS.fullmatch(self._text, middle + 2, element.end - 1)
        if address is None or middle <= element.start + 1:
            return
        for inner in self._elements[number + 1 :]:
            if inner.start >= middle:
                break
            if inner.sort is Sort.ADDRESS or inner.end > middle:
                return
        before, _, after = self._marks.link.partition("{text}")
        yield Edit(element.start, element.start + 1, before.replace("{url}", address["url"]))
        yield Edit(middle, element.end, after.replace("{url}", address["url"]))


def _pair(mark: Mark) -> tuple[str, str]:
    return (mark, mark) if isinstance(mark, str) else mark


def _around(opening: tuple[int, int], closing: tuple[int, int], mark: Mark) -> Iterator[Edit]:
    before, after = _pair(mark)
    yield Edit(*opening, before)
    yield Edit(*closing, after)


def _words(tag: str) -> str:
    """A tag that only Discord knows, in words."""
    if emoji := EMOJI.fullmatch(tag):
        return f":{emoji['name']}:"
    if time := _TIME.fullmatch(tag):
        return date_of(int(time["seconds"]), time["style"] or "f")
    if command := _COMMAND.fullmatch(tag):
        return command["command"]
    return tag
