"""Buttons, menus and layouts: what is taken, what is refused, and what is found in them."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from cadenza.sim.components import as_components, part_called, parts_of, texts_of
from cadenza.sim.wire import Json
from tests.sim.tearoom import refused, wrong_field

as_layout = partial(as_components, is_layout=True)
TEXT: Json = {"type": 10, "content": "Tea?"}
PICTURE: Json = {"type": 11, "media": {"url": "attachment://tea.png"}}


def button(custom_id: str = "a", **fields: object) -> Json:
    return {"type": 2, "style": 1, "label": "Stop", "custom_id": custom_id, **fields}


def row(*parts: object) -> Json:
    return {"type": 1, "components": list(parts)}


def container(*parts: object) -> Json:
    return {"type": 17, "components": list(parts)}


def section(accessory: object, *texts: object) -> Json:
    return {"type": 9, "components": list(texts), "accessory": accessory}


def gallery(*items: object) -> Json:
    return {"type": 12, "items": list(items)}


@pytest.mark.parametrize(
    ("law", "taken", "too_much", "where"),
    [
        pytest.param(as_components, [row(button())] * 1, [row(button(str(n))) for n in range(6)], "components", id="five rows"),
        pytest.param(
            as_components, [row(*(button(str(n)) for n in range(5)))], [row(*(button(str(n)) for n in range(6)))],
            "components.0.components", id="five buttons a row",
        ),
        pytest.param(as_components, [row(button())], [button()], "components.0", id="buttons stand in rows"),
        pytest.param(as_components, [row(button("a"), button("b"))], [row(button(), button())], "components", id="ids differ"),
        pytest.param(as_components, [row(button("a" * 100))], [row(button("a" * 101))], "components.0.components.0.custom_id", id="an id has 100 characters"),
        pytest.param(as_components, [row(button(label="a" * 80))], [row(button(label="a" * 81))], "components.0.components.0.label", id="a label 80"),
        pytest.param(as_components, [row({"type": 2, "style": 5, "url": "https://a.example"})], [row({"type": 2, "style": 5})], "components.0.components.0", id="a link leads somewhere"),
        pytest.param(as_components, None, [row("a")], "components.0.components.0", id="a button is an object"),
        pytest.param(as_layout, [TEXT], [{"type": 10}], "components.0.content", id="a text has characters"),
        pytest.param(as_components, [row(button())], [TEXT], "components.0", id="texts stand in layouts"),
        pytest.param(as_layout, [TEXT] * 40, [TEXT] * 41, "components", id="forty parts"),
        pytest.param(as_layout, [container(*[TEXT] * 39)], [container(*[TEXT] * 39), TEXT], "components", id="at any depth"),
        pytest.param(as_layout, [{"type": 10, "content": "a" * 4000}], [{"type": 10, "content": "a" * 4000}, TEXT], "components", id="4000 characters in all"),
        pytest.param(as_layout, [container(TEXT)], [container(container(TEXT))], "components.0.components.0", id="no container in a container"),
        pytest.param(as_layout, [container(TEXT)], [container()], "components.0.components", id="nor an empty one"),
        pytest.param(as_layout, [section(button(), *[TEXT] * 3)], [section(button(), *[TEXT] * 4)], "components.0.components", id="a section has three texts"),
        pytest.param(as_layout, [section(PICTURE, TEXT)], [section(TEXT, TEXT)], "components.0.accessory", id="and a picture or a button"),
        pytest.param(as_layout, [section(PICTURE, TEXT)], [PICTURE], "components.0", id="beside which a picture stands"),
        pytest.param(as_layout, [section(button(), TEXT)], [section(button(), TEXT), row(button())], "components", id="ids differ in layouts too"),
        pytest.param(as_layout, [gallery(*[{"media": PICTURE["media"]}] * 10)], [gallery(*[{"media": PICTURE["media"]}] * 11)], "components.0.items", id="ten pictures"),
        pytest.param(as_layout, [gallery({"media": PICTURE["media"]})], [gallery({"media": {"url": "tea.png"}})], "components.0.items.0.media.url", id="that are somewhere"),
        pytest.param(as_layout, [{"type": 13, "file": {"url": "attachment://a.txt"}}], [{"type": 13}], "components.0.file.url", id="so is a file"),
        pytest.param(as_layout, [{"type": 14, "spacing": 1}], [{"type": 4}], "components.0", id="a separator is enough, an input is for forms"),
    ],
)  # fmt: skip
def test_a_law(law: Any, taken: Any, too_much: Any, where: str) -> None:
    assert refused(lambda: law(taken)) is None
    assert where == wrong_field(lambda: law(too_much))


def test_everything_in_a_layout_is_found() -> None:
    layout = [container(section(button("b"), TEXT), row(button("a"))), TEXT]

    assert [17, 9, 10, 2, 1, 2, 10] == [part["type"] for part in parts_of(layout)]
    assert ["Tea?", "Tea?"] == texts_of(layout)


MESSAGE: Json = {
    "id": "7",
    "components": [
        row(button("stop:1"), button("Go", label="Stop it"), button("x", label=None, emoji={"name": "🫖"})),
        row(
            button("again:1", label="Again"),
            button("again:2", label="Again"),
            button("off", label="Off", disabled=True),
        ),
        row({"type": 2, "style": 5, "label": "Wiki", "url": "https://tea.example"}),
        row({"type": 3, "custom_id": "pick", "placeholder": "Pick one", "options": []}),
    ],
}


@pytest.mark.parametrize(
    ("name", "custom_id"),
    [
        pytest.param("stop:1", "stop:1", id="id"),
        pytest.param("Stop", "stop:1", id="label"),
        pytest.param("Go", "Go", id="the id of one goes before the label of another"),
        pytest.param("🫖", "x", id="emoji"),
        pytest.param("Pick one", "pick", id="placeholder"),
        pytest.param("again:2", "again:2", id="id of one of two with one label"),
    ],
)
def test_a_part_is_called_by_its_id_or_by_what_people_see(name: str, custom_id: str) -> None:
    assert custom_id == part_called(MESSAGE, name)["custom_id"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        pytest.param("Begin", r"nothing to press .* called Begin; there is stop:1 or Stop, Go or Stop it, x or 🫖", id="none"),
        pytest.param("Off", "nothing to press", id="disabled"),
        pytest.param("Wiki", "nothing to press", id="a link tells no bot"),
        pytest.param("Again", "more than one .* called Again; use an id: again:1 or Again, again:2 or Again", id="two"),
    ],
)  # fmt: skip
def test_a_part_that_cannot_be_pressed_is_a_mistake_of_the_test(name: str, said: str) -> None:
    with pytest.raises(LookupError, match=said):
        part_called(MESSAGE, name)
