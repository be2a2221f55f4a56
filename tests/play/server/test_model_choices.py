"""Which models can be talked to: the guide, whoever there is a key for, and whoever is named."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest

from cadenza.bot.config.config import Config, ModelConfig, ModelsConfig
from cadenza.bot.config.current import Current
from cadenza.bot.store.in_memory import MemoryStore
from cadenza.bot.store.sealing import Seal, new_key
from cadenza.errors import SettingsError
from cadenza.models.model import Model
from cadenza.play.server.model_choices import PlayModels, offers, with_models


def _names(config: Config) -> list[str]:
    return [offer.name for offer in offers(config) if offer.name != "local"]


def test_without_a_key_the_guide_answers() -> None:
    config = with_models(Config(), "", {})

    assert "guide" == config.models.default
    assert ["guide"] == _names(config)


def test_a_vendor_whose_key_is_there_can_be_chosen_and_no_key_is_told() -> None:
    config = with_models(Config(), "", {"OPENAI_API_KEY": "sk-secret", "ANTHROPIC_API_KEY": " ", "XAI_API_KEY": "x"})

    assert ["guide", "openai:gpt-5.1", "xai:grok-4"] == _names(config)
    assert "secret" not in repr(offers(config))


def test_whoever_is_named_answers() -> None:
    assert "mistral:tiny" == with_models(Config(), "mistral:tiny", {}).models.default
    assert ["guide", "mistral:tiny"] == _names(with_models(Config(), "mistral:tiny", {}))


def test_what_a_file_says_is_kept() -> None:
    named = MappingProxyType({"mine": ModelConfig("custom:x", url="http://127.0.0.1:1/v1")})
    config = with_models(Config(models=ModelsConfig("mine", ("guide",), named)), "", {})

    assert ("mine", ("guide",)) == (config.models.default, config.models.fallbacks)
    assert ["guide", "mine"] == _names(config)


@pytest.mark.parametrize("wanted", ["nobody:x", "gpt", "openai:"])
def test_a_name_that_nobody_has_is_a_sentence(wanted: str) -> None:
    with pytest.raises(SettingsError, match=r"^--model "):
        with_models(Config(), wanted, {})


async def _asked(config: Config, name: str) -> str:
    async with MemoryStore() as store:
        namespace = PlayModels(Current(config), store, Seal(new_key()))
        [source, *_] = await namespace.sources(name)
        model = source if isinstance(source, Model) else source()
        await namespace.close()
        assert isinstance(model, Model)
        return model.name


@pytest.mark.parametrize(
    ("default", "name", "answers"),
    [
        ("guide", "", "guide"),
        ("guide", "guide", "guide"),
        ("guide", "not on offer", "guide"),
        ("script:a.jsonl", "guide", "guide"),
        ("guide", "openai:gpt-5.1", "openai:gpt-5.1"),
        ("openai:gpt-5.1", "", "openai:gpt-5.1"),
    ],
)
async def test_the_shelf_knows_the_guide_and_all_others(
    default: str, name: str, answers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    config = with_models(Config(), "", {"OPENAI_API_KEY": "sk-test"})
    config = replace(config, models=replace(config.models, default=default))

    assert answers == await _asked(config, name)
