from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from cadenza.sim.intents import ALL, Intent
from cadenza.sim.sessions import IdentifyQuota, Session, Shard
from cadenza.sim.wire import GatewayEvent
from cadenza.sim.world import World


def _session(*, intents: Intent = ALL, shard: Shard = Shard(), backlog: int = 1000) -> Session:  # noqa: B008  # frozen
    return Session("s", World().add_bot(), intents, shard, backlog=backlog)


def _read(messages: list[bytes]) -> list[dict[str, Any]]:
    return [json.loads(message) for message in messages]


def test_events_are_counted_and_delivered_as_they_come() -> None:
    session, delivered = _session(), list[bytes]()
    session.attach(delivered.append)

    session.tell(GatewayEvent("READY", {"v": 10}))
    session.tell(GatewayEvent("RESUMED", {}))

    assert _read(delivered) == [
        {"t": "READY", "s": 1, "op": 0, "d": {"v": 10}},
        {"t": "RESUMED", "s": 2, "op": 0, "d": {}},
    ]


def test_what_is_told_is_what_was_so_at_that_time() -> None:
    session, data = _session(), {"content": "before"}

    session.tell(GatewayEvent("MESSAGE_CREATE", data))
    data["content"] = "after"

    assert "before" == _read(session.since(0) or [])[0]["d"]["content"]


def test_while_nobody_listens_events_are_kept() -> None:
    session, delivered = _session(), list[bytes]()
    session.attach(delivered.append)
    session.tell(GatewayEvent("A", {}))
    session.detach(5.0)
    session.tell(GatewayEvent("B", {}))
    session.tell(GatewayEvent("C", {}))

    assert (1, 5.0) == (len(delivered), session.left_at)
    assert ["B", "C"] == [message["t"] for message in _read(session.since(1) or [])]


@given(told=st.integers(0, 30), backlog=st.integers(1, 10), data=st.data())
def test_who_comes_back_gets_all_that_was_missed_or_learns_that_it_is_lost(
    told: int, backlog: int, data: st.DataObject
) -> None:
    session = _session(backlog=backlog)
    for number in range(told):
        session.tell(GatewayEvent("A", {"n": number + 1}))
    known = data.draw(st.integers(0, told))

    missed = session.since(known)

    if told - known > backlog:
        assert missed is None
    else:
        assert missed is not None
        assert list(range(known + 1, told + 1)) == [message["d"]["n"] for message in _read(missed)]


@pytest.mark.parametrize(
    ("event", "is_heard"),
    [
        pytest.param(GatewayEvent("MESSAGE_CREATE", {}, guild="1"), True, id="in its guild"),
        pytest.param(GatewayEvent("MESSAGE_CREATE", {}, guild="2"), False, id="in another guild"),
        pytest.param(GatewayEvent("MESSAGE_CREATE", {}), True, id="directly"),
        pytest.param(GatewayEvent("MESSAGE_CREATE", {}, guild="1", bots=frozenset({"0"})), False, id="for another bot"),
        pytest.param(GatewayEvent("TYPING_START", {}, guild="1"), False, id="without the intent"),
    ],
)
def test_a_session_hears_what_is_for_it(event: GatewayEvent, is_heard: bool) -> None:  # noqa: FBT001  # a column of the table
    session = _session(intents=Intent.GUILD_MESSAGES | Intent.DIRECT_MESSAGES)

    assert is_heard is session.hears(event, ["1"])


def test_an_event_for_some_bots_is_for_those() -> None:
    session = _session()

    assert session.hears(GatewayEvent("GUILD_DELETE", {}, guild="1", bots=frozenset({session.bot.id})), [])


@given(guild=st.integers(0, 1 << 63), count=st.integers(1, 20))
def test_every_guild_is_on_exactly_one_shard(guild: int, count: int) -> None:
    having = [number for number in range(count) if Shard(number, count).has(str(guild))]

    assert [(guild >> 22) % count] == having


def test_direct_messages_are_on_the_first_shard() -> None:
    assert [True, False, False] == [Shard(number, 3).has(None) for number in range(3)]


@given(st.lists(st.floats(0, 100), max_size=60).map(sorted), st.integers(1, 8), st.floats(0.5, 20))
def test_an_allowance_is_never_more_than_so_many_in_any_window(times: list[float], most: int, seconds: float) -> None:
    allowance = IdentifyQuota(most, seconds)
    for number, now in enumerate(times):
        within = sum(1 for earlier in times[: number + 1] if earlier > now - seconds)

        assert (within <= most) is allowance.take(now)
