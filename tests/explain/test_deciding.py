"""Which setting decides where a message ends."""

from __future__ import annotations

from math import inf, nan

import pytest

from cadenza.explain.deciding import deciding_setting, plain
from cadenza.facts import SETTINGS, MessageEnd
from cadenza.settings import Settings, settings_fields
from cadenza.targets.target import Limits


@pytest.mark.parametrize(
    ("end", "values", "decided"),
    [
        pytest.param(MessageEnd.LINE, {"shape": "lines"}, ("shape", "lines"), id="shape"),
        pytest.param(MessageEnd.LINE, {"degree": 1}, ("degree", 1), id="degree"),
        pytest.param(MessageEnd.LINE, {"degree": 1, "shape": "lines"}, ("shape", "lines"), id="shape first"),
        pytest.param(MessageEnd.BLOCK, {}, ("shape", "blocks"), id="the default"),
        pytest.param(MessageEnd.CASUAL, {"degree": 3}, ("degree", 3), id="casual by degree"),
        pytest.param(MessageEnd.CASUAL, {"casual": True}, ("casual", True), id="casual"),
        pytest.param(MessageEnd.GATHERED, {"gather": 50}, ("gather", 50), id="gather"),
        pytest.param(MessageEnd.LIMIT, {"limit": 500}, ("limit", 500), id="limit"),
        pytest.param(MessageEnd.MESSAGE_LIMIT, {"message_limit": 3}, ("message_limit", 3), id="messages"),
        pytest.param(MessageEnd.MESSAGE_LIMIT, {"flood_limit": 9}, ("flood_limit", 9), id="a flood"),
        pytest.param(MessageEnd.PICTURE, {"tables": "picture"}, ("tables", "picture"), id="a table"),
        pytest.param(MessageEnd.FORMULA, {"math": "picture"}, ("math", "picture"), id="a formula"),
        pytest.param(MessageEnd.SILENCE, {"idle_timeout": 9.0}, ("idle_timeout", 9.0), id="silence"),
        pytest.param(MessageEnd.TOKEN_LIMIT, {"max_tokens": 99}, ("max_tokens", 99), id="tokens"),
        pytest.param(MessageEnd.TOKEN_LIMIT, {}, ("", None), id="tokens as the API likes"),
        pytest.param(MessageEnd.REPLY, {"limit": 500}, ("", None), id="the model"),
        pytest.param(MessageEnd.TOOL_CALL, {}, ("", None), id="the model's tool"),
    ],
)
def test_the_setting_that_decides_is_named_with_its_value(
    end: MessageEnd, values: dict[str, object], decided: tuple[str, object]
) -> None:
    assert decided == deciding_setting(Settings.of(**values), None)(end, "")


def test_without_a_limit_of_ours_the_chat_has_one() -> None:
    assert ("limit", 77) == deciding_setting(Settings(), Limits(length=77))(MessageEnd.LIMIT, "")


@pytest.mark.parametrize(
    ("end", "by", "decided"),
    [
        pytest.param(MessageEnd.STOP, "user", ("on_stop", "clause"), id="a person"),
        pytest.param(MessageEnd.STOP, "shutdown", ("on_stop", "clause"), id="a shutdown"),
        pytest.param(MessageEnd.STOP, "follow_up", ("interrupts", 3), id="another message"),
        pytest.param(MessageEnd.STOP, "time_limit", ("turn_timeout", 7.0), id="too long"),
        pytest.param(MessageEnd.STOP, "channel_gone", ("", None), id="no channel"),
        pytest.param(MessageEnd.RULE, "speaker_guard", ("speaker_guard", True), id="a guard"),
        pytest.param(MessageEnd.RULE, "opening_label", ("label_guard", True), id="another guard"),
        pytest.param(MessageEnd.RULE, "a_rule_of_my_own", ("", None), id="a rule without a setting"),
        pytest.param(MessageEnd.LINE, "user", ("shape", "blocks"), id="not where it was stopped"),
    ],
)
def test_where_a_reply_is_ended_early_its_reason_names_the_setting(
    end: MessageEnd, by: str, decided: tuple[str, object]
) -> None:
    settings = Settings.of(speaker_guard=True, label_guard=True, turn_timeout=7.0, on_stop="clause")

    assert decided == deciding_setting(settings, None)(end, by)


@pytest.mark.parametrize("end", MessageEnd, ids=lambda end: end.value)
def test_every_end_is_decided_by_a_setting_that_there_is_or_by_the_model(end: MessageEnd) -> None:
    by = {MessageEnd.STOP: "user", MessageEnd.RULE: "speaker_guard"}.get(end, "")
    setting, value = deciding_setting(Settings.of(max_tokens=99), None)(end, by)

    assert (bool(by) or bool(SETTINGS.get(end))) == bool(setting) == (value is not None)
    assert setting in {spec.name for _, spec in settings_fields()} | {""}


def test_values_are_json() -> None:
    assert ("inf", "nan", 1.5) == (plain(inf), plain(nan), plain(1.5))
    assert {"a": ("b", None)} == plain({"a": ["b", None]})
    assert "MessageEnd.LINE" == plain(MessageEnd.LINE)
