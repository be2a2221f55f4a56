"""The lab: whatever is pasted or dropped, delivered once or twice, in a real browser."""

from __future__ import annotations

import asyncio
import json
from base64 import b64decode
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from cadenza.sim.wire import Json
from tests.browsing import PHONE, Open
from tests.play.page.lab_room import Room, film, room, schema
from tests.play.page.samples import packed

pytestmark = pytest.mark.asyncio(loop_scope="session")

_REHEARSE = "/api/rehearse"
_SCRIPT = """
import { Api } from "cadenza/api.js";
import { Lab } from "cadenza/lab.js";
import { setLanguage } from "cadenza/words.js";
window.lab = new Lab(document.getElementById("root"), { api: new Api(), settings: %s });
window.setLanguage = setLanguage;
"""
_LONGEST_GAP = """async (seconds) => {
  const until = performance.now() + seconds * 1000;
  let [longest, last] = [0, performance.now()];
  while (last < until) {
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    [longest, last] = [Math.max(longest, now - last), now];
  }
  return longest;
}"""


def _script() -> str:
    return _SCRIPT % json.dumps(schema())


def _answer(*films: Json) -> Json:
    return {"what": "text", "told": "A text of some words.", "films": list(map(packed, films))}


def _both() -> Json:
    return _answer(film((1.0, "Whole."), told="Whole.", took=0.5), film((3.0, "Wh"), told="Whole.", took=0.5))


async def test_a_pasted_text_is_delivered_with_the_settings_of_its_side(window: Open) -> None:
    async with room(window.addresses, _script()) as served:
        served.answers[_REHEARSE] = _answer(film((1.0, "Hello there."), told="Hello there.", took=0.5))
        page = await window(served.url)
        await page.get_by_label("What the model says").fill("Hello there.")
        await page.get_by_label("Tokens a second").last.fill("200")
        await page.get_by_label("What was asked first").fill("Hi?")
        await page.get_by_role("radio", name="a message a sentence").check()
        await page.get_by_label("What the model says").press("Control+Enter")
        await expect(page.locator(".lab-result").get_by_text("Hello there.", exact=True).first).to_be_visible()
        await expect(page.get_by_text("plain text")).to_be_visible()
        await expect(page.get_by_text("In numbers")).to_be_visible()
        side = {"settings": {"shape": "sentences"}, "limits": {"messages": 5, "seconds": 5}, "is_usual": False}
        [asked] = served.bodies(_REHEARSE)
        label = asked["sides"][0].pop("label")
        assert {"text": "Hello there.", "rate": 200, "asked": "Hi?", "sides": [side]} == asked
        assert "a message a sentence" in label


async def test_two_sides_are_compared_on_the_same_stream(window: Open) -> None:
    async with room(window.addresses, _script()) as served:
        served.answers[_REHEARSE] = _both()
        page = await window(served.url)
        await page.get_by_label("What the model says").fill("Whole.")
        await page.get_by_role("radio", name="Compare two").check()
        await page.get_by_role("button", name="Run").click()
        await expect(page.get_by_text("A · Cadenza has something to read 2.0 s earlier.")).to_be_visible()
        await expect(page.get_by_text("The usual bot loses 3 characters.")).to_be_visible()
        assert [False, True] == [side["is_usual"] for side in served.bodies(_REHEARSE)[0]["sides"]]


async def test_limits_faults_and_a_stop_belong_to_their_side(window: Open) -> None:
    async with room(window.addresses, _script()) as served:
        served.answers[_REHEARSE] = _both()
        page = await window(served.url)
        await page.get_by_label("What the model says").fill("Whole.")
        await page.get_by_text("Discord: limits, stop, faults").first.click()
        await page.get_by_role("switch", name="Rate limit").first.click()
        await page.get_by_label("The user says “stop” after").first.fill("2.5")
        await page.get_by_label("Fault", exact=True).first.select_option("lost")
        await page.get_by_label("at message").first.fill("3")
        await page.get_by_role("button", name="Add").first.click()
        await expect(page.get_by_text("Lose an answer: at message 3, 1×")).to_be_visible()
        await page.get_by_role("button", name="Run").click()
        await expect(page.get_by_role("heading", name="Result")).to_be_visible()
        [side] = served.bodies(_REHEARSE)[0]["sides"]
        assert (None, 2.5) == (side["limits"], side["stop_at"])
        assert [{"what": "lost", "times": 1, "at_message": 3}] == side["faults"]


