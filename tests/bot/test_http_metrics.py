"""The calls of discord.py, counted: routes without ids, of the real client in a simulated Discord."""

from __future__ import annotations

import discord
import pytest

from cadenza.bot.http_metrics import Metering, route_of
from cadenza.sim.faults import Faults
from cadenza.sim.rate_limits import RateLimits
from cadenza.sim.server import serve
from cadenza.sim.world import World


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("POST", "/channels/123456789012345678/messages", "POST /channels/:id/messages"),
        ("DELETE", "/channels/123456789012345678/messages/223456789012345678", "DELETE /channels/:id/messages/:id"),
        ("POST", "/webhooks/123456789012345678/to.ken-1", "POST /webhooks/:id/:token"),
        ("POST", "/webhooks/1/to.ken-1", "POST /webhooks/:application/:token"),
        ("PATCH", "/webhooks/1/tok/messages/@original", "PATCH /webhooks/:application/:token/messages/@original"),
        ("POST", "/interactions/123456789012345678/tok/callback", "POST /interactions/:id/:token/callback"),
        ("PUT", "/channels/123456789012345678/messages/223456789012345678/reactions/%F0%9F%94%81/@me", "PUT /channels/:id/messages/:id/reactions/:emoji/@me"),
        ("GET", "/invites/aBcD", "GET /invites/:code"),
        ("GET", "/users/@me", "GET /users/@me"),
    ],
    ids=["message", "one message", "webhook", "follow-up", "original", "callback", "reaction", "invite", "self"],
)  # fmt: skip
def test_a_route_has_no_ids_tokens_or_emoji(method: str, path: str, expected: str) -> None:
    assert expected == route_of(method, path, application="1")


class Book:
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int, str]] = []

    def called(self, route: str, status: int, *, scope: str = "") -> None:
        self.calls.append((route, status, scope))


async def test_every_call_of_a_real_client_is_counted() -> None:
    world, faults, book = World(), Faults(), Book()
    account, mia = world.add_bot("Ren"), world.add_person("Mia")
    guild = world.add_guild("Home", owner=mia, members=[mia, account])
    general = world.add_channel(guild, "general")
    client = discord.Client(
        intents=discord.Intents.default(), guild_ready_timeout=0.05, http_trace=Metering(book).trace
    )
    faults.storm("POST /channels/*/messages", 0.01, 1)
    async with serve(world, limits=RateLimits.off(), faults=faults) as server, server.running(client, account.token):
        channel = client.get_channel(int(general))
        assert isinstance(channel, discord.TextChannel)
        await channel.send("Hello")
        hook = await channel.create_webhook(name="Ren")
        await hook.send("Hello")

    statuses = {route: [s for r, s, _ in book.calls if r == route] for route, _, _ in book.calls}
    assert [429, 200] == statuses["POST /channels/:id/messages"]
    assert [200] == statuses["POST /channels/:id/webhooks"]
    assert [204] == statuses["POST /webhooks/:id/:token"]
    assert [200] == statuses["GET /users/@me"]
    assert not [route for route, _, _ in book.calls if "gateway?" in route or general in route]
