"""Show a line under another face when the model asks for it with ``Name (sprite): text``.

People see the identity; the model will later see the label, so that it remembers which face it wore.
A sprite stays until another is asked for or the persona speaks under its plain name again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from ..types import Identity, Kind, Segment, Sprite
from .rule import LineOpening, Rule, RuleContext


class RenderModifier(Rule):
    """Turns a decorated label into an identity."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._line = LineOpening()
        self._active: Identity | None = None
        self._label = ""  # waits for the first words that it stands for
        self._sprites = {_key(sprite.name): sprite for sprite in context.persona.sprites}
        names = "|".join(map(re.escape, context.own_names))
        self._decorated = self._plain = None
        if names and self._sprites:
            self._decorated = re.compile(
                rf"\s*(?P<bold>\*\*)?(?:{names})[ \t]*[(（](?P<modifier>[^()（）\n:：]{{1,64}})[)）][ \t]*[:：](?(bold)\*\*)[ \t]*",
                re.IGNORECASE,
            )
            self._plain = re.compile(rf"\s*(?:\*\*)?(?:{names})(?:\*\*)?[:：]", re.IGNORECASE)

    @property
    def is_idle(self) -> bool:
        """Whether the persona has no other face."""
        return self._decorated is None

    def feed(self, segment: Segment, /) -> Iterable[Segment]:
        """Take the label off a line that has one; let the look that is on last."""
        opens_line = self._line.opens_line
        self._line.follow(segment)
        if segment.kind is Kind.PROSE and opens_line:
            segment = self._relabelled(segment)
        if self._active is not None and segment.identity is None:
            segment = replace(segment, identity=self._active)
        if self._label and segment.text.strip():
            segment = replace(segment, label=self._label)
            self._label = ""
        return (segment,)

    def _relabelled(self, segment: Segment) -> Segment:
        decorated = self._decorated.match(segment.text) if self._decorated else None
        if decorated and decorated["modifier"].strip():
            sprite = self._sprites.get(_key(decorated["modifier"]))
            self._active = self._face(sprite) if sprite else None
            self._label = f"{self.context.persona.name} ({sprite.name}): " if sprite else ""
            return replace(segment, text=segment.text[decorated.end() :])
        if self._plain and self._plain.match(segment.text):
            self._active = None
            self._label = ""
        return segment

    def _face(self, sprite: Sprite) -> Identity:
        name = self.context.persona.name
        return Identity(f"{sprite.name} ({name})" if sprite.is_identity else name, sprite.avatar)


def _key(name: str) -> str:
    return " ".join(name.casefold().split())
