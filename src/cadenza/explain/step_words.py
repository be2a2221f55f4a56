"""What ``cadenza explain`` says of one step of a trace: a line of words for each.

A trace may have been written by another version, or by somebody's editor: whatever a step says of itself may be missing
or of another type, and is then left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from math import isfinite
from types import MappingProxyType
from typing import TypeAlias

About: TypeAlias = Mapping[str, object]
"""The values of a step."""

_LONGEST = 60
"""Characters of a text that are shown."""
_AROUND = 12
"""Characters that are shown before and after a change."""
_NOTICED = 0.001
"""Seconds; shorter waits are not shown."""
_HESITATION = 0.1
"""Seconds; every line waits a moment for what follows."""
_CURES: Mapping[str, str] = MappingProxyType({"key": "another key", "time": "some time", "model": "another model"})
STARTS: Mapping[str, str] = MappingProxyType(
    {
        "reply": "with the reply",
        "newline": "on a new line",
        "period": "with a new sentence",
        "overflow": "where the message before was full",
        "code_open": "with a block of code",
        "code_close": "after a block of code",
        "attachment": "with a file",
        "section": "with a new section",
        "tool_call": "after a tool was called",
        "final": "after the reply was over",
    }
)
"""Where a message starts, by the boundary before it."""
ENDS: Mapping[str, str] = MappingProxyType(
    {
        "newline": "at the end of a line",
        "period": "at the end of a sentence",
        "overflow": "where it was full",
        "code_open": "before a block of code",
        "code_close": "with its block of code",
        "attachment": "before a file",
        "section": "at the end of a section",
        "tool_call": "because a tool is called",
        "final": "with the reply",
    }
)
"""Where a message ends, by its boundary."""
_KEPT: Mapping[str, str] = MappingProxyType(
    {"decided": "what was already decided", "clause": "the text up to its last whole clause"}
)
_PARTS_OF_PAUSE = ("typing", "breath", "thinking")


# --- values that may be anything ---------------------------------------------------------


def text_of(about: About, name: str) -> str:
    """The text called *name*."""
    value = about.get(name)
    return value if isinstance(value, str) else ""


def texts_of(about: About, name: str) -> list[str]:
    """The list of texts called *name*."""
    value = about.get(name)
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def number_of(about: About, name: str, default: float = 0.0) -> float:
    """The number called *name*."""
    value = about.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return default
    try:
        return float(value) if isfinite(value) else default
    except OverflowError:  # a whole number with hundreds of digits
        return default


def numbers_of(about: About, name: str) -> list[int]:
    """The list of whole numbers called *name*."""
    value = about.get(name)
    return [item for item in value if type(item) is int] if isinstance(value, list) else []


def part_of(about: About, name: str) -> About:
    """The object called *name*."""
    value = about.get(name)
    return value if isinstance(value, Mapping) else {}


def parts_of(about: About, name: str) -> list[About]:
    """The list of objects called *name*."""
    value = about.get(name)
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def seconds_of(about: About, name: str) -> str:
    """The seconds called *name*, as they are shown."""
    return shown(number_of(about, name))


def shown(seconds: float) -> str:
    """*seconds* as shown; negative ones are 0."""
    return f"{max(0.0, seconds):.3f} s"


def quoted(value: object, longest: int | None = _LONGEST) -> str:
    """*value* as one line of JSON, shortened to *longest*; ``None`` means in full."""
    if isinstance(value, str) and longest is not None and len(value) > longest:
        value = value[: longest - 1] + "…"
    written = json.dumps(value, ensure_ascii=False)
    return written if longest is None or len(written) <= 2 * longest else f"{written[: 2 * longest - 1]}…"


def _is(about: About, name: str) -> bool:
    return about.get(name) is True


def _count(about: About, name: str) -> int:
    return int(number_of(about, name))


def _many(count: int, what: str) -> str:
    return f"1 {what}" if count == 1 else f"{count} {what}s"


def _outcome(about: About) -> str:
    outcome = about.get("outcome")
    if not isinstance(outcome, Mapping):
        return "nobody knows how"
    why = _error(outcome) or text_of(outcome, "reason")
    return f"{text_of(outcome, 'kind')}{f' ({why})' if why else ''}"


def _error(about: About) -> str:
    """An error and its text."""
    error = about.get("error")
    if not isinstance(error, Mapping):
        return ""
    detail = f" [{detail}]" if (detail := text_of(error, "detail")) else ""
    return f"{text_of(error, 'text') or text_of(error, 'type')}{detail}"


# --- what belongs to a message -----------------------------------------------------------


def starts(story: About) -> str:
    """Why a message starts where it does."""
    return f"starts {boundary_words(STARTS, text_of(story, 'starts'))}"


def ends(story: About) -> str:
    """Why a message ends where it does, and its parts."""
    merged, segments = part_of(story, "merged"), len(numbers_of(story, "segments"))
    parts = [
        f"{_count(merged, 'count')} messages in one" if merged else "",
        f"ends {boundary_words(ENDS, text_of(story, 'ends'))}",
        f"made of {segments} segments" if segments > 1 else "",
    ]
    return ", ".join(filter(None, parts))


def boundary_words(words: Mapping[str, str], boundary: str) -> str:
    """The words for *boundary*; an unknown one is named as it is."""
    return words.get(boundary, boundary.replace("_", " "))


def held(hold: About) -> str:
    """What held the text of a message, and for how long; empty if too short to notice."""
    seconds, mark = _length(hold), text_of(hold, "mark")
    reasons = {
        "code": "in code that was not over",
        "table": "in a table that was not over",
        "hidden": f"by a hidden block ({mark})",
        "mark": f"by {quoted(mark)}, which might close",
        "undecided": "until it was clear what follows",
        "rule": f"by the rule {mark}, which waited for what follows",
        "gathered": "because the message was to hold more",
    }
    why = text_of(hold, "why")
    least = _HESITATION if why == "undecided" else _NOTICED
    return f"held {shown(seconds)} {reasons.get(why, why)}" if seconds >= least else ""


def limited(wait: About) -> str:
    """How long a message waited for the rate limit; other waits are part of the queue."""
    if text_of(wait, "why") != "rate_limit" or _length(wait) < _NOTICED:
        return ""
    return f"waited {shown(_length(wait))} for the rate limit, from {seconds_of(wait, 'from')} on"


def _length(span: About) -> float:
    return number_of(span, "to") - number_of(span, "from")


def pause(about: About) -> str:
    """The planned pause before a message, and its parts; empty without one."""
    parts = [f"{part} {seconds_of(about, part)}" for part in _PARTS_OF_PAUSE if number_of(about, part)]
    cut = f", shortened by {seconds_of(about, 'cut')} to fit the budget" if number_of(about, "cut") else ""
    return f"planned pause {seconds_of(about, 'planned')}: {' and '.join(parts)}{cut}" if parts else ""


def queue(about: About, seconds: float) -> str:
    """How long a message waited to be sent, by reason."""
    waited = about.get("waited")
    reasons = [f"{reason} {seconds_of(waited, reason)}" for reason in waited] if isinstance(waited, Mapping) else []
    return f"queue {shown(seconds)} ({', '.join(reasons)})" if reasons else f"queue {shown(seconds)}"


def change(about: About, longest: int | None = _LONGEST) -> str:
    """What a rule did."""
    effect, identity = text_of(about, "effect"), text_of(about, "identity")
    before, after = "".join(texts_of(about, "before")), "".join(texts_of(about, "after"))
    if not after or before == after:
        effect = f"{effect} {quoted(before, longest)}"
    else:
        was, became = (before, after) if longest is None else _difference(before, after)
        effect = f"{effect} {quoted(was, longest)} to {quoted(became, longest)}"
    return f"{text_of(about, 'rule')}: {effect}{f', shown as {identity}' if identity else ''}"


def _difference(before: str, after: str) -> tuple[str, str]:
    """The difference of two texts, with a little context."""
    shorter = min(len(before), len(after))
    start = next((place for place in range(shorter) if before[place] != after[place]), shorter)
    most = shorter - start
    end = next((place for place in range(most) if before[-1 - place] != after[-1 - place]), most)
    first, behind = max(0, start - _AROUND), max(0, end - _AROUND)
    return _within(before, first, behind), _within(after, first, behind)


def _within(text: str, first: int, behind: int) -> str:
    return f"{'…' if first else ''}{text[first : len(text) - behind]}{'…' if behind else ''}"


# --- everything else ---------------------------------------------------------------------


def _reply(about: About) -> str:
    persona, channel = text_of(about, "persona"), text_of(about, "channel")
    head = f"Reply{f' as {persona}' if persona else ''}{f' in {channel}' if channel else ''}"
    settings = about.get("settings")
    if not isinstance(settings, Mapping) or not settings:
        return head
    return f"{head}\n{'':13}settings: {', '.join(f'{name} {quoted(value)}' for name, value in settings.items())}"


def _try(about: About) -> str:
    with_key = f" with {key}" if (key := text_of(about, "key")) else ""
    added = [
        f"after {shown(waited)}" if (waited := number_of(about, "waited")) else "",
        f"without the oldest {_many(dropped, 'exchange')}" if (dropped := _count(about, "dropped")) else "",
        "reminded of whom it speaks for" if _is(about, "reminded") else "",
    ]
    head = (
        f"try {_count(about, 'number')}: {text_of(about, 'model') or 'the model'}{with_key} ({text_of(about, 'why')})"
    )
    return ", ".join(filter(None, (head, *added)))


def _tried(about: About) -> str:
    """What is done about the outcome of an attempt; empty if nothing is."""
    cure = text_of(about, "cure")
    helps = f"try {_count(about, 'number')}: {_outcome(about)}, which {_CURES.get(cure, cure)} may cure"
    return "" if cure in ("", "nothing") else helps


def _request(about: About) -> str:
    sizes = (_many(_count(about, f"{name}s"), name) for name in ("turn", "tool", "byte"))
    rung = f", {rung}" if (rung := text_of(about, "rung")) not in ("", "default") else ""
    remembered = ", as was learnt before" if _is(about, "remembered") else ""
    why = f", because {why}" if (why := _error(about)) else remembered
    return f"request {_count(about, 'number')}: {', '.join(sizes)}{rung}{why}"


def _merged(about: About) -> str:
    count = len(numbers_of(about, "posts"))
    return f"{_many(count, 'message')} put together: {text_of(about, 'why').replace('_', ' ')}"


def _withdrawn(about: About) -> str:
    count = len(numbers_of(about, "posts"))
    return f"{_many(count, 'message')} that waited put aside" if count else ""


def _cut_off(about: About) -> str:
    dropped, kept = len(numbers_of(about, "dropped")), len(numbers_of(about, "posts"))
    if not dropped and not kept:
        return ""
    keep = text_of(about, "keep")
    parts = [
        f"{_many(dropped, 'message')} dropped" if dropped else "",
        f"{kept} still sent, starting with {quoted(text_of(about, 'text'))}" if kept else "",
    ]
    return f"cut off, keeping {_KEPT.get(keep, keep)}: {', '.join(filter(None, parts))}"


def _deleted(about: About) -> str:
    error = _error(about)
    what = f"could not be deleted: {error}" if error else f"deleted in {seconds_of(about, 'seconds')}"
    return f"message id {text_of(about, 'message')} {what}"


def _tool(about: About) -> str:
    if _is(about, "remembered"):
        how = "remembered, not run again"
    else:
        how = f"{'failed after' if _is(about, 'is_error') else 'took'} {seconds_of(about, 'seconds')}"
    return f"tool {text_of(about, 'name')} {quoted(text_of(about, 'arguments'))}: {how}"


def _stop(about: About) -> str:
    return f"stop: {text_of(about, 'reason')}{f' by {by}' if (by := text_of(about, 'by')) else ''}"


def _stall(about: About) -> str:
    when = "in the middle" if _is(about, "has_begun") else "before its first word"
    return f"the model fell silent {when}, for {seconds_of(about, 'seconds')}"


def _notice(about: About) -> str:
    unseen = "" if _is(about, "is_shown") else " (could not be shown)"
    return f"notice{unseen}: {text_of(about, 'text')}"


def _passed_over(about: About) -> str:
    seconds = f" for {seconds_of(about, 'seconds')} more" if number_of(about, "seconds") else ""
    return f"{text_of(about, 'model') or 'a model'} passed over: {text_of(about, 'why')}{seconds}"


def _nothing(_: About) -> str:
    """Empty: the step is shown with its message."""
    return ""


def _end(about: About) -> str:
    return f"over: {_outcome(about)}, {_many(_count(about, 'messages'), 'message')}"


WORDS: Mapping[str, Callable[[About], str]] = MappingProxyType(
    {
        "reply": _reply,
        "passed_over": _passed_over,
        "try": _try,
        "request": _request,
        "hold": _nothing,
        "wait": _nothing,
        "sending": _nothing,
        "aside": lambda about: f"{text_of(about, 'kind')}: {quoted(text_of(about, 'text'))}",
        "halt": lambda about: f"ended by {text_of(about, 'by')}: {text_of(about, 'reason')}",
        "back_pressure": lambda about: f"the model had to wait {seconds_of(about, 'seconds')} for room",
        "unsent": lambda about: f"a message could not be sent: {_error(about)}",
        "merged": _merged,
        "left_out": lambda about: f"a message left out: {text_of(about, 'why')}",
        "cut": _cut_off,
        "withdrawn": _withdrawn,
        "brought_back": lambda about: f"{_many(len(numbers_of(about, 'posts')), 'message')} sent after all",
        "superseded": lambda about: f"to be deleted: message id {', '.join(texts_of(about, 'messages'))}",
        "spared": lambda about: f"kept after all: message id {', '.join(texts_of(about, 'messages'))}",
        "deleted": _deleted,
        "tool": _tool,
        "notice": _notice,
        "stop": _stop,
        "stall": _stall,
        "round": lambda about: f"round {_count(about, 'number')}: {_outcome(about)}",
        "tried": _tried,
        "end": _end,
    }
)
