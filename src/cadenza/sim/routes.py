"""The REST calls of the simulated Discord, and the function of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from . import channel_admin, channels, guilds, interactions, messages, moderation, pins, reactions, webhooks
from .api_errors import as_list, unauthorised
from .paths import Pattern, split
from .state import Bot, State
from .wire import File, Json, Refusal, RestRequest


@dataclass(frozen=True, slots=True)
class Ask:
    """A REST call and its parts."""

    state: State
    request: RestRequest
    names: dict[str, str]
    """The variable parts of the path."""
    asker: Bot | None
    """``None`` where the path has a token."""

    def __getitem__(self, name: str) -> str:
        return self.names[name]

    @property
    def bot(self) -> Bot:
        """The caller."""
        if self.asker is None:
            raise unauthorised()
        return self.asker

    @property
    def who(self) -> str:
        """The id of the caller."""
        return self.bot.id

    @property
    def user(self) -> str:
        """The id of the user in the path; ``@me`` is the caller."""
        return self.who if self["user"] == "@me" else self["user"]

    @property
    def files(self) -> tuple[File, ...]:
        """The uploaded files."""
        return self.request.files

    @property
    def payload(self) -> Json:
        """The JSON object of the body; a missing body is an empty one."""
        body = {} if self.request.body is None else self.request.body
        if not isinstance(body, dict):
            raise not_json()
        return body

    @property
    def objects(self) -> list[Json]:
        """The JSON list of objects of the body."""
        body = self.request.body
        if not isinstance(body, list) or not all(isinstance(item, dict) for item in body):
            raise not_json()
        return body

    def parts(self, names: Iterable[str]) -> dict[str, Any]:
        """The parts of the call with these *names*: payload, files, thread."""
        return {name: getattr(self, name) for name in names}

    @property
    def thread(self) -> str | None:
        """The thread that a webhook should send to."""
        return self.request.query.get("thread_id")

    def is_asked_for(self, name: str) -> bool:
        """Whether the query sets *name*."""
        return self.request.query.get(name, "").lower() in ("1", "true")

    def number(self, name: str, otherwise: int) -> int:
        """A number from the query."""
        text = self.request.query.get(name, str(otherwise))
        if not text.isdecimal():
            problem = {"code": "NUMBER_TYPE_COERCE", "message": f'Value "{text}" is not int.'}
            raise Refusal(400, 50035, "Invalid Form Body", fields={name: {"_errors": [problem]}})
        return int(text)


Handler: TypeAlias = Callable[[Ask], Any]
"""Returns the body of the response; ``None`` is an empty one."""


def not_json() -> Refusal:
    """The refusal of a malformed body."""
    return Refusal(400, 50109, "The request body contains invalid JSON.")


@dataclass(frozen=True, slots=True)
class Route:
    """One REST call."""

    name: str
    """``POST /channels/{channel}/messages``."""
    handler: Handler
    status: int = 200
    """The status of a response that has a body."""
    is_open: bool = False
    """Whether it needs no bot token: the path has one."""
    pattern: Pattern = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "pattern", Pattern.read(self.name))


def find_route(request: RestRequest) -> tuple[Route, dict[str, str]] | None:
    """The route of a request, and the variable parts of its path."""
    parts = split(request.path)
    for route in _BY_SHAPE.get((request.method, len(parts)), ()):
        names = route.pattern.read_parts(parts)
        if names is not None:
            return route, names
    return None


def _call(function: Callable[..., Any], *takes: str, **fixed: bool) -> Handler:
    """Call *function* with the caller and the ids in the path; by name, with the parts of the call in *takes*."""
    return lambda ask: function(ask.state, ask.who, *ask.names.values(), **ask.parts(takes), **fixed)


def _open(function: Callable[..., Any], *takes: str) -> Handler:
    """As ``_call``, without a caller: the path has a token."""
    return lambda ask: function(ask.state, *ask.names.values(), **ask.parts(takes))


def _page(function: Callable[..., Any], *edges: str, limit: int) -> Handler:
    """As ``_call``, with the *edges* and the limit that the query has."""

    def handle(ask: Ask) -> Any:
        given = {name: ask.request.query[name] for name in edges if name in ask.request.query}
        return function(ask.state, ask.who, *ask.names.values(), limit=ask.number("limit", limit), **given)

    return handle


def _in_thread(function: Callable[..., Any]) -> Handler:
    """Call *function* with the caller, a thread and a user, who may be ``@me``."""
    return lambda ask: function(ask.state, ask.who, ask["channel"], ask.user)


def _unreact(ask: Ask) -> None:
    user = ask.names.get("user", ask.who)
    reactions.remove(ask.state, ask.who, ask["channel"], ask["message"], ask["emoji"], user=user)


def _bulk_delete(ask: Ask) -> None:
    messages.bulk_delete(ask.state, ask.who, ask["channel"], as_list(ask.payload.get("messages"), at="messages"))


def _execute(ask: Ask) -> Json | None:
    said = _open(interactions.execute_webhook, "payload", "files", "thread")(ask)
    return said if ask.is_asked_for("wait") else None


def _respond(ask: Ask) -> Json | None:
    answer = _open(interactions.respond, "payload", "files")(ask)
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
    # users and guilds
    Route("GET /users/@me", _call(guilds.current_user)),
    Route("GET /oauth2/applications/@me", lambda a: guilds.application(a.state, a.bot)),
    Route("GET /applications/@me", lambda a: guilds.application(a.state, a.bot)),
    Route("GET /users/@me/guilds", lambda a: guilds.own_guilds(a.state, a.bot)),
    Route("POST /users/@me/channels", lambda a: channels.create_dm(a.state, a.who, str(a.payload.get("recipient_id")))),
    Route("GET /users/{user}", _call(guilds.get_user)),
    Route("GET /guilds/{guild}", _call(guilds.get)),
    Route("GET /guilds/{guild}/channels", _call(guilds.get_channels)),
    Route("GET /guilds/{guild}/members", _page(guilds.get_members, "after", limit=1)),
    Route("GET /guilds/{guild}/members/{user}", _call(guilds.get_member)),
    Route("GET /guilds/{guild}/roles", _call(guilds.get_roles)),
    Route("GET /guilds/{guild}/emojis", _call(guilds.get_emojis)),
    Route("GET /guilds/{guild}/webhooks", _call(webhooks.of_guild)),
    # moderation
    Route(
        "PATCH /guilds/{guild}/members/@me",
        lambda a: moderation.edit_member(a.state, a.who, a["guild"], a.who, a.payload),
    ),
    Route("PATCH /guilds/{guild}/members/{user}", _call(moderation.edit_member, "payload")),
    Route("DELETE /guilds/{guild}/members/{user}", _call(moderation.kick)),
    Route("PUT " + _MEMBER_ROLE, _call(moderation.add_member_role)),
    Route("DELETE " + _MEMBER_ROLE, _call(moderation.remove_member_role)),
    Route("GET /guilds/{guild}/bans", _page(moderation.get_bans, "after", limit=1000)),
    Route("GET /guilds/{guild}/bans/{user}", _call(moderation.get_ban)),
    Route(
        "PUT /guilds/{guild}/bans/{user}",
        lambda a: moderation.ban(a.state, a.who, a["guild"], a["user"], a.request.reason),
    ),
    Route("DELETE /guilds/{guild}/bans/{user}", _call(moderation.unban)),
    Route("POST /guilds/{guild}/roles", _call(moderation.create_role, "payload")),
    Route("PATCH /guilds/{guild}/roles/{role}", _call(moderation.edit_role, "payload")),
    Route("DELETE /guilds/{guild}/roles/{role}", _call(moderation.delete_role)),
    # channels
    Route("POST /guilds/{guild}/channels", _call(channel_admin.create_channel, "payload"), 201),
    Route("PUT " + _OVERWRITE, _call(channel_admin.put_overwrite, "payload")),
    Route("DELETE " + _OVERWRITE, _call(channel_admin.delete_overwrite)),
    Route("GET /channels/{channel}", _call(channels.get)),
    Route("PATCH /channels/{channel}", _call(channels.edit, "payload")),
    Route("DELETE /channels/{channel}", _call(channels.delete)),
    Route("POST /channels/{channel}/typing", _call(messages.start_typing)),
    Route("POST /channels/{channel}/threads", _call(channels.create_thread, "payload", "files"), 201),
    Route(
        "POST " + _MESSAGE + "/threads",
        lambda a: channels.create_thread(a.state, a.who, a["channel"], a.payload, message=a["message"]),
        201,
    ),
    Route("GET /guilds/{guild}/threads/active", _call(channel_admin.active_threads)),
    Route("GET /channels/{channel}/threads/archived/public", _call(channel_admin.archived_threads, is_private=False)),
    Route("GET /channels/{channel}/threads/archived/private", _call(channel_admin.archived_threads, is_private=True)),
    Route(
        "GET /channels/{channel}/users/@me/threads/archived/private",
        _call(channel_admin.archived_threads, is_private=True, is_joined=True),
    ),
    Route("GET " + _IN_THREAD, _call(channel_admin.get_thread_members)),
    Route("GET " + _IN_THREAD + "/{user}", _in_thread(channel_admin.get_thread_member)),
    Route("PUT " + _IN_THREAD + "/{user}", _in_thread(channel_admin.add_thread_member)),
    Route("DELETE " + _IN_THREAD + "/{user}", _in_thread(channel_admin.remove_thread_member)),
    # messages
    Route("GET /channels/{channel}/messages/pins", _page(pins.get_pins, "before", limit=50)),
    Route("PUT " + _PIN, _call(pins.pin)),
    Route("DELETE " + _PIN, _call(pins.unpin)),
    Route("POST /channels/{channel}/messages", _call(messages.create, "payload", "files")),
    Route("GET /channels/{channel}/messages", _page(messages.get_many, "before", "after", "around", limit=50)),
    Route("POST /channels/{channel}/messages/bulk-delete", _bulk_delete),
    Route("GET " + _MESSAGE, _call(messages.get)),
    Route("PATCH " + _MESSAGE, _call(messages.edit, "payload", "files")),
    Route("DELETE " + _MESSAGE, _call(messages.delete)),
    Route("GET " + _REACTION, _page(reactions.reactors, "after", limit=25)),
    Route("DELETE " + _REACTION, _call(reactions.clear)),
    Route("DELETE " + _MESSAGE + "/reactions", _call(reactions.clear)),
    Route("PUT " + _REACTION + "/@me", _call(reactions.add)),
    Route("DELETE " + _REACTION + "/@me", _unreact),
    Route("DELETE " + _REACTION + "/{user}", _unreact),
    # webhooks
    Route("GET /channels/{channel}/webhooks", _call(webhooks.of_channel)),
    Route("POST /channels/{channel}/webhooks", _call(webhooks.create, "payload")),
    Route("GET /webhooks/{webhook}", _call(webhooks.get)),
    Route("PATCH /webhooks/{webhook}", _call(webhooks.edit, "payload")),
    Route("DELETE /webhooks/{webhook}", _call(webhooks.delete)),
    Route("GET " + _WEBHOOK, _open(webhooks.get_with_token), is_open=True),
    Route("PATCH " + _WEBHOOK, _open(webhooks.edit_with_token, "payload"), is_open=True),
    Route("DELETE " + _WEBHOOK, _open(webhooks.delete_with_token), is_open=True),
    Route("POST " + _WEBHOOK, _execute, is_open=True),
    Route("GET " + _SAID, _open(interactions.get_webhook_message, "thread"), is_open=True),
    Route("PATCH " + _SAID, _open(interactions.edit_webhook_message, "payload", "files", "thread"), is_open=True),
    Route("DELETE " + _SAID, _open(interactions.delete_webhook_message, "thread"), is_open=True),
    # commands and interactions
    Route("GET " + _COMMANDS, lambda a: interactions.get_commands(a.state, a.who, None)),
    Route("PUT " + _COMMANDS, lambda a: interactions.put_commands(a.state, a.who, None, a.objects)),
    Route("GET " + _GUILD_COMMANDS, lambda a: interactions.get_commands(a.state, a.who, a["guild"])),
    Route("PUT " + _GUILD_COMMANDS, lambda a: interactions.put_commands(a.state, a.who, a["guild"], a.objects)),
    Route("POST /interactions/{interaction}/{token}/callback", _respond, is_open=True),
    # some libraries ask for these when they start
    Route("GET /soundboard-default-sounds", lambda _: []),
    Route("GET /voice/regions", lambda _: []),
)
"""Where two match, the first wins."""


def _by_shape() -> dict[tuple[str, int], list[Route]]:
    shapes: dict[tuple[str, int], list[Route]] = {}
    for route in ROUTES:
        shapes.setdefault((route.pattern.method, len(route.pattern.parts)), []).append(route)
    return shapes


_BY_SHAPE: Final = _by_shape()
