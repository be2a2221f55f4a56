"""Models, asked for a word on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web

from cadenza.bot.characters.character import Character, CharacterOverrides
from cadenza.bot.checks.findings import DoctorContext
from cadenza.bot.checks.model_checks import check_models
from cadenza.bot.config.config import Config, ModelConfig, ModelsConfig

KEY = "k-" + "1234567890"
ANSWER = b'data: {"choices":[{"index":0,"delta":{"content":"OK"}}]}\n\ndata: [DONE]\n\n'


@asynccontextmanager
async def _interface(status: int = 200, *, wait: float = 0.0) -> AsyncIterator[tuple[str, list[Mapping[str, object]]]]:
    """An interface like OpenAI's on loopback: its address, and what it was asked."""
    asked: list[Mapping[str, object]] = []

    async def answer(request: web.Request) -> web.Response:
        asked.append({"key": request.headers.get("Authorization"), **await request.json()})
        await asyncio.sleep(wait)
        if status != 200:
            return web.json_response({"error": {"message": f"bad key {KEY}"}}, status=status)
        return web.Response(body=ANSWER, content_type="text/event-stream")

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1", asked
    finally:
        await runner.cleanup()


async def sentences(
    models: ModelsConfig, secrets: Mapping[str, str] | None = None, *, seconds: float = 5.0
) -> list[str]:
    """What is found of *models*."""
    config = Config(models=models)
    findings = await check_models(DoctorContext(config, secrets or {}, "", seconds))
    return [f"{finding.level.value} {finding.text}" for finding in findings]


async def test_a_model_that_answers_is_well_and_was_asked_for_little() -> None:
    async with _interface() as (url, asked):
        mine = ModelConfig("llamacpp:tea", url, "TEA_KEY")

        assert ["✓ mine answers."] == await sentences(ModelsConfig("mine", named={"mine": mine}), {"TEA_KEY": KEY})

    assert [f"Bearer {KEY}"] == [request["key"] for request in asked]
    assert 16 == asked[0]["max_tokens"]


async def test_a_refused_key_is_one_sentence_without_it() -> None:
    async with _interface(401) as (url, _):
        mine = ModelConfig("llamacpp:tea", url, "TEA_KEY")

        (sentence,) = await sentences(ModelsConfig("mine", named={"mine": mine}), {"TEA_KEY": KEY})

    assert sentence.startswith("✗ mine: ")
    assert KEY not in sentence
    assert "\n" not in sentence


async def test_a_model_that_cannot_be_reached_is_one_sentence() -> None:
    (sentence,) = await sentences(ModelsConfig("m", named={"m": ModelConfig("llamacpp:tea", "http://127.0.0.1:1/v1")}))

    assert sentence.startswith("✗ m: ")


async def test_a_model_that_takes_too_long_is_one_sentence() -> None:
    async with _interface(wait=5) as (url, _):
        models = ModelsConfig("m", named={"m": ModelConfig("llamacpp:tea", url)})

        (sentence,) = await sentences(models, seconds=0.2)

    assert "✗ m: there was no answer within 0.2 seconds; check the network, or try again" == sentence


@pytest.mark.parametrize(
    ("models", "expected"),
    [
        (ModelsConfig("openai:gpt-5.1"), ["✗ openai:gpt-5.1 needs a key; put it into .env as OPENAI_API_KEY."]),
        (
            ModelsConfig("m", named={"m": ModelConfig("openai:x", key_env="MINE")}),
            ["✗ m needs a key; put it into .env as MINE."],
        ),
    ],
    ids=["usual", "own"],
)
async def test_a_missing_key_names_its_variable(models: ModelsConfig, expected: list[str]) -> None:
    assert expected == await sentences(models)


async def test_without_a_model_nothing_works() -> None:
    (sentence,) = await sentences(ModelsConfig())

    assert sentence.startswith("✗ There is no model; say who answers")


async def test_only_the_default_must_answer(tmp_path: Path) -> None:
    script = tmp_path / "tea.txt"
    script.write_text('{"text": "Tea."}\n')
    config = Config(
        models=ModelsConfig(f"script:{script}", ("script:nowhere.txt",)),
        personas=(Character("A", own=CharacterOverrides(model="openai:x")),),
    )

    findings = await check_models(DoctorContext(config, {}, ""))

    assert ["✓", "!", "!"] == [finding.level.value for finding in findings]
