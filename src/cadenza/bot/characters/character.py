"""A character as it is written down: more than the pipeline needs, and all that a card can hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ...types import Note, Persona, Sprite
from .placeholders import resolved

LOOKS_TOLD = 20
"""How many looks the model is told when to use."""


@dataclass(frozen=True, slots=True)
class Look:
    """A sprite as its owner made it."""

    name: str
    avatar: str = ""
    """An address, or a ``data:`` URI that holds the picture."""
    instructions: str = ""
    """When the model is to use it."""
    is_identity: bool = False
    """Whether it is somebody of their own, shown as ``look (Name)``."""


@dataclass(frozen=True, slots=True)
class Lore:
    """Something that the model is told when one of its keys was said."""

    content: str
    keys: tuple[str, ...] = ()
    secondary_keys: tuple[str, ...] = ()
    """Of these one must have been said too, if there are any and it *is_selective*."""
    is_enabled: bool = True
    is_constant: bool = False
    """Whether it is always told."""
    is_selective: bool = False
    is_case_sensitive: bool = False
    order: int = 100
    """Who has less is told first."""


@dataclass(frozen=True, slots=True)
class Character:
    """Somebody whom a bot can be."""

    name: str
    id: str = ""
    """What tells it from others for ever, whatever its name; given when it is first kept."""
    prompt: str = ""
    """Who they are: a card's description."""
    personality: str = ""
    scenario: str = ""
    system: str = ""
    """Instructions that stand before all others."""
    afterword: str = ""
    """Instructions that stand behind the conversation."""
    greeting: str = ""
    other_greetings: tuple[str, ...] = ()
    samples: str = ""
    """How they talk, as cards write it: ``<START>``, ``{{user}}: …``, ``{{char}}: …``."""
    notes: tuple[Note, ...] = ()
    triggers: tuple[str, ...] = ()
    """Words that call them, besides their name."""
    avatar: str = ""
    """An address, or a ``data:`` URI; empty leaves it to the bot or the webhook."""
    looks: tuple[Look, ...] = ()
    lore: tuple[Lore, ...] = ()
    degree: int | None = None
    """Their own way of delivering (0 to 3); ``None`` is the channel's."""
    model: str = ""
    """Their own model, by its name in the configuration or as ``connect`` wants it; empty is the channel's."""
    is_main: bool = False
    """Whether they are the bot itself, under its own name and face."""
    nickname: str = ""
    """What the model calls them where that is not their name: what ``{{char}}`` stands for."""
    former: tuple[str, ...] = ()
    """What they were called before, the last name first: what they said under it is theirs."""
    card: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    """The card that they came on, with whatever is not understood here: it goes out again as it came in."""

    @property
    def called(self) -> str:
        """What ``{{char}}`` stands for."""
        return self.nickname or self.name

    @property
    def aliases(self) -> tuple[str, ...]:
        """What else they are called: the name that the model knows them by, and the words that call them."""
        return tuple(dict.fromkeys(filter(None, (self.nickname.strip(), *self.triggers))))

    def as_persona(self, user: str = "") -> Persona:
        """What the pipeline is told of them, where *user* is the name of who is talked to."""
        told = "\n\n".join(filter(None, (self.prompt, self.personality, self.scenario, self._looks_told())))
        return Persona(
            self.name,
            aliases=self.aliases,
            prompt=resolved(told, char=self.called, user=user),
            avatar=self.avatar or None,
            sprites=tuple(
                Sprite(look.name, look.avatar or None, is_identity=look.is_identity, is_usable=bool(look.avatar))
                for look in self.looks
            ),
            is_alter=not self.is_main,
        )

    def _looks_told(self) -> str:
        """When to use which look, of those that say it; the names of all stand elsewhere in the prompt."""
        told = [f"- {look.name}: {look.instructions}" for look in self.looks if look.instructions][:LOOKS_TOLD]
        return "\n".join(["When to use your looks:", *told]) if told else ""
