"""The server for machines: real sockets on loopback, each bounded."""

from __future__ import annotations

import asyncio
import socket

import aiohttp
import pytest

from cadenza.bot.config.config import MetricsConfig
from cadenza.bot.services import health
from cadenza.bot.services.health import Check, ailments, listening, serving
from cadenza.errors import SettingsError


def _says(reason: str) -> Check:
    async def check() -> str:
        return reason

    return check


async def _raises() -> str:
    raise RuntimeError("with a secret")  # noqa: EM101, TRY003  # its words must not be told


async def _cancels() -> str:
    raise asyncio.CancelledError


async def _get(port: int, path: str) -> tuple[int, str, str]:
    async with aiohttp.ClientSession() as session, session.get(f"http://127.0.0.1:{port}{path}") as answer:
        return answer.status, answer.headers["Content-Type"], await answer.text()


@pytest.mark.parametrize(
    ("check", "status", "body"),
    [
        (_says(""), 200, '{"status": "well", "reasons": {}}'),
        (_says("not connected"), 503, '{"status": "unwell", "reasons": {"gateway": "not connected"}}'),
        (_raises, 503, '{"status": "unwell", "reasons": {"gateway": "RuntimeError"}}'),
        (_cancels, 503, '{"status": "unwell", "reasons": {"gateway": "CancelledError"}}'),
    ],
    ids=["well", "unwell", "raises", "cancels itself"],
)
async def test_health_is_a_status_and_its_reasons(check: Check, status: int, body: str) -> None:
    async with listening("127.0.0.1", 0, {"gateway": check, "store": _says("")}, lambda: b"") as port:
        found = await _get(port, "/healthz")

    assert (status, "application/json; charset=utf-8", body) == found


async def test_metrics_are_prometheus_own_text() -> None:
    async with listening("127.0.0.1", 0, {}, lambda: b"cadenza_x 1\n") as port:
        found = await _get(port, "/metrics")

    assert (200, "text/plain; version=0.0.4; charset=utf-8", "cadenza_x 1\n") == found


@pytest.mark.looptime
async def test_a_check_that_does_not_answer_is_unwell() -> None:
    async def never() -> str:
        await asyncio.Event().wait()
        return ""

    assert {"store": "no answer within 5 seconds"} == await ailments({"store": never, "gateway": _says("")})


async def test_a_port_that_is_taken_is_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SettingsError) as caught:
            async with serving(MetricsConfig(port=port), {}, lambda: b""):
                pass

    assert f"metrics cannot be offered at 127.0.0.1:{port}" in str(caught.value)
    assert str(caught.value).endswith("(Address already in use); choose another port in [metrics], or 0 for none")


async def test_no_port_opens_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(health, "listening")

    async with serving(MetricsConfig(), {}, lambda: b"") as port:
        assert 0 == port


async def test_it_is_gone_when_its_owner_ends_it() -> None:
    async with listening("127.0.0.1", 0, {}, lambda: b"") as port:
        pass

    with pytest.raises(aiohttp.ClientConnectorError):
        await _get(port, "/healthz")
