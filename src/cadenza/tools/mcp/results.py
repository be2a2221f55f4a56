"""The answer of an MCP server as text and images for the model."""

from __future__ import annotations

import binascii
import json
from base64 import b64decode
from collections.abc import Sequence

from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from ...types import Media, MediaKind, Part, ToolResult

_NOTHING = "The tool gave nothing back."


def tool_result(answer: CallToolResult) -> ToolResult:
    """Convert *answer*. Content that is there both as text and as data is kept once."""
    parts = [part for block in answer.content if (part := _part(block)) != ""]
    texts = [block.text for block in answer.content if isinstance(block, TextContent)]
    data = answer.structured_content
    if data is not None and not _is_said(data, texts):
        parts.append(_written(data))
    return ToolResult(tuple(parts) or (_NOTHING,), is_error=answer.is_error)


def _part(block: ContentBlock) -> Part:
    match block:
        case TextContent(text=text):
            return str(text)
        case ImageContent(mime_type=mime, data=data):
            return _shown(mime, data) or _unshown("picture", mime, data)
        case AudioContent(mime_type=mime, data=data):
            return _unshown("sound", mime, data)
        case EmbeddedResource(resource=TextResourceContents(uri=uri, text=text)):
            return f"{uri}:\n{text}"
        case EmbeddedResource(resource=BlobResourceContents(uri=uri, mime_type=mime, blob=data)):
            return _shown(mime or "", data) or _unshown("file", mime or "", data, uri)
        case ResourceLink():
            return _link(block)
        case _:
            return "(Content of an unknown type.)"


def _link(link: ResourceLink) -> str:
    named = f"{link.title or link.name}: {link.uri}"
    return f"{named} ({link.description})" if link.description else named


def _shown(mime: str, data: str) -> Media | None:
    """The image or video in *data*, if it is valid."""
    kinds = [kind for kind in MediaKind if mime.lower().startswith(f"{kind.value}/")]
    found = _bytes(data)
    return Media(kinds[0], mime, data=found) if kinds and found else None


def _unshown(what: str, mime: str, data: str, uri: str = "") -> str:
    """A description of content that models do not accept."""
    kind = f" of type {mime}" if mime else ""
    where = f" at {uri}" if uri else ""
    return f"(A {what}{kind}, {len(_bytes(data))} bytes{where}, that cannot be shown here.)"


def _bytes(data: str) -> bytes:
    try:
        return b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return b""


def _is_said(data: object, texts: Sequence[str]) -> bool:
    """Whether *texts* already hold *data*, as the protocol asks; a bare value is data under ``result``."""
    bare = data["result"] if isinstance(data, dict) and data.keys() == {"result"} else data
    said = [_read(text) for text in texts]
    return bool(texts) and (bare in texts or bare in (said, list(texts)) or data in said or bare in said)


def _read(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _written(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, default=str)
