"""Bots as their authors write them, with the real discord.py: one that moderates, one that asks, one that keeps a forum."""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import AsyncIterator
from typing import Any

import discord
import pytest
from discord import app_commands
from discord.ext import commands

from cadenza.sim import guilds
from cadenza.sim.permissions import ALL
from cadenza.sim.rate_limits import RateLimits
from cadenza.sim.server import Server, serve
from cadenza.sim.wire import Refusal
from tests.sim.places import Place, until

pytestmark = pytest.mark.timeout(60)


@pytest.fixture
def place() -> Place:
    """A world in which the bot may do everything."""
    place = Place()
    role = place.world.add_role(place.guild, "Staff", permissions=ALL)
    place.world.give_role(place.guild, place.bot, role)
    return place


@pytest.fixture
async def server(place: Place) -> AsyncIterator[Server]:
    async with serve(place.world, limits=RateLimits.off()) as server:
        with server.discord_py():
            yield server


@pytest.fixture
async def bot(server: Server) -> AsyncIterator[commands.Bot]:
    bot = commands.Bot("!", intents=discord.Intents.all(), guild_ready_timeout=0.05, help_command=None)
    async with server.running(bot):
        yield bot
    assert [] == [call.request.path for call in server.rest.calls if call.status == 404 and not call.code]


@pytest.fixture
def guild(bot: commands.Bot) -> discord.Guild:
    return bot.guilds[0]


def _channel(bot: commands.Bot, place: Place) -> discord.TextChannel:
    found = bot.get_channel(int(place.general))
    assert isinstance(found, discord.TextChannel)
    return found


# --- a bot that moderates ------------------------------------------------------------------


async def test_a_channel_is_purged(bot: commands.Bot, place: Place) -> None:
    for number in range(5):
        place.tom.says(place.general, f"spam {number}")
    kept = place.mia.says(place.general, "not spam")

    gone = await _channel(bot, place).purge(limit=100, check=lambda message: message.content.startswith("spam"))

    assert (5, [kept]) == (len(gone), [message["id"] for message in place.world.messages(place.general)])


async def test_a_member_is_timed_out_and_let_speak_again(guild: discord.Guild, place: Place) -> None:
    tom = await guild.fetch_member(int(place.tom.id))

    await tom.timeout(dt.timedelta(minutes=5), reason="too loud")
    assert guilds.get_member(place.world.state, place.bot.id, guild_id := str(guild.id), str(tom.id))[
        "communication_disabled_until"
    ]

    await tom.timeout(None)
    assert (
        None
        is guilds.get_member(place.world.state, place.bot.id, guild_id, str(tom.id))["communication_disabled_until"]
    )


async def test_a_member_is_renamed_and_given_a_role(guild: discord.Guild, place: Place) -> None:
    role = await guild.create_role(name="Quiet", colour=discord.Colour.red(), mentionable=True)
    tom = await guild.fetch_member(int(place.tom.id))

    await tom.add_roles(role)
    await tom.edit(nick="Tommy")
    await role.edit(name="Loud")
    await until(lambda: [one.name for one in guild.get_member(tom.id).roles] == ["@everyone", "Loud"])
    await tom.remove_roles(role)
    await guild.me.edit(nick="The law")
    await role.delete()

    member = guilds.get_member(place.world.state, place.bot.id, str(guild.id), place.tom.id)
    assert ("Tommy", []) == (member["nick"], member["roles"])
    await until(lambda: guild.me.nick == "The law" and guild.get_role(role.id) is None)


async def test_members_are_thrown_out_and_let_in(bot: commands.Bot, guild: discord.Guild, place: Place) -> None:
    heard: list[str] = []
    bot.add_listener(_noting(heard, "ban"), "on_member_ban")
    bot.add_listener(_noting(heard, "unban"), "on_member_unban")
    tom = await guild.fetch_member(int(place.tom.id))

    await guild.ban(tom, reason="spam", delete_message_seconds=0)
    assert [("Tom", "spam")] == [(ban.user.global_name, ban.reason) async for ban in guild.bans()]
    await guild.unban(tom)
    assert [] == [ban async for ban in guild.bans()]
    guilds.join(place.world.state, place.guild, place.tom)
    await guild.kick(tom)

    assert place.tom.id not in {member["user"]["id"] for member in place.world.get_members(place.bot.id, str(guild.id))}
    await until(lambda: heard == ["ban", "unban"])


