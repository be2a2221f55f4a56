"""A simulated Discord: state and rules in memory, REST and gateway on loopback, and faults.

Names are imported on first use: pytest loads this package in every project where cadenza is installed.
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

_HOMES = ("wire", "permissions", "faults", "rate_limits", "world", "rest", "memory_api", "sessions", "gateway", "server")  # fmt: skip
"""The modules of the public names, the lightest first."""


def __getattr__(name: str) -> object:
    """Import the module of a public name on first use."""
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
