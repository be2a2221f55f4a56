"""``cadenza run --sim``: a whole simulation in this process, with a small bot, the real discord.py and loopback."""

from __future__ import annotations

import asyncio
import io
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from cadenza.bot.services import logs
from cadenza.cli.run_sim import Simulation, simulate
from cadenza.errors import CadenzaError
from tests.bot.premises import configured, small_bot
from tests.leaps import leaping

READY = (
    "* Cadenza is ready in 1 server, with the model parrot. It answers mentions, replies, trigger words, "
    "direct messages and every message in 1 channel.\n"
)
pytestmark = pytest.mark.timeout(60)


@pytest.fixture(autouse=True)
def quietly(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Leave no handler and no variable of ours behind."""
    monkeypatch.setenv("DISCORD_TOKEN", "")
    yield
    logs.take_down()


async def _played(script: str, wanted: Simulation | None = None) -> str:
    out = io.StringIO()
    with leaping():
        status = await simulate(wanted or Simulation(), stdin=io.StringIO(script), stdout=out, client_of=small_bot)
    assert 0 == status
    return out.getvalue()


async def test_each_line_is_said_once_all_is_quiet_and_the_transcript_is_printed() -> None:
    assert await _played("Good evening\n/echo words:hi\n") == READY + (
        "You: Good evening\n"
        "Cadenza [APP]: Hello!\n"
        "Cadenza [APP]: You said: Good evening\n"
        "Cadenza [APP]: Ask me for help, and I tell you what else I can say.\n"
        "  ┌ You used /echo\n"
        "Cadenza [APP, only one sees this]: hi\n"
    )


async def test_the_model_can_be_chosen(tmp_path: Path) -> None:
    (tmp_path / "answer.jsonl").write_text('{"text": "Hi :) there"}', encoding="utf-8")

    out = await _played("Good evening\n", Simulation(model=f"script:{tmp_path / 'answer.jsonl'}"))

    assert out.endswith("You: Good evening\nCadenza [APP]: Hi :) there\n")


async def test_a_model_that_cannot_be_is_refused_in_a_sentence() -> None:
    with pytest.raises(CadenzaError, match=r"^--model names an unknown vendor 'nobody'"):
        await _played("", Simulation(model="nobody:m"))


async def test_whatever_people_can_do_can_be_typed() -> None:
    script = (
        "/as Tom code please\n/react 👋\n/dm smile\n/edit story\n/delete\n/reply what?\n/nothing\n/quit\nnever said\n"
    )

    lines = (await _played(script)).removeprefix(READY).splitlines()

    assert "Tom: code please" == lines[0]
    assert any(line.startswith("(You reacted with 👋) Cadenza [APP]") for line in lines)
    assert "(in private) You: smile" in lines
    assert "(in private) Cadenza [APP]: Like this? 😄" in lines
    assert "(in private) You [edited]: story" in lines
    assert "(in private) (deleted) You [edited]: story" in lines
    assert "(in private) You: what?" in lines
    assert "* there is no command /nothing; there is /echo" in lines
    assert "never said" not in "".join(lines)


async def test_what_cannot_be_done_is_said_and_goes_on() -> None:
    wrong = ["/edit nothing", "/delete", "/react 👋", "/press x", "/fill a:b", "/menu Explain", "/wait soon", "/help"]

    lines = (await _played("\n/wait 0\n".join(["", *wrong]))).removeprefix(READY).splitlines()

    assert ["* you have not written anything yet"] * 2 == lines[:2]
    assert "* there is no message of anyone else yet" == lines[2]
    assert "* there is no button 'x'" == lines[3]
    assert "* the bot has shown you no form" == lines[4]
    assert any("What you type is sent to #general" in line for line in lines)


async def test_an_interrupt_in_the_middle_is_graceful() -> None:
    read, write = os.pipe()
    out = io.StringIO()
    with os.fdopen(read, encoding="utf-8") as keys, os.fdopen(write, "w", encoding="utf-8") as running_client:
        task = asyncio.create_task(simulate(Simulation(), stdin=keys, stdout=out, client_of=small_bot))
        async with asyncio.timeout(30):
            while "is ready" not in out.getvalue():  # noqa: ASYNC110  # it is another's stream
                await asyncio.sleep(0.01)
            os.kill(os.getpid(), signal.SIGINT)
            assert 0 == await task
        running_client.close()


async def test_a_configuration_is_used_and_without_a_model_the_built_in_one_answers(tmp_path: Path) -> None:
    config = configured(tmp_path, "[conversation]\nreplies = false\n")

    shown = await _played("smile\n", Simulation(config, name="Mia"))

    assert shown == (
        "* Cadenza is ready in 1 server, with the model parrot. It answers mentions, trigger words and direct messages.\n"
        "Mia: smile\n"
        "Cadenza [APP]: Like this? 😄\n"
    )


async def test_a_store_is_a_file_that_stays(tmp_path: Path) -> None:
    file = tmp_path / "sim.db"

    await _played("", Simulation(store=str(file)))

    assert file.stat().st_size > 0


async def test_a_store_that_cannot_be_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(CadenzaError) as caught:
        await _played("", Simulation(store=str(tmp_path / "missing" / "sim.db")))

    assert "\n" not in str(caught.value)


async def test_a_file_is_read_again_the_bot_is_called_as_its_character_and_a_long_message_is_explained(
    tmp_path: Path,
) -> None:
    config = configured(tmp_path, "[[personas]]\nname = 'Ren'\n")
    read, write = os.pipe()
    out = io.StringIO()

    async def until(words: str) -> None:
        while words not in out.getvalue():  # noqa: ASYNC110  # it is another's stream
            await asyncio.sleep(0.01)

    with os.fdopen(read, encoding="utf-8") as keys, os.fdopen(write, "w", encoding="utf-8") as running_client:
        task = asyncio.create_task(simulate(Simulation(config), stdin=keys, stdout=out, client_of=small_bot))
        with leaping():
            await until("* Ren is ready")
            config.write_text("[[personas]]\nname = 'Ren'\nprompt = 'A fox.'\n", encoding="utf-8")
            await until("* cadenza.toml was read again.")
            running_client.write("x" * 2001 + "\n/quit\n")
            running_client.flush()
            assert 0 == await task

    assert "* a message holds 2000 characters at most, and that has 2001; split it\n" in out.getvalue()
