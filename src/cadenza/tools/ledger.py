"""What has been done in a turn already: a model that takes over from another must not do it all again."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping

from ..types import ToolResult
from .jsonable import canonical


class Ledger:
    """The calls of one turn. Each has a key: the same for the same call, whichever model makes it.

    A call is the same if it is of the same tool with the same arguments, and as many like it are done or under way: two
    throws of the same dice are two calls, but to try again what failed is not another one.
    """

    def __init__(self, turn: str) -> None:
        self._turn = turn
        self._attempt = 0
        self._keys: defaultdict[str, list[str]] = defaultdict(list)  # of calls that are alike, in their order
        self._taken: set[str] = set()  # those of this attempt
        self._done: dict[str, tuple[int, ToolResult]] = {}

    def begin(self, attempt: int) -> None:
        """The calls that come now are those of *attempt*; with another one, counting begins anew."""
        if attempt != self._attempt:
            self._attempt = attempt
            self._taken.clear()

    def enter(self, tool: str, arguments: Mapping[str, object]) -> str:
        """Count a call; give back its key: if there is one, that of what was done before and not asked for since."""
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
        """Remember what came of a call. If it failed, the next one like it is the same call."""
        if result.is_error:
            self._taken.discard(key)
        else:
            self._done[key] = (self._attempt, result)

    def recall(self, key: str) -> ToolResult | None:
        """What came of the same call in an earlier attempt."""
        attempt, result = self._done.get(key, (self._attempt, None))
        return result if attempt < self._attempt else None
