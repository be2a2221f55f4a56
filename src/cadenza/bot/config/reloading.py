"""A configuration that is edited while the bot runs: read again when it changes, kept as it was when it is broken."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias

from ...concurrency.tasks import end_task
from ...errors import CadenzaError
from .checking import ConfigError
from .config import Config
from .current import Current
from .dotenv import NAME, secrets
from .reading import LoadedConfig, read

logger = logging.getLogger(__name__)

Stamp: TypeAlias = tuple[int, int, int] | None
"""What tells that a file has changed: when, how large, and which one it is; ``None`` if it is not there."""


def stamp(path: Path) -> Stamp:
    """The present stamp of the file *path*."""
    try:
        known = path.stat()
    except (OSError, ValueError):
        return None
    return known.st_mtime_ns, known.st_size, known.st_ino


class Reloader:
    """Watches the file *path*, and every file that it names, within an ``async with``; gives *current* what changes.

    A change is read once nothing has changed for one look, so that a file that is just being written is not. *look* and
    *read* stand for the disk.
    """

    def __init__(
        self,
        current: Current,
        path: str | Path,
        *,
        seconds: float = 1.0,
        environment: Mapping[str, str] = os.environ,
        look: Callable[[Path], Stamp] = stamp,
        read: Callable[[Path, Mapping[str, str]], LoadedConfig] = read,
    ) -> None:
        self._current = current
        self._path = Path(path).absolute()
        self._seconds = seconds
        self._environment = environment
        self._look = look
        self._read = read
        self._files: frozenset[Path] = frozenset({self._path, self._path.parent / NAME})
        self._read_at: Mapping[Path, Stamp] = {}
        self._last: Mapping[Path, Stamp] = {}
        self._started_with = self._token()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._begin()
        self._task = asyncio.create_task(self._watch(), name="cadenza-configuration")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._task is not None:
            task, self._task = self._task, None
            await end_task(task)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(self._seconds)
            try:
                self.look_again()
            except Exception as error:  # noqa: BLE001  # a bot that runs is worth more than its next configuration
                logger.error("the configuration could not be looked at (%s)", type(error).__name__)  # noqa: TRY400  # its text may hold a secret

    def look_again(self) -> bool:
        """Look whether something has changed, and read it if it is at rest; say whether there is a new configuration."""
        now = self._stamps()
        before, self._last = self._last, now
        return now != self._read_at and now == before and self._reload()

    def _begin(self) -> None:
        """Learn which files there are to watch; what holds already was read by somebody else."""
        is_new = False
        try:
            reading = self._read(self._path, self._environment)
            self._files, is_new = reading.files, reading.config != self._current.now
        except ConfigError as error:
            self._files = error.files or self._files
        self._last = self._stamps()
        self._read_at = {} if is_new else self._last  # somebody was quicker than the bot's start

    def _reload(self) -> bool:
        before = self._current.now
        try:
            reading = self._read(self._path, self._environment)
        except ConfigError as error:
            self._files = self._files | error.files  # what was named before may be named again
            self._read_at = self._last = self._stamps()
            for mistake in error.mistakes:
                logger.error("%s", mistake)  # noqa: TRY400  # one line each, for whoever has just edited it
            logger.error("%s was not taken over; what held before still holds", self._path.name)  # noqa: TRY400
            return False
        self._files = reading.files
        self._read_at = self._last = self._stamps()
        for warning in reading.warnings:
            logger.warning("%s", warning)
        self._current.change(reading.config)
        self._tell(before, reading.config)
        return True

    def _tell(self, before: Config, after: Config) -> None:
        late = needs_restart(before, after)
        if self._token() != self._started_with:
            late = (*late, "the token")
        logger.info("%s was read again", self._path.name)
        if late:
            logger.warning("restart the bot for what holds only from a start on: %s", ", ".join(late))

    def _token(self) -> str:
        config = self._current.now
        try:
            return secrets(config, self._environment).get(config.discord.token_env, "")
        except CadenzaError:  # a broken .env, which whoever reads the configuration says
            return ""

    def _stamps(self) -> Mapping[Path, Stamp]:
        return {path: self._look(path) for path in sorted(self._files)}


def needs_restart(before: Config, after: Config) -> tuple[str, ...]:
    """What differs between two configurations and is looked at only when a bot starts: ``[store] path``, say."""
    return tuple(_late(before, after))


def _late(before: Config, after: Config) -> Iterable[str]:
    for section in ("discord", "store", "metrics"):
        old, new = getattr(before, section), getattr(after, section)
        for spec in fields(old):
            if spec.metadata.get("restarts") and getattr(old, spec.name) != getattr(new, spec.name):
                yield f"[{section}] {spec.name}"
    # The desk at which messages wait is set up once.
    for spec in fields(before.settings.channel):
        if getattr(before.settings.channel, spec.name) != getattr(after.settings.channel, spec.name):
            yield f"[settings] {spec.name}"
