"""Whether streamed text is inside code: a cheap approximation.

Stage 5 decides what code is. Guards only ask in order to leave code alone.
"""

from __future__ import annotations

import re

_TICKS_OR_LINE_END = re.compile("`+|\n")
_FENCE = 3


class Backticks:
    """Follows backticks: three open a block, fewer open inline code that ends with the line."""

    __slots__ = ("_fence", "_inline", "_run")

    def __init__(self) -> None:
        self._fence = 0  # backticks that opened the block
        self._inline = 0  # backticks that opened the inline code
        self._run = 0  # backticks at the end of the text

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
        """Whether the following text is code."""
        return any(self._after_run())

    @property
    def has_just_opened(self) -> bool:
        """Whether the text ends with backticks and the following text is code."""
        return bool(self._run) and self.is_code

    def _settle(self) -> None:
        if self._run:
            self._fence, self._inline = self._after_run()
            self._run = 0

    def _after_run(self) -> tuple[int, int]:
        """The block and inline code that are open if no more backticks follow."""
        run = self._run
        if self._fence:
            return (0 if run >= self._fence else self._fence), 0
        if run >= _FENCE and not self._inline:
            return run, 0
        if not self._inline:
            return 0, run
        return 0, (0 if run == self._inline else self._inline)
