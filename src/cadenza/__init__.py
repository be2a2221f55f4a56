"""Cadenza delivers a language model's stream to a chat as natural messages.

``await cadenza.say(channel, stream)`` is the main call. A public name is imported when it is first used, so that
``import cadenza`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .concurrency.stops import StopHandle as StopHandle, StopRegistry as StopRegistry, Stops as Stops
    from .errors import (
        Aspect as Aspect,
        CadenzaError as CadenzaError,
        DeliveryError as DeliveryError,
        DeliveryKind as DeliveryKind,
        ErrorKind as ErrorKind,
        InputError as InputError,
        ProviderError as ProviderError,
        SettingsError as SettingsError,
        ToolError as ToolError,
    )
    from .explain.fact_log import JsonLines as JsonLines
    from .facts import LoggedFact as LoggedFact
    from .models.connect import connect as connect, scripted as scripted
    from .models.http import Http as Http
    from .models.keys import Keyring as Keyring
    from .models.model import Model as Model
    from .replies.history import chat_messages as chat_messages, history as history, whole_answer as whole_answer
    from .replies.outbox.lookups import Lookup as Lookup
    from .replies.outbox.prepare import PostPreparer as PostPreparer
    from .replies.pipeline import clean as clean
    from .replies.say import reply as reply, say as say
    from .replies.speaker import Speaker as Speaker
    from .replies.streams import from_stream as from_stream
    from .rules import RULES as RULES, Rule as Rule, RuleContext as RuleContext
    from .settings import DeliverySettings as DeliverySettings, Settings as Settings
    from .stages.s6_rules import rule_row as rule_row
    from .targets.console import ConsoleTarget as ConsoleTarget
    from .targets.discord.shared import DiscordState as DiscordState
    from .targets.discord.target import DiscordTarget as DiscordTarget, ReplyTarget as ReplyTarget
    from .targets.discord.webhooks import Webhooks as Webhooks, WebhookStore as WebhookStore
    from .targets.memory import MemoryTarget as MemoryTarget
    from .targets.target import (
        Allowance as Allowance,
        Limits as Limits,
        Markup as Markup,
        SupportsAllowance as SupportsAllowance,
        SupportsPings as SupportsPings,
        Target as Target,
    )
    from .text.rendering import Marks as Marks
    from .tools.consent import Consent as Consent, ConsentPolicy as ConsentPolicy
    from .tools.functions import tool as tool
    from .tools.mcp import McpServer as McpServer
    from .tools.tool import Tool as Tool, ToolContext as ToolContext
    from .turns import (
        Dropped as Dropped,
        IncomingMessage as IncomingMessage,
        ShutdownResult as ShutdownResult,
        StopResult as StopResult,
        Turn as Turn,
        TurnReason as TurnReason,
        Turns as Turns,
        Verdict as Verdict,
    )
    from .types import (
        Attachment as Attachment,
        Boundary as Boundary,
        Broke as Broke,
        Chunk as Chunk,
        Completed as Completed,
        ContextItem as ContextItem,
        Edit as Edit,
        Empty as Empty,
        Ending as Ending,
        Failed as Failed,
        Failure as Failure,
        Finished as Finished,
        Halt as Halt,
        Identity as Identity,
        Kind as Kind,
        Line as Line,
        Media as Media,
        MediaKind as MediaKind,
        NeedsTools as NeedsTools,
        Note as Note,
        Notice as Notice,
        Outcome as Outcome,
        Participant as Participant,
        Persona as Persona,
        Post as Post,
        Prompt as Prompt,
        Receipt as Receipt,
        Reply as Reply,
        Role as Role,
        Roster as Roster,
        Scene as Scene,
        Segment as Segment,
        Served as Served,
        Sprite as Sprite,
        Stalled as Stalled,
        Stopped as Stopped,
        StopReason as StopReason,
        Tag as Tag,
        TextDelta as TextDelta,
        ThoughtDelta as ThoughtDelta,
        ToolCall as ToolCall,
        ToolResult as ToolResult,
        ToolSpec as ToolSpec,
        ToolUse as ToolUse,
        Urgency as Urgency,
        Usage as Usage,
    )

__version__ = "0.1.0"

_NAMES = {
    "concurrency.stops": "StopHandle StopRegistry Stops",
    "errors": "Aspect CadenzaError DeliveryError DeliveryKind ErrorKind InputError ProviderError SettingsError ToolError",
    "explain.fact_log": "JsonLines",
    "facts": "LoggedFact",
    "models.connect": "connect scripted",
    "models.http": "Http",
    "models.keys": "Keyring",
    "models.model": "Model",
    "replies.outbox.lookups": "Lookup",
    "replies.outbox.prepare": "PostPreparer",
    "replies.pipeline": "clean",
    "replies.history": "chat_messages history whole_answer",
    "replies.say": "reply say",
    "replies.speaker": "Speaker",
    "replies.streams": "from_stream",
    "rules": "RULES Rule RuleContext",
    "settings": "DeliverySettings Settings",
    "stages.s6_rules": "rule_row",
    "targets.console": "ConsoleTarget",
    "targets.discord.shared": "DiscordState",
    "targets.discord.target": "DiscordTarget ReplyTarget",
    "targets.discord.webhooks": "WebhookStore Webhooks",
    "targets.memory": "MemoryTarget",
    "targets.target": "Allowance Limits Markup SupportsAllowance SupportsPings Target",
    "text.rendering": "Marks",
    "tools.consent": "Consent ConsentPolicy",
    "tools.functions": "tool",
    "tools.mcp": "McpServer",
    "tools.tool": "Tool ToolContext",
    "turns": "Dropped IncomingMessage ShutdownResult StopResult Turn TurnReason Turns Verdict",
    "types": "Attachment Boundary Broke Chunk Completed ContextItem Edit Empty Ending Failed Failure Finished Halt Identity Kind Line Media MediaKind NeedsTools Note Notice Outcome Participant Persona Post Prompt Receipt Reply Role Roster Scene Segment Served Sprite Stalled StopReason Stopped Tag TextDelta ThoughtDelta ToolCall ToolResult ToolSpec ToolUse Urgency Usage",
}
"""The public names by the module in which they are defined."""
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = ["__version__", *_HOMES]  # noqa: PLE0604  # strings, made from the table above


def __getattr__(name: str) -> object:
    """Import a public name when it is first used."""
    if name not in _HOMES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    value: object = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
