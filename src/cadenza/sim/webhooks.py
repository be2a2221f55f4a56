"""Webhooks: they send messages in a channel under any name and avatar."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace

from . import channels, messages, objects
from .access import require, require_in_guild, tell_channel, visible
from .api_errors import invalid, refuse
from .channel_forms import as_name
from .objects import ChannelKind, copied
from .permissions import ALL, Permission
from .pings import FOR_WEBHOOKS, as_allowed, pinged_by
from .state import ChannelState, State
from .validation import as_draft, as_webhook_name
from .wire import File, Json

MOST = 15
"""In a channel."""
MOST_IN_GUILD = 1000
_PICTURE = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,(.+)", re.DOTALL)


def of_channel(state: State, who: str, channel: str) -> list[Json]:
    """The webhooks of *channel*."""
    place = visible(state, who, channel)
    require(state, who, place, Permission.MANAGE_WEBHOOKS)
    return [_as_seen(one, who) for one in _in(state, place.id)]


def of_guild(state: State, who: str, guild: str) -> list[Json]:
    """The webhooks of all channels of *guild*."""
    require_in_guild(state, who, guild, Permission.MANAGE_WEBHOOKS)
    return [_as_seen(one, who) for one in state.webhooks.values() if one["guild_id"] == guild]


def _in(state: State, channel: str) -> list[Json]:
    return [one for one in state.webhooks.values() if one["channel_id"] == channel]


def _as_seen(webhook: Json, who: str) -> Json:
    """*webhook* as *who* gets it: without the token if another bot made it."""
    is_foreign = webhook["application_id"] not in (None, who)
    hidden = ("token", "url") if is_foreign else ()
    return {name: copied(part) for name, part in webhook.items() if name not in hidden}


def create(state: State, who: str, channel: str, payload: Json) -> Json:
    """A new webhook in *channel*."""
    place = visible(state, who, channel)
    if place.guild is None:
        raise refuse(50003)
    if not place.kind.has_webhooks:
        raise refuse(50024)
    require(state, who, place, Permission.MANAGE_WEBHOOKS)
    name = as_webhook_name(payload.get("name"))
    avatar = _as_avatar(state, payload.get("avatar"))
    if len(_in(state, place.id)) >= MOST:
        raise refuse(30007)
    if sum(one["guild_id"] == place.guild for one in state.webhooks.values()) >= MOST_IN_GUILD:
        raise refuse(30058)
    id_ = state.new_id()
    token = hashlib.sha256(f"webhook {id_}".encode()).hexdigest()
    state.webhooks[id_] = {
        "id": id_, "type": 1, "guild_id": place.guild, "channel_id": place.id, "name": name, "avatar": avatar,
        "token": token, "application_id": who if who in state.bots else None, "user": state.users[who],
        "url": f"https://discord.com/api/webhooks/{id_}/{token}",
    }  # fmt: skip
    _tell(state, state.webhooks[id_])
    return _as_seen(state.webhooks[id_], who)


def _tell(state: State, webhook: Json) -> None:
    channel = state.channel(webhook["channel_id"])
    tell_channel(state, "WEBHOOKS_UPDATE", {"channel_id": channel.id}, channel)


def _as_avatar(state: State, value: object) -> str | None:
    """Store an uploaded picture; returns its hash."""
    if value is None:
        return None
    match = _PICTURE.fullmatch(value) if isinstance(value, str) else None
    try:
        picture = base64.b64decode(match[1], validate=True) if match else b""
    except ValueError:
        picture = b""
    if not picture:
        raise invalid(at="avatar", code="IMAGE_INVALID", problem="Invalid image data")
    avatar = hashlib.md5(picture, usedforsecurity=False).hexdigest()
    state.avatars[avatar] = picture
    return avatar


def hosted(state: State, picture: str) -> str:
    """Store *picture*, a data URI; returns an address that a message can use as its avatar."""
    return f"{state.cdn}/avatars/0/{_as_avatar(state, picture)}.png"


def _manageable(state: State, who: str, id_: str) -> Json:
    webhook = state.webhooks.get(id_)
    if webhook is None:
        raise refuse(10015)
    require(state, who, state.channel(webhook["channel_id"]), Permission.MANAGE_WEBHOOKS)
    return webhook


def get(state: State, who: str, id_: str) -> Json:
    """The webhook with this id."""
    return _as_seen(_manageable(state, who, id_), who)


def edit(state: State, who: str, id_: str, payload: Json) -> Json:
    """Change the name or the avatar of a webhook, or move it to another channel."""
    webhook = _manageable(state, who, id_)
    if payload.get("channel_id") is not None:
        place = visible(state, who, str(payload["channel_id"]))
        require(state, who, place, Permission.MANAGE_WEBHOOKS)
        if len(_in(state, place.id)) >= MOST:
            raise refuse(30007)
        _tell(state, webhook)
        webhook["channel_id"] = place.id
    _change(state, webhook, payload)
    return _as_seen(webhook, who)


def _change(state: State, webhook: Json, payload: Json) -> None:
    changed: Json = {}
    if payload.get("name") is not None:
        changed["name"] = as_webhook_name(payload["name"])
    if "avatar" in payload:
        changed["avatar"] = _as_avatar(state, payload["avatar"])
    webhook |= changed
    _tell(state, webhook)


def delete(state: State, who: str, id_: str) -> None:
    """Delete a webhook."""
    _drop(state, _manageable(state, who, id_))


def _drop(state: State, webhook: Json) -> None:
    del state.webhooks[webhook["id"]]
    _tell(state, webhook)


def with_token(state: State, id_: str, token: str) -> Json:
    """The stored webhook with this id and token."""
    webhook = state.webhooks.get(id_)
    if webhook is None:
        raise refuse(10015)
    if webhook["token"] != token:
        raise refuse(50027)
    return webhook


def get_with_token(state: State, id_: str, token: str) -> Json:
    """The webhook with this id and token, without its creator."""
    webhook = with_token(state, id_, token)
    return {name: copied(part) for name, part in webhook.items() if name != "user"}


def edit_with_token(state: State, id_: str, token: str, payload: Json) -> Json:
    """Change a webhook by its token; that cannot move it."""
    _change(state, with_token(state, id_, token), payload)
    return get_with_token(state, id_, token)


def delete_with_token(state: State, id_: str, token: str) -> None:
    """Delete a webhook by its token."""
    _drop(state, with_token(state, id_, token))


def execute(
    state: State, id_: str, token: str, payload: Json, files: Sequence[File] = (), *, thread: str | None = None
) -> Json:
    """Send a message through a webhook."""
    webhook = with_token(state, id_, token)
    author = _speaker(state, webhook, payload)
    draft = as_draft({**payload, "nonce": None}, files)
    if webhook["application_id"] is None:  # no bot would receive their interactions
        draft = replace(draft, components=[])
    allowed = as_allowed(payload.get("allowed_mentions"), FOR_WEBHOOKS)
    place, fields = _place_for(state, webhook, payload, thread)
    pinged = messages.effective_mentions(state, pinged_by(draft.text, allowed), place, ALL)
    fields |= {"webhook_id": id_}
    if webhook["application_id"] is not None:
        fields["application_id"] = webhook["application_id"]
    return messages.shown(state, messages.post(state, place, author, draft, pinged, fields=fields))


def _speaker(state: State, webhook: Json, payload: Json) -> Json:
    given = payload.get("username")
    name = webhook["name"] if given is None else as_webhook_name(given, "username")
    avatar, url = webhook["avatar"], payload.get("avatar_url")
    if url:
        if not str(url).startswith(("http://", "https://")):
            problem = "Scheme must be one of ('http', 'https')."
            raise invalid(at="avatar_url", code="URL_TYPE_INVALID_SCHEME", problem=problem)
        avatar = hashlib.md5(str(url).encode(), usedforsecurity=False).hexdigest()
        state.avatars[avatar] = str(url)
    return objects.webhook_user(webhook["id"], name, avatar)


def _place_for(state: State, webhook: Json, payload: Json, thread: str | None) -> tuple[ChannelState, Json]:
    """The channel that a message of *webhook* goes to; in a forum, a thread name opens a post."""
    home, name = state.channel(webhook["channel_id"]), payload.get("thread_name")
    if thread and name:
        raise refuse(220002)
    if thread:
        place = _thread_of(state, home, thread)
        if messages.is_locked(place):
            raise refuse(160005)
        return place, {}
    if home.kind is not ChannelKind.FORUM:
        if name:
            raise refuse(220003)
        return home, {}
    if not name:
        raise refuse(220001)
    title = as_name(name, "thread_name")
    post = channels.open_thread(state, home, ChannelKind.PUBLIC_THREAD, title, owner=webhook["id"])
    return post, {"id": post.id}


def _thread_of(state: State, home: ChannelState, thread: str) -> ChannelState:
    place = state.channel(thread)
    if place.json.get("parent_id") != home.id or not place.kind.is_thread:
        raise refuse(10003)
    return place


def sent_message(state: State, id_: str, token: str, message: str, thread: str | None) -> tuple[ChannelState, Json]:
    """A message that a webhook sent, and its channel."""
    webhook = with_token(state, id_, token)
    home = state.channel(webhook["channel_id"])
    place = _thread_of(state, home, thread) if thread else home
    found = place.message(message)
    if found.get("webhook_id") != webhook["id"]:
        raise refuse(10008)
    return place, found
