"""Discord's side: the token, the privileged intents, the invitation, and what the bot may do where it is."""

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
"""The types of channels in which, or in whose posts, something can be said."""
_FIX = "Server Settings, Roles, the bot's role; or the channel's Edit Channel, Permissions"


async def check_discord(patient: DoctorContext) -> Sequence[Finding]:
    """All of it, in the order in which one needs it; without a token that is taken there is nothing else to see."""
    if complaint := token_complaint(patient.token):
        return [bad("token", f"{patient.config.discord.token_env} in .env: {complaint}.")]
    async with Portal(patient.token, patient.url, patient.seconds) as portal:
        try:
            me, application = await portal.ask_all("/users/@me", "/applications/@me")
        except PortalError as error:
            return [bad("token", str(error))]
        found = [good("token", f"Discord knows the bot as {me.get('username', '?')}.")]
        found += [_intent(patient, privilege, flags_of(application)) for privilege in PRIVILEGES]
        link = invite_link(str(application.get("id", "")))
        found.append(good("invitation", f"This link lets the bot into a server: {link}"))
        return found + await _servers(portal, patient, str(me.get("id", "")), link)


def _intent(patient: DoctorContext, privilege: Privilege, flags: int) -> Finding:
    chosen = getattr(patient.config.discord, privilege.name)
    if chosen == "off":
        return good("intents", f"{privilege.switch} is not wanted; {privilege.without}.")
    if flags & privilege.flags:
        return good("intents", f"{privilege.switch} is switched on.")
    how = f"{clicks(privilege)}; until then {privilege.without}."
    if chosen == "on":
        return bad("intents", f"[discord] {privilege.name} is on, but {how}")
    return warning("intents", f"{privilege.switch} is optional, and {how}")


# --- where it is -----------------------------------------------------------------------


async def _servers(portal: Portal, patient: DoctorContext, me: str, link: str) -> list[Finding]:
    try:
        servers = await portal.ask("/users/@me/guilds")
    except PortalError as error:
        return [warning("servers", f"it is not known in which servers the bot is: {error}.")]
    if not servers:
        return [warning("servers", f"The bot is in no server yet; open this link and choose one: {link}")]
    looked_at = servers[:_MOST_SERVERS]
    looks = (partial(_server, portal, patient, me, server) for server in looked_at)
    found = await asyncio.gather(*(in_time("servers", look, patient.seconds, complain=warning) for look in looks))
    more = len(servers) - len(looked_at)
    rest = [good("servers", f"{more} more servers were not looked at.")] if more else []
    return [*(finding for findings in found for finding in findings), *rest]


async def _server(portal: Portal, patient: DoctorContext, me: str, server: Json) -> Sequence[Finding]:
    """One sentence on what the bot may do in *server*."""
    id_, name = str(server.get("id", "")), str(server.get("name", "?"))
    try:
        member, roles, channels = await portal.ask_all(
            f"/guilds/{id_}/members/{me}", f"/guilds/{id_}/roles", f"/guilds/{id_}/channels"
        )
    except PortalError as error:
        return [warning("servers", f"{name}: what the bot may do there is not known: {error}.")]
    is_owner = bool(server.get("owner"))
    rights = {
        f"#{channel.get('name', '?')}": rights_in(channel, server=id_, member=member, roles=roles, is_owner=is_owner)
        for channel in channels
        if channel.get("type") in _SPEAKABLE
    }
    wanted = {
        f"#{channel.get('name', '?')}"
        for channel in channels
        if channel.get("id") in patient.config.conversation.channels
    }
    return [_verdict(name, rights, wanted)]


def _verdict(name: str, rights: Mapping[str, int], wanted: set[str]) -> Finding:
    """What to say of a server in whose channels the bot has these *rights*; in those *wanted* it must speak."""
    needed = sum(right.bit for right in RIGHTS if right.is_needed)
    seen = {channel: held for channel, held in rights.items() if held & RIGHTS[0].bit or channel in wanted}
    if not any(held & needed == needed for held in seen.values()):
        return bad(
            "servers", f"{name}: the bot can speak in no channel; give it View Channels and Send Messages ({_FIX})."
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
