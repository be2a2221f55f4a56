"""What several dialects write alike: a body of JSON, a picture or a tool within it, room for thoughts."""

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
"""How many tokens a model may think, where that has to be a number."""

_ALIASES = {"image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "image/x-png": "image/png"}


class InlineMedia(NamedTuple):
    """A medium that stands in a request itself."""

    mime: str
    base64: str

    @property
    def uri(self) -> str:
        """As a ``data:`` URI."""
        return f"data:{self.mime};base64,{self.base64}"


def written(body: Mapping[str, object], extra: Mapping[str, object]) -> bytes:
    """*body* with the fields of *extra* as JSON, the same bytes for the same fields.

    An extra field replaces one of the same name; ``None`` leaves it out.
    """
    return as_json({name: value for name, value in {**body, **extra}.items() if value is not None})


def within(body: Mapping[str, object], extra: Mapping[str, object]) -> Mapping[str, object]:
    """The fields of *extra*, those that are objects put into the object that *body* has under the same name."""
    ours = ((name, body.get(name), value) for name, value in extra.items())
    return {
        name: {**there, **value} if isinstance(there, Mapping) and isinstance(value, Mapping) else value
        for name, there, value in ours
    }


def schema(tool: ToolSpec) -> Mapping[str, object]:
    """What *tool* takes. One that takes nothing must say so: a schema that is empty is refused."""
    return {"type": "object", "properties": {}, **tool.parameters}


def inline(media: Media) -> InlineMedia | None:
    """What is there of *media* itself; ``None`` if there is only an address."""
    if media.data:
        return InlineMedia(_mime(media.mime), b64encode(media.data).decode("ascii"))
    head, comma, data = media.url.partition(",")
    if not comma or not head.startswith("data:") or not head.endswith(";base64") or not data:
        return None
    named = head.removeprefix("data:").removesuffix(";base64").partition(";")[0]
    return InlineMedia(_mime(named or media.mime), data)


def link(media: Media) -> str:
    """Where *media* can be fetched by anybody; empty if nowhere."""
    return media.url if media.url.startswith(("https://", "http://")) else ""


def _mime(name: str) -> str:
    name = name.lower().partition(";")[0].strip()
    return _ALIASES.get(name, name)


def state_of(call: ToolCall, owner: str) -> dict[str, object]:
    """What *call* carries until it goes back; nothing if it is not *owner*'s."""
    return object_of(call.state.data) if call.state is not None and call.state.owner == owner else {}


def object_of(text: str) -> dict[str, object]:
    """The JSON object that *text* holds; an empty one if it holds none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
