from __future__ import annotations

import pytest

from cadenza.sim.wire import File
from tests.sim.tearoom import Tearoom, wrong_field


@pytest.fixture
def room() -> Tearoom:
    return Tearoom()


def test_a_file_is_kept_and_described(room: Tearoom) -> None:
    payload = {"attachments": [{"id": 0, "filename": "tea.png", "description": "A cup"}]}
    files = [File("blob", b"\x89PNG", "image/png")]

    (attachment,) = room.world.create_message(room.bot.id, room.channel, payload, files)["attachments"]

    assert ("tea.png", 4, "image/png", "A cup") == tuple(
        attachment[name] for name in ("filename", "size", "content_type", "description")
    )
    assert b"\x89PNG" == room.world.file(attachment["id"])
    assert f"https://cdn.discordapp.com/attachments/{room.channel}/{attachment['id']}/tea.png" == attachment["url"]


def test_what_is_not_described_has_the_name_it_came_with(room: Tearoom) -> None:
    (attachment,) = room.world.create_message(room.bot.id, room.channel, {}, [File("a.txt", b"")])["attachments"]

    assert "a.txt" == attachment["filename"]
    assert "description" not in attachment


def test_files_lie_where_the_server_says(room: Tearoom) -> None:
    room.world.state.cdn = "http://127.0.0.1:1"

    (attachment,) = room.world.create_message(room.bot.id, room.channel, {}, [File("a.txt", b"")])["attachments"]

    assert attachment["url"].startswith("http://127.0.0.1:1/attachments/")


def test_the_files_that_stay_are_a_list(room: Tearoom) -> None:
    message = room.sends()["id"]

    assert "attachments" == wrong_field(
        lambda: room.world.edit_message(room.bot.id, room.channel, message, {"attachments": {}})
    )
