"""Cadenza delivers a language model's stream to a chat as natural messages.

``await cadenza.say(channel, stream)`` is the door; everything else is here for those who want to look inside.
What is used is imported when it is first used, so that ``import cadenza`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .concurrency.stops import StopHandle, StopRegistry, Stops
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
    from .explain.steps import JsonLines, TraceStep
    from .models.connect import connect, scripted
    from .models.http import Http
    from .models.keys import Keyring
    from .models.model import Model
    from .replies.outbox.lookups import Lookup
    from .replies.outbox.prepare import PostPreparer
    from .replies.pipeline import clean
    from .replies.reply import reply
    from .replies.say import Speaker, say
    from .replies.streams import from_stream
    from .rules import RULES, Rule, RuleContext
    from .settings import DeliverySettings, Settings
    from .stages.s6_rules import rule_row
    from .stages.s7_delivery import Allowance, Calling, Limits, Metered, Target
    from .targets.console import ConsoleTarget
    from .targets.discord.shared import DiscordState
    from .targets.discord.target import DiscordTarget, ReplyTarget
    from .targets.discord.webhooks import Webhooks, WebhookStore
    from .targets.memory import MemoryTarget
    from .text.prose import Edit
    from .tools.consent import Consent, ConsentPolicy
    from .tools.functions import tool
    from .tools.mcp import McpServer
    from .tools.tool import Tool, ToolContext
    from .turns import Dropped, IncomingMessage, ShutdownResult, StopResult, Turn, TurnReason, Turns, Verdict
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
    "Boundary",
    "Broke",
    "CadenzaError",
    "Calling",
    "Chunk",
    "Completed",
    "Consent",
    "ConsentPolicy",
    "ConsoleTarget",
    "ContextItem",
    "DeliveryError",
    "DeliveryKind",
    "DeliverySettings",
    "DiscordState",
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
    "Http",
    "Identity",
    "IncomingMessage",
    "InputError",
    "JsonLines",
    "Keyring",
    "Kind",
    "Limits",
    "Line",
    "Lookup",
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
    "PostPreparer",
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
    "ShutdownResult",
    "Speaker",
    "Sprite",
    "Stalled",
    "StopHandle",
    "StopReason",
    "StopRegistry",
    "StopResult",
    "Stopped",
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
    "TraceStep",
    "Turn",
    "TurnReason",
    "Turns",
    "Urgency",
    "Usage",
    "Verdict",
    "WebhookStore",
    "Webhooks",
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
    "stages.s7_delivery",
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
    "DiscordState": "targets.house",
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
