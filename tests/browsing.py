"""A real browser for tests of the page: the Chromium of this machine, driven by Playwright.

One browser serves all tests of a process, and each test has a window of its own. A window costs as much as a page does,
so the next test takes it over, emptied: another address, nothing stored, and nothing of the page before. These tests
run in one event loop: ``pytestmark = pytest.mark.asyncio(loop_scope="session")``.

A window that asks anything of any machine but this one, or in which something goes wrong unnoticed, fails its test.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import Browser, ConsoleMessage, Page, Request, async_playwright, expect

ROOT = Path(__file__).parent.parent
SCREENSHOTS = ROOT / "screenshots"
"""Where pictures of the page go that the tests make, for people to look at; git knows nothing of it."""
SHOWN = ROOT / "docs" / "screenshots"
"""Where those are that the documentation shows; ``REWRITE_DOCS=1`` makes them anew."""
DESKTOP, PHONE = (1280, 800), (390, 844)
MISSING = "the page in a browser, for there is no Chromium; install it with: sudo apt-get install chromium"
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_PATIENCE = 20_000
"""Milliseconds in which a page does what is expected of it, also on a machine that has much to do."""
_LARGEST = 250_000
"""Bytes of a picture in the documentation."""
_HARMLESS = ("data", "blob", "about", "file")

Open = Callable[..., Awaitable[Page]]
"""Opens a window: ``await window(url, size=PHONE, locale="ja-JP", colours="dark")``."""

Snap = Callable[..., Awaitable[None]]
"""Takes a picture: ``await snap(page)``, or ``await snap(page, docs="lab")`` for one that the documentation shows."""


def chromium() -> str | None:
    """Where the browser is; ``None`` if there is none."""
    named = os.environ.get("CHROMIUM")
    return named or next((path for name in _NAMES if (path := shutil.which(name))), None)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser | None]:
    """The browser; ``None`` where there is none."""
    path = chromium()
    if path is None:
        yield None
        return
    async with async_playwright() as playwright:
        expect.set_options(timeout=_PATIENCE)
        found = await playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
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


@pytest.fixture(scope="session")
def kept_windows() -> dict[str, Page]:
    """Windows that stay open from test to test, by what is in them: whoever uses one begins anew in it."""
    return {}


@pytest.fixture(scope="session")
def free_windows() -> dict[tuple[object, ...], list[Page]]:
    """Windows that were emptied, by how they were opened."""
    return {}


@pytest_asyncio.fixture(loop_scope="session")
async def window(
    browser: Browser | None,
    not_tested: Callable[[str], None],
    kept_windows: dict[str, Page],
    free_windows: dict[tuple[object, ...], list[Page]],
) -> AsyncIterator[Open]:
    """Open a window of its own. At the end nothing must have gone wrong in it; ``page.faults`` is what did so far."""
    if browser is None:
        not_tested(MISSING)
        pytest.skip(MISSING)
    opened: list[tuple[tuple[object, ...], Page]] = []

    async def open_(
        url: str = "about:blank",
        *,
        size: tuple[int, int] = DESKTOP,
        locale: str = "en-GB",
        colours: str = "light",
        touch: bool = False,
        keep_as: str = "",
        alone: bool = False,
    ) -> Page:
        how = (size, locale, colours, touch)
        free = [] if alone or keep_as else free_windows.setdefault(how, [])
        page = free.pop() if free else await _new_window(browser, *how)
        if keep_as:
            kept_windows[keep_as] = page
        else:
            opened.append((() if alone else how, page))
        await page.goto(url)
        return page

    open_.kept = kept_windows  # type: ignore[attr-defined]  # for whoever has no need of a window of its own
    yield open_
    faults: list[str] = []
    for how, page in opened:
        is_reusable = bool(how) and not page.is_closed() and await _empty(page, colours=str(how[2]))
        faults += page.faults  # type: ignore[attr-defined]  # see below
        if is_reusable and not page.faults:  # type: ignore[attr-defined]  # see below
            free_windows[how].append(page)
        else:
            await page.context.close()
    for page in kept_windows.values():
        faults += [fault for fault in page.faults if fault not in faults]  # type: ignore[attr-defined]  # see below
        page.faults.clear()  # type: ignore[attr-defined]  # see below
    assert faults == []


async def _new_window(browser: Browser, size: tuple[int, int], locale: str, colours: str, touch: bool) -> Page:  # noqa: FBT001  # as a window is opened
    context = await browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        locale=locale,
        color_scheme=colours,
        reduced_motion="reduce",
        has_touch=touch,
    )
    page = await context.new_page()
    page.set_default_timeout(_PATIENCE)
    page.faults = _Watch(page).faults  # type: ignore[attr-defined]  # a test may expect one, and take it out
    return page


async def _empty(page: Page, *, colours: str) -> bool:
    """Leave nothing of a test in its window; say whether that could be done."""
    if len(page.context.pages) > 1:
        return False
    if page.url.startswith("http"):
        await page.evaluate("localStorage.clear(); sessionStorage.clear();")
    await page.goto("about:blank")
    await page.mouse.move(0, 0)
    await page.context.clear_permissions()
    await page.emulate_media(color_scheme=colours, reduced_motion="reduce")
    return True


@pytest.fixture
def snap(request: pytest.FixtureRequest) -> Snap:
    """Take a picture of a window; it is called as the test is, or as the documentation calls it."""

    async def take(page: Page, *, docs: str = "") -> None:
        name = re.sub(r"\W+", "_", docs or request.node.name.removeprefix("test_")).strip("_")
        SCREENSHOTS.mkdir(exist_ok=True)
        taken = await page.screenshot(path=SCREENSHOTS / f"{name}.png")
        if docs and os.environ.get("REWRITE_DOCS"):
            assert len(taken) < _LARGEST
            SHOWN.mkdir(exist_ok=True)
            (SHOWN / f"{docs}.png").write_bytes(taken)

    return take
