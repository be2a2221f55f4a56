"""``film_view.js`` and ``player.js``: films on one clock."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import expect

from tests.browsing import PHONE, Open
from tests.play.page.samples import REN, at, film, said
from tests.play.page.showing import films

pytestmark = pytest.mark.asyncio(loop_scope="session")

ONE = film(
    at(0, "message", message=said("1", "Hello?")),
    at(2.5, "message", message=said("2", "Yes?", author=REN)),
    at(4, "message", message=said("3", "What is it?", author=REN)),
    seconds=5.0,
)
TWO = film(
    at(0, "message", message=said("1", "Hello?")), at(3, "message", message=said("2", "Yes? What is it?", author=REN))
)
LONG = {
    "films": [
        film(
            at(0, "message", message=said("1", "Hello?")), at(300, "message", message=said("2", "Yes?")), seconds=600.0
        )
    ]
}
CAPTIONS = [{"at": 2.5, "en": "It answers", "ja": "返事が来ます"}, {"at": 0, "en": "Somebody asks", "ja": "質問です"}]
BOTH = {"films": [ONE, TWO], "labels": ["Two messages", "One message"], "captions": CAPTIONS}


async def test_who_wants_little_motion_sees_the_end_and_can_go_back_and_forth_by_keys(window: Open) -> None:
    async with films(window, BOTH) as tab:
        slider, messages = tab.get_by_role("slider", name="Time"), tab.locator(".message")
        await expect(messages).to_have_count(5)
        await expect(slider).to_have_attribute("aria-valuetext", "0:05.0 of 0:05.0")
        await expect(tab.locator(".caption")).to_have_text("It answers")
        await slider.focus()
        seen: list[Any] = []
        for key in (",", ",", "ArrowLeft", "ArrowLeft", ",", ".", ".", "ArrowRight", "ArrowRight"):
            await tab.keyboard.press(key)
            seen.append([await tab.evaluate("view.player.time"), await messages.count()])

        assert seen == [[4, 5], [3, 4], [2, 2], [1, 2], [0, 2], [2.5, 3], [3, 4], [4, 5], [5, 5]]
        await tab.evaluate("view.player.seek(0)")
        await expect(tab.locator(".caption")).to_have_text("Somebody asks")


async def test_who_does_not_mind_motion_sees_a_film_play_from_its_beginning(window: Open) -> None:
    async with films(window, LONG) as tab:
        await expect(tab.get_by_role("button", name="Play again")).to_be_visible()
        await tab.emulate_media(reduced_motion="no-preference")
        await tab.reload()
        await expect(tab.get_by_role("button", name="Pause")).to_be_visible()
        await expect(tab.locator(".message")).to_have_count(1)


async def test_a_film_can_be_paused_sped_up_and_played_again(window: Open) -> None:
    # Between one frame and a later one: a machine that has much to do draws few, but the film does not lag behind them.
    speed = """
    async () => {
      const frame = () => new Promise(requestAnimationFrame);
      await frame();
      await frame();
      const [real, film] = [performance.now(), view.player.time];
      while (performance.now() < real + 100) await frame();
      await frame();
      return (view.player.time - film) / ((performance.now() - real) / 1000);
    }
    """
    async with films(window, {**LONG, "isPlaying": True}) as tab:
        await tab.get_by_role("combobox", name="Speed").select_option("8")
        assert await tab.evaluate(speed) > 2
        await tab.evaluate("view.player.seek(599.9)")
        await tab.get_by_role("button", name="Play again").click()
        await tab.get_by_role("button", name="Pause").click()
        paused = await tab.evaluate("view.player.time")
        assert 0 <= paused < 300
        await expect(tab.locator(".message")).to_have_count(1)
        assert await tab.evaluate("inside.shown.at(-1).time") == pytest.approx(paused, abs=0.001)
        await tab.locator(".message").first.focus()
        await tab.keyboard.press("Space")
        await expect(tab.get_by_role("button", name="Pause")).to_be_visible()


async def test_the_inside_is_that_of_the_side_in_which_something_is_chosen(window: Open) -> None:
    async with films(window, BOTH) as tab:
        second = tab.get_by_role("region", name="One message")
        await second.get_by_text("Yes? What is it?").click()
        await expect(second.get_by_role("button", name="Look inside")).to_have_attribute("aria-pressed", "true")
        assert await tab.evaluate("inside.selected.at(-1)") == {"kind": "message", "id": "2"}
        assert await tab.evaluate("inside.shown.at(-1).channel") == "10"

        await tab.evaluate("inside.onSelect({ kind: 'message', id: '1' }); inside.onSeek(1)")

        await expect(second.locator(".is-selected")).to_have_attribute("data-id", "1")
        await expect(second.locator(".message")).to_have_count(1)
        await tab.get_by_role("region", name="Two messages").get_by_role("button", name="Look inside").click()
        await expect(tab.locator(".is-selected")).to_have_count(0)


async def test_a_film_can_be_shared_where_that_is_wanted(window: Open) -> None:
    async with films(window, {"films": [ONE]}) as tab:
        await tab.get_by_role("button", name="Save as a page").click()
        assert await tab.evaluate("shared") == 1
        await expect(tab.locator(".side-head")).to_be_hidden()


async def test_films_stand_one_below_the_other_on_a_phone_with_the_player_in_sight(window: Open) -> None:
    async with films(window, BOTH, size=(320, PHONE[1]), locale="ja-JP", touch=True) as tab:
        boxes = [await side.bounding_box() for side in await tab.locator(".side").all()]
        assert boxes[0]
        assert boxes[1]
        assert boxes[1]["y"] >= boxes[0]["y"] + boxes[0]["height"]
        await expect(tab.get_by_role("button", name="もう一度再生")).to_be_in_viewport()
        await expect(tab.locator(".caption")).to_have_text("返事が来ます")
        assert await tab.evaluate("document.documentElement.scrollWidth") == 320


async def test_a_live_player_goes_along_until_somebody_looks_back(window: Open) -> None:
    script = """
    async () => {
      const { Player } = await import("cadenza/player.js");
      const times = [];
      const root = document.createElement("div");
      const player = new Player(root, { isLive: true, onTime: (time) => times.push(time) });
      player.seconds = 3;
      player.seconds = 7;
      const live = root.querySelector(".player-live");
      const states = [live.getAttribute("aria-pressed")];
      player.seek(2);
      player.seconds = 9;
      states.push(live.getAttribute("aria-pressed"));
      live.click();
      states.push(live.getAttribute("aria-pressed"));
      player.seconds = 11;
      return { times, states };
    }
    """
    async with films(window, {"films": [ONE]}) as tab:
        found = await tab.evaluate(script)

    assert found == {"times": [3, 7, 2, 9, 11], "states": ["true", "false", "true"]}


async def test_whoever_writes_somewhere_does_not_move_the_clock(window: Open) -> None:
    script = """
    () => {
      const field = document.createElement("input");
      document.querySelector(".film-inside").append(field);
      field.focus();
    }
    """
    async with films(window, BOTH) as tab:
        await tab.evaluate(script)
        await tab.keyboard.type("a, b.")
        await tab.keyboard.press("ArrowLeft")
        assert await tab.evaluate("[view.player.time, document.activeElement.value]") == [5, "a, b."]


async def test_films_that_were_closed_leave_nothing_behind_and_answer_no_key(window: Open) -> None:
    script = """
    async (given) => {
      const { FilmView } = await import("cadenza/film_view.js");
      const { setLanguage } = await import("cadenza/words.js");
      view.close();
      let held = 0;
      const [add, remove] = [EventTarget.prototype.addEventListener, EventTarget.prototype.removeEventListener];
      const root = document.querySelector("main");
      const isOutside = (target) => !(target instanceof Node) || [root, document, document.documentElement].includes(target);
      EventTarget.prototype.addEventListener = function (...about) { held += isOutside(this); return add.apply(this, about); };
      EventTarget.prototype.removeEventListener = function (...about) { held -= isOutside(this); return remove.apply(this, about); };
      const gone = [];
      for (let n = 0; n < 50; n += 1) {
        const film = new FilmView(root, given);
        film.player.play();
        gone.push(film.player.clock);
        film.close();
      }
      const words = gone.map((clock) => clock.textContent).join();
      setLanguage("ja", { isKept: false });
      const last = new FilmView(root, { ...given, isPlaying: false });
      last.player.slider.focus();
      last.player.slider.dispatchEvent(new KeyboardEvent("keydown", { key: ",", bubbles: true, cancelable: true }));
      const time = last.player.time;
      last.close();
      return { held, time, children: root.childElementCount, isSilent: words === gone.map((clock) => clock.textContent).join() };
    }
    """
    async with films(window, BOTH, is_inside_real=True) as tab:
        found = await tab.evaluate(script, BOTH)

    assert found == {"held": 0, "time": 4, "children": 0, "isSilent": True}


async def test_a_token_of_a_film_leads_to_the_message_it_went_to(window: Open) -> None:
    records = [
        at(0, "fact", turn="t", fact="reply_began", about={"channel": "10", "persona": "Ren"}),
        at(1, "tokens", turn="t", sort="text", text="Yes? No.", lengths=[4, 4], times=[0, 0.1]),
        *({**record, "at": 2} for record in ONE["records"] if record["kind"] == "message"),
        at(3, "story", turn="t", message="2", story={"number": 1, "raw": [[0, 4]]}),
        at(3, "story", turn="t", message="3", story={"number": 2, "raw": [[4, 8]]}),
    ]
    async with films(window, {"films": [film(*records, seconds=5.0)]}, is_inside_real=True) as tab:
        await tab.locator(".strip-text .tok").last.click()
        await expect(tab.locator(".message.is-marked")).to_have_attribute("data-id", "3")


async def test_whoever_has_something_inside_is_looked_into_first_and_nobody_types_for_ever(window: Open) -> None:
    typing = at(4.9, "typing", channel="10", who={"id": "2", "name": "Ren", "avatar": None})
    ours = film(*TWO["records"], at(3, "fact", turn="t", fact="reply_began", about={}), typing, seconds=5.0)
    async with films(window, {**BOTH, "films": [ONE, ours]}) as tab:
        look = tab.get_by_role("button", name="Look inside")
        assert ["false", "true"] == [await one.get_attribute("aria-pressed") for one in await look.all()]
        await expect(tab.locator(".side").nth(1)).not_to_contain_text("is typing")
        await tab.evaluate("view.player.seek(4.95)")
        await expect(tab.locator(".side").nth(1)).to_contain_text("is typing")
