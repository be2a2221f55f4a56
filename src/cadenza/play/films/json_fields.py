"""A form that the bot shows, as a page shows it."""

from __future__ import annotations

from ...sim.wire import Json

_LONG = 2
_MOST = 4000


def as_form(modal: Json) -> Json:
    """*modal*, which is in Discord's JSON, as it is shown. A field may stand in a row, or under a label of its own."""
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
