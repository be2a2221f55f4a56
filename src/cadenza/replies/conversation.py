"""What a model is told in one reply. It grows with every tool that is used, whoever uses it.

Another model that takes over is told the same: what was said and found stays said and found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..rules.prefill import can_be_shown
from ..settings import Settings
from ..stages.s1_budget import without_oldest
from ..stages.s1_context import assemble
from ..stages.s4_round import Round
from ..text.units import WHITESPACE
from ..types import Note, Prompt, PromptTurn, Role, Scene, ToolSpec, ToolUse

_KNOWN = "Done: what came of it is now among what you know."
"""What a model is told of a call that only brought something to know, and nothing to tell."""


class ModelConversation:
    """All that a model is told, round by round."""

    def __init__(self, scene: Scene, settings: Settings) -> None:
        self.scene = scene
        """What the reply starts from now: with what was learnt since, and without what was put into a mouth already."""
        self._settings = settings
        self._turns: list[PromptTurn] = []
        self._dropped = 0
        self._reminder: Note | None = None

    def prompt(self, tools: Sequence[ToolSpec] = ()) -> Prompt:
        """What the model is to be asked now."""
        scene = self.scene
        if self._reminder:
            scene = replace(scene, notes=(*scene.notes, self._reminder))
        prompt = assemble(scene, tools, self._settings.context, stop_at_speaker=self._settings.rules.speaker_guard)
        if self._dropped:
            prompt = without_oldest(prompt, self._dropped)
        return replace(prompt, turns=(*prompt.turns, *self._turns))

    def adapt(self, *, drop: int = 0, insist: bool = False) -> None:
        """From now on leave out that many of the oldest exchanges, and remind the model of whom it speaks for, or not."""
        name = self.scene.persona.name
        self._dropped = drop
        self._reminder = None
        if insist and name:
            text = f"Speak only as {name}. Begin with {name}'s own words, and write nobody else's lines."
            self._reminder = Note(text)

    def add(self, round_: Round, uses: Sequence[ToolUse]) -> None:
        """Add what was said in *round_*, its calls, and what came of them.

        Calls that only brought something to know are forgotten: the model is asked again as if it had known from the
        beginning. What it said stays said.
        """
        self._learn(uses)
        calls = () if all(use.result.context for use in uses) else tuple(use.call for use in uses)
        if not calls and not round_.said:
            return
        self._turns.append(replace(PromptTurn.said(Role.MODEL, self._said(round_)), calls=calls))
        if calls:
            told = [(use.call.id, use.result.parts or (_KNOWN,)) for use in uses]
            self._turns += [PromptTurn(Role.TOOL, parts, call_id=call) for call, parts in told]
        self.scene = replace(self.scene, prefill="")  # words are put into its mouth only at the beginning

    def _learn(self, uses: Sequence[ToolUse]) -> None:
        known = self.scene.context
        new = dict.fromkeys(item for use in uses for item in use.result.context if item not in known)
        self.scene = replace(self.scene, context=(*known, *new))

    def _said(self, round_: Round) -> str:
        """What was said in *round_*, behind the words that were put into the model's mouth.

        Where people see those, they are there already; where code or a hidden block opens in them, so it does out of
        sight.
        """
        prefill = self.scene.prefill.rstrip(WHITESPACE)
        said = "\n".join(round_.said)
        is_shown = self._settings.rules.show_prefill
        if said.startswith(prefill) or (said and is_shown) or not can_be_shown(prefill):
            return said
        return f"{prefill} {said}".rstrip()
