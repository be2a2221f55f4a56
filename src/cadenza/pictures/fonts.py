"""Choose a font for each character: a given one first, then one of the system; never one that would draw a box.

Fonts are found by file name in the usual folders. There are three lists (text, code, emoji), in order of preference; a
file is opened when all earlier ones lack a character.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from itertools import islice
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont, features

from ..text.inline_styles import Run
from .fontfile import Coverage, FontFace, coverage, faces

SCALE = 2
"""Pixels of the picture for one CSS pixel: phones and good screens have at least as many."""
SIZE = 16 * SCALE
"""The size of text, as in Discord."""
EMOJI = round(1.2 * SIZE)
"""The width and height of an emoji."""

# File names up to the first hyphen, space, bracket or underscore, in lower case; better ones first. Names in one
# string are one family, whose styles have different file names.
_SANS = (
    "notosans", "inter", "roboto", "opensans", "dejavusans", "liberationsans liberationsans2", "segoeui segoeuib segoeuii segoeuiz",
    "helveticaneue", "helvetica", "arial arialbd ariali arialbi", "ubuntu", "cantarell", "lato", "arimo", "nimbussans", "freesans",
    "verdana verdanab verdanai verdanaz", "tahoma tahomabd", "vera verabd verait verabi", "carlito", "adwaitasans",
)  # fmt: skip
_CJK = (
    "notosanscjk", "notosanscjkjp", "notosanscjksc", "notosansjp", "notosanssc", "notosanskr", "notosanstc", "sourcehansans",
    "sourcehansansjp", "sourcehansanssc", "ヒラギノ角ゴシック", "hiragino", "pingfang", "applesdgothicneo", "stheiti",
    "yugothm yugothr yugothb", "meiryo meiryob", "msyh msyhbd", "malgun malgunbd", "msjh msjhbd", "msgothic", "simsun", "gulim",
    "ipaexg", "ipagp", "ipag", "takaopgothic", "vl", "mplus1p", "droidsansfallbackfull", "droidsansfallback", "wqy", "nanumgothic",
    "baekmuk", "uming",
)  # fmt: skip
_CODE = (
    "notosansmono", "jetbrainsmono", "sourcecodepro", "firacode", "firamono", "dejavusansmono", "liberationmono", "cascadiamono",
    "consola consolab consolai consolaz", "sfmono sfnsmono", "menlo", "monaco", "robotomono", "ubuntumono", "adwaitamono",
    "nimbusmonops", "freemono", "courier cour courbd couri courbi",
)  # fmt: skip
_EMOJI = (
    "notocoloremoji",
    "apple",
    "applecoloremoji",
    "seguiemj",
    "twemoji twitter",
    "joypixels",
    "blobmoji",
    "openmoji",
)
_BOXES = ("lastresort", "adobeblank", "adobenotdef", "unifont")
"""Fonts whose glyphs are boxes, empty, or too coarse to read."""

_SUFFIXES = (".ttf", ".otf", ".ttc", ".otc")
_MOST_FILES = 20_000
_MOST_OTHERS = 300
"""Other files that are opened when all fonts known by name lack a character."""
_MOST_REMEMBERED = 20_000
_MOST_EMOJI = 256
_MOST_MARKS = 8
"""More combining marks on one letter would overlap the lines above and below."""

INVISIBLE = re.compile("[\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\U000e0000-\U000e0fff]")
"""Characters that only control how others are drawn and need no glyph."""
_NEEDS_SHAPING = re.compile(
    "[\u0590-\u109f\u1780-\u18af\u1a20-\u1aaf\ua800-\ua8ff\ua980-\ua9df\uaa00-\uaadf\ufb1d-\ufdff\ufe70-\ufefc]"
)
"""Scripts whose letters join, reorder or run from right to left."""


class Unshowable(Exception):  # noqa: N818  # not an error: the table is sent as text
    """Why there is no good picture, in one sentence."""


@dataclass(frozen=True, slots=True, eq=False)
class Font:
    """A face in the size of the text, with synthetic bold or italic if needed."""

    face: FontFace
    pillow: ImageFont.FreeTypeFont
    covered: Coverage
    stroke: float = 0.0
    """Extra stroke width, if there is no bold face."""
    slanted: bool = False
    """Whether it is slanted, because there is no italic face."""

    @property
    def is_emoji(self) -> bool:
        """Whether it draws colour emoji."""
        return self.face.colour


@dataclass(slots=True)
class _Shelf:
    """Font files in order of preference, in groups that are opened together."""

    groups: list[list[str] | list[bytes]]
    families: list[list[FontFace]] = field(default_factory=list)
    """The opened families, each with its styles."""

    def open_next(self) -> bool:
        """Open the next group; return whether there was one."""
        if not self.groups:
            return False
        families: dict[str, list[FontFace]] = {}
        for file in self.groups.pop(0):
            for face in faces(file):
                families.setdefault(face.family, []).append(face)
        self.families += families.values()
        return True


class Fonts:
    """All available fonts. Not thread-safe."""

    def __init__(self, given: Sequence[str] = (), folders: Iterable[Path] | None = None) -> None:
        """*given* font files come first; *folders* replace those of the system."""
        found = list(islice(_files(system_folders() if folders is None else folders), _MOST_FILES))
        self._shelves = {
            "text": _Shelf([list(given), *_named(found, _SANS + _CJK), *_others(found), _built_in()]),
            "code": _Shelf(
                [[path for path in given if any(face.monospaced for face in faces(path))], *_named(found, _CODE)]
            ),
            "emoji": _Shelf(
                [[path for path in given if any(face.colour for face in faces(path))], *_named(found, _EMOJI)]
            ),
        }
        self._coverage: dict[tuple[str | bytes, int], Coverage] = {}
        self._pillow: dict[tuple[str | bytes, int], ImageFont.FreeTypeFont] = {}
        self._chosen: dict[tuple[str, bool, bool, bool, bool], Font] = {}
        self._made: dict[tuple[FontFace, bool, bool], Font] = {}
        self._pictures: dict[str, Image.Image] = {}
        self.shapes = features.check_feature("raqm")
        """Whether Pillow can shape text (joined letters, composed emoji); not every build can."""

    def font(self, character: str, style: Run, *, is_emoji: bool = False) -> Font:
        """The font for *character*, a grapheme, in *style*."""
        key = (character, style.bold, style.italic, style.code, is_emoji)
        font = self._chosen.get(key)
        if font is None:
            if len(self._chosen) >= _MOST_REMEMBERED:
                self._chosen.clear()
            font = self._chosen[key] = self._choose(character, style, is_emoji=is_emoji)
        return font

    def emoji(self, character: str, font: Font) -> Image.Image:
        """The picture of an emoji."""
        picture = self._pictures.get(character)
        if picture is None:
            if len(self._pictures) >= _MOST_EMOJI:
                self._pictures.clear()
            picture = self._pictures[character] = _emoji(character, font)
        return picture

    def _choose(self, character: str, style: Run, *, is_emoji: bool) -> Font:
        needed = INVISIBLE.sub("", character).replace("\u00a0", "")  # every font has a space
        self._refuse_what_cannot_be_shaped(character, needed, is_emoji=is_emoji)
        order = ("emoji", "text") if is_emoji else ("code", "text", "emoji") if style.code else ("text", "emoji")
        for name in order:
            shelf = self._shelves[name]
            tried = 0
            while True:
                for family in islice(shelf.families, tried, None):
                    suited = [face for face in family if face.colour == (name == "emoji")]
                    if font := self._of_family(suited, needed, style):
                        return font
                tried = len(shelf.families)
                if not shelf.open_next():
                    break
        if not any(shelf.families for shelf in self._shelves.values()):
            reason = "No font was found."
            raise Unshowable(reason)
        reason = f"No font has {_described(needed or character)}."
        raise Unshowable(reason)

    def _refuse_what_cannot_be_shaped(self, character: str, needed: str, *, is_emoji: bool) -> None:
        if not self.shapes and (len(needed) > 1 or _NEEDS_SHAPING.match(needed)):
            reason = f"This Pillow cannot join the parts of {_described(character)}."
            raise Unshowable(reason)
        if len(needed) > _MOST_MARKS and not is_emoji:
            reason = f"Too many marks are stacked on {_described(character[0])}."
            raise Unshowable(reason)

    def _covers(self, face: FontFace, needed: str) -> bool:
        key = (face.file, face.cmap_offset)
        covered = self._coverage.get(key)
        if covered is None:
            covered = self._coverage[key] = coverage(face)
        # A letter and a mark may be one glyph.
        return all(character in covered for character in needed) or (
            len(needed) > 1 and all(character in covered for character in unicodedata.normalize("NFC", needed))
        )

    def _of_family(self, family: list[FontFace], needed: str, style: Run) -> Font | None:
        """The font of *family* that has the *needed* characters and is closest to *style*."""
        while covering := [face for face in family if self._covers(face, needed)]:
            face = min(covering, key=lambda face: (face.bold != style.bold, face.italic != style.italic))
            try:
                return self._styled(face, style)
            except OSError:  # Pillow cannot read this font
                self._coverage[face.file, face.cmap_offset] = Coverage()
        return None

    def _styled(self, face: FontFace, style: Run) -> Font:
        """*face* for *style*, with synthetic bold or italic if it lacks them."""
        key = (face, style.bold, style.italic)
        font = self._made.get(key)
        if font is None:
            font = self._made[key] = Font(
                face,
                self._loaded(face),
                self._coverage[face.file, face.cmap_offset],
                stroke=SIZE / 40 if style.bold and not face.bold and not face.colour else 0.0,
                slanted=style.italic and not face.italic and not face.colour,
            )
        return font

    def _loaded(self, face: FontFace) -> ImageFont.FreeTypeFont:
        key = (face.file, face.number)
        if key not in self._pillow:
            size = face.bitmap_size or (EMOJI if face.colour else SIZE)
            engine = ImageFont.Layout.RAQM if self.shapes else ImageFont.Layout.BASIC
            file = BytesIO(face.file) if isinstance(face.file, bytes) else face.file
            self._pillow[key] = ImageFont.truetype(file, size, face.number, layout_engine=engine)
        return self._pillow[key]


def system_folders() -> list[Path]:
    """The font folders of Linux, macOS and Windows."""
    home = Path.home()
    data = os.environ.get("XDG_DATA_HOME") or home / ".local/share"
    folders = [
        Path(data) / "fonts",
        home / ".fonts",
        home / "Library/Fonts",
        Path("/usr/local/share/fonts"),
        Path("/usr/share/fonts"),
        Path("/run/current-system/sw/share/X11/fonts"),
        Path("/system/fonts"),
        Path("/Library/Fonts"),
        Path("/System/Library/Fonts"),
    ]
    if local := os.environ.get("LOCALAPPDATA"):
        folders.append(Path(local) / "Microsoft/Windows/Fonts")
    if windows := os.environ.get("WINDIR"):
        folders.append(Path(windows) / "Fonts")
    return folders


def _files(folders: Iterable[Path]) -> Iterator[str]:
    """The font files in *folders*, in a stable order."""
    for top in folders:
        for folder, subfolders, names in os.walk(top):
            subfolders.sort()  # os.walk follows this order
            for name in sorted(names):
                if name.lower().endswith(_SUFFIXES):
                    yield os.path.join(folder, name)  # noqa: PTH118  # thousands of Path objects are slow


def _base(path: str) -> str:
    return re.split(r"[-\[ _.]", Path(path).name.lower(), maxsplit=1)[0]


def _named(files: list[str], wanted: Sequence[str]) -> Iterator[list[str]]:
    """The *files* with one of the *wanted* names, one group for each name."""
    by_base: dict[str, list[str]] = {}
    for path in files:
        by_base.setdefault(_base(path), []).append(path)
    for names in wanted:
        group = [path for name in names.split() for path in by_base.get(name, ())]
        if group:
            yield sorted(group, key=lambda path: (len(path), path))


def _others(files: list[str]) -> Iterator[list[str]]:
    """Other *files*: first those of Noto Sans, which has a font for every script, then some of the rest."""
    known = {name for names in (*_SANS, *_CJK, *_CODE, *_EMOJI) for name in names.split()}
    rest = sorted(
        (path for path in files if _base(path) not in known and not _base(path).startswith(_BOXES)), key=_plainness
    )
    for path in rest[:_MOST_OTHERS]:
        yield [path]


def _plainness(path: str) -> tuple[bool, bool, int, str]:
    """Sort key: Noto Sans first, sans before serif, regular before bold and italic."""
    name = Path(path).name.lower()
    return not name.startswith("notosans"), "serif" in name, len(name), path


def _built_in() -> list[bytes]:
    """The font that comes with Pillow: few letters, but always available."""
    data = getattr(ImageFont.load_default(SIZE), "font_bytes", b"")
    return [data] if data else []


def _emoji(character: str, font: Font) -> Image.Image:
    """Draw an emoji in the size of its font, scaled to the size of the text."""
    length = round(font.pillow.getlength(character))
    size = round(font.pillow.size)
    drawn = Image.new("RGBA", (max(length, size) + 8, 2 * size))
    ImageDraw.Draw(drawn).text((4, round(1.4 * size)), character, font=font.pillow, embedded_color=True, anchor="ls")
    bounds = drawn.getbbox()
    if bounds is None:
        reason = f"{font.face.family} draws nothing for {_described(character)}."
        raise Unshowable(reason)
    left, top, right, bottom = bounds
    side = max(length, right - left, bottom - top)
    square = Image.new("RGBA", (side, side))
    square.paste(drawn.crop(bounds), ((side - right + left) // 2, (side - bottom + top) // 2))
    return square.resize((EMOJI, EMOJI), Image.Resampling.LANCZOS, reducing_gap=2.0)


def _described(character: str) -> str:
    codes = " ".join(f"U+{ord(part):04X}" for part in character[:8])
    return f"{unicodedata.name(character[0], 'the character').lower()} ({codes})"
