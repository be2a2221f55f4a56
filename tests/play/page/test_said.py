"""The sentences of the page: the same as in a terminal and in ``cadenza explain --json``, in every language."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page

from cadenza.cli.main import main
from cadenza.errors import InputError
from cadenza.explain.sentences import from_json, rendered, texts
from cadenza.explain.telling import ENDS, FATES, fate_in_short, mentions, with_file
from cadenza.languages import languages
from cadenza.play import page as assets
from cadenza.play.films.fault_names import RehearsalFault
from cadenza.play.films.film import Film, dump
from cadenza.play.films.plan import Rehearsal, beats_of
from cadenza.play.films.rehearsal import rehearse
from cadenza.settings import Settings
from cadenza.sim.rate_limits import Rate
from tests.browsing import Open
from tests.play.films.hard_replies import HARD_REPLIES
from tests.play.films.test_what_is_told import Painter
from tests.play.page.inside_page import inside

pytestmark = pytest.mark.asyncio(loop_scope="session")

_CODE = "".join(f"def step_{number}():\n    return 'tea number {number}'\n" for number in range(14))
HARD = (
    "<think>A list, code and a table.</think>Evening, @Mia! :wave: Here is **what you asked for**:\n\n"
    "- boil the *water* (all of it,\n  slowly)\n- warm the pot\n\n"
    f"```py\n{_CODE}```\n\n| tea | minutes |\n|---|---|\n| green | 2 |\n\n"
    "A formula $x^2$ &amp; <b>tags</b>.\nEnjoy {it}!\nOne.\nTwo.\nThree.\n"
)
MANNERS = [
    pytest.param({"shape": "blocks"}, id="blocks"),
    pytest.param({"degree": 2, "code_file": 5}, id="lines"),
    pytest.param({"shape": "reply"}, id="reply"),
]
SHOWN = """
([channel, time, id]) => {
  view.show(reel, { channel, time });
  view.select({ kind: "message", id });
  const parts = [...document.querySelectorAll(".story section")].map((section) => [
    section.querySelector("h4").textContent, [...section.querySelectorAll("p:not(.dim), li > span")].map((node) => node.textContent),
  ]);
  const of = (key) => Object.fromEntries(parts)[words.say(key)] ?? [];
  return {
    why: of("story.starts_ends"), holds: of("story.holds"), rules: of("story.rules"), pace: of("story.pace"), mentions: of("story.mentions"),
    times: document.querySelector(".time-bar").getAttribute("aria-label"),
  };
}
"""


def hard(settings: dict[str, Any]) -> Film:
    """A film of a reply in which a lot happens."""
    return rehearse(
        Rehearsal(
            beats_of(HARD, 60.0),
            settings=Settings.of(**{"limit": 400, **settings}),
            asked="How do I make tea?",
            emoji=("wave",),
            limits=Rate(2, 4.0),
            faults=(RehearsalFault("rate_limit", at_message=2),),
            painter=Painter(),
        )
    )


def sentences(message: dict[str, Any], language: str) -> dict[str, Any]:
    """What is told of a message, as the page arranges it."""
    told = message["told"]

    def said(*parts: Any) -> list[str]:
        return [rendered(from_json(part), language) for part in parts if part is not None]

    file = [rendered(with_file(message["file"]), language)] if message["file"] else []
    return {
        "why": said(told["starts"], told["ends"], told["merged"]),
        "holds": said(*told["holds"]),
        "rules": said(*told["rules"]),
        "pace": [*said(told["pause"], *told["waits"], *told["refusals"]), *file],
        "mentions": [rendered(one, language) for one in mentions(message["pings"], message["shows"])],
        "times": said(told["times"])[0],
    }


async def shown(page: Page, film: Film, message: str) -> dict[str, Any]:
    """What the page says of a message."""
    channel = next(record.about["message"]["channel"] for record in film.of_kind("message"))
    found: dict[str, Any] = await page.evaluate(SHOWN, [channel, film.seconds, message])
    return found


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("settings", MANNERS)
async def test_the_page_says_what_the_command_says(
    window: Open, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], settings: dict[str, Any], language: str
) -> None:
    film = await asyncio.to_thread(hard, settings)
    reply = explained(film, tmp_path, capfdbinary)

    async with inside(window, locale=language) as page:
        await compare(page, film, reply, language)
    assert len(reply["messages"]) >= 3


@pytest.mark.parametrize("language", ["en", "ja"])
async def test_the_page_says_what_the_command_says_of_every_hard_reply(
    window: Open, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], language: str
) -> None:
    films = {name: await asyncio.to_thread(make) for name, make in HARD_REPLIES.items()}
    replies = {name: explained(film, tmp_path, capfdbinary) for name, film in films.items()}

    async with inside(window, locale=language) as page:
        for name, film in films.items():
            await compare(page, film, replies[name], language)
    assert all(reply["messages"] for reply in replies.values())


def explained(film: Film, folder: Path, output: pytest.CaptureFixture[bytes]) -> dict[str, Any]:
    """The reply of *film*, as ``cadenza explain --json`` explains it."""
    file = folder / "tea.film.gz"
    file.write_bytes(dump(film))
    output.readouterr()
    assert 0 == main(["explain", str(file), "--json"])
    reply: dict[str, Any]
    [reply] = json.loads(output.readouterr().out)["replies"]
    return reply


async def compare(page: Page, film: Film, reply: dict[str, Any], language: str) -> None:
    """Check that the page says of each message what *reply* says."""
    await page.evaluate("film => { window.reel = new Reel(JSON.parse(film)); }", json.dumps(film.as_json()))
    for message in reply["messages"]:
        assert sentences(message, language) == await shown(page, film, message["id"])


def _odd() -> Iterator[object]:
    yield from (None, 7, "text", [], {}, {"key": 3}, {"key": "list.join"}, {"key": "no.such"}, {"key": "constructor"})
    yield {
        "key": "error.text",
        "values": {"error": {"key": "Discord is in trouble (status {status}).", "values": {"status": "502"}}},
    }
    yield {"key": "error.detail", "values": {"error": "over。.", "detail": "so.。"}}
    yield {"key": "{a} {b} {a}", "values": {"a": "{b}", "b": "$&"}}
    yield {"key": "{a}; {toString}", "values": {"a": [{"key": "1"}, {"key": "{x}", "values": {"x": {"key": "2"}}}]}}
    deep: object = {"key": "end"}
    for _ in range(14):
        deep = {"key": "({x})", "values": {"x": deep}}
    yield deep


async def test_page_and_python_render_alike(window: Open) -> None:
    async with inside(window) as page:
        for told in _odd():
            found = await page.evaluate('async (told) => (await import("cadenza/said.js")).sentence(told)', told)
            assert _rendered(told) == found, told


@pytest.mark.parametrize("language", ["en", "ja"])
async def test_page_and_python_have_the_same_words_for_fates_and_ends(window: Open, language: str) -> None:
    fates = [*FATES, "lost"]
    wanted = [("fate.short", fate) for fate in fates] + [("ends.short", end) for end in (*ENDS, "a_new_one")]
    async with inside(window, locale=language) as page:
        found = await page.evaluate(
            """async (wanted) => {
              const said = await import("cadenza/said.js");
              return wanted.map(([prefix, name]) => said.named(prefix, name));
            }""",
            wanted,
        )
    assert [rendered(fate_in_short(fate), language) for fate in fates] == found[: len(fates)]
    assert "a new one" == found[-1], "shown as it is"
    assert [texts(language)[f"ends.short.{end}"] for end in ENDS] == found[len(fates) : -1]


def _rendered(told: object) -> str:
    try:
        return rendered(from_json(told))
    except InputError:
        return ""


async def test_the_catalogue_of_the_page_is_that_of_the_languages() -> None:
    text = assets.asset("catalogue.js").decode()
    catalogue = json.loads(text.partition("CATALOGUE = ")[2].rstrip(";\n"))

    assert {language: dict(texts(language)) for language in languages()} == catalogue
    assert "catalogue.js" in assets.names()
    assert "list.join" in assets.film_page([])
