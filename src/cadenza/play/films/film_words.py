"""Words for a message's story: why it starts and ends, what was held, and so on."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ...explain.step_words import ENDS, STARTS, About, boundary_words, number_of, part_of, parts_of, text_of
from .summary import Message, ReplySummary, seconds_between

_WAITS: Mapping[str, str] = MappingProxyType(
    {
        "behind": "behind others",
        "typing": "typing",
        "rate_limit": "for the rate limit",
        "picture": "for a picture",
        "names": "for names",
    }
)
_SHARES: Mapping[str, str] = MappingProxyType(
    {
        "model": "the model spoke",
        "buffer": "until it was decided",
        "queue": "in the queue",
        "sending": "on its way",
    }
)
_FATES: Mapping[str, str] = MappingProxyType(
    {"thought": "of thoughts", "details": "of details", "cut": "cut off at the end"}
)
_SEEN = 0.005
"""Shorter times would be shown as 0."""
_HIDDEN: Mapping[str, str] = MappingProxyType({"thought": "a thought", "details": "details"})


def shown_seconds(seconds: float) -> str:
    """*seconds* as people read them."""
    if round(seconds, 2) < 60:
        return f"{seconds:.2f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def many(count: int, what: str) -> str:
    """*count* with its noun, in the plural if needed."""
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def starts(message: Message) -> str:
    """Why it starts where it does."""
    return boundary_words(STARTS, text_of(message.story, "starts"))


def ends(message: Message) -> str:
    """Why it ends where it does."""
    return boundary_words(ENDS, text_of(message.story, "ends"))


def holds(message: Message, *, least: float = 0.0) -> list[str]:
    """What held its text, and for how long; without undecided holds shorter than *least* seconds."""
    together: dict[str, float] = {}
    for hold in parts_of(message.story, "holds"):
        seconds = seconds_between(hold)
        if seconds >= least or hold.get("why") != "undecided":
            why = _held(hold)
            together[why] = together.get(why, 0.0) + seconds
    return [f"{shown_seconds(seconds)} {why}" for why, seconds in together.items()]


def _held(hold: About) -> str:
    why, mark = text_of(hold, "why"), text_of(hold, "mark")
    match why:
        case "code":
            return "because a block of code stays whole"
        case "table":
            return "because a table stays whole"
        case "hidden":
            return f"because of {_HIDDEN.get(mark, mark or 'something')} that is not shown"
        case "mark":
            return f"because {mark} was open"
        case "undecided" if mark.strip():
            return f"because {mark} may go on"
        case "undecided":
            return "because the next character decides"
        case "rule":
            return f"because the rule {mark} waited for what follows"
        case "gathered":
            return "because the message was to hold more"
        case _:
            return f"because of {why.replace('_', ' ')}"


def pause(message: Message) -> str:
    """The pause planned before it and its parts; empty if there was none."""
    about = part_of(message.story, "pause")
    parts = [
        f"{name} {shown_seconds(number_of(about, name))}"
        for name in ("typing", "breath", "thinking")
        if number_of(about, name)
    ]
    if not parts:
        return ""
    cut = number_of(about, "cut")
    less = f", shortened by {shown_seconds(cut)} to fit the budget" if cut else ""
    return f"{shown_seconds(number_of(about, 'planned'))} planned: {' and '.join(parts)}{less}"


def pings(message: Message) -> str:
    """The people it pings, and those it only names; empty if there are none."""
    shown = f"; only named: {', '.join(message.shows)}" if message.shows else ""
    return (", ".join(message.pings) or "nobody") + shown if message.pings or shown else ""


def merged(message: Message) -> str:
    """How many planned messages it merges, and why; empty if it is one."""
    value = part_of(message.story, "merged")
    if not value:
        return ""
    why = {"rate_limit": "the chat's rate limit", "stop": "the reply was stopped"}
    reason = text_of(value, "why")
    return f"{many(int(number_of(value, 'count')), 'planned message')} in one: {why.get(reason, reason)}"


def time(message: Message) -> str:
    """Where the time went since the message before."""
    waits: dict[str, float] = {}
    for wait in parts_of(message.story, "waits"):
        why = text_of(wait, "why")
        waits[why] = waits.get(why, 0.0) + seconds_between(wait)
    waits["behind"] = message.took.get("queue", 0.0) - sum(waits.values())
    reasons = [f"{shown_seconds(seconds)} {_WAITS.get(why, why)}" for why, seconds in waits.items() if seconds >= _SEEN]
    queue = f" ({', '.join(reasons)})" if reasons else ""
    shares = [
        f"{shown_seconds(seconds)} {words}{queue if share == 'queue' else ''}"
        for share, words in _SHARES.items()
        if (seconds := message.took.get(share, 0.0)) >= _SEEN
    ]
    return ", ".join(shares)


def outcome(about: About) -> str:
    """How a reply ended."""
    error = part_of(about, "error")
    why = text_of(error, "text") or text_of(error, "type") or text_of(about, "reason")
    kind = text_of(about, "kind").replace("_", " ")
    return f"{kind}: {why}" if why and (kind, why) != ("completed", "stop") else kind or "nobody knows how"


def unshown(telling: ReplySummary) -> str:
    """How much of the model's text is in no message, and why."""
    has_file = any(message.file for message in telling.messages)
    fates = {**_FATES, "dropped": "taken out, or in a file" if has_file else "taken out"}
    return ", ".join(
        f"{many(count, 'character')} {fates.get(fate, fate)}" for fate, count in telling.numbers.unshown.items()
    )
