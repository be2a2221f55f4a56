"""What a chat template's tokens say, read out of text: for servers that pass them on instead of reading them.

A token may be cut anywhere. What stands between tokens is speech, a thought or a call, as the last token said.
A token right behind a backtick that opens code is only talked about: it is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ...types import Chunk
from .backticks import Backticks
from .text_guard import TextGuard, said, thought

LONGEST_CALL = 1 << 16
"""A call that has not ended after so many characters is broken off; what follows of it is kept as a thought."""


class TemplateGuard(TextGuard):
    """Finds tokens. Inherit it, and write ``token``, ``between`` and ``ended``.

    Every token begins with ``<`` and has no other.
    """

    def __init__(self, tokens: Iterable[str]) -> None:
        self._tokens = tuple(tokens)
        self._search = re.compile("|".join(map(re.escape, self._tokens))).search
        self._longest = max(map(len, self._tokens))
        self._held = ""  # what may be the beginning of a token
        self._backticks = Backticks()
        self.thinks = False
        """Whether what comes is a thought."""
        self._call: list[str] | None = None  # the call that we are in
        self._call_length = 0
        self.is_broken_off = False
        """Whether what comes is the rest of a call that was too long."""

    # --- to be written ----------------------------------------------------------------

    def token(self, token: str) -> Sequence[Chunk]:
        """What *token* comes to, here."""
        raise NotImplementedError

    def between(self, text: str) -> Sequence[Chunk]:
        """What *text* comes to, which holds no token."""
        raise NotImplementedError

    def ended(self, held: str) -> Sequence[Chunk]:
        """What comes when nothing more does; *held* might have become a token."""
        raise NotImplementedError

    def called(self, source: str) -> Sequence[Chunk]:
        """The calls that *source* is."""
        raise NotImplementedError

    # --- what is read -------------------------------------------------------------------

    def passes(self, text: str) -> bool:
        """Whether *text* is speech without a token in it."""
        if "<" in text or self._held or self.thinks or not self.is_plain:
            return False
        self._backticks.note(text)
        return True

    @property
    def is_plain(self) -> bool:
        """Whether what comes is no part of a call."""
        return self._call is None

    def read(self, text: str) -> Sequence[Chunk]:
        """Part *text* into tokens and what is between them."""
        text = self._held + text
        out: list[Chunk] = []
        position = 0
        while match := self._search(text, position):
            out += self.between(text[position : match.start()])
            position = match.end()
            out += self.between(match.group()) if self._is_quoted() else self.token(match.group())
        end = self._token_begins(text, position)
        out += self.between(text[position:end])
        self._held = text[end:]
        return out

    def rest(self) -> Sequence[Chunk]:
        """Let go of everything."""
        held, self._held = self._held, ""
        return self.ended(held)

    def spoken(self, text: str) -> Sequence[Chunk]:
        """*text* as speech or thought, whichever it is now."""
        self._backticks.note(text)
        return thought(text) if self.thinks else said(text)

    def _token_begins(self, text: str, position: int) -> int:
        """Where a token may begin whose rest is still to come; the end of *text* if there is none."""
        start = text.rfind("<", max(position, len(text) - self._longest + 1))
        if start >= 0 and any(token.startswith(text[start:]) for token in self._tokens):
            return start
        return len(text)

    def _is_quoted(self) -> bool:
        return self.is_plain and self._backticks.has_just_opened

    # --- calls --------------------------------------------------------------------------

    def begin_call(self) -> None:
        """What comes is a call."""
        self._call, self._call_length = [], 0

    def collect(self, text: str) -> Sequence[Chunk]:
        """Put *text* to the call that we are in; one that is too long ends here."""
        if self._call is None:
            return self.spoken(text)
        room = LONGEST_CALL - self._call_length
        self._call.append(text[:room])
        self._call_length += len(text)
        if self._call_length <= LONGEST_CALL:
            return ()
        out = self.end_call()
        self.thinks = self.is_broken_off = True
        return [*out, *self.spoken(text[room:])]

    def end_call(self) -> Sequence[Chunk]:
        """The call that we are in is over, if we are in one."""
        if self._call is None:
            return ()
        source, self._call = "".join(self._call), None
        return self.called(source)
