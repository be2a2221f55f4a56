"""Stage 1, how much there is room for: which exchanges are left out of a prompt, and how long its answer may be.

Tokens are counted roughly, by characters. What is counted here is only to keep far enough from where an API refuses;
what was really read and written comes back as ``Usage``.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil, floor

from ..types import Abilities, Media, MediaKind, Prompt, PromptTurn, Role, Tag, ToolSpec
from .s1_parts import is_notice, notice

START = notice("Conversation start")
"""What opens a conversation for a model that cannot speak first."""
CONTINUE = notice("Continue")
"""What stands between two turns of a model that cannot speak twice in a row."""

DROPPED = (Tag.HISTORY, Tag.SAMPLE)
"""What may be left out, in this order."""

_TURN = 4
"""Tokens that a turn costs besides its words. Merging two never costs more than it saves."""
_IMAGE = 1000
_VIDEO = 4000
_ANSWER = 8
"""The part of a model's tokens that is kept for an answer of which nobody said how long it may be: an eighth."""


def trimmed(prompt: Prompt, abilities: Abilities) -> Prompt:
    """*prompt* without its oldest exchanges, as far as it must be: first those of the history, then the samples.

    The system text, what is known, notes and the last exchange always stay, even if that is too much.
    """
    budget = _budget(prompt, abilities)
    if not budget:
        return prompt
    length = max(abilities.token_length, 1.0)
    costs = [_cost(turn, length) for turn in prompt.turns]
    over = sum(costs) + _standing_cost(prompt, length) - budget
    left_out: set[int] = set()
    for exchange in _droppable(prompt.turns):
        if over <= 0:
            break
        over -= sum(costs[index] for index in exchange)
        left_out.update(exchange)
    if not left_out:
        return prompt
    return replace(prompt, turns=tuple(turn for index, turn in enumerate(prompt.turns) if index not in left_out))


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
    """How long an answer may be behind a prompt of *length* characters: *wanted*, or what there is room for.

    Of what is left of *context_tokens* only a *share* is asked for, because tokens are counted roughly; but *least*
    tokens if as many are left. If they are not, *otherwise* is asked for, or what little there is.
    Nothing is known if *wanted* or *context_tokens* is 0: then it stays as it is.
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
    """Tokens that the prompt may take; 0 if nobody knows."""
    context = abilities.context_tokens
    answer = min(prompt.max_tokens or context // _ANSWER, context // 2)
    return min((limit for limit in (prompt.context_tokens, context - answer) if limit > 0), default=0)


def _standing_cost(prompt: Prompt, length: float) -> int:
    return ceil(len(prompt.system) / length) + sum(_tool_cost(tool, length) for tool in prompt.tools)


def _tool_cost(tool: ToolSpec, length: float) -> int:
    return _TURN + ceil((len(tool.name) + len(tool.description) + len(str(tool.parameters))) / length)


def _cost(turn: PromptTurn, length: float) -> int:
    if turn.parts in ((START,), (CONTINUE,)):
        return 0  # put in behind the count, so that a prompt that was fitted once still fits
    called = sum(len(call.name) + len(call.arguments) for call in turn.calls)
    shown = sum(_media_cost(media) for media in turn.media)
    return _TURN + shown + ceil((len(turn.text) + called) / length)


def _media_cost(media: Media) -> int:
    return _VIDEO if media.kind is MediaKind.VIDEO else _IMAGE


def _droppable(turns: tuple[PromptTurn, ...]) -> list[list[int]]:
    """The exchanges that may be left out, those first that are missed least; never the last of all."""
    history, samples = (_exchanges(turns, tag) for tag in DROPPED)
    return [*history[:-1], *samples] if history else samples[:-1]


def _exchanges(turns: tuple[PromptTurn, ...], tag: Tag) -> list[list[int]]:
    """The turns with *tag* by exchanges: what somebody said, and all that answers it, results of tools among it."""
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
