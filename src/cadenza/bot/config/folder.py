"""The folder of a configuration: the files that it names are read from there, and remembered, to be watched."""

from __future__ import annotations

import base64
import os
from pathlib import Path

from ...errors import SettingsError

MOST_TEXT = 1 << 20
MOST_PICTURE = 8 << 20
_PICTURES = ((b"\x89PNG\r\n\x1a\n", "png"), (b"\xff\xd8\xff", "jpeg"), (b"GIF8", "gif"))


def seen_from(folder: Path, name: str) -> Path:
    """The file that a configuration in *folder* calls *name*; ``~`` is somebody's home, as in a shell."""
    return folder / os.path.expanduser(name)  # noqa: PTH111  # of somebody who does not exist, pathlib makes an error


class Folder:
    """Reads files; every refusal is a ``SettingsError`` that goes on a sentence whose beginning says where."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.seen: set[Path] = set()
        """Every file that somebody wanted to read, whether or not it was there."""

    def place(self, name: str) -> Path:
        """The file called *name*, seen from here."""
        return seen_from(self.path, name)

    def data(self, name: str, most: int) -> bytes:
        """What stands in the file *name*, which has at most *most* bytes."""
        path = self.place(name)
        self.seen.add(path)
        try:
            with path.open("rb") as file:
                data = file.read(most + 1)
        except (OSError, ValueError) as error:
            msg = f"names {name!r}, which cannot be read ({getattr(error, 'strerror', None) or 'no such name'})"
            raise SettingsError(msg) from None
        if len(data) > most:
            msg = f"names {name!r}, which is too large; it may have {most >> 20} MiB"
            raise SettingsError(msg)
        return data

    def text(self, name: str) -> str:
        """The text that stands in the file *name*."""
        try:
            return self.data(name, MOST_TEXT).decode("utf-8-sig").replace("\r\n", "\n").strip()
        except UnicodeDecodeError:
            msg = f"names {name!r}, which is not a text in UTF-8"
            raise SettingsError(msg) from None

    def picture(self, name: str) -> str:
        """An address as it is; the picture in a file as a ``data:`` URI."""
        if name.lower().startswith(("https://", "data:image/")):
            return name
        if "://" in name:
            msg = "must be a file or an address that begins with https://"
            raise SettingsError(msg)
        data = self.data(name, MOST_PICTURE)
        kind = next((kind for start, kind in _PICTURES if data.startswith(start)), "")
        if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
            kind = "webp"
        if not kind:
            msg = f"names {name!r}, which is not a picture; it may be PNG, JPEG, GIF or WebP"
            raise SettingsError(msg)
        return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"
