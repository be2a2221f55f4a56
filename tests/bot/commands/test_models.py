from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from cadenza.bot.commands.models import commands
from cadenza.bot.config.config import Config, ModelConfig, ModelsConfig
from cadenza.bot.services.choices import Choice
from cadenza.bot.store.store import Namespace
from tests.bot.command_room import CommandRoom, command_room

SECRET = "sk-0123456789abcdef"  # noqa: S105  # of nobody
NAMED = MappingProxyType({"quick": ModelConfig("openai:gpt-5-mini"), "wise": ModelConfig("anthropic:claude-opus")})
CONFIG = Config(models=ModelsConfig("quick", ("wise",), NAMED))
CANNOT = "cannot be chosen; pick one from the list, or give this server a key for its vendor first."


async def chosen(room: CommandRoom) -> tuple[str | None, str | None]:
    choices = room.services.choices
    return (await choices.of_server(room.guild.id)).model, (await choices.of_channel(room.general)).model


async def test_a_server_and_a_channel_choose_who_answers_and_take_it_back() -> None:
    async with command_room(commands, config=CONFIG) as room:
        told = await room.use(room.mia, "model set", model="wise")
        assert "From now on `wise` answers in this server." == told
        told = await room.use(room.mia, "model set", model="quick", where="channel")
        assert "From now on `quick` answers in this channel." == told
        assert ("wise", "quick") == await chosen(room)

        assert [
            "This channel has chosen `quick`.",
            "This server has chosen `wise`.",
            "The default is `quick`.",
            "Fallbacks: `wise`.",
        ] == (await room.use(room.mia, "model show")).splitlines()

        assert "This server no longer has its own model." == await room.use(room.mia, "model reset")
        assert (None, "quick") == await chosen(room)
        told = await room.use(room.mia, "model reset", where="channel")
        assert "This channel no longer has its own model." == told
        assert (None, None) == await chosen(room)


async def test_a_thread_has_the_model_of_its_channel() -> None:
    async with command_room(commands, config=CONFIG) as room:
        thread = room.world.add_thread(room.general, "aside")
        await room.use(room.mia, "model set", model="wise", where="channel")

        told = await room.use(room.mia, "model show", channel=thread)

        assert told.startswith("This channel has chosen `wise`.")


async def test_only_what_is_on_offer_can_be_chosen_or_tested() -> None:
    async with command_room(commands, config=CONFIG) as room:
        for name in ("script:/etc/passwd", "local:/etc/passwd", "https://example.org", "openai:gpt-4", "x"):
            assert f"`{name}` {CANNOT}" == await room.use(room.mia, "model set", model=name)
            assert f"`{name}` {CANNOT}" == await room.use(room.mia, "model test", model=name)
        assert (None, None) == await chosen(room)


async def test_models_are_suggested_and_listed() -> None:
    async with command_room(commands, config=CONFIG) as room:
        assert ["quick", "wise"] == await room.suggest(room.mia, "model set", "model", "")
        assert ["wise"] == await room.suggest(room.mia, "model test", "model", "WI")
        assert [] == await room.suggest(room.mia, "model set", "model", "mistral:large")
        assert "Can be chosen: `quick`, `wise`." == await room.use(room.mia, "model list")

        await room.services.models.keys.keep(room.guild.id, "mistral", SECRET)
        assert ["mistral:large"] == await room.suggest(room.mia, "model set", "model", "mistral:large")
        assert (await room.use(room.mia, "model list")).endswith("\nWith keys of this server, any model of: `mistral`.")
        told = await room.use(room.mia, "model set", model="mistral:large")
        assert "From now on `mistral:large` answers in this server." == told


