"""``say`` for discord.py channels and for any target, and ``Speaker`` for many replies with the same options.

This module does not import discord.py. It recognises objects of discord.py by the module of their class, and only then
imports ``cadenza.bot``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from ..concurrency.stops import StopHandle
from ..errors import DeliveryError, InputError, Sentence
from ..facts import Hook
from ..rules import RULES, Rule
from ..settings import DeliverySettings, Settings
from ..stages.s7_delivery import Chance
from ..targets.discord.api import ApiError
from ..targets.discord.policies import OTHERWISE, policy_for
from ..targets.target import DiscordView, Target
from ..types import Identity, Persona, Reply, Roster, Scene
from . import reply
from .outbox.prepare import PostPreparer
from .streams import ModelStream
from .views import check_view

if TYPE_CHECKING:
    from ..targets.discord.target import DiscordTarget
    from ..targets.discord.webhooks import WebhookStore
    from ..targets.discord_py.channel_info import SendTarget
    from ..targets.discord_py.client_state import ClientState


async def say(
    target: Target | Any,
    stream: ModelStream,
    *,
    scene: Scene | None = None,
    settings: Settings | None = None,
    stop: StopHandle | None = None,
    chance: Chance | None = None,
    rules: Iterable[type[Rule]] = RULES,
    preparer: PostPreparer | None = None,
    view: DiscordView | None = None,
    trace: Hook | None = None,
) -> Reply:
    """Deliver a model's text stream to *target* as natural messages.

    *target* is a channel, thread, user, context, message (which is answered) or interaction of discord.py, or a
    ``Target``. *stream* is a text, an iterable or async iterable of texts or chunks, or what a provider's client returns:
    see ``from_stream``. *scene* tells the rules who speaks and which names they know; without one, names stay as the
    model wrote them. In a guild, its emoji and mentioned members are resolved even without a scene. *preparer* makes
    pictures of tables and looks up members; a bot keeps one for all replies. *view*, a ``View`` of discord.py, is shown
    under the last message; a ``LayoutView`` is a message after it. *trace* receives every fact. Only mentioned
    members are pinged, as many as *settings* allow; roles only if the settings allow it; ``@everyone`` never.
    """
    if _is_of_discord(target):
        speaker = Speaker(settings=settings, rules=rules, preparer=preparer, trace=trace)
        return await speaker.say(target, stream, scene=scene, stop=stop, chance=chance, view=view)
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
        view=view,
        trace=trace,
    )


class Speaker:
    """Delivers replies to many places of Discord with the same options.

    *client* defaults to the client that a channel belongs to. A *persona* with a name of its own (``is_alter``) speaks
    through a webhook; *webhooks* stores those over a restart. All speakers of a client share its state. As an async
    context manager it waits for pending work at its end.
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
            msg = Sentence("a Speaker needs a discord.py client, not {client_type}", client_type=type(client).__name__)
            raise InputError(msg)
        self._client = client
        self._settings = settings
        self._persona = persona or Persona("")
        self._webhooks = webhooks
        self._rules = tuple(rules)
        self._preparer = preparer
        self._trace = trace
        self._client_states: set[ClientState] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Wait for pending work. The speaker stays usable."""
        for client_state in tuple(self._client_states):  # another client may be added meanwhile
            await client_state.close()

    async def say(
        self,
        place: Any,
        stream: ModelStream,
        *,
        scene: Scene | None = None,
        stop: StopHandle | None = None,
        chance: Chance | None = None,
        view: DiscordView | None = None,
    ) -> Reply:
        """Deliver a model's text stream to *place*, any object of discord.py that takes messages.

        *view* is shown under the last message.
        """
        check_view(view)
        room = await self._room(place)
        scene = self._scene(room, scene)
        client_state = self._client_state(room)
        preparer = self._preparer or client_state.preparer
        found = None if preparer.lookup is None else partial(preparer.lookup.has_found, place=scene.channel)
        turn, persona = stop.turn if stop else "", _identity(scene.persona) or _identity(self._persona)
        target = await self._target(client_state, room, scene.roster, turn=turn, persona=persona, is_found=found)
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
                view=view,
                trace=self._trace,
            )
        finally:
            await client_state.settle(target)

    async def target(self, place: Any, *, turn: str = "", roster: Roster | None = None) -> Target:
        """Return *place* as a target for one reply; *roster* names who may be pinged besides its members.

        *turn* is a unique name of the turn; without one, one is made up.
        """
        room = await self._room(place)
        persona = _identity(self._persona)
        target = await self._target(self._client_state(room), room, roster or Roster(), turn=turn, persona=persona)
        target.allow_pings(self._delivery)  # a reply does this itself; a caller who sends directly does not
        return target

    async def blocked(self, place: Any) -> str | None:
        """Return why *place* takes no messages at present, such as ``missing_permissions``; ``None`` if it may.

        Check it before asking a model, whose answer could not be sent. A refusal is remembered for 15 minutes.
        """
        room = await self._room(place)
        return self._client_state(room).blocked(room)

    @property
    def _delivery(self) -> DeliverySettings:
        return self._settings.delivery if isinstance(self._settings, Settings) else DeliverySettings()

    async def _room(self, place: object) -> SendTarget:
        _refuse_what_stands_for_a_channel(place)
        if not _is_of_discord(place):
            msg = Sentence(
                "a Speaker needs an object of discord.py to speak to, not {place_type}; use say",
                place_type=type(place).__name__,
            )
            raise InputError(msg)
        from ..targets.discord_py.channel_info import room_of  # noqa: PLC0415  # discord.py is installed, for *place* is of it

        try:
            return await room_of(place, self._client)
        except ApiError as error:
            raise _undelivered(error) from error

    def _client_state(self, room: SendTarget) -> ClientState:
        from ..targets.discord_py.client_state import ClientState  # noqa: PLC0415  # here as well

        client_state = ClientState.of(room.client, self._webhooks)
        self._client_states.add(client_state)
        return client_state

    async def _target(
        self,
        client_state: ClientState,
        room: SendTarget,
        roster: Roster,
        *,
        turn: str,
        persona: Identity | None,
        is_found: Callable[[str], bool] | None = None,
    ) -> DiscordTarget:
        try:
            return await client_state.target(
                room,
                turn=turn,
                persona=persona,
                roster=roster,
                is_found=is_found,
            )
        except ApiError as error:
            raise _undelivered(error) from error

    def _scene(self, room: SendTarget, scene: Scene | None) -> Scene:
        """Complete *scene*, or make one, with what the room knows."""
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
    """Return what is raised for *error*: the sentence of its policy, or else its own."""
    policy = policy_for(error)
    return DeliveryError(str(error), code=error.code) if policy is OTHERWISE else policy.error(error)


def _refuse_what_stands_for_a_channel(place: object) -> None:
    """Raise an ``InputError`` if *place* is the id or name of a channel, or ``None``."""
    if place is None or isinstance(place, int | str):
        kind = type(place).__name__  # not its value, which may be a misplaced secret
        msg = Sentence(
            "{kind} is not a channel; pass the channel object, which client.get_channel returns once it is ready",
            kind=kind,
        )
        raise InputError(msg)


def _is_client(thing: object) -> bool:
    """Return whether *thing* is a client of discord.py, without importing it."""
    return any((base.__module__, base.__name__) == ("discord.client", "Client") for base in type(thing).__mro__)


def _is_of_discord(thing: object) -> bool:
    """Return whether *thing* is an object of discord.py, without importing it."""
    return any(base.__module__.partition(".")[0] == "discord" for base in type(thing).__mro__)
