"""One answer, however many tries it takes: another key, another model, and never two answers in the chat.

What a try that failed has said is put aside, not thrown away. What of it people have seen goes once another try has
something better to say; if none has, it stays, and the rest of it is sent after all.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from ..concurrency.stops import StopHandle
from ..concurrency.tasks import end_task
from ..models.fallback import Attempt, FallbackChain
from ..models.keys import KeyRemedy, cure
from ..settings import Settings
from ..stages.s4_round import Round, kept, outcome_of
from ..stages.stage import Pipe
from ..types import Completed, Failure, Outcome, Post, Receipt, Scene, Stopped, StopReason
from .conversation import ModelConversation
from .notices import failed, fell_back
from .outbox.sender import Outbox
from .pipeline import overtaken, overtaking
from .tool_loop import ToolLoop

T = TypeVar("T")


class NewText(Protocol):
    """Makes the stages from text to posts for one try."""

    def __call__(self, scene: Scene, /, *, planned: int, may_retry: bool) -> Pipe:
        """A row for a try at *scene* before which *planned* messages stand."""


class _OverError(Exception):
    """Something overtook whatever was waited for; the reply is over."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__()
        self.outcome = outcome


@dataclass(frozen=True, slots=True)
class _Leftover:
    """What a try that failed has said."""

    round: Round
    posts: list[Post]
    """What was not sent yet."""
    sent: list[Receipt]
    since: int
    """How many rounds stood before it."""
    failure: Failure
    """Why it came to nothing."""


