"""A Discord of our own: its state and laws in memory, its REST and gateway on loopback, and whatever can go wrong.

What is used is imported when it is first used: pytest enters this package in every project where cadenza is installed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .faults import Faults, LostResponse
    from .gateway import Gateway
    from .memory_api import WorldApi
    from .permissions import Permission
    from .rate_limits import Quota, Rate, RateLimits
    from .rest import Rest, RestCall
    from .server import Server, serve
    from .sessions import GatewayRules
    from .wire import File, GatewayEvent, Json, Refusal, Response, RestRequest
    from .world import Bot, ChannelKind, Guild, Person, World

__all__ = [
    "Bot",
    "ChannelKind",
    "Faults",
    "File",
    "Gateway",
    "GatewayEvent",
    "GatewayRules",
    "Guild",
    "Json",
    "LostResponse",
    "Permission",
    "Person",
    "Quota",
    "Rate",
    "RateLimits",
    "Refusal",
    "Response",
    "Rest",
    "RestCall",
    "RestRequest",
    "Server",
    "World",
    "WorldApi",
    "serve",
]

_HOMES = ("wire", "permissions", "faults", "limits", "world", "rest", "api", "sessions", "gateway", "server")
"""The modules in which the public names live, the lightest first."""


def __getattr__(name: str) -> object:
    """Import the home of a public name when it is first asked for."""
    if name in __all__:
        for home in _HOMES:
            module = import_module(f".{home}", __name__)
            if name in vars(module):
                value: object = vars(module)[name]
                globals()[name] = value
                return value
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return list(__all__)
