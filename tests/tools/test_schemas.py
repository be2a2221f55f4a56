"""Schemas of the types that functions are annotated with."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import Enum, IntEnum
from typing import (  # noqa: UP035  # people still write them  # fmt: skip
    Annotated,
    Any,
    Dict,
    List,
    Literal,
    NewType,
    NotRequired,
    Optional,
    Required,
    TypedDict,
    TypeVar,
    Union,
)

import pytest
from hypothesis import given

from cadenza.tools.schemas import Schema, UnfitType, any_of, object_of, schema_of, told
from tests.tools.test_arguments import typed

UserId = NewType("UserId", int)
T = TypeVar("T")


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Shade(Enum):
    LIGHT = (1, 2)
    DARK = (3, 4)


class Nobody(Enum):
    pass


class Filter(TypedDict, total=False):
    """What to look for.

    Attributes:
        word: What is in it.
    """

    word: Required[str]
    days: int


class Late(Filter):
    since: date
    until: NotRequired[date]


@dataclass(frozen=True)
class Point:
    """A place.

    :param x: How far to the right.
    """

    x: int
    y: Annotated[int, "How far up."] = 0
    tags: list[str] = field(default_factory=list)
    length: float = field(init=False, default=0.0)


@dataclass
class Tree:
    children: list[Tree]


@dataclass
class Lost:
    of: Nowhere  # type: ignore[name-defined]  # noqa: F821  # nobody knows it, which is the point


class Odd(TypedDict):
    inner: Point


Strange = TypedDict("Strange", {"a b": int})


def record(properties: Mapping[str, object], *required: str) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


TEXT, WHOLE, NULL = {"type": "string"}, {"type": "integer"}, {"type": "null"}
POINT = record(
    {
        "x": {**WHOLE, "description": "How far to the right."},
        "y": {**WHOLE, "description": "How far up."},
        "tags": {"type": "array", "items": TEXT},
    },
    "x",
)
DAY = {"type": "string", "format": "date"}


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        pytest.param(str, TEXT, id="str"),
        pytest.param(int, WHOLE, id="int"),
        pytest.param(float, {"type": "number"}, id="float"),
        pytest.param(bool, {"type": "boolean"}, id="bool"),
        pytest.param(None, NULL, id="None"),
        pytest.param(Any, {}, id="Any"),
        pytest.param(object, {}, id="object"),
        pytest.param(datetime, {"type": "string", "format": "date-time"}, id="datetime"),
        pytest.param(date, DAY, id="date"),
        pytest.param(UserId, WHOLE, id="NewType"),
        pytest.param(Literal["a", "b"], {**TEXT, "enum": ["a", "b"]}, id="Literal"),
        pytest.param(Literal[1, 2], {**WHOLE, "enum": [1, 2]}, id="Literal of numbers"),
        pytest.param(Literal["a", None], {"anyOf": [{**TEXT, "enum": ["a"]}, NULL]}, id="Literal with None"),  # noqa: PYI061  # people still write it
        pytest.param(Literal["c", "a", "b"], {**TEXT, "enum": ["c", "a", "b"]}, id="Literal in its own order"),
        pytest.param(Literal["a", 1], {"anyOf": [{**WHOLE, "enum": [1]}, {**TEXT, "enum": ["a"]}]}, id="Literal of several types"),
        pytest.param(tuple[int, str], {"type": "array", "items": {"anyOf": [WHOLE, TEXT]}, "minItems": 2, "maxItems": 2}, id="mixed pair"),
        pytest.param(Literal["a"] | int | None, {"anyOf": [{**TEXT, "enum": ["a"]}, WHOLE, NULL]}, id="choices among others"),
        pytest.param(int | Any, {}, id="or anything"),
        pytest.param(Colour, {**TEXT, "enum": ["red", "blue"]}, id="Enum"),
        pytest.param(Level, {**WHOLE, "enum": [1, 2]}, id="IntEnum"),
        pytest.param(list[int], {"type": "array", "items": WHOLE}, id="list of int"),
        pytest.param(List[int], {"type": "array", "items": WHOLE}, id="List of int"),  # noqa: UP006  # people still write it
        pytest.param(list, {"type": "array", "items": {}}, id="list"),
        pytest.param(Sequence[str], {"type": "array", "items": TEXT}, id="Sequence"),
        pytest.param(Collection[str], {"type": "array", "items": TEXT}, id="Collection"),
        pytest.param(tuple[int, ...], {"type": "array", "items": WHOLE}, id="tuple of any length"),
        pytest.param(tuple[int, int], {"type": "array", "items": WHOLE, "minItems": 2, "maxItems": 2}, id="pair"),
        pytest.param(set[str], {"type": "array", "items": TEXT}, id="set"),
        pytest.param(dict, {"type": "object"}, id="dict"),
        pytest.param(dict[str, int], {"type": "object", "additionalProperties": WHOLE}, id="dict of int"),
        pytest.param(Dict[str, int], {"type": "object", "additionalProperties": WHOLE}, id="Dict of int"),  # noqa: UP006  # people still write it
        pytest.param(Mapping[str, Any], {"type": "object"}, id="Mapping"),
        pytest.param(Optional[int], {"anyOf": [WHOLE, NULL]}, id="Optional"),  # noqa: UP045  # people still write it
        pytest.param(Union[int, str], {"anyOf": [WHOLE, TEXT]}, id="Union"),  # noqa: UP007  # people still write it
        pytest.param(int | str, {"anyOf": [WHOLE, TEXT]}, id="union by a bar"),
        pytest.param(Annotated[int, 5, "a die"], {**WHOLE, "description": "a die"}, id="Annotated"),
        pytest.param(Annotated[int, [], "a die"], {**WHOLE, "description": "a die"}, id="Annotated with what has no hash"),
        pytest.param(Annotated[int, 5], WHOLE, id="Annotated without a word"),
        pytest.param(list[Annotated[int, "a die"]], {"type": "array", "items": {**WHOLE, "description": "a die"}}, id="Annotated inside"),
        pytest.param(Filter, record({"word": {**TEXT, "description": "What is in it."}, "days": WHOLE}, "word"), id="TypedDict"),
        pytest.param(Late, record({"word": TEXT, "days": WHOLE, "since": DAY, "until": DAY}, "word", "since"), id="TypedDict of another"),
        pytest.param(Point, POINT, id="dataclass"),
        pytest.param(Odd, record({"inner": POINT}, "inner"), id="dataclass in a TypedDict"),
        pytest.param(dict[str, list[Point | None]], {"type": "object", "additionalProperties": {"type": "array", "items": {"anyOf": [POINT, NULL]}}}, id="all together"),
    ],
)  # fmt: skip
def test_what_a_model_is_told(hint: object, schema: object) -> None:
    assert schema == schema_of(hint)


@pytest.mark.parametrize(
    ("hint", "said"),
    [
        pytest.param(bytes, "has a type without a JSON schema (bytes)", id="bytes"),
        pytest.param(complex, "(complex)", id="complex"),
        pytest.param(Callable[[], int], "has a type without a JSON schema", id="Callable"),
        pytest.param(Iterator[int], "has a type without a JSON schema", id="Iterator"),
        pytest.param(type, "has a type without a JSON schema (type)", id="type"),
        pytest.param(T, "has a type without a JSON schema (~T)", id="TypeVar"),
        pytest.param(type("Test", (), {}), "has a type without a JSON schema (Test)", id="some class"),
        pytest.param(dict[int, str], "has a type whose keys are not str (dict[int, str])", id="keys that are no texts"),
        pytest.param(set[list[int]], "the items of a set need a hash", id="a set of lists"),
        pytest.param(set[Tree], "the items of a set need a hash", id="a set of what can change"),
        pytest.param(Literal[b"a"], "has a type that msgspec cannot convert (Literal may only contain", id="Literal of bytes"),
        pytest.param(Tree, "has a type that contains itself (Tree)", id="it holds itself"),
        pytest.param(Lost, "has the type Lost, in which the name Nowhere is not known", id="an unknown name"),
        pytest.param(Nobody, "has a type that msgspec cannot convert (Enum types must have at least one item", id="an empty Enum"),
        pytest.param(Shade, "has a type that msgspec cannot convert (Enums must contain either all str or all int values", id="an Enum of tuples"),
        pytest.param(Literal[Colour.RED], "has a type that msgspec cannot convert (Literal may only contain", id="Literal of an Enum"),
        pytest.param(str | date, "has a type that msgspec cannot convert (Type unions may not contain more than one str-like type", id="two texts in a union"),
        pytest.param(Iterable[str], "has a type without a JSON schema", id="Iterable"),
        pytest.param(Strange, "cannot be named 'a b'", id="a key that nobody takes"),
    ],
)  # fmt: skip
def test_what_a_model_cannot_be_told_of_is_refused(hint: object, said: str) -> None:
    with pytest.raises(UnfitType) as caught:
        schema_of(hint)

    assert said in str(caught.value)


def test_the_same_class_twice_side_by_side_does_not_hold_itself() -> None:
    schema_of(tuple[Point, Point])


@pytest.mark.parametrize("name", ["größe", "a b", "a" * 65, ""])
def test_a_name_is_one_that_every_interface_takes(name: str) -> None:
    with pytest.raises(UnfitType, match="cannot be named"):
        object_of({name: {}}, ())


ALLOWED = {"type", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "description", "format", "minItems", "maxItems"}  # fmt: skip


@given(typed())
def test_no_schema_has_a_word_that_some_interface_does_not_know(pair: tuple[Any, Any]) -> None:
    def words(schema: object) -> Iterator[str]:
        match schema:
            case {"properties": dict(properties), **rest}:
                yield from rest
                for inner in properties.values():
                    yield from words(inner)
            case dict():
                for word, inner in schema.items():
                    yield word
                    yield from words(inner)
            case list():
                for inner in schema:
                    yield from words(inner)

    schema = schema_of(pair[0])

    assert set(words(schema)) <= ALLOWED
    json.dumps(schema)


def test_a_model_is_not_told_that_an_optional_property_may_be_null() -> None:
    schema = object_of(
        {"a": {"anyOf": [WHOLE, NULL], "description": "How many."}, "b": {"anyOf": [WHOLE, NULL]}}, ["b"]
    )

    assert {"a": {**WHOLE, "description": "How many."}, "b": {"anyOf": [WHOLE, NULL]}} == told(schema)["properties"]


def test_a_model_is_not_told_so_inside_of_lists_and_unions_either() -> None:
    inner: Schema = object_of({"a": {"anyOf": [WHOLE, NULL]}}, ())
    shown = object_of({"a": WHOLE}, ())

    assert {"type": "array", "items": shown} == told({"type": "array", "items": inner})
    assert {"type": "object", "additionalProperties": shown} == told({"type": "object", "additionalProperties": inner})
    assert {"anyOf": [shown, NULL]} == told({"anyOf": [inner, NULL]})


def test_any_of_one_is_itself() -> None:
    assert WHOLE == any_of([WHOLE, WHOLE])
    assert {"anyOf": [WHOLE, TEXT, NULL]} == any_of([{"anyOf": [WHOLE, TEXT]}, NULL, TEXT])
