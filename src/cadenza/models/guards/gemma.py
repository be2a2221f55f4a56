"""The template of Gemma, where a server does not read it.

::

    <|channel>thought
    They greet me.<channel|><|tool_call>call:weather{city:<|"|>Oslo<|"|>}<tool_call|>
    <tool_code>weather(city="Oslo")</tool_code>

The last is how older ones call a tool; it only counts for tools that there are. What opens like a call and goes on as
something else is text, byte for byte. A call that breaks off is read as far as it goes, and marked; if not even whom it
calls is known, it is kept as a thought: nobody was meant to read it, and nothing is lost.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...types import Chunk
from .notations import Delimiters, gemma_arguments, python_arguments
from .template import TemplateGuard
from .text_calls import TextCalls
from .text_guard import thought

_THOUGHT, _THOUGHT_END = "<|channel>thought", "<channel|>"
_CALL, _CALL_END = "<|tool_call>call:", "<tool_call|>"
_CODE, _CODE_END = "<tool_code>", "</tool_code>"
_ENDS = {_THOUGHT: _THOUGHT_END, _CALL: _CALL_END, _CODE: _CODE_END}

# Of each head every beginning matches its part, so that what can become none is not waited for.
_CALL_HEAD = re.compile(r"\s{0,8}(?P<name>[\w.:-]{1,128})\s{0,8}\{")
_CALL_HEAD_PART = re.compile(r"\s{0,8}[\w.:-]{0,128}\s{0,8}")
_NAME = re.compile(r"[\w.-]{1,100}")
_PRINT = r"\s{0,64}(?:print\s{0,8}\(\s{0,8})?"  # some print what a call gives back
_CODE_HEAD_PART = re.compile(_PRINT + r"[\w.-]{0,256}\s{0,8}")
_BEHIND_CALL = re.compile(r"[\s)]*+")


class GemmaGuard(TemplateGuard):
    """Reads channels and calls into thoughts and calls."""

    def __init__(self, calls: TextCalls) -> None:
        super().__init__((*_ENDS, *_ENDS.values()))
        self._calls = calls
        names = sorted(filter(_NAME.fullmatch, calls.names), key=len, reverse=True)
        any_name = "|".join(map(re.escape, names)) or "(?!)"
        self._code_head = re.compile(_PRINT + rf"(?:\w{{1,100}}\.)?(?P<name>{any_name})\s{{0,8}}\(")
        self._end = ""  # the token that ends what we are in
        self._opening = ""  # the token that opened the call that we are in
        self._head: str | None = None  # the beginning of a call, until it is known to be one
        self._is_fresh = False  # whether nothing of the thought was heard yet

    @property
    def is_plain(self) -> bool:
        """Whether what comes is no part of a call, nor of what may be one."""
        return self._head is None and super().is_plain

    def between(self, text: str) -> Sequence[Chunk]:
        """Put *text* where it belongs."""
        if self._head is not None:
            self._head += text
            return self._look_at_head(self._head)
        return self.collect(text)

    def spoken(self, text: str) -> Sequence[Chunk]:
        """*text* as speech or thought; the name of the channel has a line of its own, which is no part of it."""
        if self._is_fresh:
            text = text.lstrip()
            self._is_fresh = not text
        return super().spoken(text)

    def token(self, token: str) -> Sequence[Chunk]:
        """Open or close a thought or a call."""
        if self._head is not None:
            return [*self._leave_head(), *self.token(token)] if token != self._end else self._end_head()
        if not self.is_plain:
            return self._token_in_call(token)
        if token in (_CALL, _CODE):
            return self._begin(token)
        if token == _THOUGHT and not self.thinks:
            self.thinks = self._is_fresh = True
            return ()
        if token == _THOUGHT_END or (token == self._end and self.is_broken_off):
            self.thinks = self._is_fresh = self.is_broken_off = False
            return ()
        return self.between(token)

    def called(self, source: str) -> Sequence[Chunk]:
        """The calls in *source*, one behind the other."""
        is_code = self._opening == _CODE
        head = self._code_head if is_code else _CALL_HEAD
        calls: list[Chunk] = []
        delimiters = Delimiters(source)
        position = 0
        while match := head.match(source, position):
            start = match.end() - 1
            if is_code:
                name = match["name"]
                written = python_arguments(source, start, self._calls.parameters(name))
            else:
                name = match["name"].rpartition(":")[2]  # some write where the tool comes from in front of it
                written = gemma_arguments(source, start, delimiters)
            calls.append(self._calls.call(name, written.json))
            behind = _BEHIND_CALL.match(source, written.end)
            position = behind.end() if behind else written.end
        return calls

    def ended(self, held: str) -> Sequence[Chunk]:
        """A call is read as far as it goes."""
        head, self._head = self._head, None
        if head is not None:
            return thought(self._opening + head + held)
        return [*self.between(held), *self.end_call()]

    # --- calls --------------------------------------------------------------------------

    def _begin(self, token: str) -> Sequence[Chunk]:
        if self.is_broken_off:
            self.thinks = self.is_broken_off = False
        self._opening, self._end, self._head = token, _ENDS[token], ""
        return ()

    def _look_at_head(self, head: str) -> Sequence[Chunk]:
        """Find out whether *head* begins a call."""
        is_code = self._opening == _CODE
        if (self._code_head if is_code else _CALL_HEAD).match(head):
            self._head = None
            self.begin_call()
            return self.collect(head)
        part = _CODE_HEAD_PART if is_code else _CALL_HEAD_PART
        return () if part.fullmatch(head) else self._leave_head()

    def _leave_head(self) -> Sequence[Chunk]:
        """It was none."""
        head, self._head = self._head, None
        return self.spoken(self._opening + (head or ""))

    def _end_head(self) -> Sequence[Chunk]:
        """It ended before it was one."""
        return [*self._leave_head(), *self.spoken(self._end)]

    def _token_in_call(self, token: str) -> Sequence[Chunk]:
        if token == self._end:
            return self.end_call()
        if token in (_CALL, _CODE):  # the end of the one before was forgotten
            return [*self.end_call(), *self._begin(token)]
        return self.collect(token)
