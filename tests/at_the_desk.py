"""A desk for turns with people who write and answers that take their time, for tests in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import count
from math import ceil

from cadenza.concurrency.stops import StopRegistry
from cadenza.settings import Settings
from cadenza.turns import Turns, Verdict
from cadenza.turns.channels import Turn
from cadenza.turns.waiting import Dropped, IncomingMessage
from cadenza.types import Boundary, Completed, Post, Receipt, Reply, Stopped
from tests.timing import now


def receipts(*ids: str) -> tuple[Receipt, ...]:
    return tuple(Receipt(Post("said", Boundary.FINAL), message_id) for message_id in ids)


@dataclass
class Answer:
    """How one turn is answered: it says something after each of *says* seconds, and ends after *seconds*."""

    seconds: float = 10.0
    says: tuple[float, ...] = ()
    heeds: bool = True
    """Whether it ends when it is told to stop."""
    yields: bool = True
    """Whether it ends when it is cancelled."""
    error: BaseException | None = None
    uses_tools: bool = False
    watched: bool = False
    gets_on: float = 0.0
    """Every so many seconds it says that it gets on."""


@dataclass
class Ran:
    """A turn that ran."""

    number: int
    turn: Turn
    answer: Answer
    begin: float
    beside: list[Answer]
    """What else was still running in the channel when it began."""
    end: float | None = None
    outcome: str = ""
    said: list[str] = field(default_factory=list)
    """The ids of what it said."""


@dataclass
class Desk:
    """The desk, and all that happened at it."""

    turns: Turns
    answers: dict[str, Answer] = field(default_factory=dict)
    """By the text of the last message; all others are answered in ten seconds."""
    ran: list[Ran] = field(default_factory=list)
    under_way: dict[str, list[Ran]] = field(default_factory=dict)
    dropped: list[tuple[str, Dropped]] = field(default_factory=list)
    failed: list[tuple[str, BaseException]] = field(default_factory=list)
    ids: count[int] = field(default_factory=lambda: count(1))

    @property
    def texts(self) -> list[str]:
        """What was answered, turn by turn."""
        return ["+".join(message.text for message in ran.turn.messages) for ran in self.ran]

    @property
    def whys(self) -> list[str]:
        return [ran.turn.why.value for ran in self.ran]

    @property
    def begins(self) -> list[float]:
        return [ran.begin for ran in self.ran]

    @property
    def outcomes(self) -> list[str]:
        return [ran.outcome for ran in self.ran]

    def write(
        self, text: str, author: str = "ann", *, channel: str = "general", command: bool = False, persona: str = ""
    ) -> Verdict:
        """Somebody writes something; its id is its text."""
        return self.turns.heard(IncomingMessage(text, channel, author, text, is_command=command, persona=persona))

    def edit(self, message_id: str, text: str, author: str = "ann", *, channel: str = "general") -> bool:
        return self.turns.edited(IncomingMessage(message_id, channel, author, text))

    async def answer(self, turn: Turn) -> Reply:
        beside = [ran.answer for ran in self.under_way.get(turn.channel, ())]
        answer = self.answers.get(turn.messages[-1].text, Answer())
        ran = Ran(len(self.ran) + 1, turn, answer, now(), beside)
        self.ran.append(ran)
        self.under_way.setdefault(turn.channel, []).append(ran)
        try:
            while True:
                try:
                    return await self._answered(ran, answer)
                except asyncio.CancelledError as error:
                    if error is not answer.error:
                        ran.outcome = "cancelled"
                    if answer.yields:
                        raise
        finally:
            ran.end = now()
            self.under_way[turn.channel].remove(ran)

    async def _answered(self, ran: Ran, answer: Answer) -> Reply:
        stop = ran.turn.stop
        if answer.uses_tools:
            stop.refuse_follow_ups()
        times = sorted({*answer.says, *_ticks(answer), answer.seconds})
        for time in times:
            if await self._is_stopped_before(ran.begin + time, ran, answer):
                reason = stop.reason
                assert reason
                ran.outcome = reason.value
                return Reply(Stopped(reason), receipts(*ran.said))
            if time in answer.says:
                ran.said.append(f"{ran.number}:{len(ran.said)}")
            if answer.gets_on and time in _ticks(answer):
                stop.touch()
        if answer.error:
            ran.outcome = "failed"
            raise answer.error
        ran.outcome = "completed"
        return Reply(Completed(), receipts(*ran.said))

    async def _is_stopped_before(self, time: float, ran: Ran, answer: Answer) -> bool:
        stop = ran.turn.stop
        waiting = stop.wait() if answer.heeds else asyncio.Event().wait()
        try:
            async with asyncio.timeout_at(time):
                if answer.watched:
                    with stop.watched():
                        await waiting
                else:
                    await waiting
        except TimeoutError:
            return False
        return True


def _ticks(answer: Answer) -> list[float]:
    if not answer.gets_on:
        return []
    return [answer.gets_on * number for number in range(1, ceil(answer.seconds / answer.gets_on))]


def desk(
    *,
    stops: StopRegistry | None = None,
    names: Iterable[str] = ("Ren",),
    answers: dict[str, Answer] | None = None,
    **settings: object,
) -> Desk:
    """A desk with these settings."""

    async def answer(turn: Turn) -> Reply:
        return await made.answer(turn)

    turns = Turns(
        answer,
        settings=Settings.of(**{"stop_grace": 5.0, **settings}),
        stops=stops,
        names=lambda _: names,
        on_dropped=lambda message, why: made.dropped.append((message.id, why)),
        on_failed=lambda turn, error: made.failed.append((turn.messages[-1].id, error)),
    )
    made = Desk(turns, answers or {})
    return made


def others() -> set[str]:
    """The names of all tasks but this test's."""
    return {task.get_name() for task in asyncio.all_tasks() if task is not asyncio.current_task()}


async def quiet(made: Desk) -> None:
    """Wait until nothing is kept and nothing runs any more."""
    await asyncio.sleep(0)  # those who are told what was dropped have been told
    async with asyncio.timeout(10_000):
        while made.turns._channels or made.turns._tasks:  # noqa: ASYNC110  # nobody is told of such a thing
            await asyncio.sleep(1.0)
    assert set() == others()
