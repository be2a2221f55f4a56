"""What everything that is said through one client shares."""

from __future__ import annotations

import asyncio
import gc
import weakref

import discord
import pytest
from discord.ext import commands

from cadenza.replies.speaker import Speaker
from cadenza.sim.permissions import Permission
from cadenza.targets.discord.api import Place, PlaceKind
from cadenza.targets.discord.webhooks import NoWebhook
from cadenza.targets.discord_py.channel_info import room_of
from cadenza.targets.discord_py.client_state import ClientState
from cadenza.types import Boundary, Identity, Post
from tests.bot.evening import Evening, at_work

pytestmark = pytest.mark.timeout(60)

SOON = 30.0


def heard(client: commands.Bot, event: str) -> asyncio.Future[None]:
    """Done when *event* was told to all who listened before: discord.py tells one after the other."""
    told: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def listen(*_: object) -> None:
        client.remove_listener(listen, event)
        told.set_result(None)

    client.add_listener(listen, event)
    return told


async def test_a_client_has_one_home() -> None:
    one, other = (discord.Client(intents=discord.Intents.none()) for _ in range(2))

    assert ClientState.of(one) is ClientState.of(one)
    assert ClientState.of(one) is not ClientState.of(other)


async def test_a_home_goes_with_its_client() -> None:
    client = discord.Client(intents=discord.Intents.none())
    client_state = weakref.ref(ClientState.of(client))
    del client
    gc.collect()

    assert client_state() is None


async def test_a_webhook_that_somebody_deleted_is_not_used_again() -> None:
    async with at_work(Evening()) as evening:
        client_state = ClientState.of(evening.client)
        place = Place(evening.general, PlaceKind.CHANNEL, guild=evening.guild.id)
        made = heard(evening.client, "on_webhooks_update")
        webhook = await client_state.shared.webhooks.get(place)
        await asyncio.wait_for(made, SOON)
        told = heard(evening.client, "on_webhooks_update")
        evening.world.delete_webhook(evening.mia.id, webhook.id)
        await asyncio.wait_for(told, SOON)

        assert webhook.id != (await client_state.shared.webhooks.get(place)).id


async def test_a_channel_that_is_gone_has_no_webhook_any_more() -> None:
    async with at_work(Evening()) as evening:
        client_state = ClientState.of(evening.client)
        place = Place(evening.general, PlaceKind.CHANNEL, guild=evening.guild.id)
        await client_state.shared.webhooks.get(place)
        told = heard(evening.client, "on_guild_channel_delete")
        evening.world.delete_channel(evening.mia.id, evening.general)
        await asyncio.wait_for(told, SOON)
        asked = len(evening.server.rest.calls)

        with pytest.raises(NoWebhook):
            await client_state.shared.webhooks.get(place)

        assert len(evening.server.rest.calls) > asked


async def test_a_post_of_an_answer_shows_what_it_answers_where_a_webhook_speaks() -> None:
    async with at_work(Evening()) as evening:
        client_state = ClientState.of(evening.client)
        question = asyncio.create_task(evening.client.wait_for("message", timeout=SOON))
        await asyncio.sleep(0)
        asked = evening.mia.says(evening.general, "Hi!")
        target = await client_state.target(await room_of(await question), persona=Identity("Ren"))

        receipt = await target.send(Post("Hello.", Boundary.FINAL, reply=asked))
        await client_state.close()

        assert Identity("Ren") == receipt.identity
        notice, answer = evening.world.messages(evening.general)[1:]
        assert "Mia" in str(notice["embeds"])
        assert ("Ren", "Hello.") == (answer["author"]["username"], answer["content"])


# --- where nothing can be said ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("denied", "reasons"),
    [
        pytest.param(Permission(0), (None, None), id="all is well"),
        pytest.param(Permission.SEND_MESSAGES, ("missing_permissions", None), id="not in the channel"),
        pytest.param(Permission.SEND_MESSAGES_IN_THREADS, (None, "missing_permissions"), id="not in its threads"),
    ],
)
async def test_t75_what_the_bot_may_not_is_known_before_a_model_is_asked(
    denied: Permission, reasons: tuple[str | None, str | None]
) -> None:
    evening = Evening()
    thread = evening.world.add_thread(evening.general, "aside")
    evening.world.overwrite(evening.general, evening.bot, deny=denied)
    async with at_work(evening):
        places = [evening.client.get_channel(int(channel)) for channel in (evening.general, thread)]
        asked = len(evening.server.rest.calls)

        assert [*reasons] == [await Speaker().blocked(place) for place in places]
        assert asked == len(evening.server.rest.calls)


async def test_t75_what_was_refused_is_remembered_until_something_arrives() -> None:
    async with at_work(Evening()) as evening:
        place, speaker = evening.client.get_channel(int(evening.general)), Speaker()
        evening.faults.fail("POST /channels/*/messages", 403, 50013, times=1)
        reasons = []
        for _ in range(2):
            await speaker.say(place, "Hello.")
            reasons.append(await speaker.blocked(place))

        assert ["missing_permissions", None] == reasons


async def test_t78_a_bot_that_is_timed_out_may_not_speak_whatever_its_roles() -> None:
    async with at_work(Evening()) as evening:
        place, told = evening.client.get_channel(int(evening.general)), heard(evening.client, "on_member_update")
        evening.world.time_out(evening.guild, evening.bot, 60.0)
        await asyncio.wait_for(told, SOON)

        assert "missing_permissions" == await Speaker().blocked(place)


async def test_a_thread_of_whose_channel_nothing_is_known_may_be_tried() -> None:
    evening = Evening()
    number = int(evening.world.add_thread(evening.general, "aside"))
    evening.world.overwrite(evening.general, evening.bot, deny=Permission.SEND_MESSAGES_IN_THREADS)
    async with at_work(evening):
        thread = evening.client.get_channel(number)
        assert isinstance(thread, discord.Thread)
        thread.parent_id = 12345

        assert await Speaker().blocked(thread) is None


async def test_a_person_and_a_channel_that_nobody_has_heard_of_may_be_tried() -> None:
    async with at_work(Evening()) as evening:
        places = [evening.client.get_user(int(evening.mia.id)), evening.client.get_partial_messageable(12345)]

        assert [None, None] == [await Speaker().blocked(place) for place in places]
