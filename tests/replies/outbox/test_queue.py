"""The queue under fire: any events in any order. Words are numbered, so that a lost, doubled or moved one shows at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import count

import pytest
from hypothesis import settings as hypothesis_settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from cadenza.replies.outbox.queue import DroppedPost, DropReason, Parcel, PostQueue
from cadenza.stages.s4_round import Keep
from cadenza.types import Boundary, Identity, Notice, Post, Receipt

_FRAMES = ("{}.", "{}.", "{}. {}.", "{}, {} and {}.")
_SELDOM = st.sampled_from([False, False, False, False, True])
_WORD = re.compile(r"w\d+x")
NOTICE = Notice("Still working.")


def words(*posts: Post) -> list[str]:
    texts = [piece.text for post in posts for piece in post.instead or (post,)]
    return _WORD.findall(" ".join(texts))


class QueueMachine(RuleBasedStateMachine):
    """Throws events at a queue, believes what it says of dropped posts, and knows what must then be left."""

    @initialize(limit=st.sampled_from([12, 30, 2000]))
    def begin(self, limit: int) -> None:
        self.queue = PostQueue(limit)
        self.numbers = count(1)
        self.order: list[str] = []  # all words that were given and not dropped, in their order
        self.sent: list[str] = []
        self.held: list[str] = []
        self.under_way: Parcel | None = None
        self.parts: dict[int, list[Receipt]] = {0: []}
        self.part_of: dict[str, int] = {}
        self.part = 0
        self.receipts: list[Receipt] = []
        self.unwanted: list[Receipt] = []
        self.removed: list[Post] = []
        self.has_lost = self.has_cut_picture = False

    def new_posts(self, frames: Sequence[str], *, name: str = "", is_picture: bool = False) -> list[Post]:
        identity = Identity(name) if name else None
        texts = [frame.format(*(f"w{next(self.numbers)}x" for _ in range(frame.count("{}")))) for frame in frames]
        posts = [Post(text, Boundary.NEWLINE, 1.0, identity) for text in texts]
        return [Post("", Boundary.NEWLINE, instead=tuple(posts), picture="| a |")] if is_picture and posts else posts

    def believe(self, dropped: Sequence[DroppedPost]) -> None:
        """What the queue says that it dropped is gone; a goodbye holds the beginning of what was cut."""
        cut = [word for post, why, _ in dropped if why is DropReason.CUT for word in words(post)]
        for post, why, notice in dropped:
            assert (notice is None) == bool(words(post))
            for word in words(post):
                if why is not DropReason.CUT:
                    self.order.remove(word)
            self.has_lost |= why is DropReason.FAILED or (why is DropReason.CLOSED and not notice)
            self.has_cut_picture |= why is DropReason.CUT and bool(post.instead)
        if any(why is DropReason.CUT for _, why, _ in dropped):
            goodbye = words(*self.queue.posts)
            assert len(self.queue.posts) <= 1
            assert cut[: len(goodbye)] == goodbye, "it is a beginning of what waited"
            for word in cut[len(goodbye) :]:
                self.order.remove(word)
            self.has_lost |= cut != goodbye

    def give(self, posts: Sequence[Post]) -> None:
        """Note that *posts* are given."""
        self.order += words(*posts)

    # --- what comes in ---------------------------------------------------------------------

    @rule(
        frames=st.lists(st.sampled_from(_FRAMES), max_size=4),
        name=st.sampled_from(["", "", "Ren"]),
        is_picture=st.sampled_from([False, False, False, True]),
    )
    def add(self, frames: list[str], name: str, *, is_picture: bool) -> None:
        posts = self.new_posts(frames, name=name, is_picture=is_picture)
        self.give(posts)
        dropped = self.queue.add(posts)
        assert {why for _, why, _ in dropped} <= {DropReason.CLOSED if self.queue.is_sealed else DropReason.REPEATED}
        self.note_parts([*self.held, *words(*posts)])
        self.held = []
        self.believe(dropped)

    def note_parts(self, new: Sequence[str]) -> None:
        self.part_of.update(dict.fromkeys(new, self.part))

    @rule(frames=st.lists(st.sampled_from(_FRAMES), min_size=1, max_size=3))
    def hold(self, frames: list[str]) -> None:
        posts = self.new_posts(frames)
        self.give(posts)
        self.held += words(*posts)
        dropped = self.queue.hold(posts)
        if dropped:
            self.held = []
        self.believe(dropped)

    @rule()
    def notify(self) -> None:
        self.believe(self.queue.notify(NOTICE))

    @rule(repeated=st.integers(0, 3))
    def begin_part(self, repeated: int) -> None:
        """The next posts are said again, if they are single words."""
        first = next(self.numbers)
        self.numbers = count(first)
        self.part = self.queue.begin_part(repeated=[f"w{first + offset}x." for offset in range(repeated)])
        assert self.part not in self.parts
        self.parts[self.part] = []

    @rule(is_meant=_SELDOM)
    def close(self, *, is_meant: bool = True) -> None:
        if is_meant:
            self.flush(self.queue.close())

    def flush(self, dropped: Sequence[DroppedPost]) -> None:
        self.note_parts(self.held)
        self.held = []
        self.believe(dropped)

    @rule(keep=st.sampled_from(Keep), has_goodbye=st.booleans(), is_meant=_SELDOM)
    def cut(self, keep: Keep, *, has_goodbye: bool, is_meant: bool = True) -> None:
        if not is_meant:
            return
        dropped = self.queue.cut(keep, has_goodbye=has_goodbye)
        self.flush(dropped)
        assert self.queue.is_sealed
        if keep is Keep.NOTHING or (keep is Keep.CLAUSE and (not has_goodbye or self.unwanted)):
            assert not self.queue.waiting

    @rule(back=st.integers(0, 2))
    def remove(self, back: int) -> None:
        part = self.part - back
        dropped = self.queue.remove(part)
        self.flush(dropped)
        self.removed += [post for post, why, _ in dropped if why is DropReason.REMOVED]
        assert not any(parcel.is_of(part) for parcel in self.queue.waiting)

    @precondition(lambda self: self.removed)
    @rule()
    def bring_back(self) -> None:
        posts, self.removed = self.removed, []
        self.give(posts)
        dropped = self.queue.add(posts)
        self.note_parts([*self.held, *words(*posts)])
        self.held = []
        self.believe(dropped)

    # --- the first post ----------------------------------------------------------------------

    @precondition(lambda self: self.queue.waiting)
    @rule()
    def prepare(self) -> None:
        first = self.queue.waiting.first
        self.queue.prepared(first.post.instead or [first.post])
        assert self.queue.waiting.first.is_prepared

    @precondition(lambda self: self.queue.waiting)
    @rule(wanted=st.integers(2, 4))
    def merge(self, wanted: int) -> None:
        first, together = self.queue.waiting.first, 0
        for parcel in self.queue.waiting:
            if together == wanted or not first.may_join(parcel):
                break
            together += 1
        if together == 1:
            return
        before = [parcel.post for parcel in self.queue.waiting][:together]
        made = self.queue.merge(together)
        assert made is None or (made[1] == before and words(made[0]) == words(*before))
        assert self.queue.waiting.first.is_joined

    @precondition(lambda self: self.queue.waiting and not self.under_way)
    @rule()
    def take(self) -> None:
        """Take the first; what is under way meanwhile can be neither cut nor removed."""
        self.under_way = self.queue.take()

    @precondition(lambda self: self.under_way)
    @rule(fate=st.sampled_from([*(["sent"] * 6), *(["refused"] * 3), "failed"]))
    def report(self, fate: str) -> None:
        parcel, self.under_way = self.under_way, None
        assert parcel is not None
        if parcel.notice:
            self.queue.shown()
        elif fate == "sent":
            self.arrive(parcel)
        else:
            is_late = self.queue.is_ended
            dropped = self.queue.refused() if fate == "refused" else self.queue.failed()
            assert [parcel.post] == [post for post, _, _ in dropped]
            self.has_lost |= is_late
            self.believe(dropped)
            if fate == "failed":
                self.cut(Keep.NOTHING, has_goodbye=False)

    @rule(number=st.integers(1, 4))
    def send(self, number: int) -> None:
        for _ in range(number):
            if self.under_way or self.queue.waiting:
                self.under_way = self.under_way or self.queue.take()
                self.report("sent")

    def arrive(self, parcel: Parcel) -> None:
        receipt = Receipt(parcel.post, str(len(self.sent)))
        self.queue.sent(receipt)
        self.sent += words(parcel.post)
        self.parts[parcel.part].append(receipt)
        self.receipts.append(receipt)
        if not parcel.is_goodbye:
            assert {parcel.part} == {self.part_of[word] for word in words(parcel.post)}

    # --- what is deleted -----------------------------------------------------------------------

    @precondition(lambda self: self.receipts)
    @rule(number=st.integers(1, 3))
    def delete_later(self, number: int) -> None:
        unwanted = [receipt for receipt in self.receipts[-number:] if receipt not in self.unwanted]
        self.unwanted += unwanted
        self.queue.delete_later(unwanted)

    @rule(number=st.integers(0, 2))
    def spare(self, number: int) -> None:
        spared = self.unwanted[:number]
        self.unwanted = self.unwanted[number:]
        self.queue.spare(spared)

    @precondition(lambda self: self.unwanted)
    @rule(is_gone=st.booleans())
    def delete(self, *, is_gone: bool) -> None:
        receipt = self.queue.take_unwanted()
        assert self.unwanted.pop() == receipt, "the last one first"
        if is_gone:
            self.queue.deleted(receipt)
            self.receipts.remove(receipt)

    # --- what must hold ------------------------------------------------------------------------

    @invariant()
    def what_was_sent_is_a_beginning_and_the_rest_is_all_there(self) -> None:
        under_way = words(self.under_way.post) if self.under_way else []
        assert self.order == self.sent + under_way + words(*self.queue.posts) + self.held

    @invariant()
    def nothing_is_sent_twice(self) -> None:
        assert len(self.sent) == len(set(self.sent))

    @invariant()
    def what_is_lost_is_said(self) -> None:
        """A picture of which all words are in the goodbye is lost as well."""
        assert self.queue.is_whole != (self.has_lost or self.has_cut_picture)

    @invariant()
    def the_sums_are_those_of_what_waits(self) -> None:
        waiting = self.queue.waiting
        assert waiting.size == sum(len(parcel.post.text) + 1 for parcel in waiting)
        assert waiting.pauses == sum(parcel.post.pause for parcel in waiting)
        assert waiting.posts == len(self.queue.posts)

    @invariant()
    def receipts_are_those_that_arrived_and_stand(self) -> None:
        assert self.receipts == self.queue.receipts
        assert self.parts == {part: self.queue.sent_of(part) for part in self.parts}
        is_coming = self.under_way is not None and self.under_way.notice is None
        stands = [receipt for receipt in self.receipts if receipt not in self.unwanted]
        assert self.queue.standing == len(self.queue.posts) + is_coming + len(stands)
        assert self.queue.has_unwanted == bool(self.unwanted)

    def teardown(self) -> None:
        """In the end everything that was not dropped is sent."""
        if hasattr(self, "queue"):
            self.close()
            self.send(len(self.queue.waiting) + bool(self.under_way))
            assert self.order == self.sent


TestQueueMachine = QueueMachine.TestCase
TestQueueMachine.settings = hypothesis_settings(stateful_step_count=50, max_examples=200)


# --- by hand -------------------------------------------------------------------------------


def posts(*texts: str) -> list[Post]:
    return [Post(text, Boundary.NEWLINE) for text in texts]


def waiting(queue: PostQueue) -> list[str]:
    return [post.text for post in queue.posts]


@pytest.mark.parametrize(
    ("keep", "left", "is_whole"),
    [
        (Keep.EVERYTHING, ["one", "two", "three"], True),
        (Keep.DECIDED, ["one", "two", "three"], True),
        (Keep.CLAUSE, ["one"], False),
        (Keep.NOTHING, [], False),
    ],
)
def test_a_cut_drops_what_is_not_kept_and_counts_what_was_held(keep: Keep, left: list[str], *, is_whole: bool) -> None:
    queue = PostQueue(2000)
    queue.add(posts("one"))
    queue.hold(posts("two"))
    queue.add(posts("three"))

    dropped = queue.cut(keep)

    assert (left, is_whole) == (waiting(queue), queue.is_whole)
    named = [] if keep in (Keep.EVERYTHING, Keep.DECIDED) else ["one", "two", "three"]
    assert named == [post.text for post, why, _ in dropped if why is DropReason.CUT]


def test_a_goodbye_waits_for_nothing() -> None:
    queue = PostQueue(2000)
    queue.add(posts("one"))
    queue.delete_later([Receipt(post, "1") for post in posts("old")])

    queue.cut(Keep.CLAUSE)

    assert ([], False) == (waiting(queue), queue.is_whole)


def test_what_does_not_fit_is_not_merged_and_not_tried_again() -> None:
    queue = PostQueue(5)
    queue.add(posts("one", "two"))

    assert (None, True) == (queue.merge(2), queue.waiting.first.is_joined)
    assert ["one", "two"] == waiting(queue)


def test_what_is_given_after_the_end_is_named() -> None:
    queue = PostQueue(2000)
    queue.close()
    assert queue.is_whole

    dropped = [*queue.notify(NOTICE), *queue.hold(posts("one")), *queue.add(posts("two"))]

    assert [NOTICE, "one", "two"] == [notice or post.text for post, _, notice in dropped]
    assert {DropReason.CLOSED} == {why for _, why, _ in dropped}
    assert (False, 0) == (queue.is_whole, len(queue.waiting))


def test_a_notice_is_of_no_part() -> None:
    queue = PostQueue(2000)
    queue.add(posts("one"))
    queue.notify(NOTICE)

    assert posts("one") == [post for post, _, _ in queue.remove(0)]
    assert [NOTICE] == [parcel.notice for parcel in queue.waiting]
    assert [(DropReason.CUT, NOTICE)] == [(why, notice) for _, why, notice in queue.cut(Keep.CLAUSE)]


def test_what_is_prepared_stands_where_it_was() -> None:
    queue = PostQueue(2000)
    queue.add([Post("", Boundary.NEWLINE, instead=tuple(posts("one", "two", "three"))), *posts("four")])

    queue.prepared(posts("one", "two", "three"))

    assert ["one", "two", "three", "four"] == waiting(queue)
    assert [True, False, False, False] == [parcel.is_prepared for parcel in queue.waiting]


def test_messages_are_deleted_from_the_last() -> None:
    queue = PostQueue(2000)
    queue.add(posts("one", "two"))
    for number in range(2):
        queue.sent(Receipt(queue.take().post, str(number)))
    first, second = queue.receipts

    queue.delete_later([first, second])

    assert (second, first) == (queue.take_unwanted(), queue.take_unwanted())


@pytest.mark.parametrize(("is_cut", "is_whole"), [(False, True), (True, False)])
def test_a_refused_post_is_a_loss_once_the_reply_has_ended(*, is_cut: bool, is_whole: bool) -> None:
    queue = PostQueue(2000)
    queue.add(posts("one"))
    queue.take()
    if is_cut:
        queue.cut(Keep.NOTHING)

    assert [(post, DropReason.REFUSED, None) for post in posts("one")] == queue.refused()
    assert is_whole == queue.is_whole


def test_only_the_beginning_of_a_part_can_be_repeated() -> None:
    queue = PostQueue(2000)
    queue.begin_part(repeated=["one", "two"])

    assert [(post, DropReason.REPEATED, None) for post in posts("one")] == queue.add(posts("one", "new", "two"))
    assert ["new", "two"] == waiting(queue)
