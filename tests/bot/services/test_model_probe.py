from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from cadenza.bot.services.model_probe import probe
from cadenza.errors import ErrorKind, ProviderError
from cadenza.models.connect import scripted
from cadenza.models.dialects.scripted import ScriptedCodec
from cadenza.models.model import Model
from cadenza.settings import Settings
from cadenza.types import Failed, HttpRequest
from tests.timing import now

pytestmark = pytest.mark.looptime


async def test_a_model_that_answers_is_named_with_its_word() -> None:
    result = await probe([scripted(lambda _: ["ready"], name="parrot")], Settings())

    assert ("ready", "parrot", None) == (result.word, result.model, result.trouble)


async def test_a_long_answer_is_shortened() -> None:
    result = await probe([scripted(lambda _: ["word " * 50])], Settings())

    assert 60 == len(result.word)
    assert result.word.endswith("…")


async def test_a_model_that_refuses_says_why() -> None:
    error = ProviderError("the key was not accepted", kind=ErrorKind.API, status=401)

    result = await probe([scripted(lambda _: [Failed(error)])], Settings())

    assert ("", "the key was not accepted") == (result.word, result.trouble)


async def test_a_fallback_is_named_if_it_answers() -> None:
    error = ProviderError("no such model", kind=ErrorKind.MODEL)
    models = [scripted(lambda _: [Failed(error)], name="first"), scripted(lambda _: ["ready"], name="second")]

    assert "second" == (await probe(models, Settings())).model


async def test_a_model_that_never_answers_has_half_a_minute() -> None:
    async def silence(_: HttpRequest) -> AsyncIterator[bytes]:
        import asyncio

        await asyncio.sleep(10_000)
        yield b""

    began = now()
    result = await probe([Model(ScriptedCodec(lambda _: []), silence)], Settings.of(model_retries=0))

    assert result.trouble
    assert 30 <= now() - began <= 45
