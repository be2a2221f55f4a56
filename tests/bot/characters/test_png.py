"""Text chunks of PNG files."""

from __future__ import annotations

import io
import struct
import zlib

import pytest
from hypothesis import given, strategies as st
from PIL import Image

from cadenza.bot.characters import png
from cadenza.errors import InputError

PLAIN = png.plain("Ren")
ascii_texts = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=50)


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def with_chunk(kind: bytes, body: bytes) -> bytes:
    return PLAIN[:-12] + chunk(kind, body) + PLAIN[-12:]


@given(st.text(max_size=20))
def test_a_plain_picture_is_one_whatever_the_name(name: str) -> None:
    with Image.open(io.BytesIO(png.plain(name))) as picture:
        picture.load()

        assert ("PNG", (64, 64)) == (picture.format, picture.size)


def test_names_have_colours() -> None:
    assert png.plain("Ren") == png.plain("Ren")
    assert png.plain("Ren") != png.plain("蓮")


@given(ascii_texts, ascii_texts)
def test_what_is_put_in_is_found_and_can_be_taken_out_again(first: str, second: str) -> None:
    given_ = {"chara": first, "ccv3": second}
    written = png.with_texts(PLAIN, given_)

    assert given_ == png.texts(written)
    assert PLAIN == png.without_texts(written, given_)
    assert {"chara": "new", "ccv3": second} == png.texts(png.with_texts(written, {"chara": "new"}))
    with Image.open(io.BytesIO(written)) as picture:
        picture.load()


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        pytest.param(b"tEXt", b"chara\0text", id="tEXt"),
        pytest.param(b"zTXt", b"chara\0\0" + zlib.compress(b"text"), id="zTXt"),
        pytest.param(b"iTXt", b"chara\0\0\0\0\0text", id="iTXt"),
        pytest.param(b"iTXt", b"chara\0\1\0en\0chara\0" + zlib.compress(b"text"), id="packed iTXt"),
    ],
)
def test_a_text_is_found_however_it_is_packed(kind: bytes, body: bytes) -> None:
    assert {"chara": "text"} == png.texts(with_chunk(kind, body))


@pytest.mark.parametrize("body", [b"chara", b"\0text", b"x" * 80 + b"\0text"])
def test_a_text_without_a_keyword_is_passed_over(body: bytes) -> None:
    assert {} == png.texts(with_chunk(b"tEXt", body))


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        pytest.param(b"GIF89a", "not a PNG", id="not a picture"),
        pytest.param(PLAIN[:40], "damaged", id="cut off"),
        pytest.param(PLAIN[:-12], "damaged", id="without an end"),
        pytest.param(PLAIN[:20] + b"\xff" + PLAIN[21:], "damaged", id="a wrong check sum"),
        pytest.param(PLAIN[:8] + b"\xff\xff\xff\xff" + PLAIN[12:], "damaged", id="a length beyond the end"),
        pytest.param(PLAIN[:8] + PLAIN[-12:], "damaged", id="without a header"),
        pytest.param(with_chunk(b"zTXt", b"chara\0\0rubbish"), "damaged", id="packed rubbish"),
        pytest.param(PLAIN + bytes(9 * 2**20), "larger than 8 MB", id="large"),
        pytest.param(with_chunk(b"zTXt", b"chara\0\0" + zlib.compress(bytes(20 * 2**20))), "more text", id="a bomb"),
    ],
)
def test_a_broken_picture_is_refused_in_one_sentence(data: bytes, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        png.texts(data)


@given(st.binary(max_size=80), st.integers(0, len(PLAIN)))
def test_whatever_is_in_it_it_is_read_or_refused(noise: bytes, at: int) -> None:
    for data in (png.SIGNATURE + noise, PLAIN[:at] + noise + PLAIN[at:]):
        try:
            png.texts(data)
        except InputError:
            continue
