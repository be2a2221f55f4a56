"""Stage 7: queued messages merged into one, because of a rate limit, and the last clause after a stop.

Only whole messages are merged, with their joints, and never in a way that changes how they look. The result depends on
the queued posts alone; the outbox decides when to merge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..targets.target import MARKDOWN, Markup
from ..text.blocks import blocks
from ..text.origins import join
from ..text.sentences import clause_ends, is_whole
from ..text.spans import survey
from ..text.split import BLOCK_QUOTE
from ..text.standalone import is_standalone
from ..text.units import WHITESPACE, units
from ..types import Boundary, Kind, Post

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

    def has_room(self, post: Post) -> bool:
        """Whether *post* still fits."""
        return self._size_with(_joint(post) + post.text) <= self._limit

    def _size_with(self, text: str) -> int:
        if self._markup is MARKDOWN:
            return self._size + units(text)
        return self._markup.size("".join([*self._texts, text]))  # marks may mean more together

    def add(self, post: Post) -> None:
        """Append *post*."""
        if post.text:
            joined = _joint(post) + post.text
            self._size = self._size_with(joined)
            self._texts.append(joined)
            self._is_open = _is_open(post.text)  # nothing is appended to an open text, so only the last counts
        if post.said:
            self._wrote.append(_joint(post) + post.said if any(self._wrote) else post.said)

    def post(self, last: Post) -> Post:
        """The message, with the boundary of *last*."""
        text, source = join(self._texts), join(self._wrote)
        return replace(
            self._first,
            text=text,
            pause=0.0,
            boundary=last.boundary,
            source=None if source == text else source,
        )


def _joint(post: Post) -> str:
    """The white space in front of *post* when it follows another in one message."""
    return post.joint or "\n"


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


def farewell(post: Post) -> Post | None:
    """The one last message after a stop: the first clause of *post*, which is the next one in the queue.

    The end of a line ends a clause too. Code, tables, pictures and files have none, and the end of what the model said
    may not be one: then there is no such message.
    """
    kind, block = next((part for part in blocks(post.text) if part[1]), (Kind.PROSE, ""))
    if post.instead or post.attachment is not None or kind is not Kind.PROSE:
        return None
    text = _first_clause(block)
    if text == post.text and post.boundary in (Boundary.FINAL, Boundary.TOOL_CALL) and not is_whole(text):
        return None
    said = "" if post.source == "" else None  # of a table that was not said before, only what is shown counts
    return replace(post, text=text, pause=0.0, boundary=Boundary.FINAL, source=said)


def _first_clause(text: str) -> str:
    spans = survey(text).spans
    ends = (end for end in clause_ends(text) if not any(span.start < end < span.end for span in spans))
    return text[: min(ends, default=len(text))].rstrip(WHITESPACE)


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
