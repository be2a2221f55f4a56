"""Untrusted JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

from cadenza.bot.characters import checked_json
from cadenza.errors import InputError


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        pytest.param(b"", "not contain valid JSON", id="nothing"),
        pytest.param(b"\xff\xfe\x00", "not contain valid JSON", id="no text"),
        pytest.param(b"{", "not contain valid JSON", id="half of it"),
        pytest.param(b'{"a": NaN}', "not contain valid JSON", id="no number"),
        pytest.param(b'{"a": ' + b"9" * 5000 + b"}", "not contain valid JSON", id="a giant number"),
        pytest.param(b'{"a": 1e999}', "not contain valid JSON", id="a number without end"),
        pytest.param(b"[1]", "not an object", id="a list"),
        pytest.param(b'"card"', "not an object", id="a text"),
        pytest.param(b'{"a":' * 100 + b"1" + b"}" * 100, "nested", id="deep"),
        pytest.param(
            b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "not contain valid JSON", id="deeper than Python goes"
        ),
        pytest.param(b'{"a": "' + b"x" * 10_000_000 + b'"}', "larger than 8 MB", id="large"),
    ],
)
def test_rubbish_is_refused_in_one_sentence(data: bytes, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        checked_json.parsed(data)


@given(st.binary(max_size=60) | st.text(max_size=30).map(str.encode))
def test_whatever_is_given_it_is_read_or_refused(data: bytes) -> None:
    try:
        found = checked_json.parsed(data)
    except InputError:
        return
    assert json.dumps(found, ensure_ascii=False).encode()


def test_halves_of_characters_can_be_written_down_afterwards() -> None:
    found = checked_json.parsed(rb'{"a\ud800": ["x\udfff", {"b": "\ud83d\ude00"}]}')

    assert {"a�": ["x�", {"b": "😀"}]} == found


READERS: dict[str, tuple[Callable[..., Any], Any, Any, list[Any]]] = {
    "text": (checked_json.text, "x", "", [1, [], {}, True]),
    "texts": (checked_json.texts, ["x"], (), ["x", [1], {"a": 1}]),
    "flag": (checked_json.flag, True, False, [1, "true", []]),
    "number": (checked_json.number, 2.5, 0, ["one", "9" * 20, True, [], 1e300]),
    "inner": (checked_json.inner, {"a": 1}, {}, [[1], "x", 1]),
    "inners": (checked_json.inners, [{"a": 1}], (), [{"a": 1}, [1], "x"]),
}


@pytest.mark.parametrize("name", READERS)
def test_a_field_is_of_its_type_or_missing_or_refused(name: str) -> None:
    reader, right, missing, wrong = READERS[name]

    assert missing == reader({}, "field") == reader({"field": None}, "field")
    assert reader({"field": right}, "field") != missing
    for value in wrong:
        with pytest.raises(InputError, match="“field” is not"):
            reader({"field": value}, "field")


def test_what_programs_write_for_nothing_or_for_a_number_is_understood() -> None:
    form = {"empty": [], "none": "", "void": {}, "depth": " -4 "}

    assert {} == checked_json.inner(form, "empty")
    assert () == checked_json.texts(form, "none") == checked_json.inners(form, "void")
    assert -4 == checked_json.number(form, "depth")
