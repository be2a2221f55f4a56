"""The model's text that is in no segment yet, without white space, and the position of each character."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right, insort
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from ..text.alignment import Aligned, aligned, squeezed
from ..text.intake import ODD
from ..text.overlap import Overlap
from ..text.tags import DETAILS_END, without_summary
from ..text.units import WHITESPACE, units

_WHITE = frozenset(WHITESPACE)
_UNKNOWN = "\ufffd"
_ROOM = 512
_FAR = 200_000
"""How far is looked for a text that does not stand where it should."""
_SAMPLE = 12
_SPENT = 65_536
"""How much that was answered for is kept before it is forgotten, so that forgetting costs little."""
_THINK = r"(?:[a-z][\w.:-]{0,62}:)?(?:think(?:ing)?|thought|reasoning)>"
_TAG = re.compile(rf"<{_THINK}|</{_THINK}|<details[^<>]{{0,200}}>", re.ASCII | re.IGNORECASE)
_CLOSER = re.compile(rf"</{_THINK}", re.ASCII | re.IGNORECASE)
_EMPTY = re.compile(rf"<{_THINK}</{_THINK}|<details[^<>]{{0,200}}></details>", re.ASCII | re.IGNORECASE)


class TakenText(NamedTuple):
    """A text that left the buffer, and what it was made of."""

    text: str
    cuts: Sequence[int]
    owned: Sequence[int]
    passed: Sequence[int] = ()
    """What stood in front of it and is nowhere."""
    hidden: Sequence[int] = ()
    """The tags of a hidden block with nothing in it, which stood in front of it."""


class TextOrigins:
    """The text of one reply. Characters are counted without white space, places in UTF-16 units and with it."""

    def __init__(self) -> None:
        self.repeats = False
        """Whether the model's interface says again what it has said, which the buffer takes off."""
        self._overlap = Overlap()
        self._places = array("Q")
        self._widths = bytearray()
        self._units = 0
        self._half = ""  # the first half of a character in two pieces
        self._ends: list[int] = []  # how many characters there were behind each piece
        self._times: list[float] = []
        self._new: list[str] = []
        self._text = ""  # what has not been answered for
        self._base = 0  # which character its first is
        self._next = 0  # which one is to be answered for
        self._holes: list[tuple[int, int]] = []  # what was answered for out of turn
        self._seen = 0  # up to where hidden blocks have been found

    def add(self, text: str, at: float) -> Sequence[int]:
        """The model said *text*; give back what of it the buffer takes off, because it was said before."""
        new = self._overlap.take(text) if self.repeats else text
        repeated = text[: len(text) - len(new)]
        begin = len(self._places)
        self._note(self._half + repeated if repeated else "")
        end = len(self._places)
        self._note(new if repeated else self._half + new)
        self._ends.append(len(self._places))
        self._times.append(at)
        if end > begin:
            self._holes.append((begin, end))
            self._go_on(self._next)
        return range(begin, end)

    def _note(self, text: str) -> None:
        if not text:
            return
        self._half = ""
        if not ODD.isdisjoint(text):
            if "\ud800" <= text[-1] <= "\udbff":
                text, self._half = text[:-1], text[-1]
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        place = self._units
        flat: list[str] = []
        for character in text:
            if character in _WHITE:
                place += 1
                continue
            width = 2 if character > "\uffff" else 1
            flat.append(_UNKNOWN if character in ODD else character)
            self._places.append(place)
            self._widths.append(width)
            place += width
        self._units = place
        self._new.append("".join(flat))

    # --- what is known of a character --------------------------------------------------------

    def heard_at(self, character: int) -> tuple[float, int]:
        """When *character* had come, and with which piece of the text."""
        piece = min(bisect_right(self._ends, character), len(self._times) - 1)
        return self._times[piece], piece

    def ranges(self, characters: Iterable[int]) -> list[list[int]]:
        """Where *characters*, which are in order, stand: neighbours together, with the white space between them."""
        found: list[list[int]] = []
        before = -2
        for character in characters:
            end = self._places[character] + self._widths[character]
            if character == before + 1:
                found[-1][1] = end
            else:
                found.append([self._places[character], end])
            before = character
        return found

    # --- who answers for what ------------------------------------------------------------------

    def hide(self, kind: str, text: str) -> Sequence[int]:
        """A hidden block of *kind* said *text*; give back which characters it was, with its tags."""
        self._settle()
        words = squeezed(text)
        start = max(self._next, self._seen) - self._base
        for tag in _TAG.finditer(self._text, start):
            begin, end = self._block(kind, words, tag)
            if end > begin:
                self._seen = self._base + end
                return self._cut_out(self._base + begin, self._base + end)
        return ()

    def _block(self, kind: str, words: str, tag: re.Match[str]) -> tuple[int, int]:
        """From where to where the block goes that says *words*, if it begins or ends with *tag*; else nowhere."""
        text, end = self._text, tag.end()
        is_details = tag[0].lower().startswith("<details")
        if kind == "details" and is_details:
            close = text.find(DETAILS_END, end + len(words))  # its words may hold another block
            inner = text[end : close if close >= 0 else len(text)]
            if words in (without_summary(inner), inner):
                return tag.start(), close + len(DETAILS_END) if close >= 0 else len(text)
        elif kind == "thought" and tag[0].startswith("</"):
            before = self._next - self._base  # nothing opened it, so all that waited was a thought
            return (before, end) if words.endswith(text[max(before, tag.start() - _SAMPLE) : tag.start()]) else (0, 0)
        elif kind == "thought" and not is_details and text.startswith(words, end):
            closer = _CLOSER.match(text, end + len(words))
            return tag.start(), closer.end() if closer else end + len(words)
        return 0, 0

    def take(self, text: str) -> TakenText:
        """*text*, without white space, left the buffer: answer for what it is made of."""
        self._settle()
        if not text:
            return TakenText(text, [0], ())
        hidden = self._take_empty_block(text)
        old, characters = self._window(2 * len(text) + _ROOM)
        found = aligned(old, text)
        passed: Sequence[int] = ()
        if not found.is_good and (place := self._elsewhere(text)) > self._next:
            passed = self._cut_out(self._next, place)
            old, characters = self._window(2 * len(text) + _ROOM)
            found = aligned(old, text)
        if not found.matched:
            found = Aligned([0] * (len(text) + 1), 0)  # it was put in
        count = found.cuts[-1]
        if count:
            self._go_on(characters[count - 1] + 1)
        return TakenText(text, found.cuts, characters[:count], passed, hidden)

    def take_rest(self) -> Sequence[int]:
        """Everything that nobody has answered for."""
        if self._half:
            half, self._half = self._half, ""
            self._places.append(self._units)
            self._widths.append(1)
            self._units += units(half)
            self._new.append(_UNKNOWN)
            self._ends[-1:] = [len(self._places)]
        self._settle()
        _, rest = self._window(len(self._text) + 1)
        self._go_on(len(self._places))
        self._overlap = Overlap()  # as the buffer does, which begins anew
        return rest

    def _settle(self) -> None:
        """Join what is new to the rest, and forget what is over."""
        if self._new:
            self._text += "".join(self._new)
            self._new.clear()
        if self._next - self._base > _SPENT:
            self._text = self._text[self._next - self._base :]
            self._base = self._next

    def _window(self, size: int) -> tuple[str, Sequence[int]]:
        """The next *size* characters that nobody has answered for, and which ones these are."""
        begin, most = self._next, self._base + len(self._text)
        if not self._holes or self._holes[0][0] >= begin + size:
            end = min(most, begin + size)
            return self._text[begin - self._base : end - self._base], range(begin, end)
        texts: list[str] = []
        characters: list[int] = []
        for first, last in chain(self._holes, ((most, most),)):
            end = min(first, begin + size - len(characters))
            texts.append(self._text[begin - self._base : end - self._base])
            characters += range(begin, end)
            begin = max(begin, last)
            if len(characters) >= size:
                break
        return "".join(texts), characters

    def _take_empty_block(self, text: str) -> Sequence[int]:
        """The tags of an empty block that stands where *text* should: of such a block nothing else is told."""
        place = self._next - self._base
        empty = _EMPTY.match(self._text, place) if self._text.startswith("<", place) else None
        if empty is None or text.startswith(empty[0]):
            return ()
        return self._cut_out(self._next, self._base + empty.end())

    def _elsewhere(self, text: str) -> int:
        """Where *text* stands if not here; -1 if nowhere."""
        sample = text[:_SAMPLE]
        start = self._next - self._base
        place = self._text.find(sample, start, start + _FAR) if len(sample) == _SAMPLE else -1
        return self._base + place if place >= 0 else -1

    def _cut_out(self, begin: int, end: int) -> Sequence[int]:
        """Answer for what stands from *begin* to *end* and nobody has answered for; give it back."""
        begin = max(begin, self._next)
        inside = [(first, last) for first, last in self._holes if first < end and last > begin]
        taken: Sequence[int] = range(begin, end)
        if inside:
            taken = [number for number in taken if not any(first <= number < last for first, last in inside)]
        if begin == self._next:
            self._go_on(end)
        else:
            insort(self._holes, (begin, end))
        return taken

    def _go_on(self, character: int) -> None:
        """Everything before *character* has been answered for."""
        self._next = max(self._next, character)
        while self._holes and self._holes[0][0] <= self._next:
            self._next = max(self._next, self._holes.pop(0)[1])
