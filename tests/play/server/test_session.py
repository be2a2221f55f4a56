"""A session: it begins with what a file says, ends at once, and says what keeps it from beginning."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from cadenza.errors import CadenzaError
from cadenza.play.server import session
from cadenza.play.server.session import Playground, Wanted
from tests.bot.premises import configured
from tests.play.server.guest import lines
from tests.play.server.playing import PATIENCE, playing

FILE = """
[models]
default = "script:answer.jsonl"
[settings]
degree = 1
[[personas]]
name = "Vesper"
main = true
"""


async def test_the_cast_the_model_and_the_settings_are_those_of_the_file(tmp_path: Path) -> None:
    async with playing(Wanted(configured(tmp_path, FILE))) as play:
        assert ["Hello."] == await play.answered("Good evening")

        assert play.live.current.now.models.default == "script:answer.jsonl"
        assert 1 == play.live.begins_with.settings.delivery.degree
        assert play.world.messages(play.general)[-1]["author"]["username"] == play.play_world.channels[-1].name
        await play.post("/api/model", {"name": "guide"})
        assert "Hello!" == (await play.answered("Good evening"))[0]


async def test_a_file_that_is_not_right_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(CadenzaError):
        async with Playground(Wanted(configured(tmp_path, "[models]\ndefault = 7\n"))):
            pytest.fail("it began")


async def test_it_ends_in_the_middle_of_a_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_GOODBYE", PATIENCE)  # whoever has not ended by then is cancelled
    async with playing(gated=True) as play:
        await play.held("Tell me a long story", lines("story")[0])

    assert not play.playground.running.cancelled()
    assert play.playground.running.exception() is None


async def test_a_world_that_begins_anew_has_another_session_and_nobody_gets_the_old_one() -> None:
    async with playing() as play:
        old = play.live

        await asyncio.gather(play.playground.reset(), play.playground.reset())

        new = await play.playground.live()
        assert old.session != new.session
        assert old.world is not new.world
        assert old.reel.is_over
        assert not new.reel.is_over


async def test_a_bot_that_ends_by_itself_comes_again_in_a_new_world() -> None:
    async with playing() as play:
        await play.live.running_client.client.close()
        async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
            group.create_task(play.live.reel.news(1_000_000))

        assert play.live.session != (await play.playground.live()).session


async def test_a_file_that_is_not_right_any_more_leaves_the_world_as_it_is(tmp_path: Path) -> None:
    file = configured(tmp_path, FILE)
    async with playing(Wanted(file)) as play:
        file.write_text("[models]\ndefault = 7\n")

        answer = await play.post("/api/reset", {}, status=400)

        assert "models" in answer["error"]
        assert play.live is await play.playground.live()
        assert ["Hello."] == await play.answered("Good evening")
