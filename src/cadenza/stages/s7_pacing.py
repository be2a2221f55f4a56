"""The pause before a message: how long a person would type it, and think.

Pauses are numbers, drawn from dice that are passed in; nothing waits here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..settings import DeliverySettings
from ..text.units import units


class Pace(NamedTuple):
    """A pause before a message and what it is made of, in seconds."""

    pause: float = 0.0
    typing: float = 0.0
    breath: float = 0.0
    """A moment between two messages."""
    thinking: float = 0.0
    """How much longer that is than usual."""

    @property
    def cut(self) -> float:
        """Seconds that exceed the budget of the whole reply."""
        return max(0.0, round(self.typing + self.breath + self.thinking - self.pause, 4))


_NONE = Pace()


class Pacer:
    """Plans the typing pause of each message; none is longer than the budget of the whole reply.

    The outbox keeps the budget: only real waiting spends it, and the time that the model takes is free.
    """

    def __init__(self, settings: DeliverySettings, roll: Callable[[], float]) -> None:
        self._settings = settings
        self._types = settings.manner.typing
        self._roll = roll
        self._count = 0

    def pause_before(self, text: str) -> Pace:
        """The pause before the next message, *text*."""
        count, self._count = self._count, self._count + 1
        if not self._types or count == 0:
            return _NONE
        typing = self._typing(text)
        usual, breath = self._breath() if count >= 2 else (0.0, 0.0)
        pause = round(min(typing + breath, self._settings.typing_budget), 4)
        return Pace(pause, typing, usual, breath - usual)

    def _typing(self, text: str) -> float:
        settings = self._settings
        typing = max(settings.typing_least, min(settings.typing_speed * units(text), settings.typing_most))
        return max(typing, 1.25 * settings.typing_least) if "```" in text else typing

    def _breath(self) -> tuple[float, float]:
        """The usual moment between two messages, and this one: sometimes longer, as if thinking. Always rolls twice."""
        breath = (250 + int(self._roll() * 1250)) / 1000
        thinks = self._roll() < self._settings.thinking_chance
        return breath, max(1.5 * breath, 0.75) if thinks else breath
