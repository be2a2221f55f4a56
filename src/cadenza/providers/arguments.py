"""The arguments of a tool call: JSON that a model wrote, whole or cut off."""

from __future__ import annotations

import json

from ..types import Opaque, ToolCall


def tool_call(identity: str, name: str, arguments: str, state: Opaque | None = None) -> ToolCall:
    """The call with *arguments* as they came; of what was cut off the whole part is kept, and the call is marked."""
    try:
        whole = isinstance(json.loads(arguments or "{}"), dict)
    except (ValueError, RecursionError):
        whole = False
    return ToolCall(identity, name, (arguments or "{}") if whole else "{}", is_truncated=not whole, state=state)
