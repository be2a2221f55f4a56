"""Webhooks: mouths in a channel that speak under any name."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace

from . import objects
from .api_errors import invalid, refuse
from .channel_forms import as_name
from .channels import Channels
from .objects import ChannelKind, copied
from .permissions import ALL, Permission
from .pings import FOR_WEBHOOKS, as_allowed, called_by
from .state import ChannelState
from .validation import as_draft, as_webhook_name
from .wire import File, Json

MOST = 15
"""How many webhooks a channel has at the most."""
MOST_IN_GUILD = 1000
_PICTURE = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,(.+)", re.DOTALL)


class Webhooks(Channels):
    """The webhooks of this world."""

    def channel_webhooks(self, who: str, channel: str) -> list[Json]:
        """The webhooks of *channel*."""
        place = self._visible(who, channel)
        self._require(who, place, Permission.MANAGE_WEBHOOKS)
        return [self._webhook_as_seen(one, who) for one in self._webhooks_in(place.id)]

    def guild_webhooks(self, who: str, guild: str) -> list[Json]:
        """The webhooks of all channels of *guild*."""
        self._require_in_guild(who, guild, Permission.MANAGE_WEBHOOKS)
        return [self._webhook_as_seen(one, who) for one in self._webhooks.values() if one["guild_id"] == guild]

    def _webhooks_in(self, channel: str) -> list[Json]:
        return [one for one in self._webhooks.values() if one["channel_id"] == channel]

    @staticmethod
    def _webhook_as_seen(webhook: Json, who: str) -> Json:
        """*webhook* as *who* gets it: the tokens of other bots' webhooks are not shown."""
        is_foreign = webhook["application_id"] not in (None, who)
        hidden = ("token", "url") if is_foreign else ()
        return {name: copied(part) for name, part in webhook.items() if name not in hidden}

    def create_webhook(self, who: str, channel: str, payload: Json) -> Json:
        """Make a webhook in *channel*."""
        place = self._visible(who, channel)
        if place.guild is None:
            raise refuse(50003)
        if not place.kind.has_webhooks:
            raise refuse(50024)
        self._require(who, place, Permission.MANAGE_WEBHOOKS)
        name = as_webhook_name(payload.get("name"))
        avatar = self._as_avatar(payload.get("avatar"))
        if len(self._webhooks_in(place.id)) >= MOST:
            raise refuse(30007)
        if sum(one["guild_id"] == place.guild for one in self._webhooks.values()) >= MOST_IN_GUILD:
            raise refuse(30058)
        id_ = self._snowflakes.next()
        token = hashlib.sha256(f"webhook {id_}".encode()).hexdigest()
        self._webhooks[id_] = {
            "id": id_, "type": 1, "guild_id": place.guild, "channel_id": place.id, "name": name, "avatar": avatar,
            "token": token, "application_id": who if who in self._bots else None, "user": self._users[who],
            "url": f"https://discord.com/api/webhooks/{id_}/{token}",
        }  # fmt: skip
        self._tell_of_webhooks(place)
        return self._webhook_as_seen(self._webhooks[id_], who)

    def _tell_of_webhooks(self, channel: ChannelState) -> None:
        self._tell_channel("WEBHOOKS_UPDATE", {"channel_id": channel.id}, channel)

    def _as_avatar(self, value: object) -> str | None:
        """The name of a picture that is sent to be stored."""
        if value is None:
            return None
        match = _PICTURE.fullmatch(value) if isinstance(value, str) else None
        try:
            picture = base64.b64decode(match[1], validate=True) if match else b""
        except ValueError:
            picture = b""
        if not picture:
            raise invalid(at="avatar", code="IMAGE_INVALID", problem="Invalid image data")
        return self._portray(hashlib.md5(picture, usedforsecurity=False).hexdigest(), picture)

    def hosted(self, picture: str) -> str:
        """The address of *picture*, a data URI, which is kept here from now on: a message can be sent under it."""
        return f"{self.cdn}/avatars/0/{self._as_avatar(picture)}.png"

    def _portray(self, avatar: str, picture: str | bytes) -> str:
        self._portraits[avatar] = picture
        return avatar

    def _own_webhook(self, who: str, id_: str) -> Json:
        webhook = self._webhooks.get(id_)
        if webhook is None:
            raise refuse(10015)
        self._require(who, self._channel(webhook["channel_id"]), Permission.MANAGE_WEBHOOKS)
        return webhook

    def get_webhook(self, who: str, id_: str) -> Json:
        """The webhook with this id."""
        return self._webhook_as_seen(self._own_webhook(who, id_), who)

    def edit_webhook(self, who: str, id_: str, payload: Json) -> Json:
        """Change the name or the picture of a webhook, or move it to another channel."""
        webhook = self._own_webhook(who, id_)
        if payload.get("channel_id") is not None:
            self._move(who, webhook, str(payload["channel_id"]))
        self._change_webhook(webhook, payload)
        return self._webhook_as_seen(webhook, who)

    def _move(self, who: str, webhook: Json, channel: str) -> None:
        place = self._visible(who, channel)
        self._require(who, place, Permission.MANAGE_WEBHOOKS)
        if len(self._webhooks_in(place.id)) >= MOST:
            raise refuse(30007)
        self._tell_of_webhooks(self._channel(webhook["channel_id"]))
        webhook["channel_id"] = place.id

    def _change_webhook(self, webhook: Json, payload: Json) -> None:
        changed: Json = {}
        if payload.get("name") is not None:
            changed["name"] = as_webhook_name(payload["name"])
        if "avatar" in payload:
            changed["avatar"] = self._as_avatar(payload["avatar"])
        webhook |= changed
        self._tell_of_webhooks(self._channel(webhook["channel_id"]))

    def delete_webhook(self, who: str, id_: str) -> None:
        """Delete a webhook."""
        self._drop_webhook(self._own_webhook(who, id_))

    def _drop_webhook(self, webhook: Json) -> None:
        del self._webhooks[webhook["id"]]
        self._tell_of_webhooks(self._channel(webhook["channel_id"]))

    def _with_token(self, id_: str, token: str) -> Json:
        webhook = self._webhooks.get(id_)
        if webhook is None:
            raise refuse(10015)
        if webhook["token"] != token:
            raise refuse(50027)
        return webhook

    def webhook_with_token(self, id_: str, token: str) -> Json:
        """The webhook with this id and token, without its maker."""
        webhook = self._with_token(id_, token)
        return {name: copied(part) for name, part in webhook.items() if name != "user"}

    def edit_webhook_with_token(self, id_: str, token: str, payload: Json) -> Json:
        """Change a webhook by its token; it stays where it is."""
        self._change_webhook(self._with_token(id_, token), payload)
        return self.webhook_with_token(id_, token)

    def delete_webhook_with_token(self, id_: str, token: str) -> None:
        """Delete a webhook by its token."""
        self._drop_webhook(self._with_token(id_, token))

    def execute_webhook(
        self, id_: str, token: str, payload: Json, files: Sequence[File] = (), *, thread: str | None = None
    ) -> Json:
        """Speak through a webhook."""
        webhook = self._with_token(id_, token)
        author = self._speaker(webhook, payload)
        draft = as_draft({**payload, "nonce": None}, files)
        if webhook["application_id"] is None:  # the buttons of what no bot owns would have nobody to tell
            draft = replace(draft, components=[])
        allowed = as_allowed(payload.get("allowed_mentions"), FOR_WEBHOOKS)
        place, fields = self._webhook_place(webhook, payload, thread)
        called = self._permitted(called_by(draft.content, allowed), place, ALL)
        fields |= {"webhook_id": id_}
        if webhook["application_id"] is not None:
            fields["application_id"] = webhook["application_id"]
        return self._shown(self._post(place, author, draft, called, fields), "")

    def _speaker(self, webhook: Json, payload: Json) -> Json:
        given = payload.get("username")
        name = webhook["name"] if given is None else as_webhook_name(given, "username")
        avatar, url = webhook["avatar"], payload.get("avatar_url")
        if url:
            if not str(url).startswith(("http://", "https://")):
                problem = "Scheme must be one of ('http', 'https')."
                raise invalid(at="avatar_url", code="URL_TYPE_INVALID_SCHEME", problem=problem)
            avatar = self._portray(hashlib.md5(str(url).encode(), usedforsecurity=False).hexdigest(), str(url))
        return objects.webhook_user(webhook["id"], name, avatar)

    def _webhook_place(self, webhook: Json, payload: Json, thread: str | None) -> tuple[ChannelState, Json]:
        """Where a message of *webhook* goes; a name for a thread opens a post."""
        home, name = self._channel(webhook["channel_id"]), payload.get("thread_name")
        if thread and name:
            raise refuse(220002)
        if thread:
            place = self._thread_of(home, thread)
            if self._is_locked(place):
                raise refuse(160005)
            return place, {}
        if home.kind is not ChannelKind.FORUM:
            if name:
                raise refuse(220003)
            return home, {}
        if not name:
            raise refuse(220001)
        post = self._open_thread(home, ChannelKind.PUBLIC_THREAD, as_name(name, "thread_name"), webhook["id"])
        return post, {"id": post.id}

    def _thread_of(self, home: ChannelState, thread: str) -> ChannelState:
        place = self._channel(thread)
        if place.json.get("parent_id") != home.id or not place.kind.is_thread:
            raise refuse(10003)
        return place

    def _webhook_message(self, webhook: Json, message: str, thread: str | None) -> tuple[ChannelState, Json]:
        home = self._channel(webhook["channel_id"])
        place = self._thread_of(home, thread) if thread else home
        found = self._message(place, message)
        if found.get("webhook_id") != webhook["id"]:
            raise refuse(10008)
        return place, found

    def get_webhook_message(self, id_: str, token: str, message: str, *, thread: str | None = None) -> Json:
        """A message that a webhook has sent."""
        return self._shown(self._webhook_message(self._with_token(id_, token), message, thread)[1], "")

    def edit_webhook_message(
        self,
        id_: str,
        token: str,
        message: str,
        *,
        thread: str | None = None,
        payload: Json,
        files: Sequence[File] = (),
    ) -> Json:
        """Change a message that a webhook has sent."""
        place, found = self._webhook_message(self._with_token(id_, token), message, thread)
        self._require_awake(place)
        return self._change(place, found, payload, files, theirs=ALL)

    def delete_webhook_message(self, id_: str, token: str, message: str, *, thread: str | None = None) -> None:
        """Take a message of a webhook back."""
        place, found = self._webhook_message(self._with_token(id_, token), message, thread)
        self._remove(place, found["id"])
