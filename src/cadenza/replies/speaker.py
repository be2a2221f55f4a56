"""``Speaker``: many replies to Discord with the same options."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from ..concurrency.stops import StopHandle
from ..errors import DeliveryError, InputError, Sentence
from ..facts import Hook
from ..models.fallback import ModelSource
from ..rules import RULES, Rule
from ..settings import DeliverySettings, Settings
from ..stages.s7_delivery import Chance
from ..targets.discord.api import ApiError
from ..targets.discord.policies import OTHERWISE, policy_for
from ..targets.target import DiscordView, Target
from ..tools.functions import Toolset, toolset
from ..tools.running import Consent
from ..types import Identity, Line, Persona, Receipt, Reply, Roster, Scene
from . import misuse, reply
from .channel_queue import QueuedReply
from .on_error import OnError
from .outbox.prepare import PostPreparer
from .places import check_limit, is_client, is_of_discord, refuse_no_place
from .queueing import its_turn, queued_for
from .streams import ModelStream
from .views import check_view

if TYPE_CHECKING:
    from ..targets.discord.target import DiscordTarget
    from ..targets.discord.webhooks import WebhookStore
    from ..targets.discord_py.channel_info import SendTarget
    from ..targets.discord_py.client_state import ClientState
    from .places import DiscordClient, DiscordPlace


@dataclass(frozen=True, slots=True)
class _Open:
    """A place that is ready for one reply."""

    room: SendTarget
    state: ClientState
    target: DiscordTarget
    scene: Scene
    preparer: PostPreparer
    question: Line | None
    """What the person behind an interaction asked."""
    queued: QueuedReply | None


class Speaker:
    """Delivers replies to many places of Discord with the same options.

    *client* defaults to the client that a channel belongs to. A *persona* with a name of its own (``is_alter``) speaks
    through a webhook; *webhooks* stores those over a restart. All speakers of a client share its state. As an async
    context manager it waits for pending work at its end.
    """

    def __init__(
        self,
        client: DiscordClient | None = None,
        *,
        settings: Settings | None = None,
        persona: Persona | None = None,
        webhooks: WebhookStore | None = None,
        rules: Iterable[type[Rule]] = RULES,
        preparer: PostPreparer | None = None,
        trace: Hook | None = None,
        on_error: OnError | None = None,
    ) -> None:
        if client is not None and not is_client(client):
            msg = Sentence("a Speaker needs a discord.py client, not {client_type}", client_type=type(client).__name__)
            raise InputError(msg)
        misuse.check_persona(persona)
        misuse.check_options(settings=settings, preparer=preparer, trace=trace, on_error=on_error)
        self._client = client
        self._settings = settings
        self._persona = persona or Persona("")
        self._webhooks = webhooks
        self._rules = misuse.checked_rules(rules)
        self._preparer = preparer
        self._trace = trace
        self._on_error = on_error
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
        place: DiscordPlace,
        stream: ModelStream,
        *,
        scene: Scene | None = None,
        stop: StopHandle | None = None,
        chance: Chance | None = None,
        view: DiscordView | None = None,
        queue: bool = True,
    ) -> Reply:
        """Deliver a model's text stream to *place*, any object of discord.py that takes messages; see ``say``."""
        misuse.check_stream(stream)  # before an interaction is deferred
        misuse.check_scene(scene)
        misuse.check_options(stop=stop, chance=chance)
        check_view(view)
        async with self._opened(place, scene, stop, queue=queue) as opened:
            said = await reply.say(
                opened.target,
                stream,
                scene=opened.scene,
                settings=self._settings,
                stop=stop,
                chance=chance,
                rules=self._rules,
                preparer=opened.preparer,
                view=view,
                trace=self._trace,
                on_error=self._on_error,
                queued=opened.queued,
            )
            _remember(opened, said)
            return said

    async def reply(
        self,
        place: DiscordPlace,
        model: ModelSource | Sequence[ModelSource],
        *,
        scene: Scene | None = None,
        history: int = 20,
        tools: Toolset = (),
        consent: Consent | None = None,
        stop: StopHandle | None = None,
        chance: Chance | None = None,
        supersedes: Iterable[Receipt] = (),
        view: DiscordView | None = None,
        queue: bool = True,
    ) -> Reply:
        """Let *model* answer in *place*, any object of discord.py that takes messages; see ``reply``."""
        misuse.check_scene(scene)
        misuse.check_options(stop=stop, chance=chance, consent=consent)
        misuse.check_models(model)
        check_view(view)
        check_limit("history", history)
        named = toolset(tools)  # a wrong one is refused before an interaction is deferred
        async with self._opened(place, scene, stop, queue=queue) as opened:
            await its_turn(opened.queued, opened.target, stop)
            said = await reply.reply(
                opened.scene if scene is not None else await self._heard(place, opened, history),
                model,
                opened.target,
                settings=self._settings,
                tools=named,
                consent=consent,
                stop=stop,
                chance=chance,
                rules=self._rules,
                preparer=opened.preparer,
                view=view,
                supersedes=supersedes,
                trace=self._trace,
                on_error=self._on_error,
                queued=opened.queued,
            )
            _remember(opened, said)
            return said

    async def target(self, place: DiscordPlace, *, turn: str = "", roster: Roster | None = None) -> Target:
        """Return *place* as a target for one reply; *roster* names who may be pinged besides its members.

        *turn* is a unique name of the turn; without one, one is made up.
        """
        room = await self._room(place)
        persona = _identity(self._persona)
        target = await self._target(self._client_state(room), room, roster or Roster(), turn=turn, persona=persona)
        target.allow_pings(self._delivery)  # a reply does this itself; a caller who sends directly does not
        return target

    async def blocked(self, place: DiscordPlace) -> str | None:
        """Return why *place* takes no messages at present, such as ``missing_permissions``; ``None`` if it may.

        Check it before asking a model, whose answer could not be sent. A refusal is remembered for 15 minutes.
        """
        room = await self._room(place)
        return self._client_state(room).blocked(room)

    @property
    def _delivery(self) -> DeliverySettings:
        return self._settings.delivery if isinstance(self._settings, Settings) else DeliverySettings()

    @asynccontextmanager
    async def _opened(
        self, place: object, scene: Scene | None, stop: StopHandle | None, *, queue: bool
    ) -> AsyncIterator[_Open]:
        """Open *place* for a reply: acknowledge an interaction, and join the queue of the channel."""
        room = await self._room(place)
        scene = self._scene(room, scene)
        state = self._client_state(room)
        preparer = self._preparer or state.preparer
        found = None if preparer.lookup is None else partial(preparer.lookup.has_found, place=scene.channel)
        target = await self._target(state, room, scene.roster, persona=self._identity_in(scene), is_found=found)
        async with AsyncExitStack() as stack:
            stack.push_async_callback(state.settle, target)
            # One person sees an ephemeral answer, so it does not wait.
            queued = stack.enter_context(queued_for(target)) if queue and not state.is_private(target) else None
            if queued and room.interaction and not queued.is_first:
                await its_turn(queued, target, stop)
                await state.settle(target)  # its acknowledgement stands above what was said meanwhile
            yield _Open(room, state, target, scene, preparer, _question(room), queued)

    async def _heard(self, place: Any, opened: _Open, limit: int) -> Scene:
        """The scene of *opened* with the conversation in its channel, *limit* lines of it."""
        from ..targets.discord_py.channel_history import scene_with_history  # noqa: PLC0415  # discord.py is installed

        room = opened.room
        message = room.message or (None if room.interaction else getattr(place, "message", None))
        has_waited = opened.queued is not None and opened.queued.ahead > 0 and not opened.queued.is_told
        roles = self._delivery.mention_roles
        return await scene_with_history(
            room, opened.scene, message, limit=limit, has_waited=has_waited, roles=roles, question=opened.question
        )

    async def _room(self, place: object) -> SendTarget:
        refuse_no_place(place)
        if not is_of_discord(place):
            msg = Sentence(
                "a Speaker needs an object of discord.py to speak to, not {place_type}; use say",
                place_type=type(place).__name__,
            )
            raise InputError(msg)
        from ..targets.discord_py.channel_info import room_of  # noqa: PLC0415  # discord.py is installed, for *place* is of it

        try:
            room = await room_of(place, self._client)
        except ApiError as error:
            raise _undelivered(error) from error
        _refuse_idle(room.client)
        return room

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
        turn: str = "",
        persona: Identity | None,
        is_found: Callable[[str], bool] | None = None,
    ) -> DiscordTarget:
        settings = self._settings if isinstance(self._settings, Settings) else Settings()
        try:
            return await client_state.target(
                room,
                turn=turn,
                persona=persona,
                roster=roster,
                is_found=is_found,
                complains=settings.turn.show_errors != "off",
            )
        except ApiError as error:
            raise _undelivered(error) from error

    def _identity_in(self, scene: Scene) -> Identity | None:
        """Who speaks: the persona of *scene*, or the speaker's own if it is the same or *scene* names none."""
        is_own = scene.persona.name in ("", self._persona.name)
        return _identity(scene.persona) or (_identity(self._persona) if is_own else None)

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


