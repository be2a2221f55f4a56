"""The hard cases: long, nested and without a space. Every message is valid, and together they are complete."""

from __future__ import annotations

import re

import pytest
import regex

from cadenza.text.repair import harmless
from tests.laws.material import messages, play
from tests.laws.nasty import DEGREES, FAMILY, ink, is_sound, plain

LIMIT = 1950


# --- the inputs ---------------------------------------------------------------------------------


def _python(lines: int) -> list[str]:
    """A program with blank lines, tabs, deep indentation, and all that Markdown could be mistaken for."""
    kinds = [
        *("def f{}(x):", "    # a *star* and a `tick`", "", '    return {{"a{}": [(x, "|")]}}', "\tif x:  # ~~ || __"),
        *("            deep(x{})", "    text = '''<think> </details> **'''", "@name{}", ""),
    ]
    return [kinds[number % len(kinds)].format(number) for number in range(lines)]


PYTHON = _python(554)
_SPANS = ["**bold {} words**", "[link {}](https://e.org/a_({}))", "||spoiler {} here||", "*slant {}*", "plain {}"]


def _paragraph(number: int) -> tuple[str, list[str]]:
    """6000 characters on one line, full of things that belong together."""
    spans: list[str] = []
    while sum(map(len, spans)) + len(spans) < 6000:
        spans.append(_SPANS[len(spans) % len(_SPANS)].replace("{}", f"{number}x{len(spans):03}"))
    return " ".join(spans), spans


PARAGRAPHS = [_paragraph(number) for number in range(4)]
ROWS = [f"| row {number} | {number * number} | a **bold** cell, and (more) |" for number in range(90)]
HEAD = ["| name | value | note |", "|------|:-----:|------|"]
EMOJI = FAMILY * 420
JAPANESE = ("吾輩は猫である、名前はまだ無い。どこで生れたか頓と見当がつかぬ「何でも薄暗い」所で泣いていた" * 140)[:6000]
FENCES = "````md\n" + "```py\nif x:\n    y()\n\n    z()\n```\n\ntext\n" * 120 + "````"
URL = "https://example.org/" + "".join(f"path{number}/" for number in range(300))[:2580]

HARD = {
    "a program": "```py\n" + "\n".join(PYTHON) + "\n```",
    "paragraphs": "\n\n".join(text for text, _ in PARAGRAPHS),
    "a table": "\n".join([*HEAD, *ROWS]) + "\n",
    "families": EMOJI,
    "Japanese": JAPANESE,
    "fences in a fence": FENCES,
    "an address": f"See {URL} for more.",
}
HARD["all of it"] = "\n\n".join(HARD.values())


def _hard(name: str, degree: int | None) -> list[str]:
    return messages(HARD[name], degree=degree, limit=LIMIT)


# --- all of them --------------------------------------------------------------------------------


@pytest.mark.parametrize("degree", DEGREES)
@pytest.mark.parametrize("name", HARD)
def test_every_message_is_valid(name: str, degree: int | None) -> None:
    for message in _hard(name, degree):
        assert is_sound(message, LIMIT), message


@pytest.mark.parametrize("degree", DEGREES)
@pytest.mark.parametrize("name", HARD)
def test_slices_do_not_matter(name: str, degree: int | None) -> None:
    whole = play(HARD[name], degree=degree)

    for how in ("chars", "random:1", "random:2", "random:3"):
        assert whole == play(HARD[name], how=how, degree=degree)


# --- each of them -------------------------------------------------------------------------------


def _code(parts: list[str], opening: str, closing: str) -> list[str]:
    """The lines of code in *parts*, each of which opens and closes as it should."""
    lines = []
    for part in parts:
        first, *body, last = part.split("\n")
        assert (opening, closing) == (first, last)
        lines += body
    return lines


@pytest.mark.parametrize("degree", DEGREES)
def test_a_program_keeps_every_line_and_its_indentation(degree: int | None) -> None:
    assert PYTHON == _code(_hard("a program", degree), "```py", "```")


@pytest.mark.parametrize("degree", DEGREES)
def test_fences_in_a_longer_fence_are_code(degree: int | None) -> None:
    """In a fence of three, which is all that Discord knows."""
    assert harmless(FENCES).split("\n")[1:-1] == _code(_hard("fences in a fence", degree), "```md", "```")


@pytest.mark.parametrize("degree", DEGREES)
def test_no_span_of_a_long_paragraph_is_broken(degree: int | None) -> None:
    """Each bold word, link and spoiler stands whole in one message, and nothing is closed or opened beside them."""
    arrived = _hard("paragraphs", degree)
    look = plain if degree == 3 else ink

    for _, spans in PARAGRAPHS:
        for span in spans:
            assert sum(look(span) in look(message) for message in arrived) == 1, span
    assert look(HARD["paragraphs"]) == look("".join(arrived))


@pytest.mark.parametrize("degree", DEGREES)
def test_a_table_keeps_its_rows_under_its_head(degree: int | None) -> None:
    parts = [part.split("\n") for part in _hard("a table", degree)]

    assert all(HEAD == part[:2] for part in parts)
    assert ROWS == [row for part in parts for row in part[2:]]


@pytest.mark.parametrize("degree", DEGREES)
def test_families_stay_together(degree: int | None) -> None:
    arrived = _hard("families", degree)

    assert EMOJI == "".join(arrived)
    assert {FAMILY} == {character for message in arrived for character in regex.findall(r"\X", message)}


@pytest.mark.parametrize("degree", DEGREES)
def test_japanese_without_a_space_is_complete(degree: int | None) -> None:
    """It is cut behind a mark that ends or divides a sentence, never inside its quotes."""
    arrived = _hard("Japanese", degree)
    look = plain if degree == 3 else ink

    assert look(JAPANESE) == look("".join(arrived))
    if degree != 3:
        assert all(message[-1] in "。、" for message in arrived[:-1])
    assert all(message.count("「") == message.count("」") for message in arrived[:-1])


@pytest.mark.parametrize("degree", DEGREES)
def test_an_address_too_long_for_a_message_loses_nothing(degree: int | None) -> None:
    arrived = _hard("an address", degree)

    assert URL in "".join(arrived)
    assert re.sub(r"\W", "", HARD["an address"]).casefold() == re.sub(r"\W", "", "".join(arrived)).casefold()
