"""What a page is told: every setting with its kind, every command by all its words."""

from __future__ import annotations

from dataclasses import fields

from cadenza.play.server import page_state
from cadenza.play.server.request_types import changeable
from cadenza.settings import Manner, Settings
from tests.play.server.playing import playing

KINDS = {"shape": "choice", "typing": "bool", "limit": "int", "typing_speed": "float", "tables": "choice", "rules_off": "texts",
         "sanitise": "text", "use_emoji": "bool", "temperature": "float"}  # fmt: skip


def test_all_that_is_of_the_essence_can_be_changed() -> None:
    names = {spec.name for _, spec in changeable()}

    assert page_state._MAIN <= names
    assert names.isdisjoint(spec.name for spec in fields(Settings().http))


async def test_a_degree_is_shown_as_what_it_stands_for() -> None:
    async with playing() as play:
        await play.post("/api/settings", {"values": {"degree": 3}})
        told = {one["name"]: one for one in page_state.settings_of(play.live)}

    assert "degree" not in told
    assert ["sentences", True, True] == [told[name]["value"] for name in Manner._fields]
    assert list(Settings().delivery.manner) == [told[name]["default"] for name in Manner._fields]


async def test_settings_are_told_with_all_that_a_control_needs() -> None:
    async with playing() as play:
        told = {one["name"]: one for one in page_state.settings_of(play.live)}
        commands = {one["name"]: one for one in page_state.state_of(play.live, "en", "ja")["commands"]}

    assert KINDS == {name: told[name]["kind"] for name in KINDS}
    assert ["reply", "blocks", "lines", "sentences"] == told["shape"]["one_of"]
    assert ["picture", "text", "source"] == told["tables"]["one_of"]
    assert "speaker_guard" in told["rules_off"]["one_of"]
    assert told["temperature"]["value"] is None
    assert (1950, 1950, 50, 2000) == tuple(told["limit"][key] for key in ("value", "default", "low", "high"))
    options = {option["name"]: option for option in commands["persona edit"]["options"]}
    assert ("text", True, True) == tuple(options["name"][key] for key in ("kind", "is_required", "is_suggested"))
    assert "file" in {option["kind"] for option in commands["persona import"]["options"]}
    assert any(option["choices"] for command in commands.values() for option in command["options"])
