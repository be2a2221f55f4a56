"""A page that holds nothing but the inside of replies, and notes what it tells."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from playwright.async_api import Page

from tests.browsing import Open
from tests.page import inside_films as films
from tests.page.serving import html_of, serving

_SCRIPT = """
import { InsideView } from "cadenza/inside.js";
import { Reel } from "cadenza/film.js";
import { setLanguage } from "cadenza/words.js";
import * as difference from "cadenza/difference.js";
import * as rawText from "cadenza/raw_text.js";
import * as turns from "cadenza/turns.js";
import * as words from "cadenza/words_inside.js";

const told = [];
const view = new InsideView(document.getElementById("root"), {
  onSelect: (selection) => told.push(["select", selection]),
  onSeek: (time) => told.push(["seek", Math.round(time * 100) / 100]),
});
Object.assign(window, { view, told, Reel, setLanguage, difference, rawText, turns, words, isReady: true });
"""


@asynccontextmanager
async def inside(window: Open, **options: Any) -> AsyncIterator[Page]:
    """A window with an inside in it that shows nothing yet."""
    html = html_of(styles=("base.css", "inside.css"), body='<main id="root"></main>')
    async with serving(html, {"/test.js": _SCRIPT}) as url:
        page = await window(url, **options)
        await page.wait_for_function("window.isReady")
        yield page


async def show(page: Page, time: float, records: list[films.Record] | None = None) -> None:
    """Show a film at *time*; without *records*, the one that is shown already."""
    if records is not None:
        film = json.dumps({"records": records})  # as one text, for Playwright takes seconds for many small values
        await page.evaluate("film => { window.reel = new Reel(JSON.parse(film)); }", film)
    await page.evaluate("([channel, time]) => view.show(reel, { channel, time })", [films.CHANNEL, time])
