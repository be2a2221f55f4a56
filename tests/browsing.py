"""A real browser for tests of the page: the Chromium of this machine, driven by Playwright.

One browser serves all tests of a process, and each test has a window of its own. A window costs as much as a page does,
so the next test takes it over, emptied: nothing stored, and nothing of the page before. These tests
run in one event loop: ``pytestmark = pytest.mark.asyncio(loop_scope="session")``.

A window that asks anything of any machine but this one, or in which something goes wrong unnoticed, fails its test.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import Browser, ConsoleMessage, Locator, Page, Request, async_playwright, expect

from tests.staying import Addresses

ROOT = Path(__file__).parent.parent
SCREENSHOTS = ROOT / "screenshots"
"""Where pictures of the page go that the tests make, for people to look at; git knows nothing of it."""
SHOWN = ROOT / "docs" / "screenshots"
"""Where those are that the documentation shows; ``REWRITE_DOCS=1`` makes them anew."""
DESKTOP, PHONE = (1280, 800), (390, 844)
MISSING = "the page in a browser, for there is no Chromium; install it with: sudo apt-get install chromium"
_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_PATIENCE = 30_000
"""Milliseconds in which a page does what is expected of it, also on a machine that has much to do."""
_LARGEST = 250_000
"""Bytes of a picture in the documentation."""
_FORGET = "localStorage.clear(); sessionStorage.clear(); Storage.prototype.setItem = () => {};"
"""A page may write down what it has until it is left; the next test is at the same address, and must not find that."""
_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]
"""Playwright's own keep it from updating itself and the like; nor does it look for any other machine."""
_HELD = ("Shift", "Control", "Alt", "Meta")
"""Keys that a test which failed may not have let go of."""
_HARMLESS = ("data", "blob", "about", "file")

Colours = Literal["light", "dark"]

Snap = Callable[..., Awaitable[None]]
"""Takes a picture: ``await snap(page)``, or ``await snap(page, docs="lab")`` for one that the documentation shows."""


def chromium() -> str | None:
    """Where the browser is; ``None`` if there is none."""
    names = (os.environ.get("CHROMIUM", ""), *_NAMES)
    return next((path for name in names if (path := shutil.which(name))), None)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser | None]:
    """The browser; ``None`` where there is none."""
    path = chromium()
    if path is None:
        yield None
        return
    async with async_playwright() as playwright:
        expect.set_options(timeout=_PATIENCE)
        found = await playwright.chromium.launch(executable_path=path, args=_FLAGS)
        yield found
        await found.close()


class _Watch:
    """Notes what a window does that it should not."""

    def __init__(self, page: Page) -> None:
        self.faults: list[str] = []
        page.on("console", self._told)
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("request", self._asked)

    def _told(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.faults.append(f"{message.type}: {message.text}")

    def _asked(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme not in _HARMLESS and address.hostname not in ("127.0.0.1", "localhost"):
            self.faults.append(f"asked {address.hostname}")


class Open:
    """Opens windows: ``await window(url, size=PHONE, locale="ja-JP", colours="dark")``."""

    def __init__(self, browser: Browser, addresses: Addresses) -> None:
        self.addresses = addresses
        """Where a page may be that is opened."""
        self.kept: dict[str, Page] = {}
        """Windows that stay open from test to test, by what is in them: whoever uses one begins anew in it."""
        self._browser = browser
        self._free: dict[tuple[object, ...], list[Page]] = {}
        self._opened: list[tuple[list[Page] | None, Page]] = []

    async def __call__(
        self,
        url: str = "about:blank",
        *,
        size: tuple[int, int] = DESKTOP,
        locale: str = "en-GB",
        colours: Colours = "light",
        touch: bool = False,
        keep_as: str = "",
        alone: bool = False,
    ) -> Page:
        """A window that shows *url*: one that a test before has left, unless it is to be *alone*, or to be kept."""
        free = None if alone or keep_as else self._free.setdefault((locale, touch), [])
        page = free.pop() if free else await _new_window(self._browser, locale=locale, touch=touch)
        self._opened.append((free, page))
        await page.set_viewport_size({"width": size[0], "height": size[1]})
        await page.emulate_media(color_scheme=colours, reduced_motion="reduce")
        await page.goto(url)
        if keep_as:
            self._opened.remove((free, page))
            self.kept[keep_as] = page
        return page

    async def leave(self) -> list[str]:
        """Have nothing of a test in any window; what went wrong in them."""
        faults: list[str] = []
        while self._opened:
            free, page = self._opened.pop()
            is_reusable = free is not None and not page.is_closed() and await _empty(page)
            if is_reusable and not page.faults:  # type: ignore[attr-defined]  # see below
                free.append(page)
            else:
                await page.context.close()
            faults += page.faults  # type: ignore[attr-defined]  # see below
        for page in self.kept.values():
            faults += page.faults  # type: ignore[attr-defined]  # see below
            page.faults.clear()  # type: ignore[attr-defined]  # see below
        return faults


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def addresses() -> AsyncIterator[Addresses]:
    """Addresses at which one test after another answers."""
    made = Addresses()
    yield made
    await made.close()


@pytest.fixture(scope="session")
def windows(browser: Browser | None, addresses: Addresses) -> Open | None:
    """All windows of a process; ``None`` where there is no browser."""
    return None if browser is None else Open(browser, addresses)


@pytest_asyncio.fixture(loop_scope="session")
async def window(windows: Open | None, not_tested: Callable[[str], None]) -> AsyncIterator[Open]:
    """Open a window of its own. At the end nothing must have gone wrong in it; ``page.faults`` is what did so far."""
    if windows is None:
        not_tested(MISSING)
        pytest.skip(MISSING)
    yield windows
    faults = await windows.leave()
    assert faults == [], faults  # here pytest would not say by itself what there was


async def _new_window(browser: Browser, *, locale: str, touch: bool) -> Page:
    context = await browser.new_context(locale=locale, has_touch=touch)
    page = await context.new_page()
    page.set_default_timeout(_PATIENCE)
    page.faults = _Watch(page).faults  # type: ignore[attr-defined]  # a test may expect one, and take it out
    return page


async def _empty(page: Page) -> bool:
    """Leave nothing of a test in its window; say whether that could be done."""
    if len(page.context.pages) > 1:
        return False
    if page.url.startswith(("http", "file")):
        await page.evaluate(_FORGET)
    await page.goto("about:blank")
    await page.mouse.move(0, 0)
    await page.mouse.up()
    for key in _HELD:
        await page.keyboard.up(key)
    await page.context.clear_permissions()
    return True


@pytest.fixture
def snap(request: pytest.FixtureRequest) -> Snap:
    """Take a picture of a window; it is called as the test is, or as the documentation calls it."""

    async def take(page: Page | Locator, *, docs: str = "") -> None:
        name = re.sub(r"\W+", "_", docs or request.node.name.removeprefix("test_")).strip("_")
        SCREENSHOTS.mkdir(exist_ok=True)
        taken = await page.screenshot(path=SCREENSHOTS / f"{name}.png")
        if docs and os.environ.get("REWRITE_DOCS"):
            assert len(taken) < _LARGEST
            SHOWN.mkdir(exist_ok=True)
            (SHOWN / f"{docs}.png").write_bytes(taken)

    return take
