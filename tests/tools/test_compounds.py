"""Lists, objects, and one thing or another."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given

from cadenza.errors import ToolError
from cadenza.tools.compounds import Described, Either, Field, Many, Record, Row, Table, one_of
from cadenza.tools.shapes import Anything, Choice, Misfit, Nothing, Number, Shape, Text, Truth, Whole
from tests.tools.test_arguments import JSON

POINT = Record({"x": Field(Whole()), "y": Field(Whole(), is_required=False), "name": Field(Text(), is_required=False)})
ROUTE = Record({"points": Field(Many(POINT)), "closed": Field(Truth(), is_required=False, about="Whether it ends where it began.")})  # fmt: skip
NUMBER_OR_TEXT = Either((Whole(), Text()))
TEXT_OR_NUMBER = Either((Text(), Whole()))
MAYBE_POINT = Either((POINT, Nothing()))


def refuse(**_: object) -> None:
    msg = "x must be even."
    raise ToolError(msg)


def fail(**_: object) -> None:
    msg = "token=secret"
    raise RuntimeError(msg)


@pytest.mark.parametrize(
    ("shape", "value", "meant"),
    [
        pytest.param(Many(Whole()), [1, "2"], [1, 2], id="list"),
        pytest.param(Many(Whole()), 1, [1], id="one thing for a list of one"),
        pytest.param(Many(Whole()), "[1, 2]", [1, 2], id="a list as text"),
        pytest.param(Many(Text()), "[a] and b", ["[a] and b"], id="a text that only looks like a list"),
        pytest.param(Many(Text()), '{"a": 1}', ['{"a": 1}'], id="an object as text is no list"),
        pytest.param(Many(Whole(), set), [1, 1, 2], {1, 2}, id="set"),
        pytest.param(Many(Whole(), tuple), [1, 2], (1, 2), id="tuple"),
        pytest.param(Row((Whole(), Text())), [1, "a"], (1, "a"), id="row"),
        pytest.param(Row((Whole(), Text())), '[1, "a"]', (1, "a"), id="row as text"),
        pytest.param(Table(Number()), {"a": "1.5"}, {"a": 1.5}, id="table"),
        pytest.param(Table(Anything()), '{"a": 1}', {"a": 1}, id="table as text"),
        pytest.param(POINT, {"x": 1}, {"x": 1}, id="object without what need not be there"),
        pytest.param(POINT, {"x": 1, "y": None}, {"x": 1}, id="null for what need not be there"),
        pytest.param(POINT, '{"x": 1}', {"x": 1}, id="object as text"),
        pytest.param(ROUTE, {"points": {"x": 1}}, {"points": [{"x": 1}]}, id="objects in a list"),
        pytest.param(NUMBER_OR_TEXT, "6", "6", id="what is exactly right goes first"),
        pytest.param(TEXT_OR_NUMBER, 6, 6, id="in any order"),
        pytest.param(Either((Whole(), Truth())), "6", 6, id="then what may be meant"),
        pytest.param(MAYBE_POINT, None, None, id="nothing"),
        pytest.param(Either((Whole(), Nothing())), "null", None, id="nothing as a word"),
        pytest.param(Either((Whole(), Nothing())), " ", None, id="an empty text for nothing"),
        pytest.param(Either((Many(Text()), Nothing())), "None", None, id="nothing is not a list of it"),
        pytest.param(Either((Text(), Nothing())), "null", "null", id="a text may be any word"),
        pytest.param(Record({"a": Field(Either((Whole(), Nothing())), is_required=False)}), {"a": None}, {"a": None}, id="null where it may be"),
        pytest.param(Described(Whole(), "a die"), "6", 6, id="with a sentence"),
    ],
)  # fmt: skip
def test_what_is_meant_is_taken(shape: Shape, value: object, meant: object) -> None:
    read = shape.read(value)

    assert (meant, type(meant)) == (read, type(read))


@pytest.mark.parametrize(
    ("shape", "value", "said"),
    [
        pytest.param(Many(Whole()), [1, "a"], ["The argument '[1]' must be a whole number, not \"a\"."], id="in a list"),
        pytest.param(Many(Whole()), None, ["The argument '' must be a list in which each is a whole number, not null."], id="null for a list"),
        pytest.param(Row((Whole(), Text())), [1], ["The argument '' must be a list of 2: a whole number, a text, not [1]."], id="too few"),
        pytest.param(Table(Whole()), {"a": []}, ["The argument 'a' must be a whole number, not []."], id="in a table"),
        pytest.param(Table(Whole()), [], ["The argument '' must be an object, not []."], id="a list for a table"),
        pytest.param(POINT, {"x": "a", "z": 1}, ["The argument 'z' is not known; there are only: x, y, name.", "The argument 'x' must be a whole number, not \"a\"."], id="all that is wrong"),
        pytest.param(POINT, {"nam": "a"}, ["The argument 'nam' is not known; perhaps 'name' is meant; there are only: x, y, name.", "The argument 'x' is missing; it must be a whole number."], id="a slip of the pen"),
        pytest.param(POINT, 5, ["The argument '' must be an object with x, y, name, not 5."], id="a number for an object"),
        pytest.param(Record({}), {"a": 1}, ["The argument 'a' is not known; there are none to give."], id="nothing to give"),
        pytest.param(ROUTE, {"points": [{"x": 1}, {"y": 1}]}, ["The argument 'points[1].x' is missing; it must be a whole number."], id="deep inside"),
        pytest.param(NUMBER_OR_TEXT, [], ["The argument '' must be a whole number or a text, not []."], id="neither"),
        pytest.param(MAYBE_POINT, {"x": "a"}, ["The argument 'x' must be a whole number, not \"a\"."], id="not quite what may be missing"),
        pytest.param(Record({"x": Field(Whole())}, refuse), {"x": 1}, ["The argument '' is not right: x must be even."], id="refused by what it is for"),
        pytest.param(Record({"x": Field(Whole())}, fail), {"x": 1}, ["The argument '' cannot be {\"x\": 1} (RuntimeError)."], id="its class fails"),
    ],
)  # fmt: skip
def test_what_is_not_is_refused_in_words_that_help(shape: Shape, value: object, said: list[str]) -> None:
    with pytest.raises(Misfit) as caught:
        shape.read(value)

    assert said == list(map(str, caught.value.complaints))


@pytest.mark.parametrize(
    ("shape", "value"),
    [(Many(Whole()), 1), (Row((Whole(),)), "[1]"), (Table(Whole()), "{}"), (POINT, '{"x": 1}'), (POINT, {"x": 1, "y": None}), (NUMBER_OR_TEXT, 6.5)],
    ids=["list", "row", "table", "object", "null", "either"],
)  # fmt: skip
def test_who_is_strict_takes_only_what_is_exactly_right(shape: Shape, value: object) -> None:
    with pytest.raises(Misfit):
        shape.read(value, strict=True)


@pytest.mark.parametrize(
    ("shape", "schema"),
    [
        pytest.param(Many(Whole(), set), {"type": "array", "items": {"type": "integer"}}, id="list"),
        pytest.param(Many(Anything()), {"type": "array", "items": {}}, id="list of anything"),
        pytest.param(Row((Whole(), Whole())), {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}, id="row"),
        pytest.param(Row((Whole(), Text())), {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "string"}]}, "minItems": 2, "maxItems": 2}, id="mixed row"),
        pytest.param(Table(Whole()), {"type": "object", "additionalProperties": {"type": "integer"}}, id="table"),
        pytest.param(Table(Anything()), {"type": "object"}, id="table of anything"),
        pytest.param(POINT, {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}, "name": {"type": "string"}}, "required": ["x"], "additionalProperties": False}, id="object"),
        pytest.param(Either((Whole(), Nothing())), {"anyOf": [{"type": "integer"}, {"type": "null"}]}, id="or nothing"),
        pytest.param(Either((Choice.of([("a", 1), (1, 2)]), Whole(), Many(Text()))), {"anyOf": [{"type": "integer", "enum": [1]}, {"type": "string", "enum": ["a"]}, {"type": "integer"}, {"type": "array", "items": {"type": "string"}}]}, id="choices among others"),
        pytest.param(Either((Whole(), Anything())), {}, id="or anything"),
        pytest.param(Described(Whole(), "a die"), {"type": "integer", "description": "a die"}, id="with a sentence"),
    ],
)  # fmt: skip
def test_what_a_model_is_told(shape: Shape, schema: object) -> None:
    assert schema == shape.schema


@pytest.mark.parametrize(
    ("field", "schema"),
    [
        pytest.param(Field(Either((Whole(), Nothing())), is_required=False), {"type": "integer"}, id="null goes without saying"),
        pytest.param(Field(Either((Whole(), Nothing()))), {"anyOf": [{"type": "integer"}, {"type": "null"}]}, id="null must be said"),
        pytest.param(Field(Whole(), about="How many."), {"type": "integer", "description": "How many."}, id="what it is"),
    ],
)  # fmt: skip
def test_what_a_model_is_told_of_a_field(field: Field, schema: object) -> None:
    assert schema == field.schema


def test_thousands_of_unknown_keys_are_not_all_spoken_of() -> None:
    with pytest.raises(Misfit) as caught:
        POINT.read({"x": 1} | {f"key {number}": 1 for number in range(100_000)})

    assert 5 == len(caught.value.complaints)


@pytest.mark.parametrize(
    ("shape", "wanted"),
    [
        (Anything(), "anything"),
        (Many(Anything()), "a list"),
        (Many(Described(Whole(), "a die")), "a list in which each is a whole number"),
        (Record({}), "an empty object"),
    ],
    ids=["anything", "list", "described", "empty"],
)
def test_what_is_wanted_is_said_in_words(shape: Shape, wanted: str) -> None:
    assert wanted == shape.wanted


def test_one_of_one_is_itself() -> None:
    assert Whole() == one_of([Whole(), Whole()])
    assert Either((Whole(), Text())) == one_of([Whole(), Text(), Whole()])


@given(JSON)
def test_every_value_is_taken_or_refused(value: object) -> None:
    for shape in (Many(Whole()), Row((Whole(), Text())), Table(Whole()), ROUTE, NUMBER_OR_TEXT, MAYBE_POINT):
        with suppress(Misfit):
            shape.read(value)
