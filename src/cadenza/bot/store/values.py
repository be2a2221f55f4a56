"""What a record holds, as a text of JSON: what every store keeps, and what an export is made of."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

from .store import Record, StoreError, Value


def packed(value: Value) -> str:
    """*value* as JSON; raises a ``StoreError`` if it is not an object of JSON."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain)
        if is_storable(text):
            return text
        return json.dumps(value, allow_nan=False, separators=(",", ":"), default=_plain)  # with halves of characters
    except (TypeError, ValueError, RecursionError) as error:  # their text may hold what was to be kept
        msg = f"a record holds something that is no JSON and cannot be kept ({type(error).__name__})"
        raise StoreError(msg) from None


def unpacked(text: str) -> Value:
    """The value that was packed; raises a ``StoreError`` if it is no object of JSON."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        msg = "a record of the store cannot be read; put a backup in its place, or remove it"
        raise StoreError(msg)
    return value


def check(record: Record) -> None:
    """Raise a ``StoreError`` if a store could not find *record* again, or not forget it in time."""
    check_texts(record.key, record.owner, record.server)
    if record.expires is not None and not math.isfinite(record.expires):
        msg = "a record expires at a time that is no number; 'None' is never"
        raise StoreError(msg)


def check_texts(*texts: str) -> None:
    """Raise a ``StoreError`` if *texts* cannot be written down, and so are nothing to look for."""
    if not all(map(is_storable, texts)):
        msg = "a key, an owner or a server holds half a character, which cannot be written down"
        raise StoreError(msg)


def is_storable(text: str) -> bool:
    """Whether UTF-8 can hold *text*, which it cannot if there is half a surrogate pair in it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _plain(value: object) -> object:
    """A mapping of another kind as the one that JSON knows."""
    if isinstance(value, Mapping):
        return dict(value)
    msg = type(value).__name__
    raise TypeError(msg)
