"""A stream that begins inside a thought, because the model's template has opened it already: only its end is seen.

All of it waits until that end comes, for without one it was the answer. Nobody sees thoughts as they come, so this
delays no word of the answer; only if the model did not think at all is everything heard at once. A thought that is so
long that waiting could look like silence goes on as one, and is still the answer if nothing ends it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...text.tags import BLOCK_TAG, BlockTag, block_tag, could_be_block_tag, thought_end
from ...text.units import WHITESPACE
from ...types import AsideKind, Chunk
from .text_guard import TextGuard, said, thought

_PATIENCE = 4096
"""Characters that wait; a thought that is longer goes on as it comes."""

_INDENT = 64
"""White space that may stand before an opening tag."""


class OpenThoughtGuard(TextGuard):
    """Makes thoughts of what stands before the first closing tag."""

    def __init__(self) -> None:
        self._is_over = False  # whether the thought has ended, or there was none
        self._opening = ""  # the first characters, until they can be no opening tag
        self._has_begun = False
        self._parts: list[str] = []  # all there was, in case that it is the answer
        self._length = 0
        self._tail = ""  # what may be the beginning of the closing tag

    def passes(self, text: str) -> bool:  # noqa: ARG002  # what it is, only its end can say
        """Whether the thought has ended."""
        return self._is_over and not self._opening

    def overhear(self, text: str) -> None:
        """An interface that tells thoughts from text has no thought in its text."""
        if text and not self._has_begun:
            self._is_over = True

    def read(self, text: str) -> Sequence[Chunk]:
        """Look for the end of the thought in *text*."""
        text, self._opening = self._opening + text, ""
        if not self._is_over and not self._has_begun:
            if _may_open(text):
                self._opening = text
                return ()
            self._has_begun = True
            self._is_over = _opens(text)  # stage 5 knows what to do with a whole block
        return said(text) if self._is_over else self._read_thought(self._tail + text)

    def rest(self) -> Sequence[Chunk]:
        """Nothing ended it: it was the answer."""
        answer = "".join([*self._parts, self._tail, self._opening])
        self._parts.clear()
        self._tail = self._opening = ""
        self._is_over = True
        return said(answer)

    def _read_thought(self, text: str) -> Sequence[Chunk]:
        found = thought_end(text)
        if found.is_whole:
            before = "".join(self._parts) if self._length <= _PATIENCE else ""
            self._parts.clear()
            self._tail = ""
            self._is_over = True
            return [*thought(before + text[: found.start]), *said(text[found.end :])]
        self._tail = text[found.start :]
        return self._keep(text[: found.start])

    def _keep(self, text: str) -> Sequence[Chunk]:
        """Put *text* to what waits, or past it once that is enough."""
        was_waiting = self._length <= _PATIENCE
        self._parts.append(text)
        self._length += len(text)
        if self._length <= _PATIENCE:
            return ()
        return thought("".join(self._parts) if was_waiting else text)


def _may_open(text: str) -> bool:
    """Whether *text* could yet become an opening tag, or white space before one."""
    bare = text.lstrip(WHITESPACE)
    if len(text) - len(bare) > _INDENT:
        return False
    return not bare or could_be_block_tag(bare, 0)


def _opens(text: str) -> bool:
    """Whether *text* begins with a tag that opens a thought."""
    bare = text.lstrip(WHITESPACE)
    match = BLOCK_TAG.match(bare) if len(text) - len(bare) <= _INDENT else None
    return match is not None and block_tag(match) == BlockTag(AsideKind.THOUGHT, closes=False)
