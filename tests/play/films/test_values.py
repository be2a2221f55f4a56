"""Values of films that may be anything."""

from __future__ import annotations

import pytest

from cadenza.explain.sentences import Said, as_json, rendered
from cadenza.play.films import values

ABOUT = {
    "text": "a",
    "texts": ["a", 1, "b"],
    "number": 2,
    "numbers": (1, True, "2", 3),
    "part": {"a": 1},
    "parts": [{}, 3, {"a": 1}],
}


def test_what_is_of_its_type_is_given() -> None:
    assert "a" == values.text_of(ABOUT, "text")
    assert ["a", "b"] == values.texts_of(ABOUT, "texts")
    assert 2.0 == values.number_of(ABOUT, "number")
    assert [1, 3] == values.numbers_of(ABOUT, "numbers")
    assert {"a": 1} == values.part_of(ABOUT, "part")
    assert [{}, {"a": 1}] == values.parts_of(ABOUT, "parts")


@pytest.mark.parametrize("odd", [None, True, "x", 1.5, [], {}, float("nan"), 10**400], ids=repr)
def test_what_is_of_another_type_is_left_out(odd: object) -> None:
    about = {"odd": odd}

    assert values.text_of(about, "odd") == ("x" if odd == "x" else "")
    assert values.number_of(about, "odd", 7.0) == (1.5 if odd == 1.5 else 7.0)
    assert {} == values.part_of(about, "odd")
    for listed in (values.texts_of, values.numbers_of, values.parts_of, values.list_of):
        assert [] == listed(about, "odd")
        assert [] == listed({}, "odd")


def test_a_sentence_is_rendered_and_what_is_none_is_empty() -> None:
    said = Said("starts.reply", {"decided": ""})

    assert [rendered(said, language) for language in ("en", "ja")] == [
        values.sentence_of(as_json(said), language) for language in ("en", "ja")
    ]
    assert "" == values.sentence_of({"key": 1})
