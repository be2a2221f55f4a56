"""``[[personas]]``: the characters of a configuration, written there or read from files it names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, cast

from ...errors import CadenzaError, SettingsError
from ...types import Note
from ..characters.character import Character, CharacterSprite, Lore
from .checking import Complaints, shown, table, values
from .config import entry
from .folder import MOST_PICTURE, Folder
from .model_names import model_complaint

_WITHIN = ("sprites", "notes", "lore")


@dataclass(frozen=True, slots=True)
class PersonaTable:
    """One character of the bot."""

    name: str | None = entry(None, "the name; optional with a card that has one", kind=str, form="filled")
    main: bool = entry(False, "whether it is the bot itself, with the bot's name and avatar; else the first one is")
    card: str = entry("", "a character card, PNG or JSON; keys given here override it")
    prompt: str = entry("", "the description of the character, for the model")
    prompt_file: str = entry("", "a file with the prompt")
    personality: str = entry("", "the personality, in short")
    scenario: str = entry("", "the situation and what has happened")
    system: str = entry("", "instructions before all others")
    afterword: str = entry("", "instructions after the conversation")
    greeting: str = entry("", "the first message, for /persona greet")
    samples: str = entry(
        "", "sample dialogue: lines of '{{user}}: …' and '{{char}}: …', with <START> before each example"
    )
    triggers: tuple[str, ...] = entry((), "trigger words besides the name", form="filled")
    avatar: str = entry("", "the avatar: a picture beside this file, or an address that begins with https://")
    degree: int | None = entry(None, "its own degree of delivery; default: the channel's", kind=int, low=0, high=3)
    model: str = entry("", "its own model; empty for the channel's")


@dataclass(frozen=True, slots=True)
class SpriteTable:
    """A sprite: another avatar of the character."""

    name: str = entry("", "the name of the sprite", form="filled")
    avatar: str = entry("", "a picture beside this file, or an address that begins with https://")
    instructions: str = entry("", "when the model should use it")
    identity: bool = entry(False, "whether it is an identity of its own, shown as 'sprite (Name)'")


@dataclass(frozen=True, slots=True)
class NoteTable:
    """A reminder to the model."""

    text: str = entry("", "the reminder")
    depth: int = entry(0, "how many lines of the conversation come after it", low=0, high=1000)


@dataclass(frozen=True, slots=True)
class LoreTable:
    """Text for the model when one of its keys occurs in the conversation."""

    content: str = entry("", "the text for the model")
    keys: tuple[str, ...] = entry((), "the words that activate it")
    constant: bool = entry(False, "whether it is always active")
    case_sensitive: bool = entry(False, "whether its keys are case-sensitive")
    order: int = entry(100, "lower numbers come first")


def personas(
    given: object, folder: Folder, named: Mapping[str, object], complaints: Complaints
) -> tuple[Character, ...] | None:
    """The characters in the list *given*, the main one first; ``None`` if there are none."""
    if not isinstance(given, list) or not all(isinstance(one, Mapping) for one in given):
        complaints.add("[[personas]]", "must be tables, each under a line [[personas]] of its own")
        return None
    found = [_Persona(one, f"[[personas]] {number}", folder, complaints) for number, one in enumerate(given, start=1)]
    people = [one.character(named) for one in found]
    _check_names(people, complaints)
    mains = [number for number, one in enumerate(found) if one.values.get("main")]
    if len(mains) > 1:
        complaints.add("[[personas]]", "have more than one main = true; leave it with one of them")
    if not people:
        return None
    first = mains[0] if mains else 0
    return (replace(people[first], is_main=True), *people[:first], *people[first + 1 :])


def _check_names(people: list[Character], complaints: Complaints) -> None:
    taken: set[str] = set()
    for person in people:
        if person.name and person.name.casefold() in taken:
            complaints.add("[[personas]]", f"have the name {shown(person.name)} twice; give each a name of its own")
        taken.add(person.name.casefold())


class _Persona:
    """One table of ``[[personas]]``."""

    def __init__(self, given: Mapping[str, object], place: str, folder: Folder, complaints: Complaints) -> None:
        self._given = given
        self._folder = folder
        self._complaints = complaints
        self.values = values(PersonaTable, given, place, complaints, besides=_WITHIN)
        name = self.values.get("name")
        self._place = f"{place} ({name})" if name else place

    def character(self, named: Mapping[str, object]) -> Character:
        """The character of this table."""
        if complaint := self.values.get("model") and model_complaint(self.values["model"], named):
            self._complain("model", complaint)
        plain = ("name", "personality", "scenario", "system", "afterword", "greeting", "samples", "triggers")
        given = {name: self.values[name] for name in plain if name in self.values}
        if prompt := self._prompt():
            given["prompt"] = prompt
        if self.values.get("avatar"):
            given["avatar"] = self._picture("avatar", self.values["avatar"])
        given |= self._parts()
        own = {name: self.values[name] for name in ("degree", "model") if name in self.values}
        card = self._card()
        return replace(card, own=replace(card.own, **own), **given)

    def _card(self) -> Character:
        if not (name := self.values.get("card")):
            if "name" not in self._given:
                self._complaints.add(self._place, 'must have a name, as in name = "Ren"')
            return Character("")
        try:
            data = self._folder.data(name, MOST_PICTURE)
            cards = import_module("..characters.reading", __package__)  # slow to import, and rarely needed
            return cast("Character", cards.read_card(data, name))
        except SettingsError as error:
            self._complain("card", str(error))
        except Exception as error:  # noqa: BLE001  # a card is a foreign file
            why = str(error).rstrip(".") if isinstance(error, CadenzaError) else type(error).__name__
            self._complain("card", f"names {shown(name)}, which cannot be read as a character card ({why})")
        return Character(str(self.values.get("name", "")))

    def _prompt(self) -> str:
        if not (name := self.values.get("prompt_file")):
            return str(self.values.get("prompt", ""))
        if self.values.get("prompt"):
            self._complain("prompt_file", "conflicts with prompt; keep one of the two")
        try:
            return self._folder.text(name)
        except SettingsError as error:
            self._complain("prompt_file", str(error))
            return ""

    def _picture(self, key: str, name: str) -> str:
        try:
            return self._folder.picture(name)
        except SettingsError as error:
            self._complain(key, str(error))
            return ""

    def _parts(self) -> dict[str, Any]:
        """The sprites, notes and lore that are given."""
        sprites = [
            CharacterSprite(one["name"], self._picture("sprites avatar", one["avatar"]) if one.get("avatar") else "",
                 one.get("instructions", ""), is_identity=one.get("identity", False))
            for one in self._tables("sprites", SpriteTable, "name")
        ]  # fmt: skip
        notes = [Note(one["text"], one.get("depth", 0)) for one in self._tables("notes", NoteTable, "text")]
        lore = [
            Lore(one["content"], one.get("keys", ()), is_constant=one.get("constant", False),
                 is_case_sensitive=one.get("case_sensitive", False), order=one.get("order", 100))
            for one in self._tables("lore", LoreTable, "content")
        ]  # fmt: skip
        parts = {"sprites": tuple(sprites), "notes": tuple(notes), "lore": tuple(lore)}
        return {name: part for name, part in parts.items() if part}

    def _tables(self, key: str, kind: type[Any], needed: str) -> list[dict[str, Any]]:
        given = self._given.get(key, [])
        if not isinstance(given, list):
            self._complain(key, f"must be tables, each under a line [[personas.{key}]] of its own")
            return []
        right = []
        for number, one in enumerate(given, start=1):
            place = f"{self._place} {key} {number}"
            read = values(kind, table(one, place, self._complaints), place, self._complaints)
            if read.get(needed):
                right.append(read)
            else:
                self._complaints.add(place, f'must have {needed} = "…"')
        return right

    def _complain(self, key: str, complaint: str) -> None:
        self._complaints.add(f"{self._place} {key}", complaint)
