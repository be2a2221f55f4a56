"""The benchmark of an idle bot: how it measures, and that the page says what it found."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from idle import PAGE, load, markdown, measure_once
from report import RESULTS

PRETENDER = "import sys; print('* it is ready', flush=True); sys.stdin.read()"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="there is no /proc here")
def test_a_process_is_measured_from_its_start_to_its_end() -> None:
    start, before, after, spent = measure_once([sys.executable, "-S", "-c", PRETENDER], 0.05)

    assert 0 < start < 30
    assert 1 < before < 200
    assert 1 < after < 200
    assert spent >= 0


def test_the_page_says_what_was_found() -> None:
    found = load((RESULTS / "idle.json").read_text(encoding="utf-8"))

    assert markdown(found) in PAGE.read_text(encoding="utf-8")
