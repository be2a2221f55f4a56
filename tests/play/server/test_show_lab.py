"""What the playground shows of any text or recording: the lab, and the tour. The real server, in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect

from tests.browsing import Open, Snap
from tests.models.recorded import STREAMS
from tests.play.server.guest import arrives, play, said
from tests.play.server.playing import Play

__all__ = ["play"]
pytestmark = pytest.mark.asyncio(loop_scope="session")

CODE_AND_TABLE = f"{said('code')}\n\n{said('table')}"
RECORDING = """\
{"recording": 1, "vendor": "openai", "model": "m", "status": 200}
{"after": 0.1, "text": "data: {\\"choices\\": [{\\"index\\": 0, \\"delta\\": {\\"content\\": \\"Foxes sleep\\"}}]}\\n\\n"}
{"after": 0.2, "text": "data: {\\"choices\\": [{\\"index\\": 0, \\"delta\\": {\\"content\\": \\" by day.\\"}}]}\\n\\ndata: [DONE]\\n\\n"}
"""
UNCUT = "blocks => blocks.every((block) => block.scrollHeight <= block.clientHeight + 1)"
DROP = """([name, text]) => {
  const given = new DataTransfer();
  given.items.add(new File([text], name));
  const about = { dataTransfer: given, bubbles: true, cancelable: true };
  document.querySelector(".source").dispatchEvent(new DragEvent("drop", about));
}"""


async def _lab(play: Play, window: Open, **about: object) -> Page:
    page = (await arrives(play, window, **about)).page
    await page.get_by_role("list", name="Views").get_by_role("button", name="Lab").click()
    await expect(page.get_by_role("textbox", name="What the model says")).to_be_visible()
    return page


async def _run(page: Page) -> None:
    await page.get_by_role("button", name="Run").click()
    await expect(page.get_by_role("heading", name="Result")).to_be_visible()


def _side(page: Page, number: int) -> Locator:
    return page.get_by_role("log").nth(number).get_by_role("article")


async def test_pasted_code_and_a_table_come_as_closed_blocks_and_a_picture_and_are_shared(
    play: Play, window: Open, snap: Snap, tmp_path: Path
) -> None:
    page = await _lab(play, window)
    await page.get_by_role("textbox", name="What the model says").fill(CODE_AND_TABLE)
    await page.get_by_role("spinbutton", name="Tokens a second").fill("500")
    await _run(page)

    messages = _side(page, 0)
    await expect(messages.get_by_role("img", name="| ")).to_be_visible()
    blocks = await messages.locator("pre code").all_inner_texts()
    assert len(blocks) > 1, "it does not fit into one message"
    assert CODE_AND_TABLE.split("```")[1].removeprefix("python\n").split() == " ".join(blocks).split()
    assert await messages.locator("pre").evaluate_all(UNCUT), "a block is as high as it is on Discord"
    await expect(messages.filter(has_text="```")).to_have_count(0)
    await snap(page, docs="lab")
    async with page.expect_download() as saved:
        await page.get_by_role("button", name="Share as HTML").click()
    await (await saved.value).save_as(tmp_path / "cadenza.html")
    shared = await window((tmp_path / "cadenza.html").as_uri())
    await expect(_side(shared, 0)).to_have_count(await messages.count())
    await expect(_side(shared, 0).get_by_role("img", name="| ")).to_be_visible()
    await _side(shared, 0).last.click()
    await expect(shared.get_by_text("It ends here because the model had finished.")).to_be_visible()


async def test_two_settings_and_the_usual_bot_stand_side_by_side(play: Play, window: Open, snap: Snap) -> None:
    page = await _lab(play, window, colours="dark")
    await page.get_by_role("textbox", name="What the model says").fill(CODE_AND_TABLE)
    await page.get_by_role("radio", name="Compare two").check()
    await _run(page)

    await expect(_side(page, 1).last).to_be_visible()
    assert any(text.count("```") % 2 for text in await _side(page, 1).locator(".content").all_inner_texts())
    await expect(_side(page, 0).filter(has_text="```")).to_have_count(0)
    await snap(page, docs="compare")
    await page.get_by_role("region", name="Side A").get_by_role("radio", name="a message a line").check()
    other = page.get_by_role("region", name="Side B")
    await other.get_by_role("radio", name="Cadenza").check()
    await other.get_by_role("radio", name="one message at the end").check()
    await page.get_by_role("textbox", name="What the model says").fill("One.\nTwo.\nThree.")
    await _run(page)
    await expect(_side(page, 0).locator(".content")).to_have_text(["One.", "Two.", "Three."])
    await expect(_side(page, 1).locator(".content")).to_have_text(["One.\nTwo.\nThree."])


async def test_a_recording_and_a_dump_are_dropped_and_delivered(play: Play, window: Open) -> None:
    page = await _lab(play, window)

    await page.evaluate(DROP, ["foxes.jsonl", RECORDING])
    await _run(page)
    await expect(page.get_by_text("recorded stream", exact=True)).to_be_visible()
    await expect(_side(page, 0).last).to_contain_text("Foxes sleep by day.")
    await page.evaluate(DROP, ["dump.sse", (STREAMS / "anthropic" / "text.sse").read_text(encoding="utf-8")])
    await _run(page)
    await expect(page.get_by_text("SSE dump", exact=True)).to_be_visible()
    await page.get_by_text("More", exact=True).locator("visible=true").last.click()
    await expect(page.get_by_text("Anthropic's messages")).to_be_visible()


async def test_a_story_of_the_tour_is_seen_from_its_beginning_to_its_end(play: Play, window: Open, snap: Snap) -> None:
    page = (await arrives(play, window)).page
    await page.get_by_role("button", name="Take the tour").click()
    await page.get_by_role("button", name="Nothing lost, nothing twice").click()
    told = await play.get("/api/stories/" + await _story(play, "Nothing lost, nothing twice"))
    slider = page.get_by_role("slider", name="Time")

    await slider.press("Home")
    await expect(_side(page, 1)).to_have_count(1)  # the question
    heard = []
    caption = page.get_by_role("status", name="What is happening")
    while await slider.input_value() != await slider.get_attribute("max"):
        heard.append(await caption.inner_text())
        await page.get_by_role("button", name="Next event").click()
    heard.append(await caption.inner_text())

    assert [one["en"] for one in told["captions"]] == [text for text in dict.fromkeys(heard) if text]
    await snap(page)
    await page.get_by_role("button", name="Try it yourself").click()
    await expect(page.get_by_role("textbox", name="Message #general")).to_be_focused()


async def _story(play: Play, title: str) -> str:
    stories = (await play.get("/api/state"))["stories"]
    return next(str(story["id"]) for story in stories if story["title"]["en"] == title)
