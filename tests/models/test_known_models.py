from __future__ import annotations

import re
from dataclasses import fields

import pytest

from cadenza.models.dialects.dialect import Quirks, RequestStyle
from cadenza.models.known_models import FACTS, Fact, facts_about
from cadenza.models.vendors import VENDORS
from cadenza.types import Abilities


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.names)
def test_every_fact_is_about_vendors_and_fields_that_exist(fact: Fact) -> None:
    re.compile(fact.names)

    assert fact.vendors <= set(VENDORS)
    for changes, kind in ((fact.abilities, Abilities), (fact.quirks, Quirks), (fact.style, RequestStyle)):
        assert set(changes) <= {spec.name for spec in fields(kind)}


@pytest.mark.parametrize(
    ("vendor", "model", "changes"),
    [
        ("openai", "gpt-4.1", {}),
        ("openai", "gpt-4o", {}),
        ("openai", "gpt-4", {"images": False}),
        ("openai", "gpt-3.5-turbo", {"images": False}),
        ("openai", "gpt-5", {"stops": 0}),
        ("openai", "gpt-5-chat-latest", {}),
        ("openai", "gpt-5.1-chat-latest", {"stops": 0}),
        ("openai", "gpt-6-sol", {"stops": 0}),
        ("openai", "o3-mini", {"stops": 0, "images": False}),
        ("github", "openai/o1-mini", {"stops": 0, "system": False, "tools": False, "images": False}),
        ("custom", "gpt-5", {}),
        ("google", "gemma-3-27b-it", {"system": False, "tools": False}),
        ("google", "gemma-4-9b", {}),
        ("google", "gemma-nano", {"system": False, "tools": False}),
        ("google", "models/Gemma-3n-E4B-it", {"system": False, "tools": False}),
        ("google", "gemma3:27b", {"system": False, "tools": False}),
        ("google", "gemma4:27b", {}),
        ("google", "gemma-12-1b", {}),
        ("google", "gemma-7b-it", {"system": False, "tools": False}),
        ("google", "medgemma-27b", {"system": False, "tools": False}),
        ("google", "gemini-2.5-flash", {}),
        ("llamacpp", "gemma-2-9b-it", {"system": False}),
        ("llamacpp", "gemma-3-4b-it", {}),
        ("llamacpp", "gemma-12b", {}),
        ("xai", "grok-3", {"images": False}),
        ("xai", "grok-4", {"stops": 0}),
        ("zai", "glm-4.5v", {"images": True, "videos": True}),
        ("zai", "glm-4.6", {}),
        ("groq", "meta-llama/llama-4-scout-17b", {"images": True}),
    ],
)
def test_what_a_model_can_do_is_known_by_its_name(vendor: str, model: str, changes: dict[str, object]) -> None:
    known: dict[str, object] = {}
    for fact in facts_about(vendor, model):
        known |= fact.abilities

    assert changes == known


@pytest.mark.parametrize(
    ("vendor", "model", "quirks"),
    [
        ("llamacpp", "gpt-oss-20b", {"harmony"}),
        ("groq", "openai/gpt-oss-20b", set()),
        ("custom", "google/gemma-3-4b", {"gemma"}),
        ("custom", "deepseek-r1:14b", {"opens_in_thought"}),
        ("deepseek", "deepseek-reasoner", set()),
        ("custom", "some-model", set()),
    ],
)
def test_how_a_model_speaks_is_known_by_its_name(vendor: str, model: str, quirks: set[str]) -> None:
    assert quirks == {name for fact in facts_about(vendor, model) for name in fact.quirks}
