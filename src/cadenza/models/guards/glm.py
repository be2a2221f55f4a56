"""What GLM's template says among its words, where a server passes it on: thoughts and calls.

::

    <think>They want the weather.</think>Let me look.
    <tool_call>weather
    <arg_key>city</arg_key>
    <arg_value>Oslo</arg_value>
    </tool_call>

A call may stand there without ``<tool_call>``: the name of a tool on a line of its own, and ``<arg_key>`` behind it.
So the first word of a line waits until it cannot be a name. Without tools nothing is a call.

An end of a thought that nobody began is where the model starts over: the answer ends before it. What was said by then
stays, to the last letter. Nothing else is held back either: whether a sentence has ended is for stage 5 to say, and a
last one that has not is shown like any other, since it was said.

What stands in code is talked about, and is text.
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

# The name of a tool that begins a line, and nothing behind it but white space.
_HEAD = re.compile(r"(?:\A|\n)[ \t]{0,8}(?P<name>[\w.-]{1,64})(?P<gap>[ \t]{0,8}(?:\r?\n[ \t\r\n]{0,8})?)\Z", re.ASCII)
_LONGEST_HEAD = 100
"""More than a head takes."""
_LONGEST_TAG = 48
"""More than a tag takes, with what is invisible in it."""


class _Tags:
    """Some tags to look for; one may be cut anywhere."""

    def __init__(self, *words: str) -> None:
        groups = (f"({tag(word)})" for word in words)
        self._search = re.compile("|".join(groups)).search
        self._words = words
        self._spelt = tuple(f"<{word}>" for word in words)

    def first(self, text: str) -> tuple[str, int, int] | None:
        """The first tag in *text*: its word, where it begins and where it ends."""
        match = self._search(text)
        return None if match is None else (self._words[(match.lastindex or 1) - 1], match.start(), match.end())

    def begins(self, text: str) -> int:
        """Where a tag may begin whose rest is still to come; the end of *text* if there is none."""
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
    """Reads thoughts and calls out of speech."""

    def __init__(self, prompt: Prompt, vendor: str) -> None:
        self._vendor = vendor
        self._tools = GlmTools(prompt.tools)
        self._calls = TextCalls(prompt)
        self._speaker = AnswerLabel(prompt.speaker) if prompt.speaker.strip() else None
        self._tags = _SPEECH_WITH_TOOLS if self._tools else _SPEECH
        self._backticks = Backticks()
        self._where = _Where.SPEECH
        self._held = ""  # what may be the beginning of something
        self._thought = HiddenBlock(AsideKind.THOUGHT)
        self._out: list[Chunk] = []
        self._has_said = False
        self._has_called = False
        self._opens_line = True  # whether only white space stands on the line so far
        self._end = CallEnd.CUT  # how a call ends that we are in when the stream ends
        self._source: list[str] = []  # of the call that we are in
        self._length = 0
        self._is_bare = False  # whether it had no opening tag
        self._may_end = False  # whether it had none and a value has just ended

    def feed(self, chunk: Chunk, /) -> Sequence[Chunk]:
        """Take *chunk*; give back what no later one can change."""
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
        """Part *text* into speech, thoughts and calls."""
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
        """Let go of everything; a call that we are in ends with the answer, if the model ended that itself."""
        held, self._held = self._held, ""
        match self._where:
            case _Where.SPEECH:
                self._say(held)
            case _Where.THOUGHT:
                speech = self._thought.speech(self._speaker) if self._speaker else ""
                self._out += thought(self._thought.content())
                self._where = _Where.SPEECH
                if speech:
                    self._speaker = None  # once is enough: what is hidden in that stays hidden
                    return [*self._taken(), *self.read(speech), *self.rest()]
            case _Where.CALL:
                self._collect("" if f"<{_CALL_END}>".startswith(spelt(held)) else held)
                is_seen = spelt(held) == f"<{_CALL_END}"  # all but its bracket
                self._end_call(CallEnd.SEEN if is_seen else self._end)
            case _Where.OVER:
                pass
            case _:
                assert_never(self._where)
        return self._taken()

    # --- each reads what it can and gives back the rest -----------------------------------

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
        """Behind the name of a tool, a key begins its arguments."""
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
        behind = self._thought.feed(text)
        if behind is None:
            return ""
        self._out += thought(self._thought.content())
        self._where = _Where.SPEECH
        return behind

    def _read_call(self, text: str) -> str:
        found = _WITHIN_CALL.first(text)
        word, start, end = found or ("", _WITHIN_CALL.begins(text), len(text))
        if self._may_end and text[:start].strip():
            self._end_call(CallEnd.SEEN)  # it had no opening tag, so what follows its last value is speech
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
        return text[end:] if word == _CALL_END else text[start:]  # where another begins, an end was forgotten

    # --- what may be something ----------------------------------------------------------

    def _unsure(self, text: str) -> int:
        """From where on *text* may be the beginning of a tag, or of a call without one."""
        end = self._tags.begins(text)
        name = self._head(text, end)
        if name is None:
            return end
        word = text[name:end]
        is_whole = end < len(text) or word != word.rstrip()
        return name if not is_whole or self._tools.named(word.strip()) else end

    def _head(self, text: str, end: int) -> int | None:
        """Where the word begins that stands alone on its line, in front of *end*; ``None`` if none does."""
        if not self._tools:
            return None
        match = _HEAD.search(text, max(0, end - _LONGEST_HEAD), end)
        if match is None or (text[match.start()] != "\n" and not self._opens_line):
            return None
        return match.start("name")

    # --- what becomes of it -------------------------------------------------------------------

    def _begin_call(self, *, is_bare: bool) -> None:
        self._where = _Where.CALL
        self._source, self._length = [], 0
        self._is_bare, self._may_end = is_bare, False

    def _collect(self, text: str) -> None:
        """Put *text* to the call; what is too long for one is kept, but nobody was meant to read it."""
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
        """The end, if a call that makes no sense was not it."""
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
