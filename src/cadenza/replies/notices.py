"""Notices: what people see besides the reply, for instance that it failed or that a fallback answered.

A friendly notice is one sentence for anybody in the chat. One with details is for operators: it names the model, repeats
the provider's words and gives advice. All words are in one table, ``TEXTS``, for translation. Text of a provider or a
model is made safe first: no ping, link or heading in it works, secrets are hidden, and it is shortened.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from types import MappingProxyType
from typing import NamedTuple, assert_never

from ..errors import Aspect, CadenzaError, DeliveryError, ErrorKind, ProviderError, Sentence, ToolError
from ..models.error_message import excludes_top_p
from ..models.error_text import is_generic
from ..models.keys import KeyRemedy, cure
from ..text.redaction import without_secrets
from ..text.units import fits, fitting, whole_grapheme
from ..types import Broke, Completed, Empty, Failure, NeedsTools, Notice, Outcome, Stalled, Stopped, StopReason, Urgency

# --- words -----------------------------------------------------------------------------

TEXTS: Mapping[str, str] = MappingProxyType(
    {
        # What happened, in two or three words.
        "all_keys.title": "Too many requests, with every key",
        "blocked.title": "Blocked by a filter",
        "broken.title": "The model could not answer",
        "context.title": "The conversation is too long",
        "credit.title": "Not enough credit",
        "empties.title": "No answer",
        "empty.title": "No answer",
        "fell_back.title": "Another model answered",
        "full.title": "There is more",
        "model.title": "No such model",
        "no_room.title": "No room for an answer",
        "not_itself.title": "No answer",
        "ours.title": "Something went wrong",
        "overloaded.title": "Overloaded",
        "parameters.title": "Conflicting settings",
        "passing.title": "The model could not answer",
        "privacy.title": "Privacy settings",
        "rate_limit.title": "Too many requests",
        "refused.title": "The request was refused",
        "rounds.title": "Too many steps",
        "shutdown.title": "Cut off by a restart",
        "silent.title": "No answer",
        "stale.title": "Given up",
        "stalled.title": "The answer broke off",
        "still_working.title": "Still working",
        "time.title": "Out of time",
        "timeout.title": "It took too long",
        "tools.title": "The tools failed",
        # And in a sentence, where no error has one.
        "empties.text": "{model} returned an empty answer several times; rephrase the message or use another model.",
        "empty.text": "{model} returned an empty answer; rephrase the message or use another model.",
        "fell_back.text": "{model} answered instead of {failures}.",
        "full.text": "This reply reached its message limit; ask it to continue.",
        "no_room.text": "{model} used all its tokens before it said anything; "
        "raise max_tokens, let it think less or start a new conversation.",
        "not_itself.text": "{model} wrote only another speaker's lines, which are not shown; try again or use another model.",
        "rounds.text": "{model} used all its steps for tools and gave no answer; ask for less at once.",
        "shutdown.text": "The reply was cut off by a restart; ask again in a moment.",
        "silent.text": "{model} did not begin to answer in time; try again in a little while.",
        "stale.text": "The reply was stuck and was ended; ask again if you still need it.",
        "stalled.text": "{model} fell silent in the middle of its answer; try again in a little while.",
        "still_working.text": "This takes longer: {rounds} rounds of tools so far; stop the reply if that is too long.",
        "time.text": "The reply took too long and was ended; ask for less at once, or try again.",
        "tools.text": "Tools failed too often, so the reply was ended; try again later or ask for something else.",
        # What anybody in the chat is told instead, if not that.
        "plain.blocked": "A content filter does not let this be answered; say it in another way.",
        "plain.busy": "Too much is going on at the moment; try again in a little while.",
        "plain.empty": "There is no answer to this; say it in another way, or try again.",
        "plain.fell_back": "Another model answered this time.",
        "plain.long": "This conversation has become too long; start a new one.",
        "plain.no_room": "There was no room left for an answer; ask for less, or start a new conversation.",
        "plain.ours": "Something went wrong; please tell the operator of this bot.",
        "plain.passing": "The answer did not come through; try again in a little while.",
        "plain.refused": "There can be no answer at the moment; please tell the operator of this bot.",
        "plain.rounds": "This took too many steps; ask for less at once.",
        "plain.slow": "The answer took too long; try again in a little while.",
        "plain.stalled": "The answer broke off; try again in a little while.",
        "plain.tools": "Something that the answer needs does not work; try again later, or ask for something else.",
        # What else may help.
        "tip.another": "Another model may accept both.",
        "tip.fallback": "Set up a fallback model, which answers when the first cannot.",
        "tip.fresh": "Start a new conversation, for instance in a thread.",
        "tip.history": "An earlier message or a memory may be the reason: remove it.",
        "tip.keys": "Give it several keys: they take turns.",
        "tip.lists": "Vendors rename and retire models; look at the vendor's list of models.",
        "tip.patience": "A model that thinks for long needs a higher first_timeout.",
        "tip.pauses": "A model that pauses for long needs a higher idle_timeout.",
        "tip.price": "Set max_tokens lower: some vendors reserve the price of the longest answer.",
        "tip.room": "Set max_tokens lower: that leaves more room for the conversation.",
        "tip.router_credit": "Credit for OpenRouter is added at https://openrouter.ai/settings/credits",
        "tip.router_free": "OpenRouter allows more requests to accounts with credit, and fewest to free models.",
        "tip.router_models": "The models of OpenRouter are listed at https://openrouter.ai/models",
        "tip.router_privacy": "The privacy settings of OpenRouter are at https://openrouter.ai/settings/privacy",
        "tip.steps": "The setting tool_rounds allows more steps.",
        "tip.messages": "The settings message_limit and flood_limit allow more messages.",
        "tip.turn": "The setting turn_timeout allows more time.",
        # Why a fallback answered, and other parts of sentences.
        "why.empty": "said nothing",
        "why.no_room": "had no room for an answer",
        "why.not_itself": "wrote only another speaker's lines",
        "why.other": "gave no answer",
        "why.silent": "did not begin to answer",
        "why.stalled": "fell silent in the middle",
        "before": "Before that: {failures}.",
        "details": "Details: {detail}.",
        "failure": "{model} ({why})",
        "more": "{count} more",
        "model": "the model",
        "model.first": "The model",
        "then": "{first} {then}",
        "alone": "{title}.",
    }
)
"""The words of all notices, by key."""


class _Case(NamedTuple):
    """How a failure is shown."""

    urgency: Urgency
    plain: str = ""
    """The friendly sentence; without one it is the sentence of the case, which then names no model."""
    tips: tuple[str, ...] = ()


_CASES: Mapping[str, _Case] = MappingProxyType(
    {
        "privacy": _Case(Urgency.ERROR, "refused", ("router_privacy", "router_models")),
        "credit": _Case(Urgency.ERROR, "refused", ("price", "router_credit", "fallback")),
        "context": _Case(Urgency.ERROR, "long", ("room", "fresh", "fallback")),
        "parameters": _Case(Urgency.ERROR, "refused", ("another",)),
        "model": _Case(Urgency.ERROR, "refused", ("lists", "router_models", "fallback")),
        "rate_limit": _Case(Urgency.WARNING, "busy", ("keys", "fallback", "router_free")),
        "all_keys": _Case(Urgency.WARNING, "busy", ("fallback", "router_free")),
        "blocked": _Case(Urgency.ERROR, "blocked", ("history",)),
        "timeout": _Case(Urgency.WARNING, "slow", ("fresh", "fallback")),
        "overloaded": _Case(Urgency.WARNING, "busy", ("fallback",)),
        "refused": _Case(Urgency.ERROR, "refused", ("router_models", "fallback")),
        "broken": _Case(Urgency.ERROR, "refused", ("fallback",)),
        "passing": _Case(Urgency.WARNING, "passing", ("fallback",)),
        "silent": _Case(Urgency.WARNING, "slow", ("patience", "fallback")),
        "stalled": _Case(Urgency.WARNING, "stalled", ("pauses", "fallback")),
        "empties": _Case(Urgency.WARNING, "empty", ("fallback",)),
        "empty": _Case(Urgency.WARNING, "empty", ("fallback",)),
        "no_room": _Case(Urgency.WARNING, "no_room", ("fallback",)),
        "not_itself": _Case(Urgency.WARNING, "empty", ("fallback",)),
        "tools": _Case(Urgency.ERROR, "tools"),
        "rounds": _Case(Urgency.WARNING, "rounds", ("steps",)),
        "time": _Case(Urgency.WARNING, tips=("turn",)),
        "full": _Case(Urgency.INFO, tips=("messages",)),
        "stale": _Case(Urgency.WARNING),
        "shutdown": _Case(Urgency.WARNING),
        "ours": _Case(Urgency.ERROR, "ours"),
    }
)
_BY_ASPECT: Mapping[Aspect, str] = MappingProxyType(
    {Aspect.PRIVACY: "privacy", Aspect.CREDIT: "credit", Aspect.CONTEXT: "context"}
)
_BY_KIND: Mapping[ErrorKind, str] = MappingProxyType(
    {
        ErrorKind.MODEL: "model",
        ErrorKind.CONTENT_BLOCKED: "blocked",
        ErrorKind.TIMEOUT: "timeout",
        ErrorKind.OVERLOADED: "overloaded",
    }
)
_BY_REASON: Mapping[StopReason, str | None] = MappingProxyType(
    {
        **dict.fromkeys((StopReason.USER, StopReason.FOLLOW_UP, StopReason.TRIGGER_GONE)),  # it was asked for
        **dict.fromkeys((StopReason.CHANNEL_GONE, StopReason.MISSING_ACCESS)),  # the channel shows nothing
        **dict.fromkeys((StopReason.SPEAKER_GUARD, StopReason.MESSAGE_LIMIT, StopReason.RULE)),
        StopReason.ROUND_LIMIT: "rounds",
        StopReason.TIME_LIMIT: "time",
        StopReason.STALE: "stale",
        StopReason.SHUTDOWN: "shutdown",
    }
)
"""The case of a stop; ``None`` for one that was asked for, or that only shortens the reply."""

# --- notices ---------------------------------------------------------------------------

# A notice is a few lines, all of it together. Lengths are in UTF-16 units.
_LONGEST_FAILURE = 120
_LONGEST_SENTENCE = 300
_LONGEST_DETAIL = 200
"""The provider's own words."""
_LONGEST_NAME = 80
_ROOM = 360
"""For all failures of a notice about a fallback."""
_ROOM_BEFORE = 240
"""For the failures before another one."""
_MOST = 3
"""Failures that are listed one by one."""


