"""Slash commands in a real browser: what is offered while one is typed, and what is sent."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.browsing import Open
from tests.play.page.standin import GENERAL, ME, Standin, first_state, standing_in
from tests.staying import Addresses

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(loop_scope="session")
async def server(addresses: Addresses) -> AsyncIterator[Standin]:
    """Asked for before the window, so that the window is gone before it: else the page would miss it, and say so."""
    async with standing_in(addresses) as standin:
        yield standin


def _offers(page: Page) -> list[str]:
    return page.get_by_role("listbox", name="Commands").get_by_role("option")


async def test_a_command_is_found_chosen_filled_in_and_sent_by_keyboard(server: Standin, window: Open) -> None:
    page = await window(server.url)
    field = page.locator("#composer")

    await field.press_sequentially("/per")
    await expect(_offers(page).locator(".command-name")).to_have_text(["/persona create", "/persona use"])
    await expect(field).to_have_role("textbox")  # a field of many lines must not be called a combobox
    await expect(field).to_have_attribute("aria-controls", "command-list")
    await field.press("ArrowDown")
    await expect(field).to_have_attribute("aria-activedescendant", "command-list-1")
    await field.press("ArrowUp")
    await field.press("Tab")
    await expect(field).to_have_value("/persona create name:")
    await field.press_sequentially("Ren")
    await field.press("Enter")
    await expect(page.get_by_role("alert")).to_have_text("/persona create still needs prompt:")
    await field.press("Tab")
    await expect(field).to_have_value("/persona create name:Ren prompt:")
    await field.press_sequentially("A shy astronomer: ")
    await expect(_offers(page).locator(".command-name")).to_have_text(["mood:", "shown:"])
    await field.press("Tab")
    await expect(_offers(page).locator(".command-name")).to_have_text(["Merry", "Grave"])
    await field.press_sequentially("gra")
    await field.press("Enter")
    await expect(field).to_have_value("/persona create name:Ren prompt:A shy astronomer: mood:Grave ")
    await field.press("Enter")
    said = await server.heard("/api/say")

    text = "/persona create name:Ren prompt:A shy astronomer: mood:Grave"
    assert said == [{"channel": GENERAL, "text": text, "who": ME}]
    assert await field.get_attribute("role") is None
    assert server.posted("type") == []


async def test_the_bot_is_asked_for_suggestions_and_escape_closes_the_list(server: Standin, window: Open) -> None:
    server.answers["suggest"] = (
        200,
        {"suggestions": [{"name": "Ren (shy)", "value": "Ren"}, {"name": "Mio", "value": "Mio"}]},
    )
    page = await window(server.url)
    field = page.locator("#composer")

    await field.fill("/persona use name:")
    await expect(_offers(page).locator(".command-name")).to_have_text(["Ren (shy)", "Mio"])
    await field.press("Escape")
    await expect(_offers(page)).to_have_count(0)
    await field.press_sequentially("R")
    await _offers(page).first.click()
    await expect(field).to_have_value("/persona use name:Ren ")
    await field.fill("/greet whom:")
    await expect(_offers(page).locator(".command-name")).to_have_text(["@You", "@Mia", "@Jo"])
    await page.get_by_role("listbox", name="Commands").focus()  # a long list is scrolled by whoever goes there
    await page.keyboard.press("ArrowDown")
    await expect(page.locator(":focus")).to_have_attribute("aria-activedescendant", "command-list-1")
    await page.keyboard.press("Enter")
    await expect(field).to_be_focused()
    await expect(field).to_have_value("/greet whom:@Mia ")
    await field.fill("/stop")
    await field.press("Enter")
    said = await server.heard("/api/say")

    asked = {"act": "suggest", "channel": GENERAL, "command": "persona use", "option": "name", "others": {}}
    assert [{**asked, "text": ""}, {**asked, "text": "R"}] == server.posted("suggest")
    assert said[0]["text"] == "/stop"


LINES = {
    "words are no command": ("hello /stop", None),
    "two slashes are one that is said": ("//stop", None),
    "a name that is begun": ("/per", [None, [], []]),
    "a name that is whole": ("/stop", ["stop", [], []]),
    "a name that only begins like another": ("/stopper", [None, [], []]),
    "what is required is missing": ("/persona create", ["persona create", [], ["name", "prompt"]]),
    "a value goes on until the next option": (
        "/persona create name:Ren of: Rome prompt:a:b c",
        ["persona create", [["name", "Ren of: Rome "], ["prompt", "a:b c"]], []],
    ),
    "an empty value is none": (
        "/persona create name: prompt:x",
        ["persona create", [["name", " "], ["prompt", "x"]], ["name"]],
    ),
    "an option counts once": ("/greet whom:a whom:b", ["greet", [["whom", "a whom:b"]], []]),
    "the case of an option does not matter": ("/greet Whom:a", ["greet", [["whom", "a"]], []]),
    "the only option needs no name": ("/greet Mia", ["greet", [], []]),
}


async def test_a_line_is_read_as_the_server_reads_it(server: Standin, window: Open) -> None:
    page = await window(server.url)

    read = await page.evaluate(
        """async ([lines, commands]) => {
          const { readLine } = await import("cadenza/commands.js");
          return lines.map((text) => {
            const line = readLine(text, commands);
            const given = line?.given.map(({ option, value }) => [option.name, value]);
            return line && [line.command?.name ?? null, given, line.missing.map(({ name }) => name)];
          });
        }""",
        [[text for text, _ in LINES.values()], first_state()["commands"]],
    )

    assert dict(zip(LINES, read, strict=True)) == {name: meant for name, (_, meant) in LINES.items()}
