"""Converts exceptions of discord.py to ``ApiError``. Of unknown ones only the type is named: the text may hold a secret."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress

import aiohttp
import discord

from ...errors import Sentence
from ..discord.api import ApiError

_FIELD = re.compile(r"^In (?P<field>\w+)", re.MULTILINE)
"""How discord.py names a refused field: ``In content: Must be 2000 or fewer in length.``"""
_RATE_LIMITED = 429


class ServerTrouble(Exception):  # noqa: N818  # internal to this package
    """A status of 500 or more in answer to a request that must not be retried."""

    def __init__(self, status: int) -> None:
        super().__init__(f"status {status}")
        self.status = status


class LineBroke(Exception):  # noqa: N818  # as above
    """The connection broke during a request that must not be retried."""


def as_api_error(error: BaseException) -> ApiError:
    """The ``ApiError`` for *error* of discord.py or aiohttp."""
    match error:
        case ApiError():
            return error
        case discord.HTTPException():
            return _refusal(error)
        case discord.RateLimited():
            message = Sentence(
                "Discord asks to wait {retry_after} seconds; send less, or allow a longer wait.",
                retry_after=f"{error.retry_after:.1f}",
            )
            return ApiError(message, status=_RATE_LIMITED, retry_after=error.retry_after)
        case ServerTrouble():
            return _trouble(error.status)
        case LineBroke() | aiohttp.ClientError() | OSError():  # a timeout is an OSError
            message = Sentence(
                "the line to Discord broke ({error_type}); whether it had heard is not known.",
                error_type=type(error).__name__,
            )
            return ApiError(message, is_ambiguous=True)
        case _:
            message = Sentence("the request to Discord failed ({error_type}).", error_type=type(error).__name__)
            return ApiError(message, is_ambiguous=True)


def _refusal(error: discord.HTTPException) -> ApiError:
    if error.status >= 500:
        return _trouble(error.status, error.code or None)
    headers = error.response.headers
    is_ban = error.status == _RATE_LIMITED and (not headers.get("Via") or _is_page(error.text))
    fields = tuple(dict.fromkeys(_FIELD.findall(error.text)))
    template = "Discord refused it with status {status} and code {code}."
    if fields:
        template = "Discord refused it with status {status} and code {code}, because of {fields}."
    return ApiError(
        Sentence(template, status=error.status, code=error.code, fields=fields),
        status=error.status,
        code=error.code or None,
        fields=fields,
        retry_after=_retry_after(headers) if error.status == _RATE_LIMITED else None,
        is_ban=is_ban,
    )


def _trouble(status: int, code: int | None = None) -> ApiError:
    return ApiError(
        Sentence("Discord is in trouble (status {status}).", status=status), status=status, code=code, is_ambiguous=True
    )


def _is_page(text: str) -> bool:
    return text.lstrip().startswith("<")


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait; the first header has fractions, the other whole seconds."""
    for name in ("X-RateLimit-Reset-After", "Retry-After"):
        with suppress(KeyError, ValueError):
            return float(headers[name])
    return None
