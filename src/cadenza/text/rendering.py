"""Markdown written in another chat's marks.

The scanner says what is bold, code or a link. Only those marks are replaced. The text between them and code keep every
letter; characters that the chat reads as markup are escaped in both.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from ..types import Edit
from .elements import Element, Sort, elements
from .emoji import EMOJI
from .inline_styles import STYLES, date_of
from .spans import INFO, LONGEST_INFO
from .units import WHITESPACE

Mark: TypeAlias = str | tuple[str, str]
"""What stands on both sides of a text, or what opens and what closes it. An empty one shows the text alone."""

_SHAPE = re.compile(
    r"(?:(?P<long>[ \t]*>>>[ \t]+)|(?P<quote>[ \t]*>(?:[ \t]|(?=```|~~~)|\Z)))?[ \t]*"
    r"(?:(?P<heading>#{1,6} +)(?=[^\s#])|(?P<subtext>-# +)(?=\S)|(?P<bullet>[-*+] +)(?=\S))?"
)
"""How a line begins: a quote, and in it a heading, subtext or an item of a list."""
_ESCAPE = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
_ADDRESS = re.compile(r"\s*<?(?P<url>https?://[^\s<>]++)>?(?:\s+[\"'].*[\"'])?\s*")
_TIME = re.compile(r"<t:(?P<seconds>-?\d{1,13})(?::(?P<style>[a-zA-Z]))?>", re.ASCII)
_COMMAND = re.compile(r"<(?P<command>/.+):\d+>", re.ASCII)
_PLAIN_LINK = "{text} ({url})"
_MENTION = re.compile(r"(?<!\\)<[@#][!&]?\w{1,40}>", re.ASCII)
"""A mention with an id of any chat; the scanner knows those of Discord."""
_QUOTED = re.compile(r"(?<=\n)[ \t]*>[ \t]?")


@dataclass(frozen=True, slots=True)
class Marks:
    """A chat's own marks: a ``Markup`` for ``Limits(markup=...)``. The defaults are those of common Markdown.

    A style within the same mark is shown without it: bold in a bold heading is written once.
    """

    bold: Mark = "**"
    italic: Mark = "*"
    underline: Mark = ""
    strike: Mark = "~~"
    spoiler: Mark = ""
    """Text that Discord hides until it is clicked."""
    code: Mark = "`"
    """Code within a line; the default leaves its backticks."""
    fence: Mark = "```"
    """A code block. Mere backticks keep their lines and the language; any other mark stands directly at the code, and the
    language is dropped. Three backticks become more where the code holds as many."""
    heading: Mark | None = None
    """A heading of any level; ``None`` leaves its ``#``."""
    subtext: Mark = ""
    """Small print, which notices are too."""
    quote: str = "> "
    """What begins each line of a quote, code in it included."""
    bullet: str | None = None
    """What begins an item of a list; ``None`` leaves it."""
    link: str = _PLAIN_LINK
    """How a masked link or an image is written, with ``{text}`` and ``{url}``. Where this has
    a ``|``, a text with one or with a mention is written as by default."""
    mention: Callable[[str], str] = str
    """How a mention such as ``<@12>``, ``<@&12>`` or ``<#12>`` is written, unescaped; the default keeps it."""
    backslash: bool = True
    """Whether the chat reads a backslash before a mark as "plain text"; if not, such backslashes are removed."""
    escapes: Mapping[str, str] = field(default_factory=dict)
    """Characters that the chat reads as markup, each with its replacement, such as ``{"<": "&lt;"}``. They apply to text,
    code and addresses, each once; not to these marks, nor to mentions."""
    unit: Callable[[str], int] = len
    """How the chat counts the length of a message."""

    def rendered(self, text: str, /) -> str:
        """*text* in these marks."""
        parts: list[str] = []
        position = 0
        for start, end, instead in sorted(_Edits(self, text).found()):
            if start >= position:  # an edit within an earlier one went with it
                parts += self.escaped(text[position:start]), instead
                position = end
        return "".join(parts) + self.escaped(text[position:])

    def escaped(self, text: str, /) -> str:
        """*text* as plain text: with ``escapes``, and its marks as they are."""
        return text.translate({ord(character): instead for character, instead in self.escapes.items()})

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
        self._lines: deque[_Styled] = deque()  # headings and subtext
        self._styles: list[_Styled] = []  # emphasis around the current element, outermost first
        self._quoted_from = len(text)  # where a >>> stands: it quotes all that follows

    def found(self) -> Iterator[Edit]:
        yield from self._shapes()
        for number, element in enumerate(self._elements):
            yield from self._element(number, element)
        mentions = self._outside(_MENTION.finditer(self._text))
        yield from (Edit(*mention.span(), self._marks.mention(mention.group())) for mention in mentions)
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
        mark = self._marks.quote
        for line in self._outside(re.finditer(r"^.*$", self._text, re.MULTILINE)):
            begin, end = line.start(), line.start() + len(line.group().rstrip(WHITESPACE))
            shape = _SHAPE.match(self._text, begin, end)
            if begin > self._quoted_from:
                yield Edit(begin, begin, mark)
            elif shape and shape["long"]:
                self._quoted_from = begin
                yield Edit(*shape.span("long"), mark)
            elif shape and shape["quote"]:
                yield Edit(*shape.span("quote"), mark if shape.end("quote") < end else mark.rstrip(" "))
            if shape:
                yield from self._shape(shape, end)

    def _shape(self, shape: re.Match[str], end: int) -> Iterator[Edit]:
        marks = self._marks
        if (shape["heading"] or shape["subtext"]) and any(code.start < end < code.end for code in self._literal):
            return  # its line ends in a code block
        if shape["heading"] and marks.heading is not None:
            self._lines.append(_Styled(shape.start("heading"), end, (marks.heading,)))
            yield from _around(shape.span("heading"), (end, end), marks.heading)
        elif shape["subtext"]:
            if marks.subtext:
                self._lines.append(_Styled(shape.start("subtext"), end, (marks.subtext,)))
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
            case Sort.BLOCK:
                yield from self._block(element)
            case Sort.ADDRESS if source.startswith("<") and source.endswith(">"):
                yield from _around((start, start + 1), (end - 1, end), "")
            case Sort.TAG:
                words = _words(source)
                yield Edit(start, end, marks.escaped(words) if words != source else marks.mention(source))
            case _:
                pass

    def _emphasis(self, element: Element) -> Iterator[Edit]:
        width = len(element.mark)
        begin, stop = element.start + width, element.end - width
        if element.mark not in STYLES or begin >= stop or not self._text.startswith(element.mark, stop):
            return
        while self._styles and self._styles[-1].end <= element.start:
            self._styles.pop()
        while self._lines and self._lines[0].end <= element.start:
            self._lines.popleft()
        outer = [mark for style in self._styles for mark in style.marks]
        if self._lines and self._lines[0].start <= element.start:
            if element.end > self._lines[0].end:
                return  # it would have to close within its line
            outer += self._lines[0].marks
        marks = [mark for style in STYLES[element.mark] if (mark := getattr(self._marks, style)) not in outer]
        self._styles.append(_Styled(element.start, element.end, tuple(marks)))
        pairs = [_pair(mark) for mark in dict.fromkeys(marks)]
        yield Edit(element.start, begin, "".join(before for before, _ in pairs))
        yield Edit(stop, element.end, "".join(after for _, after in reversed(pairs)))

    def _block(self, element: Element) -> Iterator[Edit]:
        """A code block. In a quote its lines begin with the quote mark; mostly the first of them has it already."""
        start, end, tick = element.start, element.end, element.mark[0]
        line = self._text.rfind("\n", 0, start) + 1
        is_long, shape = line >= self._quoted_from, _SHAPE.match(self._text, line, start)
        is_quoted = not is_long and shape is not None and bool(shape["quote"])
        body = self._text[start + len(element.mark) : end].rstrip(tick)
        code, line_end, indent = body.rpartition("\n")
        if indent.strip(" \t>" if is_quoted else " \t") or not line_end:
            code, line_end = body, ""  # the fence closes on the last line of the code
        if is_quoted and code.count("\n") == len(_QUOTED.findall(code)):
            code = _QUOTED.sub("", code)
        info, info_end, rest = code.partition("\n")
        if not info_end or len(info) > LONGEST_INFO or not INFO.fullmatch(info):
            info, info_end, rest = "", "", code
        longest = max(map(len, re.findall("`{3,}", rest)), default=2)
        before, after = (mark.replace("```", "`" * (longest + 1)) for mark in _pair(self._marks.fence))
        if set(before) == set(after) == {"`"}:
            before, after = before + self._marks.escaped(info + info_end), line_end + after
        shown = before + self._marks.escaped(rest) + after
        if is_long or is_quoted:
            shown = shown.replace("\n", "\n" + self._marks.quote)
        yield Edit(start, end, self._marks.quote * (is_long and start == line > self._quoted_from) + shown)

    def _link(self, number: int, element: Element) -> Iterator[Edit]:
        """A masked link or an image. One whose text is another address or link stays as it is written."""
        text, start = self._text, element.start
        middle = text.rfind("](", start, element.end)
        address = _ADDRESS.fullmatch(text, middle + 2, element.end - 1)
        previous = text[start - 2 : start - 1]
        is_image = text[start - 1 : start] == "!" and not (previous.isalnum() or previous == "\\")
        if address is None or (middle <= start + 1 and not is_image):
            return
        for inner in self._elements[number + 1 :]:
            if inner.start >= middle:
                break
            if inner.sort in (Sort.ADDRESS, Sort.LINK) or inner.end > middle:
                return
        link, url = self._marks.link, address["url"]
        if middle <= start + 1:
            link = "{url}"
        elif "|" in link and not {"|", "<"}.isdisjoint(text[start:middle]):
            link = _PLAIN_LINK  # the link would end too early
        for mark in "|'\"":
            url = url.replace(mark, f"%{ord(mark):X}") if mark in link else url
        before, _, after = link.replace("{url}", self._marks.escaped(url)).partition("{text}")
        yield Edit(start - is_image, start + 1, before)
        yield Edit(middle, element.end, after)


class _Styled(NamedTuple):
    """``text[start:end]`` stands in *marks*."""

    start: int
    end: int
    marks: tuple[Mark, ...]


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
