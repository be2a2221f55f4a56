"""The contents of ``cadenza.toml`` as frozen dataclasses, one for each table.

The metadata of each field describes the key and its valid values. Validation, the template and the tables in
``docs/bot/configuration.md`` use it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ...settings import Settings
from ..characters.character import Character
from .folder import seen_from

_NOTHING: Mapping[str, object] = MappingProxyType({})


def entry(
    default: Any,
    about: str,
    *,
    low: float | None = None,
    high: float | None = None,
    one_of: tuple[str, ...] = (),
    form: str = "",
    kind: type | None = None,
    restarts: bool = False,
) -> Any:
    """A key of a table: its default, its description and its valid values.

    *form* names the pattern of a text (see ``checking``). *kind* is the type where the default is ``None``. A change of
    a key with *restarts* takes effect only at the next start.
    """
    metadata: dict[str, Any] = {"about": about, "low": low, "high": high, "one_of": one_of}
    metadata |= {"form": form, "kind": kind or type(default), "restarts": restarts}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True)
class DiscordConfig:
    """The connection to Discord."""

    token_env: str = entry(
        "DISCORD_TOKEN",
        "the variable, in the environment or in .env, that holds the token",
        form="variable",
        restarts=True,
    )
    message_content: str = entry(
        "auto",
        "whether to ask for the text of messages that do not mention the bot; 'auto': if the portal allows it",
        one_of=("auto", "on", "off"),
        restarts=True,
    )
    members: str = entry(
        "auto",
        "whether to ask for the list of members; 'auto': if the portal allows it",
        one_of=("auto", "on", "off"),
        restarts=True,
    )
    sync_commands: bool = entry(True, "whether to register the slash commands at the start", restarts=True)
    status: str = entry("", "the status under the bot's name; empty for none")


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """A named model."""

    model: str = field(metadata={"kind": str, "about": "the model: VENDOR:NAME such as 'openai:gpt-5.1', or 'local'"})
    url: str = entry("", "the address of the API; empty for the vendor's own", form="address")
    key_env: str = entry("", "the variable that holds its key; empty for the vendor's usual one", form="variable")
    settings: Mapping[str, object] = field(
        default_factory=lambda: _NOTHING,
        repr=False,
        metadata={"about": "settings for replies of this model, such as temperature = 0.8"},
    )


@dataclass(frozen=True, slots=True)
class ModelsConfig:
    """The models."""

    default: str = entry("", "the model: VENDOR:NAME such as 'openai:gpt-5.1', 'local', or a name of [models.NAME]")
    fallbacks: tuple[str, ...] = entry((), "the models to try if that one fails, in this order, written the same way")
    named: Mapping[str, ModelConfig] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class ConversationConfig:
    """When the bot answers, and what the model sees. Servers and channels can choose their own."""

    mentions: bool = entry(True, "whether it answers messages that mention it")
    replies: bool = entry(True, "whether it answers replies to its messages")
    trigger_words: bool = entry(True, "whether it answers messages with a character's name or trigger word")
    direct_messages: bool = entry(True, "whether it answers direct messages")
    channels: tuple[str, ...] = entry((), "ids of channels in which it answers every message", form="id")
    every: int = entry(0, "it answers every so many messages of a channel unasked; 0 is never", low=0, high=1000)
    bots: bool = entry(False, "whether it answers other bots that mention it or reply to it")
    history: int = entry(80, "how many earlier messages the model sees", low=0, high=500)
    images: bool = entry(True, "whether the model sees pictures")
    text_file_characters: int = entry(
        20_000, "how many characters of a text file the model sees; 0 is none", low=0, high=1_000_000
    )
    cascade_limit: int = entry(
        3, "how many replies of characters to each other may follow a person's message", low=0, high=10
    )
    match_limit: int = entry(3, "how many characters may answer one message", low=1, high=10)
    after_restart: str = entry(
        "finish",
        "what happens to a reply that a crash has interrupted",
        one_of=("finish", "mark", "leave"),
    )


@dataclass(frozen=True, slots=True)
class MemoryConfig:
    """What the bot remembers, and for how long."""

    short_term: bool = entry(True, "whether it remembers recent conversations")
    messages: int = entry(10, "how many messages of a person in a channel it remembers", low=1, high=200)
    hours: float = entry(12.0, "for how many hours it remembers them", low=0.0, high=8760.0)
    summary_hours: float = entry(24.0, "for how many hours it remembers their summary", low=0.0, high=8760.0)
    notes: bool = entry(True, "whether the model may write notes about people and servers")
    notes_limit: int = entry(100, "how many notes about one person, and about one server", low=0, high=10_000)


@dataclass(frozen=True, slots=True)
class LimitsConfig:
    """Limits for people and servers; 0 is no limit, except for the first two."""

    user_active: int = entry(3, "running and waiting replies to one person, over all channels", low=1, high=1000)
    server_active: int = entry(10, "running and waiting replies in one server", low=1, high=10_000)
    user_per_hour: int = entry(0, "replies to one person in an hour", low=0)
    user_per_day: int = entry(0, "replies to one person in a day", low=0)
    server_per_hour: int = entry(0, "replies in one server in an hour", low=0)
    server_per_day: int = entry(0, "replies in one server in a day", low=0)
    server_tokens_per_day: int = entry(0, "tokens for one server in a day", low=0)


@dataclass(frozen=True, slots=True)
class StoreConfig:
    """Where the bot keeps its data."""

    path: str = entry(
        "cadenza.db",
        "the file, relative to the folder of this one; ':memory:' keeps nothing",
        form="filled",
        restarts=True,
    )
    key_env: str = entry("CADENZA_KEY", "the variable that holds the key for secrets", form="variable", restarts=True)
    key_file: str = entry(
        "cadenza.key",
        "the file for that key if the variable is not set; created on first use",
        form="filled",
        restarts=True,
    )
    explanations_days: float = entry(
        7.0,
        "for how many days the explanation of a message is kept; 0 is until the bot stops",
        low=0.0,
        high=3650.0,
    )


@dataclass(frozen=True, slots=True)
class LogConfig:
    """The log."""

    level: str = entry("info", "how much is logged", one_of=("debug", "info", "warning", "error"))
    format: str = entry("text", "lines of text, or one JSON object per line", one_of=("text", "json"))


@dataclass(frozen=True, slots=True)
class MetricsConfig:
    """Metrics and health checks over HTTP."""

    port: int = entry(0, "the port for /metrics (Prometheus) and /healthz; 0 is off", low=0, high=65_535, restarts=True)
    host: str = entry("127.0.0.1", "the address to listen on", form="filled", restarts=True)


@dataclass(frozen=True, slots=True)
class ToolsConfig:
    """The tools that models may use."""

    builtin: tuple[str, ...] = entry(("time", "dice"), "the built-in tools to offer")
    files: tuple[str, ...] = entry((), "Python files whose public functions are tools, relative to this folder")
    mcp: Mapping[str, Mapping[str, object]] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    """MCP servers by name: ``{command = "…", args = […]}`` or ``{url = "…"}``.

    They may hold keys from the environment, so they are never shown.
    """


@dataclass(frozen=True, slots=True)
class Config:
    """The whole configuration."""

    discord: DiscordConfig = field(default_factory=DiscordConfig)
    models: ModelsConfig = field(default_factory=ModelsConfig)
    personas: tuple[Character, ...] = (Character("Cadenza", is_main=True),)
    """The main one first."""
    conversation: ConversationConfig = field(default_factory=ConversationConfig)
    memory: MemoryConfig = field(default_factory=MemoryConfig)
    limits: LimitsConfig = field(default_factory=LimitsConfig)
    store: StoreConfig = field(default_factory=StoreConfig)
    log: LogConfig = field(default_factory=LogConfig)
    metrics: MetricsConfig = field(default_factory=MetricsConfig)
    tools: ToolsConfig = field(default_factory=ToolsConfig)
    settings: Settings = field(default_factory=Settings)
    """The settings of the pipeline: the table ``[settings]``, flat or by section."""
    folder: Path = field(default_factory=Path)
    """The folder of the file: its paths are relative to it."""
    language: str = entry(
        "en", "the language of the bot's own texts, for people who have not chosen one", form="language"
    )

    def place(self, name: str) -> Path:
        """The path of the file that the configuration calls *name*."""
        return seen_from(self.folder, name)
