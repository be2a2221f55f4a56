"""Every recipe does what its page says: its program runs, and the channel then looks as the page shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import discord
import pytest

from cadenza.sim.rate_limits import RateLimits
from cadenza.sim.server import Server, serve
from tests.bot.evening import Evening
from tests.model_server import RATE_LIMITED, ModelServer, Question, Refuses, Says, Script, model_server
from tests.redirected import models_at

ROOT = Path(__file__).parent.parent
RECIPES = ROOT / "docs" / "recipes"
PAGES = {page.stem: page for page in sorted(RECIPES.glob("*.md")) if page.stem != "README"}
_PYTHON = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
_SHOWN = re.compile(r"(?<=^```text\n)(.*?)(?=^```)", re.DOTALL | re.MULTILINE)
SECONDS = 10.0


@dataclass
class Room:
    """A recipe at work."""

    evening: Evening
    server: Server
    models: ModelServer

    def says(self, name: str, text: str, **more: Any) -> str:
        """Somebody mentions the bot."""
        evening = self.evening
        person = evening.mia if name == "Mia" else evening.tom
        return person.says(evening.general, f"<@{evening.bot.id}> {text}", **more)

    async def shows(self, text: str, times: int = 1) -> None:
        """Wait until *text* can be seen."""
        with suppress(TimeoutError):
            await self.server.until(lambda: self.transcript().count(text) >= times, within=SECONDS)
        assert text in self.transcript(), self.transcript()

    def transcript(self) -> str:
        """The channel, without who is typing and how large files are, which depends on the machine."""
        shown = self.evening.world.transcript(self.evening.general).replace(f"<@{self.evening.bot.id}>", "@Cadenza")
        return re.sub(r"^\(.* is typing …\)\n|, \d+ bytes", "", shown, flags=re.MULTILINE)


Acts = Callable[[Room], Awaitable[None]]


@dataclass(frozen=True)
class Recipe:
    """What the model says and what people do in the test of a recipe."""

    script: Script | Iterable[Says | Refuses]
    acts: Acts
    environment: Mapping[str, str] = field(default_factory=dict)


async def _fewer_messages(room: Room) -> None:
    room.says("Mia", "what shall we take up the hill?")
    await room.shows("as late as you can.")
    assert 1 == len(room.evening.texts()) - 1


_PACKING = "Not much.\n\n- a blanket each\n- the big flask\n\nGo to bed early, and get up as late as you can."


async def _one_answer_at_a_time(room: Room) -> None:
    room.says("Mia", "why is the sky dark?")
    room.says("Tom", "why is it blue?")
    await room.shows("Light is scattered.")
    await room.shows("so do we.")
    room.says("Tom", "are you there?")
    await room.shows("I am.")


def _dark_or_blue(question: Question) -> Says:
    if "dark" in question.said[-1][1]:
        return Says("The universe is young.\n\nLight from far away is still on its way.\n\nIt waits, and so do we.")
    return Says("The air is thin.\n\nBlue is scattered most.\n\nLight is scattered.")


async def _history(room: Room) -> None:
    room.evening.tom.says(room.evening.general, "I have lost my copy of Dune.")
    room.says("Mia", "can you help him?")
    await room.shows("for a week.")
    answer = room.evening.last()["id"]
    room.says("Mia", "as a file, please", reply_to=answer)
    await room.shows("answer.md")
    room.says("Mia", "thank you!")
    await room.shows("You are welcome.")
    said = room.models.asked[-1].said
    assert ("system", "You are a librarian.") == said[0]
    assert ("assistant", _DUNE) in said
    assert _DUNE == room.evening.world.file(_file(room)).decode()


_DUNE = "There are two here:\n\n- Dune, on shelf 7\n- Dune Messiah, on shelf 8\n\nTom can have both for a week."


def _file(room: Room) -> str:
    messages = room.evening.world.messages(room.evening.general)
    return str(
        next(file["id"] for message in messages for file in message["attachments"] if file["filename"] == "answer.md")
    )


async def _hide_errors(room: Room) -> None:
    room.says("Mia", "hello!")
    await room.shows("in a minute!")
    assert "org-" not in room.transcript()


async def _buttons(room: Room) -> None:
    evening = room.evening
    room.says("Mia", "a word for rain?")
    await room.shows("(Again)")
    message = evening.last()
    evening.mia.presses(evening.general, message["id"], message["components"][0]["components"][0]["custom_id"])
    await room.shows("Mizzle.")
    await room.shows("(Again)", times=2)


async def _other_clients(room: Room) -> None:
    room.says("Mia", "what is it?")
    await room.shows("clever")
    assert room.evening.last()["message_reference"]


async def _personas(room: Room) -> None:
    room.says("Mia", "is it clear tonight?")
    await room.shows("behind the barn.")
    assert room.models.asked[0].said[0][1].startswith("You are Ren")


async def _tools_by_hand(room: Room) -> None:
    room.says("Mia", "roll for me!")
    await room.shows("Not bad.")
    assert ["user", "assistant", "tool", "tool"] == [role for role, _ in room.models.asked[1].said]
    assert all(text.isdigit() for _, text in room.models.asked[1].said[2:])


async def _images(room: Room) -> None:
    room.says("Mia", "what is teal?")
    await room.shows("sea.")
    await room.shows("teal.png")


async def _many_models(room: Room) -> None:
    room.says("Mia", "are you well?")
    await room.shows("Quite well.")
    assert ["chat/completions", "messages"] == [each.path.removeprefix("/v1/") for each in room.models.asked]


def _only_the_second(question: Question) -> Says | Refuses:
    return Says("Quite well.") if question.path.endswith("/messages") else Refuses(401, "No such key.", "auth")


TABLE = {
    "buttons": Recipe([Says("Drizzle."), Says("Mizzle.")], _buttons),
    "fewer-messages": Recipe([Says(_PACKING)], _fewer_messages),
    "hide-errors": Recipe([RATE_LIMITED], _hide_errors),
    "history": Recipe([Says(_DUNE), Says("You are welcome.")], _history),
    "images": Recipe([Says("Look:", (("paint", {"colour": "teal"}),)), Says("As green as the sea.")], _images),
    "many-models": Recipe(_only_the_second, _many_models),
    "one-answer-at-a-time": Recipe(_dark_or_blue, _one_answer_at_a_time),
    "other-clients": Recipe([Says("A fox.\n\n- red\n- clever")], _other_clients),
    "personas": Recipe([Says("Clear as glass!\nLook behind the barn.")], _personas),
    "tools-by-hand": Recipe(
        [Says("Let me roll two.", (("roll", {"sides": 20}), ("roll", {"sides": 6}))), Says("Not bad.")], _tools_by_hand
    ),
}


@asynccontextmanager
async def at_work(program: str, recipe: Recipe, patch: pytest.MonkeyPatch) -> AsyncIterator[Room]:
    """Have the bot of *program* logged in, as ``client.run`` would."""
    evening = Evening()
    async with model_server(recipe.script) as models, serve(evening.world, limits=RateLimits.off()) as server:
        for name, value in models.environment.items():
            patch.setenv(name, value)
        names: dict[str, Any] = {"__name__": "recipe"}
        exec(compile(program, "recipe", "exec", dont_inherit=True), names)  # noqa: S102  # our own words
        client: discord.Client = names["client"]
        if disnake := names.get("disnake"):
            patch.setattr(disnake.http.Route, "BASE", server.url)
        async with AsyncExitStack() as stack:
            if "openai" in names:
                stack.push_async_callback(names["openai"].close)
            stack.enter_context(models_at(models.url))
            await stack.enter_async_context(server.running(client, "sim-token"))
            yield Room(evening, server, models)


@pytest.mark.parametrize("name", TABLE)
async def test_a_recipe_shows_what_its_page_shows(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """``REWRITE_DOCS=1`` writes what is shown anew; read what has changed before you keep it."""
    recipe, page = TABLE[name], PAGES[name]
    text = page.read_text(encoding="utf-8")
    async with at_work(_program(page), recipe, monkeypatch) as room:
        await recipe.acts(room)
        shown = room.transcript()

    if os.environ.get("REWRITE_DOCS"):
        text = _SHOWN.sub(lambda _: shown, text)
        page.write_text(text, encoding="utf-8")
    assert [shown] == _SHOWN.findall(text)


def test_every_recipe_is_tested_and_listed() -> None:
    assert sorted([*TABLE, "tests"]) == sorted(PAGES)
    index = (RECIPES / "README.md").read_text(encoding="utf-8")
    assert [] == [name for name in PAGES if f"({name}.md)" not in index]


def test_the_recipe_for_tests_passes(tmp_path: Path) -> None:
    (tmp_path / "test_bot.py").write_text(_program(PAGES["tests"]), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_bot.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env=environment)

    assert "1 passed" in ran.stdout, ran.stdout + ran.stderr


def _program(page: Path) -> str:
    """The one program of *page*."""
    [program] = _PYTHON.findall(page.read_text(encoding="utf-8"))
    return str(program)
