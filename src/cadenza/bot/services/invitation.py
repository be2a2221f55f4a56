"""The link that invites the bot to a server, and the permissions it asks for."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

PORTAL = "https://discord.com/developers/applications"
_AUTHORIZE = "https://discord.com/oauth2/authorize"
SCOPES = ("bot", "applications.commands")


@dataclass(frozen=True, slots=True)
class Right:
    """A Discord permission, by the name that Discord shows."""

    name: str
    bit: int
    without: str
    """What does not work without it."""
    is_needed: bool = False
    """Whether nothing works without it."""


RIGHTS = (
    Right("View Channels", 1 << 10, "it does not see the channel", is_needed=True),
    Right("Send Messages", 1 << 11, "it cannot speak there", is_needed=True),
    Right("Send Messages in Threads", 1 << 38, "it cannot speak in threads"),
    Right("Read Message History", 1 << 16, "it does not know what was said before, and cannot reply to a message"),
    Right("Manage Webhooks", 1 << 29, "characters have no name and avatar of their own"),
    Right("Embed Links", 1 << 14, "the thought log and the box that says who is answered are missing"),
    Right("Attach Files", 1 << 15, "tables are shown as text, and long code is cut into messages"),
    Right("Add Reactions", 1 << 6, "it cannot offer its reactions"),
    Right("Use External Emoji", 1 << 18, "emoji of other servers stay text"),
)
"""The permissions the bot asks for."""
PERMISSIONS = sum(right.bit for right in RIGHTS)


def invite_link(application: str) -> str:
    """The link that invites the bot of *application*, with its scopes and permissions."""
    query = urlencode({"client_id": application, "scope": " ".join(SCOPES), "permissions": PERMISSIONS})
    return f"{_AUTHORIZE}?{query}"
