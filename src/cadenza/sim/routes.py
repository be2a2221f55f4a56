"""The calls that the simulated Discord knows, and what in the world each of them is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from .api_errors import as_list
from .paths import Pattern, split
from .wire import File, Json, Refusal, RestRequest
from .world import Bot, World


@dataclass(frozen=True, slots=True)
class Ask:
    """A call, taken apart."""

    world: World
    request: RestRequest
    names: dict[str, str]
    """What stands in the path where it is left open."""
    asker: Bot | None
    """``None`` where the path has a token of its own."""

    def __getitem__(self, name: str) -> str:
        return self.names[name]

    @property
    def bot(self) -> Bot:
        """Who asks."""
        if self.asker is None:
            raise unauthorised()
        return self.asker

    @property
    def who(self) -> str:
        """The id of who asks."""
        return self.bot.id

    @property
    def user(self) -> str:
        """The id of whom the path names, who may be the asker."""
        return self.who if self["user"] == "@me" else self["user"]

    @property
    def files(self) -> tuple[File, ...]:
        """What was sent along."""
        return self.request.files

    @property
    def payload(self) -> Json:
        """The object that was sent; nothing at all is an empty one."""
        body = {} if self.request.body is None else self.request.body
        if not isinstance(body, dict):
            raise not_json()
        return body

    @property
    def objects(self) -> list[Json]:
        """The list of objects that was sent."""
        body = self.request.body
        if not isinstance(body, list) or not all(isinstance(item, dict) for item in body):
            raise not_json()
        return body

    @property
    def thread(self) -> str | None:
        """The thread that a webhook is to speak in."""
        return self.request.query.get("thread_id")

    def is_asked_for(self, name: str) -> bool:
        """Whether the query says yes to *name*."""
        return self.request.query.get(name, "").lower() in ("1", "true")

    def number(self, name: str, otherwise: int) -> int:
        """A number from the query."""
        text = self.request.query.get(name, str(otherwise))
        if not text.isdecimal():
            problem = {"code": "NUMBER_TYPE_COERCE", "message": f'Value "{text}" is not int.'}
            raise Refusal(400, 50035, "Invalid Form Body", fields={name: {"_errors": [problem]}})
        return int(text)


Handler: TypeAlias = Callable[[Ask], Any]
"""Gives back what Discord answers; ``None`` is an empty answer."""


def unauthorised() -> Refusal:
    """The answer to who does not say who they are."""
    return Refusal(401, 0, "401: Unauthorized")


def not_json() -> Refusal:
    """The answer to a body that is not what is expected."""
    return Refusal(400, 50109, "The request body contains invalid JSON.")


def no_such_route() -> Refusal:
    """The answer to a call that there is not."""
    return Refusal(404, 0, "404: Not Found")


@dataclass(frozen=True, slots=True)
class Route:
    """One kind of call."""

    name: str
    """``POST /channels/{channel}/messages``."""
    handler: Handler
    status: int = 200
    """Of an answer that is not empty."""
    is_open: bool = False
    """Whether it needs no bot's token: there is one in the path, or nothing to protect."""
    pattern: Pattern = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "pattern", Pattern.read(self.name))


def find_route(request: RestRequest) -> tuple[Route, dict[str, str]] | None:
    """Which of the routes a request takes, and what stands where it is left open."""
    parts = split(request.path)
    for route in _BY_SHAPE.get((request.method, len(parts)), ()):
        names = route.pattern.read_parts(parts)
        if names is not None:
            return route, names
    return None


# --- calls that are more than one line --------------------------------------------------------------------


def _members(ask: Ask) -> list[Json]:
    after = ask.request.query.get("after", "0")
    return ask.world.get_members(ask.who, ask["guild"], limit=ask.number("limit", 1), after=after)


def _bans(ask: Ask) -> list[Json]:
    after = ask.request.query.get("after", "0")
    return ask.world.get_bans(ask.who, ask["guild"], limit=ask.number("limit", 1000), after=after)


