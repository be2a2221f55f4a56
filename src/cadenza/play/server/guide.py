"""The built-in model of the playground: it demonstrates Cadenza at the pace of a real model, in English and Japanese.

It is a function of the prompt. Other questions go to the built-in model of ``cadenza run --sim``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from ...bot.services.demo_model import asked_of, last_line, parrot
from ...models.dialects.scripted import Answerer, Said
from ...text.stop_phrases import is_stop
from ...types import Finished, Prompt, Role, ThoughtDelta, ToolCall, ToolSpec, Usage
from .demos import DICE, SHOWS, Show

NAME = "guide"
PACE = 0.025
"""Seconds a token: forty tokens a second."""
_THINKS = 16
"""Time before the first word, in tokens."""
_JAPANESE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_TOKEN, _JAPANESE_TOKEN = 4, 2
"""Characters of a token."""
_LINE_BY = re.compile(r"^\s*([^:\n]{1,40}):\s")
_QUOTE = 100


def guide(pace: float = PACE) -> Answerer:
    """The guide, with *pace* seconds a token."""

    def answer(prompt: Prompt) -> Iterable[Said]:
        return _paced(_answer(prompt), pace)

    return answer


def language_of(text: str) -> str:
    """The language that *text* is answered in."""
    return "ja" if _JAPANESE.search(text) else "en"


def _answer(prompt: Prompt) -> Iterator[Said]:
    asked = asked_of(prompt)
    language = language_of(asked)
    show = _wanted(asked)
    if is_stop(asked):
        yield "今は止めるものがありません。" if language == "ja" else "There is nothing to stop."
    elif show is DICE:
        yield from _rolled(prompt, language)
    elif show is not None:
        yield from _shown(show, prompt, language)
    elif language == "ja":
        yield from _echoed(asked)
    else:
        yield from parrot(prompt)
        return
    yield Usage(sum(len(turn.text) for turn in prompt.turns) // _TOKEN, 0)
    yield Finished()


def _wanted(asked: str) -> Show | None:
    low = asked.casefold()
    return next((show for show in SHOWS if any(word in low for word in show.triggers)), None)


def _shown(show: Show, prompt: Prompt, language: str) -> Iterator[Said]:
    names = {"{me}": prompt.speaker or "Cadenza", "{you}": _asker(prompt)}
    for one in show.said[language]:
        if isinstance(one, ThoughtDelta):
            yield one
            continue
        said = one
        for mark, name in names.items():
            said = said.replace(mark, name)
        yield said


def _echoed(asked: str) -> Iterator[Said]:
    said = asked if len(asked) <= _QUOTE else f"{asked[: _QUOTE - 1]}…"
    yield f"こんにちは！\n「{said}」ですね。\n「何ができるの？」と聞いてくれれば、できることを話します。"


def _rolled(prompt: Prompt, language: str) -> Iterator[Said]:
    """Roll the dice with a tool, and tell the result."""
    last = prompt.turns[-1] if prompt.turns else None
    tool = next((tool for tool in prompt.tools if _is_dice(tool)), None)
    if last is not None and last.role is Role.TOOL:
        result = " ".join(last.text.split())
        yield f"サイコロの目は： {result}" if language == "ja" else f"The dice have spoken: {result}"
    elif tool is not None:
        yield ThoughtDelta("サイコロの出番だ。" if language == "ja" else "That is a case for the dice.")
        yield ToolCall("dice-1", tool.name, json.dumps({"roll": "2d6"}))
    else:
        yield "サイコロがありません。" if language == "ja" else "I would roll them, but I have no dice."


def _is_dice(tool: ToolSpec) -> bool:
    return "dice" in tool.name.casefold()


def _asker(prompt: Prompt) -> str:
    """The name of the user, as in the prompt."""
    found = _LINE_BY.match(last_line(prompt))
    return found[1].strip() if found else "You"


def _paced(said: Iterable[Said], pace: float) -> Iterator[Said]:
    """*said* token by token, each after its time."""
    yield pace * _THINKS
    for one in said:
        match one:
            case float():
                continue  # the pace of another model
            case str():
                for token in _tokens(one):
                    yield pace
                    yield token
            case ThoughtDelta(text=text):
                for token in _tokens(text):
                    yield pace
                    yield ThoughtDelta(token)
            case _:
                yield one


def _tokens(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        size = _JAPANESE_TOKEN if _JAPANESE.match(text, start) else _TOKEN
        yield text[start : start + size]
        start += size
