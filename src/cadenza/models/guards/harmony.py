"""The template of gpt-oss, where a server does not read it: every message has a header that says what it is.

::

    <|channel|>analysis<|message|>They greet me.<|end|>
    <|start|>assistant<|channel|>commentary to=functions.weather <|constrain|>json<|message|>{"city": "Oslo"}<|call|>
    <|start|>assistant<|channel|>final<|message|>Hello!<|return|>

What is addressed to nobody and no analysis is for people to read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...types import Chunk
from .template import TemplateGuard
from .text_calls import TextCalls
from .text_guard import thought

_START, _CHANNEL, _CONSTRAIN, _MESSAGE = "<|start|>", "<|channel|>", "<|constrain|>", "<|message|>"
_ENDS = ("<|end|>", "<|return|>", "<|call|>")

# Each of these may be cut off at any place, so that what can become no header is not waited for.
_TO = r"(?:\s{1,4}(?:to?|to=[\w.-]{0,80})?)?"
_HEADER = re.compile(
    rf"(?:{re.escape(_START)}[\w.]{{0,80}}{_TO}\s{{0,4}})?"
    rf"(?:{re.escape(_CHANNEL)}\s{{0,4}}\w{{0,16}}{_TO}\s{{0,4}}(?:{re.escape(_CONSTRAIN)}\s{{0,4}})?\w{{0,16}}\s{{0,4}})?"
)
_WHOLE_TO = r"(?:\s+to=[\w.-]+)?\s*"
_WHOLE = re.compile(
    rf"(?:{re.escape(_START)}(?:assistant)?{_WHOLE_TO})?"
    rf"(?:{re.escape(_CHANNEL)}\s*(?P<channel>analysis|commentary|final){_WHOLE_TO}"
    rf"(?:{re.escape(_CONSTRAIN)}\s*\w*|json|code|text)?\s*)?"
)
"""A header of a message that a model may write. What it writes in others' names is for stage 6 to see."""
_RECIPIENT = re.compile(r"\sto=(?P<recipient>[\w.-]+)")
_FUNCTIONS = "functions."


class HarmonyGuard(TemplateGuard):
    """Reads messages with headers into thoughts, calls and speech."""

    def __init__(self, calls: TextCalls) -> None:
        super().__init__((_START, _CHANNEL, _CONSTRAIN, _MESSAGE, *_ENDS))
        self._calls = calls
        self._header: str | None = None  # the header that we are in
        self._name = ""  # whom the call that we are in calls

    @property
    def is_plain(self) -> bool:
        """Whether what comes is no part of a header or a call."""
        return self._header is None and super().is_plain

    def between(self, text: str) -> Sequence[Chunk]:
        """Put *text* where it belongs."""
        if self._header is None:
            return self.collect(text)
        self._header += text
        return () if _HEADER.fullmatch(self._header) else self._leave_header()

    def token(self, token: str) -> Sequence[Chunk]:
        """Open or close a header or a message."""
        if self._header is not None:
            return self._token_in_header(self._header, token)
        if token in (_START, _CHANNEL):
            out = self.end_call()
            self._header = token
            return out
        if token in _ENDS:
            out = self.end_call()
            self.thinks = False
            return out
        return self.between(token)

    def called(self, source: str) -> Sequence[Chunk]:
        """The call of whoever the message was addressed to."""
        return [self._calls.call(self._name, source.strip())]

    def ended(self, held: str) -> Sequence[Chunk]:
        """A call is read as far as it goes; a header without its message is nothing to show."""
        header, self._header = self._header, None
        return [*self.between(held), *self.end_call()] if header is None else thought(header + held)

    def _token_in_header(self, header: str, token: str) -> Sequence[Chunk]:
        if token == _MESSAGE and (whole := _WHOLE.fullmatch(header)):
            self._header = None
            self._open(whole)
            return ()
        if token in (_CHANNEL, _CONSTRAIN):
            return self.between(token)
        return [*self._leave_header(), *(self.spoken(token) if token == _MESSAGE else self.token(token))]

    def _leave_header(self) -> Sequence[Chunk]:
        """It was none."""
        header, self._header = self._header, None
        return self.spoken(header or "")

    def _open(self, header: re.Match[str]) -> None:
        """Say what the message behind *header* is."""
        recipient = _RECIPIENT.search(header.group())
        self.thinks = header["channel"] == "analysis"
        if recipient is None:
            return
        self._name = recipient["recipient"].removeprefix(_FUNCTIONS)
        if self._name and (recipient["recipient"].startswith(_FUNCTIONS) or self._name in self._calls.names):
            self.begin_call()
        else:
            self.thinks = True  # a tool of the model's own, which nobody here has
