"""The script that paints the tables to look at."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import pictures


def test_every_picture_is_written_or_its_refusal_said(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    not_tested: Callable[[str], None],
) -> None:
    monkeypatch.setattr(pictures, "FOLDER", tmp_path / "pictures")

    failed = pictures.main()

    written = {path.stem for path in (tmp_path / "pictures").iterdir()}
    refused = {line.split()[0] for line in capsys.readouterr().out.splitlines() if "refused: No font has" in line}
    assert set(pictures.TABLES) == written | refused
    assert bool(refused) == bool(failed)
    if refused:
        not_tested(f"{', '.join(sorted(refused))} of bench/pictures.py: fonts are missing. Try: make fonts")


def test_every_table_has_its_picture_in_the_repository() -> None:
    assert set(pictures.TABLES) == {path.stem for path in pictures.FOLDER.glob("*.png")}
