"""What discord.py raises, in our own words."""

from __future__ import annotations

from typing import Any

import aiohttp
import discord
import pytest

from cadenza.targets.discord.api import ApiError
from cadenza.targets.discord_py.translate_errors import LineBroke, ServerTrouble, as_api_error

SECRET = "t0ken-that-nobody-may-see"  # noqa: S105  # of nobody


class Answer:
    """As much of an answer as an exception of discord.py looks at."""

    reason = "because"

    def __init__(self, status: int, **headers: str) -> None:
        self.status = status
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def http(status: int, body: Any = "", **headers: str) -> discord.HTTPException:
    answer: Any = Answer(status, **headers)
    return discord.HTTPException(answer, body)


def told(error: BaseException) -> dict[str, Any]:
    """What is said of *error*, as far as it is not nothing."""
    made = as_api_error(error)
    names = ("status", "code", "fields", "retry_after", "is_ambiguous", "is_ban")
    return {name: value for name in names if (value := getattr(made, name))}


CASES = [
    pytest.param(http(403, {"code": 50013, "message": SECRET}), {"status": 403, "code": 50013}, id="a code"),
    pytest.param(
        http(
            400,
            {
                "code": 50035,
                "message": "Invalid Form Body",
                "errors": {
                    "content": {"_errors": [{"code": "BASE_TYPE_MAX_LENGTH", "message": SECRET}]},
                    "embeds": {"0": {"description": {"_errors": [{"message": "x"}]}, "title": {"_errors": []}}},
                },
            },
        ),
        {"status": 400, "code": 50035, "fields": ("content", "embeds")},
        id="fields, each once",
    ),
    pytest.param(http(502, "<html>"), {"status": 502, "is_ambiguous": True}, id="trouble"),
    pytest.param(
        http(503, {"code": 130000}), {"status": 503, "code": 130000, "is_ambiguous": True}, id="trouble with a code"
    ),
    pytest.param(http(429, {"code": 0}), {"status": 429, "is_ban": True}, id="a ban has no Via"),
    pytest.param(http(429, "<!doctype html>", Via="1.1"), {"status": 429, "is_ban": True}, id="a ban is a page"),
    pytest.param(
        http(429, {"code": 0}, Via="1.1", Retry_After="3"), {"status": 429, "retry_after": 3.0}, id="a rate limit"
    ),
    pytest.param(
        http(429, {"code": 0}, Via="1.1", X_RateLimit_Reset_After="2.5", Retry_After="3"),
        {"status": 429, "retry_after": 2.5},
        id="a rate limit to the fraction of a second",
    ),
    pytest.param(http(429, {"code": 0}, Via="1.1", Retry_After="soon"), {"status": 429}, id="a rate limit without end"),
    pytest.param(discord.RateLimited(40.0), {"status": 429, "retry_after": 40.0}, id="longer than the client waits"),
    pytest.param(ServerTrouble(500), {"status": 500, "is_ambiguous": True}, id="trouble that is not tried again"),
    pytest.param(LineBroke("OSError"), {"is_ambiguous": True}, id="a line that is not tried again"),
    pytest.param(TimeoutError(SECRET), {"is_ambiguous": True}, id="a time-out"),
    pytest.param(ConnectionResetError(104, SECRET), {"is_ambiguous": True}, id="a reset"),
    pytest.param(aiohttp.ServerDisconnectedError(SECRET), {"is_ambiguous": True}, id="a server that hung up"),
    pytest.param(RuntimeError(SECRET), {"is_ambiguous": True}, id="anything else"),
]


@pytest.mark.parametrize(("error", "expected"), CASES)
def test_an_error_of_discord_py_is_told_in_our_own_words(error: BaseException, expected: dict[str, Any]) -> None:
    assert expected == told(error)


@pytest.mark.parametrize(("error", "expected"), CASES)
def test_an_error_gives_no_secret_away(error: BaseException, expected: dict[str, Any]) -> None:  # noqa: ARG001  # one table
    assert SECRET not in str(as_api_error(error))


def test_our_own_error_stays_as_it_is() -> None:
    error = ApiError("gone", code=10003)

    assert error is as_api_error(error)
