"""Cadenza delivers a language model's stream to a chat as natural messages.

``await cadenza.say(target, stream)`` is the door; everything else is here for those who want to look inside.
"""

from __future__ import annotations

from .errors import CadenzaError, DeliveryError, InputError, ProviderError, SettingsError
from .pipeline import Model
from .reply import reply, say
from .rules import RULES, Rule, RuleContext
from .settings import Settings
from .stages.s7_delivery import Limits, Target
from .stops import StopHandle, Stops
from .targets.memory import MemoryTarget
from .tools import Tool
from .types import (
    Attachment,
    Boundary,
    Broke,
    Completed,
    Empty,
    Ending,
    Failed,
    Finished,
    Halt,
    Identity,
    Kind,
    Line,
    NeedsTools,
    Outcome,
    Persona,
    Post,
    Receipt,
    Reply,
    Roster,
    Scene,
    Segment,
    Sprite,
    Stopped,
    StopReason,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    ToolSpec,
    Usage,
)

__version__ = "0.1.0"

__all__ = [
    "RULES",
    "Attachment",
    "Boundary",
    "Broke",
    "CadenzaError",
    "Completed",
    "DeliveryError",
    "Empty",
    "Ending",
    "Failed",
    "Finished",
    "Halt",
    "Identity",
    "InputError",
    "Kind",
    "Limits",
    "Line",
    "MemoryTarget",
    "Model",
    "NeedsTools",
    "Outcome",
    "Persona",
    "Post",
    "ProviderError",
    "Receipt",
    "Reply",
    "Roster",
    "Rule",
    "RuleContext",
    "Scene",
    "Segment",
    "Settings",
    "SettingsError",
    "Sprite",
    "StopHandle",
    "StopReason",
    "Stopped",
    "Stops",
    "Target",
    "TextDelta",
    "ThoughtDelta",
    "Tool",
    "ToolCall",
    "ToolSpec",
    "Usage",
    "__version__",
    "reply",
    "say",
]
