from __future__ import annotations

import pytest

from cadenza.models.dialects.claude import Claude, Silence, claude

OLD = Claude(thinks=False, answer_tokens=4096)
LATE_3 = Claude(thinks=False)
FOUR = Claude()
ONE_SAMPLER = Claude(samples_twice=False)
ADAPTIVE = Claude(adapts=True, samples_twice=False, prefill=False)
STRICT = Claude(adapts=True, hides_thoughts=True, samples=False, samples_twice=False, prefill=False)
ALWAYS = Claude(
    adapts=True, hides_thoughts=True, silence=Silence.NEVER, samples=False, samples_twice=False, prefill=False
)


@pytest.mark.parametrize(
    ("model", "taken"),
    [
        ("claude-2.1", OLD),
        ("claude-instant-1.2", OLD),
        ("claude-3-haiku-20240307", OLD),
        ("claude-3-5-haiku-latest", LATE_3),
        ("claude-3.5-sonnet", LATE_3),
        ("claude-3-7-sonnet-20250219", FOUR),
        ("claude-sonnet-4-20250514", FOUR),
        ("claude-sonnet-4@20250514", FOUR),
        ("claude-4-sonnet", FOUR),
        ("claude-opus-4-0", FOUR),
        ("claude-opus-4-1-20250805", ONE_SAMPLER),
        ("claude-haiku-4-5-20251001", ONE_SAMPLER),
        ("anthropic/claude-sonnet-4.5", ONE_SAMPLER),
        ("us.anthropic.claude-opus-4-6-v1:0", ADAPTIVE),
        ("Claude-Sonnet-4-6", ADAPTIVE),
        ("claude-opus-4-7", STRICT),
        ("claude-opus-4-8", STRICT),
        ("claude-opus-5", STRICT),
        ("claude-sonnet-5", STRICT),
        ("claude-haiku-5-5", STRICT),
        ("claude-opus-5-5", ALWAYS),
        ("claude-fable-5", ALWAYS),
        ("claude-fable-5-1", ALWAYS),
        ("claude-mythos-preview", ALWAYS),
        ("claude-saga-1", ALWAYS),
        ("glm-4.6", FOUR),
        ("claude", FOUR),
        ("claude-v", FOUR),
    ],
)
def test_what_a_model_takes_is_known_by_its_name(model: str, taken: Claude) -> None:
    assert taken == claude(model)


def test_one_is_quiet_only_between_its_calls() -> None:
    assert Silence.BETWEEN_TOOLS is claude("claude-sonnet-5-5").silence
