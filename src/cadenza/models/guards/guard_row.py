"""The guards of stage 3 in their order: they correct the oddities of a model's output.

Repeated text comes first, because only the slices of the stream show it; then template tokens, then the ends of
thoughts, and last calls in the remaining text.
"""

from __future__ import annotations

from ...stages.stage import Pipe, Stage
from ...types import Chunk, Prompt, RawEvent
from ..dialects.dialect import Quirks
from .gemma import GemmaGuard
from .harmony import HarmonyGuard
from .open_thought import OpenThoughtGuard
from .resent import ResentGuard
from .spill import SpillGuard
from .text_calls import TextCalls
from .text_guard import TextGuard
from .verbatim import VerbatimGuard


def guarded(decoder: Stage[RawEvent, Chunk], quirks: Quirks, prompt: Prompt) -> Stage[RawEvent, Chunk]:
    """*decoder* followed by the guards for *quirks*; unchanged if there are none."""
    guards = _guards(quirks, prompt)
    return Pipe(decoder, *guards) if guards else decoder


def _guards(quirks: Quirks, prompt: Prompt) -> list[TextGuard]:
    calls = TextCalls(prompt)
    guards: list[TextGuard] = []
    if quirks.resends:
        guards.append(ResentGuard())
    if quirks.gemma:
        guards.append(GemmaGuard(calls))
    if quirks.harmony:
        guards.append(HarmonyGuard(calls))
    if quirks.opens_in_thought:
        guards.append(OpenThoughtGuard())
    if quirks.spills_thoughts:
        guards.append(SpillGuard())
    if quirks.verbatim_calls and prompt.tools:
        guards.append(VerbatimGuard(calls))
    return guards
