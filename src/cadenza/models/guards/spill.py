"""The end of a thought that came as text, glued to the first words of the answer: ``must do.Hello!`` → ``Hello!``.

Only an answer before which there were thoughts can have it, and only its first words. They wait until it is clear what
they are, but not for long; whatever does not look like such an end is the answer from its first letter on.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from enum import Enum, auto

from ...text.units import WHITESPACE
from ...types import Chunk
from .text_guard import TextGuard, said, thought

_WINDOW = 180
"""Characters in which the end of the thought must show, white space in front of them not counted."""
_INDENT = 64
"""White space that may stand in front."""

_MARKS = ".!?。！？"
_RUN = re.compile(f"[{_MARKS}]+")
_DIGIT = re.compile(r"[0-9]")
_LETTER = re.compile(r"(?<![\w'’])[^\W\d_]\Z")  # a letter that stands alone
_LETTERS = re.compile(r"[a-z]*")
_LONGEST_ENDING = 5
_OF_ADDRESSES = """
    ai app au biz br ca cc ch cn com de dev edu es eu fm fr gg gov info io jp ly net nl org pl ru sh shop site store tech
    tv uk wiki xyz
"""
_OF_FILES = """
    bat cfg cpp css csv doc docx exe gif html ini java jpeg jpg js json jsx log lua md mp pdf php png py rb rs sql svg
    toml ts tsx txt webp xml yaml yml zip
"""
_ENDINGS = frozenset((_OF_ADDRESSES + _OF_FILES).split())
"""What stands behind the dot of an address or a file, but for words: ``github.com`` ends no sentence."""

# Letters that no answer in small letters begins with, signs (pictures are among them) and halves of pictures.
_BEGINS = frozenset({"Lu", "Lt", "Lo", "So", "Cs", "Ps", "Pi"})
_ALSO_BEGINS = frozenset("\"'`*_~#>|")


class _State(Enum):
    WAITING = auto()
    """Nothing was heard yet."""
    THOUGHT = auto()
    """There were thoughts, and no words."""
    PAST = auto()
    """The answer has begun."""


class _Verdict(Enum):
    UNKNOWN = auto()
    ANSWER = auto()
    SPILL = auto()


class SpillGuard(TextGuard):
    """Takes the end of a thought off the first words."""

    def __init__(self) -> None:
        self._state = _State.WAITING
        self._held = ""

    def passes(self, text: str) -> bool:
        """Whether the answer has begun, or begins here without a thought before it."""
        if self._state is _State.WAITING and text.strip(WHITESPACE):
            self._state = _State.PAST
        return self._state is not _State.THOUGHT

    def overhear(self, text: str) -> None:
        """Note that there were thoughts."""
        if text and self._state is _State.WAITING:
            self._state = _State.THOUGHT

    def read(self, text: str) -> Sequence[Chunk]:
        """Decide what the first words are, once they are there."""
        text = self._held + text
        verdict, end = _judged(text)
        if verdict is _Verdict.UNKNOWN:
            self._held = text
            return ()
        self._held = ""
        self._state = _State.PAST
        end = end if verdict is _Verdict.SPILL else 0
        return [*thought(text[:end]), *said(text[end:])]

    def rest(self) -> Sequence[Chunk]:
        """What waits is the answer: nothing is glued to it."""
        held, self._held = self._held, ""
        self._state = _State.PAST
        return said(held)


def _judged(text: str) -> tuple[_Verdict, int]:
    """What the first words in *text* are, and where the thought among them ends."""
    core = text.lstrip(WHITESPACE)
    indent = len(text) - len(core)
    if indent > _INDENT:
        return _Verdict.ANSWER, 0
    if not core:
        return _Verdict.UNKNOWN, 0
    if not core[0].islower():
        return _Verdict.ANSWER, 0
    verdict, end = _first_end(core[:_WINDOW])
    if verdict is _Verdict.UNKNOWN and len(core) >= _WINDOW:
        return _Verdict.ANSWER, 0
    return verdict, indent + end


def _first_end(core: str) -> tuple[_Verdict, int]:
    """What the first sentence end in *core* says, and where it is."""
    for run in _RUN.finditer(core):
        start, end = run.span()
        if core.count("`", 0, start) % 2:
            return _Verdict.ANSWER, 0  # in code
        if end == len(core):
            break
        if run.group() == ".":
            is_inside = _is_inside_word(core, start)
            if is_inside is None:
                break
            if is_inside:
                continue
        if core[end] in WHITESPACE:
            return _Verdict.ANSWER, 0  # ordinary prose
        several_words = len(core[:start].split()) > 1
        return (_Verdict.SPILL, end) if several_words or _begins_answer(core[end]) else (_Verdict.ANSWER, 0)
    return _Verdict.UNKNOWN, 0


def _is_inside_word(core: str, dot: int) -> bool | None:
    """Whether the dot belongs to what it stands in: ``3.5``, ``e.g.``, ``github.com``; ``None`` if that is not known yet."""
    after = core[dot + 1]
    if _DIGIT.match(core, dot - 1, dot) and _DIGIT.match(after):
        return True
    if after not in WHITESPACE and _LETTER.search(core, 0, dot):
        return True
    letters = _LETTERS.match(core, dot + 1)
    ending = letters.group() if letters else ""
    if dot + 1 + len(ending) == len(core) and len(ending) <= _LONGEST_ENDING:
        return None
    return ending in _ENDINGS


def _begins_answer(character: str) -> bool:
    """Whether an answer looks as if it began with *character*: a capital, a quote, a picture, a letter without case."""
    return character in _ALSO_BEGINS or unicodedata.category(character) in _BEGINS
