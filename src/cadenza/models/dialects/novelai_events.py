"""Reading NovelAI's two kinds of streams: tokens, and completions in OpenAI's old way.

The first is ``/ai/generate-stream``: ``{"token": " Hi", "ptr": 0, "final": false}``, and the last has ``final``. The
second is ``/oa/v1/completions``: ``{"choices": [{"text": " Hi", "finish_reason": null}]}``, and ``[DONE]`` behind it.
In both an error may come instead of words; what comes with it is not shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from ...errors import ErrorKind
from ...types import Chunk, Failed, Finished, RawEvent, TextDelta, Usage
from ..error_kind import failure, reported
from .dialect import EventReader, Shape

_FAILURES: Mapping[str, tuple[ErrorKind, str]] = {
    "content_filter": (ErrorKind.CONTENT_BLOCKED, "the answer was filtered"),
    "abort": (ErrorKind.OVERLOADED, "the server broke the answer off"),
    "error": (ErrorKind.API, "the server broke the answer off"),
}
"""Ends that are none."""


class Complaining(msgspec.Struct):
    """What an event holds that is an error."""

    error: object = None
    message: object = None
    status: object = msgspec.field(name="statusCode", default=None)


class Token(Complaining):
    """An event of the native interface."""

    token: str | None = None
    final: bool | None = False
    output: str | None = None
    """All of the answer, if it is not streamed."""


class NovelAIChoice(msgspec.Struct):
    """What was said, and why it ended."""

    text: str | None = None
    finish_reason: str | None = None


class Count(msgspec.Struct):
    """Tokens."""

    prompt_tokens: int | None = 0
    completion_tokens: int | None = 0


class Completion(Complaining):
    """An event of the interface that is like OpenAI's."""

    choices: list[NovelAIChoice] | None = None
    usage: Count | None = None


_TOKENS = msgspec.json.Decoder(Token)
_COMPLETIONS = msgspec.json.Decoder(Completion)


class _Reader(EventReader[Shape]):
    """What both have in common: an event may be called an error, and say so in plain words."""

    def feed(self, event: RawEvent, /) -> Sequence[Chunk]:
        """Read *event*."""
        if event.name == "error":
            self._has_read = True
            return self.broken(event.data.decode("utf-8", "replace"))
        return super().feed(event)

    def broken(self, error: object) -> Sequence[Chunk]:
        """The end by *error*."""
        return (Failed(reported(error, vendor=self._vendor)),)


class TokenDecoder(_Reader[Token]):
    """Reads the native interface."""

    def __init__(self, vendor: str) -> None:
        super().__init__(_TOKENS, vendor)

    def knows(self, value: Token) -> bool:
        """Whether there is anything of the native interface in *value*."""
        return value != Token()

    def read(self, value: Token) -> Sequence[Chunk]:
        """What *value* comes to."""
        if value.error or value.message:
            return self.broken(_complaint(value))
        text = value.token or value.output
        said = (TextDelta(text),) if text else ()
        return (*said, Finished()) if value.final or value.output else said


class CompletionDecoder(_Reader[Completion]):
    """Reads completions. Counts may come behind the reason why the model stopped, so that waits for them."""

    def __init__(self, vendor: str) -> None:
        super().__init__(_COMPLETIONS, vendor)
        self._finish: Finished | Failed | None = None
        self._usage: Usage | None = None

    @property
    def is_ending(self) -> bool:
        """Whether the model has said why it stopped."""
        return self._finish is not None

    def knows(self, value: Completion) -> bool:
        """Whether there is anything of completions in *value*."""
        return value != Completion()

    def read(self, value: Completion) -> Sequence[Chunk]:
        """What *value* comes to."""
        if value.error or value.message:
            return self.broken(_complaint(value))
        if value.usage is not None:
            self._usage = Usage(value.usage.prompt_tokens or 0, value.usage.completion_tokens or 0)
        if not value.choices:
            return ()
        choice = value.choices[0]
        if choice.finish_reason:
            self._finish = self._ending(choice.finish_reason)
        return (TextDelta(choice.text),) if choice.text else ()

    def rest(self) -> Sequence[Chunk]:
        """The counts, and the end if the model said so."""
        finish, usage, self._finish, self._usage = self._finish, self._usage, None, None
        return [chunk for chunk in (usage, finish) if chunk is not None]

    def _read_leniently(self, data: bytes) -> Sequence[Chunk]:
        """What is no JSON may be the end."""
        if data.strip() != b"[DONE]":
            return super()._read_leniently(data)
        self._has_read = True
        self._finish = self._finish or Finished()
        return self.rest()

    def _ending(self, reason: str) -> Finished | Failed:
        if reason in _FAILURES:
            kind, words = _FAILURES[reason]
            return Failed(failure(words, vendor=self._vendor, kind=kind, code=reason))
        return Finished("length" if reason in ("length", "max_tokens") else "stop")


def _complaint(value: Complaining) -> object:
    """All that an error event says, as it said it."""
    said = {"error": value.error, "message": value.message, "statusCode": value.status}
    return {name: word for name, word in said.items() if word}
