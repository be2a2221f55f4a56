"""Moderation: what bots do with members and roles."""

from __future__ import annotations

from . import objects
from .api_errors import bad_length, invalid, refuse
from .channel_forms import ROLE, as_ids, as_text, read_form
from .guilds import Guilds
from .objects import copied
from .permissions import ALL, Permission
from .snowflakes import as_timestamp, from_timestamp
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


class Moderation(Guilds):
    """The order in this world. Nobody is above the owner, and who has no higher role than somebody leaves them alone."""

    def _require_above(self, who: str, guild: str, user: str) -> None:
        """Refuse if *who* does not stand above *user*."""
        state = self._guild(guild)
        owner = state.json["owner_id"]
        if who != owner and (user == owner or self._rank(who, guild) <= self._rank(user, guild)):
            raise refuse(50013)

    def _require_above_role(self, who: str, guild: str, role: str) -> Json:
        """The role, if *who* stands above it."""
        state = self._guild(guild)
        if role not in state.roles:
            raise refuse(10011)
        found: Json = state.roles[role]
        if who != state.json["owner_id"] and self._rank(who, guild) <= found["position"]:
            raise refuse(50013)
        return found

    def _rank(self, user: str, guild: str) -> int:
        roles = self._guild(guild).roles
        return max((roles[role]["position"] for role in self._member(guild, user)["roles"]), default=0)

    def edit_member(self, who: str, guild: str, user: str, payload: Json) -> Json:
        """Change the name, the roles or the time-out of a member; one's own name needs less."""
        for field, needed in _NEEDED.items():
            is_own_name = field == "nick" and user == who
            if field in payload:
                self._require_in_guild(who, guild, Permission.CHANGE_NICKNAME if is_own_name else needed)
        self._visible_guild(who, guild)
        member = self._member(guild, user)
        if user != who:
            self._require_above(who, guild, user)
        changed: Json = {name: bool(payload[name]) for name in ("mute", "deaf") if name in payload}
        if "nick" in payload:
            changed["nick"] = _as_nick(payload["nick"])
        if "roles" in payload:
            changed["roles"] = self._as_roles(who, guild, member, as_ids(payload["roles"], "roles"))
        if "communication_disabled_until" in payload:
            until = payload["communication_disabled_until"]
            changed["communication_disabled_until"] = None if until is None else self._as_end(until)
        member |= changed
        self._tell_guild("GUILD_MEMBER_UPDATE", member, guild)
        return self.get_member(who, guild, user)

    def _as_roles(self, who: str, guild: str, member: Json, wanted: list[str]) -> list[str]:
        for role in set(wanted) ^ set(member["roles"]):
            self._require_above_role(who, guild, role)
        return list(dict.fromkeys(role for role in wanted if role != guild))

    def _as_end(self, text: object) -> str:
        """When a time-out ends, which is in 28 days at the latest."""
        try:
            until = from_timestamp(str(text))
        except (ValueError, OverflowError):
            problem = "Could not parse. Should be ISO8601."
            raise invalid(at="communication_disabled_until", code="DATE_TIME_TYPE_PARSE", problem=problem) from None
        if until > self.now() + _LONGEST_TIME_OUT:
            problem = "Timeout cannot be longer than 28 days."
            raise invalid(
                at="communication_disabled_until", code="INVALID_COMMUNICATION_DISABLED_TIMESTAMP", problem=problem
            )
        return as_timestamp(until)

    def add_member_role(self, who: str, guild: str, user: str, role: str) -> None:
        """Give a role to a member."""
        self._change_role(who, guild, user, role)
        self.give_role(guild, user, role)

    def remove_member_role(self, who: str, guild: str, user: str, role: str) -> None:
        """Take a role from a member."""
        member = self._change_role(who, guild, user, role)
        member["roles"] = [one for one in member["roles"] if one != role]
        self._tell_guild("GUILD_MEMBER_UPDATE", member, guild)

    def _change_role(self, who: str, guild: str, user: str, role: str) -> Json:
        self._require_in_guild(who, guild, Permission.MANAGE_ROLES)
        self._require_above_role(who, guild, role)
        return self._member(guild, user)

    def kick(self, who: str, guild: str, user: str) -> None:
        """Throw a member out; they may come back."""
        self._require_in_guild(who, guild, Permission.KICK_MEMBERS)
        self._member(guild, user)
        self._require_above(who, guild, user)
        self.leave(guild, user)

    def ban(self, who: str, guild: str, user: str, reason: str = "") -> None:
        """Throw somebody out and keep them out, also who is not there."""
        self._require_in_guild(who, guild, Permission.BAN_MEMBERS)
        banned, state = self.get_user(who, user), self._guild(guild)
        if user in state.members:
            self._require_above(who, guild, user)
        state.bans[user] = {"reason": reason or None, "user": banned}
        self._tell_guild("GUILD_BAN_ADD", {"user": banned}, guild)
        if user in state.members:
            self.leave(guild, user)

    def unban(self, who: str, guild: str, user: str) -> None:
        """Let somebody come back."""
        ban = self.get_ban(who, guild, user)
        del self._guild(guild).bans[user]
        self._tell_guild("GUILD_BAN_REMOVE", {"user": ban["user"]}, guild)

    def get_ban(self, who: str, guild: str, user: str) -> Json:
        """Why somebody is kept out."""
        self._require_in_guild(who, guild, Permission.BAN_MEMBERS)
        if user not in self._guild(guild).bans:
            raise refuse(10026)
        shape: Json = copied(self._guild(guild).bans[user])
        return shape

    def get_bans(self, who: str, guild: str, *, limit: int = 1000, after: str = "0") -> list[Json]:
        """Who is kept out, in the order of their ids."""
        self._require_in_guild(who, guild, Permission.BAN_MEMBERS)
        bans = self._guild(guild).bans
        later = [bans[user] for user in sorted(bans, key=int) if int(user) > int(as_ids([after], "after")[0])]
        return self._copies(later[:limit])

    def create_role(self, who: str, guild: str, payload: Json) -> Json:
        """A new role, just above that of everybody."""
        self._require_in_guild(who, guild, Permission.MANAGE_ROLES)
        details = self._as_role(who, guild, payload)
        state = self._guild(guild)
        for other in state.roles.values():
            other["position"] += other["position"] > 0
        id_ = self._snowflakes.next()
        everyone = Permission(int(state.roles[guild]["permissions"]))
        role = state.roles[id_] = objects.role(id_, "new role", everyone, position=1) | details
        self._tell_guild("GUILD_ROLE_CREATE", {"role": role}, guild)
        return {**role}

    def edit_role(self, who: str, guild: str, role: str, payload: Json) -> Json:
        """Change a role below one's own."""
        self._require_in_guild(who, guild, Permission.MANAGE_ROLES)
        found = self._require_above_role(who, guild, role)
        found |= self._as_role(who, guild, payload)
        self._tell_guild("GUILD_ROLE_UPDATE", {"role": found}, guild)
        return {**found}

    def _as_role(self, who: str, guild: str, payload: Json) -> Json:
        """What a form says of a role; nobody gives what they do not have."""
        details = read_form({name: part for name, part in payload.items() if part is not None}, ROLE)
        mine = self._permissions_in_guild(who, guild)
        if mine != ALL and int(details.get("permissions", 0)) & ~mine:
            raise refuse(50013)
        return details

    def delete_role(self, who: str, guild: str, role: str) -> None:
        """Delete a role below one's own."""
        self._require_in_guild(who, guild, Permission.MANAGE_ROLES)
        if self._require_above_role(who, guild, role)["managed"] or role == guild:
            raise refuse(50028)
        state = self._guild(guild)
        del state.roles[role]
        for member in state.members.values():
            member["roles"] = [one for one in member["roles"] if one != role]
        self._tell_guild("GUILD_ROLE_DELETE", {"role_id": role}, guild)


def _as_nick(value: object) -> str | None:
    nick = (as_text(value, "nick") or "").strip()
    if len(nick) > _NICK_LENGTH:
        raise bad_length(at="nick", least=1, most=_NICK_LENGTH)
    return nick or None