def _pins(ask: Ask) -> Json:
    before = ask.request.query.get("before")
    return ask.world.get_pins(ask.who, ask["channel"], limit=ask.number("limit", 50), before=before)


def _reactors(ask: Ask) -> list[Json]:
    after, limit = ask.request.query.get("after", "0"), ask.number("limit", 25)
    return ask.world.reactors(ask.who, ask["channel"], ask["message"], ask["emoji"], limit=limit, after=after)


def _messages(ask: Ask) -> list[Json]:
    query = ask.request.query
    return ask.world.get_messages(
        ask.who,
        ask["channel"],
        before=query.get("before"),
        after=query.get("after"),
        around=query.get("around"),
        limit=ask.number("limit", 50),
    )


def _bulk_delete(ask: Ask) -> None:
    ask.world.bulk_delete(ask.who, ask["channel"], as_list(ask.payload.get("messages"), at="messages"))


def _execute(ask: Ask) -> Json | None:
    said = ask.world.execute_webhook(ask["webhook"], ask["token"], ask.payload, ask.files, thread=ask.thread)
    return said if ask.is_asked_for("wait") else None


def _edit_said(ask: Ask) -> Json:
    return ask.world.edit_webhook_message(
        ask["webhook"], ask["token"], ask["message"], thread=ask.thread, payload=ask.payload, files=ask.files
    )


def _respond(ask: Ask) -> Json | None:
    answer = ask.world.respond(ask["interaction"], ask["token"], ask.payload, ask.files)
    return answer if ask.is_asked_for("with_response") else None


_MESSAGE = "/channels/{channel}/messages/{message}"
_REACTION = _MESSAGE + "/reactions/{emoji}"
_PIN = "/channels/{channel}/messages/pins/{message}"
_IN_THREAD = "/channels/{channel}/thread-members"
_OVERWRITE = "/channels/{channel}/permissions/{target}"
_MEMBER_ROLE = "/guilds/{guild}/members/{user}/roles/{role}"
_WEBHOOK = "/webhooks/{webhook}/{token}"
_SAID = _WEBHOOK + "/messages/{message}"
_COMMANDS = "/applications/{application}/commands"
_GUILD_COMMANDS = "/applications/{application}/guilds/{guild}/commands"

