"""Single values: what is taken for them, and what is said of what is not."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadenza.tools.shapes import (
    Anything,
    Choice,
    Complaint,
    Misfit,
    Moment,
    Nothing,
    Number,
    Shape,
    Text,
    Truth,
    Whole,
    shown,
)
from tests.tools.test_arguments import JSON

SIZE = Choice.of([("small", 1), ("Large", 2)], {"BIG": 2})
MIXED = Choice.of([(1, 1), (2.5, 2.5), ("auto", "auto"), (True, True)])
SHAPES = [Anything(), Text(), Whole(), Number(), Truth(), Nothing(), Moment(date), Moment(datetime), SIZE, MIXED]


@pytest.mark.parametrize(
    ("shape", "value", "meant"),
    [
        pytest.param(Text(), "six", "six", id="text"),
        pytest.param(Text(), 123456789012345678, "123456789012345678", id="an id as a number"),
        pytest.param(Text(), 1.5, "1.5", id="a number for a text"),
        pytest.param(Whole(), 6, 6, id="whole number"),
        pytest.param(Whole(), 6.0, 6, id="whole number with a point"),
        pytest.param(Whole(), "6", 6, id="whole number as text"),
        pytest.param(Whole(), " -6.0 ", -6, id="whole number as text with a point"),
        pytest.param(Number(), 1.5, 1.5, id="number"),
        pytest.param(Number(), 6, 6.0, id="number without a point"),
        pytest.param(Number(), "1.5", 1.5, id="number as text"),
        pytest.param(Truth(), False, False, id="no"),
        pytest.param(Truth(), "True", True, id="yes as text"),
        pytest.param(Truth(), "false", False, id="no as text"),
        pytest.param(Truth(), 0, False, id="no as a number"),
        pytest.param(Nothing(), None, None, id="null"),
        pytest.param(Anything(), {"a": [1]}, {"a": [1]}, id="anything"),
        pytest.param(Moment(date), "2025-01-31", date(2025, 1, 31), id="day"),
        pytest.param(Moment(date), "2025-01-31T18:30:00Z", date(2025, 1, 31), id="a moment for a day"),
        pytest.param(Moment(datetime), "2025-01-31T18:30:00Z", datetime(2025, 1, 31, 18, 30, tzinfo=UTC), id="moment"),
        pytest.param(SIZE, "small", 1, id="choice"),
        pytest.param(SIZE, " LARGE", 2, id="choice in capitals"),
        pytest.param(SIZE, "big", 2, id="choice by another name"),
        pytest.param(MIXED, 1, 1, id="choice of a number"),
        pytest.param(MIXED, "1", 1, id="choice of a number as text"),
        pytest.param(MIXED, 1.0, 1, id="choice of a number with a point"),
        pytest.param(MIXED, True, True, id="choice of a truth"),
    ],
)  # fmt: skip
def test_what_is_meant_is_taken(shape: Shape, value: object, meant: object) -> None:
    read = shape.read(value)

    assert (meant, type(meant)) == (read, type(read))


@pytest.mark.parametrize(
    ("shape", "value", "said"),
    [
        pytest.param(Text(), True, "must be a text, not true", id="a truth for a text"),
        pytest.param(Text(), {"a": 1}, 'must be a text, not {"a": 1}', id="an object for a text"),
        pytest.param(Whole(), "six", 'must be a whole number, not "six"', id="a word for a number"),
        pytest.param(Whole(), 6.5, "must be a whole number, not 6.5", id="a fraction"),
        pytest.param(Whole(), True, "must be a whole number, not true", id="a truth for a number"),
        pytest.param(Whole(), "9" * 5000, "must be a whole number, not ", id="a number without end"),
        pytest.param(Number(), "nan", 'must be a number, not "nan"', id="not a number"),
        pytest.param(Number(), 10**400, "must be a number, not 1000", id="a number that is too large"),
        pytest.param(Number(), None, "must be a number, not null", id="null for a number"),
        pytest.param(Truth(), "maybe", 'must be true or false, not "maybe"', id="a word for a truth"),
        pytest.param(Truth(), 2, "must be true or false, not 2", id="a number for a truth"),
        pytest.param(Nothing(), 0, "must be null, not 0", id="something"),
        pytest.param(Moment(date), "tomorrow", 'must be a date such as 2025-01-31 (ISO 8601), not "tomorrow"', id="a word for a day"),
        pytest.param(Moment(datetime), 5, "must be a date and time such as 2025-01-31T18:30:00 (ISO 8601), not 5", id="a number for a moment"),
        pytest.param(SIZE, "huge", 'must be one of "small", "Large", not "huge"', id="no choice"),
        pytest.param(SIZE, [1], 'must be one of "small", "Large", not [1]', id="a list for a choice"),
    ],
)  # fmt: skip
def test_what_is_not_is_refused_in_words_that_help(shape: Shape, value: object, said: str) -> None:
    with pytest.raises(Misfit) as caught:
        shape.read(value)

    (complaint,) = caught.value.complaints
    assert complaint.text.startswith(said)
    assert len(complaint.text) < 200


@pytest.mark.parametrize(
    ("shape", "value"),
    [(Text(), 6), (Whole(), "6"), (Number(), "6"), (Truth(), 1), (SIZE, "SMALL"), (Moment(date), "2025-01-31T18:30")],
    ids=lambda value: type(value).__name__ if isinstance(value, Shape) else str(value),
)
def test_who_is_strict_takes_only_what_is_exactly_right(shape: Shape, value: object) -> None:
    shape.read(value)
    with pytest.raises(Misfit):
        shape.read(value, strict=True)


@pytest.mark.parametrize(
    ("shape", "schema"),
    [
        pytest.param(Moment(date), {"type": "string", "format": "date"}, id="day"),
        pytest.param(Moment(datetime), {"type": "string", "format": "date-time"}, id="moment"),
        pytest.param(SIZE, {"type": "string", "enum": ["small", "Large"]}, id="choice"),
        pytest.param(
            MIXED,
            {
                "anyOf": [
                    {"type": "boolean"},
                    {"type": "integer", "enum": [1]},
                    {"type": "number", "enum": [2.5]},
                    {"type": "string", "enum": ["auto"]},
                ]
            },
            id="choice of several types",
        ),
    ],
)
def test_what_a_model_is_told(shape: Shape, schema: object) -> None:
    assert schema == shape.schema


@given(JSON)
def test_every_value_is_taken_or_refused(value: object) -> None:
    for shape in SHAPES:
        with suppress(Misfit):
            shape.read(value)


@given(st.integers())
def test_a_whole_number_is_the_same_as_text(number: int) -> None:
    assert number == Whole().read(str(number)) == Whole().read(number)


def test_a_complaint_says_where() -> None:
    misfit = Misfit(Complaint("is wrong")).within("price").within(2).within("items")

    assert "The argument 'items[2].price' is wrong." == str(misfit)


def test_what_is_long_is_shown_in_part() -> None:
    assert '"aaa' == shown("a" * 1000)[:4]
    assert 60 == len(shown("a" * 1000))


def test_a_long_choice_is_told_in_part() -> None:
    choice = Choice.of([(number, number) for number in range(100)])

    assert choice.wanted.endswith("28, 29 and 70 more")
