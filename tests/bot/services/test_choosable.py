from __future__ import annotations

import pytest

from cadenza.bot.services.choosable import choosable, find, may_choose
from cadenza.errors import InputError, SettingsError
from cadenza.settings import Settings, settings_fields

OPERATORS = {
    "context_tokens", "max_tokens", "connect_timeout", "proxy", "headers", "private_addresses", "media_bytes",
    "media_timeout", "degrade_requests", "degrade_seconds", "degrade_memory", "overflow", "code_overflow", "hold",
    "overlap", "rules_off", "show_prefill", "table_fonts", "flood_limit", "seed", "first_timeout", "idle_timeout",
    "queue", "turn_timeout", "tool_rounds", "tool_notice", "tool_failures", "tool_timeout", "tool_result_limit",
    "key_attempts", "rate_limit_cooldown", "error_cooldown", "longest_cooldown", "model_retries", "retry_delay",
    "retry_wait", "empty_retries", "empty_drop", "waiting", "waiting_age", "debounce", "interrupts", "stop_phrases",
    "rerun_seconds", "stale_timeout", "stop_grace", "shutdown_grace",
}  # fmt: skip
"""What only the operator may change: it costs them, holds for all servers at once, or names a file or an address."""


def test_of_every_setting_it_is_decided_whose_it_is() -> None:
    everything = {spec.name for _, spec in settings_fields()}

    assert {setting.name for setting in choosable()} == everything - OPERATORS
    assert everything >= OPERATORS


@pytest.mark.parametrize("name", ["proxy", "headers", "table_fonts", "seed", "turn_timeout", "nonsense", ""])
def test_what_is_not_a_servers_cannot_be_found(name: str) -> None:
    assert not may_choose(name)
    with pytest.raises(InputError, match="no setting of that name"):
        find(name)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("degree", " 1 ", 1),
        ("temperature", "0.7", 0.7),
        ("temperature", "1", 1.0),
        ("label_guard", "off", False),
        ("label_guard", "YES", True),
        ("label_guard", "オフ", False),
        ("tables", "text", "text"),
        ("sanitise", "12", "12"),
        ("stop_strings", "###, END ,", ["###", "END"]),
    ],
)
def test_a_value_is_read_from_what_somebody_typed(name: str, text: str, value: object) -> None:
    read = find(name).read(text)

    assert value == read
    assert type(value) is type(read)
    Settings.of(**{name: read})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("degree", "4"),
        ("degree", "1.5"),
        ("degree", "many"),
        ("degree", ""),
        ("temperature", "nan"),
        ("temperature", "-1"),
        ("label_guard", "perhaps"),
        ("tables", "paper"),
        ("sanitise", "x" * 501),
    ],
)
def test_a_value_that_is_not_right_is_refused(name: str, text: str) -> None:
    with pytest.raises(SettingsError, match=name):
        find(name).read(text)


@pytest.mark.parametrize("setting", choosable(), ids=lambda setting: setting.name)
def test_whatever_is_suggested_is_right(setting: object) -> None:
    for text in setting.suggestions:  # type: ignore[attr-defined]  # parametrised
        setting.read(text)  # type: ignore[attr-defined]


def test_a_name_is_found_whatever_its_case() -> None:
    assert find("degree") is find(" Degree ")
