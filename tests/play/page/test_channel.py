"""``channel.js`` and ``markup.js``: a channel as people see it, and what they can do in it."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.browsing import PHONE, Open
from tests.play.page.samples import CHANNEL, FILES, MARKUP, REN, at, film, rich, said, talk
from tests.play.page.showing import channel

pytestmark = pytest.mark.asyncio(loop_scope="session")


def _message(tab: Page, id_: str) -> Any:
    return tab.locator(f'.message[data-id="{id_}"]')


async def test_everything_that_a_message_can_have_is_shown(window: Open) -> None:
    async with channel(window, rich()) as tab:
        everything = _message(tab, "103")
        await expect(everything.locator(".reply-line")).to_have_text("MMiaEvening! Anybody there?")
        await expect(everything.locator(".tag")).to_have_text("APP")
        await expect(everything.locator(".edited")).to_have_text("(edited)")
        await expect(_message(tab, "104").locator(".picture > img").first).to_have_attribute("alt", "A sun")
        await expect(_message(tab, "104").locator("a.file")).to_have_attribute("download", "notes.txt")
        await expect(_message(tab, "104").locator("a.file")).to_contain_text("20 KB")
        await expect(_message(tab, "105").locator("dt")).to_have_text(["Kind", "State"])
        await expect(_message(tab, "105").get_by_role("button", name="No")).to_be_disabled()
        await expect(_message(tab, "105").locator(".reaction")).to_have_text("🎉3")
        await expect(_message(tab, "106").locator(".is-large")).to_have_text("🎻🎶")
        await expect(_message(tab, "107").locator(".above")).to_have_text("MMiaused/forget")
        await expect(_message(tab, "107").locator(".private")).to_contain_text("Only you can see this")
        await expect(_message(tab, "108").locator(".thinking")).to_have_text("Cadenza is thinking…")
        await expect(_message(tab, "109")).to_contain_text("Mia pinned a message in this channel.")
        assert "is-pinging" in await _message(tab, "110").get_attribute("class")
        await expect(tab.locator(".typing")).to_have_text("Ren is typing…")
        await expect(tab.locator(".day")).to_have_count(1)


async def test_every_node_of_markdown_becomes_its_element(window: Open) -> None:
    async with channel(window, talk(said("1", "x", markup=MARKUP))) as tab:
        content = tab.locator(".content")
        await expect(content.get_by_role("heading", level=4)).to_have_text("A heading")
        await expect(content.locator("strong em")).to_have_text("and italic")
        await expect(content.locator("u")).to_have_text("underlined")
        await expect(content.locator("s")).to_have_text("struck")
        await expect(content.locator("code.code")).to_have_text("code()")
        await expect(content.locator("blockquote")).to_have_text("A quote\nof two lines", use_inner_text=True)
        await expect(content.locator("ul > li > ol")).to_have_attribute("start", "9")
        await expect(content.locator("figcaption .block-language")).to_have_text("python")
        await expect(content.locator("pre")).to_have_text("def greet(name):\n    return f'Hello, {name}!'")
        await expect(content.locator(".mention")).to_have_text(["@Mia", "#general", "/persona create", "@everyone"])
        await expect(content.locator(".emoji")).to_have_text(["🎻", ":party_cat:"])
        await expect(content.locator("time")).to_have_text("2 February 2026")
        await expect(content.locator("a")).to_have_attribute("href", "https://example.org/a?b=c")
        await expect(content.locator("a")).to_have_attribute("rel", "noopener noreferrer")
        await expect(content.locator("small.subtext")).to_have_text("small print")


async def test_rubbish_for_markdown_is_passed_over_and_only_the_web_is_linked(window: Open) -> None:
    deep: Any = "deep"
    for _ in range(200):
        deep = {"is": "bold", "of": [deep]}
    markup = [
        None, 7, {}, {"is": "bold"}, {"is": "list"}, {"is": "list", "items": "x"}, {"is": "time", "seconds": 1e30},
        {"is": "constructor", "of": ["kept"]}, {"is": "link", "url": "javascript:alert(1)", "of": ["bad"]},
        {"is": "link", "url": "file:///etc", "of": ["local"]}, {"is": "mention"}, {"is": "emoji"}, deep,
    ]  # fmt: skip

    async with channel(window, talk(said("1", "x", markup=markup))) as tab:
        await expect(tab.locator(".content")).to_contain_text("keptbadlocal")
        await expect(tab.locator(".content")).to_contain_text("deep")
        await expect(tab.locator(".content a")).to_have_count(0)


async def test_a_spoiler_is_unseen_until_it_is_shown_by_key_or_click(window: Open) -> None:
    spoiler = {"is": "spoiler", "of": ["the butler"]}
    async with channel(window, talk(said("1", "x", markup=[spoiler]), said("2", "y", markup=[spoiler]))) as tab:
        first, second = tab.get_by_role("button", name="Spoiler").all(), tab.locator(".spoiler").nth(1)
        assert len(await first) == 2
        await expect(tab.get_by_text("the butler").first).to_be_hidden()
        await tab.locator(".spoiler").first.focus()
        await tab.keyboard.press("Enter")
        await second.click()
        await expect(tab.get_by_text("the butler").first).to_be_visible()
        await expect(tab.get_by_role("button", name="Spoiler")).to_have_count(0)
        assert await tab.evaluate("told") == []  # showing it chooses no message


async def test_what_somebody_has_uncovered_stays_so_when_the_message_changes(window: Open) -> None:
    first = said("1", "x", markup=[{"is": "spoiler", "of": ["the butler"]}])
    change = "(message) => { reel.add({ at: 9, kind: 'changed', message }); show(9); }"

    async with channel(window, talk(first)) as tab:
        await tab.locator(".spoiler").click()
        await tab.evaluate(change, {**first, "is_edited": True})
        await expect(tab.locator(".edited")).to_be_visible()
        await expect(tab.get_by_text("the butler")).to_be_visible()
        await expect(tab.get_by_role("button", name="Spoiler")).to_have_count(0)


async def test_messages_of_the_same_author_are_grouped_as_discord_does_it(window: Open) -> None:
    mad = {**REN, "name": "Ren (mad)"}
    cases = [
        (said("1", "first", author=REN), True),
        (said("2", "soon after", author=REN, seconds=419), False),
        (said("3", "too late", author=REN, seconds=840), True),
        (said("4", "another name", author=mad, seconds=841), True),
        (said("5", "an answer", author=mad, seconds=842, reply={"id": "1", "name": "Ren", "text": "first"}), True),
        (said("6", "more", author=mad, seconds=843), False),
        (said("7", "a command", author=mad, seconds=844, command={"name": "x", "who": "Mia"}), True),
        (said("8", "private", author=mad, seconds=845, is_private=True), True),
    ]

    async with channel(window, talk(*(message for message, _ in cases))) as tab:
        heads = await tab.locator(".message").evaluate_all("all => all.map((one) => one.classList.contains('is-head'))")

        assert [is_head for _, is_head in cases] == heads
        await tab.evaluate("reel.add({ at: 99, kind: 'deleted', channel: '10', id: '1' }); show(99)")
        await expect(_message(tab, "2").locator(".author")).to_have_text("Ren")  # what follows shows it now


async def test_messages_are_chosen_by_click_enter_and_arrows_and_escape_chooses_none(window: Open) -> None:
    async with channel(window, talk(said("1", "one"), said("2", "two"), said("3", "three"))) as tab:
        await tab.keyboard.press("Tab")
        await expect(_message(tab, "3")).to_be_focused()
        for key in ("Enter", "ArrowUp", "ArrowUp", "ArrowUp", "End", "Escape"):
            await tab.keyboard.press(key)
        await _message(tab, "2").get_by_text("two").click()
        await expect(_message(tab, "2")).to_have_attribute("aria-current", "true")
        await tab.evaluate("view.select('1'); view.mark(['2', '3'])")

        await expect(tab.locator(".is-selected")).to_have_attribute("data-id", "1")
        await expect(tab.locator(".is-marked")).to_have_count(2)
        assert await tab.evaluate("told") == [["select", id_] for id_ in ("3", "2", "1", "1", "3", None, "2")]


async def test_the_answered_message_is_gone_to(window: Open) -> None:
    many = [said(str(number), f"line {number}") for number in range(60)]
    answer = said("99", "yes", author=REN, reply={"id": "3", "name": "Mia", "avatar": None, "text": "line 3"})

    async with channel(window, talk(*many, answer)) as tab:
        await expect(_message(tab, "3")).not_to_be_in_viewport()
        await tab.get_by_role("button", name="In reply to Mia: line 3").click()
        await expect(_message(tab, "3")).to_be_in_viewport()
        await expect(_message(tab, "3")).to_be_focused()


async def test_what_can_be_done_with_a_message_is_done_by_mouse_and_by_keyboard(window: Open) -> None:
    async with channel(window, rich(), is_live=True) as tab:
        await _message(tab, "110").hover()
        await tab.get_by_role("button", name="Reply", exact=True).click()
        await expect(tab.get_by_role("button", name="Delete")).to_have_count(0)  # it is another's
        await _message(tab, "106").focus()
        await tab.keyboard.press("Shift+F10")
        await expect(tab.get_by_role("button", name="React", exact=True)).to_be_focused()
        await tab.keyboard.press("Enter")
        await tab.keyboard.press("ArrowRight")
        await tab.keyboard.press("Enter")
        await tab.get_by_role("button", name="Delete").click()
        await tab.get_by_role("button", name="Edit").click()
        await tab.get_by_role("button", name="Apps").click()
        await tab.get_by_role("button", name="Remember this").click()
        await _message(tab, "105").get_by_role("button", name="No").click()
        await _message(tab, "105").get_by_role("combobox").select_option("aoi")
        await _message(tab, "105").get_by_role("button", name="🎉, 3 reactions").click()

        assert await tab.evaluate("told") == [
            ["reply", "110"],
            ["react", "106", "❤️", False],
            ["remove", "106"],
            ["edit", "106"],
            ["menu", "106", "Remember this"],
            ["press", "105", "no"],
            ["choose", "105", "who", ["aoi"]],
            ["react", "105", "🎉", True],
        ]


async def test_who_reads_at_the_end_stays_there_and_who_reads_above_is_told_of_what_is_new(window: Open) -> None:
    many = [said(str(number), f"line {number}") for number in range(60)]
    more = "(id) => { reel.add({ at: 100, kind: 'message', message: { ...reel.records[0].message, id } }); show(100); }"

    async with channel(window, talk(*many)) as tab:
        await tab.evaluate(more, "a")
        await expect(_message(tab, "a")).to_be_in_viewport()
        await tab.locator(".log").evaluate("log => { log.scrollTop = 200; }")
        await tab.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        await tab.evaluate(more, "b")
        await tab.evaluate(more, "c")
        assert await tab.locator(".log").evaluate("log => log.scrollTop") == 200
        await tab.get_by_role("button", name="2 new messages").click()
        await expect(_message(tab, "c")).to_be_in_viewport()
        await expect(tab.locator(".unread")).to_be_hidden()


async def test_a_long_channel_changes_quickly_and_only_where_something_is_new(window: Open) -> None:
    script = """
    () => {
      const before = [...document.querySelectorAll(".message")];
      const costs = [];
      for (let n = 0; n < 21; n += 1) {
        reel.add({ at: 5000, kind: "message", message: { ...reel.records[0].message, id: `new${n}` } });
        const begun = performance.now();
        show(5000);
        document.querySelector(".log").getBoundingClientRect();
        costs.push(performance.now() - begun);
      }
      reel.add({ at: 5000, kind: "changed", message: { ...reel.records[0].message, content: "other", markup: ["other"] } });
      show(5000);
      const after = new Set(document.querySelectorAll(".message"));
      return { cost: Math.min(...costs), gone: before.filter((node) => !after.has(node)).length, count: after.size };
    }
    """

    async with channel(window, talk(*(said(f"m{number}", f"line {number}") for number in range(2000)))) as tab:
        found = await tab.evaluate(script)

        assert (found["count"], found["gone"]) == (2021, 1)
        assert found["cost"] < 50  # milliseconds; the least, two or three, in which nobody else computed


async def test_going_back_and_forth_shows_the_same_messages_again_with_what_is_chosen_now(window: Open) -> None:
    async with channel(window, talk(said("1", "one"), said("2", "two"), said("3", "three"))) as tab:
        await tab.evaluate("view.select('3'); globalThis.third = document.querySelector('[data-id=\"3\"]')")
        await tab.evaluate("show(0); view.select('1'); show(2)")

        assert await tab.evaluate("third.isConnected && !third.hasAttribute('aria-current')")
        await expect(tab.locator(".is-selected")).to_have_attribute("data-id", "1")
        await expect(tab.locator(".message .content")).to_have_text(["one", "two", "three"])
        await expect(tab.locator('.message[tabindex="0"]')).to_have_count(1)


async def test_a_menu_of_people_offers_whoever_is_here(window: Open) -> None:
    menu = {"sort": "menu", "id": "who", "of": "users", "placeholder": "Who?", "options": []}
    people = [at(0, "person", person={"id": id_, "name": name}) for id_, name in (("1", "Mia"), ("2", "Ren"))]
    whole = film(*people, at(1, "message", message=said("1", "Choose", components=[[menu]])))

    async with channel(window, whole, is_live=True) as tab:
        await expect(tab.get_by_role("combobox", name="Who?").locator("option")).to_have_text(["Who?", "Mia", "Ren"])
        await tab.get_by_role("combobox").select_option(label="Ren")
        assert await tab.evaluate("told") == [["choose", "1", "who", ["2"]]]


async def test_a_film_that_is_opened_is_not_read_out_but_what_comes_then_is(window: Open) -> None:
    more = "reel.add({ at: 99, kind: 'message', message: { ...reel.records[0].message, id: 'x' } }); show(99)"
    async with channel(window, talk(*(said(str(number), "line") for number in range(9)))) as tab:
        log = tab.get_by_role("log", name="Messages in general")
        await expect(log).to_have_attribute("aria-live", "off")
        await tab.evaluate(more)
        await expect(log).to_have_attribute("aria-live", "polite")
        await tab.evaluate("show(3)")
        await expect(log).to_have_attribute("aria-live", "off")
        await expect(tab.locator(".message")).to_have_count(4)


async def test_a_picture_has_its_place_before_it_comes_and_opens_in_full_size(window: Open) -> None:
    async with channel(window, rich()) as tab:
        picture = tab.get_by_role("button", name="Look at A sun in full size")
        box = await picture.bounding_box()
        assert box is not None
        assert (400, 200) == (round(box["width"]), round(box["height"]))
        hidden = tab.get_by_role("button", name="Look at Picture: secret.svg in full size")
        await hidden.click()
        await expect(tab.get_by_role("dialog")).to_have_count(0)  # the first click uncovers it
        await picture.click()
        await expect(tab.get_by_role("dialog", name="A sun")).to_be_visible()
        await tab.keyboard.press("Escape")
        await expect(tab.get_by_role("dialog")).to_have_count(0)


async def test_a_picture_stands_under_the_text_of_its_message(window: Open) -> None:
    look = said("1", "Look:", author=REN, files=FILES[:1])
    async with channel(window, film(at(0, "message", message=look))) as tab:
        text = await _message(tab, "1").get_by_text("Look:").bounding_box()
        picture = await _message(tab, "1").locator(".picture > img").bounding_box()
        assert text is not None
        assert picture is not None
        assert text["y"] + text["height"] <= picture["y"] + 1


async def test_a_channel_speaks_japanese_also_when_it_begins_to_in_the_middle(window: Open) -> None:
    async with channel(window, rich()) as tab:
        await tab.evaluate("setLanguage('ja')")
        await expect(tab.locator(".typing")).to_have_text("Renが入力中…")
        await expect(tab.locator(".day")).to_have_text("2026年5月4日")
        await expect(_message(tab, "107").locator(".private")).to_contain_text("あなただけに表示されています")


@pytest.mark.parametrize("colours", ["light", "dark"])
async def test_a_phone_shows_it_all_without_scrolling_sideways(window: Open, colours: str) -> None:
    wide = said("1", "x" * 500, markup=["x" * 500, {"is": "block", "language": "", "text": "y" * 500}])
    whole = rich()
    whole["records"].append(at(14.0, "message", message=wide))

    async with channel(window, whole, size=(320, PHONE[1]), colours=colours, touch=True) as tab:
        await expect(tab.locator(".message")).to_have_count(11)
        assert await tab.evaluate("document.documentElement.scrollWidth") == 320
        assert await tab.locator(".log").evaluate("log => log.scrollWidth - log.clientWidth") == 0


async def test_an_empty_channel_says_so(window: Open) -> None:
    async with channel(window, film(at(0, "channel", channel={"id": CHANNEL, "name": "general"}))) as tab:
        await expect(tab.locator(".nothing")).to_have_text("Nothing has been said here yet.")
