"""Windows that one test after another uses keep nothing of the test before, and whatever goes wrong in them is noticed."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Page

from tests.browsing import Open
from tests.play.page.serving import html_of, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")

_WRITE = """() => {
  const write = () => { for (const kept of [localStorage, sessionStorage]) kept.setItem("mine", "kept"); };
  write();
  addEventListener("pagehide", write);
}"""
_READ = "[localStorage.getItem('mine'), sessionStorage.getItem('mine')]"
_SHOUT = "document.body.dataset.said = '{}';"
_ODD = """<!doctype html><title>Odd</title><script>
console.error("an odd word");
Promise.reject(new Error("an odd promise"));
new Image().src = "https://elsewhere.example/x.png";
throw new Error("an odd end");
</script>"""


async def _again(window: Open, page: Page, url: str) -> Page:
    """The window that the next test would have at *url*, which must be the one that was left."""
    assert await window.leave() == []
    again = await window(url)
    assert again is page
    return again


async def test_nothing_that_was_stored_is_there_for_the_next(window: Open) -> None:
    async with serving(window.addresses, html_of()) as url:
        page = await window(url)
        page.faults.clear()  # type: ignore[attr-defined]  # there is no script for it
        await page.evaluate(_WRITE)
        page = await _again(window, page, url)
        page.faults.clear()  # type: ignore[attr-defined]  # nor for the next

        assert [None, None] == await page.evaluate(_READ)


async def test_nothing_that_a_file_has_stored_is_there_for_the_next(window: Open, tmp_path: Path) -> None:
    path = tmp_path / "film.html"
    path.write_text("<!doctype html><title>Film</title>", "utf-8")
    page = await window(path.as_uri())
    await page.evaluate(_WRITE)
    page = await _again(window, page, path.as_uri())

    assert [None, None] == await page.evaluate(_READ)


async def test_what_is_pressed_is_let_go_for_the_next(window: Open) -> None:
    page = await window()
    await page.keyboard.down("Shift")
    await page.mouse.down()
    page = await _again(window, page, "about:blank")
    await page.evaluate("""() => {
      globalThis.seen = [];
      const note = (event) => seen.push([event.shiftKey, event.buttons ?? 0]);
      addEventListener("keydown", note);
      addEventListener("mousemove", note);
    }""")
    await page.keyboard.press("a")
    await page.mouse.move(5, 5)

    assert [[False, 0], [False, 0]] == await page.evaluate("seen")


async def test_what_stands_in_for_an_asset_is_served_to_nobody_else(window: Open) -> None:
    said = []
    for script in (_SHOUT.format("one"), _SHOUT.format("other"), None, _SHOUT.format("one")):
        files = {"/test.js": 'import "cadenza/dom.js";', **({"/page/dom.js": script} if script else {})}
        async with serving(window.addresses, html_of(), files) as url:
            page = await window(url)
            await page.wait_for_load_state("load")
            said.append(await page.evaluate("document.body.dataset.said ?? ''"))
        assert await window.leave() == []

    assert ["one", "other", "", "one"] == said


async def test_whatever_goes_wrong_is_noticed_and_the_next_has_another_window(window: Open, tmp_path: Path) -> None:
    path = tmp_path / "odd.html"
    path.write_text(_ODD, "utf-8")
    page = await window(path.as_uri())
    noticed = await window.leave()

    assert {"error: an odd word", "error: an odd promise", "asked elsewhere.example", "error: an odd end"} <= {*noticed}
    assert await window() is not page
