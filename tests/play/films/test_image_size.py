"""How large pictures are."""

from __future__ import annotations

from io import BytesIO

import pytest
from hypothesis import given, strategies as st
from PIL import Image

from cadenza.play.films.image_size import Size, size_of


@pytest.mark.parametrize(
    ("form", "options"),
    [
        ("PNG", {}),
        ("GIF", {}),
        ("JPEG", {}),
        ("JPEG", {"progressive": True, "exif": b"Exif\0\0" + b"\xff" * 200}),
        ("WEBP", {}),
        ("WEBP", {"lossless": True}),
        ("WEBP", {"exif": b"Exif\0\0II*\0\x08\0\0\0\0\0\0\0\0\0"}),
    ],
    ids=[
        "png",
        "gif",
        "jpeg",
        "progressive jpeg with other parts in front",
        "lossy webp",
        "lossless webp",
        "extended webp",
    ],
)
def test_a_picture_says_how_large_it_is(form: str, options: dict[str, object]) -> None:
    buffer = BytesIO()
    Image.new("RGB", (301, 17)).save(buffer, form, **options)

    assert Size(301, 17) == size_of(buffer.getvalue())


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"hello",
        b"\x89PNG\r\n\x1a\n",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(8),
        b"GIF89a\1",
        b"\xff\xd8\xff",
        b"\xff\xd8" + b"\xff" * 99,
        b"\xff\xd8\xff\xe0\0\0\0\0\0\0\0\0\0",
        b"RIFF....WEBPVP8 ",
    ],
    ids=[
        "nothing",
        "a text",
        "a cut png",
        "an empty png",
        "a cut gif",
        "a cut jpeg",
        "filling",
        "no length",
        "a cut webp",
    ],
)
def test_what_does_not_say_it_has_no_size(data: bytes) -> None:
    assert size_of(data) is None


@given(st.sampled_from([b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF89a", b"RIFF"]), st.binary(max_size=200))
def test_any_bytes_can_be_measured(start: bytes, rest: bytes) -> None:
    size = size_of(start + rest)

    assert size is None or min(size) > 0
