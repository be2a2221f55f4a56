"""A dialect as small as can be, with all that the real ones have: a ladder, events that cannot be read, text held back.

Its events are JSON with one or more of ``text``, ``thought``, ``hold`` (text that is kept until something else comes),
``call`` (with ``arguments``), ``usage``, ``by``, ``error`` and ``end``.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any

import msgspec

from cadenza.errors import HttpError
from cadenza.models.dialects.call_arguments import tool_call
from cadenza.models.dialects.dialect import Dialect, Endpoint, EventReader, RetryHints
from cadenza.models.error_kind import reported
from cadenza.models.ladder import Ladder
from cadenza.models.model import Model, stream
from cadenza.stages.s2_generation import Transport
from cadenza.stages.s3_chunks import NO_PROMPT
from cadenza.types import (
    Chunk,
    Failed,
    Finished,
    HttpRequest,
    Prompt,
    Served,
    TextDelta,
    ThoughtDelta,
    Usage,
)

KEY = "tiny-key-5f3a"
CORE = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": True}


class _Event(msgspec.Struct):
    text: str | None = None
    thought: str | None = None
    hold: str | None = None
    call: str | None = None
    arguments: str = ""
    usage: int | None = None
    by: str | None = None
    error: object = None
    end: str | None = None


_EVENTS = msgspec.json.Decoder(_Event)


class TinyDecoder(EventReader[_Event]):
    """Reads the events."""

    def __init__(self, vendor: str) -> None:
        super().__init__(_EVENTS, vendor)
        self._held: list[Chunk] = []

    def read(self, value: _Event) -> Sequence[Chunk]:
        """One event."""
        if value.hold is not None:
            self._held.append(TextDelta(value.hold))
            return ()
        return [*self.rest(), *self._said(value)]

    def rest(self) -> Sequence[Chunk]:
        """What was held."""
        held, self._held = self._held, []
        return held

    def _said(self, value: _Event) -> Iterable[Chunk]:
        if value.by is not None:
            yield Served(value.by)
        if value.thought is not None:
            yield ThoughtDelta(value.thought)
        if value.text is not None:
            yield TextDelta(value.text)
        if value.call is not None:
            yield tool_call("1", value.call, value.arguments)
        if value.usage is not None:
            yield Usage(output_tokens=value.usage)
        if value.error is not None:
            yield Failed(reported(value.error, vendor=self._vendor))
        if value.end is not None:
            yield Finished(value.end)


class TinyCodec(Dialect):
    """Writes down a body that it is given, whatever the prompt."""

    def __init__(
        self,
        body: dict[str, Any] | None = None,
        *,
        vendor: str = "openai",
        endpoint: Endpoint | None = None,
        **ladder: Any,
    ) -> None:
        super().__init__(endpoint or Endpoint(vendor, "m", "https://tiny.example/v1", key=KEY))
        self._asked = body if body is not None else CORE
        self._ladder = ladder

    def encode(self, prompt: Prompt, /) -> HttpRequest:  # noqa: ARG002  # the body is given
        """The same for all."""
        headers = {"authorization": f"Bearer {self.endpoint.key}", "content-type": "application/json"}
        return HttpRequest(self.endpoint.url, json.dumps(self._asked).encode(), headers)

    def decoder(self, prompt: Prompt = NO_PROMPT, /) -> TinyDecoder:  # noqa: ARG002  # likewise
        """A fresh one."""
        return TinyDecoder(self.endpoint.vendor)

    def attempts(self, request: HttpRequest, /) -> Ladder:
        """A ladder."""
        return Ladder(request, key=f"{self.endpoint.url} {self.endpoint.model}", hints=RetryHints(**self._ladder))


def sse(*events: object) -> bytes:
    """*events* as a body; what is bytes already stands as it is."""
    return b"".join(
        event if isinstance(event, bytes) else b"data: " + json.dumps(event).encode() + b"\n\n" for event in events
    )


def refusal(status: int, message: str = "", **headers: str) -> HttpError:
    """An answer with a status of 400 or more."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return HttpError(status, named, json.dumps({"error": {"message": message}}).encode())


Said = bytes | Exception | Iterable[bytes | Exception]
"""What comes back for one request: a body, the slices of one, or what is raised."""


class Server:
    """A transport that says what it is told to, and remembers what it was asked."""

    def __init__(self, *answers: Said, otherwise: Said | None = None) -> None:
        self._answers = list(answers)
        self._otherwise = otherwise
        self.asked: list[HttpRequest] = []
        self.open = 0
        self.open_before: list[int] = []
        """How many bodies were open when each request was made."""

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """What was asked, read."""
        return [json.loads(request.body) for request in self.asked]

    async def __call__(self, request: HttpRequest) -> AsyncIterator[bytes]:
        """Answer *request*."""
        self.asked.append(request)
        self.open_before.append(self.open)
        answer = self._answers.pop(0) if self._answers else self._otherwise
        assert answer is not None, "asked once more than expected"
        self.open += 1
        try:
            for said in (answer,) if isinstance(answer, bytes | Exception) else answer:
                if isinstance(said, Exception):
                    raise said
                yield said
        finally:
            self.open -= 1


async def heard(
    model: Model | None = None, *, codec: TinyCodec | None = None, transport: Transport | None = None, **more: Any
) -> list[Chunk]:
    """All that comes of asking once."""
    if model is None:
        assert transport is not None
        model = Model(codec or TinyCodec(), transport, **more)
    return [chunk async for chunk in stream(model, NO_PROMPT)]
