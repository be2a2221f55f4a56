from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from cadenza.bot.characters.character import Character, CharacterOverrides
from cadenza.bot.config.config import Config, ModelConfig, ModelsConfig
from cadenza.bot.config.current import Current
from cadenza.bot.services.models import ModelRegistry
from cadenza.bot.store.in_memory import MemoryStore
from cadenza.errors import ErrorKind, ProviderError, SettingsError
from cadenza.models.model import Model
from cadenza.replies.reply import reply
from cadenza.settings import Settings
from cadenza.targets.memory import MemoryTarget
from cadenza.types import Completed, Line, Persona, Scene
from tests.bot.command_room import MirrorSeal

OPERATOR, SERVER = "sk-operator-0123456789", "sk-server-0123456789"
NAMED = MappingProxyType(
    {
        "quick": ModelConfig("openai:gpt-5-mini", settings=MappingProxyType({"temperature": 0.2})),
        "wise": ModelConfig("anthropic:claude-opus", key_env="WISE_KEY"),
        "home": ModelConfig("custom:llama", url="https://models.example.org/v1"),
    }
)
MODELS = ModelsConfig(default="quick", fallbacks=("openai:gpt-5.1", "wise"), named=NAMED)


class Clock:
    """A manual clock."""

    time = 0.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", OPERATOR)
    monkeypatch.setenv("WISE_KEY", f"{OPERATOR}-a {OPERATOR}-b")
    for name in ("ANTHROPIC_API_KEY", "CUSTOM_API_KEY", "MISTRAL_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def registry_of(models: ModelsConfig = MODELS, **rest: Any) -> tuple[ModelRegistry, Current, Clock]:
    current, clock = Current(Config(models=models, **rest)), Clock()
    return ModelRegistry(current, MemoryStore(), MirrorSeal(), clock=clock), current, clock


async def made(registry: ModelRegistry, name: str = "", server: str = "") -> list[Model]:
    """The models that are asked for *name*."""
    sources = await registry.sources(name, server)
    return [source() for source in sources]  # type: ignore[misc, operator]  # each is a function of the registry


def secrets(model: Model) -> list[str]:
    return [key.secret for key in model.keyring._keys] if model.keyring else []


# --- names -----------------------------------------------------------------------------------


def test_the_named_ones_can_be_chosen_and_the_default_and_its_fallbacks() -> None:
    registry, *_ = registry_of()

    assert ("quick", "wise", "home", "openai:gpt-5.1") == registry.names()


def test_no_path_is_shown() -> None:
    registry, *_ = registry_of(ModelsConfig("script:/srv/a.jsonl", ("local:/srv/b.gguf", "local")))

    assert ("local",) == registry.names()


@pytest.mark.parametrize(
    ("name", "may"),
    [
        ("quick", True),
        ("openai:gpt-5.1", True),
        ("mistral:mistral-large", True),
        ("Mistral:mistral-large", True),
        ("openai:gpt-4", False),
        ("mistral:", False),
        ("mistral:../../x", False),
        ("mistral:https://example.org", False),
        ("mistral:x y", False),
        ("script:/etc/passwd", False),
        ("local:/etc/passwd", False),
        ("local", False),
        ("custom:anything", False),
        ("ollama:llama", False),
        ("https://example.org", False),
        ("", False),
    ],
)
async def test_a_server_may_choose_what_is_on_offer_or_what_it_has_a_key_for(name: str, may: bool) -> None:  # noqa: FBT001  # a column of the table
    registry, *_ = registry_of()
    await registry.keys.keep("1", "mistral", SERVER)

    assert may is await registry.may_choose(name, "1")


def test_the_settings_of_a_model_are_those_of_its_table() -> None:
    registry, *_ = registry_of()

    assert {"temperature": 0.2} == registry.settings_of("quick") == registry.settings_of("")
    assert {} == registry.settings_of("wise") == registry.settings_of("openai:gpt-5.1")


# --- who is asked ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("", ["quick", "openai:gpt-5.1", "wise"]),
        ("quick", ["quick", "openai:gpt-5.1", "wise"]),
        ("wise", ["wise", "openai:gpt-5.1"]),
        ("home", ["home", "openai:gpt-5.1", "wise"]),
        ("gone", ["quick", "openai:gpt-5.1", "wise"]),
        ("script:/etc/passwd", ["quick", "openai:gpt-5.1", "wise"]),
        ("openai:gpt-4", ["quick", "openai:gpt-5.1", "wise"]),
    ],
)
async def test_who_is_wanted_is_asked_first_and_the_fallbacks_then(name: str, asked: list[str]) -> None:
    registry, *_ = registry_of()

    assert asked == [model.name for model in await made(registry, name)]
    await registry.close()


