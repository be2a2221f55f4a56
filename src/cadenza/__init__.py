"""Cadenza delivers a language model's stream to a chat as natural messages.

``await cadenza.say(target, stream)`` is the door; everything else is here for those who want to look inside.
What is used is imported when it is first used, so that ``import cadenza`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .backstage import Backstage
    from .connections import connect
    from .errors import Aspect, CadenzaError, DeliveryError, ErrorKind, InputError, ProviderError, SettingsError
    from .http import Http
    from .lookups import Lookup
    from .models import Model
    from .pipeline import clean
    from .replies import reply, say
    from .rules import RULES, Rule, RuleContext
    from .settings import Settings
    from .stages.s6_rules import rule_row
    from .stages.s7_delivery import Limits, Target
    from .stops import StopHandle, Stops
    from .streams import from_stream
    from .targets.memory import MemoryTarget
    from .text.prose import Edit
    from .tools.tool import Tool
    from .types import (
        Attachment,
        Boundary,
        Broke,
        Chunk,
        Completed,
        ContextItem,
        Empty,
        Ending,
        Failed,
        Finished,
        Halt,
        Identity,
        Kind,
        Line,
        Media,
        MediaKind,
        NeedsTools,
        Note,
        Outcome,
        Participant,
        Persona,
        Post,
        Receipt,
        Reply,
        Role,
        Roster,
        Scene,
        Segment,
        Served,
        Sprite,
        Stopped,
        StopReason,
        Tag,
        TextDelta,
        ThoughtDelta,
        ToolCall,
        ToolSpec,
        Usage,
    )

__version__ = "0.1.0"

__all__ = [
    "RULES",
    "Aspect",
    "Attachment",
    "Backstage",
    "Boundary",
    "Broke",
    "CadenzaError",
    "Chunk",
    "Completed",
    "ContextItem",
    "DeliveryError",
    "Edit",
    "Empty",
    "Ending",
    "ErrorKind",
    "Failed",
    "Finished",
    "Halt",
    "Http",
    "Identity",
    "InputError",
    "Kind",
    "Limits",
    "Line",
    "Lookup",
    "Media",
    "MediaKind",
    "MemoryTarget",
    "Model",
    "NeedsTools",
    "Note",
    "Outcome",
    "Participant",
    "Persona",
    "Post",
    "ProviderError",
    "Receipt",
    "Reply",
    "Role",
    "Roster",
    "Rule",
    "RuleContext",
    "Scene",
    "Segment",
    "Served",
    "Settings",
    "SettingsError",
    "Sprite",
    "StopHandle",
    "StopReason",
    "Stopped",
    "Stops",
    "Tag",
    "Target",
    "TextDelta",
    "ThoughtDelta",
    "Tool",
    "ToolCall",
    "ToolSpec",
    "Usage",
    "__version__",
    "clean",
    "connect",
    "from_stream",
    "reply",
    "rule_row",
    "say",
]

_HOMES = (
    "errors",
    "types",
    "settings",
    "text.prose",
    "rules",
    "stages.s6_rules",
    "stages.s7_delivery",
    "targets.memory",
    "stops",
    "tools.tool",
    "lookups",
    "backstage",
    "models",
    "streams",
    "pipeline",
    "replies",
    "connections",
    "http",
)
"""The modules in which the public names live, the lightest first."""


def __getattr__(name: str) -> object:
    """Import the home of a public name when it is first asked for."""
    if name in __all__:
        for home in _HOMES:
            module = import_module(f".{home}", __name__)
            if name in vars(module):
                value: object = vars(module)[name]
                globals()[name] = value
                return value
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return list(__all__)
