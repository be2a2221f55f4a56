"""Checks at Discord: the token, the privileged intents, the invitation, and the permissions in each guild."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial

from ..application_info import Portal, PortalError
from ..config.secrecy import token_complaint
from ..intents import PRIVILEGES, Privilege, clicks, flags_of
from ..services.invitation import RIGHTS, Right, invite_link
from .findings import DoctorContext, Finding, bad, good, in_time, warning
from .permissions import Json, rights_in

_MOST_SERVERS = 10
_MOST_NAMES = 5
_SPEAKABLE = frozenset({0, 2, 5, 13, 15, 16})
"""The types of channels that take messages, or whose posts do."""
_FIX = "Server Settings, Roles, the bot's role; or the channel's Edit Channel, Permissions"


async def check_discord(subject: DoctorContext) -> Sequence[Finding]:
    """All of it, in the order of a setup; without a valid token nothing else can be checked."""
    if complaint := token_complaint(subject.token):
        return [bad("token", f"{subject.config.discord.token_env} in .env: {complaint}.")]
    async with Portal(subject.token, subject.url, subject.seconds) as portal:
        try:
            me, application = await portal.ask_all("/users/@me", "/applications/@me")
        except PortalError as error:
            return [bad("token", str(error))]
        found = [good("token", f"Discord knows the bot as {me.get('username', '?')}.")]
        found += [_intent(subject, privilege, flags_of(application)) for privilege in PRIVILEGES]
        link = invite_link(str(application.get("id", "")))
        found.append(good("invitation", f"Invite the bot to a server with this link: {link}"))
        return found + await _servers(portal, subject, str(me.get("id", "")), link)


def _intent(subject: DoctorContext, privilege: Privilege, flags: int) -> Finding:
    chosen = getattr(subject.config.discord, privilege.name)
    if chosen == "off":
        return good("intents", f"{privilege.switch} is not requested; {privilege.without}.")
    if flags & privilege.flags:
        return good("intents", f"{privilege.switch} is switched on.")
    how = f"{clicks(privilege)}; until then {privilege.without}."
    if chosen == "on":
        return bad("intents", f"[discord] {privilege.name} is on, but {how}")
    return warning("intents", f"{privilege.switch} is optional, and {how}")


# --- where it is -----------------------------------------------------------------------


async def _servers(portal: Portal, subject: DoctorContext, me: str, link: str) -> list[Finding]:
    try:
        servers = await portal.ask("/users/@me/guilds")
    except PortalError as error:
        return [warning("servers", f"it is not known in which servers the bot is: {error}.")]
    if not servers:
        return [warning("servers", f"The bot is in no server yet; open this link and choose one: {link}")]
    looked_at = servers[:_MOST_SERVERS]
    looks = (partial(_server, portal, subject, me, server) for server in looked_at)
    found = await asyncio.gather(*(in_time("servers", look, subject.seconds, complain=warning) for look in looks))
    more = len(servers) - len(looked_at)
    rest = [good("servers", f"{more} more servers were not checked.")] if more else []
    return [*(finding for findings in found for finding in findings), *rest]


async def _server(portal: Portal, subject: DoctorContext, me: str, server: Json) -> Sequence[Finding]:
    """One finding about the permissions in *server*."""
    id_, name = str(server.get("id", "")), str(server.get("name", "?"))
    try:
        member, roles, channels = await portal.ask_all(
            f"/guilds/{id_}/members/{me}", f"/guilds/{id_}/roles", f"/guilds/{id_}/channels"
        )
    except PortalError as error:
        return [warning("servers", f"{name}: its permissions could not be read: {error}.")]
    is_owner = bool(server.get("owner"))
    rights = {
        f"#{channel.get('name', '?')}": rights_in(channel, server=id_, member=member, roles=roles, is_owner=is_owner)
        for channel in channels
        if channel.get("type") in _SPEAKABLE
    }
    wanted = {
        f"#{channel.get('name', '?')}"
        for channel in channels
        if channel.get("id") in subject.config.conversation.channels
    }
    return [_verdict(name, rights, wanted)]


def _verdict(name: str, rights: Mapping[str, int], wanted: set[str]) -> Finding:
    """The finding for a guild in whose channels the bot has *rights*; in those *wanted* it must be able to post."""
    needed = sum(right.bit for right in RIGHTS if right.is_needed)
    seen = {channel: held for channel, held in rights.items() if held & RIGHTS[0].bit or channel in wanted}
    if not any(held & needed == needed for held in seen.values()):
        return bad(
            "servers",
            f"{name}: the bot cannot send messages in any channel; give it View Channels and Send Messages ({_FIX}).",
        )
    missing = {right: [channel for channel, held in seen.items() if not held & right.bit] for right in RIGHTS}
    complaints = [_missing(right, where, len(seen)) for right, where in missing.items() if where]
    hidden = len(rights) - len(seen)
    if not complaints:
        rest = f"; {hidden} more it does not see" if hidden else ""
        return good("servers", f"{name}: the bot has all permissions in {_channels(len(seen))}{rest}.")
    return warning("servers", f"{name}: {'; '.join(complaints)} (to change it: {_FIX}).")


def _channels(number: int) -> str:
    return "1 channel" if number == 1 else f"{number} channels"


def _missing(right: Right, where: Sequence[str], of: int) -> str:
    names = ", ".join(where[:_MOST_NAMES]) + (
        f" and {len(where) - _MOST_NAMES} more" if len(where) > _MOST_NAMES else ""
    )
    place = "everywhere" if len(where) == of and of > 1 else f"in {names}"
    return f"{right.name} is missing {place}, so {right.without}"
