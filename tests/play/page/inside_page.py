"""A page that holds nothing but the inside of replies, and notes what it tells."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from playwright.async_api import Page

from tests.browsing import Open
from tests.play.page import inside_films as films
from tests.play.page.serving import html_of, serving

_SCRIPT = """
import { InsideView } from "cadenza/inside.js";
import { Reel } from "cadenza/film.js";
import { setLanguage } from "cadenza/words.js";
import * as packing from "cadenza/packing.js";
import * as difference from "cadenza/difference.js";
import * as rawText from "cadenza/raw_text.js";
import * as turns from "cadenza/turns.js";
import * as words from "cadenza/words_inside.js";

const told = [];
function begin() {
  window.view?.close();
  document.getElementById("root").replaceChildren();
  setLanguage(navigator.language.slice(0, 2), { isKept: false });
  told.length = 0;
  scrollTo(0, 0);
  window.view = new InsideView(document.getElementById("root"), {
    onSelect: (selection) => told.push(["select", selection]),
    onSeek: (time) => told.push(["seek", Math.round(time * 100) / 100]),
  });
}
begin();
Object.assign(window, { begin, told, Reel, setLanguage, difference, packing, rawText, turns, words, isReady: true });
"""


@asynccontextmanager
async def inside(window: Open, **options: Any) -> AsyncIterator[Page]:
    """A window with an inside in it that shows nothing yet; without *options* it is always the same window."""
    kept = window.kept
    if not options and "inside" in kept:
        await kept["inside"].mouse.move(0, 0)
        await kept["inside"].evaluate("begin()")
        yield kept["inside"]
        return
    html = html_of(styles=("base.css", "inside.css"), body='<main id="root"></main>')
    async with serving(window.addresses, html, {"/test.js": _SCRIPT}) as url:
        page = await window(url, **options or {"keep_as": "inside"})
        await page.wait_for_function("window.isReady")
        yield page


async def show(page: Page, time: float, records: list[films.Record] | None = None) -> None:
    """Show a film at *time*; without *records*, the one that is shown already."""
    if records is not None:
        film = json.dumps({"records": records})  # as one text, for Playwright takes seconds for many small values
        await page.evaluate("film => { window.reel = new Reel(JSON.parse(film)); }", film)
    await page.evaluate("([channel, time]) => view.show(reel, { channel, time })", [films.CHANNEL, time])
