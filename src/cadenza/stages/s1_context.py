"""Stage 1: a scene in, a prompt out. Says to a model who it is, where it is and what was said.

What seldom changes comes first, so that a provider can keep it in its cache.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..text.units import WHITESPACE
from ..types import Line, Prompt, PromptTurn, Role, Scene, ToolSpec


def assemble(scene: Scene, tools: Sequence[ToolSpec] = ()) -> Prompt:
    """Make the prompt for *scene*."""
    return Prompt(
        system=_system(scene), turns=_turns(scene.history), tools=tuple(tools), prefill=scene.prefill.rstrip(WHITESPACE)
    )


def _system(scene: Scene) -> str:
    persona = scene.persona
    parts = [f"You are {persona.name}." if persona.name else "", persona.prompt.strip()]
    if persona.sprites:
        names = ", ".join(sprite.name for sprite in persona.sprites)
        parts.append(f"Begin a line with '{persona.name} (look): ' to show one of your looks: {names}.")
    if scene.memories:
        parts.append("You remember:\n" + "\n".join(f"- {memory}" for memory in scene.memories))
    return "\n\n".join(part for part in parts if part)


def _turns(history: Sequence[Line]) -> tuple[PromptTurn, ...]:
    """One turn a speaker's run of lines: neighbours of the same role become one turn."""
    turns: list[PromptTurn] = []
    for line in history:
        if not line.text.strip():
            continue
        role = Role.MODEL if line.is_own else Role.USER
        text = line.text if line.is_own or not line.speaker else f"{line.speaker}: {line.text}"
        if turns and turns[-1].role is role:
            turns[-1] = PromptTurn.said(role, f"{turns[-1].text}\n{text}")
        else:
            turns.append(PromptTurn.said(role, text))
    return tuple(turns)
