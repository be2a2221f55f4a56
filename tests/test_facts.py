"""The facts, and the page that describes them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from enum import Enum
from inspect import getsource
from itertools import pairwise, product
from pathlib import Path

import pytest

from cadenza import facts
from cadenza.explain.telling import ADDED, DROPPED, EFFECTS, HOLDS, REMEDIES, REPLACED, WAITS
from cadenza.facts import (
    FACTS,
    SETTINGS,
    VERSION,
    Edge,
    LoggedFact,
    MessageEnd,
    MessagePlanned,
    MessageSent,
    ReadingPaused,
    TextChanged,
    TextCut,
    values_of,
)
from cadenza.models.fallback import AttemptReason
from cadenza.models.keys import KeyRemedy
from cadenza.rules import RULES
from cadenza.stages.s4_round import Keep
from cadenza.types import AsideKind, Kind, StopReason, Urgency
from tests.laws.material import CORPUS
from tests.laws.test_law8_explained import SHAPES, facts_of

PAGE = (Path(__file__).parents[1] / "docs" / "facts.md").read_text(encoding="utf-8")
CODE = re.compile(r"`([^`]+)`")
BULLET = re.compile(r"^- `(\w+)`: (.+)$", re.MULTILINE)


def part(heading: str) -> str:
    """What stands under *heading*, up to the next one of the same level."""
    return PAGE.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]


def rows(text: str, head: str) -> list[list[str]]:
    """The cells of the table in *text* that begins with the line *head*."""
    table = text.split(f"{head}\n|---", 1)[1].split("\n\n", 1)[0]
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in table.splitlines()[1:]]


def described() -> dict[str, dict[str, str]]:
    """The words about each field of each fact on the page, in order."""
    sections = part("The facts").split("\n### ")[1:]
    return {section.split("`")[1]: dict(BULLET.findall(section)) for section in sections}


def docstrings() -> dict[tuple[str, str], str]:
    """The docstring of each field of a fact that has one, by the names of the fact and the field."""
    names = {kind.__name__: kind.name for kind in FACTS.values()}
    found: dict[tuple[str, str], str] = {}
    for node in ast.parse(getsource(facts)).body:
        if isinstance(node, ast.ClassDef) and node.name in names:
            found |= {(names[node.name], field): text for field, text in _fields_with_docstrings(node.body)}
    return found


def _fields_with_docstrings(body: Sequence[ast.stmt]) -> Iterable[tuple[str, str]]:
    for field, after in pairwise(body):
        match field, after:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield name, text


def values(kind: type[Enum]) -> set[str]:
    return {str(member.value) for member in kind}


# --- the facts -----------------------------------------------------------------------------------


def test_a_fact_has_its_name_in_words() -> None:
    assert FACTS["text_cut"] is TextCut
    assert {kind.name: kind for kind in FACTS.values()} == FACTS
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)+", name) for name in FACTS)


def test_the_values_of_a_fact_are_by_the_names_of_its_fields() -> None:
    assert {"seconds": 1.5} == values_of(ReadingPaused(1.5))


def test_facts_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        ReadingPaused(1.5).seconds = 2.0  # type: ignore[misc]  # the point is to try it


def test_only_ends_that_there_are_have_a_setting() -> None:
    assert set() == SETTINGS.keys() - set(MessageEnd)


# --- the page ------------------------------------------------------------------------------------


def test_the_page_describes_every_fact_in_order_with_exactly_its_fields() -> None:
    expected = {name: [spec.name for spec in fields(kind)] for name, kind in FACTS.items()}
    found = {name: [*about] for name, about in described().items()}

    assert expected == found
    assert [*FACTS] == [*found]


def test_the_page_says_which_setting_decides_each_end() -> None:
    table = rows(part("Why a message ends"), "| reason | why the message ends | setting |")

    found = {reason.strip("`"): "".join(CODE.findall(setting)) for reason, _, setting in table}
    assert {end.value: SETTINGS.get(end, "") for end in MessageEnd} == found
    assert [end.value for end in MessageEnd] == [*found]


@pytest.mark.parametrize(
    ("head", "kind"),
    [("| field of `LoggedFact` | what it is |", LoggedFact), ("| field of `Edge` | what it is |", Edge)],
)
def test_the_tables_of_fields_are_whole(head: str, kind: type[LoggedFact | Edge]) -> None:
    assert [spec.name for spec in fields(kind)] == [row[0].strip("`") for row in rows(PAGE, head)]


LISTED = {where: CODE.findall(text.replace("``", "`")) for where, text in docstrings().items() if "``" in text}
"""The values that the docstrings of fields list."""


def test_docstrings_are_found() -> None:
    assert ["say", "reply"] == LISTED["reply_began", "kind"]
    assert len(LISTED) >= 10


@pytest.mark.parametrize("where", LISTED, ids=".".join)
def test_the_page_lists_every_value_that_a_docstring_lists(where: tuple[str, str]) -> None:
    fact, field = where

    assert [] == [value for value in LISTED[where] if value not in CODE.findall(described()[fact][field])]


VALUES: Mapping[tuple[str, str], Iterable[str]] = {
    ("attempt_began", "why"): values(AttemptReason),
    ("attempt_ended", "cure"): values(KeyRemedy),
    ("text_hidden", "kind"): values(AsideKind),
    ("text_cut", "kind"): values(Kind),
    ("text_changed", "effect"): EFFECTS - {"pictured"},  # which only a story knows
    ("message_waits", "why"): WAITS,
    ("send_refused", "remedy"): REMEDIES,
    ("queue_cut", "keep"): {keep.name.lower() for keep in Keep},
    ("notice_shown", "urgency"): values(Urgency),
}
"""Fields with a few values, and where the code has them."""


@pytest.mark.parametrize("where", VALUES, ids=".".join)
def test_the_values_on_the_page_are_those_of_the_code(where: tuple[str, str]) -> None:
    fact, field = where

    assert {*VALUES[where]} == {*CODE.findall(described()[fact][field])}


def test_every_reason_to_hold_text_is_on_the_page() -> None:
    told_by_stories = {"rule", "gathered"}  # not by the buffer

    assert HOLDS - told_by_stories <= {*CODE.findall(described()["text_held"]["why"])}


STEPS = "| step | stage | what it does |"
UNTOLD = {"joint", "spacing", "line_end", "composer", "intake"}
"""Steps that change white space, or what no chat can show."""


def test_every_step_that_changes_text_is_on_the_page() -> None:
    table = rows(part("What changes text"), STEPS)

    names = [row[0].strip("`") for row in table]
    assert ADDED | DROPPED | REPLACED | UNTOLD == {*names}
    assert len(names) == len({*names})
    assert {rule.name for rule in RULES}.isdisjoint(names)


def test_every_step_that_changes_text_of_the_corpus_is_known() -> None:
    """Whatever the stages write has words of its own: for what was put in, and for what was taken out."""
    anywhere = UNTOLD | {rule.name for rule in RULES}
    known = {
        "put in": anywhere | ADDED | REPLACED,
        "dropped": anywhere | DROPPED | values(StopReason),
        "changed": anywhere | ADDED | REPLACED,
    }
    stages = {row[0].strip("`"): CODE.findall(row[1]) for row in rows(part("What changes text"), STEPS)}
    found = {
        written
        for number, (name, shape) in enumerate(product(CORPUS, SHAPES))
        for fact in facts_of(CORPUS[name], shape, seed=number, stop_after=number % 7 if number % 3 else None)
        for written in changes_of(fact)
    }

    assert len(found) > 40
    assert set() == {(how, name) for how, name, _ in found if name not in known.get(how, anywhere)}
    assert set() == {(name, stage) for _, name, stage in found if stage and stage not in stages.get(name, [stage])}


def changes_of(fact: facts.Fact) -> Iterator[tuple[str, str, str]]:
    """How *fact* says that text was changed, by what, and in which stage if it says so."""
    match fact:
        case TextChanged(stage="rules", by=name):
            yield "rules", name, ""
        case TextChanged(by=name, stage=stage, effect=effect):
            yield effect, name, stage
        case TextCut(origin=origin) | MessagePlanned(origin=origin) | MessageSent(origin=origin):
            yield from (("put in", why, "") for _, start, why in origin if start < 0)


def test_the_page_names_the_version() -> None:
    assert f"`reply_began` has the version of the form, which is {VERSION}." in PAGE
