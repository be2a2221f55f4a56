"""What operators read: one handler on the root logger, text or JSON lines, without secrets.

What people say is never told at the level ``info`` or above: nothing here logs it, libraries that might are held back to
warnings, and of an exception only its type is told. Tracebacks, which show what was at hand, are for ``debug``.
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

from ...errors import SettingsError
from ...text.redaction import HIDDEN, without_secrets
from ..config.config import LogConfig

LEVELS: Mapping[str, int] = MappingProxyType(
    {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}
)
"""What ``log.level`` can be."""
FORMATS = ("text", "json")

_OURS = "cadenza"
_CHATTY = ("discord", "aiohttp", "asyncio", "mcp", "httpx", "PIL")
"""Libraries that tell of every call, and sometimes with what."""
_TALKATIVE = ("cadenza.tools.mcp.transports",)
"""Ours, but what it tells at ``info`` is what a server of somebody else's writes, which may be what it was asked."""
_NOT_OURS = "voice will NOT be supported"
"""What discord.py warns of at every start, and no character needs."""
_PLACES = ("turn", "channel", "server")
"""What a line may be about, given through ``extra``."""

_BOT_TOKEN = re.compile(r"[\w-]{20,40}\.[\w-]{5,8}\.[\w-]{25,80}")
_TOKEN_IN_PATH = re.compile(r"(/(?:webhooks|interactions)/\d{1,20}/)[^/\s?\"'>]+")
"""Webhooks and interactions have theirs in the address."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
"""What begins a new line, or tells a terminal to do something."""
_COLOURS: Mapping[int, str] = MappingProxyType(
    {logging.DEBUG: "2", logging.INFO: "36", logging.WARNING: "33", logging.ERROR: "31", logging.CRITICAL: "1;31"}
)


def set_up(config: LogConfig, *, secrets: Iterable[str] = (), stream: TextIO | None = None) -> None:
    """Have everything that is logged written to *stream*, or standard error, as *config* says, without *secrets*.

    Done again it takes the place of what was there: so a new configuration holds at once.
    """
    level = level_of(config.level)
    if config.format not in FORMATS:
        msg = f"log.format is {config.format!r}; it can be {' or '.join(FORMATS)}"
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
    """Write nothing more, and let every level be as it is in the beginning; whoever else listens to the log stays."""
    root = logging.getLogger()
    for handler in [handler for handler in root.handlers if isinstance(handler, _Handler)]:
        root.removeHandler(handler)
        handler.close()
        root.setLevel(logging.WARNING)
        for name in (_OURS, *_CHATTY, *_TALKATIVE):
            logging.getLogger(name).setLevel(logging.NOTSET)


def _nowhere() -> TextIO:
    """For a program that was started without standard error: it runs all the same."""
    return Path(os.devnull).open("w", encoding="utf-8")


def level_of(name: str) -> int:
    """The level that is called *name*."""
    level = LEVELS.get(name.strip().lower())
    if level is None:
        msg = f"log.level is {name!r}; it can be {', '.join(LEVELS)}"
        raise SettingsError(msg)
    return level


def redacted(text: str, secrets: Iterable[str] = ()) -> str:
    """*text* without the *secrets* that are known, and without what looks like one."""
    text = _TOKEN_IN_PATH.sub(rf"\1{HIDDEN}", _BOT_TOKEN.sub(HIDDEN, text))
    return without_secrets(text, *secrets)


class _Handler(logging.StreamHandler[TextIO]):
    """The one that writes; it knows the secrets of this bot."""

    def __init__(self, stream: TextIO, secrets: frozenset[str], formatter: _Lines) -> None:
        super().__init__(stream)
        self.addFilter(lambda record: _NOT_OURS not in str(record.msg))
        self.secrets = secrets
        self._lines = formatter

    def format(self, record: logging.LogRecord) -> str:
        """One line, redacted as a whole: a secret may stand in any part of it."""
        return self._lines.line_of(record, self.secrets)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  # as logging wants it
        """A log that cannot be written is no reason to say anything else there: it might hold what was to be hidden."""


class _Lines(ABC):
    """How a record becomes text."""

    def __init__(self, *, has_traces: bool) -> None:
        self._has_traces = has_traces

    @abstractmethod
    def line_of(self, record: logging.LogRecord, secrets: Iterable[str]) -> str:
        """*record* as it is written."""

    def _message(self, record: logging.LogRecord) -> str:
        """What happened; of an exception its type, which stands in the line itself."""
        try:
            text = record.getMessage()
        except Exception as error:  # noqa: BLE001  # a library's own mistake is no reason to lose the line
            text = f"{record.msg} (its values cannot be shown: {type(error).__name__})"
        kind = record.exc_info[0] if record.exc_info else None
        if kind is not None and kind.__name__ not in text:
            text = f"{text} ({kind.__name__})"
        return text

    def _trace(self, record: logging.LogRecord) -> str:
        if not self._has_traces or not record.exc_info:
            return ""
        return logging.Formatter().formatException(record.exc_info)


class _TextLines(_Lines):
    """For people: when, how serious, from where, what."""

    def __init__(self, *, has_traces: bool, is_coloured: bool) -> None:
        super().__init__(has_traces=has_traces)
        self._is_coloured = is_coloured

    def line_of(self, record: logging.LogRecord, secrets: Iterable[str]) -> str:
        """*record* as a line; a traceback stands below it."""
        when = datetime.fromtimestamp(record.created, UTC).astimezone().strftime("%Y-%m-%d %H:%M:%S")
        level = f"{record.levelname.lower():<8}"
        if self._is_coloured:
            level = f"\x1b[{_COLOURS.get(record.levelno, '0')}m{level}\x1b[0m"
        message = _CONTROL.sub(" ", redacted(self._message(record), secrets))
        about = "".join(f" {name}={value}" for name, value in _about(record).items())
        trace = redacted(self._trace(record), secrets)
        return f"{when} {level} {_part(record.name)}: {message}{about}" + (f"\n{trace}" if trace else "")


class _JsonLines(_Lines):
    """For machines: one object a line."""

    def line_of(self, record: logging.LogRecord, secrets: Iterable[str]) -> str:
        """*record* as an object of JSON."""
        value: dict[str, object] = {
            "ts": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": redacted(self._message(record), secrets),
            **_about(record),
        }
        if trace := self._trace(record):
            value["trace"] = redacted(trace, secrets)
        return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace").decode("utf-8")


def _formatter(kind: str, stream: TextIO, level: int) -> _Lines:
    has_traces = level <= logging.DEBUG
    if kind == "json":
        return _JsonLines(has_traces=has_traces)
    return _TextLines(has_traces=has_traces, is_coloured=stream.isatty())


def _about(record: logging.LogRecord) -> dict[str, str]:
    """Which turn, channel and server *record* is about, where that was said."""
    return {name: str(getattr(record, name)) for name in _PLACES if getattr(record, name, None)}


def _part(name: str) -> str:
    """Which part of the bot it was: the package itself goes without saying."""
    return name.removeprefix(f"{_OURS}.")
