"""Insert paragraph breaks that a stream marks by its structure only."""

from __future__ import annotations


class Paragraphs:
    """Joins pieces of text; a blank line is inserted at breaks, unless there is white space already."""

    def __init__(self) -> None:
        self._last = ""
        self._is_new = False

    def begin(self) -> None:
        """Begin a new paragraph with the next text, unless it is the first."""
        self._is_new = True

    def add(self, text: str) -> str:
        """*text*, which is not empty, with a blank line in front where one is due."""
        if self._is_new:
            self._is_new = False
            if self._last and not (self._last[-1].isspace() or text[0].isspace()):
                text = f"\n\n{text}"
        self._last = text
        return text
