"""A session of the playground: a world, the bot running in it, and the camera."""

from __future__ import annotations

import asyncio
import os
import secrets
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Self

from ...bot.app import CadenzaBot
from ...bot.config.config import Config
from ...bot.config.current import Current
from ...bot.config.dotenv import secrets as secrets_of
from ...bot.config.reading import load
from ...bot.lifecycle import Interrupts, work
from ...bot.runtime import ClientFactory, RunningClient, session, simulated_bot
from ...bot.services.choices import Choice
from ...bot.services.explanations import Explanations
from ...bot.store.in_memory import MemoryStore
from ...bot.store.sealing import Seal, new_key
from ...bot.store.store import Store
from ...bot.wiring import BotServices, build
from ...concurrency.tasks import end_task
from ...facts import Hook, LoggedFact
from ...models.dialects.scripted import Sleep
from ...sim.server import Server, serve
from ...sim.world import World
from ..films.camera import Camera
from ..films.urls import Paths
from .faults import FaultControls
from .guide import PACE
from .model_choices import PlayModels, with_models
from .reel import Reel
from .world import GAZER, PlayWorld, adapted, bot_name, built_in, laid_out

_DEVELOPED_EVERY = 0.1
_GOODBYE = 5.0
"""Seconds that a session has to end by itself before it is cancelled."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The options of the playground."""

    config: Path | None = None
    model: str = ""
    """The model; empty is that of the file, or the guide."""
    language: str = "en"
    level: str = ""
    """Log level; empty is warning."""
    pace: float = PACE
    """Seconds a token of the guide."""
    sleep: Sleep = asyncio.sleep
    """How the guide waits."""


@dataclass(frozen=True, slots=True)
class Live:
    """Everything of one session. Each session has a world of its own."""

    play_world: PlayWorld
    server: Server
    current: Current
    begins_with: Config
    """The configuration at its start, for a reset of the settings."""
    services: BotServices
    running_client: RunningClient
    reel: Reel
    camera: Camera
    fault_controls: FaultControls
    session: str = field(default_factory=lambda: secrets.token_hex(8))

    @property
    def world(self) -> World:
        """The simulated Discord."""
        return self.server.world


class Filmed(Explanations):
    """The explanations of a bot; a camera gets the same facts."""

    camera: Camera | None = None

    def listen(self, turn: str) -> Hook:
        """The hook for ``reply``."""
        collect, camera = super().listen(turn), self.camera

        def hear(logged: LoggedFact) -> None:
            collect(logged)
            if camera is not None:
                camera.hook(logged)

        return hear


