"""What people do: the files of a command go to the options that want them."""

from __future__ import annotations

import base64
import io
import json

import pytest

from cadenza.errors import InputError
from cadenza.play.server import actions
from cadenza.play.server.request_types import SayBody, Upload
from tests.play.server.playing import HEADERS, playing

CARD = b'{"name": "Pia", "description": "A pianist."}'


async def test_a_file_is_given_to_a_command() -> None:
    async with playing() as play:
        name = next(
            option["name"]
            for command in (await play.get("/api/state"))["commands"]
            if command["name"] == "persona import"
            for option in command["options"]
            if option["kind"] == "file"
        )
        sent = actions.say(play.live, SayBody(play.general, "/persona import", files=(Upload("../pia.json", CARD),)))

        await play.until(lambda: play.world.is_answered(sent["interaction"]))
        await play.until(lambda: "Pia" in str(play.world.messages(play.general)))
        assert name
        with pytest.raises(InputError, match="takes 1 file"):
            actions.say(
                play.live, SayBody(play.general, "/persona import", files=(Upload("a", CARD), Upload("b", CARD)))
            )


async def test_a_name_in_a_text_calls_who_has_it() -> None:
    async with playing() as play:
        id_ = actions.say(play.live, SayBody(play.general, "@mia, look"))["id"]

        said = play.world.get_message(play.play_world.me.id, play.general, id_)["content"]
        assert f"{play.play_world.people[1].mention}, look" == said
        await play.quiet()


async def test_files_of_8_mb_can_be_sent() -> None:
    file = {"name": "night.bin", "data": base64.b64encode(bytes(8 << 20)).decode()}
    async with playing() as play:
        body = io.BytesIO(json.dumps({"channel": play.general, "text": "Look", "files": [file]}).encode())
        headers = {**HEADERS, "Content-Type": "application/json"}
        async with play.http.post(f"{play.url}/api/say", data=body, headers=headers) as response:
            assert 200 == response.status
            id_ = (await response.json())["id"]

        said = play.world.get_message(play.play_world.me.id, play.general, id_)
        assert [8 << 20] == [one["size"] for one in said["attachments"]]
        await play.quiet()
