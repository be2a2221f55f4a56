"""Models by their names in a configuration."""

from __future__ import annotations

import pytest

from cadenza.bot.characters.character import Character, CharacterOverrides
from cadenza.bot.config.config import Config, ModelConfig, ModelsConfig
from cadenza.bot.config.model_names import (
    all_models,
    key_of,
    key_variables,
    known_key_variables,
    model_complaint,
    needs_key,
    resolved,
)


@pytest.mark.parametrize(
    "name", ["openai:gpt-5.1", "OpenAI:gpt-5.1", "local", "local:a.gguf", "script:a.jsonl", "fast"]
)
def test_a_name_that_means_somebody_is_right(name: str) -> None:
    assert "" == model_complaint(name, ["fast"])


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("opnai:gpt", "names an unknown vendor 'opnai'; did you mean 'openai'?"),
        ("openai:", "names no model; write it as 'openai:NAME'"),
        ("openai", "names no model; write it as 'openai:NAME'"),
        ("fats", "must be VENDOR:NAME such as 'openai:gpt-5.1', 'local' or a name of [models.NAME], not 'fats'; did you mean 'fast'?"),
        ("qqqqqq", "must be VENDOR:NAME such as 'openai:gpt-5.1', 'local' or a name of [models.NAME], not 'qqqqqq'"),
    ],
)  # fmt: skip
def test_a_name_that_means_nobody_is_told(name: str, complaint: str) -> None:
    assert complaint == model_complaint(name, ["fast"])


def test_an_unknown_vendor_who_is_like_no_other_is_answered_with_all_there_are() -> None:
    assert "known are" in model_complaint("qqqqqq:x")


@pytest.mark.parametrize(
    ("model", "variables", "needs"),
    [
        (ModelConfig("openai:x"), ("OPENAI_API_KEY",), True),
        (ModelConfig("openai:x", key_env="MINE"), ("MINE",), True),
        (ModelConfig("openai:x", url="http://localhost:1"), ("OPENAI_API_KEY",), False),
        (ModelConfig("local"), (), False),
    ],
)
def test_it_is_known_where_a_key_is(model: ModelConfig, variables: tuple[str, ...], needs: bool) -> None:  # noqa: FBT001  # a column
    assert (variables, needs) == (key_variables(model), needs_key(model))


def test_a_key_is_the_first_that_is_there() -> None:
    assert "k" == key_of(ModelConfig("openai:x"), {"OPENAI_API_KEY": "k"})
    assert "" == key_of(ModelConfig("openai:x"), {})


def test_all_models_are_named_once_and_the_default_first() -> None:
    fast = ModelConfig("openai:small", key_env="MINE")
    models = ModelsConfig("fast", ("local", "fast"), {"fast": fast})
    config = Config(
        models=models,
        personas=(
            Character("A", own=CharacterOverrides(model="local")),
            Character("B", own=CharacterOverrides(model="openai:x")),
        ),
    )

    assert ("fast", "local", "openai:x") == all_models(config)
    assert fast == resolved(models, "fast")
    assert ModelConfig("local") == resolved(models, "local")
    assert {"MINE", "OPENAI_API_KEY"} <= known_key_variables(models)
