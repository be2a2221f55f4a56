"""What a page may send, and that nothing else gets in."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, strategies as st

from cadenza.errors import InputError
from cadenza.play.server import request_types


def test_an_act_is_known_by_its_name() -> None:
    wanted: object = request_types.read(
        b'{"act": "unreact", "channel": "1", "id": "2", "emoji": "x"}', request_types.Act
    )  # type: ignore[type-var, arg-type]  # a union

    assert request_types.UnreactAct("1", "2", "x") == wanted


def test_no_limits_are_something_else_than_nothing_said_of_them() -> None:
    assert request_types.read(b'{"limits": null}', request_types.NewDiscord).limits is None
    assert request_types.read(b"{}", request_types.NewDiscord).limits is msgspec.UNSET


def test_a_file_comes_as_base64() -> None:
    body = b'{"channel": "1", "text": "", "files": [{"name": "a", "data": "aGk="}]}'

    assert b"hi" == request_types.read(body, request_types.SayBody).files[0].data


def test_a_complaint_names_what_is_wrong() -> None:
    with pytest.raises(InputError, match=r"Expected `str`, got `int` - at `\$\.text`"):
        request_types.read(b'{"channel": "1", "text": 1}', request_types.SayBody)


@given(st.binary(max_size=200))
def test_whatever_comes_is_read_or_refused_in_a_sentence(body: bytes) -> None:
    told: object = ""
    try:
        told = request_types.read(body, request_types.SayBody)
    except InputError as error:
        told = str(error)

    assert isinstance(told, request_types.SayBody) or "\n" not in str(told)


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
    assert read == request_types.read(b'{"channel": "1", "text": "%b"}' % sent, request_types.SayBody).text