class Playground:
    """Keeps one session alive, and starts another on ``reset``. An async context manager.

    ``live()`` returns the session, and waits while there is none.
    """

    def __init__(self, wanted: Wanted | None = None, *, client_of: ClientFactory = simulated_bot) -> None:
        self._wanted = wanted or Wanted()
        self._client_of = client_of
        self._environment = dict(os.environ)  # before secrets are put there: those would win over a later .env
        self.language = self._wanted.language
        """The language of all people."""
        self._live: asyncio.Future[Live] = asyncio.get_running_loop().create_future()
        self._end = Interrupts()
        self._is_closing = False
        self._running: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._running = asyncio.create_task(self._run(), name="cadenza playground")
        try:
            await self.live()
        except BaseException:
            await self._close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._close()

    async def live(self) -> Live:
        """The running session, or the next one; raises what keeps it from starting."""
        return await asyncio.shield(self._live)

    @property
    def running(self) -> asyncio.Task[None]:
        """The task of the playground; it raises what went wrong."""
        assert self._running is not None  # noqa: S101  # the context was entered
        return self._running

    async def reset(self) -> None:
        """Start a new world. If the file is not valid any more, the old world stays."""
        if self._live.done():
            self._given()
            self._live = asyncio.get_running_loop().create_future()
            self._end.interrupt()
        await self.live()

    def hang_up(self) -> None:
        """End the event streams of all pages."""
        self._is_closing = True
        if self._live.done() and not self._live.cancelled() and self._live.exception() is None:
            self._live.result().reel.close()

    async def _close(self) -> None:
        self.hang_up()
        self._end.interrupt()
        if self._running is not None:
            # It ends by itself; if that takes too long, it is cancelled.
            await asyncio.wait([self._running], timeout=_GOODBYE)
            await end_task(self._running)

    async def _run(self) -> None:
        try:
            while not self._is_closing:
                await self._session()
        except BaseException as error:
            if not self._live.done():
                self._live.set_exception(error)
                self._live.exception()  # mark it as retrieved: there may be no waiter
            raise

    def _given(self) -> Config | None:
        """The configuration of the file, if there is one."""
        return None if self._wanted.config is None else load(self._wanted.config, self._environment)

    async def _session(self) -> None:
        """Run one session, from an empty world to its end."""
        real, given = self._environment, self._given()
        plain = built_in() if given is None else given
        own = {} if given is None else secrets_of(given, real)
        play_world = laid_out(bot_name(plain))
        play_world.speak(self.language)
        async with serve(play_world.demo_server.world) as server:  # avatars are hosted here
            config = with_models(adapted(plain, play_world, self.language), self._wanted.model, {**real, **own})
            reel = Reel()
            camera = _camera(play_world, server, reel)
            developing = asyncio.create_task(_develop(camera), name="cadenza camera")
            bot_session = session(
                config,
                MemoryStore(),
                secrets=lambda _: own,
                environment=real,
                level=self._wanted.level,
                services_of=partial(_services, wanted=self._wanted, camera=camera),
                client_of=self._client_of,
            )
            try:
                with server.discord_py():
                    async with bot_session as running:
                        current, services, running_client = running.current, running.services, running.bot
                        if given is None:
                            await services.choices.change_channel(
                                play_world.stargazers, play_world.demo_server.guild.id, _at_home
                            )
                        _follow_turns(current, running_client)
                        fault_controls = FaultControls(server, play_world)
                        live = Live(
                            play_world, server, current, config, services, running_client, reel, camera, fault_controls
                        )
                        await self._worked(live)
            finally:
                await end_task(developing)
                camera.stop()
                reel.close()

    async def _worked(self, live: Live) -> None:
        """Run the bot until the session ends."""
        self._end = end = Interrupts()
        if self._is_closing:
            end.interrupt()

        async def at_once() -> None:
            """End running replies at once: their world is about to go."""

        def ready() -> None:
            if not self._live.done():
                self._live.set_result(live)

        try:
            await work(
                live.running_client.client,
                live.play_world.demo_server.token,
                interrupts=end,
                wind_down=at_once,
                on_ready=ready,
            )
        finally:
            if self._live.done() and not self._is_closing:
                self._live = asyncio.get_running_loop().create_future()
            live.reel.close()


def _services(current: Current, store: Store, wanted: Wanted, camera: Camera) -> BotServices:
    seal = Seal(new_key())
    services = build(current, store, seal)
    filmed = Filmed(store, lambda: current.now.store)
    filmed.camera = camera
    services.memory.privacy.listen(filmed.forget)
    models = PlayModels(current, store, seal, pace=wanted.pace, sleep=wanted.sleep)
    return replace(services, models=models, explanations=filmed)


def _camera(play_world: PlayWorld, server: Server, reel: Reel) -> Camera:
    return Camera(
        server.world,
        reel.add,
        me=play_world.me.id,
        clock=asyncio.get_running_loop().time,
        rest=server.rest,
        addresses=Paths(server.world),
        is_live=True,
    )


async def _develop(camera: Camera) -> None:
    """Flush the camera regularly, until cancelled."""
    while True:
        await asyncio.sleep(_DEVELOPED_EVERY)
        camera.flush()


def _at_home(choice: Choice) -> Choice:
    return replace(choice, persona=GAZER)


def _follow_turns(current: Current, running_client: RunningClient) -> None:
    """Apply changed turn settings at once; a real bot reads them at its start.

    It also retries a channel that refused it: here that was an arranged fault, and is over with the next message.
    """
    bot = running_client.client
    if isinstance(bot, CadenzaBot):
        bot.client_state.shared.blocked_seconds = 0.0
        turns = bot.turns
        current.listen(lambda _, after: turns.change(after.settings))
