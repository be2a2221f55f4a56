from __future__ import annotations

import json
from types import MappingProxyType

import pytest

from cadenza.models.dialects.request_bodies import InlineMedia, inline, link, object_of, state_of, within, written
from cadenza.types import Media, MediaKind, Opaque, ToolCall


def image(url: str = "", data: bytes = b"", mime: str = "image/png") -> Media:
    return Media(MediaKind.IMAGE, mime, url, data)


def test_a_body_is_compact_and_in_the_order_it_was_given() -> None:
    assert '{"b":1,"a":["月"]}'.encode() == written({"b": 1, "a": ["月"]}, {})


def test_extra_fields_are_added_replace_others_and_take_them_away() -> None:
    assert b'{"a":2,"c":3}' == written({"a": 1, "b": 1, "d": None}, {"a": 2, "b": None, "c": 3})


def test_read_only_mappings_and_other_rows_are_written_wherever_they_stand() -> None:
    schema = MappingProxyType({"properties": MappingProxyType({"a": frozenset({"x"})}), "required": ("a",)})

    assert {"s": {"properties": {"a": ["x"]}, "required": ["a"]}} == json.loads(written({"s": schema}, {}))


def test_half_an_emoji_does_not_spoil_a_request() -> None:
    assert {"a": "\ufffd!", "b": "😀"} == json.loads(written({"a": "\ud83d!", "b": "\ud83d" + "\ude00"}, {}))


def test_a_number_that_no_json_can_hold_does_not_spoil_a_request() -> None:
    assert b'{"a":null,"b":100000000000000000000}' == written(object_of('{"a": 1e999, "b": 100000000000000000000}'), {})


def test_what_is_no_data_is_refused() -> None:
    with pytest.raises(TypeError, match="a request cannot hold a object"):
        written({"a": object()}, {})


@pytest.mark.parametrize(
    ("media", "found"),
    [
        pytest.param(image(data=b"abc"), InlineMedia("image/png", "YWJj"), id="data"),
        pytest.param(image("https://a.example", b"abc"), InlineMedia("image/png", "YWJj"), id="data before an address"),
        pytest.param(image("data:image/webp;base64,YWJj"), InlineMedia("image/webp", "YWJj"), id="data URI"),
        pytest.param(image("data:;base64,YWJj"), InlineMedia("image/png", "YWJj"), id="data URI without a type"),
        pytest.param(image("data:image/png;x=y;base64,YWJj"), InlineMedia("image/png", "YWJj"), id="with a parameter"),
        pytest.param(
            image(data=b"abc", mime="IMAGE/JPG; q=1"), InlineMedia("image/jpeg", "YWJj"), id="a type's other name"
        ),
        pytest.param(image("data:image/svg+xml,%3Csvg"), None, id="not base64"),
        pytest.param(image("data:image/png;base64,"), None, id="empty"),
        pytest.param(image("https://a.example/b,c.png"), None, id="address"),
        pytest.param(image(), None, id="nothing"),
    ],
)
def test_what_is_there_of_a_medium(media: Media, found: InlineMedia | None) -> None:
    assert found == inline(media)


def test_as_a_data_uri() -> None:
    assert "data:image/png;base64,YWJj" == InlineMedia("image/png", "YWJj").uri


@pytest.mark.parametrize("url", ["", "data:image/png;base64,YWJj", "attachment://a.png", "file:///etc/passwd"])
def test_only_what_anybody_can_fetch_is_a_link(url: str) -> None:
    assert "" == link(image(url))
    assert "https://a.example/b.png" == link(image("https://a.example/b.png"))


@pytest.mark.parametrize(
    ("body", "extra", "fields"),
    [
        pytest.param({"a": {"b": 1, "c": 1}}, {"a": {"c": 2}}, {"a": {"b": 1, "c": 2}}, id="into an object"),
        pytest.param({"a": {"b": 1}}, {"a": [1]}, {"a": [1]}, id="in place of an object"),
        pytest.param({"a": {"b": 1}}, {"a": None}, {"a": None}, id="taken away"),
        pytest.param({"a": 1}, {"a": {"b": 1}, "c": {}}, {"a": {"b": 1}, "c": {}}, id="where there is none"),
        pytest.param({"a": {"b": 1}}, {}, {}, id="nothing"),
    ],
)
def test_an_object_may_be_added_to_one(
    body: dict[str, object], extra: dict[str, object], fields: dict[str, object]
) -> None:
    assert fields == within(body, extra)


@pytest.mark.parametrize("text", ["", "[1]", "3", "{", "[" * 100_000])
def test_what_is_no_object_is_an_empty_one(text: str) -> None:
    assert {} == object_of(text)
    assert {"a": 1} == object_of('{"a": 1}')


@pytest.mark.parametrize(
    ("state", "found"),
    [
        pytest.param(None, {}, id="none"),
        pytest.param(Opaque("us", '{"a": 1}'), {"a": 1}, id="ours"),
        pytest.param(Opaque("them", '{"a": 1}'), {}, id="somebody else's"),
        pytest.param(Opaque("us", "[1"), {}, id="spoilt"),
    ],
)
def test_a_call_carries_something_for_its_owner_only(state: Opaque | None, found: dict[str, object]) -> None:
    assert found == state_of(ToolCall("c1", "look", "{}", state=state), "us")
