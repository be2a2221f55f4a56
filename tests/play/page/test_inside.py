"""The inside of a reply, as people use it."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from playwright.async_api import Page, expect

from cadenza.explain.sentences import rendered
from cadenza.explain.telling import held_because
from cadenza.facts import NoticeShown
from cadenza.play import page as assets
from cadenza.play.films.values import sentence_of
from tests.browsing import Open
from tests.play.page import inside_films as films
from tests.play.page.inside_page import inside, show

pytestmark = pytest.mark.asyncio(loop_scope="session")

NOW = [
    (0.1, ["Waiting for the model’s first word, 0.080 s so far."]),
    (0.21, ["The model thinks."]),
    (0.53, ["The model speaks.", f"Holding 9 characters: {rendered(held_because('hidden', ''))}.", "Sending a message, 0.040 s so far."]),
    (0.9, ["The model speaks.", f"Holding 19 characters: {rendered(held_because('mark', '('))}."]),
    (1.05, ["The model speaks.", "Typing for 1.20 s more."]),
    (3.0, ["Waiting for the rate limit: 1.25 s more.", "2 messages more in the queue."]),
    (4.9, [sentence_of(films.evening()[-1]["told"])]),
]  # fmt: skip
DELIVERED = "POST /channels/900/messages: 429, asked to wait 2.00 s"


def told_of(message: str, language: str = "en") -> list[str]:
    """All that the story of a message of the evening tells."""
    [told] = [one["story"]["told"] for one in films.evening() if one.get("message") == message]
    listed = [one for value in told.values() for one in (value if isinstance(value, list) else [value])]
    return [sentence_of(one, language) for one in listed if one is not None]


async def test_it_says_what_happens_right_now(window: Open) -> None:
    async with inside(window) as page:
        await expect(page.locator(".inside-empty")).to_contain_text("No reply yet.")
        await show(page, 0.0, films.evening())
        for time, expected in NOW:
            await show(page, time)
            assert expected == await page.locator(".now li").all_inner_texts(), f"at {time} s"
        numbers = await page.locator(".numbers dd").all_inner_texts()
        assert ["23", "2", "3", "1", "0.18 s", "0.55 s"] == numbers


async def test_a_message_has_its_whole_story(window: Open) -> None:
    async with inside(window) as page:
        await show(page, 4.9, films.evening())
        await page.get_by_role("button", name="So (first of all)").click()
        assert [["select", {"kind": "message", "id": "2002"}]] == await page.evaluate("told")
        *told, times = told_of("2002")
        assert 7 == len(told)
        for sentence in (*told, DELIVERED):
            await expect(page.locator(".story")).to_contain_text(sentence)
        await expect(page.get_by_role("img", name=times)).to_be_visible()
        assert ["1.02 s", "0.10 s", "2.65 s", "0.15 s"] == await page.locator(".time-parts dd").all_text_contents()
        assert "So (first of all).\nNow two.\nAnd three.\n" == await page.locator(".raw").text_content()
        assert "So (first of all).↵Now two.↵And three.↵" == await _texts(page, ".tok .of-chosen"), (
            "its tokens are marked"
        )
        await page.get_by_role("button", name="Overview").click()
        await expect(page.locator(".overview")).to_be_visible()


async def test_the_story_of_a_message_comes_first_and_the_focus_stays_with_whoever_reads(window: Open) -> None:
    async with inside(window, size=(400, 560)) as page:
        await page.evaluate("Object.assign(view.root.style, { height: '100vh', overflow: 'auto' })")
        await show(page, 4.9, films.evening())
        order = "[...document.querySelectorAll('.inside-body > :not([hidden])')].map((part) => part.classList[0])"
        assert ["timeline", "strip-section", "overview"] == await page.evaluate(order)
        assert not await page.evaluate("document.querySelector('.tl-legend').open")
        await page.get_by_role("button", name="So (first of all)").press("Enter")
        assert ["timeline", "about", "strip-section"] == await page.evaluate(order)
        head = page.get_by_role("heading", name="Message 2 of 2")
        await expect(head).to_be_focused()
        await expect(head).to_be_in_viewport()
        await page.get_by_role("button", name="Overview").press("Enter")
        await expect(page.get_by_role("heading", name="Right now")).to_be_focused()
        await page.locator(".tok", has_text="first").click()
        assert ["timeline", "strip-section", "about"] == await page.evaluate(order), "the text stays where it is"
        await page.get_by_role("button", name="Open message 2").press("Enter")
        await expect(head).to_be_focused()


async def test_what_rules_changed_is_a_difference_that_can_be_heard(window: Open) -> None:
    async with inside(window) as page:
        await show(page, 4.9, films.evening())
        await page.evaluate("view.select({ kind: 'message', id: '2001' })")
        assert [] == await page.evaluate("told"), "whoever selects from outside is not told of it"
        emoji, mentions = page.locator(".rules li").nth(0), page.locator(".rules li").nth(1)
        await expect(emoji).to_contain_text(told_of("2001")[2])
        assert ["removed: :wave:"] == [text.strip() for text in await emoji.locator("del").all_text_contents()]
        assert ["added: 👋"] == [text.strip() for text in await emoji.locator("ins").all_text_contents()]
        assert ["added: <", "added: 1>"] == [text.strip() for text in await mentions.locator("ins").all_text_contents()]


async def test_a_token_leads_to_its_message_and_back(window: Open) -> None:
    async with inside(window) as page:
        await show(page, 4.9, films.evening())
        await page.locator(".tok", has_text="first").click()
        story = page.locator(".story")
        await expect(story).to_contain_text("Token 12")
        await expect(story).to_contain_text("It went into message 2.")
        await story.get_by_role("button", name="Open message 2").click()
        await expect(story).to_contain_text("Message 2 of 2")
        chosen = [{"kind": "token", "turn": films.TURN, "index": 11}, {"kind": "message", "id": "2002"}]
        assert [["select", one] for one in chosen] == await page.evaluate("told")
        fates = {0: "a thought is never shown", 7: "stood in a thought", 22: "the reply ended before it was sent"}
        for index, fate in fates.items():
            await page.evaluate(f"view.select({{ kind: 'token', turn: '{films.TURN}', index: {index} }})")
            await expect(story).to_contain_text(fate)


async def test_the_text_is_as_it_was_at_that_moment(window: Open) -> None:
    async with inside(window) as page:
        await show(page, 0.45, films.evening())
        assert "The person greets me.Evening, @mia" == await _texts(page, ".tok .part")
        assert "" == await _texts(page, ".tok .sent")
        await show(page, 4.9)
        assert ["thought", "line end", "thought", "line end", "line end", "line end", "cut off"] == await page.locator(
            ".cut-mark"
        ).all_text_contents()
        await show(page, 0.5)
        assert "Evening, @mia! :wave:↵" == await _texts(page, ".tok .planned"), "back to where it was decided, not sent"
        await show(page, 0.0)
        assert 0 == await page.locator(".tok").count()


async def test_the_timeline_can_be_used_with_keys_alone(window: Open) -> None:
    async with inside(window) as page:
        await show(page, 4.9, films.evening())
        lane = page.get_by_role("listbox", name="Messages: what people saw. 2 items.")
        await page.get_by_role("button", name="Show all").focus()
        await page.keyboard.press("Tab")
        for _ in range(6):
            await page.keyboard.press("ArrowDown")
        await expect(lane).to_be_focused()
        await page.keyboard.press("End")
        active = page.locator(f"#{await lane.get_attribute('aria-activedescendant')}")
        await expect(active).to_have_attribute("aria-label", re.compile("^Message 2 at 4.40 s: “So"))
        await page.keyboard.press("ArrowLeft")
        await page.keyboard.press("Enter")
        await page.keyboard.press("ArrowUp")
        await page.keyboard.press("ArrowUp")
        await page.keyboard.press("ArrowRight")
        await expect(page.locator(".tl-hint")).to_have_text(f"{told_of('2002')[6]} At 2.25 s.")
        await page.keyboard.press("Enter")
        assert [["select", {"kind": "message", "id": "2001"}], ["select", {"kind": "message", "id": "2002"}]] == (
            await page.evaluate("told")
        )


async def test_the_tokens_can_be_used_with_keys_alone(window: Open) -> None:
    async with inside(window) as page:
        await show(page, 4.9, films.evening())
        await page.locator(".strip-text").focus()
        for key in ("Home", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowUp", "Enter"):
            await page.keyboard.press(key)
        assert [["select", {"kind": "token", "turn": films.TURN, "index": 2}]] == await page.evaluate("told")
        await page.keyboard.press("End")
        await expect(page.locator(".tok.active")).to_have_text(re.compile("^ th"))
        assert await page.locator(".tok.active").get_attribute("id") == (
            await page.locator(".strip-text").get_attribute("aria-activedescendant")
        )


async def test_a_click_on_the_timeline_goes_there_and_it_can_be_zoomed(window: Open) -> None:
    async with inside(window, size=(520, 900)) as page:
        await show(page, 4.9, films.evening())
        box = await page.locator(".tl-field").bounding_box()
        assert box is not None
        middle = box["x"] + box["width"] / 2
        await page.mouse.click(middle, box["y"] + 5)
        assert [["seek", 2.45]] == await page.evaluate("told")
        await page.mouse.move(middle, box["y"] + 18 + 26 * 4 + 13)
        await expect(page.locator(".tl-hint")).to_have_text(f"{told_of('2002')[6]} At 2.25 s.")
        widths = [await page.evaluate("view.timeline.view[1] - view.timeline.view[0]")]
        for _ in range(3):
            await page.get_by_role("button", name="Zoom in").click()
            widths.append(await page.evaluate("view.timeline.view[1] - view.timeline.view[0]"))
        assert all(wider > narrower for wider, narrower in pairwise(widths))
        await page.mouse.move(middle, box["y"] + 5)
        await page.mouse.down()
        await page.mouse.move(middle + 60, box["y"] + 5, steps=3)
        await page.mouse.up()
        assert 1 == len(await page.evaluate("told")), "whoever drags does not go anywhere"
        await page.get_by_role("button", name="Show all").click()
        assert widths[0] == await page.evaluate("view.timeline.view[1] - view.timeline.view[0]")


async def test_showing_more_takes_neither_focus_nor_place_from_whoever_reads(window: Open) -> None:
    records = films.long_film(2000)
    async with inside(window) as page:
        await show(page, 1.0, records)
        await page.locator(".strip").evaluate("(strip) => { strip.scrollTop = 40; }")
        button = page.locator(".lines button").first
        await button.focus()
        for time in (1.1, 1.2, 1.7):
            await show(page, time)
        assert 40 == await page.locator(".strip").evaluate("(strip) => strip.scrollTop")
        await expect(button).to_be_focused()
        await page.locator(".strip").evaluate("(strip) => { strip.scrollTop = strip.scrollHeight; }")
        await show(page, 2.2)
        at_end = "(strip) => strip.scrollTop + strip.clientHeight >= strip.scrollHeight - 2"
        assert await page.locator(".strip").evaluate(at_end), "whoever reads the newest goes with it"


async def test_a_megabyte_stays_quick_and_only_a_window_of_it_is_in_the_page(window: Open) -> None:
    async with inside(window) as page:
        await show(page, 250.0, films.long_film())
        spent = await page.evaluate(
            """(channel) => {
              const { fillText } = CanvasRenderingContext2D.prototype;
              let painted = 0;
              CanvasRenderingContext2D.prototype.fillText = function (...about) { painted += 1; fillText.apply(this, about); };
              const spent = [];
              for (let time = 250; time < 252; time += 0.1) {
                const begun = performance.now();
                view.show(reel, { channel, time });
                spent.push(performance.now() - begun);
              }
              CanvasRenderingContext2D.prototype.fillText = fillText;
              return { least: Math.min(...spent), painted: painted / spent.length };
            }""",
            films.CHANNEL,
        )
        assert spent["least"] < 100, "ten times a second leaves a tenth of a second, and on a busy machine less"
        assert 50 < spent["painted"] < 400, "the numbers of a thousand messages would cover each other"
        assert 0 < await page.locator(".tok").count() <= 2400
        await page.evaluate("view.select({ kind: 'token', turn: 'turn-1', index: 1000 })")
        await expect(page.locator(".tok.chosen")).to_be_in_viewport()
        await page.get_by_role("button", name="Later tokens").click()
        assert await page.locator(".tok").count() <= 2400


async def test_there_are_replies_to_choose_from_and_questions_lead_to_their_answer(window: Open) -> None:
    again = [films.reply(6.0, "turn-2", "Mio", None), films.tokens(6.1, "Hello", turn="turn-2")]
    async with inside(window) as page:
        await show(page, 7.0, [*films.evening(), *again])
        await expect(page.locator(".strip-text")).to_contain_text("Hello")
        await page.get_by_role("button", name="Ren, 2 messages").click()
        await expect(page.locator(".strip-text")).to_contain_text("Evening")
        await page.get_by_role("button", name="Always the latest").click()
        await expect(page.locator(".strip-text")).to_contain_text("Hello")
        await page.evaluate(f"view.select({{ kind: 'message', id: '{films.ASKED}' }})")
        await expect(page.locator(".story")).to_contain_text("It was answered by a reply of Ren.")
        await page.get_by_role("button", name="Look at that reply").click()
        await expect(page.locator(".strip-text")).to_contain_text("Evening")


async def test_what_a_model_says_never_becomes_html(window: Open) -> None:
    evil = "<img src=x onerror=alert(1)><script>alert(1)</script>"
    rule = {
        "at": 0.5,
        "rule": evil,
        "stage": evil,
        "effect": evil,
        "before": [evil],
        "after": [evil + "!"],
        "identity": evil,
    }
    records = [
        films.reply(persona=evil),
        films.tokens(0.1, evil),
        {"at": 0.2, "kind": "fact", "turn": films.TURN, "fact": evil, "about": {evil: evil}, "told": {"key": evil}},
        films.fact(0.3, NoticeShown(evil, evil, "info", is_shown=True)),
        films.sent(0.5, "1", [], evil),
        films.story(
            0.5,
            "1",
            [[0, len(evil)]],
            rules=[rule],
            ends={"reason": evil},
            starts={"reason": evil},
            file=evil,
            name=evil,
        ),
    ]
    async with inside(window) as page:
        await show(page, 1.0, records)
        await page.evaluate("view.select({ kind: 'message', id: '1' })")
        await expect(page.locator(".story .said")).to_have_text(evil)
        assert 0 == await page.locator(".inside img, .inside script").count()


async def test_it_fits_a_narrow_phone_in_japanese(window: Open) -> None:
    async with inside(window, size=(360, 740), locale="ja-JP", colours="dark", touch=True) as page:
        await show(page, 4.9, films.evening())
        await expect(page.locator(".now")).to_contain_text("返信は終わりました")
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        await page.evaluate("view.select({ kind: 'message', id: '2002' })")
        await expect(page.locator(".story")).to_contain_text(told_of("2002", "ja")[1])
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        await page.evaluate("setLanguage('en')")
        await expect(page.locator(".story")).to_contain_text(told_of("2002")[1])
        await expect(page.locator(".tl-name").first).to_have_text("Tokens")


async def test_one_that_is_closed_does_not_listen_any_longer(window: Open) -> None:
    async with inside(window) as page:
        await show(page, 4.9, films.evening())
        await page.evaluate("view.close(); setLanguage('ja')")
        await expect(page.locator(".strip-section h3")).to_have_text("The model’s own text")


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_colours_can_be_read(theme: str) -> None:
    colours = _colours("base.css", theme) | _colours("inside.css", theme)
    for number in range(6):
        assert _contrast(colours[f"m{number}"], colours["on-m"]) >= 4.5, f"the number on message {number}"
        assert _contrast(colours[f"m{number}"], colours["ground"]) >= 4.5, f"a button in the colour of message {number}"
    for name in ("text", "held", "rule", "typing", "limit", "wait", "sending", "thought"):
        limit = 2.5 if name == "thought" else 4.5
        assert _contrast(colours[f"in-{name}"], colours["ground"]) >= limit, name


def _colours(name: str, theme: str) -> dict[str, str]:
    block = assets.asset(name).decode().partition(f':root[data-theme="{theme}"] {{')[2].partition("}")[0]
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block))


def _contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


async def _texts(page: Page, selector: str) -> str:
    return "".join(await page.locator(selector).all_text_contents())


def _said(id_: str, markup: list[object], pings: list[str]) -> films.Record:
    message = {
        "id": id_,
        "channel": films.CHANNEL,
        "author": {"id": "5", "name": "Ren"},
        "markup": markup,
        "pings": pings,
    }
    return {"at": 0.5, "kind": "message", "message": message}


async def test_names_stand_for_ids_and_a_message_tells_whom_it_calls(window: Open) -> None:
    text = "Hi <@7>, <@!8>, <@&9> in <#900> <a:wave:11>\n`<@7>` </help:12> @everyone <@404> <t:1741521600:D> <id:guide> `<t:5>` <t:99999999999999>"
    mentions = [{"is": "mention", "sort": sort, "id": id_, "name": name} for sort, id_, name in [
        ("user", "7", "Mia"), ("role", "9", "crew"), ("everyone", None, "everyone")]]  # fmt: skip
    records: list[films.Record] = [
        {"at": 0.0, "kind": "channel", "channel": {"id": films.CHANNEL, "name": "tea"}},
        {"at": 0.0, "kind": "person", "person": {"id": "8", "name": "Jo <b>"}},
        films.reply(),
        films.tokens(0.1, text),
        _said("2001", [{"is": "bold", "of": mentions[:1]}, {"is": "list", "items": [mentions[1:]]}], ["7"]),
        films.sent(0.5, "2001", [1], text),
        films.story(0.5, "2001", [[0, len(text)]], rules=[
            {"at": 0.5, "rule": "mentions", "stage": "rules", "effect": "changed", "before": ["Hi @mia"], "after": ["Hi <@7>"]}]),
        films.fact(0.6, NoticeShown("", "<@7> was told.", "info", is_shown=True)),
    ]  # fmt: skip
    async with inside(window) as page:
        await show(page, 1.0, records)
        shown = "Hi @Mia, @Jo <b>, @crew in #tea :wave:↵`<@7>` /help @everyone <@404> 9 March 2025 #guide `<t:5>` <t:99999999999999>"
        await expect(page.locator(".overview .line-text").first).to_have_text(shown)
        await expect(page.locator(".overview")).to_contain_text("@Mia was told.")
        await page.locator("[data-lane=messages]").focus()
        await page.keyboard.press("Home")
        await expect(page.locator(".tl-hint")).to_contain_text("Hi @Mia, @Jo <b>, @crew in #tea :wave:")
        await page.locator(".overview button.line").first.click()
        await expect(page.locator(".story .said")).to_have_text(shown.replace("↵", "\n"))
        await expect(page.locator(".rules ins").last).to_contain_text("Mia>")
        await expect(page.locator(".story")).to_contain_text("It pings @Mia.")
        await expect(page.locator(".story")).to_contain_text("It names @crew, @everyone without a ping.")
        await show(page, 1.0, [*records, {"at": 0.9, "kind": "person", "person": {"id": "7", "name": "Mia K"}}])
        await expect(page.locator(".story .said")).to_contain_text("Hi @Mia K,")
