"""Run the tool calls of a model. Every failure becomes a result for the model; none ends the reply."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from difflib import get_close_matches
from inspect import isawaitable
from uuid import uuid4

from ..concurrency.stops import is_cancelled
from ..errors import ToolError
from ..explain.tracebacks import get_logger
from ..types import Persona, Scene, ToolCall, ToolResult, ToolSpec, ToolUse
from .arguments import arguments_of
from .consent import NOBODY, Answer, Consent, ConsentPolicy
from .deadline import GRACE, DeadlineExceeded, bounded
from .ledger import Ledger
from .results import RESULT_LIMIT, as_result, failure
from .tool import Tool, ToolContext

__all__ = ["Consent", "ConsentPolicy", "ToolRunner"]

logger = get_logger(__name__)

_AT_ONCE = 8
"""Tools that run at the same time."""
_MOST_NAMES = 30
"""Tools that are listed when the model calls an unknown one."""


@dataclass(frozen=True, slots=True)
class _Job:
    """A call that can be run."""

    tool: Tool
    call: ToolCall
    arguments: Mapping[str, object]
    """The arguments that the model sent."""
    checked: Mapping[str, object]
    """The arguments that the tool gets."""
    key: str


class ToolRunner:
    """Runs the tools of one reply.

    Calls run concurrently, each with the timeout of its tool or *seconds*. *consent* decides about tools that need it;
    without it they are not run. The model gets at most *result_limit* characters of a result. A stopped tool has
    *grace* seconds to clean up and is then abandoned.
    """

    def __init__(
        self,
        tools: Mapping[str, Tool],
        *,
        scene: Scene | None = None,
        turn: str = "",
        seconds: float = 300.0,
        consent: Consent | None = None,
        result_limit: int = RESULT_LIMIT,
        grace: float = GRACE,
    ) -> None:
        self.uses: list[ToolUse] = []
        """The calls so far and their results, without those answered from the ledger."""
        self.fault: BaseException | None = None
        """The exception of the last tool that raised one."""
        self._tools = dict(tools)
        self._scene = scene or Scene("", Persona(""))
        self._seconds = seconds
        self._consent = consent
        self._limit = result_limit
        self._grace = grace
        self._ledger = Ledger(turn or uuid4().hex)  # two turns without a name are different turns
        self._spent: set[str] = set()
        self._turns = {name: asyncio.Lock() for name, tool in tools.items() if tool.once}
        self._room = asyncio.Semaphore(_AT_ONCE)

    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools that may be called now."""
        exposed = self._consent.exposed if isinstance(self._consent, ConsentPolicy) else self._tools
        return tuple(
            tool.spec for name, tool in self._tools.items() if name not in self._spent and tool.spec.name in exposed
        )

    def tool(self, name: str) -> Tool | None:
        """The tool named *name*."""
        return self._tools.get(name)

    async def run(self, calls: Sequence[ToolCall], *, attempt: int = 0) -> tuple[ToolUse, ...]:
        """Run *calls* and return their results in the same order. Cancelling this stops every tool.

        *attempt* grows when another model or key starts the answer again: calls that succeeded in an earlier attempt
        are not repeated. A call whose arguments could not be parsed has none in its use.
        """
        self._ledger.begin(attempt)
        jobs = [self._prepared(call) for call in calls]
        remembered = [self._remembered(job) for job in jobs]
        uses = list(remembered)
        try:
            async with asyncio.TaskGroup() as group:
                for place, job in enumerate(jobs):
                    if uses[place] is None:
                        group.create_task(self._work(job, uses, place), name="cadenza call")
        finally:
            self.uses += [use for use, known in zip(uses, remembered, strict=True) if use and not known]
        return tuple(use for use in uses if use)

    # --- before a tool is run -------------------------------------------------------------

    def _prepared(self, call: ToolCall) -> _Job | ToolUse:
        """A job for *call*, or the failure that the model gets."""
        tool, unread = self._tools.get(call.name), ""
        try:
            arguments = arguments_of(call)
        except ToolError as error:
            arguments, unread = {}, str(error)
            call = replace(call, arguments="{}")  # half an argument must not be replayed
        if tool is None:
            return ToolUse(call, failure(self._unknown(call.name)))
        if unread:
            return ToolUse(call, failure(unread))
        try:
            checked = tool.check(arguments) if tool.check else arguments
        except ToolError as error:
            return ToolUse(call, failure(str(error), limit=self._limit))
        except Exception as error:  # noqa: BLE001  # a check is foreign code
            return ToolUse(call, self._failed(call.name, error))
        return _Job(tool, call, arguments, checked, self._ledger.enter(call.name, checked))

    def _unknown(self, name: str) -> str:
        close = get_close_matches(name[:64], self._tools, n=3)
        there = close or [spec.name for spec in self.specs()][:_MOST_NAMES]
        kind = "the nearest are" if close else "there are"
        return f"There is no tool named {name[:64]!r}, so nothing was run; {kind}: {', '.join(there) or 'none'}."

    def _remembered(self, job: _Job | ToolUse) -> ToolUse | None:
        """The result of the same call by another model."""
        if isinstance(job, ToolUse) or job.tool.repeatable:
            return None
        result = self._ledger.recall(job.key)
        return ToolUse(job.call, result) if result else None

    async def _refusal(self, job: _Job) -> str:
        """Why the tool is not run; empty if it may run."""
        if job.call.name in self._spent:
            return "it runs only once in a reply"
        if not job.tool.needs_consent and not isinstance(self._consent, ConsentPolicy):
            return ""
        if self._consent is None:
            return NOBODY
        asking = _asked(self._consent, job)
        try:
            answer = await bounded(asking, self._seconds, grace=self._grace, name=f"consent to {job.call.name}")
        except DeadlineExceeded:
            return "consent was not given in time"
        if answer is True:
            return ""
        return answer.rstrip(".") if isinstance(answer, str) and answer else "consent was refused"

    # --- running it -----------------------------------------------------------------------

    async def _work(self, job: _Job | ToolUse, uses: list[ToolUse | None], place: int) -> None:
        """Run *job* and store its use at *place*; a cancelled job is stored as a failure."""
        begun = asyncio.get_running_loop().time()
        try:
            uses[place] = use = job if isinstance(job, ToolUse) else await self._use(job)
            if isinstance(job, _Job):
                self._ledger.note(job.key, use.result)
        except asyncio.CancelledError:
            if isinstance(job, _Job):
                seconds = asyncio.get_running_loop().time() - begun
                uses[place] = ToolUse(job.call, failure("The reply ended before the tool did."), seconds)
            raise

    async def _use(self, job: _Job) -> ToolUse:
        async with AsyncExitStack() as stack:
            if job.call.name in self._turns:  # two concurrent calls of a ``once`` tool
                await stack.enter_async_context(self._turns[job.call.name])
            if refusal := await self._refusal(job):
                return ToolUse(job.call, failure(f"The tool was not run: {refusal}.", limit=self._limit))
            await stack.enter_async_context(self._room)
            clock = asyncio.get_running_loop().time
            begun = clock()
            result = await self._result(job)
            if job.tool.once and not result.is_error:
                self._spent.add(job.call.name)
            return ToolUse(job.call, result, clock() - begun)

    async def _result(self, job: _Job) -> ToolResult:
        name, own = job.call.name, job.tool.seconds
        seconds = self._seconds if own is None else own
        try:
            return await bounded(self._tried(job), seconds, grace=self._grace, name=f"tool {name}")
        except DeadlineExceeded as overdue:
            if overdue.is_left_behind:
                return failure(
                    f"The tool took longer than {seconds:g} seconds and could not be stopped, so it may still do what it "
                    "was asked. Do not call it again for this."
                )
            return failure(
                f"The tool took longer than {seconds:g} seconds and was stopped. Ask it for less, or go on without it."
            )

    async def _tried(self, job: _Job) -> ToolResult:
        """The result of the tool, or its failure; foreign code may raise anything."""
        try:
            value: object = job.tool.run(job.arguments, ToolContext(job.call, self._scene, job.key))
            if isawaitable(value):
                value = await value
            return as_result(value, limit=self._limit)
        except ToolError as error:
            return failure(str(error) or "The tool could not do it.", limit=self._limit)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # also SystemExit: a tool does not end the program
            if is_cancelled(error):
                raise
            return self._failed(job.call.name, error)

    def _failed(self, name: str, error: BaseException) -> ToolResult:
        """Tell the model that the tool failed; only the log says more, for the text of *error* may hold secrets."""
        self.fault = error
        logger.warning("the tool %s failed", name, exc_info=error)
        return failure(f"The tool failed: {type(error).__name__}. Try it in another way, or go on without it.")


async def _asked(consent: Consent, job: _Job) -> Answer:
    try:
        answer = consent(job.tool, job.call, job.checked)
        return await answer if isawaitable(answer) else answer
    except (Exception, asyncio.CancelledError) as error:
        if is_cancelled(error):
            raise
        logger.warning("asking for consent to the tool %s failed", job.call.name, exc_info=error)
        return NOBODY
