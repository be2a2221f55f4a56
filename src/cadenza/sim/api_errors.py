"""What Discord says when it does not do something: its status, its code and its words."""

from __future__ import annotations

from typing import Any

from .wire import Json, Refusal

_KNOWN = {
    10003: (404, "Unknown Channel"),
    10004: (404, "Unknown Guild"),
    10007: (404, "Unknown Member"),
    10008: (404, "Unknown Message"),
    10009: (404, "Unknown Overwrite"),
    10011: (404, "Unknown Role"),
    10013: (404, "Unknown User"),
    10014: (400, "Unknown Emoji"),
    10015: (404, "Unknown Webhook"),
    10026: (404, "Unknown Ban"),
    10062: (404, "Unknown interaction"),
    20016: (429, "This action cannot be performed due to slowmode rate limit"),
    30003: (400, "Maximum number of pins reached for this channel (250)"),
    30007: (400, "Maximum number of webhooks reached (15)"),
    30058: (400, "Maximum number of webhooks per guild reached (1000)"),
    30010: (400, "Maximum number of reactions reached (20)"),
    40005: (413, "Request entity too large"),
    40060: (400, "Interaction has already been acknowledged."),
    50001: (403, "Missing Access"),
    50003: (403, "Cannot execute action on a DM channel"),
    50005: (403, "Cannot edit a message authored by another user"),
    50006: (400, "Cannot send an empty message"),
    50007: (403, "Cannot send messages to this user"),
    50008: (400, "Cannot send messages in a non-text channel"),
    50013: (403, "Missing Permissions"),
    50016: (400, "Provided too few or too many messages to delete. Must provide at least 2 and fewer than 100 messages to delete"),
    50021: (403, "Cannot execute action on a system message"),
    50024: (400, "Cannot execute action on this channel type"),
    50027: (401, "Invalid Webhook Token"),
    50028: (400, "Invalid role"),
    50034: (400, "You can only bulk delete messages that are under 14 days old"),
    50083: (400, "Thread is archived"),
    50278: (403, "Cannot send messages to this user due to having no mutual guilds"),
    160002: (403, "Cannot reply without permission to read message history"),
    160004: (400, "A thread has already been created for this message"),
    160005: (403, "This thread is locked"),
    220001: (400, "Webhooks posted to forum channels must have a thread_name or thread_id"),
    220002: (400, "Webhooks posted to forum channels cannot have both a thread_name and thread_id"),
    220003: (400, "Webhooks can only create threads in forum channels"),
}  # fmt: skip


def refuse(code: int, *, retry_after: float | None = None) -> Refusal:
    """The refusal with this *code*."""
    status, message = _KNOWN[code]
    return Refusal(status, code, message, retry_after=retry_after)


def unauthorised() -> Refusal:
    """The refusal for a token that nobody has."""
    return Refusal(401, 0, "401: Unauthorized")


def invalid(*, at: str, code: str, problem: str) -> Refusal:
    """The refusal of a form with something wrong *at* a place, such as ``embeds.0.title``."""
    fields: Json = {"_errors": [{"code": code, "message": problem}]}
    for name in reversed(at.split(".")):
        fields = {name: fields}
    return Refusal(400, 50035, "Invalid Form Body", fields=fields)


def too_long(*, at: str, most: int) -> Refusal:
    """The refusal of a text that is longer than *most*."""
    return invalid(at=at, code="BASE_TYPE_MAX_LENGTH", problem=f"Must be {most} or fewer in length.")


def bad_length(*, at: str, least: int, most: int) -> Refusal:
    """The refusal of something that has not between *least* and *most* parts."""
    return invalid(at=at, code="BASE_TYPE_BAD_LENGTH", problem=f"Must be between {least} and {most} in length.")


def required(*, at: str) -> Refusal:
    """The refusal of a form in which something is missing."""
    return invalid(at=at, code="BASE_TYPE_REQUIRED", problem="This field is required")


def as_object(value: object, *, at: str) -> Json:
    """An object of a form; none at all is an empty one."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise invalid(at=at, code="MODEL_TYPE_CONVERT", problem="Only dictionaries may be used in a ModelType")
    return value


def as_list(value: object, *, at: str) -> list[Any]:
    """A list of a form; none at all is an empty one."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise invalid(at=at, code="LIST_TYPE_CONVERT", problem="Only iterables may be used in a ListType")
    return value


def as_number(value: object, *, at: str, most: int = 2**53) -> int:
    """A whole number of a form, not below nought; none at all is nought."""
    if value is None:
        return 0
    number = int(value) if isinstance(value, str) and value.isdecimal() and len(value) < 20 else value
    if not isinstance(number, int):
        raise invalid(at=at, code="NUMBER_TYPE_COERCE", problem="Value is not int.")
    if number < 0:
        raise invalid(at=at, code="NUMBER_TYPE_MIN", problem="int value should be greater than or equal to 0.")
    if number > most:
        raise invalid(at=at, code="NUMBER_TYPE_MAX", problem=f"int value should be less than or equal to {most}.")
    return int(number)


def not_one_of(*, at: str, choices: str) -> Refusal:
    """The refusal of a value that is not among the *choices*."""
    return invalid(at=at, code="BASE_TYPE_CHOICES", problem=f"Value must be one of {choices}.")
