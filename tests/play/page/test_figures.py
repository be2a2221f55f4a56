"""What a film comes to in numbers."""

from __future__ import annotations

import pytest
import pytest_asyncio
from playwright.async_api import Page

from cadenza.sim.wire import Json
from tests.browsing import Open
from tests.play.page.lab_room import changed, film, room

pytestmark = pytest.mark.asyncio(loop_scope="session")
_SCRIPT = """
import { comparison } from "cadenza/comparison.js";
import { figuresOf } from "cadenza/figures.js";
import { Scale } from "cadenza/scale.js";
import { keys } from "cadenza/words.js";
import "cadenza/words_lab.js";
import "cadenza/words_settings.js";
Object.assign(window, { keys, comparison, figuresOf, Scale });
document.body.dataset.ready = "";
"""
_STORY = {"turn": "t", "message": "100"}


@pytest_asyncio.fixture(loop_scope="session")
async def page(window: Open) -> Page:
    """A page that knows how to count; one for all, for nothing stays in it."""
    if "figures" not in window.kept:
        async with room(window.addresses, _SCRIPT) as served:
            opened = await window(served.url, keep_as="figures")
            await opened.wait_for_selector("body[data-ready]")
    return window.kept["figures"]


async def _figures(page: Page, filmed: Json) -> Json:
    found: Json = await page.evaluate("film => figuresOf(film)", filmed)
    return found


async def test_every_word_is_there_in_both_languages(page: Page) -> None:
    english, japanese = await page.evaluate("[keys('en'), keys('ja')]")
    assert english == japanese
    assert "setting.shape" in english


async def test_messages_and_waits_are_measured_as_a_reader_has_them(page: Page) -> None:
    calls = [{"at": 3.0, "kind": "call", "route": "POST", "status": status} for status in (200, 429, None, 429)]
    found = await _figures(page, film((1.5, "One."), (6.0, "Two."), told="One.Two.", took=4.0, more=calls))
    expected = {"messages": 2, "first": 1.5, "longest": 4.5, "behind": 2.0, "limited": 2}
    assert expected == {name: found[name] for name in expected}


async def test_an_edit_is_something_new_to_read_and_no_message_more(page: Page) -> None:
    edits = [changed(2.0, "100", "One. Two."), changed(5.0, "100", "One. Two."), changed(2.0, "999", "not ours")]
    found = await _figures(page, film((1.0, "One."), told="One. Two.", took=2.0, more=edits))
    assert (1, 1.0, 0.0) == (found["messages"], found["longest"], found["behind"])


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        pytest.param("Hello there, world 12!", 0, id="all of it"),
        pytest.param("wor\nld 1**2** Hello there", 0, id="in other places, with marks"),
        pytest.param("Hello the", 9, id="cut off"),
        pytest.param("", 17, id="nothing"),
    ],
)
async def test_of_a_bot_that_keeps_no_account_the_letters_are_counted(page: Page, shown: str, expected: int) -> None:
    found = await _figures(page, film((1.0, shown), told="Hello there, world 12!"))
    assert expected == found["lost"]


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        pytest.param([{"kind": "story", "story": {"raw": [[0, 4], [9, 14]]}}], 3, id="a gap"),
        pytest.param([{"kind": "story", "story": {"raw": [[9, 14], [0, 9]]}}], 0, id="out of order"),
        pytest.param(
            [{"kind": "story", "story": {"raw": [[0, 9]]}}, {"kind": "fate", "raw": [[9, 14]], "fate": "thought"}],
            0,
            id="a thought is not lost",
        ),
        pytest.param(
            [{"kind": "story", "story": {"raw": [[0, 9]]}}, {"kind": "fate", "raw": [[9, 14]], "fate": "cut"}],
            5,
            id="what was cut off is",
        ),
        pytest.param([{"kind": "fact", "fact": "reply_began", "about": {}}], None, id="no account of each word"),
    ],
)
async def test_what_never_arrived_is_what_no_story_and_no_fate_tells_of(
    page: Page, records: list[Json], expected: int | None
) -> None:
    told = [{"at": 2.0, **_STORY, **record} for record in records]
    found = await _figures(page, film((1.0, "One! else"), told="One! two three", more=told))
    assert expected == found["lost"]


async def test_rubbish_in_a_film_is_passed_over(page: Page) -> None:
    records = [
        {},
        {"kind": "story"},
        {"kind": "message"},
        {"kind": "changed"},
        {"kind": "constructor"},
        {"kind": "fate"},
    ]
    found = await _figures(page, {"records": records})
    assert (0, None, None) == (found["messages"], found["first"], found["longest"])


async def test_two_films_are_compared_in_words(page: Page) -> None:
    films = [film((1.0, "Hello."), told="Hello.", took=1.0), film((4.0, "Hel"), told="Hello.", took=1.0)]
    text = await page.evaluate("([films, labels]) => comparison(films, labels).textContent", [films, ["A", "B"]])
    for sentence in ("A has something to read 3.0 s earlier.", "B loses 2 characters.", "4.0 s"):
        assert sentence in text


@pytest.mark.parametrize(
    ("low", "high", "usual", "is_whole"),
    [
        pytest.param(0, 10, 0.01, False, id="usually near the lower end"),
        pytest.param(50, 2000, 1950, True, id="usually near the upper end"),
        pytest.param(0, 10_000, 0, True, id="usually the lowest"),
        pytest.param(-2, 2, -2, False, id="below nought"),
        pytest.param(0, 1, 0.25, False, id="a share"),
    ],
)
async def test_a_slider_reaches_both_ends_and_never_goes_back(
    page: Page, low: float, high: float, usual: float, *, is_whole: bool
) -> None:
    about = {"low": low, "high": high, "usual": usual, "isWhole": is_whole}
    values = await page.evaluate(
        "about => Array.from({ length: 201 }, (_, position) => new Scale(about).valueAt(position))", about
    )
    assert [low, high] == [values[0], values[-1]]
    assert sorted(values) == values
