"""The settings by name, for type checkers: what ``Settings.of`` takes. A test compares it with the settings themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypedDict


class SettingValues(TypedDict, total=False):
    """Every setting flat, and every section with its settings."""

    context: Mapping[str, object]
    http: Mapping[str, object]
    buffer: Mapping[str, object]
    rules: Mapping[str, object]
    delivery: Mapping[str, object]
    turn: Mapping[str, object]
    fallback: Mapping[str, object]
    channel: Mapping[str, object]
    context_tokens: int
    max_tokens: int
    thinking: Literal["auto", "none", "low", "medium", "high"]
    stop_strings: list[str] | tuple[str, ...]
    temperature: float | None
    top_p: float | None
    top_k: int | None
    min_p: float | None
    frequency_penalty: float | None
    presence_penalty: float | None
    repetition_penalty: float | None
    connect_timeout: float
    proxy: str
    headers: Mapping[str, str] | None
    private_addresses: bool
    media_bytes: int
    media_timeout: float
    degrade_requests: int
    degrade_seconds: float
    degrade_memory: float
    overflow: int
    code_overflow: int
    hold: int
    overlap: bool
    details: Literal["hide", "spoiler"]
    rules_off: list[str] | tuple[str, ...]
    use_emoji: bool
    unknown_emoji: Literal["keep", "strip"]
    emoji_lookback: int
    unicode_spaces: bool
    sanitise: str
    label_guard: bool
    speaker_guard: bool
    show_prefill: bool
    tables: Literal["picture", "text", "source"]
    table_fonts: list[str] | tuple[str, ...]
    math: Literal["picture", "text", "source"]
    degree: int | None
    shape: Literal["reply", "blocks", "lines", "sentences"] | None
    typing: bool | None
    casual: bool | None
    grouping: bool
    gather: int
    limit: int | None
    message_limit: int
    flood_limit: int
    when_full: Literal["file", "notice", "stop"]
    code_file: int
    mention_people: int
    mention_roles: bool
    mention_author: bool
    silent: bool
    suppress_embeds: bool
    notices: Literal["embed", "text"]
    seed: int
    typing_speed: float
    typing_least: float
    typing_most: float
    typing_budget: float
    typing_tail: float
    thinking_chance: float
    on_stop: Literal["silence", "clause"]
    first_timeout: float
    idle_timeout: float
    queue: int
    turn_timeout: float
    tool_rounds: int
    tool_notice: int
    tool_failures: int
    tool_timeout: float
    tool_result_limit: int
    show_errors: Literal["friendly", "details", "off"]
    key_attempts: int
    rate_limit_cooldown: float
    error_cooldown: float
    longest_cooldown: float
    model_retries: int
    retry_delay: float
    retry_wait: float
    empty_retries: int
    empty_drop: int
    random_model: bool
    show_fallback: bool
    waiting: int
    waiting_age: float
    debounce: float
    interrupts: int
    stop_phrases: bool
    rerun_seconds: float
    stale_timeout: float
    stop_grace: float
    shutdown_grace: float
