"""A model that says what it was told to say: for the demo, for tests, and to replay what really happened.

A script is JSON lines, one thing a line, each with the seconds to wait before it::

    {"after": 0.02, "text": "Hello "}
    {"thought": "They greeted me."}
    {"tool": {"id": "1", "name": "weather", "arguments": {"city": "Oslo"}}}
    {"usage": {"input_tokens": 10, "output_tokens": 4}}
    {"finish": "stop"}
    {"error": "the model is overloaded"}

It passes the same stages as any other dialect: its bytes are framed, decoded and delivered like the rest.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass

from ..errors import InputError, ProviderError
from ..stages.s2_generation import JsonLines, Transport
from ..stages.s3_chunks import NO_PROMPT
from ..types import (
    Chunk,
    Ending,
    Failed,
    Finished,
    HttpRequest,
    Prompt,
    RawEvent,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Usage,
)
from .dialect import Dialect, Endpoint

Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Beat:
    """Some bytes of a script, and the seconds to wait before them."""

    after: float
    data: bytes


class ScriptedCodec(Dialect):
    """The dialect of scripts."""

    def __init__(self) -> None:
        super().__init__(Endpoint("script", "script", "script:"))

    def encode(self, prompt: Prompt, /) -> HttpRequest:
        """Write down what the model is asked; a script does not listen, but a test may look."""
        body = {"system": prompt.system, "turns": [[turn.role.value, turn.text] for turn in prompt.turns]}
        return HttpRequest("script:", json.dumps(body).encode())

    def framing(self) -> JsonLines:
        """One event a line."""
        return JsonLines()

    def decoder(self, prompt: Prompt = NO_PROMPT, /) -> ScriptedDecoder:  # noqa: ARG002  # a script does not listen
        """A fresh decoder."""
        return ScriptedDecoder()


class ScriptedDecoder:
    """Reads the lines of a script."""

    def feed(self, event: RawEvent, /) -> Sequence[Chunk]:
        """Read one line; a broken one ends the stream as a provider's nonsense would."""
        try:
            return [_chunk(json.loads(event.data))]
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            return [Failed(ProviderError(f"a line of the script cannot be read: {error}"))]

    def flush(self, why: Ending, /) -> Sequence[Chunk]:  # noqa: ARG002  # a line is whole or it is not there
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
            return ToolCall(str(rest.get("id", name)), name, written)
        case {"usage": {"input_tokens": int(read), "output_tokens": int(written)}}:
            return Usage(read, written)
        case {"finish": str(reason)}:
            return Finished(reason)
        case {"error": str(message)}:
            return Failed(ProviderError(message))
        case _:
            msg = f"expected text, thought, tool, usage, finish or error, not {json.dumps(line)[:80]}"
            raise ValueError(msg)


def parse_script(text: str) -> tuple[Beat, ...]:
    """Read a script, and refuse one that could not be played."""
    beats = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
            _chunk(value)
            after = float(value.get("after", 0.0))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            msg = f"line {number} of the script cannot be read: {error}"
            raise InputError(msg) from None
        if not after >= 0:
            msg = f"line {number} of the script cannot be read: 'after' must not be negative"
            raise InputError(msg)
        beats.append(Beat(after, line.encode("utf-8", "surrogatepass") + b"\n"))
    return tuple(beats)


def spoken(text: str, *, size: int = 4, after: float = 0.0) -> tuple[Beat, ...]:
    """A script that says *text* in tokens of *size* characters."""
    pieces = (text[start : start + size] for start in range(0, len(text), size))
    return tuple(Beat(after, json.dumps({"text": piece}).encode() + b"\n") for piece in pieces)


def transport(scripts: Iterable[Sequence[Beat]], sleep: Sleep) -> Transport:
    """Play one script a request, in their order; *sleep* is handed in, so that time can be anybody's."""
    remaining = iter(scripts)

    async def play(_: HttpRequest) -> AsyncIterator[bytes]:
        script = next(remaining, None)
        if script is None:
            msg = "the script is over, but the model was asked again"
            raise ProviderError(msg)
        for beat in script:
            if beat.after:
                await sleep(beat.after)
            yield beat.data

    return play
