"""Reloads the configuration when its files change; an invalid one leaves the last valid one in effect."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias

from ...concurrency.tasks import end_task
from ...errors import CadenzaError
from ...explain.tracebacks import get_logger
from .checking import ConfigError
from .config import Config
from .current import Current
from .dotenv import NAME, secrets
from .reading import LoadedConfig, read

logger = get_logger(__name__)

Stamp: TypeAlias = tuple[int, int, int] | None
"""Modification time, size and inode of a file, to detect a change; ``None`` if it is missing."""


def stamp(path: Path) -> Stamp:
    """The current stamp of the file *path*."""
    try:
        known = path.stat()
    except (OSError, ValueError):
        return None
    return known.st_mtime_ns, known.st_size, known.st_ino


class Reloader:
    """Watches the file *path*, and every file it names, within an ``async with``, and updates *current*.

    A change is read once the files were stable for one interval, so that a half-written file is not read. *look* and
    *read* stand for the disk in tests.
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
            except Exception:  # the bot keeps running with its current configuration
                logger.exception("the configuration could not be checked for changes")

    def look_again(self) -> bool:
        """Reload the configuration if its files changed and are stable; return whether there is a new one."""
        now = self._stamps()
        before, self._last = self._last, now
        return now != self._read_at and now == before and self._reload()

    def _begin(self) -> None:
        """Find the files to watch. The current configuration was read by the caller."""
        is_new = False
        try:
            reading = self._read(self._path, self._environment)
            self._files, is_new = reading.files, reading.config != self._current.now
        except ConfigError as error:
            self._files = error.files or self._files
        self._last = self._stamps()
        self._read_at = {} if is_new else self._last  # the file changed during the start

    def _reload(self) -> bool:
        before = self._current.now
        try:
            reading = self._read(self._path, self._environment)
        except ConfigError as error:
            self._files = self._files | error.files  # the file may name the earlier ones again
            self._read_at = self._last = self._stamps()
            for mistake in error.mistakes:
                logger.error("%s", mistake)  # noqa: TRY400  # a line for each mistake says more than a traceback
            logger.error("%s was not loaded; the previous configuration stays in effect", self._path.name)  # noqa: TRY400
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
        logger.info("%s was reloaded", self._path.name)
        if late:
            logger.warning("restart the bot to apply: %s", ", ".join(late))

    def _token(self) -> str:
        config = self._current.now
        try:
            return secrets(config, self._environment).get(config.discord.token_env, "")
        except CadenzaError:  # a broken .env, which reading the configuration reports
            return ""

    def _stamps(self) -> Mapping[Path, Stamp]:
        return {path: self._look(path) for path in sorted(self._files)}


def needs_restart(before: Config, after: Config) -> tuple[str, ...]:
    """The keys that differ and take effect only at a start, such as ``[store] path``."""
    return tuple(_late(before, after))


def _late(before: Config, after: Config) -> Iterable[str]:
    for section in ("discord", "store", "metrics"):
        old, new = getattr(before, section), getattr(after, section)
        for spec in fields(old):
            if spec.metadata.get("restarts") and getattr(old, spec.name) != getattr(new, spec.name):
                yield f"[{section}] {spec.name}"
    # The queue of turns is set up once.
    for spec in fields(before.settings.channel):
        if getattr(before.settings.channel, spec.name) != getattr(after.settings.channel, spec.name):
            yield f"[settings] {spec.name}"
