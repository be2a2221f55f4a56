"""Running what a model calls, and how a result goes back to it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping

from ..types import ToolCall
from .tool import Tool, ToolContext


async def run_call(tools: Mapping[str, Tool], call: ToolCall, *, seconds: float | None = None) -> str:
    """Run *call*, for *seconds* at most. What goes wrong is told to the model, which may do better; it never ends the reply."""
    tool = tools.get(call.name)
    if tool is None:
        return f"There is no tool named {call.name!r}; there are: {', '.join(tools) or 'none'}."
    if call.is_truncated:
        return (
            "The call was cut off before its arguments were whole, so the tool was not run. "
            f"What arrived whole of them is {call.arguments}. Send the call again, complete."
        )
    try:
        arguments = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        return "The arguments were not valid JSON, so the tool was not run. Send the call again, complete."
    if not isinstance(arguments, dict):
        return "The arguments must be a JSON object, so the tool was not run."
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            result = await tool.run(arguments, ToolContext(call))
        return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, default=str)
    except (Exception, asyncio.CancelledError) as error:
        task = asyncio.current_task()
        if isinstance(error, asyncio.CancelledError) and task and task.cancelling():
            raise  # it is the reply that is over, not the tool that gave up
        if limit.expired():
            return f"The tool took longer than {seconds:g} seconds and was stopped."
        return f"The tool failed: {type(error).__name__}."
