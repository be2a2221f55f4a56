"""The conversation that the models of one reply are sent. It grows with every tool call.

A fallback model gets the same conversation, with the text and the tool results of the models before it.
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
"""The result of a call that only added to the context."""


class ModelConversation:
    """Builds the prompt of each round."""

    def __init__(self, scene: Scene, settings: Settings) -> None:
        self.scene = scene
        """The current scene: with the context that tools added, and without the prefill once it was used."""
        self._settings = settings
        self._turns: list[PromptTurn] = []
        self._dropped = 0
        self._reminder: Note | None = None

    def prompt(self, tools: Sequence[ToolSpec] = ()) -> Prompt:
        """Build the prompt of the next round."""
        scene = self.scene
        if self._reminder:
            scene = replace(scene, notes=(*scene.notes, self._reminder))
        prompt = assemble(scene, tools, self._settings.context, stop_at_speaker=self._settings.rules.speaker_guard)
        if self._dropped:
            prompt = without_oldest(prompt, self._dropped)
        return replace(prompt, turns=(*prompt.turns, *self._turns))

    def adapt(self, *, drop: int = 0, insist: bool = False) -> None:
        """Leave out the *drop* oldest exchanges from now on; with *insist*, remind the model which persona it is."""
        name = self.scene.persona.name
        self._dropped = drop
        self._reminder = None
        if insist and name:
            text = f"Speak only as {name}. Begin with {name}'s own words, and write nobody else's lines."
            self._reminder = Note(text)

    def add(self, round_: Round, uses: Sequence[ToolUse]) -> None:
        """Add the text of *round_*, its calls and their results.

        Calls that only added to the context are left out: the model is asked again as if it had known from the start.
        The text stays.
        """
        self._learn(uses)
        calls = () if all(use.result.context for use in uses) else tuple(use.call for use in uses)
        if not calls and not round_.said:
            return
        self._turns.append(replace(PromptTurn.said(Role.MODEL, self._said(round_)), calls=calls))
        if calls:
            told = [(use.call.id, use.result.parts or (_KNOWN,)) for use in uses]
            self._turns += [PromptTurn(Role.TOOL, parts, call_id=call) for call, parts in told]
        self.scene = replace(self.scene, prefill="")  # a prefill is used only once

    def _learn(self, uses: Sequence[ToolUse]) -> None:
        known = self.scene.context
        new = dict.fromkeys(item for use in uses for item in use.result.context if item not in known)
        self.scene = replace(self.scene, context=(*known, *new))

    def _said(self, round_: Round) -> str:
        """Return the text of *round_* after the prefill.

        A prefill that people see is part of the text already. One that opens code or a hidden block is left out.
        """
        prefill = self.scene.prefill.rstrip(WHITESPACE)
        said = round_.joined
        is_shown = self._settings.rules.show_prefill
        if said.startswith(prefill) or (said and is_shown) or not can_be_shown(prefill):
            return said
        return f"{prefill} {said.lstrip(WHITESPACE)}".rstrip()