async def test_what_a_character_of_the_configuration_wants_is_on_offer() -> None:
    registry, *_ = registry_of(personas=(Character("Ren", own=CharacterOverrides(model="openai:gpt-4")),))

    assert "openai:gpt-4" == (await made(registry, "openai:gpt-4"))[0].name
    assert await registry.is_known("openai:gpt-4")
    assert not await registry.is_known("openai:gpt-3")
    await registry.close()


async def test_without_any_model_there_is_a_sentence() -> None:
    registry, *_ = registry_of(ModelsConfig())

    with pytest.raises(SettingsError, match=r"name one in cadenza\.toml"):
        await registry.sources("")


async def test_nobody_is_connected_before_it_is_their_turn_and_then_only_once() -> None:
    registry, *_ = registry_of()

    assert not registry._models
    sources = await registry.sources("")
    assert not registry._models
    assert (await made(registry))[0] is sources[0]()  # type: ignore[operator]
    await registry.close()


async def test_who_has_no_key_is_told_where_to_put_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WISE_KEY")
    monkeypatch.delenv("OPENAI_API_KEY")
    registry, *_ = registry_of()
    sources = await registry.sources("")

    for source, variable in zip(sources, ("OPENAI_API_KEY", "OPENAI_API_KEY", "WISE_KEY"), strict=True):
        with pytest.raises(SettingsError, match=f"environment as {variable}"):
            source()  # type: ignore[operator]


# --- keys ---------------------------------------------------------------------------------------


async def test_models_that_are_asked_with_the_same_keys_share_what_is_known_of_them() -> None:
    registry, *_ = registry_of()
    quick, other, wise = await made(registry)

    assert quick.keyring is other.keyring
    assert [OPERATOR] == secrets(quick)
    assert [f"{OPERATOR}-a", f"{OPERATOR}-b"] == secrets(wise)
    await registry.close()


async def test_a_server_s_own_key_is_asked_before_the_operator_s() -> None:
    registry, *_ = registry_of()
    await registry.keys.keep("1", "openai", SERVER)

    models = await made(registry, "", "1")

    assert [
        ("quick", [SERVER]), ("quick", [OPERATOR]), ("openai:gpt-5.1", [SERVER]), ("openai:gpt-5.1", [OPERATOR]),
        ("wise", [f"{OPERATOR}-a", f"{OPERATOR}-b"]),
    ] == [(model.name, secrets(model)) for model in models]  # fmt: skip
    assert [OPERATOR] == secrets((await made(registry, "", "2"))[0])
    await registry.close()


async def test_the_operator_s_key_never_pays_for_a_model_that_only_the_server_has_chosen() -> None:
    registry, *_ = registry_of()
    await registry.keys.keep("1", "openai", SERVER)

    models = await made(registry, "openai:gpt-4", "1")

    assert [[SERVER]] == [secrets(model) for model in models if model.name == "openai:gpt-4"]
    await registry.close()


async def test_a_server_s_key_is_never_sent_to_an_address_of_the_operator_s() -> None:
    named = MappingProxyType({"mine": ModelConfig("openai:gpt-5.1", url="https://proxy.example.org/v1")})
    registry, *_ = registry_of(ModelsConfig("mine", named=named))
    await registry.keys.keep("1", "openai", SERVER)

    assert [[OPERATOR]] == [secrets(model) for model in await made(registry, "mine", "1")]
    await registry.close()


async def test_behind_a_server_s_key_nobody_is_asked_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    registry, *_ = registry_of(ModelsConfig("openai:gpt-5.1"))
    await registry.keys.keep("1", "openai", SERVER)

    assert [[SERVER]] == [secrets(model) for model in await made(registry, "", "1")]
    await registry.close()


async def test_a_key_that_was_changed_is_used_at_once() -> None:
    registry, *_ = registry_of()
    await registry.keys.keep("1", "openai", SERVER)
    before = (await made(registry, "", "1"))[0]
    await registry.keys.keep("1", "openai", f"{SERVER}-new")

    after = (await made(registry, "", "1"))[0]

    assert ([SERVER], [f"{SERVER}-new"]) == (secrets(before), secrets(after))
    await registry.close()


