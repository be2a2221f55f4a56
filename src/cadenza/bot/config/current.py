"""The configuration as it is at present: the last one that was good."""

from __future__ import annotations

import logging
from collections.abc import Callable

from .config import Config

logger = logging.getLogger(__name__)


class Current:
    """Holds the configuration. Ask ``now`` whenever something is decided, and keep no copy."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._listeners: list[Callable[[Config, Config], object]] = []

    @property
    def now(self) -> Config:
        """What holds at present."""
        return self._config

    def listen(self, listener: Callable[[Config, Config], object]) -> None:
        """Call *listener* with the old and the new configuration whenever there is a new one."""
        self._listeners.append(listener)

    def change(self, config: Config) -> None:
        """From now on *config* holds."""
        before, self._config = self._config, config
        for listener in self._listeners:
            try:
                listener(before, config)
            except Exception as error:  # noqa: BLE001  # one who cannot follow holds nobody else up
                logger.error("a part of the bot did not take the new configuration (%s)", type(error).__name__)  # noqa: TRY400  # its text may hold a secret
