"""Calls and their results as interfaces want them: each call answered at once and only once, under an id of its own.

A history may come from anybody: another vendor's ids are no ids here, a server may call every call ``0``, a result may
be lost or come late. Most interfaces refuse all of that, with a status of 400 and for the rest of the conversation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from ...stages.s1_parts import notice, together
from ...types import Prompt, PromptTurn, Role, ToolCall

ANY_ID = re.compile(r"(?s).+")
"""For interfaces that look at no id."""
_LOST = notice("There is no result: the tool was not run, or what it gave back was lost.")
_STRAY = notice("A tool was run and gave back what follows.")
_NOT_IN_A_NAME = re.compile(r"[^a-zA-Z0-9_-]|^(?=[^a-zA-Z_])")
_LONGEST_NAME = 64


def settled(prompt: Prompt, ids: re.Pattern[str]) -> Prompt:
    """*prompt* with its calls answered, under *ids*: one that does not match, or came before, is made anew.

    One that is made says which call of the conversation it is, so the same history always has the same.
    A name that is none of the tools' and could be nobody's, which a model made up, is written so that it could.
    """
    if not any(turn.calls or turn.role is Role.TOOL for turn in prompt.turns):
        return prompt
    names = _Names(prompt, ids)
    turns = (turn for exchange in _exchanges(prompt.turns) for turn in _answered(exchange, names))
    return replace(prompt, turns=tuple(turns))


class _Names:
    """What calls are called."""

    def __init__(self, prompt: Prompt, ids: re.Pattern[str]) -> None:
        self._ids = ids
        self._tools = {tool.name for tool in prompt.tools}
        self._theirs = {call.id for turn in prompt.turns for call in turn.calls}
        self._taken: set[str] = set()
        self._number = 0

    def named(self, call: ToolCall) -> ToolCall:
        """*call* under an id of its own and a name that may be one."""
        identity = call.id if self._ids.fullmatch(call.id) and call.id not in self._taken else self._made()
        self._taken.add(identity)
        self._number += 1
        name = call.name if call.name in self._tools else _NOT_IN_A_NAME.sub("_", call.name)[:_LONGEST_NAME] or "_"
        return call if (identity, name) == (call.id, call.name) else replace(call, id=identity, name=name)

    def _made(self) -> str:
        """Nine letters and digits, which everybody takes."""
        number = self._number
        while (identity := f"call{number:05d}") in self._taken or identity in self._theirs:
            number += 1
        return identity


def _exchanges(turns: Sequence[PromptTurn]) -> Iterator[Sequence[PromptTurn]]:
    """*turns*, cut before each that calls."""
    starts = [0, *(index for index, turn in enumerate(turns) if turn.calls and index), len(turns)]
    return (turns[start:end] for start, end in pairwise(starts))


def _answered(exchange: Sequence[PromptTurn], names: _Names) -> Iterator[PromptTurn]:
    """The calls, then their results in the same order, then the rest; a result of no call is told in words."""
    first, *rest = exchange
    if not first.calls:
        yield from _told(exchange)
        return
    calls = [(call, names.named(call)) for call in first.calls]
    yield replace(first, calls=tuple(named for _, named in calls))
    for call, named in calls:
        place = next((at for at, turn in enumerate(rest) if _is_result(turn, call)), None)
        result = rest.pop(place) if place is not None else PromptTurn(Role.TOOL, (_LOST,), tag=first.tag)
        yield replace(result, call_id=named.id)
    yield from _told(rest)


def _is_result(turn: PromptTurn, call: ToolCall) -> bool:
    return turn.role is Role.TOOL and (turn.call_id or "") == call.id


def _told(turns: Iterable[PromptTurn]) -> Iterator[PromptTurn]:
    for turn in turns:
        if turn.role is not Role.TOOL:
            yield turn
        else:
            yield replace(turn, role=Role.USER, parts=together((_STRAY, *turn.parts)), call_id=None)
