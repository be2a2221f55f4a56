"""The doors: ``say`` to a channel of discord.py as it is, or to any target; and a ``Speaker`` for who says much.

discord.py is not needed for this module, nor imported by it: what comes from there is known by where its class lives,
and only then ``cadenza.bot`` is entered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from ..concurrency.stops import StopHandle
from ..errors import DeliveryError, InputError
from ..explain.steps import Hook
from ..rules import RULES, Rule
from ..settings import DeliverySettings, Settings
from ..stages.s7_delivery import Chance, Target
from ..targets.discord.api import ApiError
from ..targets.discord.policies import OTHERWISE, policy_for
from ..types import Identity, Persona, Reply, Roster, Scene
from . import reply
from .outbox.prepare import PostPreparer
from .streams import Speech

if TYPE_CHECKING:
    from ..targets.discord.target import DiscordTarget
    from ..targets.discord.webhooks import WebhookStore
    from ..targets.discord_py.channel_info import SendTarget
    from ..targets.discord_py.client_state import Home


async def say(
    target: Target | Any,
    stream: Speech,
    *,
    scene: Scene | None = None,
    settings: Settings | None = None,
    stop: StopHandle | None = None,
    chance: Chance | None = None,
    rules: Iterable[type[Rule]] = RULES,
    preparer: PostPreparer | None = None,
    trace: Hook | None = None,
) -> Reply:
    """Deliver what a model says, from any stream of text, to *target* as natural messages.

    *target* is a channel, a thread, a person, a context, a message (which is answered) or an interaction of discord.py,
    or a ``Target``. *stream* is a text, an iterable or async iterable of texts or chunks, or what the client of a
    provider gives back: see ``from_stream``. *scene* tells the rules who speaks and whom they may name; without it names
    stay as the model wrote them, but in a server of Discord its emoji and those of its members who are named are found.
    *preparer* is who makes pictures of tables and looks people up; a bot keeps one for all its replies. *trace* is told
    all that happens, and why. Nobody but members who are named is called, as many as *settings* allow, roles only if they
    allow it, and never everybody.
    """
    if _is_of_discord(target):
        speaker = Speaker(settings=settings, rules=rules, preparer=preparer, trace=trace)
        return await speaker.say(target, stream, scene=scene, stop=stop, chance=chance)
    _refuse_what_stands_for_a_channel(target)
    return await reply.say(
        target,
        stream,
        scene=scene,
        settings=settings,
        stop=stop,
        chance=chance,
        rules=rules,
        preparer=preparer,
        trace=trace,
    )


class Speaker:
    """Says things in many places of Discord, always in the same way.

    *client* is who speaks, if it is not the one that a channel came from. *persona* is under whose name, if it has one of
    its own (``is_alter``). *webhooks* keeps what lets a persona speak over a restart. All speakers of a client share what
    is known of it. Used with ``async with``, its end waits for what is still under way.
    """

    def __init__(
        self,
        client: Any = None,
        *,
        settings: Settings | None = None,
        persona: Persona | None = None,
        webhooks: WebhookStore | None = None,
        rules: Iterable[type[Rule]] = RULES,
        preparer: PostPreparer | None = None,
        trace: Hook | None = None,
    ) -> None:
        if client is not None and not _is_client(client):
            msg = f"a speaker needs a client of discord.py, and {type(client).__name__} is none"
            raise InputError(msg)
        self._client = client
        self._settings = settings
        self._persona = persona or Persona("")
        self._webhooks = webhooks
        self._rules = tuple(rules)
        self._backstage = preparer
        self._trace = trace
        self._homes: set[Home] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Wait for what is still under way. It can be used after it."""
        for home in tuple(self._homes):  # somebody may speak meanwhile, through another client
            await home.close()

    async def say(
        self,
        place: Any,
        stream: Speech,
        *,
        scene: Scene | None = None,
        stop: StopHandle | None = None,
        chance: Chance | None = None,
    ) -> Reply:
        """Deliver what a model says to *place*, which is anything of discord.py in which something can be said."""
        room = await self._room(place)
        scene = self._scene(room, scene)
        home = self._home(room)
        preparer = self._backstage or home.preparer
        found = None if preparer.lookup is None else partial(preparer.lookup.has_found, place=scene.channel)
        turn, persona = stop.turn if stop else "", _identity(scene.persona) or _identity(self._persona)
        target = await self._target(home, room, scene.roster, turn=turn, persona=persona, is_found=found)
        try:
            return await reply.say(
                target,
                stream,
                scene=scene,
                settings=self._settings,
                stop=stop,
                chance=chance,
                rules=self._rules,
                preparer=preparer,
                trace=self._trace,
            )
        finally:
            await home.settle(target)

    async def target(self, place: Any, *, turn: str = "", roster: Roster | None = None) -> Target:
        """*place* as a target for one reply; *roster* is who may be called there besides its members.

        *turn* names the turn, and must be another for each; without one, one is made up.
        """
        room = await self._room(place)
        persona = _identity(self._persona)
        target = await self._target(self._home(room), room, roster or Roster(), turn=turn, persona=persona)
        target.allow_pings(self._delivery)  # for whoever sends to it without a reply, which would say so itself
        return target

    async def blocked(self, place: Any) -> str | None:
        """Why nothing can be said in *place* at present, such as ``missing_permissions``; ``None`` if it may be tried.

        Ask before a model is asked: its answer could not be sent. What was refused is remembered for a quarter of an hour.
        """
        room = await self._room(place)
        return self._home(room).blocked(room)

    @property
    def _delivery(self) -> DeliverySettings:
        return self._settings.delivery if isinstance(self._settings, Settings) else DeliverySettings()

    async def _room(self, place: object) -> SendTarget:
        _refuse_what_stands_for_a_channel(place)
        if not _is_of_discord(place):
            msg = f"a speaker needs something of discord.py to speak to, and {type(place).__name__} is none; use say"
            raise InputError(msg)
        from ..targets.discord_py.channel_info import room_of  # noqa: PLC0415  # whoever is here has discord.py

        try:
            return await room_of(place, self._client)
        except ApiError as error:
            raise _undelivered(error) from None

    def _home(self, room: SendTarget) -> Home:
        from ..targets.discord_py.client_state import Home  # noqa: PLC0415  # likewise

        home = Home.of(room.client, self._webhooks)
        self._homes.add(home)
        return home

    async def _target(
        self,
        home: Home,
        room: SendTarget,
        roster: Roster,
        *,
        turn: str,
        persona: Identity | None,
        is_found: Callable[[str], bool] | None = None,
    ) -> DiscordTarget:
        try:
            return await home.target(
                room,
                turn=turn,
                persona=persona,
                roster=roster,
                is_found=is_found,
            )
        except ApiError as error:
            raise _undelivered(error) from None

    def _scene(self, room: SendTarget, scene: Scene | None) -> Scene:
        """*scene* as far as it is given, and what the room knows."""
        reply_to = None if room.message is None else str(room.message.id)
        has_roles = self._delivery.mention_roles
        if scene is None:
            roster = room.for_rules(roles=has_roles)
            return Scene(room.channel, self._persona, roster=roster, reply_to=reply_to)
        return replace(
            scene,
            channel=scene.channel or room.channel,
            roster=room.with_roles(scene.roster) if has_roles else scene.roster,
            reply_to=scene.reply_to or reply_to,
        )


def _identity(persona: Persona) -> Identity | None:
    return Identity(persona.name, persona.avatar) if persona.is_alter else None


def _undelivered(error: ApiError) -> DeliveryError:
    """What is raised for *error*: what the table tells people of it, or else its own words."""
    policy = policy_for(error)
    return DeliveryError(str(error), code=error.code) if policy is OTHERWISE else policy.error(error)


def _refuse_what_stands_for_a_channel(place: object) -> None:
    """Raise an ``InputError`` if *place* is but the number or the name of a channel, or none that was found."""
    if place is None or isinstance(place, int | str):
        kind = type(place).__name__  # not itself: it may be a secret in the wrong place
        msg = f"{kind} is no place to speak in; give the channel itself, as client.get_channel does once it is ready"
        raise InputError(msg)


def _is_client(thing: object) -> bool:
    """Whether *thing* is a client of discord.py, which is not imported for the question."""
    return any((base.__module__, base.__name__) == ("discord.client", "Client") for base in type(thing).__mro__)


def _is_of_discord(thing: object) -> bool:
    """Whether the class of *thing*, or one that it is made of, is discord.py's. It is not imported for the question."""
    return any(base.__module__.partition(".")[0] == "discord" for base in type(thing).__mro__)
