"""What goes wrong at the start, in sentences without anything of the error's own text."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import aiohttp
import discord
import pytest

from cadenza.bot.startup_errors import is_passing, sentence_of

SECRET = "the-secret-text"  # noqa: S105  # made up


def _answer(status: int) -> Any:
    return SimpleNamespace(status=status, reason=SECRET)


def _closed(code: int) -> discord.ConnectionClosed:
    socket: Any = SimpleNamespace(close_code=code)
    return discord.ConnectionClosed(socket, shard_id=None)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (discord.LoginFailure(SECRET), "Discord does not know the token in MY_TOKEN; copy it anew"),
        (discord.PrivilegedIntentsRequired(None), "an intent that is not switched on"),
        (_closed(4004), "put the new one into MY_TOKEN"),
        (_closed(4014), "an intent that is not switched on"),
        (_closed(4011), "it needs shards"),
        (_closed(4999), "(code 4999)"),
        (discord.HTTPException(_answer(401), SECRET), "does not know the token"),
        (discord.HTTPException(_answer(429), SECRET), "try in an hour"),
        (discord.HTTPException(_answer(400), SECRET), "status 400"),
        (discord.DiscordServerError(_answer(503), SECRET), "status 503"),
        (discord.GatewayNotFound(), "where its gateway is"),
        (aiohttp.ServerDisconnectedError(SECRET), "cannot be reached (ServerDisconnectedError)"),
        (TimeoutError(SECRET), "cannot be reached (TimeoutError)"),
        (ConnectionRefusedError(SECRET), "cannot be reached (ConnectionRefusedError)"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else type(value).__name__,
)
def test_each_trouble_is_one_sentence_with_what_to_do(error: BaseException, expected: str) -> None:
    sentence = sentence_of(error, variable="MY_TOKEN") or ""

    assert expected in sentence
    assert SECRET not in sentence
    assert "\n" not in sentence


@pytest.mark.parametrize("error", [ValueError(SECRET), KeyboardInterrupt()], ids=["mistake", "interrupt"])
def test_what_is_nothing_of_the_kind_has_no_sentence(error: BaseException) -> None:
    assert sentence_of(error, variable="MY_TOKEN") is None


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (discord.LoginFailure(SECRET), False),
        (_closed(4014), False),
        (discord.HTTPException(_answer(400), SECRET), False),
        (discord.HTTPException(_answer(429), SECRET), True),
        (discord.DiscordServerError(_answer(503), SECRET), True),
        (TimeoutError(SECRET), True),
        (aiohttp.ServerDisconnectedError(SECRET), True),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_may_be_gone_later_is_told_from_what_stays(error: BaseException, *, expected: bool) -> None:
    assert expected is is_passing(error)
