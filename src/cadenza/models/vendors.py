"""``codec`` makes the dialect for a model from its vendor's row and its name."""

from __future__ import annotations

import difflib
import importlib
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any, TypedDict, TypeVar, Unpack, cast

from ..errors import Sentence, SettingsError
from ..stages.s3_chunks import Codec
from .dialects.dialect import Endpoint
from .known_models import facts_about
from .vendor_rows import OLLAMA_THINKING, VENDORS, Vendor, Verified

__all__ = ["VENDORS", "Overrides", "Vendor", "Verified", "codec", "endpoint"]

T = TypeVar("T")
Changes = Mapping[str, object]
"""New values for some fields of a frozen value."""

_DIALECTS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "openai": ("openai", "OpenAICodec"),
        "openai-responses": ("openai_responses", "ResponsesCodec"),
        "anthropic": ("anthropic", "AnthropicCodec"),
        "google": ("google", "GoogleCodec"),
        "ollama": ("ollama", "OllamaCodec"),
        "novelai": ("novelai", "NovelAICodec"),
    }
)
"""Module and class of each dialect, imported on demand."""

_URL = re.compile(r"(https?://(?:[^/?#\s@]*@)?([^/?#\s]+))(/[^?#\s]*)?(\?[^#\s]*)?", re.IGNORECASE)
_CALLS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "openai": ("/chat/completions", "/chat", "/completions", "/models"),
        "openai-responses": ("/responses", "/models"),
        "google": ("/models",),
        "ollama": ("/api/chat", "/api/generate", "/api/tags", "/api", "/v1"),
    }
)
"""Paths that people often copy along with the base URL, by dialect."""
_ROOTS: Mapping[str, str] = MappingProxyType({"openai": "/v1", "openai-responses": "/v1", "google": "/v1beta"})
"""The usual path of the API, for URLs with only a host."""
_OLLAMA = re.compile(r"ollama|:11434$", re.IGNORECASE)


class Overrides(TypedDict, total=False):
    """What a caller adds to, or changes in, the facts about a vendor and a model."""

    headers: Mapping[str, str]
    """Added to every request; an empty one removes a header of the vendor's row."""
    extra: Changes
    """Fields added to the body of every request; ``None`` removes a field."""
    abilities: Changes
    quirks: Changes
    style: Changes


def codec(vendor: str | Vendor, model: str, *, key: str = "", url: str = "", **overrides: Unpack[Overrides]) -> Codec:
    """The dialect for *model* of *vendor*, which is a name in ``VENDORS`` or a row of your own."""
    row = vendor if isinstance(vendor, Vendor) else _row(vendor)
    return _dialect(row.dialect)(endpoint(row, model, key=key, url=url, **overrides))


def endpoint(vendor: Vendor, model: str, *, key: str = "", url: str = "", **overrides: Unpack[Overrides]) -> Endpoint:
    """The endpoint of *model*. The facts of the vendor's row come first, then those of the model, then *overrides*."""
    model = model.strip()
    if not model:
        msg = Sentence(
            "no model is named for {name}; name one, as in '{vendor}:model'", name=repr(vendor.name), vendor=vendor.name
        )
        raise SettingsError(msg)
    address = _address(vendor, url.strip())
    facts = tuple(facts_about(vendor.name, model))
    told = (OLLAMA_THINKING,) if vendor.style.retry.is_custom and _OLLAMA.search(_host(address)) else ()
    added = {name: value for fact in facts for name, value in fact.extra.items()}
    return Endpoint(
        vendor.name,
        model,
        address,
        _key(vendor, key),
        _headers(vendor.headers, overrides.get("headers", {})),
        MappingProxyType({**added, **overrides.get("extra", {})}),
        _changed(vendor.abilities, "ability", *(fact.abilities for fact in facts), overrides.get("abilities", {})),
        _changed(vendor.quirks, "quirk", *(fact.quirks for fact in facts), overrides.get("quirks", {})),
        _changed(vendor.style, "style", *told, *(fact.style for fact in facts), overrides.get("style", {})),
    )


def _row(name: str) -> Vendor:
    row = VENDORS.get(name.strip().lower())
    if row is None:
        raise SettingsError(_unknown("vendor", name, VENDORS))
    return row


def _dialect(name: str) -> Callable[[Endpoint], Codec]:
    if name not in _DIALECTS:
        raise SettingsError(_unknown("dialect", name, _DIALECTS))
    module, codec_name = _DIALECTS[name]
    found = getattr(importlib.import_module(f".dialects.{module}", __package__), codec_name)
    return cast("Callable[[Endpoint], Codec]", found)


def _unknown(what: str, name: str, known: Collection[str]) -> Sentence:
    close = difflib.get_close_matches(name.lower(), known, n=1)
    hint = (
        Sentence("did you mean {close}?", close=repr(close[0]))
        if close
        else Sentence("known are {names}.", names=", ".join(known))
    )
    return Sentence("unknown {what} {name}; {hint}", what=what, name=repr(name), hint=hint)


def _address(vendor: Vendor, url: str) -> str:
    if not url and not vendor.url:
        example = "http://localhost:8080/v1" if vendor.style.retry.is_custom else "https://…"
        msg = Sentence(
            "{name} has no address of its own; give one, as in url={example}",
            name=repr(vendor.name),
            example=repr(example),
        )
        raise SettingsError(msg)
    if not url:
        return vendor.url
    parts = _URL.fullmatch(url)
    if parts is None:
        msg = Sentence(
            "the address for {name} must begin with http:// or https:// and name a host", name=repr(vendor.name)
        )
        raise SettingsError(msg)
    site, _, path, query = parts.groups(default="")
    path = path.rstrip("/")
    for call in _CALLS.get(vendor.dialect, ()):
        path = path.removesuffix(call)
    path = path.rstrip("/") or _ROOTS.get(vendor.dialect, "")
    return f"{site}{path}{query}"


def _host(url: str) -> str:
    parts = _URL.fullmatch(url)
    return parts[2] if parts else ""


def _key(vendor: Vendor, key: str) -> str:
    key = key.strip()
    if not key.isascii() or not key.isprintable():
        msg = Sentence("the key for {name} holds a character that no key has; copy it again", name=repr(vendor.name))
        raise SettingsError(msg)
    return key


def _headers(ours: Mapping[str, str], theirs: Mapping[str, str]) -> Mapping[str, str]:
    both = {**ours, **{name.lower(): value for name, value in theirs.items()}}
    return MappingProxyType({name: value for name, value in both.items() if value})


def _changed(value: T, what: str, *changes: Changes) -> T:
    known = [spec.name for spec in fields(cast("Any", value))]
    for change in changes:
        for name in change:
            if name not in known:
                raise SettingsError(_unknown(what, name, known))
        value = replace(cast("Any", value), **change)
    return value
