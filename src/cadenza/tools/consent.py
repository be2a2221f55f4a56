"""Whether a call may be run: somebody is asked, or a list says so."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ..types import ToolCall
from .tool import Tool

Answer: TypeAlias = bool | str
"""``True`` lets the tool be run; ``False`` does not, and a text says why not."""
Consent: TypeAlias = Callable[[Tool, ToolCall, Mapping[str, object]], Awaitable[Answer] | Answer]
"""Asked before a tool that needs consent is run, with the arguments that it will be run with."""

NOBODY = "nobody is there who could be asked for consent"


@dataclass(frozen=True, slots=True)
class ConsentPolicy:
    """A consent that is asked about every call: only tools that are *exposed* are run.

    Those of them that need consent are run if *consent* gives it.
    """

    exposed: Collection[str]
    consent: Consent | None = None

    def __call__(self, tool: Tool, call: ToolCall, arguments: Mapping[str, object], /) -> Awaitable[Answer] | Answer:
        """Refuse what is not exposed."""
        if tool.spec.name not in self.exposed:
            return f"it is not exposed in this conversation; exposed are: {', '.join(self.exposed) or 'none'}"
        if not tool.needs_consent:
            return True
        return self.consent(tool, call, arguments) if self.consent else NOBODY
