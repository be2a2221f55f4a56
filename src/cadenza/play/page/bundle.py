"""Modules as one plain script, for a page that stands alone.

Browsers differ in what they let a page that was opened from a file import; a script that is in the page itself runs
in every one of them, and its digest is all that the page has to allow.
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
    """The module *main* after all that it needs, each in a scope of its own; *source* gives the text of a module.

    ``ValueError`` if a module is written in a way that is not understood, or two modules need each other.
    """
    parts: dict[str, str] = {}
    _collect(main.removesuffix(".js"), source, parts, ())
    scoped = (_scoped(name, text) for name, text in parts.items())
    return '"use strict";\n(() => {\n' + "".join(scoped) + "})();\n"


def needed(main: str, source: Callable[[str], str]) -> tuple[str, ...]:
    """The module *main* and all that it needs, those first that others need; *source* gives the text of a module."""
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
