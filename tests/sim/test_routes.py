"""The calls that the simulated Discord knows: each of them made once."""

from __future__ import annotations

import json

import pytest

from cadenza.sim import guilds, reactions
from cadenza.sim.permissions import Permission
from cadenza.sim.rate_limits import RateLimits
from cadenza.sim.routes import ROUTES, Ask, find_route
from cadenza.sim.wire import Refusal, RestRequest
from tests.sim.scenery import Scenery

pytestmark = pytest.mark.looptime

CALLS: list[tuple[str, object, int]] = [
    ("GET /users/@me", None, 200),
    ("GET /oauth2/applications/@me", None, 200),
    ("GET /users/@me/guilds", None, 200),
    ("GET /applications/@me", None, 200),
    ("POST /users/@me/channels", {"recipient_id": "{user}"}, 200),
    ("GET /users/{user}", None, 200),
    ("GET /guilds/{guild}", None, 200),
    ("GET /guilds/{guild}/channels", None, 200),
    ("GET /guilds/{guild}/members", None, 200),
    ("GET /guilds/{guild}/members/{user}", None, 200),
    ("GET /guilds/{guild}/roles", None, 200),
    ("GET /guilds/{guild}/emojis", None, 200),
    ("GET /guilds/{guild}/webhooks", None, 200),
    ("PATCH /guilds/{guild}/members/@me", {"nick": "Me"}, 200),
    ("PATCH /guilds/{guild}/members/{other}", {"nick": "You"}, 200),
    ("POST /guilds/{guild}/roles", {"name": "Cook"}, 200),
    ("PATCH /guilds/{guild}/roles/{role}", {"name": "Waiter"}, 200),
    ("PUT /guilds/{guild}/members/{other}/roles/{role}", None, 204),
    ("DELETE /guilds/{guild}/members/{other}/roles/{role}", None, 204),
    ("DELETE /guilds/{guild}/roles/{role}", None, 204),
    ("DELETE /guilds/{guild}/members/{other}", None, 204),
    ("PUT /guilds/{guild}/bans/{other}", None, 204),
    ("GET /guilds/{guild}/bans", None, 200),
    ("GET /guilds/{guild}/bans/{other}", None, 200),
    ("DELETE /guilds/{guild}/bans/{other}", None, 204),
    ("POST /guilds/{guild}/channels", {"name": "garden"}, 201),
    ("PUT /channels/{channel}/permissions/{user}", {"type": 1, "allow": "1024"}, 204),
    ("DELETE /channels/{channel}/permissions/{user}", None, 204),
    ("GET /guilds/{guild}/threads/active", None, 200),
    ("GET /channels/{channel}/threads/archived/public", None, 200),
    ("GET /channels/{channel}/threads/archived/private", None, 200),
    ("GET /channels/{channel}/users/@me/threads/archived/private", None, 200),
    ("PUT /channels/{thread}/thread-members/@me", None, 204),
    ("GET /channels/{thread}/thread-members", None, 200),
    ("GET /channels/{thread}/thread-members/@me", None, 200),
    ("DELETE /channels/{thread}/thread-members/@me", None, 204),
    ("PUT /channels/{channel}/messages/pins/{message}", None, 204),
    ("GET /channels/{channel}/messages/pins", None, 200),
    ("DELETE /channels/{channel}/messages/pins/{message}", None, 204),
    ("GET /channels/{channel}/messages/{message}/reactions/{emoji}", None, 200),
    ("GET /channels/{channel}", None, 200),
    ("PATCH /channels/{channel}", {"topic": "tea"}, 200),
    ("POST /channels/{channel}/typing", None, 204),
    ("POST /channels/{channel}/threads", {"name": "talk", "type": 11}, 201),
    ("POST /channels/{channel}/messages/{message}/threads", {"name": "talk"}, 201),
    ("POST /channels/{channel}/messages", {"content": "hi"}, 200),
    ("GET /channels/{channel}/messages", None, 200),
    ("GET /channels/{channel}/messages/{message}", None, 200),
    ("PATCH /channels/{channel}/messages/{message}", {"content": "hello"}, 200),
    ("PUT /channels/{channel}/messages/{message}/reactions/{emoji}/@me", None, 204),
    ("DELETE /channels/{channel}/messages/{message}/reactions/{emoji}/@me", None, 204),
    ("DELETE /channels/{channel}/messages/{message}/reactions/{emoji}/{user}", None, 204),
    ("DELETE /channels/{channel}/messages/{message}/reactions/{emoji}", None, 204),
    ("DELETE /channels/{channel}/messages/{message}/reactions", None, 204),
    ("DELETE /channels/{channel}/messages/{message}", None, 204),
    ("POST /channels/{channel}/messages/bulk-delete", {"messages": ["{first}", "{second}"]}, 204),
    ("GET /channels/{channel}/webhooks", None, 200),
    ("POST /channels/{channel}/webhooks", {"name": "Ren"}, 200),
    ("GET /webhooks/{webhook}", None, 200),
    ("PATCH /webhooks/{webhook}", {"name": "Mia"}, 200),
    ("GET /webhooks/{webhook}/{token}", None, 200),
    ("PATCH /webhooks/{webhook}/{token}", {"name": "Ren"}, 200),
    ("POST /webhooks/{webhook}/{token}", {"content": "hi"}, 204),
    ("GET /webhooks/{webhook}/{token}/messages/{said}", None, 200),
    ("PATCH /webhooks/{webhook}/{token}/messages/{said}", {"content": "hello"}, 200),
    ("DELETE /webhooks/{webhook}/{token}/messages/{said}", None, 204),
    ("DELETE /webhooks/{webhook}/{token}", None, 204),
    ("DELETE /webhooks/{spare}", None, 204),
    ("GET /applications/{application}/commands", None, 200),
    ("PUT /applications/{application}/commands", [{"name": "stop", "description": "Stop it", "type": 1}], 200),
    ("GET /applications/{application}/guilds/{guild}/commands", None, 200),
    ("PUT /applications/{application}/guilds/{guild}/commands", [], 200),
    ("POST /interactions/{interaction}/{secret}/callback", {"type": 4, "data": {"content": "yes"}}, 204),
    ("GET /soundboard-default-sounds", None, 200),
    ("GET /voice/regions", None, 200),
    ("DELETE /channels/{channel}", None, 200),
]


