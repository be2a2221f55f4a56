"""Messages of clients to the gateway, and the codes with which it closes a connection."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import msgspec

from .sessions import Shard
from .wire import Json

_LONGEST = 4096
"""Bytes of a message of a client."""


class Op(IntEnum):
    """The opcode of a gateway message."""

    DISPATCH = 0
    HEARTBEAT = 1
    IDENTIFY = 2
    PRESENCE_UPDATE = 3
    VOICE_STATE_UPDATE = 4
    RESUME = 6
    RECONNECT = 7
    REQUEST_GUILD_MEMBERS = 8
    INVALID_SESSION = 9
    HELLO = 10
    HEARTBEAT_ACK = 11
    REQUEST_SOUNDBOARD_SOUNDS = 31


_FROM_CLIENTS = frozenset(Op) - {Op.DISPATCH, Op.RECONNECT, Op.INVALID_SESSION, Op.HELLO, Op.HEARTBEAT_ACK}


class Hangup(Exception):  # noqa: N818  # it is how a connection ends, not a failure of the simulation
    """The gateway closes a connection with one of Discord's codes."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


def read(message: bytes) -> tuple[Op, Any]:
    """Decode a message of a client: its opcode and data."""
    if len(message) > _LONGEST:
        raise Hangup(4002, "The message is too long.")
    try:
        decoded = msgspec.json.decode(message)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise Hangup(4002, "Error while decoding payload.") from None
    if not isinstance(decoded, dict):
        raise Hangup(4002, "Error while decoding payload.")
    try:
        op = Op(decoded.get("op", -1))
    except ValueError:
        raise Hangup(4001, "Unknown opcode.") from None
    if op not in _FROM_CLIENTS:
        raise Hangup(4001, "Unknown opcode.")
    return op, decoded.get("d")


def as_object(data: Any) -> Json:
    """*data*, if it is an object."""
    if not isinstance(data, dict):
        raise Hangup(4002, "Error while decoding payload.")
    return data


def without_token(data: Any) -> Any:
    """*data* without the bot token."""
    return {name: value for name, value in data.items() if name != "token"} if isinstance(data, dict) else data


def as_shard(asked: Any) -> Shard:
    """The shard that a client asks for."""
    match asked:
        case [int(number), int(total)] if 0 <= number < total:
            return Shard(number, total)
    raise Hangup(4010, "Invalid shard.")
