"""The person, place and character that a memory belongs to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Location:
    """Where a turn takes place: the person, the channel and the character."""

    person: str
    """The id of the person who is answered."""
    channel: str
    person_name: str = ""
    channel_name: str = ""
    parent: str = ""
    """The parent channel of a thread."""
    server: str = ""
    """Empty in direct messages."""
    server_name: str = ""
    persona: str = ""
    """The id of the character that answers, or its name."""
    turn: str = ""
    message: str = ""
    """The id of the message that is answered; when characters answer each other, the person's first message."""
    is_private: bool = False
    """Whether the channel is private: its server has marked it so, or not everyone can see it."""

    @property
    def is_direct(self) -> bool:
        """Whether it is a direct message."""
        return not self.server

    @property
    def stays_private(self) -> bool:
        """Whether its conversations stay there: in direct messages and private channels."""
        return self.is_direct or self.is_private
