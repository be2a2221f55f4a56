"""Running what a model calls. Whatever goes wrong is told to the model, which may do better; it never ends the reply."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from difflib import get_close_matches
from inspect import isawaitable
from uuid import uuid4

from ..concurrency.stops import is_cancelled
from ..errors import ToolError
from ..types import Persona, Scene, ToolCall, ToolResult, ToolSpec, ToolUse
from .arguments import arguments_of
from .consent import NOBODY, Answer, Consent, ConsentPolicy
from .deadline import GRACE, DeadlineExceeded, bounded
from .ledger import Ledger
from .results import RESULT_LIMIT, as_result, failure
from .tool import Tool, ToolContext

__all__ = ["Consent", "ConsentPolicy", "ToolRunner"]

logger = logging.getLogger(__name__)

_AT_ONCE = 8
"""Tools that run at the same time; the others wait for their turn."""
_MOST_NAMES = 30
"""Tools that a model is told of when it calls one that there is not."""


@dataclass(frozen=True, slots=True)
class _Job:
    """A call that can be run."""

    tool: Tool
    call: ToolCall
    arguments: Mapping[str, object]
    """As the model sent them."""
    checked: Mapping[str, object]
    """As the tool will see them."""
    key: str


class ToolRunner:
    """What one reply runs its tools in.

    Several calls are run at once; each for as long as its tool may take, or *seconds*. *consent* is asked before a tool
    is run that needs it; without anybody to ask, such a tool is not run. Of a result the model is told *result_limit*
    characters at most. One that is stopped has *grace* seconds to clean up, and is then left behind.
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
        """What was called so far and what came of it; without calls that were answered from memory."""
        self._tools = dict(tools)
        self._scene = scene or Scene("", Persona(""))
        self._seconds = seconds
        self._consent = consent
        self._limit = result_limit
        self._grace = grace
        self._ledger = Ledger(turn or uuid4().hex)  # a turn without a name is not the same as another without one
        self._spent: set[str] = set()
        self._turns = {name: asyncio.Lock() for name, tool in tools.items() if tool.once}
        self._room = asyncio.Semaphore(_AT_ONCE)

    def specs(self) -> tuple[ToolSpec, ...]:
        """What may be called now."""
        exposed = self._consent.exposed if isinstance(self._consent, ConsentPolicy) else self._tools
        return tuple(
            tool.spec for name, tool in self._tools.items() if name not in self._spent and tool.spec.name in exposed
        )

    def tool(self, name: str) -> Tool | None:
        """The tool of that name, if there is one."""
        return self._tools.get(name)

    async def run(self, calls: Sequence[ToolCall], *, attempt: int = 0) -> tuple[ToolUse, ...]:
        """Run *calls*; say in the same order what came of each. To cancel it is to end every tool.

        *attempt* grows when another model or key begins the answer anew: what was done for an earlier one is then not
        done again. The call in a use is what is to be replayed: one that could not be read has no arguments there.
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
        """What there is to do for *call*; if it cannot be done, what the model is told."""
        tool, unread = self._tools.get(call.name), ""
        try:
            arguments = arguments_of(call)
        except ToolError as error:
            arguments, unread = {}, str(error)
            call = replace(call, arguments="{}")  # half of what was meant must not look as if it had been said
        if tool is None:
            return ToolUse(call, failure(self._unknown(call.name)))
        if unread:
            return ToolUse(call, failure(unread))
        try:
            checked = tool.check(arguments) if tool.check else arguments
        except ToolError as error:
            return ToolUse(call, failure(str(error), limit=self._limit))
        except Exception as error:  # noqa: BLE001  # a check is foreign code, as its tool is
            return ToolUse(call, _failed(call.name, error))
        return _Job(tool, call, arguments, checked, self._ledger.enter(call.name, checked))

    def _unknown(self, name: str) -> str:
        close = get_close_matches(name[:64], self._tools, n=3)
        there = close or [spec.name for spec in self.specs()][:_MOST_NAMES]
        kind = "the nearest are" if close else "there are"
        return f"There is no tool named {name[:64]!r}, so nothing was run; {kind}: {', '.join(there) or 'none'}."

    def _remembered(self, job: _Job | ToolUse) -> ToolUse | None:
        """What came of the same call when another model made it."""
        if isinstance(job, ToolUse) or job.tool.repeatable:
            return None
        result = self._ledger.recall(job.key)
        return ToolUse(job.call, result) if result else None

    async def _refusal(self, job: _Job) -> str:
        """Why the tool is not run; empty if it may be."""
        if job.call.name in self._spent:
            return "it has been run in this reply already, and once is enough"
        if not job.tool.needs_consent and not isinstance(self._consent, ConsentPolicy):
            return ""
        if self._consent is None:
            return NOBODY
        asking = _asked(self._consent, job)
        try:
            answer = await bounded(asking, self._seconds, grace=self._grace, name=f"consent to {job.call.name}")
        except DeadlineExceeded:
            return "nobody answered in time whether it may be run"
        if answer is True:
            return ""
        return answer.rstrip(".") if isinstance(answer, str) and answer else "whoever was asked did not allow it"

    # --- running it -----------------------------------------------------------------------

    async def _work(self, job: _Job | ToolUse, uses: list[ToolUse | None], place: int) -> None:
        """Have *job* done and put what came of it in its *place*; that it was begun is known even if we are stopped."""
        try:
            uses[place] = use = job if isinstance(job, ToolUse) else await self._use(job)
            if isinstance(job, _Job):
                self._ledger.note(job.key, use.result)
        except asyncio.CancelledError:
            if isinstance(job, _Job):
                uses[place] = ToolUse(job.call, failure("The reply was over before the tool had ended."))
            raise

    async def _use(self, job: _Job) -> ToolUse:
        async with AsyncExitStack() as stack:
            if job.call.name in self._turns:  # what is done once is not done twice at the same time either
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
                    "was asked. Do not call it again for the same."
                )
            return failure(
                f"The tool took longer than {seconds:g} seconds and was stopped. Ask it for less, or go on without it."
            )

    async def _tried(self, job: _Job) -> ToolResult:
        """What the tool gives back or why it does not; foreign code may raise anything."""
        try:
            value: object = job.tool.run(job.arguments, ToolContext(job.call, self._scene, job.key))
            if isawaitable(value):
                value = await value
            return as_result(value, limit=self._limit)
        except ToolError as error:
            return failure(str(error) or "The tool could not do it.", limit=self._limit)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # also one that wants to end the program: a tool is not asked whether it may
            if is_cancelled(error):
                raise
            return _failed(job.call.name, error)


async def _asked(consent: Consent, job: _Job) -> Answer:
    try:
        answer = consent(job.tool, job.call, job.checked)
        return await answer if isawaitable(answer) else answer
    except (Exception, asyncio.CancelledError) as error:
        if is_cancelled(error):
            raise
        logger.warning("asking for consent to the tool %s failed (%s)", job.call.name, type(error).__name__)
        return NOBODY


def _failed(name: str, error: BaseException) -> ToolResult:
    """That the tool failed; what its error says may hold what nobody should see."""
    logger.warning("the tool %s failed (%s)", name, type(error).__name__)
    return failure(f"The tool failed: {type(error).__name__}. Try it in another way, or go on without it.")
