"""``connect("openai:gpt-5.1")``: make a model from its name."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from ipaddress import ip_address
from itertools import cycle
from runpy import run_path
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ..errors import Sentence, SettingsError
from ..explain.tracebacks import get_logger
from ..settings import Settings, from_environment
from .dialects.scripted import Answerer, ScriptedCodec, Sleep, parse_script, play_request, transport
from .keys import Keyring
from .model import Model
from .recordings import is_head, parse, playing, read_text

if TYPE_CHECKING:
    from .http import Http
    from .vendors import Overrides, Vendor

logger = get_logger(__name__)

_NOTHING: Mapping[str, object] = MappingProxyType({})
_NO_HEADERS: Mapping[str, str] = MappingProxyType({})
_FORMS = "'openai:gpt-5.1', 'local' or 'script:FILE'"
_SEPARATORS = re.compile(r"[\s,]+")
"""Separates several keys in one variable. Neither a bearer token nor any vendor's key contains these characters."""
_OWN_SERVER = "a server of your own is 'llamacpp:NAME' or 'custom:NAME'"


def connect(
    name: str,
    *,
    vendor: Vendor | None = None,
    key: str | Sequence[str] | None = None,
    keyring: Keyring | None = None,
    url: str | None = None,
    settings: Settings | None = None,
    http: Http | None = None,
    headers: Mapping[str, str] = _NO_HEADERS,
    extra: Mapping[str, object] = _NOTHING,
    abilities: Mapping[str, object] = _NOTHING,
    quirks: Mapping[str, object] = _NOTHING,
) -> Model:
    """The model called *name*: a vendor, a colon and the vendor's name for the model, as in ``openai:gpt-5.1``.

    ``local`` is a small model on this machine, ``local:FILE.gguf`` another. ``script:FILE`` plays a script or a
    recording, or calls the function ``answer`` of a Python file. With *vendor*, a row of your own, *name* is only the
    model's name. Without *key*, the vendor's environment variable holds the key, or several, separated by commas or
    spaces. Several keys take turns; models that share keys share a *keyring*. Close the model, or use it with ``async
    with``. With *http* it uses that client and does not close it.

    *headers* and *extra* go with every request; *abilities* and *quirks* override what is known of the model.
    """
    settings = settings or Settings()
    overrides: Overrides = {"headers": headers, "extra": extra, "abilities": abilities, "quirks": quirks}
    whose, model = _split_name(name) if vendor is None else ("", name)
    match whose.lower():
        case "script" | "local" if url:
            msg = Sentence("{whose} has no address to change; {advice}", whose=repr(whose), advice=_OWN_SERVER)
            raise SettingsError(msg)
        case "script":
            return replace(_from_file(model), name=name.strip())
        case "local":
            from .local import connect_local  # noqa: PLC0415  # imports aiohttp

            return replace(connect_local(model, settings=settings, http=http, **overrides), name=name.strip())
        case _:
            row = vendor or _vendor_row(whose, name)
            keyring = _keyring(row, key, keyring, settings, is_elsewhere=bool(url) or not row.url)
            found = _remote_model(row, model, keyring, url=url or "", settings=settings, http=http, overrides=overrides)
            return replace(found, name=name.strip())


def _remote_model(
    row: Vendor,
    model: str,
    keyring: Keyring | None,
    *,
    url: str,
    settings: Settings,
    http: Http | None,
    overrides: Overrides,
) -> Model:
    """The model that is asked over the network."""
    from .dialects.dialect import Dialect  # noqa: PLC0415
    from .http import Http as Client  # noqa: PLC0415  # imports aiohttp
    from .media import fetcher  # noqa: PLC0415
    from .vendors import codec  # noqa: PLC0415  # imports all of a dialect

    dialect = codec(row, model, key=keyring.main.secret if keyring else "", url=url, **overrides)
    client = http or Client(settings.http)
    return Model(
        dialect,
        client.transport(private=row.is_local and _is_loopback(url or row.url)),
        media=fetcher(client, settings.http, dialect.endpoint.abilities if isinstance(dialect, Dialect) else None),
        settings=settings.http,
        on_close=None if http else client.close,
        keyring=keyring,
    )


