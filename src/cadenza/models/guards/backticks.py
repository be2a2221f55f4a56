"""Whether a text that streams past stands in code: a rough answer at the price of a glance.

What code is, stage 5 knows, and nothing here takes its place: a guard only asks in order to leave code alone.
"""

from __future__ import annotations

import re

_TICKS_OR_LINE_END = re.compile("`+|\n")
_FENCE = 3


class Backticks:
    """Follows backticks: three open a block, fewer open code that its line ends."""

    __slots__ = ("_fence", "_inline", "_run")

    def __init__(self) -> None:
        self._fence = 0  # how many backticks opened the block that we are in
        self._inline = 0  # how many opened the code within a line
        self._run = 0  # how many the text ends with

    def note(self, text: str) -> None:
        """Follow *text*."""
        if "`" not in text and not self._run and not self._inline:
            return
        position = 0
        for match in _TICKS_OR_LINE_END.finditer(text):
            if match.start() > position or match.group() == "\n":
                self._settle()
            if match.group() == "\n":
                self._inline = 0
            else:
                self._run += len(match.group())
            position = match.end()
        if position < len(text):
            self._settle()

    @property
    def is_code(self) -> bool:
        """Whether what comes next is code."""
        return any(self._after_run())

    @property
    def has_just_opened(self) -> bool:
        """Whether the text ends with backticks and what comes next is code."""
        return bool(self._run) and self.is_code

    def _settle(self) -> None:
        if self._run:
            self._fence, self._inline = self._after_run()
            self._run = 0

    def _after_run(self) -> tuple[int, int]:
        """The block and the code that we are in if no more backticks follow those at the end."""
        run = self._run
        if self._fence:
            return (0 if run >= self._fence else self._fence), 0
        if run >= _FENCE and not self._inline:
            return run, 0
        if not self._inline:
            return 0, run
        return 0, (0 if run == self._inline else self._inline)
