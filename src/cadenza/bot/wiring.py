"""Who works for a bot: everything that its parts share, made once, when it starts."""

from __future__ import annotations

from dataclasses import dataclass

from .characters.cast import Cast
from .config.current import Current
from .memory.memory_service import Memory
from .services.choices import Choices
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
    """The parts that know nothing of Discord."""

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


def employed(config: Current, store: Store, seal: Seal) -> BotServices:
    """Everybody, at work with one configuration and one store."""
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
