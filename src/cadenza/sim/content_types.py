"""As what a file is served."""

from __future__ import annotations

import mimetypes

_PICTURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
)
_HARMLESS = ("image/png", "image/jpeg", "image/gif", "image/webp", "audio/", "video/", "text/plain")
"""What a browser may show. Anything else could be a page with a script, and is only for saving."""
_FOR_SAVING = "application/octet-stream"


def kind_of(name: str, data: bytes) -> str:
    """The media type of a file, by how it begins or else by its name; what could do harm is given none."""
    for start, kind in _PICTURES:
        if data.startswith(start):
            return kind
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    guessed = mimetypes.guess_type(name)[0] or _FOR_SAVING
    return guessed if guessed.startswith(_HARMLESS) else _FOR_SAVING
