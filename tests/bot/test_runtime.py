"""A session: health of the gateway and the store, a log that follows the configuration, secrets for who needs them."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import os
import socket
from collections.abc import Iterator
from dataclasses import replace

import aiohttp
import pytest

from cadenza.bot.config.config import Config, LogConfig, MetricsConfig
from cadenza.bot.config.current import Current
from cadenza.bot.runtime import follow_keys, follow_log, keep_swept, session
from cadenza.bot.services import logs
from cadenza.bot.services.demo_model import DemoModels
from cadenza.bot.store.in_memory import MemoryStore
from cadenza.bot.store.sealing import Seal
from cadenza.bot.store.store import Store, StoreError
from cadenza.bot.wiring import BotServices, build
from cadenza.concurrency.tasks import end_task
from cadenza.sim.rate_limits import RateLimits
from cadenza.sim.server import serve
from cadenza.sim.world import World
from cadenza.targets.discord.api import ApiError
from cadenza.targets.discord_py.client_state import ClientState
from tests.bot.premises import small_bot


@pytest.fixture(autouse=True)
def quietly() -> Iterator[None]:
    """Leave no handler of ours behind, nor a level."""
    loggers = (logging.getLogger(), logging.getLogger("cadenza"))
    levels = [logger.level for logger in loggers]
    yield
    logs.take_down()
    for logger, level in zip(loggers, levels, strict=True):
        logger.setLevel(level)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


async def _health(port: int) -> tuple[int, dict[str, str]]:
    async with aiohttp.ClientSession() as session, session.get(f"http://127.0.0.1:{port}/healthz") as answer:
        return answer.status, json.loads(await answer.text())["reasons"]


def _figure(rendered: bytes, name: str) -> str:
    return next(line.split()[1] for line in rendered.decode().splitlines() if line.startswith(f"{name} "))


def _with_parrot(current: Current, store: Store) -> BotServices:
    seal = Seal("key")
    return replace(build(current, store, seal), models=DemoModels(current, store, seal))


@pytest.mark.timeout(60)
async def test_it_is_well_while_the_gateway_is_connected_and_its_calls_are_counted() -> None:
    world, port = World(), _free_port()
    account, mia = world.add_bot("Ren"), world.add_person("Mia")
    world.add_guild("Home", owner=mia, members=[mia, account])
    built = session(
        Config(metrics=MetricsConfig(port)),
        MemoryStore(),
        secrets=lambda _: {},
        environment={},
        level="",
        services_of=_with_parrot,
        client_of=small_bot,
    )
    page = ApiError("", status=429, is_ban=True)
    async with serve(world, limits=RateLimits.off()) as server, built as running:
        before = await _health(port)
        async with server.running(running.bot.client):
            during = await _health(port)
            with pytest.raises(ApiError):
                async with ClientState.of(running.bot.client).shared.cooldown.request():
                    raise page
            shut_out = await _health(port)
            left = float(_figure(running.services.metrics.rendered(), "cadenza_discord_cooldown_seconds"))
        after = await _health(port)
        text = running.services.metrics.rendered().decode()

    assert (503, {"gateway": "the bot is not ready yet"}) == before
    assert (200, {}) == during
    assert (503, ["discord"]) == (shut_out[0], [*shut_out[1]])
    assert "Discord shuts the bot out (banned) for " in shut_out[1]["discord"]
    assert 50.0 < left <= 60.0
    assert 503 == after[0]
    assert "cadenza_servers 1.0" in text
    assert 'cadenza_discord_calls_total{route="GET /users/@me",status="200"} 1.0' in text


def test_the_log_follows_the_configuration_but_for_a_level_that_was_given() -> None:
    out = io.StringIO()
    logs.set_up(LogConfig(), stream=out)
    current = Current(Config(log=LogConfig("error")))
    follow_log(current, lambda _: {"KEY": "very-secret"})
    logger = logging.getLogger("cadenza.x")

    logger.info("unheard")
    current.change(Config(log=LogConfig("info")))
    logger.info("heard, but not very-secret")
    follow_log(current, lambda _: {}, level="error")
    current.change(Config(log=LogConfig("debug")))
    current.change(Config(log=LogConfig("debug")))

    assert ["heard, but not ***"] == [line.split(": ", 1)[1] for line in out.getvalue().splitlines()]


@pytest.mark.looptime
async def test_what_has_expired_goes_though_nobody_writes_and_a_sweep_may_fail(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Dusty(MemoryStore):
        swept = 0

        async def sweep(self) -> int:
            self.swept += 1
            if self.swept == 1:
                raise StoreError
            return await super().sweep()

    caplog.set_level(logging.WARNING, "cadenza")
    store = Dusty()
    sweeping = asyncio.create_task(keep_swept(store))
    await asyncio.sleep(2 * 3600.0)
    await end_task(sweeping)

    assert 3 <= store.swept <= 4
    assert ["sweeping the store failed"] == caplog.messages


def test_keys_are_put_where_models_look_for_them_and_follow_the_file_but_the_environment_wins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("A_KEY", "mine")
    monkeypatch.setenv("B_KEY", "")
    for name in ("C_KEY", "DISCORD_TOKEN", "CADENZA_KEY"):
        monkeypatch.delenv(name, raising=False)
    own = {"DISCORD_TOKEN": "the bot's own", "CADENZA_KEY": "the store's own"}
    first, second = {"A_KEY": "theirs", "B_KEY": "old", "C_KEY": "once"}, {"A_KEY": "theirs", "B_KEY": "new"}
    file = iter([{**first, **own}, {**second, **own}])
    current = Current(Config())

    def found() -> list[str | None]:
        return [os.environ.get(name) for name in ("A_KEY", "B_KEY", "C_KEY", "DISCORD_TOKEN", "CADENZA_KEY")]

    follow_keys(current, lambda _: next(file))
    at_first = found()
    current.change(Config())

    assert ["mine", "old", "once", None, None] == at_first
    assert ["mine", "new", None, None, None] == found()
