"""What several dialects share: JSON bodies, inline media, tool schemas, room for thoughts."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from ...types import Media, Thinking, ToolCall, ToolSpec
from .dialect import as_json

THOUGHT_TOKENS: Mapping[Thinking, int] = MappingProxyType(
    {Thinking.NONE: 0, Thinking.LOW: 1024, Thinking.MEDIUM: 4096, Thinking.HIGH: 8192, Thinking.AUTO: 8192}
)
"""Thinking tokens for each level, for APIs that want a number."""

_ALIASES = {"image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "image/x-png": "image/png"}


class InlineMedia(NamedTuple):
    """A medium inside a request."""

    mime: str
    base64: str

    @property
    def uri(self) -> str:
        """As a ``data:`` URI."""
        return f"data:{self.mime};base64,{self.base64}"


def written(body: Mapping[str, object], extra: Mapping[str, object]) -> bytes:
    """*body* and *extra* as JSON; equal fields give equal bytes.

    An extra field replaces one of the same name; ``None`` removes it.
    """
    return as_json({name: value for name, value in {**body, **extra}.items() if value is not None})


def within(body: Mapping[str, object], extra: Mapping[str, object]) -> Mapping[str, object]:
    """The fields of *extra*, with objects merged into the object of the same name in *body*."""
    ours = ((name, body.get(name), value) for name, value in extra.items())
    return {
        name: {**there, **value} if isinstance(there, Mapping) and isinstance(value, Mapping) else value
        for name, there, value in ours
    }


def schema(tool: ToolSpec) -> Mapping[str, object]:
    """The JSON schema of *tool*. APIs refuse an empty schema, so it names at least an empty object."""
    return {"type": "object", "properties": {}, **tool.parameters}


def inline(media: Media) -> InlineMedia | None:
    """The data of *media*; ``None`` if there is only a link."""
    if media.data:
        return InlineMedia(_mime(media.mime), b64encode(media.data).decode("ascii"))
    head, comma, data = media.url.partition(",")
    if not comma or not head.startswith("data:") or not head.endswith(";base64") or not data:
        return None
    named = head.removeprefix("data:").removesuffix(";base64").partition(";")[0]
    return InlineMedia(_mime(named or media.mime), data)


def link(media: Media) -> str:
    """The public address of *media*; empty if there is none."""
    return media.url if media.url.startswith(("https://", "http://")) else ""


def _mime(name: str) -> str:
    name = name.lower().partition(";")[0].strip()
    return _ALIASES.get(name, name)


def state_of(call: ToolCall, owner: str) -> dict[str, object]:
    """The state attached to *call*; empty unless *owner* attached it."""
    return object_of(call.state.data) if call.state is not None and call.state.owner == owner else {}


def object_of(text: str) -> dict[str, object]:
    """The JSON object in *text*; empty if there is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
