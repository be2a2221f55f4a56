"""What an MCP server lists, in our words: a name that every provider takes, and what is known of the tool."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...types import ToolSpec
from .schemas import parameters

if TYPE_CHECKING:
    from mcp_types import Tool as Listed

_ODD = re.compile(r"[^A-Za-z0-9_-]")
_BEGINNING = re.compile(r"[A-Za-z_]")
_LONGEST = 64
"""Characters of a name: the fewest that any provider takes."""
_DIGEST = 8


@dataclass(frozen=True, slots=True)
class ListedTool:
    """A tool of a server."""

    name: str
    """What the server calls it."""
    spec: ToolSpec
    """What the model is told."""
    repeatable: bool
    """Whether the server says that calling it twice does no more than calling it once."""
    destroys: bool
    """Whether it may destroy something; that is so unless the server says that it only reads or adds."""


def offers(listed: Iterable[Listed], prefix: str = "") -> tuple[ListedTool, ...]:
    """The tools that a server has *listed*, *prefix* before their names; one that is listed twice counts once."""
    tools: dict[str, Listed] = {}
    for tool in listed:
        tools.setdefault(tool.name, tool)
    return tuple(_offer(tools[name], shown) for name, shown in names(tools, prefix).items())


def names(given: Iterable[str], prefix: str = "") -> dict[str, str]:
    """What a model is to call the tools with the *given* names: never two of them the same, and the same every time.

    One that providers take as it is stays so; what two would share after a change is told apart by a digest.
    """
    plain = {name: _plain(prefix + name) for name in given}
    shared = Counter(plain.values())
    return {
        name: shown
        if len(shown) <= _LONGEST and (shown == prefix + name or shared[shown] == 1)
        else f"{shown[: _LONGEST - _DIGEST - 1]}_{_digest(name)}"
        for name, shown in plain.items()
    }


def _plain(name: str) -> str:
    shown = _ODD.sub("_", name)
    return shown if _BEGINNING.match(shown) else f"_{shown}"


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:_DIGEST]


def _offer(tool: Listed, shown: str) -> ListedTool:
    hints = tool.annotations
    reads = bool(hints and hints.read_only_hint)
    description = tool.description or tool.title or (hints.title if hints else None) or ""
    return ListedTool(
        tool.name,
        ToolSpec(shown, description.strip(), parameters(tool.input_schema)),
        repeatable=reads or bool(hints and hints.idempotent_hint),
        destroys=not reads and (hints is None or hints.destructive_hint is not False),
    )
