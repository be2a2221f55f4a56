"""Translates errors of SQLite and the system into a ``StoreError`` whose sentence says what to do."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Mapping
from types import MappingProxyType

from ...errors import Sentence
from .store import StoreError

_CANNOT_OPEN = "the store {path} cannot be opened; its folder must exist, and the bot must be allowed to write in it"
_READ_ONLY = "the store {path} cannot be written; allow the bot to write to the file and to its folder"
_NO_LOCKS = "the disk of the store {path} cannot lock files; put the store on a local disk"
_NO_ROOM = "there is no room left on the disk of the store {path}; free some space, until then nothing is saved"

_BY_CODE: Mapping[int, str] = MappingProxyType(
    {
        sqlite3.SQLITE_FULL: _NO_ROOM,
        sqlite3.SQLITE_READONLY: _READ_ONLY,
        sqlite3.SQLITE_PERM: _READ_ONLY,
        sqlite3.SQLITE_AUTH: _READ_ONLY,
        sqlite3.SQLITE_CANTOPEN: _CANNOT_OPEN,
        sqlite3.SQLITE_NOTADB: "{path} is not a store; name another file, or restore a backup",
        sqlite3.SQLITE_CORRUPT: "the store {path} is damaged; stop the bot, and restore a backup",
        sqlite3.SQLITE_BUSY: "another program has locked the store {path}; end that program, and try again",
        sqlite3.SQLITE_LOCKED: "another program has locked the store {path}; end that program, and try again",
        sqlite3.SQLITE_IOERR: "the disk of the store {path} cannot be read or written; look at the system's log",
        sqlite3.SQLITE_TOOBIG: "a record is too large for the store {path}; store less",
        sqlite3.SQLITE_NOMEM: "there is not enough memory for the store {path}; end another program",
    }
)
_BY_NUMBER: Mapping[int | None, str] = MappingProxyType(
    {
        errno.ENOSPC: _NO_ROOM,
        errno.EDQUOT: _NO_ROOM,
        errno.EROFS: _READ_ONLY,
        errno.ENOLCK: _NO_LOCKS,
        errno.EOPNOTSUPP: _NO_LOCKS,
    }
)


def store_error(error: Exception, path: str) -> StoreError:
    """The ``StoreError`` for *error*, which came from the store at *path*; *error* is its cause."""
    match error:
        case StoreError():
            return error
        case sqlite3.Error():
            code = getattr(error, "sqlite_errorcode", None)  # missing if Python's own module raised it
            primary = None if code is None else code & 0xFF  # the other bits are details
            template = _BY_CODE.get(primary or 0)
            name = getattr(error, "sqlite_errorname", type(error).__name__)
        case OSError():
            template, name = _BY_NUMBER.get(error.errno, _CANNOT_OPEN), type(error).__name__
        case MemoryError():
            template, name = _BY_CODE[sqlite3.SQLITE_NOMEM], "MemoryError"
        case _:
            template, name = None, type(error).__name__
    unknown = "the store {path} failed ({name}); check it with 'cadenza store check'"
    wrapped = StoreError(Sentence(template or unknown, path=repr(path), name=name))
    wrapped.__cause__ = error
    return wrapped
