"""The papers say what is: examples run, tables match the code, links lead somewhere."""

from __future__ import annotations

import ast
import doctest
import io
import re
from dataclasses import is_dataclass
from enum import Enum
from pathlib import Path

import pytest
from rich.console import Console

import cadenza
import cadenza.types
from cadenza.demo import play
from cadenza.settings import settings_fields
from cadenza.targets.console import ConsoleTarget

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
STAGES = sorted((ROOT / "docs" / "pipeline").glob("0*.md"))
HEADINGS = ["Mission", "Input", "Output", "State kept", "Laws", "Settings", "How to extend"]
PAGE_OF_SECTION = {
    "context": "01-context",
    "http": "02-generation",
    "buffer": "05-buffer",
    "rules": "06-rules",
    "delivery": "07-delivery",
    "turn": "04-round",
    "channel": "../turns",
}

_PYTHON = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\[[^\]]*\]\((?!https?:|mailto:)([^)#\s]*)#?([^)\s]*)\)")
"""A link within the papers: the page, and the place in it."""


def _examples() -> list[object]:
    return [
        pytest.param(match[1], id=f"{page.name}-{number}")
        for page in PAGES
        for number, match in enumerate(_PYTHON.finditer(page.read_text(encoding="utf-8")), start=1)
    ]


@pytest.mark.parametrize("example", _examples())
def test_every_python_example_runs(example: str) -> None:
    exec(compile(example, "example", "exec"), {"__name__": "__main__"})  # noqa: S102  # our own words


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_console_example_answers_as_shown(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    if ">>> " not in text:
        return
    parser = doctest.DocTestParser()
    blocks = re.findall(r"^```pycon\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for block in blocks:
        runner.run(parser.get_doctest(block, {}, page.name, str(page), 0))

    assert runner.summarize(verbose=False).failed == 0


@pytest.mark.parametrize("page", STAGES, ids=lambda page: page.stem)
def test_every_stage_has_the_same_headings(page: Path) -> None:
    assert HEADINGS == re.findall(r"^## (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)


def test_every_stage_has_a_page() -> None:
    stages = (ROOT / "src" / "cadenza" / "stages").glob("s[1-7]_*.py")

    assert sorted({path.stem[1] for path in stages}) == [path.stem[1] for path in STAGES]


@pytest.mark.parametrize(("section", "name"), [(section, spec.name) for section, spec in settings_fields()])
def test_every_setting_stands_on_its_page_with_its_default(section: str, name: str) -> None:
    default = next(spec.default for _, spec in settings_fields() if spec.name == name)
    page = ROOT / "docs" / "pipeline" / f"{PAGE_OF_SECTION[section]}.md"

    assert f"| `{name}` | `{default}` |" in page.read_text(encoding="utf-8")


def test_every_noun_stands_in_the_glossary() -> None:
    glossary = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    nouns = [
        name
        for name, value in vars(cadenza.types).items()
        if isinstance(value, type)
        and value.__module__ == "cadenza.types"
        and (is_dataclass(value) or issubclass(value, Enum))
    ]

    assert [noun for noun in nouns if f"**{noun}**" not in glossary] == []


async def test_the_recording_in_the_readme_is_what_the_demo_shows() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    recording = readme.split("```text\n")[1].split("```")[0].split("\n")
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, force_interactive=False, width=90, color_system=None)

    await play(ConsoleTarget("Ren", avatar="🦊", console=console), fast=True)

    shown = {line.rstrip() for line in screen.getvalue().split("\n")}
    assert [line for line in recording if line not in shown and "is typing" not in line] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    for target, place in _LINK.findall(page.read_text(encoding="utf-8")):
        linked = page.parent / target if target else page
        assert linked.exists(), target
        if place:
            assert place in _places(linked), f"{target}#{place}"


def _places(page: Path) -> set[str]:
    """What a link can name within *page*: its headings, in the way of GitHub."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached, to_read = set[Path](), [ROOT / "README.md"]
    while to_read:
        page = to_read.pop()
        if page.suffix == ".md" and page not in reached:
            reached.add(page)
            links = _LINK.findall(page.read_text(encoding="utf-8"))
            to_read += [(page.parent / target).resolve() for target, _ in links if target]

    assert [] == [page.name for page in PAGES if page not in reached]


def test_the_glossary_is_in_order_and_says_everything_once() -> None:
    words = re.findall(r"^- \*\*(.+?)\*\*", (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"), re.MULTILINE)

    assert sorted(words, key=str.lower) == words
    assert len(words) == len(set(words))


@pytest.mark.parametrize("example", _examples())
def test_examples_import_what_is_public_from_where_it_is_promised(example: str) -> None:
    deep = [
        f"{node.module}.{alias.name}"
        for node in ast.walk(ast.parse(example))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("cadenza.")
        for alias in node.names
        if alias.name in cadenza.__all__
    ]

    assert [] == deep
