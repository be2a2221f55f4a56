"""The page of the playground: plain modules and styles without a build step.

A server hands out its *assets*. ``film_page`` puts films into one HTML file that opens anywhere, without a network.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, Final

from ...explain.sentences import texts
from ...languages import languages
from .bundle import bundle, needed

__all__ = ["PREFIX", "asset", "content_type", "film_page", "import_map", "index", "names"]

PREFIX: Final = "cadenza/"
"""How the modules name each other: ``import { el } from "cadenza/dom.js"``."""

_TYPES: Final = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "png": "image/png",
    "svg": "image/svg+xml",
}
_NAME: Final = re.compile(r"[a-z0-9_]+\.[a-z]+")
_MAIN: Final = "export.js"
_INDEX: Final = "index.html"
_CATALOGUE: Final = "catalogue.js"
"""A module that is made of the catalogues in ``languages/``, not of a file."""
_LIVE: Final = re.compile(r' *<script type="module" src="/page/([a-z0-9_]+\.js)"></script>\n')
_STYLES: Final = ("base.css", "channel.css", "extras.css", "film.css", "inside.css")
# Characters that could end a script or begin a comment, line ends of older JavaScript, and lone surrogates, which
# UTF-8 cannot encode.
_UNSAFE: Final = re.compile("[<>&\u2028\u2029\ud800-\udfff]")
_LANGUAGES: Final = ("en", "ja")


def asset(name: str) -> bytes:
    """The file *name* of the page; ``KeyError`` if there is none."""
    if name == _CATALOGUE:
        return _catalogue()
    if not _NAME.fullmatch(name) or name.rpartition(".")[2] not in _TYPES:
        raise KeyError(name)
    try:
        return resources.files(__name__).joinpath(name).read_bytes()
    except OSError:
        raise KeyError(name) from None


@cache
def _catalogue() -> bytes:
    """The module with the sentences of explanations in all languages, by key."""
    catalogue = {language: dict(texts(language)) for language in languages()}
    return f"/** The sentences of explanations. */\nexport const CATALOGUE = {_as_script(catalogue)};\n".encode()


@cache
def index() -> bytes:
    """The live page. It preloads every module; else a browser would fetch them one after the other."""
    text = asset(_INDEX).decode()
    return _LIVE.sub(_with_its_modules, text, count=1).encode()


def _with_its_modules(script: re.Match[str]) -> str:
    modules = needed(script[1], lambda name: asset(name).decode())
    return "".join(f'    <link rel="modulepreload" href="/page/{name}">\n' for name in modules) + script[0]


@cache
def names() -> tuple[str, ...]:
    """Every file of the page."""
    found = (_CATALOGUE, *(path.name for path in resources.files(__name__).iterdir()))
    return tuple(sorted(name for name in found if _NAME.fullmatch(name) and name.rpartition(".")[2] in _TYPES))


def content_type(name: str) -> str:
    """The content type of *name*; ``KeyError`` for unknown file types."""
    return _TYPES[name.rpartition(".")[2]]


def import_map(base: str = "/page/") -> str:
    """The import map for modules that are served under *base*."""
    return json.dumps({"imports": {PREFIX: base}}, separators=(",", ":"))


def film_page(
    films: Sequence[str],
    *,
    title: str = "",
    labels: Sequence[object] = (),
    captions: Sequence[Mapping[str, Any]] = (),
    language: str = "en",
) -> str:
    """One or two *films* as one HTML file that opens anywhere, without a server and without a network.

    The *films* are packed (``cadenza.play.films.film.packed``). *labels* stand above them and *captions* below them at their
    times; both are texts or ``{"en": …, "ja": …}``. All of it is shown as text and never read as HTML.
    """
    if language not in _LANGUAGES:
        message = f"the page speaks {' and '.join(_LANGUAGES)}, not {language!r}"
        raise ValueError(message)
    held = {"title": title, "labels": list(labels), "captions": list(captions), "films": list(films)}
    return f"""\
<!doctype html>
<html lang="{language}" data-alone="">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_policy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{html.escape(_writable(title) or "Cadenza")}</title>
<style>{_styles()}</style>
</head>
<body>
<script type="application/json" id="films">{_as_script(held)}</script>
<script>{_script()}</script>
</body>
</html>
"""


@cache
def _script() -> str:
    """The script of a film page; the same for all."""
    return bundle(_MAIN, lambda name: asset(name).decode())


@cache
def _styles() -> str:
    return "\n".join(asset(name).decode() for name in _STYLES)


@cache
def _policy() -> str:
    """The content security policy: only what is in the file itself."""
    return (
        f"default-src 'none'; script-src {_digest(_script())}; style-src {_digest(_styles())}; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _as_script(value: object) -> str:
    """*value* as JSON that is safe within HTML."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _writable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
