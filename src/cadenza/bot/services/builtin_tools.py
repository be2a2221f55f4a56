"""The built-in tools: a clock and dice."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from random import Random
from unicodedata import normalize
from zoneinfo import ZoneInfo

from ...errors import Sentence, ToolError
from ...tools.functions import tool
from ...tools.tool import Tool

_ROLL = re.compile(r"[+-]?(?:\d{1,6}|\d{0,3}[dw](?:\d{1,4}|%))(?:[+-](?:\d{1,6}|\d{0,3}[dw](?:\d{1,4}|%)))*")
_TERM = re.compile(r"(?P<sign>[+-]?)(?:(?P<dice>\d*)[dw](?P<sides>\d+|%)|(?P<number>\d+))")
_MOST_DICE = 100
_MOST_SIDES = 1000


def builtin_tools(*, clock: Callable[[], float], random: Random) -> Mapping[str, Tool]:
    """The built-in tools by name; they take time from *clock* and chance from *random*."""

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
    """The Unix time *seconds* as text in *zone*; an unknown zone raises a ``ToolError``."""
    try:
        place = ZoneInfo(zone.strip())
    except (KeyError, ValueError, OSError):  # an unknown name, not a name, or a folder of zones
        msg = Sentence(
            "There is no time zone {zone}; use a name such as Europe/Berlin, Asia/Tokyo or UTC.", zone=repr(zone[:50])
        )
        raise ToolError(msg) from None
    moment = datetime.fromtimestamp(seconds, UTC).astimezone(place)
    return f"{moment:%A}, {moment.day} {moment:%B %Y, %H:%M} ({place.key}, UTC{moment:%z})"


def rolled(roll: str, random: Random) -> str:
    """The result of *roll*, each die and the sum; an invalid roll raises a ``ToolError``."""
    wanted = "".join(normalize("NFKC", roll).lower().split())  # accepts full-width digits
    if not _ROLL.fullmatch(wanted):
        msg = Sentence("{roll} cannot be rolled; say it like 2d6+1, d20 or 4d8-2.", roll=repr(roll[:50]))
        raise ToolError(msg)
    terms = [_rolled_term(term, random) for term in _TERM.finditer(wanted)]
    if sum(map(len, terms)) > _MOST_DICE:
        msg = Sentence("Those are too many dice; roll {most_dice} at most.", most_dice=_MOST_DICE)
        raise ToolError(msg)
    numbers = [number for term in terms for number in term]
    shown = " ".join(f"{'-' if number < 0 else '+'} {abs(number)}" for number in numbers).removeprefix("+ ")
    return f"{wanted}: {shown} = {sum(numbers)}" if len(numbers) > 1 else f"{wanted}: {numbers[0]}"


def _rolled_term(term: re.Match[str], random: Random) -> list[int]:
    sign = -1 if term["sign"] == "-" else 1
    if term["number"]:
        return [sign * int(term["number"])]
    count = int(term["dice"] or 1)
    sides = 100 if term["sides"] == "%" else int(term["sides"])
    if not (1 <= count <= _MOST_DICE and 1 <= sides <= _MOST_SIDES):
        msg = Sentence(
            "Roll 1 to {most_dice} dice of 1 to {most_sides} sides.", most_dice=_MOST_DICE, most_sides=_MOST_SIDES
        )
        raise ToolError(msg)
    return [sign * random.randint(1, sides) for _ in range(count)]
