"""GLM's template, for servers that pass it on: thoughts and calls in the text.

::

    <think>They want the weather.</think>Let me look.
    <tool_call>weather
    <arg_key>city</arg_key>
    <arg_value>Oslo</arg_value>
    </tool_call>

``<tool_call>`` may be missing: then a call is the name of a tool on a line of its own, followed by ``<arg_key>``. So
the first word of a line is held until it cannot be a name. Without tools nothing is a call.

A closing tag of a thought without an opening one is where the model starts over: the answer ends before it. The text up
to there stays, to the last letter. Nothing else is held back. Stage 5 decides whether a sentence has ended, and an
incomplete last one is shown like any other.

Tags in code are quoted, and stay text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum, auto
from typing import assert_never

from ...errors import ErrorKind, ProviderError
from ...text.labels import AnswerLabel
from ...text.tags import HiddenBlock
from ...types import AsideKind, Chunk, Failed, Finished, Prompt, TextDelta
from ..error_kind import failure
from .backticks import Backticks
from .glm_calls import OPENING, CallEnd, GlmTools, spelt, tag
from .template import LONGEST_CALL
from .text_calls import TextCalls
from .text_guard import TextGuard, said, thought

_THOUGHT, _THOUGHT_END = "think", "/think"
_CALL, _CALL_END = "tool_call", "/tool_call"
_KEY, _VALUE_END = "arg_key", "/arg_value"

# The name of a tool at the beginning of a line, followed only by white space.
_HEAD = re.compile(r"(?:\A|\n)[ \t]{0,8}(?P<name>[\w.-]{1,64})(?P<gap>[ \t]{0,8}(?:\r?\n[ \t\r\n]{0,8})?)\Z", re.ASCII)
_LONGEST_HEAD = 100
"""More than a head needs."""
_LONGEST_TAG = 48
"""More than a tag needs, with invisible characters in it."""


class _Tags:
    """A set of tags to search for; a tag may be split anywhere."""

    def __init__(self, *words: str) -> None:
        groups = (f"({tag(word)})" for word in words)
        self._search = re.compile("|".join(groups)).search
        self._words = words
        self._spelt = tuple(f"<{word}>" for word in words)

    def first(self, text: str) -> tuple[str, int, int] | None:
        """The first tag in *text*: its word, start and end."""
        match = self._search(text)
        return None if match is None else (self._words[(match.lastindex or 1) - 1], match.start(), match.end())

    def begins(self, text: str) -> int:
        """Where an incomplete tag may begin; the end of *text* if nowhere."""
        first = max(0, len(text) - _LONGEST_TAG)
        start = max(text.rfind(bracket, first) for bracket in OPENING)
        if start >= 0 and any(known.startswith(spelt(text[start:])) for known in self._spelt):
            return start
        return len(text)


_SPEECH = _Tags(_THOUGHT, _THOUGHT_END)
_SPEECH_WITH_TOOLS = _Tags(_THOUGHT, _THOUGHT_END, _CALL, _KEY)
_WITHIN_CALL = _Tags(_CALL_END, _CALL, _KEY, _VALUE_END)
_BRACKETS = frozenset(OPENING)


class _Where(Enum):
    SPEECH = auto()
    THOUGHT = auto()
    CALL = auto()
    OVER = auto()


class GlmGuard(TextGuard):
    """Separates thoughts and calls from speech."""

    def __init__(self, prompt: Prompt, vendor: str) -> None:
        self._vendor = vendor
        self._tools = GlmTools(prompt.tools)
        self._calls = TextCalls(prompt)
        self._speaker = AnswerLabel(prompt.speaker) if prompt.speaker.strip() else None
        self._tags = _SPEECH_WITH_TOOLS if self._tools else _SPEECH
        self._backticks = Backticks()
        self._where = _Where.SPEECH
        self._held = ""  # possible beginning of a tag or call
        self._thought = HiddenBlock(AsideKind.THOUGHT)
        self._out: list[Chunk] = []
        self._has_said = False
        self._has_called = False
        self._opens_line = True  # whether the line holds only white space so far
        self._end = CallEnd.CUT  # how the open call ends when the stream ends
        self._source: list[str] = []  # of the open call
        self._length = 0
        self._is_bare = False  # whether it had no opening tag
        self._may_end = False  # whether it had none and a value has just ended

    def feed(self, chunk: Chunk, /) -> Sequence[Chunk]:
        """Take *chunk*; return what no later one can change."""
        if type(chunk) is TextDelta:
            return (chunk,) if self.passes(chunk.text) else self.read(chunk.text)
        if self._where is _Where.OVER:
            return ()
        if type(chunk) is Finished:
            self._end = CallEnd.STOPPED if chunk.reason == "stop" else CallEnd.CUT
            return [*self.rest(), *self._finish(chunk.reason)]
        return super().feed(chunk)

    def passes(self, text: str) -> bool:
        """Whether *text* is speech in which nothing begins."""
        if self._held or self._where is not _Where.SPEECH or not _BRACKETS.isdisjoint(text):
            return False
        if self._opens_line or "\n" in text:
            return False
        self._backticks.note(text)
        return True

    def read(self, text: str) -> Sequence[Chunk]:
        """Split *text* into speech, thoughts and calls."""
        while text:
            text, self._held = self._held + text, ""
            match self._where:
                case _Where.SPEECH:
                    text = self._read_speech(text)
                case _Where.THOUGHT:
                    text = self._read_thought(text)
                case _Where.CALL:
                    text = self._read_call(text)
                case _Where.OVER:
                    break
                case _:
                    assert_never(self._where)
        return self._taken()

    def rest(self) -> Sequence[Chunk]:
        """Release everything; an open call ends with the answer, if the model ended that itself."""
        held, self._held = self._held, ""
        match self._where:
            case _Where.SPEECH:
                self._say(held)
            case _Where.THOUGHT:
                speech = self._thought.speech(self._speaker) if self._speaker else ""
                self._out += thought(self._thought.content())
                self._where = _Where.SPEECH
                if speech:
                    self._speaker = None  # once is enough: nested hidden text stays hidden
                    return [*self._taken(), *self.read(speech), *self.rest()]
            case _Where.CALL:
                self._collect("" if f"<{_CALL_END}>".startswith(spelt(held)) else held)
                is_seen = spelt(held) == f"<{_CALL_END}"  # complete but for its bracket
                self._end_call(CallEnd.SEEN if is_seen else self._end)
            case _Where.OVER:
                pass
            case _:
                assert_never(self._where)
        return self._taken()

    # --- states: each reads what it can and returns the rest ------------------------------

    def _read_speech(self, text: str) -> str:
        found = self._tags.first(text)
        if found is None:
            end = self._unsure(text)
            self._say(text[:end])
            self._held = text[end:]
            return ""
        word, start, end = found
        if word == _KEY:
            return self._read_key(text, start, end)
        self._say(text[:start])
        if self._backticks.is_code:
            self._say(text[start:end])
        elif word == _THOUGHT:
            self._thought = HiddenBlock(AsideKind.THOUGHT)
            self._where = _Where.THOUGHT
        elif word == _CALL:
            self._begin_call(is_bare=False)
        elif self._has_said or self._has_called:
            self._out += self._finish("stop")
            return ""
        return text[end:]

    def _read_key(self, text: str, start: int, end: int) -> str:
        """A key after the name of a tool begins its arguments."""
        name = self._head(text, start)
        if name is None or self._tools.named(text[name:start].strip()) is None:
            self._say(text[:end])
            return text[end:]
        self._say(text[:name])
        if self._backticks.is_code:
            self._say(text[name:end])
            return text[end:]
        self._begin_call(is_bare=True)
        return text[name:]

    def _read_thought(self, text: str) -> str:
        after = self._thought.feed(text)
        if after is None:
            return ""
        self._out += thought(self._thought.content())
        self._where = _Where.SPEECH
        return after

    def _read_call(self, text: str) -> str:
        found = _WITHIN_CALL.first(text)
        word, start, end = found or ("", _WITHIN_CALL.begins(text), len(text))
        if self._may_end and text[:start].strip():
            self._end_call(CallEnd.SEEN)  # without an opening tag, what follows its last value is speech
            return text
        if not word:
            start = 0 if self._may_end else start
            self._collect(text[:start])
            self._held = text[start:]
            return ""
        self._collect(text[:start])
        if word in (_KEY, _VALUE_END):
            self._may_end = self._is_bare and word == _VALUE_END
            self._collect(text[start:end])
            return text[end:]
        self._end_call(CallEnd.SEEN)
        return text[end:] if word == _CALL_END else text[start:]  # another call begins: the end tag is missing

    # --- incomplete tags and calls ------------------------------------------------------

    def _unsure(self, text: str) -> int:
        """Where *text* may hold the beginning of a tag, or of a call without one."""
        end = self._tags.begins(text)
        name = self._head(text, end)
        if name is None:
            return end
        word = text[name:end]
        is_whole = end < len(text) or word != word.rstrip()
        return name if not is_whole or self._tools.named(word.strip()) else end

    def _head(self, text: str, end: int) -> int | None:
        """The start of the word that stands alone on its line before *end*; ``None`` if there is none."""
        if not self._tools:
            return None
        match = _HEAD.search(text, max(0, end - _LONGEST_HEAD), end)
        if match is None or (text[match.start()] != "\n" and not self._opens_line):
            return None
        return match.start("name")

    # --- output -------------------------------------------------------------------------------

    def _begin_call(self, *, is_bare: bool) -> None:
        self._where = _Where.CALL
        self._source, self._length = [], 0
        self._is_bare, self._may_end = is_bare, False

    def _collect(self, text: str) -> None:
        """Add *text* to the call; what is too long for one is kept as a thought."""
        room = max(0, LONGEST_CALL - self._length)
        self._source.append(text[:room])
        self._length += len(text)
        self._out += thought(text[room:])

    def _end_call(self, end: CallEnd) -> None:
        source = "".join(self._source)
        self._where = _Where.SPEECH
        call = self._tools.read(source, end if self._length <= LONGEST_CALL else CallEnd.CUT)
        if call is not None:
            self._has_called = True
            self._out.append(self._calls.call(call.name, call.arguments))
        elif end is CallEnd.SEEN:
            self._where = _Where.OVER
            self._out.append(Failed(self._nonsense(source)))
        else:
            self._out += thought(f"<{_CALL}>{source}")

    def _nonsense(self, source: str) -> ProviderError:
        words = f"a call could not be read: {source}"
        return failure(words, vendor=self._vendor, kind=ErrorKind.API, code="tool_call_parse_error")

    def _finish(self, reason: str) -> Sequence[Chunk]:
        """The final chunk, unless a malformed call already ended the answer."""
        if self._where is _Where.OVER:
            return ()
        self._where = _Where.OVER
        return (Finished("tool_calls" if self._has_called and reason == "stop" else reason),)

    def _say(self, text: str) -> None:
        if text:
            self._note(text)
            self._out += said(text)

    def _note(self, text: str) -> None:
        self._backticks.note(text)
        self._has_said = self._has_said or not text.isspace()
        line = text[text.rfind("\n") + 1 :]
        self._opens_line = (self._opens_line or len(line) < len(text)) and not line.strip(" \t")

    def _taken(self) -> Sequence[Chunk]:
        out, self._out = self._out, []
        return out
