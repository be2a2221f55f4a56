"""Whatever is said, named, sent, pasted or shown: it stands there as text. Nothing of it runs, and nobody is asked."""

from __future__ import annotations

import asyncio
import base64
import json
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.async_api import Page, expect

from cadenza.play import page
from cadenza.play.films.film import FilmRecord
from cadenza.play.films.plan import Rehearsal, beats_of
from cadenza.play.films.rehearsal import rehearse
from cadenza.sim.wire import Json
from tests.browsing import Open
from tests.play.page.samples import packed
from tests.play.server.playing import playing

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(120)]

_SCRIPTS = (
    "<script>ran()</script>", "</script><script>ran()</script>", "<img src=x onerror=ran()>", "<svg/onload=ran()>",
    "<iframe srcdoc='<script>parent.ran()</script>'>", "<a href=javascript:ran()>x</a>", "<style>*{display:none}</style>",
    "<base href=//evil.example/>", "<meta http-equiv=refresh content='0;//evil.example/'>", "<form action=//evil.example/>",
    "<link rel=stylesheet href=//evil.example/x.css>", "<!--", "]]>", "&lt;script&gt;", "{{constructor.constructor('ran()')()}}",
    "${ran()}", "';ran();//", '"onmouseover="ran()', "<details open ontoggle=ran()>", "<math><mi//xlink:href='javascript:ran()'>",
)  # fmt: skip
_ADDRESSES = (
    "javascript:ran()", "JaVaScRiPt:ran()", "java\tscript:ran()", " javascript:ran()", "data:text/html,<script>ran()</script>",
    "vbscript:ran()", "file:///etc/passwd", "//evil.example/x", "\\\\evil.example\\x", "blob:https://evil.example/1",
    "https://evil.example/x.png", "http:evil.example", "/\\evil.example", "about:blank", "ftp://evil.example",
)  # fmt: skip
_ODD = (
    "__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "__defineGetter__", "\u202egnp.exe", "\u2066a\u2069",
    "Z" + "\u0301" * 200, "\u0000\u0007", "\ud83d", "\ufeff", "\u2028\u2029", "a" * 3000, "((((" * 300, "**__~~||" * 150, "> " * 400,
)  # fmt: skip
_AROUND = (
    "%s",
    "[%s](%s)",
    "**%s**",
    "||%s||",
    "`%s`",
    "```%s\n%s\n```",
    "# %s",
    "- %s\n  - %s",
    "<%s>",
    "| %s | %s |\n|--|--|\n| %s | 1 |",
)
NASTY = [around.replace("%s", one) for one in (*_SCRIPTS, *_ADDRESSES, *_ODD) for around in _AROUND]

_VALUES: list[Any] = [
    None, True, 0, -1, 1e308, 1e15, "", [], {}, [[[]]], [None], {"__proto__": {"polluted": 1}},
    {"constructor": {"prototype": {"polluted": 1}}}, *_SCRIPTS[:6], *_ADDRESSES, *_ODD[:9],
]  # fmt: skip
_FOUND = """() => ({
  ran: globalThis.hasRun ?? null,
  polluted: ({}).polluted ?? null,
  links: [...document.querySelectorAll("[href], [src]")].map((node) => node.getAttribute("href") ?? node.getAttribute("src"))
    .filter((address) => !/^(https?:|data:|blob:|\\/(?![\\/\\\\])|#)/.test(address)),
  foreign: document.querySelectorAll("iframe, object, embed, base, form[action], meta[http-equiv=refresh], [onerror], [onload]").length,
  scripts: [...document.scripts].filter((script) => /ran\\(/.test(script.type === "application/json" ? "" : script.text)).length,
})"""
_FAR_OFF: list[Json] = [
    {"at": at, "kind": "fact", "turn": "1", "fact": "reply_ended", "about": {}} for at in (1e12, 1e308)
]  # a scale that counted up to there would never end
NOTHING = {"ran": None, "polluted": None, "links": [], "foreign": 0, "scripts": 0}


async def _tab(window: Open, url: str) -> Page:
    """A window in which it is noticed if anything runs."""
    tab = await window(alone=True)
    await tab.add_init_script("globalThis.ran = () => { globalThis.hasRun = true; };")
    await tab.goto(url)
    return tab


