from __future__ import annotations

import re
from pathlib import Path

import pytest

from cadenza.models.vendor_rows import VENDORS, Vendor, Verified
from tests.models.recorded import STREAMS

ROWS = list(VENDORS.values())
DOCUMENT = Path(__file__).parents[2] / "docs" / "providers.md"


@pytest.mark.parametrize("vendor", ROWS, ids=lambda vendor: vendor.name)
def test_a_row_is_in_order(vendor: Vendor) -> None:
    assert vendor is VENDORS[vendor.name]
    assert re.fullmatch(r"[a-z-]+", vendor.name)
    assert all(re.fullmatch(r"[A-Z_]+", variable) for variable in vendor.key_variables)
    assert all(name == name.lower() for name in vendor.headers)


@pytest.mark.parametrize("vendor", ROWS, ids=lambda vendor: vendor.name)
def test_a_key_is_sent_only_over_a_safe_way(vendor: Vendor) -> None:
    assert vendor.url.startswith("http://localhost:" if vendor.is_local else "https://") or vendor.name in (
        "custom",
        "vertex",
    )
    assert not vendor.url.endswith("/")


@pytest.mark.parametrize("vendor", ROWS, ids=lambda vendor: vendor.name)
def test_the_papers_say_how_it_was_verified(vendor: Vendor) -> None:
    (row,) = [
        line for line in DOCUMENT.read_text(encoding="utf-8").split("\n") if line.startswith(f"| `{vendor.name}` |")
    ]

    assert row.endswith(f"| {vendor.verified.value} |")
    assert all(f"`{variable}`" in row for variable in vendor.key_variables)


@pytest.mark.parametrize(
    "vendor",
    [row for row in ROWS if row.dialect == "openai" and row.verified is not Verified.DOCUMENTS],
    ids=lambda vendor: vendor.name,
)
def test_what_is_said_to_be_recorded_is(vendor: Vendor) -> None:
    assert (STREAMS / vendor.name).is_dir()
