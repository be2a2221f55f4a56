"""A megabyte in the lab: the page stays awake, from the paste to the film. The real server, in a real browser."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import CDPSession, Page, expect

from cadenza.play.server.film_jobs import TAKES
from tests.browsing import Open
from tests.play.films.told import mixed_text
from tests.play.server.guest import arrives, play
from tests.play.server.playing import Play

__all__ = ["play"]
pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(400)]

MEGABYTE = 1_000_000
ASLEEP = 3000
"""Milliseconds without a frame, after which nobody would call a page awake. On a machine with nothing else to do it is
a tenth of that."""
_MADE = 1000 * (TAKES + 60)
"""Milliseconds after which the film is there, or was given up."""
_ALL = ["paste", "run", "the film arrives", "scrub to 0.5", "scrub to 0.1", "scrub to 1.0", "message", "token"]

_WATCH = """() => {
  window.longest = 0;
  window.sinceFrame = () => {
    const now = performance.now();
    window.longest = Math.max(window.longest, now - window.last);
    window.last = now;
  };
  window.last = performance.now();
  const frame = () => {
    window.sinceFrame();
    setTimeout(() => requestAnimationFrame(frame), 100); // each one would be more work than what is watched
  };
  requestAnimationFrame(frame);
}"""
_PASTE = """async (text) => {
  const field = document.querySelector(".source-text");
  field.focus();
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  window.longest = 0;
  field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}"""
_LONGEST = """async () => {
  const frame = () => new Promise((go) => { requestAnimationFrame(go); });
  await frame();
  await frame();
  window.sinceFrame(); // who looks only every so often may not have had its turn since
  const { longest } = window;
  window.longest = 0;
  return longest;
}"""
_SCRUB = """(slider, part) => {
  slider.value = String(Number(slider.max) * part);
  slider.dispatchEvent(new Event("input", { bubbles: true }));
}"""


class _Watch:
    """How long the page slept in each phase, at the most, in milliseconds.

    It did not sleep while others had the processor: never for longer than it has itself computed in that phase.
    """

    def __init__(self, page: Page, wire: CDPSession) -> None:
        self.slept: dict[str, float] = {}
        self._page = page
        self._wire = wire
        self._computed = 0.0

    async def over(self, phase: str) -> None:
        """A phase is over; the first is what was before."""
        longest = await self._page.evaluate(_LONGEST)
        told = await self._wire.send("Performance.getMetrics")
        computed = next(1000 * one["value"] for one in told["metrics"] if one["name"] == "ThreadTime")
        self.slept[phase] = min(longest, computed - self._computed)
        self._computed = computed


@asynccontextmanager
async def _watching(page: Page) -> AsyncIterator[_Watch]:
    wire = await page.context.new_cdp_session(page)
    await wire.send("Performance.enable")
    await page.evaluate(_WATCH)
    watch = _Watch(page, wire)
    await watch.over("")
    yield watch
    await wire.detach()


async def test_a_megabyte_is_pasted_run_and_looked_into_and_the_page_never_sleeps(play: Play, window: Open) -> None:
    page = (await arrives(play, window)).page
    await page.get_by_role("list", name="Views").get_by_role("button", name="Lab").click()
    field = page.get_by_role("textbox", name="What the model says")
    await expect(field).to_be_visible()
    async with _watching(page) as watch:
        await page.evaluate(_PASTE, mixed_text(MEGABYTE))
        await watch.over("paste")
        assert len(await field.input_value()) <= 200_000
        await expect(page.get_by_text("more, which is not shown here")).to_be_visible()

        async with page.expect_response("**/api/rehearse", timeout=_MADE) as made:
            await page.get_by_role("button", name="Run").click()
        await watch.over("run")
        assert MEGABYTE == len((await made.value).request.post_data_json["text"])
        await expect(page.get_by_role("heading", name="Result")).to_be_visible(timeout=_MADE)
        await watch.over("the film arrives")

        slider = page.get_by_role("slider", name="Time")
        for part in (0.5, 0.1, 1.0):
            await slider.evaluate(_SCRUB, part)
            await watch.over(f"scrub to {part}")
        await page.get_by_role("log").get_by_role("article").last.click()
        await expect(page.get_by_text("It ends here because")).to_be_visible()
        await watch.over("message")
        await page.locator(".film-inside .tok").first.click()
        await watch.over("token")

    assert _ALL == [phase for phase, slept in watch.slept.items() if phase and slept < ASLEEP], watch.slept
    await page.get_by_role("button", name="Leave that out").click()
    await expect(page.get_by_text("more, which is not shown here")).to_be_hidden()


async def test_a_page_that_computes_is_seen_to_sleep_and_one_that_waits_is_not(window: Open) -> None:
    page = await window()
    async with _watching(page) as watch:
        await page.evaluate("() => { let sum = 0; for (let i = 0; i < 5e8; i += 1) sum += i % 7; return sum; }")
        await watch.over("computes")
        await page.evaluate("() => new Promise((go) => { setTimeout(go, 300); })")
        await watch.over("waits")

    assert watch.slept["computes"] > 100
    assert watch.slept["waits"] < watch.slept["computes"]
