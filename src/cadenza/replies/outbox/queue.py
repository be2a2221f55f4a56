"""The queue of posts: events in, values out.

It has no clock and no target: the sender takes the first post and reports what became of it. Posts leave in the order in
which they came. Every event that drops posts returns them, with the reason.

Each post belongs to a *part*: the posts of one answer of a model. The part of a failed answer can be removed, and its
sent messages are deleted once a better answer is there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from itertools import islice
from typing import NamedTuple

from ...stages.s4_round import Keep
from ...stages.s7_delivery import as_post
from ...stages.s7_merging import farewell, merged
from ...targets.target import MARKDOWN, Markup
from ...text.units import units
from ...types import Notice, Post, Receipt


class Parcel(NamedTuple):
    """A queued post and its part."""

    post: Post
    part: int
    is_prepared: bool = False
    is_joined: bool = False
    """Whether it was merged from as many posts as needed."""
    is_goodbye: bool = False
    """Whether it is the last message after a stop: the rate limit was checked then, and is not checked again."""
    notice: Notice | None = None
    """The notice, if it is one; its post is for targets that cannot show notices."""

    def is_of(self, part: int) -> bool:
        """Return whether it is a post of *part*; a notice is of none."""
        return self.part == part and self.notice is None

    def may_join(self, other: Parcel) -> bool:
        """Return whether *other* may be merged with this one."""
        return other is self or (self.part == other.part and self.notice is None and other.notice is None)


class Waiting:
    """The parcels that wait, first in, first out.

    It keeps their sums: many posts may come at once, and counting all of them at each would be quadratic.
    """

    def __init__(self, parcels: Iterable[Parcel] = ()) -> None:
        self._parcels: deque[Parcel] = deque()
        self.size = 0
        """The UTF-16 units of their texts, and one for the white space after each."""
        self.pauses = 0.0
        """Their pauses together, in seconds."""
        self.posts = 0
        """How many of them are no notices."""
        for parcel in parcels:
            self.append(parcel)

    def __len__(self) -> int:
        return len(self._parcels)

    def __iter__(self) -> Iterator[Parcel]:
        return iter(self._parcels)

    @property
    def first(self) -> Parcel:
        """The first of them."""
        return self._parcels[0]

    def append(self, parcel: Parcel) -> None:
        """Put *parcel* at the end."""
        self._parcels.append(parcel)
        self._count(parcel, 1)

    def put_first(self, parcel: Parcel) -> None:
        """Put *parcel* before all others."""
        self._parcels.appendleft(parcel)
        self._count(parcel, 1)

    def take(self) -> Parcel:
        """Take the first."""
        parcel = self._parcels.popleft()
        self._count(parcel, -1)
        if not self._parcels:
            self.pauses = 0.0  # without the rounding errors of the sums
        return parcel

    def _count(self, parcel: Parcel, sign: int) -> None:
        self.size += sign * (units(parcel.post.text) + 1)
        self.pauses += sign * parcel.post.pause
        self.posts += sign * (parcel.notice is None)


class DropReason(Enum):
    """Why a post is not sent as it was queued."""

    REPEATED = "repeated"
    """It was sent before."""
    CLOSED = "closed"
    """The queue takes nothing more."""
    CUT = "cut"
    """The reply had to end. The goodbye, if there is one, holds the first clause of these posts."""
    REMOVED = "removed"
    """Its part was removed."""
    REFUSED = "refused"
    """The target left it out."""
    FAILED = "failed"
    """Its send failed."""


class DroppedPost(NamedTuple):
    """A post that is not sent as it was queued."""

    post: Post
    why: DropReason
    notice: Notice | None = None
    """The notice, if it is one."""


class PostQueue:
    """The posts of a reply: those that wait, and the receipts of those that were sent."""

    def __init__(self, limit: int, markup: Markup = MARKDOWN) -> None:
        """Merge posts to messages of at most *limit* in *markup*."""
        self.limit = limit
        self.markup = markup
        self.waiting = Waiting()
        self.receipts: list[Receipt] = []
        """The messages that arrived and were not deleted."""
        self.is_sealed = False
        """Whether nothing more is taken."""
        self.is_whole = True
        """Whether no post was dropped because the reply had to end."""
        self.is_ended = False
        """Whether the rest is unwanted. A refused post is a loss then, and needs no notice."""
        self._held: list[Post] = []
        self._under_way: Parcel | None = None
        self._parts: list[list[Receipt]] = [[]]  # the last one is the current part
        self._repeated: deque[str] = deque()
        self._unwanted: deque[Receipt] = deque()

    # --- what comes in ---------------------------------------------------------------------

    def begin_part(self, *, repeated: Sequence[str] = ()) -> int:
        """Begin a new part and return its number.

        Posts at its beginning that equal those in *repeated* are left out: they were sent before.
        """
        self._repeated = deque(repeated)
        self._parts.append([])
        return len(self._parts) - 1

    def add(self, posts: Iterable[Post]) -> list[DroppedPost]:
        """Queue the held posts, then *posts*."""
        if self.is_sealed:
            return self._too_late(posts)
        held, self._held = self._held, []
        dropped: list[DroppedPost] = []
        for post in (*held, *posts):
            if self._is_repeated(post):
                dropped.append(DroppedPost(post, DropReason.REPEATED))
            else:
                self.waiting.append(Parcel(post, len(self._parts) - 1))
        return dropped

    def _too_late(self, posts: Iterable[Post]) -> list[DroppedPost]:
        dropped = [DroppedPost(post, DropReason.CLOSED) for post in posts]
        self.is_whole = self.is_whole and not dropped
        return dropped

    def _is_repeated(self, post: Post) -> bool:
        if self._repeated and post.said == self._repeated[0]:
            self._repeated.popleft()
            return True
        self._repeated.clear()
        return False

    def hold(self, posts: Iterable[Post]) -> list[DroppedPost]:
        """Hold *posts*, the end of a failed answer, until something is added or removed or the queue is closed."""
        if self.is_sealed:
            return self._too_late(posts)
        self._held.extend(posts)
        return []

    def notify(self, notice: Notice) -> list[DroppedPost]:
        """Queue *notice*."""
        post = as_post(notice, self.markup)
        if self.is_sealed:
            return [DroppedPost(post, DropReason.CLOSED, notice)]
        self.waiting.append(Parcel(post, 0, is_prepared=True, notice=notice))
        return []

    def close(self) -> list[DroppedPost]:
        """Take nothing more."""
        dropped = self.add(())
        self.is_sealed = True
        return dropped

    def cut(self, keep: Keep, *, has_goodbye: bool = True) -> list[DroppedPost]:
        """Close, and drop what *keep* does not keep; *has_goodbye* says whether a last clause can be sent at once."""
        dropped = self.close()
        if keep not in (Keep.CLAUSE, Keep.NOTHING):
            return dropped
        before = self._words_waiting()
        self.is_ended = True
        unsent, self.waiting = self.waiting, Waiting()
        if keep is Keep.CLAUSE and has_goodbye and not self._unwanted:
            self._say_goodbye(parcel for parcel in unsent if parcel.notice is None)
        self.is_whole = self.is_whole and before == self._words_waiting()
        return dropped + [DroppedPost(parcel.post, DropReason.CUT, parcel.notice) for parcel in unsent]

    def _say_goodbye(self, unsent: Iterable[Parcel]) -> None:
        first = next(iter(unsent), None)
        post = farewell(first.post) if first else None
        if first and post:  # it is sent unprepared
            self.waiting.append(Parcel(post, first.part, is_prepared=True, is_goodbye=True))

    def _words_waiting(self) -> list[object]:
        """The words, files and pictures in the queue, however they are merged."""
        return [
            item for post in self.posts for item in (*post.text.split(), *filter(None, (post.attachment, post.instead)))
        ]

    def remove(self, part: int) -> list[DroppedPost]:
        """Remove the queued posts of *part*, which has no notices. One that is already being sent still arrives."""
        dropped = self.add(())
        dropped += [DroppedPost(parcel.post, DropReason.REMOVED) for parcel in self.waiting if parcel.is_of(part)]
        self.waiting = Waiting(parcel for parcel in self.waiting if not parcel.is_of(part))
        return dropped

    # --- the first post --------------------------------------------------------------------

    def is_first(self, parcel: Parcel) -> bool:
        """Return whether *parcel* is the first in the queue."""
        return bool(self.waiting) and self.waiting.first is parcel

    def prepared(self, posts: Sequence[Post]) -> None:
        """Replace the first post by *posts*; only the first of them is prepared."""
        parcel = self.waiting.take()
        first, *rest = posts
        for post in reversed(rest):
            self.waiting.put_first(Parcel(post, parcel.part))
        self.waiting.put_first(parcel._replace(post=first, is_prepared=True))

    def merge(self, count: int) -> tuple[Post, list[Post]] | None:
        """Merge the first *count* posts, two or more; return the message and the posts, ``None`` if they do not fit."""
        posts = [parcel.post for parcel in islice(self.waiting, count)]
        post, first = merged(posts, self.limit, self.markup), self.waiting.first
        if post is None:
            self.waiting.take()
            self.waiting.put_first(first._replace(is_joined=True))
            return None
        for _ in posts:
            self.waiting.take()
        self.waiting.put_first(Parcel(post, first.part, is_joined=True))
        return post, posts

    def take(self) -> Parcel:
        """Take the first post or notice, to send it. ``sent``, ``shown``, ``refused`` or ``failed`` must follow."""
        self._under_way = self.waiting.take()
        return self._under_way

    def sent(self, receipt: Receipt) -> None:
        """The post that was taken has arrived."""
        self.receipts.append(receipt)
        if self._under_way:
            self._parts[self._under_way.part].append(receipt)
        self._under_way = None

    def shown(self) -> None:
        """The notice that was taken was shown, or could not be."""
        self._under_way = None

    def refused(self) -> list[DroppedPost]:
        """The target left out the post that was taken, and the reply goes on."""
        self.is_whole = self.is_whole and not self.is_ended
        return self._lost(DropReason.REFUSED)

    def failed(self) -> list[DroppedPost]:
        """The post that was taken could not be sent. A ``cut`` must follow: a later message would be out of place."""
        self.is_whole = False
        return self._lost(DropReason.FAILED)

    def _lost(self, why: DropReason) -> list[DroppedPost]:
        parcel, self._under_way = self._under_way, None
        return [DroppedPost(parcel.post, why)] if parcel else []

    # --- what is there -----------------------------------------------------------------------

    @property
    def posts(self) -> list[Post]:
        """The queued posts, without notices."""
        return [parcel.post for parcel in self.waiting if parcel.notice is None]

    @property
    def standing(self) -> int:
        """The number of messages, sent or queued, that are not to be deleted."""
        under_way = self._under_way is not None and self._under_way.notice is None
        return self.waiting.posts + under_way + sum(receipt not in self._unwanted for receipt in self.receipts)

    def sent_of(self, part: int) -> list[Receipt]:
        """Return the messages of *part* that have arrived."""
        return list(self._parts[part]) if part < len(self._parts) else []

    # --- what is deleted -----------------------------------------------------------------------

    def delete_later(self, receipts: Iterable[Receipt]) -> None:
        """Delete *receipts* as soon as something else is sent."""
        self._unwanted.extend(receipts)

    def spare(self, receipts: Sequence[Receipt]) -> None:
        """Keep *receipts* after all."""
        self._unwanted = deque(receipt for receipt in self._unwanted if receipt not in receipts)

    @property
    def has_unwanted(self) -> bool:
        """Whether a message is to be deleted."""
        return bool(self._unwanted)

    def take_unwanted(self) -> Receipt:
        """Take the last message to be deleted, so that what remains is a beginning."""
        return self._unwanted.pop()

    def deleted(self, receipt: Receipt) -> None:
        """The target has deleted *receipt*, which may belong to an earlier reply."""
        if receipt in self.receipts:
            self.receipts.remove(receipt)