def failed(
    outcome: Outcome,
    *,
    show_errors: str = "friendly",
    failures: Sequence[Failure] = (),
    has_fallback: bool = False,
    model: str = "",
    when_full: str = "stop",
    asked: StopReason | None = None,
) -> Notice | None:
    """Return the notice for a reply that ended with *outcome*; ``None`` if there is nothing to say.

    *show_errors* is the setting. *model* is the last model asked, *failures* are the attempts before it, and
    *has_fallback* says whether other models are set up. A full reply is mentioned unless *when_full* is ``stop`` or
    people *asked* for the stop.
    """
    has_fallback = has_fallback or any(failure.model != model for failure in failures)
    case = _case(outcome, failures, model)
    is_wanted = when_full != "stop" and asked not in (StopReason.USER, StopReason.FOLLOW_UP)
    if outcome == Stopped(StopReason.MESSAGE_LIMIT) and is_wanted:
        case = "full"
    if case is None or show_errors == "off":
        return None
    urgency, plain, tips = _CASES[case]
    if show_errors == "friendly":
        title = _said(f"{case}.title") if urgency is Urgency.INFO else ""
        return Notice(_said(f"plain.{plain}" if plain else f"{case}.text"), urgency, title)
    text = reduce(lambda first, then: _said("then", first=first, then=then), _told(case, outcome, failures, model))
    helps = (_said(f"tip.{tip}") for tip in tips if _fits(tip, model, has_fallback=has_fallback))
    return Notice(text, urgency, _said(f"{case}.title"), tuple(helps))


