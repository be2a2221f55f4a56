"""The benchmark of an idle bot: how it measures, and that the page says what it found."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from idle import COMMAND, PAGE, Found, goals, load, markdown, measure_once, save, screen
from report import RESULTS

FOUND = Found("3.11.7", 5, 10.0, 0.81, 70.25, 71.0, 3.4)
PRETENDER = "import sys; print('* it is ready', flush=True); sys.stdin.read()"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="there is no /proc here")
def test_a_process_is_measured_from_its_start_to_its_end() -> None:
    start, before, after, spent = measure_once([sys.executable, "-S", "-c", PRETENDER], 0.05)

    assert 0 < start < 30
    assert 1 < before < 200
    assert 1 < after < 200
    assert spent >= 0


def test_it_measures_what_people_run() -> None:
    assert ("-m", "cadenza", "run", "--sim") == COMMAND[1:]


def test_figures_are_shown_with_their_goals() -> None:
    assert [True, True] == [goal.value <= goal.limit for goal in goals(FOUND)]
    assert "until it is ready" in "\n".join(screen(FOUND))


def test_what_is_written_down_can_be_read_again(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- bench:begin -->\nold\n<!-- bench:end -->\nb\n", encoding="utf-8")

    save(FOUND, tmp_path, page)

    assert load((tmp_path / "idle.json").read_text(encoding="utf-8")) == FOUND
    assert markdown(FOUND) in page.read_text(encoding="utf-8")


def test_the_page_says_what_was_found() -> None:
    found = load((RESULTS / "idle.json").read_text(encoding="utf-8"))

    assert markdown(found) in PAGE.read_text(encoding="utf-8")
