"""The form with which a persona is edited."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import discord
from discord import ui

from ..characters.character import Character
from ..readable_text import shortened
from .command_inputs import quoted, server_of
from .context import Desk, Interaction, answered, may_manage_server, tell, words

_LONGEST = 4000
"""What one field of a form takes."""
_LABELS = {
    "prompt": "Who they are",
    "personality": "Personality",
    "scenario": "Scenario",
    "samples": "Samples of how they talk",
    "greeting": "What they say first, with /persona greet",
}


@dataclass(frozen=True, slots=True)
class FormField:
    """One field of the form."""

    name: str
    text: str
    """What there is to be edited."""

    @property
    def is_too_long(self) -> bool:
        """Whether a form cannot show it; then it stays unless something else is written."""
        return len(self.text) > _LONGEST


def fields_of(character: Character) -> tuple[FormField, ...]:
    """What of *character* can be edited in a form."""
    return tuple(FormField(name, getattr(character, name)) for name in _LABELS)


def changes(fields: tuple[FormField, ...], written: Mapping[str, str]) -> dict[str, Any]:
    """What was changed: of a field that was left as it was, nothing, so that what others change stays."""
    changed: dict[str, Any] = {}
    for field in fields:
        text = written.get(field.name, "").strip()
        if text != field.text.strip() and not (field.is_too_long and not text):
            changed[field.name] = text
    return changed


def listed(text: str) -> tuple[str, ...]:
    """Words with commas between them, also Japanese and Arabic ones, or on lines of their own."""
    for comma in "、，،\n":
        text = text.replace(comma, ",")
    return tuple(word.strip() for word in text.split(",") if word.strip())


class PersonaForm(ui.Modal):
    """Shows what there is, and keeps what is made of it."""

    def __init__(self, desk: Desk, interaction: Interaction, character: Character) -> None:
        title = words(interaction, "Edit {name}", name=character.name)
        super().__init__(title=shortened(title, 45), timeout=None)
        self._desk = desk
        self._name = character.name
        self._fields = fields_of(character)
        self._inputs: dict[str, ui.TextInput[PersonaForm]] = {}
        for field in self._fields:
            self._inputs[field.name] = self._input(interaction, field)
            self.add_item(ui.Label(text=words(interaction, _LABELS[field.name]), component=self._inputs[field.name]))

    def _input(self, interaction: Interaction, field: FormField) -> ui.TextInput[PersonaForm]:
        hint = "It has {count} characters, too many for a form; leave this empty to keep it."
        return ui.TextInput(
            custom_id=field.name,
            style=discord.TextStyle.paragraph,
            required=False,
            max_length=_LONGEST,
            default=None if field.is_too_long else field.text or None,
            placeholder=words(interaction, hint, count=len(field.text))[:100] if field.is_too_long else None,
        )

    async def on_submit(self, interaction: Interaction) -> None:
        """Keep what was written."""
        await _keep(interaction, self._desk, self._name, changes(self._fields, self._written()))

    def _written(self) -> dict[str, str]:
        return {name: field.value for name, field in self._inputs.items()}


@answered
async def _keep(interaction: Interaction, desk: Desk, name: str, changed: dict[str, Any]) -> None:
    if not await may_manage_server(interaction):
        return
    if not changed:
        await tell(interaction, "Nothing was changed.")
        return
    character = await desk.staff.cast.change(
        server_of(interaction), name, lambda one: replace(one, **changed), by=str(interaction.user.id)
    )
    await tell(interaction, "{name} was changed.", name=quoted(character.name))
