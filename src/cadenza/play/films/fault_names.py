"""What is to go wrong in a rehearsal, by the names that the playground has for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, assert_never, get_args

from ...errors import InputError
from ...sim.faults import Faults

What: TypeAlias = Literal["rate_limit", "refused", "lost", "slow", "broken", "disconnect", "webhook_gone"]
WHAT: Final[tuple[str, ...]] = get_args(What)
"""Everything that can go wrong."""

AS_BOT: Final = "POST /channels/*/messages"
AS_SOMEBODY: Final = "POST /webhooks/*/*"
"""The calls that bring a message: of the bot itself, and of whoever speaks through a webhook."""
_LIMITED, _SLOW = 2.0, 3.0


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that goes wrong with messages of the bot."""

    what: What
    """``rate_limit`` is an answer of 429, ``refused`` one of 403; ``lost`` is a message that arrives and whose answer does
    not, ``broken`` one that does not arrive; ``slow`` is an answer that takes long; before ``webhook_gone`` somebody
    deletes the webhook. ``disconnect`` cuts the gateway, of which there is none in a rehearsal: it changes nothing there.
    """
    times: int = 1
    """How often, one message after the other."""
    at_message: int = 0
    """At which message it begins, counted from 1; 0 is as early as it can be seen."""
    seconds: float = 0.0
    """How long a wait or a slow answer is; 0 leaves it to us."""

    def __post_init__(self) -> None:
        """Refuse what there cannot be."""
        if self.what not in WHAT:
            msg = f"{str(self.what)[:40]!r} is nothing that can go wrong here; choose one of {', '.join(WHAT)}"
            raise InputError(msg)
        if self.times < 1 or self.at_message < 0 or not 0 <= self.seconds <= 3600:
            msg = "trouble comes at least once, at a message from 1 on, and takes at most an hour; check its numbers"
            raise InputError(msg)

    def arrange(self, faults: Faults, match: str = AS_BOT) -> None:
        """Have it go wrong with the calls that *match*, those by which messages are sent."""
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
            case "webhook_gone" | "disconnect":
                pass  # neither is a call that fails: the one is done by a person, the other is not there
            case _:
                assert_never(self.what)

    def deletes_webhook(self, said: int) -> bool:
        """Whether somebody deletes the webhook when so many messages were *said* through one."""
        first = max(self.at_message - 1, 1)  # before the first there is none
        return self.what == "webhook_gone" and first <= said < first + self.times
