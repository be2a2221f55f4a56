"""Films made by hand, with everything in them that docs/films.md knows."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

from cadenza.sim.wire import Json

CHANNEL = "10"
PICTURE = (
    "data:image/svg+xml;base64,"
    + base64.b64encode(
        b'<svg xmlns="http://www.w3.org/2000/svg" width="640" height="320"><rect width="640" height="320" fill="#7a5cc9"/>'
        b'<circle cx="320" cy="160" r="110" fill="#f2c14e"/></svg>'
    ).decode()
)
MIA: Json = {"id": "1", "name": "Mia", "avatar": None, "is_bot": False, "is_webhook": False}
REN: Json = {"id": "2", "name": "Ren", "avatar": PICTURE, "is_bot": True, "is_webhook": True}


def said(id_: str, text: str = "", *, author: Json = MIA, seconds: float = 0.0, **more: Any) -> Json:
    """A message; *more* are other fields than usual."""
    minutes, rest = divmod(seconds, 60)
    return {
        "id": id_,
        "channel": CHANNEL,
        "author": author,
        "time": f"2026-05-04T12:{int(minutes):02}:{int(rest):02}.000000+00:00",
        "content": text,
        "markup": [text] if text else [],
        "reply": None,
        "command": None,
        "is_edited": False,
        "is_private": False,
        "is_thinking": False,
        "is_silent": False,
        "pings": [],
        "files": [],
        "embeds": [],
        "components": [],
        "reactions": [],
        "system": None,
        **more,
    }


def at(time: float, kind: str, **about: Any) -> Json:
    """A record."""
    return {"at": time, "kind": kind, **about}


def film(*records: Json, seconds: float | None = None) -> Json:
    """A film of *records*."""
    last = records[-1]["at"] if records else 0.0
    return {
        "film": 3,
        "title": "",
        "seconds": last if seconds is None else seconds,
        "settings": {},
        "records": [*records],
    }


def talk(*messages: Json) -> Json:
    """A film in which one of *messages* is said every second."""
    return film(*(at(float(number), "message", message=message) for number, message in enumerate(messages)))


MARKUP: list[Any] = [
    {"is": "heading", "level": 1, "of": ["A heading"]},
    "Some ",
    {"is": "bold", "of": ["bold ", {"is": "italic", "of": ["and italic"]}]},
    ", ",
    {"is": "underline", "of": ["underlined"]},
    ", ",
    {"is": "strike", "of": ["struck"]},
    ", ",
    {"is": "code", "text": "code()"},
    " and ",
    {"is": "spoiler", "of": ["the ", {"is": "bold", "of": ["butler"]}]},
    ".\n",
    {"is": "quote", "of": ["A quote\nof two lines"]},
    {
        "is": "list",
        "start": None,
        "items": [["milk"], ["tea", {"is": "list", "start": 9, "items": [["green"], ["black"]]}]],
    },
    {"is": "block", "language": "python", "text": "def greet(name):\n    return f'Hello, {name}!'"},
    {"is": "mention", "sort": "user", "id": "1", "name": "Mia"},
    " ",
    {"is": "mention", "sort": "channel", "id": "10", "name": "general"},
    " ",
    {"is": "mention", "sort": "command", "id": "5", "name": "persona create"},
    " ",
    {"is": "mention", "sort": "everyone", "id": None, "name": ""},
    " ",
    {"is": "emoji", "name": "🎻", "id": None, "is_animated": False},
    {"is": "emoji", "name": "party_cat", "id": "77", "is_animated": True},
    " ",
    {"is": "time", "seconds": 1_770_033_600, "style": "D"},
    " ",
    {"is": "link", "url": "https://example.org/a?b=c", "of": ["a link"]},
    "\n",
    {"is": "subtext", "of": ["small print"]},
]

FILES: list[Json] = [
    {"id": "f1", "name": "sun.svg", "size": 310, "type": "image/svg+xml", "url": PICTURE, "width": 640, "height": 320, "about": "A sun", "is_spoiler": False},
    {"id": "f2", "name": "notes.txt", "size": 20_480, "type": "text/plain", "url": "data:text/plain,hello", "width": None, "height": None, "about": "", "is_spoiler": False},
    {"id": "f3", "name": "secret.svg", "size": 310, "type": "image/svg+xml", "url": PICTURE, "width": 640, "height": 320, "about": "", "is_spoiler": True},
]  # fmt: skip

EMBED: Json = {
    "author": "The library",
    "title": ["Cadenza"],
    "url": "https://example.org/",
    "text": ["Messages, ", {"is": "bold", "of": ["naturally"]}, "."],
    "fields": [{"name": "Kind", "value": ["library"], "is_inline": True}, {"name": "State", "value": ["well"], "is_inline": True}],
    "footer": "made today",
    "colour": "#7a5cc9",
    "image": None,
    "thumbnail": PICTURE,
    "time": "2026-05-04T12:00:00.000000+00:00",
}  # fmt: skip

COMPONENTS: list[list[Json]] = [
    [
        {"sort": "button", "id": "yes", "label": "Yes", "emoji": "👍", "style": "primary", "url": None, "is_disabled": False},
        {"sort": "button", "id": "no", "label": "No", "emoji": None, "style": "danger", "url": None, "is_disabled": False},
        {"sort": "link", "id": None, "label": "Site", "emoji": None, "style": "link", "url": "https://example.org/", "is_disabled": False},
    ],
    [
        {"sort": "menu", "id": "who", "label": "", "placeholder": "Who speaks?", "is_disabled": False, "options": [{"label": "Ren", "value": "ren"}, {"label": "Aoi", "value": "aoi"}]}
    ],
]  # fmt: skip


def packed(film: object) -> str:
    """*film* as pages take it."""
    return base64.b64encode(gzip.compress(json.dumps(film).encode(), mtime=0)).decode()


def rich() -> Json:
    """A film with everything in it."""
    messages = [
        said("101", "Evening! Anybody there?"),
        said("102", "I brought a question.", seconds=20),
        said("103", "Everything at once:", author=REN, seconds=40, markup=MARKUP, is_edited=True, reply={"id": "101", "name": "Mia", "avatar": None, "text": "Evening! Anybody there?"}),
        said("104", author=REN, seconds=42, files=FILES),
        said("105", author=REN, seconds=44, embeds=[EMBED], components=COMPONENTS, reactions=[{"emoji": {"is": "emoji", "name": "🎉", "id": None}, "count": 3, "is_mine": True}]),
        said("106", "🎻🎶", seconds=60, markup=[{"is": "emoji", "name": "🎻", "id": None}, {"is": "emoji", "name": "🎶", "id": None}]),
        said("107", "Forgotten.", author={**REN, "is_webhook": False, "name": "Cadenza", "avatar": None, "id": "3"}, seconds=70, is_private=True, command={"name": "forget", "who": "Mia"}),
        said("108", author={**REN, "is_webhook": False, "name": "Cadenza", "avatar": None, "id": "3"}, seconds=80, is_thinking=True, command={"name": "draw", "who": "Mia"}),
        said("109", "", seconds=90, system="pinned"),
        said("110", "Look, Mia!", author=REN, seconds=95, pings=["1"], markup=["Look, ", {"is": "mention", "sort": "user", "id": "1", "name": "Mia"}, "!"]),
    ]  # fmt: skip
    return film(
        at(0, "channel", channel={"id": CHANNEL, "name": "general", "sort": "text", "topic": ""}),
        at(0, "person", person={**MIA, "is_me": True}),
        *(at(1.0 + number, "message", message=message) for number, message in enumerate(messages)),
        at(12.0, "typing", channel=CHANNEL, who={"id": "2", "name": "Ren", "avatar": None}),
        seconds=14.0,
    )
