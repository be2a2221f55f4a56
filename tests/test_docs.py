"""The papers say what is: examples run, tables match the code, links lead somewhere."""

from __future__ import annotations

import ast
import doctest
import io
import os
import re
from dataclasses import is_dataclass
from enum import Enum
from pathlib import Path

import pytest
from rich.console import Console

import cadenza
import cadenza.sim
import cadenza.types
from cadenza.bot.services import logs
from cadenza.cli.demo import play
from cadenza.settings import settings_fields
from cadenza.targets.console import ConsoleTarget
from cadenza.targets.discord.policies import OTHERWISE, TABLE, UNKNOWN, Condition, Policy, Step

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
    "fallback": "../turns",
    "channel": "../turns",
}

_PYTHON = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\[[^\]]*\]\((?!https?:|mailto:)([^)#\s]*)#?([^)\s]*)\)")
"""A link within the papers: the page, and the place in it."""


PROGRAMS = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "examples").glob("*.py"))}
"""Programs that need a token: ``test_examples`` runs them as processes."""
RECIPES = ROOT / "docs" / "recipes"
"""Bots, too: ``test_recipes`` runs them."""


def _examples() -> list[object]:
    return [
        pytest.param(match[1], id=f"{page.name}-{number}")
        for page in PAGES
        if page.parent != RECIPES
        for number, match in enumerate(_PYTHON.finditer(page.read_text(encoding="utf-8")), start=1)
        if not any(program.endswith(match[1]) for program in PROGRAMS.values())
    ]


def test_the_first_program_of_the_readme_is_one_of_the_examples() -> None:
    """All of it but its docstring, so that what people read first is what is run."""
    first = next(_PYTHON.finditer((ROOT / "README.md").read_text(encoding="utf-8")))[1]

    assert PROGRAMS[ROOT / "examples" / "discord_openai.py"].endswith(f'"""\n\n{first}')


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)
def test_every_program_is_listed(program: Path) -> None:
    assert any(f"examples/{program.name})" in page.read_text(encoding="utf-8") for page in PAGES)


@pytest.mark.parametrize("example", _examples())
def test_every_python_example_runs(example: str) -> None:
    try:
        exec(compile(example, "example", "exec", dont_inherit=True), {"__name__": "__main__"})  # noqa: S102  # our own words
    finally:
        logs.take_down()  # one that runs a bot has put it up


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


def test_every_setting_stands_on_its_page_with_its_default() -> None:
    pages = {
        section: (ROOT / "docs" / "pipeline" / f"{name}.md").read_text(encoding="utf-8")
        for section, name in PAGE_OF_SECTION.items()
    }
    rows = [(section, f"| `{spec.name}` | `{spec.default}` |") for section, spec in settings_fields()]

    assert [] == [row for section, row in rows if row not in pages[section]]


def test_every_rule_stands_on_its_page_and_has_words_on_the_playground() -> None:
    page = (ROOT / "docs" / "pipeline" / "06-rules.md").read_text(encoding="utf-8")
    words = (ROOT / "src" / "cadenza" / "play" / "page" / "words_settings.js").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([A-Z]\w+)` \| `(\w+)` \|", page, re.MULTILINE)

    assert [(rule.__name__, rule.name) for rule in cadenza.RULES] == rows
    assert [] == [rule.name for rule in cadenza.RULES if words.count(f"    {rule.name}: [") != 2]


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
        if alias.name in (cadenza.sim.__all__ if (node.module or "").startswith("cadenza.sim.") else cadenza.__all__)
    ]

    assert [] == deep


# --- the table of refusals -----------------------------------------------------------------------


def _said(condition: Condition) -> str:
    """What Discord says where *condition* fits, in words."""
    statuses = sorted(condition.statuses)
    ranges = (
        f"status {statuses[0]} to {statuses[-1]}"
        if len(statuses) > 1
        else "".join(f"status {status}" for status in statuses)
    )
    words = [
        *map(str, sorted(condition.codes)),
        ranges,
        f"50035 for `{condition.field}`" * bool(condition.field),
        "a page of Cloudflare" * condition.is_ban,
        "no answer" * condition.is_ambiguous,
    ]
    return ", ".join(filter(None, words))


def _row(said: str, policy: Policy) -> str:
    as_bot = "yes" if policy.helps_as_bot else "no"
    return f"| {said} | `{policy.name}` | `{policy.step.name.lower()}` | {as_bot} | {policy.told} |"


def test_the_table_of_refusals_is_what_is_done() -> None:
    """``REWRITE_DOCS=1`` writes it anew; read what has changed before you keep it."""
    path = ROOT / "docs" / "discord.md"
    before, table, after = re.split(r"(?<=begin -->\n)|(?=<!-- refusals:end)", path.read_text(encoding="utf-8"))
    head = table.splitlines()[:2]
    rows = [_row(_said(row.condition), row.policy) for row in TABLE]
    rows += [_row("anything else", OTHERWISE), _row("no answer, and the channel cannot be read", UNKNOWN)]

    if os.environ.get("REWRITE_DOCS"):
        table = "\n".join([*head, *rows, ""])
        path.write_text(before + table + after, encoding="utf-8")

    assert [*head, *rows] == table.splitlines()


def test_every_step_after_a_refusal_is_told() -> None:
    page = (ROOT / "docs" / "discord.md").read_text(encoding="utf-8")

    told = re.findall(r"^\| `([a-z_]+)` \| [A-Z][^|]+\. \|$", page, re.MULTILINE)

    assert [step.name.lower() for step in Step] == told
