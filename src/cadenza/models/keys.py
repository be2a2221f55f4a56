"""API keys: which one to use, which ones are cooling down, and what helps against a failure.

A ``Keyring`` holds the keys for one vendor. All models and replies that use them share it, so a key that was refused
once is not tried again by the next reply. It lives in memory and uses the event loop's clock. No key is ever shown.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from types import MappingProxyType
from typing import Protocol, assert_never

from ..errors import Aspect, CadenzaError, ErrorKind, ProviderError, Sentence, SettingsError, ToolError
from ..settings import FallbackSettings
from ..text.redaction import without_secrets
from ..types import Broke, Completed, Empty, NeedsTools, Outcome, Stalled, Stopped
from .error_message import refuses_key

# --- cures -----------------------------------------------------------------------------


class KeyRemedy(Enum):
    """What helps against a failure. Where another key or a retry helps, another model may help as well."""

    KEY = "key"
    """Another key: this one is used up or not accepted, or its account is."""
    TIME = "time"
    """The same request a little later: the server is busy, or the connection broke."""
    MODEL = "model"
    """Only another model: this one will not answer this request, whatever the key and the time."""
    NOTHING = "nothing"
    """The model is not at fault, or nothing is wrong."""


_BY_KIND: Mapping[ErrorKind, KeyRemedy] = MappingProxyType(
    {
        ErrorKind.MODEL: KeyRemedy.MODEL,
        ErrorKind.CONTENT_BLOCKED: KeyRemedy.MODEL,
        ErrorKind.RATE_LIMIT: KeyRemedy.KEY,
    }
)
"""Kinds of failures that decide alone."""
_BY_ASPECT: Mapping[Aspect, KeyRemedy] = MappingProxyType(
    {
        Aspect.CREDIT: KeyRemedy.KEY,
        Aspect.CONTEXT: KeyRemedy.MODEL,
        Aspect.PRIVACY: KeyRemedy.MODEL,  # set for an account, and all keys of a ring belong to one
    }
)
_BY_CODE: Mapping[str, KeyRemedy] = MappingProxyType(
    {
        **dict.fromkeys(("429_balance", "429_plan_access"), KeyRemedy.KEY),
        **dict.fromkeys(("authentication_error", "permission_error", "billing_error"), KeyRemedy.KEY),
        **dict.fromkeys(("invalid_api_key", "insufficient_quota"), KeyRemedy.KEY),
        **dict.fromkeys(("permission_denied", "unauthenticated"), KeyRemedy.KEY),
        # Finish reasons that are failures. Models are not deterministic: the same request may succeed.
        **dict.fromkeys(("error", "tool_call_parse_error"), KeyRemedy.TIME),
        **dict.fromkeys(("malformed_function_call", "unexpected_tool_call", "malformed_response"), KeyRemedy.TIME),
    }
)
"""The provider's code or ours, in lower case."""
_BY_STATUS: Mapping[int, KeyRemedy] = MappingProxyType(
    {
        **dict.fromkeys((401, 402, 403), KeyRemedy.KEY),
        **dict.fromkeys((501, 505), KeyRemedy.MODEL),  # the server will not learn it later
    }
)
_TEMPORARY = frozenset({ErrorKind.TIMEOUT, ErrorKind.OVERLOADED})


def _wording(*patterns: str) -> re.Pattern[str]:
    return re.compile(rf"(?i)(?<![a-z])(?:{'|'.join(patterns)})(?![a-z])")


_UPSTREAM_LIMIT = _wording("rate[- ]limited upstream")
"""A router's own key at another provider is over its limit, whichever key the router is asked with."""
_ADDRESS_BLOCKED = _wording(
    "unsupported_country_region_territory",
    "(?:country|region|territory|location)[^.]{0,30} not supported",
    "not (?:available|supported) in your (?:country|region|territory|location)",
    "check your network settings",
    "cloudflare",
    "just a moment",
)
"""Our network address is blocked, whatever the key."""
_ACCOUNT_PROBLEM = _wording(
    r"(?:account|organi[sz]ation|workspace|project|consumer)\b[^.]{0,80}\b(?:suspended|deactivated|disabled|not active)",
    "(?:usage|spend(?:ing)?|billing|credit) limits?",
)
"""Words about the account of a key, with any status."""
_KEY_PROBLEM = _wording("api[ _-]?keys?", "permissions?", "unauthenticated", "unauthori[sz]ed", "forbidden")
"""Words that mean the key only where there is no status."""


