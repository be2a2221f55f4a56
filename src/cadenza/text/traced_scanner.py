"""A scanner for traced replies: its text knows where it comes from."""

from __future__ import annotations

from .origins import from_model, join, made_by
from .spans import NEVER, Scanner


class TracedScanner(Scanner):
    """A scanner that also keeps the origin of its text. It reads ``text``, for a traced text is slow to read."""

    __slots__ = ("_pieces", "place")

    def __init__(
        self,
        *,
        sentence_ends: bool = False,
        lone_words: bool = False,
        hold: int = NEVER,
        may_break_off: bool = False,
    ) -> None:
        super().__init__(sentence_ends=sentence_ends, lone_words=lone_words, hold=hold, may_break_off=may_break_off)
        self._pieces: list[str] = []  # what has arrived; joined only where some of it leaves
        self.place = 0
        """Where the unjoined text begins in the model's text."""

    def feed(self, text: str) -> None:
        """Append *text*."""
        self._join()
        self._pieces.append(text)
        super().feed(str(text))

    def part(self, start: int, end: int) -> str:
        """The text from *start* to *end*, with its origin."""
        return self._whole()[start:end]

    def _whole(self) -> str:
        if len(self._pieces) != 1:
            self._pieces = [join(self._pieces)]
        return self._pieces[0]

    def drop(self, count: int) -> None:
        """Forget the first *count* characters, which were sent."""
        super().drop(count)
        if count > 0:
            self._pieces = [self._whole()[count:]]

    def cut_out(self, start: int) -> str:
        """Remove and return the text from *start* on, with its origin; the next ``feed`` continues there."""
        super().cut_out(start)
        whole = self._whole()
        self._pieces = [whole[:start]]
        return whole[start:]

    def replace(self, start: int, end: int, text: str, why: str) -> None:
        """Replace ``text[start:end]``, which is scanned already, because of *why*; the scan goes on after it."""
        super().replace(start, end, text, why)
        whole = self._whole()
        self._pieces = [whole[:start], made_by(text, why), whole[end:]]

    def put_in_front(self, text: str, why: str) -> None:
        """Insert *text*, as scanned, at the beginning because of *why*: it reopens a code block or a table."""
        super().put_in_front(text, why)
        self._pieces = [made_by(text, why), *self._pieces]

    def _join(self) -> None:
        if self.unjoined:
            self._pieces.append(from_model("".join(self.unjoined), self.place))
        super()._join()
