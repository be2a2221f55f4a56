"""The form that edits a persona."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import discord
from discord import ui

from ...targets.discord_py.readable_text import shortened
from ..characters.character import Character
from .command_inputs import quoted, server_of
from .context import CommandContext, Interaction, answered, may_manage_server, tell, words

_LONGEST = 4000
"""Discord's limit for a field of a form."""
_LABELS = {
    "prompt": "Description",
    "personality": "Personality",
    "scenario": "Scenario",
    "samples": "Sample dialogue",
    "greeting": "First message, said by /persona greet",
}


@dataclass(frozen=True, slots=True)
class FormField:
    """One field of the form."""

    name: str
    text: str
    """The current value."""

    @property
    def is_too_long(self) -> bool:
        """Whether it is too long for a form; then it stays unless a new text is given."""
        return len(self.text) > _LONGEST


def fields_of(character: Character) -> tuple[FormField, ...]:
    """The fields of *character* in the form."""
    return tuple(FormField(name, getattr(character, name)) for name in _LABELS)


def changes(fields: tuple[FormField, ...], written: Mapping[str, str]) -> dict[str, Any]:
    """The changed fields only, so that concurrent changes to others stay."""
    changed: dict[str, Any] = {}
    for field in fields:
        text = written.get(field.name, "").strip()
        if text != field.text.strip() and not (field.is_too_long and not text):
            changed[field.name] = text
    return changed


def listed(text: str) -> tuple[str, ...]:
    """Split words at commas, also Japanese and Arabic ones, and at line ends."""
    for comma in "、，،\n":
        text = text.replace(comma, ",")
    return tuple(word.strip() for word in text.split(",") if word.strip())


class PersonaForm(ui.Modal):
    """Shows the fields, and stores the changes."""

    def __init__(self, context: CommandContext, interaction: Interaction, character: Character) -> None:
        title = words(interaction, "Edit {name}", name=character.name)
        super().__init__(title=shortened(title, 45), timeout=None)
        self._context = context
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
        """Store the changes."""
        await _keep(interaction, self._context, self._name, changes(self._fields, self._written()))

    def _written(self) -> dict[str, str]:
        return {name: field.value for name, field in self._inputs.items()}


@answered
async def _keep(interaction: Interaction, context: CommandContext, name: str, changed: dict[str, Any]) -> None:
    if not await may_manage_server(interaction):
        return
    if not changed:
        await tell(interaction, "Nothing was changed.")
        return
    character = await context.services.cast.change(
        server_of(interaction), name, lambda one: replace(one, **changed), by=str(interaction.user.id)
    )
    await tell(interaction, "{name} was changed.", name=quoted(character.name))
