"""A character with everything that a card can hold, which is more than the pipeline needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ...types import Note, Persona, Sprite
from .placeholders import resolved

SPRITES_TOLD = 20
"""How many sprites with instructions are in the prompt."""


@dataclass(frozen=True, slots=True)
class CharacterSprite:
    """A sprite of a character."""

    name: str
    avatar: str = ""
    """An address, or a ``data:`` URI that holds the picture."""
    instructions: str = ""
    """When the model should use it."""
    is_identity: bool = False
    """Whether it is an identity of its own, shown as ``sprite (Name)``."""


@dataclass(frozen=True, slots=True)
class Lore:
    """Text for the model when one of its keys occurs in the conversation."""

    content: str
    keys: tuple[str, ...] = ()
    secondary_keys: tuple[str, ...] = ()
    """If *is_selective*, one of these must occur too."""
    is_enabled: bool = True
    is_constant: bool = False
    """Whether it is always active."""
    is_selective: bool = False
    is_case_sensitive: bool = False
    order: int = 100
    """Lower numbers come first."""


@dataclass(frozen=True, slots=True)
class CharacterOverrides:
    """The settings of a character that replace the channel's."""

    degree: int | None = None
    """The degree of delivery (0 to 3); ``None`` for the channel's."""
    model: str = ""
    """A name from the configuration or ``VENDOR:NAME``; empty for the channel's model."""


@dataclass(frozen=True, slots=True)
class Character:
    """A character of a bot."""

    name: str
    id: str = ""
    """A permanent id, which stays when the name changes; assigned when it is first saved."""
    prompt: str = ""
    """The description of a card."""
    personality: str = ""
    scenario: str = ""
    system: str = ""
    """Instructions before all others."""
    afterword: str = ""
    """Instructions after the conversation."""
    greeting: str = ""
    other_greetings: tuple[str, ...] = ()
    samples: str = ""
    """Sample dialogue in the format of cards: ``<START>``, ``{{user}}: …``, ``{{char}}: …``."""
    notes: tuple[Note, ...] = ()
    triggers: tuple[str, ...] = ()
    """Trigger words besides the name."""
    avatar: str = ""
    """An address, or a ``data:`` URI; empty for the avatar of the bot or the webhook."""
    sprites: tuple[CharacterSprite, ...] = ()
    lore: tuple[Lore, ...] = ()
    own: CharacterOverrides = field(default_factory=CharacterOverrides)
    is_main: bool = False
    """Whether it is the bot itself, with the bot's name and avatar."""
    nickname: str = ""
    """The name for the model, ``{{char}}``, if it differs from *name*."""
    former: tuple[str, ...] = ()
    """Earlier names, the latest first: messages under them belong to this character."""
    card: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    """The original card, with its unknown fields, which an export writes again."""

    @property
    def called(self) -> str:
        """The value of ``{{char}}``."""
        return self.nickname or self.name

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names: the nickname and the trigger words."""
        return tuple(dict.fromkeys(filter(None, (self.nickname.strip(), *self.triggers))))

    def as_persona(self, user: str = "") -> Persona:
        """The persona for the pipeline, where *user* is the name of the person who is answered."""
        told = "\n\n".join(filter(None, (self.prompt, self.personality, self.scenario, self._sprites_told())))
        return Persona(
            self.name,
            aliases=self.aliases,
            prompt=resolved(told, char=self.called, user=user),
            avatar=self.avatar or None,
            sprites=tuple(
                Sprite(
                    sprite.name, sprite.avatar or None, is_identity=sprite.is_identity, is_usable=bool(sprite.avatar)
                )
                for sprite in self.sprites
            ),
            is_alter=not self.is_main,
        )

    def _sprites_told(self) -> str:
        """The instructions of the sprites that have some; the prompt lists all names elsewhere."""
        told = [f"- {sprite.name}: {sprite.instructions}" for sprite in self.sprites if sprite.instructions][
            :SPRITES_TOLD
        ]
        return "\n".join(["When to use your sprites:", *told]) if told else ""
