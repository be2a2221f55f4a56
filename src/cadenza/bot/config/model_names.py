"""Model names in a configuration: validation, and the variables that hold their keys."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from .checking import shown
from .config import Config, ModelConfig, ModelsConfig

if TYPE_CHECKING:
    from ...models.vendors import Vendor

_WITHOUT_VENDOR = ("local", "script")


def model_complaint(name: str, named: Collection[str] = ()) -> str:
    """What is wrong with *name*, which is one of *named* or ``VENDOR:NAME``; empty if it is valid."""
    vendor, colon, model = (part.strip() for part in name.partition(":"))
    vendor = vendor.lower()
    if name in named or vendor == "local":
        return ""
    if vendor == "script" or _vendor(vendor):
        return "" if model else f"names no model; write it as '{vendor}:NAME'"
    known = [*named, *_vendors(), *_WITHOUT_VENDOR]
    close = difflib.get_close_matches(vendor if colon else name, known, n=1)
    meant = f"; did you mean {close[0]!r}?" if close else ""
    if colon:
        return f"names an unknown vendor {shown(vendor)}{meant or '; known are ' + ', '.join(known)}"
    return f"must be VENDOR:NAME such as 'openai:gpt-5.1', 'local' or a name of [models.NAME], not {shown(name)}{meant}"


def resolved(models: ModelsConfig, name: str) -> ModelConfig:
    """The model called *name*: a named one of the configuration, or ``VENDOR:NAME``."""
    return models.named.get(name) or ModelConfig(name)


def key_variables(model: ModelConfig) -> tuple[str, ...]:
    """The variables in which the key of *model* may be; empty if it has no key."""
    vendor = _vendor(model.model.partition(":")[0].strip().lower())
    return (model.key_env,) if model.key_env else vendor.key_variables if vendor else ()


def needs_key(model: ModelConfig) -> bool:
    """Whether *model* is known to need a key."""
    vendor = _vendor(model.model.partition(":")[0].strip().lower())
    is_elsewhere = vendor is None or vendor.is_local or bool(model.url) or not vendor.url
    return bool(model.key_env) or (not is_elsewhere and bool(key_variables(model)))


def key_of(model: ModelConfig, secrets: Mapping[str, str]) -> str:
    """The key of *model*; empty if there is none."""
    return next((secrets[name] for name in key_variables(model) if secrets.get(name)), "")


def all_models(config: Config) -> tuple[str, ...]:
    """The names of all models in *config*, the default first."""
    chosen = [persona.own.model for persona in config.personas]
    models = config.models
    return tuple(dict.fromkeys(filter(None, [models.default, *models.fallbacks, *models.named, *chosen])))


def known_key_variables(models: ModelsConfig) -> frozenset[str]:
    """Every variable that may hold a key: those of *models*, and the usual ones of all vendors."""
    usual = [name for vendor in _vendors().values() for name in vendor.key_variables]
    return frozenset([*usual, *(model.key_env for model in models.named.values() if model.key_env)])


def _vendor(name: str) -> Vendor | None:
    return _vendors().get(name)


def _vendors() -> Mapping[str, Vendor]:
    from ...models.vendors import VENDORS  # noqa: PLC0415  # slow to import

    return VENDORS
