"""Bundles modules into one plain script, for a page in one file.

Browsers differ in what a page from a file may import. An inline script runs in all of them, and the content security
policy needs only its digest.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

_IMPORT: Final = re.compile(r'^import (?:\{([^}]*)\} from )?"cadenza/([a-z0-9_]+)\.js";$', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export ((?:async )?(?:function\*?|class|const) (\w+))", re.MULTILINE)
_OTHER: Final = re.compile(r"^(?:import|export)\b.*$|</script|<!--", re.MULTILINE | re.IGNORECASE)
_RENAMED: Final = re.compile(r"\s+as\s+")


def bundle(main: str, source: Callable[[str], str]) -> str:
    """The module *main* and its dependencies as one script, each in its own scope; *source* returns a module's text.

    ``ValueError`` if a module uses unknown syntax, or modules import each other in a circle.
    """
    parts: dict[str, str] = {}
    _collect(main.removesuffix(".js"), source, parts, ())
    scoped = (_scoped(name, text) for name, text in parts.items())
    return '"use strict";\n(() => {\n' + "".join(scoped) + "})();\n"


def needed(main: str, source: Callable[[str], str]) -> tuple[str, ...]:
    """The module *main* and its dependencies, in the order of imports; *source* returns a module's text."""
    parts: dict[str, str] = {}
    _collect(main.removesuffix(".js"), source, parts, ())
    return tuple(f"{name}.js" for name in parts)


def _collect(name: str, source: Callable[[str], str], parts: dict[str, str], above: tuple[str, ...]) -> None:
    if name in above:
        message = f"the modules {' → '.join((*above, name))} need each other"
        raise ValueError(message)
    if name in parts:
        return
    text = source(f"{name}.js")
    for found in _IMPORT.finditer(text):
        _collect(found[2], source, parts, (*above, name))
    parts[name] = text


def _scoped(name: str, text: str) -> str:
    exported = [found[2] for found in _EXPORT.finditer(text)]
    body = _EXPORT.sub(r"\1", _IMPORT.sub(_taken, text))
    if other := _OTHER.search(body):
        message = f"{name}.js cannot be put into a script because of {other[0]!r}"
        raise ValueError(message)
    return f"const _{name} = (() => {{\n{body}\nreturn {{ {', '.join(exported)} }};\n}})();\n"


def _taken(found: re.Match[str]) -> str:
    wanted = [_RENAMED.sub(": ", name.strip()) for name in (found[1] or "").split(",") if name.strip()]
    return f"const {{ {', '.join(wanted)} }} = _{found[2]};" if wanted else ""
