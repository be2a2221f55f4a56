"""What there is in a world while a test waits in vain, for the author of the test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from .access import sees
from .intents import Intent
from .rest import RestCall
from .sessions import Session
from .state import ChannelState, State
from .world import World

_CHANNELS, _LINES, _WIDTH, _CALLS = 3, 12, 160, 3
"""How much is shown."""
_NEEDED = {
    Intent.GUILD_MESSAGES: "receives no messages of guilds",
    Intent.MESSAGE_CONTENT: "receives other people's texts empty, unless they mention it",
}


def what_there_is(world: World, sessions: Iterable[Session], calls: Sequence[RestCall]) -> str:
    """The newest messages of a *world*, what its bots cannot see, and the last refused *calls*."""
    state = world.state
    connected = [session for session in sessions if session.left_at is None]
    spoken_in = [channel for channel in state.channels.values() if channel.messages]
    latest = sorted(spoken_in, key=lambda channel: int(next(reversed(channel.messages))))[-_CHANNELS:]
    lines = [line for channel in latest for line in _shown(world, channel)] or ["(no message yet)"]
    lines += [] if connected else ["(no bot is connected)"]
    lines += _blind_spots(state, connected, latest)
    refused = [call for call in calls if call.status is None or call.status >= 400]
    lines += map(_told, refused[-_CALLS:])
    return "\n".join(line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…" for line in lines)


def _shown(world: World, channel: ChannelState) -> Iterator[str]:
    lines = world.transcript(channel.id).splitlines()
    yield f"{_name(world.state, channel)}:"
    if len(lines) > _LINES:
        yield "    …"
    yield from (f"    {line}" for line in lines[-_LINES:])


def _blind_spots(state: State, connected: Sequence[Session], channels: Iterable[ChannelState]) -> Iterator[str]:
    """Why a connected bot may not notice what people say."""
    for channel in channels if connected else ():
        if not any(sees(state, session.bot.id, channel) for session in connected):
            yield f"(no connected bot can see {_name(state, channel)}; is it a member of the guild?)"
    for session in connected:
        for intent, problem in _NEEDED.items():
            if intent not in session.intents:
                yield f"({session.bot.name} lacks the intent {intent.name}, so it {problem})"


def _told(call: RestCall) -> str:
    if call.status is None:
        return f"(the answer to {call.route} was lost)"
    code = f", code {call.code}" if call.code else ""
    return f"({call.route} was answered with {call.status}{code})"


def _name(state: State, channel: ChannelState) -> str:
    people = " and ".join(str(state.users[one]["username"]) for one in channel.people if one in state.users)
    return f"#{channel.json['name']}" if channel.guild else f"direct messages of {people}"
