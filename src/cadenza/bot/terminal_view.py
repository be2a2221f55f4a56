"""The simulated channel as the terminal shows it: whatever happens there, as a person would see it happen."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TextIO

from ..sim.objects import MessageFlag
from ..sim.transcript import name_of
from ..sim.wire import GatewayEvent, Json, Refusal
from ..sim.world import World

_PROMPT = "> "
_CLEAR = "\r\x1b[K"
_DIM, _PLAIN = "\x1b[2m", "\x1b[0m"
_QUOTE = 40
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""What a terminal would obey instead of showing it."""

_PLACE, _TIME = re.compile(r"<#(\d+)>"), re.compile(r"<t:(\d{1,11})(?::\w)?>")


class View:
    """Writes what happens in *channels* to *out*: ids, and what stands before what is said there.

    On a terminal, what whoever sits there has typed is there already and not shown again; below it all it says who is
    writing, and where to type.
    """

    def __init__(
        self, world: World, out: TextIO, channels: Mapping[str, str], *, me: str = "", is_terminal: bool = False
    ) -> None:
        self._world = world
        self._out = out
        self._channels = dict(channels)
        self._me = me
        self._is_terminal = is_terminal
        self._shown: dict[str, str] = {}  # what stands in the first line of each message, for when it is gone
        self.trouble: OSError | None = None
        """Why nothing can be shown any more, once nothing can."""

    def add(self, channel: str, mark: str) -> None:
        """Show another channel, too."""
        self._channels[channel] = mark

    def hear(self, event: GatewayEvent) -> None:
        """Something has happened in the world."""
        data = event.data
        channel = str(data.get("channel_id", ""))
        if channel not in self._channels:
            return
        match event.name:
            case "MESSAGE_CREATE":
                self._created(channel, data)
            case "MESSAGE_UPDATE":
                self._changed(channel, data)
            case "MESSAGE_DELETE":
                self._deleted(channel, str(data["id"]))
            case "MESSAGE_DELETE_BULK":
                for id_ in data["ids"]:
                    self._deleted(channel, str(id_))
            case "MESSAGE_REACTION_ADD":
                self._reacted(channel, data)
            case "TYPING_START":
                self.prompt()
            case _:
                pass  # nobody sees it

    def tell(self, text: str) -> None:
        """Say something that nobody in the channel says."""
        for line in text.splitlines():
            self._write(line, dim=self._is_terminal, mark="" if self._is_terminal else "* ")
        self.prompt()

    def prompt(self) -> None:
        """Show who is writing, and where to type."""
        if self._is_terminal:
            names = [self._name(who) for channel in self._channels for who in self._world.typists(channel)]
            writing = f"{_DIM}{', '.join(names)} typing …{_PLAIN} " if names else ""
            self._put(f"{_CLEAR}{writing}{_PROMPT}")

    def end(self) -> None:
        """Leave the terminal as it was."""
        if self._is_terminal:
            self._put(_CLEAR)

    def _created(self, channel: str, message: Json) -> None:
        if message["flags"] & MessageFlag.LOADING:
            return  # it is shown when it says something
        is_typed = self._is_terminal and message["author"]["id"] == self._me
        self._show(channel, str(message["id"]), is_silent=is_typed)

    def _changed(self, channel: str, message: Json) -> None:
        id_ = str(message["id"])
        if id_ not in self._shown:
            self._created(channel, message)
        else:
            self._show(channel, id_)

    def _show(self, channel: str, id_: str, *, is_silent: bool = False) -> None:
        lines = [self._readable(line) for line in self._world.shown(channel, id_).splitlines()]
        spoken = next((line for line in lines if not line.startswith("  ")), "")
        self._shown[id_] = spoken if len(spoken) <= _QUOTE else f"{spoken[: _QUOTE - 1]}…"
        for line in () if is_silent else lines:
            self._write(f"{self._channels[channel]}{line}")
        self.prompt()

    def _deleted(self, channel: str, id_: str) -> None:
        if id_ in self._shown:
            self._write(f"{self._channels[channel]}(deleted) {self._shown.pop(id_)}")
            self.prompt()

    def _reacted(self, channel: str, data: Json) -> None:
        emoji, who = data["emoji"]["name"], self._name(str(data["user_id"]))
        below = self._shown.get(str(data["message_id"]), "a message")
        self._write(f"{self._channels[channel]}({who} reacted with {emoji}) {below}")
        self.prompt()

    def _readable(self, line: str) -> str:
        """*line* with names and times in place of what Discord writes for them."""
        line = _PLACE.sub(lambda found: self._place(found[1], found[0]), line)
        return _TIME.sub(lambda found: _as_time(found[1], found[0]), line)

    def _place(self, channel: str, instead: str) -> str:
        if channel not in self._channels:
            return instead
        try:
            return f"#{self._world.get_channel(self._me, channel)['name']}"
        except (Refusal, LookupError):
            return instead  # it has no name, as direct messages have none

    def _name(self, who: str) -> str:
        return name_of(self._world.get_user(who, who), {})

    def _write(self, line: str, *, dim: bool = False, mark: str = "") -> None:
        shown = mark + _CONTROL.sub("�", line)
        shown = f"{_DIM}{shown}{_PLAIN}" if dim else shown
        self._put(f"{_CLEAR if self._is_terminal else ''}{shown}\n")

    def _put(self, text: str) -> None:
        """Write *text*; whoever happens to do something must not suffer for a reader who is gone."""
        if self.trouble is not None:
            return
        try:
            self._out.write(text)
            self._out.flush()
        except OSError as error:
            self.trouble = error


def _as_time(seconds: str, instead: str) -> str:
    try:
        return f"{datetime.fromtimestamp(int(seconds), UTC).astimezone():%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError, OSError):
        return instead  # no calendar has such a day
