"""First contact, as a newcomer has it: a bot that talks, and one sentence for everything that can be wrong at first."""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from cadenza.bot.services import logs
from cadenza.cli.doctor import run_doctor
from cadenza.cli.main import main
from cadenza.sim.intents import Intent
from cadenza.sim.permissions import Permission
from tests.bot.portal_room import TOKEN, Room, served

pytestmark = pytest.mark.timeout(120)
SCRIPT = "[models]\ndefault = 'script:tea.jsonl'\n"


@pytest.fixture(autouse=True)
def as_it_was(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Leave no handler and no variable behind."""
    for name in ("DISCORD_TOKEN", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "")
    yield
    logs.take_down()


def _bot(folder: Path, text: str = SCRIPT, token: str = TOKEN) -> str:
    """The files of a bot in *folder*; gives its configuration."""
    (folder / "tea.jsonl").write_text('{"text": "Tea."}\n{"finish": "stop"}\n', encoding="utf-8")
    (folder / "cadenza.toml").write_text(text, encoding="utf-8")
    (folder / ".env").write_text(f"DISCORD_TOKEN={token}\n", encoding="utf-8")
    (folder / ".env").chmod(0o600)
    return str(folder / "cadenza.toml")


def test_one_command_in_an_empty_folder_and_somebody_answers_until_nobody_reads_any_more(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "cadenza", "run", "--sim"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},  # a terminal that cannot show everything
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as bot:
        assert bot.stdin is not None
        assert bot.stdout is not None
        assert bot.stderr is not None
        bot.stdin.write(b"\xff\xfe good evening\n")
        bot.stdin.flush()
        lines = [bot.stdout.readline() for _ in range(3)]
        bot.stdout.close()
        with suppress(BrokenPipeError):  # it may be over by now
            bot.stdin.write(b"and again\n")
            bot.stdin.flush()

        assert (
            b"* Cadenza is ready in 1 server, with the model parrot. It answers mentions"
            == lines[0].partition(b", replies")[0]
        )
        assert [b"You: \\ufffd\\ufffd good evening\n", b"Cadenza [APP]: Hello!\n"] == lines[1:]
        assert (141, b"") == (bot.wait(60), bot.stderr.read())
    assert [] == list(tmp_path.iterdir())


@pytest.mark.skipif(os.name != "posix", reason="NOT TESTED: closed standard streams, which only POSIX has")
def test_it_can_be_started_without_standard_input_and_error(tmp_path: Path) -> None:
    command = 'exec "$0" -m cadenza run --sim <&- 2>&-'

    found = subprocess.run(["/bin/sh", "-c", command, sys.executable], cwd=tmp_path, capture_output=True, timeout=110)  # noqa: PLW1510  # its status is looked at

    assert (0, True) == (found.returncode, found.stdout.startswith(b"* Cadenza is ready"))


@pytest.mark.parametrize(
    ("text", "token", "expected"),
    [
        (SCRIPT, TOKEN[:-1] + "Z", "Discord does not accept the token; make a new one"),
        (SCRIPT, "aB3dEfGhIjKlMnOpQrStUvWxYz012345", "that looks like the client secret of the page OAuth2"),
        ("[models\n", TOKEN, "cadenza.toml: is not valid TOML"),
        (SCRIPT + "[store]\npath = '/proc/cadenza.db'\n", TOKEN, "the store '/proc/cadenza.db' cannot be"),
        (
            SCRIPT + "[[personas]]\nname = 'Ren'\nprompt_file = 'ren.md'\n",
            TOKEN,
            "names 'ren.md', which cannot be read",
        ),
        (SCRIPT + "[[personas]]\ncard = 'tea.jsonl'\n", TOKEN, "cannot be read as a character card"),
    ],
    ids=["wrong token", "client secret", "broken file", "unwritable folder", "no prompt", "broken card"],
)
async def test_what_keeps_it_from_running_is_one_sentence_and_status_2(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], text: str, token: str, expected: str
) -> None:
    async with served(Room()) as server:
        status = await asyncio.to_thread(main, ["run", "--config", _bot(tmp_path, text, token), "--sim", server.url])

    shown = capfd.readouterr()
    assert (2, "") == (status, shown.out)
    assert expected in shown.err
    assert shown.err.startswith("cadenza: ")
    assert 1 == len(shown.err.splitlines())
    assert token not in shown.err


async def test_the_doctor_says_of_intent_permission_model_and_folder_what_to_do(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        nobody = closed.getsockname()[1]
    config = _bot(
        tmp_path,
        f"[discord]\nmessage_content = 'on'\n[store]\npath = 'no/such/x.db'\n[models]\ndefault = 'mine'\n"
        f"[models.mine]\nmodel = 'openai:tiny'\nurl = 'http://127.0.0.1:{nobody}/v1'\n"
        "settings = { private_addresses = true }\n[settings]\ntables = 'text'\n",
    )
    room = Room()
    room.world.overwrite(room.general, room.bot, deny=Permission.SEND_MESSAGES)
    async with served(room, privileged=Intent(0)) as server:
        options = argparse.Namespace(config=config, json=False)
        status = await asyncio.to_thread(run_doctor, options, url=server.url)

    wrong = [line for line in capfd.readouterr().out.splitlines() if line.startswith("✗")]
    assert 1 == status
    for words, line in zip(
        (
            "✗ [discord] message_content is on, but the portal does not allow it: open https://",
            "✗ Home: the bot cannot send messages in any channel; give it View Channels and Send Messages (",
            "✗ mine: ",
            "✗ The folder ",
        ),
        wrong,
        strict=True,
    ):
        assert line.startswith(words)