async def test_a_file_is_taken_instead_of_the_text_which_waits_behind_it(window: Open, tmp_path: Path) -> None:
    recorded = tmp_path / "evening.jsonl"
    recorded.write_text('{"at": 0}\n', encoding="utf-8")
    async with room(window.addresses, _script()) as served:
        served.answers[_REHEARSE] = {**_answer(film((1.0, "Hi."))), "what": "recording"}
        page = await window(served.url)
        await page.get_by_label("What the model says").fill("My own words.")
        await page.locator("input[type=file]").set_input_files(recorded)
        await expect(page.get_by_text("evening.jsonl")).to_be_visible()
        await page.get_by_role("button", name="Run").click()
        await expect(page.get_by_text("recorded stream", exact=True)).to_be_visible()
        [asked] = served.bodies(_REHEARSE)
        assert ('{"at": 0}\n', "evening.jsonl") == (asked["text"], asked["name"])
        await page.get_by_role("button", name="Remove", exact=True).click()
        await expect(page.get_by_label("What the model says")).to_have_value("My own words.")


async def test_a_packed_film_is_given_to_the_server_as_it_is(window: Open, tmp_path: Path) -> None:
    saved = tmp_path / "evening.film.gz"
    saved.write_bytes(b64decode(packed(film((1.0, "Hi.")))))
    async with room(window.addresses, _script()) as served:
        served.answers[_REHEARSE] = {**_answer(film((1.0, "Hi."))), "what": "film"}
        page = await window(served.url)
        await page.locator("input[type=file]").set_input_files(saved)
        await expect(page.get_by_text("evening.film.gz")).to_be_visible()
        await page.get_by_role("button", name="Run").click()
        await expect(page.locator(".lab-result").get_by_text("Hi.", exact=True).first).to_be_visible()

        [asked] = served.bodies(_REHEARSE)
        assert (packed(film((1.0, "Hi."))), "evening.film.gz") == (asked["file"], asked["name"])


async def test_a_film_that_cannot_be_unpacked_is_told_in_a_sentence(window: Open) -> None:
    async with room(window.addresses, _script()) as served:
        whole = _answer(film((1.0, "Hi.")))
        served.answers[_REHEARSE] = {**whole, "films": [whole["films"][0][:-12]]}
        page = await window(served.url)
        await page.get_by_label("What the model says").fill("Hi.")
        await page.get_by_role("button", name="Run").click()

        await expect(page.get_by_text("The film cannot be read")).to_be_visible()


async def test_a_dropped_file_is_taken_and_one_that_is_too_large_is_not(window: Open) -> None:
    drop = """([name, size]) => {
      const given = new DataTransfer();
      given.items.add(new File(["x".repeat(size)], name));
      const about = { dataTransfer: given, bubbles: true, cancelable: true };
      document.querySelector(".source").dispatchEvent(new DragEvent("drop", about));
    }"""
    async with room(window.addresses, _script()) as served:
        page = await window(served.url)
        await page.evaluate(drop, ["huge.txt", 8_000_001])
        await expect(page.get_by_role("alert").filter(has_text="huge.txt has 8 MB")).to_be_visible()
        await page.evaluate(drop, ["small.txt", 10])
        await expect(page.get_by_text("small.txt")).to_be_visible()
        await expect(page.get_by_text("huge.txt")).to_have_count(0)


async def test_an_example_can_be_chosen_and_ones_own_text_brought_back(window: Open) -> None:
    async with room(window.addresses, _script()) as served:
        page = await window(served.url)
        text = page.get_by_label("What the model says")
        await text.fill("My own words.")
        assert 6 == await page.get_by_label("Examples…").locator("option").count()
        await page.get_by_label("Examples…").select_option("It thinks aloud")
        assert (await text.input_value()).startswith("<think>")
        await page.get_by_label("Examples…").select_option("Code and a table")
        await page.get_by_role("button", name="Bring my text back").click()
        await expect(text).to_have_value("My own words.")


async def test_what_was_typed_is_there_again_after_the_page_was_loaded_anew(window: Open) -> None:
    async with room(window.addresses, _script()) as served:
        page = await window(served.url)
        await page.get_by_label("What the model says").fill("Do not forget me.")
        await page.reload()
        await expect(page.get_by_label("What the model says")).to_have_value("Do not forget me.")


