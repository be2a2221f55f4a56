"""Asking a vendor: ``codec`` makes the dialect that speaks to one of their models, from a row of data and a name."""

from __future__ import annotations

import difflib
import importlib
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any, TypeVar, cast

from ..errors import SettingsError
from ..stages.s3_chunks import Codec
from .dialects.dialect import Endpoint
from .known_models import facts_about
from .vendor_rows import OLLAMA_THINKING, VENDORS, Vendor, Verified

__all__ = ["VENDORS", "Vendor", "Verified", "codec", "endpoint"]

T = TypeVar("T")
Changes = Mapping[str, object]
"""Some fields of a frozen value, and what they are to be."""

_NONE: Mapping[str, str] = MappingProxyType({})
_NO_CHANGES: Changes = MappingProxyType({})
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
"""The module of a dialect and its codec; it is imported when somebody asks for it."""

_URL = re.compile(r"(https?://(?:[^/?#\s@]*@)?([^/?#\s]+))(/[^?#\s]*)?(\?[^#\s]*)?", re.IGNORECASE)
_CALLS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "openai": ("/chat/completions", "/chat", "/completions", "/models"),
        "openai-responses": ("/responses", "/models"),
        "google": ("/models",),
        "ollama": ("/api/chat", "/api/generate", "/api/tags", "/api", "/v1"),
    }
)
"""What people copy along with the address of an interface, by its dialect."""
_ROOTS: Mapping[str, str] = MappingProxyType({"openai": "/v1", "openai-responses": "/v1", "google": "/v1beta"})
"""Where nearly every server has the interface that people name by its host alone."""
_OLLAMA = re.compile(r"ollama|:11434$", re.IGNORECASE)


def codec(
    vendor: str | Vendor,
    model: str,
    *,
    key: str = "",
    url: str = "",
    headers: Mapping[str, str] = _NONE,
    extra: Changes = _NO_CHANGES,
    abilities: Changes = _NO_CHANGES,
    quirks: Changes = _NO_CHANGES,
    manner: Changes = _NO_CHANGES,
) -> Codec:
    """The dialect that speaks to *model* of *vendor*, who is a name in ``VENDORS`` or a row of your own.

    *abilities*, *quirks* and *manner* change single fields of what is known; *headers* and *extra* (fields for the body
    of the request) are added to it, and an empty header or a field that is ``None`` takes one away.
    """
    row = vendor if isinstance(vendor, Vendor) else _row(vendor)
    asked = endpoint(
        row, model, key=key, url=url, headers=headers, extra=extra, abilities=abilities, quirks=quirks, manner=manner
    )
    return _dialect(row.dialect)(asked)


def endpoint(
    vendor: Vendor,
    model: str,
    *,
    key: str = "",
    url: str = "",
    headers: Mapping[str, str] = _NONE,
    extra: Changes = _NO_CHANGES,
    abilities: Changes = _NO_CHANGES,
    quirks: Changes = _NO_CHANGES,
    manner: Changes = _NO_CHANGES,
) -> Endpoint:
    """Where *model* of *vendor* is asked, with all that is known of it: the row, then its name, then the user's word."""
    model = model.strip()
    if not model:
        msg = f"no model is named for {vendor.name!r}; name one, as in '{vendor.name}:model'"
        raise SettingsError(msg)
    address = _address(vendor, url.strip())
    facts = tuple(facts_about(vendor.name, model))
    told = (OLLAMA_THINKING,) if vendor.manner.is_custom and _OLLAMA.search(_host(address)) else ()
    added = {name: value for fact in facts for name, value in fact.extra.items()}
    return Endpoint(
        vendor.name,
        model,
        address,
        _key(vendor, key),
        _headers(vendor.headers, headers),
        MappingProxyType({**added, **extra}),
        _changed(vendor.abilities, "ability", *(fact.abilities for fact in facts), abilities),
        _changed(vendor.quirks, "quirk", *(fact.quirks for fact in facts), quirks),
        _changed(vendor.manner, "manner", *told, *(fact.manner for fact in facts), manner),
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
    found = getattr(importlib.import_module(f".{module}", __package__), codec_name)
    return cast("Callable[[Endpoint], Codec]", found)


def _unknown(what: str, name: str, known: Collection[str]) -> str:
    close = difflib.get_close_matches(name.lower(), known, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"known are {', '.join(known)}."
    return f"unknown {what} {name!r}; {hint}"


def _address(vendor: Vendor, url: str) -> str:
    if not url and not vendor.url:
        example = "http://localhost:8080/v1" if vendor.manner.is_custom else "https://…"
        msg = f"{vendor.name!r} has no address of its own; give one, as in url={example!r}"
        raise SettingsError(msg)
    if not url:
        return vendor.url
    parts = _URL.fullmatch(url)
    if parts is None:
        msg = f"the address for {vendor.name!r} must begin with http:// or https:// and name a host"
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
        msg = f"the key for {vendor.name!r} holds a character that no key has; copy it again"
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
