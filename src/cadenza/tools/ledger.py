"""The tool calls of a turn and their results: a fallback model must not repeat their effects."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping

from ..types import ToolResult
from .jsonable import canonical


class Ledger:
    """The calls of one turn. Each has a key, which is the same for the same call by another model.

    Calls of one tool with equal arguments are numbered: two rolls of the same dice are two calls. A retry of a failed
    call keeps its key.
    """

    def __init__(self, turn: str) -> None:
        self._turn = turn
        self._attempt = 0
        self._keys: defaultdict[str, list[str]] = defaultdict(list)  # keys of equal calls, in order
        self._taken: set[str] = set()  # keys used in this attempt
        self._done: dict[str, tuple[int, ToolResult]] = {}

    def begin(self, attempt: int) -> None:
        """Start *attempt*; the numbering of equal calls restarts with each."""
        if attempt != self._attempt:
            self._attempt = attempt
            self._taken.clear()

    def enter(self, tool: str, arguments: Mapping[str, object]) -> str:
        """Register a call and return its key, preferably that of an equal call of an earlier attempt."""
        same = json.dumps([self._turn, tool, canonical(arguments)])
        alike = self._keys[same]
        free = [key for key in alike if key not in self._taken]
        if not free:
            free = [hashlib.sha256(f"{same}#{len(alike)}".encode()).hexdigest()[:32]]
            alike += free
        key = next((key for key in free if key in self._done), free[0])
        self._taken.add(key)
        return key

    def note(self, key: str, result: ToolResult) -> None:
        """Remember the result of a call. After a failure the next equal call has the same key."""
        if result.is_error:
            self._taken.discard(key)
        else:
            self._done[key] = (self._attempt, result)

    def recall(self, key: str) -> ToolResult | None:
        """The result of the same call in an earlier attempt."""
        attempt, result = self._done.get(key, (self._attempt, None))
        return result if attempt < self._attempt else None
