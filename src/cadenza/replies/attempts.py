"""Attempts: retry with another key or another model until there is one answer in the chat.

The text of a failed attempt is set aside. Its messages in the chat are deleted once a later attempt has something to
send. If none has, they stay, and the rest of that text is sent after all.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ..concurrency.stops import StopHandle
from ..concurrency.tasks import end_task
from ..explain.recorder import Trace
from ..models.fallback import Attempt, FallbackChain
from ..models.keys import KeyRemedy, cure
from ..settings import Settings
from ..stages.s4_round import Conclusion, Round
from ..stages.stage import Pipe
from ..types import Completed, Failure, Outcome, Post, Receipt, Scene, StopReason
from .conversation import ModelConversation
from .notices import failed, fell_back
from .pipeline import overtaking
from .tool_loop import ToolLoop

if TYPE_CHECKING:  # ``reply`` makes it; its own imports go deep
    from .outbox.outbox import Outbox

T = TypeVar("T")


class NewText(Protocol):
    """Builds the stages from text to posts for one attempt."""

    def __call__(self, scene: Scene, /, *, planned: int, may_retry: bool) -> Pipe:
        """Build the row for an attempt at *scene*, before which *planned* messages stand."""


class _OverError(Exception):
    """A stop or a failed send ended the reply while something else was awaited."""


@dataclass(frozen=True, slots=True)
class _Leftover:
    """The text of a failed attempt."""

    round: Round
    posts: list[Post]
    """The posts that were not sent yet."""
    sent: list[Receipt]
    since: int
    """The number of rounds before it."""
    failure: Failure
    """Why the attempt failed."""


class AttemptLoop:
    """Asks the models that ``FallbackChain`` chooses until one has answered."""

    def __init__(
        self,
        fallback_chain: FallbackChain,
        tool_loop: ToolLoop,
        *,
        conversation: ModelConversation,
        outbox: Outbox,
        settings: Settings,
        stop: StopHandle,
        new_text: NewText,
        trace: Trace | None = None,
    ) -> None:
        self._fallback_chain = fallback_chain
        self._tool_loop = tool_loop
        self._conversation = conversation
        self._outbox = outbox
        self._settings = settings
        self._stop = stop
        self._new_text = new_text
        self._trace = trace
        self._conclusion = Conclusion(on_stop=settings.turn.on_stop)
        self._leftover: _Leftover | None = None

    async def run(self) -> Outcome:
        """Run attempts until there is an answer, send it, and show a notice if one is due."""
        limit = asyncio.get_running_loop().call_later(self._settings.turn.turn_timeout, self._run_out_of_time)
        try:
            await self._answer()
        finally:
            limit.cancel()
        outcome = await self._delivered()
        await self._tell(outcome)
        return outcome

    def _run_out_of_time(self) -> None:
        if self._stop.reason is None:
            self._stop.take(StopReason.TIME_LIMIT)

    async def _answer(self) -> None:
        """Come to an outcome, unless a stop or a failed send ends the reply before."""
        with suppress(_OverError):
            outcome = await self._answered()
            if left := self._restored():
                self._outbox.add(self._after_all(left.posts))
                outcome = self._fallback_chain.back_to(left.failure, outcome)
            self._conclusion.come_to(outcome)

    async def _answered(self) -> Outcome:
        again = await self._unless_over(self._fallback_chain.begin())
        if again is None:
            return self._fallback_chain.no_model()
        while True:
            outcome = await self._try(again)
            again = await self._next(outcome)
            if again is None:
                return outcome

    async def _try(self, again: Attempt) -> Outcome:
        if again.seconds:
            with self._stop.watched():
                await self._unless_over(asyncio.sleep(again.seconds))
        self._conversation.adapt(drop=again.drop, insist=again.insist)
        scene, may_retry = self._conversation.scene, self._fallback_chain.may_ask_again
        text = self._new_text(scene, planned=self._outbox.standing, may_retry=may_retry)
        trace, name = self._trace, self._fallback_chain.name
        if trace:
            about = {"waited": again.seconds, "dropped": again.drop, "reminded": again.insist}
            trace.tries(name, self._fallback_chain.key, again.why.value, about)
        outcome = await self._tool_loop.run(again.model, text, attempt=again.before)
        self._fallback_chain.note(outcome)
        if trace:
            trace.tried(name, outcome, cure(outcome).value)
        return outcome

    # --- after a failed attempt -----------------------------------------------------------

    async def _next(self, outcome: Outcome) -> Attempt | None:
        """Choose the next attempt after *outcome* and set the text of this one aside; ``None`` ends the reply."""
        if cure(outcome) is KeyRemedy.NOTHING:
            return None
        if self._tool_loop.is_told:  # its messages stay: the next model is told of them and continues
            return await self._unless_over(self._fallback_chain.after(outcome))
        part, failure = self._tool_loop.part, Failure(self._fallback_chain.name, outcome)
        posts = self._outbox.remove_queued(part)
        await self._unless_over(self._outbox.rest(), posts)
        sent = self._outbox.sent_of(part)
        is_stuck = bool(sent) and not self._outbox.can_remove  # another answer would follow half of this one
        again = None if is_stuck else await self._unless_over(self._fallback_chain.after(outcome), posts)
        if again is None:
            self._outbox.add(self._after_all(posts))
            return None
        round_ = self._tool_loop.discard_last()
        if sent or posts:
            self._leftover = _Leftover(round_, posts, sent, len(self._tool_loop.kept), failure)
        self._outbox.delete_later(sent)
        return again

    def _restored(self) -> _Leftover | None:
        """Restore what was set aside if no later attempt said anything; it stands after all."""
        left, self._leftover = self._leftover, None
        if left is None or any(round_.has_answered for round_ in self._tool_loop.kept[left.since :]):
            return None
        self._outbox.spare(left.sent)
        self._tool_loop.restore(left.round, left.since)
        return left

    def _after_all(self, posts: list[Post]) -> list[Post]:
        """Return *posts*, which were set aside and are now sent, and trace that; none if the reply was cut before."""
        if self._outbox.is_sealed:
            return []
        if self._trace and posts:
            self._trace.brings_back(posts)
        return posts

    # --- the end ----------------------------------------------------------------------------

    async def _delivered(self) -> Outcome:
        """Wait until everything is sent and return the final outcome, which a stop or a failed send still changes."""
        with suppress(_OverError):
            await self._unless_over(self._outbox.finished())
        await self._outbox.finished()
        return self._conclusion.delivered(is_whole=self._outbox.is_whole)

    async def _tell(self, outcome: Outcome) -> None:
        """Show a notice that a fallback answered, or why no model did."""
        settings, fallback_chain = self._settings, self._fallback_chain
        is_answered, flaw = isinstance(outcome, Completed), self._tool_loop.flaw
        notice = failed(
            flaw if is_answered and flaw else outcome,
            show_errors=settings.turn.show_errors,
            failures=fallback_chain.failures,
            has_fallback=fallback_chain.has_fallback,
            model=fallback_chain.name,
            when_full=settings.delivery.when_full,
            asked=self._stop.reason,
        )
        is_another = any(
            failure.model != fallback_chain.name for failure in fallback_chain.failures
        )  # another key of the same model does not count
        if not notice and is_answered and fallback_chain.is_fallback and is_another and settings.fallback.show_fallback:
            notice = fell_back(fallback_chain.failures, fallback_chain.name, show_errors=settings.turn.show_errors)
        if notice:
            await self._outbox.tell(notice)

    async def _unless_over(self, work: Coroutine[Any, Any, T], held: Sequence[Post] = ()) -> T:
        """Return the result of *work*. If a stop or a failed send comes first, cut the outbox and raise.

        The cut also decides about *held* posts and those of an earlier attempt.
        """
        task = asyncio.create_task(work, name="cadenza wait")
        try:
            event = await overtaking(task, outbox=self._outbox, stop=self._stop, trace=self._trace)
            if event:
                left = self._restored()
                unsent = self._after_all([*(left.posts if left else ()), *held])
                self._conclusion.overtake(event)
                self._outbox.cut(self._conclusion.keep, unsent)
                raise _OverError
        finally:
            await end_task(task)
        return task.result()
