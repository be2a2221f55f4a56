"""The current configuration: the last valid one."""

from __future__ import annotations

from collections.abc import Callable

from ...explain.tracebacks import get_logger
from .config import Config

logger = get_logger(__name__)


class Current:
    """Holds the configuration. Read ``now`` for every decision, and keep no copy."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._listeners: list[Callable[[Config, Config], object]] = []

    @property
    def now(self) -> Config:
        """The current configuration."""
        return self._config

    def listen(self, listener: Callable[[Config, Config], object]) -> None:
        """Call *listener* with the old and the new configuration whenever there is a new one."""
        self._listeners.append(listener)

    def change(self, config: Config) -> None:
        """Make *config* the current one and call the listeners."""
        before, self._config = self._config, config
        for listener in self._listeners:
            try:
                listener(before, config)
            except Exception:  # the other listeners still follow
                logger.exception("a part of the bot failed to apply the new configuration")
