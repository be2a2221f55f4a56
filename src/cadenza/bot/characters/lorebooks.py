"""A card's book of lore, ``character_book``: read, and written so that what is not understood stays in it."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from . import checked_json
from .character import Lore
from .checked_json import Form

_ENTRIES = "entries"
_USUAL_ORDER = 100


def read_book(book: Form) -> tuple[Lore, ...]:
    """The lore in *book*."""
    return tuple(_read_entry(entry) for entry in checked_json.inners(book, _ENTRIES))


def write_book(lore: Sequence[Lore], book: Form) -> dict[str, Any]:
    """*book* with this *lore*: an entry that was changed keeps whatever else stood in it."""
    left = list(checked_json.inners(book, _ENTRIES))
    known = [_taken(left, entry) for entry in lore]
    # Only when all that stayed the same have found theirs: an entry that was changed must not take one of those.
    entries = [
        before if before is not None else _write_entry(entry, _nearest(left, entry))
        for entry, before in zip(lore, known, strict=True)
    ]
    return {"extensions": {}, **deepcopy(dict(book)), _ENTRIES: entries}


def _read_entry(entry: Form) -> Lore:
    return Lore(
        content=checked_json.text(entry, "content"),
        keys=checked_json.texts(entry, "keys"),
        secondary_keys=checked_json.texts(entry, "secondary_keys"),
        is_enabled=checked_json.flag(entry, "enabled", default=True),
        is_constant=checked_json.flag(entry, "constant"),
        is_selective=checked_json.flag(entry, "selective"),
        is_case_sensitive=checked_json.flag(entry, "case_sensitive"),
        order=checked_json.number(entry, "insertion_order", default=_USUAL_ORDER),
    )


def _write_entry(lore: Lore, before: Form) -> dict[str, Any]:
    return {
        "extensions": {},
        "use_regex": False,
        **before,
        "keys": list(lore.keys),
        "secondary_keys": list(lore.secondary_keys),
        "content": lore.content,
        "enabled": lore.is_enabled,
        "constant": lore.is_constant,
        "selective": lore.is_selective,
        "case_sensitive": lore.is_case_sensitive,
        "insertion_order": lore.order,
    }


def _taken(left: list[dict[str, Any]], lore: Lore) -> dict[str, Any] | None:
    """The entry that says just this, taken out of those that are *left*."""
    for place, entry in enumerate(left):
        if _read_entry(entry) == lore:
            return left.pop(place)
    return None


def _nearest(left: list[dict[str, Any]], lore: Lore) -> dict[str, Any]:
    """The entry that *lore* was before it was changed: one with its words or its keys; taken out likewise."""
    for place, entry in enumerate(left):
        before = _read_entry(entry)
        if before.content == lore.content or (before.keys and before.keys == lore.keys):
            return left.pop(place)
    return {}
