"""What the playground shows when Discord is difficult. The real bot, in a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from cadenza.languages import filled, named
from tests.browsing import Open, Snap
from tests.play.server.guest import arrives, asking, lines, play
from tests.play.server.playing import Play

__all__ = ["play"]
pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_rate_limit_makes_posts_merge_and_the_inside_says_so(play: Play, window: Open, snap: Snap) -> None:
    guest = await arrives(play, window)
    await guest.open("Discord")
    async with guest.page.expect_response("**/api/discord"):
        await guest.page.get_by_role("switch", name="Rate limit").click()
    for name, value in (("Messages", "1"), ("within", "2")):
        number = guest.panel.get_by_role("spinbutton", name=name)
        await number.fill(value)
        async with guest.page.expect_response("**/api/discord"):
            await number.press("Enter")

    await guest.open("Inside")
    await guest.say(asking("story"))
    await play.until(lambda: any("The end." in one for one in play.answers()))
    await play.quiet()
    # How many go out together depends on how quick the machine is; but after each message all that comes waits a while.
    told = play.answers()
    await expect(guest.contents).to_have_count(1 + len(told))
    await guest.messages.nth(1 + next(place for place, one in enumerate(told) if place and "\n" in one)).click()
    texts = named("en", "facts")
    for key, values in (
        ("merged", {"n": "#", "why": texts["merge.rate_limit"]}),
        ("wait.rate_limit", {"seconds": "#"}),
    ):
        sentence = re.escape(filled(texts[key], values)).replace(r"\#", "[0-9.]+")
        await expect(guest.panel.get_by_text(re.compile(sentence))).to_be_visible()
    await snap(guest.page)
    await guest.panel.get_by_role("button", name="Overview").click()

    assert lines("story") == [line for said in told for line in said.splitlines() if line]
    assert len(told) < len(lines("story"))
    assert await guest.count("merged") > 0


async def test_an_answer_that_is_lost_gives_no_double(play: Play, window: Open) -> None:
    guest = await arrives(play, window)
    await guest.open("Discord")
    await guest.page.get_by_role("button", name="Lose an answer").click()
    await expect(guest.panel.get_by_role("status")).to_contain_text("Lose an answer")

    await guest.hear(asking("help"), 3)
    await expect(guest.panel.get_by_role("status")).to_have_text("Nothing is set to go wrong.")
    await expect(guest.contents).to_have_text([asking("help"), *lines("help")])
    assert lines("help") == play.answers()
