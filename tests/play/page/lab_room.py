"""A room for tests of the lab, the tour and the panels: a page of its own, and a server that answers as it is told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from cadenza.play import page
from cadenza.rules import RULES
from cadenza.settings import Manner, settings_fields
from cadenza.sim.wire import Json
from tests.play.page.serving import asset, html_of, opening, own
from tests.staying import Addresses

MAIN = [
    "shape",
    "casual",
    "gather",
    "limit",
    "message_limit",
    "when_full",
    "code_file",
    "typing",
    "typing_speed",
    "typing_least",
    "typing_most",
    "typing_budget",
    "typing_tail",
    "thinking_chance",
    "overflow",
    "hold",
    "label_guard",
    "speaker_guard",
    "use_emoji",
    "unknown_emoji",
    "emoji_lookback",
    "mention_people",
    "mention_roles",
    "tables",
    "rules_off",
    "on_stop",
    "debounce",
    "interrupts",
    "stop_phrases",
]
_MANNER = Manner("blocks", typing=False, casual=False)
_KINDS = {bool: "bool", int: "int", float: "float", tuple: "texts"}


def schema(**values: object) -> list[Json]:
    """All settings as the server tells them, with *values* set."""
    told = ((section, spec) for section, spec in settings_fields() if spec.repr and spec.name != "degree")
    return [_setting(section, spec, values) for section, spec in told]


def _setting(section: str, spec: Any, values: dict[str, object]) -> Json:
    about = spec.metadata
    default = list(spec.default) if isinstance(spec.default, tuple) else spec.default
    one_of = [rule.name for rule in RULES] if spec.name == "rules_off" else list(about["one_of"])
    is_choice = bool(about["one_of"])
    high = about["high"]
    if spec.name == "limit":  # here messages go to Discord
        default, high = 1950, 2000
    elif spec.name in Manner._fields:  # the manner in effect
        default = getattr(_MANNER, spec.name)
    return {
        "name": spec.name,
        "section": section,
        "kind": "choice" if is_choice else _KINDS.get(about["kind"], "text"),
        "value": values.get(spec.name, default),
        "default": default,
        "low": about["low"],
        "high": high,
        "one_of": one_of,
        "about": about["about"],
        "is_main": spec.name in MAIN,
    }


def film(*messages: tuple[float, str], told: str = "", took: float = 0.0, more: Iterable[Json] = ()) -> Json:
    """A film in which the bot says *messages*, each at its time, of what a model *told* until *took*."""
    records: list[Json] = [
        {"at": 0.0, "kind": "channel", "channel": {"id": "9", "name": "general", "sort": "text", "topic": ""}},
        {"at": 0.0, "kind": "message", "message": _message("1", "Hello?", is_bot=False)},
    ]
    if told:
        tokens = {"turn": "t", "sort": "text", "text": told, "lengths": [len(told)], "times": [took]}
        records.append({"at": 0.0, "kind": "tokens", **tokens})
    for number, (at, text) in enumerate(messages):
        records.append({"at": at, "kind": "message", "message": _message(str(100 + number), text)})
    records = sorted([*records, *more], key=lambda record: float(str(record["at"])))
    return {"film": 3, "title": "", "seconds": float(str(records[-1]["at"])) + 1, "settings": {}, "records": records}


def _message(id_: str, text: str, *, is_bot: bool = True) -> Json:
    name = "Cadenza" if is_bot else "Mia"
    author = {"id": name, "name": name, "avatar": None, "is_bot": is_bot, "is_webhook": False}
    lists: Json = {key: [] for key in ("pings", "files", "embeds", "components", "reactions")}
    flags: Json = dict.fromkeys(("is_edited", "is_private", "is_thinking", "is_silent"), False)
    time = "2027-01-15T08:00:00.000000+00:00"
    about: Json = {"id": id_, "channel": "9", "time": time, "author": author, "content": text, "markup": [text]}
    return {**about, "reply": None, "command": None, "system": None, **lists, **flags}


def changed(at: float, id_: str, text: str) -> Json:
    """A message of the bot is edited."""
    return {"at": at, "kind": "changed", "message": _message(id_, text)}


@dataclass(slots=True)
class Room:
    """The server of a test: what it was asked, and what it answers."""

    url: str = ""
    asked: list[tuple[str, Json]] = field(default_factory=list)
    answers: dict[str, Json | str] = field(default_factory=dict)
    """By path; a text is sent as HTML, ``{"error": …}`` with the status 400."""
    held: dict[str, asyncio.Event] = field(default_factory=dict)
    """Answers that wait, by path."""

    def bodies(self, path: str) -> list[Json]:
        """What was asked of *path*."""
        return [body for asked, body in self.asked if asked == path]

    async def api(self, request: web.Request) -> web.Response:
        """Note what is asked, and answer as the test has it."""
        body = await request.json() if request.method == "POST" else {}
        self.asked.append((request.path, body))
        if request.path in self.held:
            await self.held[request.path].wait()
        answer = self.answers.get(request.path, {"error": f"there is no {request.path}"})
        if isinstance(answer, str):
            return web.Response(text=answer, content_type="text/html")
        return web.json_response(answer, status=400 if "error" in answer else 200)


@asynccontextmanager
async def room(addresses: Addresses, script: str) -> AsyncIterator[Room]:
    """A page that runs *script*, a module, with ``<main id="root">`` in it, behind the playground's own rules."""
    made = Room()
    styles = sorted(
        (name for name in page.names() if name.endswith(".css")), key=lambda name: (name != "base.css", name)
    )
    html = html_of(styles=tuple(styles), body='<main id="root"></main>')

    async def answer(request: web.Request) -> web.StreamResponse:
        if request.path == "/":
            return opening(html)
        if request.path == "/test.js":
            return own(request, script)
        return await made.api(request) if request.path.startswith("/api/") else asset(request)

    async with addresses.answering(answer) as made.url:
        yield made
