"""Tools that every bot can have: a clock and dice."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from random import Random
from unicodedata import normalize
from zoneinfo import ZoneInfo

from ...errors import ToolError
from ...tools.functions import tool
from ...tools.tool import Tool

_ROLL = re.compile(r"[+-]?(?:\d{1,6}|\d{0,3}[dw](?:\d{1,4}|%))(?:[+-](?:\d{1,6}|\d{0,3}[dw](?:\d{1,4}|%)))*")
_TERM = re.compile(r"(?P<sign>[+-]?)(?:(?P<dice>\d*)[dw](?P<sides>\d+|%)|(?P<number>\d+))")
_MOST_DICE = 100
_MOST_SIDES = 1000


def builtin_tools(*, clock: Callable[[], float], random: Random) -> Mapping[str, Tool]:
    """All of them, by their names; what they know of time and chance is handed in."""

    async def time(zone: str = "UTC") -> str:
        """Tell the date, the weekday and the time of day at this moment.

        zone: A time zone by its name, such as Europe/Berlin or Asia/Tokyo.
        """
        return now_in(zone, clock())

    async def dice(roll: str = "1d6") -> str:
        """Roll dice, fairly.

        roll: What to roll: 2d6+1 is two dice of six sides and one more.
        """
        return rolled(roll, random)

    return {"time": tool(time, repeatable=True), "dice": tool(dice)}


def now_in(zone: str, seconds: float) -> str:
    """The moment *seconds* after 1970 as people in *zone* say it; raises a ``ToolError`` if there is no such zone."""
    try:
        place = ZoneInfo(zone.strip())
    except (KeyError, ValueError, OSError):  # no such name, no name at all, or that of a folder of zones
        msg = f"There is no time zone {zone[:50]!r}; use a name such as Europe/Berlin, Asia/Tokyo or UTC."
        raise ToolError(msg) from None
    moment = datetime.fromtimestamp(seconds, UTC).astimezone(place)
    return f"{moment:%A}, {moment.day} {moment:%B %Y, %H:%M} ({place.key}, UTC{moment:%z})"


def rolled(roll: str, random: Random) -> str:
    """What came of *roll*, each die and the sum; raises a ``ToolError`` if that cannot be rolled."""
    wanted = "".join(normalize("NFKC", roll).lower().split())  # full-width digits are digits, too
    if not _ROLL.fullmatch(wanted):
        msg = f"{roll[:50]!r} cannot be rolled; say it like 2d6+1, d20 or 4d8-2."
        raise ToolError(msg)
    terms = [_thrown(term, random) for term in _TERM.finditer(wanted)]
    if sum(map(len, terms)) > _MOST_DICE:
        msg = f"That are too many dice; roll {_MOST_DICE} at most."
        raise ToolError(msg)
    numbers = [number for term in terms for number in term]
    shown = " ".join(f"{'-' if number < 0 else '+'} {abs(number)}" for number in numbers).removeprefix("+ ")
    return f"{wanted}: {shown} = {sum(numbers)}" if len(numbers) > 1 else f"{wanted}: {numbers[0]}"


def _thrown(term: re.Match[str], random: Random) -> list[int]:
    sign = -1 if term["sign"] == "-" else 1
    if term["number"]:
        return [sign * int(term["number"])]
    count = int(term["dice"] or 1)
    sides = 100 if term["sides"] == "%" else int(term["sides"])
    if not (1 <= count <= _MOST_DICE and 1 <= sides <= _MOST_SIDES):
        msg = f"Roll 1 to {_MOST_DICE} dice of 1 to {_MOST_SIDES} sides."
        raise ToolError(msg)
    return [sign * random.randint(1, sides) for _ in range(count)]
