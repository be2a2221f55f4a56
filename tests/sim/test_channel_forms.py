"""What Discord takes as a channel, a thread or a role."""

from __future__ import annotations

import pytest

from cadenza.sim.channel_forms import CHANNEL, ROLE, THREAD, THREAD_METADATA, read_form
from cadenza.sim.wire import Json
from tests.sim.tearoom import wrong_field

READERS = {**THREAD_METADATA, **ROLE, **THREAD, **CHANNEL}


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ({"name": " tea ", "unknown": 1}, {"name": "tea"}),
        ({"topic": None, "nsfw": 1, "parent_id": 7}, {"topic": None, "nsfw": True, "parent_id": "7"}),
        ({"permission_overwrites": [{"id": 7, "allow": 8}]}, {"permission_overwrites": [{"id": "7", "type": 0, "allow": "8", "deny": "0"}]}),
        ({"applied_tags": [1, "2"]}, {"applied_tags": ["1", "2"]}),
        ({"permissions": "8"}, {"permissions": "8"}),
    ],
)  # fmt: skip
def test_a_form_is_read_as_it_is_kept(form: Json, expected: Json) -> None:
    assert expected == read_form(form, READERS)


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ({"name": "a" * 101}, "name"),
        ({"name": None}, "name"),
        ({"topic": 3}, "topic"),
        ({"topic": "a" * 4097}, "topic"),
        ({"rate_limit_per_user": 21601}, "rate_limit_per_user"),
        ({"parent_id": "here"}, "parent_id"),
        ({"permissions": "all"}, "permissions"),
        ({"permission_overwrites": {}}, "permission_overwrites"),
        ({"permission_overwrites": [{"id": "1", "type": 2}]}, "permission_overwrites.0.type"),
        ({"available_tags": [{"name": ""}]}, "available_tags.name"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_form_is_named(form: Json, expected: str) -> None:
    assert expected == wrong_field(lambda: read_form(form, READERS))
