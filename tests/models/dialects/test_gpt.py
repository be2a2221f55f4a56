from __future__ import annotations

import pytest

from cadenza.models.dialects.gpt import effort, efforts
from cadenza.types import Thinking

LEVELS = (Thinking.NONE, Thinking.LOW, Thinking.MEDIUM, Thinking.HIGH)


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("gpt-5", ("minimal", "low", "medium", "high")),
        ("gpt-5-nano-2025-08-07", ("minimal", "low", "medium", "high")),
        ("gpt-5-codex", ("low", "low", "medium", "high")),
        ("gpt-5-pro", ("high", "high", "high", "high")),
        ("gpt-5.1", ("none", "low", "medium", "high")),
        ("openai/gpt-5.1", ("none", "low", "medium", "high")),
        ("gpt-5.1-codex-max", ("low", "low", "medium", "high")),
        ("gpt-5.2-chat-latest", ("medium", "medium", "medium", "medium")),
        ("gpt-5.5-pro", ("medium", "medium", "medium", "high")),
        ("gpt-5.6-sol", ("none", "low", "medium", "high")),
        ("gpt-6-luna", ("none", "low", "medium", "high")),
        ("gpt-6-astra", ("low", "low", "medium", "high")),
        ("gpt-6.1-terra", ("none", "low", "medium", "high")),
        ("gpt-oss-20b", ("low", "low", "medium", "high")),
        ("o3", ("low", "low", "medium", "high")),
        ("O4-mini", ("low", "low", "medium", "high")),
    ],
)
def test_a_model_that_thinks_is_told_the_nearest_that_it_takes(model: str, told: tuple[str, ...]) -> None:
    assert told == tuple(effort(efforts(model), level) for level in LEVELS)
    assert "" == effort(efforts(model), Thinking.AUTO)


@pytest.mark.parametrize(
    "model", ["gpt-4.1", "gpt-4o", "gpt-5-chat-latest", "chatgpt-4o-latest", "llama-3", "omni", ""]
)
def test_a_model_that_does_not_think_is_told_nothing(model: str) -> None:
    assert () == efforts(model)
    assert {""} == {effort(efforts(model), level) for level in Thinking}
