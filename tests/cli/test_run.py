"""``cadenza run``: a bot from its configuration to its goodbye, and everything that can keep it from its work."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import socket
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import discord
import pytest
from discord import app_commands

from cadenza.bot.app import CadenzaBot
from cadenza.bot.config.config import Config, ConversationConfig, ModelsConfig
from cadenza.bot.runtime import simulated_bot
from cadenza.bot.services import logs
from cadenza.bot.startup_errors import StartError
from cadenza.bot.store.in_memory import MemoryStore
from cadenza.bot.store.store import Namespace
from cadenza.cli.run import add_run, greeting, listens_to, run_bot, run_run, tried_once
from cadenza.errors import CadenzaError
from cadenza.sim.clients import discord_py
from cadenza.sim.rate_limits import RateLimits
from cadenza.sim.server import serve
from cadenza.sim.world import World
from tests.bot.premises import configured, small_bot
from tests.leaps import leaping

pytestmark = pytest.mark.timeout(60)


@pytest.fixture(autouse=True)
def as_it_was(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Leave no handler and no variable behind."""
    monkeypatch.setenv("DISCORD_TOKEN", "")
    yield
    logs.take_down()


@app_commands.command(name="tea", description="Put the kettle on")
async def _tea(interaction: discord.Interaction[Any]) -> None:
    await interaction.response.send_message("The kettle is on.")


class TeaBot(CadenzaBot):
    """A bot with one more command."""

    async def setup_hook(self) -> None:
        """Say which commands there are."""
        self.tree.add_command(_tea)
        await super().setup_hook()


