"""Calls that a model writes as text: the known tools, their parameters, and ids for the calls."""

from __future__ import annotations

from ...types import Prompt, ToolCall, ToolSpec
from ..dialects.call_arguments import tool_call


class TextCalls:
    """The calls of one answer. Ids are made from name and number, and are unique in the conversation."""

    def __init__(self, prompt: Prompt) -> None:
        self._tools = {tool.name: tool for tool in prompt.tools}
        self._number = sum(len(turn.calls) for turn in prompt.turns)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools."""
        return tuple(self._tools)

    def call(self, name: str, arguments: str) -> ToolCall:
        """A call of *name* with *arguments*, a JSON object, possibly cut off."""
        number = self._number
        self._number += 1
        return tool_call(f"{name}-{number}", name, arguments)

    def parameters(self, name: str) -> tuple[str, ...]:
        """The parameters of the tool *name*, in the order of its schema."""
        properties = self._schema(name).get("properties")
        return tuple(properties) if isinstance(properties, dict) else ()

    def required(self, name: str) -> tuple[str, ...]:
        """The required parameters of the tool *name*."""
        required = self._schema(name).get("required")
        return tuple(required) if isinstance(required, list | tuple) else ()

    def only_text(self, name: str) -> str | None:
        """The only required parameter of the tool *name*, if there is just one and it is a text."""
        required, properties = self.required(name), self._schema(name).get("properties")
        if len(required) != 1 or not isinstance(properties, dict):
            return None
        parameter = properties.get(required[0])
        return required[0] if isinstance(parameter, dict) and parameter.get("type") == "string" else None

    def _schema(self, name: str) -> dict[str, object]:
        tool: ToolSpec | None = self._tools.get(name)
        return dict(tool.parameters) if tool is not None else {}
