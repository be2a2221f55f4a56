"""The arguments of a tool call: JSON that a model wrote, whole or cut off.

A call whose arguments are not whole is never run: a tool that is given half of what was meant does something else than
was meant. What arrived whole of them is kept all the same, for people to see and for the model to be told.
"""

from __future__ import annotations

import json
import re
from enum import Enum, auto
from typing import NoReturn

from ...types import Opaque, ToolCall

_NONE = "{}"
_DEEPEST = 100
"""How many containers may stand in one another: what nests deeper is no argument but an attempt."""

_STRING = r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+"'
# A number that nothing follows may not be all of it.
_NUMBER = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][-+]?[0-9]++)?+(?![0-9.eE]|\Z)"
_TOKEN = re.compile(
    rf"[ \t\n\r]*+(?:(?P<string>{_STRING})|(?P<plain>{_NUMBER}|true|false|null)|(?P<mark>[{{}}\[\]:,]))"
)


def tool_call(identity: str, name: str, arguments: str, state: Opaque | None = None) -> ToolCall:
    """The call with *arguments* as they came; of what was cut off the whole part is kept, and the call is marked."""
    arguments = _sendable(arguments)
    if not arguments.strip():
        return ToolCall(identity, name, _NONE, state=state)
    if _is_object(arguments) and not _is_too_deep(arguments):
        return ToolCall(identity, name, arguments, state=state)
    kept = _Reader(arguments).recovered()
    return ToolCall(identity, name, kept if _is_object(kept) else _NONE, is_truncated=True, state=state)


def as_json_text(value: object, *, is_compact: bool = False) -> str:
    """*value* as JSON; of what nests too deep to be written only an opening brace, which nobody takes for whole."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":") if is_compact else None, default=str)
    except RecursionError:
        return "{"


def _sendable(text: str) -> str:
    """*text* with halves of characters put together; one whose other half is missing cannot be sent to anybody."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text, parse_constant=_refuse), dict)
    except (ValueError, RecursionError):
        return False


def _is_too_deep(text: str) -> bool:
    """Whether *text*, which is JSON, nests so deep that somebody may fail to read it."""
    if text.count("{") + text.count("[") <= _DEEPEST:
        return False
    reader = _Reader(text)
    reader.recovered()
    return reader.is_too_deep


def _refuse(constant: str) -> NoReturn:
    """Python reads ``NaN``, which is no JSON, and which no provider takes back."""
    raise ValueError(constant)


class _Next(Enum):
    """What must come next."""

    OBJECT = auto()
    FIRST_KEY = auto()
    KEY = auto()
    COLON = auto()
    VALUE = auto()
    FIRST_ELEMENT = auto()
    COMMA = auto()


class _Reader:
    """Reads an object as far as it goes, each character once and without recursion."""

    def __init__(self, text: str) -> None:
        self.is_too_deep = False
        self._text = text
        self._next = _Next.OBJECT
        self._closers: list[str] = []  # of the containers that are open
        self._ends: list[int] = []  # for each of them, where the last thing in it ends that is whole; 0 is none

    def recovered(self) -> str:
        """The object with what of it is whole: every open container is closed behind the last whole thing in it."""
        position = 0
        while (token := _TOKEN.match(self._text, position)) and self._takes(token):
            position = token.end()
        depth = next((depth for depth in range(len(self._ends), 0, -1) if self._ends[depth - 1]), 0)
        if not depth:
            return _NONE
        return self._text[: self._ends[depth - 1]] + "".join(reversed(self._closers[:depth]))

    def _takes(self, token: re.Match[str]) -> bool:
        """Go over *token*; ``False`` if it cannot stand there."""
        if token["mark"]:
            return self._takes_mark(token["mark"], token.end())
        if token["string"] and self._next in (_Next.KEY, _Next.FIRST_KEY):
            self._next = _Next.COLON
            return True
        if self._next in (_Next.VALUE, _Next.FIRST_ELEMENT):
            self._complete(token.end())
            return True
        return False

    def _takes_mark(self, mark: str, end: int) -> bool:
        match mark, self._next:
            case "{", _Next.OBJECT | _Next.VALUE | _Next.FIRST_ELEMENT:
                return self._open("}", _Next.FIRST_KEY)
            case "[", _Next.VALUE | _Next.FIRST_ELEMENT:
                return self._open("]", _Next.FIRST_ELEMENT)
            case ":", _Next.COLON:
                self._next = _Next.VALUE
            case ",", _Next.COMMA:
                self._next = _Next.KEY if self._closers[-1] == "}" else _Next.VALUE
            case ("}", _Next.FIRST_KEY | _Next.COMMA) | ("]", _Next.FIRST_ELEMENT | _Next.COMMA) if (
                self._closers[-1] == mark and len(self._closers) > 1
            ):
                self._closers.pop()
                self._ends.pop()
                self._complete(end)
            case _:
                return False
        return True

    def _open(self, closer: str, following: _Next) -> bool:
        self.is_too_deep = len(self._closers) == _DEEPEST
        if self.is_too_deep:
            return False
        self._closers.append(closer)
        self._ends.append(0)
        self._next = following
        return True

    def _complete(self, end: int) -> None:
        self._ends[-1] = end
        self._next = _Next.COMMA
