from __future__ import annotations

import pytest

from cadenza.text.latex_symbols import BINARY, FUNCTIONS, LARGE, LETTERS, RELATIONS, STYLES, styled


def test_a_name_has_one_meaning() -> None:
    names = [*RELATIONS, *LARGE, *FUNCTIONS]

    assert len(names) == len({*names})
    assert {*BINARY}.isdisjoint(names)
    assert {*LETTERS}.isdisjoint(names)


@pytest.mark.parametrize(
    ("command", "shown"), [("mathbb", "ℝ𝔸𝟙"), ("mathcal", "ℛ𝒜1"), ("mathfrak", "ℜ𝔄1"), ("mathbf", "𝐑𝐀𝟏")]
)
def test_letters_have_styles_also_those_that_unicode_has_elsewhere(command: str, shown: str) -> None:
    assert shown == styled("RA1", STYLES[command])
