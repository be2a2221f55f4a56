from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cadenza.sim.protocol import Hangup, Op, as_object, as_shard, read, without_token
from cadenza.sim.sessions import Shard


@pytest.mark.parametrize(
    ("message", "said"),
    [
        pytest.param(b'{"op": 1, "d": 5}', (Op.HEARTBEAT, 5), id="with data"),
        pytest.param(b'{"op": 1}', (Op.HEARTBEAT, None), id="without"),
        pytest.param(b'{"op": 2, "d": {"token": "t"}}', (Op.IDENTIFY, {"token": "t"}), id="an object"),
        pytest.param(b'{"op": 1, "d": "' + b"x" * 4078 + b'"}', (Op.HEARTBEAT, "x" * 4078), id="just short enough"),
    ],
)
def test_what_a_client_says_is_read(message: bytes, said: tuple[Op, object]) -> None:
    assert said == read(message)


@pytest.mark.parametrize(
    ("message", "code"),
    [
        pytest.param(b"", 4002, id="nothing"),
        pytest.param(b"{", 4002, id="half"),
        pytest.param(b"[1]", 4002, id="no object"),
        pytest.param(b'{"op": 1, "d": "\xff"}', 4002, id="no text"),
        pytest.param(b"[" * 4096, 4002, id="too deep"),
        pytest.param(b'{"op": 1, "d": "' + b"x" * 4079 + b'"}', 4002, id="too long"),
        pytest.param('{"op": 1, "d": "{}"}'.replace("{}", "ü" * 2048).encode(), 4002, id="too long in bytes"),
        pytest.param(b'{"d": 1}', 4001, id="no op"),
        pytest.param(b'{"op": 5}', 4001, id="unknown op"),
        pytest.param(b'{"op": []}', 4001, id="odd op"),
        pytest.param(b'{"op": 0}', 4001, id="for servers only"),
    ],
)
def test_what_cannot_be_read_ends_the_line(message: bytes, code: int) -> None:
    with pytest.raises(Hangup) as caught:
        read(message)

    assert code == caught.value.code


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(message: bytes) -> None:
    try:
        read(message)
    except Hangup as hangup:
        assert hangup.code in (4001, 4002)  # noqa: PT017  # one of those is fine, as is none


def test_an_object_has_to_be_one() -> None:
    assert {"a": 1} == as_object({"a": 1})
    with pytest.raises(Hangup):
        as_object([])


@pytest.mark.parametrize(("data", "kept"), [({"token": "t", "seq": 1}, {"seq": 1}), (5, 5), (None, None)])
def test_a_token_is_not_kept(data: object, kept: object) -> None:
    assert kept == without_token(data)


@pytest.mark.parametrize("asked", [[0, 1], (1, 2), [15, 16]])
def test_a_shard_is_one_of_so_many(asked: list[int]) -> None:
    assert Shard(*asked) == as_shard(asked)


@pytest.mark.parametrize("asked", [[1, 1], [-1, 1], [0, 0], [0], [0, 1, 2], "01", None, ["0", "1"]])
def test_any_other_is_refused(asked: object) -> None:
    with pytest.raises(Hangup) as caught:
        as_shard(asked)

    assert 4010 == caught.value.code
