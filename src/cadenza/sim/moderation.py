"""Moderation: members, bans and roles. The owner stands above all; others only above members with lower roles."""

from __future__ import annotations

from . import guilds, objects
from .access import guild_permissions_of, require_in_guild, visible_guild
from .api_errors import bad_length, invalid, refuse
from .channel_forms import ROLE, as_ids, as_text, read_form
from .objects import copied, copies
from .permissions import ALL, Permission
from .snowflakes import as_timestamp, from_timestamp
from .state import State
from .wire import Json

_LONGEST_TIME_OUT = 28 * 86400.0
_NICK_LENGTH = 32
_NEEDED = {
    "nick": Permission.MANAGE_NICKNAMES,
    "roles": Permission.MANAGE_ROLES,
    "communication_disabled_until": Permission.MODERATE_MEMBERS,
    "mute": Permission.MUTE_MEMBERS,
    "deaf": Permission.DEAFEN_MEMBERS,
}


def _require_above(state: State, who: str, guild: str, user: str) -> None:
    """Refuse if *who* does not stand above *user*."""
    owner = state.guild(guild).json["owner_id"]
    if who != owner and (user == owner or _rank(state, who, guild) <= _rank(state, user, guild)):
        raise refuse(50013)


def _require_above_role(state: State, who: str, guild: str, role: str) -> Json:
    """The role, if *who* stands above it."""
    guild_state = state.guild(guild)
    if role not in guild_state.roles:
        raise refuse(10011)
    found: Json = guild_state.roles[role]
    if who != guild_state.json["owner_id"] and _rank(state, who, guild) <= found["position"]:
        raise refuse(50013)
    return found


def _rank(state: State, user: str, guild: str) -> int:
    roles = state.guild(guild).roles
    return max((roles[role]["position"] for role in state.member(guild, user)["roles"]), default=0)


def edit_member(state: State, who: str, guild: str, user: str, payload: Json) -> Json:
    """Change the nickname, the roles or the time-out of a member; the own nickname needs less."""
    for field, needed in _NEEDED.items():
        is_own_name = field == "nick" and user == who
        if field in payload:
            require_in_guild(state, who, guild, Permission.CHANGE_NICKNAME if is_own_name else needed)
    visible_guild(state, who, guild)
    member = state.member(guild, user)
    if user != who:
        _require_above(state, who, guild, user)
    changed: Json = {name: bool(payload[name]) for name in ("mute", "deaf") if name in payload}
    if "nick" in payload:
        changed["nick"] = _as_nick(payload["nick"])
    if "roles" in payload:
        wanted = as_ids(payload["roles"], "roles")
        for role in set(wanted) ^ set(member["roles"]):
            _require_above_role(state, who, guild, role)
        changed["roles"] = list(dict.fromkeys(role for role in wanted if role != guild))
    if "communication_disabled_until" in payload:
        until = payload["communication_disabled_until"]
        changed["communication_disabled_until"] = None if until is None else _as_end(state, until)
    guilds.change_member(state, guild, user, **changed)
    return guilds.get_member(state, who, guild, user)


def _as_end(state: State, text: object) -> str:
    """The end of a time-out, at most 28 days from now."""
    try:
        until = from_timestamp(str(text))
    except (ValueError, OverflowError):
        problem = "Could not parse. Should be ISO8601."
        raise invalid(at="communication_disabled_until", code="DATE_TIME_TYPE_PARSE", problem=problem) from None
    if until > state.now() + _LONGEST_TIME_OUT:
        problem = "Timeout cannot be longer than 28 days."
        code = "INVALID_COMMUNICATION_DISABLED_TIMESTAMP"
        raise invalid(at="communication_disabled_until", code=code, problem=problem)
    return as_timestamp(until)


def add_member_role(state: State, who: str, guild: str, user: str, role: str) -> None:
    """Give a role to a member."""
    _change_role(state, who, guild, user, role)
    guilds.give_role(state, guild, user, role)


def remove_member_role(state: State, who: str, guild: str, user: str, role: str) -> None:
    """Take a role from a member."""
    member = _change_role(state, who, guild, user, role)
    guilds.change_member(state, guild, user, roles=[one for one in member["roles"] if one != role])


