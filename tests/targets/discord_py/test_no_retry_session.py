"""Nothing is sent twice."""

from __future__ import annotations

import aiohttp
import pytest

from cadenza.targets.discord_py.no_retry_session import NoRetrySession
from cadenza.targets.discord_py.translate_errors import LineBroke, ServerTrouble
from tests.loopback import Answer, serving

pytestmark = pytest.mark.timeout(60)


async def test_an_answer_is_passed_on_and_its_headers_are_shown() -> None:
    seen = []
    async with serving(Answer.of(b"{}", 404, x_ratelimit_limit="5")) as server, aiohttp.ClientSession() as session:
        one_try = NoRetrySession(session, lambda headers: seen.append(headers["X-RateLimit-Limit"]))
        async with one_try.request("POST", server.url, params={"wait": 1}) as response:
            assert (404, "{}") == (response.status, await response.text())

    assert ["5"] == seen
    assert ["/?wait=1"] == [asked.path for asked in server.asked]


@pytest.mark.parametrize("status", [500, 502, 503])
async def test_trouble_is_raised_instead_of_being_answered(status: int) -> None:
    async with serving(Answer.of(b"", status)) as server, aiohttp.ClientSession() as session:
        with pytest.raises(ServerTrouble) as caught:
            async with NoRetrySession(session, lambda _: None).request("POST", server.url):
                pytest.fail("there is an answer")

    assert (status, 1) == (caught.value.status, len(server.asked))


async def test_a_line_that_breaks_is_not_an_error_that_anybody_tries_again_for() -> None:
    async with serving(Answer.of(b"")) as server:
        pass  # nobody is there any more

    async with aiohttp.ClientSession() as session:
        with pytest.raises(LineBroke):
            await NoRetrySession(session, lambda _: None).request("POST", server.url).__aenter__()
