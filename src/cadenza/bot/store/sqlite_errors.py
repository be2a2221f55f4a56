"""What SQLite and the system complain of, in one sentence that says what to do."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Mapping
from types import MappingProxyType

from .store import StoreError

_CANNOT_OPEN = (
    "the store {path!r} cannot be opened; its folder must be there, and the bot must be allowed to write in it"
)
_READ_ONLY = "the store {path!r} cannot be written; allow the bot to write to the file and to its folder"
_NO_LOCKS = "the disk of the store {path!r} cannot lock files; put the store on a disk of this machine"
_NO_ROOM = "there is no room left on the disk of the store {path!r}; make some, for what is said now is not kept"

_BY_CODE: Mapping[int, str] = MappingProxyType(
    {
        sqlite3.SQLITE_FULL: _NO_ROOM,
        sqlite3.SQLITE_READONLY: _READ_ONLY,
        sqlite3.SQLITE_PERM: _READ_ONLY,
        sqlite3.SQLITE_AUTH: _READ_ONLY,
        sqlite3.SQLITE_CANTOPEN: _CANNOT_OPEN,
        sqlite3.SQLITE_NOTADB: "{path!r} is no store; name another file, or put a backup in its place",
        sqlite3.SQLITE_CORRUPT: "the store {path!r} is damaged; stop the bot, and put a backup in its place",
        sqlite3.SQLITE_BUSY: "another program keeps the store {path!r} busy; end that one, and try again",
        sqlite3.SQLITE_LOCKED: "another program keeps the store {path!r} busy; end that one, and try again",
        sqlite3.SQLITE_IOERR: "the disk of the store {path!r} cannot be read or written; look at the system's log",
        sqlite3.SQLITE_TOOBIG: "what was to be kept in the store {path!r} is too large; keep less",
        sqlite3.SQLITE_NOMEM: "there is not enough memory for the store {path!r}; end something else",
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


def told(error: Exception, path: str) -> StoreError:
    """*error*, which came from the store at *path*, as people are told of it."""
    match error:
        case StoreError():
            return error
        case sqlite3.Error():
            code = getattr(error, "sqlite_errorcode", None)  # not there if Python itself complains
            primary = None if code is None else code & 0xFF  # the rest of it are details
            template = _BY_CODE.get(primary or 0)
            name = getattr(error, "sqlite_errorname", type(error).__name__)
        case OSError():
            template, name = _BY_NUMBER.get(error.errno, _CANNOT_OPEN), type(error).__name__
        case MemoryError():
            template, name = _BY_CODE[sqlite3.SQLITE_NOMEM], "MemoryError"
        case _:
            template, name = None, type(error).__name__
    unknown = "the store {path!r} failed ({name}); 'cadenza store check' says whether it is whole"
    return StoreError((template or unknown).format(path=path, name=name))
