"""A simulated Discord: state and rules in memory, REST and gateway on loopback, and faults.

Names are imported on first use: pytest loads this package in every project where cadenza is installed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .api import WorldApi
    from .faults import Faults, LostResponse
    from .gateway import Gateway
    from .limits import Quota, Rate, RateLimits
    from .permissions import Permission
    from .rest import Call, Rest
    from .server import Server, serve
    from .sessions import GatewayRules
    from .wire import Event, File, Json, Refusal, Request, Response
    from .world import Bot, ChannelKind, Guild, Person, World

__all__ = [
    "Bot",
    "Call",
    "ChannelKind",
    "Event",
    "Faults",
    "File",
    "Gateway",
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
    "Request",
    "Response",
    "Rest",
    "Server",
    "World",
    "WorldApi",
    "serve",
]

_HOMES = ("wire", "permissions", "faults", "limits", "world", "rest", "api", "sessions", "gateway", "server")
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
