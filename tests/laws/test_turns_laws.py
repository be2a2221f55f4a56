"""What holds of turns whatever happens, in whatever order: people write, edit, delete and stop; answers fail and hang.

The script is made up and played in virtual time. Nobody is answered twice or forgotten, and nothing is left behind.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

from hypothesis import given, strategies as st
from looptime import new_event_loop

from cadenza.concurrency.stops import Stops
from cadenza.turns import Verdict
from cadenza.turns.waiting import IncomingMessage, TurnReason
from cadenza.types import StopReason
from tests.at_the_desk import Answer, Desk, Ran, desk

HANGS = Answer(1000.0, heeds=False, yields=False)
ANSWERS = [
    Answer(0.0),
    Answer(3.0, says=(0.5, 2.0)),
    Answer(20.0, says=(1.0,), uses_tools=True),
    Answer(20.0, heeds=False, says=(4.0,)),
    Answer(2.0, error=LookupError("broken")),
    Answer(0.0, error=asyncio.CancelledError()),
    Answer(500.0),
    Answer(500.0, watched=True),
    HANGS,
]
WAITING = (Verdict.STARTED, Verdict.GATHERED, Verdict.QUEUED, Verdict.INTERRUPTED)
CHANNELS = st.sampled_from(["general", "random"])
PEOPLE = st.sampled_from(["ann", "bob", "cat"])


@dataclass(frozen=True)
class Write:
    channel: str
    author: str
    answer: Answer
    is_command: bool = False
    persona: str = ""


@dataclass(frozen=True)
class Say:
    channel: str
    author: str
    text: str


@dataclass(frozen=True)
class Command:
    channel: str


@dataclass(frozen=True)
class Change:
    which: int
    is_deleted: bool


@dataclass(frozen=True)
class Elsewhere:
    which: int
    reason: StopReason


@dataclass(frozen=True)
class Pause:
    seconds: float


Step = Write | Say | Command | Change | Elsewhere | Pause

STEPS = st.one_of(
    st.builds(Write, CHANNELS, PEOPLE, st.sampled_from(ANSWERS)),
    st.builds(Write, CHANNELS, PEOPLE, st.sampled_from(ANSWERS), st.booleans(), st.sampled_from(["", "Ren", "Anon"])),
    st.builds(Say, CHANNELS, PEOPLE, st.sampled_from(["stop", "Ren, never mind!"])),
    st.builds(Command, CHANNELS),
    st.builds(Change, st.integers(0, 50), st.booleans()),
    st.builds(Elsewhere, st.integers(0, 50), st.sampled_from(StopReason)),
    st.builds(Pause, st.sampled_from([0.0, 0.0, 0.5, 1.0, 2.0, 4.0, 15.0, 200.0])),
)


@dataclass
class Played:
    """A script at a desk, and what it was told."""

    made: Desk
    stops: Stops
    heard: list[tuple[IncomingMessage, Verdict]] = field(default_factory=list)
    changes: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often somebody made the bot begin anew: by an edit, a deletion, a further message."""
    deleted: set[str] = field(default_factory=set)

    async def play(self, steps: list[Step]) -> None:
        for step in steps:
            match step:
                case Write(channel, author, answer, is_command, persona):
                    message = IncomingMessage(self._new(), channel, author, "", is_command=is_command, persona=persona)
                    self._write(message, answer)
                case Say(channel, author, text):
                    self._write(IncomingMessage(self._new(), channel, author, text), Answer(1.0))
                case Command(channel):
                    self.made.turns.stop(channel, by="mod")
                case Change(which, is_deleted) if self.heard:
                    self._change(self.heard[which % len(self.heard)][0], is_deleted=is_deleted)
                case Elsewhere(which, reason) if self.stops.running():
                    running = self.stops.running()
                    await self.stops.stop(running[which % len(running)], reason, by="elsewhere")
                case Pause(seconds):
                    await asyncio.sleep(seconds)
                case _:
                    pass

    def _new(self) -> str:
        return str(next(self.made.ids))

    def _write(self, message: IncomingMessage, answer: Answer) -> None:
        if not message.text:
            message = IncomingMessage(
                message.id, message.channel, message.author, f"text {message.id}", message.is_command, message.persona
            )
        self.made.answers[message.text] = answer
        verdict = self.made.turns.heard(message)
        self.heard.append((message, verdict))
        self.changes[message.channel, message.author] += verdict is Verdict.INTERRUPTED

    def _change(self, message: IncomingMessage, *, is_deleted: bool) -> None:
        if is_deleted:
            self.changes[message.channel, message.author] += self.made.turns.deleted(message.channel, message.id)
            self.deleted.add(message.id)
            return
        edited = IncomingMessage(message.id, message.channel, message.author, f"edit {self._new()}")
        self.made.answers[edited.text] = Answer(2.0, says=(1.0,))
        self.changes[message.channel, message.author] += self.made.turns.edited(edited)


