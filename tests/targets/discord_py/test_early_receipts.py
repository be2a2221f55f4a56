"""Sends: whoever says first that a message is there is believed, and no message is two sends'."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from discord import Client, Intents

from cadenza.targets.discord.api import ApiError
from cadenza.targets.discord_py.early_receipts import EarlyReceipts
from tests.timing import now

pytestmark = pytest.mark.looptime


def message(id_: int, content: str = "Ha.") -> Any:
    return SimpleNamespace(id=id_, content=content)


def is_laugh(heard: Any) -> bool:
    return bool(heard.content == "Ha.")


async def sent(answer: Any, after: float) -> Any:
    """What Discord answers, and when discord.py passes it on."""
    await asyncio.sleep(after)
    if isinstance(answer, BaseException):
        raise answer
    return answer


@pytest.fixture
async def client() -> Client:
    client = Client(intents=Intents.none())
    client.loop = asyncio.get_running_loop()
    return client


def tell(client: Client, heard: Any, after: float) -> None:
    """Let the gateway tell of a message."""
    asyncio.get_running_loop().call_later(after, client.dispatch, "message", heard)


async def test_the_answer_counts_if_it_is_first(client: Client) -> None:
    tell(client, message(1), 2)

    assert 1 == (await EarlyReceipts(client).run(sent(message(1), 1), is_laugh)).message.id
    assert 1 == now()


async def test_the_gateway_counts_if_it_is_first_and_the_send_goes_on_until_the_end(client: Client) -> None:
    deliveries = EarlyReceipts(client)
    tell(client, message(2, "Hm."), 0.5)
    tell(client, message(1), 1)

    assert 1 == (await deliveries.run(sent(message(1), 5), is_laugh)).message.id
    assert 1 == now()
    await deliveries.close()
    assert 5 == now()


async def test_a_late_word_of_one_message_is_not_taken_for_the_next(client: Client) -> None:
    deliveries = EarlyReceipts(client)
    first = await deliveries.run(sent(message(1), 1), is_laugh)
    tell(client, message(1), 1)
    tell(client, message(2), 2)

    second = await deliveries.run(sent(message(2), 9), is_laugh)

    assert (1, 2) == (first.message.id, second.message.id)


async def test_of_two_that_look_alike_the_first_is_the_first_s(client: Client) -> None:
    deliveries = EarlyReceipts(client)
    tell(client, message(1), 1)
    tell(client, message(2), 2)

    both = await asyncio.gather(*(deliveries.run(sent(message(id_), 9), is_laugh) for id_ in (1, 2)))

    assert [1, 2] == [each.message.id for each in both]


async def test_after_a_line_broke_the_gateway_may_still_say_that_it_is_there(client: Client) -> None:
    tell(client, message(1), 1.2)

    assert 1 == (await EarlyReceipts(client).run(sent(ConnectionResetError(), 1), is_laugh)).message.id


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        pytest.param(ConnectionResetError(), 1.5, id="a line that broke"),
        pytest.param(asyncio.CancelledError(), 1.5, id="a cancellation of its own"),
        pytest.param(ApiError("no", code=50013), 1.0, id="a refusal"),
    ],
)
async def test_what_failed_is_told(error: BaseException, seconds: float, client: Client) -> None:
    with pytest.raises(ApiError) as caught:
        await EarlyReceipts(client).run(sent(error, 1), is_laugh)

    assert seconds == now()
    assert caught.value.is_ambiguous is not isinstance(error, ApiError)


async def test_who_gives_up_waiting_does_not_end_the_send(client: Client) -> None:
    deliveries = EarlyReceipts(client)
    waiting = asyncio.create_task(deliveries.run(sent(message(1), 5), is_laugh))
    await asyncio.sleep(1)
    waiting.cancel()
    await asyncio.wait([waiting])

    await deliveries.close()

    assert waiting.cancelled()
    assert 5 == now()


async def stubborn() -> Any:
    try:
        await asyncio.sleep(1e6)
    finally:
        raise RuntimeError


@pytest.mark.parametrize("send", [lambda: sent(message(1), 1e6), stubborn], ids=["slow", "stubborn"])
async def test_the_end_does_not_wait_for_ever(send: Callable[[], Any], client: Client) -> None:
    deliveries = EarlyReceipts(client)
    waiting = asyncio.create_task(deliveries.run(send(), is_laugh))
    await asyncio.sleep(0)

    await deliveries.close()

    with pytest.raises(ApiError):
        await waiting
    assert 15 <= now() < 17


async def test_nobody_listens_any_more_when_it_is_known(client: Client) -> None:
    deliveries = EarlyReceipts(client)
    for id_ in range(3):
        await deliveries.run(sent(message(id_), 1), is_laugh)

    client.dispatch("message", message(9))

    assert {} == client._listeners


async def test_only_so_many_messages_are_remembered(client: Client) -> None:
    deliveries = EarlyReceipts(client)
    for id_ in range(1100):
        await deliveries.run(sent(message(id_), 0.001), is_laugh)

    assert 1000 == len(deliveries._taken)


async def test_a_request_that_nobody_waits_for_any_more_still_ends_by_itself(client: Client) -> None:
    deliveries, ended = EarlyReceipts(client), list[float]()

    async def request() -> None:
        await asyncio.sleep(5)
        ended.append(now())

    waiting = asyncio.create_task(deliveries.outlived(request()))
    await asyncio.sleep(1)
    waiting.cancel()
    await asyncio.wait([waiting])
    cancelled_at = now()
    await deliveries.close()

    assert waiting.cancelled()
    assert (1.0, [5.0]) == (cancelled_at, ended)


async def test_what_a_request_raises_is_raised_to_who_waits_for_it(client: Client) -> None:
    with pytest.raises(ApiError, match="no"):
        await EarlyReceipts(client).outlived(sent(ApiError("no"), 1))
