"""Pinned messages."""

from __future__ import annotations

from . import messages
from .access import permissions_of, require, tell_channel, visible
from .api_errors import refuse
from .objects import MessageKind
from .permissions import Permission
from .state import ChannelState, State
from .wire import Json

_MOST = 250


def pin(state: State, who: str, channel: str, message: str) -> None:
    """Pin a message; a system message says so."""
    place, found = _pinnable(state, who, channel, message)
    if found["pinned"]:
        return
    if len(place.pins) >= _MOST:
        raise refuse(30003)
    place.pins[message] = state.timestamp()
    _note_pin(state, place, found, is_pinned=True)
    reference: Json = {"type": 0, "message_id": message, "channel_id": place.id}
    if place.guild is not None:
        reference["guild_id"] = place.guild
    messages.add_system_line(state, place, MessageKind.CHANNEL_PINNED_MESSAGE, state.users[who], reference)


def unpin(state: State, who: str, channel: str, message: str) -> None:
    """Unpin a message."""
    place, found = _pinnable(state, who, channel, message)
    if place.pins.pop(message, None) is not None:
        _note_pin(state, place, found, is_pinned=False)


def _pinnable(state: State, who: str, channel: str, message: str) -> tuple[ChannelState, Json]:
    place = visible(state, who, channel)
    if place.guild is not None:
        require(state, who, place, Permission.PIN_MESSAGES)
    found = place.message(message)
    messages.require_unarchived(place)
    if MessageKind(found["type"]).is_system:
        raise refuse(50021)
    return place, found


def _note_pin(state: State, channel: ChannelState, message: Json, *, is_pinned: bool) -> None:
    message["pinned"] = is_pinned
    last = max(channel.pins.values(), default=None)
    channel.json["last_pin_timestamp"] = last
    messages.tell_of(state, "MESSAGE_UPDATE", channel, message)
    tell_channel(state, "CHANNEL_PINS_UPDATE", {"channel_id": channel.id, "last_pin_timestamp": last}, channel)


def get_pins(state: State, who: str, channel: str, *, limit: int = 50, before: str | None = None) -> Json:
    """The pinned messages, the last pinned first."""
    place = visible(state, who, channel)
    if Permission.READ_MESSAGE_HISTORY not in permissions_of(state, who, place):
        return {"items": [], "has_more": False}
    earlier = [(at, id_) for id_, at in place.pins.items() if before is None or at < before]
    page = sorted(earlier, reverse=True)[:limit]
    items = [{"pinned_at": at, "message": messages.shown(state, place.messages[id_], who)} for at, id_ in page]
    return {"items": items, "has_more": len(earlier) > len(page)}
