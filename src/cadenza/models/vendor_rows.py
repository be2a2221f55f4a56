"""The vendors, a row each: where they are, what their interface takes, and how we know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from types import MappingProxyType
from typing import Any, cast

from ..types import Abilities, Links, PrefillMode
from .dialects.dialect import Manner, Quirks, ThinkingField
from .known_models import FOUR_NAMES, LEVELS, LEVELS_AND_NONE, TWO_NAMES

_NONE: Mapping[str, str] = MappingProxyType({})


class Verified(Enum):
    """How we know that a vendor is spoken to rightly."""

    SDK = "official SDK on loopback"
    """Its own client reads our recorded streams to the same answer, and sends what we send."""
    SERVER = "real server"
    """The program itself was run and answered; what it sent is among the recorded streams."""
    SHAPE = "recorded shape"
    """A stream with everything that is particular to it is read as it should be."""
    DOCUMENTS = "documentation only"


@dataclass(frozen=True, slots=True)
class Vendor:
    """Somebody who has models, or a program that serves them."""

    name: str
    dialect: str
    url: str = ""
    """The base of the interface; empty if everybody has one of their own."""
    key_variables: tuple[str, ...] = ()
    """Where a key is looked for; without any, none is needed."""
    abilities: Abilities = field(default_factory=Abilities)
    quirks: Quirks = field(default_factory=Quirks)
    manner: Manner = field(default_factory=Manner)
    headers: Mapping[str, str] = field(default_factory=lambda: _NONE, repr=False)
    is_local: bool = False
    """Whether it runs on one's own machine."""
    verified: Verified = Verified.DOCUMENTS


_BLIND = Abilities(images=False)
_ZAI = Vendor(
    "zai",
    "openai",
    "https://api.z.ai/api/paas/v4",
    ("ZAI_API_KEY",),
    Abilities(images=False, stops=1, prefill=PrefillMode.PREFIX, prefill_with_tools=False),
    Quirks(replays_reasoning=True),
    Manner(
        sampling=TWO_NAMES,
        usage_on_request=False,  # it always counts
        thinking=ThinkingField.SWITCH,
        thinking_fixes_sampling=True,
        tool_stream=True,
    ),
)
OLLAMA_THINKING: Mapping[str, object] = MappingProxyType({"thinking": ThinkingField.EFFORT, "efforts": LEVELS_AND_NONE})
"""How Ollama is told how long to think, wherever it is found."""

