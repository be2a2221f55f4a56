"""Tool calls that come in pieces, as chat completions send them: put together by their index.

Vendors differ in nearly everything: the index or the id may be missing or come again, the name may come whole, in
pieces or with every piece, several whole calls may all have the index 0, and the arguments may be an object.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from ...stages.s2_generation import JsonArray
from ...types import Opaque, ToolCall
from .call_arguments import as_json_text, tool_call

_LONGEST_NAME = 1024
"""Letters of a name that are put together: no tool has so many."""


class FunctionPiece(msgspec.Struct, gc=False):
    """What is called, or some more of it."""

    name: Any = None
    arguments: Any = None


class CallPiece(msgspec.Struct, gc=False):
    """Some of a call."""

    index: Any = None
    id: Any = None
    function: FunctionPiece | None = None
    thought_signature: Any = None
    extra_content: Any = None


@dataclass(slots=True)
class _Call:
    """What has come of one call."""

    index: int
    id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    objects: JsonArray = field(default_factory=JsonArray)
    """Finds the end of the arguments, each letter looked at once; only asked where it is not known from elsewhere."""
    looked_at: int = 0
    ended: int = 0
    """How many of the pieces it has seen, and how many objects came to an end in them."""
    state: dict[str, object] = field(default_factory=dict)

    def take(self, piece: CallPiece, name: str, arguments: object) -> None:
        self.id = _text(piece.id) or self.id
        if name != self.name and len(self.name) < _LONGEST_NAME:  # some send it with every piece
            self.name += name
        if isinstance(arguments, str):
            self.pieces.append(arguments)
        elif arguments is not None:
            self.pieces, self.objects, self.looked_at, self.ended = [as_json_text(arguments)], JsonArray(), 0, 0
        if piece.thought_signature:
            self.state["thought_signature"] = piece.thought_signature
        if piece.extra_content:
            self.state["extra_content"] = piece.extra_content

    def is_other_than(self, piece: CallPiece, name: str, arguments: object) -> bool:
        """Whether *piece*, which came under this call's index, begins a call of its own."""
        if not name or not self.name:
            return False
        identity = _text(piece.id)
        if identity and identity == self.id:
            return False
        if identity and self.id and name != self.name:
            return True
        return (name != self.name or bool(arguments)) and self._is_whole()

    def _is_whole(self) -> bool:
        """Whether the arguments are one object that has ended."""
        for piece in self.pieces[self.looked_at :]:
            self.ended += len(self.objects.feed(piece.encode("utf-8", "surrogatepass")))
        self.looked_at = len(self.pieces)
        return self.ended == 1


class Calls:
    """The calls of one answer. One without an id gets one of its name and number, counted from *first*."""

    def __init__(self, owner: str, first: int = 0) -> None:
        self._owner = owner
        self._first = first
        self._calls: list[_Call] = []
        self._current: dict[int, _Call] = {}

    def __bool__(self) -> bool:
        return bool(self._calls)

    def clear(self) -> None:
        """Forget what came."""
        self._calls.clear()
        self._current.clear()

    def take(self, pieces: Sequence[CallPiece]) -> None:
        """Take the *pieces* of one event; those without an index are numbered as they stand."""
        for place, piece in enumerate(pieces):
            function = piece.function or FunctionPiece()
            index = _number(piece.index, place)
            name = _text(function.name)
            call = self._current.get(index)
            if call is None or call.is_other_than(piece, name, function.arguments):
                call = self._current[index] = _Call(index)
                self._calls.append(call)
            call.take(piece, name, function.arguments)

    def whole(self, shared: Mapping[str, object], *, is_cut: bool) -> list[ToolCall]:
        """The calls in their order; the first one carries what is *shared*.

        If the answer was cut off (*is_cut*), a call without arguments is not known to have none.
        """
        named = sorted((call for call in self._calls if call.name), key=lambda call: call.index)
        calls = []
        for number, call in enumerate(named, self._first):
            state = {**shared, **call.state} if number == self._first else call.state
            opaque = Opaque(self._owner, as_json_text(state)) if state else None
            arguments = "".join(call.pieces)
            made = tool_call(call.id or f"{call.name}-{number}", call.name, arguments, opaque)
            calls.append(replace(made, is_truncated=True) if is_cut and not arguments.strip() else made)
        return calls


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object, otherwise: int) -> int:
    return value if isinstance(value, int) else otherwise
