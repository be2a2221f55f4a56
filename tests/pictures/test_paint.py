"""Pictures of tables from the outside: a PNG or a reason, never an error."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from PIL import Image

from cadenza.pictures import Picture, PictureRefused, TablePictures
from cadenza.text.tables import Alignment, Table
from tests.pictures.fonts_here import latin, shown, table

SYSTEM = TablePictures()


def test_a_picture_is_a_png_of_the_size_it_says() -> None:
    picture = latin().picture(table("Planet | Moons", "Earth | 1", "Mars | 2"))

    assert isinstance(picture, Picture)
    assert (picture.width, picture.height) == Image.open(BytesIO(picture.data)).size
    assert len(picture.data) < 10_000


def test_who_wants_no_reason_gets_a_png_or_nothing() -> None:
    picture = latin().picture(table("a"))

    assert isinstance(picture, Picture)
    assert picture.data == latin().paint(table("a"))
    assert latin().paint(table("日本")) is None


@pytest.mark.parametrize("missing", ["PIL", "fontTools"])
def test_whether_the_extra_is_installed_can_be_asked(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(TablePictures.if_installed(), TablePictures)
    monkeypatch.setattr("cadenza.pictures.paint.find_spec", lambda name: None if name == missing else object())
    assert TablePictures.if_installed((f"not asked before without {missing}",)) is None


@pytest.mark.parametrize("error", [ValueError("PIL.__spec__ is None"), ImportError, AttributeError])
def test_a_pillow_that_cannot_be_found_is_none(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def find_spec(_name: str) -> None:
        raise error

    monkeypatch.setattr("cadenza.pictures.paint.find_spec", find_spec)
    assert TablePictures.if_installed((f"asked with {error!r}",)) is None


def test_something_that_is_no_pillow_is_like_none() -> None:
    code = (
        "import sys, types; sys.modules['PIL'] = pil = types.ModuleType('PIL'); pil.Image = pil.ImageDraw = pil\n"
        "pil.__getattr__ = lambda name: 1 / 0\n"
        "from cadenza.pictures import TablePictures\n"
        "from cadenza.text.tables import Alignment, Table\n"
        "print(TablePictures.if_installed(), TablePictures().paint(Table(('a',), (), (Alignment.LEFT,))))"
    )

    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)

    assert "None None\n" == result.stdout


def test_whoever_asks_alike_shares_one() -> None:
    assert TablePictures.if_installed(("a.ttf",)) is TablePictures.if_installed(("a.ttf",))
    assert TablePictures.if_installed(("a.ttf",)) is not TablePictures.if_installed(())


def test_a_usual_table_is_small() -> None:
    picture = latin().picture(table(*["some words here | and some more of them | and then a few"] * 20))

    assert isinstance(picture, Picture)
    assert len(picture.data) < 100_000


@pytest.mark.parametrize(
    ("cell", "what"),
    [
        pytest.param("Zürich, naïve", "accents", id="accents"),
        pytest.param("Привет", "Russian", id="Russian"),
        pytest.param("مرحبا", "Arabic", id="Arabic"),
        pytest.param("こんにちは", "Japanese", id="Japanese"),
        pytest.param("안녕하세요", "Korean", id="Korean"),
        pytest.param("你好", "Chinese", id="Chinese"),
        pytest.param("😀 👨‍👩‍👧‍👦 🇯🇵 1️⃣", "emoji", id="emoji"),
    ],
)
def test_every_writing_is_shown_or_refused(cell: str, what: str, not_tested: Callable[[str], None]) -> None:
    picture = shown(SYSTEM.picture(table("a", cell)), what, not_tested)

    if picture:
        assert picture != SYSTEM.picture(table("a", ""))


def test_what_no_font_has_is_refused() -> None:
    refused = latin().picture(table("a", "日本"))

    assert PictureRefused("No font has cjk unified ideograph-65e5 (U+65E5).") == refused


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        pytest.param(Table((), (), ()), "The table has no columns.", id="no columns"),
        pytest.param(table("|".join("a" * 100), "|".join("b" * 100)), "100 columns are too many for a picture that can be read.", id="100 columns"),
        pytest.param(table(*"a" * 101), "100 rows are too many for a picture.", id="100 rows"),
        pytest.param(table("a", "word " * 4_000), "The picture would be ", id="20 000 characters"),
        pytest.param(table("a", "x" * 50_000), "The table is too long for a picture.", id="50 000 characters"),
        pytest.param(Table(("a", "b"), (("c",),), (Alignment.LEFT,) * 2), "The picture could not be made: ValueError(", id="a row that is too short"),
        pytest.param(Table(("a",), (("||b||",),), (Alignment.LEFT,)), "Nothing can be hidden in a picture.", id="spoiler"),
    ],
)  # fmt: skip
def test_what_cannot_be_shown_well_is_refused_in_a_sentence(source: Table, reason: str) -> None:
    refused = latin().picture(source)

    assert isinstance(refused, PictureRefused)
    assert refused.reason.startswith(reason)
    assert refused.reason.endswith(".")


def test_no_picture_is_larger_than_was_asked_for() -> None:
    source = table(*["some words here | and some more of them"] * 3)

    small = latin(width=200, height=400).picture(source)
    assert isinstance(small, Picture)
    assert small.width <= 400
    assert small.height <= 800
    assert isinstance(latin(width=200, height=100).picture(source), PictureRefused)


@pytest.mark.parametrize("source", [table(" | ", " | "), table("a"), table(""), table("a\0\x1b", "\ud800\x07")])
def test_odd_tables_are_shown(source: Table, not_tested: Callable[[str], None]) -> None:
    assert shown(SYSTEM.picture(source), "accents", not_tested) or "\ud800" in "".join(source.rows[0])


def test_ten_thousand_characters_in_a_cell_are_shown_or_refused_in_time() -> None:
    assert isinstance(latin(height=100_000).picture(table("a | b", "x" * 10_000 + "| y")), Picture)
    assert isinstance(latin(height=100_000).picture(table("a | b", "some words " * 900 + "| y")), Picture)


@pytest.mark.parametrize("content", [None, b"", b"\0\1\0\0rubbish"], ids=["missing", "empty", "rubbish"])
def test_a_font_file_that_is_none_is_passed_over(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "font.ttf"
    if content is not None:
        path.write_bytes(content)

    assert latin().picture(table("a")) == TablePictures(fonts=[str(path)], folders=[tmp_path]).picture(table("a"))


def test_threads_get_the_same_bytes(not_tested: Callable[[str], None]) -> None:
    sources = [table(f"a{number} | **b**", "`c` | d", "e | é 日 😀") for number in range(4)] * 4
    if shown(SYSTEM.picture(sources[0]), "Japanese", not_tested) is None:
        sources = [table(f"a{number} | **b**", "`c` | d") for number in range(4)] * 4
    alone = [SYSTEM.picture(source) for source in sources[:4]] * 4

    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(TablePictures().picture, sources))

    assert alone == together


def test_what_was_painted_before_changes_nothing() -> None:
    before = [latin().picture(table("a", "b")), latin().picture(table("`a`", "**b**"))]
    pictures = latin()

    assert before[::-1] == [pictures.picture(table("`a`", "**b**")), pictures.picture(table("a", "b"))]


@pytest.mark.parametrize("missing", ["PIL", "fontTools"])
def test_without_the_extra_every_table_is_refused(missing: str) -> None:
    code = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        "from cadenza.pictures import TablePictures\n"
        "from cadenza.text.tables import Alignment, Table\n"
        "print(TablePictures().picture(Table(('a',), (), (Alignment.LEFT,))).reason)"
    )

    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)

    assert result.stdout.startswith("Pillow is not installed")
    assert "cadenza[tables]" in result.stdout


def test_a_pillow_that_is_broken_is_like_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cadenza.pictures.draw", None)

    refused = latin().picture(table("a"))

    assert isinstance(refused, PictureRefused)
    assert refused.reason.startswith("Pillow is not installed, or not as it should be (")


def test_the_extra_is_imported_when_the_first_table_comes() -> None:
    code = (
        "import cadenza.pictures as p, sys; p.TablePictures()\n"
        "print([m for m in sys.modules if m in ('PIL', 'fontTools', 'regex')])"
    )

    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)

    assert "[]" == result.stdout.strip()


CELLS = st.text(st.one_of(st.characters(), st.sampled_from("ab *_`~|<>[]()\\é日\u200d\ufe0f😀")), max_size=20)


@settings(max_examples=60)
@given(st.lists(CELLS, min_size=1, max_size=3), st.lists(CELLS, max_size=3))
def test_nothing_raises(header: list[str], cells: list[str]) -> None:
    rows = tuple((cell,) * len(header) for cell in cells)

    result = SYSTEM.picture(Table(tuple(header), rows, (Alignment.LEFT,) * len(header)))

    assert isinstance(result, Picture) or "could not be made" not in result.reason
