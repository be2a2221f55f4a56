"""Pins: messages that are kept at hand in a channel."""

from __future__ import annotations

from .api_errors import refuse
from .moderation import Moderation
from .objects import MessageKind
from .permissions import Permission
from .state import ChannelState
from .wire import Json

_MOST = 250


class Pins(Moderation):
    """What is pinned in this world."""

    def pin(self, who: str, channel: str, message: str) -> None:
        """Keep a message at hand; a line in the channel says so."""
        place, found = self._pinnable(who, channel, message)
        if found["pinned"]:
            return
        if len(place.pins) >= _MOST:
            raise refuse(30003)
        place.pins[message] = self._timestamp()
        self._note_pin(place, found, is_pinned=True)
        reference: Json = {"type": 0, "message_id": message, "channel_id": place.id}
        if place.guild is not None:
            reference["guild_id"] = place.guild
        self._add_line(place, MessageKind.CHANNEL_PINNED_MESSAGE, self._users[who], "", reference)

    def unpin(self, who: str, channel: str, message: str) -> None:
        """Keep it at hand no longer."""
        place, found = self._pinnable(who, channel, message)
        if place.pins.pop(message, None) is not None:
            self._note_pin(place, found, is_pinned=False)

    def _pinnable(self, who: str, channel: str, message: str) -> tuple[ChannelState, Json]:
        place = self._visible(who, channel)
        if place.guild is not None:
            self._require(who, place, Permission.PIN_MESSAGES)
        found = self._message(place, message)
        self._require_awake(place)
        if MessageKind(found["type"]).is_system:
            raise refuse(50021)
        return place, found

    def _note_pin(self, channel: ChannelState, message: Json, *, is_pinned: bool) -> None:
        message["pinned"] = is_pinned
        last = max(channel.pins.values(), default=None)
        channel.json["last_pin_timestamp"] = last
        self._tell_of_message("MESSAGE_UPDATE", channel, message)
        self._tell_channel("CHANNEL_PINS_UPDATE", {"channel_id": channel.id, "last_pin_timestamp": last}, channel)

    def get_pins(self, who: str, channel: str, *, limit: int = 50, before: str | None = None) -> Json:
        """What is pinned, what was pinned last first."""
        place = self._visible(who, channel)
        if Permission.READ_MESSAGE_HISTORY not in self._permissions(who, place):
            return {"items": [], "has_more": False}
        earlier = [(at, id_) for id_, at in place.pins.items() if before is None or at < before]
        page = sorted(earlier, reverse=True)[:limit]
        items = [{"pinned_at": at, "message": self._shown(place.messages[id_], who)} for at, id_ in page]
        return {"items": items, "has_more": len(earlier) > len(page)}
