"""Stage 7: queued messages merged into one, because the rate limit or a stop leaves no room for all of them.

Only whole messages are merged, with their joints, and never in a way that changes how they look. The result depends on
the queued posts alone; the outbox decides when to merge.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from ..targets.target import MARKDOWN, Markup
from ..text.blocks import blocks
from ..text.origins import join
from ..text.sentences import clause_ends
from ..text.spans import survey
from ..text.split import BLOCK_QUOTE
from ..text.standalone import is_standalone
from ..text.units import WHITESPACE, units
from ..types import Kind, Post

_ADDRESSES = re.compile(r"<?https?://\S+(?:[ \n]<?https?://\S+)*")
"""A message of URLs only, which is shown with their previews."""


class _Merger:
    """A merged message in the making."""

    def __init__(self, first: Post, limit: int, markup: Markup) -> None:
        self._first = first
        self._limit = limit
        self._markup = markup
        self._texts = [first.text]
        self._wrote = [first.said[len(first.label) :]]
        self._size = markup.size(first.text)
        self._is_open = _is_open(first.text)

    def may_hold(self, post: Post) -> bool:
        """Whether *post* could be appended, if it fits."""
        if self._first.attachment is not None or post.attachment is not None:
            return False
        return post.identity == self._first.identity and not post.label and not self._is_open

    def has_room(self, post: Post, text: str | None = None) -> bool:
        """Whether *post*, or only its *text*, still fits."""
        return self._size_with(_joined(post, post.text if text is None else text)) <= self._limit

    def _size_with(self, text: str) -> int:
        if self._markup is MARKDOWN:
            return self._size + units(text)
        return self._markup.size("".join([*self._texts, text]))  # marks may mean more together

    def add(self, post: Post, part: str | None = None) -> None:
        """Append *post*, or only a *part* of its text."""
        text = post.text if part is None else part
        wrote = post.said if part is None else part
        if text:
            joined = _joined(post, text)
            self._size = self._size_with(joined)
            self._texts.append(joined)
            self._is_open = _is_open(text)  # nothing is appended to an open text, so only the last counts
        if wrote:
            self._wrote.append(_joint(post) + wrote if any(self._wrote) else wrote)

    def post(self, last: Post, *, is_half: bool = False) -> Post:
        """The message, with the boundary of *last*. One with half a table *is_half*: its source is what it shows."""
        text, source = join(self._texts), join(self._wrote)
        return replace(
            self._first,
            text=text,
            pause=0.0,
            boundary=last.boundary,
            source=None if source == text or is_half else source,
        )


def _joint(post: Post) -> str:
    """The white space in front of *post* when it follows another in one message."""
    return post.joint or "\n"


def _joined(post: Post, text: str) -> str:
    return _joint(post) + text


def joinable(posts: Iterable[Post], limit: int, markup: Markup = MARKDOWN) -> int:
    """How many of *posts*, from the first on, can be one message of at most *limit*; at least one."""
    merger: _Merger | None = None
    count = 0
    for post in posts:
        if merger is None:
            merger = _Merger(post, limit, markup)
            if _stays_alone(post):
                return 1
        elif _stays_alone(post) or not merger.may_hold(post) or not merger.has_room(post):
            break
        else:
            merger.add(post)
        count += 1
    return count


def merged(posts: Sequence[Post], limit: int, markup: Markup = MARKDOWN) -> Post | None:
    """All of *posts* as one message, in order and without a pause; ``None`` if they do not fit."""
    if not posts or joinable(posts, limit, markup) < len(posts):
        return None
    first, *rest = posts
    merger = _Merger(first, limit, markup)
    for post in rest:
        merger.add(post)
    return merger.post(posts[-1])


def farewell(posts: Sequence[Post], limit: int, markup: Markup = MARKDOWN) -> Post | None:
    """The one last message after a stop: the queued *posts*, up to the last whole clause that fits.

    Whole messages under one name are merged while they fit; of the next one, only whole clauses are taken.
    """
    if not posts:
        return None
    first, *rest = [text for post in posts for text in post.instead or (post,)]  # there is no time for a picture
    merger, taken = _Merger(first, limit, markup), 0
    for post in rest:
        if not merger.may_hold(post):
            break
        if not merger.has_room(post):
            part = _clauses_within(post.text, partial(merger.has_room, post))
            merger.add(post, part)
            break
        taken += 1
        merger.add(post)
    # A table that is shown in part does not count as said.
    is_half = first.source != "" and any(post.source == "" for post in rest[taken : taken + 1])
    return merger.post(posts[-1], is_half=is_half)


def _stays_alone(post: Post) -> bool:
    """Whether *post* needs a message of its own: a picture, a large emoji, the preview of a URL."""
    return bool(post.instead) or is_standalone(post.text) or _ADDRESSES.fullmatch(post.text) is not None


def _is_open(text: str) -> bool:
    """Whether text after *text* would become a part of it: of a ``>>>`` quote, a table or an unclosed fence."""
    if ">>>" not in text and "```" not in text and "|" not in text:
        return False
    parts = list(blocks(text))
    is_quoting = any(
        part is Kind.PROSE and any(map(BLOCK_QUOTE.match, prose.split("\n"))) for part, prose in parts
    )  # everything behind such a mark is quoted
    return is_quoting or parts[-1][0] is not Kind.PROSE


def _clauses_within(text: str, has_room: Callable[[str], bool]) -> str:
    """The whole clauses at the beginning of *text* for which there is room, or nothing."""
    if "```" in text:
        return ""
    spans = survey(text).spans
    for end in clause_ends(text):
        if has_room(text[:end]) and not any(span.start < end < span.end for span in spans):
            return text[:end].rstrip(WHITESPACE)
    return ""
