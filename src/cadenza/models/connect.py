"""``connect("openai:gpt-5.1")``: from a name to a model that can be asked."""

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
from typing import TYPE_CHECKING, TypedDict
from urllib.parse import urlsplit

from ..errors import SettingsError
from ..settings import Settings, from_environment
from .dialects.scripted import Answerer, ScriptedCodec, Sleep, parse_script, recital, transport
from .keys import Keyring
from .model import Model
from .recordings import is_head, parse, playing, read_text

if TYPE_CHECKING:
    from .http import Http
    from .vendors import Vendor

_NOTHING: Mapping[str, object] = MappingProxyType({})
_NO_HEADERS: Mapping[str, str] = MappingProxyType({})
_FORMS = "'openai:gpt-5.1', 'local' or 'script:FILE'"
_PARTING = re.compile(r"[\s,]+")
"""What parts several keys in one variable; none that is sent as a bearer token, or that a vendor gives, can hold it."""
_OWN_SERVER = "a server of your own is 'llamacpp:NAME' or 'custom:NAME'"


class _Given(TypedDict):
    """What goes with every request to a model, and what is known better of it than by its vendor's row."""

    headers: Mapping[str, str]
    extra: Mapping[str, object]
    abilities: Mapping[str, object]
    quirks: Mapping[str, object]


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
    """The model called *name*: a vendor and, behind a colon, what the vendor calls it, as in ``openai:gpt-5.1``.

    ``local`` is a small model on this machine, ``local:FILE.gguf`` another; ``script:FILE`` plays a script or a
    recording, or asks the function ``answer`` of a file of Python. With *vendor*, a row of your own, *name* is the model's alone. Without *key*, the key stands in the
    vendor's environment variable, or several do, parted by commas or spaces. Several keys take turns; models that share
    them share a *keyring*. Use it with ``async with``, or close it; with *http* it shares that, and closes nothing.

    *headers* and *extra* go with every request; *abilities* and *quirks* change what is known of the model.
    """
    settings = settings or Settings()
    given: _Given = {"headers": headers, "extra": extra, "abilities": abilities, "quirks": quirks}
    whose, model = _parts(name) if vendor is None else ("", name)
    match whose.lower():
        case "script" | "local" if url:
            msg = f"{whose!r} has no address that could be changed; {_OWN_SERVER}"
            raise SettingsError(msg)
        case "script":
            return replace(_from_file(model), name=name.strip())
        case "local":
            from .local import connect_local  # noqa: PLC0415  # it brings HTTP along

            return replace(connect_local(model, settings=settings, http=http, **given), name=name.strip())
        case _:
            row = vendor or _known(whose, name)
            keyring = _keyring(row, key, keyring, settings, is_elsewhere=bool(url) or not row.url)
            found = _far_away(row, model, keyring, url=url or "", settings=settings, http=http, given=given)
            return replace(found, name=name.strip())


def _far_away(
    row: Vendor, model: str, keyring: Keyring | None, *, url: str, settings: Settings, http: Http | None, given: _Given
) -> Model:
    """The model that the vendor of *row* calls *model*, asked over the network."""
    from .dialects.dialect import Dialect  # noqa: PLC0415
    from .http import Http as Way  # noqa: PLC0415  # as above
    from .media import fetcher  # noqa: PLC0415
    from .vendors import codec  # noqa: PLC0415  # and so do the dialects

    spoken = codec(row, model, key=keyring.main.secret if keyring else "", url=url, **given)
    way = http or Way(settings.http)
    return Model(
        spoken,
        way.transport(private=row.is_local and _is_loopback(url or row.url)),
        media=fetcher(way, settings.http, spoken.endpoint.abilities if isinstance(spoken, Dialect) else None),
        settings=settings.http,
        on_close=None if http else way.close,
        keyring=keyring,
    )


def scripted(answerer: Answerer, *, sleep: Sleep = asyncio.sleep, name: str = "scripted") -> Model:
    """A model that is a function: what it makes of a prompt, texts or chunks, is what it says."""
    return Model(ScriptedCodec(answerer), recital(sleep), name=name)


def _from_file(path: str) -> Model:
    """What stands in a file, said with the pauses that stand there too, over and over."""
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
    """The function ``answer`` of a file of Python, which is given a prompt and says what it likes."""
    try:
        answer: Answerer | None = run_path(path).get("answer")
    except Exception as error:  # noqa: BLE001  # it is foreign code
        msg = f"the script {path!r} cannot be run ({type(error).__name__}); look into it"
        raise SettingsError(msg) from None
    if not callable(answer):
        msg = f"the script {path!r} has no function 'answer'; give it one that takes a prompt and gives back texts"
        raise SettingsError(msg)
    return answer


def _parts(name: object) -> tuple[str, str]:
    """The vendor and the model that *name* names."""
    if not isinstance(name, str):  # of a variable that is not set, say
        msg = f"a model is named by a text such as {_FORMS}, not {type(name).__name__}"
        raise SettingsError(msg)
    vendor, _, model = (part.strip() for part in name.partition(":"))
    return vendor, model


def _known(vendor: str, name: str) -> Vendor:
    """The row of *vendor*; who forgot to name one is told how that is done."""
    from .vendors import VENDORS  # noqa: PLC0415  # as above

    row = VENDORS.get(vendor.lower())
    if row is not None:
        return row
    close = get_close_matches(vendor.lower(), [*VENDORS, "local", "script"], n=1)
    if ":" not in name:
        hint = f"name the vendor and the model, as in {_FORMS}"
    elif close:
        hint = f"did you mean {close[0]!r}?"
    else:
        hint = f"known are {', '.join(VENDORS)}, local and script; 'custom' is anybody else who speaks like OpenAI"
    msg = f"unknown vendor {vendor!r}; {hint}"
    raise SettingsError(msg)


def _keyring(
    vendor: Vendor,
    given: str | Sequence[str] | None,
    shared: Keyring | None,
    settings: Settings,
    *,
    is_elsewhere: bool,
) -> Keyring | None:
    """The keys for *vendor*. One who runs on this machine, or somebody at another address than a known one, may want none."""
    if given is not None and shared is not None:
        msg = "give either key= or keyring=, not both; the keys of a ring are in it"
        raise SettingsError(msg)
    if shared is not None:
        return shared
    keys = _from_variables(vendor) if given is None else [given] if isinstance(given, str) else given
    if any(key.strip() for key in keys):
        return Keyring(keys, settings.turn)
    if not vendor.key_variables or vendor.is_local or is_elsewhere:
        return None
    msg = f"{vendor.name!r} needs a key; put it into the environment as {' or '.join(vendor.key_variables)}"
    raise SettingsError(msg)


def _from_variables(vendor: Vendor) -> Sequence[str]:
    """The keys that stand in the environment."""
    return _PARTING.split(from_environment(vendor.key_variables))


def _is_loopback(url: str) -> bool:
    """Whether *url* leads to this very machine."""
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or host.endswith(".localhost") or ip_address(host).is_loopback
    except ValueError:  # it is a name, or no address at all, which whoever asks there will say
        return False
