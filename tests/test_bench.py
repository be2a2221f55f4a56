"""The benchmark: what it measures is fixed, and what the papers say of it is what it found. No test measures time."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import text as script
from corpus import documents
from plot import bars
from report import (
    BEGIN,
    END,
    PAIRS,
    PAGE,
    RESULTS,
    Results,
    dump,
    goals,
    load,
    markdown,
    picture,
    save,
    screen,
    with_table,
)
from text import STRETCH, TOKEN, Stretch, best, measure, row, seed_of, stretches, tokens

SCRIPT = Path(__file__).parent.parent / "bench" / "text.py"
KINDS = {
    "chatty": r":\) ",
    "prose": r"\. [A-Z][^\n]+\n\n",
    "lists": r"(?m)^- \*\*",
    "code": r"(?m)^```py$",
    "Japanese": r"[あ-お]+",
    "emoji": r"<:\w+:\d{18}>[\s\S]* :\w+: [\s\S]*\u200d",
    "tables": r"(?m)^\|---\|---\|$",
    "one code block": r"\A```py\n[^`]+\n```\Z",
    "open parenthesis": r"\A\([^()\n]+\Z",
    "open parenthesis, paragraphs": r"\A\([^()]+\n\n[^()]+\Z",
    "mixed": r"(?m)^\|---\|---\|$",
}
UNITS = {"kB": 1_000, "MB": 1_000_000}


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return documents(1)


@pytest.fixture(scope="module")
def tiny(texts: dict[str, str]) -> Results:
    return measure({name: text[:400] for name, text in texts.items()}, rounds=1)


@pytest.fixture(scope="module")
def saved() -> Results:
    return load((RESULTS / "text.json").read_text(encoding="utf-8"))


def test_a_seed_always_gives_the_same_documents(texts: dict[str, str]) -> None:
    assert texts == documents(1)


def test_another_seed_gives_other_documents_of_the_same_names(texts: dict[str, str]) -> None:
    others = documents(2)

    assert list(texts) == list(others)
    assert not set(texts.values()) & set(others.values())


def test_every_document_has_the_size_in_its_name(texts: dict[str, str]) -> None:
    for name, text in texts.items():
        *_, number, unit = name.split()
        missing = int(number) * UNITS[unit] - len(text.encode())

        assert 0 <= missing < 4, name  # a character at the end may not have fitted


def test_every_document_is_of_its_kind(texts: dict[str, str]) -> None:
    kinds = {name.rsplit(" ", 2)[0] for name in texts}

    assert set(KINDS) == kinds
    assert [name for name, text in texts.items() if not re.search(KINDS[name.rsplit(" ", 2)[0]], text)] == []


def test_mixed_documents_hold_every_kind_of_piece(texts: dict[str, str]) -> None:
    pieces = [KINDS[kind] for kind in ("lists", "code", "Japanese", "tables")] + [r":\w+:"]

    assert [piece for piece in pieces if not re.search(piece, texts["mixed 10 kB"])] == []


def test_tokens_are_the_text_in_fours() -> None:
    assert ["abcd", "efgh", "i"] == [token.text for token in tokens("abcdefghi")]


def test_a_long_text_is_timed_in_stretches() -> None:
    assert [1, 1, 2] == [len(stretches("a" * length, 1)) for length in (1, STRETCH, STRETCH + 1)]


def test_of_every_stretch_and_of_the_calls_beside_it_the_best_round_counts() -> None:
    runs = [[Stretch(2.0, 0.5), Stretch(9.0, 0.25)], [Stretch(3.0, 0.25), Stretch(4.0, 0.5)]]

    assert [Stretch(2.0, 0.25), Stretch(4.0, 0.25)] == best(runs)


def test_a_row_is_figures_for_a_token() -> None:
    found = row("a", "é" * 2 * TOKEN, seconds=8.0, call=0.5, peak=2_000)

    assert (16, 2) == (found.size, found.tokens)
    assert (4e9, 8.0, 2.0) == (found.ns_per_token, found.calls_per_token, found.peak_kb)


def test_a_tiny_run_fills_every_field(tiny: Results, texts: dict[str, str]) -> None:
    assert list(texts) == [found.name for found in tiny.rows]
    assert (1, 1, 4, 1) == (tiny.seed, tiny.degree, tiny.token, tiny.rounds)
    assert tiny.call_ns > 0
    for found in tiny.rows:
        figures = asdict(found)
        assert figures.pop("mb_per_s") >= 0  # rounds to nothing if the machine was busy elsewhere
        assert all(figures.values()), found


def test_results_survive_being_written_down(tiny: Results) -> None:
    assert tiny == load(dump(tiny))


def test_the_screen_shows_every_document_and_every_goal(tiny: Results) -> None:
    lines = "\n".join(screen(tiny))

    assert [found.name for found in tiny.rows if found.name not in lines] == []
    assert len(PAIRS) + 1 == lines.count("goal: at most")


def test_goals_say_whether_they_are_met(tiny: Results) -> None:
    costs = {"mixed 1 MB": 60.5, "mixed 100 kB": 50.0, "mixed 10 kB": 50.0, "open parenthesis 10 kB": 25.0}
    rows = [replace(found, calls_per_token=costs.get(found.name, 30.0)) for found in tiny.rows]

    assert [1.21, 0.6, 1.2, 50.0] == [goal.value for goal in goals(rows)]
    assert [True, False, False, False] == [str(goal).endswith("not met") for goal in goals(rows)]


def test_the_saved_results_are_of_the_documents_there_are(saved: Results, texts: dict[str, str]) -> None:
    expected = {name: (len(text.encode()), -(-len(text) // TOKEN)) for name, text in texts.items()}

    assert expected == {found.name: (found.size, found.tokens) for found in saved.rows}
    assert (1, 1) == (saved.seed, saved.degree)


def test_the_table_on_the_page_is_what_the_results_render_to(saved: Results) -> None:
    readme = PAGE.read_text(encoding="utf-8")

    assert readme.split(BEGIN)[1].split(END)[0] == markdown(saved)


def test_the_saved_plot_is_what_the_results_render_to(saved: Results) -> None:
    assert (RESULTS / "text.svg").read_text(encoding="utf-8") == picture(saved)


def test_the_plot_is_well_formed_and_has_a_bar_a_row(saved: Results) -> None:
    root = ET.fromstring(picture(saved))  # noqa: S314  # our own words

    classes = [element.get("class") for element in root.iter()]
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert (len(saved.rows), 1) == (classes.count("bar"), classes.count("goal"))
    assert [found.name for found in saved.rows if found.name not in texts] == []


def test_the_plot_stays_well_formed_whatever_a_document_is_called() -> None:
    root = ET.fromstring(bars("a < b & c", {'<"&>': 1.0}, goal=50))  # noqa: S314  # our own words

    assert '<"&>' in [element.text for element in root.iter()]


def test_saving_writes_figures_plot_and_table_and_nothing_else(tiny: Results, tmp_path: Path) -> None:
    readme, folder = tmp_path / "README.md", tmp_path / "results"
    readme.write_text(f"before\n{BEGIN}old\n{END}\nafter\n", encoding="utf-8")

    save(tiny, folder, readme)

    assert {"text.json", "text.svg"} == {path.name for path in folder.iterdir()}
    assert f"before\n{BEGIN}{markdown(tiny)}{END}\nafter\n" == readme.read_text(encoding="utf-8")


def test_a_page_without_a_place_for_the_table_is_refused() -> None:
    with pytest.raises(ValueError, match="no place for the table"):
        with_table("no marks\n", "table\n")


def test_a_seed_is_a_number_or_a_new_one() -> None:
    assert 7 == seed_of("7")
    assert 1 < len({seed_of("random") for _ in range(20)})


def test_one_document_can_be_profiled(
    texts: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(script, "documents", {1: texts}.__getitem__)
    monkeypatch.setattr(sys, "argv", ["text.py", "--profile", "chatty"])

    script.main()

    output = capsys.readouterr().out
    assert "chatty 10 kB, seed 1, degree 1" in output
    assert "to 25 due to restriction" in output


def test_an_unknown_document_is_refused_in_a_sentence() -> None:
    """By the script, as people run it."""
    result = subprocess.run(
        [sys.executable, str(SCRIPT), "--profile", "soup"], capture_output=True, text=True, check=False, timeout=110
    )

    assert result.returncode == 2
    assert "no document begins with 'soup'" in result.stderr
