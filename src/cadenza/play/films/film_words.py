"""Words for a film in a terminal. What explains something is in its stories and facts already; here it is only rendered."""

from __future__ import annotations

from ...explain.sentences import rendered
from ...explain.telling import fate_in_short, mentions
from .summary import Message, ReplySummary
from .values import list_of, part_of, sentence_of


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
    return " ".join(map(rendered, mentions(message.pings, message.shows)))


def unshown(telling: ReplySummary) -> str:
    """How much of the model's text is in no message, and why."""
    return ", ".join(
        f"{many(count, 'character')} ({rendered(fate_in_short(fate))})"
        for fate, count in telling.numbers.unshown.items()
    )