_ROWS: tuple[Vendor, ...] = (
    Vendor(
        "openai",
        "openai",
        "https://api.openai.com/v1",
        ("OPENAI_API_KEY",),
        manner=Manner(max_tokens="max_completion_tokens", sampling=FOUR_NAMES),
        verified=Verified.SDK,
    ),
    Vendor(
        "openai-responses",
        "openai-responses",
        "https://api.openai.com/v1",
        ("OPENAI_API_KEY",),
        Abilities(stops=0),
        verified=Verified.SDK,
    ),
    Vendor(
        "anthropic",
        "anthropic",
        "https://api.anthropic.com/v1",
        ("ANTHROPIC_API_KEY",),
        Abilities(alternates=True, prefill=PrefillMode.TURN, stops=16),
        verified=Verified.SDK,
    ),
    Vendor(
        "google",
        "google",
        "https://generativelanguage.googleapis.com/v1beta",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        Abilities(videos=True, stops=5),
        verified=Verified.SDK,
    ),
    Vendor(
        "vertex",
        "google",
        key_variables=("VERTEX_ACCESS_TOKEN",),
        abilities=Abilities(videos=True, stops=5),
        verified=Verified.SHAPE,
    ),
    Vendor(
        "openrouter",
        "openai",
        "https://openrouter.ai/api/v1",
        ("OPENROUTER_API_KEY",),
        quirks=Quirks(spills_thoughts=True),
        manner=Manner(
            thinking=ThinkingField.REASONING,
            efforts=LEVELS_AND_NONE,
            requires_parameters=True,
            clamps_output=True,
            is_router=True,
        ),
        headers={"x-title": "Cadenza"},
        verified=Verified.SHAPE,
    ),
    Vendor(
        "deepseek",
        "openai",
        "https://api.deepseek.com",
        ("DEEPSEEK_API_KEY",),
        Abilities(images=False, stops=16, prefill=PrefillMode.PREFIX, prefill_with_tools=False),
        Quirks(replays_reasoning=True),
        Manner(
            sampling=FOUR_NAMES,
            thinking=ThinkingField.SWITCH,
            efforts=LEVELS,
            thinking_fixes_sampling=True,
            prefix_path="/beta",
            wants_thoughts=True,
        ),
        verified=Verified.SHAPE,
    ),
    _ZAI,
    replace(_ZAI, name="zaicoding", url="https://api.z.ai/api/coding/paas/v4"),
    Vendor(
        "nvidia",
        "openai",
        "https://integrate.api.nvidia.com/v1",
        ("NVIDIA_API_KEY",),
        quirks=Quirks(spills_thoughts=True),
        manner=Manner(
            thinking=ThinkingField.TEMPLATE,
            thinking_budget="reasoning_budget",
            mandatory=("chat_template_kwargs",),
            priority=("reasoning_budget",),
            opaque_5xx=True,
        ),
    ),
    Vendor(
        "groq",
        "openai",
        "https://api.groq.com/openai/v1",
        ("GROQ_API_KEY",),
        _BLIND,
        manner=Manner(max_tokens="max_completion_tokens", sampling=TWO_NAMES),
        verified=Verified.SHAPE,
    ),
    Vendor(
        "mistral",
        "openai",
        "https://api.mistral.ai/v1",
        ("MISTRAL_API_KEY",),
        Abilities(prefill=PrefillMode.PREFIX),
        # It refuses what it does not know.
        manner=Manner(sampling=FOUR_NAMES, usage_on_request=False, short_ids=True, strict_turns=True),
        verified=Verified.SHAPE,
    ),
    Vendor("xai", "openai", "https://api.x.ai/v1", ("XAI_API_KEY",), manner=Manner(sampling=FOUR_NAMES)),
    Vendor("together", "openai", "https://api.together.xyz/v1", ("TOGETHER_API_KEY",)),
    Vendor("fireworks", "openai", "https://api.fireworks.ai/inference/v1", ("FIREWORKS_API_KEY",)),
    Vendor(
        "cerebras",
        "openai",
        "https://api.cerebras.ai/v1",
        ("CEREBRAS_API_KEY",),
        _BLIND,
        manner=Manner(max_tokens="max_completion_tokens", sampling=TWO_NAMES),
    ),
    Vendor(
        "perplexity",
        "openai",
        "https://api.perplexity.ai",
        ("PERPLEXITY_API_KEY",),
        Abilities(tools=False, alternates=True, stops=0),
        manner=Manner(
            sampling=MappingProxyType({**FOUR_NAMES, "top_k": "top_k"}), usage_on_request=False, strict_turns=True
        ),
    ),
    Vendor(
        "github",
        "openai",
        "https://models.github.ai/inference",
        ("GITHUB_TOKEN",),
        manner=Manner(max_tokens="max_completion_tokens", sampling=FOUR_NAMES),
    ),
    Vendor(
        "novelai",
        "novelai",
        "https://text.novelai.net",
        ("NOVELAI_API_KEY",),
        replace(_BLIND, goes_on=False),
        verified=Verified.SHAPE,
    ),
    Vendor(
        "ollama",
        "ollama",
        "http://localhost:11434",
        abilities=Abilities(stops=16, prefill=PrefillMode.TURN),
        is_local=True,
    ),
    Vendor(
        "ollama-compat",
        "openai",
        "http://localhost:11434/v1",
        abilities=Abilities(links=Links.NONE, stops=16),
        manner=replace(Manner(sampling=FOUR_NAMES), **cast("Any", OLLAMA_THINKING)),
        is_local=True,
    ),
    Vendor(
        "llamacpp",
        "openai",
        "http://localhost:8080/v1",
        abilities=Abilities(links=Links.NONE, stops=16, prefill=PrefillMode.TURN),
        manner=Manner(
            sampling=MappingProxyType(
                {**FOUR_NAMES, "top_k": "top_k", "min_p": "min_p", "repetition_penalty": "repeat_penalty"}
            ),
            thinking=ThinkingField.TEMPLATE,
        ),
        is_local=True,
        verified=Verified.SERVER,
    ),
    Vendor(
        "vllm",
        "openai",
        "http://localhost:8000/v1",
        ("VLLM_API_KEY",),
        Abilities(stops=16, prefill=PrefillMode.TURN),
        manner=Manner(thinking=ThinkingField.TEMPLATE, continues_last=True),
        is_local=True,
        verified=Verified.SHAPE,
    ),
    Vendor(
        "lmstudio",
        "openai",
        "http://localhost:1234/v1",
        abilities=Abilities(links=Links.NONE, stops=16),
        manner=Manner(
            sampling=MappingProxyType({**FOUR_NAMES, "top_k": "top_k", "repetition_penalty": "repeat_penalty"}),
        ),
        is_local=True,
    ),
    Vendor(
        "koboldcpp",
        "openai",
        "http://localhost:5001/v1",
        abilities=Abilities(links=Links.NONE, stops=16),
        manner=Manner(
            sampling=MappingProxyType(
                {**FOUR_NAMES, "top_k": "top_k", "min_p": "min_p", "repetition_penalty": "rep_pen"}
            ),
            tells_context=True,
        ),
        is_local=True,
    ),
    Vendor(
        "custom",
        "openai",
        key_variables=("CUSTOM_API_KEY",),
        # Some such servers say the persona's name again behind a thought: a stop there would end the reply.
        abilities=Abilities(speaker_stop=False),
        quirks=Quirks(spills_thoughts=True),
        manner=Manner(tells_context=True, is_custom=True),
        verified=Verified.SHAPE,
    ),
)

VENDORS: Mapping[str, Vendor] = MappingProxyType({vendor.name: vendor for vendor in _ROWS})
"""The vendors that are known by name."""
