"""Show a line with another avatar when the model asks for it: ``Ren (mad): grr`` → ``grr`` with the sprite "mad".

People see the identity; the model later sees the label, so it remembers which sprite it used. The modifier in brackets
is a sprite of the persona, which stays until another one is asked for or the persona uses its plain name again; or
another person in the scene, whose name and avatar are used for one line. A label with an unknown modifier is removed,
and the persona is shown as itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..text.labels import DECORATION, MOST_IN_A_CHAIN, after_indent, any_of, decorated_label, label
from ..text.names import NEUTRAL, both, normalised, sprite_key
from ..text.prose import Prose
from ..text.units import WHITESPACE, fits
from ..types import Boundary, Ending, Identity, Kind, Participant, Persona, Segment, Sprite
from .rule import LineOpening, Rule, RuleContext

_ENDS_LINE = frozenset({Boundary.NEWLINE, Boundary.FINAL, Boundary.TOOL_CALL})


@dataclass(frozen=True, slots=True)
class _Appearance:
    """An identity in use, and the label that the model later sees for it."""

    identity: Identity
    label: str = ""
    for_one_line: bool = False
    """Whether it ends with its line."""


class _Label(NamedTuple):
    """A label at the beginning of a line; without a modifier it is the persona's plain name."""

    start: int
    end: int
    modifier: str = ""