@given(
    steps=st.lists(STEPS, max_size=30),
    debounce=st.sampled_from([0.0, 2.0]),
    interrupts=st.sampled_from([0, 1, 3]),
    waiting=st.sampled_from([0, 2, 10]),
    is_closed_early=st.booleans(),
)
def test_whatever_happens_everybody_is_answered_in_order_and_nothing_is_kept(
    *, steps: list[Step], is_closed_early: bool, **settings: object
) -> None:
    # A loop of its own for each script: so many hours would pass on one that its clock became too coarse.
    with asyncio.Runner(loop_factory=partial(new_event_loop, noop_cycles=0)) as runner:
        runner.run(_lawful(steps, is_closed_early=is_closed_early, **settings))


async def _lawful(steps: list[Step], *, is_closed_early: bool, **settings: object) -> None:
    stops = Stops()
    played = Played(desk(stops=stops, waiting_age=100.0, **settings), stops)
    await played.play(steps)
    if not is_closed_early:
        await asyncio.sleep(20_000.0)
        assert {} == played.made.turns._channels
        assert () == stops.running()
    async with asyncio.timeout(10.0 + 5.0 + 5.0 + 1.0):
        await played.made.turns.close()

    assert {} == played.made.turns._channels
    assert () == stops.running()
    assert set() == played.made.turns._tasks
    tasks = {task.get_name() for task in asyncio.all_tasks() if task is not asyncio.current_task()}
    assert tasks <= {"cadenza answer"}, "only what could not be ended is left"
    assert len(played.made.turns._attendant._left) <= played.made.turns.left_behind
    _everybody_was_answered_once(played)
    _whoever_was_interrupted_before_a_word_is_answered_then(played)
    for channel in ("general", "random"):
        ran = [ran for ran in played.made.ran if ran.turn.channel == channel]
        _one_ran_at_a_time(ran)
        _in_order(ran)
    await asyncio.sleep(2000.0)  # what was left behind ends some time
    assert {asyncio.current_task()} == asyncio.all_tasks()


def _everybody_was_answered_once(played: Played) -> None:
    answered = Counter(message.id for ran in played.made.ran for message in ran.turn.messages)
    dropped = Counter(message_id for message_id, _ in played.made.dropped)
    for message, verdict in played.heard:
        times = answered[message.id] + dropped[message.id]
        again = played.changes[message.channel, message.author]  # what belongs together is answered anew together
        if verdict in WAITING:
            assert 1 <= times <= 1 + again, (message, verdict, times)
        elif verdict is Verdict.STOPPED:
            assert times <= 1 + again
        else:
            assert verdict is Verdict.FULL
            assert 0 == times
    assert set(answered) | set(dropped) <= {message.id for message, _ in played.heard}
    assert len(played.made.failed) == played.made.outcomes.count("failed")


def _whoever_was_interrupted_before_a_word_is_answered_then(played: Played) -> None:
    """Unless nothing followed: somebody elsewhere said that something would."""
    for ran in played.made.ran:
        if ran.outcome == StopReason.FOLLOW_UP.value and not ran.said and ran.turn.stop.by != "elsewhere":
            later = {message.id for later in played.made.ran[ran.number :] for message in later.turn.messages}
            settled = later | played.deleted | {message_id for message_id, _ in played.made.dropped}
            assert {message.id for message in ran.turn.messages} <= settled


def _one_ran_at_a_time(ran: list[Ran]) -> None:
    """But for those that could not be ended, however hard one tried."""
    assert all(other is HANGS for one in ran for other in one.beside)


def _in_order(ran: list[Ran]) -> None:
    """What waited its turn had it in the order in which it was heard, and belongs together."""
    ordinary = [ran for ran in ran if ran.turn.why in (TurnReason.MESSAGE, TurnReason.QUEUED)]
    numbers = [int(message.id) for ran in ordinary for message in ran.turn.messages]
    assert sorted(numbers) == numbers
    for one in ran:
        assert 1 == len({message.author for message in one.turn.messages})
        assert 1 == len(one.turn.messages) or not any(message.is_command for message in one.turn.messages)
        assert not {message.id for message in one.turn.messages} & set(one.turn.waiting)
    for before, after in pairwise(ran):
        if after.turn.why is TurnReason.FOLLOW_UP:
            assert before.turn.author == after.turn.author
