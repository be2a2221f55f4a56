"""Faces of webhooks: each speaker under their own, no word lost for want of one. In virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from random import Random

import pytest

from cadenza.sim.rate_limits import RateLimits
from cadenza.targets.discord.api import ApiError, Outgoing
from cadenza.targets.discord.avatars import (
    INSTEAD,
    AvatarImage,
    Delivery,
    Held,
    Instead,
    LastDelivery,
    Link,
    SpeakerKind,
    SpokenBy,
    Stored,
    avatar,
    past,
)
from cadenza.types import Identity
from tests.targets.persona_stage import EDIT, LIST, MAKE, SAY, PersonaStage, picture
from tests.timing import now

pytestmark = pytest.mark.looptime

REN = SpokenBy("ren")
MIA = SpokenBy("mia")
SPRITE = SpokenBy("ren", SpeakerKind.IDENTITY_SPRITE)
COPIED = SpokenBy("ren", SpeakerKind.COPIED)
NOBODY = SpokenBy(None)
URL = "https://faces.example/ren.png"
BOT = "https://faces.example/bot.png"
A, B, C = picture("a"), picture("b"), picture("c")


# --- what a text means ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(f" {URL}\n", Link(URL), id="an address, trimmed"),
        pytest.param("HTTP://faces.example/a", Link("http://faces.example/a"), id="in small letters"),
        pytest.param(None, None, id="none"),
        pytest.param("", None, id="nothing"),
        pytest.param("🦊", None, id="an emoji"),
        pytest.param("faces/ren.png", None, id="a path"),
        pytest.param("file:///faces/ren.png", None, id="a file"),
        pytest.param("https://", None, id="an address without a host"),
        pytest.param("https://a b", None, id="an address with a space"),
        pytest.param("https://[x/", None, id="an address that is broken"),
        pytest.param("data:text/plain,hi", None, id="data that are no picture"),
        pytest.param("data:image/png;base64,", None, id="an empty picture"),
        pytest.param("data:image/png;base64,A", None, id="a broken picture"),
    ],
)
def test_what_can_be_a_face(text: str | None, expected: Link | None) -> None:
    assert expected == avatar(text)


@pytest.mark.parametrize(
    "text", ["data:image/png;base64,aGk=", "DATA:image/png,h%69", "data:image/png;x=y;base64,aGk="]
)
def test_a_picture_is_known_by_what_it_holds(text: str) -> None:
    found = avatar(text)

    assert isinstance(found, AvatarImage)
    assert b"hi" == found.data
    assert found == avatar("data:image/gif,hi")
    assert found != avatar("data:image/gif,ho")


def test_a_picture_that_is_too_large_is_none() -> None:
    assert avatar("data:image/png," + "x" * (10 * 2**20 + 1)) is None


# --- the table ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("speaker", "last", "held", "expected"),
    [
        pytest.param(SPRITE, Delivery(SPRITE, Link(URL)), "a", Instead.WAIT, id="a sprite that is somebody"),
        pytest.param(COPIED, Delivery(COPIED, "a"), "a", Instead.WAIT, id="a copied face"),
        pytest.param(NOBODY, Delivery(NOBODY, "a"), "a", Instead.WAIT, id="nobody knows who"),
        pytest.param(REN, None, "a", Instead.WAIT, id="nothing was said"),
        pytest.param(REN, Delivery(NOBODY, "a"), "a", Instead.WAIT, id="after nobody knows whom"),
        pytest.param(REN, Delivery(MIA, "a"), "a", Instead.WAIT, id="after another persona"),
        pytest.param(REN, Delivery(SPRITE, "a"), "a", Instead.WAIT, id="after a sprite that is somebody"),
        pytest.param(REN, Delivery(COPIED, Link(URL)), "a", Instead.WAIT, id="after a copied face"),
        pytest.param(REN, Delivery(REN, Link(BOT), is_bot=True), "a", Instead.BOT_AVATAR, id="after the bot"),
        pytest.param(
            REN, Delivery(REN, None, is_bot=True), "a", Instead.WAIT, id="after a bot whose face is not known"
        ),
        pytest.param(MIA, Delivery(REN, Link(BOT), is_bot=True), "a", Instead.WAIT, id="after the bot as another"),
        pytest.param(REN, Delivery(REN, "a"), "a", Instead.STORED_AVATAR, id="its picture is there"),
        pytest.param(REN, Delivery(REN, "a"), "b", Instead.WAIT, id="its picture is not there any more"),
        pytest.param(REN, Delivery(REN, "a"), Stored.NOTHING, Instead.WAIT, id="no picture is there any more"),
        pytest.param(REN, Delivery(REN, "a"), Stored.UNKNOWN, Instead.WAIT, id="who knows what is there"),
        pytest.param(REN, Delivery(REN, Link(URL)), "b", Instead.PREVIOUS_URL, id="its face has an address"),
        pytest.param(REN, Delivery(REN, None), Stored.NOTHING, Instead.WAIT, id="it had no face"),
    ],
)
def test_which_face_is_shown_instead(speaker: SpokenBy, last: Delivery | None, held: Held, expected: Instead) -> None:
    """T38."""
    assert expected is INSTEAD[past(speaker, last, held)]


def test_the_table_has_a_row_for_everything() -> None:
    assert set(LastDelivery) == set(INSTEAD)


# --- storing --------------------------------------------------------------------------------------


async def test_a_picture_is_stored_only_when_it_changes() -> None:
    """T34."""
    stage = PersonaStage()

    for face in (A, A, B):
        await stage.say("Ren", face)

    assert [A, B] == stage.stored()
    assert ["Ren"] * 3 == [said["username"] for said in stage.spoken()]
    assert [None] * 3 == [said.get("avatar_url") for said in stage.spoken()]
    assert [LIST, MAKE, EDIT, SAY, SAY, EDIT, SAY] == stage.asked()


async def test_who_has_no_face_does_not_wear_anothers() -> None:
    """T35."""
    stage = PersonaStage()

    await stage.say("Ren", A)
    await stage.say("Mia")
    await stage.say("Kay", "🦊")

    assert [A, None] == stage.stored()
    assert [EDIT, SAY, EDIT, SAY, SAY] == stage.asked(EDIT, SAY)


async def test_a_picture_that_was_there_before_us_is_taken_away_too() -> None:
    stage = PersonaStage()
    await stage.say("Ren", A)
    stage.restart()

    await stage.say("Mia")

    assert [A, None] == stage.stored()


async def test_a_face_with_an_address_travels_with_the_message() -> None:
    """T36: it waits for nobody."""
    stage = PersonaStage()
    await stage.webhooks.get(stage.place())
    stage.faults.delay("PATCH /webhooks/*/*", 3.0)

    slow = asyncio.create_task(stage.say("Mia", A))
    await asyncio.sleep(1)
    await stage.say("Ren", URL)

    assert 1.0 == now()
    await slow
    assert [URL, None] == [said.get("avatar_url") for said in stage.spoken()]
    assert [A] == stage.stored()


@pytest.mark.parametrize("channel", ["", "thread"])
async def test_nothing_is_said_between_storing_a_face_and_speaking_under_it(channel: str) -> None:
    """T37: a thread shares the webhook of its channel."""
    stage = PersonaStage()
    await stage.webhooks.get(stage.place())
    stage.faults.delay("* /webhooks/*/*", 1.0)

    await asyncio.gather(
        stage.say("Ren", A), stage.say("Mia", B, channel=stage.thread if channel else ""), stage.say("Kay")
    )

    assert [EDIT, SAY, EDIT, SAY, EDIT, SAY] == stage.asked(EDIT, SAY)
    assert [A, B, None] == stage.stored()


async def test_storing_is_no_reason_to_ask_whether_the_webhook_is_there() -> None:
    stage = PersonaStage()

    for face in (A, B, A):
        await stage.say("Ren", face)

    assert [LIST, MAKE, *[EDIT, SAY] * 3] == stage.asked()


async def test_what_somebody_else_stored_is_replaced() -> None:
    stage = PersonaStage()
    await stage.say("Ren", A)

    stage.world.edit_webhook(stage.ada.id, stage.held()[0]["id"], {"avatar": B})
    await stage.say("Ren", A)

    assert [A, A] == stage.stored()


async def test_what_somebody_else_stored_is_replaced_even_before_the_webhook_is_asked_for() -> None:
    stage = PersonaStage()
    await stage.say("Ren", A)
    place = stage.place()
    webhook = await stage.webhooks.get(place)

    stage.world.edit_webhook(stage.ada.id, webhook.id, {"avatar": B})
    await stage.webhooks.send(place, webhook, Identity("Ren", A), Outgoing("hi"), speaker=REN)

    assert [A, A] == stage.stored()


async def test_a_webhook_that_says_it_holds_nothing_is_believed() -> None:
    stage = PersonaStage()
    await stage.say("Ren")
    stage.made_by_others("News")

    await stage.say("Ren")

    assert [] == stage.stored()


# --- nobody wears another's face ------------------------------------------------------------------

CAST = {"Ren": (A, B), "Mia": (C,), "Kay": (None,), "Joe": (URL,), "Zoe": (BOT, picture("d"))}


@pytest.mark.parametrize("limits", [RateLimits.off, RateLimits], ids=["without limits", "with limits"])
@pytest.mark.parametrize("seed", range(5))
async def test_however_they_speak_at_once_nobody_wears_the_face_of_another(
    seed: int, limits: Callable[[], RateLimits]
) -> None:
    dice, stage = Random(seed), PersonaStage(limits=limits())
    stage.faults.delay("* /webhooks/*/*", 0.5)

    async def speak() -> None:
        name = dice.choice(list(CAST))
        face, channel = dice.choice(CAST[name]), dice.choice([stage.channel, stage.thread])
        await asyncio.sleep(dice.uniform(0, 20))
        await stage.say(name, face, channel=channel)

    await asyncio.gather(*(speak() for _ in range(30)))

    worn = stage.worn(stage.channel, stage.thread)
    faces = [face for own in worn.values() for face in own]
    assert len(faces) == len(set(faces))
    assert {None} == worn.get("Kay", {None})
    assert all(len(own) <= len(CAST[name]) for name, own in worn.items())
    assert 30 == len(stage.spoken())
    assert 1 == stage.tried(LIST)


# --- under a rate limit ---------------------------------------------------------------------------


async def limited(*faces: str) -> PersonaStage:
    """A stage on which the webhook cannot be changed again for a minute, after Ren wore *faces*."""
    stage = PersonaStage(limits=RateLimits())
    for face in faces:
        await stage.say("Ren", face, speaker=REN)
    return stage


async def test_a_persona_is_seen_as_before_when_its_new_face_would_take_long() -> None:
    """T39: the name is the new one, and the next message tries again."""
    stage = await limited(A, B)

    await stage.say("R\u0435n", C, speaker=REN)
    at = now()
    await asyncio.sleep(60)
    await stage.say("Ren", C, speaker=REN)

    assert at < 5
    assert [A, B, C] == stage.stored()
    assert ["Ren", "Ren", "R\u0435n", "Ren"] == [said["username"] for said in stage.spoken()]
    assert [None] * 4 == [said.get("avatar_url") for said in stage.spoken()]


async def test_what_was_shown_instead_counts_as_seen() -> None:
    """T39: two messages in a row may be put off."""
    stage = await limited(A, B)

    await stage.say("Ren", C, speaker=REN)
    await stage.say("Ren", A, speaker=REN)

    assert [A, B] == stage.stored()
    assert now() < 5
    assert 4 == len(stage.spoken())


async def test_how_somebody_was_seen_in_a_thread_counts_there() -> None:
    stage = PersonaStage(limits=RateLimits())

    for face in (A, B, C):
        await stage.say("Ren", face, speaker=REN, channel=stage.thread)

    assert [A, B] == stage.stored()


async def test_a_persona_is_seen_at_its_last_address_when_a_picture_would_take_long() -> None:
    stage = await limited(A, B, URL)

    await stage.say("Ren", C, speaker=REN)

    assert [None, None, URL, URL] == [said.get("avatar_url") for said in stage.spoken()]


async def test_a_persona_is_seen_as_the_bot_if_that_spoke_for_it_last() -> None:
    """T52: what the webhook said before does not count any more."""
    stage = await limited(A, B)
    stage.webhooks.note_bot(stage.channel, REN, avatar_url=BOT)

    await stage.say("Ren", C, speaker=REN)

    assert BOT == stage.spoken()[-1]["avatar_url"]
    assert now() < 5


@pytest.mark.parametrize(
    "speaker",
    [pytest.param(SPRITE, id="T40"), pytest.param(COPIED, id="a copied face"), pytest.param(MIA, id="another")],
)
async def test_somebody_else_is_never_seen_with_a_face_that_is_not_theirs(speaker: SpokenBy) -> None:
    stage = await limited(A, B)

    await stage.say("Obo (Ren)", C, speaker=speaker)

    assert [A, B, C] == stage.stored()
    assert 59 < now() < 65
    assert 3 == len(stage.spoken())


async def test_the_bot_without_an_address_is_no_face_to_show() -> None:
    stage = await limited(A, B)
    stage.webhooks.note_bot(stage.channel, REN)

    await stage.say("Ren", C, speaker=REN)

    assert [A, B, C] == stage.stored()


async def test_how_somebody_was_seen_in_another_channel_does_not_count() -> None:
    """T49."""
    stage = await limited(A, B)

    await stage.say("Ren", C, speaker=REN, channel=stage.thread)

    assert [A, B, C] == stage.stored()


@pytest.mark.parametrize(("seconds", "is_shown"), [(599, True), (661, False)])
async def test_how_somebody_was_seen_counts_for_ten_minutes(
    seconds: float,
    is_shown: bool,  # noqa: FBT001  # a case of the table
) -> None:
    """T50."""
    stage = await limited(URL)
    await asyncio.sleep(seconds)
    stage.faults.storm("PATCH /webhooks/*/*", 30.0, times=1)

    await stage.say("Ren", A, speaker=REN)

    assert (URL if is_shown else None) == stage.spoken()[-1].get("avatar_url")


async def test_only_so_many_channels_are_remembered() -> None:
    avatars = PersonaStage().webhooks._avatars

    for number in (*range(1999), 0, 1999, 2000):
        avatars.note_bot(str(number), REN, BOT)

    seen = Delivery(REN, Link(BOT), is_bot=True)
    assert [seen, None, seen] == [avatars.last(channel) for channel in ("0", "1", "2000")]
    assert 2000 == len(avatars._last)
    await asyncio.sleep(601)
    avatars.note_bot("new", REN, BOT)
    assert 1 == len(avatars._last)


async def test_a_short_wait_is_waited_out() -> None:
    stage = PersonaStage()
    stage.faults.storm("PATCH /webhooks/*/*", 4.0, times=1)

    await stage.say("Ren", A)

    assert [A] == stage.stored()
    assert 4.0 == pytest.approx(now())


# --- when storing fails ---------------------------------------------------------------------------


async def test_a_picture_that_is_refused_is_left_out_and_not_tried_again() -> None:
    stage = PersonaStage()
    await stage.say("Ren", A)
    stage.faults.fail("PATCH /webhooks/*/*", 400, 50035)

    for _ in range(3):
        await stage.say("Mia", B)

    assert [A, None] == stage.stored()
    assert 3 == stage.tried(EDIT)
    assert 4 == len(stage.spoken())
    assert {None} == stage.worn()["Mia"]


async def test_only_so_many_pictures_that_were_refused_are_remembered() -> None:
    stage = PersonaStage()
    stage.faults.fail("PATCH /webhooks/*/*", 413, 40005, every=1)

    for number in range(2001):
        await stage.say("Ren", picture(str(number)))

    assert 2000 == len(stage.webhooks._avatars._refused)


async def test_the_words_arrive_although_no_face_can_be_stored() -> None:
    stage = PersonaStage()
    stage.faults.fail("PATCH /webhooks/*/*", 503, every=1)

    await stage.say("Mia", B)

    assert ["hi"] == [said["content"] for said in stage.spoken()]


async def test_the_face_of_another_that_could_not_be_changed_does_not_become_ones_own() -> None:
    stage = PersonaStage()
    await stage.say("Ren", A)
    stage.faults.storm("PATCH /webhooks/*/*", 100.0)

    await stage.say("Mia", B)
    stage.faults.clear()
    stage.faults.storm("PATCH /webhooks/*/*", 60.0, times=1)
    await stage.say("Mia", B)

    assert [A, B] == stage.stored()


async def test_when_nobody_knows_what_is_stored_it_is_stored_again() -> None:
    stage = PersonaStage()
    stage.faults.lose("PATCH /webhooks/*/*", times=2)
    await stage.say("Ren", A)

    await stage.say("Ren", A)

    assert [A] == stage.stored()
    assert 3 == stage.tried(EDIT)


async def test_when_nobody_knows_what_is_stored_it_is_taken_away() -> None:
    stage = PersonaStage()
    stage.faults.lose("PATCH /webhooks/*/*", times=2)
    await stage.say("Ren", A)

    await stage.say("Mia")

    assert [None] == stage.stored()
    assert {None} == stage.worn()["Mia"]


@pytest.mark.parametrize(("status", "code"), [(404, 10015), (401, 50027), (401, 40001)])
async def test_a_webhook_that_is_lost_is_found_out_while_storing(status: int, code: int) -> None:
    stage = PersonaStage()
    await stage.say("Ren")
    stage.faults.fail("PATCH /webhooks/*/*", status, code)

    with pytest.raises(ApiError) as refused:
        await stage.say("Ren", A)

    assert code == refused.value.code
    assert 1 == stage.tried(SAY)


async def test_who_is_banned_does_not_ask_again() -> None:
    stage = PersonaStage()
    await stage.webhooks.get(stage.place())
    stage.faults.ban()

    with pytest.raises(ApiError) as refused:
        await stage.say("Ren", A)

    assert refused.value.is_ban
    assert 1 == stage.tried(EDIT, SAY)


# --- names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("Clyde the Bard", "\u0421lyde the Bard", id="T109"),
        pytest.param("x" * 90 + " (Ren)", "x" * 71 + "... (Ren)", id="T110"),
        pytest.param("\u200b", "Persona", id="T112"),
    ],
)
async def test_every_name_is_one_that_discord_takes(name: str, expected: str) -> None:
    stage = PersonaStage()

    await stage.say(name)

    assert [expected] == [
        message["author"]["username"] for message in stage.world.messages(stage.channel) if "webhook_id" in message
    ]