def error_of(outcome: Outcome, *, failures: Sequence[Failure] = (), model: str = "") -> CadenzaError | None:
    """Return the error of a reply that ended with *outcome*; ``None`` if it was answered, stopped on purpose or needs tools.

    A failed send is an error too, although there is no place where people could be told.
    """
    match outcome:
        case Broke(error):
            return error
        case Stopped(StopReason.SHUTDOWN):
            return None  # who runs the bot restarts it
    case = _case(outcome, failures, model)
    if case is None:
        return None
    told = _said(f"{case}.text", model=_name(model, "model.first"))
    if isinstance(outcome, Stopped):
        return CadenzaError(told)
    kind = ErrorKind.TIMEOUT if isinstance(outcome, Stalled) else ErrorKind.UNKNOWN
    return ProviderError(told, kind=kind, retryable=True)


def fell_back(failures: Sequence[Failure], model: str, *, show_errors: str = "friendly") -> Notice:
    """Return a notice that *model* answered; with details, why those before it did not."""
    if show_errors != "details":
        return Notice(_said("plain.fell_back"))
    others = [failure for failure in failures if failure.model != model] or failures
    text = _said("fell_back.text", model=_name(model, "model.first"), failures=_listed(others, _ROOM))
    return Notice(text, Urgency.INFO, _said("fell_back.title"))


