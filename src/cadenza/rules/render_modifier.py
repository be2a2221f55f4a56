"""Show a line under another face when the model asks for it, ``Ren (mad): grr`` → ``grr`` with the face of a mad Ren.

People see the identity; the model will later see the label, so that it remembers which face it wore.
What stands in the brackets is a sprite of the persona, which stays until another face is asked for or the persona
speaks under its plain name again; or else somebody in the scene, whose face is borrowed for one line.
A label that stands for neither is taken off, and the persona shows its own face.
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
class _Face:
    """What is worn, and what the model should see for it."""

    identity: Identity
    label: str = ""
    is_borrowed: bool = False
    """Whether it is given back when its line ends."""


class _Label(NamedTuple):
    """Where a label at the beginning of a line is; without a modifier it is the persona's plain name."""

    start: int
    end: int
    modifier: str = ""


class RenderModifier(Rule):
    """Turns decorated labels into identities."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._line = LineOpening()
        self._wardrobe = _Wardrobe(context)
        self._face: _Face | None = None
        self._label = ""  # waits for the first words that it stands for
        own, roster = context.own_names, context.roster
        chain = {name.strip(WHITESPACE) for name in (*own, *roster.personas, *roster.personas.values())} - {""}
        self._decorated = decorated_label(any_of(own), any_of(chain))
        self._chain = label(any_of(chain))
        self._plain = label(any_of(own))
        self._dress_for(context.prefill)

    @property
    def is_idle(self) -> bool:
        """Whether the persona has no name."""
        return not self.context.persona.name.strip()

    def feed(self, segment: Segment, /) -> Iterable[Segment]:
        """Take the labels off the lines that have one; what stands between two of them is a segment of its own."""
        if segment.kind is not Kind.PROSE or not self._may_have_label(segment.text):
            self._line.last = segment
            return (segment,) if self._face is None else (self._worn(segment),)
        opens_line = self._line.opens_line
        self._line.last = segment
        return self._pieces(segment, self._labels(segment, opens_line=opens_line))

    def flush(self, why: Ending, /) -> Iterable[Segment]:  # noqa: ARG002  # whatever ends, a line ends
        """What comes after this begins a line; a borrowed face that was shown is given back."""
        self._line = LineOpening()
        if self._face and self._face.is_borrowed and not self._label:
            self._face = None
        return ()

    def _dress_for(self, prefill: str) -> None:
        """Put on the face under which the words that were put into the model's mouth end; what it says goes on there."""
        self.feed(Segment(prefill.strip(WHITESPACE), Boundary.PERIOD))
        self._line = LineOpening()
        self._label = self._face.label if self._face else ""

    # --- where labels are ----------------------------------------------------------

    def _may_have_label(self, text: str) -> bool:
        has_colon = ":" in text or "：" in text
        return has_colon and (self._face is not None or DECORATION.search(text) is not None)

    def _labels(self, segment: Segment, *, opens_line: bool) -> Iterator[_Label]:
        """The labels at the beginnings of lines."""
        text = segment.text
        start = 0 if opens_line else text.find("\n") + 1
        while start or opens_line:
            found = self._label_at(text, start)
            while found and _is_reachable(self.prose(segment), found):
                yield found
                found = self._look_at(text, found.end) if found.modifier else None  # the last look of a row counts
            opens_line = False
            start = text.find("\n", start) + 1

    def _label_at(self, text: str, start: int) -> _Label | None:
        if found := self._look_at(text, start):
            return found
        # The plain name changes the face back; it has done its work then, whichever name it is.
        plain = self._plain.match(text, after_indent(text, start))
        return _Label(start, plain.end()) if plain else None

    def _look_at(self, text: str, start: int) -> _Label | None:
        """The label with a modifier at *start*, with the plain ones in front of it."""
        position = start
        for _ in range(MOST_IN_A_CHAIN):
            if match := self._decorated.match(text, position):
                return _Label(start, match.end(), match["modifier"]) if fits(match["modifier"], 64) else None
            if (plain := self._chain.match(text, after_indent(text, position))) is None:
                break
            position = plain.end()
        return None

    # --- what becomes of them --------------------------------------------------------

    def _pieces(self, segment: Segment, labels: Iterable[_Label]) -> list[Segment]:
        """*segment* without its labels, parted where the face changes; together the pieces are its text."""
        pieces: list[Segment] = []
        lead, done = "", 0  # empty lines in front of a label go with what is behind it
        for found in labels:
            if not found.modifier and self._face is None:
                continue
            between = segment.text[done : found.start]
            lead += between
            if between.strip(WHITESPACE):  # what led up to it is blank
                pieces.append(self._worn(replace(segment, text=lead, boundary=Boundary.NEWLINE)))
                lead = ""
            self._change_face(found)
            done = found.end
        rest = lead + segment.text[done:]
        pieces.append(self._worn(replace(segment, text=rest) if done or pieces else segment))
        return pieces

    def _change_face(self, found: _Label) -> None:
        self._face = self._wardrobe.face(found.modifier) if found.modifier else self._wardrobe.after(self._face)
        self._label = self._face.label if self._face else ""

    def _worn(self, segment: Segment) -> Segment:
        """*segment* under the face that is on, with its label if these are the first words under it."""
        face = self._face
        if face is None:
            return segment
        if segment.identity is None:
            segment = replace(segment, identity=face.identity)
        if not segment.text.strip(WHITESPACE):
            if face.is_borrowed and not self._label and segment.boundary in _ENDS_LINE:
                self._face = None  # the end of a line whose words have left
            return segment
        if face.is_borrowed and (segment.boundary in _ENDS_LINE or "\n" in segment.text.lstrip(WHITESPACE)):
            self._face = None
        segment = replace(segment, label=self._label) if self._label else segment
        self._label = ""
        return segment