def _change_role(state: State, who: str, guild: str, user: str, role: str) -> Json:
    require_in_guild(state, who, guild, Permission.MANAGE_ROLES)
    _require_above_role(state, who, guild, role)
    return state.member(guild, user)


def kick(state: State, who: str, guild: str, user: str) -> None:
    """Remove a member; they may join again."""
    require_in_guild(state, who, guild, Permission.KICK_MEMBERS)
    state.member(guild, user)
    _require_above(state, who, guild, user)
    guilds.leave(state, guild, user)


def ban(state: State, who: str, guild: str, user: str, reason: str = "") -> None:
    """Ban a user, member or not."""
    guild_state = require_in_guild(state, who, guild, Permission.BAN_MEMBERS)
    banned = guilds.get_user(state, who, user)
    if user in guild_state.members:
        _require_above(state, who, guild, user)
    guild_state.bans[user] = {"reason": reason or None, "user": banned}
    state.tell_guild("GUILD_BAN_ADD", {"user": banned}, guild)
    if user in guild_state.members:
        guilds.leave(state, guild, user)


def unban(state: State, who: str, guild: str, user: str) -> None:
    """Lift a ban."""
    ban = get_ban(state, who, guild, user)
    del state.guild(guild).bans[user]
    state.tell_guild("GUILD_BAN_REMOVE", {"user": ban["user"]}, guild)


def get_ban(state: State, who: str, guild: str, user: str) -> Json:
    """A ban with its reason."""
    bans = require_in_guild(state, who, guild, Permission.BAN_MEMBERS).bans
    if user not in bans:
        raise refuse(10026)
    return copied(bans[user])


def get_bans(state: State, who: str, guild: str, *, limit: int = 1000, after: str = "0") -> list[Json]:
    """The bans, in the order of user ids."""
    bans = require_in_guild(state, who, guild, Permission.BAN_MEMBERS).bans
    later = [bans[user] for user in sorted(bans, key=int) if int(user) > int(as_ids([after], "after")[0])]
    return copies(later[:limit])


def create_role(state: State, who: str, guild: str, payload: Json) -> Json:
    """A new role, just above @everyone."""
    guild_state = require_in_guild(state, who, guild, Permission.MANAGE_ROLES)
    details = _as_role(state, who, guild, payload)
    for other in guild_state.roles.values():
        other["position"] += other["position"] > 0
    id_ = state.new_id()
    everyone = Permission(int(guild_state.roles[guild]["permissions"]))
    role = guild_state.roles[id_] = objects.role(id_, "new role", everyone, position=1) | details
    state.tell_guild("GUILD_ROLE_CREATE", {"role": role}, guild)
    return {**role}


def edit_role(state: State, who: str, guild: str, role: str, payload: Json) -> Json:
    """Change a role below the caller's own."""
    require_in_guild(state, who, guild, Permission.MANAGE_ROLES)
    found = _require_above_role(state, who, guild, role)
    found |= _as_role(state, who, guild, payload)
    state.tell_guild("GUILD_ROLE_UPDATE", {"role": found}, guild)
    return {**found}


def _as_role(state: State, who: str, guild: str, payload: Json) -> Json:
    """The fields of a role form; the caller can grant only permissions they have."""
    details = read_form({name: part for name, part in payload.items() if part is not None}, ROLE)
    mine = guild_permissions_of(state, who, guild)
    if mine != ALL and int(details.get("permissions", 0)) & ~mine:
        raise refuse(50013)
    return details


def delete_role(state: State, who: str, guild: str, role: str) -> None:
    """Delete a role below the caller's own."""
    guild_state = require_in_guild(state, who, guild, Permission.MANAGE_ROLES)
    if _require_above_role(state, who, guild, role)["managed"] or role == guild:
        raise refuse(50028)
    del guild_state.roles[role]
    for member in guild_state.members.values():
        member["roles"] = [one for one in member["roles"] if one != role]
    state.tell_guild("GUILD_ROLE_DELETE", {"role_id": role}, guild)


def _as_nick(value: object) -> str | None:
    nick = (as_text(value, "nick") or "").strip()
    if len(nick) > _NICK_LENGTH:
        raise bad_length(at="nick", least=1, most=_NICK_LENGTH)
    return nick or None
