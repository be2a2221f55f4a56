"""What a text is shown as: nodes, as ``docs/films.md`` tells them, and the words in them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from .inline_styles import date_of

Node: TypeAlias = str | dict[str, Any]
"""A text, or an object with its sort as ``is``."""

_SIGNS = {"user": "@", "role": "@", "channel": "#", "command": "/", "everyone": "@", "here": "@"}


def plain(shown: Iterable[Node], *, hidden: str | None = None) -> str:
    """The words of what is *shown*; *hidden*, if it is given, stands for each spoiler."""
    return "".join(_words(node, hidden) for node in shown)


def _words(node: Node, hidden: str | None) -> str:
    match node:
        case str():
            return node
        case {"is": "spoiler"} if hidden is not None:
            return hidden
        case {"is": "code", "text": text}:
            return str(text)
        case {"is": "block", "text": text}:
            return f"{text}\n"
        case {"is": "list", "items": items}:
            return "".join(f"{plain(item, hidden=hidden)}\n" for item in items)
        case {"is": "mention", "sort": sort, "name": name}:
            return f"{_SIGNS[sort]}{name}"
        case {"is": "emoji", "name": name}:
            return f":{name}:"
        case {"is": "time", "seconds": seconds, "style": style}:
            return date_of(seconds, style)
        case {"is": "heading" | "subtext" | "quote", "of": inner}:
            return f"{plain(inner, hidden=hidden)}\n"
        case _:
            return plain(node["of"], hidden=hidden)
