"""Discord as a target, against a simulated one: names, replies, files, notices, and taking back. All in virtual time."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from cadenza.concurrency.stops import Stops
from cadenza.errors import DeliveryError, DeliveryKind
from cadenza.replies.reply import say
from cadenza.settings import DeliverySettings, Settings
from cadenza.sim.memory_api import WorldApi
from cadenza.sim.permissions import INVITED, Permission
from cadenza.sim.rate_limits import RateLimits
from cadenza.targets.discord.api import Button, Place
from cadenza.targets.discord.shared import DiscordState
from cadenza.targets.discord.target import DiscordTarget, ReplyTarget
from cadenza.targets.discord.webhooks import Webhooks
from cadenza.targets.target import GroupsByName, SupportsNotify, SupportsRemove, Target
from cadenza.types import Attachment, Identity, Notice, Post, Receipt, Roster, Stopped, StopReason, Urgency
from tests.discord_room import BOT_SENDS, REN, WEBHOOK_SENDS, Room, post, sent_or_error
from tests.timing import now

pytestmark = pytest.mark.looptime

NO_WEBHOOKS = INVITED & ~Permission.MANAGE_WEBHOOKS
COPIED = Identity("Mia (Ren)", "https://example.com/mia.png")
HAPPY = replace(REN, sprite="happy")
PICTURE = Attachment("table.png", b"\x89PNG")


# --- plain messages ----------------------------------------------------------------------------------


async def test_it_is_all_that_a_target_can_be() -> None:
    target: Target = Room().target()
    assert (True, True, True) == tuple(
        isinstance(target, kind) for kind in (SupportsNotify, SupportsRemove, GroupsByName)
    )
    assert target.limits.files


async def test_a_post_is_a_message_of_the_bot_and_its_receipt_says_where() -> None:
    room = Room()
    receipt = await room.target().send(post("Hello."))
    [message] = room.messages()
    url = f"https://discord.com/channels/{room.guild.id}/{room.channel}/{message['id']}"
    assert [("Cadenza", "Hello.")] == room.said()
    assert Receipt(post("Hello."), message["id"], url) == receipt


async def test_two_messages_that_say_the_same_both_arrive() -> None:
    room = Room()
    target = room.target(turn="t")
    for _ in range(3):
        await target.send(post("Ha!"))
    assert ["Ha!"] * 3 == room.texts()


async def test_two_turns_that_say_the_same_both_arrive_whether_or_not_they_are_named() -> None:
    room = Room()
    for options in ({"turn": "1"}, {"turn": "2"}, {}, {}):
        await room.target(**options).send(post("Ha!"))
    assert ["Ha!"] * 4 == room.texts()


async def test_a_nonce_is_short_enough_and_the_same_for_each_try() -> None:
    room = Room()
    room.faults.fail(BOT_SENDS, 500, times=2)
    await room.target(turn="a turn").send(post("Hello."))
    nonces = {call.request.body["nonce"] for call in room.rest.calls}
    assert (3, 1) == (len(room.rest.calls), len(nonces))
    assert all(0 < len(nonce) <= 25 for nonce in nonces)


async def test_a_blank_post_is_left_out_but_not_if_it_has_a_file() -> None:
    room = Room()
    target = room.target()
    with pytest.raises(DeliveryError, match="nothing in it") as caught:
        await target.send(post(" "))
    assert DeliveryKind.SKIPPED is caught.value.kind
    await target.send(post(" ", attachment=PICTURE))
    assert ["table.png"] == [file["filename"] for file in room.messages()[0]["attachments"]]


async def test_each_try_has_the_file() -> None:
    room = Room()
    room.faults.fail(BOT_SENDS, 502, times=2)
    await room.target().send(post("", attachment=PICTURE))
    assert [[b"\x89PNG"]] * 3 == [[file.data for file in call.request.files] for call in room.rest.calls]


async def test_a_channel_that_is_not_known_is_asked_for() -> None:
    room = Room()
    with pytest.raises(DeliveryError, match="does not exist") as caught:
        await room.target("12345").send(post("Hello."))
    assert DeliveryKind.CHANNEL_GONE is caught.value.kind


class NewcomerApi(WorldApi):
    """A Discord that has told nothing yet of any channel."""

    def known(self, channel: str, /) -> Place | None:  # noqa: ARG002  # whichever it is
        return None

    async def find(self, channel: str, /) -> Place:
        place = super().known(channel)
        await self.recent(channel)
        assert place is not None
        return place


async def test_what_stood_in_a_channel_that_was_not_known_is_not_taken_for_ours() -> None:
    room = Room()
    await room.target(persona=REN).send(post("Ha!"))  # by a process that is over
    api = NewcomerApi(room.rest, room.bot)
    room.faults.lose(WEBHOOK_SENDS, is_carried_out=False)
    await DiscordTarget(api, room.channel, shared=DiscordState(Webhooks(api), clock=now), persona=REN).send(post("Ha!"))
    assert ["Ha!", "Ha!"] == room.texts()


async def test_the_question_for_a_channel_is_asked_again_if_discord_does_not_answer() -> None:
    room = Room()
    room.faults.fail("GET /channels/*/messages", 503, times=2)
    target = DiscordTarget(NewcomerApi(room.rest, room.bot), room.channel, shared=room.shared)
    begun = now()
    await target.send(post("Hello."))
    assert (["Hello."], 4.0) == (room.texts(), pytest.approx(now() - begun))


# --- whom it calls -----------------------------------------------------------------------------------


async def test_only_whom_the_roster_knows_is_called_and_never_everybody() -> None:
    room = Room()
    kai = room.world.add_person("Kai")
    room.guild.join(kai)
    role = room.world.add_role(room.guild, "mods", mentionable=True)
    target = room.target(roster=Roster(mentions={"mia": room.mia.mention, "mods": f"<@&{role}>"}))
    text = f"@everyone @here {room.mia.mention} {kai.mention} <@&{role}>"
    await target.send(post(text))
    await target.send(post(text, REN))
    for call in room.rest.calls:
        if call.request.method == "POST" and "allowed_mentions" in (call.request.body or {}):
            allowed = call.request.body["allowed_mentions"]
            users, roles = map(str, allowed["users"]), allowed.get("roles", [])
            assert ([], [room.mia.id], []) == (allowed["parse"], list(users), roles)
    assert [{room.mia.id}] * 2 == [set(room.world.pinged(room.channel, message["id"])) for message in room.messages()]


async def test_roles_are_called_if_that_is_allowed() -> None:
    room = Room()
    role = room.world.add_role(room.guild, "mods", mentionable=True)
    target = room.target(roster=Roster(mentions={"mia": room.mia.mention, "mods": f"<@&{role}>"}))
    for settings in (DeliverySettings(mention_people=0, mention_roles=True), DeliverySettings()):
        target.allow_pings(settings)
        await target.send(post(f"{room.mia.mention} <@&{role}> @everyone"))
    calls = [
        ([user["id"] for user in message["mentions"]], message["mention_roles"], message["mention_everyone"])
        for message in room.messages()
    ]
    assert [([], [role], False), ([room.mia.id], [], False)] == calls


@pytest.mark.parametrize("granted", [INVITED, INVITED & ~Permission.ATTACH_FILES], ids=["a picture", "in words"])
async def test_a_picture_calls_nobody_but_the_text_with_it_does(granted: Permission) -> None:
    room = Room(granted=granted)
    if granted != INVITED:
        room.world.overwrite(room.channel, room.guild.everyone, deny=Permission.ATTACH_FILES)
    target = room.target(roster=Roster(mentions={"mia": room.mia.mention}))
    source = f"| a |\n|---|\n| {room.mia.mention} |"
    await target.send(replace(post("", attachment=PICTURE), source=source, picture=source))
    assert [] == [user for message in room.messages() for user in room.world.pinged(room.channel, message["id"])]
    lead_in = f"Look, {room.mia.mention}:"
    await target.send(replace(post(lead_in, attachment=PICTURE), source=f"{lead_in}\n\n{source}", picture=source))
    calling = [message for message in room.messages() if message["content"] == lead_in]
    assert [{room.mia.id}] == [set(room.world.pinged(room.channel, message["id"])) for message in calling]


# --- names -------------------------------------------------------------------------------------------


async def test_somebody_with_a_name_of_their_own_speaks_through_a_webhook() -> None:
    room = Room()
    target = room.target()
    receipt = await target.send(post("Hello.", REN))
    await target.send(post("And I am the bot."))
    assert [("Ren", "Hello."), ("Cadenza", "And I am the bot.")] == room.said()
    assert REN == receipt.identity


async def test_the_persona_of_the_target_speaks_where_a_post_does_not_say() -> None:
    room = Room()
    target = room.target(persona=REN)
    receipts = [await target.send(post("One.")), await target.send(post("Two.", COPIED))]
    assert [("Ren", "One."), ("Mia (Ren)", "Two.")] == room.said()
    assert [REN, COPIED] == [receipt.identity for receipt in receipts]


async def test_in_a_thread_the_webhook_is_that_of_its_parent() -> None:
    room = Room()
    thread = room.world.add_thread(room.channel, "tea")
    await room.target(thread, persona=REN).send(post("Hello."))
    assert ("Ren", "Hello.") == room.said(thread)[-1]
    assert "Hello." not in room.texts()
    assert [room.channel] == [
        webhook["channel_id"] for webhook in room.world.channel_webhooks(room.bot.id, room.channel)
    ]


async def test_in_direct_messages_the_name_stands_in_front_and_no_webhook_is_asked_for() -> None:
    room = Room()
    direct = room.world.open_direct(room.bot, room.mia)
    target = room.target(direct, persona=REN)
    receipts = [await target.send(post("One.")), await target.send(post("Two."))]
    assert [("Cadenza", "**Ren:** One."), ("Cadenza", "**Ren:** Two.")] == room.said(direct)
    assert [None, None] == [receipt.identity for receipt in receipts]
    assert ["One.", "Two."] == [receipt.post.said for receipt in receipts]
    assert 0 == sum("webhooks" in call.request.path for call in room.rest.calls)


async def test_without_the_right_to_webhooks_the_name_stands_in_front_and_people_are_told_once() -> None:
    room = Room(granted=NO_WEBHOOKS)
    target = room.target(persona=REN)
    await target.send(post("One."))
    await target.send(post("Two."))
    await room.target(persona=REN).send(post("Three."))
    assert ["**Ren:** One.", "**Ren:** Two.", "**Ren:** Three."] == [text for text in room.texts() if "Ren" in text]
    told = [text for text in room.texts() if "Ren" not in text]
    assert ["-# Personas cannot show their own name here; give the bot the right to manage webhooks."] == told


async def test_a_receipt_does_not_wait_long_for_people_to_be_told_why_a_name_is_missing() -> None:
    room = Room(granted=NO_WEBHOOKS)
    room.faults.delay(BOT_SENDS, 300.0, after=1)
    await room.target(persona=REN).send(post("One."))
    assert (["**Ren:** One."], 10.0) == (room.texts(), now())


async def test_a_message_counts_even_if_people_cannot_be_told_why_a_name_is_missing() -> None:
    room = Room(granted=NO_WEBHOOKS)
    room.faults.fail(BOT_SENDS, 403, 50013, after=1)
    receipt = await room.target(persona=REN).send(post("One."))
    assert (["**Ren:** One."], room.messages()[0]["id"]) == (room.texts(), receipt.message_id)


MARKDOWN = "| a | b |\n|---|---|\n| 1 | 2 |"
TABLE = replace(post("", attachment=PICTURE), source=MARKDOWN, picture=MARKDOWN)


async def test_where_no_files_may_be_sent_what_the_file_shows_is_said_in_words() -> None:
    room = Room(granted=INVITED & ~Permission.ATTACH_FILES)
    room.world.overwrite(room.channel, room.guild.everyone, deny=Permission.ATTACH_FILES)

    await room.target().send(TABLE)

    assert ["a", "b", "1", "2"] == [word for word in room.texts()[0].split() if word.isalnum()]
    assert room.shared.blocked(room.channel) is None


FILE = Attachment("reply.md", b"Three.")


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        pytest.param(
            replace(post("Here:", attachment=PICTURE), source=f"Here:\n\n{MARKDOWN}", picture=MARKDOWN),
            [["Here"], ["a", "b", "1", "2"]],
            id="a picture under its lead-in",
        ),
        pytest.param(
            replace(post("Two.", attachment=FILE), source="Two.\n\nThree."),
            [["Two"], ["Three"]],
            id="the rest of a reply",
        ),
    ],
)
async def test_words_instead_of_a_file_do_not_say_its_message_again(sent: Post, words: list[list[str]]) -> None:
    room = Room(granted=INVITED & ~Permission.ATTACH_FILES)
    room.world.overwrite(room.channel, room.guild.everyone, deny=Permission.ATTACH_FILES)

    await room.target().send(sent)

    assert words == [re.findall(r"\w+", text) for text in room.texts()]


BUTTON = Button("Show Markdown", "markdown")


@pytest.mark.parametrize("persona", [None, REN], ids=["the bot", "a webhook"])
@pytest.mark.parametrize("granted", [INVITED, NO_WEBHOOKS], ids=["with webhooks", "without"])
async def test_under_a_picture_of_a_table_there_is_the_button_that_was_asked_for(
    persona: Identity | None, granted: Permission
) -> None:
    room = Room(granted=granted)
    room.shared.may_complain(room.channel)
    target = room.target(persona=persona, table_button=BUTTON)
    receipt = await target.send(TABLE)
    await target.send(post("Hi.", attachment=PICTURE))
    picture, other = room.messages()

    assert ["markdown"] == [part["custom_id"] for row in picture["components"] for part in row["components"]]
    assert receipt.message_id == picture["id"]
    assert [] == other["components"]


async def test_a_table_without_a_button_has_none() -> None:
    room = Room()
    await room.target().send(TABLE)

    assert [] == room.messages()[0]["components"]


async def test_a_table_in_words_needs_no_button() -> None:
    room = Room(granted=INVITED & ~Permission.ATTACH_FILES)
    room.world.overwrite(room.channel, room.guild.everyone, deny=Permission.ATTACH_FILES)
    await room.target(table_button=BUTTON).send(TABLE)

    assert [[]] == [message["components"] for message in room.messages()]


async def test_where_there_are_too_many_webhooks_the_name_stands_in_front() -> None:
    room = Room()
    for number in range(15):
        room.world.create_webhook(room.mia.id, room.channel, {"name": f"hook {number}"})
    receipt = await room.target(persona=REN).send(post("One."))
    assert "**Ren:** One." == room.texts()[0]
    assert receipt.identity is None


async def test_a_message_that_gets_too_long_with_its_name_is_two_and_both_are_taken_back() -> None:
    room = Room(granted=NO_WEBHOOKS)
    target = room.target(persona=Identity("N" * 78))
    room.shared.may_complain(room.channel)
    text = "word " * 389 + "word"
    receipt = await target.send(post(text))
    first, second = room.messages()
    assert text.split() == " ".join(room.texts()).removeprefix("**" + "N" * 78 + ":** ").split()
    assert (first["id"], post(text)) == (receipt.message_id, receipt.post)
    assert first["id"] != second["id"]
    await target.remove(receipt)
    assert [] == room.texts()


async def test_a_person_whose_name_cannot_be_shown_is_never_spoken_for_by_the_bot() -> None:
    room = Room(granted=NO_WEBHOOKS)
    with pytest.raises(DeliveryError, match="nobody else may speak for them"):
        await room.target(persona=Identity("Mia"), is_strict=True).send(post("Hello."))
    assert [] == room.texts()


@pytest.mark.parametrize("status", [404, 500, 403])
async def test_whatever_fails_the_bot_never_speaks_for_somebody_strict(status: int) -> None:
    room = Room()
    room.faults.fail(WEBHOOK_SENDS, status, 10015 if status == 404 else 0, every=1)
    with pytest.raises(DeliveryError):
        await room.target(persona=Identity("Mia"), is_strict=True).send(post("Hello."))
    assert (0, []) == (room.calls(f"POST /channels/{room.channel}/messages"), room.texts())


async def test_a_name_that_discord_does_not_take_becomes_a_plainer_one() -> None:
    room = Room()
    errors = {"username": {"_errors": [{"code": "USERNAME_INVALID", "message": "no"}]}}
    room.faults.fail(WEBHOOK_SENDS, 400, 50035, fields=errors)
    receipt = await room.target(persona=Identity("R€n ☆")).send(post("Hello."))
    assert [("Rn", "Hello.")] == room.said()
    assert "Rn" == (receipt.identity.name if receipt.identity else None)


# --- replies -----------------------------------------------------------------------------------------


async def test_the_first_message_answers_and_the_next_does_not() -> None:
    room = Room()
    question = room.mia.says(room.channel, "Tea?")
    target = room.target()
    await target.send(post("Yes.", reply=question))
    await target.send(post("Please."))
    references = [message.get("message_reference") for message in room.messages()[1:]]
    assert [question, None] == [reference and reference["message_id"] for reference in references]


async def test_an_answer_to_a_message_that_was_deleted_is_a_plain_message() -> None:
    room = Room()
    question = room.mia.says(room.channel, "Tea?")
    room.mia.deletes(room.channel, question)
    await room.target().send(post("Yes.", reply=question))
    assert ["Yes."] == room.texts()


async def test_a_message_of_another_channel_is_not_answered() -> None:
    room = Room()
    other = room.world.add_channel(room.guild, "other")
    question = room.mia.says(other, "Tea?")
    reply_target = ReplyTarget(question, "Mia", channel=other)
    await room.target(reply_target=reply_target).send(post("Yes.", reply=question))
    assert (["Yes."], None) == (room.texts(), room.messages()[0].get("message_reference"))


async def test_a_bot_that_may_not_read_the_history_answers_with_a_plain_message() -> None:
    room = Room()
    question = room.mia.says(room.channel, "Tea?")
    room.world.overwrite(room.channel, room.bot, deny=Permission.READ_MESSAGE_HISTORY)
    await room.target().send(post("Yes.", reply=question))
    assert "Yes." == room.texts()[-1]
    assert room.messages()[-1].get("message_reference") is None


def answering(room: Room) -> ReplyTarget:
    question = room.mia.says(room.channel, "Tea?")
    return ReplyTarget(question, "Mia", "https://example.com/mia.png", f"https://discord.com/channels/1/2/{question}")


async def test_a_webhook_shows_what_it_answers_first() -> None:
    room = Room()
    asked = answering(room)
    target = room.target(persona=REN, reply_target=asked)
    await target.send(post("Yes.", reply=asked.message))
    await target.send(post("Please."))
    _, notice, answer, last = room.messages()
    [embed] = notice["embeds"]
    assert ("Replying to Mia", asked.url, asked.author_icon) == tuple(
        embed["author"][key] for key in ("name", "url", "icon_url")
    )
    assert [("Ren", ""), ("Ren", "Yes."), ("Ren", "Please.")] == room.said()[1:]
    assert (asked.url, [], []) == (embed["url"], answer["embeds"], last["embeds"])


@pytest.mark.parametrize(
    ("identity", "is_shown"), [(HAPPY, True), (COPIED, False), (None, False)], ids=["a sprite", "a copy", "the bot"]
)
async def test_what_is_answered_is_shown_for_a_sprite_of_the_persona_only(
    identity: Identity | None,
    is_shown: bool,  # noqa: FBT001  # a column of the table
) -> None:
    room = Room()
    asked = answering(room)
    await room.target(reply_target=asked).send(post("Yes.", identity, reply=asked.message))
    assert is_shown == any(message["embeds"] for message in room.messages())


async def test_what_is_answered_is_shown_once_a_turn_even_if_that_failed() -> None:
    room = Room()
    asked = answering(room)
    room.faults.fail(WEBHOOK_SENDS, 400, 50035)
    target = room.target(persona=REN, reply_target=asked)
    await target.send(post("Yes.", reply=asked.message))
    await target.send(post("Please.", reply=asked.message))
    assert ["Tea?", "Yes.", "Please."] == room.texts()


async def test_what_is_answered_is_not_shown_to_stay_if_the_answer_never_arrives() -> None:
    room = Room()
    asked = answering(room)
    room.faults.fail(WEBHOOK_SENDS, 400, 200000, after=1)
    with pytest.raises(DeliveryError, match="filter"):
        await room.target(persona=REN, reply_target=asked).send(post("Yes.", reply=asked.message))
    assert ["Tea?"] == room.texts()


async def test_what_is_answered_is_taken_back_even_if_nobody_said_that_it_was_shown() -> None:
    room = Room()
    asked = answering(room)
    room.faults.lose(WEBHOOK_SENDS)
    target = room.target(persona=REN, reply_target=asked)
    receipt = await target.send(post("Yes.", reply=asked.message))
    assert ["Tea?", "", "Yes."] == room.texts()
    await target.remove(receipt)
    assert ["Tea?"] == room.texts()


@pytest.mark.parametrize("persona", [None, REN], ids=["bot", "webhook"])
async def test_if_the_first_message_is_left_out_the_next_one_answers(persona: Identity | None) -> None:
    room = Room()
    asked = answering(room)
    target = room.target(persona=persona, reply_target=asked)
    match, spared = (BOT_SENDS, 0) if persona is None else (WEBHOOK_SENDS, 1)
    room.faults.fail(match, 400, 200000, after=spared)
    await sent_or_error(target, post("One.", reply=asked.message), post("Two."), post("Three."))
    if persona is None:
        assert ["Tea?", "Two.", "Three."] == room.texts()
        assert [True, False] == [bool(message.get("message_reference")) for message in room.messages()[1:]]
    else:
        assert ["Tea?", "", "Two.", "Three."] == room.texts()


async def test_where_there_is_no_webhook_nothing_is_shown_and_the_bot_answers() -> None:
    room = Room(granted=NO_WEBHOOKS)
    room.shared.may_complain(room.channel)
    asked = answering(room)
    await room.target(persona=REN, reply_target=asked).send(post("Yes.", reply=asked.message))
    assert ["Tea?", "**Ren:** Yes."] == room.texts()
    assert asked.message == room.messages()[-1]["message_reference"]["message_id"]


async def test_if_nobody_can_tell_whether_it_was_shown_the_answer_is_sent_all_the_same() -> None:
    room = Room()
    asked = answering(room)
    room.faults.lose(WEBHOOK_SENDS)
    room.faults.fail("GET /channels/*/messages", 403, 50013)
    await room.target(persona=REN, reply_target=asked).send(post("Yes.", reply=asked.message))
    assert ["Tea?", "", "Yes."] == room.texts()


async def test_if_the_bot_speaks_instead_it_answers_itself() -> None:
    room = Room()
    asked = answering(room)
    room.faults.fail(WEBHOOK_SENDS, 403, 99999, after=1)
    await room.target(persona=REN, reply_target=asked).send(post("Yes.", reply=asked.message))
    assert ["Tea?", "**Ren:** Yes."] == room.texts()
    assert asked.message == room.messages()[-1]["message_reference"]["message_id"]


# --- taking back -------------------------------------------------------------------------------------


async def test_messages_are_taken_back_each_by_who_sent_it() -> None:
    room = Room()
    target = room.target()
    receipts = [await target.send(post("As the bot.")), await target.send(post("As Ren.", REN))]
    for receipt in receipts:
        await target.remove(receipt)
    assert [] == room.texts()
    assert (1, 1) == (room.calls("DELETE /channels/"), room.calls("DELETE /webhooks/"))


async def test_what_a_message_answers_goes_with_it_and_is_shown_again_with_the_next() -> None:
    room = Room()
    asked = answering(room)
    target = room.target(persona=REN, reply_target=asked)
    await target.remove(await target.send(post("Yes.", reply=asked.message)))
    assert ["Tea?"] == room.texts()
    await target.send(post("No.", reply=asked.message))
    assert ["Tea?", "", "No."] == room.texts()


async def test_a_message_of_a_turn_before_is_taken_back_too() -> None:
    room = Room()
    receipts = [await room.target(persona=REN).send(post("One.")), await room.target().send(post("Two."))]
    for receipt in receipts:
        await room.target().remove(receipt)
    assert [] == room.texts()


async def test_a_message_that_is_gone_already_counts_as_taken_back() -> None:
    room = Room()
    target = room.target()
    receipts = [
        await target.send(post("One.")),
        await target.send(post("Two.", REN)),
        await target.send(post("Three.")),
    ]
    for message in room.messages()[:2]:
        room.world.delete_message(room.mia.id, room.channel, message["id"])
    for receipt in receipts:
        await target.remove(receipt)
    assert [] == room.texts()
    assert 3 == room.calls("DELETE /channels/")  # the webhook's was asked for by the channel as well


async def test_a_message_that_cannot_be_taken_back_is_an_error_and_blocks_nothing() -> None:
    room = Room()
    target = room.target()
    receipt = await target.send(post("One."))
    room.faults.fail("DELETE /channels/*/messages/*", 403, 50013)
    with pytest.raises(DeliveryError):
        await target.remove(receipt)
    assert (["One."], None) == (room.texts(), room.shared.blocked(room.channel))


async def test_what_could_not_be_taken_back_can_be_tried_again_with_all_that_belongs_to_it() -> None:
    room = Room(granted=NO_WEBHOOKS)
    room.shared.may_complain(room.channel)
    target = room.target(persona=Identity("N" * 78))
    receipt = await target.send(post("word " * 389 + "word"))
    room.faults.fail("DELETE /channels/*/messages/*", 500, after=1, times=3)
    with pytest.raises(DeliveryError):
        await target.remove(receipt)
    await target.remove(receipt)
    assert [] == room.texts()


async def test_a_webhooks_message_of_a_turn_before_is_taken_back_where_there_is_no_webhook_any_more() -> None:
    room = Room()
    receipt = await room.target(persona=REN).send(post("One."))
    room.shared.webhooks.invalidate(room.channel)
    room.faults.fail("* /channels/*/webhooks", 403, 50013, every=1)
    room.faults.fail("GET /webhooks/*/*", 404, 10015, every=1)
    await room.target().remove(receipt)
    assert [] == room.texts()


# --- notices and typing ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("notice", "content", "embed"),
    [
        (Notice("A small thing."), "-# A small thing.", None),
        (Notice("It broke.", Urgency.ERROR, "Oh no"), "", ("Oh no", "It broke.")),
        (Notice("It broke.", tips=("Try again.",)), "", (None, "It broke.\n- Try again.")),
    ],
    ids=["small", "loud", "with tips"],
)
async def test_a_notice_is_the_bots_own_and_silent(
    notice: Notice, content: str, embed: tuple[str | None, str] | None
) -> None:
    room = Room()
    await room.target(persona=REN).notify(notice)
    [message] = room.messages()
    assert (content, "Cadenza") == (message["content"], message["author"]["username"])
    assert message["flags"] & 4096
    shown = [(part.get("title"), part["description"]) for part in message["embeds"]]
    assert ([embed] if embed else []) == shown


async def test_a_notice_calls_nobody() -> None:
    room = Room()
    target = room.target(roster=Roster(mentions={"mia": room.mia.mention}))
    await target.notify(Notice(f"@everyone {room.mia.mention}"))
    assert not room.world.pinged(room.channel, room.messages()[0]["id"])


async def test_typing_is_shown_and_never_fails() -> None:
    room = Room()
    target = room.target()
    await target.typing(REN)
    assert [room.bot.id] == room.world.typists(room.channel)
    room.faults.fail("POST /channels/*/typing", 403, 50013)
    await target.typing(None)
    await room.target("12345").typing(None)
    assert room.shared.blocked(room.channel) is None


# --- what it says of itself ----------------------------------------------------------------------------


async def test_it_says_which_channel_it_is_and_what_was_said_there_last() -> None:
    room = Room()
    target = room.target()
    assert (room.channel, None) == (target.channel, target.last_message_id)
    receipt = await target.send(post("One."))
    assert receipt.message_id == target.last_message_id
    assert room.mia.says(room.channel, "Two.") == target.last_message_id


async def test_it_says_how_many_messages_discord_takes() -> None:
    room = Room(limits=RateLimits())
    target = room.target()
    assert target.allowance(None) is None
    await target.send(post("One."))
    allowance = target.allowance(None)
    assert allowance is not None
    assert (4, 5) == (allowance.left, allowance.limit)
    assert 0 < allowance.seconds <= 5.0


async def test_it_says_how_many_messages_a_webhook_takes() -> None:
    room = Room(limits=RateLimits())
    target = room.target(persona=REN)
    assert target.allowance(None) is None
    await target.send(post("One."))
    allowance = target.allowance(None)
    assert allowance is not None
    assert (4, 5) == (allowance.left, allowance.limit)


async def test_a_webhook_and_the_bot_are_counted_apart() -> None:
    room = Room(limits=RateLimits())
    target = room.target()
    for text in ("One.", "Two."):
        await target.send(post(text, REN))
    await target.send(post("Three."))
    allowances = [target.allowance(REN), target.allowance(None)]
    assert [3, 4] == [allowance and allowance.left for allowance in allowances]


async def test_where_a_name_cannot_be_shown_what_the_bot_may_send_counts() -> None:
    room = Room(limits=RateLimits())
    direct = room.world.open_direct(room.bot, room.mia)
    target = room.target(direct, persona=REN)
    await target.send(post("One."))
    allowance = target.allowance(None)
    assert 4 == (allowance and allowance.left)


# --- whole replies -------------------------------------------------------------------------------------


async def test_a_reply_ends_quietly_where_its_channel_is_gone() -> None:
    room = Room()
    room.faults.fail(BOT_SENDS, 404, 10003, after=1)
    reply = await say(room.target(), "One.\nTwo.\nThree.", settings=Settings.of(degree=1))
    assert (Stopped(StopReason.CHANNEL_GONE), "One.", ["One."]) == (reply.outcome, reply.transcript, room.texts())


async def test_a_stop_does_not_wait_for_a_message_that_discord_does_not_take_yet() -> None:
    room, stops = Room(), Stops()
    room.faults.fail(BOT_SENDS, 429, 20028, retry_after=30.0, after=1)
    asyncio.get_running_loop().call_later(2.0, stops.request, "turn")
    with stops.open("turn") as handle:
        reply = await say(room.target(), "One.\nTwo.\nThree.", settings=Settings.of(degree=1), stop=handle)
    assert (2.0, Stopped(StopReason.USER), "One.") == (now(), reply.outcome, reply.transcript)
    assert (["One."], ()) == (room.texts(), reply.notices)


async def test_a_reply_goes_on_after_a_filter_and_says_what_is_missing() -> None:
    room = Room()
    room.faults.fail(BOT_SENDS, 400, 200000, after=1)
    reply = await say(room.target(), "One.\nTwo.\nThree.", settings=Settings.of(degree=1))
    missing = "A part of this answer is missing: a filter of this server did not let it through."
    assert ("One.\nThree.", ["One.", "", "Three."]) == (reply.transcript, room.texts())
    assert missing == room.messages()[1]["embeds"][0]["description"]
    assert [missing] == [notice.text for notice in reply.notices]


# --- laws ----------------------------------------------------------------------------------------------


WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Cf", "Zs", "Zl", "Zp")), min_size=1, max_size=30
)


@given(st.lists(st.tuples(WORDS, st.sampled_from([None, REN, HAPPY, COPIED])), min_size=1, max_size=6))
def test_what_is_sent_stands_there_in_order_and_calls_nobody(lines: list[tuple[str, Identity | None]]) -> None:
    async def run() -> Room:
        room = Room()
        await sent_or_error(room.target(), *(post(text + " @everyone", identity) for text, identity in lines))
        return room

    room = asyncio.run(run())
    assert [text + " @everyone" for text, _ in lines] == room.texts()
    assert not any(message["mention_everyone"] or message["mentions"] for message in room.messages())