async def test_nobody_moderates_the_owner(guild: discord.Guild, place: Place) -> None:
    with pytest.raises(discord.Forbidden) as refused:
        await guild.kick(discord.Object(int(place.mia.id)))

    assert 50013 == refused.value.code


async def test_a_channel_is_locked(guild: discord.Guild, place: Place) -> None:
    channel = await guild.create_text_channel("court", topic="order", slowmode_delay=5)
    await channel.set_permissions(guild.default_role, send_messages=False)
    with pytest.raises(Refusal):
        place.tom.says(str(channel.id), "Objection!")

    await channel.set_permissions(guild.default_role, overwrite=None)

    assert [] == place.world.get_channel(place.bot.id, str(channel.id))["permission_overwrites"]
    assert ("order", 5) == (channel.topic, channel.slowmode_delay)


async def test_messages_are_pinned(bot: commands.Bot, place: Place) -> None:
    channel = _channel(bot, place)
    first, second = await channel.send("rules"), await channel.send("more rules")
    for message in (first, second):
        await message.pin()

    assert [second.id, first.id] == [message.id async for message in channel.pins()]

    await first.unpin()
    await second.delete()
    assert [] == [message async for message in channel.pins()]


async def test_reactions_are_counted_and_cleared(bot: commands.Bot, place: Place) -> None:
    message = await _channel(bot, place).send("vote")
    for person in (place.mia, place.tom):
        person.reacts(place.general, str(message.id), "👍")
    await message.add_reaction("👎")
    message = await message.channel.fetch_message(message.id)

    users = [user.global_name async for user in message.reactions[0].users()]
    await message.clear_reaction("👎")
    await message.clear_reactions()

    assert ["Mia", "Tom"] == sorted(users)
    assert "reactions" not in place.world.messages(place.general)[0]


# --- a bot that keeps a forum --------------------------------------------------------------


async def test_a_forum_is_kept(guild: discord.Guild, place: Place) -> None:
    forum = await guild.create_forum(
        "help", available_tags=[discord.ForumTag(name="open"), discord.ForumTag(name="done")]
    )
    tags = {tag.name: tag for tag in forum.available_tags}

    post, first = await forum.create_thread(
        name="How?", content="Like this?", applied_tags=[tags["open"]], file=discord.File(io.BytesIO(b"log"), "a.log")
    )
    assert ["a.log"] == [file.filename for file in first.attachments]
    place.tom.says(str(post.id), "Yes.")
    await post.add_tags(tags["done"])
    await post.edit(archived=True, locked=True)

    assert [post.id] == [thread.id async for thread in forum.archived_threads()]
    shape = place.world.get_channel(place.bot.id, str(post.id))
    assert {str(tag.id) for tag in tags.values()} == set(shape["applied_tags"])


async def test_people_are_let_into_a_thread(bot: commands.Bot, guild: discord.Guild, place: Place) -> None:
    thread = await _channel(bot, place).create_thread(name="secret", auto_archive_duration=60, invitable=False)
    tom = await guild.fetch_member(int(place.tom.id))

    await thread.add_user(tom)
    assert {bot.user.id, tom.id} == {member.id for member in await thread.fetch_members()}
    await thread.remove_user(tom)
    await thread.leave()
    await thread.join()

    assert [bot.user.id] == [member.id for member in await thread.fetch_members()]
    assert [("secret", 60)] == [(one.name, one.auto_archive_duration) for one in await guild.active_threads()]


# --- a bot that asks -----------------------------------------------------------------------


DRINKS = [discord.SelectOption(label="Black tea", value="tea"), discord.SelectOption(label="coffee")]


class Poll(discord.ui.View):
    """Tea or coffee, and who is to make it."""

    @discord.ui.select(custom_id="drink", placeholder="Your drink", options=DRINKS)
    async def drink(self, interaction: discord.Interaction, menu: discord.ui.Select[Any]) -> None:
        await interaction.response.edit_message(content=f"It is {menu.values[0]}.")

    @discord.ui.select(cls=discord.ui.UserSelect, custom_id="cook", max_values=2)
    async def cook(self, interaction: discord.Interaction, menu: discord.ui.UserSelect[Any]) -> None:
        names = " and ".join(user.display_name for user in menu.values)
        await interaction.response.send_message(f"{names} will make it.")

    @discord.ui.button(label="Why?", custom_id="why")
    async def why(self, interaction: discord.Interaction, _button: discord.ui.Button[Any]) -> None:
        await interaction.response.send_modal(Why())


