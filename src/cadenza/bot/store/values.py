"""The values of records as JSON text, for stores and exports."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

from ...errors import Sentence
from .store import Record, StoreError, Value


def packed(value: Value) -> str:
    """*value* as JSON; raises a ``StoreError`` if it is not a JSON object."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain)
        if is_storable(text):
            return text
        return json.dumps(value, allow_nan=False, separators=(",", ":"), default=_plain)  # escapes lone surrogates
    except (TypeError, ValueError, RecursionError) as error:  # their text may hold parts of the value
        msg = Sentence(
            "a record is not valid JSON and cannot be stored ({error_type})", error_type=type(error).__name__
        )
        raise StoreError(msg) from error


def unpacked(text: str) -> Value:
    """The value that was packed; raises a ``StoreError`` if it is not a JSON object."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        msg = "a record in the store cannot be read; restore a backup, or delete the record"
        raise StoreError(msg)
    return value


def check(record: Record) -> None:
    """Raise a ``StoreError`` if the key, owner, server or expiry of *record* is invalid."""
    check_texts(record.key, record.owner, record.server)
    if record.expires is not None and not math.isfinite(record.expires):
        msg = "the expiry of a record is not a finite number; 'None' is never"
        raise StoreError(msg)


def check_texts(*texts: str) -> None:
    """Raise a ``StoreError`` if one of *texts* cannot be encoded as UTF-8."""
    if not all(map(is_storable, texts)):
        msg = "a key, an owner or a server contains an incomplete character and cannot be stored"
        raise StoreError(msg)


def is_storable(text: str) -> bool:
    """Whether UTF-8 can encode *text*, which it cannot with a lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _plain(value: object) -> object:
    """Convert any mapping to a ``dict`` for JSON."""
    if isinstance(value, Mapping):
        return dict(value)
    msg = type(value).__name__
    raise TypeError(msg)