async def test_no_key_is_shown() -> None:
    registry, *_ = registry_of()
    await registry.keys.keep("1", "openai", SERVER)
    models = await made(registry, "", "1")

    assert SERVER not in repr((models, list(registry._models)))
    assert OPERATOR not in repr((models, list(registry._models)))
    await registry.close()


async def test_a_model_rests_until_one_of_its_keys_has_rested() -> None:
    registry, *_ = registry_of()
    assert 0 == await registry.cooldown("")
    ring = (await made(registry))[0].keyring
    assert ring is not None
    ring.failed(ring.main, ProviderError("too much", kind=ErrorKind.RATE_LIMIT, retry_after=40))

    assert 39 < await registry.cooldown("") <= 40
    assert 0 == await registry.cooldown("wise")
    await registry.keys.keep("1", "openai", SERVER)
    assert 0 == await registry.cooldown("", "1")
    await registry.close()


# --- a new configuration ---------------------------------------------------------------------------


def closed_when(registry: ModelRegistry, closed: list[str]) -> None:
    """Record when a connected model is closed."""
    for way, model in registry._models.items():

        async def close(name: str = model.name) -> None:
            closed.append(name)

        registry._models[way] = replace(model, on_close=close)


async def test_what_is_not_named_any_more_is_closed_only_when_no_reply_can_be_using_it() -> None:
    registry, current, clock = registry_of()
    await made(registry)
    closed: list[str] = []
    closed_when(registry, closed)

    current.change(replace(current.now, models=ModelsConfig("openai:gpt-5.1")))
    await registry.sources("")
    assert [] == closed

    clock.time = current.now.settings.turn.turn_timeout - 1
    await registry.sources("")
    assert [] == closed

    clock.time += 1
    await registry.sources("")
    assert ["quick", "wise"] == closed
    await registry.close()
    assert ["quick", "wise", "openai:gpt-5.1"] == closed


async def test_what_stays_as_it_is_stays_connected() -> None:
    registry, current, _ = registry_of()
    before = await made(registry)
    named = MappingProxyType({**NAMED, "wise": ModelConfig("anthropic:claude-sonnet", key_env="WISE_KEY")})

    current.change(replace(current.now, models=replace(MODELS, named=named)))

    after = await made(registry)
    assert [True, True, False] == [one is other for one, other in zip(before, after, strict=True)]
    await registry.close()


async def test_a_new_way_out_is_taken_when_its_settings_have_changed() -> None:
    registry, current, clock = registry_of()
    await made(registry)
    before = registry._http
    assert before is not None

    current.change(replace(current.now, settings=Settings.of(connect_timeout=5.0)))
    await made(registry)

    assert registry._http is not before
    assert not before._is_closed
    clock.time = 1e9
    await registry.sources("")
    assert before._is_closed
    await registry.close()


async def test_one_that_cannot_be_closed_keeps_nobody_else_open(caplog: pytest.LogCaptureFixture) -> None:
    registry, *_ = registry_of()
    await made(registry)
    closed: list[str] = []
    closed_when(registry, closed)
    way = next(iter(registry._models))

    async def fail() -> None:
        raise asyncio.CancelledError(OPERATOR)

    registry._models[way] = replace(registry._models[way], on_close=fail)
    with caplog.at_level(logging.WARNING):
        await registry.close()

    assert ["openai:gpt-5.1", "wise"] == closed
    assert "CancelledError" in caplog.text
    assert OPERATOR not in str(caplog.messages), "the formatter hides it in the traceback"


async def test_ways_of_many_servers_are_not_kept_for_ever() -> None:
    registry, *_ = registry_of(ModelsConfig("openai:gpt-5.1"))
    for server in range(600):
        await registry.keys.keep(str(server), "openai", SERVER)
        (await registry.sources("", str(server)))[0]()  # type: ignore[operator]

    assert 256 == len(registry._models)
    assert len(registry._keyrings) <= 512
    await registry.close()


async def test_a_script_is_seen_from_the_folder_of_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "hello.jsonl").write_text('{"text": "Hello there."}\n', encoding="utf-8")
    registry, *_ = registry_of(ModelsConfig("script:hello.jsonl"), folder=tmp_path)
    target = MemoryTarget()

    answer = await reply(
        Scene("1", Persona("Ren"), history=(Line("Mia", "Hi"),)),
        await registry.sources(""),
        target,
        settings=Settings.of(degree=0),
    )

    assert isinstance(answer.outcome, Completed)
    assert (["Hello there."], "script:hello.jsonl") == (target.texts, answer.model)
    await registry.close()
