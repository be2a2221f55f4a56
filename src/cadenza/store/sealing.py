"""Secrets at rest: sealed with a key that does not lie beside them."""

from __future__ import annotations


class Seal:
    """Seals and opens secrets. *keys* are the key in use and, behind it, older ones that can still open."""

    def __init__(self, *keys: str) -> None:
        self._keys = keys

    def seal(self, secret: str) -> str:
        """*secret*, so that only who has the key can read it."""
        raise NotImplementedError

    def open(self, sealed: str) -> str:
        """What was sealed; raises a ``StoreError`` if it cannot be read with these keys."""
        raise NotImplementedError
