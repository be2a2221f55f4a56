"""The faults of a rehearsal, with the names that the playground uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, assert_never, get_args

from ...errors import InputError, Sentence
from ...sim.faults import Faults

RehearsalWhat: TypeAlias = Literal["rate_limit", "refused", "lost", "slow", "broken", "webhook_gone"]
WHAT: Final[tuple[str, ...]] = get_args(RehearsalWhat)
"""The faults of a rehearsal."""
What: TypeAlias = Literal[RehearsalWhat, "disconnect"]
"""The faults of the playground. ``disconnect`` cuts the gateway, which a rehearsal does not have."""

AS_BOT: Final = "POST /channels/*/messages"
AS_SOMEBODY: Final = "POST /webhooks/*/*"
"""The calls that send a message: as the bot, and through a webhook."""
_LIMITED, _SLOW = 2.0, 3.0


@dataclass(frozen=True, slots=True)
class RehearsalFault:
    """A fault that hits messages of the bot."""

    what: RehearsalWhat
    """``rate_limit`` answers 429, ``refused`` 403; with ``lost`` the message arrives but the response does not, with
    ``broken`` the message does not arrive; ``slow`` delays the response; ``webhook_gone`` deletes the webhook.
    """
    times: int = 1
    """How often, for consecutive messages."""
    at_message: int = 0
    """The first message that it hits, counted from 1; 0 is as early as possible."""
    seconds: float = 0.0
    """How long a wait or a slow response is; 0 is the default."""

    def __post_init__(self) -> None:
        """Refuse impossible values."""
        if self.what not in WHAT:
            msg = Sentence(
                "{what} is not a known fault; choose one of {names}",
                what=repr(str(self.what)[:40]),
                names=", ".join(WHAT),
            )
            raise InputError(msg)
        if self.times < 1 or self.at_message < 0 or not 0 <= self.seconds <= 3600:
            msg = Sentence(
                "a fault happens at least once, from message 1 on, and lasts at most an hour; check its numbers"
            )
            raise InputError(msg)

    def arrange(self, faults: Faults, match: str = AS_BOT) -> None:
        """Arrange the fault for the calls that *match*: those that send messages."""
        after = max(self.at_message - 1, 0)
        match self.what:
            case "rate_limit":
                faults.storm(match, self.seconds or _LIMITED, self.times, after=after)
            case "refused":
                faults.fail(match, 403, 50013, times=self.times, after=after, every=1)
            case "lost":
                faults.lose(match, times=self.times, after=after, every=1)
            case "broken":
                faults.lose(match, is_carried_out=False, times=self.times, after=after, every=1)
            case "slow":
                faults.delay(match, self.seconds or _SLOW, times=self.times, after=after)
            case "webhook_gone":
                pass  # no call fails: a person deletes the webhook
            case _:
                assert_never(self.what)

    def deletes_webhook(self, said: int) -> bool:
        """Whether the webhook is deleted once this many messages were *said* through it."""
        first = max(self.at_message - 1, 1)  # before the first there is none
        return self.what == "webhook_gone" and first <= said < first + self.times
