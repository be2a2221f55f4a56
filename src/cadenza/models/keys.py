"""Keys: which of several a model is asked with, which of them must rest, and what helps against a failure at all.

A ring holds the keys for one vendor. All models and replies that use them share it, so that a key which was refused to
one is not tried by the next. It lives in memory, its clock is the event loop's, and no key of it is ever shown.
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

from ..errors import Aspect, CadenzaError, ErrorKind, ProviderError, SettingsError, ToolError
from ..settings import TurnSettings
from ..text.redaction import without_secrets
from ..types import Broke, Completed, Empty, NeedsTools, Outcome, Stalled, Stopped
from .error_message import refuses_key

# --- what helps ------------------------------------------------------------------------


class KeyRemedy(Enum):
    """What helps against a failure. What another key or some time cures, another model may cure as well."""

    KEY = "key"
    """Another key: this one is used up, not accepted, or its account is."""
    TIME = "time"
    """The same request a little later: its server is busy, or the line broke."""
    MODEL = "model"
    """Only another model: this one will not answer this request, whoever asks and when."""
    NOTHING = "nothing"
    """The model is not to blame, or nothing is wrong."""


_BY_KIND: Mapping[ErrorKind, KeyRemedy] = MappingProxyType(
    {
        ErrorKind.MODEL: KeyRemedy.MODEL,
        ErrorKind.CONTENT_BLOCKED: KeyRemedy.MODEL,
        ErrorKind.RATE_LIMIT: KeyRemedy.KEY,
    }
)
"""Kinds of failures that say it all."""
_BY_ASPECT: Mapping[Aspect, KeyRemedy] = MappingProxyType(
    {
        Aspect.CREDIT: KeyRemedy.KEY,
        Aspect.CONTEXT: KeyRemedy.MODEL,
        Aspect.PRIVACY: KeyRemedy.MODEL,  # it is set for an account, and the keys of a ring have that in common
    }
)
_BY_CODE: Mapping[str, KeyRemedy] = MappingProxyType(
    {
        **dict.fromkeys(("429_balance", "429_plan_access"), KeyRemedy.KEY),
        **dict.fromkeys(("authentication_error", "permission_error", "billing_error"), KeyRemedy.KEY),
        **dict.fromkeys(("invalid_api_key", "insufficient_quota"), KeyRemedy.KEY),
        **dict.fromkeys(("permission_denied", "unauthenticated"), KeyRemedy.KEY),
        # How an answer ended that was none. A model is not of one mind: the same request may do better.
        **dict.fromkeys(("error", "tool_call_parse_error"), KeyRemedy.TIME),
        **dict.fromkeys(("malformed_function_call", "unexpected_tool_call", "malformed_response"), KeyRemedy.TIME),
    }
)
"""The provider's word or ours, in small letters."""
_BY_STATUS: Mapping[int, KeyRemedy] = MappingProxyType(
    {
        **dict.fromkeys((401, 402, 403), KeyRemedy.KEY),
        **dict.fromkeys((501, 505), KeyRemedy.MODEL),  # what a server cannot do, it will not be able to do later
    }
)
_PASSING = frozenset({ErrorKind.TIMEOUT, ErrorKind.OVERLOADED})


def _wording(*patterns: str) -> re.Pattern[str]:
    return re.compile(rf"(?i)(?<![a-z])(?:{'|'.join(patterns)})(?![a-z])")


_EVERYBODY_S = _wording("rate[- ]limited upstream")
"""A router's own key at somebody else's is used too much, whoever asks the router."""
_FROM_HERE = _wording(
    "unsupported_country_region_territory",
    "(?:country|region|territory|location)[^.]{0,30} not supported",
    "not (?:available|supported) in your (?:country|region|territory|location)",
    "check your network settings",
    "cloudflare",
    "just a moment",
)
"""Nobody is answered at this address of ours, whatever the key."""
_OF_AN_ACCOUNT = _wording(
    r"(?:account|organi[sz]ation|workspace|project|consumer)\b[^.]{0,80}\b(?:suspended|deactivated|disabled|not active)",
    "(?:usage|spend(?:ing)?|billing|credit) limits?",
)
"""What is said of the account that a key belongs to, under whatever number."""
_OF_RIGHTS = _wording("api[ _-]?keys?", "permissions?", "unauthenticated", "unauthori[sz]ed", "forbidden")
"""What says it only where there is no number at all."""