def still_working(rounds: int) -> Notice:
    """Return a notice that tools ran for *rounds* rounds so far."""
    return Notice(_said("still_working.text", rounds=rounds), Urgency.INFO, _said("still_working.title"))


def _said(key: str, **values: object) -> Sentence:
    return Sentence(TEXTS[key], **values)


# --- what happened -----------------------------------------------------------------------


def _case(outcome: Outcome, failures: Sequence[Failure], model: str) -> str | None:
    match outcome:
        case Completed() | Broke(DeliveryError()) | NeedsTools():
            return None
        case Broke(ProviderError() as error):
            return _provider_case(error, has_rotated=_has_rotated(failures, model))
        case Broke(ToolError()):
            return "tools"
        case Broke():
            return "ours"
        case Stopped(reason):
            return _BY_REASON[reason]
        case Stalled(has_begun):
            return "stalled" if has_begun else "silent"
        case Empty(reason):
            was_empty = any(failure.model == model and isinstance(failure.outcome, Empty) for failure in failures)
            others = {"length": "no_room", StopReason.SPEAKER_GUARD.value: "not_itself"}
            return others.get(reason, "empties" if was_empty else "empty")
        case _:
            assert_never(outcome)


def _provider_case(error: ProviderError, *, has_rotated: bool) -> str:
    if error.aspect is not None:
        return _BY_ASPECT[error.aspect]
    if error.kind in _BY_KIND:
        return _BY_KIND[error.kind]
    if error.kind is ErrorKind.RATE_LIMIT:
        return "all_keys" if has_rotated else "rate_limit"
    if excludes_top_p(error.detail):
        return "parameters"
    if error.retryable:
        return "passing"
    return "refused" if 400 <= (error.status or 0) < 500 else "broken"


def _has_rotated(failures: Sequence[Failure], model: str) -> bool:
    """Return whether *model* was tried with another key before."""
    return any(failure.model == model and cure(failure.outcome) is KeyRemedy.KEY for failure in failures)


def _fits(tip: str, model: str, *, has_fallback: bool) -> bool:
    """Return whether *tip* applies: some are for one vendor, or for a bot without a fallback."""
    if tip == "fallback":
        return not has_fallback
    return not tip.startswith("router_") or model.strip().lower().startswith("openrouter:")