def _refuse_idle(client: DiscordClient) -> None:
    """Raise an ``InputError`` if *client* cannot send: it is not logged in, is closed, or runs in another event loop."""
    if client.user is None:
        msg = "the discord.py client is not logged in; send messages when it is ready"
        raise InputError(msg)
    if client.is_closed():
        msg = "the discord.py client is closed; send messages while it runs"
        raise InputError(msg)
    if client.loop is not asyncio.get_running_loop():
        msg = "the discord.py client runs in another event loop; call this in its loop, as its events do"
        raise InputError(msg)


def _remember(opened: _Open, said: Reply) -> None:
    """Remember the answer, so that the next model is sent all of it."""
    answers, besides = opened.scene.reply_to or "", opened.target.besides
    opened.state.answers.note(said.receipts, besides, answers=answers, question=opened.question)


def _question(room: SendTarget) -> Line | None:
    """What the person behind the interaction of *room* asked, if there is one and words in it."""
    from ..targets.discord_py.channel_history import asked  # noqa: PLC0415  # discord.py is installed

    if room.interaction is None or room.client.user is None:
        return None
    question = asked(room.interaction, room.client.user)
    return question if question.text else None


def _identity(persona: Persona) -> Identity | None:
    return Identity(persona.name, persona.avatar) if persona.is_alter else None


def _undelivered(error: ApiError) -> DeliveryError:
    """Return what is raised for *error*: the sentence of its policy, or else its own."""
    policy = policy_for(error)
    return DeliveryError(str(error), code=error.code) if policy is OTHERWISE else policy.error(error)
