"""What one can do in the playground besides talking: commands, forms, buttons, reactions, spoilers."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browsing import Open
from tests.play.server.guest import arrives, asking, play
from tests.play.server.playing import Play

__all__ = ["play"]
pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_command_offers_its_options_and_opens_a_form(play: Play, window: Open) -> None:
    guest = await arrives(play, window)
    page, field = guest.page, guest.field

    await field.press_sequentially("/config shap")
    offered = page.get_by_role("listbox", name="Commands").get_by_role("option")
    await expect(offered).to_have_count(1)
    await offered.click()
    await expect(offered).to_have_count(4)
    await offered.nth(3).click()
    await field.press("Enter")
    await expect(guest.messages.last).to_contain_text("Only you can see this")
    await expect(guest.messages.last).to_contain_text("shape")
    await guest.say("/persona edit name:Ren")
    form = page.get_by_role("dialog")
    await form.get_by_role("textbox").last.fill("A bright star who is never in a hurry.")
    await form.get_by_role("button", name="Submit").click()
    await expect(form).to_have_count(0)
    await expect(guest.messages).to_have_count(2)
    await guest.say("/persona show name:Ren")
    await expect(guest.messages.last).to_contain_text("never in a hurry")


async def test_buttons_reactions_and_spoilers_do_what_they_do_on_discord(play: Play, window: Open) -> None:
    guest = await arrives(play, window)
    page = guest.page

    await guest.hear(asking("table"), 3)
    await page.get_by_role("button", name="Show Markdown").click()
    await expect(guest.messages.last.locator("pre")).to_contain_text("| Mercury | 0 | 176 days of ours |")
    await guest.messages.nth(1).hover()
    await page.get_by_role("button", name="React", exact=True).click()
    await page.get_by_role("button", name="React with 🎉").click()
    mine = guest.messages.nth(1).get_by_role("button", name="🎉, 1 reaction")
    await expect(mine).to_be_visible()
    await mine.click()
    await expect(mine).to_have_count(0)
    await guest.say(asking("spoiler"))
    spoiler = page.get_by_role("button", name="Spoiler: show what is hidden")
    await spoiler.click()
    await expect(spoiler).to_have_count(0)
    await expect(guest.contents.filter(has_text="The lighthouse keeper was the ship all along.")).to_be_visible()
