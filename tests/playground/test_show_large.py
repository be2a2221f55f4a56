"""A megabyte in the lab: the page stays awake, from the paste to the film. The real server, in a real browser."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from tests.browsing import Open
from tests.films.told import mixed_text
from tests.playground.guest import arrives, play
from tests.playground.playing import Play

__all__ = ["play"]
pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(150)]

MEGABYTE = 1_000_000
ASLEEP = 3000
"""Milliseconds without a frame, after which nobody would call a page awake. On a machine with nothing else to do it is
a tenth of that; here other tests run beside it, on as many cores or fewer."""

_WATCH = """() => {
  window.longest = 0;
  let last = performance.now();
  const frame = () => {
    const now = performance.now();
    window.longest = Math.max(window.longest, now - last);
    last = now;
    requestAnimationFrame(frame);
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
  const { longest } = window;
  window.longest = 0;
  return longest;
}"""
_SCRUB = """(slider, part) => {
  slider.value = String(Number(slider.max) * part);
  slider.dispatchEvent(new Event("input", { bubbles: true }));
}"""


async def _awake(page: Page, phase: str) -> None:
    assert await page.evaluate(_LONGEST) < ASLEEP, phase


async def test_a_megabyte_is_pasted_run_and_looked_into_and_the_page_never_sleeps(play: Play, window: Open) -> None:
    page = (await arrives(play, window)).page
    await page.get_by_role("list", name="Views").get_by_role("button", name="Lab").click()
    field = page.get_by_role("textbox", name="What the model says")
    await expect(field).to_be_visible()
    await page.evaluate(_WATCH)

    await page.evaluate(_PASTE, mixed_text(MEGABYTE))
    await _awake(page, "paste")
    assert len(await field.input_value()) <= 200_000
    await expect(page.get_by_text("more, which is not shown here")).to_be_visible()

    async with page.expect_request("**/api/rehearse") as asked:
        await page.get_by_role("button", name="Run").click()
    assert MEGABYTE == len((await asked.value).post_data_json["text"])
    await _awake(page, "run")
    await expect(page.get_by_role("heading", name="What comes of it")).to_be_visible(timeout=100_000)
    await _awake(page, "the film arrives")

    slider = page.get_by_role("slider", name="Time")
    for part in (0.5, 0.1, 1.0):
        await slider.evaluate(_SCRUB, part)
        await _awake(page, f"scrub to {part}")
    await page.get_by_role("log").get_by_role("article").last.click()
    await expect(page.get_by_text("It ends here because")).to_be_visible()
    await _awake(page, "a message is chosen")
    await page.locator(".film-inside .tok").first.click()
    await _awake(page, "a token is chosen")
    await page.get_by_role("button", name="Leave that out").click()
    await expect(page.get_by_text("more, which is not shown here")).to_be_hidden()