class _Wardrobe:
    """The faces that a persona can put on."""

    def __init__(self, context: RuleContext) -> None:
        self._persona = context.persona
        self._sprites: dict[str, Sprite] = {}
        for sprite in context.persona.sprites:
            self._sprites.setdefault(sprite_key(sprite.name), sprite)
        self._people = _by_name(context.roster.participants, context.persona)

    def face(self, modifier: str) -> _Face | None:
        """What *modifier* stands for, if it stands for one face and that can be shown."""
        key = sprite_key(modifier)
        sprite = self._sprites.get(key)
        if sprite is not None:
            identity = self._look(sprite)
            return _Face(identity, self._label(sprite.name)) if identity else None
        person = self._people.get(key)
        if person is None:
            return None
        identity = Identity(both(person.name, self._persona.name), person.avatar)
        return _Face(identity, self._label(person.name), is_borrowed=True)

    def after(self, face: _Face | None) -> _Face | None:
        """What a persona wears when it speaks under its plain name again.

        Where it has a name of its own in the chat, its plain look shares that name with its sprites.
        """
        persona = self._persona
        if face is None or not persona.is_alter or not face.identity.look:
            return None
        return _Face(Identity(persona.name, persona.avatar, NEUTRAL))

    def _look(self, sprite: Sprite) -> Identity | None:
        if not sprite.is_usable:
            return None
        if sprite.is_identity:
            return Identity(both(sprite.name, self._persona.name), sprite.avatar)
        return Identity(self._persona.name, sprite.avatar, sprite.name)

    def _label(self, name: str) -> str:
        return f"{both(self._persona.name, name)}: "


def _by_name(people: Iterable[Participant], persona: Persona) -> dict[str, Participant | None]:
    """*people* by what they are called; a name that several have stands for nobody."""
    found: dict[str, Participant | None] = {}
    own = normalised(persona.name)
    for person in dict.fromkeys(people):
        names = {sprite_key(name) for name in (person.name, *person.aliases)} - {""}
        if normalised(person.name) != own:
            found.update({name: None if name in found else person for name in names})
    return found


def _is_reachable(prose: Prose, found: _Label) -> bool:
    """Whether a label is prose. In backticks it is no code, if nothing but the label stands in them."""
    if prose.text[found.start : found.end].lstrip(WHITESPACE).startswith("`"):
        return prose.is_free(found.start, found.start) and prose.is_free(found.end, found.end)
    return prose.is_free(found.start, found.end)
