"""Cadenza delivers a language model's stream to a chat as natural messages.

``await cadenza.say(channel, stream)`` is the main call. A public name is imported when it is first used, so that
``import cadenza`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .concurrency.stops import StopHandle as StopHandle
    from .concurrency.stops import StopRegistry as StopRegistry
    from .concurrency.stops import Stops as Stops
    from .errors import Aspect as Aspect
    from .errors import CadenzaError as CadenzaError
    from .errors import DeliveryError as DeliveryError
    from .errors import DeliveryKind as DeliveryKind
    from .errors import ErrorKind as ErrorKind
    from .errors import InputError as InputError
    from .errors import ProviderError as ProviderError
    from .errors import SettingsError as SettingsError
    from .errors import ToolError as ToolError
    from .explain.steps import JsonLines as JsonLines
    from .explain.steps import TraceStep as TraceStep
    from .models.connect import connect as connect
    from .models.connect import scripted as scripted
    from .models.http import Http as Http
    from .models.keys import Keyring as Keyring
    from .models.model import Model as Model
    from .replies.outbox.lookups import Lookup as Lookup
    from .replies.outbox.prepare import PostPreparer as PostPreparer
    from .replies.pipeline import clean as clean
    from .replies.reply import reply as reply
    from .replies.say import Speaker as Speaker
    from .replies.say import say as say
    from .replies.streams import from_stream as from_stream
    from .rules import RULES as RULES
    from .rules import Rule as Rule
    from .rules import RuleContext as RuleContext
    from .settings import DeliverySettings as DeliverySettings
    from .settings import Settings as Settings
    from .stages.s6_rules import rule_row as rule_row
    from .targets.console import ConsoleTarget as ConsoleTarget
    from .targets.discord.shared import DiscordState as DiscordState
    from .targets.discord.target import DiscordTarget as DiscordTarget
    from .targets.discord.target import ReplyTarget as ReplyTarget
    from .targets.discord.webhooks import Webhooks as Webhooks
    from .targets.discord.webhooks import WebhookStore as WebhookStore
    from .targets.memory import MemoryTarget as MemoryTarget
    from .targets.target import Allowance as Allowance
    from .targets.target import Limits as Limits
    from .targets.target import Markup as Markup
    from .targets.target import SupportsAllowance as SupportsAllowance
    from .targets.target import SupportsPings as SupportsPings
    from .targets.target import Target as Target
    from .text.rendering import Marks as Marks
    from .tools.consent import Consent as Consent
    from .tools.consent import ConsentPolicy as ConsentPolicy
    from .tools.functions import tool as tool
    from .tools.mcp import McpServer as McpServer
    from .tools.tool import Tool as Tool
    from .tools.tool import ToolContext as ToolContext
    from .turns import Dropped as Dropped
    from .turns import IncomingMessage as IncomingMessage
    from .turns import ShutdownResult as ShutdownResult
    from .turns import StopResult as StopResult
    from .turns import Turn as Turn
    from .turns import TurnReason as TurnReason
    from .turns import Turns as Turns
    from .turns import Verdict as Verdict
    from .types import Attachment as Attachment
    from .types import Boundary as Boundary
    from .types import Broke as Broke
    from .types import Chunk as Chunk
    from .types import Completed as Completed
    from .types import ContextItem as ContextItem
    from .types import Edit as Edit
    from .types import Empty as Empty
    from .types import Ending as Ending
    from .types import Failed as Failed
    from .types import Failure as Failure
    from .types import Finished as Finished
    from .types import Halt as Halt
    from .types import Identity as Identity
    from .types import Kind as Kind
    from .types import Line as Line
    from .types import Media as Media
    from .types import MediaKind as MediaKind
    from .types import NeedsTools as NeedsTools
    from .types import Note as Note
    from .types import Notice as Notice
    from .types import Outcome as Outcome
    from .types import Participant as Participant
    from .types import Persona as Persona
    from .types import Post as Post
    from .types import Prompt as Prompt
    from .types import Receipt as Receipt
    from .types import Reply as Reply
    from .types import Role as Role
    from .types import Roster as Roster
    from .types import Scene as Scene
    from .types import Segment as Segment
    from .types import Served as Served
    from .types import Sprite as Sprite
    from .types import Stalled as Stalled
    from .types import Stopped as Stopped
    from .types import StopReason as StopReason
    from .types import Tag as Tag
    from .types import TextDelta as TextDelta
    from .types import ThoughtDelta as ThoughtDelta
    from .types import ToolCall as ToolCall
    from .types import ToolResult as ToolResult
    from .types import ToolSpec as ToolSpec
    from .types import ToolUse as ToolUse
    from .types import Urgency as Urgency
    from .types import Usage as Usage

__version__ = "0.1.0"

_NAMES = {
    "concurrency.stops": "StopHandle StopRegistry Stops",
    "errors": "Aspect CadenzaError DeliveryError DeliveryKind ErrorKind InputError ProviderError SettingsError ToolError",
    "explain.steps": "JsonLines TraceStep",
    "models.connect": "connect scripted",
    "models.http": "Http",
    "models.keys": "Keyring",
    "models.model": "Model",
    "replies.outbox.lookups": "Lookup",
    "replies.outbox.prepare": "PostPreparer",
    "replies.pipeline": "clean",
    "replies.reply": "reply",
    "replies.say": "Speaker say",
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
