"""``cadenza.say`` when something is wrong: with the client, the place, the intents, or with what is to be said."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import discord
import pytest
from discord import app_commands

import cadenza
from cadenza.concurrency.stops import Stops
from cadenza.errors import DeliveryError, InputError
from cadenza.replies.outbox.lookups import Lookup
from cadenza.sim.faults import Faults
from cadenza.targets.discord.webhooks import MemoryWebhookStore
from cadenza.targets.discord_py.client_state import ClientState
from cadenza.types import Broke, Completed, Empty, Outcome, Persona, Reply, Stopped
from tests.bot.evening import Evening, at_work

pytestmark = [pytest.mark.timeout(60), pytest.mark.filterwarnings("error")]

AT_ONCE = cadenza.Settings.of(degree=1)
IN_SILENCE = cadenza.Settings.of(degree=1, show_errors="off")
REN = Persona("Ren", is_alter=True)
TEXT = "Hello.\n\nHow are you?"
SAID = ["Hello.", "How are you?"]
SOON = 30.0


@pytest.fixture
async def evening() -> AsyncIterator[Evening]:
    async with at_work(Evening()) as evening:
        yield evening


def general(evening: Evening) -> Any:
    return evening.client.get_channel(int(evening.general))


def error_of(outcome: Outcome) -> str:
    assert isinstance(outcome, Broke), outcome
    return str(outcome.error)


async def to_interaction(evening: Evening, stream: Any, **more: Any) -> Reply:
    """What comes of *stream* in answer to a slash command."""
    done: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
    tree: app_commands.CommandTree[Any] = evening.client.tree

    @tree.command(name="ask", description="Ask.")
    async def ask(interaction: discord.Interaction[Any]) -> None:
        try:
            done.set_result(await cadenza.say(interaction, stream, **({"settings": AT_ONCE} | more)))
        except Exception as error:  # noqa: BLE001  # it is raised where it is waited for
            done.set_exception(error)

    await tree.sync()
    evening.mia.commands(evening.general, "ask")
    return await asyncio.wait_for(done, SOON)


# --- the client --------------------------------------------------------------------------------------


@pytest.mark.parametrize("persona", [None, REN], ids=["bot", "webhook"])
async def test_a_client_that_is_closed_in_the_middle_is_said_in_one_sentence(
    persona: Persona | None, evening: Evening
) -> None:
    async def closing() -> AsyncIterator[str]:
        yield "Hello.\n\nHow "
        await evening.server.until(lambda: "Hello." in evening.texts())
        await evening.client.close()
        yield "are you?"

    speaker = cadenza.Speaker(settings=AT_ONCE, persona=persona)
    said = await asyncio.wait_for(speaker.say(general(evening), closing()), 3.0)

    assert "The discord.py client is closed; send messages while it runs." == error_of(said.outcome)
    assert ["Hello."] == evening.texts()


async def test_a_client_that_is_not_logged_in_is_said_at_once_in_one_sentence() -> None:
    client = discord.Client(intents=discord.Intents.none())

    with pytest.raises(InputError, match=r"^the discord\.py client is not logged in; send messages when it is ready$"):
        await asyncio.wait_for(cadenza.say(client.get_partial_messageable(1), TEXT), 2.0)


async def test_a_channel_is_no_client(evening: Evening) -> None:
    with pytest.raises(InputError, match=r"needs a discord\.py client, not TextChannel"):
        cadenza.Speaker(general(evening))


async def test_a_store_of_webhooks_is_used_although_somebody_spoke_before(evening: Evening) -> None:
    store = MemoryWebhookStore()
    await cadenza.say(general(evening), "Hi.", settings=AT_ONCE)
    async with cadenza.Speaker(settings=AT_ONCE, persona=REN, webhooks=store) as speaker:
        await speaker.say(general(evening), "Hi.")

    assert await store.load(evening.general)


async def test_a_client_has_one_store_of_webhooks() -> None:
    client, store = discord.Client(intents=discord.Intents.none()), MemoryWebhookStore()
    client_state = ClientState.of(client, store)

    assert client_state is ClientState.of(client, store)
    with pytest.raises(InputError, match="in another store already"):
        ClientState.of(client, MemoryWebhookStore())


async def test_a_store_has_forgotten_what_is_gone_when_a_speaker_ends(evening: Evening) -> None:
    store = MemoryWebhookStore()
    async with cadenza.Speaker(settings=AT_ONCE, persona=REN, webhooks=store) as speaker:
        await speaker.say(general(evening), "Hi.")
        ClientState.of(evening.client).shared.webhooks.gone(evening.general)

    assert await store.load(evening.general) is None


# --- interactions ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_carried_out", [True, False])
async def test_a_first_sign_whose_answer_was_lost_is_no_failure(is_carried_out: bool, evening: Evening) -> None:  # noqa: FBT001  # a table
    evening.faults.lose("POST /interactions/**", times=1, is_carried_out=is_carried_out)

    said = await to_interaction(evening, TEXT)

    assert isinstance(said.outcome, Completed)
    assert SAID == evening.texts()


async def test_an_interaction_that_is_over_is_said_in_one_sentence(evening: Evening) -> None:
    evening.faults.fail("POST /interactions/**", 404, 10062, times=1)

    with pytest.raises(DeliveryError, match=r"^This interaction has expired: .* answer or defer sooner\.$"):
        await to_interaction(evening, TEXT)


async def test_nobody_is_left_waiting_for_an_answer_that_does_not_come(evening: Evening) -> None:
    said = await to_interaction(evening, "", settings=IN_SILENCE)

    assert isinstance(said.outcome, Empty)
    assert [] == evening.texts()
    assert 1 == len(evening.statuses("DELETE /webhooks/"))


async def test_nobody_is_left_waiting_for_an_answer_that_was_stopped(evening: Evening) -> None:
    stops = Stops()

    async def stopping() -> AsyncIterator[str]:
        stops.request("turn")
        await asyncio.sleep(SOON)
        yield TEXT

    with stops.open("turn") as stop:
        said = await to_interaction(evening, stopping(), stop=stop)

    assert isinstance(said.outcome, Stopped)
    assert [] == evening.texts()


async def test_a_first_sign_that_cannot_be_taken_back_is_left(evening: Evening) -> None:
    evening.faults.fail("DELETE /webhooks/**", 404, 10008, times=1)

    assert isinstance((await to_interaction(evening, "", settings=IN_SILENCE)).outcome, Empty)


async def test_an_answer_is_not_taken_back(evening: Evening) -> None:
    await to_interaction(evening, TEXT)

    assert [] == evening.statuses("DELETE /webhooks/")


# --- people ------------------------------------------------------------------------------------------------


async def test_who_is_looked_up_is_called_though_no_cache_has_them() -> None:
    async with at_work(Evening(), intents=discord.Intents.default()) as evening:
        assert evening.client.guilds[0].get_member(int(evening.mia.id)) is None

        await cadenza.say(general(evening), f"Hi @Mia, not <@{evening.tom.id}>!", settings=AT_ONCE)

        assert [evening.mia.id] == [user["id"] for user in evening.last()["mentions"]]


async def test_who_is_found_by_somebody_else_s_lookup_is_called(evening: Evening) -> None:
    async def find(_handle: str, _place: str) -> str:
        return "<@!123456789012345678>"

    preparer = cadenza.PostPreparer(lookup=Lookup(find))
    await cadenza.say(general(evening), "Hi @zoe!", settings=AT_ONCE, preparer=preparer)

    [body] = evening.bodies("POST /channels/{channel}/messages")
    assert [123456789012345678] == body["allowed_mentions"]["users"]


REFUSALS: list[Any] = [
    pytest.param(lambda faults: faults.fail("POST /users/@me/channels", 403, 50278), "takes no messages", id="closed"),
    pytest.param(
        lambda faults: faults.fail("POST /users/@me/channels", 401, 0), "no messages from this bot", id="token"
    ),
    pytest.param(lambda faults: faults.lose("POST /users/@me/channels"), "does not answer at the moment", id="line"),
]


@pytest.mark.parametrize(("refuse", "sentence"), REFUSALS)
async def test_a_person_who_cannot_be_written_to_is_an_error_in_one_sentence(
    refuse: Callable[[Faults], None], sentence: str, evening: Evening
) -> None:
    refuse(evening.faults)

    with pytest.raises(DeliveryError, match=sentence):
        await cadenza.say(evening.client.get_user(int(evening.mia.id)), TEXT)
