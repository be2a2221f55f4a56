"""What people give to commands."""

from __future__ import annotations

from typing import Any

import pytest

from cadenza.bot.commands.command_inputs import joined, kept_or_cleared, only, suggesting


async def test_suggesting_never_raises() -> None:
    async def fails(_: Any) -> list[str]:
        raise RuntimeError

    assert [] == await suggesting(fails)(None, "x")  # type: ignore[arg-type]  # nobody looks at it


@pytest.mark.parametrize(("given", "expected"), [(None, "old"), ("-", ""), (" – ", ""), (" new ", "new")])
def test_a_dash_clears_and_nothing_keeps(given: str | None, expected: str) -> None:
    assert expected == kept_or_cleared(given, "old")


def test_lines_that_have_no_room_are_counted() -> None:
    text = joined(["x" * 50] * 10, 200, lambda left: f"and {left} more")

    assert len(text) <= 200
    assert text.endswith("and 8 more")
    assert "a\nb" == joined(["a", "b"], 200, str)


def test_options_that_were_not_given_are_left_out() -> None:
    assert {"a": 0, "b": False} == only({"a": 0, "b": False, "c": None})
