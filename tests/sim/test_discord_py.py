"""The real discord.py over loopback: whatever it does with Discord, it does with ours."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import discord
import pytest
from discord import app_commands
from discord.ext import commands

from cadenza.sim.intents import Intent
from cadenza.sim.rate_limits import RateLimits
from cadenza.sim.server import Server, serve
from cadenza.sim.sessions import GatewayRules
from tests.leaps import leaping
from tests.sim.places import Place, until

pytestmark = pytest.mark.timeout(60)


PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


class Recorder:
    """Notes what a client of discord.py hears. It never waits before it identifies itself again."""

    heard: list[discord.Message]
    events: list[str]

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        pass

    async def on_message(self, message: discord.Message) -> None:
        self.heard.append(message)

    async def on_socket_event_type(self, name: str) -> None:
        self.events.append(name)


class Bot(Recorder, commands.Bot):
    """One bot."""


class ShardedBot(Recorder, commands.AutoShardedBot):
    """One in several parts."""


def _make(kind: type[Any] = Bot, *, intents: discord.Intents | None = None) -> Any:
    if intents is None:
        intents = discord.Intents.default()
        intents.message_content = True
    bot = kind("!", intents=intents, guild_ready_timeout=0.05, help_command=None)
    bot.heard, bot.events = [], []
    return bot


@pytest.fixture
def place() -> Place:
    return Place()


@asynccontextmanager
async def _serving(place: Place, **knobs: Any) -> AsyncIterator[Server]:
    async with serve(place.world, **{"limits": RateLimits.off(), **knobs}) as server:
        with server.discord_py(), leaping():
            yield server


@pytest.fixture
async def server(place: Place) -> AsyncIterator[Server]:
    async with _serving(place) as server:
        yield server


@pytest.fixture
async def bot(server: Server) -> AsyncIterator[Bot]:
    async with server.running(_make()) as bot:
        yield bot


@pytest.fixture
def channel(bot: Bot, place: Place) -> discord.TextChannel:
    found = bot.get_channel(int(place.general))
    assert isinstance(found, discord.TextChannel)
    return found


def _texts(place: Place, channel: str | None = None) -> list[str]:
    return [message["content"] for message in place.world.messages(channel or place.general)]


# --- what a bot does all day ---------------------------------------------------------------


async def test_a_bot_logs_in_and_knows_where_it_is(bot: Bot, place: Place) -> None:
    assert bot.user is not None
    assert (place.bot.id, "Cadenza") == (str(bot.user.id), bot.user.name)
    assert [("Home", place.mia.id)] == [(guild.name, str(guild.owner_id)) for guild in bot.guilds]
    assert bot.guilds[0].me.guild_permissions.send_messages


@pytest.mark.parametrize("compression", ["auto", "none"])
async def test_a_message_comes_in(place: Place, compression: str) -> None:
    async with _serving(place, compression=compression) as server, server.running(_make()) as bot:
        place.mia.says(place.general, "hello bot 🎵")
        await until(lambda: bot.heard)

    [message] = bot.heard
    assert ("hello bot 🎵", place.mia.id, place.general) == (
        message.content,
        str(message.author.id),
        str(message.channel.id),
    )
    assert isinstance(message.author, discord.Member)


async def test_a_bot_without_the_intent_reads_only_what_is_for_it(place: Place) -> None:
    async with _serving(place) as server, server.running(_make(intents=discord.Intents.default())) as bot:
        place.mia.says(place.general, "secret")
        place.mia.says(place.general, f"<@{place.bot.id}> not secret")
        await until(lambda: len(bot.heard) == 2)

    assert ["", f"<@{place.bot.id}> not secret"] == [message.content for message in bot.heard]


async def test_a_bot_with_the_members_intent_gets_all_members(place: Place) -> None:
    intents = discord.Intents.default()
    intents.members = True
    async with _serving(place) as server, server.running(_make(intents=intents)) as bot:
        assert 3 == len(bot.guilds[0].members)
        assert "GUILD_MEMBERS_CHUNK" in bot.events


async def test_typing_shows_and_a_reply_ends_it(bot: Bot, place: Place, channel: discord.TextChannel) -> None:
    asked = place.mia.says(place.general, "hello")
    await until(lambda: bot.heard)
    async with channel.typing():
        shown = place.world.transcript(place.general)
        said = await bot.heard[0].reply("hi!", mention_author=False)

    assert "Cadenza" in shown.splitlines()[-1]
    assert asked == str(said.reference.message_id if said.reference else None)
    assert ["hello", "hi!"] == _texts(place)


async def test_a_message_is_edited_and_deleted(place: Place, channel: discord.TextChannel) -> None:
    said = await channel.send("one", embed=discord.Embed(title="t", description="d"))
    edited = await said.edit(content="two")
    shown = _texts(place)
    await said.delete()

    assert ("two", ["two"], []) == (edited.content, shown, _texts(place))


async def test_a_file_arrives_and_can_be_read_again(place: Place, channel: discord.TextChannel) -> None:
    file = discord.File(io.BytesIO(b"\x89PNG\r\n\x1a\n..."), filename="table.png", description="a table")

    said = await channel.send("table:", file=file)

    assert [("table.png", "a table", 11)] == [(a.filename, a.description, a.size) for a in said.attachments]
    assert b"\x89PNG\r\n\x1a\n..." == await said.attachments[0].read()
    assert 1 == len(place.world.messages(place.general)[0]["attachments"])


async def test_a_reaction_is_seen_and_taken_back(bot: Bot, place: Place, channel: discord.TextChannel) -> None:
    said = await channel.send("like me")
    await said.add_reaction("👍")
    seen = await channel.fetch_message(said.id)
    await said.remove_reaction("👍", discord.Object(int(place.bot.id)))
    later = await channel.fetch_message(said.id)

    assert [("👍", 1, True)] == [(reaction.emoji, reaction.count, reaction.me) for reaction in seen.reactions]
    assert [] == later.reactions
    await until(lambda: "MESSAGE_REACTION_REMOVE" in bot.events)


async def test_history_is_read_from_the_newest(place: Place, channel: discord.TextChannel) -> None:
    for number in range(3):
        place.mia.says(place.general, str(number))

    assert ["2", "1"] == [message.content async for message in channel.history(limit=2)]


async def test_the_same_nonce_is_the_same_message(place: Place, channel: discord.TextChannel) -> None:
    first = await channel.send("once", nonce="abc")
    second = await channel.send("once", nonce="abc")

    assert first.id == second.id
    assert ["once"] == _texts(place)


async def test_direct_messages_go_both_ways(bot: Bot, place: Place) -> None:
    channel = place.world.open_direct(place.bot, place.mia)
    place.mia.says(channel, "psst")
    await until(lambda: bot.heard)
    await bot.heard[0].channel.send("yes?")

    assert isinstance(bot.heard[0].channel, discord.DMChannel)
    assert ["psst", "yes?"] == _texts(place, channel)


async def test_a_thread_is_made_and_spoken_in(place: Place, channel: discord.TextChannel) -> None:
    thread = await channel.create_thread(name="aside", type=discord.ChannelType.public_thread)
    await thread.send("in here")

    assert "in here" in _texts(place, str(thread.id))


# --- webhooks ------------------------------------------------------------------------------


async def test_a_webhook_speaks_under_another_name_in_a_thread(place: Place, channel: discord.TextChannel) -> None:
    thread = place.world.add_thread(place.general, "aside")
    hook = await channel.create_webhook(name="persona")

    said = await hook.send("I am Ren", username="Ren", thread=discord.Object(int(thread)), wait=True)
    edited = await said.edit(content="I was Ren")
    shown = place.world.messages(thread)
    await said.delete()

    assert ["persona"] == [known.name for known in await channel.webhooks()]
    assert ("Ren", "I was Ren") == (said.author.name, edited.content)
    assert ["I was Ren"] == [message["content"] for message in shown if message["content"]]
    assert [] == [message["id"] for message in place.world.messages(thread) if message["id"] == str(said.id)]


async def test_a_webhook_sends_a_file(channel: discord.TextChannel) -> None:
    hook = await channel.create_webhook(name="persona")

    said = await hook.send("file", username="Ren", file=discord.File(io.BytesIO(b"x"), "a.txt"), wait=True)

    assert [("a.txt", 1)] == [(file.filename, file.size) for file in said.attachments]


async def test_the_picture_of_a_webhook_can_be_fetched(channel: discord.TextChannel) -> None:
    hook = await channel.create_webhook(name="persona", avatar=PNG)

    assert hook.avatar is not None
    assert PNG == await hook.avatar.read()


# --- commands and buttons ------------------------------------------------------------------


async def _commanded(place: Place, command: Any, run: Callable[[Server], Awaitable[None]]) -> None:
    """Run a bot that has *command*."""
    bot = _make()
    bot.tree.add_command(command)

    async def sync() -> None:
        await bot.tree.sync()

    bot.setup_hook = sync
    async with _serving(place) as server, server.running(bot):
        await run(server)


async def test_a_slash_command_is_deferred_answered_and_followed_up(place: Place) -> None:
    @app_commands.command(name="ask", description="ask the model")
    async def ask(interaction: discord.Interaction[Any], question: str) -> None:
        await interaction.response.defer(thinking=True)
        await interaction.edit_original_response(content=f"answer to {question}")
        await interaction.followup.send("and more")

    async def run(server: Server) -> None:
        place.mia.commands(place.general, "ask", question="life")
        await server.until(lambda: "and more" in _texts(place))

    await _commanded(place, ask, run)

    assert ["answer to life", "and more"] == _texts(place)


async def test_an_ephemeral_answer_is_for_one_person(place: Place) -> None:
    @app_commands.command(name="stop", description="stop it")
    async def stop(interaction: discord.Interaction[Any]) -> None:
        await interaction.response.send_message("stopped", ephemeral=True)

    async def run(server: Server) -> None:
        place.mia.commands(place.general, "stop")
        await server.until(lambda: any(call.route.endswith("/callback") for call in server.rest.calls))

    await _commanded(place, stop, run)

    assert [64] == [message["flags"] & 64 for message in place.world.messages(place.general)]


async def test_a_button_is_pressed(server: Server, bot: Bot, place: Place, channel: discord.TextChannel) -> None:
    class Choice(discord.ui.View):
        @discord.ui.button(label="Yes", custom_id="yes")
        async def yes(self, interaction: discord.Interaction[Any], _button: Any) -> None:
            await interaction.response.edit_message(content=f"{interaction.user.name} said yes", view=None)

    said = await channel.send("sure?", view=Choice(timeout=5))
    place.mia.presses(place.general, str(said.id), "yes")
    await server.until(lambda: "sure?" not in _texts(place))

    [answer] = _texts(place)
    assert answer.lower().startswith("mia")
    assert answer.endswith(" said yes")
    assert bot.is_ready()


# --- limits --------------------------------------------------------------------------------


@pytest.mark.parametrize("is_global", [False, True], ids=["user", "global"])
async def test_a_429_is_waited_out(
    server: Server, place: Place, channel: discord.TextChannel, *, is_global: bool
) -> None:
    server.faults.storm("POST /channels/*/messages", 0.1, 1, is_global=is_global)
    begun = asyncio.get_running_loop().time()

    await channel.send("after all")

    assert 0.1 <= asyncio.get_running_loop().time() - begun
    assert [429, 200] == [call.status for call in server.rest.calls[-2:]]
    assert ["after all"] == _texts(place)


async def test_a_429_without_via_is_taken_for_a_ban(server: Server, channel: discord.TextChannel) -> None:
    server.faults.storm("POST /channels/*/messages", 0.1, 1, has_via=False)

    with pytest.raises(discord.HTTPException) as caught:
        await channel.send("no")

    assert 429 == caught.value.status


async def test_a_full_bucket_is_kept_by_the_client_itself(place: Place) -> None:
    """It waits until the bucket is empty before it comes back from the last send that fits."""
    async with _serving(place, limits=None) as server, server.running(_make()) as bot:
        channel = bot.get_channel(int(place.general))
        for number in range(4):
            await channel.send(str(number))
        last = asyncio.create_task(channel.send("4"))
        await server.until(lambda: len(_texts(place)) == 5)
        extra = asyncio.create_task(channel.send("5"))
        done, waiting = await asyncio.wait([last, extra], timeout=0.1)
        for send in waiting:
            send.cancel()
        await asyncio.wait(waiting)

    assert set() == done
    assert 429 not in [call.status for call in server.rest.calls]
    assert ["0", "1", "2", "3", "4"] == _texts(place)


# --- refusals ------------------------------------------------------------------------------


async def test_a_channel_that_is_gone_is_10003(bot: Bot) -> None:
    with pytest.raises(discord.NotFound) as caught:
        await bot.fetch_channel(1)

    assert 10003 == caught.value.code


async def test_a_message_that_is_gone_is_10008(channel: discord.TextChannel) -> None:
    said = await channel.send("soon gone")
    await said.delete()

    with pytest.raises(discord.NotFound) as caught:
        await said.edit(content="too late")

    assert 10008 == caught.value.code


async def test_a_webhook_that_is_gone_is_10015(bot: Bot, channel: discord.TextChannel) -> None:
    hook = await channel.create_webhook(name="persona")
    await (await bot.fetch_webhook(hook.id)).delete()

    with pytest.raises(discord.NotFound) as caught:
        await hook.send("anybody?", wait=True)

    assert 10015 == caught.value.code


async def test_a_webhook_with_a_wrong_token_is_50027(bot: Bot, channel: discord.TextChannel) -> None:
    hook = await channel.create_webhook(name="persona")
    forged = discord.Webhook.partial(hook.id, "x" * 68, client=bot)

    with pytest.raises(discord.HTTPException) as caught:
        await forged.send("it is me", wait=True)

    assert (401, 50027) == (caught.value.status, caught.value.code)


@pytest.mark.parametrize(
    ("denied", "code"),
    [pytest.param(1 << 10, 50001, id="cannot see it"), pytest.param(1 << 11, 50013, id="cannot speak there")],
)
async def test_without_permission_it_is_forbidden(
    place: Place, channel: discord.TextChannel, denied: int, code: int
) -> None:
    place.world.overwrite(place.general, place.guild.id, deny=denied)

    with pytest.raises(discord.Forbidden) as caught:
        await channel.send("hello?")

    assert code == caught.value.code


async def test_too_long_a_message_is_50035(channel: discord.TextChannel) -> None:
    with pytest.raises(discord.HTTPException, match="2000") as caught:
        await channel.send("x" * 2001)

    assert 50035 == caught.value.code


async def test_a_wrong_token_is_a_login_failure(server: Server) -> None:
    with pytest.raises(discord.LoginFailure):
        async with server.running(_make(), "wrong"):
            pytest.fail("it cannot be ready")


async def test_a_privileged_intent_that_is_not_switched_on_is_said_so(place: Place) -> None:
    async with _serving(place, rules=GatewayRules(privileged=Intent(0))) as server:
        with pytest.raises(discord.PrivilegedIntentsRequired):
            async with server.running(_make()):
                pytest.fail("it cannot be ready")


# --- the line breaks -----------------------------------------------------------------------


@pytest.mark.parametrize("code", [4000, 1001])
async def test_after_a_cut_it_resumes_and_hears_what_it_missed(
    server: Server, bot: Bot, place: Place, code: int
) -> None:
    server.gateway.cut(code)
    place.mia.says(place.general, "while you were away")
    await until(lambda: "RESUMED" in bot.events)
    place.mia.says(place.general, "and now")
    await until(lambda: len(bot.heard) == 2)

    assert ["while you were away", "and now"] == [message.content for message in bot.heard]
    assert [1] == [session.resumed for session in server.gateway.sessions]


async def test_asked_to_reconnect_it_resumes(server: Server, bot: Bot, place: Place) -> None:
    server.gateway.reconnect()
    await until(lambda: "RESUMED" in bot.events)
    place.mia.says(place.general, "still there?")
    await until(lambda: bot.heard)

    assert [1] == [session.resumed for session in server.gateway.sessions]


@pytest.mark.parametrize(("resumable", "event"), [(True, "RESUMED"), (False, "READY")])
async def test_after_an_invalid_session_it_begins_anew_or_resumes(
    server: Server, bot: Bot, place: Place, *, resumable: bool, event: str
) -> None:
    bot.events.clear()
    server.gateway.invalidate(resumable=resumable)
    await until(lambda: event in bot.events)
    place.mia.says(place.general, "hello again")
    await until(lambda: bot.heard)

    assert 1 == len(server.gateway.sessions)


async def test_heartbeats_go_on(place: Place) -> None:
    async with (
        _serving(place, rules=GatewayRules(heartbeat=0.1, patience=20)) as server,
        server.running(_make()) as bot,
    ):
        await until(lambda: [heard.op for heard in server.gateway.heard].count(1) >= 4)

        assert bot.latency < 1
        assert bot.is_ready()


# --- shards --------------------------------------------------------------------------------


async def test_a_bot_in_two_shards_hears_everything_once(place: Place) -> None:
    places = {(int(place.guild.id) >> 22) % 2: place.general}
    while len(places) < 2:
        guild = place.world.add_guild("Other", owner=place.mia, members=[place.mia, place.bot])
        places[(int(guild.id) >> 22) % 2] = place.world.add_channel(guild, "general")
    async with _serving(place, rules=GatewayRules(shards=2)) as server, server.running(_make(ShardedBot)) as bot:
        for number, channel in sorted(places.items()):
            place.mia.says(channel, f"shard {number}")
        await until(lambda: len(bot.heard) >= 2)
        shards = sorted(tuple(session.shard) for session in server.gateway.sessions)

    assert [(0, 2), (1, 2)] == shards
    assert ["shard 0", "shard 1"] == sorted(message.content for message in bot.heard)
    assert [0, 1] == sorted(message.guild.shard_id for message in bot.heard)
