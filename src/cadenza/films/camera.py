"""Who watches a simulated Discord, and the replies in it, and makes records of it all."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..sim.wire import Event, Json
from ..sim.world import World
from ..text.markup import Names
from ..trace import Traced
from .addresses import Addresses, Inline
from .film import Record
from .shown import as_shown

Take = Callable[[Record], None]
"""Whoever is given each record, in their order."""


class Camera:
    """Stands in a *world* from now on; ``take`` is given all that happens, at its time on *clock*."""

    def __init__(
        self,
        world: World,
        take: Take,
        *,
        clock: Callable[[], float],
        names: Mapping[str, str],
        addresses: Addresses | None = None,
    ) -> None:
        self._world = world
        self._take = take
        self._clock = clock
        self._begun = clock()
        self._names = names
        self._addresses = addresses or Inline(world)
        self._turns: dict[str, float] = {}  # when each reply began
        self.stop = world.listen(self._hear)
        """Look no longer."""

    def _now(self) -> float:
        return self._clock() - self._begun

    def hook(self, step: Traced) -> None:
        """A trace's hook: what happens inside."""
        if step.step == "reply":
            self._turns[step.turn] = self._now() - step.at
        at = self._turns.get(step.turn, 0.0) + step.at
        self._take(Record(at, "step", {"turn": step.turn, "step": step.step, "about": dict(step.about)}))

    def _shown(self, message: Json) -> Json:
        return as_shown(message, Names(self._names), self._addresses)

    def _hear(self, event: Event) -> None:
        data = event.data
        match event.name:
            case "MESSAGE_CREATE":
                self._take(Record(self._now(), "message", {"message": self._shown(data)}))
            case "MESSAGE_UPDATE":
                self._take(Record(self._now(), "changed", {"message": self._shown(data)}))
            case "MESSAGE_DELETE":
                self._take(Record(self._now(), "deleted", {"channel": data["channel_id"], "id": data["id"]}))
            case "TYPING_START":
                who = str(data["user_id"])
                about = {"channel": data["channel_id"], "who": {"id": who, "name": self._names.get(who, who)}}
                self._take(Record(self._now(), "typing", about))
            case _:
                pass
