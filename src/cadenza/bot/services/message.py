"""A message as the bot's decisions need it: no more of Discord than that."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """What somebody said, and where."""

    id: str
    channel: str
    author: str
    """The id of who said it; of a character, the webhook's."""
    author_name: str
    text: str
    """With mentions as Discord writes them; empty if the bot may not read it."""
    server: str = ""
    """Empty in direct messages."""
    parent: str = ""
    """The channel of a thread."""
    is_bot: bool = False
    """Whether it is by a program: another bot, or a webhook that is not ours."""
    is_own: bool = False
    """Whether it is ours: the bot's own message, or a character's."""
    persona: str = ""
    """Which character said it, if *is_own*: its name."""
    mentions_us: bool = False
    answers: str = ""
    """The name of the character whose message it replies to; ``*`` if it is ours and nobody knows whose."""
    has_more: bool = False
    """Whether there is something to see besides the text: a picture, a file, a sticker."""
    is_system: bool = False
    """Whether Discord said it: somebody joined, a message was pinned."""
