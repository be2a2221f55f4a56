from __future__ import annotations

import json

import msgspec
import pytest

from cadenza.models.dialects.openai_calls import CallPiece, Calls
from cadenza.types import Opaque, ToolCall

OWNER = "openai:somebody"


def made(*events: list[dict[str, object]], is_cut: bool = False, **shared: object) -> list[ToolCall]:
    """The calls that the pieces in *events* come to."""
    calls = Calls(OWNER)
    for event in events:
        calls.take(msgspec.convert(event, list[CallPiece]))
    return calls.whole(shared, is_cut=is_cut)


def piece(name: str | None = None, arguments: object = None, **more: object) -> dict[str, object]:
    return {**more, "function": {"name": name, "arguments": arguments}}


def test_made_ids_go_on_where_the_conversation_is() -> None:
    calls = Calls(OWNER, first=2)
    calls.take(msgspec.convert([piece("f", "{}"), piece("f", "{}")], list[CallPiece]))

    assert ["f-2", "f-3"] == [call.id for call in calls.whole({"reasoning_content": "hm"}, is_cut=False)]


@pytest.mark.parametrize(
    ("events", "calls"),
    [
        pytest.param([], [], id="none"),
        pytest.param([[piece("f", "{}", id="a", index=0)]], [ToolCall("a", "f", "{}")], id="whole"),
        pytest.param([[piece("f", "{}")]], [ToolCall("f-0", "f", "{}")], id="B41: without an id, always the same one"),
        pytest.param([[piece("f", {"a": "é"})]], [ToolCall("f-0", "f", '{"a": "é"}')], id="arguments as an object"),
        pytest.param(
            [[piece("f", "", id="a")], [piece(None, "{")], [piece(None, "}")]],
            [ToolCall("a", "f", "{}")],
            id="no index",
        ),
        pytest.param(
            [[piece("f", "{}"), piece("g", "{}")]],
            [ToolCall("f-0", "f", "{}"), ToolCall("g-1", "g", "{}")],
            id="two in one event without an index",
        ),
        pytest.param(
            [[piece("f", "{}")], [piece("f", '{"a":1}')]],
            [ToolCall("f-0", "f", "{}"), ToolCall("f-1", "f", '{"a":1}')],
            id="two in two events without an index",
        ),
        pytest.param(
            [[piece("f", "{}", id="a", index=0)], [piece("f", "{}", id="b", index=0)]],
            [ToolCall("a", "f", "{}"), ToolCall("b", "f", "{}")],
            id="two with the index 0",
        ),
        pytest.param(
            [[piece("f", "", id="a", index=0)], [piece("g", "", id="b", index=0)]],
            [ToolCall("a", "f", "{}"), ToolCall("b", "g", "{}")],
            id="two with the index 0 and no arguments",
        ),
        pytest.param(
            [[piece("f", "{", id="a", index=0)], [piece("f", "}", id="a", index=0)], [piece("f", "", id="a", index=0)]],
            [ToolCall("a", "f", "{}")],
            id="id and name with every piece",
        ),
        pytest.param(
            [[piece("f", "{", id="a", index=0)], [piece("f", "}", id="b", index=0)]],
            [ToolCall("b", "f", "{}")],
            id="another id with every piece",
        ),
        pytest.param(
            [[piece("f", "{}", index=0)], [piece("f", "", index=0)]],
            [ToolCall("f-0", "f", "{}")],
            id="a last empty piece",
        ),
        pytest.param(
            [[piece("get_", None, id="a", index=0)], [piece("weather", "{}", index=0)]],
            [ToolCall("a", "get_weather", "{}")],
            id="the name in pieces",
        ),
        pytest.param(
            [[{"index": 0, "id": "a"}], [piece("f", "{}", index=0)]], [ToolCall("a", "f", "{}")], id="id first"
        ),
        pytest.param([[piece(None, "{}", id="a")]], [], id="no name"),
        pytest.param([[piece("f", None, id="a")]], [ToolCall("a", "f", "{}")], id="no arguments"),
        pytest.param(
            [[piece("g", "{}", id="b", index=5)], [piece("f", "{}", id="a", index=2)]],
            [ToolCall("a", "f", "{}"), ToolCall("b", "g", "{}")],
            id="B26: in the order of their index",
        ),
    ],
)
def test_calls_are_put_together(events: list[list[dict[str, object]]], calls: list[ToolCall]) -> None:
    assert calls == made(*events)


def test_an_answer_that_was_cut_off_may_have_had_arguments() -> None:
    (first, second) = made([piece("f", "{}"), piece("g", "")], is_cut=True)

    assert (False, True) == (first.is_truncated, second.is_truncated)


def test_the_first_call_carries_what_belongs_to_all_and_each_its_own() -> None:
    events = [
        piece("f", "{}", thought_signature="s1"),
        piece("g", "{}", extra_content={"google": {"thought_signature": "s2"}}),
        piece("h", "{}"),
    ]

    states = [call.state for call in made(events, reasoning_content="hm")]

    assert [
        {"reasoning_content": "hm", "thought_signature": "s1"},
        {"extra_content": {"google": {"thought_signature": "s2"}}},
        None,
    ] == [json.loads(state.data) if state else None for state in states]
    assert {OWNER} == {state.owner for state in states if isinstance(state, Opaque)}


def test_what_was_forgotten_is_gone() -> None:
    calls = Calls(OWNER)
    calls.take([CallPiece(0, "a")])
    assert calls

    calls.clear()

    assert not calls
    assert [] == calls.whole({}, is_cut=False)
