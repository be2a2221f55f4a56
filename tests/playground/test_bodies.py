"""What a page may send, and that nothing else gets in."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadenza.errors import InputError
from cadenza.playground import bodies


def test_an_act_is_known_by_its_name() -> None:
    wanted: object = bodies.read(b'{"act": "unreact", "channel": "1", "id": "2", "emoji": "x"}', bodies.Act)  # type: ignore[type-var, arg-type]  # a union

    assert bodies.UnreactAct("1", "2", "x") == wanted


def test_no_limits_are_something_else_than_nothing_said_of_them() -> None:
    assert bodies.read(b'{"limits": null}', bodies.NewDiscord).limits is None
    assert bodies.read(b"{}", bodies.NewDiscord).limits is msgspec.UNSET


def test_a_file_comes_as_base64() -> None:
    body = b'{"channel": "1", "text": "", "files": [{"name": "a", "data": "aGk="}]}'

    assert b"hi" == bodies.read(body, bodies.SayBody).files[0].data


def test_a_complaint_names_what_is_wrong() -> None:
    with pytest.raises(InputError, match=r"Expected `str`, got `int` - at `\$\.text`"):
        bodies.read(b'{"channel": "1", "text": 1}', bodies.SayBody)


@given(st.binary(max_size=200))
def test_whatever_comes_is_read_or_refused_in_a_sentence(body: bytes) -> None:
    told: object = ""
    try:
        told = bodies.read(body, bodies.SayBody)
    except InputError as error:
        told = str(error)

    assert isinstance(told, bodies.SayBody) or "\n" not in str(told)


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (rb"a \ud83d b", "a \ufffd b"),
        (rb"\ude00\ud83d", "\ufffd\ufffd"),
        (rb"\ud800 \ud83d\ude00", "\ufffd \U0001f600"),
    ],
    ids=["half", "wrong-way-round", "beside-a-whole-one"],
)
def test_half_a_character_is_marked_and_the_rest_is_read(sent: bytes, read: str) -> None:
    assert read == bodies.read(b'{"channel": "1", "text": "%b"}' % sent, bodies.SayBody).text
