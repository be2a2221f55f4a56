"""Forms as a page shows them."""

from __future__ import annotations

import pytest

from cadenza.play.films.json_fields import as_form
from cadenza.sim.wire import Json

PLAIN = {"value": "", "hint": "", "is_long": False, "is_required": True, "least": 0, "most": 4000}


@pytest.mark.parametrize(
    ("part", "field"),
    [
        pytest.param(
            {"type": 1, "components": [{"type": 4, "custom_id": "why", "label": "Reason", "style": 1}]},
            {**PLAIN, "id": "why", "label": "Reason"},
            id="in a row",
        ),
        pytest.param(
            {"type": 18, "label": "Reason", "description": "In short", "component": {"type": 4, "custom_id": "why", "style": 2}},
            {**PLAIN, "id": "why", "label": "Reason", "hint": "In short", "is_long": True},
            id="under a label",
        ),
        pytest.param(
            {
                "type": 1,
                "components": [
                    {
                        "type": 4, "custom_id": "a", "label": "A", "style": 1, "value": "now", "placeholder": "when",
                        "required": False, "min_length": 2, "max_length": 9,
                    }
                ],
            },
            {
                "id": "a", "label": "A", "value": "now", "hint": "when", "is_long": False, "is_required": False,
                "least": 2, "most": 9,
            },
            id="with everything",
        ),
    ],
)  # fmt: skip
def test_a_field_is_shown(part: Json, field: Json) -> None:
    assert as_form({"title": "A form", "custom_id": "f", "components": [part]}) == {
        "title": "A form",
        "fields": [field],
    }
