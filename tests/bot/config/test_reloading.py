"""A file that changes under a bot that runs, in virtual time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from cadenza.bot.characters.character import Character
from cadenza.bot.config.config import Config, DiscordConfig, LimitsConfig, MetricsConfig, StoreConfig
from cadenza.bot.config.current import Current
from cadenza.bot.config.reading import LoadedConfig, load, read
from cadenza.bot.config.reloading import Reloader, needs_restart, stamp
from cadenza.settings import Settings

pytestmark = pytest.mark.looptime


class Desk:
    """A file under edit: every save has a stamp of its own, whatever the clock of the disk."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "cadenza.toml"
        self.reads = 0
        self._saves: dict[Path, int] = {}

    def save(self, text: str, name: str = "cadenza.toml") -> None:
        """Write *text*."""
        path = self.path.with_name(name)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o600)
        self._saves[path] = self._saves.get(path, 0) + 1

    def look(self, path: Path) -> tuple[int, int, int] | None:
        return (self._saves.get(path, 0), 0, 0) if path.exists() else None

    def read(self, path: Path, environment: Mapping[str, str]) -> LoadedConfig:
        self.reads += 1
        return read(path, environment)

    def reloader(self, current: Current) -> Reloader:
        return Reloader(current, self.path, environment={}, look=self.look, read=self.read)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A file that says hello."""
    desk = Desk(tmp_path)
    desk.save("[discord]\nstatus = 'hello'\n")
    return desk


@pytest.fixture(autouse=True)
def _heard(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    with caplog.at_level(logging.INFO, "cadenza.bot.config"):
        yield


async def test_a_change_holds_within_a_few_seconds(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    current = Current(load(desk.path, {}))
    async with desk.reloader(current):
        await asyncio.sleep(10)
        assert 1 == desk.reads
        desk.save("[discord]\nstatus = 'bye'\n")
        await asyncio.sleep(3)
        assert "bye" == current.now.discord.status
        await asyncio.sleep(10)

    assert 2 == desk.reads
    assert ["cadenza.toml was read again"] == caplog.messages


async def test_a_broken_edit_keeps_the_last_good_one_and_says_so_once(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    current = Current(load(desk.path, {}))
    async with desk.reloader(current):
        desk.save("[discord]\nstatsu = 'bye'\nmembers = 1\n")
        await asyncio.sleep(30)
        assert "hello" == current.now.discord.status
        told = list(caplog.messages)
        desk.save("[discord]\nstatus = 'bye'\n")
        await asyncio.sleep(3)

    assert [
        "cadenza.toml: [discord] has no key 'statsu'; did you mean 'status'?",
        "cadenza.toml: [discord] members must be a text in quotes, not 1",
        "cadenza.toml was not taken over; what held before still holds",
    ] == told
    assert "bye" == current.now.discord.status


async def test_a_file_that_is_being_written_is_left_until_it_rests(desk: Desk) -> None:
    current = Current(load(desk.path, {}))
    async with desk.reloader(current):
        for number in range(10):
            desk.save(f"[discord]\nstatus = '{number}")  # not yet closed
            await asyncio.sleep(0.7)
        desk.save("[discord]\nstatus = 'done'\n")
        await asyncio.sleep(3)

    assert ("done", 2) == (current.now.discord.status, desk.reads)


async def test_a_file_that_goes_away_changes_nothing(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    current = Current(load(desk.path, {}))
    async with desk.reloader(current):
        desk.path.unlink()
        await asyncio.sleep(5)

    assert "hello" == current.now.discord.status
    assert "make one with: cadenza init" in caplog.messages[0]


async def test_files_that_it_names_are_watched_too(desk: Desk) -> None:
    desk.save("A fox.", "ren.md")
    desk.save("[[personas]]\nname = 'Ren'\nprompt_file = 'ren.md'\n")
    current = Current(load(desk.path, {}))
    async with desk.reloader(current):
        desk.save("A wolf.", "ren.md")
        await asyncio.sleep(3)
        assert "A wolf." == current.now.personas[0].prompt
        desk.save("[[personas]]\nname = 'Ren'\nprompt_file = 'late.md'\n")
        await asyncio.sleep(3)
        assert "A wolf." == current.now.personas[0].prompt
        desk.save("Late.", "late.md")
        await asyncio.sleep(3)

    assert "Late." == current.now.personas[0].prompt


async def test_a_new_token_wants_a_restart_and_is_not_shown(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    desk.save("DISCORD_TOKEN=hunter2\n", ".env")
    current = Current(load(desk.path, {}))
    async with desk.reloader(current):
        desk.save("DISCORD_TOKEN=hunter3\n", ".env")
        await asyncio.sleep(3)

    assert "restart the bot for what holds only from a start on: the token" == caplog.messages[-1]
    assert "hunter" not in caplog.text


async def test_what_changed_before_it_began_is_not_missed(desk: Desk) -> None:
    current = Current(load(desk.path, {}))
    desk.save("[discord]\nstatus = 'bye'\n")
    async with desk.reloader(current):
        await asyncio.sleep(3)

    assert "bye" == current.now.discord.status


async def test_trouble_in_looking_does_not_end_it(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    current, calls = Current(load(desk.path, {})), 0

    def look(path: Path) -> tuple[int, int, int] | None:
        nonlocal calls
        calls += 1
        if calls == 3:
            message = "hunter2"
            raise RuntimeError(message)
        return desk.look(path)

    async with Reloader(current, desk.path, environment={}, look=look):
        await asyncio.sleep(1.5)
        desk.save("[discord]\nstatus = 'bye'\n")
        await asyncio.sleep(5)

    assert "bye" == current.now.discord.status
    assert "the configuration could not be looked at (RuntimeError)" == caplog.messages[0]


async def test_nothing_runs_on_when_it_is_left(desk: Desk) -> None:
    before = asyncio.all_tasks()
    async with desk.reloader(Current(load(desk.path, {}))):
        assert 1 == len(asyncio.all_tasks() - before)

    assert before == asyncio.all_tasks()


@pytest.mark.parametrize(
    ("after", "late"),
    [
        (Config(language="ja", limits=LimitsConfig(user_active=1)), ()),
        (Config(discord=DiscordConfig(token_env="OTHER", members="on", status="tea")), ("[discord] token_env", "[discord] members")),  # noqa: S106  # the name of a variable
        (Config(store=StoreConfig(path="b.db", explanations_days=1)), ("[store] path",)),
        (Config(metrics=MetricsConfig(port=1)), ("[metrics] port",)),
        (Config(personas=(Character("B", is_main=True),)), ()),
        (Config(settings=Settings.of(degree=1, waiting=3)), ("[settings] waiting",)),
    ],
    ids=["nothing", "discord", "store", "metrics", "personas", "the desk"],
)  # fmt: skip
def test_it_is_known_what_holds_only_from_a_start_on(after: Config, late: tuple[str, ...]) -> None:
    assert late == needs_restart(Config(), after)


def test_a_stamp_tells_files_apart(tmp_path: Path) -> None:
    path = tmp_path / "a"
    assert stamp(path) is None
    path.write_text("a")
    first = stamp(path)
    path.write_text("ab")

    assert first != stamp(path)