def cure(trouble: Outcome | CadenzaError) -> KeyRemedy:
    """What helps against *trouble*: how a reply ended, or the error with which it did."""
    match trouble:
        case Broke(error):
            return cure(error)
        case ProviderError():
            return _cure_of(trouble)
        case Stalled() | Empty() | ToolError():  # another may speak up, or know better how the tools are used
            return KeyRemedy.MODEL
        case Completed() | NeedsTools() | Stopped() | CadenzaError():
            return KeyRemedy.NOTHING
        case _:
            assert_never(trouble)


def _cure_of(error: ProviderError) -> KeyRemedy:
    """The first of the tables that knows *error* decides."""
    is_theirs = (error.status or 0) >= 500
    if error.kind is ErrorKind.RATE_LIMIT and _EVERYBODY_S.search(error.detail):
        return KeyRemedy.TIME
    if error.kind in _BY_KIND:
        return _BY_KIND[error.kind]
    if not is_theirs and _FROM_HERE.search(error.detail):
        return KeyRemedy.MODEL
    if error.aspect is not None:
        return _BY_ASPECT[error.aspect]
    if found := _BY_CODE.get(error.code.lower()):
        return found
    if not error.code.endswith("_proxy") and (found := _by_key(error)):
        return found
    return KeyRemedy.TIME if is_theirs or error.retryable or error.kind in _PASSING else KeyRemedy.MODEL


def _by_key(error: ProviderError) -> KeyRemedy | None:
    """What the number says, or what is said of the key under a number that says nothing of it."""
    if (error.status or 0) in _BY_STATUS:
        return _BY_STATUS[error.status or 0]
    if refuses_key(error.detail) or _OF_AN_ACCOUNT.search(error.detail):
        return KeyRemedy.KEY
    return KeyRemedy.KEY if error.status is None and _OF_RIGHTS.search(error.detail) else None


# --- keys ------------------------------------------------------------------------------

_LONGEST_MESSAGE = 500
_SHORTEST_REST = 1.0
"""Seconds for which a key rests that was told to come back at once: nothing can be doubled to no end."""
_MOST_DOUBLINGS = 32
"""More would be longer than anybody waits, and soon more than a float can hold."""


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a ring."""

    label: str
    """What it is called where people see it: ``key 2``."""
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class KeyRecord:
    """How one key has fared: a row for operators, without the key itself."""

    label: str
    chosen: int = 0
    """How often it was to be used."""
    uses: int = 0
    """How often that came to an answer."""
    errors: int = 0
    """How often it did not, because of the key."""
    in_a_row: int = 0
    """How often in a row it was put to rest; an answer ends that, and clears what follows."""
    failed_at: float | None = None
    """When it failed last, on the loop's clock."""
    kind: ErrorKind | None = None
    """In which way."""
    message: str = ""
    """What the provider said of it, without secrets."""
    cooling_until: float = 0.0
    """Until when it rests, on the loop's clock."""


