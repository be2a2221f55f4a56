"""Where an MCP server is: a program to start, or a URL; from arguments or from a config, checked.

Errors name a field and never its value, which may be a key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from types import MappingProxyType
from typing import TypeAlias
from urllib.parse import urlsplit

from ...errors import Sentence, SettingsError
from ...text.redaction import secrets_of
from ...types import HttpRequest

_NONE: Mapping[str, str] = MappingProxyType({})

_PROGRAM_FIELDS = ("command", "args", "env", "cwd")
_SITE_FIELDS = ("url", "headers")
_STDIO = ("stdio",)
_HTTP = ("http", "streamable-http", "streamable_http", "streamableHttp")
"""Values of ``type`` in configs of other programs; the old ``sse`` transport is not supported."""

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_VARIABLE = re.compile(r"[^=\0]+")
_NO_ZERO = re.compile(r"[^\0]*")


@dataclass(frozen=True, slots=True)
class ServerProgram:
    """A server that we start and talk to over stdin and stdout."""

    command: str
    args: tuple[str, ...] = field(default=(), repr=False)
    env: Mapping[str, str] = field(default_factory=lambda: _NONE, repr=False)
    """Environment variables besides a safe minimum; it sees nothing else of our environment."""
    cwd: str | None = None

    @property
    def label(self) -> str:
        """Its name in logs and messages."""
        return PurePath(self.command).name or self.command

    @property
    def secrets(self) -> frozenset[str]:
        """Values that must not appear in logs."""
        arguments = {str(number): argument for number, argument in enumerate(self.args)}
        return frozenset(secrets_of(HttpRequest("", b"", self.env), arguments))


@dataclass(frozen=True, slots=True)
class ServerUrl:
    """A server at a URL, over streamable HTTP."""

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=lambda: _NONE, repr=False)

    @property
    def label(self) -> str:
        """Its name in logs and messages: the host, because a URL may hold a key."""
        return urlsplit(self.url).hostname or "?"

    @property
    def secrets(self) -> frozenset[str]:
        """Values that must not appear in logs."""
        return frozenset(secrets_of(HttpRequest(self.url, b"", self.headers)))


Place: TypeAlias = ServerProgram | ServerUrl


def program(command: object, args: object = (), env: object = _NONE, cwd: object = None) -> ServerProgram:
    """A checked ``ServerProgram``. Raises ``SettingsError``."""
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
    """A checked ``ServerUrl``. Raises ``SettingsError``."""
    if not isinstance(url, str) or not _is_address(url):
        msg = "the 'url' of an MCP server must begin with https:// or http:// and name a host"
        raise SettingsError(msg)
    return ServerUrl(url, _strings("headers", headers, _HEADER_NAME, _HEADER_VALUE))


def from_entry(entry: object) -> Place:
    """The place in an entry of ``mcpServers``, a table that many programs have in their configs."""
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
        msg = Sentence(
            "the entry of an MCP server has {unknown}, which is not known; there are {known} and type",
            unknown=repr(unknown[0]),
            known=", ".join(known),
        )
        raise SettingsError(msg)
    if entry.get("type", kinds[0]) not in kinds:
        msg = Sentence("the 'type' of such an MCP server must be {kinds}", kinds=repr(kinds[0]))
        raise SettingsError(msg)


def _strings(field_name: str, given: object, names: re.Pattern[str], values: re.Pattern[str]) -> Mapping[str, str]:
    if not isinstance(given, Mapping):
        msg = Sentence("the {field_name} of an MCP server must be a table of strings", field_name=repr(field_name))
        raise SettingsError(msg)
    for name, value in given.items():
        if not isinstance(name, str) or not names.fullmatch(name):
            msg = Sentence("the {field_name} of an MCP server must have proper names", field_name=repr(field_name))
            raise SettingsError(msg)
        if not isinstance(value, str) or not values.fullmatch(value):
            msg = Sentence(
                "{name} among the {field_name} of an MCP server must be a string on one line",
                name=repr(name),
                field_name=repr(field_name),
            )
            raise SettingsError(msg)
    return MappingProxyType(dict(given))


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("https", "http") and bool(parts.hostname) and parts.port != 0 and url == url.strip()
    except ValueError:
        return False
