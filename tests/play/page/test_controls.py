"""Settings and the simulated Discord as controls, in a real browser."""

from __future__ import annotations

import json
import tomllib

import pytest
from playwright.async_api import Page, expect

from cadenza.play.server.request_types import changeable
from cadenza.rules import RULES
from tests.browsing import PHONE, Open
from tests.play.page.lab_room import room, schema

pytestmark = pytest.mark.asyncio(loop_scope="session")

_SETTINGS = """
import { SettingsPanel } from "cadenza/controls.js";
import { setLanguage } from "cadenza/words.js";
window.said = [];
window.answer = () => undefined;
const onChange = async (values) => { window.said.push(values); return window.answer(values); };
window.panel = new SettingsPanel(document.getElementById("root"), { settings: %s, onChange, compact: %s });
window.setLanguage = setLanguage;
"""
_DISCORD = """
import { DiscordPanel } from "cadenza/discord_panel.js";
window.said = [];
window.answer = () => undefined;
const onChange = async (change) => { window.said.push(change); return window.answer(change); };
const discord = { limits: { messages: 5, seconds: 5 }, latency: 0.08, faults: [] };
window.panel = new DiscordPanel(document.getElementById("root"), { discord, onChange });
"""

_NO_VALUES = {
    "3": "Please choose a value between 50 and 2000.",
    "99.5": "Please type a whole number.",
    "": "Please type a number.",
}


def _panel(*, compact: bool = False, **values: object) -> str:
    return _SETTINGS % (json.dumps(schema(**values)), json.dumps(compact))


async def _said(page: Page) -> object:
    return await page.evaluate("window.said")


def _row(name: str) -> str:
    return f".setting[data-name={name}]"


async def test_each_kind_of_setting_has_a_control_that_tells_what_was_chosen(window: Open) -> None:
    async with room(window.addresses, _panel()) as served:
        page = await window(served.url)
        await page.locator(_row("shape")).get_by_role("radio", name="a message a sentence").check()
        for name, value in (("limit", "500"), ("typing_speed", "0.02")):
            await page.locator(_row(name)).get_by_role("spinbutton").fill(value)
            await page.keyboard.press("Enter")
        await page.locator(_row("tables")).get_by_role("radio", name="columns").check()
        await page.locator(_row("speaker_guard")).get_by_role("switch").click()
        expected = {"shape": "sentences", "limit": 500, "typing_speed": 0.02, "tables": "text", "speaker_guard": True}
        assert [{name: value} for name, value in expected.items()] == await _said(page)
        assert expected == await page.evaluate("panel.values")


async def test_texts_are_tags_that_are_added_and_removed_with_the_keyboard(window: Open) -> None:
    async with room(window.addresses, _panel(stop_strings=["END"])) as served:
        page = await window(served.url)
        await page.get_by_text("All settings").click()
        field = page.locator(f"{_row('stop_strings')} input")
        await field.fill("###")
        ends_a_word = "field => field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229 }))"
        await field.evaluate(ends_a_word)  # as Safari tells of it
        assert "###" == await field.input_value()
        await field.press("Enter")
        await field.press("Backspace")
        await page.get_by_role("button", name="Remove END").click()
        assert [["END", "###"], ["END"], []] == [said["stop_strings"] for said in await page.evaluate("said")]


async def test_a_rule_is_switched_off_by_its_name(window: Open) -> None:
    async with room(window.addresses, _panel()) as served:
        page = await window(served.url)
        await page.get_by_text(f"{len(RULES)} of {len(RULES)} rules are active").click()
        await page.get_by_role("switch", name="Mentions").click()
        await expect(page.get_by_text(f"{len(RULES) - 1} of {len(RULES)} rules are active")).to_be_visible()
        assert [{"rules_off": ["mentions"]}] == await _said(page)


