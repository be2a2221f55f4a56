"""The live page in a real browser, before a server that stands in."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.browsing import DESKTOP, PHONE, Open
from tests.play.page.standin import BOT, DIRECT, GENERAL, ME, WORKSHOP, Standin, standing_in
from tests.staying import Addresses

pytestmark = pytest.mark.asyncio(loop_scope="session")

FORM = {
    "title": "A new persona",
    "fields": [
        {"id": "name", "label": "Name", "value": "", "hint": "Who?", "is_long": False, "is_required": True, "least": 1, "most": 32},
        {"id": "prompt", "label": "Prompt", "value": "Shy", "hint": "", "is_long": True, "is_required": False, "least": None, "most": None},
    ],
}  # fmt: skip


@pytest_asyncio.fixture(loop_scope="session")
async def server(addresses: Addresses) -> AsyncIterator[Standin]:
    """Asked for before the window, so that the window is gone before it: else the page would miss it, and say so."""
    async with standing_in(addresses) as standin:
        yield standin


def _messages(page: Page) -> list[str]:
    return page.locator("#messages .message .content")


def _taken(page: Page) -> list[str]:
    """What went wrong so far, which the test expected."""
    faults = list(page.faults)
    page.faults.clear()
    return faults


async def test_one_talks_sees_typing_and_answers_and_can_stop(server: Standin, window: Open) -> None:
    page = await window(server.url)
    field = page.get_by_role("textbox", name="Message #general")

    await field.fill("Hello?")
    await field.press("Enter")
    said = await server.heard("/api/say")
    await server.say("Hello?", id_="m1", who=ME)
    await server.fact("reply_began", channel=GENERAL)
    await server.push("typing", channel=GENERAL, who={"id": BOT, "name": "Cadenza", "avatar": None})
    await expect(page.locator("#messages")).to_contain_text("Cadenza is typing")
    await server.say("Evening!", id_="m2")
    await server.say("How are you?", id_="m3")
    await page.get_by_role("button", name="Stop the reply").click()
    stopped = await server.heard("/api/say", 2)
    await server.fact("reply_ended", outcome={"kind": "stopped"})

    assert said == [{"channel": GENERAL, "text": "Hello?", "who": ME}]
    assert stopped[1] == {"channel": GENERAL, "text": "/stop"}
    await expect(_messages(page)).to_have_text(["Hello?", "Evening!", "How are you?"])
    await expect(page.locator(".composer-stop")).to_be_hidden()


async def test_a_suggestion_is_said_when_it_is_pressed_and_goes_while_somebody_answers(
    server: Standin, window: Open
) -> None:
    page = await window(server.url)
    chips = page.get_by_role("list", name="Things to try")

    await chips.get_by_role("button", name="Show me number 2").click()
    said = await server.heard("/api/say")
    await expect(chips.get_by_role("button")).to_have_text([f"Show me number {number}" for number in (5, 6, 1, 2)])
    await server.fact("reply_began", channel=GENERAL)
    await expect(chips).to_be_hidden()
    await expect(page.locator("#composer")).to_be_focused()
    await server.fact("reply_ended", outcome={"kind": "completed"})

    assert said == [{"channel": GENERAL, "text": "Show me number 2"}]
    await expect(chips).to_be_visible()


async def test_what_is_unread_is_marked_in_the_rail_and_in_the_title_until_one_looks(
    server: Standin, window: Open
) -> None:
    page = await window(server.url)
    await expect(page).to_have_title("#general · Cadenza")

    await server.say("Look here", id_="m1", channel=WORKSHOP, pings=[ME])
    await server.say("And here", id_="m2", channel=WORKSHOP)
    row = page.locator(f'[data-channel="{WORKSHOP}"]')
    await expect(row).to_have_accessible_name("workshop 2 unread messages")
    await expect(row.locator(".is-pinging")).to_be_visible()
    await expect(page).to_have_title("(2) #general · Cadenza")
    await row.click()

    await expect(_messages(page)).to_have_text(["Look here", "And here"])
    await expect(page).to_have_title("#workshop · Cadenza")
    await expect(row).to_have_accessible_name("workshop")
    await expect(page.get_by_role("heading", level=1)).to_have_text("# workshop")
    await expect(page.get_by_role("textbox", name="Message #workshop")).to_be_focused()


async def test_a_click_on_a_channel_counts_also_if_something_comes_in_the_middle_of_it(
    server: Standin, window: Open
) -> None:
    page = await window(server.url)
    await expect(page).to_have_title("#general · Cadenza")
    await server.say("One", id_="m1", channel=WORKSHOP)
    row = page.locator(f'[data-channel="{WORKSHOP}"]')
    await expect(row).to_have_accessible_name("workshop One unread message")
    await row.locator(".rail-badge").hover()

    await page.mouse.down()
    await server.say("Two", id_="m2", channel=WORKSHOP)
    await expect(row).to_have_accessible_name("workshop 2 unread messages")
    await page.mouse.up()

    await expect(_messages(page)).to_have_text(["One", "Two"])
    await expect(row).to_be_visible()


async def test_the_page_names_at_once_every_module_that_it_loads(server: Standin, window: Open) -> None:
    page = await window(server.url)
    await expect(page).to_have_title("#general · Cadenza")

    named = await page.locator("link[rel=modulepreload]").evaluate_all("(links) => links.map(({ href }) => href)")
    loaded = await page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)")

    assert sorted(named) == sorted({address for address in loaded if address.endswith(".js")})


async def test_one_looks_back_and_comes_back_and_whoever_writes_is_live(server: Standin, window: Open) -> None:
    for number in (1, 2, 3):
        await server.say(f"Number {number}", id_=f"m{number}", at=float(number))
    page = await window(server.url)
    await expect(_messages(page)).to_have_count(3)
    await page.get_by_role("button", name="Rewind").click()
    back = page.get_by_role("button", name="Back to live")

    slider = page.get_by_role("slider")
    await slider.focus()
    await slider.press(",")
    await slider.press(",")
    await expect(_messages(page)).to_have_text(["Number 1", "Number 2"])
    await server.say("Number 4", id_="m4", at=4.0)
    await expect(_messages(page)).to_have_text(["Number 1", "Number 2"])
    await back.click()
    await expect(_messages(page)).to_have_count(4)
    await expect(back).to_be_hidden()
    await slider.press(",")
    await expect(back).to_be_visible()
    await page.locator("#composer").fill("Now")
    await page.locator("#composer").press("Enter")

    await expect(back).to_be_hidden()
    await expect(_messages(page)).to_have_count(4)


async def test_a_message_that_is_selected_is_looked_into(server: Standin, window: Open) -> None:
    await server.say("Hello", id_="m1")
    page = await window(server.url)
    await page.get_by_role("tab", name="Settings").click()
    await expect(page.locator("#model")).to_have_value("guide")

    await _messages(page).first.click()

    await expect(page.get_by_role("tab", name="Inside")).to_have_attribute("aria-selected", "true")
    await expect(page.locator(".message.is-selected")).to_have_count(1)
    await expect(page.locator("#body-inside")).to_be_visible()


async def test_a_token_leads_to_its_messages(server: Standin, window: Open) -> None:
    page = await window(server.url)
    records = [
        {"at": 0.0, "kind": "fact", "turn": "t", "fact": "reply_began", "about": {"channel": GENERAL, "persona": "C"}},
        {
            "at": 0.1,
            "kind": "tokens",
            "turn": "t",
            "sort": "text",
            "text": "Hello you",
            "lengths": [6, 3],
            "times": [0, 0.1],
        },
        {"at": 1.0, "kind": "story", "turn": "t", "message": "m1", "story": {"number": 1, "raw": [[0, 5]]}},
        {"at": 2.0, "kind": "story", "turn": "t", "message": "m2", "story": {"number": 2, "raw": [[6, 9]]}},
    ]

    found = await page.evaluate(
        """async (records) => {
          const [{ InsideView }, { Reel }] = await Promise.all(["inside.js", "film.js"].map((name) => import(`cadenza/${name}`)));
          const inside = new InsideView(document.createElement("div"));
          inside.show(new Reel({ records }), { channel: "100", time: 3 });
          return [0, 1, 2].map((index) => inside.messagesOf({ turn: "t", index }));
        }""",
        records,
    )

    assert found == [["m1"], ["m2"], []]


async def test_a_broken_connection_is_said_and_nothing_is_lost_or_doubled(server: Standin, window: Open) -> None:
    await server.say("One", id_="m1")
    page = await window(server.url)
    await expect(_messages(page)).to_have_text(["One"])

    server.is_away = True
    await server.cut()
    await expect(page.get_by_text("Not connected.")).to_be_visible()
    await server.say("Two", id_="m2")
    server.is_away = False

    await expect(_messages(page)).to_have_text(["One", "Two"])
    await expect(page.get_by_text("Not connected.")).to_be_hidden()
    await server.push("note", text="All is well again.", urgency="info")
    await expect(page.locator(".toast")).to_have_text("All is well again.")
    assert server.places == [0, 1]
    assert all("503" in fault for fault in _taken(page))


async def test_another_session_loads_the_page_again(server: Standin, window: Open) -> None:
    page = await window(server.url)
    await expect(page.locator(f'[data-channel="{GENERAL}"]')).to_be_visible()

    server.state["session"] = "two"
    server.state["channels"][0]["name"] = "lobby"
    await server.cut()

    await expect(page.get_by_role("heading", level=1)).to_have_text("# lobby")


async def test_what_is_refused_is_said_and_stands_there_again(server: Standin, window: Open) -> None:
    server.answers["/api/say"] = (400, {"error": "There is no such channel any more."})
    page = await window(server.url)
    field = page.locator("#composer")

    await field.fill("Precious words")
    await field.press("Enter")

    await expect(page.get_by_role("alert")).to_have_text("There is no such channel any more.")
    await expect(field).to_have_value("Precious words")
    assert len(_taken(page)) == 1


async def test_a_form_is_filled_in_and_a_refusal_keeps_it(server: Standin, window: Open) -> None:
    await server.push("form", interaction="i0", form={"title": "From before", "fields": []})
    page = await window(server.url)
    field = page.locator("#composer")
    await field.fill("/persona create name:Ren prompt:Shy")
    await field.press("Enter")
    await server.heard("/api/say")
    await server.push("form", interaction="i1", form=FORM)
    dialog = page.get_by_role("dialog", name="A new persona")

    server.answers["submit"] = (400, {"error": "Ren is taken."})
    await dialog.get_by_label("Name").fill("Ren")
    await dialog.get_by_role("button", name="Submit").click()
    await expect(dialog.get_by_role("alert")).to_have_text("Ren is taken.")
    del server.answers["submit"]
    await dialog.get_by_label("Name").fill("Mio")
    await dialog.get_by_role("button", name="Submit").click()
    submitted = await server.heard("submit", 2)

    await expect(dialog).to_be_hidden()
    assert submitted[1] == {"act": "submit", "interaction": "i1", "values": {"name": "Mio", "prompt": "Shy"}}
    assert len(_taken(page)) == 1


async def test_what_can_be_done_with_a_message_goes_to_the_server(server: Standin, window: Open) -> None:
    button = {
        "sort": "button",
        "id": "b1",
        "label": "More",
        "emoji": None,
        "style": "primary",
        "url": None,
        "is_disabled": False,
    }
    await server.say("Mine", id_="m1", who=ME)
    await server.say("Hello", id_="m2", components=[[button]])
    page = await window(server.url)

    await page.get_by_role("button", name="More", exact=True).last.click()
    pressed = await server.heard("press")
    await _messages(page).last.hover()
    await page.get_by_role("toolbar").get_by_role("button", name="Reply").click()
    await page.locator("#composer").fill("Yes?")
    await page.locator("#composer").press("Enter")
    said = await server.heard("/api/say")

    assert pressed == [{"act": "press", "channel": GENERAL, "id": "m2", "component": "b1"}]
    assert said == [{"channel": GENERAL, "text": "Yes?", "who": ME, "reply_to": "m2"}]


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
async def test_the_welcome_stands_above_the_messages_from_side_to_side(
    server: Standin, window: Open, size: tuple[int, int]
) -> None:
    page = await window(server.url, size=size)
    await expect(page.locator(".room-welcome")).to_be_visible()

    welcome, log, room = [
        await page.evaluate("(one) => document.querySelector(one).getBoundingClientRect().toJSON()", one)
        for one in (".room-welcome", ".room-messages", ".room")
    ]

    assert welcome["bottom"] == log["top"], "nothing is seen between them that would look hidden"
    assert (room["left"], room["right"]) == (welcome["left"], welcome["right"])


async def test_a_newcomer_is_greeted_once_and_language_and_theme_are_remembered(server: Standin, window: Open) -> None:
    page = await window(server.url)
    welcome = page.locator(".room-welcome")
    await expect(welcome).to_contain_text("A Discord of your own")

    await page.locator("#composer").fill("I can write at once")
    await page.get_by_role("button", name="Close the welcome").click()
    await expect(page.locator("#composer")).to_be_focused()
    await page.get_by_label("Theme").select_option("dark")
    await page.get_by_label("Language").select_option("ja")
    await expect(page.get_by_role("tab", name="設定")).to_be_visible()
    spoken = await server.heard("/api/language")
    await page.reload()

    await expect(page.get_by_role("textbox", name="#generalへメッセージを送信")).to_be_visible()
    await expect(welcome).to_be_hidden()
    assert spoken[0] == {"language": "ja"}
    assert await page.evaluate("[document.documentElement.lang, document.documentElement.dataset.theme]") == [
        "ja",
        "dark",
    ]


async def test_a_phone_shows_one_part_at_a_time_and_never_scrolls_sideways(server: Standin, window: Open) -> None:
    await server.say("A long word: " + "x" * 300, id_="m1")
    page = await window(server.url, size=(320, 640), locale="ja-JP", touch=True)
    bar = page.get_by_role("navigation", name="画面")
    sizes = []

    async def note() -> None:
        sizes.append(await page.evaluate("document.documentElement.scrollWidth"))

    await expect(page.locator("#composer")).to_be_visible()
    await note()
    await bar.get_by_role("button", name="設定").tap()
    await expect(page.locator("#model")).to_be_visible()
    await expect(page.get_by_role("main").get_by_role("heading", level=1)).to_have_text("Cadenza")
    await note()
    await bar.get_by_role("button", name="その他").tap()
    await expect(page.get_by_role("main").get_by_role("heading", level=1)).to_have_text("Cadenza")
    await page.get_by_role("main").locator(f'[data-channel="{WORKSHOP}"]').tap()
    await expect(page.get_by_role("heading", level=1)).to_have_text("# workshop")
    await bar.get_by_role("button", name="その他").tap()
    await page.locator(f'[data-channel="{GENERAL}"]').tap()
    await _messages(page).first.tap()
    await expect(page.locator("#body-inside")).to_be_visible()
    await expect(page.locator("#composer")).to_be_hidden()
    await note()

    assert sizes == [320] * 3
    assert await page.evaluate("getComputedStyle(document.querySelector('#composer')).fontSize") == "16px"


async def test_everything_is_reached_by_keyboard(server: Standin, window: Open) -> None:
    await server.say("Hello", id_="m1")
    page = await window(server.url)
    await expect(_messages(page)).to_have_count(1)
    keys = page.keyboard

    await keys.press("Tab")
    await expect(page.get_by_role("link", name="To the messages")).to_be_focused()
    await keys.press("Enter")
    await expect(page.locator(".message")).to_be_focused()
    await keys.press("F6")
    await expect(page.locator("#composer")).to_be_focused()
    await keys.press("Control+Alt+ArrowRight")
    await expect(page.get_by_role("tab", name="Inside")).to_be_focused()
    await keys.press("ArrowRight")
    await expect(page.get_by_role("tab", name="Settings")).to_be_focused()
    await keys.press("F6")
    await expect(page.locator(f'[data-channel="{GENERAL}"]')).to_be_focused()
    await keys.press("Shift+F6")
    await expect(page.get_by_role("tab", name="Settings")).to_be_focused()
    await keys.press("?")
    await expect(page.get_by_role("dialog", name="Keyboard")).to_be_visible()
    await keys.press("Escape")
    await keys.press("Control+k")
    await keys.type("@cad")
    await keys.press("Enter")
    await expect(page.get_by_role("heading", level=1)).to_have_text("@ Cadenza")
    await keys.press("Alt+ArrowUp")
    await expect(page.get_by_role("heading", level=1)).to_have_text("# workshop")
    assert await page.evaluate("document.querySelectorAll('dialog').length") == 0


async def test_a_burst_is_drawn_in_few_frames(server: Standin, window: Open) -> None:
    page = await window(server.url)
    await page.evaluate(
        """async () => {
          const { ChannelView } = await import("cadenza/channel.js");
          const show = ChannelView.prototype.show;
          Object.assign(globalThis, { shown: 0, frames: 0 });
          const count = () => { globalThis.frames += 1; requestAnimationFrame(count); };
          count();
          ChannelView.prototype.show = function (...given) { globalThis.shown += 1; return show.apply(this, given); };
        }"""
    )

    token = {"at": 1.0, "kind": "tokens", "turn": "t", "sort": "text", "text": "a", "lengths": [1], "times": [0]}
    server.records += [token] * 2000
    await server.say("All there", id_="m1", at=2.0)
    await expect(_messages(page)).to_have_text(["All there"])

    shown, frames = await page.evaluate("[globalThis.shown, globalThis.frames]")
    assert 0 < shown <= frames + 1, "once a frame at the most, however much there is"
    assert shown < 1000, "and not for each token"


async def test_every_word_is_there_in_both_languages(server: Standin, window: Open) -> None:
    page = await window(server.url)
    await expect(page.locator("#composer")).to_be_visible()

    en, ja = await page.evaluate(
        """async () => {
          const { keys } = await import("cadenza/words.js");
          return ["en", "ja"].map((code) => keys(code).filter((key) => key.startsWith("live.")));
        }"""
    )
    shown = await page.evaluate(
        "document.body.innerText + [...document.querySelectorAll('[aria-label]')].map((n) => n.ariaLabel)"
    )

    assert en == ja
    assert "live." not in shown
    assert DIRECT in await page.evaluate(
        "[...document.querySelectorAll('[data-channel]')].map((n) => n.dataset.channel)"
    )


async def test_where_colours_are_forced_what_is_chosen_is_framed(server: Standin, window: Open) -> None:
    page = await window(server.url, alone=True)
    await server.say("One", id_="m1")
    await server.say("Two", id_="m2")
    one, two = page.locator("#messages .message").first, page.locator("#messages .message").last
    await two.click()
    await page.emulate_media(forced_colors="active")

    await expect(page.get_by_role("tab", name="Inside")).to_have_css("border-top-width", "3px")
    await expect(page.get_by_role("tab", name="Discord")).to_have_css("border-top-width", "1px")
    ground = await page.evaluate("getComputedStyle(document.body).backgroundColor")
    await expect(one).to_have_css("border-left-color", ground)
    await expect(two).not_to_have_css("border-left-color", ground)
