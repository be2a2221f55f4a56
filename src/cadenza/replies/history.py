"""What was said in a channel, for a model: lines in which an answer of the bot is one line, however many messages it was."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..concurrency.imports import imported
from ..errors import InputError, Sentence
from .places import check_limit, is_of_discord, refuse_no_place

if TYPE_CHECKING:
    from ..types import Line, Persona
    from .places import DiscordMessage


async def history(
    message: DiscordMessage, *, limit: int = 20, chain: bool = False, persona: Persona | None = None
) -> tuple[Line, ...]:
    """The newest *limit* lines of the channel of *message*, up to and with *message*.

    An answer of the bot is one line, as the model wrote it. With *chain* only the message that *message* answers, the one
    that this answers, and so on. With a *persona* only its lines are its own, and those of other personas are not.
    """
    check_limit("limit", limit)
    await _ready(message)
    from ..targets.discord_py import channel_history as reading  # noqa: PLC0415  # it needs discord.py
    from . import misuse  # noqa: PLC0415  # it imports much

    misuse.check_persona(persona)
    name = persona.name if persona else ""
    if chain:
        heard = await reading.chain_of(message, limit=limit, persona=name)
    else:
        heard = await reading.conversation_in(message.channel, until=message, limit=limit, persona=name)
    return heard.lines


async def whole_answer(message: DiscordMessage) -> str | None:
    """The whole answer that *message* is part of, as the model wrote it; ``None`` if *message* is not one of ours.

    The newest answers are remembered; an older one is put together from the messages in the channel.
    """
    await _ready(message)
    from ..targets.discord_py import channel_history as reading  # noqa: PLC0415  # as above

    return await reading.whole_answer(message)


def chat_messages(lines: Iterable[Line]) -> list[Any]:
    """*lines* as the messages that chat APIs take. Where several people speak, each line begins with a name."""
    given: object = lines
    told: list[Any] = list(given) if isinstance(given, Iterable) else [given]
    if wrong := next((line for line in told if not hasattr(line, "is_own")), None):
        msg = Sentence("chat_messages takes lines, as history gives them, not {given}", given=type(wrong).__name__)
        raise InputError(msg)
    has_names = len({line.speaker for line in told if not line.is_own}) > 1
    return [_message(line, has_name=has_names) for line in told]


def _message(line: Line, *, has_name: bool) -> dict[str, str]:
    text = "\n".join(filter(None, (line.text, *(f"[{media.kind.value}]" for media in line.media))))
    if line.is_own:
        return {"role": "assistant", "content": text}
    return {"role": "user", "content": f"{line.speaker}: {text}" if has_name and line.speaker else text}


async def _ready(message: object) -> None:
    """Import what reads a channel; raise an ``InputError`` unless *message* is one of discord.py."""
    if message is not None and not isinstance(message, int | str):
        refuse_no_place(message)  # such as one of another client
    if not is_of_discord(message) or not hasattr(message, "content") or not hasattr(message, "channel"):
        msg = Sentence("a message of discord.py is needed, not {place_type}", place_type=type(message).__name__)
        raise InputError(msg)
    await imported("cadenza.targets.discord_py.channel_history", "cadenza.replies.misuse")
