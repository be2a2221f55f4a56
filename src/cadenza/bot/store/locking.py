"""The lock file of a store: one bot at a time. The system releases it when the process ends."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

from ...errors import Sentence
from .store import StoreError

_TAKEN = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)
"""Errors for a lock that is taken; any other error means that the disk has no locks."""


class Lock:
    """An exclusive lock for the store at *path*, held until ``release``.

    It locks a file of its own, which stays on disk: a lock on the store itself would interfere with SQLite's.
    """

    def __init__(self, path: Path) -> None:
        self._file = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(self._file)
        except OSError as error:
            os.close(self._file)
            if error.errno not in _TAKEN:
                raise
            msg = Sentence(
                "another bot uses the store {path}; stop it, or give this bot its own store", path=repr(str(path))
            )
            raise StoreError(msg) from None

    def release(self) -> None:
        """Release the lock."""
        os.close(self._file)


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
