"""Show what HTML tags mean: ``H<sub>2</sub>O`` → ``H₂O``, ``<b>so</b>`` → ``**so**``, ``one<br>two`` → two lines.

Only a pair of tags in one segment is replaced, so that text about tags, "the <b> tag", stays. So do lines that begin
like the source of a page, ``<div>``, and the lines below them.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from html import unescape

from ..text.prose import Prose
from ..text.scripts import subscript, superscript
from ..text.units import WHITESPACE
from ..types import Edit, Kind, Segment
from .rule import BEFORE_LINE, LineRule, ends_line

_MARKS = {
    **dict.fromkeys(("b", "strong"), "**"),
    **dict.fromkeys(("i", "em"), "*"),
    **dict.fromkeys(("u", "ins"), "__"),
    **dict.fromkeys(("s", "del", "strike"), "~~"),
}
_CODE = frozenset({"kbd", "code", "samp", "tt"})
_SCRIPTS = {"sup": (superscript, "^("), "sub": (subscript, "\\_(")}
_AS_THEY_ARE = frozenset("®™©†‡°")
"""Characters that need no superscript."""
_BLOCKS = frozenset({"p", "center"})
_DROPPED = frozenset({"span", "font", "small", "big", "mark"})
"""Tags that only lose their marks: the content is shown."""
_NAMES = "|".join(sorted({"br", *_MARKS, *_CODE, *_SCRIPTS, *_BLOCKS, *_DROPPED}))
# Attributes have values: there is no tag in `a <b and c> d`.
_ATTRIBUTE = r"""[ \t]++[a-z][\w:-]*+[ \t]*+=[ \t]*+(?:"[^"<>\n]*+"|'[^'<>\n]*+'|[^\s"'<>=`]++)"""
_TAG = re.compile(rf"<(?P<closes>/?)(?P<name>{_NAMES})(?:{_ATTRIBUTE})*+[ \t]*+/?>", re.IGNORECASE | re.ASCII)
_COMMENT = re.compile(r"<!--(?:(?!-->|<!--)[^\n])*+-->")
_PAGE = re.compile(
    r"[ \t]*+<(?:!doctype|/?(?:html|head|body|title|meta|link|script|style|div|nav|main|section|article|aside|header|footer"
    r"|h[1-6]|[uod]l|li|d[td]|table|caption|t(?:head|body|foot|[rdh])|form|fieldset|input|button|select|option|textarea|label"
    r"|a|img|picture|video|audio|svg|canvas|iframe|template|\w+-[\w-]+))\b",
    re.IGNORECASE | re.ASCII,
)
_BEFORE_LINE = re.compile(BEFORE_LINE)
_LIST_MARK = re.compile(r">>>|[^\s>]")
_IS_NAMED = re.compile(r"[ \t]+(?:tag|element)s?\b", re.IGNORECASE)
_SPACE = " \t"


class HtmlTags(LineRule):
    """Replaces tags that style their content, ``<br>``, and comments; in tables too, where a ``<br>`` stays."""

    sign = "<"
    kinds = (Kind.PROSE, Kind.TABLE)

    def change(self, segment: Segment) -> Segment:
        """Replace the tags in *segment*. The rule waits while the lines are the source of a page, up to an empty one."""
        if segment.kind is Kind.TABLE:
            return self._without_tags(segment)
        begins_page = self.opens_line and _PAGE.match(segment.text) is not None
        self.waits = (self.waits or begins_page) and bool(segment.text.strip(WHITESPACE))
        if self.waits or segment.kind is Kind.CODE or self.sign not in segment.text:
            return segment
        if "<!--" in segment.text:
            comments = [Edit(*match.span()) for match in self.prose(segment).matches(_COMMENT)]
            segment = self.tidied(segment, comments)
            if comments and not segment.text.strip(WHITESPACE):
                return replace(segment, text="")  # an empty line would be left of it
        return self._without_tags(segment)

    def _without_tags(self, segment: Segment) -> Segment:
        if _TAG.search(segment.text) is None:
            return segment
        prose = self.prose(segment)
        reader = _TagReader(segment, prose, opens_line=self.opens_line)
        for tag in prose.matches(_TAG):
            reader.read(tag)
        edits = sorted(reader.edits)
        if any("`" in edit.text for edit in edits):  # the next rule scans again, because there is new code
            return replace(segment, text=prose.edited(edits).text)
        return self.edited(segment, edits)


