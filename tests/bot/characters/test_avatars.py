"""Avatars from uploaded pictures."""

from __future__ import annotations

import io
import struct
import zlib
from base64 import b64encode

import pytest
from PIL import ExifTags, Image

from cadenza.bot.characters import avatars
from cadenza.bot.characters.png import SIGNATURE, plain
from cadenza.errors import InputError


def picture(kind: str, size: tuple[int, int]) -> bytes:
    written = io.BytesIO()
    Image.new("RGB", size, "teal").save(written, kind)
    return written.getvalue()


def _claims(width: int, height: int) -> bytes:
    """A small file with the header of a huge picture."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + header
    return SIGNATURE + struct.pack(">I", len(header)) + chunk + struct.pack(">I", zlib.crc32(chunk)) + plain("x")[33:]


@pytest.mark.parametrize("size", [(80, 40), (1000, 500)], ids=["small", "large"])
def test_a_photo_stands_upright_and_does_not_tell_where_it_was_taken(size: tuple[int, int]) -> None:
    told = Image.Exif()
    told[ExifTags.Base.Orientation] = 6
    told[ExifTags.Base.GPSInfo] = {1: "N"}
    written = io.BytesIO()
    Image.new("RGB", size, "teal").save(written, "JPEG", exif=told)

    data = avatars.of_uri(avatars.uri_of(written.getvalue()))

    assert data is not None
    with Image.open(io.BytesIO(data)) as photo:
        assert photo.height == 2 * photo.width
        assert {} == dict(photo.getexif())


@pytest.mark.parametrize("kind", ["png", "jpeg", "gif", "webp"])
def test_a_small_picture_stays_as_it_is(kind: str) -> None:
    data = picture(kind, (512, 300))

    assert f"data:image/{kind};base64,{b64encode(data).decode()}" == avatars.uri_of(data)


@pytest.mark.parametrize("kind", ["png", "jpeg", "webp"])
def test_a_large_picture_is_made_smaller(kind: str) -> None:
    data = avatars.of_uri(avatars.uri_of(picture(kind, (1000, 2000))))

    assert data is not None
    with Image.open(io.BytesIO(data)) as small:
        assert ("PNG", (256, 512)) == (small.format, small.size)


def test_without_pillow_it_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(avatars, "find_spec", lambda _: None)
    data = picture("png", (1000, 2000))

    assert avatars.as_uri("png", data) == avatars.uri_of(data)


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        pytest.param(b"", "not a picture", id="nothing"),
        pytest.param(b"<svg>", "not a picture", id="another kind"),
        pytest.param(b"RIFF1234WAVE", "not a picture", id="a sound"),
        pytest.param(plain("x")[:60], "cannot be opened", id="broken"),
        pytest.param(b"\xff\xd8\xff" + bytes(8 * 2**20), "larger than 8 MB", id="large"),
        pytest.param(_claims(60_000, 60_000), "too many pixels", id="a giant that Pillow refuses"),
    ],
)
def test_what_can_be_no_face_is_refused_in_one_sentence(data: bytes, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        avatars.uri_of(data)


def test_a_picture_of_too_many_pixels_is_refused() -> None:
    with pytest.raises(InputError, match="too many pixels"):
        avatars.uri_of(picture("png", (7000, 7000)))


@pytest.mark.parametrize(
    "uri", ["", "https://example.org/a.png", "data:image/png,abc", "data:image/png;base64,%%", "data:;base64,YWJj"]
)
def test_only_a_picture_is_found_in_an_address_that_holds_it(uri: str) -> None:
    assert avatars.of_uri(uri) is None


def test_an_address_is_taken_as_it_is() -> None:
    assert "https://example.org/a.png?b=1" == avatars.address_of(" https://example.org/a.png?b=1 ")


@pytest.mark.parametrize(
    "url", ["", "fox.png", "ftp://example.org/a", "https://", "https://a b/c", "http://[", "https://x/" + "y" * 2048]
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="not the address"):
        avatars.address_of(url)
