"""The bot's log: one handler on the root logger, text or JSON lines, without secrets.

What people say is never logged at the level ``info`` or above: nothing here logs it, libraries that might are limited to
warnings, and a traceback shows frames and types. The texts of exceptions are for ``debug``.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import TextIO

from ...errors import Sentence, SettingsError
from ...explain.tracebacks import traceback_text
from ...text.redaction import without_secrets
from ..config.config import LogConfig

LEVELS: Mapping[str, int] = MappingProxyType(
    {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}
)
"""What ``log.level`` can be."""
FORMATS = ("text", "json")

_OURS = "cadenza"
_CHATTY = ("discord", "aiohttp", "asyncio", "mcp", "httpx", "PIL")
"""Libraries that log every call, some of them with its content."""
_TALKATIVE = ("cadenza.tools.mcp.transports",)
"""Our module, but at ``info`` it logs what a tool server writes, which may repeat what people said."""
_NOT_OURS = "voice will NOT be supported"
"""A warning of discord.py at every start; the bot does not use voice."""
_PLACES = ("turn", "channel", "server")
"""What a line can be about, given through ``extra``."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
"""Characters that begin a new line or control a terminal."""
_COLOURS: Mapping[int, str] = MappingProxyType(
    {logging.DEBUG: "2", logging.INFO: "36", logging.WARNING: "33", logging.ERROR: "31", logging.CRITICAL: "1;31"}
)


def set_up(config: LogConfig, *, secrets: Iterable[str] = (), stream: TextIO | None = None) -> None:
    """Write the log to *stream*, or standard error, as *config* says, without *secrets*.

    A second call replaces the first, so a new configuration takes effect at once. Stream and secrets are kept.
    """
    level = level_of(config.level)
    if config.format not in FORMATS:
        msg = Sentence(
            "log.format is {format}; it can be {formats}", format=repr(config.format), formats=" or ".join(FORMATS)
        )
        raise SettingsError(msg)
    root = logging.getLogger()
    before = next((handler for handler in root.handlers if isinstance(handler, _Handler)), None)
    kept = before.secrets if before is not None else frozenset[str]()
    out = stream or (before.stream if before is not None else sys.stderr or _nowhere())
    take_down()
    root.addHandler(_Handler(out, kept | frozenset(filter(None, secrets)), _formatter(config.format, out, level)))
    root.setLevel(max(level, logging.WARNING))
    logging.getLogger(_OURS).setLevel(level)
    for name in (*_CHATTY, *_TALKATIVE):
        is_quiet = name in _CHATTY or level > logging.DEBUG
        logging.getLogger(name).setLevel(max(level, logging.WARNING) if is_quiet else level)


def take_down() -> None:
    """Remove our handler and reset all levels; other handlers stay."""
    root = logging.getLogger()
    for handler in [handler for handler in root.handlers if isinstance(handler, _Handler)]:
        root.removeHandler(handler)
        handler.close()
        root.setLevel(logging.WARNING)
        for name in (_OURS, *_CHATTY, *_TALKATIVE):
            logging.getLogger(name).setLevel(logging.NOTSET)


def _nowhere() -> TextIO:
    """Return a stream for a program that was started without standard error."""
    return Path(os.devnull).open("w", encoding="utf-8")


def level_of(name: str) -> int:
    """Return the level called *name*."""
    level = LEVELS.get(name.strip().lower())
    if level is None:
        msg = Sentence("log.level is {name}; it can be {levels}", name=repr(name), levels=", ".join(LEVELS))
        raise SettingsError(msg)
    return level


class _Handler(logging.StreamHandler[TextIO]):
    """Writes the log; it knows the secrets of this bot."""

    def __init__(self, stream: TextIO, secrets: frozenset[str], formatter: _Lines) -> None:
        super().__init__(stream)
        self.addFilter(lambda record: _NOT_OURS not in str(record.msg))
        self.secrets = secrets
        self._lines = formatter

    def format(self, record: logging.LogRecord) -> str:
        """Format *record* and hide secrets in every part of it."""
        return self._lines.line_of(record, self.secrets)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  # as logging wants it
        """Ignore it: the default prints the record with its secrets."""


class _Lines(ABC):
    """How a record becomes text."""

    def __init__(self, *, has_texts: bool) -> None:
        self._has_texts = has_texts

    @abstractmethod
    def line_of(self, record: logging.LogRecord, secrets: Iterable[str]) -> str:
        """Format *record* without *secrets*."""

    def _message(self, record: logging.LogRecord) -> str:
        try:
            return record.getMessage()
        except Exception as error:  # noqa: BLE001  # a library's own mistake is no reason to lose the line
            return f"{record.msg} (its values cannot be shown: {type(error).__name__})"

    def _trace(self, record: logging.LogRecord) -> str:
        """The traceback of *record*; our own loggers have made a text of it already."""
        error = record.exc_info[1] if record.exc_info else None
        return traceback_text(error, has_texts=self._has_texts) if error else record.exc_text or ""


class _TextLines(_Lines):
    """For people: time, level, module, message."""

    def __init__(self, *, has_texts: bool, is_coloured: bool) -> None:
        super().__init__(has_texts=has_texts)
        self._is_coloured = is_coloured

    def line_of(self, record: logging.LogRecord, secrets: Iterable[str]) -> str:
        """Format *record* as one line, with its traceback below."""
        when = datetime.fromtimestamp(record.created, UTC).astimezone().strftime("%Y-%m-%d %H:%M:%S")
        level = f"{record.levelname.lower():<8}"
        if self._is_coloured:
            level = f"\x1b[{_COLOURS.get(record.levelno, '0')}m{level}\x1b[0m"
        message = _CONTROL.sub(" ", without_secrets(self._message(record), *secrets))
        about = "".join(f" {name}={value}" for name, value in _about(record).items())
        trace = without_secrets(self._trace(record), *secrets)
        return f"{when} {level} {_part(record.name)}: {message}{about}" + (f"\n{trace}" if trace else "")


class _JsonLines(_Lines):
    """For machines: one object a line."""

    def line_of(self, record: logging.LogRecord, secrets: Iterable[str]) -> str:
        """Format *record* as a JSON object."""
        value: dict[str, object] = {
            "ts": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": without_secrets(self._message(record), *secrets),
            **_about(record),
        }
        if trace := self._trace(record):
            value["trace"] = without_secrets(trace, *secrets)
        return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace").decode("utf-8")


def _formatter(kind: str, stream: TextIO, level: int) -> _Lines:
    has_texts = level <= logging.DEBUG
    if kind == "json":
        return _JsonLines(has_texts=has_texts)
    return _TextLines(has_texts=has_texts, is_coloured=stream.isatty())


def _about(record: logging.LogRecord) -> dict[str, str]:
    """The turn, channel and server that *record* names."""
    return {name: str(getattr(record, name)) for name in _PLACES if getattr(record, name, None)}


def _part(name: str) -> str:
    """*name* without the name of the package."""
    return name.removeprefix(f"{_OURS}.")