def _told(case: str, outcome: Outcome, failures: Sequence[Failure], model: str) -> Iterator[str]:
    """Yield the sentences: what happened, what the provider said, which models failed before."""
    error = outcome.error if isinstance(outcome, Broke) else None
    if f"{case}.text" in TEXTS:
        yield _said(f"{case}.text", model=_name(model, "model.first"))
    elif told := _tame(str(error)):
        yield _sentence(told)
    else:
        yield _said("alone", title=_said(f"{case}.title"))
    if detail := _detail(error):
        yield _said("details", detail=detail)
    if others := [failure for failure in failures if failure.model != model]:
        yield _said("before", failures=_listed(others, _ROOM_BEFORE))


def _detail(error: CadenzaError | None) -> str:
    """Return the provider's or tool's own words about *error*, if they add anything."""
    match error:
        case ProviderError(detail=detail, code=code):
            if is_generic(detail) or detail in str(error):
                return ""
            is_known = code in ("", "unknown") or code.lower() in detail.lower()
            return _quoted(detail if is_known else f"{code}: {detail}")
        case ToolError():
            return _quoted(str(error))
        case _:
            return ""


def _listed(failures: Sequence[Failure], room: int) -> Sequence[Sentence]:
    """List *failures* within *room* units; equal ones are listed once."""
    told = list(dict.fromkeys((failure.model, _why(failure.outcome)) for failure in failures))
    each = min(_LONGEST_FAILURE, room // max(1, min(len(told), _MOST)))
    parts = [_said("failure", model=_name(model), why=_short(why, each)) for model, why in told[:_MOST]]
    if len(told) > _MOST:
        parts.append(_said("more", count=len(told) - _MOST))
    return parts


def _short(why: str, limit: int) -> str:
    return why if isinstance(why, Sentence) else _tame(why, limit) or _said("why.other")


def _why(outcome: Outcome) -> str:
    """Return what was wrong, without advice: another model has answered."""
    match outcome:
        case Broke(error):
            return str(error).partition(";")[0]
        case Stalled(has_begun):
            return _said("why.stalled" if has_begun else "why.silent")
        case Empty("length"):
            return _said("why.no_room")
        case Empty(StopReason.SPEAKER_GUARD.value):
            return _said("why.not_itself")
        case Empty():
            return _said("why.empty")
        case Completed() | NeedsTools() | Stopped():
            return _said("why.other")
        case _:
            assert_never(outcome)


# --- foreign text --------------------------------------------------------------------------

_BREAK = "\u200d"
"""A zero-width joiner: invisible, and it breaks any mark-up around it."""
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
"""Characters that are invisible or change the direction of text."""
_HALVES = re.compile("[\ud800-\udfff]")
_ALIVE = re.compile(r"[@<](?=\S)|\](?=\()|^(?=[#>*+-])")
"""Where a mention, a tag, a link or a heading begins."""
_BEGINS_SMALL = re.compile(r"[a-z]+(?=\s)")


def _tame(text: str, limit: int = _LONGEST_SENTENCE) -> str:
    """Return *text* in one line, without secrets or working mark-up, cut to *limit*."""
    text = _UNSEEN.sub("", " ".join(without_secrets(text).split()))
    text = _HALVES.sub("\ufffd", text).replace("`", "'")
    text = _ALIVE.sub(lambda match: match[0] + _BREAK, text)
    if fits(text, limit):
        return text
    return text[: whole_grapheme(text, fitting(text, limit - 1))].rstrip() + "…"


def _quoted(text: str, limit: int = _LONGEST_DETAIL) -> str:
    """Return *text* as inline code."""
    tame = _tame(text, limit)
    return f"`{tame}`" if tame else ""


def _name(model: str, unknown: str = "model") -> str:
    return _quoted(model, _LONGEST_NAME) or _said(unknown)


def _sentence(text: str) -> str:
    """Return *text* with a capital and a full stop; a name in lower case stays so."""
    text = text if text.endswith((".", "!", "?", "…")) else f"{text}."
    return text[:1].upper() + text[1:] if _BEGINS_SMALL.match(text) else text
