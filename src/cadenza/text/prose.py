"""A text in which code, links and addresses are out of reach, and edits that keep them so.

A rule says what it wants to change as edits of the whole text; an edit that would touch code, a link or an address, or
would cut one of Discord's tags in two, is not made. What comes out remembers what was out of reach, so that a row of
rules scans a text once and not once a rule.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from ..types import Edit
from .spans import ATOMS, Span, SpanKind, survey
from .tags import DISCORD_TAG
from .units import WHITESPACE


@dataclass(frozen=True, slots=True)
class Prose:
    """A text, and where in it something stands that no rule may touch."""

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
        """Where *pattern* is found in what may be changed; behind something out of reach the search begins anew."""
        position = 0
        while match := pattern.search(self.text, position):
            obstacle = self._obstacle(*match.span())
            if obstacle is None:
                yield match
                position = match.end() + (match.end() == match.start())
            else:
                # What stands in the way may have been reached into from before it; nothing begins inside.
                position = max(obstacle.end, match.start() + 1)
            if position > len(self.text):
                break

    def edited(self, edits: Iterable[Edit]) -> Prose:
        """Make *edits*, which are in order and do not overlap; those that touch what is out of reach are not made."""
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
                    ahead += 1  # a tag that goes with the edit
            text = text or self._seam(edit)
            parts += (self.text[done:start], text)
            if "<" in text:
                kept += _tags(text, start + shift)
            shift += len(text) - (end - start)
            done = end
        if not parts:
            return self
        kept += [_moved(span, shift) for span in spans[ahead:]]
        return Prose("".join([*parts, self.text[done:]]), tuple(kept))

    def _obstacle(self, start: int, end: int, index: int | None = None) -> Span | None:
        """The first thing that keeps ``text[start:end]`` from being changed; *index* is the first that ends behind *start*."""
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

    def _seam(self, edit: Edit) -> str:
        """A space where a removal takes away all that parted two runs of backticks, or an address from what is next to it."""
        before, after = self.text[max(0, edit.start - 1) : edit.start], self.text[edit.end : edit.end + 1]
        if not before or not after or before in WHITESPACE or after in WHITESPACE:
            return ""
        joins_code = before == after == "`"
        joins_address = self._is_address_at(edit.start - 1) or self._is_address_at(edit.end)
        return " " if joins_code or joins_address else ""

    def is_behind_address(self, index: int) -> bool:
        """Whether what stands at *index* could be read as part of an address: no white space is between the two."""
        after = bisect_right(self.kept, index, key=_end)
        if not after or self.kept[after - 1].kind is not SpanKind.URL:
            return False
        end = self.kept[after - 1].end
        return index - end <= _NEAR and not any(character in WHITESPACE for character in self.text[end:index])

    def _is_address_at(self, index: int) -> bool:
        obstacle = self._obstacle(index, index + 1)
        return obstacle is not None and obstacle.kind is SpanKind.URL


_NEAR = 64
"""What stands further behind an address than that is not read as a part of it."""

Replacement = str | Callable[[re.Match[str]], str | None]
"""What stands in place of a match; a function may say ``None`` to leave it as it is."""


def replacements(prose: Prose, pattern: re.Pattern[str], replacement: Replacement) -> Iterator[Edit]:
    """The edits that put *replacement* in place of every match of *pattern* in *prose*."""
    for match in prose.matches(pattern):
        text = replacement if isinstance(replacement, str) else replacement(match)
        if text is not None and text != match.group():
            yield Edit(match.start(), match.end(), text)


def _tags(text: str, start: int) -> Iterator[Span]:
    """The tags in *text*, which stands at *start*."""
    return (Span(SpanKind.TAG, start + tag.start(), start + tag.end()) for tag in DISCORD_TAG.finditer(text))


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
