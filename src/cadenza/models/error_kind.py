"""Classify a provider's error: by its status first, by its code, and by its words last.

A status does not mean the same everywhere, so families of APIs have their own tables. A code stands in for a missing
status. The words are read last: where there is neither, and for the few things that no status tells (an unknown model,
an empty account).

The text of an error is ours and is for people; ``detail`` holds the provider's words, without secrets.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple

from ..errors import Aspect, ErrorKind, HttpError, ProviderError, Sentence
from ..text.redaction import without_secrets
from .error_message import explanation
from .error_text import ErrorText, believable, complaint_in, complaint_of, stated_status

__all__ = ["broken_off", "failure", "refused", "reported", "without_secrets"]

_LONGEST = 2000
"""Characters of a detail that are kept."""
_LONGEST_READ = 2 * _LONGEST
"""Characters that are examined: enough that cutting here never cuts a secret that is shown."""


class _Verdict(NamedTuple):
    """The kind of an error, and whether the same request may succeed later."""

    kind: ErrorKind
    retryable: bool
    code: str = ""


_FINAL = _Verdict(ErrorKind.API, retryable=False)
_BROKEN = _Verdict(ErrorKind.API, retryable=True)
_SLOW_DOWN = _Verdict(ErrorKind.RATE_LIMIT, retryable=True)
_TOO_SLOW = _Verdict(ErrorKind.TIMEOUT, retryable=True)
_TOO_BUSY = _Verdict(ErrorKind.OVERLOADED, retryable=True)
_FILTERED = _Verdict(ErrorKind.CONTENT_BLOCKED, retryable=False)
_NO_IDEA = _Verdict(ErrorKind.UNKNOWN, retryable=False)
_CUT_OFF = _Verdict(ErrorKind.UNKNOWN, retryable=True)

# --- tables ----------------------------------------------------------------------------

_STATUSES: Mapping[int, _Verdict] = MappingProxyType(
    {
        **dict.fromkeys((408, 504, 524), _TOO_SLOW),
        429: _SLOW_DOWN,
        **dict.fromkeys((500, 502, 503, 520, 521, 522, 523, 529), _TOO_BUSY),  # the last five are sent by proxies
    }
)
"""For all APIs, unless their family says otherwise. Any other status is final."""

_NAMES: Mapping[str, _Verdict] = MappingProxyType(
    {
        # OpenAI and compatible APIs
        **dict.fromkeys(("rate_limit_exceeded", "rate_limit_error", "rate_limited"), _SLOW_DOWN),
        **dict.fromkeys(
            ("overloaded_error", "engine_overloaded_error", "service_unavailable", "overloaded"), _TOO_BUSY
        ),
        **dict.fromkeys(("server_error", "internal_server_error", "InternalServerError"), _TOO_BUSY),
        "api_error": _BROKEN,
        **dict.fromkeys(("timeout", "timeout_error", "request_timeout"), _TOO_SLOW),
        **dict.fromkeys(("invalid_request_error", "unsupported_parameter", "unsupported_value"), _FINAL),
        **dict.fromkeys(("insufficient_quota", "billing_error", "context_length_exceeded"), _FINAL),
        **dict.fromkeys(("authentication_error", "permission_error", "invalid_api_key", "not_found_error"), _FINAL),
        # Google
        "RESOURCE_EXHAUSTED": _SLOW_DOWN,
        "DEADLINE_EXCEEDED": _TOO_SLOW,
        "UNAVAILABLE": _TOO_BUSY,
        **dict.fromkeys(("INTERNAL", "ABORTED"), _BROKEN),
        **dict.fromkeys(("INVALID_ARGUMENT", "FAILED_PRECONDITION", "NOT_FOUND"), _FINAL),
        **dict.fromkeys(("PERMISSION_DENIED", "UNAUTHENTICATED"), _FINAL),
        # network errors
        **dict.fromkeys(("ECONNREFUSED", "ENOTFOUND"), _FINAL),
        "ECONNRESET": _CUT_OFF,
        "ETIMEDOUT": _TOO_SLOW,
    }
)
"""Codes, for errors without a status."""

_FILTERS = frozenset(
    {"content_filter", "content_policy_violation", "moderation_blocked", "SAFETY", "PROHIBITED_CONTENT"}
)
"""Codes of filters, which are more precise than the status sent with them."""


def _wording(*patterns: str) -> re.Pattern[str]:
    """Any of *patterns*, as whole words."""
    return re.compile(rf"(?is)(?<!\w)(?:{'|'.join(patterns)})(?!\w)")


_WORDS: Sequence[tuple[re.Pattern[str], _Verdict]] = (
    (_wording("resource_exhausted", "quota", r"rate[ _-]?limit(?:s|ed|ing)?", "too many requests"), _SLOW_DOWN),
    (_wording("econnrefused", "connection refused"), _FINAL._replace(code="ECONNREFUSED")),
    (_wording(r"deadline[ _]exceeded", "timed[ -]out", "time[ -]?out"), _TOO_SLOW),
    (_wording("api[ _-]?key", r"permission(?:_denied)?", "unauthenticated", "unauthori[sz]ed", "forbidden"), _FINAL),
    (_wording("unavailable", "overloaded", "(?:at|over) capacity", "high demand"), _TOO_BUSY),
    (_wording("content[ _-](?:policy|filter)", "prohibited[ _]content"), _FILTERED),
)
"""Words, for errors with neither a status nor a known code."""


@dataclass(frozen=True, slots=True)
class _Family:
    """APIs with the same meaning of statuses and codes."""

    statuses: Mapping[int, _Verdict] = field(default_factory=dict)
    """Statuses with another meaning than in ``_STATUSES``."""
    names: Mapping[str, _Verdict] = field(default_factory=dict)
    """Codes that override the status."""
    words: Sequence[tuple[re.Pattern[str], _Verdict]] = ()
    otherwise: _Verdict = _NO_IDEA
    """For errors without a status, a known code or known words."""


_SHARED = _Family()
_GOOGLE = _Family(
    statuses={500: _BROKEN},
    words=((_wording("safety", "blocked"), _FILTERED),),
    otherwise=_FINAL,
)
_FAMILIES: Mapping[str, _Family] = MappingProxyType(
    {
        **dict.fromkeys(("google", "vertex"), _GOOGLE),
        "openrouter": _Family(otherwise=_FINAL),
        "novelai": _Family(statuses=dict.fromkeys((500, 502), _BROKEN)),
        "anthropic": _Family(
            names={
                **dict.fromkeys(("authentication_error", "permission_error", "invalid_request_error"), _FINAL),
                **dict.fromkeys(("not_found_error", "request_too_large", "billing_error"), _FINAL),
                "rate_limit_error": _SLOW_DOWN,
                "api_error": _BROKEN,
                "overloaded_error": _TOO_BUSY,
                "timeout_error": _TOO_SLOW,
            },
            otherwise=_FINAL,
        ),
    }
)
"""Families by vendor; all others are ``_SHARED``."""

# --- patterns for what no status says ------------------------------------------------------

_NAMED = r"models?\b(?: name)?[ :=]*+(?:[\"'`]?[\w./:@-]{1,200}+[\"'`]? )?(?:is |was |are )?"
_NO_MODEL = _wording(
    r"(?:unsupported|invalid|unknown|unrecogni[sz]ed) model(?: name| id)?(?! \w*param)",
    _NAMED + r"(?:not supported|unsupported|not found|invalid)",
    _NAMED + r"(?:does not|doesn't) exist",
    "no such model",
    "model_not_found",
)
_MODEL_GONE = _wording(_NAMED + "(?:unavailable|not available)", "deprecated")
"""Also said of a model that is only busy, so these words count only if the status does not say so."""
_ABOUT_PARAMETER = _wording("(?:parameter|argument|field|option|header)s?")
_BUSY_STATUSES = frozenset({408, 429})

_BALANCE = (
    r"insufficient[ _](?:account )?(?:balance|credits?|quota|funds)",
    "not enough credits?",
    "no resource package",
    "please recharge",
    "credit balance is too low",
)
_NO_BALANCE = _wording(*_BALANCE)
_NOT_IN_PLAN = _wording("subscription plan", "does not yet include access", "plan does not include")
_FLAGGED = _wording("requires moderation", "input was flagged", "content management policy", "usage polic(?:y|ies)")

_ASPECTS: Sequence[tuple[Aspect, re.Pattern[str]]] = (
    (Aspect.PRIVACY, _wording("data policy", "paid model training", "paid training", "openrouter.ai/settings/privacy")),
    (Aspect.CREDIT, _wording("requires more credits", "can only afford", "fewer max_tokens", *_BALANCE)),
    (
        Aspect.CONTEXT,
        _wording(
            "maximum context length",
            "context length (?:is|of|exceeded)",
            "context_length_exceeded",
            "exceed_context_size_error",
            r"context (?:window|size|length)(?: \w+){0,3} exceeded",
            r"exceeds? (?:\w+ |the |model's |maximum |available ){0,4}context(?: (?:window|size|length))?",
            "reduce the length of",
            "too much context",
            "(?:prompt|input|request) is too long",
            r"input token count[^.]{0,40}exceeds the maximum",
        ),
    ),
)
_EMPTY_ACCOUNT = 402


# --- making errors ---------------------------------------------------------------------------


def failure(
    detail: str,
    *,
    vendor: str,
    status: int | None = None,
    kind: ErrorKind | None = None,
    code: str = "",
    retry_after: float | None = None,
    aspect: Aspect | None = None,
) -> ProviderError:
    """The error for *detail*, which *vendor* sent; missing arguments are derived from the status or the words."""
    detail = detail[:_LONGEST_READ]
    complaint = ErrorText(detail, status, (code,) if code else (), believable(retry_after))
    verdict = _classified(complaint, _family(vendor)) if kind is None else _Verdict(kind, kind in _TEMPORARY)
    return _error(complaint, detail, verdict._replace(code=code or verdict.code), vendor, aspect)


def refused(refusal: HttpError, vendor: str) -> ProviderError:
    """The error for an HTTP response with a status of 400 or more."""
    complaint = replace(complaint_of(refusal.body, refusal.headers), status=refusal.status)
    return _error(complaint, complaint.detail, _classified(complaint, _family(vendor)), vendor)


def reported(value: object, *, vendor: str) -> ProviderError:
    """The error for an error event: an object of any known shape, or a text."""
    complaint = complaint_in(value)
    return _error(complaint, complaint.detail, _classified(complaint, _family(vendor)), vendor)


def broken_off(error: BaseException) -> ProviderError:
    """The error for a stream that raised *error*: foreign code, so its text is left out, as it may hold secrets."""
    told = Sentence("the model's stream broke off ({error_type}); try again", error_type=type(error).__name__)
    broken = ProviderError(told, retryable=True)
    broken.__cause__ = error
    return broken


_TEMPORARY = frozenset({ErrorKind.RATE_LIMIT, ErrorKind.TIMEOUT, ErrorKind.OVERLOADED})
"""Kinds of errors that pass by themselves."""


def _family(vendor: str) -> _Family:
    return _FAMILIES.get(vendor, _SHARED)


def _error(
    complaint: ErrorText, detail: str, verdict: _Verdict, vendor: str, aspect: Aspect | None = None
) -> ProviderError:
    status = _status(complaint)
    code = verdict.code or str(status or "unknown")
    aspect = aspect or _aspect(complaint.detail, status)
    words = explanation(
        vendor,
        kind=verdict.kind,
        code=code,
        status=status,
        aspect=aspect,
        detail=detail,
        retry_after=complaint.retry_after,
    )
    return ProviderError(
        words,
        kind=verdict.kind,
        code=code,
        status=status,
        retryable=verdict.retryable,
        retry_after=complaint.retry_after,
        aspect=aspect,
        detail=without_secrets(detail)[:_LONGEST],
    )


def _status(complaint: ErrorText) -> int | None:
    return complaint.status or stated_status(complaint.message)


def _aspect(words: str, status: int | None) -> Aspect | None:
    told = next((aspect for aspect, wording in _ASPECTS if wording.search(words)), None)
    return Aspect.CREDIT if told is None and status == _EMPTY_ACCOUNT else told


def _classified(complaint: ErrorText, family: _Family) -> _Verdict:
    """Classify *complaint*."""
    status, words = _status(complaint), complaint.detail
    if _says_no_model(words, status):
        return _Verdict(ErrorKind.MODEL, retryable=False, code=f"{status}_model" if status else "model_error")
    if not _FILTERS.isdisjoint(complaint.names) or _FLAGGED.search(words):
        return _FILTERED
    if status == 429 and _NO_BALANCE.search(words):
        return _FINAL._replace(code="429_balance")
    if status == 429 and _NOT_IN_PLAN.search(words):
        return _FINAL._replace(code="429_plan_access")
    return _by_table(complaint.names, status, words, family)


def _by_table(names: Sequence[str], status: int | None, words: str, family: _Family) -> _Verdict:
    for name in names:
        if name in family.names:
            return family.names[name]._replace(code=name)
    if status is not None:
        return (family.statuses.get(status) or _STATUSES.get(status) or _FINAL)._replace(code=str(status))
    for name in names:
        if name in _NAMES:
            return _NAMES[name]._replace(code=name)
    return next((verdict for wording, verdict in (*_WORDS, *family.words) if wording.search(words)), family.otherwise)


def _says_no_model(words: str, status: int | None) -> bool:
    if _NO_MODEL.search(words):
        return True
    is_busy = status is not None and (status in _BUSY_STATUSES or status >= 500)
    return not (is_busy or _ABOUT_PARAMETER.search(words)) and _MODEL_GONE.search(words) is not None
