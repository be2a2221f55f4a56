"""Handles of who and what there is, so that a test can say what people do."""

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
    """Somebody at a keyboard. What they do keeps to the same laws as what bots do."""

    id: str
    name: str
    state: State = field(repr=False, compare=False)

    @property
    def mention(self) -> str:
        """What calls them in a text."""
        return f"<@{self.id}>"

    def says(self, channel: str, text: str = "", *, reply_to: str | None = None, files: Sequence[File] = ()) -> str:
        """Send a message; gives back its id."""
        payload: Json = {"content": text}
        if reply_to is not None:
            payload["message_reference"] = {"message_id": reply_to}
        return str(messages.create(self.state, self.id, channel, payload, files)["id"])

    def edits(self, channel: str, message: str, text: str) -> None:
        """Change what they said."""
        messages.edit(self.state, self.id, channel, message, {"content": text})

    def deletes(self, channel: str, message: str) -> None:
        """Take back what they said."""
        messages.delete(self.state, self.id, channel, message)

    def reacts(self, channel: str, message: str, emoji: str) -> None:
        """Put an emoji under a message."""
        reactions.add(self.state, self.id, channel, message, emoji)

    def unreacts(self, channel: str, message: str, emoji: str) -> None:
        """Take their emoji away again."""
        reactions.remove(self.state, self.id, channel, message, emoji, user=self.id)

    def types(self, channel: str) -> None:
        """Begin to write."""
        messages.start_typing(self.state, self.id, channel)

    def presses(self, channel: str, message: str, custom_id: str) -> str:
        """Press a button; gives back the id of the interaction."""
        return interactions.press(self.state, self.id, channel, message, custom_id)

    def selects(self, channel: str, message: str, custom_id: str, *values: str) -> str:
        """Choose from a menu; gives back the id of the interaction."""
        return interactions.press(self.state, self.id, channel, message, custom_id, values=values)

    def submits(self, interaction: str, texts: Mapping[str, str]) -> str:
        """Fill in the form that the bot shows in answer to an *interaction*, by ids or labels, and send it."""
        return interactions.submit(self.state, interaction, texts)

    def completes(self, channel: str, name: str, option: str, text: str, /, **options: Any) -> str:
        """Begin to write an option of a command; the bot's answer is in ``world.suggestions``."""
        return interactions.complete(self.state, self.id, channel, name, option, text=text, others=options)

    def commands(self, channel: str, name: str, /, **options: Any) -> str:
        """Use a command; gives back the id of the interaction.

        Of a subcommand, *name* is all its words; what a menu of a user or a message is used on is its ``target``.
        """
        return interactions.use_command(self.state, self.id, channel, name, options)


@dataclass(frozen=True, slots=True)
class Guild:
    """A guild, or server as people call it."""

    id: str
    name: str
    state: State = field(repr=False, compare=False)

    @property
    def everyone(self) -> str:
        """The role that everybody has."""
        return self.id

    def join(self, who: object, *, granted: Permission = INVITED) -> None:
        """Let *who* in; a bot gets a role with what is *granted*."""
        guilds.join(self.state, self.id, who, granted=granted)

    def leave(self, who: object) -> None:
        """Let *who* go."""
        guilds.leave(self.state, self.id, who)
