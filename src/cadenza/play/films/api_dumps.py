"""Recognises the dialect of a saved or copied HTTP response, and decodes it.

Only its content says which vendor sent it. The lines that ``curl -i`` and ``curl -v`` add are skipped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from ...models.dialects.scripted import Beat as Slice
from ...models.recordings import RecordedAnswer, heard
from ...types import Chunk, Failed, TextDelta, ThoughtDelta, ToolCall
from .split_dumps import events_parted, lines_parted

_NOISE = re.compile(r"[*<>] |[{}] \[\d+ bytes data\]|\$ |\s*(?:%|Dload|\d+ +\d)|[*<>]?\s*$")
"""A line that curl or the shell wrote besides the body."""
_FIELD = re.compile(r"(?:data|event|id|retry)?:")
_DATA = re.compile(r"^(data:.*)$", re.MULTILINE)
_EMPTY_LINE = re.compile(r"\r?\n\r?\n|\r\r")
_LOOKED_AT = 50
"""Events that are inspected to find the dialect."""

_ANTHROPIC = frozenset(
    {
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
        "ping",
    }
)
_STORYTELLER = "kayra-v1"
"""Vendors whose streams are bare tokens."""
_NAMES: Mapping[str, str] = {
    "openai": "OpenAI's chat completions",
    "openai-responses": "OpenAI's responses",
    "anthropic": "Anthropic's messages",
    "google": "Google's generateContent",
    "ollama": "Ollama's chat",
    "novelai": "NovelAI",
}


@dataclass(frozen=True, slots=True)
class Dump:
    """An answer that was recognised."""

    dialect: str
    """In words."""
    model: str
    """The model that the response names; empty if it names none."""
    chunks: tuple[Chunk, ...]


def recognised(text: str) -> list[Dump]:
    """The responses in *text*, in order; empty if no dialect is recognised."""
    body = _body(text)
    if _FIELD.match(body):
        body = body if _EMPTY_LINE.search(body.rstrip()) else _DATA.sub(r"\1\n", body)  # lost when it was copied
        first, *others = events_parted(body)
        found = [_read(first), *(_read(part, is_doubtful=True) for part in others)]
    elif body.startswith(("{", "[")):
        found = [_read(part, is_doubtful=True) for part in lines_parted(body)]
    else:
        return []
    return [dump for dump in found if dump is not None]


def _read(body: str, *, is_doubtful: bool = False) -> Dump | None:
    """Decode *body*. If *is_doubtful*, it may only look like a response, so it must contain text."""
    objects = list(islice(_objects(_events(body) if _DATA.search(body) else _documents(body)), _LOOKED_AT))
    vendor = next(filter(None, map(_vendor, objects)), "") or _of_an_error(objects)
    if not vendor:
        return None
    model = next((name for one in objects if (name := _model(one))), "")
    is_token = any("token" in one for one in objects)
    asked = _STORYTELLER if vendor == "novelai" and is_token else model
    chunks = tuple(heard(RecordedAnswer(vendor, asked, (Slice(0.0, body.encode("utf-8", "surrogatepass")),))))
    if is_doubtful and not _is_answer(objects, chunks):
        return None
    return Dump(_NAMES.get(vendor, _NAMES["openai"]), model, chunks)


def _is_answer(objects: Iterable[Mapping[str, object]], chunks: Iterable[Chunk]) -> bool:
    """Whether some JSON is a response, and does not only look like one."""
    is_error = any("error" in one or "promptFeedback" in one for one in objects)
    return any(
        isinstance(one, TextDelta | ThoughtDelta | ToolCall) or (is_error and isinstance(one, Failed)) for one in chunks
    )


def _body(text: str) -> str:
    """*text* without the lines before the body."""
    lines = text.replace("\r\n", "\n").removeprefix("\ufeff").split("\n")
    start = 0
    while start < len(lines) and _NOISE.match(lines[start]):
        start += 1
    while start < len(lines) and lines[start].startswith("HTTP/"):
        while start < len(lines) and lines[start].strip():
            start += 1
        while start < len(lines) and not lines[start].strip():
            start += 1
    return "\n".join(lines[start:])


def _events(body: str) -> Iterator[str]:
    return (line.partition(":")[2].strip() for line in body.split("\n") if line.startswith("data:"))


def _documents(body: str) -> Iterator[str]:
    """Each line, and all of it."""
    yield body
    yield from body.split("\n")


def _objects(texts: Iterable[str]) -> Iterator[Mapping[str, object]]:
    for text in islice(texts, _LOOKED_AT):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            continue
        yield from (one for one in (value if isinstance(value, list) else [value]) if isinstance(one, dict))


def _vendor(one: Mapping[str, object]) -> str:
    """The vendor that *one* comes from, if it can be told."""
    match one:
        case {"type": str(kind)} if kind.startswith("response."):
            return "openai-responses"
        case {"type": str(kind)} if kind in _ANTHROPIC:
            return "anthropic"
        case {"candidates": list()} | {"promptFeedback": dict()} | {"usageMetadata": dict()}:
            return "google"
        case {"choices": [{"text": str(), **rest}, *_]} if not {"delta", "message"} & rest.keys():
            return "novelai"
        case {"choices": list(), "provider": str()}:
            return "openrouter"
        case {"choices": list()}:
            return "custom"
        case {"token": str(), "ptr": int()} | {"token": str(), "final": bool()}:
            return "novelai"
        case {"done": bool(), "message": dict()}:
            return "ollama"
        case _:
            return ""


def _of_an_error(objects: Iterable[Mapping[str, object]]) -> str:
    """The vendor that reports errors in this form, for a response with nothing else in it."""
    for one in objects:
        match one:
            case {"type": "error", "error": {"type": str()}}:
                return "anthropic"
            case {"error": {"code": int(), "status": str()}}:
                return "google"
            case {"error": {"message": str()}}:
                return "custom"
            case _:
                pass
    return ""


def _model(one: Mapping[str, object]) -> str:
    match one:
        case {"model": str(name)} | {"modelVersion": str(name)}:
            return name
        case {"message": {"model": str(name)}} | {"response": {"model": str(name)}}:
            return name
        case _:
            return ""
