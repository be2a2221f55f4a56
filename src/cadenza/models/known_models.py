"""Facts about models, looked up by name: they override the vendor's row and are overridden by the user.

Only facts without which a request would fail, or part of the answer would be lost, are listed. The user can override
them (``abilities=``, ``quirks=``, ``style=`` of ``vendors.codec``), and parameters that an API refuses are dropped by
the ladder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from ..types import Thinking
from .dialects.dialect import ThinkingField
from .dialects.gpt import effort, efforts

_NOTHING: Mapping[str, object] = MappingProxyType({})

TWO_NAMES: Mapping[str, str] = MappingProxyType({name: name for name in ("temperature", "top_p")})
FOUR_NAMES: Mapping[str, str] = MappingProxyType(
    {name: name for name in ("temperature", "top_p", "frequency_penalty", "presence_penalty")}
)
"""The sampling parameters of OpenAI's own API."""
NO_NAMES: Mapping[str, str] = MappingProxyType({})

LEVELS: Mapping[Thinking, str] = MappingProxyType(
    {level: level.value for level in (Thinking.LOW, Thinking.MEDIUM, Thinking.HIGH)}
)
LEVELS_AND_NONE: Mapping[Thinking, str] = MappingProxyType({Thinking.NONE: "none", **LEVELS})


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact about models, matched by name and vendor."""

    names: str
    """A pattern that is searched for in the name."""
    vendors: frozenset[str]
    abilities: Mapping[str, object] = field(default_factory=lambda: _NOTHING)
    quirks: Mapping[str, object] = field(default_factory=lambda: _NOTHING)
    style: Mapping[str, object] = field(default_factory=lambda: _NOTHING)
    extra: Mapping[str, object] = field(default_factory=lambda: _NOTHING)

    def holds(self, vendor: str, model: str) -> bool:
        """Whether the fact applies to *model*."""
        return vendor in self.vendors and re.search(self.names, model, re.IGNORECASE) is not None


_OPENAI = frozenset({"openai", "github"})
_HOSTS = frozenset({"groq", "together", "fireworks", "cerebras", "nvidia", "vllm"})
"""Hosts of open models that accept ``reasoning_effort`` for models that have it."""
_RAW = frozenset({"llamacpp", "lmstudio", "koboldcpp", "ollama-compat", "custom"})
"""Servers that may pass on a template's marks as text."""


def _effort(**words: str) -> dict[str, object]:
    """Settings for ``reasoning_effort`` with these words for the levels."""
    efforts = MappingProxyType({Thinking(level): word for level, word in words.items()})
    return {"thinking": ThinkingField.EFFORT, "efforts": efforts}


FACTS: tuple[Fact, ...] = (
    Fact(r"(?:^|/)o1-(?:mini|preview)", _OPENAI, abilities={"system": False, "tools": False}),
    Fact(r"(?:^|/)(?:gpt-3\.5|gpt-4(?:-\d{4})?$|o1-(?:mini|preview)|o3-mini)", _OPENAI, abilities={"images": False}),
    # Open models that think, by host.
    Fact(r"gpt-oss", _HOSTS, style=_effort(low="low", medium="medium", high="high")),
    Fact(
        r"qwen3|qwen/qwen3",
        frozenset({"groq"}),
        style=_effort(none="none", low="default", medium="default", high="default"),
        extra={"reasoning_format": "parsed"},
    ),
    Fact(r"deepseek-r1", frozenset({"groq"}), extra={"reasoning_format": "parsed"}),
    Fact(r"llama-4|vision", frozenset({"groq"}), abilities={"images": True}),
    Fact(
        r"mistral-(?:small-latest|medium-3-5)",
        frozenset({"mistral"}),
        style=_effort(none="none", low="high", medium="high", high="high"),
    ),
    Fact(r"grok-(?:3-mini|4|code)", frozenset({"xai"}), abilities={"stops": 0}, style={"sampling": TWO_NAMES}),
    Fact(r"grok-3-mini", frozenset({"xai"}), style=_effort(low="low", medium="high", high="high")),
    Fact(r"grok-3", frozenset({"xai"}), abilities={"images": False}),
    Fact(r"reasoner", frozenset({"deepseek"}), style={"sampling": NO_NAMES}),
    Fact(r"glm-\d+(?:\.\d+)?v", frozenset({"zai", "zaicoding"}), abilities={"images": True, "videos": True}),
    # Marks of a template that the server may leave in the text.
    Fact(r"gpt-oss", _RAW | {"vllm"}, quirks={"harmony": True}),
    Fact(r"gemma", _RAW, quirks={"gemma": True}),
    Fact(
        r"deepseek-r1|r1-distill|qwq|qwen3.*thinking",
        frozenset({"koboldcpp", "custom"}),
        quirks={"opens_in_thought": True},
    ),
    # Gemma has no system prompt before version 4; the templates of servers add one from version 3 on.
    # In gemma-7b the number is a size.
    # Google offers no tools for it before version 4 either.
    Fact(r"gemma(?!-?(?:[4-9]|\d\d)(?![\db]))", frozenset({"google"}), abilities={"system": False, "tools": False}),
    Fact(r"gemma-?[12](?!\d)", _RAW | _HOSTS, abilities={"system": False}),
)


def facts_about(vendor: str, model: str) -> Iterator[Fact]:
    """The facts about *model* at *vendor*, in the order of the table; later ones win."""
    if vendor in _OPENAI and (taken := efforts(model)):
        yield _openai_thinker(taken)
    yield from (fact for fact in FACTS if fact.holds(vendor, model))


def _openai_thinker(taken: Sequence[str]) -> Fact:
    """The fact for OpenAI's thinking models: no sampling parameters, no stop strings, thoughts count as output."""
    words = {level.value: effort(taken, level) for level in Thinking if level is not Thinking.AUTO}
    style = {"sampling": NO_NAMES, "counts_thoughts": True, **_effort(**words)}
    return Fact("", _OPENAI, abilities={"stops": 0}, style=style)