class RenderModifier(Rule):
    """Turns labels with a modifier into identities."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._line = LineOpening()
        self._identities = _Identities(context)
        self._current: _Appearance | None = None
        self._label = ""  # waits for the first words it applies to
        own, roster = context.own_names, context.roster
        chain = {name.strip(WHITESPACE) for name in (*own, *roster.personas, *roster.personas.values())} - {""}
        self._decorated = decorated_label(any_of(own), any_of(chain))
        self._chain = label(any_of(chain))
        self._plain = label(any_of(own))
        self._continue_prefill(context.prefill)

    @property
    def is_idle(self) -> bool:
        """Whether the persona has no name."""
        return not self.context.persona.name.strip()

    def feed(self, segment: Segment, /) -> Iterable[Segment]:
        """Remove the labels; the text between two of them becomes a segment of its own."""
        text = segment.text
        has_colon = ":" in text or "：" in text
        if not has_colon or segment.kind is not Kind.PROSE or not self._may_have_label(text):
            self._line.last = segment
            return (segment,) if self._current is None else (self._with_identity(segment),)
        opens_line = self._line.opens_line
        self._line.last = segment
        return self._pieces(segment, self._labels(segment, opens_line=opens_line))

    def flush(self, why: Ending, /) -> Iterable[Segment]:  # noqa: ARG002  # whatever ends, a line ends
        """The next text begins a line; an identity for one line ends."""
        self._line = LineOpening()
        if self._current and self._current.for_one_line and not self._label:
            self._current = None
        return ()

    def _continue_prefill(self, prefill: str) -> None:
        """Use the identity at the end of *prefill*, since the model continues there."""
        self.feed(Segment(prefill.strip(WHITESPACE), Boundary.PERIOD))
        self._line = LineOpening()
        self._label = self._current.label if self._current else ""

    # --- finding labels ------------------------------------------------------------

    def _may_have_label(self, text: str) -> bool:
        return self._current is not None or DECORATION.search(text) is not None

    def _labels(self, segment: Segment, *, opens_line: bool) -> Iterator[_Label]:
        """The labels at the beginnings of lines."""
        text = segment.text
        start = 0 if opens_line else text.find("\n") + 1
        while start or opens_line:
            found = self._label_at(text, start)
            while found and _is_reachable(self.prose(segment), found):
                yield found
                found = (
                    self._modifier_label(text, found.end) if found.modifier else None
                )  # the last modifier in a row counts
            opens_line = False
            start = text.find("\n", start) + 1

    def _label_at(self, text: str, start: int) -> _Label | None:
        if found := self._modifier_label(text, start):
            return found
        # The plain name switches back; then it is removed, whichever of the names it is.
        plain = self._plain.match(text, after_indent(text, start))
        return _Label(start, plain.end()) if plain else None

    def _modifier_label(self, text: str, start: int) -> _Label | None:
        """The label with a modifier at *start*, including the plain ones in front of it."""
        position = start
        for _ in range(MOST_IN_A_CHAIN):
            if match := self._decorated.match(text, position):
                return _Label(start, match.end(), match["modifier"]) if fits(match["modifier"], 64) else None
            if (plain := self._chain.match(text, after_indent(text, position))) is None:
                break
            position = plain.end()
        return None

    # --- applying them ---------------------------------------------------------------

    def _pieces(self, segment: Segment, labels: Iterable[_Label]) -> list[Segment]:
        """*segment* without its labels, split where the identity changes."""
        pieces: list[Segment] = []
        lead, done = "", 0  # empty lines before a label belong to the text after it
        for found in labels:
            if not found.modifier and self._current is None:
                continue
            between = segment.text[done : found.start]
            lead += between
            if between.strip(WHITESPACE):  # the text before it is blank
                pieces.append(self._with_identity(replace(segment, text=lead, boundary=Boundary.NEWLINE)))
                lead = ""
            self._switch(found)
            done = found.end
        rest = lead + segment.text[done:]
        pieces.append(self._with_identity(replace(segment, text=rest) if done or pieces else segment))
        return pieces

    def _switch(self, found: _Label) -> None:
        self._current = (
            self._identities.named(found.modifier) if found.modifier else self._identities.after(self._current)
        )
        self._label = self._current.label if self._current else ""

    def _with_identity(self, segment: Segment) -> Segment:
        """*segment* with the current identity, and with its label if these are the first words under it."""
        appearance = self._current
        if appearance is None:
            return segment
        if segment.identity is None:
            segment = replace(segment, identity=appearance.identity)
        if not segment.text.strip(WHITESPACE):
            if appearance.for_one_line and not self._label and segment.boundary in _ENDS_LINE:
                self._current = None  # the end of a line whose words were passed on
            return segment
        if appearance.for_one_line and (segment.boundary in _ENDS_LINE or "\n" in segment.text.lstrip(WHITESPACE)):
            self._current = None
        segment = replace(segment, label=self._label) if self._label else segment
        self._label = ""
        return segment


class _Identities:
    """The identities that a persona can use."""

    def __init__(self, context: RuleContext) -> None:
        self._persona = context.persona
        self._sprites: dict[str, Sprite] = {}
        for sprite in context.persona.sprites:
            self._sprites.setdefault(sprite_key(sprite.name), sprite)
        self._people = _by_name(context.roster.participants, context.persona)

    def named(self, modifier: str) -> _Appearance | None:
        """The identity for *modifier*, if it is unambiguous and can be shown."""
        key = sprite_key(modifier)
        sprite = self._sprites.get(key)
        if sprite is not None:
            identity = self._of_sprite(sprite)
            return _Appearance(identity, self._label(sprite.name)) if identity else None
        person = self._people.get(key)
        if person is None:
            return None
        identity = Identity(both(person.name, self._persona.name), person.avatar)
        return _Appearance(identity, self._label(person.name), for_one_line=True)

    def after(self, appearance: _Appearance | None) -> _Appearance | None:
        """The identity of the persona when it uses its plain name again.

        A persona with its own name in the chat shares that name with its sprites, so it needs one to be told apart.
        """
        persona = self._persona
        if appearance is None or not persona.is_alter or not appearance.identity.sprite:
            return None
        return _Appearance(Identity(persona.name, persona.avatar, NEUTRAL))

    def _of_sprite(self, sprite: Sprite) -> Identity | None:
        if not sprite.is_usable:
            return None
        if sprite.is_identity:
            return Identity(both(sprite.name, self._persona.name), sprite.avatar)
        return Identity(self._persona.name, sprite.avatar, sprite.name)

    def _label(self, name: str) -> str:
        return f"{both(self._persona.name, name)}: "


def _by_name(people: Iterable[Participant], persona: Persona) -> dict[str, Participant | None]:
    """*people* by all their names; an ambiguous name maps to ``None``."""
    found: dict[str, Participant | None] = {}
    own = normalised(persona.name)
    for person in dict.fromkeys(people):
        names = {sprite_key(name) for name in (person.name, *person.aliases)} - {""}
        if normalised(person.name) != own:
            found.update({name: None if name in found else person for name in names})
    return found


def _is_reachable(prose: Prose, found: _Label) -> bool:
    """Whether the label is prose. Backticks around nothing but the label are not code."""
    if prose.text[found.start : found.end].lstrip(WHITESPACE).startswith("`"):
        return prose.is_free(found.start, found.start) and prose.is_free(found.end, found.end)
    return prose.is_free(found.start, found.end)