async def test_whom_a_reply_may_call_is_chosen_among_the_main_settings(window: Open) -> None:
    async with room(window.addresses, _panel()) as served:
        page = await window(served.url)
        group = page.locator(".settings-group").filter(has=page.get_by_role("heading", name="Mentions"))
        await group.get_by_role("spinbutton", name="People a reply may ping").fill("0")
        await page.keyboard.press("Enter")
        await group.get_by_role("switch", name="Pinging roles").click()
        assert [{"mention_people": 0}, {"mention_roles": True}] == await _said(page)


async def test_a_slider_follows_its_number_and_its_number_the_slider(window: Open) -> None:
    async with room(window.addresses, _panel()) as served:
        page = await window(served.url)
        row = page.locator(_row("typing_speed"))
        slider, field = row.get_by_role("slider"), row.get_by_role("spinbutton")
        await expect(slider).to_have_value("100")  # what is usual lies in the middle
        await slider.press("End")
        await expect(field).to_have_value("10")
        await slider.press("Home")
        await expect(field).to_have_value("0")
        await expect(slider).to_have_attribute("aria-valuetext", "0")
        assert [{"typing_speed": 10}, {"typing_speed": 0}] == await _said(page)


async def test_what_differs_is_marked_and_set_back_one_by_one_or_all_together(window: Open) -> None:
    async with room(window.addresses, _panel(shape="reply", limit=500, use_emoji=False)) as served:
        page = await window(served.url)
        await expect(page.get_by_text("3 settings changed")).to_be_visible()
        await expect(page.locator(".setting.is-changed")).to_have_count(3)
        await page.get_by_role("button", name="Set Longest message back to 1950").click()
        await expect(page.get_by_text("2 settings changed")).to_be_visible()
        await page.get_by_role("button", name="Reset all").click()
        await expect(page.locator(".setting.is-changed")).to_have_count(0)
        assert [{"limit": 1950}, {"use_emoji": True, "shape": "blocks"}] == await _said(page)


async def test_what_cannot_be_a_value_is_said_at_the_control_and_told_to_nobody(window: Open) -> None:
    async with room(window.addresses, _panel()) as served:
        page = await window(served.url)
        row = page.locator(_row("limit"))
        for typed, sentence in _NO_VALUES.items():
            await row.get_by_role("spinbutton").fill(typed)
            await page.keyboard.press("Tab")
            await expect(row.get_by_role("alert")).to_have_text(sentence)
        assert [] == await _said(page)


async def test_a_refused_value_shows_the_servers_sentence_and_what_holds(window: Open) -> None:
    async with room(window.addresses, _panel()) as served:
        page = await window(served.url)
        await page.evaluate("void (window.answer = () => { throw new Error('there is no room for 500') })")
        row = page.locator(_row("limit"))
        await row.get_by_role("spinbutton").fill("500")
        await page.keyboard.press("Enter")
        await expect(row.get_by_role("alert")).to_have_text("There is no room for 500")
        await expect(row.get_by_role("spinbutton")).to_have_value("1950")
        assert {} == await page.evaluate("panel.values")


async def test_what_the_server_tells_otherwise_is_shown(window: Open) -> None:
    async with room(window.addresses, _panel()) as served:
        page = await window(served.url)
        await page.evaluate("settings => panel.update(settings)", schema(shape="reply", typing=True, limit=700))
        await expect(page.locator(f"{_row('limit')} input[type=number]")).to_have_value("700")
        await expect(page.get_by_role("radio", name="one message at the end")).to_be_checked()
        await expect(page.locator(_row("typing")).get_by_role("switch")).to_be_checked()
        assert [] == await _said(page)


async def test_the_filter_finds_a_setting_among_all(window: Open) -> None:
    async with room(window.addresses, _panel(compact=True)) as served:
        page = await window(served.url)
        await page.get_by_role("searchbox").fill("tool_rounds")
        await expect(page.locator(".setting:visible")).to_have_count(1)
        await page.get_by_role("searchbox").fill("typing")
        await expect(page.locator(_row("typing_budget"))).to_be_visible()


