"""What is put into an outbox while nothing is sent: what is queued, traced and left."""

from __future__ import annotations

import asyncio

import pytest

from cadenza.explain.recorder import Trace
from cadenza.facts import (
    Fact,
    LoggedFact,
    MessageLeftOut,
    MessageRefused,
    MessageSent,
    MessagesSpared,
    MessagesSuperseded,
    NoticeShown,
    QueueCut,
    QueueWithdrawn,
)
from cadenza.replies.outbox.outbox import Outbox
from cadenza.replies.outbox.prepare import PostPreparer
from cadenza.settings import Settings
from cadenza.stages.s4_round import Keep
from cadenza.types import Boundary, Notice, Post, Receipt
from tests.helpers import calls_of
from tests.trouble import Channel, FixedChannel, MeteredChannel

pytestmark = pytest.mark.looptime


def posts(*texts: str) -> list[Post]:
    return [Post(text, Boundary.NEWLINE, 1.0) for text in texts]


def intake(seen: list[LoggedFact], **settings: object) -> Outbox:
    return Outbox(Channel(), settings=Settings.of(**settings), trace=Trace(seen.append))


def facts(seen: list[LoggedFact]) -> list[Fact]:
    return [logged.fact for logged in seen]


async def test_what_is_put_in_stands_until_it_is_taken_out() -> None:
    seen: list[LoggedFact] = []
    outbox = intake(seen)
    part = outbox.begin_part()
    outbox.add(posts("one"))
    outbox.hold(posts("two"))

    assert 1 == outbox.standing
    assert ["one", "two"] == [post.text for post in outbox.remove_queued(part)]
    assert (0, [QueueWithdrawn(())]) == (outbox.standing, facts(seen))


async def test_a_full_queue_has_no_room_until_it_is_cut() -> None:
    outbox = intake([], queue=2)
    outbox.add(posts("one", "two"))
    assert not outbox.has_room

    outbox.cut(Keep.NOTHING)

    assert (True, False) == (outbox.has_room, outbox.is_whole)


@pytest.mark.parametrize("chat", [Channel, MeteredChannel])
async def test_a_post_costs_the_same_however_many_wait(chat: type[Channel]) -> None:
    def cost(count: int) -> int:
        """The cost of *count* posts, added one by one, all of them long after the queue is full."""
        outbox = Outbox(chat(), settings=Settings.of(queue=2))
        outbox.add(posts(*["x" * 2000] * 4))

        def add() -> None:
            for _ in range(count):
                outbox.add(posts("one"))
                assert not outbox.has_room
                assert outbox.standing

        return calls_of(add)

    assert cost(400) <= 2.02 * cost(200)


async def test_what_comes_too_late_is_told_and_missed() -> None:
    seen: list[LoggedFact] = []
    outbox = intake(seen)
    outbox.close()
    assert outbox.is_whole

    outbox.add(posts("one"))
    outbox.hold(posts("two"))
    outbox.notify(Notice("Still working."))

    late, notice = MessageLeftOut((), "closed"), NoticeShown("", "Still working.", "info", is_shown=False)
    assert ([late, late, notice], False) == (facts(seen), outbox.is_whole)


async def test_a_stop_is_told_once_with_what_it_drops() -> None:
    seen: list[LoggedFact] = []
    outbox = intake(seen)
    outbox.add(posts("one"))
    outbox.notify(Notice("Still working."))

    for keep in (Keep.CLAUSE, Keep.CLAUSE, Keep.NOTHING, Keep.NOTHING, Keep.CLAUSE):
        outbox.cut(keep)

    notice = NoticeShown("", "Still working.", "info", is_shown=False)
    assert [notice, QueueCut("clause", (), (), "one"), QueueCut("nothing", (), (), None)] == facts(seen)


class Stumbling(PostPreparer):
    """Stumbles over the second message, before it is sent."""

    def helps(self, post: Post, /) -> bool:
        assert post.text != "two"
        return False


async def test_a_fault_between_two_messages_is_not_that_of_the_one_that_arrived() -> None:
    seen: list[LoggedFact] = []
    trace, given = Trace(seen.append), posts("one", "two")
    for post in given:
        trace._outgoing.numbers.new(post)  # the composer's tap does it

    async with Outbox(Channel(), preparer=Stumbling(painter=None), trace=trace) as outbox:
        outbox.add(given)

    ends = [fact for fact in facts(seen) if isinstance(fact, MessageSent | MessageRefused | QueueCut)]
    assert [(1,), (), ()] == [fact.posts for fact in ends]
    assert QueueCut("nothing", (), (2,), None, None, ("two",)) == ends[-1]


async def test_a_piece_that_is_cut_is_told_although_another_was_sent() -> None:
    seen: list[LoggedFact] = []
    trace = Trace(seen.append)
    table = Post("", Boundary.NEWLINE, instead=tuple(posts("one", "two")), picture="| a |")
    trace._outgoing.numbers.new(table)  # the composer's tap does it

    async with Outbox(Channel(latency=1.0), trace=trace) as outbox:
        outbox.add([table])
        await asyncio.sleep(1.5)
        outbox.cut(Keep.NOTHING)

    assert ["one"] == [receipt.post.text for receipt in outbox.receipts]
    assert [QueueCut("nothing", (), (1,), None, None, ("",))] == [
        fact for fact in facts(seen) if isinstance(fact, QueueCut)
    ]


async def test_what_is_repeated_is_traced_before_what_is_cut() -> None:
    seen: list[LoggedFact] = []
    outbox = intake(seen)
    outbox.begin_part(repeated=["one"])
    outbox.hold(posts("one"))

    outbox.cut(Keep.CLAUSE, posts("two"))

    assert [MessageLeftOut((), "repeated"), QueueCut("clause", (), (), "two")] == facts(seen)


@pytest.mark.parametrize(
    ("channel", "expected"),
    [
        pytest.param(Channel(), [MessagesSuperseded(("1",)), MessagesSpared(("1",))], id="it deletes"),
        pytest.param(FixedChannel(), [MessagesSpared(("1",))], id="it keeps all"),
    ],
)
async def test_only_what_can_be_deleted_is_superseded(channel: Channel, expected: list[Fact]) -> None:
    seen: list[LoggedFact] = []
    outbox = Outbox(channel, trace=Trace(seen.append))
    old = [Receipt(post, "1") for post in posts("old")]

    outbox.delete_later(old)
    outbox.spare(old)
    outbox.delete_later([])

    assert expected == facts(seen)
