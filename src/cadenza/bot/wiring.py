"""The services of a bot, which its parts share; they are built once, at the start."""

from __future__ import annotations

from dataclasses import dataclass

from .characters.cast import Cast, named
from .characters.character import Character
from .config.current import Current
from .memory.memory_service import Memory
from .services.choices import Choice, Choices
from .services.explanations import Explanations
from .services.journal import Journal
from .services.metrics import Metrics
from .services.models import ModelRegistry
from .services.quotas import Quotas
from .services.toolbox import Toolbox
from .store.sealing import Seal
from .store.store import Store


@dataclass(frozen=True, slots=True)
class BotServices:
    """All services; none of them knows discord.py."""

    config: Current
    store: Store
    seal: Seal
    cast: Cast
    choices: Choices
    memory: Memory
    models: ModelRegistry
    toolbox: Toolbox
    limits: Quotas
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


def build(config: Current, store: Store, seal: Seal) -> BotServices:
    """Build all services for one configuration and one store."""
    memory, explanations = Memory(store, lambda: config.now.memory), Explanations(store, lambda: config.now.store)
    memory.privacy.listen(explanations.forget)
    return BotServices(
        config=config,
        store=store,
        seal=seal,
        cast=Cast(store, lambda: config.now.personas),
        choices=Choices(store),
        memory=memory,
        models=ModelRegistry(config, store, seal),
        toolbox=Toolbox(config),
        limits=Quotas(store, lambda: config.now.limits),
        journal=Journal(store),
        explanations=explanations,
        metrics=Metrics(),
    )
