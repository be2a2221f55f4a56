"""Recorded streams: what providers send, byte for byte, and what it comes to.

``streams/VENDOR/NAME.EXT`` holds the bytes of a body, and ``NAME.json`` beside it the chunks that it must become,
however it is sliced. ``.sse`` is server-sent events, ``.ndjson`` a line an event, ``.array`` one JSON array.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from random import Random

from cadenza.errors import ProviderError
from cadenza.stages.s3_chunks import NO_PROMPT, Chunks, Codec
from cadenza.types import Chunk, Ending, Failed, Opaque, Prompt, TextDelta, ThoughtDelta

STREAMS = Path(__file__).parent / "streams"


def recorded(vendor: str) -> list[Path]:
    """The recorded streams of *vendor*."""
    return sorted(path for path in (STREAMS / vendor).iterdir() if path.suffix != ".json")


def decoded(codec: Codec, slices: Iterable[bytes], prompt: Prompt = NO_PROMPT) -> list[Chunk]:
    """What *slices* of a body come to."""
    framing, chunks = codec.framing(), Chunks(codec.decoder(prompt))
    heard: list[Chunk] = []
    for data in slices:
        heard += chunks.feed_all(framing.feed(data))
    heard += chunks.feed_all(framing.flush(Ending.FINAL))
    return [*heard, *chunks.flush(Ending.FINAL)]


def every_slicing(body: bytes, *, times: int = 20) -> Iterator[list[bytes]]:
    """*body* whole, byte by byte, and in random slices."""
    yield [body]
    yield [body[index : index + 1] for index in range(len(body))]
    dice = Random(len(body))
    for _ in range(times):
        cuts = sorted(dice.sample(range(len(body) + 1), min(len(body), dice.randint(1, 30))))
        yield [body[start:end] for start, end in zip([0, *cuts], [*cuts, len(body)], strict=True)]


def joined(chunks: Iterable[Chunk]) -> list[Chunk]:
    """*chunks* with neighbouring words and neighbouring thoughts made one: how they were cut does not matter."""
    out: list[Chunk] = []
    for chunk in chunks:
        match out[-1] if out else None, chunk:
            case TextDelta(before), TextDelta(text):
                out[-1] = TextDelta(before + text)
            case ThoughtDelta(before), ThoughtDelta(text):
                out[-1] = ThoughtDelta(before + text)
            case _:
                out.append(chunk)
    return out


def written(chunks: Iterable[Chunk]) -> list[dict[str, object]]:
    """*chunks* as they stand in the ``.json`` files: the name of each and what of it is not the default."""
    return [{"chunk": type(chunk).__name__, **_fields(chunk)} for chunk in joined(chunks)]


def _fields(chunk: Chunk) -> dict[str, object]:
    if isinstance(chunk, Failed):
        error = chunk.error
        assert isinstance(error, ProviderError)
        return {"kind": error.kind.value, "code": error.code, "retryable": error.retryable}
    values = {spec.name: getattr(chunk, spec.name) for spec in fields(chunk)}
    state = values.get("state")
    if isinstance(state, Opaque):
        values["state"] = {"owner": state.owner, "data": json.loads(state.data)}
    return {name: value for name, value in values.items() if value not in (None, "", 0, False)}


def expected(stream: Path) -> list[dict[str, object]]:
    """What *stream* must come to."""
    found: list[dict[str, object]] = json.loads(stream.with_suffix(".json").read_text(encoding="utf-8"))
    return found
