"""What is done when Discord refuses a message: one table, from its answer to what comes next.

The table says *what*; the courier in ``cadenza.targets.discord.courier`` does it. The first row that fits an error counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto

from ...errors import DeliveryError, DeliveryKind
from .api import ApiError

RETRY_DELAYS = (1.0, 3.0)
"""Seconds before a message is tried again where nothing but time helps."""

LONGEST_WAIT = 30.0
"""Seconds that are waited for at most if Discord says when it takes more."""


class Step(Enum):
    """What comes after a refusal."""

    REFUSE = auto()
    """Nothing helps: the message is not sent, and whoever sent it is told."""
    SKIP = auto()
    """The message is left out, people are told, and the reply goes on."""
    RECOVER = auto()
    """The webhook is made anew, once."""
    AS_BOT = auto()
    """It is said under the bot's own name, with the other one in front."""
    RENAME = auto()
    """It is said once more under a plainer name, then under the bot's own."""
    DROP_REPLY = auto()
    """It is sent without the message that it answers."""
    DROP_FILE = auto()
    """It is sent without its file: what the file shows is said in words."""
    SHORTEN = auto()
    """It is cut into shorter messages, once."""
    WAIT = auto()
    """It is sent again when Discord takes more, if that is soon."""
    RETRY = auto()
    """It is sent again after a moment, twice at the most."""
    BREAK = auto()
    """Nothing more is sent by this bot at all until somebody says so."""


@dataclass(frozen=True, slots=True)
class Condition:
    """Which errors are meant. An error fits if it has one of the codes, or one of the statuses, or what is asked besides."""

    codes: frozenset[int] = frozenset()
    statuses: frozenset[int] = frozenset()
    field: str = ""
    """The part of a request that was not liked (50035)."""
    is_ban: bool = False
    is_ambiguous: bool = False

    def fits(self, error: ApiError) -> bool:
        """Whether *error* is meant."""
        return (
            error.code in self.codes
            or (error.status in self.statuses)
            or (bool(self.field) and error.code == _INVALID and any(self._names(name) for name in error.fields))
            or (self.is_ban and error.is_ban)
            or (self.is_ambiguous and error.is_ambiguous)
        )

    def _names(self, name: str) -> bool:
        """Whether *name* is the field or lies within it, as ``message_reference.message_id`` does."""
        return name.partition(".")[0] == self.field


_INVALID = 50035
"""Discord's code for a request with a field that it does not like."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What is done, and what people are told if it comes to nothing."""

    name: str
    """For logs, and for whoever asks why a channel is blocked."""
    step: Step
    told: str
    """One sentence: what happened, and what to do."""
    kind: DeliveryKind | None = None
    """What it means for the channel; ``None`` leaves that to the code."""
    helps_as_bot: bool = False
    """Whether a webhook's message that came to this may still be sent by the bot itself."""
    is_remembered: bool = False
    """Whether the channel counts as blocked for a while: nobody need ask a model for what cannot be sent."""

    def error(self, error: ApiError | None = None) -> DeliveryError:
        """What is raised if nothing helped. Discord's own words are not in it."""
        return DeliveryError(self.told, code=None if error is None else error.code, kind=self.kind)


@dataclass(frozen=True, slots=True)
class PolicyRow:
    """A condition and what is done then."""

    condition: Condition
    policy: Policy


def _codes(*codes: int) -> Condition:
    return Condition(codes=frozenset(codes))


TABLE: tuple[PolicyRow, ...] = (
    PolicyRow(
        Condition(is_ban=True),
        Policy(
            "banned",
            Step.BREAK,
            "Discord has shut this bot out for sending too much; nothing is sent until the operator has looked into it.",
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
        Condition(codes=frozenset({40001, 40333}), statuses=frozenset({401})),
        Policy(
            "unauthorised",
            Step.BREAK,
            "Discord does not accept the bot's token any more; nothing is sent until the operator has set a new one.",
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
"""Every refusal that is known. Codes stand before statuses: a bad webhook token is a 401 too."""

OTHERWISE = Policy(
    "refused", Step.REFUSE, "Discord did not take the message; the log says what it answered.", helps_as_bot=True
)
"""What is done about anything else."""

UNKNOWN = Policy(
    "unknown",
    Step.REFUSE,
    "It is not known whether a message arrived, because Discord does not answer; look before you send it again.",
)
"""What is said if it cannot be found out whether a message arrived: it is never sent on the off chance."""


def policy_for(error: ApiError) -> Policy:
    """What is done about *error*."""
    if error.status is None and error.code is None and not (error.is_ambiguous or error.is_ban):
        return replace(OTHERWISE, told=str(error))  # Discord was not asked, so the words are our own
    return next((row.policy for row in TABLE if row.condition.fits(error)), OTHERWISE)