class _TagReader:
    """Pairs the tags of one segment and collects the edits that replace them."""

    def __init__(self, segment: Segment, prose: Prose, *, opens_line: bool) -> None:
        self._segment, self._prose, self._text = segment, prose, segment.text
        self.edits: list[Edit] = []
        self._open: list[re.Match[str]] = []
        self._open_names: Counter[str] = Counter()
        self._latest = -1  # where the last edit is
        self._ended: dict[int, str] = {}  # after which tags a mark ends that the next text must not continue
        self._line = 0 if opens_line else len(self._text)
        self._seen = 0
        self._indent: str | None = None

    def read(self, tag: re.Match[str]) -> None:
        """Take the next tag."""
        name = tag["name"].lower()
        if name == "br":
            self._line_break(*tag.span())
        elif not tag["closes"]:
            self._open.append(tag)
            self._open_names[name] += 1
        elif self._open_names[name]:
            while True:
                opening = self._open.pop()
                other = opening["name"].lower()
                self._open_names[other] -= 1
                if other == name:
                    break
            self._pair(name, opening, tag)

    def _pair(self, name: str, opening: re.Match[str], closing: re.Match[str]) -> None:
        content = self._text[opening.end() : closing.start()]
        is_cut = self._segment.kind is Kind.TABLE and ("|" in content or "\n" in content)
        if is_cut or not _is_content(content):
            return
        is_plain = self._latest < opening.end() and self._prose.is_free(opening.start(), closing.end())
        shown = self._as_text(name, unescape(content), opening.start(), closing.end()) if is_plain else None
        if shown is not None:
            self._add(Edit(opening.start(), closing.end(), shown))
        elif name in _MARKS:
            self._style(_MARKS[name], opening, closing)
        else:
            before, after = (
                (_SCRIPTS[name][1], ")") if name in _SCRIPTS else ("", self._after_block(name, closing.end()))
            )
            self._add(Edit(*opening.span(), before), Edit(*closing.span(), after))

    def _add(self, *edits: Edit) -> None:
        self.edits += edits
        self._latest = edits[-1].start

    def _as_text(self, name: str, content: str, start: int, end: int) -> str | None:
        """The pair as text, if its *content* becomes code or is as a whole raised or lowered."""
        if name in _CODE:
            touches = "`" in (self._text[start - 1 : start], self._ended.get(start))
            self._ended[end] = "`"
            return " " * touches + _in_backticks(content) + " " * self._text.startswith("`", end)
        if name not in _SCRIPTS:
            return None
        if content in _AS_THEY_ARE:
            return content
        return _SCRIPTS[name][0](content[1:-1] if content[0] == "[" and content[-1] == "]" else content)

    def _style(self, mark: str, opening: re.Match[str], closing: re.Match[str]) -> None:
        """Replace the tags with *mark*, or only remove them where it would mean something else."""
        text, character = self._text, mark[0]
        content = text[opening.end() : closing.start()]
        before = text[opening.start() - 1 : opening.start()] if opening.start() else ""
        touched = (before, text[closing.end() : closing.end() + 1], self._ended.get(opening.start()))
        is_open = any(self._open_names[name] for name, other in _MARKS.items() if other == mark)
        if character in content or character in touched or is_open or character in self._segment.opens_in:
            mark = ""
        else:
            self._ended[closing.end()] = character
        # Marks stand beside words: `<b>Note: </b>` is `**Note:** `.
        first, last = content[: -len(content.lstrip(_SPACE))], content[len(content.rstrip(_SPACE)) :]
        self._add(
            Edit(opening.start(), opening.end() + len(first), first + mark),
            Edit(closing.start() - len(last), closing.end(), mark + last),
        )

    def _after_block(self, name: str, end: int) -> str:
        """What separates a paragraph that ends at *end* from the text behind it on its line."""
        return "\n" if name in _BLOCKS and self._text[end : end + 1] not in ("", "\n") else ""

    def _line_break(self, start: int, end: int) -> None:
        text = self._text
        if self._segment.kind is Kind.TABLE or _IS_NAMED.match(text, end):
            return
        if not self._open:  # the spaces of a pair are its own
            while start and text[start - 1] in _SPACE:
                start -= 1
            while end < len(text) and text[end] in _SPACE:
                end += 1
        is_over = ends_line(self._segment) if end == len(text) else text[end] == "\n"
        self._add(Edit(start, end, "" if is_over else "\n" + self._indent_at(start)))

    def _indent_at(self, index: int) -> str:
        """What a line begins with that continues the one at *index*: it stays in its quote and its list item."""
        line_end = self._text.rfind("\n", self._seen, index)
        self._seen = index
        if line_end >= 0:
            self._line, self._indent = line_end + 1, None
        if self._indent is None:
            before = _BEFORE_LINE.match(self._text, self._line)
            self._indent = _LIST_MARK.sub(_blank, before.group() if before else "")
        return self._indent


def _blank(mark: re.Match[str]) -> str:
    return "" if mark.group() == ">>>" else " "


def _is_content(content: str) -> bool:
    """Whether *content* is what its tags style: in "from <b> to </b>" and "<b>…</b>" the tags are the topic."""
    words = content.strip(WHITESPACE)
    return bool(words) and words not in ("...", "…") and (content[0] not in WHITESPACE or content[-1] not in WHITESPACE)


def _in_backticks(code: str) -> str:
    return f"`` {code} ``" if "`" in code else f"`{code.strip(WHITESPACE)}`"
