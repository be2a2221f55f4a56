"""Records everything that happens in a simulated Discord and inside the replies in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from ...explain.story import Stories
from ...facts import LoggedFact, ReplyBegan, ReplyEnded
from ...sim.objects import ChannelKind, MessageFlag
from ...sim.permissions import Permission
from ...sim.rest import Rest, RestCall
from ...sim.wire import GatewayEvent, Json, Refusal
from ...sim.world import World
from ...text.markup import Names
from .fact_records import record_of, said_in
from .film import FilmRecord
from .json_fields import as_form
from .message_view import as_shown
from .tokens import Tokens
from .urls import Addresses, InlineAddresses

Take = Callable[[FilmRecord], None]
"""Receives each record, in order."""

_ANSWERING = "POST /interactions/{interaction}/{token}/callback"
_REACTED = frozenset(
    {
        "MESSAGE_REACTION_ADD",
        "MESSAGE_REACTION_REMOVE",
        "MESSAGE_REACTION_REMOVE_ALL",
        "MESSAGE_REACTION_REMOVE_EMOJI",
    }
)
_PLACES = frozenset({"CHANNEL_CREATE", "CHANNEL_UPDATE", "THREAD_CREATE", "THREAD_UPDATE"})
_ROLES = frozenset({"GUILD_ROLE_CREATE", "GUILD_ROLE_UPDATE"})
_MEMBERS = frozenset({"GUILD_MEMBER_ADD", "GUILD_MEMBER_UPDATE"})


class Camera:
    """Records a *world* from now on: ``take`` gets everything that happens, with its time on *clock*.

    *me* is the viewer: only channels and ephemeral messages visible to them are recorded. What is there already comes
    first: people, channels and their messages. With *rest* the bot's calls are recorded too. *addresses* says where
    pictures and files are; by default they are in the film itself. If *is_live*, tokens are handed out in short records,
    and ``flush`` must be called about ten times a second.
    """

    def __init__(
        self,
        world: World,
        take: Take,
        *,
        me: str,
        clock: Callable[[], float],
        rest: Rest | None = None,
        addresses: Addresses | None = None,
        is_live: bool = False,
    ) -> None:
        self._world = world
        self._take = take
        self._me = me
        self._clock = clock
        self._begun = clock()
        self._last = 0.0
        self._tokens = Tokens(is_live=is_live)
        self._begins: dict[str, float] = {}  # when each running reply began
        self._stories: dict[str, Stories] = {}
        self._addresses = addresses or InlineAddresses(world)
        self._names: dict[str, str] = {}
        self._roles: dict[str, str] = {}
        self._places: dict[str, str] = {}
        self._known = Names(self._names, self._roles, self._places)
        self._guilds: set[str] = set()
        self._channels: dict[str, Json] = {}  # as last recorded; people too
        self._people: dict[str, Json] = {}
        self._hidden: set[str] = set()  # ephemeral messages for others
        self._ends = [world.listen(self._hear)]
        if rest is not None:
            self._ends.append(rest.listen(self._called))
        self._look_around()

    def stop(self) -> None:
        """Stop recording, and hand out the remaining tokens."""
        self.flush()
        for end in self._ends:
            end()
        self._ends.clear()

    def flush(self) -> None:
        """Hand out the gathered tokens."""
        if record := self._tokens.flush():
            self._take(record)

    def note(self, text: str, urgency: str = "info") -> None:
        """Record a note of the playground itself."""
        self._film("note", {"text": text, "urgency": urgency})

    # --- the inside ------------------------------------------------------------------------

    def hook(self, logged: LoggedFact) -> None:
        """The hook for facts. A reply that began before the camera has no stories."""
        turn, fact = logged.turn, logged.fact
        if isinstance(fact, ReplyBegan):
            self._begin(turn, self._now() - logged.at)
        begins = self._begins.get(turn)
        at = self._now() if begins is None else begins + logged.at
        if token := said_in(fact):
            self._last = at = max(at, self._last)
            if record := self._tokens.add(turn, *token, at):
                self._take(record)
        elif record := record_of(logged, at):
            self._put(record)
        if turn in self._stories:
            for told in self._stories[turn].feed(logged):
                self._film(told.kind, {"turn": turn, **told.about}, at)
        if isinstance(fact, ReplyEnded):
            self._begins.pop(turn, None)
            self._stories.pop(turn, None)

    def _begin(self, turn: str, begins: float) -> None:
        self._begins[turn] = begins
        self._stories[turn] = Stories(begins)

    # --- what the bot asks -----------------------------------------------------------------

    def _called(self, call: RestCall) -> None:
        answer = {"status": call.status, "code": call.code, "retry_after": call.retry_after}
        self._film("call", {"route": call.route, "channel": call.channel or None, **answer})
        if call.route == _ANSWERING and call.status is not None and call.status < 300:
            interaction = call.request.path.split("/")[2]
            form = self._world.modal(interaction)
            if form is not None:
                self._film("form", {"interaction": interaction, "form": as_form(form)})

    # --- what is seen ----------------------------------------------------------------------

    def _look_around(self) -> None:
        for user in self._world.users():
            self._meet(user)
        for place in self._world.places(self._me):
            self._find(place)
            for message in self._world.messages(place["id"]):
                self._say("message", message)

    def _hear(self, event: GatewayEvent) -> None:
        data, name = event.data, event.name
        if name in _MEMBERS:
            self._meet(data["user"], data.get("nick"))
        elif name in _ROLES:
            self._roles[data["role"]["id"]] = data["role"]["name"]
        elif name in _PLACES:
            self._sees(data["id"], is_news=True)
        elif "channel_id" in data and self._sees(data["channel_id"]):
            self._happen(name, data)

    def _happen(self, name: str, data: Json) -> None:
        """Record an event in a visible channel."""
        match name:
            case "MESSAGE_CREATE":
                self._say("message", data)
            case "MESSAGE_UPDATE":
                self._say("changed", self._as_seen(data["channel_id"], data["id"]) or data)
            case "MESSAGE_DELETE":
                self._delete(data["channel_id"], [data["id"]])
            case "MESSAGE_DELETE_BULK":
                self._delete(data["channel_id"], data["ids"])
            case "TYPING_START" if data["user_id"] != self._me:  # Discord does not show people their own typing
                who = self._people.get(data["user_id"]) or self._meet(self._world.get_user(self._me, data["user_id"]))
                shown = {"id": who["id"], "name": who["name"], "avatar": who["avatar"]}
                self._film("typing", {"channel": data["channel_id"], "who": shown})
            case _ if name in _REACTED:
                if message := self._as_seen(data["channel_id"], data["message_id"]):
                    self._say("changed", message)
            case _:
                pass

    def _say(self, kind: str, message: Json) -> None:
        author, meant_for = message["author"], _meant_for(message)
        if meant_for not in (None, self._me):
            self._hidden.add(message["id"])
            return
        if author["id"] not in self._people and author["discriminator"] != "0000":  # a webhook
            self._meet(author)
        self._film(kind, {"message": self._as_shown(message)})

    def _as_shown(self, message: Json) -> Json:
        shown = as_shown(message, self._known, self._addresses)
        if message["mention_roles"] and self._me not in shown["pings"]:
            with suppress(Refusal):  # it may have been deleted
                if self._me in self._world.pinged(message["channel_id"], message["id"]):
                    shown["pings"].append(self._me)
        return shown

    def _as_seen(self, channel: str, message: str) -> Json | None:
        """A changed message as *me* sees it; ``None`` if it cannot be fetched, as an ephemeral one."""
        try:
            return self._world.get_message(self._me, channel, message)
        except Refusal:
            return None

    def _delete(self, channel: str, ids: Sequence[str]) -> None:
        for id_ in ids:
            if id_ in self._hidden:
                self._hidden.discard(id_)
            else:
                self._film("deleted", {"channel": channel, "id": id_})

    def _meet(self, user: Json, nick: str | None = None) -> Json:
        """Record a person who is new or renamed."""
        id_ = user["id"]
        name = nick or user["global_name"] or str(user["username"])
        avatar, is_bot = self._addresses.avatar(user), bool(user["bot"])
        shown = {"id": id_, "name": name, "avatar": avatar, "is_bot": is_bot, "is_me": id_ == self._me}
        self._names[id_] = name
        if self._people.get(id_) != shown:
            self._people[id_] = shown
            self._film("person", {"person": shown})
        return shown

    def _sees(self, channel: str, *, is_news: bool = False) -> bool:
        """Whether *channel* is visible; a new or changed one is recorded first."""
        with suppress(Refusal):
            if Permission.VIEW_CHANNEL in self._world.permissions_in(self._me, channel):
                if is_news or channel not in self._channels:
                    self._find(self._world.get_channel(self._me, channel))
                return True
        return False

    def _find(self, place: Json) -> None:
        kind = ChannelKind(place["type"])
        if kind is ChannelKind.CATEGORY:
            return
        sort = "direct" if kind is ChannelKind.DIRECT else "thread" if kind.is_thread else "text"
        self._look_into(place.get("guild_id"))
        name = self._places[place["id"]] = self._name_of(place)
        shown = {"id": place["id"], "name": name, "sort": sort, "topic": place.get("topic") or ""}
        if self._channels.get(place["id"]) != shown:
            self._channels[place["id"]] = shown
            self._film("channel", {"channel": shown})

    def _look_into(self, guild: str | None) -> None:
        """Learn the names of a guild's roles and members."""
        if guild is None or guild in self._guilds:
            return
        self._guilds.add(guild)
        self._roles |= {role["id"]: role["name"] for role in self._world.get_roles(self._me, guild)}
        for member in self._world.get_members(self._me, guild):
            self._meet(member["user"], member.get("nick"))

    def _name_of(self, place: Json) -> str:
        if "recipients" not in place:
            return str(place["name"])
        return ", ".join(self._names.get(user["id"]) or str(user["username"]) for user in place["recipients"])

    # --- time ------------------------------------------------------------------------------

    @property
    def now(self) -> float:
        """Seconds since the camera started."""
        return self._now()

    def _now(self) -> float:
        return self._clock() - self._begun

    def _film(self, kind: str, about: Mapping[str, Any], at: float | None = None) -> None:
        self._put(FilmRecord(self._now() if at is None else at, kind, about))

    def _put(self, record: FilmRecord) -> None:
        """Hand out *record*; times never go backwards."""
        self.flush()
        self._last = max(record.at, self._last)
        self._take(replace(record, at=self._last))


def _meant_for(message: Json) -> str | None:
    """The only user who may see *message*; ``None`` if everyone may."""
    if not message["flags"] & MessageFlag.EPHEMERAL:
        return None
    return str(message["interaction_metadata"]["user"]["id"])
