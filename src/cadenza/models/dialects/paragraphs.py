"""Where a new paragraph begins in what a model says or thinks, though nothing in its words tells."""

from __future__ import annotations


class Paragraphs:
    """Words that come in pieces: where they begin anew, a blank line is put, unless there is white space already."""

    def __init__(self) -> None:
        self._last = ""
        self._is_new = False

    def begin(self) -> None:
        """What comes next stands apart from what came before, if there was anything."""
        self._is_new = True

    def add(self, text: str) -> str:
        """*text*, which is not empty, as it is to be said."""
        if self._is_new:
            self._is_new = False
            if self._last and not (self._last[-1].isspace() or text[0].isspace()):
                text = f"\n\n{text}"
        self._last = text
        return text