ROUTES: Final = (
    # people and servers
    Route("GET /users/@me", lambda a: a.world.current_user(a.who)),
    Route("GET /oauth2/applications/@me", lambda a: a.world.application(a.bot)),
    Route("GET /applications/@me", lambda a: a.world.application(a.bot)),
    Route("GET /users/@me/guilds", lambda a: a.world.own_guilds(a.bot)),
    Route("POST /users/@me/channels", lambda a: a.world.create_dm(a.who, str(a.payload.get("recipient_id")))),
    Route("GET /users/{user}", lambda a: a.world.get_user(a.who, a["user"])),
    Route("GET /guilds/{guild}", lambda a: a.world.get_guild(a.who, a["guild"])),
    Route("GET /guilds/{guild}/channels", lambda a: a.world.get_channels(a.who, a["guild"])),
    Route("GET /guilds/{guild}/members", _members),
    Route("GET /guilds/{guild}/members/{user}", lambda a: a.world.get_member(a.who, a["guild"], a["user"])),
    Route("GET /guilds/{guild}/roles", lambda a: a.world.get_roles(a.who, a["guild"])),
    Route("GET /guilds/{guild}/emojis", lambda a: a.world.get_emojis(a.who, a["guild"])),
    Route("GET /guilds/{guild}/webhooks", lambda a: a.world.guild_webhooks(a.who, a["guild"])),
    # moderation
    Route("PATCH /guilds/{guild}/members/@me", lambda a: a.world.edit_member(a.who, a["guild"], a.who, a.payload)),
    Route(
        "PATCH /guilds/{guild}/members/{user}",
        lambda a: a.world.edit_member(a.who, a["guild"], a["user"], a.payload),
    ),
    Route("DELETE /guilds/{guild}/members/{user}", lambda a: a.world.kick(a.who, a["guild"], a["user"])),
    Route("PUT " + _MEMBER_ROLE, lambda a: a.world.add_member_role(a.who, a["guild"], a["user"], a["role"])),
    Route("DELETE " + _MEMBER_ROLE, lambda a: a.world.remove_member_role(a.who, a["guild"], a["user"], a["role"])),
    Route("GET /guilds/{guild}/bans", _bans),
    Route("GET /guilds/{guild}/bans/{user}", lambda a: a.world.get_ban(a.who, a["guild"], a["user"])),
    Route("PUT /guilds/{guild}/bans/{user}", lambda a: a.world.ban(a.who, a["guild"], a["user"], a.request.reason)),
    Route("DELETE /guilds/{guild}/bans/{user}", lambda a: a.world.unban(a.who, a["guild"], a["user"])),
    Route("POST /guilds/{guild}/roles", lambda a: a.world.create_role(a.who, a["guild"], a.payload)),
    Route("PATCH /guilds/{guild}/roles/{role}", lambda a: a.world.edit_role(a.who, a["guild"], a["role"], a.payload)),
    Route("DELETE /guilds/{guild}/roles/{role}", lambda a: a.world.delete_role(a.who, a["guild"], a["role"])),
    # channels
    Route("POST /guilds/{guild}/channels", lambda a: a.world.create_channel(a.who, a["guild"], a.payload), 201),
    Route("PUT " + _OVERWRITE, lambda a: a.world.put_overwrite(a.who, a["channel"], a["target"], a.payload)),
    Route("DELETE " + _OVERWRITE, lambda a: a.world.delete_overwrite(a.who, a["channel"], a["target"])),
    Route("GET /channels/{channel}", lambda a: a.world.get_channel(a.who, a["channel"])),
    Route("PATCH /channels/{channel}", lambda a: a.world.edit_channel(a.who, a["channel"], a.payload)),
    Route("DELETE /channels/{channel}", lambda a: a.world.delete_channel(a.who, a["channel"])),
    Route("POST /channels/{channel}/typing", lambda a: a.world.typing(a.who, a["channel"])),
    Route(
        "POST /channels/{channel}/threads",
        lambda a: a.world.create_thread(a.who, a["channel"], a.payload, files=a.files),
        201,
    ),
    Route(
        "POST " + _MESSAGE + "/threads",
        lambda a: a.world.create_thread(a.who, a["channel"], a.payload, message=a["message"]),
        201,
    ),
    Route("GET /guilds/{guild}/threads/active", lambda a: a.world.active_threads(a.who, a["guild"])),
    Route(
        "GET /channels/{channel}/threads/archived/public",
        lambda a: a.world.archived_threads(a.who, a["channel"], is_private=False),
    ),
    Route(
        "GET /channels/{channel}/threads/archived/private",
        lambda a: a.world.archived_threads(a.who, a["channel"], is_private=True),
    ),
    Route(
        "GET /channels/{channel}/users/@me/threads/archived/private",
        lambda a: a.world.archived_threads(a.who, a["channel"], is_private=True, is_joined=True),
    ),
    Route("GET " + _IN_THREAD, lambda a: a.world.get_thread_members(a.who, a["channel"])),
    Route("GET " + _IN_THREAD + "/{user}", lambda a: a.world.get_thread_member(a.who, a["channel"], a.user)),
    Route("PUT " + _IN_THREAD + "/{user}", lambda a: a.world.add_thread_member(a.who, a["channel"], a.user)),
    Route("DELETE " + _IN_THREAD + "/{user}", lambda a: a.world.remove_thread_member(a.who, a["channel"], a.user)),
    # messages
    Route("GET /channels/{channel}/messages/pins", _pins),
    Route("PUT " + _PIN, lambda a: a.world.pin(a.who, a["channel"], a["message"])),
    Route("DELETE " + _PIN, lambda a: a.world.unpin(a.who, a["channel"], a["message"])),
    Route(
        "POST /channels/{channel}/messages",
        lambda a: a.world.create_message(a.who, a["channel"], a.payload, a.files),
    ),
    Route("GET /channels/{channel}/messages", _messages),
    Route("POST /channels/{channel}/messages/bulk-delete", _bulk_delete),
    Route("GET " + _MESSAGE, lambda a: a.world.get_message(a.who, a["channel"], a["message"])),
    Route(
        "PATCH " + _MESSAGE,
        lambda a: a.world.edit_message(a.who, a["channel"], a["message"], a.payload, a.files),
    ),
    Route("DELETE " + _MESSAGE, lambda a: a.world.delete_message(a.who, a["channel"], a["message"])),
    Route("GET " + _REACTION, _reactors),
    Route("DELETE " + _REACTION, lambda a: a.world.clear_reactions(a.who, a["channel"], a["message"], a["emoji"])),
    Route("DELETE " + _MESSAGE + "/reactions", lambda a: a.world.clear_reactions(a.who, a["channel"], a["message"])),
    Route("PUT " + _REACTION + "/@me", lambda a: a.world.react(a.who, a["channel"], a["message"], a["emoji"])),
    Route(
        "DELETE " + _REACTION + "/@me",
        lambda a: a.world.unreact(a.who, a["channel"], a["message"], a["emoji"], a.who),
    ),
    Route(
        "DELETE " + _REACTION + "/{user}",
        lambda a: a.world.unreact(a.who, a["channel"], a["message"], a["emoji"], a["user"]),
    ),
    # webhooks
    Route("GET /channels/{channel}/webhooks", lambda a: a.world.channel_webhooks(a.who, a["channel"])),
    Route("POST /channels/{channel}/webhooks", lambda a: a.world.create_webhook(a.who, a["channel"], a.payload)),
    Route("GET /webhooks/{webhook}", lambda a: a.world.get_webhook(a.who, a["webhook"])),
    Route("PATCH /webhooks/{webhook}", lambda a: a.world.edit_webhook(a.who, a["webhook"], a.payload)),
    Route("DELETE /webhooks/{webhook}", lambda a: a.world.delete_webhook(a.who, a["webhook"])),
    Route("GET " + _WEBHOOK, lambda a: a.world.webhook_with_token(a["webhook"], a["token"]), is_open=True),
    Route(
        "PATCH " + _WEBHOOK,
        lambda a: a.world.edit_webhook_with_token(a["webhook"], a["token"], a.payload),
        is_open=True,
    ),
    Route("DELETE " + _WEBHOOK, lambda a: a.world.delete_webhook_with_token(a["webhook"], a["token"]), is_open=True),
    Route("POST " + _WEBHOOK, _execute, is_open=True),
    Route(
        "GET " + _SAID,
        lambda a: a.world.get_webhook_message(a["webhook"], a["token"], a["message"], thread=a.thread),
        is_open=True,
    ),
    Route("PATCH " + _SAID, _edit_said, is_open=True),
    Route(
        "DELETE " + _SAID,
        lambda a: a.world.delete_webhook_message(a["webhook"], a["token"], a["message"], thread=a.thread),
        is_open=True,
    ),
    # commands and interactions
    Route("GET " + _COMMANDS, lambda a: a.world.get_commands(a.who, None)),
    Route("PUT " + _COMMANDS, lambda a: a.world.put_commands(a.who, None, a.objects)),
    Route("GET " + _GUILD_COMMANDS, lambda a: a.world.get_commands(a.who, a["guild"])),
    Route("PUT " + _GUILD_COMMANDS, lambda a: a.world.put_commands(a.who, a["guild"], a.objects)),
    Route("POST /interactions/{interaction}/{token}/callback", _respond, is_open=True),
    # what some libraries ask for when they start
    Route("GET /soundboard-default-sounds", lambda _: []),
    Route("GET /voice/regions", lambda _: []),
)
"""Where two fit, the first is meant."""


def _by_shape() -> dict[tuple[str, int], list[Route]]:
    shapes: dict[tuple[str, int], list[Route]] = {}
    for route in ROUTES:
        shapes.setdefault((route.pattern.method, len(route.pattern.parts)), []).append(route)
    return shapes


_BY_SHAPE: Final = _by_shape()
