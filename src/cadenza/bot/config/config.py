"""What stands in ``cadenza.toml``, as frozen values, one class a table.

Each key says in its metadata what it is for and what may stand there: a given value is checked by it, and the template
and the tables in ``docs/bot/configuration.md`` are made from it.
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
    """A key of a table: its default, and what is told of it and asked of what stands there.

    *form* names what a text must look like (see ``checking``); *kind* is its type where the default, ``None`` for what is
    not given, does not tell; what *restarts* holds only from the next start on.
    """
    metadata: dict[str, Any] = {"about": about, "low": low, "high": high, "one_of": one_of}
    metadata |= {"form": form, "kind": kind or type(default), "restarts": restarts}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True)
class DiscordConfig:
    """How the bot is seen by Discord."""

    token_env: str = entry(
        "DISCORD_TOKEN",
        "the variable, of the environment or of .env, that holds the token",
        form="variable",
        restarts=True,
    )
    message_content: str = entry(
        "auto",
        "whether to ask for the words of messages that do not call the bot: 'auto' if the portal allows it",
        one_of=("auto", "on", "off"),
        restarts=True,
    )
    members: str = entry(
        "auto", "whether to ask for the list of members, likewise", one_of=("auto", "on", "off"), restarts=True
    )
    sync_commands: bool = entry(True, "whether the slash commands are told to Discord at the start", restarts=True)
    status: str = entry("", "what stands under the bot's name; empty is nothing")


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """A model under a name of its own."""

    model: str = field(
        metadata={"kind": str, "about": "whom it means: VENDOR:NAME such as 'openai:gpt-5.1', or 'local'"}
    )
    url: str = entry("", "where the vendor's interface is, if not where it usually is", form="address")
    key_env: str = entry("", "the variable that holds its key; empty is the vendor's usual one", form="variable")
    settings: Mapping[str, object] = field(
        default_factory=lambda: _NOTHING,
        repr=False,
        metadata={"about": "settings that hold when this one answers, such as temperature = 0.8"},
    )


@dataclass(frozen=True, slots=True)
class ModelsConfig:
    """Who answers."""

    default: str = entry("", "who answers: VENDOR:NAME such as 'openai:gpt-5.1', 'local', or a name of [models.NAME]")
    fallbacks: tuple[str, ...] = entry((), "who is asked if that one fails, in this order; likewise")
    named: Mapping[str, ModelConfig] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class ConversationConfig:
    """When the bot speaks, and what it is told. A server and a channel can choose otherwise."""

    mentions: bool = entry(True, "whether it answers who mentions it")
    replies: bool = entry(True, "whether it answers who replies to it")
    trigger_words: bool = entry(True, "whether it answers who says a character's name or one of its words")
    direct_messages: bool = entry(True, "whether it answers in private")
    channels: tuple[str, ...] = entry((), "ids of channels in which it answers everything", form="id")
    every: int = entry(0, "it answers every so many messages of a channel unasked; 0 is never", low=0, high=1000)
    bots: bool = entry(False, "whether it answers other bots, when they call it")
    history: int = entry(80, "messages that are read back", low=0, high=500)
    images: bool = entry(True, "whether the model is shown pictures")
    text_file_characters: int = entry(20_000, "how much of a text file is read; 0 is nothing", low=0, high=1_000_000)
    cascade_limit: int = entry(
        3, "how many answers of characters to each other may follow what a person said", low=0, high=10
    )
    match_limit: int = entry(3, "how many characters answer one message at most", low=1, high=10)
    after_restart: str = entry(
        "finish",
        "what becomes of an answer in whose middle the bot died",
        one_of=("finish", "mark", "leave"),
    )


@dataclass(frozen=True, slots=True)
class MemoryConfig:
    """What is remembered, and for how long."""

    short_term: bool = entry(True, "whether it remembers what was said lately")
    messages: int = entry(10, "how many messages are remembered of a person in a channel", low=1, high=200)
    hours: float = entry(12.0, "for how many hours they are", low=0.0, high=8760.0)
    summary_hours: float = entry(24.0, "for how many hours their summary is", low=0.0, high=8760.0)
    notes: bool = entry(True, "whether the model may write notes about people and servers")
    notes_limit: int = entry(100, "notes of one person, and of one server", low=0, high=10_000)


@dataclass(frozen=True, slots=True)
class LimitsConfig:
    """How much anybody may have; 0 is no limit, but for the first two."""

    user_active: int = entry(
        3, "messages of one person that are being answered or wait, over all channels", low=1, high=1000
    )
    server_active: int = entry(10, "likewise of one server", low=1, high=10_000)
    user_per_hour: int = entry(0, "answers to one person in an hour", low=0)
    user_per_day: int = entry(0, "answers to one person in a day", low=0)
    server_per_hour: int = entry(0, "answers in one server in an hour", low=0)
    server_per_day: int = entry(0, "answers in one server in a day", low=0)
    server_tokens_per_day: int = entry(0, "tokens that models are paid for one server in a day", low=0)


@dataclass(frozen=True, slots=True)
class StoreConfig:
    """Where things are kept."""

    path: str = entry(
        "cadenza.db",
        "the file, seen from the folder of this one; ':memory:' keeps nothing",
        form="filled",
        restarts=True,
    )
    key_env: str = entry(
        "CADENZA_KEY", "the variable that holds the key with which secrets are sealed", form="variable", restarts=True
    )
    key_file: str = entry(
        "cadenza.key", "where that key is kept otherwise; made when it is first needed", form="filled", restarts=True
    )
    explanations_days: float = entry(
        7.0,
        "for how many days it is known why a message is as it is; 0 is only as long as the bot runs",
        low=0.0,
        high=3650.0,
    )


@dataclass(frozen=True, slots=True)
class LogConfig:
    """What operators read."""

    level: str = entry("info", "how much is told", one_of=("debug", "info", "warning", "error"))
    format: str = entry("text", "how: lines for people, or an object of JSON each", one_of=("text", "json"))


@dataclass(frozen=True, slots=True)
class MetricsConfig:
    """What machines read."""

    port: int = entry(
        0, "where Prometheus finds the figures, and /healthz; 0 is nowhere", low=0, high=65_535, restarts=True
    )
    host: str = entry("127.0.0.1", "the address on which that port is open", form="filled", restarts=True)


@dataclass(frozen=True, slots=True)
class ToolsConfig:
    """What models may do besides talking."""

    builtin: tuple[str, ...] = entry(("time", "dice"), "which of the tools that come along")
    files: tuple[str, ...] = entry((), "files of Python whose public functions are tools, seen from this folder")
    mcp: Mapping[str, Mapping[str, object]] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    """Servers of the Model Context Protocol, by name: ``{command = "…", args = […]}`` or ``{url = "…"}``.

    They may hold keys, filled in from the environment: nobody is shown them.
    """


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
    language: str = entry(
        "en", "the language of what the bot itself says to people who have not chosen one", form="language"
    )

    def place(self, name: str) -> Path:
        """The file that stands in it as *name*."""
        return seen_from(self.folder, name)
