"""Messages: sent, edited, read and taken back, and who is shown as writing."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from . import objects
from .api_errors import as_number, invalid, refuse
from .attachments import Attachments
from .objects import ChannelKind, MessageFlag, MessageKind, copied
from .permissions import Permission
from .pings import FOR_MESSAGES, FOR_WEBHOOKS, Allowed, PingedIds, as_allowed, called_by
from .snowflakes import made_at
from .state import ChannelState
from .validation import Draft, as_attachments, as_components, as_content, as_draft, as_embeds, as_ids, check_files
from .wire import File, Json

TYPING_SECONDS = 10.0
NONCE_SECONDS = 300.0
"""How long a nonce is remembered: Discord says a few minutes."""
_BULK_DAYS = 14
_EXEMPT_FROM_SLOWMODE = (Permission.MANAGE_MESSAGES, Permission.MANAGE_CHANNELS)
_NO_FIELDS: Mapping[str, Any] = {}


class Messages(Attachments):
    """What is said in this world."""

    def create_message(self, who: str, channel: str, payload: Json, files: Sequence[File] = ()) -> Json:
        """Send a message as *who*; under a nonce that was used just now, give back the message that has it."""
        place = self._visible(who, channel)
        self._require_sending(who, place)
        draft = as_draft(payload, files)
        self._require_parts(who, place, draft)
        earlier = self._with_nonce(who, draft) if payload.get("enforce_nonce") else None
        if earlier is not None:
            return self._shown(earlier, who)
        answered = self._answered(who, place, payload.get("message_reference"))
        author_of = answered["author"]["id"] if answered else None
        allowed = as_allowed(payload.get("allowed_mentions"), FOR_MESSAGES)
        called = called_by(draft.content, allowed, answered=author_of)
        self._slow_down(who, place)
        reply = {} if answered is None else as_reply(answered, place)
        called = self._permitted(called, place, self._permissions(who, place))
        message = self._post(place, self._users[who], draft, called, reply)
        if draft.nonce is not None:
            self._remember_nonce(who, draft.nonce, message)
        return self._shown(message, who)

    def _require_sending(self, who: str, channel: ChannelState) -> None:
        if channel.kind in (ChannelKind.FORUM, ChannelKind.CATEGORY):
            raise refuse(50008)
        if who in self._bots and self._closed_to_direct & channel.people.keys() and channel.guild is None:
            raise refuse(50007)
        if who in self._bots and channel.guild is None and not self._have_met(channel):
            raise refuse(50278)
        needed = Permission.SEND_MESSAGES_IN_THREADS if channel.kind.is_thread else Permission.SEND_MESSAGES
        self._require(who, channel, needed)
        if self._is_locked(channel) and Permission.MANAGE_THREADS not in self._permissions(who, channel):
            raise refuse(160005)

    def _have_met(self, channel: ChannelState) -> bool:
        """Whether all who are in direct messages are in some guild together."""
        return any(channel.people.keys() <= guild.members.keys() for guild in self._guilds.values())

    @staticmethod
    def _is_locked(channel: ChannelState) -> bool:
        return bool(channel.kind.is_thread and channel.json["thread_metadata"]["locked"])

    def _require_parts(self, who: str, channel: ChannelState, draft: Draft) -> None:
        if draft.files:
            self._require(who, channel, Permission.ATTACH_FILES)
        if draft.embeds:
            self._require(who, channel, Permission.EMBED_LINKS)

    def _with_nonce(self, who: str, draft: Draft) -> Json | None:
        at, message = self._nonces.get((who, str(draft.nonce)), (0.0, None))
        return message if draft.nonce is not None and self.now() - at < NONCE_SECONDS else None

    def _remember_nonce(self, who: str, nonce: str | int, message: Json) -> None:
        """Keep *nonce* for the next minutes, and let those go that have been kept for so long."""
        self._nonces.pop((who, str(nonce)), None)  # so that the oldest stand first
        self._nonces[who, str(nonce)] = (self.now(), message)
        for key, (at, _) in list(islice(self._nonces.items(), 2)):
            if self.now() - at >= NONCE_SECONDS:
                del self._nonces[key]

    def _answered(self, who: str, channel: ChannelState, reference: Any) -> Json | None:
        """The message that is answered; ``None`` if there is none, and that is no matter."""
        if not reference:
            return None
        if not isinstance(reference, dict):
            raise invalid(at="message_reference", code="MODEL_TYPE_CONVERT", problem="Only dictionaries may be used.")
        if reference.get("type"):
            raise invalid(
                at="message_reference.type", code="BASE_TYPE_CHOICES", problem="Messages are not forwarded here."
            )
        if str(reference.get("channel_id") or channel.id) != channel.id:
            problem = "Cannot reply to a message in a different channel"
            raise invalid(at="message_reference", code="REPLIES_CANNOT_REFERENCE_OTHER_CHANNEL", problem=problem)
        if Permission.READ_MESSAGE_HISTORY not in self._permissions(who, channel):
            raise refuse(160002)
        found = channel.messages.get(str(reference.get("message_id")))
        if found is not None and MessageKind(found["type"]).is_system:
            problem = "Cannot reply to a system message"
            raise invalid(at="message_reference", code="REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE", problem=problem)
        if found is None and reference.get("fail_if_not_exists", True):
            raise invalid(at="message_reference", code="REPLIES_UNKNOWN_MESSAGE", problem="Unknown message")
        return found

    def _slow_down(self, who: str, channel: ChannelState) -> None:
        pause = channel.json.get("rate_limit_per_user") or 0
        theirs = self._permissions(who, channel)
        is_exempt = who in self._bots or any(permission in theirs for permission in _EXEMPT_FROM_SLOWMODE)
        left = channel.spoke.get(who, float("-inf")) + pause - self.now()
        if pause and not is_exempt and left > 0:
            raise refuse(20016, retry_after=left)

    def _permitted(self, called: PingedIds, channel: ChannelState, theirs: Permission) -> PingedIds:
        """Those who are *called* that exist, and whom somebody with these permissions can call."""
        users = tuple(user for user in called.users if user in self._users)
        if channel.guild is None:
            return PingedIds(users)
        may_call_all = Permission.MENTION_EVERYONE in theirs
        roles = self._guild(channel.guild).roles
        named = tuple(role for role in called.roles if role in roles and (may_call_all or roles[role]["mentionable"]))
        return PingedIds(users, named, called.everyone and may_call_all)

    def _post(
        self,
        channel: ChannelState,
        author: Json,
        draft: Draft,
        called: PingedIds,
        fields: Mapping[str, Any] = _NO_FIELDS,
    ) -> Json:
        """Store a message that may be sent, and tell of it."""
        now = self._timestamp()
        message = objects.message(self._snowflakes.next(), channel.id, author, draft.content, now)
        self._fill(message, channel, draft, called)
        message |= {"tts": draft.is_spoken, "flags": draft.flags, **fields}
        if draft.nonce is not None:
            message["nonce"] = draft.nonce
        self._file_under(channel, message)
        self._wake(channel)
        self._tell_of_message("MESSAGE_CREATE", channel, message)
        return message

    def _fill(self, message: Json, channel: ChannelState, draft: Draft, called: PingedIds) -> None:
        message |= {"embeds": draft.embeds, "components": draft.components}
        message["attachments"] = self._attach(channel, draft.files, draft.attachments)
        self._note_calls(message, called)

    def _note_calls(self, message: Json, called: PingedIds) -> None:
        message["mentions"] = [self._users[user] for user in called.users]
        message["mention_roles"] = list(called.roles)
        message["mention_everyone"] = called.everyone

    def _file_under(self, channel: ChannelState, message: Json) -> None:
        author = message["author"]["id"]
        channel.messages[message["id"]] = message
        channel.typing.pop(author, None)
        if message["flags"] & MessageFlag.EPHEMERAL:
            return
        channel.json["last_message_id"] = message["id"]
        channel.spoke[author] = self.now()
        if channel.kind.is_thread:
            channel.json["message_count"] += 1
            channel.json["total_message_sent"] += 1
            newcomers = {author, *(user["id"] for user in message["mentions"])} & self._users.keys()
            for user in sorted(newcomers - channel.people.keys()):
                channel.people[user] = self.now()
            channel.json["member_count"] = len(channel.people)

    def _wake(self, channel: ChannelState) -> None:
        """Whatever is said in an archived thread opens it again."""
        if channel.kind.is_thread and channel.json["thread_metadata"]["archived"]:
            channel.json["thread_metadata"] |= {"archived": False, "archive_timestamp": self._timestamp()}
            self._tell_channel("THREAD_UPDATE", channel.json, channel)

    def _tell_of_message(self, name: str, channel: ChannelState, message: Json) -> None:
        data = self._shown(message, "")
        if channel.guild is not None:
            members = self._guild(channel.guild).members
            author = message["author"]["id"]
            if author in members:
                data["member"] = _without_user(members[author])
            for user in data["mentions"]:
                if user["id"] in members:
                    user["member"] = _without_user(members[user["id"]])
        self._tell_channel(name, data, channel, is_private=bool(message["flags"] & MessageFlag.EPHEMERAL))

    def _shown(self, message: Json, who: str) -> Json:
        """*message* as *who* gets it."""
        shown: Json = copied(message)
        if message["type"] in (MessageKind.REPLY, MessageKind.THREAD_STARTER_MESSAGE):
            shown["referenced_message"] = self._quoted(message["message_reference"])
        reactions = self._reactions.get(message["id"])
        if reactions:
            shown["reactions"] = [_as_reaction(emoji, users, who) for emoji, users in reactions.items()]
        return shown

    def _quoted(self, reference: Json) -> Json | None:
        """The message that another answers, as it is now; ``None`` if it is gone."""
        place = self._channels.get(reference["channel_id"])
        found = place.messages.get(reference["message_id"]) if place else None
        return found and {name: copied(part) for name, part in found.items() if name != "nonce"}

    def edit_message(self, who: str, channel: str, message: str, payload: Json, files: Sequence[File] = ()) -> Json:
        """Change what *who* has said."""
        place = self._visible(who, channel)
        found = self._message(place, message)
        if found["author"]["id"] != who:
            raise refuse(50005)
        self._require_awake(place)
        return self._change(place, found, payload, files, theirs=self._permissions(who, place), reader=who)

    def _require_awake(self, channel: ChannelState) -> None:
        if channel.kind.is_thread and channel.json["thread_metadata"]["archived"]:
            raise refuse(50083)

    def _change(
        self,
        channel: ChannelState,
        message: Json,
        payload: Json,
        files: Sequence[File],
        *,
        theirs: Permission,
        reader: str = "",
    ) -> Json:
        check_files(files)
        default: Allowed = FOR_MESSAGES if message["author"]["id"] in self._users else FOR_WEBHOOKS
        changed: Json = {}
        if "content" in payload:
            changed["content"] = as_content(payload["content"])
        if "embeds" in payload:
            changed["embeds"] = as_embeds(payload["embeds"])
        if "components" in payload:
            changed["components"] = as_components(payload["components"])
        if "flags" in payload:
            others = message["flags"] & ~MessageFlag.SUPPRESS_EMBEDS
            changed["flags"] = others | as_number(payload["flags"], at="flags") & MessageFlag.SUPPRESS_EMBEDS
        allowed = as_allowed(payload.get("allowed_mentions"), default)
        described = as_attachments(payload.get("attachments"))
        kept = self._kept(message, payload)
        result = {**message, **changed}
        if not (result["content"] or result["embeds"] or kept or files):
            raise refuse(50006)
        changed["attachments"] = kept + self._attach(channel, files, described)
        was_thinking = message["flags"] & MessageFlag.LOADING
        message |= changed | {"edited_timestamp": None if was_thinking else self._timestamp()}
        message["flags"] &= ~MessageFlag.LOADING
        if "content" in payload:
            self._note_calls(message, self._permitted(called_by(message["content"], allowed), channel, theirs))
        message.pop("nonce", None)  # what has changed is no longer what was sent under it
        self._tell_of_message("MESSAGE_UPDATE", channel, message)
        return self._shown(message, reader)

    def delete_message(self, who: str, channel: str, message: str) -> None:
        """Take a message back, one's own or, with the permission for it, anybody's."""
        place = self._visible(who, channel)
        found = self._message(place, message)
        if found["author"]["id"] != who:
            self._require(who, place, Permission.MANAGE_MESSAGES)
        if found["type"] == MessageKind.THREAD_STARTER_MESSAGE:
            raise refuse(50021)
        self._require_awake(place)
        self._remove(place, message)

    def _remove(self, channel: ChannelState, message: str) -> None:
        found = self._forget(channel, message)
        is_private = bool(found["flags"] & MessageFlag.EPHEMERAL)
        data = {"id": message, "channel_id": channel.id}
        self._tell_channel("MESSAGE_DELETE", data, channel, is_private=is_private)

    def _forget(self, channel: ChannelState, message: str) -> Json:
        found = channel.messages.pop(message)
        self._reactions.pop(message, None)
        channel.pins.pop(message, None)
        if channel.kind.is_thread and not found["flags"] & MessageFlag.EPHEMERAL:
            channel.json["message_count"] -= 1
        return found

    def bulk_delete(self, who: str, channel: str, ids: Iterable[str]) -> None:
        """Take 2 to 100 messages back at once; those that are not there are no matter."""
        place = self._visible(who, channel)
        if place.guild is None:
            raise refuse(50003)
        self._require(who, place, Permission.MANAGE_MESSAGES)
        wanted = as_ids(ids, at="messages")
        if not 2 <= len(wanted) <= 100:
            raise refuse(50016)
        if any(made_at(message) < self.now() - _BULK_DAYS * 86400 for message in wanted):
            raise refuse(50034)
        found = [message for message in wanted if message in place.messages]
        for message in found:
            self._forget(place, message)
        if found:
            self._tell_channel("MESSAGE_DELETE_BULK", {"ids": found, "channel_id": place.id}, place)

    def get_message(self, who: str, channel: str, message: str) -> Json:
        """One message."""
        place = self._visible(who, channel)
        self._require(who, place, Permission.READ_MESSAGE_HISTORY)
        found = self._message(place, message)
        if found["flags"] & MessageFlag.EPHEMERAL:
            raise refuse(10008)
        return _as_read(self._shown(found, who))

    def get_messages(
        self,
        who: str,
        channel: str,
        *,
        before: str | None = None,
        after: str | None = None,
        around: str | None = None,
        limit: int = 50,
    ) -> list[Json]:
        """The messages of *channel*, newest first; who may not read what was is shown nothing."""
        place = self._visible(who, channel)
        if not 1 <= limit <= 100:
            raise invalid(at="limit", code="NUMBER_TYPE_MAX", problem="int value should be between 1 and 100.")
        as_ids([edge for edge in (before, after, around) if edge is not None], at="before")
        if Permission.READ_MESSAGE_HISTORY not in self._permissions(who, place):
            return []
        ids = _page(list(place.messages), place.messages, before=before, after=after, around=around, limit=limit)
        return [_as_read(self._shown(place.messages[id_], who)) for id_ in ids]

    def typing(self, who: str, channel: str) -> None:
        """Show that *who* is writing, for ten seconds or until they send."""
        place = self._visible(who, channel)
        self._require_sending(who, place)
        place.typing[who] = self.now() + TYPING_SECONDS
        data: Json = {"channel_id": place.id, "user_id": who, "timestamp": int(self.now())}
        if place.guild is not None:
            data["member"] = self._member(place.guild, who)
        self._tell_channel("TYPING_START", data, place)

    def typists(self, channel: str) -> list[str]:
        """The ids of those who are shown as writing now."""
        return [who for who, until in self._channel(channel).typing.items() if until > self.now()]

    def messages(self, channel: str) -> list[Json]:
        """Everything in *channel*, oldest first, also what only one person sees."""
        return [self._shown(message, "") for message in self._channel(channel).messages.values()]

    def pinged(self, channel: str, message: str) -> frozenset[str]:
        """The ids of those whose phone rings for *message*."""
        place = self._channel(channel)
        found = self._message(place, message)
        if found["flags"] & (MessageFlag.SUPPRESS_NOTIFICATIONS | MessageFlag.EPHEMERAL):
            return frozenset()
        rung = {user["id"] for user in found["mentions"]}
        if place.guild is not None:
            for user, member in self._guild(place.guild).members.items():
                if found["mention_everyone"] or set(found["mention_roles"]) & set(member["roles"]):
                    rung.add(user)
        seeing = {user for user in rung if Permission.VIEW_CHANNEL in self._permissions(user, place)}
        return frozenset(seeing - {found["author"]["id"]})


def as_reply(answered: Json, channel: ChannelState) -> Json:
    """The fields of a message in *channel* that answers another."""
    reference: Json = {"type": 0, "message_id": answered["id"], "channel_id": channel.id}
    if channel.guild is not None:
        reference["guild_id"] = channel.guild
    return {"type": int(MessageKind.REPLY), "message_reference": reference}


def _as_reaction(emoji: str, users: list[str], who: str) -> Json:
    name, _, id_ = emoji.partition(":")
    return {
        "count": len(users), "count_details": {"burst": 0, "normal": len(users)}, "me": who in users,
        "me_burst": False, "burst_colors": [], "emoji": {"id": id_ or None, "name": name},
    }  # fmt: skip


def _without_user(member: Json) -> Json:
    return {name: copied(part) for name, part in member.items() if name != "user"}


def _as_read(message: Json) -> Json:
    """*message* as it is read later: its nonce is not kept, only its sender and who hears of it at once are told."""
    message.pop("nonce", None)
    return message


def _page(
    ids: list[str],
    messages: Mapping[str, Json],
    *,
    before: str | None,
    after: str | None,
    around: str | None,
    limit: int,
) -> list[str]:
    """A page of what everybody may see of *messages*, whose *ids* are oldest first; the page is newest first."""

    def seen(some: Iterable[int], most: int) -> list[str]:
        found = (ids[place] for place in some)
        return list(islice((id_ for id_ in found if not messages[id_]["flags"] & MessageFlag.EPHEMERAL), most))

    if after is not None:
        start = bisect_right(ids, int(after), key=int)
        return seen(range(start, len(ids)), limit)[::-1]
    if around is not None:
        middle, half = bisect_right(ids, int(around), key=int), limit // 2
        newer = seen(range(middle, len(ids)), half)
        return newer[::-1] + seen(reversed(range(middle)), limit - half)
    end = len(ids) if before is None else bisect_left(ids, int(before), key=int)
    return seen(reversed(range(end)), limit)
