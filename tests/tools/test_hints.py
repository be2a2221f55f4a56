"""Types as functions are annotated with them."""

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
from hypothesis import strategies as st

from cadenza.errors import ToolError
from cadenza.tools.hints import Unfit, checked_key, shape_of
from cadenza.tools.shapes import Misfit

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
class Even:
    number: int

    def __post_init__(self) -> None:
        if self.number % 2:
            msg = "the number must be even"
            raise ToolError(msg)


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
        pytest.param(Literal[Colour.RED], {**TEXT, "enum": ["red"]}, id="Literal of an Enum"),
        pytest.param(Colour, {**TEXT, "enum": ["red", "blue"]}, id="Enum"),
        pytest.param(Level, {**WHOLE, "enum": [1, 2]}, id="IntEnum"),
        pytest.param(Shade, {**TEXT, "enum": ["LIGHT", "DARK"]}, id="Enum by its names"),
        pytest.param(list[int], {"type": "array", "items": WHOLE}, id="list of int"),
        pytest.param(List[int], {"type": "array", "items": WHOLE}, id="List of int"),  # noqa: UP006  # people still write it
        pytest.param(list, {"type": "array", "items": {}}, id="list"),
        pytest.param(Sequence[str], {"type": "array", "items": TEXT}, id="Sequence"),
        pytest.param(Iterable[str], {"type": "array", "items": TEXT}, id="Iterable"),
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
        pytest.param(type("TypeAliasType", (), {"__value__": int})(), WHOLE, id="type Name = int, of Python 3.12"),
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
    assert schema == shape_of(hint, {}).schema


@pytest.mark.parametrize(
    ("hint", "value", "meant"),
    [
        pytest.param(Colour, "blue", Colour.BLUE, id="Enum"),
        pytest.param(Colour, "Blue", Colour.BLUE, id="Enum by its name"),
        pytest.param(Level, 2, Level.HIGH, id="IntEnum"),
        pytest.param(Level, "high", Level.HIGH, id="IntEnum by its name"),
        pytest.param(Shade, "LIGHT", Shade.LIGHT, id="Enum whose values cannot be sent"),
        pytest.param(Literal[Colour.RED], "red", Colour.RED, id="Literal of an Enum"),
        pytest.param(Point, {"x": "1"}, Point(1), id="dataclass"),
        pytest.param(list[Point], {"x": 1, "y": 2, "tags": "a"}, [Point(1, 2, ["a"])], id="dataclass in a list"),
        pytest.param(Late, {"word": "a", "since": "2025-01-31"}, {"word": "a", "since": date(2025, 1, 31)}, id="TypedDict"),
        pytest.param(frozenset[int], [1, 1], frozenset({1}), id="frozenset"),
        pytest.param(tuple[int, str], [1, "a"], (1, "a"), id="pair"),
        pytest.param(Even, {"number": 2}, Even(2), id="a dataclass that checks itself"),
    ],
)  # fmt: skip
def test_what_a_function_is_given(hint: object, value: object, meant: object) -> None:
    read = shape_of(hint, {}).read(value)

    assert (meant, type(meant)) == (read, type(read))


def test_a_dataclass_may_refuse_its_values() -> None:
    with pytest.raises(Misfit, match="is not right: the number must be even"):
        shape_of(Even, {}).read({"number": 3})


@pytest.mark.parametrize(
    ("hint", "said"),
    [
        pytest.param(bytes, "has a type that a model cannot be told of (bytes)", id="bytes"),
        pytest.param(complex, "(complex)", id="complex"),
        pytest.param(Callable[[], int], "has a type that a model cannot be told of", id="Callable"),
        pytest.param(Iterator[int], "has a type that a model cannot be told of", id="Iterator"),
        pytest.param(type, "has a type that a model cannot be told of (type)", id="type"),
        pytest.param(T, "has a type that a model cannot be told of (~T)", id="TypeVar"),
        pytest.param(type("Test", (), {}), "has a type that a model cannot be told of (Test)", id="some class"),
        pytest.param(dict[int, str], "has a type whose keys are no texts (dict[int, str])", id="keys that are no texts"),
        pytest.param(set[list[int]], "in a set stands only what has a hash", id="a set of lists"),
        pytest.param(set[Tree], "in a set stands only what has a hash", id="a set of what can change"),
        pytest.param(Literal[b"a"], "has a choice that is neither a text nor a number (b'a')", id="Literal of bytes"),
        pytest.param(Tree, "has a type that holds itself (Tree)", id="it holds itself"),
        pytest.param(Lost, "has the type Lost, in which the name Nowhere is not known", id="an unknown name"),
        pytest.param(Nobody, "has a type without any value (Nobody)", id="an empty Enum"),
        pytest.param(Strange, "cannot be named 'a b'", id="a key that nobody takes"),
    ],
)  # fmt: skip
def test_what_a_model_cannot_be_told_of_is_refused(hint: object, said: str) -> None:
    with pytest.raises(Unfit) as caught:
        shape_of(hint, {})

    assert said in str(caught.value)


def test_the_same_class_twice_side_by_side_does_not_hold_itself() -> None:
    shape_of(tuple[Point, Point], {})


@pytest.mark.parametrize("name", ["größe", "a b", "a" * 65, ""])
def test_a_name_is_one_that_every_interface_takes(name: str) -> None:
    with pytest.raises(Unfit, match="cannot be named"):
        checked_key(name)


SCALARS: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (str, st.text()),
    (int, st.integers()),
    (bool, st.booleans()),
    (float, st.floats(allow_nan=False, allow_infinity=False)),
    (Literal["a", "b"], st.sampled_from("ab")),
]


@st.composite
def typed(draw: st.DrawFn, depth: int = 3) -> tuple[Any, Any]:
    """A type, and a value of it as JSON has it."""
    kind = draw(st.sampled_from(["scalar", "list", "dict", "maybe", "pair"] if depth else ["scalar"]))
    if kind == "scalar":
        hint, values = draw(st.sampled_from(SCALARS))
        return hint, draw(values)
    hint, value = draw(typed(depth - 1))
    match kind:
        case "list":
            return list[hint], [value] * draw(st.integers(0, 3))
        case "dict":
            return dict[str, hint], dict.fromkeys(draw(st.sets(st.text(max_size=5), max_size=3)), value)
        case "maybe":
            return hint | None, draw(st.sampled_from([value, None]))
        case _:
            other, another = draw(typed(depth - 1))
            return tuple[hint, other], (value, another)


@given(typed())
def test_what_is_of_the_type_comes_through_unchanged(pair: tuple[Any, Any]) -> None:
    hint, value = pair
    shape = shape_of(hint, {})

    assert value == shape.read(json.loads(json.dumps(value)))
    assert value == shape.read(json.loads(json.dumps(value)), strict=True)


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

    schema = shape_of(pair[0], {}).schema

    assert set(words(schema)) <= ALLOWED
    json.dumps(schema)
