"""The golden rows of stage 6: what the system that Cadenza follows was seen to do, row by row.

Every row without a ``bug`` is tried, but for those of the oldest version. Where ours differs on purpose the row is
named in ``golden/clean_exceptions.toml`` with its reason; such a row must really differ, so that the list cannot grow
stale. The rows with a ``bug`` are answered in ``test_rule_defects.py``.
"""

from __future__ import annotations

import tomllib

from tests.golden_rows import FOLDER, answer, rows

_EXCEPTIONS: dict[str, str] = {
    row: reason
    for reason, named in tomllib.loads((FOLDER / "clean_exceptions.toml").read_text("utf-8")).items()
    for row in named["rows"]
}
_ROWS = list(rows(with_bug=False))


def test_golden_rows() -> None:
    wrong = {}
    for row in _ROWS:
        ours, wanted = answer(row)
        if row["id"] in _EXCEPTIONS and wanted == ours:
            wrong[row["id"]] = f"is an exception no more: {_EXCEPTIONS[row['id']]}"
        elif row["id"] not in _EXCEPTIONS and wanted != ours:
            wrong[row["id"]] = f"{row['input']!r} with {row['args']} is {ours!r} and should be {wanted!r}"

    assert _ROWS
    assert {} == wrong


def test_every_exception_is_a_row() -> None:
    assert set(_EXCEPTIONS) <= {row["id"] for row in _ROWS}


def test_the_exceptions_are_few() -> None:
    assert len(_EXCEPTIONS) <= len(_ROWS) / 10
