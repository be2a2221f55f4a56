"""A model that plays a script: for the demo, for tests, and to replay recordings.

A script is JSON lines, one chunk per line, each with the seconds to wait before it::

    {"after": 0.02, "text": "Hello "}
    {"thought": "They greeted me."}
    {"tool": {"id": "1", "name": "weather", "arguments": {"city": "Oslo"}}}
    {"usage": {"input_tokens": 10, "output_tokens": 4}}
    {"served": "a router's choice"}
    {"file": {"name": "tea.txt", "base64": "dGVh", "description": "One word."}}
    {"finish": "stop"}
    {"error": "the model is overloaded"}

A script passes the same stages as any other dialect: its bytes are framed, decoded and delivered. ``script_of`` makes a
script from a list of texts and chunks. A model can also be a function from a prompt to such a list
(``ScriptedCodec(function)`` with ``play_request``).
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias, assert_never

from ...errors import Aspect, CadenzaError, ErrorKind, InputError, ProviderError, Sentence
from ...stages.s2_generation import NewlineJson, Transport
from ...stages.s3_chunks import NO_PROMPT
from ...types import (
    Attachment,
    Chunk,
    Ending,
    Failed,
    Finished,
    HttpRequest,
    Prompt,
    RawEvent,
    Served,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Usage,
)
from .dialect import Dialect, Endpoint

Sleep = Callable[[float], Awaitable[None]]
Said: TypeAlias = str | float | Chunk
"""Text, seconds of silence before the next item, or a chunk."""
Answerer: TypeAlias = Callable[[Prompt], Iterable[Said]]
"""A function that answers a prompt."""


@dataclass(frozen=True, slots=True)
class Beat:
    """Bytes of a script, and the seconds to wait before them."""

    after: float
    data: bytes
    error: CadenzaError | None = None
    """Raised in place of bytes: an error response, or a broken connection."""


class ScriptedCodec(Dialect):
    """The dialect of scripts. With an *answerer*, its answer to a prompt is the script, which ``play_request`` plays."""

    def __init__(self, answerer: Answerer | None = None) -> None:
        super().__init__(Endpoint("script", "script", "script:"))
        self._answerer = answerer

    def encode(self, prompt: Prompt, /) -> HttpRequest:
        """Encode *prompt*. A script ignores it, but a test may inspect it."""
        if self._answerer is not None:
            return HttpRequest("script:", b"".join(beat.data for beat in script_of(self._answerer(prompt))))
        body = {"system": prompt.system, "turns": [[turn.role.value, turn.text] for turn in prompt.turns]}
        return HttpRequest("script:", json.dumps(body).encode())

    def framing(self) -> NewlineJson:
        """One event per line."""
        return NewlineJson()

    def decoder(self, prompt: Prompt = NO_PROMPT, /) -> ScriptedDecoder:  # noqa: ARG002  # a script ignores the prompt
        """A new decoder."""
        return ScriptedDecoder()


class ScriptedDecoder:
    """Decodes the lines of a script."""

    def feed(self, event: RawEvent, /) -> Sequence[Chunk]:
        """Decode one line; an invalid one ends the stream with an error."""
        try:
            return [_chunk(json.loads(event.data))]
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            return [Failed(ProviderError(Sentence("a line of the script cannot be read: {error}", error=error)))]

    def flush(self, why: Ending, /) -> Sequence[Chunk]:  # noqa: ARG002  # nothing is held
        """Nothing is held."""
        return ()


def _chunk(line: object) -> Chunk:
    match line:
        case {"text": str(text)}:
            return TextDelta(text)
        case {"thought": str(text)}:
            return ThoughtDelta(text)
        case {"tool": {"name": str(name), **rest}}:
            arguments = rest.get("arguments", {})
            written = arguments if isinstance(arguments, str) else json.dumps(arguments)
            return ToolCall(str(rest.get("id", name)), name, written, is_truncated=rest.get("truncated") is True)
        case {"usage": {"input_tokens": int(read), "output_tokens": int(written), **rest}}:
            more = (rest.get(name, 0) for name in ("cached_tokens", "thought_tokens"))
            return Usage(read, written, *(count for count in more if isinstance(count, int)))
        case {"served": str(by)}:
            return Served(by)
        case {"file": {"name": str(name), "base64": str(data), **rest}}:
            return Attachment(name, b64decode(data, validate=True), str(rest.get("description", "")))
        case {"finish": str(reason)}:
            return Finished(reason)
        case {"error": str(message)}:
            return Failed(ProviderError(message))
        case {"error": {"message": str(message), **rest}}:
            return Failed(error_from(message, rest))
        case _:
            msg = Sentence(
                "expected text, thought, tool, usage, served, file, finish or error, not {line}",
                line=json.dumps(line)[:80],
            )
            raise ValueError(msg)


def script_of(said: Iterable[Said], *, after: float = 0.0) -> tuple[Beat, ...]:
    """The script for texts and chunks: decoding it gives the same chunks."""
    beats, silence = [], after
    for item in said:
        if isinstance(item, int | float):
            silence += item
            continue
        line = {"after": silence, **_line(item)} if silence > after else _line(item)
        beats.append(Beat(silence, json.dumps(line).encode() + b"\n"))
        silence = after
    return tuple(beats)


def _line(item: str | Chunk) -> dict[str, object]:
    match item:
        case str(text) | TextDelta(text):
            return {"text": text}
        case ThoughtDelta(text):
            return {"thought": text}
        case ToolCall(identity, name, arguments, is_truncated):
            told: dict[str, object] = {"id": identity, "name": name, "arguments": arguments}
            return {"tool": {**told, "truncated": True} if is_truncated else told}
        case Usage():
            return {"usage": asdict(item)}
        case Served(by):
            return {"served": by}
        case Attachment(name, data, description):
            told = {"name": name, "base64": b64encode(data).decode()}
            return {"file": {**told, "description": description} if description else told}
        case Finished(reason):
            return {"finish": reason}
        case Failed(ProviderError() as error):
            return {"error": {"message": str(error), **error_fields(error)}}
        case Failed(error):
            return {"error": str(error)}
        case _:
            assert_never(item)


def error_fields(error: ProviderError) -> dict[str, object]:
    """The fields of *error* besides its sentence, as in a script."""
    told = {
        "kind": error.kind.value,
        "aspect": error.aspect and error.aspect.value,
        "code": error.code,
        "status": error.status,
        "retryable": error.retryable,
        "retry_after": error.retry_after,
        "detail": error.detail,
    }
    return {name: value for name, value in told.items() if value not in (None, "", False)}


def error_from(message: str, told: Mapping[Any, object]) -> ProviderError:
    """The error for the fields that ``error_fields`` returned."""
    status, wait, aspect = told.get("status"), told.get("retry_after"), told.get("aspect")
    return ProviderError(
        message,
        kind=ErrorKind(told.get("kind", ErrorKind.UNKNOWN.value)),
        aspect=Aspect(aspect) if aspect else None,
        code=str(told.get("code", "")),
        status=status if isinstance(status, int) else None,
        retryable=told.get("retryable") is True,
        retry_after=float(wait) if isinstance(wait, int | float) else None,
        detail=str(told.get("detail", "")),
    )


def parse_script(text: str) -> tuple[Beat, ...]:
    """Parse a script; an invalid line raises ``InputError``."""
    beats = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
            _chunk(value)
            after = float(value.get("after", 0.0))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            msg = Sentence("line {number} of the script cannot be read: {error}", number=number, error=error)
            raise InputError(msg) from None
        if not after >= 0:
            msg = Sentence("line {number} of the script cannot be read: 'after' must not be negative", number=number)
            raise InputError(msg)
        beats.append(Beat(after, line.encode("utf-8", "surrogatepass") + b"\n"))
    return tuple(beats)


def spoken(text: str, *, size: int = 4, after: float = 0.0) -> tuple[Beat, ...]:
    """A script of *text* in tokens of *size* characters."""
    pieces = (text[start : start + size] for start in range(0, len(text), size))
    return tuple(Beat(after, json.dumps({"text": piece}).encode() + b"\n") for piece in pieces)


def transport(scripts: Iterable[Sequence[Beat]], sleep: Sleep, *, pace: float = 1.0) -> Transport:
    """Play one script per request, in order, with *sleep* for the pauses.

    *pace* multiplies the pauses; 0 removes them.
    """
    remaining = iter(scripts)

    async def play(_: HttpRequest) -> AsyncIterator[bytes]:
        script = next(remaining, None)
        if script is None:
            msg = "the script is over, but the model was asked again"
            raise ProviderError(msg)
        async for data in _played(script, sleep, pace):
            yield data

    return play


def play_request(sleep: Sleep, *, pace: float = 1.0) -> Transport:
    """Play the script in the request itself: the transport of a model that is a function."""

    async def play(request: HttpRequest) -> AsyncIterator[bytes]:
        async for data in _played(parse_script(request.body.decode()), sleep, pace):
            yield data

    return play


async def _played(script: Sequence[Beat], sleep: Sleep, pace: float) -> AsyncIterator[bytes]:
    for beat in script:
        if beat.after * pace > 0:
            await sleep(beat.after * pace)
        if beat.error is not None:
            raise beat.error
        yield beat.data
