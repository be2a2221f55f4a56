"""Consent to tool calls: by asking a person, or by a list of allowed tools."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ..types import ToolCall
from .tool import Tool

Answer: TypeAlias = bool | str
"""``True`` allows the call, ``False`` refuses it, and a text refuses it with a reason."""
Consent: TypeAlias = Callable[[Tool, ToolCall, Mapping[str, object]], Awaitable[Answer] | Answer]
"""Called before a tool that needs consent is run, with the arguments that it will get."""

NOBODY = "it needs consent, and there is nobody to ask"


@dataclass(frozen=True, slots=True)
class ConsentPolicy:
    """A consent for every call: only the *exposed* tools are run, and those that need it ask *consent*."""

    exposed: Collection[str]
    consent: Consent | None = None

    def __call__(self, tool: Tool, call: ToolCall, arguments: Mapping[str, object], /) -> Awaitable[Answer] | Answer:
        """Refuse what is not exposed."""
        if tool.spec.name not in self.exposed:
            return f"it is not exposed in this conversation; exposed are: {', '.join(self.exposed) or 'none'}"
        if not tool.needs_consent:
            return True
        return self.consent(tool, call, arguments) if self.consent else NOBODY
