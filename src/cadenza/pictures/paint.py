"""Paints tables: a ``Table`` in, a PNG out, or the reason why there is none.

How wide a picture is
    Text is 16 pixels high, as in Discord. Discord shows a picture at most 550 pixels wide on a desktop, so up to 550 it
    is seen as it was drawn; a phone that is 390 wide shows it in letters of 11 pixels. Only if words had to be broken is
    it made wider, at most 700: nearly 9 pixels on a phone, and below 8 nobody reads. What does not fit is refused.
    All is drawn at twice that size, so that it is sharp.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Self

from ..text.tables import Table

if TYPE_CHECKING:
    from .fonts import Fonts

_SHOWN_WHOLE = 550


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG, and its size in pixels."""

    data: bytes
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class PictureRefused:
    """There is no picture that would show the table well."""

    reason: str
    """One sentence for a log."""


class TablePictures:
    """Makes pictures of tables. May be used by several threads at once; fonts are looked for once."""

    def __init__(
        self,
        *,
        fonts: Sequence[str] = (),
        folders: Iterable[Path] | None = None,
        width: int = 700,
        height: int = 2500,
    ) -> None:
        """Take *fonts*, files that are asked first, then those in *folders* (``None``: where systems keep them).

        A picture is at most *width* by *height*, in pixels of a plain screen; it has twice as many each way.
        """
        self._given = tuple(fonts)
        self._folders = None if folders is None else tuple(folders)
        self._width = width
        self._height = height
        self._fonts: Fonts | None = None
        # Fonts remember what they were asked, and one that draws for two at once may mix them up.
        self._lock = Lock()

    @classmethod
    @lru_cache(maxsize=8)
    def if_installed(cls, fonts: tuple[str, ...] = ()) -> Self | None:
        """One that asks *fonts* first, if what it draws with is installed. Those who ask alike share it."""
        with suppress(Exception):  # what stands in its place may have no name to be found by
            return cls(fonts=fonts) if find_spec("PIL") else None
        return None

    def paint(self, table: Table, /) -> bytes | None:
        """A PNG of *table*, or ``None`` if there can be no good one. Raises nothing."""
        result = self.picture(table)
        return result.data if isinstance(result, Picture) else None

    def picture(self, table: Table, /) -> Picture | PictureRefused:
        """A picture of *table*, or why there can be no good one. Raises nothing."""
        try:
            from .draw import draw, encode  # noqa: PLC0415  # what it needs may not be there
            from .fonts import SCALE, Fonts, Unshowable  # noqa: PLC0415
            from .layout import lay_out  # noqa: PLC0415
        except Exception as error:  # noqa: BLE001  # something broken may stand in its place
            return PictureRefused(
                f"Pillow is not installed, or not as it should be ({error}); it comes with cadenza[tables]."
            )
        try:
            with self._lock:
                self._fonts = self._fonts or Fonts(self._given, self._folders)
                layout = lay_out(
                    table,
                    self._fonts,
                    preferred=min(_SHOWN_WHOLE, self._width) * SCALE,
                    widest=self._width * SCALE,
                    highest=self._height * SCALE,
                )
                image = draw(layout, self._fonts)
            return Picture(encode(image), image.width, image.height)
        except Unshowable as reason:
            return PictureRefused(str(reason))
        except Exception as error:  # noqa: BLE001  # a table is words: whatever fails here, they are sent as such
            return PictureRefused(f"The picture could not be made: {error!r}.")
