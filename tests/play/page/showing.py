"""A channel or a film in a window of its own, for tests."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from playwright.async_api import Page

from tests.browsing import Open
from tests.play.page.serving import INSIDE, html_of, serving

_CHANNEL = """
import { ChannelView } from "cadenza/channel.js";
import { Reel } from "cadenza/film.js";
import { setLanguage } from "cadenza/words.js";

const { film, actions } = await (await fetch("/given.js")).json();
const told = [];
const note = (name) => (...values) => told.push([name, ...values.map((value) => value?.id ?? value)]);
const given = actions && { ...Object.fromEntries(actions.map((name) => [name, note(name)])), menus: ["Remember this"] };
const reel = new Reel(film);
const root = document.querySelector("main");
root.style.height = "100vh";
const view = new ChannelView(root, { label: "general", me: "1", onSelect: note("select"), actions: given });
const show = (time = reel.seconds) => view.show(reel.stateAt(time), "10");
show();
Object.assign(globalThis, { reel, view, show, told, setLanguage });
document.body.dataset.ready = "";
"""
_FILM = """
import { FilmView } from "cadenza/film_view.js";

const given = await (await fetch("/given.js")).json();
const root = document.querySelector("main");
if (innerWidth > 640) root.style.height = "100vh";
globalThis.shared = 0;
globalThis.view = new FilmView(root, { ...given, onShare: () => { globalThis.shared += 1; } });
document.body.dataset.ready = "";
"""
ACTIONS = ("reply", "react", "edit", "remove", "press", "choose", "menu")


@asynccontextmanager
async def channel(window: Open, film: Mapping[str, Any], *, is_live: bool = False, **how: Any) -> AsyncIterator[Page]:
    """The channel of *film* at its end; ``show(time)``, ``view``, ``reel`` and ``told`` are there for scripts."""
    given = json.dumps({"film": film, "actions": ACTIONS if is_live else None})
    async with serving(
        window.addresses, html_of(body="<main></main>"), {"/test.js": _CHANNEL, "/given.js": given}
    ) as url:
        tab = await window(url, **how)
        await tab.locator("body[data-ready]").wait_for()  # what waits for a function would evaluate a text
        yield tab


@asynccontextmanager
async def films(
    window: Open, given: Mapping[str, Any], *, is_inside_real: bool = False, **how: Any
) -> AsyncIterator[Page]:
    """What ``FilmView`` makes of *given*; ``view`` and ``inside``, which stands in for the real one, are for scripts."""
    served = {"/test.js": _FILM, "/given.js": json.dumps(given)} | (
        {} if is_inside_real else {"/page/inside.js": INSIDE}
    )
    async with serving(window.addresses, html_of(body="<main></main>"), served) as url:
        tab = await window(url, **how)
        await tab.locator("body[data-ready]").wait_for()  # what waits for a function would evaluate a text
        yield tab
