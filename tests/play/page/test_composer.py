"""The composer in a real browser: what is typed, pasted and chosen, and what of it is sent."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Locator, Page, expect

from tests.browsing import Open
from tests.play.page.standin import GENERAL, ME, MIA, WORKSHOP, Standin, standing_in
from tests.staying import Addresses

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(loop_scope="session")
async def server(addresses: Addresses) -> AsyncIterator[Standin]:
    """Asked for before the window, so that the window is gone before it: else the page would miss it, and say so."""
    async with standing_in(addresses) as standin:
        yield standin


async def _opened(window: Open, server: Standin) -> tuple[Page, Locator]:
    page = await window(server.url)
    field = page.locator("#composer")
    await expect(field).to_be_visible()
    return page, field


async def _paste(field: Locator, text: str) -> None:
    await field.evaluate(
        """(node, text) => {
          const data = new DataTransfer();
          data.setData("text/plain", text);
          node.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
        }""",
        text,
    )


async def _drop(page: Page, sizes: dict[str, int]) -> None:
    await page.locator("#messages").evaluate(
        """(node, sizes) => {
          const data = new DataTransfer();
          for (const [name, size] of Object.entries(sizes)) data.items.add(new File([new Uint8Array(size)], name));
          node.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
        }""",
        sizes,
    )


async def test_enter_sends_shift_enter_does_not_and_what_is_typed_quickly_keeps_its_order(
    server: Standin, window: Open
) -> None:
    page, field = await _opened(window, server)

    await field.press_sequentially("one")
    await field.press("Shift+Enter")
    await field.press_sequentially("two")
    tall = await field.evaluate("(node) => node.offsetHeight")
    await field.press("Enter")
    low = await field.evaluate("(node) => node.offsetHeight")
    for text in ("a", "b", "c"):
        await field.fill(text)
        await field.press("Enter")
    await page.get_by_label("Speak as").select_option(MIA)
    await field.fill("I am Mia")
    await field.press("Enter")
    said = await server.heard("/api/say", 5)

    assert tall > low
    assert [(one["who"], one["text"]) for one in said] == [
        (ME, "one\ntwo"), (ME, "a"), (ME, "b"), (ME, "c"), (MIA, "I am Mia"),
    ]  # fmt: skip
    typed = await server.heard("type", 5)  # it has a connection of its own, and may come after the message
    assert typed[0] == {"act": "type", "channel": GENERAL, "who": ME}
    assert len(typed) == len(said)  # once for each message, however many keys it took


async def test_enter_that_ends_a_japanese_word_sends_nothing(server: Standin, window: Open) -> None:
    _, field = await _opened(window, server)
    composing = """(node, init) => {
      const event = new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true, ...init });
      return node.dispatchEvent(event);
    }"""

    await field.fill("こんにちは")
    untouched = [await field.evaluate(composing, init) for init in ({"isComposing": True}, {"keyCode": 229})]
    await expect(field).to_have_value("こんにちは")
    await field.press("Enter")
    said = await server.heard("/api/say")

    assert untouched == [True, True]
    assert [one["text"] for one in said] == ["こんにちは"]


async def test_the_last_message_is_edited_with_the_arrow_key_and_escape_leaves_it(
    server: Standin, window: Open
) -> None:
    await server.say("First", id_="m1", who=ME)
    await server.say("Second", id_="m2", who=ME)
    await server.say("Answer", id_="m3")
    page, field = await _opened(window, server)
    await expect(page.locator("#messages .message")).to_have_count(3)

    await field.press("ArrowUp")
    await expect(field).to_have_value("Second")
    await expect(page.get_by_text("Editing your message.")).to_be_visible()
    await field.press("Escape")
    await expect(field).to_have_value("")
    await field.press("ArrowUp")
    await field.fill("Seconds")
    await field.press("Enter")
    edited = await server.heard("edit")

    assert edited == [{"act": "edit", "channel": GENERAL, "id": "m2", "text": "Seconds"}]
    assert server.posted("/api/say") == []
    await expect(page.get_by_text("Editing your message.")).to_be_hidden()


async def test_what_is_too_long_is_counted_and_kept_and_a_long_paste_becomes_a_file(
    server: Standin, window: Open
) -> None:
    page, field = await _opened(window, server)

    await field.fill("😀" * 2001)
    await expect(page.locator(".composer-count")).to_have_text("-1")
    await field.press("Enter")
    await expect(page.get_by_role("alert")).to_have_text(
        "This is one character too long. Send it as a file, or shorten it."
    )
    await field.fill("")
    await _paste(field, "word " * 200_000)
    await expect(page.get_by_role("list", name="Files to be sent")).to_contain_text("message.txt")
    await _drop(page, {"huge.bin": 8_000_000})
    await expect(page.get_by_role("alert").last).to_have_text(
        "huge.bin is too large: all files together may have 8 MB."
    )
    await page.get_by_role("button", name="Remove message.txt").click()
    note = {"name": "note.txt", "mimeType": "text/plain", "buffer": b"hello"}
    await page.locator("input[type=file]").set_input_files([note])
    await page.get_by_role("button", name="Send", exact=True).click()
    said = await server.heard("/api/say")

    sent = {"name": "note.txt", "data": base64.b64encode(b"hello").decode()}
    assert said == [{"channel": GENERAL, "text": "", "who": ME, "files": [sent]}]


async def test_each_channel_keeps_its_draft(server: Standin, window: Open) -> None:
    page, field = await _opened(window, server)

    await field.fill("For general")
    await page.locator(f'[data-channel="{WORKSHOP}"]').click()
    await expect(field).to_have_value("")
    await field.fill("For the workshop")
    await page.locator(f'[data-channel="{GENERAL}"]').click()

    await expect(field).to_have_value("For general")
