"""Buttons on the last message of a reply, with the real discord.py over loopback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import discord
import pytest
from discord import ui

import cadenza
from cadenza import Attachment, InputError, MemoryTarget, Persona, Settings, Speaker
from cadenza.sim.wire import Json
from cadenza.types import Broke, Completed, Line, Reply, Scene
from tests.bot.evening import Evening, at_work
from tests.discord_room import Room

pytestmark = pytest.mark.timeout(60)

TEXT = "Hello.\n\nHow are you?"
LINES = Settings.of(shape="lines")
REN = Persona("Ren", is_alter=True)


class Again(ui.View):
    """One button, which notes who pressed it."""

    def __init__(self) -> None:
        super().__init__(timeout=None)
        self.pressed: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    @ui.button(label="Again", custom_id="again")
    async def again(self, interaction: discord.Interaction[Any], _: ui.Button[Again]) -> None:
        """Note it."""
        await interaction.response.defer()
        self.pressed.set_result(interaction.user.name)


class Card(ui.LayoutView):
    """A text in a box, with a button."""

    def __init__(self) -> None:
        super().__init__(timeout=None)
        self.pressed: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        button: ui.Button[Card] = ui.Button(label="Again", custom_id="again")
        button.callback = self.again  # type: ignore[method-assign]  # as discord.py has it
        self.add_item(ui.Container(ui.TextDisplay("Once more?"), ui.ActionRow(button)))

    async def again(self, interaction: discord.Interaction[Any]) -> None:
        """Note it."""
        await interaction.response.defer()
        self.pressed.set_result(interaction.user.name)


@pytest.fixture
async def evening() -> AsyncIterator[Evening]:
    async with at_work(Evening()) as evening:
        yield evening


def place(evening: Evening) -> Any:
    return evening.client.get_channel(int(evening.general))


def buttons(message: Json) -> list[str]:
    return [part["label"] for row in message["components"] for part in row.get("components", ()) if "label" in part]


async def is_heard(evening: Evening, view: Again | Card, message: str, channel: str = "") -> bool:
    evening.mia.presses(channel or evening.general, message, "again")
    async with asyncio.timeout(20):
        return await view.pressed == "mia"


async def test_it_stands_on_the_last_message_and_presses_are_heard(evening: Evening) -> None:
    view = Again()

    said = await cadenza.say(place(evening), TEXT, settings=LINES, view=view)

    assert ["Hello.", "How are you?"] == evening.texts()
    assert [[], ["Again"]] == [buttons(message) for message in evening.world.messages(evening.general)]
    assert await is_heard(evening, view, said.receipts[-1].message_id)


@pytest.mark.parametrize("is_in_thread", [False, True], ids=["channel", "thread"])
async def test_it_stands_on_the_message_of_a_persona(is_in_thread: bool) -> None:  # noqa: FBT001  # a table
    evening = Evening()
    channel = evening.world.add_thread(evening.general, "aside") if is_in_thread else evening.general
    async with at_work(evening):
        view = Again()
        async with Speaker(evening.client, persona=REN) as speaker:
            said = await speaker.say(evening.client.get_channel(int(channel)), "Hello.", view=view)

        last = evening.last(channel)
        assert ("Ren", ["Again"]) == (last["author"]["username"], buttons(last))
        assert await is_heard(evening, view, said.receipts[-1].message_id, channel)


@pytest.mark.parametrize("is_ephemeral", [False, True], ids=["public", "ephemeral"])
@pytest.mark.parametrize("make", [Again, Card], ids=["view", "layout"])
async def test_it_stands_on_a_follow_up(
    make: type[Again | Card],
    is_ephemeral: bool,  # noqa: FBT001  # a table
    evening: Evening,
) -> None:
    tree: Any = evening.client.tree
    done: asyncio.Future[tuple[Again | Card, Reply]] = asyncio.get_running_loop().create_future()

    @tree.command(name="ask", description="Ask.")
    async def ask(interaction: discord.Interaction[Any]) -> None:
        await interaction.response.defer(ephemeral=is_ephemeral)
        view = make()
        done.set_result((view, await cadenza.say(interaction, TEXT, settings=LINES, view=view)))

    await tree.sync()
    evening.mia.commands(evening.general, "ask")
    view, said = await done

    assert isinstance(said.outcome, Completed)
    assert await is_heard(evening, view, evening.last()["id"])


async def test_a_layout_is_a_message_after_the_answer(evening: Evening) -> None:
    view = Card()

    said = await cadenza.say(place(evening), TEXT, view=view)

    assert [TEXT, ""] == evening.texts()
    assert evening.last()["flags"] & 1 << 15
    assert "Once more?" in evening.world.transcript(evening.general)
    assert 1 == len(said.receipts)
    assert await is_heard(evening, view, evening.last()["id"])


async def test_a_persona_shows_a_layout(evening: Evening) -> None:
    view = Card()
    async with Speaker(evening.client, persona=REN) as speaker:
        await speaker.say(place(evening), TEXT, view=view)

    assert ["Ren", "Ren"] == [message["author"]["username"] for message in evening.world.messages(evening.general)]
    assert await is_heard(evening, view, evening.last()["id"])


@pytest.mark.parametrize("make", [Again, Card], ids=["view", "layout"])
async def test_nothing_is_shown_where_nothing_arrived(make: type[Again | Card], evening: Evening) -> None:
    said = await cadenza.say(place(evening), "", settings=Settings.of(show_errors="off"), view=make())

    assert () == said.receipts
    assert [] == evening.texts()
    assert [] == evening.bodies("PATCH /channels/")


async def test_it_stands_on_what_a_broken_reply_left(evening: Evening) -> None:
    def stream() -> Any:
        yield "Hello.\n\n"
        raise RuntimeError

    view = Again()
    said = await cadenza.say(place(evening), stream(), settings=LINES, view=view)

    assert isinstance(said.outcome, Broke)
    first, notice = evening.world.messages(evening.general)
    assert (["Again"], []) == (buttons(first), notice["components"])
    assert await is_heard(evening, view, first["id"])


async def ends_late() -> AsyncIterator[str | Attachment]:
    """A stream whose last message is sent before it is known to be the last."""
    yield Attachment("fox.txt", b"fox")
    await asyncio.sleep(5)


async def test_it_goes_with_the_last_message_which_is_not_edited(evening: Evening) -> None:
    await cadenza.say(place(evening), "Hello.\n\nBye.", settings=LINES, view=Again())

    first, last = evening.world.messages(evening.general)
    assert ([], ["Again"]) == (buttons(first), buttons(last))
    assert last["edited_timestamp"] is None


async def test_it_is_added_where_the_last_message_was_not_known_to_be_the_last(evening: Evening) -> None:
    view = Again()
    await cadenza.say(place(evening), ends_late(), view=view)

    [last] = evening.world.messages(evening.general)
    assert ["Again"] == buttons(last)
    assert await is_heard(evening, view, last["id"])


async def test_a_refusal_of_it_is_only_logged(evening: Evening, caplog: pytest.LogCaptureFixture) -> None:
    evening.faults.fail("PATCH /channels/*/messages/*", 403, 50013, times=1)

    said = await cadenza.say(place(evening), ends_late(), view=Again())

    assert isinstance(said.outcome, Completed)
    assert "the view of a reply could not be shown" in caplog.text


async def test_a_rate_limit_of_a_webhook_is_waited_for(evening: Evening) -> None:
    evening.faults.storm("PATCH /webhooks/*/*/messages/*", retry_after=2.0, times=1)
    view = Again()
    async with Speaker(evening.client, persona=REN) as speaker:
        await speaker.say(place(evening), ends_late(), view=view)

    assert [429, 200] == evening.statuses("PATCH /webhooks/")
    assert ["Again"] == buttons(evening.last())


async def test_an_edit_that_discord_does_not_answer_is_made_again(evening: Evening) -> None:
    evening.faults.fail("PATCH /channels/*/messages/*", 503, times=2)
    view = Again()

    await cadenza.say(place(evening), ends_late(), view=view)

    assert 3 <= len(evening.statuses("PATCH /channels/"))
    assert ["Again"] == buttons(evening.last())


async def test_the_buttons_of_a_message_whose_answer_was_lost_work(evening: Evening) -> None:
    evening.faults.lose("POST /channels/*/messages", times=1)
    view = Again()

    await cadenza.say(place(evening), "Hello.", view=view)

    assert ["Hello."] == evening.texts()
    assert await is_heard(evening, view, evening.last()["id"])


async def test_a_view_that_discord_refuses_costs_no_word(evening: Evening, caplog: pytest.LogCaptureFixture) -> None:
    view = ui.View()
    for label in ("One", "Two"):
        view.add_item(ui.Button(label=label, custom_id="same"))

    said = await cadenza.say(place(evening), TEXT, settings=LINES, view=view)

    assert isinstance(said.outcome, Completed)
    assert TEXT.split("\n\n") == evening.texts()
    assert "Discord did not take the view of a reply" in caplog.text


async def test_a_layout_is_not_sent_after_a_stop(evening: Evening) -> None:
    stops = cadenza.Stops()

    async def endless() -> AsyncIterator[str]:
        while True:
            yield "And then?\n"
            await asyncio.sleep(1)

    with stops.open("turn") as stop:
        asyncio.get_running_loop().call_later(3.5, stops.request, "turn")
        await cadenza.say(place(evening), endless(), settings=LINES, stop=stop, view=Card())

    assert evening.texts()
    assert [] == [message for message in evening.world.messages(evening.general) if message["components"]]


async def test_a_reply_of_a_model_takes_one_too(evening: Evening) -> None:
    view, scene = Again(), Scene("general", Persona("Ren"), history=(Line("Mia", "Hi!"),))
    async with Speaker(evening.client) as speaker:
        target = await speaker.target(place(evening))
        await cadenza.reply(scene, cadenza.scripted(lambda _: [TEXT]), target, view=view)

    assert await is_heard(evening, view, evening.last()["id"])


@pytest.mark.parametrize("view", [Again, "a button", ui.Button(), 5], ids=["a class", "a text", "a button", "a number"])
async def test_another_type_is_refused_at_once(view: Any) -> None:
    with pytest.raises(InputError, match=r"view must be a View or LayoutView of discord\.py"):
        await cadenza.say(MemoryTarget(), "Hello.", view=view)
    with pytest.raises(InputError, match="view must be a View"):
        await Speaker().say(None, "Hello.", view=view)


async def test_a_modal_is_refused() -> None:
    with pytest.raises(InputError, match="not Modal"):
        await cadenza.say(MemoryTarget(), "Hello.", view=ui.Modal(title="Form"))


async def test_a_target_without_buttons_is_refused() -> None:
    target = MemoryTarget()
    with pytest.raises(InputError, match=r"only be shown in a channel of discord\.py; MemoryTarget shows none"):
        await cadenza.say(target, "Hello.", view=Again())
    scene = Scene("general", Persona("Ren"))
    with pytest.raises(InputError, match="MemoryTarget shows none"):
        await cadenza.reply(scene, cadenza.scripted(lambda _: ["Hello."]), target, view=Again())
    assert [] == target.texts


@pytest.mark.parametrize("make", [Again, Card], ids=["view", "layout"])
async def test_the_discord_in_memory_shows_it(make: type[Again | Card]) -> None:
    room = Room()

    said = await cadenza.say(room.target(), "Hello.", view=make())

    assert isinstance(said.outcome, Completed)
    assert "again" in str(room.messages()[-1]["components"])