async def test_what_the_server_refuses_is_said_beside_what_it_is_about(window: Open) -> None:
    async with room(window.addresses, _script()) as served:
        page = await window(served.url)
        await page.get_by_label("What the model says").fill("Words.")
        await page.get_by_role("radio", name="a message a sentence").check()
        served.answers[_REHEARSE] = {"error": "This is no stream that is known here."}
        await page.get_by_role("button", name="Run").click()
        await expect(page.locator(".lab-problem")).to_have_text("This is no stream that is known here.")
        served.answers[_REHEARSE] = {"error": "the setting 'shape' must be odd."}
        await page.get_by_role("button", name="Run").click()
        row = page.locator(".setting[data-name=shape]").first
        await expect(row.get_by_role("alert")).to_have_text("The setting 'shape' must be odd.")
        served.answers[_REHEARSE] = {"error": "設定 'shape' の値は奇数にしてください。"}
        await page.get_by_role("button", name="Run").click()
        await expect(row.get_by_role("alert")).to_have_text("設定 'shape' の値は奇数にしてください。")
        await expect(page.get_by_label("What the model says")).to_have_value("Words.")
        page.faults.clear()  # type: ignore[attr-defined]  # the browser complains of the refusals


async def test_another_answer_of_several_is_chosen_on_the_keyboard(window: Open) -> None:
    several = {"answers": ["The first.", "The second.", ""]}
    async with room(window.addresses, _script()) as served:
        served.answers[_REHEARSE] = {**_answer(film((1.0, "The first."))), **several, "answer": 1}
        page = await window(served.url)
        result = page.locator(".lab-result")
        await page.get_by_label("What the model says").fill("Several.")
        await page.get_by_label("What the model says").press("Control+Enter")
        choice = page.get_by_label("Answer", exact=True)
        await expect(choice).to_have_value("1")
        await expect(result.get_by_text("of 3", exact=True)).to_be_visible()
        await expect(choice.locator("option")).to_have_text(["1: The first.", "2: The second.", "3: no text"])

        served.answers[_REHEARSE] = {**_answer(film((1.0, "The second."))), **several, "answer": 2}
        await choice.focus()
        await page.keyboard.press("ArrowDown")
        await expect(result.locator("[role=log], .channel").get_by_text("The second.").first).to_be_visible()
        await expect(choice).to_be_focused()
        await expect(choice).to_have_value("2")
        assert [None, 2] == [body.get("answer") for body in served.bodies(_REHEARSE)]

        served.answers[_REHEARSE] = {"error": "That did not work."}
        await page.keyboard.press("ArrowDown")
        await expect(page.locator(".lab-problem")).to_have_text("That did not work.")
        await expect(choice).to_have_value("2")  # which is still what is shown
        page.faults.clear()  # type: ignore[attr-defined]  # the browser complains of the refusal

        served.answers[_REHEARSE] = {**_answer(film((1.0, "The second."))), **several, "answer": 2}
        await page.get_by_role("button", name="Run").click()  # who tries other settings stays with the answer
        await expect(page.locator(".lab-problem")).to_be_hidden()
        await page.get_by_label("What the model says").fill("Another.")
        served.answers[_REHEARSE] = _answer(film((1.0, "Another.")))
        await page.get_by_label("What the model says").press("Control+Enter")
        await expect(choice).to_be_hidden()
        assert [3, 2, None] == [body.get("answer") for body in served.bodies(_REHEARSE)[2:]]


async def test_an_answer_that_is_chosen_while_another_is_being_made_goes_before_it(window: Open) -> None:
    several = {"answers": ["One", "Two", "Three"]}
    async with room(window.addresses, _script()) as served:
        served.answers[_REHEARSE] = {**_answer(film((1.0, "One"))), **several, "answer": 1}
        page = await window(served.url, locale="ja-JP")
        await page.get_by_label("モデルの出力").fill("Several.")
        await page.get_by_role("button", name="実行").click()
        choice = page.get_by_label("返答", exact=True)
        await expect(page.get_by_text("／ 全 3 件")).to_be_visible()
        served.held[_REHEARSE] = held = asyncio.Event()
        await choice.select_option("2")
        await expect(page.get_by_text("送信しています").first).to_be_visible()
        del served.held[_REHEARSE]
        served.answers[_REHEARSE] = {**_answer(film((1.0, "Three"))), **several, "answer": 3}
        await choice.select_option("3")
        await expect(choice).to_have_value("3")
        await expect(page.locator(".lab-progress")).to_be_hidden()
        held.set()
        await expect(page.locator(".lab-problem")).to_be_hidden()
        await expect(page.locator(".lab-result").get_by_text("Three", exact=True).first).to_be_visible()


async def test_nothing_is_not_delivered(window: Open) -> None:
    async with room(window.addresses, _script()) as served:
        page = await window(served.url)
        await page.get_by_role("button", name="Run").click()
        await expect(page.get_by_role("alert").filter(has_text="There is nothing to deliver yet")).to_be_visible()
        assert [] == served.asked