def cure(trouble: Outcome | CadenzaError) -> KeyRemedy:
    """What helps against *trouble*: an outcome of a reply, or its error."""
    match trouble:
        case Broke(error):
            return cure(error)
        case ProviderError():
            return _cure_of(trouble)
        case Stalled() | Empty() | ToolError():  # another model may answer, or use the tools better
            return KeyRemedy.MODEL
        case Completed() | NeedsTools() | Stopped() | CadenzaError():
            return KeyRemedy.NOTHING
        case _:
            assert_never(trouble)


def _cure_of(error: ProviderError) -> KeyRemedy:
    """What helps against *error*. The first table that knows it decides."""
    is_theirs = (error.status or 0) >= 500
    if error.kind is ErrorKind.RATE_LIMIT and _UPSTREAM_LIMIT.search(error.detail):
        return KeyRemedy.TIME
    if error.kind in _BY_KIND:
        return _BY_KIND[error.kind]
    if not is_theirs and _ADDRESS_BLOCKED.search(error.detail):
        return KeyRemedy.MODEL
    if error.aspect is not None:
        return _BY_ASPECT[error.aspect]
    if found := _BY_CODE.get(error.code.lower()):
        return found
    if not error.code.endswith("_proxy") and (found := _by_key(error)):
        return found
    return KeyRemedy.TIME if is_theirs or error.retryable or error.kind in _TEMPORARY else KeyRemedy.MODEL


def _by_key(error: ProviderError) -> KeyRemedy | None:
    """What the status says, or what the words say about the key where the status does not."""
    if (error.status or 0) in _BY_STATUS:
        return _BY_STATUS[error.status or 0]
    if refuses_key(error.detail) or _ACCOUNT_PROBLEM.search(error.detail):
        return KeyRemedy.KEY
    return KeyRemedy.KEY if error.status is None and _KEY_PROBLEM.search(error.detail) else None


# --- keys ------------------------------------------------------------------------------

_LONGEST_MESSAGE = 500
_LEAST_COOLDOWN = 1.0
"""Least cooldown of a key, in seconds, also when the provider says to come back at once: doubling needs a start."""
_MOST_DOUBLINGS = 32
"""More would be longer than any caller waits, and would overflow a float."""


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a keyring."""

    label: str
    """What people see instead of the key: ``key 2``."""
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class KeyRecord:
    """The statistics of one key, for operators, without the key itself."""

    label: str
    chosen: int = 0
    """How often it was chosen."""
    uses: int = 0
    """How often a request with it was answered."""
    errors: int = 0
    """How often a request failed because of the key."""
    in_a_row: int = 0
    """Failures in a row that started a cooldown; an answer resets this and all fields below."""
    failed_at: float | None = None
    """When it last failed, on the loop's clock."""
    kind: ErrorKind | None = None
    """The kind of its last failure."""
    message: str = ""
    """What the provider said about it, without secrets."""
    cooling_until: float = 0.0
    """End of its cooldown, on the loop's clock."""


