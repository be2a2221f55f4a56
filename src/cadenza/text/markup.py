"""Discord's Markdown as it is rendered: a text in, a tree of nodes out, in the format of ``docs/films.md``.

The scanner of ``spans`` decides what is bold, code, a link or a tag. Line styles (headings, quotes, lists) are parsed
here, in Discord's order: what begins first contains what is in it, and a mark that closes outside of that is text.

A text is read once, from left to right: ``_Reader`` consumes the elements of the scanner as it passes them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, assert_never

from .elements import Element, Sort, elements
from .inline_styles import STYLES, date_of
from .intake import Intake
from .spans import SHAPED

Node: TypeAlias = str | dict[str, Any]
"""A text, or an object whose ``is`` names its sort."""

_DEEPEST = 24
"""How deep nodes may be nested; deeper marks are text."""
_SPECIAL = re.compile(r"\n|\\(?P<escaped>[!-/:-@\[-`{-~])|@(?P<all>everyone|here)\b")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_HEADING = re.compile(r"[ \t]*(?P<marks>#{1,3}) +(?=[^\s#])")
_SUBTEXT = re.compile(r"[ \t]*-# +(?=\S)(?!-#)")
_QUOTE = re.compile(r"[ \t]*>[ \t]")
_LONG_QUOTE = re.compile(r"[ \t]*>>>[ \t]")
_ITEM = re.compile(r"[ \t]*(?P<bullet>[-*]|(?P<number>[0-9]{1,9})\.) +(?=\S)")
_BLANKS = re.compile(r"[ \t]*")
_TRAILING_LINES = re.compile(r"\n[ \t\n]*\Z")
_LANGUAGE = re.compile(r"[a-z0-9_+.#-]+", re.ASCII | re.IGNORECASE)
_WEB = re.compile(r"https?://\S")
_ADDRESS = re.compile(r"\s*<?(?P<url>https?://[^\s<>]++)>?(?:\s+(?P<quote>[\"'])(?P<title>.*)(?P=quote))?\s*")
_LINK_MIDDLE = re.compile(r"\\[!-/:-@\[-`{-~]|(?P<middle>\]\()")
_TAG = re.compile(
    r"<(?:@!?(?P<user>\d+)|@&(?P<role>\d+)|\#(?P<channel>\d+)|id:(?P<place>customize|browse|guide)"
    r"|(?P<animated>a?):(?P<emoji>\w+):(?P<emoji_id>\d+)|/(?P<command>[^\n<>]+):(?P<command_id>\d+)"
    r"|t:(?P<seconds>-?\d+)(?::(?P<style>[tTdDfFRsS]))?)>",
    re.ASCII,
)
_LAST_SECOND = 8_640_000_000_000
"""The last timestamp that browsers can show."""
_SIGNS = {"user": "@", "role": "@", "channel": "#", "command": "/", "everyone": "@", "here": "@"}
_UNKNOWN = {"user": "unknown-user", "role": "unknown-role", "channel": "unknown"}


@dataclass(frozen=True, slots=True)
class Names:
    """The names to show for the ids in a text."""

    users: Mapping[str, str] = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=dict)
    channels: Mapping[str, str] = field(default_factory=dict)


NO_NAMES = Names()
"""For a text without known names."""


def nodes(text: str, names: Names = NO_NAMES) -> list[Node]:
    """*text* as Discord renders it. It never fails, and takes linear time."""
    intake = Intake()
    clean = intake.feed(text) + intake.flush()
    return _Reader(clean, names).read(0, len(clean), _Place(), is_fresh=True)


def plain(shown: Iterable[Node], *, hidden: str | None = None) -> str:
    """The words of *shown*; *hidden*, if given, replaces each spoiler."""
    return "".join(_words(node, hidden) for node in shown)


def _words(node: Node, hidden: str | None) -> str:
    match node:
        case str():
            return node
        case {"is": "spoiler"} if hidden is not None:
            return hidden
        case {"is": "code", "text": text}:
            return str(text)
        case {"is": "block", "text": text}:
            return f"{text}\n"
        case {"is": "list", "items": items}:
            return "".join(f"{plain(item, hidden=hidden)}\n" for item in items)
        case {"is": "mention", "sort": sort, "name": name}:
            return f"{_SIGNS[sort]}{name}"
        case {"is": "emoji", "name": name}:
            return f":{name}:"
        case {"is": "time", "seconds": seconds, "style": style}:
            return date_of(seconds, style)
        case {"is": "heading" | "subtext" | "quote", "of": inner}:
            return f"{plain(inner, hidden=hidden)}\n"
        case _:
            return plain(node["of"], hidden=hidden)


@dataclass(frozen=True, slots=True)
class _Place:
    """The context in which a part of the tree is read."""

    depth: int = 0
    in_quote: bool = False
    """Quotes are not nested."""
    in_link: bool = False
    is_marked: bool = False
    """Each line begins with a quote mark."""
    indent: int = 0
    """In a list item: the column where its text begins."""

    def below(self, **changed: Any) -> _Place:
        """The context of a child node."""
        return replace(self, depth=self.depth + 1, **changed)


class _Shown:
    """A list of nodes under construction; neighbouring texts are joined."""

    def __init__(self) -> None:
        self._nodes: list[Node] = []
        self._texts: list[str] = []

    def add(self, node: Node) -> None:
        if isinstance(node, str):
            self._texts.append(node)
        else:
            self._flush()
            self._nodes.append(node)

    def _flush(self) -> None:
        if text := "".join(self._texts):
            self._nodes.append(text)
        self._texts.clear()

    def done(self) -> list[Node]:
        self._flush()
        return self._nodes


class _Reader:
    """Reads one text."""

    def __init__(self, text: str, names: Names) -> None:
        self._text = text
        self._names = names
        self._elements = elements(text)
        self._blocks = [element for element in self._elements if element.sort is Sort.BLOCK]
        self._next = 0  # the first element that was not passed
        self._line = 0  # where the current line begins, after a quote mark

    def read(self, start: int, end: int, place: _Place, *, is_fresh: bool) -> list[Node]:
        """The nodes of ``text[start:end]``; with *is_fresh*, a line begins there."""
        shown, position = _Shown(), start
        while position < end:
            if is_fresh:
                node, after = self._shaped(position, end, place)
                if node is not None:
                    shown.add(node)
                    position = after
                    continue
                position = self._without_indent(position, end, place)
            element = self._ahead(position, end, place)
            if element is None or element.start > position:
                stop = end if element is None else element.start
                position, is_fresh = self._read_text(shown, position, stop)
                position = self._begin_line(position, end, place) if is_fresh else position
                continue
            self._next += 1
            node = self._node(element, place, is_fresh=is_fresh)
            if node is None:
                continue  # its marks are text; its content is still read
            shown.add(node)
            position, is_fresh = element.end, False
            if element.sort is Sort.BLOCK and (after := self._after_line_end(position, end)):
                position, is_fresh = self._begin_line(after, end, place), True
        return shown.done()

    def _ahead(self, position: int, end: int, place: _Place) -> Element | None:
        """The next element between *position* and *end*; elements that cross *end* are skipped."""
        for number in range(self._next, len(self._elements)):
            element = self._elements[number]
            if element.start >= end:
                self._next = number
                return None
            if element.start >= position and element.end <= end and place.depth < _DEEPEST:
                self._next = number
                return element
        self._next = len(self._elements)
        return None

    def _read_text(self, shown: _Shown, position: int, stop: int) -> tuple[int, bool]:
        """Add the text from *position* on, at most one line; returns whether a line has ended."""
        for special in _SPECIAL.finditer(self._text, position, stop):
            shown.add(self._text[position : special.start()])
            position = special.end()
            if everybody := special["all"]:
                shown.add({"is": "mention", "sort": everybody, "id": None, "name": everybody})
                continue
            shown.add(special["escaped"] or "\n")
            if special.group() == "\n":
                return position, True
        shown.add(self._text[position:stop])
        return stop, False

    # --- lines ------------------------------------------------------------------------

    def _begin_line(self, position: int, end: int, place: _Place) -> int:
        """Begin a line at *position*; returns where its text begins."""
        self._line = self._after_mark(position, end, place)
        return self._line

    def _after_mark(self, position: int, end: int, place: _Place) -> int:
        mark = _QUOTE.match(self._text, position, end) if place.is_marked else None
        return mark.end() if mark else position

    def _line_end(self, position: int, end: int) -> int:
        found = self._text.find("\n", position, end)
        return end if found < 0 else found

    def _after_line_end(self, position: int, end: int) -> int:
        """The index after the line end at *position*; 0 if there is none."""
        blanks = self._blanks(position, end)
        return blanks + 1 if blanks < end and self._text[blanks] == "\n" else 0

    def _blanks(self, position: int, end: int) -> int:
        """Where the blanks at *position* end."""
        blanks = _BLANKS.match(self._text, position, end)
        return blanks.end() if blanks else position

    def _without_indent(self, position: int, end: int, place: _Place) -> int:
        """Where the text of a line begins: blanks are dropped in a list item and in front of a code block."""
        after = self._blanks(position, end)
        if after == position or place.indent:
            return after
        element = self._ahead(position, end, place)
        is_block = element is not None and element.sort is Sort.BLOCK and element.start == after
        return after if is_block else position

    def _shaped(self, position: int, end: int, place: _Place) -> tuple[Node | None, int]:
        """The node of the line at *position*, if it has a line style, and where that node ends."""
        if place.depth >= _DEEPEST:
            return None, position
        text = self._text
        if SHAPED.match(text, position, end):
            if heading := _HEADING.match(text, position, end):
                return self._of_line("heading", heading, end, place, level=len(heading["marks"]))
            if subtext := _SUBTEXT.match(text, position, end):
                return self._of_line("subtext", subtext, end, place)
            return (None, position) if place.in_quote else self._quote(position, end, place)
        item = _ITEM.match(text, position, end)
        return self._list(item, end, place) if item else (None, position)

    def _of_line(self, sort: str, mark: re.Match[str], end: int, place: _Place, **about: object) -> tuple[Node, int]:
        """A node up to the end of the line that *mark* opens."""
        stop = self._line_end(mark.end(), end)
        node: Node = {"is": sort, **about, "of": self.read(mark.end(), stop, place.below(), is_fresh=False)}
        return node, self._begin_line(min(stop + 1, end), end, place)

    def _quote(self, position: int, end: int, place: _Place) -> tuple[Node | None, int]:
        if mark := _LONG_QUOTE.match(self._text, position, end):
            self._line = mark.end()
            inner = self.read(mark.end(), end, place.below(in_quote=True), is_fresh=True)
            return {"is": "quote", "of": inner}, end
        mark = _QUOTE.match(self._text, position, end)
        if mark is None:
            return None, position
        stop = self._line_end(position, end)
        while stop < end and _QUOTE.match(self._text, stop + 1, end):
            stop = self._line_end(stop + 1, end)
        self._line = mark.end()
        inner = self.read(mark.end(), stop, place.below(in_quote=True, is_marked=True), is_fresh=True)
        return {"is": "quote", "of": inner}, self._begin_line(min(stop + 1, end), end, place)

    def _list(self, item: re.Match[str], end: int, place: _Place) -> tuple[Node, int]:
        number = item["number"]
        items: list[list[Node]] = []
        following: re.Match[str] | None = item
        after = end
        while following and (following["number"] is None) == (number is None):
            edge, begin = following.start("bullet") - self._line, following.end()
            stop = self._item_end(begin, end, edge, place)
            items.append(self.read(begin, stop, place.below(indent=begin - self._line), is_fresh=True))
            after = self._begin_line(min(stop + 1, end), end, place)
            following = _ITEM.match(self._text, after, end)
        return {"is": "list", "start": None if number is None else int(number), "items": items}, after

    def _item_end(self, position: int, end: int, edge: int, place: _Place) -> int:
        """Where a list item ends: before the next line that is indented no further than its bullet."""
        while True:
            stop = self._line_end_in_item(position, end)
            if stop >= end:
                return end
            following = self._after_mark(stop + 1, end, place)
            position = self._blanks(following, end)
            if position - following <= edge or position >= end or self._text[position] == "\n":
                return stop

    def _line_end_in_item(self, position: int, end: int) -> int:
        """Where the line of an item ends; a code block that begins in it counts as part of the line."""
        stop = self._line_end(position, end)
        number = bisect_left(self._blocks, position, key=lambda block: block.start)
        while number < len(self._blocks) and self._blocks[number].start < stop:
            if self._blocks[number].end <= end:
                stop = max(stop, self._line_end(self._blocks[number].end, end))
            number += 1
        return stop

    # --- within a line ------------------------------------------------------------------

    def _node(self, element: Element, place: _Place, *, is_fresh: bool) -> Node | None:
        """The node of *element*; ``None`` shows it as it is written."""
        match element.sort:
            case Sort.BLOCK:
                return self._block(element, place)
            case Sort.EMPHASIS:
                return self._emphasis(element, place, is_fresh=is_fresh)
            case Sort.CODE:
                return self._code(element, place)
            case Sort.LINK:
                return None if place.in_link else self._link(element, place)
            case Sort.ADDRESS:
                address = self._source(element).removeprefix("<").removesuffix(">")
                is_link = _WEB.match(address) and not place.in_link
                return {"is": "link", "url": address, "of": [address]} if is_link else None
            case Sort.TAG:
                return self._tag(self._source(element))
        assert_never(element.sort)

    def _source(self, element: Element) -> str:
        return self._text[element.start : element.end]

    def _emphasis(self, element: Element, place: _Place, *, is_fresh: bool) -> Node | None:
        styles = STYLES.get(element.mark, ())
        begin, stop = element.start + len(element.mark), element.end - len(element.mark)
        if not styles or begin >= stop or not self._text.startswith(element.mark, stop):
            return None
        inner: list[Node] = self.read(begin, stop, place.below(), is_fresh=is_fresh)
        for style in reversed(styles):
            inner = [{"is": style, "of": inner}]
        return inner[0]

    def _code(self, element: Element, place: _Place) -> Node:
        source = self._source(element)
        ticks = len(source) - len(source.lstrip("`"))
        text = self._lines_of_code(element.start + ticks, element.end - ticks, place)
        # A space only separates the backticks of the code from those around it.
        text = text[1:] if text.startswith(" `") else text
        return {"is": "code", "text": text[:-1] if text.endswith("` ") else text}

    def _block(self, element: Element, place: _Place) -> Node | None:
        body = self._lines_of_code(element.start + len(element.mark), element.end, place).rstrip(element.mark[0])
        first, _, rest = body.partition("\n")
        language = first if _LANGUAGE.fullmatch(first) and rest.strip() else ""
        text = _TRAILING_LINES.sub("", (rest if language else body).lstrip("\n"))
        return {"is": "block", "text": text, "language": language} if text.strip() else None

    def _lines_of_code(self, start: int, end: int, place: _Place) -> str:
        """Code without the quote marks or the indentation of its lines."""
        first, *lines = self._text[start:end].split("\n")
        return "\n".join([first, *(_without_edge(line, place) for line in lines)])

    def _link(self, element: Element, place: _Place) -> Node | None:
        """A masked link; as in Discord, one whose text is another address is none."""
        middle = self._middle(element.start + 1, element.end)
        for number in range(self._next, len(self._elements)):
            inner = self._elements[number]
            if inner.start >= middle:
                break
            if inner.sort is Sort.ADDRESS:
                return None
            if inner.sort in (Sort.CODE, Sort.TAG) and inner.end > middle:
                middle = self._middle(inner.end, element.end)
        address = _ADDRESS.fullmatch(self._text, middle + 2, element.end - 1)
        if address is None or middle == element.start + 1:
            return None
        title = {"title": address["title"]} if address["title"] else {}
        words = self.read(element.start + 1, middle, place.below(in_link=True), is_fresh=False)
        return {"is": "link", "url": _ESCAPE.sub(r"\1", address["url"]), **title, "of": words}

    def _middle(self, start: int, end: int) -> int:
        """Where the text of a link ends and its address begins."""
        marks = _LINK_MIDDLE.finditer(self._text, start, end)
        return next((mark.start() for mark in marks if mark["middle"]), end)

    def _tag(self, source: str) -> Node | None:
        tag = _TAG.fullmatch(source)
        if tag is None:
            return None
        if tag["emoji"]:
            return {"is": "emoji", "name": tag["emoji"], "id": tag["emoji_id"], "is_animated": bool(tag["animated"])}
        if tag["seconds"]:
            seconds = int(tag["seconds"])
            is_shown = abs(seconds) <= _LAST_SECOND
            return {"is": "time", "seconds": seconds, "style": tag["style"] or "f"} if is_shown else None
        if tag["command"]:
            return {"is": "mention", "sort": "command", "id": tag["command_id"], "name": tag["command"]}
        if tag["place"]:
            return {"is": "mention", "sort": "channel", "id": tag["place"], "name": tag["place"]}
        known = {"user": self._names.users, "role": self._names.roles, "channel": self._names.channels}
        sort = next(sort for sort in known if tag[sort])
        return {"is": "mention", "sort": sort, "id": tag[sort], "name": known[sort].get(tag[sort], _UNKNOWN[sort])}


def _without_edge(line: str, place: _Place) -> str:
    mark = _QUOTE.match(line) if place.is_marked else None
    line = line[mark.end() :] if mark else line
    blanks = len(line) - len(line.lstrip(" "))
    return line[min(blanks, place.indent) :]
