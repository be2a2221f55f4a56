"""Converts a modal to what a page shows."""

from __future__ import annotations

from ...sim.wire import Json

_LONG = 2
_MOST = 4000


def as_form(modal: Json) -> Json:
    """*modal*, in Discord's JSON, as a page shows it. A field is in a row, or has a label component."""
    return {"title": modal["title"], "fields": [_field(part) for part in modal.get("components", ())]}


def _field(part: Json) -> Json:
    text = part.get("component") or (part.get("components") or [part])[0]
    return {
        "id": text["custom_id"],
        "label": text.get("label") or part.get("label") or "",
        "value": text.get("value") or "",
        "hint": text.get("placeholder") or part.get("description") or "",
        "is_long": text.get("style") == _LONG,
        "is_required": text.get("required", True),
        "least": text.get("min_length") or 0,
        "most": text.get("max_length") or _MOST,
    }
