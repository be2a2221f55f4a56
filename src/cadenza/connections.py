"""``connect("openai:gpt-5.1")``: from a name to a model that can be asked."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from ipaddress import ip_address
from itertools import cycle
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from .errors import SettingsError
from .models import Model
from .providers.scripted import Answerer, ScriptedCodec, Sleep, parse_script, recital, transport
from .recordings import is_head, parse, playing, read_text
from .settings import Settings, from_environment

if TYPE_CHECKING:
    from .http import Http
    from .providers.vendors import Vendor

_NOTHING: Mapping[str, object] = MappingProxyType({})
_NO_HEADERS: Mapping[str, str] = MappingProxyType({})


def connect(
    name: str,
    *,
    key: str | None = None,
    url: str | None = None,
    settings: Settings | None = None,
    http: Http | None = None,
    headers: Mapping[str, str] = _NO_HEADERS,
    extra: Mapping[str, object] = _NOTHING,
    abilities: Mapping[str, object] = _NOTHING,
    quirks: Mapping[str, object] = _NOTHING,
) -> Model:
    """The model called *name*: a vendor and, behind a colon, what the vendor calls it, as in ``openai:gpt-5.1``.

    ``local`` is a small model on this machine, ``local:FILE.gguf`` another; ``script:FILE`` plays a script or a
    recording. Without *key*, the key stands in the vendor's environment variable. Use it with ``async with``, or close
    it; with *http* it shares that, and closes nothing.

    *headers* and *extra* go with every request; *abilities* and *quirks* change what is known of the model.
    """
    vendor, _, model = (part.strip() for part in name.partition(":"))
    settings = settings or Settings()
    match vendor.lower():
        case "script":
            return _from_file(model)
        case "local":
            from .local import connect_local  # noqa: PLC0415  # it brings HTTP along

            return connect_local(model, settings=settings, http=http)
        case _:
            pass
    from .http import Http as Way  # noqa: PLC0415  # likewise
    from .media import fetcher  # noqa: PLC0415
    from .providers.vendors import VENDORS, codec  # noqa: PLC0415  # and so do the dialects

    row = VENDORS.get(vendor.lower())
    spoken = codec(
        row or vendor,  # whom nobody knows is refused there
        model,
        key=_key(row, key, is_elsewhere=bool(url)) if row else "",
        url=url or "",
        headers=headers,
        extra=extra,
        abilities=abilities,
        quirks=quirks,
    )
    way = http or Way(settings.http)
    private = row is not None and row.is_local and _is_loopback(url or row.url)
    return Model(
        spoken,
        way.transport(private=private),
        media=fetcher(way, settings.http),
        settings=settings.http,
        on_close=None if http else way.close,
    )


def scripted(answerer: Answerer, *, sleep: Sleep = asyncio.sleep) -> Model:
    """A model that is a function: what it makes of a prompt, texts or chunks, is what it says."""
    return Model(ScriptedCodec(answerer), recital(sleep))


def _from_file(path: str) -> Model:
    """What stands in a file, said with the pauses that stand there too, over and over."""
    if not path:
        msg = "no file is named; name a script or a recording, as in 'script:answer.jsonl'"
        raise SettingsError(msg)
    text = read_text(path)
    if is_head(text.lstrip().partition("\n")[0]):
        return playing(parse(text))
    return Model(ScriptedCodec(), transport(cycle([parse_script(text)]), asyncio.sleep))


def _key(vendor: Vendor, key: str | None, *, is_elsewhere: bool) -> str:
    """The key for *vendor*. One who runs on this machine, or somebody else at another address, may want none."""
    found = from_environment(vendor.key_variables) if key is None else key
    if found or not vendor.key_variables or vendor.is_local or is_elsewhere:
        return found
    msg = f"{vendor.name!r} needs a key; put it into the environment as {' or '.join(vendor.key_variables)}"
    raise SettingsError(msg)


def _is_loopback(url: str) -> bool:
    """Whether *url* leads to this very machine."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
