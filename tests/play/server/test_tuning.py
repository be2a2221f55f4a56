"""What is changed while it runs: all of it, or nothing if something is wrong with it."""

from __future__ import annotations

import pytest

from cadenza.errors import CadenzaError
from cadenza.play.server import tuning
from cadenza.play.server.request_types import FaultBody, Limit, NewDiscord, NewSettings
from tests.play.server.playing import playing


async def test_one_wrong_setting_changes_none_and_a_reset_comes_first() -> None:
    async with playing() as play:
        live = play.live
        with pytest.raises(CadenzaError, match="degree"):
            tuning.change_settings(live, NewSettings({"limit": 100, "degree": 9}))
        assert live.current.now.settings.delivery.limit is None

        tuning.change_settings(live, NewSettings({"limit": 100}, reset=True))

        now = live.current.now.settings.delivery
        assert (100, 0.75) == (now.limit, now.typing_least)


async def test_the_simulated_discord_is_changed_in_one_go() -> None:
    async with playing() as play:
        tuning.change_discord(
            play.live, NewDiscord(limits=Limit(3, 2.0), latency=0.5, fault=FaultBody("slow", 3, 1.0), clear=True)
        )

        told = play.live.fault_controls.as_json()
        assert ({"messages": 3, "seconds": 2.0}, 0.5, "slow") == (
            told["limits"],
            told["latency"],
            told["faults"][0]["what"],
        )
