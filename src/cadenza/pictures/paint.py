"""Paint tables: a ``Table`` in, a PNG out, or the reason why there is none.

Width of a picture
    Text is 16 pixels high, as in Discord. Discord shows a picture at most 550 pixels wide on a desktop, so up to 550 it
    is shown in full size; a phone that is 390 wide shows letters of 11 pixels. Only if words would have to be broken is
    it wider, at most 700: nearly 9 pixels on a phone; less than 8 is unreadable. A table that does not fit is refused.
    Everything is drawn at twice that size, to be sharp.
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
    """The table cannot be shown well as a picture."""

    reason: str
    """One sentence for a log."""


class TablePictures:
    """Makes pictures of tables. Thread-safe; fonts are searched once."""

    def __init__(
        self,
        *,
        fonts: Sequence[str] = (),
        folders: Iterable[Path] | None = None,
        width: int = 700,
        height: int = 2500,
    ) -> None:
        """Use the files *fonts* first, then those in *folders* (``None``: the folders of the system).

        A picture is at most *width* by *height* CSS pixels, and has twice as many each way.
        """
        self._given = tuple(fonts)
        self._folders = None if folders is None else tuple(folders)
        self._width = width
        self._height = height
        self._fonts: Fonts | None = None
        # ``Fonts`` caches and is not thread-safe.
        self._lock = Lock()

    @classmethod
    @lru_cache(maxsize=8)
    def if_installed(cls, fonts: tuple[str, ...] = ()) -> Self | None:
        """A shared instance for *fonts*, if Pillow and fontTools are installed."""
        with suppress(Exception):  # a broken stand-in may have no spec
            return cls(fonts=fonts) if find_spec("PIL") and find_spec("fontTools") else None
        return None

    def paint(self, table: Table, /) -> bytes | None:
        """A PNG of *table*, or ``None``. Never raises."""
        result = self.picture(table)
        return result.data if isinstance(result, Picture) else None

    def picture(self, table: Table, /) -> Picture | PictureRefused:
        """A picture of *table*, or why there is none. Never raises."""
        try:
            from .draw import draw, encode  # noqa: PLC0415  # an extra
            from .fonts import SCALE, Fonts, Unshowable  # noqa: PLC0415
            from .layout import lay_out  # noqa: PLC0415
        except Exception as error:  # noqa: BLE001  # Pillow or fontTools may be broken
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
        except Exception as error:  # noqa: BLE001  # after any failure the table is sent as text
            return PictureRefused(f"The picture could not be made: {error!r}.")
