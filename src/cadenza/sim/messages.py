"""Messages: sending, editing, reading and deleting them, and the typing indicator."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from . import objects
from .access import permissions_of, require, sees, tell_channel, visible
from .api_errors import as_number, as_objects, invalid, refuse
from .attachments import attach, kept_attachments
from .objects import ChannelKind, MessageFlag, MessageKind, copied
from .permissions import Permission
from .pings import FOR_MESSAGES, FOR_WEBHOOKS, Allowed, PingedIds, as_allowed, pinged_by
from .snowflakes import made_at
from .state import ChannelState, State
from .validation import Draft, as_components, as_content, as_draft, as_embeds, as_ids, check_files
from .wire import File, Json

TYPING_SECONDS = 10.0
NONCE_SECONDS = 300.0
"""How long a nonce is remembered: Discord says a few minutes."""
_BULK_DAYS = 14
_EXEMPT_FROM_SLOWMODE = (Permission.MANAGE_MESSAGES, Permission.MANAGE_CHANNELS)


def create(state: State, who: str, channel: str, payload: Json, files: Sequence[File] = ()) -> Json:
    """Send a message as *who*; for an enforced nonce that was used just now, return the earlier message."""
    place = visible(state, who, channel)
    _require_sending(state, who, place)
    draft = as_draft(payload, files)
    if draft.files:
        require(state, who, place, Permission.ATTACH_FILES)
    if draft.embeds:
        require(state, who, place, Permission.EMBED_LINKS)
    sent_at, earlier = state.nonces.get((who, str(draft.nonce)), (0.0, None))
    is_enforced = payload.get("enforce_nonce") and draft.nonce is not None
    if is_enforced and earlier is not None and state.now() - sent_at < NONCE_SECONDS:
        return shown(state, earlier, who)
    answered = _answered(state, who, place, payload.get("message_reference"))
    allowed = as_allowed(payload.get("allowed_mentions"), FOR_MESSAGES)
    pinged = pinged_by(draft.content, allowed, answered=answered["author"]["id"] if answered else None)
    _require_slow_mode(state, who, place)
    reply = {} if answered is None else as_reply(answered, place)
    pinged = effective_mentions(state, pinged, place, permissions_of(state, who, place))
    message = post(state, place, state.users[who], draft, pinged, fields=reply)
    if draft.nonce is not None:
        _remember_nonce(state, who, draft.nonce, message)
    return shown(state, message, who)


def _require_sending(state: State, who: str, channel: ChannelState) -> None:
    if channel.kind in (ChannelKind.FORUM, ChannelKind.CATEGORY):
        raise refuse(50008)
    if who in state.bots and channel.guild is None:
        if state.refuses_dms & channel.people.keys():
            raise refuse(50007)
        if not any(channel.people.keys() <= guild.members.keys() for guild in state.guilds.values()):
            raise refuse(50278)  # the two share no guild
    needed = Permission.SEND_MESSAGES_IN_THREADS if channel.kind.is_thread else Permission.SEND_MESSAGES
    require(state, who, channel, needed)
    if is_locked(channel) and Permission.MANAGE_THREADS not in permissions_of(state, who, channel):
        raise refuse(160005)


def is_locked(channel: ChannelState) -> bool:
    """Whether *channel* is a locked thread."""
    return bool(channel.kind.is_thread and channel.json["thread_metadata"]["locked"])


def require_unarchived(channel: ChannelState) -> None:
    """Refuse if *channel* is an archived thread."""
    if channel.kind.is_thread and channel.json["thread_metadata"]["archived"]:
        raise refuse(50083)


def _remember_nonce(state: State, who: str, nonce: str | int, message: Json) -> None:
    """Store *nonce* for the next minutes, and drop expired ones."""
    state.nonces.pop((who, str(nonce)), None)  # so that the oldest stand first
    state.nonces[who, str(nonce)] = (state.now(), message)
    for key, (at, _) in list(islice(state.nonces.items(), 2)):
        if state.now() - at >= NONCE_SECONDS:
            del state.nonces[key]


def _answered(state: State, who: str, channel: ChannelState, reference: Any) -> Json | None:
    """The message that is replied to; ``None`` without a reference, or if a missing message is allowed."""
    if not reference:
        return None
    if not isinstance(reference, dict):
        raise invalid(at="message_reference", code="MODEL_TYPE_CONVERT", problem="Only dictionaries may be used.")
    if reference.get("type"):
        problem = "Messages are not forwarded here."
        raise invalid(at="message_reference.type", code="BASE_TYPE_CHOICES", problem=problem)
    if str(reference.get("channel_id") or channel.id) != channel.id:
        problem = "Cannot reply to a message in a different channel"
        raise invalid(at="message_reference", code="REPLIES_CANNOT_REFERENCE_OTHER_CHANNEL", problem=problem)
    if Permission.READ_MESSAGE_HISTORY not in permissions_of(state, who, channel):
        raise refuse(160002)
    found = channel.messages.get(str(reference.get("message_id")))
    if found is not None and MessageKind(found["type"]).is_system:
        problem = "Cannot reply to a system message"
        raise invalid(at="message_reference", code="REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE", problem=problem)
    if found is None and reference.get("fail_if_not_exists", True):
        raise invalid(at="message_reference", code="REPLIES_UNKNOWN_MESSAGE", problem="Unknown message")
    return found


def _require_slow_mode(state: State, who: str, channel: ChannelState) -> None:
    pause = channel.json.get("rate_limit_per_user") or 0
    theirs = permissions_of(state, who, channel)
    is_exempt = who in state.bots or any(permission in theirs for permission in _EXEMPT_FROM_SLOWMODE)
    left = channel.spoke.get(who, float("-inf")) + pause - state.now()
    if pause and not is_exempt and left > 0:
        raise refuse(20016, retry_after=left)


def effective_mentions(state: State, pinged: PingedIds, channel: ChannelState, theirs: Permission) -> PingedIds:
    """The mentions of existing users and roles that a sender with the permissions *theirs* can ping."""
    users = tuple(user for user in pinged.users if user in state.users)
    if channel.guild is None:
        return PingedIds(users)
    may_ping_all = Permission.MENTION_EVERYONE in theirs
    roles = state.guild(channel.guild).roles
    named = tuple(role for role in pinged.roles if role in roles and (may_ping_all or roles[role]["mentionable"]))
    return PingedIds(users, named, pinged.everyone and may_ping_all)


def post(
    state: State, channel: ChannelState, author: Json, draft: Draft, pinged: PingedIds, *, fields: Mapping[str, Any]
) -> Json:
    """Store a message that may be sent, and dispatch its event."""
    message = objects.message(state.new_id(), channel.id, author, draft.content, state.timestamp())
    message |= {"embeds": draft.embeds, "components": draft.components}
    message["attachments"] = attach(state, channel, draft.files, draft.attachments)
    _set_mentions(state, message, pinged)
    message |= {"tts": draft.is_spoken, "flags": draft.flags, **fields}
    if draft.nonce is not None:
        message["nonce"] = draft.nonce
    _store(state, channel, message)
    if channel.kind.is_thread and channel.json["thread_metadata"]["archived"]:  # a new message unarchives a thread
        channel.json["thread_metadata"] |= {"archived": False, "archive_timestamp": state.timestamp()}
        tell_channel(state, "THREAD_UPDATE", channel.json, channel)
    tell_of(state, "MESSAGE_CREATE", channel, message)
    return message


def add_system_line(
    state: State, channel: ChannelState, kind: MessageKind, author: Json, reference: Json, *, text: str = ""
) -> None:
    """Add a message that Discord itself writes, such as that a thread was created."""
    line = objects.message(state.new_id(), channel.id, author, text, state.timestamp())
    line |= {"type": int(kind), "message_reference": reference}
    _store(state, channel, line)
    tell_of(state, "MESSAGE_CREATE", channel, line)


def _set_mentions(state: State, message: Json, pinged: PingedIds) -> None:
    message["mentions"] = [state.users[user] for user in pinged.users]
    message["mention_roles"] = list(pinged.roles)
    message["mention_everyone"] = pinged.everyone


def _store(state: State, channel: ChannelState, message: Json) -> None:
    author = message["author"]["id"]
    channel.messages[message["id"]] = message
    channel.typing.pop(author, None)
    if message["flags"] & MessageFlag.EPHEMERAL:
        return
    channel.json["last_message_id"] = message["id"]
    channel.spoke[author] = state.now()
    if channel.kind.is_thread:
        channel.json["message_count"] += 1
        channel.json["total_message_sent"] += 1
        newcomers = {author, *(user["id"] for user in message["mentions"])} & state.users.keys()
        for user in sorted(newcomers - channel.people.keys()):
            channel.people[user] = state.now()
        channel.json["member_count"] = len(channel.people)


def tell_of(state: State, name: str, channel: ChannelState, message: Json) -> None:
    """Dispatch an event about *message*, with the members of its author and mentions."""
    data = shown(state, message)
    if channel.guild is not None:
        members = state.guild(channel.guild).members
        author = message["author"]["id"]
        if author in members:
            data["member"] = _without_user(members[author])
        for user in data["mentions"]:
            if user["id"] in members:
                user["member"] = _without_user(members[user["id"]])
    tell_channel(state, name, data, channel, is_private=bool(message["flags"] & MessageFlag.EPHEMERAL))


def shown(state: State, message: Json, who: str = "") -> Json:
    """The JSON of *message* that *who* gets."""
    result: Json = copied(message)
    if message["type"] in (MessageKind.REPLY, MessageKind.THREAD_STARTER_MESSAGE):
        result["referenced_message"] = _quoted(state, message["message_reference"])
    if reactions := state.reactions.get(message["id"]):
        result["reactions"] = [_as_reaction(emoji, users, who) for emoji, users in reactions.items()]
    return result


def _quoted(state: State, reference: Json) -> Json | None:
    """The message that another replies to, as it is now; ``None`` if it was deleted."""
    place = state.channels.get(reference["channel_id"])
    found = place.messages.get(reference["message_id"]) if place else None
    return found and {name: copied(part) for name, part in found.items() if name != "nonce"}


def edit(state: State, who: str, channel: str, message: str, payload: Json, *, files: Sequence[File] = ()) -> Json:
    """Edit a message of *who*."""
    place = visible(state, who, channel)
    found = place.message(message)
    if found["author"]["id"] != who:
        raise refuse(50005)
    require_unarchived(place)
    change(state, place, found, payload, files, theirs=permissions_of(state, who, place))
    return shown(state, found, who)


def change(
    state: State, channel: ChannelState, message: Json, payload: Json, files: Sequence[File], *, theirs: Permission
) -> Json:
    """Edit *message* for an editor with the permissions *theirs*, and dispatch its event."""
    check_files(files)
    default: Allowed = FOR_MESSAGES if message["author"]["id"] in state.users else FOR_WEBHOOKS
    changed: Json = {}
    if "content" in payload:
        changed["content"] = as_content(payload["content"])
    if "embeds" in payload:
        changed["embeds"] = as_embeds(payload["embeds"])
    if "components" in payload:
        has_layout = bool(message["flags"] & MessageFlag.IS_COMPONENTS_V2)
        changed["components"] = as_components(payload["components"], has_layout=has_layout)
    if "flags" in payload:
        others = message["flags"] & ~MessageFlag.SUPPRESS_EMBEDS
        changed["flags"] = others | as_number(payload["flags"], at="flags") & MessageFlag.SUPPRESS_EMBEDS
    allowed = as_allowed(payload.get("allowed_mentions"), default)
    described = as_objects(payload.get("attachments"), at="attachments")
    kept = kept_attachments(message, payload)
    result = {**message, **changed}
    has_layout = message["flags"] & MessageFlag.IS_COMPONENTS_V2 and result["components"]
    if not (result["content"] or result["embeds"] or kept or files or has_layout):
        raise refuse(50006)
    changed["attachments"] = kept + attach(state, channel, files, described)
    was_thinking = message["flags"] & MessageFlag.LOADING
    message |= changed | {"edited_timestamp": None if was_thinking else state.timestamp()}
    message["flags"] &= ~MessageFlag.LOADING
    if "content" in payload:
        pinged = pinged_by(message["content"], allowed)
        _set_mentions(state, message, effective_mentions(state, pinged, channel, theirs))
    message.pop("nonce", None)  # an edited message is no longer what was sent under it
    tell_of(state, "MESSAGE_UPDATE", channel, message)
    return shown(state, message)


def delete(state: State, who: str, channel: str, message: str) -> None:
    """Delete a message; one of another user needs the permission to manage messages."""
    place = visible(state, who, channel)
    found = place.message(message)
    if found["author"]["id"] != who:
        require(state, who, place, Permission.MANAGE_MESSAGES)
    if found["type"] == MessageKind.THREAD_STARTER_MESSAGE:
        raise refuse(50021)
    require_unarchived(place)
    remove(state, place, message)


def remove(state: State, channel: ChannelState, message: str) -> None:
    """Delete a message without checking permissions."""
    found = _forget(state, channel, message)
    data = {"id": message, "channel_id": channel.id}
    tell_channel(state, "MESSAGE_DELETE", data, channel, is_private=bool(found["flags"] & MessageFlag.EPHEMERAL))


def _forget(state: State, channel: ChannelState, message: str) -> Json:
    found = channel.messages.pop(message)
    state.reactions.pop(message, None)
    channel.pins.pop(message, None)
    if channel.kind.is_thread and not found["flags"] & MessageFlag.EPHEMERAL:
        channel.json["message_count"] -= 1
    return found


def bulk_delete(state: State, who: str, channel: str, ids: Iterable[str]) -> None:
    """Delete 2 to 100 messages at once; unknown ids are ignored."""
    place = visible(state, who, channel)
    if place.guild is None:
        raise refuse(50003)
    require(state, who, place, Permission.MANAGE_MESSAGES)
    wanted = as_ids(ids, at="messages")
    if not 2 <= len(wanted) <= 100:
        raise refuse(50016)
    if any(made_at(message) < state.now() - _BULK_DAYS * 86400 for message in wanted):
        raise refuse(50034)
    found = [message for message in wanted if message in place.messages]
    for message in found:
        _forget(state, place, message)
    if found:
        tell_channel(state, "MESSAGE_DELETE_BULK", {"ids": found, "channel_id": place.id}, place)


def get(state: State, who: str, channel: str, message: str) -> Json:
    """One message."""
    place = visible(state, who, channel)
    require(state, who, place, Permission.READ_MESSAGE_HISTORY)
    found = place.message(message)
    if found["flags"] & MessageFlag.EPHEMERAL:
        raise refuse(10008)
    return _read(state, found, who)


def get_many(
    state: State,
    who: str,
    channel: str,
    *,
    before: str | None = None,
    after: str | None = None,
    around: str | None = None,
    limit: int = 50,
) -> list[Json]:
    """The messages of *channel*, newest first; none without the permission to read the history."""
    place = visible(state, who, channel)
    if not 1 <= limit <= 100:
        raise invalid(at="limit", code="NUMBER_TYPE_MAX", problem="int value should be between 1 and 100.")
    as_ids([edge for edge in (before, after, around) if edge is not None], at="before")
    if Permission.READ_MESSAGE_HISTORY not in permissions_of(state, who, place):
        return []
    ids = _page(place.messages, before=before, after=after, around=around, limit=limit)
    return [_read(state, place.messages[id_], who) for id_ in ids]


def start_typing(state: State, who: str, channel: str) -> None:
    """Show *who* as typing, for ten seconds or until they send."""
    place = visible(state, who, channel)
    _require_sending(state, who, place)
    place.typing[who] = state.now() + TYPING_SECONDS
    data: Json = {"channel_id": place.id, "user_id": who, "timestamp": int(state.now())}
    if place.guild is not None:
        data["member"] = state.member(place.guild, who)
    tell_channel(state, "TYPING_START", data, place)


def typists(state: State, channel: str) -> list[str]:
    """The ids of the users who are shown as typing now."""
    return [who for who, until in state.channel(channel).typing.items() if until > state.now()]


def get_all(state: State, channel: str) -> list[Json]:
    """All messages of *channel*, oldest first, including ephemeral ones."""
    return [shown(state, message) for message in state.channel(channel).messages.values()]


def pinged(state: State, channel: str, message: str) -> frozenset[str]:
    """The ids of the users that *message* pings."""
    place = state.channel(channel)
    found = place.message(message)
    if found["flags"] & (MessageFlag.SUPPRESS_NOTIFICATIONS | MessageFlag.EPHEMERAL):
        return frozenset()
    rung = {user["id"] for user in found["mentions"]}
    if place.guild is not None:
        for user, member in state.guild(place.guild).members.items():
            if found["mention_everyone"] or set(found["mention_roles"]) & set(member["roles"]):
                rung.add(user)
    return frozenset(user for user in rung if sees(state, user, place) and user != found["author"]["id"])


def as_reply(answered: Json, channel: ChannelState) -> Json:
    """The fields of a message in *channel* that replies to another."""
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


def _read(state: State, message: Json, who: str) -> Json:
    """*message* as it is read later: only the sender and the first event get its nonce."""
    result = shown(state, message, who)
    result.pop("nonce", None)
    return result


def _page(
    messages: Mapping[str, Json], *, before: str | None, after: str | None, around: str | None, limit: int
) -> list[str]:
    """A page of the ids of *messages* without ephemeral ones; *messages* are oldest first, the page newest first."""
    ids = list(messages)

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
