"""What the page is made of: its files, and what must never stand in them."""

from __future__ import annotations

import re

import pytest

from cadenza import page

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


@pytest.mark.parametrize("name", SCRIPTS)
def test_no_script_makes_html_or_script_of_a_text(name: str) -> None:
    source = page.asset(name).decode()

    assert [word for word in FORBIDDEN if word in source] == []


@pytest.mark.parametrize("name", [*SCRIPTS, *SHEETS])
def test_no_file_names_another_machine(name: str) -> None:
    assert ELSEWHERE.findall(page.asset(name).decode()) == []


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_import_each_other_by_their_bare_names(name: str) -> None:
    imported = re.findall(
        r'^(?:import|export)\b(?:[^;"=]*\bfrom)? *"([^"]+)";', page.asset(name).decode(), re.MULTILINE
    )

    assert [found for found in imported if not re.fullmatch(r"cadenza/[a-z0-9_]+\.js", found)] == []
