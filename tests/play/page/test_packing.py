"""Packed films, as the page reads them."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import zlib
from collections.abc import Callable

import pytest

from cadenza.play.films.film import packed
from cadenza.play.films.rehearsal import rehearse
from tests.browsing import Open
from tests.play.films.test_what_is_told import some_rehearsal
from tests.play.films.told import filmed, mixed_text
from tests.play.page.inside_page import inside

pytestmark = pytest.mark.asyncio(loop_scope="session")

_WHOLE = """async ([film, isSliced]) => {
  const read = await packing.unpacked(film);
  return JSON.stringify((isSliced ? await Reel.inSlices(read) : new Reel(read)).records); // Playwright takes long for many values
}"""
_REFUSED = "(film) => packing.unpacked(film).then(() => 'made', (error) => error.message)"


async def test_the_page_reads_what_was_packed_at_once_and_in_slices(window: Open) -> None:
    films = [await asyncio.to_thread(rehearse, some_rehearsal(seed)) for seed in range(200, 206)]
    films.append(await asyncio.to_thread(filmed, mixed_text(20_000), settings={"degree": 1}))
    async with inside(window) as page:
        for film in films:
            text, records = packed(film), film.as_json()["records"]
            for is_sliced in (False, True):
                assert records == json.loads(await page.evaluate(_WHOLE, [text, is_sliced])), is_sliced


def _bomb() -> str:
    """Gzip of a little more than the page takes: 256 MB of spaces."""
    packing = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    return base64.b64encode(b"".join(packing.compress(b" " * 2**20) for _ in range(257)) + packing.flush()).decode()


DAMAGED: dict[str, str | Callable[[], str]] = {
    "no base64": "*",
    "no gzip": base64.b64encode(b'{"film": 3}').decode(),
    "its end is missing": base64.b64encode(gzip.compress(b'{"film": 3}')[:-8]).decode(),
    "no JSON": base64.b64encode(gzip.compress(b"[")).decode(),
    "no object": base64.b64encode(gzip.compress(b"null")).decode(),
    "a zip bomb": _bomb,
}


@pytest.mark.parametrize("film", DAMAGED.values(), ids=DAMAGED)
async def test_what_cannot_be_unpacked_is_refused_with_a_sentence(window: Open, film: str | Callable[[], str]) -> None:
    async with inside(window) as page:
        text = film if isinstance(film, str) else film()
        assert "The film cannot be read; make it again." == await page.evaluate(_REFUSED, text)


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
