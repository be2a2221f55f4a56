"""Whatever is sent to the simulated Discord, it answers as Discord does: with sense or with a refusal, never with an error."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from cadenza.sim.permissions import ALL
from cadenza.sim.rate_limits import RateLimits
from cadenza.sim.rest import Rest
from cadenza.sim.routes import ROUTES, Route
from cadenza.sim.wire import Refusal, RestRequest
from cadenza.sim.world import ChannelKind, World

FIELDS = [
    "content",
    "embeds",
    "components",
    "attachments",
    "nonce",
    "flags",
    "message_reference",
    "allowed_mentions",
    "name",
    "rate_limit_per_user",
    "permission_overwrites",
    "archived",
    "message",
    "messages",
    "type",
    "data",
    "username",
    "thread_name",
    "channel_id",
    "description",
    "options",
    "recipient_id",
    "parent_id",
    "nick",
    "position",
    "communication_disabled_until",
    "permissions",
    "allow",
    "deny",
    "applied_tags",
    "available_tags",
]
ODD: tuple[object, ...] = (
    None, True, -1, 5, 2**63, 1.5, "", "x", "²", "a" * 2001, [], [3], [[]], {}, {"x": 1}, {"content": {}},
    {"parse": 3}, {"users": 5}, {"flags": "x"}, {"components": [3]}, [{"footer": "x"}], [{"fields": [3]}],
    [{"id": "1", "allow": "x"}], [{"name": 3}], [{"type": 1, "components": [{"type": 2, "custom_id": []}]}],
)  # fmt: skip
"""Values that stand where something else is expected."""


def _world() -> tuple[World, dict[str, list[str]]]:
    """A world with one thing of each sort, and their ids."""
    world = World()
    bot, mia = world.add_bot(), world.add_person("Mia")
    guild = world.add_guild("Tea", owner=mia)
    guild.join(bot, granted=ALL)
    kinds = [kind for kind in ChannelKind if not kind.is_thread and kind is not ChannelKind.DIRECT]
    channels = [world.add_channel(guild, kind.name, kind=kind) for kind in kinds]
    thread = world.add_thread(channels[0], "talk")
    message = world.create_message(bot.id, channels[0], {"content": "tea"})["id"]
    webhook = world.create_webhook(bot.id, channels[0], {"name": "Ren"})
    world.put_commands(bot.id, None, [{"name": "tea", "description": "Tea"}])
    tokens = [webhook["token"]]
    world.listen(lambda event: tokens.append(event.data["token"]) if event.name == "INTERACTION_CREATE" else None)
    interaction = mia.commands(channels[0], "tea")
    return world, {
        "channel": [*channels, thread, world.open_direct(bot, mia)], "message": [message, "@original", "²"],
        "user": [mia.id, bot.id, "@me", "²"], "guild": [guild.id], "webhook": [webhook["id"], bot.id],
        "token": tokens, "interaction": [interaction], "emoji": ["🍵", ":::", "tea"], "application": [bot.id],
        "role": [world.add_role(guild, "Cook"), guild.id], "target": [mia.id, "²"],
    }  # fmt: skip


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)
async def test_no_form_is_an_error_of_the_server(route: Route) -> None:
    dice = Random(route.name)  # the same each time
    for field in FIELDS:
        world, known = _world()
        rest = Rest(world, limits=RateLimits.off())
        for odd in ODD:
            parts = [dice.choice(known[part[1:-1]]) if part.startswith("{") else part for part in route.pattern.parts]
            form = {"name": "tea", "content": "tea", "type": dice.choice([4, 11]), field: odd}
            query = {"limit": dice.choice(["1", "²"]), dice.choice(["before", "after"]): dice.choice(["1", "²", ""])}
            request = RestRequest(route.pattern.method, "/" + "/".join(parts), query, form, (), "sim-token")

            response = await rest.handle(request)

            assert response.status < 500
            assert msgspec.json.encode(response.body)
        for channel in known["channel"]:
            if _is_there(world, known["application"][0], channel):
                world.transcript(channel)


def _is_there(world: World, bot: str, channel: str) -> bool:
    """Whether the channel is still there, and can still be looked at."""
    try:
        return bool(world.get_channel(bot, channel))
    except Refusal:
        return False
