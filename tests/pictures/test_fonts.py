"""Which font draws which character."""

from __future__ import annotations

import os
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont
from PIL import ImageFont

from cadenza.pictures.fonts import EMOJI, Font, Fonts, Unshowable, system_folders
from cadenza.text.inline_styles import Run
from tests.pictures.fonts_here import missing

PLAIN = Run("")
BUILT_IN = ImageFont.load_default(16).font_bytes  # type: ignore[union-attr]  # with FreeType it is a real font


@pytest.fixture(scope="module")
def system() -> Fonts:
    return Fonts()


def _copy(folder: Path, name: str, *, style: int = 0) -> Path:
    """The font that comes with Pillow under another name; the lowest bits of *style* are bold and italic."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    font = TTFont(BytesIO(BUILT_IN))
    font["head"].macStyle |= style
    font.save(path)
    return path


def _or_none(fonts: Fonts, character: str, *, is_emoji: bool = False) -> Font | None:
    try:
        return fonts.font(character, PLAIN, is_emoji=is_emoji)
    except Unshowable as refusal:
        reason = str(refusal)
    assert reason.startswith(("No font has ", "This Pillow cannot join"))
    return None


def test_without_any_font_there_is_the_one_that_comes_with_pillow() -> None:
    font = Fonts((), ()).font("a", PLAIN)

    assert "Aileron" == font.face.family
    assert not font.is_emoji


def test_a_given_font_comes_first_and_then_the_better_names(tmp_path: Path) -> None:
    given, arial, lato = (
        _copy(tmp_path / "x", "zzz.ttf"),
        _copy(tmp_path, "Arial.ttf"),
        _copy(tmp_path / "b", "lato-regular.TTF"),
    )

    assert str(given) == Fonts([str(given)], [tmp_path]).font("a", PLAIN).face.file
    assert str(arial) == Fonts((), [tmp_path]).font("a", PLAIN).face.file
    arial.unlink()
    assert str(lato) == Fonts((), [tmp_path]).font("a", PLAIN).face.file


def test_fonts_of_other_names_are_better_than_none(tmp_path: Path) -> None:
    plain, _ = _copy(tmp_path, "NotoSansXyz-Regular.ttf"), _copy(tmp_path, "Other.ttf")
    _copy(tmp_path, "LastResort.otf")

    assert str(plain) == Fonts((), [tmp_path]).font("a", PLAIN).face.file


@pytest.mark.parametrize(
    ("style", "file", "thicker", "slanted"),
    [
        pytest.param(Run(""), "arial.ttf", False, False, id="plain"),
        pytest.param(Run("", bold=True), "arialbd.ttf", False, False, id="bold"),
        pytest.param(Run("", italic=True), "arial.ttf", False, True, id="italic"),
        pytest.param(Run("", bold=True, italic=True), "arialbd.ttf", False, True, id="bold italic"),
    ],
)
def test_the_closest_style_is_taken_and_what_it_lacks_is_made_up(
    style: Run, file: str, tmp_path: Path, *, thicker: bool, slanted: bool
) -> None:
    _copy(tmp_path, "arial.ttf")
    _copy(tmp_path, "arialbd.ttf", style=1)

    font = Fonts((), [tmp_path]).font("a", style)

    assert (str(tmp_path / file), thicker, slanted) == (font.face.file, font.stroke > 0, font.slanted)


def test_without_a_bold_face_lines_are_drawn_thicker(tmp_path: Path) -> None:
    _copy(tmp_path, "arial.ttf")

    assert Fonts((), [tmp_path]).font("a", Run("", bold=True)).stroke > 0


def test_code_has_its_own_fonts(tmp_path: Path) -> None:
    text, code = _copy(tmp_path, "Arial.ttf"), _copy(tmp_path, "DejaVuSansMono.ttf")
    fonts = Fonts((), [tmp_path])

    assert str(text) == fonts.font("a", PLAIN).face.file
    assert str(code) == fonts.font("a", Run("", code=True)).face.file


@pytest.mark.parametrize(
    "content",
    [b"", b"rubbish" * 100, BUILT_IN[:3000], BUILT_IN.replace(b"hhea", b"none", 1)],
    ids=["empty", "rubbish", "cut short", "without widths"],
)
def test_a_font_that_cannot_be_drawn_with_is_passed_over(content: bytes, tmp_path: Path) -> None:
    bad = tmp_path / "arial.ttf"
    bad.write_bytes(content)

    fonts = Fonts([str(bad), str(tmp_path / "none.ttf")], [tmp_path])

    assert isinstance(fonts.font("a", PLAIN).face.file, bytes)


@pytest.mark.parametrize(
    ("character", "reason"),
    [
        ("\ue000", r"No font has the character \(U\+E000\)\."),
        ("a" + "\u0301" * 20, r"Too many marks are stacked on latin small letter a \(U\+0061\)\."),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_a_sentence(system: Fonts, character: str, reason: str) -> None:
    with pytest.raises(Unshowable, match=reason):
        system.font(character, PLAIN)


def test_where_pillow_cannot_join_letters_nothing_is_drawn_that_should_be_joined() -> None:
    fonts = Fonts((), ())
    fonts.shapes = False

    assert fonts.font("a", PLAIN).pillow.layout_engine is ImageFont.Layout.BASIC
    for character in ("ا", "न", "é", "👍🏽"):
        with pytest.raises(Unshowable, match="cannot join the parts"):
            fonts.font(character if character != "é" else "e\u0301", PLAIN)


def test_where_there_is_no_font_at_all_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ImageFont, "load_default", lambda _size: object())

    with pytest.raises(Unshowable, match="No font was found"):
        Fonts((), ()).font("a", PLAIN)


def test_what_was_chosen_is_remembered_but_not_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cadenza.pictures.fonts._MOST_REMEMBERED", 3)
    fonts = Fonts((), ())

    assert len({fonts.font(character, PLAIN) for character in "abcdefga"}) == 1
    assert len(fonts._chosen) <= 3


@pytest.mark.parametrize(
    ("character", "what"),
    [
        pytest.param("é", "accents", id="accent"),
        pytest.param("e\u0301", "accents", id="accent of its own"),
        pytest.param("ж", "Russian", id="Russian"),
        pytest.param("ع", "Arabic", id="Arabic"),
        pytest.param("語", "Japanese", id="Japanese"),
        pytest.param("한", "Korean", id="Korean"),
        pytest.param("\u1112\u1161\u11ab", "Korean", id="Korean in parts"),
        pytest.param("们", "Chinese", id="Chinese"),
    ],
)
def test_a_character_goes_to_a_font_that_has_it(
    system: Fonts, character: str, what: str, not_tested: Callable[[str], None]
) -> None:
    font = _or_none(system, character)

    if font is None:
        missing(what, not_tested)
    else:
        assert bytes(font.pillow.getmask(character)) != bytes(font.pillow.getmask("\U0010fffe"))


@pytest.mark.parametrize(
    "character",
    ["😀", "👍🏽", "👨‍👩‍👧‍👦", "🇯🇵", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "1️⃣", "❤️"],
    ids=["face", "tone", "family", "flag", "tags", "key", "heart"],
)
def test_an_emoji_is_one_picture_in_colour(system: Fonts, character: str, not_tested: Callable[[str], None]) -> None:
    font = _or_none(system, character, is_emoji=True)

    if font is None or not font.is_emoji:
        missing("emoji", not_tested)
        return
    picture = system.emoji(character, font)
    assert (EMOJI, EMOJI) == picture.size
    assert picture is system.emoji(character, font)
    left, top, right, bottom = picture.getbbox() or (0, 0, 0, 0)
    # It is as large as its picture allows: some are flat, none is a dot in a corner.
    assert max(right - left, bottom - top) >= EMOJI * 0.8


def test_emoji_are_remembered_but_not_without_end(
    system: Fonts, monkeypatch: pytest.MonkeyPatch, not_tested: Callable[[str], None]
) -> None:
    monkeypatch.setattr("cadenza.pictures.fonts._MOST_EMOJI", 2)
    font = _or_none(system, "😀", is_emoji=True)
    if font is None or not font.is_emoji:
        missing("emoji", not_tested)
        return

    for character in "😀😁😂😃":
        system.emoji(character, font)

    assert len(system._pictures) <= 2


def test_an_emoji_that_is_drawn_as_nothing_is_refused() -> None:
    fonts = Fonts((), ())

    with pytest.raises(Unshowable, match="Aileron draws nothing for space"):
        fonts.emoji(" ", fonts.font("a", PLAIN))


def test_fonts_are_looked_for_where_systems_keep_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    monkeypatch.setenv("LOCALAPPDATA", "/local")
    monkeypatch.setenv("WINDIR", "/windows")

    folders = system_folders()

    expected = [Path("/data/fonts"), Path("/usr/share/fonts"), Path("/System/Library/Fonts"), Path("/windows/Fonts")]
    assert set(expected) < set(folders)
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.delenv("LOCALAPPDATA")
    monkeypatch.delenv("WINDIR")
    assert Path.home() / ".local/share/fonts" in system_folders()
    assert len(folders) - 2 == len(system_folders())


def test_the_order_of_a_folder_does_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "readme.txt").write_text("no font")
    for name in ("b/x.ttf", "a/y.ttf", "a/x.ttf"):
        _copy((tmp_path / name).parent, Path(name).name)
    walk = os.walk
    found = set()
    for turn in (1, -1):
        monkeypatch.setattr(
            os, "walk", lambda top, turn=turn: ((f, s.sort(reverse=turn < 0) or s, n[::turn]) for f, s, n in walk(top))
        )
        found.add(Fonts((), [tmp_path]).font("a", PLAIN).face.file)

    assert {str(tmp_path / "a/x.ttf")} == found
