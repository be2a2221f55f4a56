"""Calls that a model writes into its text: which tools there are, what they take, and what the calls are known by."""

from __future__ import annotations

from ...types import Prompt, ToolCall, ToolSpec
from ..dialects.call_arguments import tool_call


class TextCalls:
    """The calls of one answer. Their ids are made of name and number, and no two of a conversation are the same."""

    def __init__(self, prompt: Prompt) -> None:
        self._tools = {tool.name: tool for tool in prompt.tools}
        self._number = sum(len(turn.calls) for turn in prompt.turns)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools that there are."""
        return tuple(self._tools)

    def call(self, name: str, arguments: str) -> ToolCall:
        """A call of *name* with *arguments*, a JSON object or what there is of one."""
        number = self._number
        self._number += 1
        return tool_call(f"{name}-{number}", name, arguments)

    def parameters(self, name: str) -> tuple[str, ...]:
        """What the tool *name* takes, in the order in which the model was told."""
        properties = self._schema(name).get("properties")
        return tuple(properties) if isinstance(properties, dict) else ()

    def required(self, name: str) -> tuple[str, ...]:
        """What the tool *name* cannot do without."""
        required = self._schema(name).get("required")
        return tuple(required) if isinstance(required, list | tuple) else ()

    def only_text(self, name: str) -> str | None:
        """The one parameter that the tool *name* cannot do without, if it is one and a text."""
        required, properties = self.required(name), self._schema(name).get("properties")
        if len(required) != 1 or not isinstance(properties, dict):
            return None
        parameter = properties.get(required[0])
        return required[0] if isinstance(parameter, dict) and parameter.get("type") == "string" else None

    def _schema(self, name: str) -> dict[str, object]:
        tool: ToolSpec | None = self._tools.get(name)
        return dict(tool.parameters) if tool is not None else {}
