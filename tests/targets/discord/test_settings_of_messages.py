"""What the settings of the delivery say about messages in Discord: silence, previews, pings, and the form of notices."""

from __future__ import annotations

import pytest

import cadenza
from cadenza.settings import Settings
from cadenza.sim.wire import Json
from cadenza.targets.discord.target import ReplyTarget
from cadenza.types import Identity, Notice, Persona, Scene, Urgency
from tests.discord_room import Room

NO_PREVIEWS, SILENT = 1 << 2, 1 << 12
BOXED = Notice("It failed.", Urgency.ERROR, "Sorry", ("Try again.",))


async def said(*, persona: Identity | None = None, **settings: object) -> tuple[Room, Json]:
    """A reply to Mia, and its message."""
    room = Room()
    asked = room.mia.says(room.channel, "Hi!")
    target = room.target(persona=persona, reply_target=ReplyTarget(asked, "Mia"))
    scene = Scene(room.channel, Persona("Ren"), reply_to=asked)
    await cadenza.say(target, "See https://example.org.", scene=scene, settings=Settings.of(**settings))
    return room, room.messages()[-1]


@pytest.mark.parametrize("persona", [None, Identity("Ren")], ids=["bot", "persona"])
@pytest.mark.parametrize(
    ("settings", "flags"),
    [
        pytest.param({}, 0, id="as it is"),
        pytest.param({"silent": True}, SILENT, id="silent"),
        pytest.param({"suppress_embeds": True}, NO_PREVIEWS, id="without previews"),
        pytest.param({"silent": True, "suppress_embeds": True}, SILENT | NO_PREVIEWS, id="both"),
    ],
)
async def test_messages_have_their_flags(settings: dict[str, object], flags: int, persona: Identity | None) -> None:
    _, message = await said(persona=persona, **settings)

    assert flags == message["flags"] & (SILENT | NO_PREVIEWS)


@pytest.mark.parametrize("is_pinged", [False, True])
async def test_the_person_who_is_answered_is_pinged_only_if_that_is_set(is_pinged: bool) -> None:  # noqa: FBT001  # a table
    room, message = await said(mention_author=is_pinged)

    assert [room.mia.id] * is_pinged == [person["id"] for person in message["mentions"]]


@pytest.mark.parametrize(
    ("notices", "notice", "text", "boxes"),
    [
        pytest.param("embed", BOXED, "", 1, id="a box"),
        pytest.param("text", BOXED, "-# **Sorry**\n-# It failed.\n-# Try again.", 0, id="small print"),
        pytest.param("embed", Notice("One line."), "-# One line.", 0, id="a line"),
        pytest.param("text", Notice("One line."), "-# One line.", 0, id="a line as text"),
    ],
)
async def test_a_notice_has_the_form_that_is_set(notices: str, notice: Notice, text: str, boxes: int) -> None:
    room = Room()
    target = room.target()
    target.allow_pings(Settings.of(notices=notices).delivery)

    await target.notify(notice)

    [message] = room.messages()
    assert (text, boxes) == (message["content"], len(message["embeds"]))
    assert message["flags"] & SILENT
