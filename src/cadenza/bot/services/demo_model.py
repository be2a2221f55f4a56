"""The built-in demo model: a parrot that shows what Cadenza can do, without a key or a network.

It is a pure function of the prompt. ``cadenza run --sim`` uses it where no other model is chosen, through the same
pipeline as any other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from ...models.connect import scripted
from ...models.dialects.scripted import Said
from ...models.fallback import ModelSource
from ...models.model import Model
from ...types import Finished, Prompt, Role, ThoughtDelta, ToolCall, ToolSpec, Usage
from ..config.current import Current
from ..store.sealing import Seal
from ..store.store import Store
from .models import ModelRegistry

NAME = "parrot"
DICE = "dice"

_LABEL = re.compile(r"^\s*[^:\n]{1,40}:\s+")
"""The speaker's name before a line of the prompt."""
_MENTION = re.compile(r"<[@#][!&]?\d+>|@\w+")
_TOKEN = 4
"""Characters of one chunk."""
_LONG, _PAUSE = 400, 0.04
"""An answer longer than this pauses so many seconds before each chunk, so that it can be stopped."""
_QUOTE = 200
_ARGUMENTS: Mapping[str, object] = MappingProxyType({"integer": 6, "number": 6, "boolean": True, "string": "2d6"})
"""The value for a required tool argument, by JSON type."""

_TABLE = """Gladly, here is what I had for breakfast:

| food | taste | seconds until gone |
|---|---|--:|
| sunflower seeds | nutty | 12 |
| a grape | sweet | 3 |
| your biscuit | forbidden | 1 |

I regret nothing."""
_CODE = """Here is how a parrot works:
```python
def parrot(words: str) -> str:
    # The last word is always mine.
    return f"{words}! Squawk!"
```
It has run in production for sixty million years."""
_STORY = """Once upon a time a parrot lived on a ship.
It knew three words, and used all of them at the wrong moment.
One night there was a storm, and the captain lost his voice.
So the parrot gave the orders: "Left! Left! Biscuit!"
They sailed in a very small circle until morning, and nobody was ever prouder of a circle.
When the sun rose, the sea was calm, and the captain shared his breakfast.
That is why, to this day, ships are steered by whoever is fed best.
The end."""
_GO_ON = "go on with your last message"
"""What the prompt says after ``/continue``."""
_HELP = """I am built in, so that you can try everything without a key. Ask me for:
- a **table**, some **code**, or a **story** (say "stop" in the middle of it)
- a roll of the **dice**, which is a tool
- a **smile**, which is another face of mine
Or just talk: I say it again, as parrots do."""


def parrot(prompt: Prompt) -> Iterator[Said]:
    """The demo model's answer to *prompt*."""
    asked = asked_of(prompt)
    yield ThoughtDelta(f"They said “{_short(asked)}”. ")
    said = ""
    if (result := _result(prompt)) is not None:
        said = f"The dice have spoken: {result}"
    elif "dice" in asked.casefold() and (tool := _dice(prompt.tools)):
        yield ThoughtDelta("That is a case for the dice.")
        yield ToolCall("dice-1", tool.name, json.dumps(_arguments(tool)))
    else:
        yield ThoughtDelta("I know what to say to that.")
        said = _answer(asked, prompt.speaker)
    for start in range(0, len(said), _TOKEN):
        if len(said) > _LONG:
            yield _PAUSE
        yield said[start : start + _TOKEN]
    yield Usage(_token_count(prompt), len(said) // _TOKEN)
    yield Finished("tool_calls" if not said else "stop")


def _answer(asked: str, speaker: str) -> str:
    low = asked.casefold()
    for words, answer in (
        ((_GO_ON,), "And so on, as parrots say."),
        (("table",), _TABLE),
        (("code",), _CODE),
        (("story", "tale"), _STORY),
        (("help", "what can you"), _HELP),
        (("smile", "face", "sprite"), f"{speaker or 'Parrot'} (happy): Like this? 😄"),
        (("dice",), "I would roll them, but nobody gave me any dice."),
    ):
        if any(word in low for word in words):
            return answer
    if not low:
        return "Hello!\nI am listening. Ask me for help, and I tell you what I can do."
    return f"Hello!\nYou said: {_short(asked)}\nAsk me for help, and I tell you what else I can say."


def asked_of(prompt: Prompt) -> str:
    """The last line of another speaker, without the name before it and without mentions."""
    return " ".join(_MENTION.sub("", _LABEL.sub("", last_line(prompt))).split()).strip(" ,")


def last_line(prompt: Prompt) -> str:
    """The last line of another speaker in *prompt*; empty if there is none."""
    text = next((turn.text for turn in reversed(prompt.turns) if turn.role is Role.USER and turn.text.strip()), "")
    return next((line for line in reversed(text.splitlines()) if line.strip()), "")


def _result(prompt: Prompt) -> str | None:
    """The result of the tool, if it has just run."""
    last = prompt.turns[-1] if prompt.turns else None
    return _short(last.text) if last is not None and last.role is Role.TOOL else None


def _dice(tools: Sequence[ToolSpec]) -> ToolSpec | None:
    return next((tool for tool in tools if DICE in tool.name.casefold()), None)


def _arguments(tool: ToolSpec) -> dict[str, object]:
    """A value for each required argument of *tool*."""
    known, required = tool.parameters.get("properties"), tool.parameters.get("required")
    if not isinstance(known, Mapping) or not isinstance(required, Sequence):
        return {}
    shapes = {name: known.get(name) for name in map(str, required)}
    return {
        name: _ARGUMENTS.get(str(shape.get("type")), "2d6") if isinstance(shape, Mapping) else "2d6"
        for name, shape in shapes.items()
    }


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _QUOTE else f"{line[: _QUOTE - 1]}…"


def _token_count(prompt: Prompt) -> int:
    return (len(prompt.system) + sum(len(turn.text) for turn in prompt.turns)) // _TOKEN


class DemoModels(ModelRegistry):
    """The models of a bot that has only the demo model, under every name."""

    def __init__(self, current: Current, store: Store, seal: Seal) -> None:
        super().__init__(current, store, seal)
        self._parrot: Model = scripted(parrot, name=NAME)

    def names(self) -> tuple[str, ...]:
        """The name of the demo model."""
        return (NAME,)

    async def sources(self, name: str, server: str = "") -> Sequence[ModelSource]:  # noqa: ARG002  # there is no other
        """The demo model."""
        return (self._parrot,)

    async def may_choose(self, name: str, server: str) -> bool:  # noqa: ARG002  # as above
        """Whether *name* is the demo model."""
        return name == NAME

    async def is_known(self, name: str, server: str = "") -> bool:  # noqa: ARG002  # as above
        """Whether *name* is the demo model, or empty."""
        return name in ("", NAME)

    async def cooldown(self, name: str, server: str = "") -> float:  # noqa: ARG002  # as above
        """Always 0: it has no cooldown."""
        return 0.0

    async def close(self) -> None:
        """Do nothing: it holds nothing open."""
