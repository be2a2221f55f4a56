"""What the playground shows to everybody: on a phone, without a mouse, in Japanese, by day and by night."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Page, expect

from cadenza.languages import named
from tests.browsing import PHONE, Open, Snap
from tests.play.server.guest import Guest, arrives, asking, lines, play
from tests.play.server.playing import Play

__all__ = ["play"]
pytestmark = pytest.mark.asyncio(loop_scope="session")


async def _fits(page: Page) -> bool:
    return bool(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


async def test_on_a_phone_nothing_sticks_out_and_every_view_can_be_reached(
    play: Play, window: Open, snap: Snap
) -> None:
    guest = await arrives(play, window, size=PHONE, touch=True, colours="dark")
    page = guest.page
    bar = page.get_by_role("navigation", name="Screens")

    await guest.hear(asking("table"), 3)
    await expect(page.get_by_role("img", name="| ")).to_be_visible()
    assert await _fits(page)
    await snap(page, docs="phone")
    await guest.messages.nth(1).tap()
    await expect(guest.panel.get_by_role("heading", name="Message 1 of 3")).to_be_visible()
    assert await _fits(page)
    await bar.get_by_role("button", name="Settings").tap()
    await expect(page.get_by_role("radio", name="a message a sentence")).to_be_visible()
    assert await _fits(page)
    await page.get_by_role("tab", name="Discord").tap()
    await expect(page.get_by_role("button", name="Lose an answer")).to_be_visible()
    assert await _fits(page)
    for view, seen in (("Tour", "Five short stories"), ("Lab", "Paste what a model said")):
        await bar.get_by_role("button", name="More").tap()
        await page.get_by_role("list", name="Views").get_by_role("button", name=view).tap()
        await expect(page.get_by_text(seen)).to_be_visible()
        assert await _fits(page)
    await bar.get_by_role("button", name="More").tap()
    await page.get_by_role("button", name="stargazers").tap()
    await expect(page.get_by_role("textbox", name="Message #stargazers")).to_be_visible()


async def _tab_to(page: Page, name: str) -> None:
    """Press Tab until something that begins so has the focus."""
    look = "name => (document.activeElement.ariaLabel ?? document.activeElement.textContent).trim().startsWith(name)"
    for _ in range(40):
        await page.keyboard.press("Tab")
        if await page.evaluate(look, name):
            return
    pytest.fail(f"{name} cannot be reached")


async def test_a_conversation_and_an_inspection_need_no_mouse(play: Play, window: Open) -> None:
    guest = await arrives(play, window)
    keys = guest.page.keyboard

    await _tab_to(guest.page, "To the message field")
    await keys.press("Enter")
    await keys.type(asking("help"))
    await keys.press("Enter")
    await expect(guest.contents).to_have_text([asking("help"), *lines("help")])
    await play.quiet()
    await keys.type("/persona sh")
    await expect(guest.page.get_by_role("listbox", name="Commands").get_by_role("option")).to_have_count(1)
    await keys.press("Tab")
    await keys.type("Ren")
    await expect(guest.page.get_by_role("listbox").get_by_role("option", name="Ren")).to_be_visible()
    await keys.press("Escape")
    await keys.press("Enter")
    await expect(guest.messages.last).to_contain_text("A shy astronomer")

    await keys.press("Shift+F6")
    await expect(guest.page.locator(".message:focus")).to_have_count(1)
    await keys.press("Home")
    await keys.press("ArrowDown")
    await expect(guest.panel.get_by_role("heading", name="Message 1 of 3")).to_be_visible()
    await keys.press("F6")
    await keys.press("F6")
    await expect(guest.page.get_by_role("tab", name="Inside")).to_be_focused()
    await _tab_to(guest.page, "The model’s text")
    await keys.press("ArrowRight")
    await keys.press("Enter")
    await expect(guest.panel.get_by_text("It went into message 1.")).to_be_visible()
    await expect(guest.messages.nth(1)).to_have_class(re.compile("is-marked"))


async def test_the_page_the_bot_and_its_commands_speak_japanese(play: Play, window: Open, snap: Snap) -> None:
    guest = await arrives(play, window, locale="ja-JP", size=(1152, 720))
    page = guest.page
    await expect(page.get_by_role("textbox", name="#general")).to_be_visible()
    assert "ja" == await page.evaluate("document.documentElement.lang")

    await page.get_by_role("button", name="案内を閉じる").click()
    await page.get_by_role("button", name=asking("help", "ja")).click()
    await expect(guest.contents).to_have_text([asking("help", "ja"), *lines("help", "ja")])
    await play.quiet()
    await guest.field.press_sequentially("/")
    offered = page.get_by_role("listbox").get_by_role("option")
    await expect(offered.first).to_contain_text(re.compile("[ぁ-ん]"))
    await guest.say("/status")
    await expect(guest.messages).to_have_count(5)
    await expect(guest.messages.last).to_contain_text(re.compile("[ぁ-ん]"))
    await guest.hear(asking("table", "ja"), 3)
    await guest.messages.nth(2).click()
    await expect(guest.panel.get_by_text(named("ja", "facts")["ends.line"].partition("{")[0])).to_be_visible()
    await snap(page, docs="japanese")
    await page.get_by_role("combobox", name="言語").select_option("English")
    await expect(guest.panel.get_by_text(named("en", "facts")["ends.line"].partition("{")[0])).to_be_visible()
    await expect(page.get_by_role("textbox", name="Message #general")).to_be_visible()


async def _is(guest: Guest, low: int, high: int) -> None:
    """Wait until the page is as bright as that, from 0 to 255."""
    bright = """([low, high]) => {
      const colours = getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number);
      const bright = colours.reduce((one, other) => one + other, 0) / 3;
      return low < bright && bright < high;
    }"""
    await guest.page.wait_for_function(bright, arg=[low, high])


async def test_the_page_is_light_or_dark_as_one_likes_it(play: Play, window: Open, snap: Snap) -> None:
    guest = await arrives(play, window, colours="dark")
    page = guest.page
    await _is(guest, -1, 64)

    await page.get_by_role("button", name="Close the welcome").click()
    await guest.say(asking("code"))
    await play.until(lambda: "Every part of it stands alone." in play.answers())
    await play.quiet()
    await guest.hear(asking("table"), 3)
    await guest.messages.nth(-2).press("Enter")
    await expect(guest.panel.get_by_text("It ends here because")).to_be_in_viewport()
    await expect(guest.panel.get_by_text("Tokens", exact=True).first).to_be_in_viewport()
    await snap(page, docs="playground")
    await page.get_by_role("combobox", name="Theme").select_option("Light")
    await _is(guest, 192, 256)
    await page.reload()
    await expect(guest.field).to_be_visible()
    await _is(guest, 192, 256)  # it is remembered
