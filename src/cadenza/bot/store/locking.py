"""One bot for a store: a lock beside it that ends with the process, however that ends."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

from .store import StoreError

_TAKEN = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)
"""What a system says if somebody else has a lock; anything else is a disk that knows none."""


class Lock:
    """The right to write to the store at *path*, from now on until ``release``.

    The lock is on a file of its own, which stays: on the store itself, it would get in the way of SQLite's.
    """

    def __init__(self, path: Path) -> None:
        self._file = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(self._file)
        except OSError as error:
            os.close(self._file)
            if error.errno not in _TAKEN:
                raise
            msg = f"another bot uses the store {str(path)!r}; stop that one, or give this one a store of its own"
            raise StoreError(msg) from None

    def release(self) -> None:
        """Let somebody else have it."""
        os.close(self._file)


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