async def test_a_key_is_given_in_a_form_and_stands_in_no_message_and_no_log(caplog: pytest.LogCaptureFixture) -> None:
    async with command_room(commands, config=CONFIG) as room:
        with caplog.at_level(logging.DEBUG, logger="cadenza"):
            assert "" == await room.use(room.mia, "model key set", vendor="OpenAI-Responses")
            assert room.form is not None
            assert "A key for openai" == room.form["title"]
            told = await room.submit(room.mia, key=SECRET)

        assert "The key for `openai` is stored encrypted; it is used before the operator's." == told
        assert room.is_ephemeral
        assert {"openai": (SECRET,)} == await room.services.models.keys.of(room.guild.id)
        [record] = await room.services.store.find(Namespace.KEYS)
        assert SECRET not in str(record)
        assert SECRET not in str(room.world.messages(room.general)) + caplog.text

        assert ["openai"] == await room.suggest(room.mia, "model key remove", "vendor", "")
        assert "The key for `openai` was deleted." == await room.use(room.mia, "model key remove", vendor="openai")
        assert "This server has no key for `openai`." == await room.use(room.mia, "model key remove", vendor="openai")


async def test_what_is_no_key_is_refused_and_not_repeated() -> None:
    async with command_room(commands, config=CONFIG) as room:
        await room.use(room.mia, "model key set", vendor="openai")

        told = await room.submit(room.mia, key="a key")

        assert "that does not look like a key; copy it whole from the vendor's page, and nothing else" == told
        assert {} == await room.services.models.keys.of(room.guild.id)


async def test_there_is_no_form_for_a_vendor_without_keys() -> None:
    async with command_room(commands, config=CONFIG) as room:
        for vendor in ("ollama", "custom", "nobody"):
            told = await room.use(room.mia, "model key set", vendor=vendor)
            assert f"A server cannot have a key for `{vendor}`; pick a vendor from the list." == told
            assert room.form is None
            assert vendor not in await room.suggest(room.mia, "model key set", "vendor", vendor)


REFUSED: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("show", {}),
    ("list", {}),
    ("set", {"model": "wise"}),
    ("reset", {}),
    ("test", {}),
    ("key set", {"vendor": "openai"}),
    ("key remove", {"vendor": "openai"}),
)


async def test_who_may_not_manage_the_server_is_refused() -> None:
    async with command_room(commands, config=CONFIG) as room:
        await room.services.models.keys.keep(room.guild.id, "openai", SECRET)
        await room.services.choices.change_server(room.guild.id, lambda _: Choice(model="quick"))
        for name, options in REFUSED:
            told = await room.use(room.tom, f"model {name}", given=options)
            assert "You need the permission “Manage Server” for this." == told, name
            assert room.form is None

        assert ("quick", None) == await chosen(room)
        assert ("openai",) == await room.services.models.keys.vendors(room.guild.id)


async def test_a_model_is_tried_with_one_word(tmp_path: Path) -> None:
    (tmp_path / "ready.jsonl").write_text('{"text": "ready"}\n', encoding="utf-8")
    named = {"parrot": ModelConfig("script:ready.jsonl"), "mute": ModelConfig("script:missing.jsonl")}
    models = ModelsConfig("parrot", named=MappingProxyType(named))
    async with command_room(commands, config=Config(models=models, folder=tmp_path)) as room:
        told = await room.use(room.mia, "model test")
        assert told.startswith("`parrot` said `ready` after 0.")
        assert room.is_ephemeral

        await room.services.choices.change_channel(room.general, room.guild.id, lambda _: Choice(model="mute"))
        assert (await room.use(room.mia, "model test")).startswith("No answer after 0.")
        assert (await room.use(room.mia, "model test", model="parrot")).startswith("`parrot` said")
        room.world.set_locale(room.mia.id, "ja")
        assert "を読めません" in await room.use(room.mia, "model test")
        await room.services.models.close()


async def test_without_a_model_there_is_a_sentence() -> None:
    async with command_room(commands) as room:
        told = await room.use(room.mia, "model test")

        assert "No model is configured; the bot's operator has to name one." == told
