"""Calls that a model writes as plain text, ``read_file("a.txt")`` or ``web_search({"query": "tea"})``.

Some models are told of their tools in words only, and call them so. It is a call if a tool has that name, no part of a
word stands before it, and what its brackets hold is what the tool can take; anything else stays text, byte for byte.
A call may stand in code marks, which go with it. Code that holds more than calls holds none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from enum import Enum, auto
from typing import assert_never

from ...types import Chunk, ToolCall
from .backticks import Backticks
from .text_calls import TextCalls
from .text_guard import TextGuard, said

_LONGEST = 8192
"""What is longer than this is no call."""
_MOUTHFUL = 2048

_LETTER = "[A-Za-z0-9_.-]"
_NAME = re.compile(_LETTER + "{1,64}")
_BLANKS = r"[ \t]{0,8}"
_BLANK = " \t\r\n"
_GAP = re.compile(rf"[{_BLANK}]{{0,16}}")

# Three backticks may have a language behind them. The part is what every beginning of an opener matches.
_OPENER = rf"(?<!`)(?P<ticks>`{{1,3}})(?!`)(?:(?<=```)[\w+-]{{0,20}}{_BLANKS}\n{_BLANKS})?"
_OPENER_PART = rf"(?<!`)`{{1,3}}(?:(?<=```)[\w+-]{{0,20}}{_BLANKS}(?:\n{_BLANKS})?)?"
_LAST_WORD = re.compile(rf"(?:{_OPENER_PART})?(?<!{_LETTER})(?P<word>{_LETTER}{{1,64}})(?P<blanks>{_BLANKS})\Z")
_LAST_OPENER = re.compile(rf"{_OPENER_PART}\Z")
_LONGEST_BEGINNING = 128
"""More than an opener, a name and the blanks behind it take."""
_WORD = re.compile(rf"(?P<word>{_LETTER}{{1,64}})(?P<blanks>{_BLANKS})")

_OUTSIDE_STRING = re.compile(r'[()"]')
_INSIDE_STRING = re.compile(r'"|\\')


class _Where(Enum):
    PROSE = auto()
    OPENED = auto()
    """Behind a name and its bracket: the next character says whether this can be a call."""
    ARGUMENTS = auto()
    BEHIND = auto()
    """Behind a call in code: another one must follow, or the code must end."""


class VerbatimGuard(TextGuard):
    """Finds calls among prose."""

    def __init__(self, calls: TextCalls) -> None:
        self._calls = calls
        self._names = frozenset(filter(_NAME.fullmatch, calls.names))
        name = "|".join(map(re.escape, sorted(self._names, key=len, reverse=True))) or "(?!)"
        self._search = re.compile(rf"(?:{_OPENER})?(?<!{_LETTER})(?P<name>{name}){_BLANKS}\(").search
        self._match_next = re.compile(rf"{_GAP.pattern}(?P<name>{name}){_BLANKS}\(").match
        self._starts = frozenset("`").union(name[0] for name in self._names)
        self._backticks = Backticks()
        self._where = _Where.PROSE
        self._before = ""  # the last character that was passed on
        self._held = ""  # in prose what may begin a call, behind one in code what may end the code
        self._out: list[Chunk] = []
        self._forget()

    def _forget(self) -> None:
        """Be in prose again."""
        self._where = _Where.PROSE
        self._raw: list[str] = []  # all of what may be a call, as it was written
        self._length = 0
        self._name = self._ticks = ""
        self._found: list[tuple[str, str]] = []  # calls in code that has not ended, and their arguments
        self._arguments: list[str] = []
        self._depth = 0
        self._is_string = self._is_escaped = False

    def passes(self, text: str) -> bool:
        """Whether *text* is prose in which no call begins."""
        if self._held or self._where is not _Where.PROSE or not self._starts.isdisjoint(text):
            return False
        self._note(text)
        return True

    def read(self, text: str) -> Sequence[Chunk]:
        """Part *text* into prose and calls."""
        # How the text is sliced changes nothing, and every step copies what is left: keep that short.
        for start in range(0, len(text), _MOUTHFUL):
            self._read(text[start : start + _MOUTHFUL])
        return self._taken()

    def _read(self, text: str) -> None:
        while text:
            match self._where:
                case _Where.PROSE:
                    text = self._read_prose(text)
                case _Where.OPENED:
                    text = self._read_opened(text)
                case _Where.ARGUMENTS:
                    text = self._read_arguments(text)
                case _Where.BEHIND:
                    text = self._read_behind(text)
                case _:
                    assert_never(self._where)

    def rest(self) -> Sequence[Chunk]:
        """What has not become a call was none; code that has not ended may have been cut off."""
        held, self._held = self._held, ""
        if self._where is _Where.BEHIND:
            held = "" if self._ticks.startswith(held.strip(_BLANK)) else held
            self._call()
        else:
            self._release()
        self._say(held)
        return self._taken()

    # --- each reads what it can and gives back the rest -----------------------------------

    def _read_prose(self, text: str) -> str:
        text, self._held = self._before + self._held + text, ""
        start = len(self._before)
        match = self._search(text, start)
        if match is None:
            end = self._call_begins(text, start)
            self._say(text[start:end])
            self._held = text[end:]
            return ""
        self._say(text[start : match.start()])
        if self._backticks.is_code:  # then the backticks end it; without any, what is found is inside
            end = match.start("name") if match["ticks"] else match.end()
            self._say(text[match.start() : end])
            return text[end:]
        self._ticks = match["ticks"] or ""
        self._open(match)
        return text[match.end() :]

    def _read_opened(self, text: str) -> str:
        rest = text.lstrip(_BLANK)
        self._keep(text[: len(text) - len(rest)])
        if rest and self._may_begin(rest[0]) and self._length < _LONGEST:
            self._where = _Where.ARGUMENTS
            self._depth = 1
        elif rest or self._length >= _LONGEST:
            self._release()
        return rest

    def _read_arguments(self, text: str) -> str:
        room = _LONGEST - self._length
        end = self._closing(text[:room])
        if end < 0:
            self._keep(text[:room])
            self._arguments.append(text[:room])
            if self._length >= _LONGEST:
                self._release()
            return text[room:]
        self._keep(text[:end])
        self._arguments.append(text[: end - 1])
        arguments = self._accepted("".join(self._arguments).strip(_BLANK))
        if arguments is None:
            self._release()
        else:
            self._found.append((self._name, arguments))
            self._where = _Where.BEHIND
            if not self._ticks:
                self._call()
        return text[end:]

    def _read_behind(self, text: str) -> str:
        text, self._held = self._held + text, ""
        gap = _GAP.match(text)
        rest = text[gap.end() :] if gap else text
        if rest.startswith(self._ticks):
            behind = rest[len(self._ticks) :]
            self._call()
            return behind
        if match := self._match_next(text):
            self._open(match)
            return text[match.end() :]
        if self._ticks.startswith(rest) or self._begins_name(_WORD.fullmatch(rest)):
            self._held = text
            return ""
        self._release()
        return text

    # --- what may be a call -----------------------------------------------------------------

    def _call_begins(self, text: str, start: int) -> int:
        """Where a call may begin in *text* whose rest is still to come; the end of it if there is none."""
        start = max(start, len(text) - _LONGEST_BEGINNING)
        word = _LAST_WORD.search(text, start)
        if word is not None and self._begins_name(word):
            return word.start()
        opener = _LAST_OPENER.search(text, start)
        return opener.start() if opener else len(text)

    def _begins_name(self, word: re.Match[str] | None) -> bool:
        """Whether *word* is the beginning of a tool's name, or all of it with blanks behind."""
        if word is None:
            return False
        if word["blanks"]:
            return word["word"] in self._names
        return any(name.startswith(word["word"]) for name in self._names)

    def _may_begin(self, character: str) -> bool:
        """Whether the arguments of the tool may begin with *character*."""
        if character == ")":
            return not self._calls.required(self._name)
        return character == "{" or (character == '"' and self._calls.only_text(self._name) is not None)

    def _closing(self, text: str) -> int:
        """Where the bracket that opened is closed; -1 if it is not."""
        position = 0
        if self._is_escaped and text:
            position, self._is_escaped = 1, False
        while match := (_INSIDE_STRING if self._is_string else _OUTSIDE_STRING).search(text, position):
            position = match.end()
            mark = match.group()
            if mark == "\\":
                self._is_escaped = position == len(text)
                position += 1
            elif mark == '"':
                self._is_string = not self._is_string
            else:
                self._depth += 1 if mark == "(" else -1
                if not self._depth:
                    return position
        return -1

    def _accepted(self, arguments: str) -> str | None:
        """*arguments* as a JSON object, if the tool can take them."""
        if not arguments:
            return "{}"
        try:
            value = json.loads(arguments)
        except (ValueError, RecursionError):
            return None
        if isinstance(value, dict):
            return arguments
        parameter = self._calls.only_text(self._name)
        return json.dumps({parameter: value}, ensure_ascii=False) if isinstance(value, str) and parameter else None

    # --- what becomes of it -------------------------------------------------------------------

    def _open(self, match: re.Match[str]) -> None:
        self._name = match["name"]
        self._where = _Where.OPENED
        self._arguments = []
        self._keep(match.group())

    def _keep(self, text: str) -> None:
        self._raw.append(text)
        self._length += len(text)

    def _release(self) -> None:
        """It was no call."""
        raw = "".join(self._raw)
        self._forget()
        self._say(raw)

    def _call(self) -> None:
        """Make calls of what was found."""
        calls: list[ToolCall] = [self._calls.call(name, arguments) for name, arguments in self._found]
        self._out += calls
        self._forget()
        self._before = ""

    def _say(self, text: str) -> None:
        self._note(text)
        self._out += said(text)

    def _note(self, text: str) -> None:
        if text:
            self._before = text[-1]
            self._backticks.note(text)

    def _taken(self) -> Sequence[Chunk]:
        out, self._out = self._out, []
        return out
