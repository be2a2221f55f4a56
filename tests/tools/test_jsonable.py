"""Any value as JSON."""

from __future__ import annotations

import json
from collections import OrderedDict, deque, namedtuple
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import Enum, IntEnum

import pytest
from hypothesis import given, strategies as st

from cadenza.tools.jsonable import as_json, canonical, plain, sendable
from cadenza.types import Media, MediaKind
from tests.tools.test_arguments import JSON
from tests.tools.test_images import PNG


@dataclass
class Cup:
    tea: str
    sugar: float = 0.5
    of: list[Cup] = field(default_factory=list)


class Colour(Enum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


class Broken:
    def __str__(self) -> str:
        msg = "token=secret"
        raise RuntimeError(msg)


class BrokenMapping(Mapping[str, int]):
    def __getitem__(self, key: str) -> int:
        raise OSError(key)

    def __iter__(self) -> Iterator[str]:
        return iter("ab")

    def __len__(self) -> int:
        return 2


Pair = namedtuple("Pair", "one two")  # noqa: PYI024  # the untyped sort is what is meant
RING: list[object] = [1]
RING.append(RING)
SELF = Cup("mint")
SELF.of.append(SELF)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        pytest.param(4, "4", id="number"),
        pytest.param({"city": "京都 🍵"}, '{"city": "京都 🍵"}', id="text that is not ASCII"),
        pytest.param(Cup("green"), '{"tea": "green", "sugar": 0.5, "of": []}', id="dataclass"),
        pytest.param([Cup("a", 1, [Cup("b")])], None, id="dataclass in a dataclass"),
        pytest.param(datetime(2025, 1, 31, 18, 30, tzinfo=UTC), '"2025-01-31T18:30:00+00:00"', id="moment"),
        pytest.param([date(2025, 1, 31), time(18, 30)], '["2025-01-31", "18:30:00"]', id="day and time"),
        pytest.param([Colour.RED, Level.HIGH], '["red", 3]', id="enums"),
        pytest.param({"b", "a"}, '["a", "b"]', id="set"),
        pytest.param(frozenset({2, 1}), "[1, 2]", id="frozen set"),
        pytest.param(deque([1, (2, 3)]), "[1, [2, 3]]", id="rows"),
        pytest.param(Pair(1, 2), "[1, 2]", id="named tuple"),
        pytest.param(OrderedDict(a=1).keys(), '["a"]', id="keys"),
        pytest.param({1: "a", None: "b", Colour.RED: "c", (1, 2): "d"}, '{"1": "a", "null": "b", "red": "c", "[1, 2]": "d"}', id="keys that are no texts"),
        pytest.param([float("nan"), float("-inf")], '["nan", "-inf"]', id="no numbers"),
        pytest.param(10**5000, '"(a very long number)"', id="a number that Python does not write"),
        pytest.param(Decimal("1.50"), '"1.50"', id="anything else"),
        pytest.param(Cup, None, id="a class"),
        pytest.param(b"\x00\x01", '"(2 bytes)"', id="bytes"),
        pytest.param(RING, '[1, "…"]', id="in itself"),
        pytest.param(SELF, '{"tea": "mint", "sugar": 0.5, "of": ["…"]}', id="a dataclass in itself"),
        pytest.param([Broken()], '["(a Broken that cannot be shown)"]', id="it cannot be shown"),
        pytest.param({"a": BrokenMapping()}, '{"a": "(a BrokenMapping that cannot be shown)"}', id="it cannot be read"),
        pytest.param("\ud83c", '"�"', id="half of a character"),
    ],
)  # fmt: skip
def test_every_value_can_be_told(value: object, told: str | None) -> None:
    data, media = plain(value)

    assert () == media
    assert told in (None, as_json(data))
    json.loads(as_json(data))


def test_pictures_in_data_are_shown_beside_it() -> None:
    film = Media(MediaKind.VIDEO, "video/mp4", "https://example.org/film")

    data, media = plain({"map": PNG, "films": [film]})

    assert {"map": "(image 1)", "films": ["(video 2)"]} == data
    assert [PNG, film] == [media[0].data, media[1]]


def test_what_is_deep_or_long_is_told_up_to_a_point() -> None:
    deep: list[object] = []
    for _ in range(10_000):
        deep = [deep]

    assert len(as_json(plain(deep)[0])) < 1000
    assert "…" == plain(range(10**12))[0][-1]  # type: ignore[index]  # a list, if it is one
    assert "…" in plain(dict.fromkeys(range(200_000)))[0]  # type: ignore[operator]  # likewise
    assert [0, 0, 0, "…"] == plain([0] * 10, 4)[0]


def test_a_model_of_pydantic_is_what_it_holds() -> None:
    pydantic = pytest.importorskip("pydantic")
    tea = pydantic.create_model("Tea", kind=(str, "mint"), cups=(list[int], [1, 2]))

    assert {"kind": "mint", "cups": [1, 2]} == plain(tea())[0]


def test_the_same_value_twice_is_not_within_itself() -> None:
    cup = Cup("green")

    assert "…" not in as_json(plain([cup, cup, [cup]])[0])


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(alphabet=st.characters())
    | st.binary()
    | st.dates()
    | st.decimals(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.integers() | st.text(max_size=5), inner, max_size=4)
        | st.builds(Cup, st.text(), of=st.lists(inner, max_size=2))
    ),
    max_leaves=12,
)


@given(ANYTHING)
def test_whatever_it_is_it_can_be_written_and_sent(value: object) -> None:
    data, _ = plain(value)

    json.dumps(data, allow_nan=False)
    as_json(data).encode()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param({"a": 1, "b": {"c": 2, "d": 3}}, {"b": {"d": 3, "c": 2}, "a": 1}, id="in another order"),
        pytest.param({"a": 6}, {"a": 6.0}, id="with a point"),
        pytest.param({"a": {"x", "y", "z"}}, {"a": {"z", "y", "x"}}, id="sets"),
        pytest.param({"a": Cup("green")}, {"a": Cup("green", 0.5)}, id="dataclasses"),
    ],
)
def test_what_is_equal_is_written_alike(one: object, other: object) -> None:
    assert canonical(one) == canonical(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param({"a": 1}, {"a": True}, id="number and truth"),
        pytest.param({"a": 1}, {"a": "1"}, id="number and text"),
        pytest.param({"a": [1, 2]}, {"a": [2, 1]}, id="lists in another order"),
        pytest.param({"a": list(range(200_000))}, {"a": [*range(199_999), 0]}, id="long lists"),
        pytest.param({"a": None}, {}, id="nothing and null"),
    ],
)
def test_what_is_not_equal_is_not(one: object, other: object) -> None:
    assert canonical(one) != canonical(other)


@given(st.dictionaries(st.text(max_size=8), JSON, max_size=4))
def test_the_order_of_keys_is_of_no_account(value: dict[str, object]) -> None:
    assert canonical(value) == canonical(dict(reversed(value.items())))


@given(st.text(alphabet=st.characters()))
def test_what_is_sendable_can_be_sent_and_what_was_stays(text: str) -> None:
    sendable(text).encode()
    assert sendable(sendable(text)) == sendable(text)
