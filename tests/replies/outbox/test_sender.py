"""The outbox: what waits, what is sent, what is taken back, and what people are shown meanwhile. All in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from cadenza.concurrency.stops import Stops
from cadenza.errors import CadenzaError, DeliveryError, DeliveryKind, ProviderError
from cadenza.replies.outbox.outbox import Outbox
from cadenza.replies.outbox.prepare import PostPreparer
from cadenza.replies.reply import say
from cadenza.settings import Settings
from cadenza.stages.s4_round import Keep
from cadenza.targets.target import Allowance, Limits
from cadenza.types import Boundary, Completed, Identity, Notice, Post, Receipt
from tests.timing import SlowStream, now
from tests.trouble import REFUSALS, Channel, FixedChannel, MeteredChannel

pytestmark = pytest.mark.looptime

NOTICE = Notice("Still working.")


def posts(*texts: str, pause: float = 0.0, identity: Identity | None = None) -> list[Post]:
    return [Post(text, Boundary.NEWLINE, pause, identity) for text in texts]


def texts(receipts: list[Receipt]) -> list[str]:
    return [receipt.post.text for receipt in receipts]


class PlainChannel:
    """A chat that can do nothing but show messages."""

    def __init__(self, *, latency: float = 0.0) -> None:
        self.limits = Limits()
        self.texts: list[str] = []
        self._latency = latency

    async def send(self, post: Post, /) -> Receipt:
        await asyncio.sleep(self._latency)
        self.texts.append(post.text)
        return Receipt(post, str(len(self.texts)))

    async def typing(self, identity: Identity | None, /) -> None:
        pass


# --- the last message --------------------------------------------------------------------------------


class ExpectantChannel(PlainChannel):
    """A chat that wants to know which message is the last; it may complain of it."""

    complaint: BaseException | None = None

    async def conclude(self) -> None:
        self.texts.append("…")
        if self.complaint:
            raise self.complaint


@pytest.mark.parametrize("complaint", [None, ValueError(), asyncio.CancelledError()])
async def test_a_target_that_wants_to_know_is_told_before_the_last_message(complaint: BaseException | None) -> None:
    channel = ExpectantChannel()
    channel.complaint = complaint
    async with Outbox(channel) as outbox:
        outbox.add([replace(post, boundary=Boundary.PERIOD) for post in posts("one", "two")])
        await asyncio.sleep(1.0)
        outbox.add([replace(post, boundary=Boundary.FINAL) for post in posts("three", "four")])

    assert ["one", "two", "three", "…", "four"] == channel.texts


async def test_what_waits_last_when_nothing_more_comes_is_the_last() -> None:
    channel = ExpectantChannel(latency=1.0)
    async with Outbox(channel) as outbox:
        outbox.add([replace(post, boundary=Boundary.PERIOD) for post in posts("one", "two")])

    assert ["one", "…", "two"] == channel.texts


# --- what a target leaves out ------------------------------------------------------------------------


class FilteredChannel(Channel):
    """A chat with a filter that lets no secret through."""

    async def send(self, post: Post, /) -> Receipt:
        if "secret" in post.text:
            msg = "A filter did not let it through."
            raise DeliveryError(msg, kind=DeliveryKind.SKIPPED)
        return await super().send(post)


async def test_a_message_that_the_target_leaves_out_ends_nothing_and_is_told_once() -> None:
    channel = FilteredChannel()
    reply = await say(channel, "One.\nA secret.\nAnother secret.\nFour.", settings=Settings.of(degree=1))
    assert isinstance(reply.outcome, Completed)
    assert ["One.", "Four."] == texts(list(reply.receipts)) == texts(channel.shown)
    assert "One.\nFour." == reply.transcript
    assert ("A filter did not let it through.",) == tuple(notice.text for notice in reply.notices)


async def test_nothing_is_told_of_it_where_errors_are_not_shown() -> None:
    channel = FilteredChannel()
    reply = await say(channel, "One.\nA secret.\nThree.", settings=Settings.of(degree=1, show_errors="off"))
    assert ["One.", "Three."] == texts(channel.shown)
    assert () == reply.notices


# --- parts -----------------------------------------------------------------------------------------


async def test_what_waits_of_a_part_can_be_taken_out_and_put_in_again() -> None:
    channel = Channel(latency=1.0)
    async with Outbox(channel) as outbox:
        outbox.begin_part()
        outbox.add(posts("one"))
        part = outbox.begin_part()
        outbox.add(posts("two", "three", "four"))
        await asyncio.sleep(1.5)

        removed = outbox.remove_queued(part)

        assert ["three", "four"] == [post.text for post in removed]
        await outbox.rest()
        assert (2.0, ["two"]) == (now(), texts(outbox.sent_of(part))), "what was under way has arrived"
        outbox.add(removed)

    assert ["one", "two", "three", "four"] == channel.texts == texts(outbox.receipts)


async def test_nothing_is_known_of_a_part_that_never_was() -> None:
    async with Outbox(Channel()) as outbox:
        assert ([], []) == (outbox.remove_queued(7), outbox.sent_of(7))


async def test_what_is_being_prepared_can_be_taken_out_too() -> None:
    channel = Channel()
    async with Outbox(channel, preparer=Slow()) as outbox:
        part = outbox.begin_part()
        outbox.add(posts("slowly"))
        await asyncio.sleep(1.0)

        assert ["slowly"] == [post.text for post in outbox.remove_queued(part)]
        await outbox.rest()

    assert ([], 1.0) == (channel.texts, now())


@pytest.mark.parametrize(
    ("repeated", "added", "sent"),
    [
        pytest.param(["a", "b"], ["a", "b", "c"], ["c"], id="all of it"),
        pytest.param(["a", "b"], ["a", "x", "b"], ["x", "b"], id="its beginning"),
        pytest.param(["a", "b"], ["b", "a"], ["b", "a"], id="in another order it is something else"),
        pytest.param(["a"], ["a", "a"], ["a"], id="once"),
        pytest.param([], ["a", "a"], ["a", "a"], id="nothing"),
    ],
)
async def test_what_is_said_again_is_not_sent_again(repeated: list[str], added: list[str], sent: list[str]) -> None:
    channel = Channel()
    async with Outbox(channel) as outbox:
        outbox.begin_part(repeated=repeated)
        for text in added[:-1]:
            outbox.add(posts(text))
        outbox.cut(Keep.EVERYTHING, posts(added[-1]))

    assert sent == channel.texts


# --- what is taken back --------------------------------------------------------------------------------


async def seen(outbox: Outbox, *said: str) -> list[Receipt]:
    """Messages that people have seen."""
    part = outbox.begin_part()
    outbox.add(posts(*said))
    await asyncio.sleep(10.0)
    return outbox.sent_of(part)


async def test_what_is_superseded_stays_until_something_else_is_sent() -> None:
    channel = Channel()
    async with Outbox(channel) as outbox:
        outbox.delete_later(await seen(outbox, "one", "two"))
        await asyncio.sleep(100.0)
        assert (["one", "two"], 0) == (channel.texts, outbox.standing)

        outbox.add(posts("three"))
        assert 1 == outbox.standing

    assert ["three"] == channel.texts == texts(outbox.receipts)


async def test_messages_are_taken_back_from_the_last_so_that_what_stands_is_always_a_beginning() -> None:
    channel = Channel(latency=1.0)
    async with Outbox(channel) as outbox:
        outbox.delete_later(await seen(outbox, "one", "two", "three"))
        outbox.add(posts("four"))
        shown = []
        for _ in range(5):
            await asyncio.sleep(0.99)
            shown.append(channel.texts)

    assert [["one", "two", "three"], ["one", "two"], ["one"], [], ["four"]] == shown


async def test_what_is_spared_is_not_taken_back() -> None:
    channel = Channel()
    async with Outbox(channel) as outbox:
        first, second = await seen(outbox, "one", "two")
        outbox.delete_later([first, second])
        outbox.spare([first])
        assert 1 == outbox.standing
        outbox.add(posts("three"))

    assert ["one", "three"] == channel.texts == texts(outbox.receipts)


async def test_messages_of_an_earlier_reply_are_taken_back_and_do_not_count_for_this_one() -> None:
    channel = Channel()
    async with Outbox(channel) as before:
        before.add(posts("old", "older"))
    async with Outbox(channel) as outbox:
        outbox.delete_later(before.receipts)
        assert 0 == outbox.standing
        outbox.add(posts("new"))
        assert 1 == outbox.standing

    assert ["new"] == channel.texts == texts(outbox.receipts)


@pytest.mark.parametrize("error", REFUSALS.values(), ids=REFUSALS)
async def test_what_cannot_be_taken_back_stays_and_was_said(
    error: Callable[[], BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    class Stubborn(Channel):
        async def remove(self, receipt: Receipt, /) -> None:
            if receipt.post.text == "two":
                raise error()
            await super().remove(receipt)

    channel = Stubborn()
    async with Outbox(channel) as outbox:
        outbox.delete_later(await seen(outbox, "one", "two"))
        outbox.add(posts("three"))

    assert ["two", "three"] == channel.texts == texts(outbox.receipts)
    assert "could not be deleted" in caplog.text
    assert ", in remove\n" in caplog.text
    assert "secret" not in caplog.text


async def test_where_nothing_can_be_taken_back_everything_stays() -> None:
    channel = FixedChannel()
    async with Outbox(channel) as outbox:
        outbox.delete_later(await seen(outbox, "one"))
        outbox.add(posts("two"))

    assert ["one", "two"] == channel.texts == texts(outbox.receipts)
    assert (True, False) == (Outbox(Channel()).can_remove, outbox.can_remove)


async def test_where_nothing_can_be_taken_back_the_last_word_does_not_wait_for_it() -> None:
    channel = FixedChannel()
    async with Outbox(channel) as outbox:
        outbox.delete_later(await seen(outbox, "one"))
        outbox.add(posts("two", pause=9.0))
        outbox.cut(Keep.CLAUSE)

    assert ["one", "two"] == channel.texts


async def test_what_is_just_being_sent_stands_already() -> None:
    async with Outbox(Channel(latency=1.0)) as outbox:
        outbox.add(posts("one", "two"))
        outbox.notify(NOTICE)
        standing = [outbox.standing]
        for _ in range(3):
            await asyncio.sleep(0.9)
            standing.append(outbox.standing)

    assert [2, 2, 2, 2] == standing


async def test_a_notice_takes_nothing_back() -> None:
    channel = Channel()
    async with Outbox(channel) as outbox:
        outbox.delete_later(await seen(outbox, "one"))
        outbox.notify(NOTICE)
        await asyncio.sleep(1.0)
        outbox.cut(Keep.NOTHING)

    assert (["one"], [NOTICE]) == (channel.texts, channel.notices)


# --- notices -------------------------------------------------------------------------------------------


async def test_notices_stand_where_they_were_given_and_are_no_part_of_what_was_said() -> None:
    channel = PlainChannel(latency=0.5)
    async with Outbox(channel) as outbox:
        outbox.add(posts("one"))
        outbox.notify(NOTICE)
        outbox.add(posts("two"))
        await outbox.finished()
        await outbox.tell(Notice("Done."))

    assert ["one", "-# Still working.", "two", "-# Done."] == channel.texts
    assert ["one", "two"] == texts(outbox.receipts)
    assert [NOTICE, Notice("Done.")] == outbox.notices


@pytest.mark.parametrize("error", REFUSALS.values(), ids=REFUSALS)
async def test_a_notice_that_cannot_be_shown_ends_nothing(
    error: Callable[[], BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    class Deaf(Channel):
        async def notify(self, _notice: Notice, /) -> None:
            raise error()

    channel = Deaf()
    async with Outbox(channel) as outbox:
        outbox.notify(NOTICE)
        outbox.add(posts("one"))
        await outbox.finished()
        await outbox.tell(NOTICE)

    assert (["one"], []) == (channel.texts, outbox.notices)
    assert not outbox.failed.done()
    assert "secret" not in caplog.text


async def test_a_notice_that_takes_for_ever_is_not_waited_for() -> None:
    class Slow(Channel):
        async def notify(self, _notice: Notice, /) -> None:
            await asyncio.sleep(1000.0)

    channel = Slow()
    async with Outbox(channel) as outbox:
        outbox.notify(NOTICE)
        outbox.add(posts("one"))
        await outbox.finished()
        await outbox.tell(NOTICE)

    assert ([10.0], 20.0, []) == (channel.started, now(), outbox.notices)


async def test_a_notice_that_is_sent_as_a_message_is_never_cancelled_half_way() -> None:
    channel = PlainChannel(latency=60.0)

    async def telling() -> None:
        async with Outbox(channel) as outbox:
            await outbox.tell(NOTICE)

    task = asyncio.create_task(telling())
    await asyncio.sleep(1.0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert (["-# Still working."], 60.0) == (channel.texts, now())


# --- how it is ended --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keep", "sent"),
    [
        (Keep.EVERYTHING, ["one", "two", "three. fo"]),
        (Keep.DECIDED, ["one", "two", "three. fo"]),
        (Keep.CLAUSE, ["one", "two"]),
        (Keep.NOTHING, ["one"]),
    ],
    ids=lambda value: value.name if isinstance(value, Keep) else "",
)
async def test_of_what_waits_so_much_is_sent_as_was_decided(keep: Keep, sent: list[str]) -> None:
    channel = Channel()
    async with Outbox(channel) as outbox:
        outbox.add([*posts("one"), *posts("two", pause=5.0)])
        await asyncio.sleep(1.0)
        outbox.cut(keep, posts("three. fo"))
        outbox.add(posts("never"))
        outbox.notify(NOTICE)

    assert (sent, []) == (channel.texts, channel.notices)


@pytest.mark.parametrize("keep", [Keep.CLAUSE, Keep.NOTHING], ids=lambda keep: keep.name)
async def test_a_stop_in_the_middle_of_a_send_lets_it_end_and_nothing_follows(keep: Keep) -> None:
    channel = Channel(latency=3.0)
    async with Outbox(channel) as outbox:
        outbox.add(posts("one", "two"))
        await asyncio.sleep(1.0)
        outbox.cut(keep, posts("three."))

    assert (["one"], [0.0], 3.0) == (channel.texts, channel.started, now())


@pytest.mark.parametrize("seconds", [0.5, 1.5, 2.5], ids=["before", "in the first", "in the second"])
async def test_a_stop_while_messages_are_taken_back_leaves_those_that_stand(seconds: float) -> None:
    channel = Channel(latency=1.0)
    async with Outbox(channel) as outbox:
        first = await seen(outbox, "one", "two")
        outbox.delete_later(first)
        begin = now()
        asyncio.get_running_loop().call_later(1.0, outbox.add, posts("three."))
        await asyncio.sleep(seconds)
        outbox.cut(Keep.CLAUSE, posts("four."))

    assert ["one", "two"][: 2 - int(seconds)] == channel.texts == texts(outbox.receipts)
    assert max(channel.started) < begin


async def test_an_outbox_that_was_cut_takes_nothing_more() -> None:
    channel = Channel()
    async with Outbox(channel) as outbox:
        outbox.add(posts("one"))
        outbox.cut(Keep.CLAUSE)
        outbox.add(posts("two"))
        outbox.hold(posts("three"))
        outbox.cut(Keep.EVERYTHING, posts("four"))

    assert ["one"] == channel.texts


async def test_a_reply_that_raises_sends_nothing_more() -> None:
    channel = Channel(latency=1.0)

    async def raising() -> None:
        async with Outbox(channel) as outbox:
            outbox.add(posts("one", "two"))
            await asyncio.sleep(0.5)
            raise KeyError

    with pytest.raises(KeyError):
        await raising()

    assert ["one"] == channel.texts


# --- room ------------------------------------------------------------------------------------------------


async def test_who_adds_too_much_waits_for_room() -> None:
    channel = Channel(latency=1.0)
    async with Outbox(channel, settings=Settings.of(queue=2, typing_budget=3600.0)) as outbox:
        await outbox.room()
        outbox.add(posts("one", "two", "three"))
        await outbox.room()

        assert 1.0 == now(), "one is sent, one is under way, and there is room behind the third"
        outbox.add(posts("four", "five"))
        outbox.close()
        await outbox.room()
        assert 1.0 == now(), "where nothing more is taken, nobody need wait"


# --- what goes wrong -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", REFUSALS.values(), ids=REFUSALS)
async def test_whatever_a_chat_raises_is_a_delivery_error(error: Callable[[], BaseException]) -> None:
    channel = Channel(crash_at=1, error=error)
    async with Outbox(channel) as outbox:
        outbox.add(posts("one", "two", "three"))
        failure = await outbox.failed

    assert isinstance(failure, DeliveryError)
    assert "secret" not in str(failure)
    assert ["one"] == channel.texts == texts(outbox.receipts)


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (DeliveryError("gone", code=10003, kind=DeliveryKind.CHANNEL_GONE), DeliveryKind.CHANNEL_GONE, "gone"),
        (CadenzaError("no"), DeliveryKind.REFUSED, "no"),
        (ProviderError("no", retryable=True), DeliveryKind.REFUSED, "no"),
        (OSError("secret"), DeliveryKind.REFUSED, "a message could not be sent (OSError)"),
    ],
    ids=["a delivery error", "ours", "a provider's", "foreign"],
)
async def test_the_model_is_not_to_blame_for_it(error: Exception, kind: DeliveryKind, words: str) -> None:
    async with Outbox(Channel(crash_at=0, error=lambda: error)) as outbox:
        outbox.add(posts("one"))
        failure = await outbox.failed

    assert (kind, words) == (failure.kind, str(failure))


# --- progress ---------------------------------------------------------------------------------------------


async def test_t79_slow_sends_are_no_silence_of_the_model() -> None:
    channel = Channel(latency=100.0)
    settings = Settings.of(degree=1, idle_timeout=60.0, queue=1)

    result = await say(channel, SlowStream(*(f"{number}\n" for number in range(5)), "x"), settings=settings)

    assert (6, Completed("end_of_stream")) == (len(channel.shown), result.outcome)


async def test_t80_whatever_goes_wrong_behind_a_send_it_was_sent() -> None:
    class Confused(Channel):
        @property
        def channel(self) -> str:
            raise KeyError

        last_message_id = None

    channel = Confused()
    async with Outbox(channel) as outbox:
        outbox.add(posts("one", "two", identity=Identity("Ren")))

    assert ["one", "two"] == channel.texts == texts(outbox.receipts)


async def test_t80_also_if_the_trace_cannot_be_told_of_it() -> None:
    class Odd(str):
        __slots__ = ()

        def __str__(self) -> str:
            raise KeyError

    class Confused(Channel):
        async def send(self, post: Post, /) -> Receipt:
            return replace(await super().send(post), message_id=Odd())

    channel = Confused()
    result = await say(channel, "one", trace=lambda _: None)

    assert ["one"] == channel.texts == [receipt.post.text for receipt in result.receipts]


async def test_t81_only_what_is_sent_is_progress() -> None:
    with Stops().open("turn") as handle:
        async with Outbox(Channel(latency=1.0), stop=handle) as outbox:
            outbox.add(posts("one"))
            await asyncio.sleep(5.0)
            assert 1.0 == handle.idle_since

            outbox.add(posts("two", pause=60.0))
            await asyncio.sleep(1.0)
            outbox.cut(Keep.NOTHING)
            await outbox.finished()

        assert 1.0 == handle.idle_since


# --- typing -----------------------------------------------------------------------------------------------


class Slow(PostPreparer):
    """Takes 20 seconds to prepare a message."""

    __slots__ = ()

    def helps(self, post: Post) -> bool:
        return post.text != "at once"

    async def prepared(self, post: Post, **_where: object) -> list[Post]:
        await asyncio.sleep(20.0)
        return [post]


async def _thinking(outbox: Outbox) -> None:
    await asyncio.sleep(20.0)
    outbox.add(posts("one"))


async def _pausing(outbox: Outbox) -> None:
    outbox.add(posts("one", pause=20.0))


async def _chattering(outbox: Outbox) -> None:
    """More and more is to be said, while the first of it waits."""
    outbox.add(posts("one", pause=20.0))
    for number in range(40):
        await asyncio.sleep(0.25)
        outbox.notify(Notice(str(number)))


@pytest.mark.parametrize("write", [_thinking, _pausing, _chattering], ids=lambda write: write.__name__)
async def test_t94_typing_is_shown_every_eight_seconds_and_not_after_the_last_message(
    write: Callable[[Outbox], Awaitable[None]],
) -> None:
    channel = Channel()
    async with Outbox(channel) as outbox:
        await write(outbox)
        outbox.close()

    assert ([0.0, 8.0, 16.0], [20.0]) == (channel.typed, channel.started)


async def test_t94_after_a_stop_no_typing_is_shown() -> None:
    channel, stops = Channel(), Stops()
    with stops.open("turn") as handle:
        async with Outbox(channel, stop=handle) as outbox:
            outbox.add(posts("one", pause=60.0))
            await asyncio.sleep(9.0)
            stops.request("turn")
            outbox.add(posts("two"))
            await asyncio.sleep(20.0)
            outbox.cut(Keep.NOTHING)

    assert [0.0, 8.0] == channel.typed


async def test_a_message_puts_the_typing_out_so_it_is_shown_again() -> None:
    channel = Channel()
    async with Outbox(channel) as outbox:
        outbox.add([*posts("one", pause=3.0), *posts("two", pause=3.0)])
        outbox.close()

    assert ([0.0, 3.5], [3.0, 6.0]) == (channel.typed, channel.started), "a moment later"


async def test_typing_is_shown_for_whoever_writes() -> None:
    shown: list[tuple[float, Identity | None]] = []

    class Watched(Channel):
        async def typing(self, identity: Identity | None, /) -> None:
            shown.append((now(), identity))

    async with Outbox(Watched()) as outbox:
        await asyncio.sleep(2.0)
        outbox.add(posts("one", pause=5.0, identity=Identity("Ren")))
        outbox.close()

    assert [(0.0, None), (2.0, Identity("Ren"))] == shown


async def test_while_a_message_is_prepared_typing_is_shown() -> None:
    channel = Channel()
    async with Outbox(channel, preparer=Slow()) as outbox:
        outbox.add([*posts("at once"), *posts("slowly")])
        outbox.close()

    assert ([0.0, 20.0], [0.5, 8.5, 16.5]) == (channel.started, channel.typed)


@pytest.mark.parametrize("error", REFUSALS.values(), ids=REFUSALS)
async def test_typing_that_fails_holds_nothing_up_and_is_tried_again(error: Callable[[], BaseException]) -> None:
    class Rude(Channel):
        async def typing(self, identity: Identity | None, /) -> None:
            await super().typing(identity)
            raise error()

    channel = Rude()
    async with Outbox(channel) as outbox:
        outbox.add(posts("one", pause=10.0))
        outbox.close()

    assert ([0.0, 8.0], [10.0]) == (channel.typed, channel.started)


async def test_typing_that_hangs_holds_nothing_up() -> None:
    class Hanging(Channel):
        async def typing(self, identity: Identity | None, /) -> None:
            await super().typing(identity)
            await asyncio.sleep(1000.0)

    channel = Hanging()
    async with Outbox(channel) as outbox:
        outbox.add(posts("one", pause=10.0))
        outbox.close()

    assert [10.0] == channel.started


async def test_typing_is_not_shown_between_messages_that_follow_each_other_at_once_nor_behind_the_last() -> None:
    channel = Channel()
    async with Outbox(channel) as outbox:
        for text in ("one", "two", "three"):
            outbox.add(posts(text))
            await asyncio.sleep(0.4)
        await asyncio.sleep(0.05)
        outbox.close()
        await asyncio.sleep(10.0)

    assert ([0.0, 0.4, 0.8], []) == (channel.started, channel.typed)


# --- the typing budget --------------------------------------------------------------------------------------


async def test_the_budget_is_spent_by_what_was_really_waited() -> None:
    channel = Channel()
    async with Outbox(channel, settings=Settings.reference(typing_budget=3.0)) as outbox:
        for _ in range(5):  # a model that is slower than anybody types
            await asyncio.sleep(5.0)
            outbox.add(posts("slow", pause=2.0))
        await asyncio.sleep(1.0)
        outbox.add(posts("a", "b", "c", "d", pause=2.0))
        outbox.close()

    assert [5.0, 10.0, 15.0, 20.0, 25.0] == channel.started[:5]
    assert [27.0, 29.0, 29.0, 29.0] == channel.started[5:], "one second, then two, and no more"


async def test_all_pauses_together_stay_within_the_budget() -> None:
    channel = Channel()
    async with Outbox(channel, settings=Settings.reference(typing_budget=9.0)) as outbox:
        outbox.add(posts("a", "b", "c", "d", pause=4.0))
        outbox.close()

    assert [4.0, 8.0, 9.0, 9.0] == channel.started
    assert {4.0} == {receipt.post.pause for receipt in channel.shown}, "what was planned does not depend on the clock"


async def test_a_pause_that_is_interrupted_is_paid_for_once() -> None:
    channel = Channel()
    async with Outbox(channel, settings=Settings.reference(typing_budget=4.0)) as outbox:
        outbox.add(posts("a", pause=3.0))
        for _ in range(5):
            await asyncio.sleep(0.5)
            outbox.add(posts("b"))
        outbox.add(posts("c", pause=2.0))
        outbox.close()

    assert [3.0] * 6 + [4.0] == channel.started


# --- a chat that takes only so many messages -------------------------------------------------------------------


class Metered(MeteredChannel):
    """A chat that takes five messages in five seconds, of which some are *used* at first."""

    def __init__(self, *, used: int = 0) -> None:
        super().__init__()
        self._left, self._resets = self.limit - used, 5.0 if used else 0.0

    async def send(self, post: Post, /) -> Receipt:
        receipt = await super().send(post)
        assert not self.refused
        return receipt


async def test_what_would_have_to_wait_goes_out_together() -> None:
    channel = Metered()
    async with Outbox(channel) as outbox:
        for number in range(20):
            outbox.add(posts(str(number)))
            await asyncio.sleep(0.4)
        outbox.close()

    assert list(map(str, range(20))) == "\n".join(channel.texts).split("\n")
    assert ["0", "1", "2", "3\n4\n5\n6\n7", "8\n9\n10\n11\n12"] == channel.texts[:5]
    assert [0.0, 0.4, 0.8, 2.9, 5.0, 6.25, 7.5, 8.0] == [pytest.approx(moment) for moment in channel.started]
    assert 8.0 == pytest.approx(now()), "and nobody waits for the last words"


@pytest.mark.parametrize(
    ("used", "wanted"),
    [
        pytest.param(0, ["a\nb", "c\nd", "e\nf", "g\nh", "i"], id="all are left"),
        pytest.param(3, ["a\nb\nc\nd\ne", "f\ng\nh\ni"], id="few are left"),
        pytest.param(4, ["a\nb\nc\nd\ne\nf\ng\nh\ni"], id="one is left"),
    ],
)
async def test_a_reply_that_is_there_as_a_whole_is_spread_over_what_is_left(used: int, wanted: list[str]) -> None:
    channel = Metered(used=used)
    async with Outbox(channel) as outbox:
        outbox.add(posts(*"abcdefghi"))
        outbox.close()

    assert (wanted, 0.0) == (channel.texts, now())


async def test_what_is_enough_is_left_as_it_was_planned() -> None:
    channel = Metered()
    async with Outbox(channel) as outbox:
        outbox.add(posts(*"abcde"))
        outbox.close()

    assert ([*"abcde"], 0.0) == (channel.texts, now())


async def test_one_message_is_kept_for_the_end() -> None:
    channel = Metered(used=4)
    async with Outbox(channel) as outbox:
        outbox.add(posts("a"))
        await asyncio.sleep(2.0)
        assert [] == channel.texts
        outbox.add(posts("b"))
        outbox.close()

    assert (["a\nb"], [2.0]) == (channel.texts, channel.started)


async def test_while_the_chat_takes_nothing_what_arrives_is_put_behind_what_waits() -> None:
    channel = Metered(used=5)
    async with Outbox(channel) as outbox:
        for text in "abcdefghijkl":  # more than there is room for where nothing can be put together
            outbox.add(posts(text))
            await asyncio.sleep(0.1)
        assert outbox.has_room
        outbox.close()

    assert ([5.0] * 4, 12) == (channel.started[:4], len("".join(channel.texts).replace("\n", "")))


async def test_there_is_an_end_to_what_may_wait() -> None:
    async with Outbox(Metered(used=5), settings=Settings.of(queue=2, limit=50, typing_budget=3600.0)) as outbox:
        outbox.add(posts("a" * 40, "b" * 40, "c" * 40))
        assert not outbox.has_room


async def test_two_names_two_parts_and_notices_are_never_put_together() -> None:
    channel = Metered(used=2)
    ren, mia = Identity("Ren"), Identity("Mia")
    async with Outbox(channel) as outbox:
        outbox.begin_part()
        outbox.add([*posts("a", identity=ren), *posts("b", "c", identity=mia)])
        outbox.notify(NOTICE)
        outbox.add(posts("d", identity=mia))
        outbox.begin_part()
        outbox.add(posts("e", identity=mia))
        outbox.close()

    assert ["a", "b\nc", "d", "e"] == channel.texts
    assert ([0.0] * 3, [5.0]) == (channel.started[:3], channel.started[3:])
    assert [NOTICE] == channel.notices


async def test_a_stop_does_not_wait_for_the_chat() -> None:
    channel, stops = Metered(used=5), Stops()
    with stops.open("turn") as handle:
        async with Outbox(channel, stop=handle) as outbox:
            outbox.add(posts("one", "two."))
            await asyncio.sleep(1.0)
            stops.request("turn")
            outbox.cut(Keep.CLAUSE)
            await outbox.finished()

    assert ([], 1.0) == (channel.texts, now())


class HastyChannel(PlainChannel):
    """A chat that takes a minute over a message, unless it is told to hurry: then it leaves it out."""

    def __init__(self) -> None:
        super().__init__()
        self._hurried = asyncio.Event()

    async def send(self, post: Post, /) -> Receipt:
        try:
            async with asyncio.timeout(60):
                await self._hurried.wait()
        except TimeoutError:
            return await super().send(post)
        msg = "It was left out."
        raise DeliveryError(msg, kind=DeliveryKind.SKIPPED)

    def hurry(self) -> None:
        self._hurried.set()


@pytest.mark.parametrize(
    ("keep", "seconds", "sent"),
    [(Keep.CLAUSE, 1.0, []), (Keep.NOTHING, 1.0, []), (Keep.DECIDED, 60.0, ["one"]), (Keep.EVERYTHING, 60.0, ["one"])],
)
async def test_a_chat_is_told_if_nobody_wants_what_is_under_way_and_says_nothing_of_it(
    keep: Keep, seconds: float, sent: list[str]
) -> None:
    channel = HastyChannel()
    async with Outbox(channel) as outbox:
        outbox.add(posts("one"))
        await asyncio.sleep(1.0)
        outbox.cut(keep)
        await outbox.finished()

    assert (sent, seconds, [], False) == (channel.texts, now(), outbox.notices, outbox.failed.done())


async def test_after_a_stop_the_message_that_was_kept_says_goodbye() -> None:
    channel = Metered(used=4)
    async with Outbox(channel) as outbox:
        outbox.add(posts("one. And", "two."))
        await asyncio.sleep(1.0)
        outbox.cut(Keep.CLAUSE)

    assert (["one."], [1.0]) == (channel.texts, channel.started)


async def test_typing_goes_on_while_there_are_messages_left_and_only_what_was_typed_is_put_together() -> None:
    channel = Metered(used=4)
    async with Outbox(channel, settings=Settings.of(typing_budget=20.0)) as outbox:
        outbox.add([*posts("a"), *posts(*"bcdefgh", pause=2.0)])
        await asyncio.sleep(30.0)
        outbox.close()

    assert ["a\nb\nc", *"defgh"] == channel.texts
    assert [5.0, 7.0, 9.0, 11.0, 13.0, 15.0] == channel.started


async def test_when_the_budget_is_spent_everything_is_put_together() -> None:
    channel = Metered(used=4)
    async with Outbox(channel, settings=Settings.of(typing_budget=6.0)) as outbox:
        outbox.add([*posts("a"), *posts(*"bcdefgh", pause=4.0)])
        await asyncio.sleep(30.0)
        outbox.close()

    assert ["a\nb", "c", "d\ne\nf\ng\nh"] == channel.texts
    assert [5.0, 9.0, 11.0] == channel.started


async def test_while_the_chat_takes_nothing_somebody_is_seen_writing() -> None:
    channel = Metered(used=5)
    async with Outbox(channel) as outbox:
        outbox.add(posts("a"))
        outbox.close()

    assert ([0.0], [5.0]) == (channel.typed, channel.started)


async def test_a_chat_that_cannot_say_what_it_takes_is_sent_everything_as_it_is() -> None:
    class Broken(Channel):
        def allowance(self, _: Identity | None, /) -> Allowance:
            raise OSError

    channel = Broken()
    async with Outbox(channel) as outbox:
        outbox.add(posts(*"abcdefghi"))
        outbox.close()

    assert [*"abcdefghi"] == channel.texts


async def test_what_was_put_together_and_is_taken_out_comes_back_as_it_is() -> None:
    channel = Metered(used=5)
    async with Outbox(channel, preparer=Slow()) as outbox:
        part = outbox.begin_part()
        outbox.add(posts("a", "slowly"))
        await asyncio.sleep(6.0)
        removed = outbox.remove_queued(part)

    assert "a\nslowly" == "\n".join([*channel.texts, *(post.text for post in removed)])


async def test_what_is_put_together_stands_on_one_side_of_a_notice() -> None:
    channel = Metered(used=3)
    async with Outbox(channel) as outbox:
        outbox.add(posts("a"))
        outbox.notify(NOTICE)
        outbox.add(posts("b", "c"))
        outbox.close()

    assert (["a", "b\nc"], [NOTICE]) == (channel.texts, channel.notices)


class Partial(Channel):
    """A chat that takes nothing for five seconds from one name, and everything from others."""

    def __init__(self, full: Identity | None) -> None:
        super().__init__()
        self._full = full

    def allowance(self, identity: Identity | None, /) -> Allowance:
        return Allowance(0, 5, max(0.0, 5.0 - now())) if identity == self._full else Allowance(5, 5, 0.0)


@pytest.mark.parametrize(
    ("full", "sent"),
    [
        pytest.param(Identity("Ren"), [], id="whoever speaks cannot"),
        pytest.param(None, ["one"], id="whoever speaks can"),
    ],
)
async def test_whether_a_goodbye_can_leave_does_not_depend_on_a_notice_before_it(
    full: Identity | None, sent: list[str]
) -> None:
    channel = Partial(full)
    async with Outbox(channel) as outbox:
        outbox.notify(NOTICE)
        outbox.add(posts("one", "two.", identity=Identity("Ren")))
        outbox.cut(Keep.CLAUSE)

    assert (sent, 0.0) == (channel.texts, now())


async def test_a_goodbye_leaves_at_once_or_not_at_all() -> None:
    class Fickle(Channel):
        """A chat that takes a message when it is asked for the second time, and none before or after."""

        asked = 0

        def allowance(self, _: Identity | None, /) -> Allowance:
            self.asked += 1
            return Allowance(int(self.asked == 2), 5, 5.0)

    channel = Fickle()
    async with Outbox(channel) as outbox:
        outbox.add(posts("one", "two."))
        await asyncio.sleep(1.0)
        outbox.cut(Keep.CLAUSE)

    assert (["one"], [1.0], 1.0) == (channel.texts, channel.started, now())


@pytest.mark.parametrize("left", [0, 1])
async def test_a_chat_that_always_says_that_it_takes_nothing_gets_everything_in_the_end(left: int) -> None:
    class Stubborn(Channel):
        def allowance(self, _: Identity | None, /) -> Allowance:
            return Allowance(left, 5, 5.0)

    channel = Stubborn()
    async with Outbox(channel, settings=Settings.of(queue=2, limit=50, typing_budget=3600.0)) as outbox:
        for number in range(40):
            outbox.add(posts(f"{number:010}"))
            await outbox.room()
            await asyncio.sleep(1.0)
        outbox.close()

    assert [f"{number:010}" for number in range(40)] == "\n".join(channel.texts).split("\n")
    assert 60.0 <= channel.started[0] < 70.0
    assert now() < 120.0


async def test_after_a_notice_typing_is_shown_again() -> None:
    channel = FixedChannel()
    async with Outbox(channel) as outbox:
        outbox.add(posts("one", pause=6.0))
        await asyncio.sleep(1.0)
        await outbox.tell(NOTICE)
        await asyncio.sleep(1.0)
        outbox.add(posts("two"))
        outbox.close()

    assert [0.0, 2.0] == channel.typed
