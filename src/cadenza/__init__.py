"""Cadenza delivers a language model's stream to a chat as natural messages.

``await cadenza.say(channel, stream)`` is the door; everything else is here for those who want to look inside.
What is used is imported when it is first used, so that ``import cadenza`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .backstage import Backstage
    from .connections import connect, scripted
    from .doors import Speaker, say
    from .errors import (
        Aspect,
        CadenzaError,
        DeliveryError,
        DeliveryKind,
        ErrorKind,
        InputError,
        ProviderError,
        SettingsError,
        ToolError,
    )
    from .http import Http
    from .keys import Keyring
    from .lookups import Lookup
    from .models import Model
    from .pipeline import clean
    from .replies import reply
    from .rules import RULES, Rule, RuleContext
    from .settings import DeliverySettings, Settings
    from .stages.s6_rules import rule_row
    from .stops import StopHandle, StopRegistry, Stops
    from .streams import from_stream
    from .targets.console import ConsoleTarget
    from .targets.discord import DiscordTarget, ReplyTarget
    from .targets.house import House
    from .targets.memory import MemoryTarget
    from .targets.target import Allowance, Calling, Limits, Markup, Metered, Target
    from .targets.webhooks import Webhooks, WebhookStore
    from .text.prose import Edit
    from .text.rendering import Marks
    from .tools.consent import Consent, Deliberate
    from .tools.functions import tool
    from .tools.mcp import McpServer
    from .tools.tool import Tool, ToolContext
    from .trace import JsonLines, Traced
    from .turns import Closing, Dropped, Heard, Stopping, Turn, Turns, Verdict, Why
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
        Failure,
        Finished,
        Halt,
        Identity,
        Kind,
        Line,
        Media,
        MediaKind,
        NeedsTools,
        Note,
        Notice,
        Outcome,
        Participant,
        Persona,
        Post,
        Prompt,
        Receipt,
        Reply,
        Role,
        Roster,
        Scene,
        Segment,
        Served,
        Sprite,
        Stalled,
        Stopped,
        StopReason,
        Tag,
        TextDelta,
        ThoughtDelta,
        ToolCall,
        ToolResult,
        ToolSpec,
        ToolUse,
        Urgency,
        Usage,
    )

__version__ = "0.1.0"

__all__ = [
    "RULES",
    "Allowance",
    "Aspect",
    "Attachment",
    "Backstage",
    "Boundary",
    "Broke",
    "CadenzaError",
    "Calling",
    "Chunk",
    "Closing",
    "Completed",
    "Consent",
    "ConsoleTarget",
    "ContextItem",
    "Deliberate",
    "DeliveryError",
    "DeliveryKind",
    "DeliverySettings",
    "DiscordTarget",
    "Dropped",
    "Edit",
    "Empty",
    "Ending",
    "ErrorKind",
    "Failed",
    "Failure",
    "Finished",
    "Halt",
    "Heard",
    "House",
    "Http",
    "Identity",
    "InputError",
    "JsonLines",
    "Keyring",
    "Kind",
    "Limits",
    "Line",
    "Lookup",
    "Marks",
    "Markup",
    "McpServer",
    "Media",
    "MediaKind",
    "MemoryTarget",
    "Metered",
    "Model",
    "NeedsTools",
    "Note",
    "Notice",
    "Outcome",
    "Participant",
    "Persona",
    "Post",
    "Prompt",
    "ProviderError",
    "Receipt",
    "Reply",
    "ReplyTarget",
    "Role",
    "Roster",
    "Rule",
    "RuleContext",
    "Scene",
    "Segment",
    "Served",
    "Settings",
    "SettingsError",
    "Speaker",
    "Sprite",
    "Stalled",
    "StopHandle",
    "StopReason",
    "StopRegistry",
    "Stopped",
    "Stopping",
    "Stops",
    "Tag",
    "Target",
    "TextDelta",
    "ThoughtDelta",
    "Tool",
    "ToolCall",
    "ToolContext",
    "ToolError",
    "ToolResult",
    "ToolSpec",
    "ToolUse",
    "Traced",
    "Turn",
    "Turns",
    "Urgency",
    "Usage",
    "Verdict",
    "WebhookStore",
    "Webhooks",
    "Why",
    "__version__",
    "clean",
    "connect",
    "from_stream",
    "reply",
    "rule_row",
    "say",
    "scripted",
    "tool",
]

_HOMES = (
    "errors",
    "types",
    "settings",
    "text.prose",
    "rules",
    "stages.s6_rules",
    "targets.target",
    "text.rendering",
    "targets.memory",
    "stops",
    "tools.tool",
    "tools.consent",
    "tools.functions",
    "keys",
    "trace",
    "turns",
    "tools.mcp",
    "lookups",
    "backstage",
    "models",
    "streams",
    "pipeline",
    "doors",
    "replies",
    "connections",
)
"""The modules in which the public names live, the lightest first."""
_FAR_HOMES = {
    "ConsoleTarget": "targets.console",
    "DiscordTarget": "targets.discord",
    "House": "targets.house",
    "Http": "http",
    "ReplyTarget": "targets.discord",
    "WebhookStore": "targets.webhooks",
    "Webhooks": "targets.webhooks",
}
"""And those that nobody should enter for somebody else's name: they are heavy, or have a word of their own for it."""


def __getattr__(name: str) -> object:
    """Import the home of a public name when it is first asked for."""
    if name in __all__:
        for home in (_FAR_HOMES[name],) if name in _FAR_HOMES else _HOMES:
            module = import_module(f".{home}", __name__)
            if name in vars(module):
                value: object = vars(module)[name]
                globals()[name] = value
                return value
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return list(__all__)
