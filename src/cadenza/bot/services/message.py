"""An incoming message, reduced to what the bot's decisions need."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """An incoming message."""

    id: str
    channel: str
    author: str
    """The author's id; for a character, the webhook's id."""
    author_name: str
    text: str
    """With mentions as Discord writes them; empty if the bot may not read it."""
    server: str = ""
    """Empty in direct messages."""
    parent: str = ""
    """The parent channel of a thread."""
    is_bot: bool = False
    """Whether another bot or a foreign webhook sent it."""
    is_own: bool = False
    """Whether the bot or one of its characters sent it."""
    persona: str = ""
    """The name of the character that said it, if *is_own*."""
    mentions_us: bool = False
    answers: str = ""
    """The name of the character whose message it replies to; ``*`` if it is ours, of an unknown character."""
    has_more: bool = False
    """Whether it has more than text: a picture, a file, a sticker."""
    is_system: bool = False
    """Whether it is a system message: a join, a pin."""
