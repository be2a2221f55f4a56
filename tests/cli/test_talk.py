"""``cadenza demo --model``: somebody talks with a model for a while."""

from __future__ import annotations

import asyncio
import io
import json
import re
from pathlib import Path

import pytest
from rich.console import Console

from cadenza.cli import talk
from cadenza.errors import ProviderError, SettingsError
from cadenza.models.connect import scripted
from cadenza.targets.console import ConsoleTarget
from cadenza.types import (
    Broke,
    Chunk,
    Completed,
    Empty,
    Failed,
    Finished,
    Outcome,
    Prompt,
    Reply,
    Stopped,
    StopReason,
    Usage,
)
from tests.loopback import Answer, serving

virtual_time = pytest.mark.looptime(resolution=2**-20)  # see test_demo.py


async def seen(name: str, *, fast: bool = True) -> tuple[str, tuple[Reply, ...]]:
    file = io.StringIO()
    console = Console(file=file, force_terminal=False, width=80)
    with ConsoleTarget("Ren", avatar="🦊", console=console) as target:
        replies = await talk.play(target, name, fast=fast)
    return file.getvalue(), replies


@pytest.fixture
def script(tmp_path: Path) -> str:
    path = tmp_path / "answer.jsonl"
    lines = [
        {"after": 0.25, "thought": "A greeting."},
        {"after": 0.25, "text": "Hello, "},
        {"text": "Mia!\nLook up."},
        {"usage": {"input_tokens": 10, "output_tokens": 7}},
        {"finish": "stop"},
    ]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return f"script:{path}"


@virtual_time
async def test_a_person_and_a_model_take_turns(script: str) -> None:
    output, replies = await seen(script)

    assert output.startswith(
        f"-- #campfire: Mia and Ren ({script})\n\nMia: Hi Ren! Who are you?\n\nRen: Hello, Mia!\nRen: Look up.\n"
    )
    assert "\n(thought) A greeting.\n" in output
    assert output.endswith("\n-- That was 8 messages made of 28 tokens in 2 seconds.\n")
    assert (4, {Completed("stop")}) == (len(replies), {said.outcome for said in replies})


async def test_the_model_is_told_what_was_said_before(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Prompt] = []

    def answer(prompt: Prompt) -> list[str | Chunk]:
        asked.append(prompt)
        return [f"Answer {len(asked)}.", Usage(1, 2), Finished()]

    monkeypatch.setattr(talk, "connect", lambda *_, **__: scripted(answer))
    await seen("anybody")

    first, second, *_, last = [[turn.text for turn in prompt.turns] for prompt in asked]
    assert ["Hi Ren! Who are you?"] == first
    assert [*first, "Answer 1.", second[-1]] == second
    assert len(last) == 7
    assert all(0 < prompt.max_tokens <= 200 and "fox" in prompt.system for prompt in asked)


@virtual_time
async def test_a_model_that_never_ends_is_stopped(tmp_path: Path) -> None:
    path = tmp_path / "endless.jsonl"
    path.write_text('{"after": 7, "text": "and so on "}\n' * 100, encoding="utf-8")
    loop = asyncio.get_running_loop()
    begun = loop.time()

    output, replies = await seen(f"script:{path}")

    assert {Stopped(StopReason.USER)} == {said.outcome for said in replies}
    assert loop.time() - begun <= 4 * 60 + 1
    assert "4 cut short" in output


@pytest.mark.parametrize(
    ("answer", "outcome", "told"),
    [
        pytest.param(
            ["Well, ", Failed(ProviderError("the model is asleep"))],
            Broke,
            "Ren: Well,\n\n-- The model is asleep.\n",
            id="it breaks off",
        ),
        pytest.param(
            [],
            Empty,
            "-- `scripted` said nothing, however often it was asked; say it in other words or use another model.\n",
            id="it says nothing",
        ),
    ],
)
@virtual_time
async def test_a_model_that_fails_ends_the_evening_and_why_is_told_once(
    answer: list[str | Chunk], outcome: type[Outcome], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(talk, "connect", lambda *_, **__: scripted(lambda _: answer))

    output, (only,) = await seen("anybody")

    assert isinstance(only.outcome, outcome)
    assert output.endswith(f"Who are you?\n\n{told}")


async def test_a_model_at_the_end_of_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    body = b'data: {"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    async with serving(Answer((body,))) as server:
        monkeypatch.setattr(talk, "connect", lambda name, **more: connect(name, url=server.url, **more))
        from cadenza.models.connect import connect

        output, replies = await seen("llamacpp:tiny")
        await server.quiet()

    assert (4, 4) == (len(server.asked), len(replies))
    assert "Ren: Hello\n" in output


def test_it_ends_well_or_says_why(
    script: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert talk.run(script, fast=True) == 0
    assert re.search(r"That was 8 messages", capsys.readouterr().out)

    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"error": "asleep"}', encoding="utf-8")
    assert talk.run(f"script:{broken}") == 1
    assert capsys.readouterr().out.endswith("-- asleep.\n")

    with pytest.raises(SettingsError, match="unknown vendor"):
        talk.run("nobody:m")

    async def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(talk, "reply", interrupted)
    assert talk.run(script) == 130
    assert capsys.readouterr().out.endswith("-- Good night.\n")
