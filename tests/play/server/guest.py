"""Somebody at the page of a real playground, for tests that show what one can do there."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest_asyncio
from playwright.async_api import Locator, Page, expect

from cadenza.play.server.demos import SHOWS
from tests.browsing import Open
from tests.play.server.playing import Play, playing


def asking(name: str, language: str = "en") -> str:
    """What to say so that the guide shows this."""
    return next(show.asks[language] for show in SHOWS if show.name == name)


def said(name: str, language: str = "en") -> str:
    """What the guide says then."""
    show = next(show for show in SHOWS if show.name == name)
    return "".join(one for one in show.said[language] if isinstance(one, str))


def lines(name: str, language: str = "en") -> list[str]:
    """What the guide says then, line by line."""
    return [line for line in said(name, language).splitlines() if line]


def said_so_far(name: str, messages: list[str]) -> bool:
    """Whether *messages* are what the guide says then, from the beginning on, each line of it whole."""
    told = "\n".join(messages).split("\n")
    return lines(name)[: len(told)] == told


@pytest_asyncio.fixture(loop_scope="session")
async def play() -> AsyncIterator[Play]:
    """A playground whose guide can be held up. Asked for before the window, so that the window is gone before it: else the page would miss it."""
    async with playing(gated=True) as play:
        yield play


@dataclass(frozen=True, slots=True)
class Guest:
    """Somebody before a window."""

    play: Play
    page: Page

    @property
    def field(self) -> Locator:
        """Where one writes."""
        return self.page.locator("#composer")

    @property
    def messages(self) -> Locator:
        """The messages of the channel that is open."""
        return self.page.get_by_role("log").get_by_role("article")

    @property
    def contents(self) -> Locator:
        """What is said in them."""
        return self.messages.locator(".content")

    @property
    def panel(self) -> Locator:
        """The tab beside the channel."""
        return self.page.get_by_role("tabpanel")

    @property
    def tokens(self) -> Locator:
        """The tokens of the model."""
        return self.panel.get_by_role("listbox", name=re.compile("token by token")).get_by_role("option")

    async def say(self, text: str) -> None:
        """Write something, and send it."""
        await self.field.fill(text)
        await self.field.press("Enter")

    async def hear(self, text: str, count: int, channel: str = "") -> None:
        """Say something, and wait until the answer, of so many messages, is there and over."""
        place = channel or self.play.general
        before = len(self.play.world.messages(place))
        await expect(self.messages).to_have_count(before)
        await self.say(text)
        # The world tells at once when it has them; whoever only looks at the page looks ever more seldom.
        await self.play.until(lambda: len(self.play.world.messages(place)) >= before + 1 + count)
        await self.play.quiet(channel)
        await expect(self.messages).to_have_count(before + 1 + count)

    async def listen(self, text: str, after: str) -> None:
        """Say something in #general, and wait until the guide is held in its answer, and all of *after* is seen."""
        before, told = len(self.play.world.messages(self.play.general)), after.splitlines()
        await expect(self.messages).to_have_count(before)
        self.play.gate.hold_after(after)
        await self.say(text)
        await self.play.gate.holds()
        await expect(self.messages.nth(before + len(told)).locator(".content")).to_have_text(told[-1])

    async def open(self, tab: str) -> None:
        """Open a tab of the panel."""
        await self.page.get_by_role("tab", name=tab).click()

    async def enter(self, channel: str) -> None:
        """Go to a channel."""
        await self.page.get_by_role("list", name="Channels").get_by_role("button", name=channel).click()

    async def count(self, what: str) -> int:
        """One of the numbers of the reply that is looked at."""
        return int(await self.panel.locator("dl > div", has_text=what).locator("dd").inner_text())


async def arrives(play: Play, window: Open, **about: object) -> Guest:
    """Somebody opens the page."""
    guest = Guest(play, await window(play.url, **about))
    await guest.field.wait_for()
    return guest
