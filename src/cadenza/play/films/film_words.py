"""Words for a film in a terminal. What explains something is in its stories and facts already; here it is only rendered."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .summary import Message, ReplySummary
from .values import list_of, part_of, sentence_of

_FATES: Mapping[str, str] = MappingProxyType(
    {"thought": "of thoughts", "details": "of details", "cut": "cut off at the end"}
)


def shown_seconds(seconds: float) -> str:
    """*seconds* as people read them."""
    if round(seconds, 2) < 60:
        return f"{seconds:.2f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def many(count: int, what: str) -> str:
    """*count* with its noun, in the plural if needed."""
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def told(message: Message, part: str) -> str:
    """What is told of a part of its story, such as ``starts``; empty if nothing is."""
    return sentence_of(part_of(message.story, "told").get(part))


def all_told(message: Message, part: str) -> list[str]:
    """What is told of each item of a part of its story, such as ``holds``; empty where nothing is."""
    return [sentence_of(value) for value in list_of(part_of(message.story, "told"), part)]


def pings(message: Message) -> str:
    """The people it pings, and those it only names; empty if there are none."""
    shown = f"; only named: {', '.join(message.shows)}" if message.shows else ""
    return (", ".join(message.pings) or "nobody") + shown if message.pings or shown else ""


def unshown(telling: ReplySummary) -> str:
    """How much of the model's text is in no message, and why."""
    has_file = any(message.file for message in telling.messages)
    fates = {**_FATES, "dropped": "taken out, or in a file" if has_file else "taken out"}
    return ", ".join(
        f"{many(count, 'character')} {fates.get(fate, fate)}" for fate, count in telling.numbers.unshown.items()
    )