def _options(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_run(parser.add_subparsers(dest="command"))
    return parser.parse_args(["run", *words])


async def _run_until_ready(
    path: Path, world: World, capsys: pytest.CaptureFixture[str], **options: Any
) -> tuple[int, str]:
    async with serve(world, limits=RateLimits.off()) as server, asyncio.timeout(30):
        with server.discord_py():
            task = asyncio.create_task(run_bot(path, **{"client_of": small_bot, **options}))
            shown = ""
            while "ready" not in shown and not task.done():
                await asyncio.sleep(0.01)
                shown += capsys.readouterr().out
            if not task.done():
                os.kill(os.getpid(), signal.SIGTERM)
            return await task, shown


async def test_it_says_one_line_when_it_is_ready_and_ends_gracefully(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world = World()
    account, mia = world.add_bot("Ren"), world.add_person("Mia")
    world.add_guild("Home", owner=mia, members=[mia, account])

    found = await _run_until_ready(configured(tmp_path), world, capsys)

    line = "Ren is ready in 1 server, with the model script:answer.jsonl. It answers mentions, replies, trigger words and direct messages.\n"
    assert (0, line) == found
    assert (tmp_path / "cadenza.db").exists()


async def test_the_store_may_be_in_somebodys_home(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, world = tmp_path / "home", World()
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    world.add_bot("Ren")
    text = '[models]\ndefault = "script:answer.jsonl"\n[store]\npath = "~/bot.db"\n'

    await _run_until_ready(configured(tmp_path, text), world, capsys)

    assert (home / "bot.db").exists()


async def test_a_bot_and_a_store_of_ones_own_are_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world, store = World(), MemoryStore()
    account, mia = world.add_bot("Ren"), world.add_person("Mia")
    world.add_guild("Home", owner=mia, members=[mia, account])

    status, _ = await _run_until_ready(
        configured(tmp_path), world, capsys, client_of=partial(simulated_bot, kind=TeaBot), store=store
    )

    assert 0 == status
    assert "tea" in {command["name"] for command in world.get_commands(account.id, None)}
    assert await store.get(Namespace.BOT, "commands") is not None
    assert not (tmp_path / "cadenza.db").exists()


async def test_in_no_server_it_says_how_to_let_it_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world = World()
    account = world.add_bot("Ren")

    status, shown = await _run_until_ready(configured(tmp_path), world, capsys)

    assert 0 == status
    assert "It is in no server yet; let it in with https://discord.com/oauth2/authorize?" in shown
    assert f"client_id={account.id}" in shown


@pytest.mark.parametrize(
    ("text", "token", "expected"),
    [
        ("", "wrong-token", "token"),
        ("", "", "there is no token; put it into .env as DISCORD_TOKEN=…"),
        ("[log]\nlevel = 'info'\n", "sim-token", "no model is chosen"),
        ("[log]\nlevel = 'loud'\n", "sim-token", "loud"),
        ("[store]\npath = 'no/such/folder/x.db'\n[models]\ndefault = 'local'\n", "sim-token", "no/such/folder"),
    ],
    ids=["wrong token", "no token", "no model", "wrong setting", "no folder for the store"],
)
async def test_what_keeps_it_from_its_work_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, token: str, expected: str
) -> None:
    world = World()
    world.add_bot("Ren")

    with pytest.raises(CadenzaError) as caught:
        await _run_until_ready(configured(tmp_path, text, token), world, capsys)

    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "Traceback" not in capsys.readouterr().err


async def test_a_port_that_is_taken_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world = World()
    world.add_bot("Ren")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        text = f"[metrics]\nport = {taken.getsockname()[1]}\n[models]\ndefault = 'local'\n"
        with pytest.raises(CadenzaError, match="metrics cannot be served at"):
            await _run_until_ready(configured(tmp_path, text), world, capsys)


async def test_without_a_network_it_is_one_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    nowhere = f"http://127.0.0.1:{port}/api/v10"

    with discord_py(nowhere, nowhere, nowhere), pytest.raises(StartError) as caught:
        await run_bot(configured(tmp_path), client_of=small_bot)

    assert caught.value.is_passing
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("passes", [True, False], ids=["passing", "lasting"])
def test_what_may_pass_has_an_exit_status_of_its_own(capsys: pytest.CaptureFixture[str], *, passes: bool) -> None:
    def start() -> int:
        raise StartError("Discord is down; try later", is_passing=passes)  # noqa: EM101, TRY003  # as it is raised

    if passes:
        assert 75 == tried_once(start)
        assert "cadenza: Discord is down; try later\n" == capsys.readouterr().err
    else:
        with pytest.raises(StartError):
            tried_once(start)


@pytest.mark.parametrize(
    "url",
    ["https://discord.com/api/v10", "http://example.com/api/v10", "https://127.0.0.1/api/v10", "here", "http://[x/"],
    ids=str,
)
def test_only_a_discord_on_this_machine_is_simulated(tmp_path: Path, url: str) -> None:
    with pytest.raises(CadenzaError, match="a simulated Discord on this machine"):
        run_run(_options("--config", str(configured(tmp_path)), "--sim", url))


def test_no_configuration_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(CadenzaError, match="cadenza init"):
        run_run(_options("--config", str(tmp_path / "cadenza.toml")))


@pytest.mark.parametrize("words", [["--store", "x.db"], ["--name", "Mia"]], ids=str)
def test_what_is_for_simulations_is_refused_elsewhere(words: list[str]) -> None:
    with pytest.raises(CadenzaError, match="works with the chat of --sim only"):
        run_run(_options(*words))


@pytest.mark.parametrize(
    ("talk", "expected"),
    [
        (ConversationConfig(), "mentions, replies, trigger words and direct messages"),
        (ConversationConfig(replies=False, trigger_words=False, direct_messages=False), "mentions"),
        (
            ConversationConfig(mentions=False, replies=False, trigger_words=False, channels=("1", "2"), every=5),
            "direct messages, every message in 2 channels and every 5. message",
        ),
        (
            ConversationConfig(mentions=False, replies=False, trigger_words=False, direct_messages=False),
            "nothing, since no trigger is on in [conversation]",
        ),
    ],
    ids=["usual", "mentions", "channels", "nothing"],
)
def test_what_it_listens_to_is_said_in_words(talk: ConversationConfig, expected: str) -> None:
    assert expected == listens_to(Config(conversation=talk))


def test_who_does_not_hear_all_is_not_said_to_hear_trigger_words() -> None:
    talk = ConversationConfig(channels=("1",), every=5)

    assert "mentions, replies and direct messages" == listens_to(Config(conversation=talk), hears_all=False)


@pytest.mark.parametrize(("kept", "told"), [({}, True), ({"OPENAI_API_KEY": "sk-1"}, False)], ids=["none", "a key"])
async def test_a_model_without_its_key_is_told_at_the_start(kept: dict[str, str], *, told: bool) -> None:
    client = discord.Client(intents=discord.Intents.none())

    lines = greeting(client, Config(models=ModelsConfig("openai:gpt-5.1")), kept)

    sentence = "openai:gpt-5.1 needs a key and cannot answer yet; put it into .env as OPENAI_API_KEY."
    assert told is (sentence in lines)


async def test_a_new_key_holds_and_a_file_without_a_model_does_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEARCH_KEY", "")
    world, path, told = World(), configured(tmp_path), ""
    world.add_bot("Ren")
    (tmp_path / ".env").write_text("DISCORD_TOKEN=sim-token\nSEARCH_KEY=first\n", encoding="utf-8")

    async def until(words: str) -> None:
        nonlocal told
        while words not in told:
            await asyncio.sleep(0.01)
            shown = capsys.readouterr()
            told += shown.out + shown.err

    async with serve(world, limits=RateLimits.off()) as server:
        with server.discord_py(), leaping():
            task = asyncio.create_task(run_bot(path, client_of=small_bot))
            await until("is ready")
            assert "first" == os.environ["SEARCH_KEY"]
            (tmp_path / ".env").write_text("DISCORD_TOKEN=another\nSEARCH_KEY=second\n", encoding="utf-8")
            await until("restart the bot to apply: the token")
            assert "second" == os.environ["SEARCH_KEY"]
            path.write_text("[models]\n", encoding="utf-8")
            await until("cadenza.toml was not loaded; the previous configuration stays in effect")
            assert "cadenza.toml: no model is chosen" in told
            os.kill(os.getpid(), signal.SIGTERM)
            assert 0 == await task
