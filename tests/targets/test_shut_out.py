"""A bot that Discord shuts out for a while, with real discord.py over the simulated Discord: it is heard again by itself."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import discord
import pytest

from cadenza.errors import DeliveryError, DeliveryKind
from cadenza.facts import Fact, LoggedFact, MessageSent, SendRefused
from cadenza.replies.say import say
from cadenza.replies.speaker import Speaker
from cadenza.settings import Settings
from cadenza.targets.discord.api import ApiError
from cadenza.targets.discord_py.client_state import ClientState
from cadenza.types import Broke, Completed, Persona, Reply
from tests.bot.evening import Evening, at_work
from tests.leaps import leap
from tests.timing import now

pytestmark = pytest.mark.timeout(60)

SENDS = "POST /channels/*/messages"
SPEAKS = "POST /webhooks/*/*"
SETTINGS = Settings.of(degree=1, typing=False)


async def talk(evening: Evening, text: str, facts: list[Fact] | None = None) -> Reply:
    def hear(logged: LoggedFact) -> None:
        if facts is not None:
            facts.append(logged.fact)

    channel = evening.client.get_channel(int(evening.general))
    return await say(channel, text, settings=SETTINGS, trace=hear, queue=False)


def requests(evening: Evening) -> int:
    return len(evening.server.rest.calls)


def sends(evening: Evening) -> list[float]:
    """When messages were sent, or tried to be."""
    return [call.at for call in evening.server.rest.calls if call.route == "POST /channels/{channel}/messages"]


def lines(caplog: pytest.LogCaptureFixture) -> list[int]:
    return [record.levelno for record in caplog.records if record.name.endswith(".cooldown")]


async def test_after_one_page_of_cloudflare_replies_end_at_once_until_its_cooldown_is_over(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "cadenza")
    async with at_work(Evening()) as evening:
        channel = evening.client.get_channel(int(evening.general))
        evening.faults.ban(SENDS, times=1)
        begun = now()

        first, second = await talk(evening, "One.\nTwo."), await talk(evening, "Three.")

        for said in (first, second):
            assert isinstance(said.outcome, Broke)
            assert isinstance(error := said.outcome.error, DeliveryError)
            assert DeliveryKind.REFUSED is error.kind
            assert "Discord takes no messages from this bot at the moment; try again in 2 minutes." == str(error)
        assert (1, []) == (len(sends(evening)), evening.texts())
        assert now() - begun < 5.0
        assert "banned" == await Speaker().blocked(channel)

        leap(60.0)
        assert await Speaker().blocked(channel) is None
        assert isinstance((await talk(evening, "Four.\nFive.")).outcome, Completed)
        assert ["Four.", "Five."] == evening.texts()
        assert [logging.ERROR, logging.INFO] == lines(caplog)


async def test_a_short_retry_after_of_cloudflare_is_waited_out() -> None:
    async with at_work(Evening()) as evening:
        evening.faults.ban(SENDS, times=1, retry_after=20.0)
        begun = now()

        said = await talk(evening, "One.\nTwo.")

        assert isinstance(said.outcome, Completed)
        assert ["One.", "Two."] == evening.texts()
        assert 20.0 <= now() - begun < 25.0


@pytest.mark.parametrize("persona", [Persona(""), Persona("Ren", is_alter=True)], ids=["bot", "webhook"])
async def test_a_stray_answer_that_the_token_is_wrong_costs_seconds_and_no_word(persona: Persona) -> None:
    async with at_work(Evening()) as evening:
        facts: list[Fact] = []
        speaker = Speaker(settings=SETTINGS, persona=persona, trace=lambda logged: facts.append(logged.fact))
        evening.faults.fail(SPEAKS if persona.is_alter else SENDS, 401, after=1)
        channel, begun = evening.client.get_channel(int(evening.general)), now()

        said = await speaker.say(channel, "One.\nTwo.\nThree.")
        following = await speaker.say(channel, "Four.")

        assert (Completed, Completed) == (type(said.outcome), type(following.outcome))
        assert ["One.", "Two.", "Three.", "Four."] == evening.texts()
        assert 5.0 <= now() - begun < 10.0
        assert [("unauthorised", "401", "cooldown")] == [
            (fact.reason, fact.code, fact.remedy) for fact in facts if isinstance(fact, SendRefused)
        ]
        [slow] = [fact for fact in facts if isinstance(fact, MessageSent) and fact.seconds > 4.0]
        assert "Two." == slow.text


async def test_of_two_replies_during_a_cooldown_one_tries() -> None:
    async with at_work(Evening()) as evening:
        evening.faults.fail(SENDS, 401, times=2)
        begun = now()
        first = asyncio.create_task(talk(evening, "One."))
        await asyncio.sleep(1.0)
        assert "unauthorised" == ClientState.of(evening.client).shared.cooldown.reason
        facts: list[Fact] = []

        await asyncio.gather(talk(evening, "Two.", facts), talk(evening, "Three."), first)

        times = sends(evening)
        assert [0, 5, 15] == [round(at - times[0]) for at in times[:3]]  # each of the first three was alone
        assert (5, {"One.", "Two.", "Three."}) == (len(times), {*evening.texts()})
        assert 15.0 <= now() - begun < 20.0
        assert [("unauthorised", "")] == [(fact.reason, fact.code) for fact in facts if isinstance(fact, SendRefused)]


async def test_a_token_that_stays_wrong_costs_few_requests_in_an_hour(caplog: pytest.LogCaptureFixture) -> None:
    async with at_work(Evening()) as evening:
        evening.faults.fail("* /channels/**", 401, every=1)
        asked, begun, outcomes = requests(evening), now(), list[type[Any]]()
        while now() - begun < 3600.0:
            outcomes.append(type((await talk(evening, "Hello?\nHello?")).outcome))
            leap(30.0)

        assert {Broke} == {*outcomes}
        assert 8 <= requests(evening) - asked <= 15
        assert 8 <= len(lines(caplog)) <= requests(evening) - asked
        assert [] == evening.texts()

        evening.faults.clear()
        leap(900.0)
        assert isinstance((await talk(evening, "Hello!")).outcome, Completed)
        assert ["Hello!"] == evening.texts()


@asynccontextmanager
async def command_used(evening: Evening, *, before: Callable[[], Awaitable[object]]) -> AsyncIterator[Any]:
    """Somebody uses a command after *before*."""
    tree: Any = evening.client.tree

    @tree.command(name="ask", description="Ask.")
    async def ask(interaction: discord.Interaction[Any]) -> None:
        """It is answered by the test."""

    await tree.sync()
    await before()
    heard = asyncio.create_task(evening.client.wait_for("interaction", timeout=30.0))
    await asyncio.sleep(0)
    evening.mia.commands(evening.general, "ask")
    yield await heard


async def test_an_interaction_is_not_even_acknowledged_while_the_bot_is_banned() -> None:
    async with at_work(Evening()) as evening:
        evening.faults.ban(SENDS, times=1)
        async with command_used(evening, before=lambda: talk(evening, "One.")) as interaction:
            asked = requests(evening)

            said = await say(interaction, "Two.", settings=SETTINGS)

            assert isinstance(said.outcome, Broke)
            assert (0, []) == (requests(evening) - asked, evening.texts())


@pytest.mark.parametrize("seconds", [1.0, 60.0], ids=["during the pause", "after it"])
async def test_an_interaction_is_acknowledged_in_time_in_spite_of_a_stray_401(seconds: float) -> None:
    async with at_work(Evening()) as evening:
        client_state = ClientState.of(evening.client)
        refusal = ApiError("", status=401)

        async def stray() -> None:
            with pytest.raises(ApiError):
                async with client_state.shared.cooldown.request():
                    raise refusal
            leap(seconds)

        async with command_used(evening, before=stray) as interaction:
            said = await say(interaction, slowly("One.\n", "Two."), settings=SETTINGS)

            assert isinstance(said.outcome, Completed)
            assert ["One.", "Two."] == evening.texts()


async def slowly(*texts: str) -> AsyncIterator[str]:
    """The texts of a model that thinks for long."""
    for text in texts:
        await asyncio.sleep(8.0)
        yield text
