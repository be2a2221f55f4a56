"""The golden rows of stage 6: what the system that Cadenza follows was seen to do, row by row.

Every row without a ``bug`` is tried, but for those of the oldest version. Where ours differs on purpose the row is
named in ``golden/clean_exceptions.toml`` with its reason; such a row must really differ, so that the list cannot grow
stale. The rows with a ``bug`` are answered in ``test_rule_defects.py``.
"""

from __future__ import annotations

import tomllib

import pytest

from tests.golden_rows import FOLDER, Row, answer, rows

_EXCEPTIONS: dict[str, str] = {
    row: reason
    for reason, named in tomllib.loads((FOLDER / "clean_exceptions.toml").read_text("utf-8")).items()
    for row in named["rows"]
}
_ROWS = list(rows(with_bug=False))


@pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in _ROWS])
def test_golden_row(row: Row) -> None:
    ours, wanted = answer(row)
    if row["id"] in _EXCEPTIONS:
        assert wanted != ours, f"is an exception no more: {_EXCEPTIONS[row['id']]}"
    else:
        assert wanted == ours, f"{row['input']!r} with {row['args']}"


def test_every_exception_is_a_row() -> None:
    assert set(_EXCEPTIONS) <= {row["id"] for row in _ROWS}


def test_the_exceptions_are_few() -> None:
    assert len(_EXCEPTIONS) <= len(_ROWS) / 10