async def test_whatever_is_said_or_happens_live_is_text_and_the_page_still_answers(window: Open) -> None:
    texts = cycle(NASTY)
    async with playing() as play:
        tab = await _tab(window, play.url)
        channel = {"id": "77", "name": NASTY[0], "sort": "constructor", "topic": NASTY[1]}
        play.live.reel.add(FilmRecord(0.0, "channel", {"channel": channel}))
        for number in range(len(NASTY) // 6):
            play.live.reel.add(FilmRecord(0.0, "message", {"message": _message(str(number + 1), play.general, texts)}))
        for kind in ("form", "note", "typing", "person", "__proto__", "constructor", "story", "fate", "call", "fact"):
            odd = {
                name: next(texts) for name in ("text", "urgency", "channel", "turn", "fact", "told", "message", "route")
            }
            play.live.reel.add(
                FilmRecord(0.0, kind, {**odd, "about": odd, "who": _person(next(texts)), "__proto__": odd})
            )
        file = {
            "name": 'a"\r\nX-Evil: 1\r\n\r\n<script>ran()</script>.svg',
            "data": base64.b64encode(b"<svg onload=ran()/>"),
        }
        await play.say(_SCRIPTS[0], files=[{**file, "data": file["data"].decode()}])
        await play.answered(_SCRIPTS[2])
        log = tab.locator("#messages")
        await expect(log.locator(".content", has_text=f"You said: {_SCRIPTS[2]}").first).to_be_visible()

        await tab.get_by_role("textbox", name="Message #general").fill("Still there?")
        await tab.keyboard.press("Enter")

        await expect(log.locator(".content", has_text="You said: Still there?").first).to_be_visible()
        assert NOTHING == await tab.evaluate(_FOUND)


async def test_whatever_is_pasted_into_the_lab_is_text(window: Open) -> None:
    async with playing() as play:
        tab = await _tab(window, play.url)
        text = "\n\n".join(one for one in NASTY[::5] if "\x00" not in one and len(one) < 500)
        await _open_lab(tab)
        await tab.get_by_label("What the model says").fill(text)
        await tab.get_by_label("What the model says").press("Control+Enter")
        await expect(tab.locator(".lab-result .message").first).to_be_visible(timeout=30_000)

        assert _SCRIPTS[0] in await tab.locator(".lab-result").text_content()
        assert NOTHING == await tab.evaluate(_FOUND)


async def test_a_film_of_rubbish_opens_as_a_file_and_nothing_of_it_runs_or_keeps_it_busy(
    window: Open, tmp_path: Path
) -> None:
    chance = Random(9)
    wanted = Rehearsal(beats_of("# A\n**b** ||c|| (d)\n```py\ne\n```\n@Mia <think>f</think>"), asked="?")
    film = json.loads(json.dumps((await asyncio.to_thread(rehearse, wanted)).as_json()))
    tab = await _tab(window, "about:blank")
    for share in (0.01, 0.05, 0.2):
        spoilt = [_spoilt(record, chance, share) for record in film["records"]]
        rubbish = {**film, "records": [*spoilt, *_FAR_OFF]}
        path = tmp_path / "film.html"
        path.write_text(
            page.film_page(
                [packed(rubbish), packed(film)], title=_SCRIPTS[1], labels=[_SCRIPTS[2], {"__proto__": "x"}]
            ),
            "utf-8",
        )

        await tab.goto(path.as_uri(), wait_until="commit")

        await expect(tab.locator("h1")).to_have_text(_SCRIPTS[1])
        await tab.locator(".side").last.locator(".message").last.click()
        await expect(tab.locator(".message.is-selected").first).to_be_visible()
        assert NOTHING == await tab.evaluate(_FOUND)


def _spoilt(value: Any, chance: Random, share: float) -> Any:
    """*value* with rubbish in some places."""
    if chance.random() < share:
        return chance.choice(_VALUES)
    match value:
        case dict():
            extra = {chance.choice(("__proto__", "constructor", "length")): chance.choice(_VALUES)}
            return {
                **{key: _spoilt(one, chance, share) for key, one in value.items()},
                **(extra if chance.random() < share else {}),
            }
        case list():
            return [_spoilt(one, chance, share) for one in value]
        case _:
            return value


def _person(name: str) -> Json:
    return {"id": name, "name": name, "avatar": name, "is_bot": True, "is_webhook": True}


def _message(id_: str, channel: str, texts: Any) -> Json:
    """A message with something nasty in every place."""
    one, other, third = next(texts), next(texts), next(texts)
    return {
        "id": id_, "channel": channel, "time": "2027-01-15T08:00:00+00:00", "author": _person(one), "content": one,
        "markup": [
            one, {"is": "link", "url": other, "title": other, "of": [other]}, {"is": "block", "language": other, "text": third},
            {"is": one, "of": [third]}, {"is": "mention", "sort": other, "id": one, "name": third}, {"is": "time", "seconds": 1e300},
            {"is": "emoji", "name": one, "id": other}, {"is": "list", "start": 1e300, "items": [one, [other], None]},
        ],
        "reply": {"id": other, "name": third, "avatar": other, "text": one}, "command": {"name": other, "who": _person(third)},
        "files": [{"id": one, "name": next(texts), "size": 1e300, "type": "image/png", "url": other, "width": 1e300, "height": 1}],
        "embeds": [{"author": one, "title": [other], "url": next(texts), "text": [third], "footer": one, "colour": other,
                    "image": other, "thumbnail": third, "fields": [{"name": one, "value": [other]}]}],
        "components": [[{"sort": "link", "label": one, "url": other}, {"sort": "menu", "of": "constructor", "options": []},
                        {"sort": "button", "label": third, "style": "__proto__", "emoji": {"name": one}}]],
        "reactions": [{"emoji": {"is": "emoji", "name": next(texts), "id": one}, "count": 1}], "pings": [one],
    }  # fmt: skip


async def _open_lab(tab: Page) -> None:
    await tab.get_by_role("tab", name="Lab").or_(tab.get_by_role("button", name="Lab")).first.click()
