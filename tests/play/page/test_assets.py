"""What the page is made of: its files, and what must never stand in them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest

from cadenza.play import page

SCRIPTS = [name for name in page.names() if name.endswith(".js")]
SHEETS = [name for name in page.names() if name.endswith(".css")]
FORBIDDEN = (
    "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", 'setAttribute("on',
    "javascript:", "DOMParser", "createContextualFragment", "srcdoc=", "importScripts",
)  # fmt: skip
ELSEWHERE = re.compile(r"https?://(?!www\.w3\.org/2000/svg|example\.org/)|url\(|@import")


@pytest.mark.parametrize("name", ["dom.js", "base.css", "export.js"])
def test_a_file_of_the_page_is_given(name: str) -> None:
    assert name in page.names()
    assert len(page.asset(name)) > 100


@pytest.mark.parametrize(
    "name", ["", "nothing.js", "../cli.py", "__init__.py", "/etc/passwd", "dom.js/", "..", "DOM.JS", "dom.js\n"]
)
def test_what_is_no_file_of_the_page_is_not_given(name: str) -> None:
    with pytest.raises(KeyError):
        page.asset(name)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("dom.js", "text/javascript; charset=utf-8"),
        ("base.css", "text/css; charset=utf-8"),
        ("index.html", "text/html; charset=utf-8"),
        ("icon.svg", "image/svg+xml"),
    ],
)
def test_a_browser_is_told_what_a_file_is(name: str, expected: str) -> None:
    assert expected == page.content_type(name)


def test_what_is_no_kind_of_file_of_ours_has_no_type() -> None:
    with pytest.raises(KeyError):
        page.content_type("cli.py")


def test_no_script_makes_html_or_script_of_a_text() -> None:
    assert [(name, word) for name, source in _sources().items() for word in FORBIDDEN if word in source] == []


def test_no_file_names_another_machine() -> None:
    # Sentences of the catalogue may: they are shown as text. In the other files an address could be asked for.
    assert [found for found in _found(ELSEWHERE) if found[0] != "catalogue.js"] == []


def test_scripts_import_each_other_by_their_bare_names() -> None:
    imported = [
        (name, found)
        for name, source in _sources().items()
        for found in re.findall(r'^(?:import|export)\b(?:[^;"=]*\bfrom)? *"([^"]+)";', source, re.MULTILINE)
    ]

    assert len(imported) > len(SCRIPTS)
    assert [one for one in imported if not re.fullmatch(r"cadenza/[a-z0-9_]+\.js", one[1])] == []


# What Firefox ESR 128 or Safari 17 have not; what is only a nicety of styles and is passed over there is not here.
TOO_NEW = re.compile(
    r"withResolvers|groupBy\(|fromAsync|Promise\.try|checkVisibility|RegExp\.escape|URL\.parse|\.bytes\(\)|isSubsetOf"
    r"|\.(?:values|entries|keys)\(\)\.(?:map|filter|some|every|find|reduce|toArray|forEach)\("
    r"|light-dark\(|@starting-style|@scope|position-anchor|interpolate-size|\bif\(--",
    re.MULTILINE,
)


def test_nothing_is_used_that_other_browsers_do_not_have() -> None:
    assert _found(TOO_NEW) == []


ENTRIES = {"app.js", "export.js"}
"""Modules that a page begins with."""
FOR_TESTS = {"difference", "keys", "svg", "turnsOf"}
"""Exported so that tests can look at what nobody else needs to see."""


def _found(what: re.Pattern[str]) -> list[tuple[str, str]]:
    """Where *what* stands in our scripts and styles."""
    return [(name, found) for name in (*SCRIPTS, *SHEETS) for found in what.findall(page.asset(name).decode())]


@cache
def _sources() -> dict[str, str]:
    return {name: page.asset(name).decode() for name in SCRIPTS}


def _imported(source: str) -> Iterator[tuple[str, str]]:
    """What a module takes from which other; an empty name where it only has it run."""
    found = re.findall(
        r'(?:import \{([^}]*)\} from|const \{([^}]*)\} = await brought\(\(\) => import\() ?"cadenza/(\w+\.js)"', source
    )
    for static, later, module in found:
        yield from ((module, name.split(" as ")[0].strip()) for name in (static + later).split(",") if name.strip())
    yield from ((module, "") for module in re.findall(r'^import "cadenza/(\w+\.js)";', source, re.MULTILINE))


def test_whatever_is_exported_is_imported_somewhere_and_the_other_way_round() -> None:
    exported = {
        (name, found)
        for name, source in _sources().items()
        for found in re.findall(r"^export (?:async )?(?:function|class|const) (\w+)", source, re.MULTILINE)
    }
    imported = {found for source in _sources().values() for found in _imported(source)}

    assert sorted(found for found in exported - imported if found[1] not in FOR_TESTS) == []
    assert sorted(found for found in imported - exported if found[1]) == []
    assert set(SCRIPTS) - {module for module, _ in imported} == ENTRIES


def test_whatever_is_imported_is_used() -> None:
    unused = []
    for name, source in _sources().items():
        times = Counter(re.findall(r"\w+", source))
        taken = [
            word.split(" as ")[-1].strip()
            for words in re.findall(r"^import \{([^}]*)\}", source, re.MULTILINE)
            for word in words.split(",")
        ]
        unused += [(name, word) for word in taken if word and times[word] < 2]

    assert unused == []


def test_whatever_is_exported_is_told_of() -> None:
    export = re.compile(r"(?<!\*/\n)^export (?:function|class|async function) (\w+)", re.MULTILINE)

    assert [(name, found) for name, source in _sources().items() for found in export.findall(source)] == []


@pytest.mark.parametrize("name", SHEETS)
def test_every_class_and_variable_of_a_sheet_is_used(name: str) -> None:
    scripts = "".join(_sources().values()) + page.asset("index.html").decode()
    sheets = "".join(page.asset(sheet).decode() for sheet in SHEETS)
    sheet = re.sub(r"/\*.*?\*/", "", page.asset(name).decode(), flags=re.DOTALL)
    selectors = re.sub(r"\{[^{}]*\}", "{}", sheet)
    # Some are put together: `heading-${level}`.
    stems = set(re.findall(r"([a-z]+-)\$\{", scripts))
    words = set(re.findall(r"[a-z][\w-]*", scripts))

    classes = {found for found in re.findall(r"\.([a-z][\w-]*)", selectors) if not any(map(found.startswith, stems))}
    variables = set(re.findall(r"(--[\w-]+):", sheet))
    assert sorted(classes - words) == []
    assert sorted(found for found in variables if f"var({found}" not in sheets and found not in scripts) == []
