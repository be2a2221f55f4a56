"""``[[personas]]``: the characters of a configuration, written there or read from the files that it names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, cast

from ...errors import CadenzaError, SettingsError
from ...types import Note
from ..characters.character import Character, Look, Lore
from .checking import Complaints, shown, table, values
from .config import entry
from .folder import MOST_PICTURE, Folder
from .model_names import model_complaint

_WITHIN = ("looks", "notes", "lore")


@dataclass(frozen=True, slots=True)
class PersonaTable:
    """Somebody whom the bot can be."""

    name: str | None = entry(None, "what they are called; a card may say it instead", kind=str, form="filled")
    main: bool = entry(False, "whether they are the bot itself, under its own name and face; else the first one is")
    card: str = entry("", "a character card, PNG or JSON; what stands here besides wins over it")
    prompt: str = entry("", "who they are")
    prompt_file: str = entry("", "the same, in a file of its own")
    personality: str = entry("", "their character, in short")
    scenario: str = entry("", "where they are, and what has happened")
    system: str = entry("", "instructions that stand before all others")
    afterword: str = entry("", "instructions that stand behind the conversation")
    greeting: str = entry("", "how they begin a conversation")
    samples: str = entry(
        "", "how they talk: lines of '{{user}}: …' and '{{char}}: …', with <START> before each example"
    )
    triggers: tuple[str, ...] = entry((), "words that call them, besides their name", form="filled")
    avatar: str = entry("", "their face: a picture beside this file, or an address that begins with https://")
    degree: int | None = entry(None, "their own way of delivering; without, the channel's", kind=int, low=0, high=3)
    model: str = entry("", "their own model; empty is the channel's")


@dataclass(frozen=True, slots=True)
class LookTable:
    """A sprite: another face that they can show."""

    name: str = entry("", "what it is called", form="filled")
    avatar: str = entry("", "a picture beside this file, or an address that begins with https://")
    instructions: str = entry("", "when the model is to use it")
    identity: bool = entry(False, "whether it is somebody of their own, shown as 'look (Name)'")


@dataclass(frozen=True, slots=True)
class NoteTable:
    """A reminder to the model."""

    text: str = entry("", "what it is reminded of")
    depth: int = entry(0, "how many lines of the conversation come after it", low=0, high=1000)


@dataclass(frozen=True, slots=True)
class LoreTable:
    """Something that the model is told when one of its keys was said."""

    content: str = entry("", "what it is told")
    keys: tuple[str, ...] = entry((), "the words that call it up")
    constant: bool = entry(False, "whether it is always told")
    case_sensitive: bool = entry(False, "whether capitals count in its keys")
    order: int = entry(100, "who has less is told first")


def personas(
    given: object, folder: Folder, named: Mapping[str, object], complaints: Complaints
) -> tuple[Character, ...] | None:
    """The characters that the list *given* tells of, the main one first; ``None`` if there are none."""
    if not isinstance(given, list) or not all(isinstance(one, Mapping) for one in given):
        complaints.add("[[personas]]", "must be tables, each under a line [[personas]] of its own")
        return None
    found = [_Persona(one, f"[[personas]] {number}", folder, complaints) for number, one in enumerate(given, start=1)]
    people = [one.character(named) for one in found]
    _complain_of_namesakes(people, complaints)
    mains = [number for number, one in enumerate(found) if one.values.get("main")]
    if len(mains) > 1:
        complaints.add("[[personas]]", "have more than one main = true; leave it with one of them")
    if not people:
        return None
    first = mains[0] if mains else 0
    return (replace(people[first], is_main=True), *people[:first], *people[first + 1 :])


def _complain_of_namesakes(people: list[Character], complaints: Complaints) -> None:
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
        """Who that is."""
        if complaint := self.values.get("model") and model_complaint(self.values["model"], named):
            self._complain("model", complaint)
        plain = ("name", "personality", "scenario", "system", "afterword", "greeting", "samples", "triggers", "degree")
        told = {name: self.values[name] for name in (*plain, "model") if name in self.values}
        if prompt := self._prompt():
            told["prompt"] = prompt
        if self.values.get("avatar"):
            told["avatar"] = self._picture("avatar", self.values["avatar"])
        told |= self._parts()
        return replace(self._card(), **told)

    def _card(self) -> Character:
        if not (name := self.values.get("card")):
            if "name" not in self._given:
                self._complaints.add(self._place, 'must have a name, as in name = "Ren"')
            return Character("")
        try:
            data = self._folder.data(name, MOST_PICTURE)
            cards = import_module("..characters.reading", __package__)  # only who has a card waits for it
            return cast("Character", cards.read_card(data, name))
        except SettingsError as error:
            self._complain("card", str(error))
        except Exception as error:  # noqa: BLE001  # a card is anybody's file
            why = str(error).rstrip(".") if isinstance(error, CadenzaError) else type(error).__name__
            self._complain("card", f"names {shown(name)}, which cannot be read as a character card ({why})")
        return Character(str(self.values.get("name", "")))

    def _prompt(self) -> str:
        if not (name := self.values.get("prompt_file")):
            return str(self.values.get("prompt", ""))
        if self.values.get("prompt"):
            self._complain("prompt_file", "stands beside prompt; keep one of the two")
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
        """Their looks, notes and lore, as far as there are any."""
        looks = [
            Look(one["name"], self._picture("looks avatar", one["avatar"]) if one.get("avatar") else "",
                 one.get("instructions", ""), is_identity=one.get("identity", False))
            for one in self._tables("looks", LookTable, "name")
        ]  # fmt: skip
        notes = [Note(one["text"], one.get("depth", 0)) for one in self._tables("notes", NoteTable, "text")]
        lore = [
            Lore(one["content"], one.get("keys", ()), is_constant=one.get("constant", False),
                 is_case_sensitive=one.get("case_sensitive", False), order=one.get("order", 100))
            for one in self._tables("lore", LoreTable, "content")
        ]  # fmt: skip
        parts = {"looks": tuple(looks), "notes": tuple(notes), "lore": tuple(lore)}
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
