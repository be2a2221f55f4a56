"""Encryption of secrets in the store, with a key that is kept elsewhere.

A sealed text begins with ``sealed:``, so that it can be recognised in a store. There may be several keys: the first one
seals, all of them open.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import Sentence
from ...explain.tracebacks import get_logger
from .store import StoreError

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet

logger = get_logger(__name__)

MARK = "sealed:"
"""The prefix of every sealed text."""

_NO_PACKAGE = (
    "secrets are sealed with the package 'cryptography', which is not installed; try: pip install 'cadenza[bot]'"
)
_NO_KEY = "there is no key to seal secrets with; set the variable CADENZA_KEY, or name a key file"
_BAD_KEY = (
    "a key for secrets is invalid: a key has 44 characters and is made by Cadenza; "
    "remove it from CADENZA_KEY or the key file, and a new one is made"
)
_CANNOT_OPEN = (
    "a secret in the store cannot be opened with these keys; "
    "restore the key that it was sealed with (CADENZA_KEY, or the key file), or enter the secret again"
)


class Seal:
    """Seals and opens secrets. *keys* are the current key and, after it, older ones that can still open.

    Without *keys*, those of *key_file* are used, one per line; it is created when something is first sealed. Nothing is
    read before the first use.
    """

    def __init__(self, *keys: str, key_file: Path | None = None) -> None:
        self._keys = keys
        self._key_file = key_file
        self._fernet: MultiFernet | None = None

    def __repr__(self) -> str:
        return "<Seal>"

    def seal(self, secret: str) -> str:
        """Encrypt *secret* with the current key."""
        try:
            plain = secret.encode()
        except UnicodeEncodeError:
            msg = "a secret contains an incomplete character and cannot be sealed; enter it again"
            raise StoreError(msg) from None
        return MARK + self._opener(makes_key=True).encrypt(plain).decode()

    def open(self, sealed: str) -> str:
        """Decrypt *sealed*; raises a ``StoreError`` if none of the keys fits."""
        opener = self._opener(makes_key=False)
        from cryptography.fernet import InvalidToken  # noqa: PLC0415  # the line above has imported it already

        try:
            return opener.decrypt(_token(sealed)).decode()
        except (InvalidToken, ValueError):
            raise StoreError(_CANNOT_OPEN) from None

    def reseal(self, sealed: str) -> str:
        """The same secret, sealed with the current key; raises as ``open`` does."""
        return self.seal(self.open(sealed))

    def can_open(self, text: str) -> bool:
        """Whether *text* is a sealed secret that one of these keys opens."""
        if not text.startswith(MARK):
            return False
        try:
            self.open(text)
        except StoreError:
            return False
        return True

    def _opener(self, *, makes_key: bool) -> MultiFernet:
        if self._fernet is None:
            self._fernet = _fernet(self._keys or self._keys_of_file(makes_key=makes_key))
        return self._fernet

    def _keys_of_file(self, *, makes_key: bool) -> tuple[str, ...]:
        if self._key_file is None:
            raise StoreError(_NO_KEY)
        try:
            if makes_key:
                with suppress(FileExistsError):
                    _write(self._key_file, new_key())
            return _read(self._key_file)
        except FileNotFoundError:
            name = str(self._key_file)
            msg = Sentence(
                "the key file {name} is missing; restore the one that secrets were sealed with", name=repr(name)
            )
            if makes_key:
                msg = Sentence(
                    "the key file {name} cannot be created: its folder is missing; create it, or name another",
                    name=repr(name),
                )
            raise StoreError(msg) from None
        except (OSError, ValueError) as error:
            msg = Sentence(
                "the key file {key_file} cannot be read or created ({error_type}); check its permissions",
                key_file=repr(str(self._key_file)),
                error_type=type(error).__name__,
            )
            raise StoreError(msg) from error


def seal_from(variable: str | None, key_file: Path | None = None) -> Seal:
    """The seal with the keys in *variable*, separated by commas or spaces; else with those of *key_file*."""
    keys = re.split(r"[\s,]+", (variable or "").strip().strip(","))
    return Seal(*filter(None, keys), key_file=key_file)


def new_key() -> str:
    """A new random key."""
    try:
        from cryptography.fernet import Fernet  # noqa: PLC0415  # of an extra, and slow to load
    except ImportError as error:
        raise StoreError(_NO_PACKAGE) from error
    return Fernet.generate_key().decode()


def add_key(key_file: Path) -> None:
    """Add a new key to *key_file*, which seals from now on; the older ones can still open."""
    try:
        keys = _read(key_file) if key_file.exists() else ()
        part = key_file.with_name(f"{key_file.name}.part")
        part.unlink(missing_ok=True)
        _write(part, "\n".join([new_key(), *keys]))
        part.replace(key_file)
        _sync_folder(key_file)
    except (OSError, ValueError) as error:
        msg = Sentence(
            "the key file {key_file} cannot be written ({error_type}); check its permissions and folder",
            key_file=repr(str(key_file)),
            error_type=type(error).__name__,
        )
        raise StoreError(msg) from error


def _fernet(keys: tuple[str, ...]) -> MultiFernet:
    try:
        from cryptography.fernet import Fernet, MultiFernet  # noqa: PLC0415  # of an extra, and slow to load
    except ImportError as error:
        raise StoreError(_NO_PACKAGE) from error
    try:
        return MultiFernet([Fernet(key) for key in keys])
    except ValueError:  # the value is not shown, as it may be a key after all
        raise StoreError(_BAD_KEY) from None


def _token(sealed: str) -> bytes:
    return sealed.removeprefix(MARK).encode()


def _read(key_file: Path) -> tuple[str, ...]:
    if os.name == "posix" and key_file.stat().st_mode & 0o077:
        logger.warning("other users can read the key file %r; try: chmod 600 %s", str(key_file), key_file)
    keys = tuple(key_file.read_text(encoding="ascii").split())
    if not keys:  # nothing was sealed with it: a key is on disk before it is used
        msg = Sentence(
            "the key file {key_file} is empty; remove it, and a new one is created", key_file=repr(str(key_file))
        )
        raise StoreError(msg)
    return keys


def _write(path: Path, text: str) -> None:
    """Create the file *path*, readable for us alone; raises ``FileExistsError`` if it exists."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(file, f"{text}\n".encode())
        os.fsync(file)
    finally:
        os.close(file)
    _sync_folder(path)


def _sync_folder(path: Path) -> None:
    """Flush the folder of *path* to the disk, so that a key survives a power cut before it is used."""
    if os.name == "posix":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