def scripted(answerer: Answerer, *, sleep: Sleep = asyncio.sleep, name: str = "scripted") -> Model:
    """A model that is a function: it takes a prompt and returns texts or chunks."""
    return Model(ScriptedCodec(answerer), play_request(sleep), name=name)


def _from_file(path: str) -> Model:
    """The model that plays a script or a recording over and over, with its pauses, or calls a Python file."""
    if not path:
        msg = "no file is named; name a script or a recording, as in 'script:answer.jsonl'"
        raise SettingsError(msg)
    if path.endswith(".py"):
        return scripted(_function_in(path), name=f"script:{path}")
    text = read_text(path)
    if is_head(text.lstrip().partition("\n")[0]):
        return playing(parse(text))
    return Model(ScriptedCodec(), transport(cycle([parse_script(text)]), asyncio.sleep))


def _function_in(path: str) -> Answerer:
    """The function ``answer`` of a Python file."""
    try:
        answer: Answerer | None = run_path(path).get("answer")
    except Exception as error:  # foreign code
        logger.warning("the script %r raised an exception", path, exc_info=error)
        msg = Sentence(
            "the script {path} cannot be run ({error_type}); run it with Python to see why",
            path=repr(path),
            error_type=type(error).__name__,
        )
        raise SettingsError(msg) from error
    if not callable(answer):
        msg = Sentence(
            "the script {path} has no function 'answer'; give it one that takes a prompt and returns texts",
            path=repr(path),
        )
        raise SettingsError(msg)
    return answer


def _split_name(name: object) -> tuple[str, str]:
    """The vendor and the model in *name*."""
    if not isinstance(name, str):  # such as the value of a variable that is not set
        msg = Sentence(
            "a model is named by a text such as {forms}, not {name_type}", forms=_FORMS, name_type=type(name).__name__
        )
        raise SettingsError(msg)
    vendor, _, model = (part.strip() for part in name.partition(":"))
    return vendor, model


def _vendor_row(vendor: str, name: str) -> Vendor:
    """The row of *vendor*; an unknown one raises an error that suggests a name."""
    from .vendors import VENDORS  # noqa: PLC0415  # imports all vendors

    row = VENDORS.get(vendor.lower())
    if row is not None:
        return row
    close = get_close_matches(vendor.lower(), [*VENDORS, "local", "script"], n=1)
    if ":" not in name:
        hint = Sentence("name the vendor and the model, as in {forms}", forms=_FORMS)
    elif close:
        hint = Sentence("did you mean {close}?", close=repr(close[0]))
    else:
        hint = Sentence(
            "known are {names}, local and script; 'custom' is any other OpenAI-compatible server",
            names=", ".join(VENDORS),
        )
    msg = Sentence("unknown vendor {vendor}; {hint}", vendor=repr(vendor), hint=hint)
    raise SettingsError(msg)


def _keyring(
    vendor: Vendor,
    given: str | Sequence[str] | None,
    shared: Keyring | None,
    settings: Settings,
    *,
    is_elsewhere: bool,
) -> Keyring | None:
    """The keys for *vendor*. ``None`` is allowed for a local server and for an address that is not the vendor's own."""
    if given is not None and shared is not None:
        msg = "give either key= or keyring=, not both"
        raise SettingsError(msg)
    if shared is not None:
        return shared
    keys = _from_variables(vendor) if given is None else [given] if isinstance(given, str) else given
    if any(key.strip() for key in keys):
        return Keyring(keys, settings.fallback)
    if not vendor.key_variables or vendor.is_local or is_elsewhere:
        return None
    msg = Sentence(
        "{name} needs a key; put it into the environment as {key_variables}",
        name=repr(vendor.name),
        key_variables=" or ".join(vendor.key_variables),
    )
    raise SettingsError(msg)


def _from_variables(vendor: Vendor) -> Sequence[str]:
    """The keys in the vendor's environment variables."""
    return _SEPARATORS.split(from_environment(vendor.key_variables))


def _is_loopback(url: str) -> bool:
    """Whether *url* points to this machine."""
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or host.endswith(".localhost") or ip_address(host).is_loopback
    except ValueError:  # a host name, or an invalid address, which the request will report
        return False
