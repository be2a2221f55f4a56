"""Finds the character of one of our messages: from the record of the send, else by its author name."""

from __future__ import annotations

from collections.abc import Sequence

import discord

from ..targets.discord.labels import read_label
from ..targets.discord_py.authorship import is_ours
from ..targets.discord_py.display_names import plain_name
from ..targets.discord_py.history import Voice
from ..text.names import Author, normalised, read_back
from ..text.units import WHITESPACE
from ..text.usernames import from_username
from .characters.cast import named
from .characters.character import Character
from .store.store import Namespace, Store, StoreError, Value


class SpeakerLookup:
    """Finds the characters of messages; *cast* are those that may speak there."""

    def __init__(self, store: Store, cast: Sequence[Character], me: discord.ClientUser) -> None:
        self._store = store
        self._cast = tuple(cast)
        self._names = tuple(character.name for character in cast)
        self._own = next((one.name for one in cast if one.is_main), plain_name(me.display_name) or "Persona")
        self._me = me

    async def __call__(self, message: discord.Message) -> Voice | None:
        """The character of *message*; ``None`` if it is not ours."""
        is_webhook = message.webhook_id is not None and message.author.id != self._me.id
        is_known = is_ours(message)
        if not is_known and not is_webhook:
            return None
        if row := await self._row(message):
            return self._written(row, message)
        if not is_known:
            return None
        return self._named(message) if is_webhook else self._labelled(message)

    async def _row(self, message: discord.Message) -> Value | None:
        """The record of *message*; ``None`` without one, or if the store fails."""
        try:
            record = await self._store.get(Namespace.SPRITE_MESSAGES, str(message.id))
        except StoreError:
            return None
        return record.value if record is not None and record.value.get("persona") else None

    def _written(self, row: Value, message: discord.Message) -> Voice:
        """The voice of a record: the character and its label."""
        persona = str(row["persona"])
        name = self._known(persona) or plain_name(persona)
        label = str(row.get("label") or "").strip(WHITESPACE).removesuffix(":")
        _, prefix = self._label(message)
        return Voice(name, label if normalised(label) != normalised(name) else "", prefix)

    def _named(self, message: discord.Message) -> Voice:
        """The voice by author name; an unknown name is ours, too."""
        username = from_username(message.author.name)
        return _voice(read_back(username, self._names)) or Voice(plain_name(username) or "Persona")

    def _labelled(self, message: discord.Message) -> Voice:
        """The main character, unless the text is labelled with another one."""
        author, prefix = self._label(message)
        return _voice(author, prefix) or Voice(self._own)

    def _label(self, message: discord.Message) -> tuple[Author | None, int]:
        """The label in front of a text, and its length; used where there is no webhook."""
        label = read_label(message.content) if message.author.id == self._me.id else None
        author = read_back(label[0], self._names) if label else None
        return author, label[1] if label and author else 0

    def _known(self, name: str) -> str | None:
        found = named(self._cast, name)
        return None if found is None else found.name


def _voice(author: Author | None, prefix: int = 0) -> Voice | None:
    if author is None:
        return None
    return Voice(author.persona, "" if author.label == author.persona else author.label, prefix)