async def test_main_settings_are_told_in_japanese_and_the_values_stay(window: Open) -> None:
    async with room(window.addresses, _panel(limit=700)) as served:
        page = await window(served.url, size=PHONE, locale="ja-JP")
        await expect(page.get_by_text("1通の最大の長さ")).to_be_visible()
        plain = await page.locator(".settings-group:not(.section) .setting").evaluate_all(
            r"rows => rows.filter(row => !/[\u3040-\u30ff\u4e00-\u9fff]/.test(row.textContent)).map(row => row.dataset.name)"
        )
        assert [] == plain
        await page.evaluate("setLanguage('en')")
        await expect(page.get_by_text("Longest message")).to_be_visible()
        await expect(page.locator(f"{_row('limit')} input[type=number]")).to_have_value("700")
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_every_setting_that_can_be_changed_is_told_in_japanese(window: Open) -> None:
    names = [spec.name for _, spec in changeable() if spec.name != "degree"]
    async with room(window.addresses, _panel()) as served:
        page = await window(served.url, locale="ja-JP")
        await expect(page.get_by_text("1通の最大の長さ")).to_be_visible()
        told = await page.locator(".setting").evaluate_all(
            r"""rows => Object.fromEntries(rows.map((row) => [
              row.dataset.name,
              [".setting-name", ".setting-about"].every((one) => /[\u3040-\u30ff\u4e00-\u9fff]/.test(row.querySelector(one).textContent)),
            ]))"""
        )

    assert [] == [name for name in names if not told[name]]


async def test_settings_are_written_as_toml_that_is_read_back(window: Open) -> None:
    odd = 'a "quote" \\ back\nline \u007f ü'
    values = {"limit": 500, "typing_most": 5.0, "use_emoji": False, "tables": "text", "stop_strings": [odd, "END"]}
    async with room(
        window.addresses,
        'import { asToml } from "cadenza/controls.js"; window.asToml = asToml; document.body.dataset.ready = "";',
    ) as served:
        page = await window(served.url)
        await page.wait_for_selector("body[data-ready]")
        written = await page.evaluate("settings => asToml(settings)", schema(**values))
    read = tomllib.loads(written)
    assert values == {name: value for section in read.values() for name, value in section.items()}


async def test_a_fault_is_asked_for_as_often_as_was_chosen_and_shown_until_it_is_over(window: Open) -> None:
    async with room(window.addresses, _DISCORD) as served:
        page = await window(served.url)
        await page.evaluate(
            "void (window.answer = () => ({ discord: { limits: null, latency: 0.5, faults: [{ id: '1', what: 'lost', left: 3 }] } }))"
        )
        await page.get_by_label("How often").last.fill("3")
        await page.get_by_role("button", name="Lose an answer").click()
        await expect(page.locator(".pending-faults")).to_contain_text("×3")
        await expect(page.get_by_role("switch", name="Rate limit")).not_to_be_checked()
        await page.evaluate("void (window.answer = () => ({ discord: { limits: null, latency: 0.5, faults: [] } }))")
        await page.get_by_role("button", name="Clear").click()
        await expect(page.get_by_text("Nothing is set to go wrong.")).to_be_visible()
        assert [{"fault": {"what": "lost", "times": 3}}, {"clear": True}] == await _said(page)


async def test_the_rate_limit_is_switched_off_and_on_and_changed(window: Open) -> None:
    async with room(window.addresses, _DISCORD) as served:
        page = await window(served.url)
        switch = page.get_by_role("switch", name="Rate limit")
        await switch.click()
        await expect(page.get_by_role("spinbutton", name="Messages")).to_be_hidden()
        await switch.click()
        await page.get_by_role("spinbutton", name="Messages").fill("2")
        await page.keyboard.press("Enter")
        usual = {"messages": 5, "seconds": 5}
        expected = [{"limits": None}, {"limits": usual}, {"limits": {**usual, "messages": 2}}]
        assert expected == await _said(page)