class Why(discord.ui.Modal, title="Why?"):
    """Asks for a reason."""

    reason: discord.ui.TextInput[Any] = discord.ui.TextInput(label="Reason", max_length=20)

    async def on_submit(self, interaction: discord.Interaction) -> None:
        await interaction.response.send_message(f"Because: {self.reason.value}", ephemeral=True)


async def test_a_poll_is_answered(bot: commands.Bot, place: Place, server: Server) -> None:
    poll = str((await _channel(bot, place).send("Which?", view=Poll())).id)

    place.mia.selects(place.general, poll, "Your drink", "Black tea")
    await server.until(lambda: place.world.messages(place.general)[0]["content"] == "It is tea.")
    place.mia.selects(place.general, poll, "cook", place.tom.id, place.mia.id)
    await server.until(lambda: len(place.world.messages(place.general)) == 2)
    pressed = place.tom.presses(place.general, poll, "Why?")
    await server.until(lambda: place.world.modal(pressed))
    place.tom.submits(pressed, {"Reason": "It is warm."})
    await server.until(lambda: len(place.world.messages(place.general)) == 3)

    texts = [message["content"] for message in place.world.messages(place.general)]
    assert ["It is tea.", "Tom and Mia will make it.", "Because: It is warm."] == texts


async def test_what_cannot_be_chosen_is_not(bot: commands.Bot, place: Place) -> None:
    poll = str((await _channel(bot, place).send("Which?", view=Poll())).id)

    with pytest.raises(LookupError, match="'milk'"):
        place.mia.selects(place.general, poll, "drink", "milk")
    with pytest.raises(ValueError, match="takes 1 to 1"):
        place.mia.selects(place.general, poll, "drink", "tea", "coffee")
    with pytest.raises(LookupError, match="a menu"):
        place.mia.presses(place.general, poll, "drink")


class Menu(discord.ui.LayoutView):
    """A card with a text, a picture, and buttons beside and below them."""

    box: discord.ui.Container[Any] = discord.ui.Container(
        discord.ui.Section(
            "**Tea**, <@{}>?", accessory=discord.ui.Thumbnail("attachment://tea.png", description="a cup")
        ),
        discord.ui.Separator(),
        discord.ui.MediaGallery(discord.MediaGalleryItem("attachment://tea.png", description="a pot")),
        discord.ui.File("attachment://tea.png"),
        accent_colour=3,
    )
    row: discord.ui.ActionRow[Any] = discord.ui.ActionRow()

    @row.button(label="Pour")
    async def pour(self, interaction: discord.Interaction, _button: discord.ui.Button[Any]) -> None:
        self.clear_items()
        self.add_item(discord.ui.TextDisplay("Poured."))
        await interaction.response.edit_message(view=self, attachments=[])


async def test_a_layout_stands_instead_of_a_text(bot: commands.Bot, place: Place, server: Server) -> None:
    menu = Menu()
    text = menu.find_item(menu.box.children[0].children[0].id or 0) or menu.box.children[0].children[0]
    assert isinstance(text, discord.ui.TextDisplay)
    text.content = text.content.format(place.mia.id)

    said = await _channel(bot, place).send(view=menu, file=discord.File(io.BytesIO(b"tea"), "tea.png"))
    shown = place.world.transcript(place.general)
    pinged = place.world.pinged(place.general, str(said.id))
    place.mia.presses(place.general, str(said.id), "Pour")
    message = await server.until(
        lambda: one if (one := place.world.messages(place.general)[0])["edited_timestamp"] else None
    )

    assert (1 << 15, frozenset({place.mia.id})) == (said.flags.value, pinged)
    assert [
        "Cadenza [APP]:",
        "  [tea.png, 3 bytes]",
        f"  ┃ **Tea**, <@{place.mia.id}>?",
        "  ┃ [a cup]",
        "  ┃ ───",
        "  ┃ [a pot]",
        "  ┃ [attachment://tea.png]",
        "  (Pour)",
    ] == shown.splitlines()
    assert [(10, "Poured.")] == [(part["type"], part["content"]) for part in message["components"]]
    assert (1 << 15, "", []) == (message["flags"], message["content"], message["attachments"])


async def test_a_layout_has_no_text_beside_it_and_stays_one(bot: commands.Bot, place: Place) -> None:
    said = await _channel(bot, place).send("old", view=Poll())
    layout = discord.ui.LayoutView().add_item(discord.ui.TextDisplay("new"))

    await said.edit(content=None, view=layout)
    with pytest.raises(discord.HTTPException, match="'content' field cannot be used"):
        await bot.http.edit_message(
            said.channel.id, said.id, params=discord.http.handle_message_parameters(content="old")
        )

    [message] = place.world.messages(place.general)
    assert ("", ["new"], 1 << 15) == (
        message["content"],
        [part["content"] for part in message["components"]],
        message["flags"],
    )


