"""The weather: what is asked for goes wrong so often, and then no more."""

from __future__ import annotations

import pytest

from cadenza.play.films.fault_names import What
from cadenza.play.server.faults import Weather
from cadenza.play.server.world import Grounds, laid_out
from cadenza.sim.faults import LostResponse
from cadenza.sim.server import Server, serve
from cadenza.sim.wire import RestRequest
from tests.play.server.playing import playing

STATUSES: dict[What, int | None] = {"rate_limit": 429, "refused": 403, "broken": None, "lost": None, "slow": 200}


async def _said(server: Server, grounds: Grounds) -> int | None:
    channel, token = grounds.scenery.general, grounds.scenery.token
    request = RestRequest("POST", f"/channels/{channel}/messages", body={"content": "Hello"}, token=token)
    try:
        return (await server.rest.handle(request)).status
    except LostResponse:
        return None


@pytest.mark.parametrize("what", STATUSES)
async def test_what_goes_wrong_goes_wrong_so_often(what: What) -> None:
    grounds = laid_out("Cadenza")
    async with serve(grounds.scenery.world) as server:
        weather = Weather(server, grounds)

        weather.strike(what, 2, 0.01)

        assert [{"id": "1", "what": what, "left": 2}] == weather.as_json()["faults"]
        statuses = [await _said(server, grounds) for _ in range(3)]
        assert [STATUSES[what], STATUSES[what], 200] == statuses
        assert [] == weather.as_json()["faults"]


async def test_what_was_cleared_strikes_no_more_and_the_latency_stays() -> None:
    grounds = laid_out("Cadenza")
    async with serve(grounds.scenery.world) as server:
        weather = Weather(server, grounds)
        weather.slow_down(0.01)
        weather.strike("refused", 5)

        weather.clear()

        assert 200 == await _said(server, grounds)
        assert {"limits": {"messages": 5, "seconds": 5.0}, "latency": 0.01, "faults": []} == weather.as_json()


async def test_limits_hold_are_lifted_and_come_back() -> None:
    grounds = laid_out("Cadenza")
    async with serve(grounds.scenery.world) as server:
        weather = Weather(server, grounds)

        async def taken() -> int:
            return [await _said(server, grounds) for _ in range(10)].count(200)

        weather.limit(2, 60.0)
        assert 2 == await taken()
        weather.lift_limits()
        assert (10, None) == (await taken(), weather.as_json()["limits"])
        weather.limit(5, 5.0)
        assert 5 == await taken()


async def test_a_trouble_is_over_for_whoever_it_struck() -> None:
    grounds = laid_out("Cadenza")
    async with serve(grounds.scenery.world) as server:
        Weather(server, grounds).strike("lost", 1)

        assert await _said(server, grounds) is None
        assert (0.0, None) == server.faults.strike("POST", "/webhooks/1/token")


async def test_after_a_refusal_the_next_message_is_answered() -> None:
    async with playing() as play:
        await play.post("/api/discord", {"fault": {"what": "refused"}})
        await play.say("Good evening")
        await play.until(lambda: not play.live.weather.as_json()["faults"])
        await play.quiet()
        assert [] == play.answers()

        assert await play.answered("Good evening again")
