"""A text whose code, links and addresses are protected from edits.

Rules describe their changes as edits. An edit that touches code, a link or an address, or cuts one of Discord's tags in
two, is skipped. The result keeps its protected spans, so a text is scanned once for all rules.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from ..types import Edit
from .origins import join
from .spans import ATOMS, Span, SpanKind, survey
from .tags import DISCORD_TAG
from .units import WHITESPACE


@dataclass(frozen=True, slots=True)
class Prose:
    """A text and the spans in it that no rule may change."""

    text: str
    kept: tuple[Span, ...]
    """Code, links, addresses and tags: in order, none inside another."""

    @classmethod
    def of(cls, text: str) -> Prose:
        """Scan *text*."""
        return cls(text, tuple(_outermost(span for span in survey(text).spans if span.kind in ATOMS)))

    def is_free(self, start: int, end: int) -> bool:
        """Whether ``text[start:end]`` may be changed: it touches no code, link or address and cuts no tag in two."""
        return self._obstacle(start, end) is None

    def matches(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """The matches of *pattern* in what may be changed; after a protected span the search starts again."""
        position = 0
        while match := pattern.search(self.text, position):
            obstacle = self._obstacle(*match.span())
            if obstacle is None:
                yield match
                position = match.end() + (match.end() == match.start())
            else:
                # The match may reach into the span from before it; nothing begins inside.
                position = max(obstacle.end, match.start() + 1)
            if position > len(self.text):
                break

    def edited(self, edits: Iterable[Edit]) -> Prose:
        """Make *edits*, which are in order and do not overlap; those that touch a protected span are skipped."""
        parts: list[str] = []
        kept: list[Span] = []
        spans, ahead = self.kept, 0
        done = shift = 0
        for edit in edits:
            start, end, text = edit
            while ahead < len(spans) and spans[ahead].end <= start:
                kept.append(_moved(spans[ahead], shift))
                ahead += 1
            if ahead < len(spans) and spans[ahead].start < max(end, start + 1):
                if self._obstacle(start, end, ahead) is not None:
                    continue
                while ahead < len(spans) and spans[ahead].start < end:
                    ahead += 1  # a tag inside the edit goes with it
            text = text or self._separator(edit)
            parts += (self.text[done:start], text)
            if "<" in text:
                kept += _tags(text, start + shift)
            shift += len(text) - (end - start)
            done = end
        if not parts:
            return self
        kept += [_moved(span, shift) for span in spans[ahead:]]
        return Prose(join([*parts, self.text[done:]]), tuple(kept))

    def part(self, begin: int, end: int) -> Prose:
        """``text[begin:end]`` as a text of its own."""
        first, last = bisect_right(self.kept, begin, key=_end), bisect_left(self.kept, end, key=_start)
        return Prose(self.text[begin:end], tuple(_moved(span, -begin) for span in self.kept[first:last]))

    def _obstacle(self, start: int, end: int, index: int | None = None) -> Span | None:
        """The first span that protects ``text[start:end]``; *index* is the first span that ends after *start*."""
        if index is None:
            index = bisect_right(self.kept, start, key=_end)
        while index < len(self.kept) and self.kept[index].start < max(end, start + 1):
            span = self.kept[index]
            if start == end == span.start:
                return None
            if span.kind is not SpanKind.TAG or span.start < start or span.end > end:
                return span
            index += 1
        return None

    def _separator(self, edit: Edit) -> str:
        """A space if a removal would join two runs of backticks, or an address and its neighbour."""
        before, after = self.text[max(0, edit.start - 1) : edit.start], self.text[edit.end : edit.end + 1]
        if not before or not after or before in WHITESPACE or after in WHITESPACE:
            return ""
        joins_code = before == after == "`"
        joins_address = self._is_address_at(edit.start - 1) or self._is_address_at(edit.end)
        return " " if joins_code or joins_address else ""

    def is_after_address(self, index: int) -> bool:
        """Whether the text at *index* could be read as part of an address: there is no white space between them."""
        after = bisect_right(self.kept, index, key=_end)
        if not after or self.kept[after - 1].kind is not SpanKind.URL:
            return False
        end = self.kept[after - 1].end
        return index - end <= _NEAR and not any(character in WHITESPACE for character in self.text[end:index])

    def _is_address_at(self, index: int) -> bool:
        obstacle = self._obstacle(index, index + 1)
        return obstacle is not None and obstacle.kind is SpanKind.URL


_NEAR = 64
"""Text further away from an address is not read as part of it."""

Replacement = str | Callable[[re.Match[str]], str | None]
"""The replacement of a match; a function may return ``None`` to leave it."""


def replacements(prose: Prose, pattern: re.Pattern[str], replacement: Replacement) -> Iterator[Edit]:
    """The edits that replace every match of *pattern* in *prose*."""
    for match in prose.matches(pattern):
        text = replacement if isinstance(replacement, str) else replacement(match)
        if text is not None and text != match.group():
            yield Edit(match.start(), match.end(), text)


def _tags(text: str, start: int) -> Iterator[Span]:
    """The tags in *text*, which is at *start*."""
    return (Span(SpanKind.TAG, start + tag.start(), start + tag.end()) for tag in DISCORD_TAG.finditer(text))


def _start(span: Span) -> int:
    return span.start


def _end(span: Span) -> int:
    return span.end


def _moved(span: Span, shift: int) -> Span:
    return span._replace(start=span.start + shift, end=span.end + shift) if shift else span


def _outermost(spans: Iterable[Span]) -> Iterator[Span]:
    reach = 0
    for span in spans:
        if span.start >= reach:
            yield span
            reach = span.end
