"""Stage 1, token limits: which old exchanges a prompt drops, and how long its answer may be.

Tokens are estimated from characters, with enough margin that the API does not refuse the prompt. The real counts come
back as ``Usage``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from math import ceil, floor
from typing import NamedTuple

from ..types import Abilities, Media, MediaKind, Part, Prompt, PromptTurn, Role, Tag, ToolSpec
from .s1_parts import begins_as_notice, by_line, is_notice, notice

START = notice("Conversation start")
"""The first turn for a model that cannot speak first."""
CONTINUE = notice("Continue")
"""The turn between two turns of a model that cannot speak twice in a row."""

DROPPED = (Tag.HISTORY, Tag.SAMPLE)
"""What may be dropped, in this order."""

_TURN = 4
"""Tokens that a turn costs besides its words. Merging two turns never costs more than it saves."""
_IMAGE = 1000
_VIDEO = 4000
_ANSWER = 8
"""The share of the context that is kept for an answer of unknown length: an eighth."""


class _Cost(NamedTuple):
    """The cost of something. Characters become tokens only in the sum, so that parts cost as much as the whole."""

    tokens: int
    characters: int


class _Cut(NamedTuple):
    """A part of a turn that may be dropped, and what that saves."""

    turn: int
    end: int
    """How many parts are dropped, counted from the first; with the last part the turn is dropped."""
    cost: _Cost


def trimmed(prompt: Prompt, abilities: Abilities) -> Prompt:
    """*prompt* without as many of its oldest parts as needed: first of the history, then of the samples.

    The system text, the context, notes, and the last line with everything that answers it always stay, even if they
    exceed the limit.
    """
    budget = _budget(prompt, abilities)
    if not budget:
        return prompt
    length = max(abilities.token_length, 1.0)
    tokens, characters = _sum([_standing_cost(prompt), *map(_cost, prompt.turns)])
    ends: dict[int, int] = {}
    for cuts in _droppable(prompt.turns):
        if tokens + ceil(characters / length) <= budget:
            break
        saved = _sum([cut.cost for cut in cuts])
        tokens, characters = tokens - saved.tokens, characters - saved.characters
        ends.update((cut.turn, cut.end) for cut in cuts)
    return replace(prompt, turns=tuple(_without(prompt.turns, ends))) if ends else prompt


def without_oldest(prompt: Prompt, count: int) -> Prompt:
    """*prompt* without the *count* oldest exchanges of its history; the last one always stays."""
    exchanges = _exchanges(prompt.turns, Tag.HISTORY)
    dropped = {index for exchange in exchanges[:-1][:count] for index in exchange}
    return replace(prompt, turns=tuple(turn for index, turn in enumerate(prompt.turns) if index not in dropped))


def output_tokens(
    wanted: int,
    length: int,
    *,
    context_tokens: int,
    token_length: float = 4.0,
    share: float = 0.9,
    least: int = 256,
    otherwise: int | None = None,
) -> int:
    """The token limit of an answer to a prompt of *length* characters: *wanted*, or what fits.

    Tokens are estimated, so only a *share* of what is left of *context_tokens* is used, but at least *least* tokens if
    there are as many. If there are not, *otherwise* is used, or what little is left. If *wanted* or *context_tokens* is
    0, it is unknown, and *wanted* stays as it is.
    """
    if wanted <= 0 or context_tokens <= 0:
        return wanted
    left = context_tokens - ceil(length / token_length)
    least = min(least, wanted)
    room = floor(left * share)
    if left >= least:
        room = max(room, least)
    elif otherwise is not None:
        room = otherwise
    return min(wanted, max(1, room))


def _budget(prompt: Prompt, abilities: Abilities) -> int:
    """The token limit of the prompt; 0 if it is unknown."""
    context = abilities.context_tokens
    answer = min(prompt.max_tokens or context // _ANSWER, context // 2)
    return min((limit for limit in (prompt.context_tokens, context - answer) if limit > 0), default=0)


def _sum(costs: Sequence[_Cost]) -> _Cost:
    return _Cost(sum(cost.tokens for cost in costs), sum(cost.characters for cost in costs))


def _standing_cost(prompt: Prompt) -> _Cost:
    return _sum([_Cost(0, len(prompt.system)), *map(_tool_cost, prompt.tools)])


def _tool_cost(tool: ToolSpec) -> _Cost:
    return _Cost(_TURN, len(tool.name) + len(tool.description) + len(str(tool.parameters)))


def _cost(turn: PromptTurn) -> _Cost:
    if turn.parts in ((START,), (CONTINUE,)):
        return _Cost(0, 0)  # inserted after counting, so that a prompt that was fitted once still fits
    called = sum(len(call.name) + len(call.arguments) for call in turn.calls)
    return _sum([_Cost(_TURN, called), _parts_cost(turn.parts)])


def _parts_cost(parts: Sequence[Part]) -> _Cost:
    """The cost of *parts*, each text with a line end: the same whether they are joined or not."""
    shown = sum(_media_cost(part) for part in parts if isinstance(part, Media))
    return _Cost(shown, sum(len(part) + 1 for part in parts if isinstance(part, str)))


def _media_cost(media: Media) -> int:
    return _VIDEO if media.kind is MediaKind.VIDEO else _IMAGE


def _droppable(turns: Sequence[PromptTurn]) -> list[list[_Cut]]:
    """What may be dropped, step by step, the least important first; never the last exchange."""
    history, samples = (
        [cuts for exchange in _exchanges(turns, tag) for cuts in _steps(turns, exchange)] for tag in DROPPED
    )
    return [*history[:-1], *samples] if history else samples[:-1]


def _steps(turns: Sequence[PromptTurn], exchange: Sequence[int]) -> Iterator[list[_Cut]]:
    """How *exchange* is dropped: line by line what was said, and with the last line everything that answers it.

    A notice is dropped with the line before it, as it is when the two have become one turn.
    """
    said = list(takewhile(lambda index: turns[index].role is Role.USER, exchange))
    lines: list[list[_Cut]] = []
    for index in said:
        for line, cut in _line_cuts(index, turns[index]):
            if lines and begins_as_notice(line):
                lines[-1].append(cut)
            else:
                lines.append([cut])
    answers = [_Cut(index, len(turns[index].parts), _cost(turns[index])) for index in exchange[len(said) :]]
    yield from lines[:-1]
    yield [*(lines[-1] if lines else ()), *answers]


def _line_cuts(index: int, turn: PromptTurn) -> Iterator[tuple[Sequence[Part], _Cut]]:
    end = 0
    for line in by_line(turn.parts) or [()]:
        end += len(line)
        cost = _parts_cost(line)
        yield line, _Cut(index, end, cost if end < len(turn.parts) else _sum([_Cost(_TURN, 0), cost]))


def _without(turns: Sequence[PromptTurn], ends: Mapping[int, int]) -> Iterator[PromptTurn]:
    """*turns*, each without its parts before its index in *ends*."""
    for index, turn in enumerate(turns):
        if index not in ends:
            yield turn
        elif ends[index] < len(turn.parts):
            yield replace(turn, parts=turn.parts[ends[index] :])


def _exchanges(turns: Sequence[PromptTurn], tag: Tag) -> list[list[int]]:
    """The turns with *tag* by exchange: what people said, and everything that answers it, tool results included."""
    exchanges: list[list[int]] = []
    before: Role | None = None
    for index, turn in enumerate(turns):
        if turn.tag is not tag:
            continue
        is_said = not is_notice(turn)
        if not exchanges or (is_said and turn.role is Role.USER and before is not Role.USER):
            exchanges.append([])
        exchanges[-1].append(index)
        if is_said:
            before = turn.role
    return exchanges
