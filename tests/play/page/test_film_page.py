"""The page that stands alone: one file that opens anywhere, and in which nothing runs but ours."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from playwright.async_api import expect

from cadenza.play import page
from cadenza.play.films import film as film_file
from cadenza.play.films.plan import Rehearsal
from cadenza.play.films.rehearsal import rehearse
from cadenza.play.films.sources import understood
from tests.browsing import PHONE, Open
from tests.play.page.samples import CHANNEL, EMBED, FILES, PICTURE, REN, at, film, packed, rich, said, talk

in_browser = pytest.mark.asyncio(loop_scope="session")

NASTY = [
    "</script><script>globalThis.ran = 1</script>",
    "<!--<script>",
    "]]><img src=x onerror='globalThis.ran=1'>",
    "\"'><svg/onload=globalThis.ran=1>",
    "\\u003c/script> \u2028 \u2029 & &lt; &amp;",
    "javascript:globalThis.ran=1",
    "</title></style></textarea><base href='//evil.example'>",
    "{{constructor.constructor('globalThis.ran=1')()}} ${globalThis.ran=1}",
]


def _held(html: str) -> Any:
    found = re.search(r'<script type="application/json" id="films">(.*?)</script>', html, re.DOTALL)
    assert found
    return json.loads(found[1])


async def _open(window: Open, folder: Path, html: str, **how: Any) -> Any:
    path = folder / "film.html"
    path.write_text(html, encoding="utf-8")
    return await window(path.as_uri(), **how)


def test_a_page_holds_its_films_labels_and_captions_as_they_were() -> None:
    films = [packed(rich()), packed(talk(said("1", NASTY[0])))]

    held = _held(
        page.film_page(films, title="<b>", labels=["A", {"en": "B", "ja": "び"}], captions=[{"at": 1, "en": "x"}])
    )

    assert held == {
        "title": "<b>",
        "labels": ["A", {"en": "B", "ja": "び"}],
        "captions": [{"at": 1, "en": "x"}],
        "films": films,
    }


@settings(max_examples=50)
@given(
    st.recursive(
        st.text(st.characters()) | st.integers() | st.none(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_nothing_in_a_film_can_end_the_script_that_holds_it(value: object) -> None:
    html = page.film_page([str(value)], title=str(value), labels=[value])

    script = html.partition('id="films">')[2].partition("</script>")[0]
    assert html.encode()
    assert {"<", ">", "&", "\u2028", "\u2029"}.isdisjoint(script)
    assert [[str(value)], [value]] == [json.loads(script)["films"], json.loads(script)["labels"]]
    assert html.count("<script") == 2


def test_a_language_that_the_page_does_not_speak_is_refused() -> None:
    with pytest.raises(ValueError, match="en and ja, not 'fr'"):
        page.film_page([packed(rich())], language="fr")


def test_the_rules_of_a_page_allow_nothing_but_what_is_in_it() -> None:
    html = page.film_page([packed(rich())])
    found = re.search(r'Content-Security-Policy" content="([^"]*)"', html)

    assert found
    assert "default-src 'none'" in found[1]
    assert not re.search(r"'self'|https?:|unsafe|\*|connect-src", found[1])
    assert re.search(r"script-src 'sha256-[^ ';]+';", found[1]), (
        "one script, and no address from which another could come"
    )


@in_browser
async def test_a_page_opens_from_a_file_and_shows_its_film(window: Open, tmp_path: Path) -> None:
    tab = await _open(window, tmp_path, page.film_page([packed(rich())], title="An evening"))

    await expect(tab.locator("h1")).to_have_text("An evening")
    await expect(tab).to_have_title("An evening")
    await expect(tab.locator(".message")).to_have_count(10)
    await expect(tab.locator(".embed-title")).to_have_text("Cadenza")


@in_browser
async def test_two_films_stand_side_by_side_in_japanese_with_their_captions(window: Open, tmp_path: Path) -> None:
    html = page.film_page(
        [packed(talk(said("1", "One"))), packed(talk(said("1", "Two")))],
        labels=[{"en": "Before", "ja": "前"}, {"en": "After", "ja": "後"}],
        captions=[{"at": 0, "en": "Look", "ja": "ご覧ください"}],
        language="ja",
    )

    tab = await _open(window, tmp_path, html)

    await expect(tab.locator(".side-name")).to_have_text(["前", "後"])
    await expect(tab.locator(".caption")).to_have_text("ご覧ください")
    await tab.get_by_role("button", name="Show in English").click()
    await expect(tab.locator(".side-name")).to_have_text(["Before", "After"])
    await expect(tab.locator(".caption")).to_have_text("Look")


@in_browser
async def test_whatever_stands_in_a_film_is_text_and_nothing_of_it_runs(window: Open, tmp_path: Path) -> None:
    def dressed(number: int, text: str) -> Any:
        author = {**REN, "name": text, "avatar": text if number % 2 else PICTURE}
        file = {**FILES[1], "name": text, "url": text, "type": text}
        embed = {
            **EMBED,
            "author": text,
            "title": [text],
            "url": text,
            "footer": text,
            "image": text,
            "thumbnail": text,
        }
        link = {"is": "link", "url": text, "of": [text]}
        block = {"is": "block", "language": text, "text": text}
        return said(
            str(number), text, author=author, markup=[text, link, block, {"is": text, "of": [text]}], files=[file],
            embeds=[embed], reply={"id": text, "name": text, "avatar": text, "text": text},
            components=[[{"sort": "link", "label": text, "url": text}, {"sort": "menu", "options": [{"label": text}]}]],
            reactions=[{"emoji": {"is": "emoji", "name": text, "id": text}, "count": 1}],
        )  # fmt: skip

    records = [at(0.0, "message", message=dressed(number, text)) for number, text in enumerate(NASTY)]
    typing = at(0.0, "typing", channel=CHANNEL, who={"id": "9", "name": NASTY[0]})
    whole = packed(film(*records, typing))
    html = page.film_page([whole, whole], title=NASTY[0], labels=NASTY[:2], captions=[{"at": 0, "en": NASTY[0]}])

    tab = await _open(window, tmp_path, html)

    await expect(tab.locator("h1")).to_have_text(NASTY[0])
    await expect(tab.locator(".message")).to_have_count(2 * len(NASTY))
    for number, text in enumerate(NASTY):
        shown = await tab.locator(f'.side:first-child .message[data-id="{number}"] .content').evaluate(
            "e => e.firstChild.data"
        )
        assert text == shown
    assert await tab.evaluate("globalThis.ran") is None
    assert await tab.locator("script").count() == 2
    assert await tab.locator("[src='x'], base, [onload], [onerror], a[href^='javascript']").count() == 0


@in_browser
@pytest.mark.parametrize(
    "films", [[], ["*"], [packed({})[:-8]], [packed(rich())[:200]]], ids=["none", "no base64", "cut", "torn"]
)
async def test_a_page_without_a_whole_film_says_so(window: Open, tmp_path: Path, films: list[str]) -> None:
    tab = await _open(window, tmp_path, page.film_page(films))

    await expect(tab.get_by_role("alert")).to_contain_text("no film")


@in_browser
async def test_the_theme_can_be_changed_by_hand(window: Open, tmp_path: Path) -> None:
    tab = await _open(window, tmp_path, page.film_page([packed(rich())]), colours="dark")
    colour = "getComputedStyle(document.body).backgroundColor"
    dark = await tab.evaluate(colour)

    await tab.get_by_role("button", name="Light or dark").click()

    assert dark != await tab.evaluate(colour)


_FOCUSED = """
() => {
  const { activeElement: focused } = document;
  const [box, bar] = [focused.getBoundingClientRect(), document.querySelector(".film-bar").getBoundingClientRect()];
  const isFree = focused.closest(".film-bar") || box.bottom <= bar.top + 1 || box.height > bar.top;
  return { isInside: focused.closest(".film-inside") !== null, behind: isFree ? "" : focused.outerHTML.slice(0, 90) };
}
"""


@in_browser
async def test_what_is_reached_by_keyboard_on_a_phone_is_never_behind_the_player(window: Open, tmp_path: Path) -> None:
    [source] = understood("Good evening.\nA **long** story begins.\n")
    shown = await asyncio.to_thread(rehearse, source.rehearsal(Rehearsal(())))
    tab = await _open(window, tmp_path, page.film_page([film_file.packed(shown)]), size=PHONE)
    await tab.get_by_role("slider", name="Time").focus()

    found = []
    for _ in range(20):
        await tab.keyboard.press("Tab")
        found.append(await tab.evaluate(_FOCUSED))

    assert sum(one["isInside"] for one in found) > 6
    assert [one["behind"] for one in found if one["behind"]] == []
