"""Pictures and files: what a model is shown of them, and no more than that."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import discord
import pytest

from cadenza.targets.discord_py.attachments import AttachmentReader, ShownAttachments, fenced
from cadenza.types import Media, MediaKind

TENOR = "https://tenor.com/view/happy-cat-1"


class Paper(discord.Attachment):
    """A file that needs no Discord."""

    def __init__(self, name: str, data: bytes = b"", kind: str | None = None, size: int | None = None) -> None:
        described: Any = {
            "id": 1,
            "filename": name,
            "url": f"https://cdn.example/{name}",
            "proxy_url": f"https://p/{name}",
        }
        described |= {"size": len(data) if size is None else size}
        state: Any = SimpleNamespace(http=None)
        super().__init__(data=described | ({"content_type": kind} if kind else {}), state=state)
        self._data = data
        self.reads = 0

    async def read(self, *, use_cached: bool = False) -> bytes:  # noqa: ARG002  # as discord.py has it
        """What stands in it."""
        self.reads += 1
        if self._data == b"lost":
            raise discord.DiscordException
        return self._data


def picture(name: str, mime: str = "image/png") -> Media:
    """What a model gets of one."""
    return Media(MediaKind.IMAGE, mime, url=f"https://cdn.example/{name}", fallback=f"https://p/{name}")


@pytest.mark.parametrize(
    ("paper", "expected"),
    [
        pytest.param(Paper("cat.png", kind="image/png"), ShownAttachments((picture("cat.png"),)), id="a picture"),
        pytest.param(Paper("cat.jpg"), ShownAttachments((picture("cat.jpg", "image/jpeg"),)), id="by its name"),
        pytest.param(
            Paper("cat.heic", kind="image/heic"), ShownAttachments((), ("[image: cat.heic]",)), id="one nobody can see"
        ),
        pytest.param(Paper("a.zip", b"PK"), ShownAttachments((), ("[file: a.zip]",)), id="some file"),
        pytest.param(Paper("a.mp4", kind="video/mp4"), ShownAttachments((), ("[file: a.mp4]",)), id="a film"),
        pytest.param(
            Paper("a.txt", b"Hello\r\nyou"), ShownAttachments((), ("[file: a.txt]\n```\nHello\nyou\n```",)), id="a text"
        ),
        pytest.param(
            Paper("a", b"{}", "application/json; charset=utf-8"),
            ShownAttachments((), ("[file: a]\n```\n{}\n```",)),
            id="by type",
        ),
        pytest.param(Paper("a.PY", b"x = 1"), ShownAttachments((), ("[file: a.PY]\n```\nx = 1\n```",)), id="a program"),
        pytest.param(
            Paper("a.txt", "ähm".encode("utf-16")),
            ShownAttachments((), ("[file: a.txt]\n```\nähm\n```",)),
            id="other letters",
        ),
        pytest.param(Paper("a.txt", b"a\0b"), ShownAttachments((), ("[file: a.txt]",)), id="no text after all"),
        pytest.param(Paper("a.txt", b"lost"), ShownAttachments((), ("[file: a.txt]",)), id="one that cannot be had"),
        pytest.param(
            Paper("a.txt", size=2_000_000),
            ShownAttachments((), ("[file: a.txt, too large to be read]",)),
            id="one that is too large",
        ),
        pytest.param(
            Paper("a.txt", b"0123456789abc"),
            ShownAttachments((), ("[file: a.txt, the beginning of it]\n```\n0123456789\n```",)),
            id="one that is long",
        ),
    ],
)
async def test_what_is_shown_of_a_file(paper: Paper, expected: ShownAttachments) -> None:
    assert expected == await AttachmentReader(images=True, characters=10).of([paper], [])


async def test_without_pictures_and_files_there_are_their_names() -> None:
    text = Paper("a.txt", b"Hello")

    shown = await AttachmentReader(images=False, characters=0).of([Paper("cat.png"), text], [discord.Embed()])

    assert ShownAttachments((), ("[image: cat.png]", "[file: a.txt]")) == shown
    assert 0 == text.reads


async def test_only_so_much_of_a_conversation_is_shown() -> None:
    attachment_reader = AttachmentReader(images=True, characters=10)
    papers = [Paper(f"{number}.png") for number in range(9)] + [Paper(f"{number}.txt", b"x" * 9) for number in range(6)]

    shown = await attachment_reader.of(papers, [])

    assert 8 == len(shown.media)
    assert "[image: 8.png]" == shown.words[0]
    contents = [text.count("x") - text.count("txt") for text in shown.words[1:]]
    assert [9, 9, 2, 0, 0, 0] == contents
    assert [1, 1, 1, 0, 0, 0] == [paper.reads for paper in papers[9:]]


async def test_pictures_of_embeds_are_shown() -> None:
    image = {"url": "https://example.org/a.webp", "proxy_url": "https://p.example/a.webp"}
    embeds = [
        discord.Embed.from_dict({"type": "rich", "image": image}),
        discord.Embed.from_dict({"type": "image", "url": "https://example.org/b", "thumbnail": {"url": "https://e/b"}}),
        discord.Embed.from_dict({"type": "gifv", "url": TENOR, "thumbnail": {"url": "https://e/c.png"}}),
        discord.Embed.from_dict(
            {"type": "video", "url": "https://youtu.be/1", "thumbnail": {"url": "https://e/d.png"}}
        ),
        discord.Embed(title="No picture"),
    ]

    shown = await AttachmentReader(images=True, characters=0).of([], embeds)

    assert [
        ("image/webp", "https://p.example/a.webp", "https://example.org/a.webp"),
        ("image/png", "https://e/b", "https://example.org/b"),
        ("image/gif", TENOR, ""),
    ] == [(media.mime, media.url, media.fallback) for media in shown.media]


def test_nothing_in_a_file_closes_its_block() -> None:
    assert "[file: a]\n````\n```py\nx\n```\n````" == fenced("a", "```py\nx\n```", 100)
