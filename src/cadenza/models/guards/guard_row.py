"""The guards of stage 3, in their order: what is odd about how a model speaks is put right before anybody hears it.

What was sent twice goes first, because only the slices of the stream can tell; then what a template's tokens say, then
where thoughts end, and calls last, in what is left as speech.
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
    """*decoder* with the guards that *quirks* call for behind it; itself if there are none."""
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
