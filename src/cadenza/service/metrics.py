"""What machines read of a bot: how many turns, how they ended, how long people waited, what Discord said."""

from __future__ import annotations

from ..trace import Traced
from ..types import Reply


class Metrics:
    """Counts. One for a bot; without ``prometheus-client`` it counts nothing and says so once."""

    def hear(self, traced: Traced) -> None:
        """A hook: one step of a reply."""
        raise NotImplementedError

    def turn_ended(self, reply: Reply, *, seconds: float, waited: float) -> None:
        """A turn is over that took *seconds*, after it had *waited* in the queue."""
        raise NotImplementedError

    def called(self, route: str, status: int) -> None:
        """Discord has answered a call."""
        raise NotImplementedError

    def rendered(self) -> bytes:
        """All of it, in Prometheus' own text."""
        raise NotImplementedError