def _names(demo_server: Scenery) -> dict[str, str]:
    """What there is in a world, for the table above."""
    world, bot = demo_server.world, demo_server.bot
    world.give_role(
        demo_server.guild, bot, world.add_role(demo_server.guild, "boss", permissions=Permission.ADMINISTRATOR)
    )
    role = world.add_role(demo_server.guild, "Cook")
    world.give_role(demo_server.guild, bot, world.add_role(demo_server.guild, "Head", permissions=Permission.NONE))
    other = world.add_person("Tom")
    guilds.join(world.state, demo_server.guild, other)
    secrets: list[str] = []
    world.listen(lambda event: secrets.append(event.data.get("token", "")))
    world.put_commands(bot.id, None, [{"name": "tea", "description": "Tea", "type": 1}])
    interaction = demo_server.mia.commands(demo_server.channel, "tea")
    messages = [world.create_message(bot.id, demo_server.channel, {"content": "hi"})["id"] for _ in range(3)]
    webhook, spare = demo_server.webhook(), demo_server.webhook("Spare")
    said = world.execute_webhook(webhook["id"], webhook["token"], {"content": "hi"})
    reactions.add(world.state, demo_server.mia.id, demo_server.channel, messages[0], "🍵")
    return {
        "user": demo_server.mia.id,
        "other": other.id,
        "role": role,
        "thread": world.add_thread(demo_server.channel, "kitchen talk"),
        "guild": demo_server.guild,
        "channel": demo_server.channel,
        "message": messages[0],
        "first": messages[1],
        "second": messages[2],
        "emoji": "%F0%9F%8D%B5",
        "webhook": webhook["id"],
        "token": webhook["token"],
        "spare": spare["id"],
        "said": said["id"],
        "application": bot.application,
        "interaction": interaction,
        "secret": next(filter(None, secrets)),
    }


async def test_every_route_leads_somewhere() -> None:
    demo_server = Scenery(limits=RateLimits.off())
    names = _names(demo_server)

    answers = []
    for what, body, _ in CALLS:
        filled = json.loads(_fill(json.dumps(body), names))
        answers.append((what, (await demo_server.call(_fill(what, names), filled)).status))

    assert [(what, status) for what, _, status in CALLS] == answers
    assert {route.name for route in ROUTES} == {call.route for call in demo_server.rest.calls}


def _fill(text: str, names: dict[str, str]) -> str:
    for name, value in names.items():
        text = text.replace("{" + name + "}", value)
    return text


async def test_an_interaction_is_answered_in_full_if_that_is_asked_for() -> None:
    demo_server = Scenery()
    names = _names(demo_server)

    answer = await demo_server.call(
        _fill("POST /interactions/{interaction}/{secret}/callback", names),
        {"type": 4, "data": {"content": "yes"}},
        query={"with_response": "1"},
        token="",
    )

    assert (200, {"interaction", "resource"}) == (answer.status, set(answer.body))


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("GET /users/@me", "GET /users/@me"),
        ("GET /users/1", "GET /users/{user}"),
        ("POST /channels/1/messages/bulk-delete", "POST /channels/{channel}/messages/bulk-delete"),
        (
            "DELETE /channels/1/messages/2/reactions/a:3/@me",
            "DELETE /channels/{channel}/messages/{message}/reactions/{emoji}/@me",
        ),
        ("DELETE /channels/1/messages/2", "DELETE /channels/{channel}/messages/{message}"),
        ("DELETE /users/1", None),
        ("GET /", None),
        ("GET /channels/1/messages/2/3", None),
    ],
)
async def test_of_routes_that_look_alike_the_right_one_is_taken(what: str, expected: str | None) -> None:
    found = find_route(RestRequest(*what.split(" ")))

    assert expected == (found and found[0].name)


async def test_where_nobody_says_who_they_are_nobody_is() -> None:
    ask = Ask(Scenery().world.state, RestRequest("GET", "/users/@me"), {}, None)

    with pytest.raises(Refusal, match="401: Unauthorized"):
        ask.who  # noqa: B018  # the point is to ask for it
