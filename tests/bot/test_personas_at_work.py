"""Characters in the whole bot: whoever comes on a card is talked to, renamed, dressed and made to greet."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable
from typing import Any

import pytest

from cadenza.bot.characters import png
from cadenza.bot.reply_controls import Asker, ControlRefused
from cadenza.sim.wire import File, Json
from cadenza.types import Prompt
from tests.bot.bot_room import BotRoom, bot_room

pytestmark = pytest.mark.timeout(60)

BEA: dict[str, Any] = {
    "spec": "chara_card_v3",
    "spec_version": "3.0",
    "data": {
        "name": "Bea Smith",
        "nickname": "Bee",
        "description": "{{char}} likes {{user}}.",
        "first_mes": "*waves* Hello {{user}}!\n\nI am {{char}}.",
        "mes_example": "<START>\n{{user}}: Sting?\n{{char}}: Buzz.",
        "post_history_instructions": "Stay {{char}}.",
        "character_book": {"entries": [{"keys": ["tea"], "content": "@@depth 4\nTea is {{char}}'s.", "enabled": True}]},
        "extensions": {"depth_prompt": {"prompt": "{{user}} is shy.", "depth": 1, "role": "system"}},
    },
}
CARD = png.with_texts(png.plain("Bea"), {"ccv3": b64encode(json.dumps(BEA).encode()).decode()})


async def _use(room: BotRoom, name: str, /, **options: Any) -> str:
    """Let Mia use a command; gives back what she is told."""
    used = room.mia.commands(room.general, name, **options)
    await room.until(lambda: _told(room, used))
    await room.quiet()
    return str(_told(room, used)[-1]["content"])


def _told(room: BotRoom, used: str) -> list[Json]:
    answers = (one for one in room.world.messages(room.general) if _interaction(one) == used)
    return [one for one in answers if one["content"]]


def _interaction(message: Json) -> str:
    return str((message.get("interaction_metadata") or {}).get("id", ""))


def _seen(room: BotRoom) -> list[tuple[str, str]]:
    """Who said what, commands aside."""
    return [(one["author"]["username"], one["content"]) for one in room.ours() if not _interaction(one)]


async def _says(room: BotRoom, text: str, **options: Any) -> None:
    room.mia.says(room.general, text, **options)
    await room.heard()
    await room.quiet()


async def test_whoever_comes_on_a_card_greets_and_talks_as_it_says() -> None:
    lines = ["Bee (sad): Oh.\nBee: Well."]
    async with bot_room(lambda _: lines) as room:
        assert "Bea Smith was imported." == await _use(room, "persona import", file=File("bea.png", CARD))
        picture = File("sad.png", png.plain("sad"))
        await _use(room, "sprite add", persona="Bea Smith", name="sad", image=picture)
        assert "Bea Smith will say a greeting." == await _use(room, "persona greet", name="Bea Smith")
        assert [("Bea Smith", "*waves* Hello Mia!"), ("Bea Smith", "I am Bee.")] == _seen(room)
        greeting, *_ = (one for one in room.ours() if one["content"] == "I am Bee.")
        assert greeting["author"]["avatar"]

        await _says(room, "Bee, some tea?")  # the name by which she goes calls her as well

        prompt, told = room.model.prompts[-1], [turn.text for turn in room.model.prompts[-1].turns]
        assert "Bee likes Mia." in prompt.system
        assert "Tea is Bee's." in prompt.system
        assert ["Mia: Sting?", "Buzz.", "*waves* Hello Mia!\nI am Bee."] == told[2:5]
        assert ["Mia is shy." in told[5], "tea?" in told[6], "Stay Bee." in told[7]] == [True] * 3
        assert ["Oh.", "Well."] == [text for _, text in _seen(room)[2:]]  # what only the model writes nobody sees
        faces = [one["author"]["avatar"] for one in room.ours() if one["content"] in ("Oh.", "Well.")]
        assert 2 == len({*faces, greeting["author"]["avatar"]})


async def test_a_greeting_waits_its_turn_can_be_stopped_and_is_explained() -> None:
    def slowly(prompt: Prompt) -> Iterable[str | float]:
        yield f"I am {prompt.speaker}.\n"
        yield 0.2
        yield "Yes."

    async with bot_room(slowly) as room:
        await _use(room, "persona import", file=File("bea.png", CARD))
        room.mia.says(room.general, "Kira, who are you?")
        await room.until(lambda: _seen(room))
        await _use(room, "persona greet", name="Bea Smith")
        names = ["Kira", "Kira", "Bea Smith", "Bea Smith"]
        assert names == [name for name, _ in _seen(room)]
        last = room.ours()[-1]["id"]
        assert await room.services.explanations.about(last) is not None
        asker = Asker(room.mia.id, may_manage=True)
        assert ControlRefused.NOTHING_THERE is await room.bot.control.regenerate(room.general, asker, message=last)
        assert not room.bot.pending

        channel = room.bot.get_channel(int(room.general))
        room.mia.says(room.general, "Kira, again?")
        await room.until(lambda: len(_seen(room)) > 4)
        await room.bot.control.greet(channel, asker, persona="Bea Smith", text="Hello.")  # type: ignore[arg-type]
        assert 1 == getattr(room.bot.control.stop(room.general, asker), "cleared", None)
        await room.quiet()
        assert "Hello." not in room.answers()


async def test_nobody_greets_where_they_may_not_speak() -> None:
    async with bot_room(lambda _: ["Yes."]) as room:
        await _use(room, "persona import", file=File("bea.png", CARD))
        await _use(room, "persona here", names="Kira, Miko", first="Miko")
        told = await _use(room, "persona greet", name="Bea Smith")
        assert "This character does not speak in this channel; see /persona here and /config show." == told
        await room.asks("who is there?")
        assert [("Miko", "Yes.")] == _seen(room)


async def test_who_is_renamed_keeps_what_they_said_and_where_they_speak() -> None:
    async with bot_room(lambda prompt: [f"I am {prompt.speaker}."]) as room:
        await _use(room, "persona here", names="Kira, Miko")
        await _says(room, "Kira, who are you?")
        said = next(one["id"] for one in room.ours() if one["content"] == "I am Kira.")
        await _use(room, "persona set", name="Kira", new_name="Kirana")

        await _says(room, "And now?", reply_to=said)

        assert [("Kira", "I am Kira."), ("Kirana", "I am Kirana.")] == _seen(room)
        assert "I am Kira." in [turn.text for turn in room.model.prompts[-1].turns]  # her own words, not somebody's
        await room.asks("who is there?")
        assert "Ren" not in [prompt.speaker for prompt in room.model.prompts]
