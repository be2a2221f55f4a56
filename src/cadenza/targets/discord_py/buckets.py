"""How much Discord takes at present: what discord.py knows of it, or else what we have sent ourselves."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from typing import Any, NamedTuple

import discord
from discord.http import Route

from ..discord.api import Bucket

_MOST_KEPT = 2000
"""Of how many channels and webhooks it is remembered what was sent there; those that were quiet longest go first."""


class Window(NamedTuple):
    """So many messages in so many seconds."""

    limit: int
    seconds: float


CHANNEL = Window(5, 5.0)
WEBHOOK = Window(5, 2.0)
WEBHOOK_SLOW = Window(30, 60.0)
"""Counted by Discord besides the other, and told in no header."""


def known_to_discord_py(client: discord.Client, channel: str) -> Bucket | None:
    """The bucket of messages to *channel* as *client* keeps it; ``None`` if it has none, or keeps it in another way.

    There is no public way to it. Whatever another version does otherwise only means that nothing is known.
    """
    try:
        route = Route("POST", "/channels/{channel_id}/messages", channel_id=int(channel))
        http: Any = client.http
        hash_ = http._bucket_hashes[route.key]  # noqa: SLF001  # see above
        rate = http._buckets[f"{hash_}:{route.major_parameters}"]  # noqa: SLF001  # likewise
        limit, left, outgoing, expires = int(rate.limit), int(rate.remaining), int(rate.outgoing), rate.expires
    except (AttributeError, KeyError, TypeError, ValueError):
        return None
    resets_in = 0.0 if expires is None else float(expires) - asyncio.get_running_loop().time()
    if resets_in <= 0.0:
        return Bucket(limit, max(limit - outgoing, 0), 0.0)
    return Bucket(limit, max(min(left, limit), 0), resets_in)


class Tally:
    """What we have sent lately, by where it went: a model of a bucket for when nobody tells."""

    def __init__(self) -> None:
        self._sent: dict[str, deque[float]] = {}

    def note(self, place: str) -> None:
        """Something was sent to *place* just now."""
        times = self._sent.pop(place, None) or deque(maxlen=WEBHOOK_SLOW.limit)
        times.append(asyncio.get_running_loop().time())
        self._sent[place] = times
        if len(self._sent) > _MOST_KEPT:
            del self._sent[next(iter(self._sent))]

    def bucket(self, place: str, window: Window) -> Bucket | None:
        """What *place* still takes of *window*; ``None`` if nothing was sent there lately."""
        now = asyncio.get_running_loop().time()
        recent = [at for at in self._sent.get(place, ()) if at + window.seconds > now]
        if not recent:
            return None
        return Bucket(window.limit, max(window.limit - len(recent), 0), recent[-1] + window.seconds - now)


class Headers:
    """What Discord itself said last of each webhook's bucket."""

    def __init__(self) -> None:
        self._told: dict[str, tuple[Bucket, float]] = {}

    def note(self, webhook: str, headers: Mapping[str, str]) -> None:
        """Read *headers*, which came back for a message through *webhook*."""
        try:
            bucket = Bucket(
                int(headers["X-RateLimit-Limit"]),
                int(headers["X-RateLimit-Remaining"]),
                float(headers["X-RateLimit-Reset-After"]),
            )
        except (KeyError, ValueError):
            return
        self._told.pop(webhook, None)
        self._told[webhook] = bucket, asyncio.get_running_loop().time() + bucket.resets_in
        if len(self._told) > _MOST_KEPT:
            del self._told[next(iter(self._told))]

    def bucket(self, webhook: str) -> Bucket | None:
        """What is still true of it."""
        if webhook not in self._told:
            return None
        bucket, until = self._told[webhook]
        resets_in = until - asyncio.get_running_loop().time()
        return Bucket(bucket.limit, bucket.limit, 0.0) if resets_in <= 0 else bucket._replace(resets_in=resets_in)


def tighter(one: Bucket | None, other: Bucket | None) -> Bucket | None:
    """Whichever of the two leaves less."""
    if one is None or other is None:
        return one or other
    return min(one, other, key=lambda bucket: (bucket.left, -bucket.resets_in))
