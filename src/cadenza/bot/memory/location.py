"""Of whom and of where something is remembered."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Location:
    """Who is answered where, and by whom."""

    person: str
    """The id of whoever is answered."""
    channel: str
    person_name: str = ""
    channel_name: str = ""
    parent: str = ""
    """The channel of a thread."""
    server: str = ""
    """Empty in direct messages."""
    server_name: str = ""
    persona: str = ""
    """The id of the character that answers, or its name."""
    turn: str = ""
    message: str = ""
    """The id of what is answered: of characters who answer each other, of what a person said first."""
    is_private: bool = False
    """Whether what is said there is told nowhere else: its server has marked the channel so, or not everybody sees it."""

    @property
    def is_direct(self) -> bool:
        """Whether nobody else is there."""
        return not self.server

    @property
    def is_secluded(self) -> bool:
        """Whether what is said there stays there: in direct messages, and in private channels."""
        return self.is_direct or self.is_private
