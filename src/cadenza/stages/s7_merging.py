"""Stage 7: waiting messages put together into one, because there is no time or no room for all of them.

Only whole messages are joined, each on lines of its own, and never in a way that changes what they look like. What a
message says depends on nothing but the posts that wait; who waits, and for how long, is the outbox's business.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..text.blocks import blocks
from ..text.sentences import clause_ends
from ..text.spans import survey
from ..text.split import BLOCK_QUOTE
from ..text.standalone import is_loner
from ..text.units import WHITESPACE, units
from ..types import Kind, Post

_ADDRESSES = re.compile(r"<?https?://\S+(?:[ \n]<?https?://\S+)*")
"""A message that is nothing but addresses, which is shown with their cards."""


class _Joint:
    """One message in the making."""

    def __init__(self, first: Post) -> None:
        self._first = first
        self._texts = [first.text]
        self._wrote = [first.said[len(first.label) :]]
        self._size = units(first.text)
        self._is_open = _is_open(first.text)

    def may_hold(self, post: Post) -> bool:
        """Whether *post* could stand behind what is there, if there were room."""
        if self._first.attachment is not None or post.attachment is not None:
            return False
        return post.identity == self._first.identity and not post.label and not self._is_open

    def room(self, limit: int) -> int:
        """How long a line may be that still fits."""
        return limit - self._size - 1

    def add(self, text: str, wrote: str) -> None:
        """Put *text* on a line of its own behind what is there."""
        if text:
            self._texts.append(text)
            self._size += 1 + units(text)
            self._is_open = _is_open(text)  # what stood before it was closed, or it would not stand here
        self._wrote.append(wrote)

    def post(self, last: Post, *, is_half: bool = False) -> Post:
        """The message, which ends as *last* does; one with half a table *is_half* and says only what it shows."""
        text, source = "\n".join(self._texts), "\n".join(filter(None, self._wrote))
        return replace(
            self._first,
            text=text,
            pause=0.0,
            boundary=last.boundary,
            source=None if source == text or is_half else source,
        )


def joinable(posts: Iterable[Post], limit: int) -> int:
    """How many of *posts*, from the first on, can be one message of at most *limit* units; at least one of any."""
    joint: _Joint | None = None
    count = 0
    for post in posts:
        if joint is None:
            joint = _Joint(post)
            if _stays_alone(post):
                return 1
        elif _stays_alone(post) or not joint.may_hold(post) or units(post.text) > joint.room(limit):
            break
        else:
            joint.add(post.text, post.said)
        count += 1
    return count


def merged(posts: Sequence[Post], limit: int) -> Post | None:
    """All of *posts* as one message, in their order and without a pause; ``None`` if they cannot be one."""
    if not posts or joinable(posts, limit) < len(posts):
        return None
    first, *rest = posts
    joint = _Joint(first)
    for post in rest:
        joint.add(post.text, post.said)
    return joint.post(posts[-1])


def farewell(posts: Sequence[Post], limit: int) -> Post | None:
    """The one last message after a stop: what waits in *posts*, up to its last whole clause that fits.

    Whole messages are put together while they fit under one name; of the next one, only whole clauses are taken.
    """
    if not posts:
        return None
    first, *rest = [text for post in posts for text in post.instead or (post,)]  # there is no time for a picture now
    joint, taken = _Joint(first), 0
    for post in rest:
        if not joint.may_hold(post):
            break
        if units(post.text) > joint.room(limit):
            part = _clauses_within(post.text, joint.room(limit))
            joint.add(part, part)
            break
        taken += 1
        joint.add(post.text, post.said)
    # A table of which only a part is shown was not said.
    is_half = first.source != "" and any(post.source == "" for post in rest[taken : taken + 1])
    return joint.post(posts[-1], is_half=is_half)


def _stays_alone(post: Post) -> bool:
    """Whether *post* is nothing without a message of its own: a picture, a large emoji, the card of an address."""
    return bool(post.instead) or is_loner(post.text) or _ADDRESSES.fullmatch(post.text) is not None


def _is_open(text: str) -> bool:
    """Whether what stands behind *text* would become a part of it: a quote or a table goes on, so does a fence that nothing closes."""
    if ">>>" not in text and "```" not in text and "|" not in text:
        return False
    parts = list(blocks(text))
    is_quoting = any(
        part is Kind.PROSE and any(map(BLOCK_QUOTE.match, prose.split("\n"))) for part, prose in parts
    )  # everything behind such a mark is quoted
    return is_quoting or parts[-1][0] is not Kind.PROSE


def _clauses_within(text: str, room: int) -> str:
    """The whole clauses at the beginning of *text* that fit into *room*, or nothing."""
    if "```" in text:
        return ""
    spans = survey(text).spans
    for end in clause_ends(text):
        if units(text[:end]) <= room and not any(span.start < end < span.end for span in spans):
            return text[:end].rstrip(WHITESPACE)
    return ""
