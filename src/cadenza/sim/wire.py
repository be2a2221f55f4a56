"""What passes between a client and the simulated Discord, whether over a socket or in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]
"""A JSON object, as Discord writes it: ids are texts, missing things are ``None`` or absent."""

_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class File:
    """A file that was sent with a request."""

    name: str
    data: bytes = field(repr=False)
    kind: str = "application/octet-stream"


@dataclass(frozen=True, slots=True)
class RestRequest:
    """One call of the REST interface."""

    method: str
    path: str
    """Without the address and the version: ``/channels/1/messages``."""
    query: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    body: Any = None
    """The JSON that was sent, if any; of a multipart request, its ``payload_json``."""
    files: tuple[File, ...] = ()
    token: str = field(default="", repr=False)
    """The bot's token, from the header ``Authorization: Bot …``; webhooks have theirs in the path."""
    reason: str = ""
    """For the audit log."""


@dataclass(frozen=True, slots=True)
class Response:
    """What comes back for it."""

    status: int
    body: Any = None
    """JSON; ``None`` is an empty body. A ``str`` is sent as a page of HTML."""
    headers: Mapping[str, str] = field(default_factory=lambda: _NOTHING)


@dataclass(frozen=True, slots=True)
class GatewayEvent:
    """Something that happened, as the gateway tells it."""

    name: str
    """``MESSAGE_CREATE`` and so on."""
    data: Json
    guild: str | None = None
    """Where; ``None`` is in direct messages, or to the bot itself."""
    bots: frozenset[str] = frozenset()
    """Ids of the bots who hear of it; empty is every bot that is there."""


class Refusal(Exception):  # noqa: N818  # it is an answer, not a failure of the simulation
    """Discord's answer to what it does not do."""

    def __init__(
        self, status: int, code: int, message: str, *, fields: Json | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.fields = fields
        """For 50035: ``{"content": {"_errors": [{"code": …, "message": …}]}}``."""
        self.retry_after = retry_after
