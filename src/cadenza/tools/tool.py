"""A tool, and the context of a call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from ..types import Persona, Scene, ToolCall, ToolSpec


@dataclass(frozen=True, slots=True)
class ToolContext:
    """The call that a tool is run for."""

    call: ToolCall = field(default_factory=lambda: ToolCall("", "", "{}"))
    scene: Scene = field(default_factory=lambda: Scene("", Persona("")))
    """The channel, the persona and the history of the reply."""
    key: str = ""
    """An idempotency key: the same for the same call of the same turn, also by a fallback model."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that a model may call. ``cadenza.tools.functions.tool`` makes one from a Python function."""

    spec: ToolSpec
    run: Callable[[Mapping[str, object], ToolContext], Awaitable[object]]
    """Takes the arguments and returns a text, media, data for JSON, a list of these, or a ``ToolResult``.

    The model gets the text of a ``ToolError``, and only the type of any other exception.
    """
    seconds: float | None = None
    """Timeout; ``None`` means the setting ``tool_timeout``."""
    needs_answer: bool = False
    """Whether the model must answer after it, as after a search."""
    settles: bool = False
    """Whether its success ends the turn of a model that said something before the call."""
    once: bool = False
    """Whether it is removed for the rest of the reply after a success."""
    repeatable: bool = False
    """Whether a fallback model may run the same call again; otherwise it gets the earlier result."""
    needs_consent: bool = False
    """Whether consent is asked for before it is run."""
    check: Callable[[Mapping[str, object]], Mapping[str, object]] | None = None
    """Converts the arguments, or raises a ``ToolError`` for the model.

    It runs before consent is asked for; ``run`` still gets the arguments as they came.
    """