async def test_a_megabyte_does_not_freeze_the_page_and_can_be_cancelled(window: Open) -> None:
    async with room(window.addresses, _script()) as served:
        served.held[_REHEARSE] = asyncio.Event()
        page = await window(served.url)
        await _copy_megabyte(page)
        await page.get_by_label("What the model says").press("Control+v")
        await expect(page.get_by_text("more, which is not shown here")).to_be_visible()
        await page.evaluate("() => new Promise(requestAnimationFrame)")
        gaps: list[float] = []
        # A busy machine has gaps now and then, a page that freezes has one every time.
        for shape in ("a message a line", "a message a sentence") * 8:
            measured = asyncio.ensure_future(page.evaluate(_LONGEST_GAP, 1))
            await page.get_by_role("button", name="Run").click()
            await expect(page.get_by_role("progressbar")).to_be_visible()
            await page.get_by_role("radio", name=shape).check()
            await page.locator("summary").filter(has_text="Emoji").first.click()
            gaps.append(await measured)
            await page.get_by_role("button", name="Cancel").click()
            await expect(page.get_by_text("Cancelled. Your text is still here.")).to_be_visible()
            if gaps[-1] < 250:
                break
        assert 250 > min(gaps)
        assert 1_000_000 == len(served.bodies(_REHEARSE)[0]["text"])
        await expect(page.get_by_text("more, which is not shown here")).to_be_visible()


async def _copy_megabyte(page: Page) -> None:
    await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    line = "A line of words, about as long as lines are.\\n"
    await page.evaluate(f'navigator.clipboard.writeText("{line}".repeat(25_000).slice(0, 1_000_000))')


async def test_the_films_are_shared_as_a_file_and_the_settings_as_toml(window: Open) -> None:
    async with room(window.addresses, _script()) as served:
        served.answers |= {_REHEARSE: _both(), "/api/share": "<!doctype html><title>shared</title>"}
        page = await window(served.url)
        await page.get_by_label("What the model says").fill("Whole.")
        await page.get_by_role("radio", name="one message at the end").check()
        await page.get_by_role("button", name="Copy the settings as TOML").first.click()
        await expect(page.get_by_label("cadenza.toml")).to_have_value('[delivery]\nshape = "reply"\n')
        await page.get_by_role("button", name="Run").click()
        async with page.expect_download() as saved:
            await page.get_by_role("button", name="Share as HTML").click()
        download = await saved.value
        assert "cadenza.html" == download.suggested_filename
        assert "<!doctype html><title>shared</title>" == Path(await download.path()).read_text(encoding="utf-8")  # noqa: ASYNC240  # a line
        [asked] = served.bodies("/api/share")
        assert served.answers[_REHEARSE]["films"] == asked["films"]  # type: ignore[index]  # it is no text


async def test_the_lab_speaks_japanese_fits_a_phone_and_keeps_what_is_there(window: Open) -> None:
    async with room(window.addresses, _script()) as served:
        served.answers[_REHEARSE] = _both()
        page = await window(served.url, size=PHONE, locale="ja-JP", colours="dark", touch=True)
        await page.get_by_label("モデルの出力").fill("全部。")
        await page.get_by_role("radio", name="2つを比べる").check()
        await page.get_by_role("button", name="実行").tap()
        await expect(page.get_by_text("A · Cadenza のほうが 2.0 秒早く読み始められます。")).to_be_visible()
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        await expect(page.get_by_text("モデルが書いた文章として読みました。")).to_be_visible()
        await expect(page.get_by_text("A text of some words.")).to_be_hidden()
        await page.get_by_text("詳しく").tap()
        await expect(page.get_by_text("A text of some words.")).to_be_visible()
        await page.evaluate("setLanguage('en')")
        await expect(page.get_by_label("What the model says")).to_have_value("全部。")
        await expect(page.get_by_role("radio", name="Compare two")).to_be_checked()
        await expect(page.get_by_text("A · Cadenza has something to read 2.0 s earlier.")).to_be_visible()


async def test_only_the_keyboard_is_needed(window: Open) -> None:
    async with room(window.addresses, _script()) as served:
        served.answers[_REHEARSE] = _both()
        page = await window(served.url)
        await page.keyboard.press("Tab")
        await page.keyboard.press("ArrowDown")  # the first example
        await _tab_to(page, served, "Run")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("heading", name="Result")).to_be_visible()
        assert served.bodies(_REHEARSE)[0]["text"].startswith("Sure!")


async def _tab_to(page: Page, served: Room, name: str) -> None:
    for _ in range(40):
        await page.keyboard.press("Tab")
        if await page.evaluate("name => document.activeElement.textContent.startsWith(name)", name):
            return
    pytest.fail(f"{name} cannot be reached on {served.url}")
