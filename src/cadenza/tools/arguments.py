"""The arguments of a call, read from the JSON that a model wrote. Whatever it wrote, reading it is quick and harmless."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NoReturn

from ..errors import ToolError
from ..types import ToolCall
from .jsonable import sendable

_LONGEST = 1_000_000
"""Characters of the longest arguments: what is longer is no argument but an attempt."""
_DEEPEST = 100
"""How many containers may stand in one another."""
_AGAIN = "so the tool was not run; send the call again with"


def arguments_of(call: ToolCall) -> dict[str, object]:
    """What *call* hands to its tool. Raises a ``ToolError`` that tells the model what to do better."""
    if call.is_truncated:
        msg = (
            "The call was cut off before its arguments were whole, so the tool was not run and nothing happened. "
            "Send the call again, complete."
        )
        raise ToolError(msg)
    try:
        arguments = read_json(call.arguments or "{}")
    except ValueError as error:
        msg = f"The arguments were {error}, {_AGAIN} one JSON object."
        raise ToolError(msg) from error
    if not isinstance(arguments, dict):
        msg = f"The arguments must be a JSON object, {_AGAIN} one."
        raise ToolError(msg)
    return arguments


def read_json(text: str) -> object:
    """What *text* holds. A ``ValueError`` says what is wrong with it, behind "was"."""
    if len(text) > _LONGEST:
        msg = f"longer than {_LONGEST} characters"
        raise ValueError(msg)
    try:
        value = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        msg = "not valid JSON"
        raise ValueError(msg) from None
    if _is_deeper(value, _DEEPEST):
        msg = "nested too deep"
        raise ValueError(msg)
    if "\\u" in text:
        value = json.loads(sendable(json.dumps(value, ensure_ascii=False)))
    return value


def _refuse(constant: str) -> NoReturn:
    """Python reads ``NaN``, which is no JSON."""
    raise ValueError(constant)


def _is_deeper(value: object, most: int) -> bool:
    """Whether more than *most* containers of *value* stand in one another; found without recursion."""
    level = [value]
    for _ in range(most + 1):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return False
    return True


def _inside(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list):
        yield from value
