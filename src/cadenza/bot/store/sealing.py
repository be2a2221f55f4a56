"""Secrets at rest: sealed with a key that does not lie beside them.

What is sealed begins with ``sealed:``, so that whoever goes through a store knows it. Several keys can be in use at a
time: the first one seals, all of them open.
"""

from __future__ import annotations

import logging
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from .store import StoreError

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet

logger = logging.getLogger(__name__)

MARK = "sealed:"
"""What everything begins with that is sealed."""

_NO_PACKAGE = (
    "secrets are sealed with the package 'cryptography', which is not installed; try: pip install 'cadenza[bot]'"
)
_NO_KEY = "there is no key to seal secrets with; set the variable CADENZA_KEY, or name a key file"
_BAD_KEY = (
    "a key for secrets is not one: it is 44 characters long and made by Cadenza; "
    "remove it from CADENZA_KEY or the key file, and one is made"
)
_CANNOT_OPEN = (
    "a secret of the store cannot be opened with the keys at hand; "
    "bring back the key that it was sealed with (CADENZA_KEY, or the key file), or enter the secret anew"
)


class Seal:
    """Seals and opens secrets. *keys* are the key in use and, behind it, older ones that can still open.

    Without keys they are those of *key_file*, one a line; it is made when something is first sealed. Nothing is read
    and nothing can fail before that.
    """

    def __init__(self, *keys: str, key_file: Path | None = None) -> None:
        self._keys = keys
        self._key_file = key_file
        self._fernet: MultiFernet | None = None

    def __repr__(self) -> str:
        return "<Seal>"

    def seal(self, secret: str) -> str:
        """*secret*, so that only who has the key can read it."""
        try:
            plain = secret.encode()
        except UnicodeEncodeError:
            msg = "a secret holds half a character and cannot be sealed; enter it anew"
            raise StoreError(msg) from None
        return MARK + self._opener(makes_key=True).encrypt(plain).decode()

    def open(self, sealed: str) -> str:
        """What was sealed; raises a ``StoreError`` if it cannot be read with these keys."""
        opener = self._opener(makes_key=False)
        from cryptography.fernet import InvalidToken  # noqa: PLC0415  # it is there, or the line above would have said so

        try:
            return opener.decrypt(_token(sealed)).decode()
        except (InvalidToken, ValueError):
            raise StoreError(_CANNOT_OPEN) from None

    def reseal(self, sealed: str) -> str:
        """The same secret, sealed with the key in use; raises as ``open`` does."""
        return self.seal(self.open(sealed))

    def can_open(self, text: str) -> bool:
        """Whether *text* is a secret that was sealed with one of these keys."""
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
            msg = f"the key file {name!r} is missing; put the one back with which secrets were sealed"
            if makes_key:
                msg = f"the key file {name!r} cannot be made, for its folder is missing; make that, or name another"
            raise StoreError(msg) from None
        except (OSError, ValueError) as error:
            msg = f"the key file {str(self._key_file)!r} cannot be read or made ({type(error).__name__}); see to its rights"
            raise StoreError(msg) from None


def seal_from(variable: str | None, key_file: Path | None = None) -> Seal:
    """The seal with the keys that stand in *variable*, apart by commas or blanks; else with those of *key_file*."""
    keys = re.split(r"[\s,]+", (variable or "").strip().strip(","))
    return Seal(*filter(None, keys), key_file=key_file)


def new_key() -> str:
    """A key that nobody has."""
    try:
        from cryptography.fernet import Fernet  # noqa: PLC0415  # of an extra, and slow to load
    except ImportError:
        raise StoreError(_NO_PACKAGE) from None
    return Fernet.generate_key().decode()


def add_key(key_file: Path) -> None:
    """From now on, seal with a new key; those that are in *key_file* can still open."""
    try:
        keys = _read(key_file) if key_file.exists() else ()
        part = key_file.with_name(f"{key_file.name}.part")
        part.unlink(missing_ok=True)
        _write(part, "\n".join([new_key(), *keys]))
        part.replace(key_file)
        _settle_folder(key_file)
    except (OSError, ValueError) as error:
        msg = f"the key file {str(key_file)!r} cannot be written ({type(error).__name__}); see to its rights and its folder"
        raise StoreError(msg) from None


def _fernet(keys: tuple[str, ...]) -> MultiFernet:
    try:
        from cryptography.fernet import Fernet, MultiFernet  # noqa: PLC0415  # of an extra, and slow to load
    except ImportError:
        raise StoreError(_NO_PACKAGE) from None
    try:
        return MultiFernet([Fernet(key) for key in keys])
    except ValueError:  # it is not repeated what stood there, for it may be a key after all
        raise StoreError(_BAD_KEY) from None


def _token(sealed: str) -> bytes:
    return sealed.removeprefix(MARK).encode()


def _read(key_file: Path) -> tuple[str, ...]:
    if os.name == "posix" and key_file.stat().st_mode & 0o077:
        logger.warning("others can read the key file %r; try: chmod 600 %s", str(key_file), key_file)
    keys = tuple(key_file.read_text(encoding="ascii").split())
    if not keys:  # nothing was ever sealed with it: a key is on the disk before it is used
        msg = f"the key file {str(key_file)!r} is empty; remove it, and a new one is made"
        raise StoreError(msg)
    return keys


def _write(path: Path, text: str) -> None:
    """Make the file *path*, for us alone; raises ``FileExistsError`` if it is there."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(file, f"{text}\n".encode())
        os.fsync(file)
    finally:
        os.close(file)
    _settle_folder(path)


def _settle_folder(path: Path) -> None:
    """See to it that *path* is there after a power cut, too, before something is sealed with what it holds."""
    if os.name == "posix":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
