"""Which bytes are a picture."""

from __future__ import annotations

import pytest

from cadenza.tools.images import as_media
from cadenza.types import MediaKind

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"


@pytest.mark.parametrize(
    ("data", "mime"),
    [
        pytest.param(PNG, "image/png", id="PNG"),
        pytest.param(b"\xff\xd8\xff\xe0\x00\x10JFIF", "image/jpeg", id="JPEG"),
        pytest.param(b"GIF87a\x01\x00", "image/gif", id="GIF of 1987"),
        pytest.param(b"GIF89a\x01\x00", "image/gif", id="GIF of 1989"),
        pytest.param(b"RIFF\n\x00\x00\x00WEBPVP8 ", "image/webp", id="WEBP, with a line end in its length"),
    ],
)
def test_a_picture_is_known_by_how_it_begins(data: bytes, mime: str) -> None:
    media = as_media(data)

    assert media is not None
    assert (MediaKind.IMAGE, mime, data) == (media.kind, media.mime, media.data)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"\x89PN", id="too short"),
        pytest.param(b"RIFF\n\x00\x00\x00WAVEfmt ", id="a sound"),
        pytest.param(b"see GIF89a", id="a picture's name in a text"),
    ],
)
def test_other_bytes_are_none(data: bytes) -> None:
    assert as_media(data) is None
