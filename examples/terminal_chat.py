"""A chat in a terminal, with a tool: ``python examples/terminal_chat.py openai:gpt-5.1``.

Without a model's name, a few lines below play one, so that no key is needed.
Ctrl-C stops a reply, Ctrl-D ends the chat.
"""

import asyncio
import random
import signal
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

from cadenza import (
    CadenzaError,
    Chunk,
    ConsoleTarget,
    Line,
    Persona,
    Prompt,
    Role,
    Scene,
    Stops,
    ToolCall,
    connect,
    reply,
    scripted,
)


def roll(sides: int = 6) -> int:
    """Roll a die with so many sides."""
    return random.randint(1, sides)


def croupier(prompt: Prompt) -> Iterable[str | Chunk]:
    """A model that has a die rolled, whatever it is told."""
    last = prompt.turns[-1]
    return [f"You have rolled a {last.text}."] if last.role is Role.TOOL else [ToolCall("1", "roll", '{"sides": 20}')]


async def main() -> None:
    """Answer line by line."""
    scene, stops = Scene("terminal", Persona("Ren", prompt="You are a friendly croupier.")), Stops()
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, stops.request, "chat")
    with ConsoleTarget("Ren") as target, suppress(EOFError):
        async with connect(sys.argv[1]) if sys.argv[1:] else scripted(croupier) as model:
            while True:
                said = Line("", await asyncio.to_thread(input, "> "))
                scene = replace(scene, history=(*scene.history, said))
                with stops.open("chat") as stop:
                    answer = await reply(scene, model, target, tools=[roll], stop=stop)
                scene = replace(scene, history=(*scene.history, Line("Ren", answer.transcript, is_own=True)))


try:
    asyncio.run(main())
except CadenzaError as error:
    sys.exit(f"{error}")
