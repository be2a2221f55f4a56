"""Tools: what a model may have run, and how a result goes back to it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from .types import ToolCall, ToolSpec


@dataclass(frozen=True, slots=True)
class Tool:
    """Something a model may have run."""

    spec: ToolSpec
    run: Callable[[Mapping[str, object]], Awaitable[str]]
    """Takes the arguments, gives back what the model is told."""


async def run_call(tools: Mapping[str, Tool], call: ToolCall) -> str:
    """Run *call*. What goes wrong is told to the model, which may do better; it never ends the reply."""
    tool = tools.get(call.name)
    if tool is None:
        return f"There is no tool named {call.name!r}; there are: {', '.join(tools) or 'none'}."
    try:
        arguments = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        return "The arguments were not valid JSON, so the tool was not run. Send the call again, complete."
    if not isinstance(arguments, dict):
        return "The arguments must be a JSON object, so the tool was not run."
    try:
        return await tool.run(arguments)
    except Exception as error:  # noqa: BLE001  # a tool is foreign code, and the model is told what it did
        return f"The tool failed: {type(error).__name__}."