async def test_a_message_carries_what_an_author_sets(bot: commands.Bot, place: Place) -> None:
    asked = place.mia.says(place.general, "Tea?")
    view = discord.ui.View().add_item(discord.ui.Button(label="Wiki", url="https://tea.example"))
    file = discord.File(io.BytesIO(b"tea"), "tea.png", description="a cup of tea")
    reference = _channel(bot, place).get_partial_message(int(asked))

    said = await reference.reply(
        "https://tea.example", file=file, view=view, silent=True, suppress_embeds=True, mention_author=False
    )

    message = place.world.messages(place.general)[1]
    assert (1 << 12 | 1 << 2, []) == (message["flags"], message["mentions"])
    assert (
        ["a cup of tea"]
        == [one["description"] for one in message["attachments"]]
        == [one.description for one in said.attachments]
    )
    assert [("Wiki", "https://tea.example")] == [
        (part["label"], part["url"]) for row in message["components"] for part in row["components"]
    ]
    assert "Cadenza [APP, silent]: https://tea.example" in place.world.transcript(place.general)


async def test_a_button_is_answered_later_and_for_one_person(bot: commands.Bot, place: Place, server: Server) -> None:
    class Later(discord.ui.View):
        @discord.ui.button(label="Brew")
        async def brew(self, interaction: discord.Interaction, _button: discord.ui.Button[Any]) -> None:
            await interaction.response.defer(ephemeral=True, thinking=True)
            await interaction.followup.send("brewing")
            await interaction.followup.send("done", ephemeral=True)
            await interaction.edit_original_response(content="brewed")

    said = await _channel(bot, place).send("Tea?", view=Later())
    place.mia.presses(place.general, str(said.id), "Brew")
    await server.until(lambda: place.world.messages(place.general)[1]["content"] == "brewed")

    assert [("Tea?", 0), ("brewed", 64), ("done", 64)] == [
        (one["content"], one["flags"]) for one in place.world.messages(place.general)
    ]


# --- a bot with commands -------------------------------------------------------------------


def _add_commands(bot: commands.Bot) -> None:
    @bot.hybrid_group(name="tea")
    async def tea(context: commands.Context[Any]) -> None:
        await context.send("Which tea?")

    @tea.command(name="pour")
    async def pour(context: commands.Context[Any], who: discord.Member, cups: int = 1) -> None:
        await context.send(f"{cups} for {who.display_name}")

    @pour.autocomplete("cups")
    async def cups(_interaction: discord.Interaction, current: str) -> list[app_commands.Choice[int]]:
        return [app_commands.Choice(name=f"{current} cups", value=int(current))]

    @bot.tree.context_menu(name="Read aloud")
    async def read(interaction: discord.Interaction, message: discord.Message) -> None:
        await interaction.response.send_message(message.content.upper())

    @bot.tree.command(description="Where?")
    async def where(interaction: discord.Interaction, room: discord.TextChannel, role: discord.Role) -> None:
        await interaction.response.send_message(f"{room.name}, {role.name}")


async def test_commands_are_used(bot: commands.Bot, place: Place, server: Server) -> None:
    _add_commands(bot)
    await bot.tree.sync()
    role = place.world.add_role(place.guild, "Cook")
    word = place.tom.says(place.general, "whisper")

    def said() -> list[str]:
        return [message["content"] for message in place.world.messages(place.general)][1:]

    place.mia.commands(place.general, "tea pour", who=place.tom.id, cups=2)
    await server.until(lambda: len(said()) == 1)
    place.mia.commands(place.general, "Read aloud", target=word)
    await server.until(lambda: len(said()) == 2)
    place.mia.commands(place.general, "where", room=place.general, role=role)
    await server.until(lambda: len(said()) == 3)
    begun = place.mia.completes(place.general, "tea pour", "cups", "7", who=place.tom.id)
    await server.until(lambda: place.world.suggestions(begun))

    assert ["2 for Tom", "WHISPER", "general, Cook"] == said()
    assert [{"name": "7 cups", "value": 7}] == place.world.suggestions(begun)


def _noting(heard: list[str], word: str) -> Any:
    async def note(*_about: object) -> None:
        heard.append(word)

    return note
