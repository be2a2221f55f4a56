"""What a tool is, and what it is told when it is run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from ..types import Persona, Scene, ToolCall, ToolSpec


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool may know of the call that it is run for."""

    call: ToolCall = field(default_factory=lambda: ToolCall("", "", "{}"))
    scene: Scene = field(default_factory=lambda: Scene("", Persona("")))
    """Where, as whom and after what the model answers."""
    key: str = ""
    """The same for the same call of the same turn, whoever makes it: hand it to a service that does nothing twice."""


@dataclass(frozen=True, slots=True)
class Tool:
    """Something a model may have run. ``tool`` in ``cadenza.tools.functions`` makes one of a function."""

    spec: ToolSpec
    run: Callable[[Mapping[str, object], ToolContext], Awaitable[object]]
    """Takes the arguments, gives back what the model is told: a text, media, data that it is told as JSON, a list of
    these, or a ``ToolResult``. A ``ToolError`` is told to the model; of any other error, only that there was one.
    """
    seconds: float | None = None
    """After so long it is stopped; ``None`` leaves it to the settings."""
    needs_answer: bool = False
    """Whether its results are of no use unless the model says something about them, as those of a search."""
    settles: bool = False
    """Whether a model that had said something before the call has nothing to add when it succeeded."""
    once: bool = False
    """Whether it is taken away for the rest of the reply when it has succeeded."""
    repeatable: bool = False
    """Whether another model that takes over may run it again with the same arguments; if not, it is told what came of it."""
    needs_consent: bool = False
    """Whether somebody is asked before it is run."""
    check: Callable[[Mapping[str, object]], Mapping[str, object]] | None = None
    """What it will be run with, given these arguments; raises a ``ToolError`` that tells the model what is wrong.

    Asked before anybody is asked for consent; ``run`` is given the arguments as they came all the same.
    """
