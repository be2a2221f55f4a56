"""Guilds: who is in them, with which roles, and what a bot is told of them."""

from __future__ import annotations

from . import objects, permissions
from .api_errors import refuse, unauthorised
from .channels import id_of
from .intents import PRIVILEGED, Intent
from .interactions import Interactions
from .objects import copied
from .permissions import Permission
from .snowflakes import as_timestamp
from .state import Bot, GuildState
from .validation import as_ids
from .wire import Json

_HAS_COMMANDS = 1 << 23
_SWITCHES = ((Intent.GUILD_PRESENCES, 1 << 13), (Intent.GUILD_MEMBERS, 1 << 15), (Intent.MESSAGE_CONTENT, 1 << 19))
"""The flag of an application for which a privileged intent is switched on, as one has it that is in few guilds."""


class Guilds(Interactions):
    """The guilds of this world."""

    privileged: Intent = PRIVILEGED
    """Which of the privileged intents are switched on for every application; a gateway says it by its rules."""

    def _found(self, name: str, owner: str) -> str:
        """A new guild, in which only its owner is."""
        id_ = self._snowflakes.next()
        everyone = objects.role(id_, "@everyone", permissions.EVERYONE, position=0)
        self._guilds[id_] = GuildState(objects.guild(id_, name, owner), {id_: everyone})
        self.join(id_, owner)
        return id_

    def join(self, guild: object, who: object, *, granted: Permission = permissions.INVITED) -> None:
        """Let *who* into *guild*; a bot gets a role of its own there with what is *granted*."""
        home, user = id_of(guild), id_of(who)
        state = self._guild(home)
        if user in state.members:
            return
        if user not in self._users:
            raise refuse(10013)
        member = objects.member(self._users[user], self._timestamp())
        if user in self._bots:
            role = self.add_role(home, self._bots[user].name, permissions=granted)
            state.roles[role] |= {"managed": True, "tags": {"bot_id": user}}
            member["roles"].append(role)
        state.members[user] = member
        if user in self._bots:
            self._tell("GUILD_CREATE", self.guild_created(home, self._bots[user]), home, frozenset({user}))
        others = self._bots_in(home) - {user}
        self._tell("GUILD_MEMBER_ADD", {**member, "guild_id": home}, home, others)

    def leave(self, guild: object, who: object) -> None:
        """Let *who* go, or throw them out."""
        home, user = id_of(guild), id_of(who)
        member = self._member(home, user)
        del self._guild(home).members[user]
        self._tell_guild("GUILD_MEMBER_REMOVE", {"user": member["user"]}, home)
        if user in self._bots:
            self._tell("GUILD_DELETE", {"id": home}, home, frozenset({user}))

    def add_role(
        self, guild: object, name: str, *, permissions: Permission = Permission.NONE, mentionable: bool = False
    ) -> str:
        """A new role."""
        home, id_ = id_of(guild), self._snowflakes.next()
        state = self._guild(home)
        role = objects.role(id_, name, permissions, position=len(state.roles), is_mentionable=mentionable)
        state.roles[id_] = role
        self._tell_guild("GUILD_ROLE_CREATE", {"role": role}, home)
        return id_

    def permit(self, guild: object, role: str, permissions: Permission) -> None:
        """Change what a role may do; that of everybody has the id of the guild."""
        home = id_of(guild)
        state = self._guild(home)
        state.roles[role]["permissions"] = str(int(permissions))
        self._tell_guild("GUILD_ROLE_UPDATE", {"role": state.roles[role]}, home)

    def give_role(self, guild: object, member: object, role: str) -> None:
        """Give *role* to a member."""
        home = id_of(guild)
        theirs = self._member(home, id_of(member))
        if role not in theirs["roles"]:
            theirs["roles"].append(role)
        self._tell_guild("GUILD_MEMBER_UPDATE", theirs, home)

    def time_out(self, guild: object, member: object, seconds: float) -> None:
        """Let a member only look on for some time."""
        home = id_of(guild)
        theirs = self._member(home, id_of(member))
        theirs["communication_disabled_until"] = as_timestamp(self.now() + seconds)
        self._tell_guild("GUILD_MEMBER_UPDATE", theirs, home)

    def rename(self, guild: object, member: object, nick: str | None) -> None:
        """Give a member another name in *guild*."""
        home = id_of(guild)
        theirs = self._member(home, id_of(member))
        theirs["nick"] = nick
        self._tell_guild("GUILD_MEMBER_UPDATE", theirs, home)

    def add_emoji(self, guild: object, name: str, *, animated: bool = False) -> str:
        """A new emoji."""
        home, id_ = id_of(guild), self._snowflakes.next()
        emojis = self._guild(home).emojis
        emojis[id_] = objects.emoji(id_, name, is_animated=animated)
        self._tell_guild("GUILD_EMOJIS_UPDATE", {"emojis": list(emojis.values())}, home)
        return id_

    def authenticate(self, token: str) -> Bot:
        """The bot with this token."""
        for bot in self._bots.values():
            if bot.token == token:
                return bot
        raise unauthorised()

    def ready(self, bot: Bot) -> Json:
        """What a bot is told first, without what belongs to its connection."""
        return {
            "v": 10, "user": self.current_user(bot.id), "user_settings": {}, "relationships": [], "presences": [],
            "guilds": [{"id": guild, "unavailable": True} for guild in self.guilds_of(bot)], "private_channels": [],
            "geo_ordered_rtc_regions": [], "application": {"id": bot.application, "flags": self._flags()},
        }  # fmt: skip

    def application(self, bot: Bot) -> Json:
        """What a bot is told of its application."""
        return {
            "id": bot.application, "name": bot.name, "description": "", "icon": None, "summary": "",
            "bot_public": True, "bot_require_code_grant": False, "verify_key": "0" * 64, "team": None,
            "owner": self.current_user(bot.id), "flags": self._flags(), "bot": self.current_user(bot.id), "tags": [],
            "approximate_guild_count": len(self.guilds_of(bot)), "redirect_uris": [], "rpc_origins": [],
            "terms_of_service_url": None, "privacy_policy_url": None, "install_params": None, "cover_image": None,
        }  # fmt: skip

    def _flags(self) -> int:
        """What an application is and may."""
        return _HAS_COMMANDS | sum(flag for intent, flag in _SWITCHES if intent in self.privileged)

    def own_guilds(self, bot: Bot) -> list[Json]:
        """The guilds of a bot as it is told when it asks for them, and what it may do there."""
        return [
            {
                "id": id_, "name": self._guild(id_).json["name"], "icon": None, "banner": None, "features": [],
                "owner": self._guild(id_).json["owner_id"] == bot.id,
                "permissions": str(int(self._permissions_in_guild(bot.id, id_))),
            }
            for id_ in self.guilds_of(bot)
        ]  # fmt: skip

    def guilds_of(self, bot: Bot) -> list[str]:
        """The ids of the guilds that a bot is in."""
        return [id_ for id_, guild in self._guilds.items() if bot.id in guild.members]

    def guild_created(self, guild_id: str, bot: Bot) -> Json:
        """What a bot is told of a guild when it comes there: all that it can see."""
        guild = self._guild(guild_id)
        seen = [
            channel
            for channel in self._channels.values()
            if channel.guild == guild_id and Permission.VIEW_CHANNEL in self._permissions(bot.id, channel)
        ]
        return {
            **self.get_guild(bot.id, guild_id), "joined_at": guild.members[bot.id]["joined_at"], "large": False,
            "unavailable": False, "member_count": len(guild.members), "members": self._copies(guild.members.values()),
            "channels": self._copies(channel.json for channel in seen if not channel.kind.is_thread),
            "threads": self._copies(
                channel.json
                for channel in seen
                if channel.kind.is_thread and not channel.json["thread_metadata"]["archived"]
            ),
            "voice_states": [], "presences": [], "stage_instances": [], "guild_scheduled_events": [],
            "soundboard_sounds": [],
        }  # fmt: skip

    def get_guild(self, who: str, guild: str) -> Json:
        """A guild, with its roles and emoji."""
        self._visible_guild(who, guild)
        state = self._guild(guild)
        parts = {"roles": list(state.roles.values()), "emojis": list(state.emojis.values())}
        shape: Json = copied({**state.json, **parts})
        return shape

    def get_channels(self, who: str, guild: str) -> list[Json]:
        """The channels of a guild; threads are not among them."""
        self._visible_guild(who, guild)
        channels = [one for one in self._channels.values() if one.guild == guild and not one.kind.is_thread]
        return self._copies(one.json for one in channels)

    def get_members(self, who: str, guild: str, *, limit: int = 1000, after: str = "0") -> list[Json]:
        """The members of a guild, in the order of their ids."""
        self._visible_guild(who, guild)
        as_ids([after], at="after")
        members = self._guild(guild).members
        later = sorted((id_ for id_ in members if int(id_) > int(after)), key=int)
        return self._copies(members[id_] for id_ in later[:limit])

    def get_member(self, who: str, guild: str, user: str) -> Json:
        """A member of a guild."""
        self._visible_guild(who, guild)
        shape: Json = copied(self._member(guild, user))
        return shape

    def get_roles(self, who: str, guild: str) -> list[Json]:
        """The roles of a guild."""
        self._visible_guild(who, guild)
        return self._copies(self._guild(guild).roles.values())

    def get_emojis(self, who: str, guild: str) -> list[Json]:
        """The emoji of a guild."""
        self._visible_guild(who, guild)
        return self._copies(self._guild(guild).emojis.values())

    def get_user(self, who: str, user: str) -> Json:
        """Anybody."""
        if who not in self._users or user not in self._users:
            raise refuse(10013)
        shape: Json = copied(self._users[user])
        return shape

    def current_user(self, who: str) -> Json:
        """Oneself, with what others are not told."""
        private = {"mfa_enabled": False, "verified": True, "email": None, "locale": "en-US"}
        return self.get_user(who, who) | private
