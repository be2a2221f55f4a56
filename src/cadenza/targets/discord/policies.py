"""What is done about each error of Discord, as one table. The first row that matches an error counts.

The courier in ``cadenza.targets.discord.courier`` carries it out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto
from math import ceil

from ...errors import DeliveryError, DeliveryKind, Sentence
from .api import ApiError

RETRY_DELAYS = (1.0, 3.0)
"""Seconds before each retry."""

LONGEST_WAIT = 30.0
"""The longest ``retry_after`` that is waited for, in seconds."""


class Step(Enum):
    """What comes after an error."""

    REFUSE = auto()
    """The message is not sent, and the caller gets an error."""
    SKIP = auto()
    """The message is skipped, people are told, and the reply goes on."""
    RECOVER = auto()
    """The webhook is created again, once."""
    AS_BOT = auto()
    """The bot sends it under its own name, with the persona's in front."""
    RENAME = auto()
    """It is sent again under a plainer name, then under the bot's own."""
    DROP_REPLY = auto()
    """It is sent without being a reply."""
    DROP_FILE = auto()
    """It is sent without its file, with text instead."""
    SHORTEN = auto()
    """It is cut into shorter messages, once."""
    WAIT = auto()
    """It is sent again after ``retry_after``, if that is short."""
    RETRY = auto()
    """It is retried, twice at most."""
    COOLDOWN = auto()
    """Nothing is asked of Discord for a while; it is sent again after that, if that is soon."""


@dataclass(frozen=True, slots=True)
class Condition:
    """Matches an error by one of its codes, one of its statuses, or another property."""

    codes: frozenset[int] = frozenset()
    statuses: frozenset[int] = frozenset()
    field: str = ""
    """The invalid field of the request (50035)."""
    is_ban: bool = False
    is_ambiguous: bool = False

    def fits(self, error: ApiError) -> bool:
        """Whether *error* matches."""
        return (
            error.code in self.codes
            or (error.status in self.statuses)
            or (bool(self.field) and error.code == _INVALID and any(self._names(name) for name in error.fields))
            or (self.is_ban and error.is_ban)
            or (self.is_ambiguous and error.is_ambiguous)
        )

    def _names(self, name: str) -> bool:
        """Whether *name* is the field or a part of it, such as ``message_reference.message_id``."""
        return name.partition(".")[0] == self.field


_INVALID = 50035
"""Discord's code for a request with an invalid field."""
_KINDS = {
    10003: DeliveryKind.CHANNEL_GONE,
    50001: DeliveryKind.MISSING_ACCESS,
    50013: DeliveryKind.MISSING_PERMISSIONS,
}


def kind_of(code: int | None) -> DeliveryKind:
    """What Discord's error *code* means for the channel."""
    return DeliveryKind.REFUSED if code is None else _KINDS.get(code, DeliveryKind.REFUSED)


@dataclass(frozen=True, slots=True)
class Policy:
    """What is done, and what people are told if it does not help."""

    name: str
    """For logs, and as the reason why a channel is blocked."""
    step: Step
    told: str
    """One sentence: what happened, and what to do."""
    kind: DeliveryKind | None = None
    """What it means for the channel; ``None`` leaves that to the code."""
    helps_as_bot: bool = False
    """Whether the bot itself may still send a webhook's message after this."""
    is_remembered: bool = False
    """Whether the channel is blocked for a while, so that no model is asked for it."""
    first_pause: float = 0.0
    """Seconds of the first pause of a cooldown, unless Discord names them; each later one is twice as long."""
    longest_pause: float = 0.0
    """The most that pauses grow to, in seconds."""
    advice: str = ""
    """What the operator of the bot should do about a cooldown, for the log."""

    def error(self, error: ApiError, *, wait: float = 0.0) -> DeliveryError:
        """The error to raise if nothing helped; *wait* is the seconds until it may. It does not contain Discord's own text."""
        minutes = max(2, ceil(max(wait, error.retry_after or 0.0) / 60))
        told = Sentence(self.told, minutes=minutes) if self.step is Step.COOLDOWN else self.told
        return DeliveryError(told, code=error.code, kind=self.kind or kind_of(error.code))


@dataclass(frozen=True, slots=True)
class PolicyRow:
    """A condition and what is done then."""

    condition: Condition
    policy: Policy


_SHUT_OUT = "Discord takes no messages from this bot at the moment; try again in {minutes} minutes."
"""Told during a cooldown. It is rounded up to two minutes at least, which is true of all that are not waited for."""


def _codes(*codes: int) -> Condition:
    return Condition(codes=frozenset(codes))


