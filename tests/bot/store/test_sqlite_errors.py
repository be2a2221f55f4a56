"""Errors of SQLite and of the system, as people are told of them."""

from __future__ import annotations

import errno
import sqlite3

import pytest

from cadenza.bot.store.sqlite_errors import told
from cadenza.bot.store.store import StoreError


def failed(code: int, name: str = "SQLITE_X") -> sqlite3.Error:
    error = sqlite3.OperationalError("with a secret in it")
    error.sqlite_errorcode, error.sqlite_errorname = code, name
    return error


@pytest.mark.parametrize(
    ("error", "words"),
    [
        pytest.param(failed(sqlite3.SQLITE_FULL), "no room left", id="full"),
        pytest.param(failed(sqlite3.SQLITE_READONLY_DIRECTORY), "cannot be written", id="detail"),
        pytest.param(failed(sqlite3.SQLITE_CANTOPEN), "cannot be opened", id="open"),
        pytest.param(failed(sqlite3.SQLITE_NOTADB), "is no store", id="not-a-database"),
        pytest.param(failed(sqlite3.SQLITE_CORRUPT_INDEX), "is damaged", id="damaged"),
        pytest.param(failed(sqlite3.SQLITE_BUSY_SNAPSHOT), "busy", id="busy"),
        pytest.param(failed(sqlite3.SQLITE_IOERR_FSYNC), "system's log", id="disk"),
        pytest.param(failed(sqlite3.SQLITE_MISUSE, "SQLITE_MISUSE"), "failed (SQLITE_MISUSE)", id="other"),
        pytest.param(sqlite3.ProgrammingError("with a secret"), "failed (ProgrammingError)", id="pythons-own"),
        pytest.param(OSError(errno.ENOSPC, "with a secret"), "no room left", id="system-full"),
        pytest.param(OSError(errno.EROFS, "with a secret"), "cannot be written", id="system-read-only"),
        pytest.param(OSError(errno.ENOLCK, "with a secret"), "cannot lock", id="no-locks"),
        pytest.param(PermissionError(errno.EACCES, "with a secret"), "cannot be opened", id="system-rights"),
        pytest.param(MemoryError("with a secret"), "memory", id="memory"),
        pytest.param(ValueError("with a secret"), "failed (ValueError)", id="anything"),
    ],
)
def test_each_is_one_sentence_of_ours(error: Exception, words: str) -> None:
    sentence = str(told(error, "cadenza.db"))

    assert words in sentence
    assert "'cadenza.db'" in sentence
    assert "secret" not in sentence
    assert "\n" not in sentence


def test_what_is_a_sentence_already_stays_it() -> None:
    error = StoreError("so it is")

    assert told(error, "cadenza.db") is error
