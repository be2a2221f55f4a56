"""What stands in ``cadenza.toml``, as frozen values, one class a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from ..characters.character import Character
from ..settings import Settings

_NOTHING: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class DiscordConfig:
    """How the bot is seen by Discord."""

    token_env: str = "DISCORD_TOKEN"  # noqa: S105  # the name of a variable
    """The variable, of the environment or of ``.env``, that holds the token."""
    message_content: str = "auto"
    """Whether to ask for the words of messages that do not call the bot: ``auto`` if the portal allows it, ``on``, ``off``."""
    members: str = "auto"
    """Likewise for the list of members."""
    sync_commands: bool = True
    status: str = ""
    """What stands under the bot's name."""


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """A model under a name of its own."""

    model: str
    """As ``connect`` wants it: ``openai:gpt-5.1``."""
    url: str = ""
    key_env: str = ""
    """The variable that holds its key; empty is the vendor's usual one."""
    settings: Mapping[str, object] = field(default_factory=lambda: _NOTHING)
    """Settings that hold when this one answers, such as ``temperature``."""


@dataclass(frozen=True, slots=True)
class ModelsConfig:
    """Who answers."""

    default: str = ""
    """A name of ``named``, or as ``connect`` wants it."""
    fallbacks: tuple[str, ...] = ()
    """Who is asked if that one fails, in this order; likewise."""
    named: Mapping[str, ModelConfig] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class ConversationConfig:
    """When the bot speaks, and what it is told. A server and a channel can choose otherwise."""

    mentions: bool = True
    """Whether it answers who mentions it."""
    replies: bool = True
    """Whether it answers who replies to it."""
    trigger_words: bool = True
    """Whether it answers who says a character's name or one of its words."""
    direct_messages: bool = True
    channels: tuple[str, ...] = ()
    """Ids of channels in which it answers everything."""
    every: int = 0
    """It answers every so many messages of a channel unasked; 0 is never."""
    bots: bool = False
    """Whether it answers other bots, when they call it."""
    history: int = 80
    """Messages that are read back."""
    images: bool = True
    text_file_characters: int = 20_000
    """How much of a text file is read; 0 is nothing."""
    cascade_limit: int = 3
    """How many answers of characters to each other may follow what a person said."""
    match_limit: int = 3
    """How many characters answer one message at most."""
    after_restart: str = "finish"
    """What becomes of an answer in whose middle the bot died: ``finish`` it, ``mark`` it, or ``leave`` it."""


@dataclass(frozen=True, slots=True)
class MemoryConfig:
    """What is remembered, and for how long."""

    short_term: bool = True
    messages: int = 10
    """How many are remembered of a person in a channel."""
    hours: float = 12.0
    summary_hours: float = 24.0
    notes: bool = True
    """Whether the model may write notes about people and servers."""
    notes_limit: int = 100
    """Notes of one person, and of one server."""


@dataclass(frozen=True, slots=True)
class LimitsConfig:
    """How much anybody may have; 0 is no limit, but for the first two."""

    user_active: int = 3
    """Messages of one person that are being answered or wait, over all channels."""
    server_active: int = 10
    user_per_hour: int = 0
    user_per_day: int = 0
    server_per_hour: int = 0
    server_per_day: int = 0
    server_tokens_per_day: int = 0


@dataclass(frozen=True, slots=True)
class StoreConfig:
    """Where things are kept."""

    path: str = "cadenza.db"
    """Seen from the folder of the configuration; ``:memory:`` keeps nothing."""
    key_env: str = "CADENZA_KEY"
    """The variable that holds the key with which secrets are sealed."""
    key_file: str = "cadenza.key"
    """Where it is kept otherwise; made when it is first needed."""
    explanations_days: float = 7.0
    """How long it is known why a message is as it is; 0 is only as long as the bot runs."""


@dataclass(frozen=True, slots=True)
class LogConfig:
    """What operators read."""

    level: str = "info"
    format: str = "text"
    """``text`` or ``json``."""


@dataclass(frozen=True, slots=True)
class MetricsConfig:
    """What machines read."""

    port: int = 0
    """0 is none."""
    host: str = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class ToolsConfig:
    """What models may do besides talking."""

    builtin: tuple[str, ...] = ("time", "dice")
    files: tuple[str, ...] = ()
    """Files of Python whose public functions are tools."""
    mcp: Mapping[str, Mapping[str, object]] = field(default_factory=lambda: MappingProxyType({}))
    """Servers of the Model Context Protocol, by name: ``{command = "…", args = […]}`` or ``{url = "…"}``."""


@dataclass(frozen=True, slots=True)
class Config:
    """All of it."""

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
    """Everything of the pipeline: the table ``[settings]``, flat or by section."""
    folder: Path = field(default_factory=Path)
    """Where the file stands: paths in it are seen from there."""
    language: str = "en"
    """What the bot itself says to people who have not chosen a language."""
