from __future__ import annotations

import pytest

from cadenza.sim.content_types import kind_of


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        pytest.param("a.png", b"", "image/png", id="by its name"),
        pytest.param("a.bin", b"\x89PNG\r\n\x1a\n...", "image/png", id="png"),
        pytest.param("", b"\xff\xd8\xff\xe0", "image/jpeg", id="jpeg"),
        pytest.param("", b"GIF89a", "image/gif", id="gif"),
        pytest.param("", b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp", id="webp"),
        pytest.param("a.txt", b"hello", "text/plain", id="text"),
        pytest.param("a.html", b"<script>", "application/octet-stream", id="a page is not shown"),
        pytest.param("a.svg", b"<svg>", "application/octet-stream", id="nor a drawing with scripts"),
        pytest.param("a", b"", "application/octet-stream", id="unknown"),
    ],
)
def test_a_file_is_served_as_what_it_is_unless_that_could_do_harm(name: str, data: bytes, kind: str) -> None:
    assert kind == kind_of(name, data)
