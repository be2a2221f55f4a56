"""Asking Discord about oneself: answered, refused, slow, gone."""

from __future__ import annotations

import pytest

from cadenza.bot.application_info import Portal, PortalError
from tests.bot.portal_room import TOKEN, Room, served
from tests.leaps import leaping


async def test_it_is_told_who_it_is() -> None:
    room = Room()
    async with served(room) as server, Portal(TOKEN, server.url) as portal:
        me, application = await portal.ask_all("/users/@me", "/applications/@me")

    assert ("Ren", room.bot.id) == (me["username"], application["id"])
    assert TOKEN not in repr(portal)


async def test_a_wrong_token_is_a_sentence() -> None:
    async with served(Room()) as server, Portal("wrong", server.url) as portal:
        with pytest.raises(PortalError, match="Discord does not accept the token; make a new one") as raised:
            await portal.ask("/users/@me")

    assert 401 == raised.value.status


async def test_trouble_that_passes_is_not_noticed() -> None:
    room = Room()
    room.faults.fail("GET /users/@me", 503, 0, times=1)
    room.faults.storm("GET /applications/@me", 0.01, 1)
    async with served(room) as server, Portal(TOKEN, server.url) as portal:
        with leaping():
            assert 2 == len(await portal.ask_all("/users/@me", "/applications/@me"))


async def test_trouble_that_stays_is_a_sentence() -> None:
    room = Room()
    room.faults.storm("GET /users/@me", 60, 10)
    room.faults.fail("GET /applications/@me", 403, 50001)
    async with served(room) as server, Portal(TOKEN, server.url) as portal:
        with pytest.raises(PortalError, match="Discord is busy and did not answer; try again in a minute"):
            await portal.ask("/users/@me")
        with pytest.raises(PortalError, match="status 403"):
            await portal.ask("/applications/@me")


async def test_who_does_not_answer_in_time_or_not_at_all_is_a_sentence() -> None:
    room = Room()
    room.faults.delay("GET /users/@me", 30)
    room.faults.lose("GET /applications/@me", times=5)
    async with served(room) as server, Portal(TOKEN, server.url, 0.05) as portal:
        with leaping(), pytest.raises(PortalError, match=r"did not answer within 0.05 seconds"):
            await portal.ask("/users/@me")
        with leaping(), pytest.raises(PortalError, match="cannot be reached") as raised:
            await portal.ask("/applications/@me")

    assert 0 == raised.value.status


async def test_nobody_there_is_a_sentence() -> None:
    async with Portal(TOKEN, "http://127.0.0.1:1") as portal:
        with pytest.raises(PortalError, match="cannot be reached"):
            await portal.ask("/users/@me")


async def test_it_is_used_within_its_with() -> None:
    with pytest.raises(RuntimeError, match="async with"):
        await Portal(TOKEN).ask("/users/@me")
