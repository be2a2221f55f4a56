"""A page for tests: our assets on loopback, behind the same rules as the playground's, with whatever stands in."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from aiohttp import web

from cadenza.play import page
from tests.staying import Addresses

INSIDE = """\
export class InsideView {
  constructor(root, { onSelect, onSeek }) {
    Object.assign(this, { root, onSelect, onSeek, shown: [], selected: [] });
    globalThis.inside = this;
  }
  show(reel, about) { this.shown.push(about); }
  select(selection) { this.selected.push(selection); }
  messagesOf() { return []; }
  close() {}
}
"""
"""Stands in for the view of the inside, and notes what it is told."""
_INLINE = re.compile(r"<script[^>]*>(.+?)</script>", re.DOTALL)


STYLES = ("base.css", "channel.css", "extras.css", "film.css")


def html_of(script: str = "/test.js", *, styles: tuple[str, ...] = STYLES, body: str = "") -> str:
    """A page that runs the module at *script*."""
    links = "".join(f'<link rel="stylesheet" href="/page/{name}">' for name in styles)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Test</title><link rel="icon" href="data:,">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'{links}<script type="importmap">{page.import_map()}</script></head>'
        f'<body>{body}<script type="module" src="{script}"></script></body></html>'
    )


@asynccontextmanager
async def serving(
    addresses: Addresses, html: str, files: Mapping[str, str | bytes] | None = None
) -> AsyncIterator[str]:
    """The address of *html*, with our assets under ``/page/``; *files* are served besides, or instead of an asset."""
    served = dict(files or {})
    instead = sorted(path for path in served if path.startswith("/page/"))

    async def answer(request: web.Request) -> web.Response:
        if request.path == "/":
            return opening(html)
        found = served.get(request.path)
        return asset(request) if found is None else own(request, found)

    async with addresses.answering(answer, remembered=str([(path, served[path]) for path in instead])) as url:
        yield url


def opening(html: str) -> web.Response:
    """The page itself, which is another in each test."""
    headers = {"Content-Security-Policy": _policy(html), "Cache-Control": "no-store"}
    return web.Response(text=html, content_type="text/html", headers=headers)


def own(request: web.Request, data: str | bytes) -> web.Response:
    """A file of a test."""
    kept = "immutable, max-age=86400" if request.path.startswith("/page/") else "no-store"
    return web.Response(body=data, headers={"Content-Type": page.content_type(request.path), "Cache-Control": kept})


def asset(request: web.Request) -> web.Response:
    """One of our assets, which stay as they are while tests run: a browser may keep it."""
    try:
        return own(request, page.asset(request.path.removeprefix("/page/")))
    except KeyError:
        raise web.HTTPNotFound from None


def _policy(html: str) -> str:
    inline = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in _INLINE.findall(html))
    scripts = " ".join(f"'sha256-{digest}'" for digest in inline)
    return (
        f"default-src 'none'; script-src 'self' {scripts}; style-src 'self'; img-src 'self' data: blob:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
