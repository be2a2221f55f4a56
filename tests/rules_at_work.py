"""The row of rules as the tests drive it: the one place that knows how its parts are called.

Everything is imported where it is used, so that a part that is missing fails the tests that need it and no others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cadenza.errors import CadenzaError
from cadenza.settings import RuleSettings
from cadenza.stages.s5_buffer import Buffer
from cadenza.stages.s6_rules import rule_row
from cadenza.stages.stage import Pipe
from cadenza.text.units import WHITESPACE
from cadenza.types import Boundary, Ending, Halt, Identity, Kind, Line, Participant, Persona, Roster, Segment, Sprite

Out = Segment | Halt

QUIET = {"label_guard": False, "tables": "source"}
"""Settings with which only what is written decides: nothing is asked again, and tables stay as they are."""

RENDERING = (
    *("html_tags", "html_entities", "thematic_breaks", "deep_headings", "task_lists", "footnotes", "reference_links"),
    *("images", "formulas"),
)
"""The rules that show in other marks what a chat does not render."""


def known_rules() -> tuple[type[Any], ...]:
    """Every rule, in order."""
    from cadenza.rules import RULES

    return RULES


def context(
    persona: Persona | str = "",
    roster: Roster | None = None,
    *,
    prefill: str = "",
    may_retry: bool = False,
    **settings: Any,
) -> Any:
    """What the rules are built with."""
    from cadenza.rules.rule import RuleContext

    persona = Persona(persona) if isinstance(persona, str) else persona
    return RuleContext(persona, roster or Roster(), RuleSettings(**settings), prefill=prefill, may_retry=may_retry)


def row_of(scene: Any, *, only: str | None = None, without: Iterable[str] = ()) -> Pipe:
    """The row of all rules, of one only, or of all but for some. Who has nothing to do in *scene* is left out."""
    rules = [rule for rule in known_rules() if rule.name not in without and only in (None, rule.name)]
    if not rules:
        msg = f"no rule is called {only!r}; there are {', '.join(rule.name for rule in known_rules())}"
        raise LookupError(msg)
    return rule_row(scene, rules)


def segments(pieces: str | Sequence[str], *, sentences: bool = False, end: Ending = Ending.FINAL) -> list[Segment]:
    """What stage 5 makes of a text, whole or in pieces."""
    buffer = Buffer(sentences=sentences)
    items = [item for piece in ([pieces] if isinstance(pieces, str) else pieces) for item in buffer.feed(piece)]
    items += buffer.flush(end)
    return [item for item in items if isinstance(item, Segment)]


def prose(text: str, boundary: Boundary = Boundary.NEWLINE) -> Segment:
    """A segment of prose."""
    return Segment(text, boundary)


def passed(row: Pipe, items: Iterable[Segment], *, end: Ending | None = Ending.FINAL) -> list[Out]:
    """What comes out of *row* for *items*."""
    out = [result for item in items for result in row.feed(item)]
    return [*out, *row.flush(end)] if end else out


def cleaned(text: str, scene: Any, *, only: str | None = None) -> str:
    """*text* after stage 5 and the row, or one rule of it, in one."""
    return joined(passed(row_of(scene, only=only), segments(text)))


def joined(out: Iterable[Out]) -> str:
    """The text of what came out, in one."""
    return "".join(item.text for item in out if isinstance(item, Segment))


def stops(out: Iterable[Out]) -> list[str]:
    """Why the reply was ended, if it was."""
    return [item.reason.value for item in out if isinstance(item, Halt)]


# --- what people see ----------------------------------------------------------------------


def face(name: str) -> str:
    """Where the picture of somebody is."""
    return f"https://e.org/{name}.png"


def a_sprite(name: str, *, is_identity: bool = False, is_there: bool = True) -> Sprite:
    """A sprite, perhaps one whose picture is lost."""
    return Sprite(name, face(f"sprite {name}") if is_there else None, is_identity=is_identity, is_usable=is_there)


def a_persona(
    name: str, aliases: Iterable[str] = (), sprites: Iterable[str | Sprite] = (), *, is_alter: bool = False
) -> Persona:
    """A persona with a face of its own and some sprites."""
    sprites = tuple(a_sprite(sprite) if isinstance(sprite, str) else sprite for sprite in sprites)
    return Persona(name, tuple(aliases), avatar=face("own"), sprites=sprites, is_alter=is_alter)


def a_participant(name: str, aliases: Iterable[str] = ()) -> Participant:
    """Somebody else, with a face."""
    return Participant(name, tuple(aliases), face(f"of {name}"))


@dataclass(frozen=True, slots=True)
class Sent:
    """A message as people see it, and what the model will see in front of it."""

    text: str
    username: str | None = None
    prefix: str | None = None
    sprite: str | None = None


def shown(out: Iterable[Out], persona: Persona) -> list[Sent]:
    """What people see of what came out: one after another in a channel where nobody else speaks."""
    said = [item for item in out if isinstance(item, Segment) and item.text.strip(WHITESPACE)]
    worn = list(_dressed([segment.identity for segment in said]))
    return [_sent(segment, identity, persona) for segment, identity in zip(said, worn, strict=True)]


def _dressed(identities: Sequence[Identity | None]) -> Iterator[Identity | None]:
    """The identities under which messages are sent, so that a chat that groups by name tells two sprites apart."""
    if not any(identities):
        yield from identities
        return
    from cadenza.replies.outbox.grouping_names import NameContinuity

    continuity = NameContinuity()
    last: str | None = None
    for number, identity in enumerate(identities, start=10**17):
        worn = identity and continuity.dressed("channel", identity, last_message_id=last)
        last = str(number)
        continuity.note("channel", worn, last)
        yield worn


def _sent(segment: Segment, identity: Identity | None, persona: Persona) -> Sent:
    sprites = {sprite.avatar: sprite.name for sprite in persona.sprites if sprite.avatar}
    sprite = sprites.get(identity.avatar) if identity else None
    is_itself = identity is None or (sprite is None and identity.name == persona.name)
    return Sent(
        edged(segment.text), None if is_itself or identity is None else identity.name, segment.label or None, sprite
    )


def edged(text: str) -> str:
    """*text* without line ends in front and space at the end, which no message shows."""
    return text.rstrip(WHITESPACE).lstrip("\r\n")


# --- the other parts ----------------------------------------------------------------------


def recent_emoji(lines: Iterable[Line], lookback: int = 5) -> tuple[str, ...]:
    """The emoji that the last replies used."""
    from cadenza.rules.repeated_emoji import recent_emoji as recent

    return tuple(recent(tuple(lines), lookback))


def both(first: str, second: str) -> str:
    """The name ``first (second)``."""
    from cadenza.text.names import both as name_of_both

    return str(name_of_both(first, second))


def lookalike(name: str) -> str | None:
    """A name that looks like *name* and is another, if there is one."""
    from cadenza.text.names import lookalike as other

    return other(name) or None


def revealed(name: str) -> str:
    """The name that *name* looks like."""
    from cadenza.text.names import revealed as plain

    return str(plain(name))


def sprite_name(name: str) -> dict[str, Any]:
    """Whether a sprite may be called *name*; how it is then shown and compared."""
    from cadenza.bot.characters.names import sprite_name
    from cadenza.text.names import sprite_key

    try:
        checked = sprite_name(name)
    except (CadenzaError, ValueError):
        checked = None
    return {"ok": True, "displayName": checked, "spriteKey": sprite_key(checked)} if checked else {"ok": False}


def looked_up(text: str, roster: Roster, members: Iterable[Mapping[str, Any]]) -> tuple[str, list[str]]:
    """*text* when the shell has asked for whom the roster does not know, and whom it asked for."""
    from cadenza.replies.outbox.lookups import Lookup, Member, the_one

    people = [Member(member["id"], member["username"], member["globalName"], member["nickname"]) for member in members]
    asked: list[str] = []

    async def find(handle: str, _place: str) -> str | None:
        asked.append(handle)
        found = the_one(handle, people)
        return found and f"<@{found.id}>"

    return asyncio.run(Lookup(find).resolve(text, roster)), asked


def table_of(markdown: str) -> dict[str, Any] | None:
    """What ``text/tables.py`` reads in a table, as lists."""
    from cadenza.text.tables import parse

    table = parse(markdown)
    return table and {
        "header": list(table.header),
        "rows": [list(row) for row in table.rows],
        "alignments": [alignment.value for alignment in table.alignments],
    }


def parts(text: str) -> Iterator[tuple[str, str]]:
    """*text* as stage 5 parts it: what is a table that can be read, and what is not."""
    other = ""
    for segment in segments(text):
        if segment.kind is Kind.TABLE and table_of(segment.text):
            yield from [("text", other)] * bool(other)
            yield "table", segment.text
            other = ""
        else:
            other += segment.text
    yield from [("text", other)] * bool(other)
