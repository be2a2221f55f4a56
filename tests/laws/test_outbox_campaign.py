"""Whatever is done to an outbox, and whatever a chat says of itself: nothing is lost, doubled or out of its place."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import count
from random import Random

import looptime
import pytest

from cadenza.explain.recorder import Trace
from cadenza.facts import Fact, LoggedFact, MessageLeftOut, MessageSent, NoticeShown, QueueCut, QueueWithdrawn
from cadenza.replies.outbox.outbox import Outbox
from cadenza.settings import Settings
from cadenza.stages.s4_round import Keep
from cadenza.targets.target import Allowance
from cadenza.types import Boundary, Identity, Notice, Post, Receipt
from tests.timing import now
from tests.trouble import MeteredChannel

NAMES = (None, Identity("Ren"), Identity("Mia"))
PAUSES, SLEEPS = (0.0, 0.0, 0.5, 2.0), (0.0, 0.1, 0.4, 1.0, 3.0, 6.0)
ODD = (-1, 0, 0.5, 1, 5, 40, float("nan"), float("inf"), None, "five")
"""What a chat may say instead of a number."""


class Diary(MeteredChannel):
    """A chat that writes down what people see, line by line and notices between them."""

    def __init__(self, dice: Random) -> None:
        super().__init__(latency=dice.choice((0.0, 0.08, 2.0)))
        self.lines: list[str] = []

    async def send(self, post: Post, /) -> Receipt:
        """Show *post*."""
        receipt = await super().send(post)
        self.lines += post.text.split("\n")
        return receipt

    async def notify(self, notice: Notice, /) -> None:
        """Show *notice*."""
        self.lines.append(notice.text)


class Odd:
    """The same chat, which says nonsense when it is asked what it takes."""

    def __init__(self, chat: Diary, dice: Random) -> None:
        self._dice = dice
        self.limits, self.send, self.typing, self.notify = chat.limits, chat.send, chat.typing, chat.notify

    def allowance(self, _: Identity | None, /) -> Allowance:
        """Whatever comes to its mind."""
        if self._dice.random() < 0.3:
            raise self._dice.choice((OSError, asyncio.CancelledError))
        return Allowance(self._dice.choice(ODD), self._dice.choice(ODD), self._dice.choice(ODD))  # type: ignore[arg-type]  # nonsense


class Campaign:
    """One reply, in which *dice* decide what is done next, and what people should see of it."""

    def __init__(self, dice: Random, trace: Trace) -> None:
        self._dice = dice
        self._trace = trace
        self.wanted: list[str] = []
        self.who: dict[str, Identity | None] = {}
        self._names = NAMES[: dice.choice((1, 3))]
        self._number = count()
        self.posts: set[int] = set()
        self.notices: list[str] = []
        self.part = 0

    def _posts(self) -> list[Post]:
        dice = self._dice
        posts = []
        for _ in range(dice.randint(1, 4)):
            text, name = f"line {next(self._number)} {'x' * dice.choice((0, 3, 30))}".strip(), dice.choice(self._names)
            self.who[text] = name
            posts.append(Post(text, Boundary.NEWLINE, dice.choice(PAUSES), name))
            self.posts.add(self._trace._outgoing.numbers.new(posts[-1]))  # the composer's tap does it
        return posts

    def add(self, outbox: Outbox) -> None:
        """Say something."""
        posts = self._posts()
        outbox.add(posts)
        self.wanted += [post.text for post in posts]

    def tell(self, outbox: Outbox) -> None:
        """Give notice of something."""
        notice = Notice(f"notice {next(self._number)}")
        self.notices.append(notice.text)
        outbox.notify(notice)
        self.wanted.append(notice.text)

    def begin_part(self, outbox: Outbox) -> None:
        """Let somebody else go on."""
        self.part = outbox.begin_part()

    def take_out(self, outbox: Outbox) -> None:
        """Take what waits out, and perhaps put it in again at the end."""
        posts = outbox.remove_queued(self.part)
        out = [line for post in posts for line in post.text.split("\n")]
        self.wanted = [line for line in self.wanted if line not in out]
        if self._dice.random() < 0.5:
            outbox.add(posts)
            self.wanted += out

    def be_late(self, outbox: Outbox) -> None:
        """Say and do what comes too late."""
        wanted = [*self.wanted]
        self.add(outbox)
        outbox.hold(self._posts())
        self.tell(outbox)
        self.wanted = wanted

    async def run(self, outbox: Outbox) -> None:
        """Do this and that."""
        deeds: list[Callable[[Outbox], None]] = [*[self.add] * 6, self.tell, self.begin_part, self.take_out]
        self.begin_part(outbox)
        for _ in range(self._dice.randint(1, 40)):
            self._dice.choice(deeds)(outbox)
            await asyncio.sleep(self._dice.choice(SLEEPS))


async def _at_sea(seed: int) -> None:
    dice = Random(seed)
    is_odd, keep = dice.random() < 0.4, dice.choice((None, *Keep))
    seen: list[LoggedFact] = []
    trace = Trace(seen.append)
    channel, campaign = Diary(dice), Campaign(dice, trace)
    limit = dice.choice((50, 200, 1950))
    target = Odd(channel, dice) if is_odd else channel
    settings = Settings.of(limit=limit, typing_budget=dice.choice((0.0, 3.0, 20.0)))
    async with Outbox(target, settings=settings, trace=trace) as outbox:
        await campaign.run(outbox)
        cut = now()
        if keep:
            outbox.cut(keep)
        await outbox.finished()
        end = now()
        assert keep in {Keep.CLAUSE, Keep.NOTHING} or outbox.is_whole
        campaign.be_late(outbox)
        assert not outbox.is_whole
        await asyncio.sleep(30.0)

    assert not outbox.failed.done()
    facts = [logged.fact for logged in seen]
    assert campaign.posts == {number for fact in facts for number in _settled(fact)}
    assert sorted(campaign.notices) == sorted(fact.text for fact in facts if isinstance(fact, NoticeShown))
    assert bool(keep) == sum(isinstance(fact, QueueCut) for fact in facts)
    assert is_odd or not channel.refused, "nothing is sent too early"
    assert all(moment <= end for moment in channel.typed), "nobody is seen typing behind the last message"
    assert channel.shown == outbox.receipts
    for receipt in channel.shown:
        assert len(receipt.post.text) <= limit
        assert {receipt.post.identity} == {campaign.who[line] for line in receipt.post.text.split("\n")}
    if keep in {Keep.CLAUSE, Keep.NOTHING}:
        assert all(moment <= cut for moment in channel.started), "a stop is silent at once"
        said = [line for line in channel.lines if line in campaign.who]
        assert [line for line in campaign.wanted if line in campaign.who][: len(said)] == said
    else:
        assert campaign.wanted == channel.lines


def _settled(fact: Fact) -> tuple[int, ...]:
    """The posts of which *fact* says what becomes of them in the end."""
    match fact:
        case MessageSent(posts=posts) | MessageLeftOut(posts=posts) | QueueCut(dropped=posts) | QueueWithdrawn(posts):
            return posts
        case _:
            return ()


@pytest.mark.parametrize("seed", range(200))
def test_everything_arrives_once_and_in_its_place(seed: int) -> None:
    with asyncio.Runner(loop_factory=lambda: looptime.new_event_loop(start=0.0, noop_cycles=0)) as runner:
        runner.run(asyncio.wait_for(_at_sea(seed), 20_000.0))
