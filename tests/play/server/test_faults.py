"""The weather: what is asked for goes wrong so often, and then no more."""

from __future__ import annotations

import pytest

from cadenza.play.films.fault_names import What
from cadenza.play.server.faults import FaultControls
from cadenza.play.server.world import PlayWorld, laid_out
from cadenza.sim.faults import LostResponse
from cadenza.sim.server import Server, serve
from cadenza.sim.wire import RestRequest
from tests.play.server.playing import playing

STATUSES: dict[What, int | None] = {"rate_limit": 429, "refused": 403, "broken": None, "lost": None, "slow": 200}


async def _said(server: Server, play_world: PlayWorld) -> int | None:
    channel, token = play_world.demo_server.general, play_world.demo_server.token
    request = RestRequest("POST", f"/channels/{channel}/messages", body={"content": "Hello"}, token=token)
    try:
        return (await server.rest.handle(request)).status
    except LostResponse:
        return None


@pytest.mark.parametrize("what", STATUSES)
async def test_what_goes_wrong_goes_wrong_so_often(what: What) -> None:
    play_world = laid_out("Cadenza")
    async with serve(play_world.demo_server.world) as server:
        fault_controls = FaultControls(server, play_world)

        fault_controls.strike(what, 2, 0.01)

        assert [{"id": "1", "what": what, "left": 2}] == fault_controls.as_json()["faults"]
        statuses = [await _said(server, play_world) for _ in range(3)]
        assert [STATUSES[what], STATUSES[what], 200] == statuses
        assert [] == fault_controls.as_json()["faults"]


async def test_what_was_cleared_strikes_no_more_and_the_latency_stays() -> None:
    play_world = laid_out("Cadenza")
    async with serve(play_world.demo_server.world) as server:
        fault_controls = FaultControls(server, play_world)
        fault_controls.slow_down(0.01)
        fault_controls.strike("refused", 5)

        fault_controls.clear()

        assert 200 == await _said(server, play_world)
        assert {"limits": {"messages": 5, "seconds": 5.0}, "latency": 0.01, "faults": []} == fault_controls.as_json()


async def test_limits_hold_are_lifted_and_come_back() -> None:
    play_world = laid_out("Cadenza")
    async with serve(play_world.demo_server.world) as server:
        fault_controls = FaultControls(server, play_world)

        async def taken() -> int:
            return [await _said(server, play_world) for _ in range(10)].count(200)

        fault_controls.limit(2, 60.0)
        assert 2 == await taken()
        fault_controls.lift_limits()
        assert (10, None) == (await taken(), fault_controls.as_json()["limits"])
        fault_controls.limit(5, 5.0)
        assert 5 == await taken()


async def test_a_trouble_is_over_for_whoever_it_struck() -> None:
    play_world = laid_out("Cadenza")
    async with serve(play_world.demo_server.world) as server:
        FaultControls(server, play_world).strike("lost", 1)

        assert await _said(server, play_world) is None
        assert (0.0, None) == server.faults.strike("POST", "/webhooks/1/token")


async def test_after_a_refusal_the_next_message_is_answered() -> None:
    async with playing() as play:
        await play.post("/api/discord", {"fault": {"what": "refused"}})
        await play.say("Good evening")
        await play.until(lambda: not play.live.fault_controls.as_json()["faults"])
        await play.quiet()
        assert [] == play.answers()

        assert await play.answered("Good evening again")
