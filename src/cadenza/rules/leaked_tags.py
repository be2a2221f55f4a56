"""Take out tags that belong to the talk between programs, ``Hi!<|im_end|>`` → ``Hi!``.

Two kinds: the marks with which a chat template ends a turn, where they stand at the end of a line, and tags of a known
list with all that they enclose. Tags that people write, ``<b>`` or ``<user>``, are not on the list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..text.prose import Edit
from ..types import Boundary, Ending, Halt, Kind, Segment
from .leaked_block import LeakedBlock, Mark

# Names that are neither HTML nor a word that anybody would put into angle brackets. Not "context", "output", "answer"
# or "response": what stands in those may be just what the model has to say.
_NAMES = (
    r"system(?:[_-](?:prompt|message|instructions?|note|reminder))?"
    r"|(?:developer[_-])?instructions"
    r"|tool[_-](?:calls?|code|outputs?|responses?|results?|use)"
    r"|function[_-](?:calls?|outputs?|responses?|results?)"
    r"|scratch_?pad"
    r"|(?:inner|internal)[_-](?:monologue|thoughts?)"
    r"|authors?[_-]note"
)
_NAME = rf"(?:[a-z][\w.-]{{0,30}}:)?(?:{_NAMES})"
_OPENING = rf"<{_NAME}(?:[ \t][^<>\n]{{0,200}})?>"
_CLOSING = rf"</{_NAME}>"
_OF_TAG = re.compile(r"[^\s<>/]+")

_TURN_END = r"(?:<[|｜][a-z][\w▁.-]{0,40}[|｜]>|</?(?:start|end)_of_turn>|<[be]os>|</s>|\[/?INST\])"
_TURN_ENDS = re.compile(rf"{_TURN_END}(?:[ \t]*+{_TURN_END})*+[ \t]*+(?P<last>(?=\n)|\Z)?", re.IGNORECASE)
_BLANK = " \t"


class LeakedTags(LeakedBlock):
    """Removes template marks at line ends, and known tags with their content."""

    glance = re.compile(rf"{_OPENING}|{_CLOSING}", re.IGNORECASE | re.ASCII)
    marks = re.compile(rf"(?P<opens>{_OPENING})|(?P<closes>{_CLOSING})", re.IGNORECASE | re.ASCII)
    longest = 2000

    def feed(self, segment: Segment, /) -> Iterable[Segment | Halt]:
        """Take out what leaks; a segment of which nothing is left is left out."""
        text = segment.text
        if not self._held and "<" not in text and "[" not in text:
            self._line.last = segment
            return (segment,)
        return self._without_turn_ends(super().feed(segment))

    def flush(self, why: Ending, /) -> Iterable[Segment | Halt]:
        """Let go of what waited for a closing tag."""
        return self._without_turn_ends(super().flush(why))

    def name_of(self, mark: str) -> str:
        """The name of the tag, in one case."""
        name = _OF_TAG.search(mark)
        return name.group().lower() if name else ""

    def alone(self, text: str, mark: Mark) -> tuple[int, int] | None:
        """The tag itself if it has its line to itself; in a sentence somebody may be talking about it."""
        left, right = mark.start, mark.end
        while left and text[left - 1] in _BLANK:
            left -= 1
        while right < len(text) and text[right] in _BLANK:
            right += 1
        has_line = (not left or text[left - 1] == "\n") and (right == len(text) or text[right] == "\n")
        return (mark.start, mark.end) if has_line else None

    def _without_turn_ends(self, items: Iterable[Segment | Halt]) -> list[Segment | Halt]:
        return [kept for item in items if (kept := self._stripped(item))]

    def _stripped(self, item: Segment | Halt) -> Segment | Halt | None:
        if not isinstance(item, Segment) or item.kind is not Kind.PROSE or not _TURN_ENDS.search(item.text):
            return item
        kept = self.edited(item, self._turn_ends(item))
        return kept if kept.text else None

    def _turn_ends(self, segment: Segment) -> Iterator[Edit]:
        text = segment.text
        runs_on = segment.boundary in (Boundary.PERIOD, Boundary.OVERFLOW)
        struck_out = text.find("<s>") % (len(text) + 1)
        for match in self.prose(segment).matches(_TURN_ENDS):
            start, end = match.span()
            if match["last"] is None or (runs_on and end == len(text)):
                continue
            if match.group().startswith("</s>") and struck_out < start:
                continue
            while start and text[start - 1] in _BLANK:
                start -= 1
            had_line = start > 0 and text[start - 1] == "\n" and end < len(text)
            yield Edit(start, end + had_line)
