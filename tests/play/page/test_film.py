"""``film.js``: records become what is seen at any time."""

from __future__ import annotations

from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Page

from tests.browsing import Open
from tests.play.page.samples import CHANNEL, MIA, REN, at, film, said
from tests.play.page.serving import html_of, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")

LOOK = """
async ([film, times]) => {
  const { Reel } = await import("cadenza/film.js");
  const reel = new Reel(film);
  return times.map((time) => {
    const state = reel.stateAt(time);
    return {
      messages: (state.messages.get("10") ?? []).map((message) => [message.id, message.content]),
      typing: (state.typing.get("10") ?? []).map((person) => person.name),
    };
  });
}
"""


@pytest_asyncio.fixture(loop_scope="session")
async def tab(window: Open) -> Page:
    """The same for all, for nothing stays in it."""
    kept = window.kept
    if "films" not in kept:
        async with serving(window.addresses, html_of("/page/film.js")) as url:
            await window(url, keep_as="films")
    return kept["films"]


async def _seen(tab: Page, whole: Any, *times: float) -> list[Any]:
    found: list[Any] = await tab.evaluate(LOOK, [whole, list(times)])
    return found


async def test_messages_come_change_and_go_at_their_times_also_backwards(tab: Page) -> None:
    whole = film(
        at(1, "message", message=said("1", "one")),
        at(2, "message", message=said("2", "two")),
        at(3, "changed", message=said("1", "one!")),
        at(4, "deleted", channel=CHANNEL, id="2"),
    )

    seen = await _seen(tab, whole, 0.5, 4, 3, 2.5, 1, 2, 9)

    assert [row["messages"] for row in seen] == [
        [],
        [["1", "one!"]],
        [["1", "one!"], ["2", "two"]],
        [["1", "one"], ["2", "two"]],
        [["1", "one"]],
        [["1", "one"], ["2", "two"]],
        [["1", "one!"]],
    ]


async def test_somebody_types_for_ten_seconds_or_until_they_have_said_it(tab: Page) -> None:
    ren = {"id": REN["id"], "name": "Ren"}
    whole = film(
        at(0, "typing", channel=CHANNEL, who=ren),
        at(1, "typing", channel=CHANNEL, who={"id": MIA["id"], "name": "Mia"}),
        at(2, "message", message=said("1", "hi", author=REN)),
        at(20, "typing", channel=CHANNEL, who=ren),
        at(25, "typing", channel=CHANNEL, who=ren),
    )

    seen = await _seen(tab, whole, 0, 1.5, 2, 10.9, 11, 29.9, 34.9, 35)

    assert [row["typing"] for row in seen] == [["Ren"], ["Ren", "Mia"], ["Mia"], ["Mia"], [], ["Ren"], ["Ren"], []]


async def test_rubbish_and_what_is_not_known_is_passed_over(tab: Page) -> None:
    rubbish: list[Any] = [
        None, 1, "x", [], {}, {"kind": 5}, {"kind": "message"}, {"kind": "message", "at": 0, "message": {"id": 7}},
        {"kind": "changed", "at": 0, "message": {"id": "8", "channel": CHANNEL}}, {"kind": "deleted", "at": 0},
        {"kind": "typing", "at": 0}, {"kind": "typing", "at": 0, "channel": CHANNEL, "who": 3}, {"kind": "channel"},
        {"kind": "person", "person": None}, {"kind": "form"}, {"kind": "note"}, {"kind": "teleport", "at": 1},
        {"kind": "constructor", "at": 1}, {"kind": "__proto__", "at": 1}, {"kind": "tokens", "at": "x", "times": ["y"]},
    ]  # fmt: skip
    whole = {"records": [*rubbish, {"kind": "message", "at": 1, "message": {"id": "1", "channel": CHANNEL}}]}

    seen = await _seen(tab, whole, 0, 1, float(10**9))

    assert [row["messages"] for row in seen] == [[], [["1", ""]], [["1", ""]]]


async def test_a_film_goes_on_until_its_last_token_has_come(tab: Page) -> None:
    whole = film(at(1, "tokens", turn="t", sort="text", text="ab", lengths=[1, 1], times=[0.0, 3.5]))

    seconds = await tab.evaluate('async (film) => new (await import("cadenza/film.js")).Reel(film).seconds', whole)

    assert seconds == 4.5


