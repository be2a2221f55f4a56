"""Where a stream is rehearsed: a server with a channel, the people in it, the bot, and the camera."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from types import TracebackType
from typing import Self

from ...facts import ReplyBegan
from ...sim.faults import Faults
from ...sim.memory_api import WorldApi
from ...sim.people import Guild
from ...sim.rate_limits import Quota, RateLimits
from ...sim.rest import Rest
from ...sim.wire import GatewayEvent, Refusal
from ...sim.world import World
from ...types import Persona, Reply, Roster
from .camera import Camera
from .fault_names import AS_BOT, AS_SOMEBODY
from .film import Film, FilmRecord
from .plan import Rehearsal

_EPOCH = 1_800_000_000.0
"""When all films begin, in seconds since 1970."""
_BOT = "Cadenza"


class RehearsalRoom:
    """One rehearsal's Discord, on the clock of the running loop. A context manager: leaving it stops the camera."""

    def __init__(self, wanted: Rehearsal, *, messages: str = "") -> None:
        """*messages* are the calls that send messages, if they differ from those of our own bot."""
        loop = asyncio.get_running_loop()
        persona = wanted.persona
        self._wanted = wanted
        self._records: list[FilmRecord] = []
        self._said = 0  # messages sent through webhooks
        self.begun = loop.time()
        self.world = world = World(clock=loop.time, starts=_EPOCH)
        self.rest = Rest(world, limits=_limits(wanted), faults=_faults(wanted, messages))
        self.bot = world.add_bot(_BOT if persona.is_alter else persona.name or _BOT)
        self.people = {name: world.add_person(name) for name in wanted.people}
        self._me = self.people[wanted.people[0]]
        guild = world.add_guild("Rehearsal", owner=self._me, members=[*self.people.values(), self.bot])
        self._roles = {name: f"<@&{self._role(guild, name)}>" for name in _roles(wanted)}
        self._emoji = {name: f"<:{name}:{world.add_emoji(guild, name)}>" for name in wanted.emoji}
        self.channel = world.add_channel(guild, "general")
        self.api = WorldApi(self.rest, self.bot)
        self.camera = Camera(world, self._records.append, me=self._me.id, clock=loop.time, rest=self.rest)
        self._end = world.listen(self._hear)
        self.persona = _hosted(persona, world)
        """The speaker."""
        self.reply_to = self._me.says(self.channel, wanted.asked) if wanted.asked else None
        """The message that is answered."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()
        self.camera.stop()

    @property
    def roster(self) -> Roster:
        """The people and emoji that a reply can name."""
        if self._wanted.roster is not None:
            return self._wanted.roster
        tags = {name: person.mention for name, person in self.people.items()}
        ids = {person.id: person.mention for person in self.people.values()}
        speakers = (self._me.name,) if self.reply_to else ()
        return Roster(mentions={**self._roles, **ids, **tags}, emoji=self._emoji, speakers=speakers)

    def _role(self, guild: Guild, name: str) -> str:
        """Make a role that all people have."""
        role = self.world.add_role(guild, name, mentionable=True)
        for person in self.people.values():
            self.world.give_role(guild, person, role)
        return role

    def film(self, reply: Reply | None = None) -> Film:
        """The film so far, with its *reply*."""
        begun = next((one for one in self._records if one.about.get("fact") == ReplyBegan.name), None)
        settings = begun.about["about"]["settings"] if begun else {}
        return Film(tuple(self._records), self._wanted.title, settings, reply)

    def _hear(self, event: GatewayEvent) -> None:
        """Delete the webhook if a fault says so."""
        if event.name != "MESSAGE_CREATE" or "webhook_id" not in event.data:
            return
        self._said += 1
        if any(trouble.deletes_webhook(self._said) for trouble in self._wanted.faults):
            self.world.delete_webhook(self._me.id, event.data["webhook_id"])


def _roles(wanted: Rehearsal) -> tuple[str, ...]:
    return wanted.roles if wanted.settings.delivery.mention_roles else ()


def _hosted(persona: Persona, world: World) -> Persona:
    """*persona* with avatars hosted in *world*: one that must be uploaded first can seldom be changed."""
    sprites = tuple(
        replace(sprite, avatar=sprite.avatar and hosted(sprite.avatar, world)) for sprite in persona.sprites
    )
    return replace(persona, avatar=persona.avatar and hosted(persona.avatar, world), sprites=sprites)


def hosted(avatar: str, world: World) -> str:
    """Host *avatar* in *world*, unless it has an address of its own."""
    try:
        return world.hosted(avatar) if avatar.startswith("data:") else avatar
    except Refusal:  # it is no picture; sending with it says so
        return avatar


def _limits(wanted: Rehearsal) -> RateLimits:
    if wanted.limits is None:
        return RateLimits.off()
    return RateLimits(
        Quota("POST /channels/*/messages", *wanted.limits), Quota("POST /webhooks/*/*", *wanted.webhook_limits)
    )


def _faults(wanted: Rehearsal, messages: str) -> Faults:
    faults = Faults()
    if wanted.latency:
        faults.delay("* /**", wanted.latency)
    ours = AS_SOMEBODY if wanted.persona.is_alter else AS_BOT
    for trouble in wanted.faults:
        trouble.arrange(faults, messages or ours)
    return faults
