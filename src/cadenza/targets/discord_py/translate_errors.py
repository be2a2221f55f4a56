"""What discord.py raises, in our own words. Of a foreign error only its type is told, for its text may hold a secret."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress

import aiohttp
import discord

from ..discord.api import ApiError

_FIELD = re.compile(r"^In (?P<field>\w+)", re.MULTILINE)
"""How discord.py tells which field was refused: ``In content: Must be 2000 or fewer in length.``"""
_RATE_LIMITED = 429


class ServerTrouble(Exception):  # noqa: N818  # it says what happened, and goes no further than this package
    """Discord answered with a status of 500 or more to something that must not be sent twice."""

    def __init__(self, status: int) -> None:
        super().__init__(f"status {status}")
        self.status = status


class LineBroke(Exception):  # noqa: N818  # likewise
    """The line broke while something was under way that must not be sent twice."""


def as_api_error(error: BaseException) -> ApiError:
    """What *error*, raised by discord.py or by what it is built on, means to us."""
    match error:
        case ApiError():
            return error
        case discord.HTTPException():
            return _refusal(error)
        case discord.RateLimited():
            message = f"Discord asks to wait {error.retry_after:.1f} seconds; send less, or allow a longer wait."
            return ApiError(message, status=_RATE_LIMITED, retry_after=error.retry_after)
        case ServerTrouble():
            return _trouble(error.status)
        case LineBroke() | aiohttp.ClientError() | OSError():  # a time-out is an OSError
            message = f"the line to Discord broke ({type(error).__name__}); whether it had heard is not known."
            return ApiError(message, is_ambiguous=True)
        case _:
            message = f"the request to Discord failed ({type(error).__name__})."
            return ApiError(message, is_ambiguous=True)


def _refusal(error: discord.HTTPException) -> ApiError:
    if error.status >= 500:
        return _trouble(error.status, error.code or None)
    headers = error.response.headers
    is_ban = error.status == _RATE_LIMITED and (not headers.get("Via") or _is_page(error.text))
    fields = tuple(dict.fromkeys(_FIELD.findall(error.text)))
    told = f", because of {', '.join(fields)}" if fields else ""
    return ApiError(
        f"Discord refused it with status {error.status} and code {error.code}{told}.",
        status=error.status,
        code=error.code or None,
        fields=fields,
        retry_after=_retry_after(headers) if error.status == _RATE_LIMITED else None,
        is_ban=is_ban,
    )


def _trouble(status: int, code: int | None = None) -> ApiError:
    return ApiError(f"Discord is in trouble (status {status}).", status=status, code=code, is_ambiguous=True)


def _is_page(text: str) -> bool:
    return text.lstrip().startswith("<")


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait; the first header has fractions of them, the other does not."""
    for name in ("X-RateLimit-Reset-After", "Retry-After"):
        with suppress(KeyError, ValueError):
            return float(headers[name])
    return None
