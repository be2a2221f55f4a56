"""Which setting decides where a message ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from types import MappingProxyType

from ..facts import SETTINGS, MessageEnd
from ..settings import Settings, settings_fields
from ..targets.target import Limits
from ..types import StopReason

_BY_WHAT: Mapping[str, str] = MappingProxyType(
    {
        "speaker_guard": "speaker_guard",
        "opening_label": "label_guard",
        **dict.fromkeys((StopReason.USER.value, StopReason.SHUTDOWN.value), "on_stop"),
        StopReason.FOLLOW_UP.value: "interrupts",
        StopReason.ROUND_LIMIT.value: "tool_rounds",
        StopReason.TIME_LIMIT.value: "turn_timeout",
        StopReason.STALE.value: "stale_timeout",
    }
)
"""The setting of each rule that ends replies, and of each reason to stop."""
_ENDED = (MessageEnd.RULE, MessageEnd.STOP)


def deciding_setting(settings: Settings, limits: Limits | None) -> Callable[[MessageEnd, str], tuple[str, object]]:
    """What says, for an end of a message, the setting that decides it and its value.

    It also takes the rule or the reason that ended the reply there.
    """
    length = settings.delivery.limit or (limits or Limits()).length
    values = {spec.name: plain(getattr(getattr(settings, section), spec.name)) for section, spec in settings_fields()}

    def decided(end: MessageEnd, by: str) -> tuple[str, object]:
        name = _BY_WHAT.get(by, "") if end in _ENDED else SETTINGS.get(end, "")
        match name:
            case "":
                return "", None  # the model decided
            case "shape" | "casual" if (
                getattr(settings.delivery, name) is None and settings.delivery.degree is not None
            ):
                return "degree", settings.delivery.degree
            case "shape" | "casual":
                return name, getattr(settings.delivery.manner, name)
            case "limit":
                return name, length
            case "max_tokens" if not values[name]:
                return "", None  # the API did
            case "message_limit" if not settings.delivery.message_limit:
                return "flood_limit", settings.delivery.flood_limit
            case _:
                return name, values[name]

    return decided


def plain(value: object) -> object:
    """*value* as JSON data."""
    match value:
        case float():
            return value if isfinite(value) else str(value)
        case None | bool() | int() | str():
            return value
        case Mapping():
            return {str(name): plain(inner) for name, inner in value.items()}
        case Iterable():
            return tuple(map(plain, value))
        case _:
            return str(value)
