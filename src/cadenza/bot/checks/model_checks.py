"""Check of the models: each is asked for one word."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing

from ...models.connect import connect
from ...models.model import Model, closing, stream
from ...settings import Settings
from ...types import Failed, Finished, Prompt, PromptTurn, Role, TextDelta, ThoughtDelta
from ..config.config import ModelConfig
from ..config.model_names import all_models, key_of, key_variables, needs_key, resolved
from .findings import DoctorContext, Finding, bad, good, in_time, warning

_FEW_TOKENS = 16
"""The smallest limit that every API accepts."""
_QUESTION = Prompt("", (PromptTurn.said(Role.USER, "Say OK."),), max_tokens=_FEW_TOKENS)


async def check_models(subject: DoctorContext) -> Sequence[Finding]:
    """Whether all configured models answer; only the default one must."""
    default = subject.config.models.default
    if not default:
        advice = 'say who answers, as in [models] default = "openai:gpt-5.1", or "local" for one on this machine'
        return [bad("models", f"There is no model; {advice}.")]
    found = await asyncio.gather(*(_check(subject, name) for name in all_models(subject.config)))
    return [finding for findings in found for finding in findings]


async def _check(subject: DoctorContext, name: str) -> Sequence[Finding]:
    model, complain = resolved(subject.config.models, name), bad if name == subject.config.models.default else warning
    if needs_key(model) and not key_of(model, subject.secrets):
        variables = " or ".join(key_variables(model))
        return [complain("models", f"{name} needs a key; put it into .env as {variables}.")]

    async def ask() -> Sequence[Finding]:
        complaint = await _asked(model, subject)
        return [complain("models", f"{name}: {complaint}") if complaint else good("models", f"{name} answers.")]

    return await in_time("models", ask, subject.seconds, whose=name, complain=complain)


async def _asked(model: ModelConfig, subject: DoctorContext) -> str:
    """Ask *model*; return why it did not answer, or an empty text."""
    settings: Settings = subject.config.settings.with_values(model.settings)
    key = key_of(model, subject.secrets)
    async with connect(model.model, key=key or None, url=model.url or None, settings=settings) as connected:
        return await _first_word(connected)


async def _first_word(model: Model) -> str:
    async with aclosing(closing(stream(model, _QUESTION))) as chunks:
        async for chunk in chunks:
            match chunk:
                case Failed(error):
                    return str(error)
                case TextDelta() | ThoughtDelta() | Finished():
                    return ""
                case _:
                    continue
    return "it ended without a word; try again"