async def test_what_was_handed_out_is_never_changed_and_what_is_the_same_is_the_same_object(tab: Page) -> None:
    script = """
    async (records) => {
      const { Reel } = await import("cadenza/film.js");
      const reel = new Reel();
      reel.add(records[0]);
      const first = reel.stateAt(5);
      const same = reel.stateAt(6);
      reel.add(records[1]);
      const second = reel.stateAt(7);
      const list = (state) => state.messages.get("10");
      return [list(first).length, list(first) === list(same), list(second).length, list(second)[0] === list(first)[0]];
    }
    """

    found = await tab.evaluate(script, [at(1, "message", message=said("1")), at(2, "message", message=said("2"))])

    assert found == [1, True, 2, True]


async def test_a_long_film_is_the_same_wherever_one_comes_from_and_scrubbing_it_is_quick(tab: Page) -> None:
    script = """
    async () => {
      const { Reel } = await import("cadenza/film.js");
      const message = (id) => ({ id: String(id), channel: "10", author: { id: "1", name: "Mia" }, content: String(id) });
      const records = [];
      for (let n = 0; n < 50000; n += 1) {
        const kind = n % 10 === 0 ? "message" : n % 10 === 5 ? "typing" : "fact";
        records.push({ at: n, kind, channel: "10", who: { id: "2", name: "Ren" }, message: message(n) });
        if (n % 1000 === 500) records.push({ at: n, kind: "deleted", channel: "10", id: String(n - 100) });
      }
      const reel = new Reel({ records });
      const ids = (state) => (state.messages.get("10") ?? []).map((m) => m.id).join();
      reel.stateAt(50000);
      const times = Array.from({ length: 60 }, (_, n) => (n * 7919) % 50000);
      const costs = [];
      const jumped = times.map((time) => {
        const begun = performance.now();
        const state = reel.stateAt(time);
        costs.push(performance.now() - begun);
        return state;
      });
      const wholes = [];
      const isSame = times.every((time, n) => {
        if (n % 12 !== 0) return true;
        const begun = performance.now();
        const state = new Reel({ records }).stateAt(time);
        wholes.push(performance.now() - begun);
        return ids(state) === ids(jumped[n]);
      });
      const median = (all) => all.sort((one, other) => one - other)[all.length >> 1];
      return { cost: median(costs), whole: median(wholes), isSame };
    }
    """

    found = await tab.evaluate(script)

    assert found["isSame"]
    assert found["cost"] < found["whole"] / 4, "nobody goes through all of it for a moment of it"


async def test_a_reel_with_too_much_in_it_drops_whole_replies_and_what_stays_is_the_same(tab: Page) -> None:
    script = """
    async () => {
      const { Reel } = await import("cadenza/film.js");
      const reel = new Reel({ most: 1000 });
      reel.add({ at: 0, kind: "channel", channel: { id: "10", name: "general" } });
      const message = (n) => ({ id: String(n), channel: "10", author: { id: "1", name: "Mia" }, content: String(n) });
      const seen = { most: 0, drops: [], isSame: true };
      const begins = {};
      let before = [];
      for (let n = 1; n <= 5000; n += 1) {
        const turn = n < 4000 ? `t${Math.floor(n / 30)}` : "endless";
        reel.add(n % 5 ? { at: n, kind: "fact", turn, fact: "chunk_heard" } : { at: n, kind: "message", message: message(n) });
        if (n % 5) begins[turn] ??= n;
        const now = reel.stateAt(n).messages.get("10") ?? [];
        seen.isSame &&= now.every((one) => before.includes(one) || one.id === String(n));
        before = now;
        seen.most = Math.max(seen.most, reel.records.length);
        if (reel.drops === seen.drops.length) continue;
        const first = reel.records.find((one) => one.turn);
        seen.drops.push(first.at === begins[first.turn] || first.turn === "endless");
      }
      const turns = [...new Set(reel.records.map((one) => one.turn).filter(Boolean))];
      const state = reel.stateAt(reel.seconds);
      return {
        ...seen, turns, name: state.channels.get("10").name, last: before.at(-1).id,
        back: reel.stateAt(4500).messages.get("10").at(-1).id, seconds: reel.seconds, count: before.length,
      };
    }
    """

    found = await tab.evaluate(script)

    assert found["isSame"], "what is shown already is not made anew"
    assert found["most"] <= 1000
    assert found["drops"] == [True] * found["drops"].count(True)
    assert len(found["drops"]) > 15
    assert (found["turns"], found["name"], found["last"], found["back"], found["seconds"]) == (
        ["endless"], "general", "5000", "4500", 5000,
    )  # fmt: skip
    assert found["count"] <= 200
