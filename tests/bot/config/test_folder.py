"""Files beside a configuration."""

from __future__ import annotations

from pathlib import Path

import pytest

from cadenza.bot.config.folder import Folder
from cadenza.errors import SettingsError

PNG = b"\x89PNG\r\n\x1a\n rest"


def test_a_text_is_read_and_remembered(tmp_path: Path) -> None:
    (tmp_path / "ren.md").write_bytes(b"\xef\xbb\xbfA fox.\r\nShy.\n")
    folder = Folder(tmp_path)

    assert "A fox.\nShy." == folder.text("ren.md")
    assert {tmp_path / "ren.md"} == folder.seen


@pytest.mark.parametrize(
    ("data", "kind"),
    [(PNG, "png"), (b"\xff\xd8\xff\xe0", "jpeg"), (b"GIF89a", "gif"), (b"RIFF\0\0\0\0WEBPVP8", "webp")],
)
def test_a_picture_becomes_a_data_uri(tmp_path: Path, data: bytes, kind: str) -> None:
    (tmp_path / "face").write_bytes(data)

    assert Folder(tmp_path).picture("face").startswith(f"data:image/{kind};base64,")


@pytest.mark.parametrize("address", ["https://example.org/a.png", "data:image/png;base64,AAAA"])
def test_an_address_stays(tmp_path: Path, address: str) -> None:
    assert address == Folder(tmp_path).picture(address)


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("text.png", "names 'text.png', which is not a picture; it may be PNG, JPEG, GIF or WebP"),
        ("none.png", "names 'none.png', which cannot be read (No such file or directory)"),
        ("http://example.org/a.png", "must be a file or an address that begins with https://"),
        ("a\0b", "names 'a\\x00b', which cannot be read (no such name)"),
    ],
)
def test_what_is_no_picture_is_refused(tmp_path: Path, name: str, complaint: str) -> None:
    (tmp_path / "text.png").write_text("hello")

    with pytest.raises(SettingsError) as raised:
        Folder(tmp_path).picture(name)

    assert complaint == str(raised.value)


def test_what_is_too_large_or_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"a" * 100)
    (tmp_path / "odd").write_bytes(b"\xff")

    with pytest.raises(SettingsError, match="too large"):
        Folder(tmp_path).data("large", 99)
    with pytest.raises(SettingsError, match="UTF-8"):
        Folder(tmp_path).text("odd")


def test_a_file_that_is_not_there_is_remembered_too(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    with pytest.raises(SettingsError):
        folder.text("later.md")

    assert {tmp_path / "later.md"} == folder.seen
