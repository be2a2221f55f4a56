from __future__ import annotations

import pytest

from cadenza.text.chemistry import readable_reaction


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        pytest.param("H2SO4", "H₂SO₄", id="a molecule"),
        pytest.param("2 H2 + O2 -> 2 H2O", "2 H₂ + O₂ → 2 H₂O", id="a reaction"),
        pytest.param("N2 + 3H2 <=> 2NH3", "N₂ + 3H₂ ⇌ 2NH₃", id="both ways"),
        pytest.param("Na+ + Cl-", "Na⁺ + Cl⁻", id="charges"),
        pytest.param("SO4^2-", "SO₄²⁻", id="a charge of two"),
        pytest.param("^{14}_{6}C", "¹⁴₆C", id="an isotope"),
        pytest.param("CaCO3 ->[heat] CaO + CO2 ^", "CaCO₃ ─heat→ CaO + CO₂ ↑", id="over the arrow"),
        pytest.param("CuSO4*5H2O", "CuSO₄·5H₂O", id="a hydrate"),
        pytest.param("Al2(SO4)3 (aq)", "Al₂(SO₄)₃ (aq)", id="brackets"),
    ],
)
def test_reactions(source: str, shown: str) -> None:
    assert shown == readable_reaction(source)


@pytest.mark.parametrize("source", [r"\foo", "", "$x$", "A^{q}"])
def test_what_is_no_reaction(source: str) -> None:
    assert readable_reaction(source) is None