async def test_what_discord_refuses_is_said(window: Open) -> None:
    async with room(window.addresses, _DISCORD) as served:
        page = await window(served.url)
        await page.evaluate("void (window.answer = () => { throw new Error('There is no webhook to delete.') })")
        await page.get_by_role("button", name="Delete the webhook").click()
        await expect(page.get_by_text("There is no webhook to delete.")).to_be_visible()


_LATER = """void (() => {
  const waiting = [];
  window.answer = () => new Promise((resolve) => waiting.push(resolve));
  window.let = (messages) => waiting.shift()({ discord: { limits: { messages, seconds: 5 }, latency: 0.08, faults: [] } });
})()"""


async def test_an_answer_replaces_no_number_that_is_being_typed(window: Open) -> None:
    async with room(window.addresses, _DISCORD) as served:
        page = await window(served.url)
        await page.evaluate(_LATER)
        switch, messages = (
            page.get_by_role("switch", name="Rate limit"),
            page.get_by_role("spinbutton", name="Messages"),
        )
        await switch.click()
        await switch.click()
        await messages.fill("2")
        await page.evaluate("window.let(5), window.let(5)")
        await expect(messages).to_have_value("2")
        await messages.press("Enter")
        assert {"limits": {"messages": 2, "seconds": 5}} == (await page.evaluate("window.said"))[-1]
        await page.evaluate("window.let(3)")
        await expect(messages).to_have_value("3")


async def test_an_old_answer_undoes_no_later_choice(window: Open) -> None:
    async with room(window.addresses, _DISCORD) as served:
        page = await window(served.url)
        await page.evaluate(_LATER)
        messages, seconds = (page.get_by_role("spinbutton", name=name) for name in ("Messages", "within"))
        await messages.fill("2")
        await messages.press("Enter")
        await messages.fill("3")
        await messages.press("Enter")
        await page.evaluate("window.let(2)")
        await page.evaluate(
            "window.panel.refresh(() => ({ limits: null, latency: 0.08, faults: [] }))"
        )  # asked for before
        await seconds.fill("7")
        await seconds.press("Enter")
        assert {"limits": {"messages": 3, "seconds": 7}} == (await page.evaluate("window.said"))[-1]


async def test_a_number_that_is_typed_again_as_it_was_shows_what_holds(window: Open) -> None:
    async with room(window.addresses, _DISCORD) as served:
        page = await window(served.url)
        messages = page.get_by_role("spinbutton", name="Messages")
        await messages.press("Backspace")
        await messages.type("5")
        await page.evaluate(
            "window.panel.refresh(() => ({ limits: { messages: 9, seconds: 5 }, latency: 0.08, faults: [] }))"
        )
        await expect(messages).to_have_value("5")
        await messages.blur()
        await expect(messages).to_have_value("9")


async def test_news_from_before_a_choice_undo_nothing_once_the_choice_is_answered(window: Open) -> None:
    async with room(window.addresses, _DISCORD) as served:
        page = await window(served.url)
        messages = page.get_by_role("spinbutton", name="Messages")
        await page.evaluate("void window.panel.refresh(() => new Promise((resolve) => (window.news = resolve)))")
        await messages.fill("2")
        await messages.press("Enter")
        await page.evaluate("window.news({ limits: null, latency: 0.08, faults: [] })")
        await page.evaluate("new Promise((resolve) => setTimeout(resolve))")
        await expect(messages).to_be_visible()
        await expect(messages).to_have_value("2")
    async with room(window.addresses, _panel()) as served:
        page = await window(served.url)
        await page.evaluate("void window.panel.refresh(() => new Promise((resolve) => (window.news = resolve)))")
        limit = page.locator(_row("limit")).get_by_role("spinbutton")
        await limit.fill("500")
        await limit.press("Enter")
        await page.evaluate("(settings) => window.news(settings)", schema())
        await page.evaluate("new Promise((resolve) => setTimeout(resolve))")
        await expect(limit).to_have_value("500")
