"""The little world in which a bot is tried: one server, its channels, whoever sits there, and the bot."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, field

from ..sim.people import Guild, Person
from ..sim.world import World


@dataclass(slots=True)
class DemoServer:
    """The world of a simulation: one guild, one channel, one person, and the bot; more can come."""

    me_named: str
    bot_named: str = "Cadenza"
    world: World = field(default_factory=World)

    me: Person = field(init=False)
    general: str = field(init=False)
    bot: str = field(init=False)
    token: str = field(init=False, repr=False)
    guild: Guild = field(init=False)
    _people: dict[str, Person] = field(init=False, default_factory=dict)
    _channels: dict[str, str] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        # Whatever runs on this machine, a page in a browser for instance, can reach its port: nobody must guess it.
        account = self.world.add_bot(self.bot_named, token=secrets.token_urlsafe(24))
        self.me = self.world.add_person(self.me_named)
        self.guild = self.world.add_guild("Cadenza", owner=self.me, members=[self.me, account])
        self.general = self.add_channel("general")
        self.bot, self.token = account.id, account.token
        self._people[self.me_named.casefold()] = self.me

    def add_channel(self, name: str) -> str:
        """A further channel; gives back its id."""
        self._channels[f"#{name.casefold()}"] = id_ = self.world.add_channel(self.guild, name)
        return id_

    def person(self, name: str) -> Person:
        """Who is called *name*; somebody new comes in."""
        if not name:
            return self.me
        if name.casefold() not in self._people:
            self._people[name.casefold()] = person = self.world.add_person(name)
            self.guild.join(person)
        return self._people[name.casefold()]

    def direct(self, person: Person) -> str:
        """The direct messages of the bot and *person*."""
        return self.world.open_direct(self.bot, person)

    def names(self) -> dict[str, str]:
        """Ids of everybody and everything that can be named, in small letters."""
        people = {f"@{name}": person.id for name, person in self._people.items()}
        return {**people, f"@{self.bot_named.casefold()}": self.bot, **self._channels}

    def addressed(self, text: str) -> str:
        """*text* with whoever is called by name in it called as Discord does."""
        ids = {name: id_ for name, id_ in self.names().items() if name.startswith("@")}
        known = "|".join(re.escape(name) for name in sorted(ids, key=len, reverse=True))  # a name may hold a blank

        def called(match: re.Match[str]) -> str:
            found = ids.get(match[0].casefold())
            return match[0] if found is None else f"<@{found}>"

        return re.sub(rf"(?<!\w)(?:{known})(?!\w)", called, text, flags=re.IGNORECASE)