class AttemptLoop:
    """Asks whom ``FallbackChain`` names until somebody has answered."""

    def __init__(
        self,
        casting: FallbackChain,
        rounds: ToolLoop,
        *,
        dialogue: ModelConversation,
        outbox: Outbox,
        settings: Settings,
        stop: StopHandle,
        new_text: NewText,
    ) -> None:
        self._casting = casting
        self._rounds = rounds
        self._dialogue = dialogue
        self._outbox = outbox
        self._settings = settings
        self._stop = stop
        self._new_text = new_text
        self._leftover: _Leftover | None = None

    async def run(self) -> Outcome:
        """Try until there is an answer, send it, and tell people what they should know besides."""
        limit = asyncio.get_running_loop().call_later(self._settings.turn.turn_timeout, self._run_out_of_time)
        try:
            outcome = await self._answered()
        except _OverError as over:
            outcome = over.outcome
        finally:
            limit.cancel()
        if left := self._restored():
            self._outbox.add(self._after_all(left.posts))
            outcome = self._casting.back_to(left.failure, outcome)
        outcome = await self._delivered(outcome)
        await self._tell(outcome)
        return outcome

    def _run_out_of_time(self) -> None:
        if self._stop.reason is None:
            self._stop.take(StopReason.TIME_LIMIT)

    async def _answered(self) -> Outcome:
        again = await self._unless_over(self._casting.begin())
        if again is None:
            return self._casting.nobody()
        while True:
            outcome = await self._try(again)
            again = await self._next(outcome)
            if again is None:
                return outcome

    async def _try(self, again: Attempt) -> Outcome:
        if again.seconds:
            with self._stop.watched():
                await self._unless_over(asyncio.sleep(again.seconds))
        self._dialogue.adapt(drop=again.drop, insist=again.insist)
        scene, may_retry = self._dialogue.scene, self._casting.may_ask_again
        text = self._new_text(scene, planned=self._outbox.standing, may_retry=may_retry)
        trace, name = self._outbox.trace, self._casting.name
        if trace:
            about = {"waited": again.seconds, "dropped": again.drop, "reminded": again.insist}
            trace.tries(name, self._casting.key, again.why.value, about)
        outcome = await self._rounds.run(again.model, text, attempt=again.before)
        self._casting.note(outcome)
        if trace:
            trace.tried(name, outcome, cure(outcome).value)
        return outcome

    # --- what a try that failed leaves behind --------------------------------------------

    async def _next(self, outcome: Outcome) -> Attempt | None:
        """What to try after *outcome*, with what was said so far put aside; ``None`` if that was the last word."""
        if cure(outcome) is KeyRemedy.NOTHING:
            return None
        if self._rounds.is_told:  # nothing of it is taken back: the next one is told of it and goes on
            return await self._unless_over(self._casting.after(outcome))
        part, failure = self._rounds.part, Failure(self._casting.name, outcome)
        posts = self._outbox.withdraw(part)
        await self._unless_over(self._outbox.rest(), posts)
        sent = self._outbox.sent_of(part)
        is_stuck = bool(sent) and not self._outbox.can_remove  # another answer would stand behind half of this one
        again = None if is_stuck else await self._unless_over(self._casting.after(outcome), posts)
        if again is None:
            self._outbox.add(self._after_all(posts))
            return None
        round_ = self._rounds.discard_last()
        if sent or posts:
            self._leftover = _Leftover(round_, posts, sent, len(self._rounds.kept), failure)
        self._outbox.supersede(sent)
        return again

    def _restored(self) -> _Leftover | None:
        """What was put aside, if nobody had anything better to say: then it stands after all."""
        left, self._leftover = self._leftover, None
        if left is None or any(round_.said for round_ in self._rounds.kept[left.since :]):
            return None
        self._outbox.spare(left.sent)
        self._rounds.restore(left.round, left.since)
        return left

    def _after_all(self, posts: list[Post]) -> list[Post]:
        """*posts* were put aside and are to be sent; whoever looks is told."""
        if self._outbox.trace and posts:
            self._outbox.trace.brings_back(posts)
        return posts

    # --- the end ----------------------------------------------------------------------------

    async def _delivered(self, outcome: Outcome) -> Outcome:
        """Wait until everything is sent; a stop or a failed send still counts, and may change the outcome.

        It does not if the reply was stopped before; that a model may not have more tools is no stop for what it said.
        """
        is_final = isinstance(outcome, Stopped) and outcome.reason is not StopReason.ROUND_LIMIT
        try:
            await self._unless_over(self._outbox.finished())
        except _OverError as over:
            await self._outbox.finished()
            return outcome if is_final else overtaken(outcome, over.outcome, self._outbox)
        return outcome

    async def _tell(self, outcome: Outcome) -> None:
        """Tell people that another model answered, or why nobody did."""
        turn, casting = self._settings.turn, self._casting
        is_answered, flaw = isinstance(outcome, Completed), self._rounds.flaw
        about, notice = flaw if is_answered and flaw else outcome, None
        if turn.show_errors:
            notice = failed(
                about,
                failures=casting.failures,
                has_fallback=casting.has_fallback,
                model=casting.name,
                when_full=self._settings.delivery.when_full,
                asked=self._stop.reason,
            )
        is_another = any(failure.model != casting.name for failure in casting.failures)  # not the same with another key
        if not notice and is_answered and casting.is_fallback and is_another and turn.show_fallback:
            notice = fell_back(casting.failures, casting.name)
        if notice:
            await self._outbox.tell(notice)

    async def _unless_over(self, work: Coroutine[Any, Any, T], held: Sequence[Post] = ()) -> T:
        """What *work* comes to; if the reply is over first, what is still to be sent is decided at once.

        That is also what is *held* back, or was put aside, until it is known whether somebody does better.
        """
        task = asyncio.create_task(work, name="cadenza wait")
        try:
            event = await overtaking(task, outbox=self._outbox, stop=self._stop)
            if event:
                outcome = outcome_of(event)
                left = self._restored()
                unsent = self._after_all([*(left.posts if left else ()), *held])
                self._outbox.cut(kept(outcome, on_stop=self._settings.turn.on_stop), unsent)
                raise _OverError(outcome)
        finally:
            await end_task(task)
        return task.result()