class Keyring:
    """The keys for one vendor, the main one first. Iterate it for how each has fared."""

    def __init__(self, keys: str | Sequence[str], settings: TurnSettings | None = None) -> None:
        given = [keys] if isinstance(keys, str) else keys
        secrets = dict.fromkeys(filter(None, (key.strip() for key in given)))
        self._keys = tuple(Key(f"key {number}", secret) for number, secret in enumerate(secrets, start=1))
        for key in self._keys:
            if not key.secret.isascii() or not key.secret.isprintable():
                msg = f"{key.label} holds a character that no key has; copy it again"
                raise SettingsError(msg)
        if not self._keys:
            msg = "a ring needs at least one key; give it one, or none to whom needs none"
            raise SettingsError(msg)
        self._settings = settings or TurnSettings()
        self._records = {key: KeyRecord(key.label) for key in self._keys}

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[KeyRecord]:
        return iter(tuple(self._records.values()))

    def __repr__(self) -> str:
        return f"<Keyring: {', '.join(key.label for key in self._keys)}>"

    @property
    def main(self) -> Key:
        """The first key: what is used if all of them rest and nobody else can answer."""
        return self._keys[0]

    def choose(self, excluding: Collection[Key] = ()) -> Key | None:
        """The key to use now: none of *excluding*, none that rests; the least used, and of those the first."""
        now = _now()
        usable = [key for key in self._keys if key not in excluding and self._records[key].cooling_until <= now]
        # By how often they were to be used, and not by how often that went well: many replies may be under way at once.
        chosen = min(usable, key=lambda key: self._records[key].chosen, default=None)
        if chosen is not None:
            record = self._records[chosen]
            self._records[chosen] = replace(record, chosen=record.chosen + 1)
        return chosen

    def succeeded(self, key: Key, *, asked_at: float | None = None) -> None:
        """There was an answer with *key*: whatever was wrong with it is forgotten.

        But if it has failed since it was asked with, at *asked_at* on the loop's clock, the answer says nothing of that.
        """
        record = self._records[key]
        self._records[key] = used = replace(record, uses=record.uses + 1)
        if asked_at is None or record.failed_at is None or record.failed_at <= asked_at:
            self._records[key] = KeyRecord(key.label, used.chosen, used.uses, used.errors)

    def failed(self, key: Key, trouble: Outcome | CadenzaError) -> None:
        """*key* was used, and *trouble* came of it. If another key would have helped, this one rests for a while."""
        error = trouble.error if isinstance(trouble, Broke) else trouble
        if not isinstance(error, ProviderError) or cure(error) is not KeyRemedy.KEY:
            return
        now, record = _now(), self._records[key]
        # What was asked before the key was put to rest, and fails while it rests, is the same failure again.
        in_a_row = record.in_a_row + (record.cooling_until <= now)
        until = now + self._cooldown(error, in_a_row)
        self._records[key] = replace(
            record,
            errors=record.errors + 1,
            in_a_row=in_a_row,
            failed_at=now,
            kind=error.kind,
            message=self._told(error),
            cooling_until=max(until, record.cooling_until),
        )

    def cooling_until(self, key: Key) -> float:
        """Until when *key* rests, on the loop's clock; what is past is over."""
        return self._records[key].cooling_until

    def ready_in(self) -> float:
        """In how many seconds a key can be used; 0 if one can be now."""
        return max(0.0, min(record.cooling_until for record in self) - _now())

    def _cooldown(self, error: ProviderError, in_a_row: int) -> float:
        """How long a key rests after *error*: the first time as long as it was told to, then twice as long each time.

        Some ask for a few seconds again and again, or for none, though it is the day's limit that was reached.
        """
        settings = self._settings
        usual = settings.rate_limit_cooldown if error.kind is ErrorKind.RATE_LIMIT else settings.error_cooldown
        asked = math.nan if error.retry_after is None else error.retry_after
        first = max(asked, _SHORTEST_REST) if math.isfinite(asked) else usual
        return min(first * 2.0 ** min(in_a_row - 1, _MOST_DOUBLINGS), settings.longest_cooldown)

    def _told(self, error: ProviderError) -> str:
        """What operators are told of *error*."""
        words = without_secrets(error.detail or str(error), *(key.secret for key in self._keys))
        return " ".join(words.split())[:_LONGEST_MESSAGE]


def _now() -> float:
    return asyncio.get_running_loop().time()


# --- models with keys --------------------------------------------------------------------


class HasKeyring(Protocol):
    """A model, which may have a ring."""

    @property
    def keyring(self) -> Keyring | None:
        """Its keys; ``None`` if it needs none, or has one of its own."""


def ready(model: HasKeyring) -> bool:
    """Whether *model* can be asked now: not all of its keys rest."""
    return ready_in(model) <= 0


def ready_in(model: HasKeyring) -> float:
    """In how many seconds *model* can be asked; 0 if it can be now."""
    return model.keyring.ready_in() if model.keyring else 0.0
