"""``cadenza.say`` to whatever a bot of discord.py has in its hands, over loopback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import discord
import pytest
from discord import app_commands
from discord.ext import commands

import cadenza
from cadenza.errors import DeliveryError, InputError
from cadenza.sim.channels import ChannelKind
from cadenza.sim.rate_limits import Quota, RateLimits
from cadenza.types import Boundary, Completed, Persona, Post, Receipt, Reply, Roster, Scene
from tests.bot.evening import Evening, at_work

pytestmark = pytest.mark.timeout(60)

AT_ONCE = cadenza.Settings.of(degree=1)
TEXT = "Hello.\n\nHow are you?"
SAID = ["Hello.", "How are you?"]
SOON = 30.0


@pytest.fixture
async def evening() -> AsyncIterator[Evening]:
    async with at_work(Evening()) as evening:
        yield evening


async def say(place: Any, stream: Any = TEXT, **more: Any) -> Reply:
    said = await cadenza.say(place, stream, settings=AT_ONCE, **more)
    assert isinstance(said.outcome, Completed), said.outcome
    return said


def ids(receipts: tuple[Receipt, ...]) -> list[str]:
    return [receipt.message_id for receipt in receipts]


async def tokens() -> AsyncIterator[str]:
    for word in TEXT.split(" "):
        yield word + " "


# --- places ----------------------------------------------------------------------------------------


PLACES = [
    pytest.param(lambda e: e.general, id="text channel"),
    pytest.param(lambda e: e.world.add_channel(e.guild, "v", kind=ChannelKind.VOICE), id="voice channel"),
    pytest.param(lambda e: e.world.add_thread(e.general, "aside"), id="thread"),
    pytest.param(
        lambda e: e.world.add_post(e.world.add_channel(e.guild, "f", kind=ChannelKind.FORUM), "p", "Why?", e.mia),
        id="post of a forum",
    ),
]


@pytest.mark.parametrize("make", PLACES)
@pytest.mark.parametrize("stream", [lambda: TEXT, tokens], ids=["text", "stream"])
async def test_a_channel_is_spoken_to(make: Callable[[Evening], str], stream: Callable[[], Any]) -> None:
    evening = Evening()
    channel = make(evening)
    async with at_work(evening):
        said = await say(evening.client.get_channel(int(channel)), stream())

        assert SAID == evening.texts(channel)[-2:]
        assert ids(said.receipts) == [message["id"] for message in evening.world.messages(channel)[-2:]]


async def test_a_channel_that_is_only_known_by_its_number_is_spoken_to(evening: Evening) -> None:
    await say(evening.client.get_partial_messageable(int(evening.general)))

    assert SAID == evening.texts()


async def test_a_message_is_answered_once(evening: Evening) -> None:
    waiting = asyncio.create_task(evening.client.wait_for("message", timeout=SOON))
    await asyncio.sleep(0)
    asked = evening.mia.says(evening.general, "Hi!")

    await say(await waiting)

    first, second = evening.world.messages(evening.general)[1:]
    assert asked == first["message_reference"]["message_id"]
    assert "message_reference" not in second


@pytest.mark.parametrize("as_member", [True, False], ids=["member", "user"])
async def test_a_person_is_written_to(as_member: bool, evening: Evening) -> None:  # noqa: FBT001  # a table
    guild = evening.client.get_guild(int(evening.guild.id))
    assert guild is not None
    person = guild.get_member(int(evening.mia.id)) if as_member else evening.client.get_user(int(evening.mia.id))
    assert person is not None

    await say(person)
    assert person.dm_channel is not None
    await say(person.dm_channel, "Bye.")

    assert [*SAID, "Bye."] == evening.texts(evening.world.open_direct(evening.bot, evening.mia))


async def test_who_takes_no_messages_is_an_error_with_its_code(evening: Evening) -> None:
    person = evening.client.get_user(int(evening.mia.id))
    evening.faults.fail("POST /users/@me/channels", 403, 50278, times=1)

    with pytest.raises(DeliveryError) as caught:
        await cadenza.say(person, TEXT)

    assert 50278 == caught.value.code


async def test_a_context_is_spoken_to(evening: Evening) -> None:
    done = asyncio.get_running_loop().create_future()

    @evening.client.command()
    async def ask(context: commands.Context[commands.Bot]) -> None:
        done.set_result(await say(context))

    evening.mia.says(evening.general, "!ask")
    await asyncio.wait_for(done, SOON)

    assert ["!ask", *SAID] == evening.texts()


async def test_a_forum_is_no_place_to_speak_in() -> None:
    evening = Evening()
    forum = evening.world.add_channel(evening.guild, "f", kind=ChannelKind.FORUM)
    async with at_work(evening):
        with pytest.raises(InputError, match="but in a post"):
            await cadenza.say(evening.client.get_channel(int(forum)), TEXT)


async def test_a_server_is_no_place_to_speak_in(evening: Evening) -> None:
    with pytest.raises(InputError, match="in a Guild"):
        await cadenza.say(evening.client.guilds[0], TEXT)


# --- interactions ------------------------------------------------------------------------------------


async def answered(evening: Evening, answer: Callable[[discord.Interaction[Any]], Awaitable[object]]) -> None:
    """Have a slash command used, and *answer* it."""
    done = asyncio.get_running_loop().create_future()
    tree: app_commands.CommandTree[Any] = evening.client.tree

    @tree.command(name="ask", description="Ask.")
    async def ask(interaction: discord.Interaction[Any]) -> None:
        try:
            done.set_result(await answer(interaction))
        except Exception as error:  # noqa: BLE001  # it is raised where it is waited for
            done.set_exception(error)

    await tree.sync()
    evening.mia.commands(evening.general, "ask")
    await asyncio.wait_for(done, SOON)


async def test_an_interaction_is_answered_by_follow_ups(evening: Evening) -> None:
    await answered(evening, say)

    assert SAID == evening.texts()
    [callback] = evening.bodies("POST /interactions/")
    assert 5 == callback["type"]  # people see that there will be an answer
    assert [] == evening.bodies("POST /channels/")


async def test_an_interaction_that_is_over_is_an_error_with_its_code(evening: Evening) -> None:
    evening.faults.fail("POST /interactions/**", 404, 10062, times=1)

    with pytest.raises(DeliveryError) as caught:
        await answered(evening, say)

    assert 10062 == caught.value.code


async def test_an_interaction_that_has_its_first_sign_is_answered_too(evening: Evening) -> None:
    async def deferred(interaction: discord.Interaction[Any]) -> None:
        await interaction.response.defer(thinking=True)
        await say(interaction)

    await answered(evening, deferred)

    assert SAID == evening.texts()


async def test_what_began_before_one_pair_of_eyes_goes_on_there(evening: Evening) -> None:
    async def whispered(interaction: discord.Interaction[Any]) -> None:
        await interaction.response.send_message("Psst:", ephemeral=True)
        await say(interaction)

    await answered(evening, whispered)

    follow_ups = evening.bodies("POST /webhooks/")
    assert SAID == [body["content"] for body in follow_ups]
    assert [64, 64] == [body["flags"] for body in follow_ups]


@pytest.mark.parametrize("is_carried_out", [True, False])
async def test_a_follow_up_whose_answer_was_lost_is_there_once(is_carried_out: bool, evening: Evening) -> None:  # noqa: FBT001  # a table
    evening.faults.lose("POST /webhooks/*/*", times=1, is_carried_out=is_carried_out)

    await answered(evening, say)

    assert SAID == evening.texts()


async def test_a_context_of_a_slash_command_is_answered_as_an_interaction(evening: Evening) -> None:
    done = asyncio.get_running_loop().create_future()

    @evening.client.hybrid_command()
    async def ask(context: commands.Context[commands.Bot]) -> None:
        """Ask."""
        done.set_result(await say(context))

    await evening.client.tree.sync()
    evening.mia.commands(evening.general, "ask")
    await asyncio.wait_for(done, SOON)

    assert SAID == evening.texts()
    assert 2 == len(evening.bodies("POST /webhooks/"))


# --- whom it calls --------------------------------------------------------------------------------------


async def test_members_who_are_named_are_called_and_nobody_else(evening: Evening) -> None:
    role = evening.world.add_role(evening.guild, "crew", mentionable=True)
    text = f"@everyone @Mia <@{evening.tom.id}> <@123456789012345678> <@&{role}>, look!"

    await say(evening.client.get_channel(int(evening.general)), text)

    [message] = evening.world.messages(evening.general)
    assert f"@everyone <@{evening.mia.id}> <@{evening.tom.id}>" in message["content"]
    assert {evening.mia.id, evening.tom.id} == {user["id"] for user in message["mentions"]}
    assert ([], False) == (message["mention_roles"], message["mention_everyone"])


async def test_the_settings_say_how_many_people_are_called_and_whether_roles_are() -> None:
    evening = Evening()
    role = evening.world.add_role(evening.guild, "Crew", mentionable=True)
    evening.world.add_role(evening.guild, "secret")
    evening.world.add_role(evening.guild, "Mia", mentionable=True)
    async with at_work(evening):
        channel = evening.client.get_channel(int(evening.general))
        for text, chosen in (
            ("@crew, @secret, @Mia, @Tom, @everyone!", {"mention_roles": True}),
            ("@crew, @Mia!", {"mention_people": 0}),
            ("@Mia, @Tom!", {"mention_people": 1}),
        ):
            await cadenza.say(channel, text, settings=AT_ONCE.with_values(chosen))

    first, second, third = evening.world.messages(evening.general)
    assert f"<@&{role}>, @secret, <@{evening.mia.id}>, <@{evening.tom.id}>, @everyone!" == first["content"]
    assert ([role], False) == (first["mention_roles"], first["mention_everyone"])
    assert f"@crew, <@{evening.mia.id}>!" == second["content"]
    called = [[user["id"] for user in message["mentions"]] for message in (first, second, third)]
    assert [[evening.mia.id, evening.tom.id], [], [evening.mia.id]] == called


async def test_roles_are_called_with_a_scene_of_ones_own_too() -> None:
    evening = Evening()
    crew, cooks, _ = (
        evening.world.add_role(evening.guild, name, mentionable=True) for name in ("crew", "cooks", "Zoe")
    )
    secret = evening.world.add_role(evening.guild, "secret")
    zoe = "<@123456789012345678>"
    scene = Scene("", Persona("Ren"), roster=Roster(mentions={"zoe": zoe}))
    async with at_work(evening):
        channel = evening.client.get_channel(int(evening.general))
        for is_allowed in (True, False):
            chosen = AT_ONCE.with_values({"mention_roles": is_allowed})
            text = f"@crew, <@&{cooks}>, <@&{secret}>, @zoe, @here!"
            await cadenza.say(channel, text, scene=scene, settings=chosen)

    first, second = evening.world.messages(evening.general)
    assert f"<@&{crew}>, <@&{cooks}>, <@&{secret}>, {zoe}, @here!" == first["content"]
    assert [crew, cooks] == first["mention_roles"]
    assert f"@crew, <@&{cooks}>, <@&{secret}>, {zoe}, @here!" == second["content"]
    assert [] == second["mention_roles"]


async def test_whoever_the_scene_knows_may_be_called_too(evening: Evening) -> None:
    scene = Scene("", Persona("Ren"), roster=Roster(mentions={"zoe": "<@123456789012345678>"}))

    await say(evening.client.get_channel(int(evening.general)), "Hi @zoe!", scene=scene)

    [body] = evening.bodies("POST /channels/{channel}/messages")
    assert [123456789012345678] == body["allowed_mentions"]["users"]


async def test_the_emoji_of_the_server_are_found() -> None:
    evening = Evening()
    emoji = evening.world.add_emoji(evening.guild, "wave")
    async with at_work(evening):
        await say(evening.client.get_channel(int(evening.general)), "Hello there :wave:")

    assert ["Hello there", f"<:wave:{emoji}>"] == evening.texts()


# --- speakers -------------------------------------------------------------------------------------------


async def test_a_persona_speaks_under_its_own_name(evening: Evening) -> None:
    ren = Persona("Ren", avatar="https://example.org/ren.png", is_alter=True)
    async with cadenza.Speaker(evening.client, settings=AT_ONCE, persona=ren) as speaker:
        said = await speaker.say(evening.client.get_channel(int(evening.general)), TEXT)

    assert [("Ren", text) for text in SAID] == [
        (message["author"]["username"], message["content"]) for message in evening.world.messages(evening.general)
    ]
    assert {"Ren"} == {receipt.identity.name for receipt in said.receipts if receipt.identity}


async def test_the_persona_of_a_scene_speaks_under_its_own_name_too(evening: Evening) -> None:
    scene = Scene("", Persona("Ren", is_alter=True))

    await say(evening.client.get_channel(int(evening.general)), "Hi.", scene=scene)

    assert ["Ren"] == [message["author"]["username"] for message in evening.world.messages(evening.general)]


async def test_all_speakers_of_a_client_share_its_webhooks(evening: Evening) -> None:
    ren = Persona("Ren", is_alter=True)
    for _ in range(2):
        async with cadenza.Speaker(settings=AT_ONCE, persona=ren) as speaker:
            await speaker.say(evening.client.get_channel(int(evening.general)), "Hi.")

    assert 1 == len(evening.bodies("POST /channels/{channel}/webhooks"))
    assert 1 == len(evening.statuses("GET /channels/{channel}/webhooks"))


async def test_a_speaker_gives_a_target_for_a_whole_reply(evening: Evening) -> None:
    channel = evening.client.get_channel(int(evening.general))
    async with cadenza.Speaker(evening.client) as speaker, cadenza.scripted(lambda _: [TEXT]) as model:
        target = await speaker.target(channel)
        said = await cadenza.reply(Scene("", Persona("Ren")), model, target, settings=AT_ONCE)

    assert isinstance(said.outcome, Completed)
    assert SAID == evening.texts()


async def test_the_settings_of_a_speaker_hold_for_its_target_until_a_reply_has_its_own(evening: Evening) -> None:
    channel, nobody = evening.client.get_channel(int(evening.general)), AT_ONCE.with_values({"mention_people": 0})
    async with cadenza.Speaker(evening.client, settings=nobody) as speaker:
        target = await speaker.target(channel)
        await target.send(Post(f"<@{evening.mia.id}>", Boundary.FINAL))
        await cadenza.say(target, f"<@{evening.mia.id}>", settings=AT_ONCE)

    called = [[user["id"] for user in message["mentions"]] for message in evening.world.messages(evening.general)]
    assert [[], [evening.mia.id]] == called


async def test_the_end_of_a_speaker_waits_for_what_discord_py_holds() -> None:
    limits = RateLimits(Quota("POST /channels/*/messages", 1, 2.0))
    async with at_work(Evening(), limits=limits) as evening:
        clock = asyncio.get_running_loop().time
        begun = clock()
        async with cadenza.Speaker(evening.client, settings=AT_ONCE) as speaker:
            await speaker.say(evening.client.get_channel(int(evening.general)), "Hi.")
            known = clock() - begun

        assert known < 1.5 < clock() - begun


# --- every word once -------------------------------------------------------------------------------------

LONG = "One.\n\nTwo.\n\nThree.\n\nThree."


@pytest.mark.parametrize(
    ("every", "has_gateway"),
    [(1, True), (2, True), (3, True), (2, False), (3, False)],
    ids=["all", "half", "a third", "half, without echoes", "a third, without echoes"],
)
@pytest.mark.parametrize("persona", [None, Persona("Ren", is_alter=True)], ids=["bot", "webhook"])
async def test_every_word_arrives_once_however_many_answers_are_lost(
    every: int,
    has_gateway: bool,  # noqa: FBT001  # a table
    persona: Persona | None,
) -> None:
    intents = discord.Intents.default()
    intents.message_content = True
    intents.messages = has_gateway
    async with at_work(Evening(), intents=intents) as evening:
        for match in ("POST /channels/*/messages", "POST /webhooks/*/*"):
            evening.faults.lose(match, every=every)
        async with cadenza.Speaker(settings=AT_ONCE, persona=persona) as speaker:
            said = await speaker.say(evening.client.get_channel(int(evening.general)), LONG)

        assert isinstance(said.outcome, Completed)
        assert LONG.split("\n\n") == evening.texts()
        assert ids(said.receipts) == [message["id"] for message in evening.world.messages(evening.general)]


@pytest.mark.parametrize("persona", [None, Persona("Ren", is_alter=True)], ids=["bot", "webhook"])
async def test_a_long_reply_keeps_within_the_limits(persona: Persona | None) -> None:
    limits = RateLimits(Quota("POST /channels/*/messages", 2, 0.5), Quota("POST /webhooks/*/*", 2, 0.5))
    async with at_work(Evening(), limits=limits) as evening:
        async with cadenza.Speaker(settings=AT_ONCE, persona=persona) as speaker:
            await speaker.say(evening.client.get_channel(int(evening.general)), LONG)

        assert LONG.split() == " ".join(evening.texts()).split()  # some of it together
        assert 429 not in evening.statuses("POST /")
