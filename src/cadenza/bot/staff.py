"""The services of a bot, which its parts share; they are built once, at the start."""

from __future__ import annotations

from dataclasses import dataclass

from ..characters.cast import Cast, named
from ..characters.character import Character
from ..config.current import Current
from ..memory.memory import Memory
from ..service.choices import Choice, Choices
from ..service.explanations import Explanations
from ..service.journal import Journal
from ..service.limits import Limits
from ..service.metrics import Metrics
from ..service.shelf import ModelShelf
from ..service.toolbox import Toolbox
from ..store.api import Store
from ..store.sealing import Seal


@dataclass(frozen=True, slots=True)
class Staff:
    """All services; none of them knows discord.py."""

    config: Current
    store: Store
    seal: Seal
    cast: Cast
    choices: Choices
    memory: Memory
    models: ModelShelf
    toolbox: Toolbox
    limits: Limits
    journal: Journal
    explanations: Explanations
    metrics: Metrics

    async def present(self, server: str, choice: Choice) -> tuple[Character, ...]:
        """The characters that may speak where *choice* holds, the default one first."""
        everyone = await self.cast.of(server)
        allowed = [named(everyone, name) for name in choice.personas or ()]
        here = [one for one in everyone if one in allowed] or list(everyone)
        first = named(here, choice.persona or "")
        return tuple(sorted(here, key=lambda one: (one != first, not one.is_main)))


def build(config: Current, store: Store, seal: Seal) -> Staff:
    """Build all services for one configuration and one store."""
    memory, explanations = Memory(store, lambda: config.now.memory), Explanations(store, lambda: config.now.store)
    memory.privacy.listen(explanations.forget)
    return Staff(
        config=config,
        store=store,
        seal=seal,
        cast=Cast(store, lambda: config.now.personas),
        choices=Choices(store),
        memory=memory,
        models=ModelShelf(config, store, seal),
        toolbox=Toolbox(config),
        limits=Limits(store, lambda: config.now.limits),
        journal=Journal(store),
        explanations=explanations,
        metrics=Metrics(),
    )
