"""The tour: five stories, each played as two films."""

from __future__ import annotations

import json

import pytest
from playwright.async_api import expect

from cadenza.sim.wire import Json
from tests.browsing import PHONE, Open
from tests.play.page.lab_room import film, room
from tests.play.page.samples import packed

pytestmark = pytest.mark.asyncio(loop_scope="session")

_STORIES: list[Json] = [
    {
        "id": f"s{number}",
        "title": {"en": f"Story {number}", "ja": f"物語{number}"},
        "about": {"en": f"Goes wrong {number}", "ja": f"失敗{number}"},
        "seconds": 30 * number,
    }
    for number in range(1, 6)
]
_SCRIPT = """
import { Api } from "cadenza/api.js";
import { Tour } from "cadenza/tour.js";
import { setLanguage } from "cadenza/words.js";
const onTry = (story) => { window.tried = story.id; };
window.tour = new Tour(document.getElementById("root"), { api: new Api(), stories: %s, onTry });
window.setLanguage = setLanguage;
"""


def _told(number: int) -> Json:
    return {
        **_STORIES[number - 1],
        "captions": [{"at": 0.0, "en": f"Look at {number}", "ja": f"{number}を見て"}],
        "labels": [{"en": "The usual bot", "ja": "ふつうのボット"}, {"en": "Cadenza", "ja": "Cadenza"}],
        "films": [packed(film((600.0, f"{how} {number}"))) for how in ("Torn", "Whole")],
    }


def _script() -> str:
    return _SCRIPT % json.dumps(_STORIES)


async def test_a_story_is_chosen_played_beside_the_usual_bot_and_followed_by_the_next(window: Open) -> None:
    async with room(window.addresses, _script()) as served:
        served.answers |= {f"/api/stories/s{number}": _told(number) for number in range(1, 6)}
        page = await window(served.url)
        await expect(page.locator(".story-card")).to_have_count(5)
        await page.get_by_role("button", name="Story 2").click()
        for text in ("Torn 2", "Whole 2", "Look at 2", "The usual bot"):
            await expect(page.get_by_text(text, exact=True).first).to_be_visible()
        await page.get_by_role("button", name="Next").first.click()
        await expect(page.get_by_text("Whole 3", exact=True).first).to_be_visible()
        await expect(page.get_by_text("Whole 2", exact=True)).to_have_count(0)
        await page.get_by_role("button", name="Next story").click()  # offered where a story ends
        await page.get_by_role("button", name="Next story").click()
        await expect(page.get_by_text("Whole 5", exact=True).first).to_be_visible()
        await expect(page.get_by_role("button", name="Next story")).to_have_count(0)
        await page.locator(".film-next", has_text="Try it yourself").click()
        assert "s5" == await page.evaluate("tried")
        await page.get_by_role("button", name="← All stories").click()
        await expect(page.get_by_text("Seen 4 of 5")).to_be_visible()


async def test_keys_go_to_the_next_story_and_back_and_play(window: Open) -> None:
    async with room(window.addresses, _script()) as served:
        served.answers |= {f"/api/stories/s{number}": _told(number) for number in range(1, 6)}
        page = await window(served.url)
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("Whole 1", exact=True).first).to_be_visible()
        await page.keyboard.press("p")  # there is none before
        await page.keyboard.press("n")
        await expect(page.get_by_text("Whole 2", exact=True).first).to_be_visible()
        await page.keyboard.press("Space")  # at the end: from the beginning
        await expect(page.get_by_text("Whole 2", exact=True)).to_have_count(0)
        await expect(page.get_by_role("button", name="Pause")).to_be_visible()
        await page.keyboard.press(".")  # to what happens next
        await expect(page.get_by_text("Whole 2", exact=True).first).to_be_visible()
        await page.keyboard.press("p")
        await expect(page.get_by_text("Whole 1", exact=True).first).to_be_visible()
        assert ["/api/stories/s1", "/api/stories/s2"] == [path for path, _ in served.asked]  # each is asked for once


async def test_a_story_that_cannot_be_had_is_said_and_can_be_tried_again(window: Open) -> None:
    async with room(window.addresses, _script()) as served:
        served.answers["/api/stories/s1"] = {"error": "The story is not ready; try again in a moment."}
        page = await window(served.url)
        await page.get_by_role("button", name="Story 1").click()
        await expect(page.get_by_role("alert")).to_have_text("The story is not ready; try again in a moment.")
        page.faults.clear()  # type: ignore[attr-defined]  # the browser complains of the refusal
        served.answers["/api/stories/s1"] = _told(1)
        await page.get_by_role("button", name="Try again").click()
        await expect(page.get_by_text("Whole 1", exact=True).first).to_be_visible()


async def test_the_tour_speaks_japanese_and_fits_a_phone(window: Open) -> None:
    async with room(window.addresses, _script()) as served:
        served.answers["/api/stories/s1"] = _told(1)
        page = await window(served.url, size=PHONE, locale="ja-JP", touch=True)
        await page.get_by_role("button", name="物語1").tap()
        await expect(page.get_by_text("1を見て")).to_be_visible()
        await expect(page.get_by_text("Torn 1", exact=True).first).to_be_visible()
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        await page.evaluate("setLanguage('en')")
        await expect(page.get_by_role("button", name="Try it yourself")).to_be_visible()
        await expect(page.get_by_text("Torn 1", exact=True).first).to_be_visible()
