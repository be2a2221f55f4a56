"""The vendors, one row each: their URLs, what their APIs accept, and how that was verified."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from types import MappingProxyType
from typing import Any, cast

from ..types import Abilities, Links, PrefillMode
from .dialects.dialect import Quirks, RequestStyle, RetryHints, ThinkingField
from .known_models import FOUR_NAMES, LEVELS, LEVELS_AND_NONE, TWO_NAMES

_NONE: Mapping[str, str] = MappingProxyType({})


class Verified(Enum):
    """How support for a vendor was verified."""

    SDK = "official SDK on loopback"
    """Its own client decodes our recorded streams to the same answer, and sends the same requests."""
    SERVER = "real server"
    """The server itself was run; its output is among the recorded streams."""
    SHAPE = "recorded shape"
    """A stream with all its peculiarities is decoded as expected."""
    DOCUMENTS = "documentation only"


@dataclass(frozen=True, slots=True)
class Vendor:
    """A company with models, or a program that serves them."""

    name: str
    dialect: str
    url: str = ""
    """The base URL of the API; empty if every user has their own."""
    key_variables: tuple[str, ...] = ()
    """Environment variables for the key; empty if no key is needed."""
    abilities: Abilities = field(default_factory=Abilities)
    quirks: Quirks = field(default_factory=Quirks)
    style: RequestStyle = field(default_factory=RequestStyle)
    headers: Mapping[str, str] = field(default_factory=lambda: _NONE, repr=False)
    is_local: bool = False
    """Whether it runs on the user's own machine."""
    verified: Verified = Verified.DOCUMENTS


_BLIND = Abilities(images=False)
_ZAI = Vendor(
    "zai",
    "openai",
    "https://api.z.ai/api/paas/v4",
    ("ZAI_API_KEY",),
    Abilities(images=False, stops=1, prefill=PrefillMode.PREFIX, prefill_with_tools=False),
    Quirks(replays_reasoning=True),
    RequestStyle(
        sampling=TWO_NAMES,
        usage_on_request=False,  # always counted
        thinking=ThinkingField.SWITCH,
        thinking_fixes_sampling=True,
        tool_stream=True,
    ),
)
OLLAMA_THINKING: Mapping[str, object] = MappingProxyType({"thinking": ThinkingField.EFFORT, "efforts": LEVELS_AND_NONE})
"""How Ollama is told how long to think, at any address."""

_ROWS: tuple[Vendor, ...] = (
    Vendor(
        "openai",
        "openai",
        "https://api.openai.com/v1",
        ("OPENAI_API_KEY",),
        style=RequestStyle(max_tokens="max_completion_tokens", sampling=FOUR_NAMES),
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
        style=RequestStyle(
            thinking=ThinkingField.REASONING,
            efforts=LEVELS_AND_NONE,
            requires_parameters=True,
            clamps_output=True,
            retry=RetryHints(is_router=True),
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
        RequestStyle(
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
        style=RequestStyle(
            thinking=ThinkingField.TEMPLATE,
            thinking_budget="reasoning_budget",
            retry=RetryHints(mandatory=("chat_template_kwargs",), priority=("reasoning_budget",), opaque_5xx=True),
        ),
    ),
    Vendor(
        "groq",
        "openai",
        "https://api.groq.com/openai/v1",
        ("GROQ_API_KEY",),
        _BLIND,
        style=RequestStyle(max_tokens="max_completion_tokens", sampling=TWO_NAMES),
        verified=Verified.SHAPE,
    ),
    Vendor(
        "mistral",
        "openai",
        "https://api.mistral.ai/v1",
        ("MISTRAL_API_KEY",),
        Abilities(prefill=PrefillMode.PREFIX),
        # It refuses unknown parameters.
        style=RequestStyle(sampling=FOUR_NAMES, usage_on_request=False, short_ids=True, strict_turns=True),
        verified=Verified.SHAPE,
    ),
    Vendor("xai", "openai", "https://api.x.ai/v1", ("XAI_API_KEY",), style=RequestStyle(sampling=FOUR_NAMES)),
    Vendor("together", "openai", "https://api.together.xyz/v1", ("TOGETHER_API_KEY",)),
    Vendor("fireworks", "openai", "https://api.fireworks.ai/inference/v1", ("FIREWORKS_API_KEY",)),
    Vendor(
        "cerebras",
        "openai",
        "https://api.cerebras.ai/v1",
        ("CEREBRAS_API_KEY",),
        _BLIND,
        style=RequestStyle(max_tokens="max_completion_tokens", sampling=TWO_NAMES),
    ),
    Vendor(
        "perplexity",
        "openai",
        "https://api.perplexity.ai",
        ("PERPLEXITY_API_KEY",),
        Abilities(tools=False, alternates=True, stops=0),
        style=RequestStyle(
            sampling=MappingProxyType({**FOUR_NAMES, "top_k": "top_k"}), usage_on_request=False, strict_turns=True
        ),
    ),
    Vendor(
        "github",
        "openai",
        "https://models.github.ai/inference",
        ("GITHUB_TOKEN",),
        style=RequestStyle(max_tokens="max_completion_tokens", sampling=FOUR_NAMES),
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
        style=replace(RequestStyle(sampling=FOUR_NAMES), **cast("Any", OLLAMA_THINKING)),
        is_local=True,
    ),
    Vendor(
        "llamacpp",
        "openai",
        "http://localhost:8080/v1",
        abilities=Abilities(links=Links.NONE, stops=16, prefill=PrefillMode.TURN),
        style=RequestStyle(
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
        style=RequestStyle(thinking=ThinkingField.TEMPLATE, continues_last=True),
        is_local=True,
        verified=Verified.SHAPE,
    ),
    Vendor(
        "lmstudio",
        "openai",
        "http://localhost:1234/v1",
        abilities=Abilities(links=Links.NONE, stops=16),
        style=RequestStyle(
            sampling=MappingProxyType({**FOUR_NAMES, "top_k": "top_k", "repetition_penalty": "repeat_penalty"}),
        ),
        is_local=True,
    ),
    Vendor(
        "koboldcpp",
        "openai",
        "http://localhost:5001/v1",
        abilities=Abilities(links=Links.NONE, stops=16),
        style=RequestStyle(
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
        # Some such servers repeat the persona's name after a thought: a stop string there would end the reply.
        abilities=Abilities(speaker_stop=False),
        quirks=Quirks(spills_thoughts=True),
        style=RequestStyle(tells_context=True, retry=RetryHints(is_custom=True)),
        verified=Verified.SHAPE,
    ),
)

VENDORS: Mapping[str, Vendor] = MappingProxyType({vendor.name: vendor for vendor in _ROWS})
"""The vendors by name."""
