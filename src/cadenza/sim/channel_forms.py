"""What Discord takes as a channel, a thread or a role: forms, looked through before anything changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from .api_errors import as_list, as_number, as_object, bad_length, invalid
from .permissions import ALL
from .wire import Json

_LONGEST_PAUSE = 21600
_NAME_LENGTH = 100
_TOPIC_LENGTH = 4096

_Reader = Callable[[Any, str], Any]


def read_form(payload: Json, readers: Mapping[str, _Reader]) -> Json:
    """The fields of *payload* that there are, each as its reader takes it."""
    return {name: readers[name](payload[name], name) for name in readers if name in payload}


def as_name(value: object, at: str) -> str:
    """A name of 1 to 100 characters."""
    name = value.strip() if isinstance(value, str) else ""
    if not 1 <= len(name) <= _NAME_LENGTH:
        raise bad_length(at=at, least=1, most=_NAME_LENGTH)
    return name


def as_text(value: object, at: str) -> str | None:
    """A text, or none."""
    if value is not None and not isinstance(value, str):
        raise invalid(at=at, code="BASE_TYPE_BAD_STRING", problem="Could not interpret as string.")
    if value is not None and len(value) > _TOPIC_LENGTH:
        raise bad_length(at=at, least=0, most=_TOPIC_LENGTH)
    return value


def as_id(value: object, at: str) -> str | None:
    """An id, or none."""
    if value is not None and not str(value).isdecimal():
        raise invalid(at=at, code="NUMBER_TYPE_COERCE", problem="Value is not snowflake.")
    return None if value is None else str(value)


def as_ids(value: object, at: str) -> list[str]:
    """A list of ids."""
    return [str(as_id(entry, at)) for entry in as_list(value, at=at) if entry is not None]


def as_permissions(value: object, at: str) -> str:
    """Permissions, as they are written: a number in a text."""
    return str(as_number(value, at=at, most=int(ALL)))


def as_overwrites(value: object, at: str) -> list[Json]:
    """What a channel gives to, and takes from, roles and members."""
    return [_as_overwrite(entry, f"{at}.{place}") for place, entry in enumerate(as_list(value, at=at))]


def _as_overwrite(value: object, at: str) -> Json:
    entry = as_object(value, at=at)
    return {"id": as_id(entry.get("id"), f"{at}.id") or "0", **as_overwrite(entry, at)}


def as_overwrite(entry: Json, at: str) -> Json:
    """What one overwrite says besides whose it is."""
    return {
        "type": as_number(entry.get("type"), at=f"{at}.type", most=1),
        "allow": as_permissions(entry.get("allow"), f"{at}.allow"),
        "deny": as_permissions(entry.get("deny"), f"{at}.deny"),
    }


def _as_pause(value: object, at: str) -> int:
    return as_number(value, at=at, most=_LONGEST_PAUSE)


def _as_number(value: object, at: str) -> int:
    return as_number(value, at=at)


def as_switch(value: object, _at: str) -> bool:
    """Yes or no."""
    return bool(value)


def _as_tags(value: object, at: str) -> list[Json]:
    tags = [as_object(tag, at=f"{at}.{place}") for place, tag in enumerate(as_list(value, at=at))]
    return [
        {
            "id": as_id(tag.get("id"), f"{at}.id"), "name": as_name(tag.get("name"), f"{at}.name"),
            "moderated": bool(tag.get("moderated")), "emoji_id": as_id(tag.get("emoji_id"), f"{at}.emoji_id"),
            "emoji_name": as_text(tag.get("emoji_name"), f"{at}.emoji_name"),
        }
        for tag in tags
    ]  # fmt: skip


CHANNEL: Mapping[str, _Reader] = MappingProxyType(
    {
        "name": as_name, "topic": as_text, "nsfw": as_switch, "rate_limit_per_user": _as_pause, "position": _as_number,
        "parent_id": as_id, "permission_overwrites": as_overwrites, "available_tags": _as_tags,
    }
)  # fmt: skip
"""What can be said of a channel."""
THREAD: Mapping[str, _Reader] = MappingProxyType(
    {"name": as_name, "rate_limit_per_user": _as_pause, "applied_tags": as_ids, "flags": _as_number}
)
"""What can be said of a thread."""
THREAD_METADATA: Mapping[str, _Reader] = MappingProxyType(
    {"archived": as_switch, "locked": as_switch, "auto_archive_duration": _as_number, "invitable": as_switch}
)
"""What can be said of how a thread is kept."""
ROLE: Mapping[str, _Reader] = MappingProxyType(
    {"name": as_name, "permissions": as_permissions, "color": _as_number, "hoist": as_switch, "mentionable": as_switch}
)
"""What can be said of a role."""
