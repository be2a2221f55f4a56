"""The calls that the simulated Discord knows, and what in the world each of them is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from . import channels, guilds, housekeeping, interactions, messages, moderation, pins, reactions, webhooks
from .paths import Pattern, split
from .refusals import as_list
from .state import Bot, State
from .wire import File, Json, Refusal, Request


@dataclass(frozen=True, slots=True)
class Ask:
    """A call, taken apart."""

    state: State
    request: Request
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


def find_route(request: Request) -> tuple[Route, dict[str, str]] | None:
    """Which of the routes a request takes, and what stands where it is left open."""
    parts = split(request.path)
    for route in _BY_SHAPE.get((request.method, len(parts)), ()):
        names = route.pattern.read_parts(parts)
        if names is not None:
            return route, names
    return None


def _path(function: Callable[..., Any], **options: bool) -> Handler:
    """Call *function* with the caller, the ids in the path and *options*."""
    return lambda ask: function(ask.state, ask.who, *ask.names.values(), **options)


def _form(function: Callable[..., Any]) -> Handler:
    """Call *function* with the caller, the ids in the path and the JSON body."""
    return lambda ask: function(ask.state, ask.who, *ask.names.values(), ask.payload)


def _files(function: Callable[..., Any]) -> Handler:
    """Call *function* with the caller, the ids in the path, the JSON body and the uploaded files."""
    return lambda ask: function(ask.state, ask.who, *ask.names.values(), ask.payload, files=ask.files)


def _token(function: Callable[..., Any]) -> Handler:
    """Call *function* with the ids and the token in the path."""
    return lambda ask: function(ask.state, *ask.names.values())


def _said(function: Callable[..., Any]) -> Handler:
    """Call *function* with the ids and the token in the path, and the thread in the query."""
    return lambda ask: function(ask.state, *ask.names.values(), thread=ask.thread)


def _in_thread(function: Callable[..., Any]) -> Handler:
    """Call *function* with the caller, a thread and a user, who may be ``@me``."""
    return lambda ask: function(ask.state, ask.who, ask["channel"], ask.user)


def _members(ask: Ask) -> list[Json]:
    after = ask.request.query.get("after", "0")
    return guilds.get_members(ask.state, ask.who, ask["guild"], limit=ask.number("limit", 1), after=after)


def _bans(ask: Ask) -> list[Json]:
    after = ask.request.query.get("after", "0")
    return moderation.get_bans(ask.state, ask.who, ask["guild"], limit=ask.number("limit", 1000), after=after)


def _pins(ask: Ask) -> Json:
    before = ask.request.query.get("before")
    return pins.get_pins(ask.state, ask.who, ask["channel"], limit=ask.number("limit", 50), before=before)


def _unreact(ask: Ask) -> None:
    user = ask.names.get("user", ask.who)
    reactions.remove(ask.state, ask.who, ask["channel"], ask["message"], ask["emoji"], user=user)


def _reactors(ask: Ask) -> list[Json]:
    after, limit = ask.request.query.get("after", "0"), ask.number("limit", 25)
    return reactions.reactors(
        ask.state, ask.who, ask["channel"], ask["message"], ask["emoji"], limit=limit, after=after
    )


def _messages(ask: Ask) -> list[Json]:
    query = ask.request.query
    return messages.get_many(
        ask.state,
        ask.who,
        ask["channel"],
        before=query.get("before"),
        after=query.get("after"),
        around=query.get("around"),
        limit=ask.number("limit", 50),
    )


def _bulk_delete(ask: Ask) -> None:
    messages.bulk_delete(ask.state, ask.who, ask["channel"], as_list(ask.payload.get("messages"), at="messages"))


def _execute(ask: Ask) -> Json | None:
    said = interactions.execute_webhook(
        ask.state, ask["webhook"], ask["token"], ask.payload, ask.files, thread=ask.thread
    )
    return said if ask.is_asked_for("wait") else None


def _edit_webhook(ask: Ask) -> Json:
    return webhooks.edit_with_token(ask.state, ask["webhook"], ask["token"], ask.payload)


def _edit_said(ask: Ask) -> Json:
    return interactions.edit_webhook_message(
        ask.state, ask["webhook"], ask["token"], ask["message"], thread=ask.thread, payload=ask.payload, files=ask.files
    )


def _respond(ask: Ask) -> Json | None:
    answer = interactions.respond(ask.state, ask["interaction"], ask["token"], ask.payload, ask.files)
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
    Route("GET /users/@me", _path(guilds.current_user)),
    Route("GET /oauth2/applications/@me", lambda a: guilds.application(a.state, a.bot)),
    Route("GET /applications/@me", lambda a: guilds.application(a.state, a.bot)),
    Route("GET /users/@me/guilds", lambda a: guilds.own_guilds(a.state, a.bot)),
    Route("POST /users/@me/channels", lambda a: channels.create_dm(a.state, a.who, str(a.payload.get("recipient_id")))),
    Route("GET /users/{user}", _path(guilds.get_user)),
    Route("GET /guilds/{guild}", _path(guilds.get)),
    Route("GET /guilds/{guild}/channels", _path(guilds.get_channels)),
    Route("GET /guilds/{guild}/members", _members),
    Route("GET /guilds/{guild}/members/{user}", _path(guilds.get_member)),
    Route("GET /guilds/{guild}/roles", _path(guilds.get_roles)),
    Route("GET /guilds/{guild}/emojis", _path(guilds.get_emojis)),
    Route("GET /guilds/{guild}/webhooks", _path(webhooks.of_guild)),
    # moderation
    Route(
        "PATCH /guilds/{guild}/members/@me",
        lambda a: moderation.edit_member(a.state, a.who, a["guild"], a.who, a.payload),
    ),
    Route("PATCH /guilds/{guild}/members/{user}", _form(moderation.edit_member)),
    Route("DELETE /guilds/{guild}/members/{user}", _path(moderation.kick)),
    Route("PUT " + _MEMBER_ROLE, _path(moderation.add_member_role)),
    Route("DELETE " + _MEMBER_ROLE, _path(moderation.remove_member_role)),
    Route("GET /guilds/{guild}/bans", _bans),
    Route("GET /guilds/{guild}/bans/{user}", _path(moderation.get_ban)),
    Route(
        "PUT /guilds/{guild}/bans/{user}",
        lambda a: moderation.ban(a.state, a.who, a["guild"], a["user"], a.request.reason),
    ),
    Route("DELETE /guilds/{guild}/bans/{user}", _path(moderation.unban)),
    Route("POST /guilds/{guild}/roles", _form(moderation.create_role)),
    Route("PATCH /guilds/{guild}/roles/{role}", _form(moderation.edit_role)),
    Route("DELETE /guilds/{guild}/roles/{role}", _path(moderation.delete_role)),
    # channels
    Route("POST /guilds/{guild}/channels", _form(housekeeping.create_channel), 201),
    Route("PUT " + _OVERWRITE, _form(housekeeping.put_overwrite)),
    Route("DELETE " + _OVERWRITE, _path(housekeeping.delete_overwrite)),
    Route("GET /channels/{channel}", _path(channels.get)),
    Route("PATCH /channels/{channel}", _form(channels.edit)),
    Route("DELETE /channels/{channel}", _path(channels.delete)),
    Route("POST /channels/{channel}/typing", _path(messages.start_typing)),
    Route("POST /channels/{channel}/threads", _files(channels.create_thread), 201),
    Route(
        "POST " + _MESSAGE + "/threads",
        lambda a: channels.create_thread(a.state, a.who, a["channel"], a.payload, message=a["message"]),
        201,
    ),
    Route("GET /guilds/{guild}/threads/active", _path(housekeeping.active_threads)),
    Route("GET /channels/{channel}/threads/archived/public", _path(housekeeping.archived_threads, is_private=False)),
    Route("GET /channels/{channel}/threads/archived/private", _path(housekeeping.archived_threads, is_private=True)),
    Route(
        "GET /channels/{channel}/users/@me/threads/archived/private",
        _path(housekeeping.archived_threads, is_private=True, is_joined=True),
    ),
    Route("GET " + _IN_THREAD, _path(housekeeping.get_thread_members)),
    Route("GET " + _IN_THREAD + "/{user}", _in_thread(housekeeping.get_thread_member)),
    Route("PUT " + _IN_THREAD + "/{user}", _in_thread(housekeeping.add_thread_member)),
    Route("DELETE " + _IN_THREAD + "/{user}", _in_thread(housekeeping.remove_thread_member)),
    # messages
    Route("GET /channels/{channel}/messages/pins", _pins),
    Route("PUT " + _PIN, _path(pins.pin)),
    Route("DELETE " + _PIN, _path(pins.unpin)),
    Route("POST /channels/{channel}/messages", _files(messages.create)),
    Route("GET /channels/{channel}/messages", _messages),
    Route("POST /channels/{channel}/messages/bulk-delete", _bulk_delete),
    Route("GET " + _MESSAGE, _path(messages.get)),
    Route("PATCH " + _MESSAGE, _files(messages.edit)),
    Route("DELETE " + _MESSAGE, _path(messages.delete)),
    Route("GET " + _REACTION, _reactors),
    Route("DELETE " + _REACTION, _path(reactions.clear)),
    Route("DELETE " + _MESSAGE + "/reactions", _path(reactions.clear)),
    Route("PUT " + _REACTION + "/@me", _path(reactions.add)),
    Route("DELETE " + _REACTION + "/@me", _unreact),
    Route("DELETE " + _REACTION + "/{user}", _unreact),
    # webhooks
    Route("GET /channels/{channel}/webhooks", _path(webhooks.of_channel)),
    Route("POST /channels/{channel}/webhooks", _form(webhooks.create)),
    Route("GET /webhooks/{webhook}", _path(webhooks.get)),
    Route("PATCH /webhooks/{webhook}", _form(webhooks.edit)),
    Route("DELETE /webhooks/{webhook}", _path(webhooks.delete)),
    Route("GET " + _WEBHOOK, _token(webhooks.get_with_token), is_open=True),
    Route("PATCH " + _WEBHOOK, _edit_webhook, is_open=True),
    Route("DELETE " + _WEBHOOK, _token(webhooks.delete_with_token), is_open=True),
    Route("POST " + _WEBHOOK, _execute, is_open=True),
    Route("GET " + _SAID, _said(interactions.get_webhook_message), is_open=True),
    Route("PATCH " + _SAID, _edit_said, is_open=True),
    Route("DELETE " + _SAID, _said(interactions.delete_webhook_message), is_open=True),
    # commands and interactions
    Route("GET " + _COMMANDS, lambda a: interactions.get_commands(a.state, a.who, None)),
    Route("PUT " + _COMMANDS, lambda a: interactions.put_commands(a.state, a.who, None, a.objects)),
    Route("GET " + _GUILD_COMMANDS, lambda a: interactions.get_commands(a.state, a.who, a["guild"])),
    Route("PUT " + _GUILD_COMMANDS, lambda a: interactions.put_commands(a.state, a.who, a["guild"], a.objects)),
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