class Keyring:
    """The keys for one vendor, the main one first. Iterating yields the ``KeyRecord`` of each."""

    def __init__(self, keys: str | Sequence[str], settings: FallbackSettings | None = None) -> None:
        given = [keys] if isinstance(keys, str) else keys
        secrets = dict.fromkeys(filter(None, (key.strip() for key in given)))
        self._keys = tuple(Key(f"key {number}", secret) for number, secret in enumerate(secrets, start=1))
        for key in self._keys:
            if not key.secret.isascii() or not key.secret.isprintable():
                msg = Sentence("{label} holds a character that no key has; copy it again", label=key.label)
                raise SettingsError(msg)
        if not self._keys:
            msg = Sentence("a keyring needs at least one key")
            raise SettingsError(msg)
        self._settings = settings or FallbackSettings()
        self._records = {key: KeyRecord(key.label) for key in self._keys}

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[KeyRecord]:
        return iter(tuple(self._records.values()))

    def __repr__(self) -> str:
        return f"<Keyring: {', '.join(key.label for key in self._keys)}>"

    @property
    def main(self) -> Key:
        """The first key, used if all are cooling down and no other model can answer."""
        return self._keys[0]

    def choose(self, excluding: Collection[Key] = ()) -> Key | None:
        """The key to use now: the least chosen one that is neither in *excluding* nor cooling down."""
        now = _now()
        usable = [key for key in self._keys if key not in excluding and self._records[key].cooling_until <= now]
        # Count choices, not answers: many replies may be under way at once.
        chosen = min(usable, key=lambda key: self._records[key].chosen, default=None)
        if chosen is not None:
            record = self._records[chosen]
            self._records[chosen] = replace(record, chosen=record.chosen + 1)
        return chosen

    def succeeded(self, key: Key, *, asked_at: float | None = None) -> None:
        """A request with *key* was answered: forget its failures.

        A failure after *asked_at*, the loop's time at which the request was sent, is kept: the answer does not disprove
        it.
        """
        record = self._records[key]
        self._records[key] = used = replace(record, uses=record.uses + 1)
        if asked_at is None or record.failed_at is None or record.failed_at <= asked_at:
            self._records[key] = KeyRecord(key.label, used.chosen, used.uses, used.errors)

    def failed(self, key: Key, trouble: Outcome | CadenzaError) -> None:
        """A request with *key* failed. If another key would have helped, this one cools down."""
        error = trouble.error if isinstance(trouble, Broke) else trouble
        if not isinstance(error, ProviderError) or cure(error) is not KeyRemedy.KEY:
            return
        now, record = _now(), self._records[key]
        # A request sent before the cooldown that fails during it is the same failure again.
        in_a_row = record.in_a_row + (record.cooling_until <= now)
        until = now + self._cooldown(error, in_a_row)
        self._records[key] = replace(
            record,
            errors=record.errors + 1,
            in_a_row=in_a_row,
            failed_at=now,
            kind=error.kind,
            message=self._message_of(error),
            cooling_until=max(until, record.cooling_until),
        )

    def cooling_until(self, key: Key) -> float:
        """When the cooldown of *key* ends, on the loop's clock; it may be in the past."""
        return self._records[key].cooling_until

    def ready_in(self) -> float:
        """Seconds until a key can be used; 0 if one can be used now."""
        return max(0.0, min(record.cooling_until for record in self) - _now())

    def _cooldown(self, error: ProviderError, in_a_row: int) -> float:
        """Seconds of cooldown after *error*: what the provider asked for, doubled with every failure in a row.

        Some providers keep asking for a few seconds, or for none, though a daily limit was reached.
        """
        settings = self._settings
        usual = settings.rate_limit_cooldown if error.kind is ErrorKind.RATE_LIMIT else settings.error_cooldown
        asked = math.nan if error.retry_after is None else error.retry_after
        first = max(asked, _LEAST_COOLDOWN) if math.isfinite(asked) else usual
        return min(first * 2.0 ** min(in_a_row - 1, _MOST_DOUBLINGS), settings.longest_cooldown)

    def _message_of(self, error: ProviderError) -> str:
        """What operators read about *error*."""
        words = without_secrets(error.detail or str(error), *(key.secret for key in self._keys))
        return " ".join(words.split())[:_LONGEST_MESSAGE]


def _now() -> float:
    return asyncio.get_running_loop().time()


# --- models with keys --------------------------------------------------------------------


class HasKeyring(Protocol):
    """A model that may have a keyring."""

    @property
    def keyring(self) -> Keyring | None:
        """Its keys; ``None`` if it needs none, or has a fixed one."""


def ready(model: HasKeyring) -> bool:
    """Whether *model* can be asked now: at least one key is not cooling down."""
    return ready_in(model) <= 0


def ready_in(model: HasKeyring) -> float:
    """Seconds until *model* can be asked; 0 if it can be asked now."""
    return model.keyring.ready_in() if model.keyring else 0.0
