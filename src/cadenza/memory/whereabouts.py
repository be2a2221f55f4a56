"""Of whom and of where something is remembered."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Whereabouts:
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

    @property
    def is_direct(self) -> bool:
        """Whether nobody else is there."""
        return not self.server
