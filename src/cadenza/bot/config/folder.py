"""The folder of a configuration: reads the files it names, and records them so that they can be watched."""

from __future__ import annotations

import base64
import os
from pathlib import Path

from ...errors import Sentence, SettingsError

MOST_TEXT = 1 << 20
MOST_PICTURE = 8 << 20
_PICTURES = ((b"\x89PNG\r\n\x1a\n", "png"), (b"\xff\xd8\xff", "jpeg"), (b"GIF8", "gif"))


def seen_from(folder: Path, name: str) -> Path:
    """The path that a configuration in *folder* calls *name*; ``~`` is a home folder, as in a shell."""
    return folder / os.path.expanduser(name)  # noqa: PTH111  # pathlib raises for the home of an unknown user


class Folder:
    """Reads files. A ``SettingsError`` from here continues a sentence that begins with the key."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.seen: set[Path] = set()
        """Every file that was to be read, whether or not it exists."""

    def place(self, name: str) -> Path:
        """The path of *name*, relative to the folder."""
        return seen_from(self.path, name)

    def data(self, name: str, most: int) -> bytes:
        """The contents of the file *name*, at most *most* bytes."""
        path = self.place(name)
        self.seen.add(path)
        try:
            with path.open("rb") as file:
                data = file.read(most + 1)
        except (OSError, ValueError) as error:
            msg = Sentence(
                "names {name}, which cannot be read ({error})",
                name=repr(name),
                error=getattr(error, "strerror", None) or "not a valid name",
            )
            raise SettingsError(msg) from None
        if len(data) > most:
            msg = Sentence("names {name}, which is too large; it may have {most} MiB", name=repr(name), most=most >> 20)
            raise SettingsError(msg)
        return data

    def text(self, name: str) -> str:
        """The text in the file *name*."""
        try:
            return self.data(name, MOST_TEXT).decode("utf-8-sig").replace("\r\n", "\n").strip()
        except UnicodeDecodeError:
            msg = Sentence("names {name}, which is not UTF-8 text", name=repr(name))
            raise SettingsError(msg) from None

    def picture(self, name: str) -> str:
        """An https address as it is; a picture file as a ``data:`` URI."""
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
            msg = Sentence("names {name}, which is not a picture; it may be PNG, JPEG, GIF or WebP", name=repr(name))
            raise SettingsError(msg)
        return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"
