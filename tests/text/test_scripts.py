from __future__ import annotations

import pytest

from cadenza.text.scripts import subscript, superscript


@pytest.mark.parametrize(
    ("text", "raised", "lowered"),
    [
        pytest.param("2", "²", "₂", id="a number"),
        pytest.param("-1", "⁻¹", "₋₁", id="a sign"),
        pytest.param("−1", "⁻¹", "₋₁", id="a real minus"),
        pytest.param("n+1", "ⁿ⁺¹", "ₙ₊₁", id="a sum"),
        pytest.param("th", "ᵗʰ", "ₜₕ", id="letters"),
        pytest.param("C", None, None, id="a letter without either form"),
        pytest.param("2q", None, None, id="one character of several"),
        pytest.param("", "", "", id="nothing"),
    ],
)
def test_a_text_is_raised_or_lowered_whole_or_not_at_all(text: str, raised: str | None, lowered: str | None) -> None:
    assert (raised, lowered) == (superscript(text), subscript(text))