TABLE: tuple[PolicyRow, ...] = (
    PolicyRow(
        Condition(codes=frozenset({40333}), is_ban=True),
        Policy(
            "banned",
            Step.COOLDOWN,
            _SHUT_OUT,
            first_pause=60.0,
            longest_pause=3600.0,  # as long as Cloudflare shuts an address out
            advice="do not restart the bot, which asks more; look for what asks too much: other programs at this address, "
            "a missing permission, a channel with too many messages",
        ),
    ),
    PolicyRow(
        _codes(10003),
        Policy("channel_gone", Step.REFUSE, "The channel does not exist any more.", DeliveryKind.CHANNEL_GONE),
    ),
    PolicyRow(
        _codes(50001),
        Policy(
            "missing_access",
            Step.REFUSE,
            "The bot cannot see this channel any more; give it the right to view it.",
            DeliveryKind.MISSING_ACCESS,
        ),
    ),
    PolicyRow(
        _codes(50013),
        Policy(
            "missing_permissions",
            Step.REFUSE,
            "The bot may not send messages here; give it the right to, or wait until its time-out is over.",
            DeliveryKind.MISSING_PERMISSIONS,
            helps_as_bot=True,
            is_remembered=True,
        ),
    ),
    PolicyRow(
        _codes(10015, 50027),
        Policy(
            "webhook_gone",
            Step.RECOVER,
            "The webhook of this channel was deleted, and the message could not be sent otherwise; try again.",
            helps_as_bot=True,
        ),
    ),
    PolicyRow(
        _codes(30007, 30058),
        Policy(
            "max_webhooks",
            Step.AS_BOT,
            "There are too many webhooks here for another name; delete one that is not needed.",
            helps_as_bot=True,
        ),
    ),
    PolicyRow(
        Condition(codes=frozenset({10008}), field="message_reference"),
        Policy(
            "reply_gone",
            Step.DROP_REPLY,
            "The message that this one answers is gone, and it could not be sent without it; try again.",
            helps_as_bot=True,
        ),
    ),
    PolicyRow(
        _codes(160002),
        Policy(
            "reply_forbidden",
            Step.DROP_REPLY,
            "The bot may not read what was said here, so it cannot answer it; give it the right to read the history.",
            helps_as_bot=True,
        ),
    ),
    PolicyRow(
        Condition(field="username"),
        Policy(
            "bad_name",
            Step.RENAME,
            "Discord does not take the name that this should be said under; choose a plainer one.",
            helps_as_bot=True,
        ),
    ),
    PolicyRow(
        Condition(field="content"),
        Policy(
            "too_long",
            Step.SHORTEN,
            "Discord says that the message is too long, in pieces too; say it in other words.",
            helps_as_bot=True,
        ),
    ),
    PolicyRow(
        _codes(50006),
        Policy(
            "blank",
            Step.SKIP,
            "A part of this answer is missing: there was nothing in it that Discord could show.",
            DeliveryKind.SKIPPED,
        ),
    ),
    PolicyRow(
        Condition(codes=frozenset({40005}), statuses=frozenset({413})),
        Policy(
            "too_large",
            Step.DROP_FILE,
            "The file is too large for this channel; send a smaller one.",
            helps_as_bot=True,
        ),
    ),
    PolicyRow(
        _codes(20016, 20028, 20029),
        Policy(
            "write_limit",
            Step.WAIT,
            "Too much is being written here at the moment; try again in a minute.",
            helps_as_bot=True,
        ),
    ),
    PolicyRow(
        _codes(200000, 240000, 20009),
        Policy(
            "filtered",
            Step.SKIP,
            "A part of this answer is missing: a filter of this server did not let it through.",
            DeliveryKind.SKIPPED,
        ),
    ),
    PolicyRow(
        _codes(160005, 50083),
        Policy(
            "thread_locked",
            Step.REFUSE,
            "This thread is locked or archived; open it again, or ask in another place.",
            DeliveryKind.MISSING_ACCESS,  # what ends a reply quietly: there is nothing wrong with the bot
            is_remembered=True,
        ),
    ),
    PolicyRow(
        _codes(40058, 50008, 220001, 220002, 220003),
        Policy(
            "needs_thread",
            Step.REFUSE,
            "Nothing can be said in a forum itself; name one of its posts, and wait for its first message.",
        ),
    ),
    PolicyRow(
        _codes(50007, 50278),
        Policy(
            "direct_messages_closed",
            Step.REFUSE,
            "This person takes no messages from the bot; they can allow it in their privacy settings.",
            DeliveryKind.MISSING_ACCESS,  # as above
            is_remembered=True,
        ),
    ),
    PolicyRow(
        Condition(codes=frozenset({40001}), statuses=frozenset({401})),
        Policy(
            "unauthorised",
            Step.COOLDOWN,
            _SHUT_OUT,
            first_pause=5.0,  # a stray one is over by then
            longest_pause=900.0,
            advice="if it goes on, the token is not valid any more: set a new one, and restart the bot",
        ),
    ),
    PolicyRow(
        Condition(statuses=frozenset({429})),
        Policy(
            "rate_limited",
            Step.WAIT,
            "Discord takes no more messages at the moment; try again in a minute.",
            helps_as_bot=True,
        ),
    ),
    PolicyRow(
        Condition(codes=frozenset({130000}), statuses=frozenset(range(500, 600)), is_ambiguous=True),
        Policy(
            "overloaded",
            Step.RETRY,
            "Discord does not answer at the moment; try again in a minute.",
            helps_as_bot=True,
        ),
    ),
)
"""Every known error. Codes come before statuses: a bad webhook token is a 401 too."""

OTHERWISE = Policy(
    "refused", Step.REFUSE, "Discord did not take the message; the log says what it answered.", helps_as_bot=True
)
"""For any other error."""

UNKNOWN = Policy(
    "unknown",
    Step.REFUSE,
    "It is not known whether a message arrived, because Discord does not answer; look before you send it again.",
)
"""For a message that may or may not have arrived: it is not sent again."""


def policy_for(error: ApiError) -> Policy:
    """The policy for *error*."""
    if error.status is None and error.code is None and not (error.is_ambiguous or error.is_ban):
        return replace(OTHERWISE, told=str(error))  # Discord was not asked, so the text is our own
    return next((row.policy for row in TABLE if row.condition.fits(error)), OTHERWISE)
