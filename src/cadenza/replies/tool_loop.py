"""The tool loop: one model is asked, its tools are run, and it is asked again, until there is an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..concurrency.stops import StopHandle
from ..concurrency.tasks import end_task
from ..errors import Sentence, ToolError
from ..explain.recorder import Trace
from ..models.model import Model, stream
from ..settings import Settings
from ..stages.s4_round import Round, answered_before, answered_with_tools, broken_by, out_of_rounds
from ..stages.stage import Pipe
from ..tools.running import ToolRunner
from ..types import Broke, Empty, NeedsTools, Outcome, StopReason, ToolUse, Usage
from .conversation import ModelConversation
from .notices import still_working
from .pipeline import conclude, overtaking, run_round

if TYPE_CHECKING:  # ``reply`` makes it; its own imports go deep
    from .outbox.outbox import Outbox

_VAIN = 3
"""Failed calls in a row after which a model that repeats its text with every call is done."""


class ToolLoop:
    """The rounds of one reply over all its attempts."""

    def __init__(
        self,
        conversation: ModelConversation,
        tool_runner: ToolRunner,
        outbox: Outbox,
        settings: Settings,
        stop: StopHandle,
        *,
        trace: Trace | None = None,
    ) -> None:
        self.kept: list[Round] = []
        """The rounds whose text stands."""
        self._discarded: list[Round] = []  # the others
        self.part = 0
        """The part of the outbox that holds the messages of the last round."""
        self._conversation = conversation
        self._tool_runner = tool_runner
        self._outbox = outbox
        self._settings = settings
        self._stop = stop
        self._trace = trace
        self._before = 0  # rounds that stood before this model was asked
        self._with_tools = 0  # rounds whose tools were run, in the whole reply
        self._uses: Sequence[ToolUse] = ()  # those of the last such round
        self._failed_calls = 0
        self._failed_sayings = 0
        self._repeated: list[str] = []  # text that the model is expected to repeat
        self.flaw: Broke | None = None
        """The failure of tools behind an answer that stands."""

    # --- results -------------------------------------------------------------------------

    @property
    def last(self) -> Round:
        """The last round."""
        return self.kept[-1]

    @property
    def is_told(self) -> bool:
        """Whether the last round stands in any case: its tools ran, and the next model is told of it."""
        return isinstance(self.last.outcome, NeedsTools)

    @property
    def usage(self) -> Usage:
        """The usage of all rounds, discarded ones included."""
        return sum((round_.usage for round_ in (*self.kept, *self._discarded)), Usage())

    @property
    def served_by(self) -> str:
        """The model that a router chose, for the last model asked."""
        own = self.kept[self._before :]
        return next((round_.served_by for round_ in reversed(own) if round_.served_by), "")

    def discard_last(self) -> Round:
        """Discard the last round and return it."""
        round_ = self.kept.pop()
        self._discarded.append(round_)
        return round_

    def restore(self, round_: Round, place: int) -> None:
        """Put *round_*, which was discarded, back at *place*."""
        self._discarded.remove(round_)
        self.kept.insert(place, round_)
        self._before += 1

    # --- asking ----------------------------------------------------------------------------

    async def run(self, model: Model, text: Pipe, *, attempt: int) -> Outcome:
        """Ask *model* and run its tools until it calls no more.

        *attempt* is the number of models asked before: their calls are not run again. The same model, retried, continues
        where it was and may run the same call again.
        """
        self._before = len(self.kept)
        self._failed_calls = self._failed_sayings = 0
        self._repeated.clear()
        while True:
            outcome = await self._ask(model, text)
            if not isinstance(outcome, NeedsTools):
                return self._settled(outcome)
            ended = await self._use_tools(outcome, model, attempt)
            if ended is not None:
                return ended

    async def _ask(self, model: Model, text: Pipe) -> Outcome:
        self.part = self._outbox.begin_part(repeated=self._repeated)
        self.kept.append(Round(text, on_stop=self._settings.turn.on_stop))
        prompt = self._conversation.prompt(self._tool_runner.specs())
        trace, settings = self._trace, self._settings
        chunks = stream(model, prompt, trace=trace)
        with self._stop.watched():
            outcome = await run_round(self.last, chunks, self._outbox, settings=settings, stop=self._stop, trace=trace)
        if trace:
            trace.round_over(outcome, len(self.last.said), self.last.usage)
        return outcome

    def _settled(self, outcome: Outcome) -> Outcome:
        """Complete an empty round if the text before its tools is an answer."""
        if not isinstance(outcome, Empty) or outcome.reason in ("length", StopReason.SPEAKER_GUARD.value):
            return outcome
        has_said = any(round_.has_answered for round_ in self.kept)
        if not has_said or not self._uses or self._needs_answer(self._uses):
            return outcome
        return answered_before(outcome)

    def _needs_answer(self, uses: Sequence[ToolUse]) -> bool:
        """Return whether the model must still answer *uses*, or learnt something from them."""
        tools = [self._tool_runner.tool(use.call.name) for use in uses]
        return any(tool is not None and tool.needs_answer for tool in tools) or any(use.result.context for use in uses)

    # --- tools -------------------------------------------------------------------------

    async def _use_tools(self, wanted: NeedsTools, model: Model, attempt: int) -> Outcome | None:
        """Run the calls and add their results to the dialogue; return an outcome if the reply is over."""
        self._stop.refuse_follow_ups()
        known = len(self._tool_runner.uses)
        running = asyncio.create_task(self._tool_runner.run(wanted.calls, attempt=attempt), name="cadenza tools")
        with self._stop.watched():
            try:
                event = await overtaking(running, outbox=self._outbox, stop=self._stop, trace=self._trace)
                if event:  # decided now, however long a tool takes to clean up
                    return conclude(event, self.last, self._outbox)
            finally:
                await end_task(running)
                ran = self._tool_runner.uses[known:]
                self._tell(ran)
        self._uses = uses = running.result()
        self._outbox.add([post for use in uses for file in use.result.files for post in self.last.shown(file)])
        self._tell([use for use in uses if not any(use is one for one in ran)], remembered=True)
        self._with_tools += 1
        self._conversation.add(self.last, uses)
        return self._verdict(uses, model)

    def _tell(self, uses: Sequence[ToolUse], *, remembered: bool = False) -> None:
        if self._trace:
            for use in uses:
                self._trace.used(use, remembered=remembered)

    def _verdict(self, uses: Sequence[ToolUse], model: Model) -> Outcome | None:
        """Return the outcome if the reply is over after these tools."""
        turn = self._settings.turn
        for use in uses:
            self._failed_calls = self._failed_calls + 1 if use.result.is_error else 0
        error = ToolError(
            Sentence(
                "tools failed {count} times in a row, the last was {name}",
                count=self._failed_calls,
                name=uses[-1].call.name,
            )
        )
        error.__cause__ = self._tool_runner.fault
        failure = broken_by(error)
        if any(use.result.ends_turn for use in uses) or self._says_enough(uses, model):
            return answered_with_tools()
        if not _goes_on(model) and self._says_it_in_vain(uses):
            self.flaw = failure  # its text is an answer, but the tools failed
            return answered_with_tools()
        if self._failed_calls >= turn.tool_failures:
            return failure
        if self._with_tools >= turn.tool_rounds:
            return out_of_rounds()
        if self._with_tools == turn.tool_notice:
            self._tell_of_work()
        return None

    def _says_enough(self, uses: Sequence[ToolUse], model: Model) -> bool:
        """Return whether the text before these calls, which succeeded, is the whole answer."""
        if not self.last.said or any(use.result.is_error for use in uses) or self._needs_answer(uses):
            return False
        tools = [self._tool_runner.tool(use.call.name) for use in uses]
        return not _goes_on(model) or all(tool is not None and tool.settles for tool in tools)

    def _says_it_in_vain(self, uses: Sequence[ToolUse]) -> bool:
        """Return whether a model that repeats its text with every call has failed often enough."""
        self._repeated = list(self.last.said) or self._repeated
        has_failed = any(use.result.is_error for use in uses)
        self._failed_sayings = self._failed_sayings + bool(self.last.said) if has_failed else 0
        return self._failed_sayings >= _VAIN

    def _tell_of_work(self) -> None:
        if self._settings.turn.show_errors != "off":
            self._outbox.notify(still_working(self._with_tools))


def _goes_on(model: Model) -> bool:
    """Return whether *model* continues its text after tools, instead of repeating it."""
    endpoint = getattr(model.codec, "endpoint", None)
    return endpoint is None or endpoint.abilities.goes_on
