"""What is known of models by their names: small tables, asked after the vendor's row and before the user's word.

Only what would otherwise fail or go unheard stands here; what a name does not tell, the user can (``abilities=``,
``quirks=``, ``manner=`` of ``vendors.codec``), and what an interface refuses, the ladder leaves out.
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
"""The sampling parameters that OpenAI's own interface has."""
NO_NAMES: Mapping[str, str] = MappingProxyType({})

LEVELS: Mapping[Thinking, str] = MappingProxyType(
    {level: level.value for level in (Thinking.LOW, Thinking.MEDIUM, Thinking.HIGH)}
)
LEVELS_AND_NONE: Mapping[Thinking, str] = MappingProxyType({Thinking.NONE: "none", **LEVELS})


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that is so for models with such names, at such vendors."""

    names: str
    """A pattern, searched for in the name."""
    vendors: frozenset[str]
    abilities: Mapping[str, object] = field(default_factory=lambda: _NOTHING)
    quirks: Mapping[str, object] = field(default_factory=lambda: _NOTHING)
    manner: Mapping[str, object] = field(default_factory=lambda: _NOTHING)
    extra: Mapping[str, object] = field(default_factory=lambda: _NOTHING)

    def holds(self, vendor: str, model: str) -> bool:
        """Whether it is about *model*."""
        return vendor in self.vendors and re.search(self.names, model, re.IGNORECASE) is not None


_OPENAI = frozenset({"openai", "github"})
_HOSTS = frozenset({"groq", "together", "fireworks", "cerebras", "nvidia", "vllm"})
"""Who serve open models and take ``reasoning_effort`` for those that have it."""
_RAW = frozenset({"llamacpp", "lmstudio", "koboldcpp", "ollama-compat", "custom"})
"""Servers that may hand on what a model's template left in its words."""


def _effort(**words: str) -> dict[str, object]:
    """``reasoning_effort`` with these words for the levels."""
    efforts = MappingProxyType({Thinking(level): word for level, word in words.items()})
    return {"thinking": ThinkingField.EFFORT, "efforts": efforts}


FACTS: tuple[Fact, ...] = (
    Fact(r"(?:^|/)o1-(?:mini|preview)", _OPENAI, abilities={"system": False, "tools": False}),
    Fact(r"(?:^|/)(?:gpt-3\.5|gpt-4(?:-\d{4})?$|o1-(?:mini|preview)|o3-mini)", _OPENAI, abilities={"images": False}),
    # Open models that think, by who serves them.
    Fact(r"gpt-oss", _HOSTS, manner=_effort(low="low", medium="medium", high="high")),
    Fact(
        r"qwen3|qwen/qwen3",
        frozenset({"groq"}),
        manner=_effort(none="none", low="default", medium="default", high="default"),
        extra={"reasoning_format": "parsed"},
    ),
    Fact(r"deepseek-r1", frozenset({"groq"}), extra={"reasoning_format": "parsed"}),
    Fact(r"llama-4|vision", frozenset({"groq"}), abilities={"images": True}),
    Fact(
        r"mistral-(?:small-latest|medium-3-5)",
        frozenset({"mistral"}),
        manner=_effort(none="none", low="high", medium="high", high="high"),
    ),
    Fact(r"grok-(?:3-mini|4|code)", frozenset({"xai"}), abilities={"stops": 0}, manner={"sampling": TWO_NAMES}),
    Fact(r"grok-3-mini", frozenset({"xai"}), manner=_effort(low="low", medium="high", high="high")),
    Fact(r"grok-3", frozenset({"xai"}), abilities={"images": False}),
    Fact(r"reasoner", frozenset({"deepseek"}), manner={"sampling": NO_NAMES}),
    Fact(r"glm-\d+(?:\.\d+)?v", frozenset({"zai", "zaicoding"}), abilities={"images": True, "videos": True}),
    # What a template leaves in the words of a model, if the server does not take it out.
    Fact(r"gpt-oss", _RAW | {"vllm"}, quirks={"harmony": True}),
    Fact(r"gemma", _RAW, quirks={"gemma": True}),
    Fact(
        r"deepseek-r1|r1-distill|qwq|qwen3.*thinking",
        frozenset({"koboldcpp", "custom"}),
        quirks={"opens_in_thought": True},
    ),
    # Gemma had no place for instructions before its fourth version; templates of servers make one from the third on.
    # In gemma-7b the number is a size.
    # Google gives it no tools before that either.
    Fact(r"gemma(?!-?(?:[4-9]|\d\d)(?![\db]))", frozenset({"google"}), abilities={"system": False, "tools": False}),
    Fact(r"gemma-?[12](?!\d)", _RAW | _HOSTS, abilities={"system": False}),
)


def facts_about(vendor: str, model: str) -> Iterator[Fact]:
    """What is known of *model* at *vendor*, in the order of the table: a later one has the last word."""
    if vendor in _OPENAI and (taken := efforts(model)):
        yield _openai_thinker(taken)
    yield from (fact for fact in FACTS if fact.holds(vendor, model))


def _openai_thinker(taken: Sequence[str]) -> Fact:
    """OpenAI's models that think refuse sampling parameters and stop strings, and count thoughts with the answer."""
    words = {level.value: effort(taken, level) for level in Thinking if level is not Thinking.AUTO}
    manner = {"sampling": NO_NAMES, "counts_thoughts": True, **_effort(**words)}
    return Fact("", _OPENAI, abilities={"stops": 0}, manner=manner)
