"""What has been done in a turn already: a model that takes over from another must not do it all again."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping

from ..types import ToolResult
from .plain import canonical


class Ledger:
    """The calls of one turn. Each has a key: the same for the same call, whichever model makes it.

    A call is the same if it is of the same tool with the same arguments, and as many like it came before: two throws of
    the same dice are two calls.
    """

    def __init__(self, turn: str) -> None:
        self._turn = turn
        self._attempt = 0
        self._before: Counter[str] = Counter()
        self._done: dict[str, tuple[int, ToolResult]] = {}

    def begin(self, attempt: int) -> None:
        """The calls that come now are those of *attempt*; with another one, counting begins anew."""
        if attempt != self._attempt:
            self._attempt = attempt
            self._before.clear()

    def enter(self, tool: str, arguments: Mapping[str, object]) -> str:
        """Count a call; give back its key."""
        same = json.dumps([self._turn, tool, canonical(arguments)])
        nth, self._before[same] = self._before[same], self._before[same] + 1
        return hashlib.sha256(f"{same}#{nth}".encode()).hexdigest()[:32]

    def note(self, key: str, result: ToolResult) -> None:
        """Remember what came of a call."""
        self._done[key] = (self._attempt, result)

    def recall(self, key: str) -> ToolResult | None:
        """What came of the same call in an earlier attempt."""
        attempt, result = self._done.get(key, (self._attempt, None))
        return result if attempt < self._attempt else None
