"""Replies that are hard to explain, as films: all that can happen to a text, and to its messages.

    python -m tests.play.films.hard_replies > tests/golden/hard_replies.txt

writes how they are explained. Read it one by one after a change: each sentence must be true.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import looptime

from cadenza.errors import ErrorKind, ProviderError
from cadenza.facts import LoggedFact
from cadenza.models.dialects.scripted import ScriptedCodec, parse_script, transport
from cadenza.models.model import Model
from cadenza.play.films.fault_names import RehearsalFault
from cadenza.play.films.film import Film
from cadenza.play.films.from_trace import films_of
from cadenza.play.films.plan import ModelBeat, Rehearsal, beats_of
from cadenza.play.films.printing import Paper, reply_lines
from cadenza.play.films.rehearsal import rehearse
from cadenza.play.films.summary import tellings
from cadenza.replies.reply import reply
from cadenza.settings import Settings
from cadenza.sim.rate_limits import Rate
from cadenza.targets.memory import MemoryTarget
from cadenza.types import Chunk, Failed, Finished, Line, Persona, Scene, Sprite, TextDelta, ThoughtDelta
from tests.play.films.test_what_is_told import Painter

_CODE = "".join(f"print('the tea number {number} is ready')\n" for number in range(8))
_LIST = "".join(f"- step {number}: fill the pot number {number} with water\n" for number in range(8))
_TABLE = "| tea | minutes | degrees |\n|---|---|---|\n| green | 2 | 70 |\n| black | 4 | 95 |\n\n"
_THREE_LINES = "One is here.\nTwo is here.\nThree is here.\n"


def _said(text: str, *, settings: Mapping[str, Any] | None = None, **more: Any) -> Film:
    values = {"typing_budget": 0.0, **(settings or {})}
    more.setdefault("limits", None)
    return rehearse(Rehearsal(beats_of(text), settings=Settings.of(**values), painter=Painter(), **more))


def _heard(*chunks: Chunk) -> Film:
    beats = tuple(ModelBeat(0.1, (chunk,)) for chunk in chunks)
    return rehearse(Rehearsal(beats, limits=None, painter=Painter()))


def _thoughts_of_every_provider() -> Film:
    texts = ("<think>as Qwen</think>One.\n", "<thinking>as Claude</thinking>Two.\n", "so be it</think>\n\nThree.\n")
    return _heard(ThoughtDelta("in its own field"), *map(TextDelta, texts), Finished())


def _refused_by_a_filter() -> Film:
    error = ProviderError("the answer was held back by a content filter", kind=ErrorKind.CONTENT_BLOCKED)
    return _heard(TextDelta("First you take the "), TextDelta("pot.\nThen "), Failed(error))


def _fallback_in_the_middle() -> Film:
    """The first model breaks off after a line, and another one answers."""
    seen: list[LoggedFact] = []
    scripts = {
        "polaris": ['{"text": "First you\\ntake"}\n{"after": 0.5, "error": "overloaded"}'],
        "vega": ['{"after": 0.5, "text": "First you warm the pot.\\n"}\n{"after": 0.1, "text": "Then you wait."}'],
    }

    async def told() -> None:
        models = [
            Model(ScriptedCodec(), transport([parse_script(one) for one in own], asyncio.sleep), name=name)
            for name, own in scripts.items()
        ]
        scene = Scene("kitchen", Persona("Ren"), history=(Line("Mia", "How do I make tea?"),))
        await reply(
            scene, models, MemoryTarget(), settings=Settings.of(shape="lines", model_retries=0), trace=seen.append
        )

    loop = looptime.new_event_loop()
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(told())
    (film,) = films_of(seen)
    return film


HARD_REPLIES: Mapping[str, Callable[[], Film]] = MappingProxyType(
    {
        "code cut by the limit": lambda: _said(f"Here:\n```py\n{_CODE}```\nDone.", settings={"limit": 200}),
        "a list cut by the limit": lambda: _said(f"Steps:\n\n{_LIST}", settings={"limit": 200}),
        "a table as a picture": lambda: _said(f"Look:\n\n{_TABLE}Nice."),
        "a table as text": lambda: _said(f"Look:\n\n{_TABLE}Nice.", settings={"tables": "text"}),
        "thoughts of every provider": _thoughts_of_every_provider,
        "bold text cut by the limit": lambda: _said(f"**{'warm the pot and wait ' * 8}now**", settings={"limit": 100}),
        "bold text that stays open": lambda: _said("Warm the **pot and wait.\n\nThen `drink"),
        "casual writing": lambda: _said("Hello, Mia! The Tea is ready.\nEnjoy it, Bye.", settings={"degree": 3}),
        "merged by the rate limit": lambda: _said(_THREE_LINES, settings={"shape": "lines"}, limits=Rate(1, 5.0)),
        "the rest as a file": lambda: _said(
            "Warm the pot.\n\nFill it.\n\nWait.\n\nDrink.", settings={"message_limit": 1, "shape": "lines"}
        ),
        "long code as a file": lambda: _said(
            f"Here:\n```py\n{_CODE}```\nDone.", settings={"code_file": 1, "limit": 200}
        ),
        "no more messages": lambda: _said(
            _THREE_LINES, settings={"shape": "lines", "message_limit": 2, "when_full": "stop"}
        ),
        "refused by a filter": _refused_by_a_filter,
        "a fallback in the middle": _fallback_in_the_middle,
        "stopped by a person": lambda: _said(f"{_THREE_LINES}Four is", settings={"shape": "lines"}, stop_at=0.14),
        "stopped after the next clause": lambda: _said(
            "One is here.\nTwo is here. And there.\nThree is here.\nFour is",
            settings={"shape": "lines", "typing": True, "on_stop": "clause", "typing_budget": 60.0},
            stop_at=0.4,
        ),
        "the model speaks for a person": lambda: _said(
            "Ren: Hello.\nMia: Hi!", settings={"speaker_guard": True}, persona=Persona("Ren"), asked="Hello?"
        ),
        "names, emoji and sprites": lambda: _said(
            "Ren (happy): Hi @Mia :wave:\n", persona=Persona("Ren", sprites=(Sprite("happy"),)), emoji=("wave",)
        ),
        "tags, formulas and marks": lambda: _said(
            "#### Tea\n\n<b>Warm</b> &amp; wet: \\( x^2 \\)\n\n---\n\n- [x] pot\n- [ ] ![cup](https://example.com/cup.png)\n"
        ),
        "a details block": lambda: _said("Tea.<details><summary>Why</summary>It is warm.</details>\nEnjoy."),
        "a spoiler around code": lambda: _said(f"||It was:\n```py\n{_CODE}```\nsurprising||", settings={"limit": 200}),
        "a line that is too long to wait for": lambda: _said(
            f"{'warm the pot ' * 60}now.", settings={"limit": 400, "overflow": 300}
        ),
        "inline code that stays open": lambda: _said("Use `drink.\nThen wait.\n"),
        "control characters and a lone tag": lambda: _said(
            "Ring\x07 now.\n</think>\nThen \x00.\n", settings={"shape": "lines"}
        ),
        "the model's limit of tokens": lambda: _heard(TextDelta("First you (warm the"), Finished("length")),
        "a quote over two messages": lambda: _said(
            "".join(f"> line {number} of what she said to me\n" for number in range(8)), settings={"limit": 120}
        ),
        "a message that Discord loses": lambda: _said(
            _THREE_LINES, settings={"shape": "lines"}, faults=(RehearsalFault("lost", at_message=2),)
        ),
        "a webhook that is gone": lambda: _said(
            _THREE_LINES,
            settings={"shape": "lines"},
            persona=Persona("Ren", is_alter=True),
            faults=(RehearsalFault("webhook_gone", at_message=2),),
        ),
        "a message that the chat refuses": lambda: _said(
            _THREE_LINES, settings={"shape": "lines"}, faults=(RehearsalFault("refused", at_message=2),)
        ),
    }
)
"""By name, each makes its film."""


def explanation(name: str) -> str:
    """How ``cadenza explain`` explains the reply called *name*."""
    lines = (line.plain.rstrip() for told in tellings(HARD_REPLIES[name]()) for line in reply_lines(told, Paper(100)))
    return "".join(f"{line}\n" for line in (f"#### {name}", "", *lines, ""))


if __name__ == "__main__":
    print("".join(map(explanation, HARD_REPLIES)), end="")  # noqa: T201  # this is what the script is for
