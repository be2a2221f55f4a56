"""The terminal chat: typed lines are acts in the simulated Discord."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import TextIO, assert_never

from ..errors import CadenzaError, InputError, Sentence
from ..sim.objects import MessageFlag
from ..sim.server import Server
from ..sim.wire import GatewayEvent, Json, Refusal
from .demo_server import DemoServer
from .runtime import RunningClient
from .terminal_input import (
    HELP,
    DeleteLine,
    EditLine,
    FillLine,
    HelpLine,
    MenuLine,
    PressLine,
    QuitLine,
    ReactLine,
    SayLine,
    Typed,
    UseLine,
    WaitLine,
    command_of,
    filled_in,
    form_told,
    understood,
)
from .terminal_view import View

_LONGEST = 2000
_QUIET = 0.25
"""Seconds without events after which a channel counts as quiet."""
_ANSWERED, _LOOK = 3.0, 0.02
"""Seconds that the bot has to answer, and the polling interval."""


class Keyboard:
    """The lines of a stream, as they come.

    A daemon thread reads them: a blocking read cannot be interrupted.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()

    async def __aiter__(self) -> AsyncIterator[str]:
        threading.Thread(target=self._read, name="cadenza keyboard", daemon=True).start()
        while (line := await self._lines.get()) is not None:
            yield line

    def _read(self) -> None:
        with suppress(RuntimeError):  # the loop was closed meanwhile
            with suppress(ValueError, OSError):  # the stream was closed, or is not text
                for line in self._stream:
                    self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
            self._loop.call_soon_threadsafe(self._lines.put_nowait, None)


class Chat:
    """Runs typed lines; without a terminal it waits after each until the channel is quiet."""

    def __init__(self, demo_server: DemoServer, server: Server, bot: RunningClient, view: View) -> None:
        self._demo_server = demo_server
        self._world = demo_server.world
        self._server = server
        self._bot = bot
        self._view = view
        self._place = demo_server.general  # where the user spoke last
        self._said: dict[str, str] = {}  # their last message, by channel
        self._asked: list[str] = []  # their interactions
        self._events = 0

    def hear(self, event: GatewayEvent) -> None:
        """Note an event of the world."""
        self._events += event.name != "TYPING_START"
        self._view.hear(event)

    async def run(self, lines: AsyncIterator[str]) -> None:
        """Run *lines* until they end."""
        self._view.prompt()
        is_hurried = self._view.is_terminal
        async for line in lines:
            try:
                typed = understood(line)
            except InputError as error:
                self._view.tell(str(error))
                continue
            if isinstance(typed, QuitLine):
                return
            if not (is_hurried or isinstance(typed, WaitLine)):
                await self.quiet()
            if typed is not None:
                await self._do(typed)
            is_hurried = self._view.is_terminal or isinstance(typed, WaitLine)
        if not self._view.is_terminal:
            await self.quiet()

    async def quiet(self) -> None:
        """Wait until the channel is quiet and the bot idle."""
        while True:
            before = self._activity()
            await asyncio.sleep(_QUIET)
            places = {self._demo_server.general, self._place}
            if before == self._activity() and not any(map(self._bot.is_busy, places)):
                return

    def _activity(self) -> tuple[int, int]:
        return self._events, len(self._server.rest.calls)

    async def _do(self, typed: Typed) -> None:
        try:
            if isinstance(typed, WaitLine):
                await asyncio.sleep(typed.seconds)
            else:
                asked = len(self._asked)
                self._act(typed)
                for interaction in self._asked[asked:]:
                    await self._await_form(interaction)
        except (CadenzaError, Refusal, LookupError, ValueError) as error:
            self._view.tell(str(error.args[0]) if error.args else type(error).__name__)
        self._view.prompt()

    async def _await_form(self, interaction: str) -> None:
        """Show the form that the bot may answer with, since no message announces it."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_ANSWERED):
                while not self._world.is_answered(interaction):  # noqa: ASYNC110  # the world has no event for it
                    await asyncio.sleep(_LOOK)
        if (form := self._world.modal(interaction)) is not None:
            self._view.tell(form_told(form))

    def _act(self, typed: Typed) -> None:
        me, world = self._demo_server.me, self._world
        match typed:
            case SayLine():
                self._say(typed)
            case UseLine(line):
                name, options = command_of(
                    line, world.get_commands(self._demo_server.bot, None), self._demo_server.names()
                )
                self._asked.append(me.commands(self._place, name, **options))
            case MenuLine(name):
                self._asked.append(me.commands(self._place, name, target=self._last()["id"]))
            case ReactLine(emoji):
                me.reacts(self._place, self._last()["id"], emoji)
            case PressLine(label):
                message, button = self._button(label)
                self._asked.append(me.presses(self._place, message, button))
            case FillLine(text):
                interaction, form = self._form()
                self._asked.append(me.submits(interaction, filled_in(text, form)))
            case EditLine(text):
                me.edits(self._place, self._own(), _sayable(self._demo_server.addressed(text)))
            case DeleteLine():
                me.deletes(self._place, self._own())
            case HelpLine():
                self._view.tell(HELP)
            case WaitLine() | QuitLine():
                pass  # the loop over the lines handles it
            case _:
                assert_never(typed)

    def _say(self, said: SayLine) -> None:
        person = self._demo_server.person(said.who)
        place = self._demo_server.direct(person) if said.is_direct else self._demo_server.general
        if said.is_direct:
            self._view.add(place, "(in private) ")
        if person is self._demo_server.me and not said.is_reply:
            self._place = place
        place = self._place if said.is_reply else place
        answered = self._last()["id"] if said.is_reply else None
        id_ = person.says(place, _sayable(self._demo_server.addressed(said.text)), reply_to=answered)
        if person is self._demo_server.me:
            self._said[place] = id_

    def _last(self) -> Json:
        """The last public message of another author."""
        for message in reversed(self._world.messages(self._place)):
            if message["author"]["id"] != self._demo_server.me.id and not message["flags"] & MessageFlag.EPHEMERAL:
                return message
        msg = "there is no message of anyone else yet"
        raise InputError(msg)

    def _own(self) -> str:
        if self._place not in self._said:
            msg = "you have not written anything yet"
            raise InputError(msg)
        return self._said[self._place]

    def _button(self, label: str) -> tuple[str, str]:
        for message in reversed(self._world.messages(self._place)):
            for row in message["components"]:
                for part in row["components"]:
                    if label.casefold() in str(part.get("label", "")).casefold() and part.get("custom_id"):
                        return message["id"], part["custom_id"]
        msg = Sentence("there is no button {label}{others}", label=repr(label), others=_or_of(self._labels()))
        raise InputError(msg)

    def _labels(self) -> list[str]:
        """The labels of the buttons that were shown last."""
        for message in reversed(self._world.messages(self._place)):
            parts = [part for row in message["components"] for part in row["components"]]
            if labels := [str(part["label"]) for part in parts if part.get("label")]:
                return labels
        return []

    def _form(self) -> tuple[str, Json]:
        for interaction in reversed(self._asked):
            if (form := self._world.modal(interaction)) is not None:
                return interaction, form
        msg = "the bot has shown you no form"
        raise InputError(msg)


def _or_of(labels: list[str]) -> str:
    return f"; there is {', '.join(map(repr, labels))}" if labels else ""


def _sayable(text: str) -> str:
    if len(text) > _LONGEST:
        msg = Sentence(
            "a message holds {longest} characters at most, and that has {count}; split it",
            longest=_LONGEST,
            count=len(text),
        )
        raise InputError(msg)
    return text
