from __future__ import annotations

import sys
import zlib

import pytest
import zstandard

from cadenza.sim.frames import framing

MESSAGES = [b'{"op":10}', '{"d":"ünïcödé 🎵"}'.encode(), b'{"d":"' + b"x" * 100_000 + b'"}', b"{}"]


@pytest.mark.parametrize("asked", ["", "none", "brotli-stream"])
def test_without_compression_a_message_is_text(asked: str) -> None:
    frame = framing(asked)

    assert [message.decode() for message in MESSAGES] == [frame(message) for message in MESSAGES]


def test_zlib_is_one_stream_in_which_each_message_can_be_read_at_once() -> None:
    frame = framing("zlib-stream")
    stream = zlib.decompressobj()
    for message in MESSAGES:
        framed = frame(message)

        assert isinstance(framed, bytes)
        assert framed.endswith(b"\x00\x00\xff\xff")
        assert message == stream.decompress(framed)


def test_zstd_is_one_stream_in_which_each_message_can_be_read_at_once() -> None:
    frame = framing("zstd-stream")
    stream = zstandard.ZstdDecompressor().decompressobj()
    for message in MESSAGES:
        framed = frame(message)

        assert isinstance(framed, bytes)
        assert message == stream.decompress(framed)


@pytest.mark.parametrize("asked", ["zlib-stream", "zstd-stream"])
def test_compression_can_be_switched_off(asked: str) -> None:
    assert "{}" == framing(asked, "none")(b"{}")


def test_without_zstandard_it_is_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)

    assert "{}" == framing("zstd-stream")(b"{}")
