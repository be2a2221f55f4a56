"""Where an MCP server is: a program to start, or an address. Read from arguments or from a config, and checked.

What is wrong is said by the name of the field, never by its value: among these are keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from types import MappingProxyType
from typing import TypeAlias
from urllib.parse import urlsplit

from ...errors import SettingsError
from ...text.redaction import secrets_of
from ...types import HttpRequest

_NONE: Mapping[str, str] = MappingProxyType({})

_PROGRAM_FIELDS = ("command", "args", "env", "cwd")
_SITE_FIELDS = ("url", "headers")
_STDIO = ("stdio",)
_HTTP = ("http", "streamable-http", "streamable_http", "streamableHttp")
"""What other programs write as the ``type`` of an entry; the old HTTP with two addresses, ``sse``, is not spoken here."""

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_VARIABLE = re.compile(r"[^=\0]+")
_NO_ZERO = re.compile(r"[^\0]*")


@dataclass(frozen=True, slots=True)
class ServerProgram:
    """A server that is started here and spoken to over its standard input and output."""

    command: str
    args: tuple[str, ...] = field(default=(), repr=False)
    env: Mapping[str, str] = field(default_factory=lambda: _NONE, repr=False)
    """What it is told besides a safe minimum: nothing else of our environment reaches it."""
    cwd: str | None = None

    @property
    def label(self) -> str:
        """What it is called in a log or a message."""
        return PurePath(self.command).name or self.command

    @property
    def secrets(self) -> frozenset[str]:
        """What of it nobody may read."""
        arguments = {str(number): argument for number, argument in enumerate(self.args)}
        return frozenset(secrets_of(HttpRequest("", b"", self.env), arguments))


@dataclass(frozen=True, slots=True)
class ServerUrl:
    """A server that is reached over streamable HTTP."""

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=lambda: _NONE, repr=False)

    @property
    def label(self) -> str:
        """What it is called in a log or a message: its host, for an address may hold a key."""
        return urlsplit(self.url).hostname or "?"

    @property
    def secrets(self) -> frozenset[str]:
        """What of it nobody may read."""
        return frozenset(secrets_of(HttpRequest(self.url, b"", self.headers)))


Place: TypeAlias = ServerProgram | ServerUrl


def program(command: object, args: object = (), env: object = _NONE, cwd: object = None) -> ServerProgram:
    """A program to start, if that is what was given."""
    if not isinstance(command, str) or not command.strip() or "\0" in command:
        msg = "the 'command' of an MCP server must be the name or the path of a program"
        raise SettingsError(msg)
    if not isinstance(args, list | tuple) or not all(isinstance(arg, str) and "\0" not in arg for arg in args):
        msg = "the 'args' of an MCP server must be a list of strings"
        raise SettingsError(msg)
    if cwd is not None and (not isinstance(cwd, str) or not cwd or "\0" in cwd):
        msg = "the 'cwd' of an MCP server must be the path of a folder"
        raise SettingsError(msg)
    return ServerProgram(command, tuple(args), _strings("env", env, _VARIABLE, _NO_ZERO), cwd)


def site(url: object, headers: object = _NONE) -> ServerUrl:
    """An address, if that is what was given."""
    if not isinstance(url, str) or not _is_address(url):
        msg = "the 'url' of an MCP server must begin with https:// or http:// and name a host"
        raise SettingsError(msg)
    return ServerUrl(url, _strings("headers", headers, _HEADER_NAME, _HEADER_VALUE))


def from_entry(entry: object) -> Place:
    """What an entry of ``mcpServers``, as many programs have it in their configs, says."""
    if not isinstance(entry, Mapping):
        msg = "the entry of an MCP server must be a table with 'command' or 'url'"
        raise SettingsError(msg)
    if ("command" in entry) == ("url" in entry):
        msg = "the entry of an MCP server must have either 'command' or 'url'"
        raise SettingsError(msg)
    if "command" in entry:
        _check_fields(entry, _PROGRAM_FIELDS, _STDIO)
        return program(**{name: entry[name] for name in _PROGRAM_FIELDS if name in entry})
    _check_fields(entry, _SITE_FIELDS, _HTTP)
    return site(**{name: entry[name] for name in _SITE_FIELDS if name in entry})


def _check_fields(entry: Mapping[object, object], known: Iterable[str], kinds: tuple[str, ...]) -> None:
    unknown = [name for name in entry if name not in (*known, "type")]
    if unknown:
        msg = (
            f"the entry of an MCP server has {unknown[0]!r}, which is not known; there are {', '.join(known)} and type"
        )
        raise SettingsError(msg)
    if entry.get("type", kinds[0]) not in kinds:
        msg = f"the 'type' of such an MCP server must be {kinds[0]!r}"
        raise SettingsError(msg)


def _strings(field_name: str, given: object, names: re.Pattern[str], values: re.Pattern[str]) -> Mapping[str, str]:
    if not isinstance(given, Mapping):
        msg = f"the {field_name!r} of an MCP server must be a table of strings"
        raise SettingsError(msg)
    for name, value in given.items():
        if not isinstance(name, str) or not names.fullmatch(name):
            msg = f"the {field_name!r} of an MCP server must have proper names"
            raise SettingsError(msg)
        if not isinstance(value, str) or not values.fullmatch(value):
            msg = f"{name!r} among the {field_name!r} of an MCP server must be a string on one line"
            raise SettingsError(msg)
    return MappingProxyType(dict(given))


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("https", "http") and bool(parts.hostname) and parts.port != 0 and url == url.strip()
    except ValueError:
        return False
