"""Handles of people and guilds, for tests that say what people do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import guilds, interactions, messages, reactions
from .permissions import INVITED, Permission
from .state import State
from .wire import File, Json


@dataclass(frozen=True, slots=True)
class Person:
    """A person. The same rules apply to them as to bots."""

    id: str
    name: str
    state: State = field(repr=False, compare=False)

    @property
    def mention(self) -> str:
        """The text that pings them."""
        return f"<@{self.id}>"

    def says(self, channel: str, text: str = "", *, reply_to: str | None = None, files: Sequence[File] = ()) -> str:
        """Send a message; returns its id."""
        payload: Json = {"content": text}
        if reply_to is not None:
            payload["message_reference"] = {"message_id": reply_to}
        return str(messages.create(self.state, self.id, channel, payload, files)["id"])

    def edits(self, channel: str, message: str, text: str) -> None:
        """Edit a message of theirs."""
        messages.edit(self.state, self.id, channel, message, {"content": text})

    def deletes(self, channel: str, message: str) -> None:
        """Delete a message."""
        messages.delete(self.state, self.id, channel, message)

    def reacts(self, channel: str, message: str, emoji: str) -> None:
        """React to a message."""
        reactions.add(self.state, self.id, channel, message, emoji)

    def unreacts(self, channel: str, message: str, emoji: str) -> None:
        """Remove their reaction."""
        reactions.remove(self.state, self.id, channel, message, emoji, user=self.id)

    def types(self, channel: str) -> None:
        """Start typing."""
        messages.start_typing(self.state, self.id, channel)

    def presses(self, channel: str, message: str, name: str) -> str:
        """Press the button with this label or id; returns the id of the interaction."""
        return interactions.press(self.state, self.id, channel, message, name)

    def selects(self, channel: str, message: str, name: str, *values: str) -> str:
        """Choose options, by label or value, from the menu with this placeholder or id; returns the interaction's id."""
        return interactions.press(self.state, self.id, channel, message, name, values=values)

    def submits(self, interaction: str, texts: Mapping[str, str]) -> str:
        """Fill in, by ids or labels, and send the form that the bot shows in answer to *interaction*."""
        return interactions.submit(self.state, interaction, texts)

    def completes(self, channel: str, name: str, option: str, text: str, /, **options: Any) -> str:
        """Type an option of a command; the bot's answer is in ``world.suggestions``."""
        return interactions.complete(self.state, self.id, channel, name, option, text=text, others=options)

    def commands(self, channel: str, name: str, /, **options: Any) -> str:
        """Use a command; returns the id of the interaction.

        The *name* of a subcommand is all its words. User and message commands take the id as ``target``.
        """
        return interactions.use_command(self.state, self.id, channel, name, options)


@dataclass(frozen=True, slots=True)
class Guild:
    """A guild."""

    id: str
    name: str
    state: State = field(repr=False, compare=False)

    @property
    def everyone(self) -> str:
        """The id of the @everyone role."""
        return self.id

    def join(self, who: object, *, granted: Permission = INVITED) -> None:
        """Add *who*; a bot gets a role with the *granted* permissions."""
        guilds.join(self.state, self.id, who, granted=granted)

    def leave(self, who: object) -> None:
        """Remove *who*."""
        guilds.leave(self.state, self.id, who)
