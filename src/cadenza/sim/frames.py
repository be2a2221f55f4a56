"""The encoding of gateway messages: plain text, or one compressed stream."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Literal, TypeAlias

Compression: TypeAlias = Literal["auto", "none"]
"""``auto`` is what the client asks for; ``none`` is always plain text, which all clients accept."""

Frame: TypeAlias = Callable[[bytes], bytes | str]
"""Encodes one message of a connection: text if plain, bytes if compressed."""


def framing(asked: str, compression: Compression = "auto") -> Frame:
    """The framing for a connection whose client asked for *asked*, such as ``zlib-stream``."""
    if compression == "auto" and asked == "zlib-stream":
        stream = zlib.compressobj()
        return lambda message: stream.compress(message) + stream.flush(zlib.Z_SYNC_FLUSH)
    if compression == "auto" and asked == "zstd-stream":
        return _zstd() or bytes.decode
    return bytes.decode


def _zstd() -> Frame | None:
    try:
        import zstandard  # noqa: PLC0415  # only clients that have it ask for it
    except ImportError:
        return None
    stream = zstandard.ZstdCompressor().compressobj()
    return lambda message: stream.compress(message) + stream.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
