"""The laws of messages, each with something that is taken and something that is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

from cadenza.sim.validation import (
    as_content,
    as_draft,
    as_embeds,
    as_ids,
    as_nonce,
    as_webhook_name,
    check_files,
)
from cadenza.sim.wire import File, Refusal
from tests.sim.tearoom import refused, wrong_field

MIB = 2**20
LAYOUT = 1 << 15


def button(custom_id: str = "a", **fields: object) -> dict[str, Any]:
    return {"type": 2, "style": 1, "label": "Stop", "custom_id": custom_id, **fields}


def row(*parts: object) -> dict[str, Any]:
    return {"type": 1, "components": list(parts)}


def embed(**fields: object) -> dict[str, Any]:
    return fields


def field(name: str = "n", value: str = "v") -> dict[str, str]:
    return {"name": name, "value": value}


@pytest.mark.parametrize(
    ("law", "taken", "too_much", "where"),
    [
        pytest.param(as_content, "a" * 2000, "a" * 2001, "content", id="2000 characters"),
        pytest.param(as_content, "🫖" * 2000, "🫖" * 2001, "content", id="which are code points"),
        pytest.param(as_content, None, 7, "content", id="a text is a text"),
        pytest.param(as_nonce, "n" * 25, "n" * 26, "nonce", id="a nonce has 25 characters"),
        pytest.param(as_nonce, 10**24, 10**25, "nonce", id="or digits"),
        pytest.param(as_nonce, None, 1.5, "nonce", id="a nonce is a text or a whole number"),
        pytest.param(as_embeds, [embed(title="a")] * 10, [embed(title="a")] * 11, "embeds", id="ten embeds"),
        pytest.param(as_embeds, [embed(title="a" * 256)], [embed(title="a" * 257)], "embeds.0.title", id="title"),
        pytest.param(
            as_embeds, [embed(description="a" * 4096)], [embed(description="a" * 4097)], "embeds.0.description",
            id="description",
        ),
        pytest.param(
            as_embeds, [embed(footer={"text": "a" * 2048})], [embed(footer={"text": "a" * 2049})],
            "embeds.0.footer.text", id="footer",
        ),
        pytest.param(
            as_embeds, [embed(author={"name": "a" * 256})], [embed(author={"name": "a" * 257})],
            "embeds.0.author.name", id="author",
        ),
        pytest.param(as_embeds, [embed(fields=[field()] * 25)], [embed(fields=[field()] * 26)], "embeds.0.fields", id="25 fields"),
        pytest.param(
            as_embeds, [embed(fields=[field("a" * 256)])], [embed(fields=[field("a" * 257)])],
            "embeds.0.fields.0.name", id="the name of a field",
        ),
        pytest.param(
            as_embeds, [embed(fields=[field("n", "a" * 1024)])], [embed(fields=[field("n", "a" * 1025)])],
            "embeds.0.fields.0.value", id="the value of a field",
        ),
        pytest.param(as_embeds, [embed(fields=[field()])], [embed(fields=[field(" ")])], "embeds.0.fields.0.name", id="a field has a name"),
        pytest.param(
            as_embeds, [embed(description="a" * 3000)] * 2, [embed(description="a" * 3000)] * 2 + [embed(title="a")],
            "embeds", id="6000 characters in all embeds",
        ),
        pytest.param(as_embeds, [], {}, "embeds", id="embeds are a list"),
        pytest.param(as_embeds, [{}], ["a"], "embeds.0", id="of objects"),
        pytest.param(as_webhook_name, "a" * 80, "a" * 81, "name", id="a webhook's name has 80 characters"),
        pytest.param(as_webhook_name, "a", " \n ", "name", id="and at least one"),
        pytest.param(as_webhook_name, "Clydе", "The CLYDE", "name", id="no clyde"),
        pytest.param(as_webhook_name, "Disc ord", "xDiscordx", "name", id="no discord"),
        pytest.param(check_files, [File("a", b"")] * 10, [File("a", b"")] * 11, "files", id="ten files"),
        pytest.param(lambda ids: as_ids(ids, at="messages"), ["1", 2], ["one"], "messages", id="ids are numbers"),
    ],
)  # fmt: skip
def test_a_law(law: Callable[[Any], object], taken: Any, too_much: Any, where: str) -> None:
    assert refused(lambda: law(taken)) is None
    assert where == wrong_field(lambda: law(too_much))


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        pytest.param([10 * MIB], None, id="10 MiB"),
        pytest.param([10 * MIB + 1], (413, 40005), id="a byte more"),
        pytest.param([10 * MIB, 10 * MIB, 5 * MIB], None, id="25 MiB in all"),
        pytest.param([10 * MIB, 10 * MIB, 5 * MIB + 1], (413, 40005), id="a byte more in all"),
    ],
)
def test_the_size_of_files(sizes: list[int], expected: tuple[int, int] | None) -> None:
    assert expected == refused(lambda: check_files([File("a", bytes(size)) for size in sizes]))


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        pytest.param({"content": "a"}, None, id="a text is enough"),
        pytest.param({"embeds": [{"title": "a"}]}, None, id="so is an embed"),
        pytest.param({}, (400, 50006), id="nothing is not"),
        pytest.param({"content": " \n\t"}, (400, 50006), id="nor are spaces"),
        pytest.param({"content": "\x00"}, (400, 50006), id="nor what cannot be stored"),
        pytest.param({"content": "\u200b"}, None, id="a space without width is a character"),
        pytest.param({"embeds": [{}, {"color": 3}]}, (400, 50006), id="nor are empty embeds"),
        pytest.param({"components": [row(button())]}, (400, 50006), id="nor are buttons alone"),
        pytest.param({"components": [row(button())], "flags": LAYOUT}, None, id="but in a layout they are"),
        pytest.param({"components": [], "flags": LAYOUT}, (400, 50006), id="nor is a layout with nothing in it"),
    ],
)
def test_what_is_empty(payload: dict[str, Any], expected: tuple[int, int] | None) -> None:
    assert expected == refused(lambda: as_draft(payload, ()))
    assert refused(lambda: as_draft(payload, [File("a", b"a")])) is None


@pytest.mark.parametrize(("field", "value"), [("content", "a"), ("embeds", [{"title": "a"}])])
def test_a_layout_has_neither_text_nor_embeds_beside_it(field: str, value: object) -> None:
    payload = {"components": [{"type": 10, "content": "a"}], "flags": LAYOUT, field: value}

    assert field == wrong_field(lambda: as_draft(payload, ()))


@given(st.text(max_size=50))
def test_a_text_is_trimmed_and_otherwise_left_as_it_is(text: str) -> None:
    clean = text.replace("\x00", "").strip()

    assert clean == as_content(f" \n{text}\t")


def test_a_name_is_trimmed_and_its_spaces_made_one() -> None:
    assert "Ren the Bard" == as_webhook_name("  Ren \n the  Bard ")


def test_only_the_flags_for_embeds_silence_and_layouts_are_taken() -> None:
    assert 1 << 12 | 1 << 2 == as_draft({"content": "a", "flags": 1 << 12 | 1 << 2 | 1 << 6 | 1 << 7}, ()).flags


def test_what_was_sent_can_be_changed_afterwards_by_its_sender_only_there() -> None:
    payload = {"content": "a", "embeds": [{"footer": {"text": "a"}}], "components": [row(button())]}
    draft = as_draft(payload, ())

    payload["embeds"][0]["footer"]["text"] = "b"  # type: ignore[index]
    payload["components"][0]["components"].clear()  # type: ignore[index]

    assert ("a", 1) == (draft.embeds[0]["footer"]["text"], len(draft.components[0]["components"]))


LAYOUT = 1 << 15


def test_a_layout_needs_no_text_and_may_hold_any_parts() -> None:
    text, box = {"type": 10, "content": "hi"}, {"type": 17, "components": [row(button())]}

    assert [text, box] == as_draft({"components": [text, box], "flags": LAYOUT}, ()).components


@pytest.mark.parametrize(
    "payload",
    [
        pytest.param({"components": [{"type": 10, "content": "hi"}], "content": "hi"}, id="with a text"),
        pytest.param({"components": [{"type": 10, "content": "hi"}], "embeds": [{"title": "hi"}]}, id="with an embed"),
        pytest.param({"components": []}, id="of nothing"),
        pytest.param({"components": [button()]}, id="of a lone button"),
        pytest.param({"components": [{"type": 10, "content": "hi"}] * 41}, id="of too much"),
    ],
)
def test_a_wrong_layout_is_refused(payload: dict[str, object]) -> None:
    with pytest.raises(Refusal):
        as_draft({**payload, "flags": LAYOUT}, ())
