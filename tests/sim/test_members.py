from __future__ import annotations

import pytest

from cadenza.sim.intents import Intent
from cadenza.sim.members import chunks
from cadenza.sim.protocol import Hangup
from cadenza.sim.wire import Json

NONE = Intent(0)


def _member(number: int, username: str = "", *, nick: str | None = None, shown: str | None = None) -> Json:
    return {"user": {"id": str(number), "username": username or f"user{number}", "global_name": shown}, "nick": nick}


PEOPLE = [_member(1, "mia"), _member(2, "tom", nick="Mighty"), _member(3, "zoe", shown="Miriam"), _member(4, "ren")]


def _ids(found: list[Json]) -> list[list[str]]:
    return [[member["user"]["id"] for member in chunk["members"]] for chunk in found]


@pytest.mark.parametrize(
    ("data", "ids"),
    [
        pytest.param({"query": "mi", "limit": 10}, ["1", "2", "3"], id="by any name, whatever the case"),
        pytest.param({"query": "MI", "limit": 2}, ["1", "2"], id="not more than asked for"),
        pytest.param({"query": "mi", "limit": 0}, ["1", "2", "3"], id="no limit"),
        pytest.param({"query": "x", "limit": 1}, [], id="nobody"),
        pytest.param({"user_ids": ["4", "1"]}, ["1", "4"], id="by ids"),
        pytest.param({"user_ids": "4"}, ["4"], id="by one id"),
    ],
)
def test_some_members_are_for_everybody(data: Json, ids: list[str]) -> None:
    assert [ids] == _ids(chunks(PEOPLE, data, NONE))


def test_all_members_need_the_intent() -> None:
    everybody = {"query": "", "limit": 0}

    assert [] == chunks(PEOPLE, everybody, NONE)
    assert [["1", "2", "3", "4"]] == _ids(chunks(PEOPLE, everybody, Intent.GUILD_MEMBERS))


def test_many_come_in_parts_that_say_how_many_they_are() -> None:
    crowd = [_member(number) for number in range(2500)]

    found = chunks(crowd, {"nonce": "n"}, Intent.GUILD_MEMBERS)

    assert [1000, 1000, 500] == [len(chunk["members"]) for chunk in found]
    assert [(0, 3, "n"), (1, 3, "n"), (2, 3, "n")] == [
        (chunk["chunk_index"], chunk["chunk_count"], chunk["nonce"]) for chunk in found
    ]


def test_who_asks_for_some_gets_a_hundred_at_most() -> None:
    crowd = [_member(number) for number in range(250)]

    assert [100] == [len(chunk["members"]) for chunk in chunks(crowd, {"query": "user", "limit": 200}, NONE)]
    assert [100] == [len(chunk["members"]) for chunk in chunks(crowd, {"user_ids": list(range(250))}, NONE)]


def test_who_is_not_there_is_named() -> None:
    [chunk] = chunks(PEOPLE, {"user_ids": ["1", "99"]}, NONE)

    assert ["99"] == chunk["not_found"]
    assert "nonce" not in chunk


@pytest.mark.parametrize("limit", ["many", -1, None, 1.5])
def test_a_limit_that_is_no_number_ends_the_line(limit: object) -> None:
    with pytest.raises(Hangup) as caught:
        chunks(PEOPLE, {"query": "", "limit": limit}, NONE)

    assert 4002 == caught.value.code
