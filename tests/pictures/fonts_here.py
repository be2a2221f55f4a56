"""What the tests of pictures share: tables in a line, and which writings the fonts of this machine have."""

from __future__ import annotations

from collections.abc import Callable

from cadenza.pictures import Picture, PictureRefused, TablePictures
from cadenza.text.tables import Alignment, Table

PACKAGES = {
    "Japanese": "fonts-noto-cjk",
    "Korean": "fonts-noto-cjk",
    "Chinese": "fonts-noto-cjk",
    "emoji": "fonts-noto-color-emoji",
    "Russian": "fonts-dejavu-core",
    "Arabic": "fonts-dejavu-core",
    "accents": "fonts-dejavu-core",
}
"""Which Debian package has a font for what."""


def table(*rows: str, alignment: Alignment = Alignment.LEFT) -> Table:
    """A table of *rows* such as ``"a | b"``; the first one is the header."""
    header, *others = (tuple(cell.strip() for cell in row.split("|")) for row in rows)
    return Table(header, tuple(others), (alignment,) * len(header))


def missing(what: str, not_tested: Callable[[str], None]) -> None:
    """Say that no font of this machine has *what*."""
    not_tested(f"pictures of tables with {what}: no font here has it. On Debian: apt-get install {PACKAGES[what]}")


def shown(result: Picture | PictureRefused, what: str, not_tested: Callable[[str], None]) -> Picture | None:
    """The picture; or, where no font has what it needs, nothing, the refusal being what there is to test."""
    if isinstance(result, Picture):
        return result
    assert result.reason.startswith("No font has ")
    missing(what, not_tested)
    return None


def latin(**options: int) -> TablePictures:
    """Pictures with the font that comes with Pillow, which is the same on every machine."""
    return TablePictures(folders=(), **options)
