"""Buckets: what is known of them, and what is counted."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from discord.http import Route

from cadenza.targets.discord.api import Bucket
from cadenza.targets.discord_py.buckets import CHANNEL, WEBHOOK_SLOW, Headers, Tally, known_to_discord_py, tighter
from tests.timing import now

pytestmark = pytest.mark.looptime


def client_with(**rate: Any) -> Any:
    """As much of a client as is looked at, if discord.py keeps its buckets as it does."""
    key = Route("POST", "/channels/{channel_id}/messages", channel_id=1).key
    rates = {"abc:1": SimpleNamespace(**{"limit": 5, "remaining": 3, "outgoing": 0, "expires": None, **rate})}
    return SimpleNamespace(http=SimpleNamespace(_bucket_hashes={key: "abc"}, _buckets=rates))


@pytest.mark.parametrize(
    ("rate", "expected"),
    [
        pytest.param({"expires": 2.0}, Bucket(5, 3, 2.0), id="under way"),
        pytest.param({"expires": 2.0, "remaining": -1}, Bucket(5, 0, 2.0), id="overdrawn"),
        pytest.param({"expires": -1.0, "remaining": 0}, Bucket(5, 5, 0.0), id="over"),
        pytest.param({"expires": None, "outgoing": 2}, Bucket(5, 3, 0.0), id="full, but for what is under way"),
        pytest.param({"limit": "?"}, None, id="kept in another way"),
    ],
)
async def test_a_bucket_is_read_from_the_client(rate: dict[str, Any], expected: Bucket | None) -> None:
    if rate.get("expires") is not None:
        rate = rate | {"expires": now() + rate["expires"]}

    bucket = known_to_discord_py(client_with(**rate), "1")

    assert expected == (bucket and bucket._replace(resets_in=round(bucket.resets_in, 3)))


@pytest.mark.parametrize(
    "client",
    [
        pytest.param(SimpleNamespace(), id="no http"),
        pytest.param(SimpleNamespace(http=SimpleNamespace()), id="no buckets"),
        pytest.param(SimpleNamespace(http=SimpleNamespace(_bucket_hashes={}, _buckets={})), id="nothing was sent yet"),
    ],
)
async def test_another_version_of_discord_py_only_means_that_nothing_is_known(client: Any) -> None:
    assert known_to_discord_py(client, "1") is None


async def test_what_was_sent_is_counted_for_as_long_as_it_counts() -> None:
    tally = Tally()
    nothing = tally.bucket("1", CHANNEL)
    for _ in range(3):
        tally.note("1")
        await asyncio.sleep(1)

    some = tally.bucket("1", CHANNEL)
    await asyncio.sleep(3)
    fewer = tally.bucket("1", CHANNEL)
    await asyncio.sleep(60)

    assert (None, None) == (nothing, tally.bucket("2", CHANNEL))
    assert (Bucket(5, 2, 4.0), Bucket(5, 4, 1.0), None) == (some, fewer, tally.bucket("1", CHANNEL))


async def test_no_more_is_taken_than_there_is() -> None:
    tally = Tally()
    for _ in range(100):
        tally.note("1")

    assert (Bucket(5, 0, 5.0), Bucket(30, 0, 60.0)) == (tally.bucket("1", CHANNEL), tally.bucket("1", WEBHOOK_SLOW))


async def test_of_very_many_places_the_quietest_is_forgotten() -> None:
    tally = Tally()
    for place in range(2001):
        tally.note(str(place))

    assert tally.bucket("0", CHANNEL) is None
    assert Bucket(5, 4, 5.0) == tally.bucket("1", CHANNEL)


async def test_headers_hold_until_they_say() -> None:
    headers = Headers()
    headers.note("1", {"X-RateLimit-Limit": "5", "X-RateLimit-Remaining": "1", "X-RateLimit-Reset-After": "2"})
    headers.note("1", {"X-RateLimit-Limit": "soon"})
    await asyncio.sleep(0.5)
    known = headers.bucket("1")
    await asyncio.sleep(2)

    assert (Bucket(5, 1, 1.5), Bucket(5, 5, 0.0), None) == (known, headers.bucket("1"), headers.bucket("2"))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (None, None, None),
        (Bucket(5, 1, 1), None, Bucket(5, 1, 1)),
        (None, Bucket(5, 1, 1), Bucket(5, 1, 1)),
        (Bucket(5, 1, 1), Bucket(30, 0, 9), Bucket(30, 0, 9)),
        (Bucket(5, 0, 1), Bucket(30, 0, 9), Bucket(30, 0, 9)),
    ],
)
def test_of_two_buckets_the_tighter_counts(one: Bucket | None, other: Bucket | None, expected: Bucket | None) -> None:
    assert expected == tighter(one, other)
