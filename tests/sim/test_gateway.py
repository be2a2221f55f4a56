"""The gateway as a client sees it that sends what it likes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest
from aiohttp import web
from hypothesis import given, strategies as st

from cadenza.sim.gateway import Gateway, GatewaySocket, _Caller
from cadenza.sim.intents import ALL, Intent
from cadenza.sim.protocol import Hangup, read
from cadenza.sim.server import Server, serve
from cadenza.sim.sessions import GatewayRules
from tests.sim.places import SOON, Phone, Place, calling, until

pytestmark = pytest.mark.timeout(60)


@pytest.fixture
def place() -> Place:
    return Place()


@pytest.fixture
async def server(place: Place) -> AsyncIterator[Server]:
    async with serve(place.world) as server:
        yield server


@pytest.fixture
async def phone(server: Server) -> AsyncIterator[Phone]:
    async with calling(server) as phone:
        assert 10 == (await phone.hear())["op"]
        yield phone


# --- a session begins ----------------------------------------------------------------------


@pytest.mark.parametrize("compress", ["", "zlib-stream", "zstd-stream"])
async def test_a_bot_is_greeted_told_who_it_is_and_what_there_is(server: Server, place: Place, compress: str) -> None:
    async with calling(server, compress=compress) as phone:
        hello = await phone.hear()
        ready = await phone.identify()
        guild = await phone.hear_event("GUILD_CREATE")

    assert (10, 41250) == (hello["op"], hello["d"]["heartbeat_interval"])
    assert place.bot.id == ready["user"]["id"]
    assert [place.guild.id] == [known["id"] for known in ready["guilds"]]
    assert server.gateway_url == ready["resume_gateway_url"]
    assert [0, 1] == ready["shard"]
    assert (2, place.guild.id) == (guild["s"], guild["d"]["id"])
    assert place.general in [channel["id"] for channel in guild["d"]["channels"]]


async def test_a_heartbeat_is_acknowledged_also_before_anything_else(phone: Phone) -> None:
    await phone.say(1)

    assert 11 == (await phone.hear())["op"]


async def test_a_heartbeat_takes_its_way_to_and_fro(phone: Phone) -> None:
    await phone.identify()
    before = asyncio.get_running_loop().time()
    await phone.say(1)
    await phone.hear_op(11)

    assert asyncio.get_running_loop().time() - before >= 0.02


async def test_messages_may_come_in_binary_frames(phone: Phone) -> None:
    await phone.socket.send_bytes(b'{"op":1,"d":null}')

    assert 11 == (await phone.hear())["op"]


async def test_presences_and_voice_are_taken_and_nothing_comes_of_them(phone: Phone) -> None:
    await phone.identify()
    await phone.say(3, {"status": "online", "activities": [], "since": None, "afk": False})
    await phone.say(4, {"guild_id": "1", "channel_id": None})
    await phone.say(1)

    assert await phone.hear_op(11)


async def test_tokens_are_not_kept(server: Server, phone: Phone) -> None:
    await phone.identify()

    assert [(2, "properties" in heard.data, "token" in heard.data) for heard in server.gateway.heard] == [
        (2, True, False)
    ]


# --- what is refused -----------------------------------------------------------------------


def _identify(**more: object) -> str:
    return json.dumps({"op": 2, "d": {"token": "sim-token", "intents": 1, "properties": {}, **more}})


@pytest.mark.parametrize(
    ("said", "code"),
    [
        pytest.param('{"op": 99}', 4001, id="unknown op"),
        pytest.param('{"op": 10}', 4001, id="op of servers"),
        pytest.param('{"d": 1}', 4001, id="no op"),
        pytest.param("{", 4002, id="no JSON"),
        pytest.param("[]", 4002, id="no object"),
        pytest.param('{"op": 2, "d": []}', 4002, id="identify without data"),
        pytest.param('{"op": 1, "d": "' + "x" * 4096 + '"}', 4002, id="too long"),
        pytest.param('{"op": 3, "d": {}}', 4003, id="presence before identify"),
        pytest.param('{"op": 8, "d": {}}', 4003, id="members before identify"),
        pytest.param(_identify(token="wrong"), 4004, id="wrong token"),  # noqa: S106  # that is the point
        pytest.param(json.dumps({"op": 6, "d": {"token": "wrong", "session_id": "s", "seq": 1}}), 4004, id="resume with a wrong token"),
        pytest.param(_identify(shard=[2, 2]), 4010, id="no such shard"),
        pytest.param(_identify(shard=[0]), 4010, id="half a shard"),
        pytest.param(_identify(intents=1 << 17), 4013, id="unknown intent"),
        pytest.param(_identify(intents=None), 4013, id="no intents"),
    ],
)  # fmt: skip
async def test_what_discord_does_not_take_closes_the_line(phone: Phone, said: str, code: int) -> None:
    await phone.socket.send_str(said)

    assert code == await phone.closed()


async def test_who_has_identified_cannot_do_so_again(phone: Phone) -> None:
    await phone.identify()
    await phone.socket.send_str(_identify())

    assert 4005 == await phone.closed()


@pytest.mark.parametrize(("query", "code"), [({"v": "6"}, 4012), ({"encoding": "etf"}, 4002)])
async def test_another_version_or_language_is_not_spoken(server: Server, query: dict[str, str], code: int) -> None:
    async with calling(server, query=query) as phone:
        assert code == await phone.closed()


@pytest.mark.parametrize(
    ("rules", "intents", "code"),
    [
        pytest.param(GatewayRules(privileged=Intent.GUILD_MEMBERS), Intent.MESSAGE_CONTENT, 4014, id="privileged"),
        pytest.param(GatewayRules(guilds_per_shard=0), Intent.GUILDS, 4011, id="sharding required"),
    ],
)
async def test_what_the_application_may_not_closes_the_line(
    place: Place, rules: GatewayRules, intents: Intent, code: int
) -> None:
    async with serve(place.world, rules=rules) as server, calling(server) as phone:
        await phone.socket.send_str(_identify(intents=int(intents)))

        assert code == await phone.closed()


async def test_who_says_too_much_is_cut_off(place: Place) -> None:
    async with serve(place.world, rules=GatewayRules(sends=3)) as server, calling(server) as phone:
        for _ in range(4):
            await phone.say(1)

        assert [10, 11, 11, 11] == [(await phone.hear())["op"] for _ in range(4)]
        assert 4008 == await phone.closed()


async def test_who_misses_heartbeats_is_taken_for_dead_and_cannot_come_back(place: Place) -> None:
    async with serve(place.world, rules=GatewayRules(heartbeat=0.05, patience=2)) as server:
        async with calling(server) as phone:
            ready = await phone.identify()
            assert 4009 == await phone.closed()
        async with calling(server) as phone:
            await phone.resume(ready["session_id"], 1)
            assert {"op": 9, "d": False, "s": None, "t": None} == await phone.hear_op(9)


async def test_who_keeps_its_heartbeats_stays(place: Place) -> None:
    async with serve(place.world, rules=GatewayRules(heartbeat=0.1, patience=4)) as server, calling(server) as phone:
        await phone.identify()
        for _ in range(5):
            await asyncio.sleep(0.1)
            await phone.say(1)
            await phone.hear_op(11)

        assert server.gateway.sessions[0].left_at is None


_JSON = st.sampled_from((None, True, -1, 1.5, 10**30, "", "x", "1", [], [1], [[]], ["x", None], {}, {"a": 1}))
_FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "token": st.just("sim-token") | _JSON,
        "intents": st.just(int(ALL)) | _JSON,
        "shard": st.lists(st.integers(-1, 3), max_size=3) | _JSON,
        "session_id": st.just("session-1") | _JSON,
        "seq": st.integers(-1, 5) | _JSON,
        "guild_id": st.just("home") | st.just(["home"]) | _JSON,
        "query": st.text(max_size=2) | _JSON,
        "limit": st.integers(-1, 5) | _JSON,
        "user_ids": st.lists(st.text(max_size=3)) | _JSON,
        "nonce": _JSON,
    },
)
_OPS = st.sampled_from([*(2, 6, 8) * 5, 1, 3, 0, 99, None, "x", []])
_SAID = st.fixed_dictionaries({"op": _OPS, "d": _FIELDS}) | st.fixed_dictionaries({"op": _OPS, "d": _JSON}) | _JSON


@given(st.booleans(), st.lists(_SAID, max_size=5))
async def test_whatever_a_client_says_is_taken_or_refused_with_a_code(is_known: bool, messages: list[Any]) -> None:  # noqa: FBT001  # drawn
    place = Place()
    nowhere = cast("web.WebSocketResponse", None)  # the writer would use it, and there is none
    with Gateway(place.world, "ws://127.0.0.1/gateway") as gateway:
        caller = _Caller(nowhere, GatewaySocket(nowhere, bytes.decode, lambda: None), gateway.rules, 0.0)
        if is_known:
            gateway._obey(caller, *read(_identify().encode()))
        for message in messages:
            said = json.dumps(message).replace('"home"', f'"{place.guild.id}"')
            try:
                gateway._obey(caller, *read(said.encode()))
            except Hangup as hangup:
                assert 4001 <= hangup.code <= 4014  # noqa: PT017  # one of those is fine, as is none
                return


# --- what is heard -------------------------------------------------------------------------


async def test_what_happens_in_another_thread_is_heard_too(server: Server, place: Place) -> None:
    async with calling(server) as phone:
        await phone.identify()
        await asyncio.to_thread(place.mia.says, place.general, "from afar")

        assert "from afar" == (await phone.hear_event("MESSAGE_CREATE"))["d"]["content"]


async def test_a_message_is_heard_by_everybody_who_may_and_content_only_with_the_intent(
    server: Server, place: Place
) -> None:
    async with calling(server) as open_phone, calling(server) as blind, calling(server) as deaf:
        await open_phone.identify()
        await blind.identify(intents=ALL & ~Intent.MESSAGE_CONTENT)
        await deaf.identify(intents=Intent.GUILDS)
        place.mia.says(place.general, "hello there")
        place.world.add_channel(place.guild, "more")

        assert "hello there" == (await open_phone.hear_event("MESSAGE_CREATE"))["d"]["content"]
        assert "" == (await blind.hear_event("MESSAGE_CREATE"))["d"]["content"]
        assert ["GUILD_CREATE", "CHANNEL_CREATE"] == [(await deaf.hear())["t"] for _ in range(2)]


async def test_who_is_mentioned_may_read_it(server: Server, place: Place, phone: Phone) -> None:
    await phone.identify(intents=Intent.GUILD_MESSAGES)
    place.mia.says(place.general, f"<@{place.bot.id}> hello")

    assert f"<@{place.bot.id}> hello" == (await phone.hear_event("MESSAGE_CREATE"))["d"]["content"]
    assert 1 == len(server.gateway.sessions)


async def test_direct_messages_need_no_intent_for_content_and_come_to_the_first_shard(
    server: Server, place: Place
) -> None:
    channel = place.world.open_direct(place.bot, place.mia)
    async with calling(server) as first, calling(server) as second:
        await first.identify(intents=Intent.DIRECT_MESSAGES, shard=[0, 2])
        await second.identify(intents=Intent.DIRECT_MESSAGES, shard=[1, 2])
        place.mia.says(channel, "only for you")
        server.gateway.reconnect()

        assert "only for you" == (await first.hear_event("MESSAGE_CREATE"))["d"]["content"]
        assert 7 == (await second.hear())["op"]


async def test_a_guild_is_on_one_shard_only(server: Server, place: Place) -> None:
    home = (int(place.guild.id) >> 22) % 2
    async with calling(server) as here, calling(server) as elsewhere:
        ready_here = await here.identify(shard=[home, 2])
        ready_elsewhere = await elsewhere.identify(shard=[1 - home, 2])
        place.mia.says(place.general, "hello")
        server.gateway.reconnect()

        assert [1, 0] == [len(ready["guilds"]) for ready in (ready_here, ready_elsewhere)]
        assert await here.hear_event("MESSAGE_CREATE")
        assert 7 == (await elsewhere.hear())["op"]


# --- members -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "names", "missing"),
    [
        pytest.param({"query": "", "limit": 0}, ["Cadenza", "Mia", "Tom"], [], id="all"),
        pytest.param({"query": "mi", "limit": 5}, ["Mia"], [], id="by name"),
        pytest.param({"query": "", "limit": 1}, None, [], id="some"),
        pytest.param({"query": "zz", "limit": 5}, [], [], id="nobody"),
        pytest.param({"user_ids": "mia"}, ["Mia"], [], id="one by id"),
        pytest.param({"user_ids": ["mia", "1"]}, ["Mia"], ["1"], id="an unknown id"),
    ],
)
async def test_members_are_sent_to_who_asks(
    place: Place, phone: Phone, asked: dict[str, Any], names: list[str] | None, missing: list[str]
) -> None:
    await phone.identify()
    ids = asked.get("user_ids")
    if ids is not None:
        ids = place.mia.id if ids == "mia" else [place.mia.id if who == "mia" else who for who in ids]
        asked = {"user_ids": ids}
    await phone.say(8, {"guild_id": place.guild.id, "nonce": "n", **asked})

    chunk = (await phone.hear_event("GUILD_MEMBERS_CHUNK"))["d"]

    found = sorted(member["user"]["global_name"] or member["user"]["username"] for member in chunk["members"])
    assert (found == names) if names is not None else len(found) == 1
    assert (missing, "n", 0, 1) == (chunk["not_found"], chunk["nonce"], chunk["chunk_index"], chunk["chunk_count"])


@pytest.mark.parametrize("limit", ["many", -1, None])
async def test_a_limit_that_is_no_number_closes_the_line(place: Place, phone: Phone, limit: object) -> None:
    await phone.identify()
    await phone.say(8, {"guild_id": place.guild.id, "query": "", "limit": limit})

    assert 4002 == await phone.closed()


async def test_all_members_are_only_for_who_has_the_intent(place: Place, phone: Phone) -> None:
    await phone.identify(intents=Intent.GUILDS)
    await phone.hear_event("GUILD_CREATE")
    await phone.say(8, {"guild_id": place.guild.id, "query": "", "limit": 0})
    await phone.say(8, {"guild_id": "1", "query": "", "limit": 1})
    await phone.say(1)

    assert 11 == (await phone.hear())["op"]


# --- the line breaks -----------------------------------------------------------------------


@pytest.mark.parametrize("code", [4000, None], ids=["closed", "torn"])
async def test_who_comes_back_hears_what_it_missed_once_and_in_order(
    server: Server, place: Place, code: int | None
) -> None:
    async with calling(server, compress="zlib-stream") as phone:
        ready = await phone.identify()
        last = (await phone.hear_event("GUILD_CREATE"))["s"]
        place.mia.says(place.general, "one")
        last = (await phone.hear_event("MESSAGE_CREATE"))["s"]
        server.gateway.cut(code)
        place.mia.says(place.general, "two")
        closed = await phone.closed()
        place.tom.says(place.general, "three")
    async with calling(server) as phone:
        await phone.resume(ready["session_id"], last)
        place.mia.says(place.general, "four")
        heard: list[str] = []
        while not {"RESUMED", "four"} <= set(heard):
            message = await phone.hear()
            if message["op"] == 0:
                heard.append(message["d"].get("content") or message["t"])
        resumed = [session.resumed for session in server.gateway.sessions]

    assert (code or 1006) == closed
    assert ["two", "three", "four"] == [said for said in heard if said != "RESUMED"]
    assert 1 == heard.count("RESUMED")
    assert [1] == resumed


async def test_a_session_that_is_resumed_elsewhere_leaves_its_line(server: Server, phone: Phone) -> None:
    ready = await phone.identify()
    async with calling(server) as other:
        await other.resume(ready["session_id"], 1)

        assert await other.hear_event("RESUMED")
        assert 4000 == await phone.closed()
        assert server.gateway.sessions[0].left_at is None


@pytest.mark.parametrize("sequence", [99, -1])
async def test_who_claims_to_have_heard_what_was_never_said_is_cut_off(
    server: Server, phone: Phone, sequence: int
) -> None:
    ready = await phone.identify()
    async with calling(server) as other:
        await other.resume(ready["session_id"], sequence)

        assert 4007 == await other.closed()


@pytest.mark.parametrize(("session", "sequence"), [("unknown", 1), ("known", None)])
async def test_a_session_that_is_not_known_cannot_be_resumed_but_a_new_one_begun(
    server: Server, phone: Phone, session: str, sequence: int | None
) -> None:
    ready = await phone.identify()
    async with calling(server) as other:
        await other.resume(ready["session_id"] if session == "known" else session, sequence)

        assert False is (await other.hear_op(9))["d"]
        assert ready["session_id"] != (await other.identify())["session_id"]


async def test_what_was_missed_for_too_long_is_lost(place: Place) -> None:
    async with serve(place.world, rules=GatewayRules(backlog=2)) as server:
        async with calling(server) as phone:
            ready = await phone.identify()
            server.gateway.cut()
            for number in range(3):
                place.mia.says(place.general, str(number))
            await phone.closed()
        async with calling(server) as phone:
            await phone.resume(ready["session_id"], 2)

            assert False is (await phone.hear_op(9))["d"]


async def test_a_session_without_a_line_is_forgotten_in_the_end(place: Place) -> None:
    async with serve(place.world, rules=GatewayRules(resumable=0.3)) as server:
        async with calling(server) as phone:
            await phone.identify()
            server.gateway.cut()
            await phone.closed()
            assert 1 == len(server.gateway.sessions)
        await asyncio.sleep(0.35)

        assert () == server.gateway.sessions


@pytest.mark.parametrize(("code", "kept"), [(1000, 0), (1001, 0), (4000, 1)])
async def test_who_says_goodbye_does_not_come_back(server: Server, code: int, kept: int) -> None:
    async with calling(server) as phone:
        await phone.identify()
        await phone.socket.close(code=code)
        await until(lambda: not any(session.left_at is None for session in server.gateway.sessions))

        assert kept == len(server.gateway.sessions)


@pytest.mark.parametrize(("resumable", "kept"), [(True, 1), (False, 0)])
async def test_a_session_can_be_called_invalid(server: Server, phone: Phone, *, resumable: bool, kept: int) -> None:
    await phone.identify()

    server.gateway.invalidate(resumable=resumable)

    assert resumable is (await phone.hear_op(9))["d"]
    assert kept == len(server.gateway.sessions)


async def test_a_client_can_be_asked_to_connect_again(server: Server, phone: Phone) -> None:
    server.gateway.reconnect()

    assert {"op": 7, "d": None, "s": None, "t": None} == await phone.hear()


async def test_when_the_server_closes_everybody_is_told(place: Place) -> None:
    async with serve(place.world) as server, calling(server) as phone:
        await phone.identify()
        closing = asyncio.create_task(server.gateway.close())

        assert 1001 == await phone.closed()
        async with asyncio.timeout(SOON):
            await closing


@asynccontextmanager
async def _deaf_client(server: Server) -> AsyncIterator[None]:
    """A client that reads nothing, with so much said to it that the line is full."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(server.url.split(":")[2].split("/")[0]))
    writer.write(
        b"GET /gateway HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    await reader.readuntil(b"\r\n\r\n")
    await until(lambda: server.gateway._callers)
    [line] = server.gateway._callers
    for _ in range(300):
        line.say(b"x" * 100_000)
    yield
    writer.transport.abort()
    await asyncio.sleep(0)


async def test_a_client_that_does_not_read_cannot_hold_the_server_up(place: Place) -> None:
    async with serve(place.world) as server, _deaf_client(server):
        async with asyncio.timeout(SOON):
            await server.gateway.close(within=0.1)

        assert {} == server.gateway._callers


async def test_a_client_that_does_not_read_is_let_go_when_it_is_taken_for_dead(place: Place) -> None:
    rules = GatewayRules(heartbeat=0.1, patience=1, goodbye=0.1)
    async with serve(place.world, rules=rules) as server, _deaf_client(server):
        await until(lambda: not server.gateway._callers)
