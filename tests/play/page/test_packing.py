"""Films that were written shortly, as the page reads them."""

from __future__ import annotations

import asyncio
import json

import pytest

from cadenza.play.films.film import dump
from cadenza.play.films.rehearsal import rehearse
from tests.browsing import Open
from tests.play.films.test_what_is_told import some_rehearsal
from tests.play.films.told import filmed, mixed_text
from tests.play.page.inside_page import inside

pytestmark = pytest.mark.asyncio(loop_scope="session")

_WHOLE = """async ([film, isSliced]) => {
  const read = JSON.parse(film);
  return JSON.stringify((isSliced ? await Reel.inSlices(read) : new Reel(read)).records); // Playwright takes long for many values
}"""


async def test_the_page_reads_what_was_written_at_once_and_in_slices(window: Open) -> None:
    films = [await asyncio.to_thread(rehearse, some_rehearsal(seed)) for seed in range(200, 206)]
    films.append(await asyncio.to_thread(filmed, mixed_text(20_000), settings={"degree": 1}))
    async with inside(window) as page:
        for film in films:
            text, records = dump(film), film.as_json()["records"]
            for is_sliced in (False, True):
                assert records == json.loads(await page.evaluate(_WHOLE, [text, is_sliced])), is_sliced


async def test_nobody_waits_for_the_rest_of_a_film_that_was_given_up(window: Open) -> None:
    async with inside(window) as page:
        name = await page.evaluate(
            """async () => {
              const records = Array.from({ length: 300_000 }, (_, at) => ({ at, kind: "call" }));
              const abort = new AbortController();
              const made = Reel.inSlices({ records }, abort.signal);
              abort.abort();
              return made.then(() => "made", (error) => error.name);
            }"""
        )

    assert "AbortError" == name
