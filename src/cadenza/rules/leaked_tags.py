"""Remove tags of chat templates and programs, ``Hi!<|im_end|>`` → ``Hi!``.

There are two kinds. Marks that separate the turns of a chat template are removed, with the role they name, where a line
begins or ends. Tags of a known list are removed with their content; tags that people write, ``<b>`` or ``<user>``, are
not on the list. A mark that opens another speaker's turn ends the reply: from there on the model speaks for others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from ..text.units import WHITESPACE
from ..types import Edit, Halt, Kind, Segment, StopReason
from .leaked_block import LeakedBlock, Mark, around
from .rule import RUNS_ON

# Names that are neither HTML nor words that people put into angle brackets. "context", "output", "answer", "response"
# and "instructions" are missing: they may enclose the answer itself.
_NAMES = (
    r"system(?:[_-](?:prompt|message|instructions?|note|reminder))?"
    r"|developer[_-]instructions"
    r"|tool[_-](?:calls?|code|outputs?|responses?|results?|use)"
    r"|function[_-](?:calls?|outputs?|responses?|results?)"
    r"|(?:inner|internal)[_-](?:monologue|thoughts?)"
    r"|authors?[_-]note"
)
_NAME = rf"(?:[a-z][\w.-]{{0,30}}:)?(?:{_NAMES})"
_OPENING = rf"<{_NAME}(?:[ \t][^<>\n]{{0,200}})?>"
_CLOSING = rf"</{_NAME}>"
_OF_TAG = re.compile(r"[^\s<>/]+")

_OTHER = "(?:user|human|system|tool|developer)"
_WORD = rf"[ \t]*+(?:{_OTHER}|assistant|model|final|analysis|commentary)"  # after the mark that opens a turn or part
_TURN = r"(?:<\|(?:im_start|start_header_id|header_start|start)\|>|<start_of_turn>)"
_MARK = (
    rf"(?:(?:{_TURN}|<\|channel\|>){_WORD}(?=<\||[ \t]*+(?:\n|\Z))"
    r"|<[|｜][a-z][\w▁.-]{0,40}[|｜]>|</?(?:start|end)_of_turn>|<[be]os>|</s>|\[/?INST\])"
)
_MARKS = re.compile(rf"{_MARK}(?:[ \t]*+{_MARK})*+[ \t]*+(?P<last>(?=\n)|\Z)?", re.IGNORECASE)
"""Marks in a row, and whether the line ends after them."""
_ENDS_TURN = re.compile(
    r"<[|｜](?:im_end|eot_id|end(?:[_▁]of[_▁]\w{1,20}|oftext)?|return|call)[|｜]>|<end_of_turn>|<eos>|</s>",
    re.IGNORECASE,
)
_OPENS_OWN = re.compile(
    r"(?:<[|｜](?:end_header_id|header_end|message|assistant|begin[_▁]of[_▁]\w{1,20}|startoftext)[|｜]>|<bos>|\[/INST\])[ \t]*+\Z",
    re.IGNORECASE,
)
"""A last mark that the words of a turn follow on the same line."""
_OPENS_OTHERS = re.compile(rf"{_TURN}[ \t]*+{_OTHER}\b|<[|｜]{_OTHER}[|｜]>|</s>[ \t]*+\[INST\]", re.IGNORECASE)


class LeakedTags(LeakedBlock):
    """Removes template marks where lines begin or end, and known tags with their content."""

    signs = ("<", "[")
    quick_check = re.compile(rf"{_OPENING}|{_CLOSING}", re.IGNORECASE | re.ASCII)
    marks = re.compile(rf"(?P<opens>{_OPENING})|(?P<closes>{_CLOSING})", re.IGNORECASE | re.ASCII)
    longest = 2000
    holds_code = True

    def name_of(self, mark: str) -> str:
        """The name of the tag in lower case."""
        name = _OF_TAG.search(mark)
        return name.group().lower() if name else ""

    def alone(self, text: str, mark: Mark) -> tuple[int, int] | None:
        """The tag itself if it is alone on its line; within a sentence it may be the topic."""
        left, right = around(text, mark.start, mark.end)
        has_line = (not left or text[left - 1] == "\n") and (right == len(text) or text[right] == "\n")
        return (mark.start, mark.end) if has_line else None

    def _is_harmless(self, text: str) -> bool:
        return "<" not in text or super()._is_harmless(text)

    def _take(self, segment: Segment) -> Iterable[Segment | Halt]:
        text = segment.text
        if segment.kind is not Kind.PROSE or not ("<" in text or "[" in text) or not _MARKS.search(text):
            return super()._take(segment)
        return self._without_marks(segment)

    # --- template marks ---------------------------------------------------------------

    def _without_marks(self, segment: Segment) -> Iterable[Segment | Halt]:
        """Remove the marks. If one opens another speaker's turn after something was said, the reply ends."""
        text, has_words = segment.text, self._passed.has_words
        edits: list[Edit] = []
        done = 0
        struck_out = text.find("<s>") % (len(text) + 1)
        for match in self.prose(segment).matches(_MARKS):
            marks = match.group()
            if marks.startswith("</s>") and struck_out < match.start():
                continue
            edit = self._removal(segment, match)
            if edit is None:
                continue
            has_words = has_words or bool(text[done : edit.start].strip(WHITESPACE))
            if has_words and _OPENS_OTHERS.search(marks):
                before = self._taken(replace(segment, text=text[: edit.start]), edits)
                return [*before, *self._release(), Halt(StopReason.SPEAKER_GUARD)]
            edits.append(edit)
            done = edit.end
        return self._taken(segment, edits)

    def _taken(self, segment: Segment, edits: Iterable[Edit]) -> Iterable[Segment | Halt]:
        kept = self.edited(segment, edits)
        return super()._take(kept) if kept.text else ()

    def _removal(self, segment: Segment, match: re.Match[str]) -> Edit | None:
        """The edit for the marks, if they are removed; among words they may be the topic."""
        text, marks = segment.text, match.group()
        start, end = match.span()
        left, _ = around(text, start, end)
        opens_line = text[left - 1] == "\n" if left else self._opens_line
        runs_on = end == len(text) and segment.boundary in RUNS_ON
        if match["last"] is not None and not runs_on:
            return Edit(left, self._after_line(text, left, end) if opens_line else end)
        if opens_line:
            return Edit(start, end) if _OPENS_OWN.search(marks) else None
        if _ENDS_TURN.match(marks) and (_OPENS_OWN.search(marks) or _OPENS_OTHERS.search(marks)):
            return Edit(left, end, "\n")
        return None
