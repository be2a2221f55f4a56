"""Attachments for the model: images as media, text files with their text, other files by name.

There is one budget for a conversation, and the newest message comes first: questions are about recent images.
"""

from __future__ import annotations

import asyncio
import codecs
import mimetypes
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from urllib.parse import urlsplit

import discord

from ...concurrency.tasks import must_rise
from ...explain.tracebacks import get_logger
from ...types import Media, MediaKind

logger = get_logger(__name__)

_IMAGES = 8
"""Images of a conversation at most; others are only named."""
_FILES = 4
"""Text files of a conversation at most."""
_MOST_BYTES = 1_000_000
"""Larger text files are not read."""
_SECONDS = 10.0
"""The timeout for reading one."""
_PICTURES = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})
_TEXT_TYPES = re.compile(
    r"text/.+|application/(?:[\w.-]+\+)?(?:json|xml)|application/(?:x-)?(?:yaml|toml|sh|javascript|sql|ndjson|python-code)"
    r"|image/svg\+xml"
)
_TEXT_ENDINGS = re.compile(
    r"\.(?:txt|md|markdown|rst|log|csv|tsv|json|jsonl|yaml|yml|toml|ini|cfg|conf|xml|html|htm|css|svg|py|pyi|js|mjs|ts|tsx|jsx"
    r"|java|kt|c|h|cc|cpp|hpp|cs|go|rs|rb|php|pl|lua|swift|sh|bash|zsh|ps1|bat|sql|r|tex|bib|diff|patch|srt|vtt|po)",
    re.IGNORECASE,
)
_BACKTICKS = re.compile("`{3,}")
_BOMS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


@dataclass(frozen=True, slots=True)
class ShownAttachments:
    """The media and words of one message."""

    media: tuple[Media, ...] = ()
    words: tuple[str, ...] = ()
    """A line or a code block for each other file."""


@dataclass(slots=True)
class AttachmentReader:
    """The remaining budget of a conversation; ask for the newest message first."""

    images: bool
    characters: int
    """Characters of one text file; all together may have twice as many."""
    _pictures: int = field(default=_IMAGES, init=False)
    _files: int = field(default=_FILES, init=False)
    _room: int = field(init=False)

    def __post_init__(self) -> None:
        self._room = 2 * self.characters

    async def of(self, attachments: Iterable[discord.Attachment], embeds: Iterable[discord.Embed]) -> ShownAttachments:
        """The media and words for *attachments* and *embeds* of a message."""
        media: list[Media] = []
        words: list[str] = []
        for attachment in attachments:
            if picture := self._picture(_mime(attachment), attachment.url, attachment.proxy_url):
                media.append(picture)
            else:
                words.append(await self._told(attachment))
        for embed in embeds:
            media += self._pictures_of(embed)
        return ShownAttachments(tuple(media), tuple(words))

    def _pictures_of(self, embed: discord.Embed) -> Iterable[Media]:
        """The image of *embed*; the preview of a linked video is none."""
        if embed.type == "gifv":
            picture = self._picture("image/gif", embed.url or "", embed.thumbnail.proxy_url or "")
        elif embed.type == "image":
            picture = self._linked(embed.thumbnail.proxy_url or embed.thumbnail.url, embed.url)
        else:
            picture = self._linked(embed.image.proxy_url, embed.image.url)
        return () if picture is None else (picture,)

    def _linked(self, address: str | None, other: str | None) -> Media | None:
        address = address or other
        if not address:
            return None
        mime, _ = mimetypes.guess_type(urlsplit(address).path)
        return self._picture(mime or "image/png", address, other or "")

    def _picture(self, mime: str, address: str, other: str) -> Media | None:
        """The image, if its type is supported and the budget allows it."""
        if mime not in _PICTURES or not self.images or not address or not self._pictures:
            return None
        self._pictures -= 1
        return Media(MediaKind.IMAGE, mime, url=address, fallback=other if other != address else "")

    async def _told(self, attachment: discord.Attachment) -> str:
        """A file in words: its text, or only its name."""
        name = " ".join(attachment.filename.split())
        named = f"[{'image' if _mime(attachment).startswith('image/') else 'file'}: {name}]"
        if not _is_text(attachment) or not self._files or min(self.characters, self._room) <= 0:
            return named
        if attachment.size > _MOST_BYTES:
            return f"[file: {name}, too large to be read]"
        self._files -= 1
        text = await _read(attachment)
        if text is None:
            return named
        room = min(self.characters, self._room)
        self._room -= min(len(text), room)
        return fenced(name, text, room)


def fenced(name: str, text: str, room: int) -> str:
    """The beginning of a file as a code block whose fence the text does not contain."""
    shown = text[:room].strip("\n")
    fence = "`" * max(3, 1 + max((len(run) for run in _BACKTICKS.findall(shown)), default=0))
    more = "" if len(text) <= room else ", the beginning of it"
    return f"[file: {name}{more}]\n{fence}\n{shown}\n{fence}"


async def _read(attachment: discord.Attachment) -> str | None:
    """The text of a file; ``None`` if it cannot be read or is no text."""
    try:
        async with asyncio.timeout(_SECONDS):
            data = await attachment.read()
    except BaseException as error:
        if must_rise(error):
            raise
        logger.info("text file could not be read", exc_info=error)
        return None
    encoding = next((name for bom, name in _BOMS.items() if data.startswith(bom)), "utf-8")
    text = data[:_MOST_BYTES].decode(encoding, errors="replace").replace("\r\n", "\n")
    return None if "\0" in text else text


def _is_text(attachment: discord.Attachment) -> bool:
    if _TEXT_TYPES.fullmatch(_mime(attachment)):
        return True
    return _TEXT_ENDINGS.fullmatch(PurePosixPath(attachment.filename).suffix) is not None


def _mime(attachment: discord.Attachment) -> str:
    """The MIME type of a file, from Discord or by its name."""
    told = (attachment.content_type or "").partition(";")[0].strip().lower()
    if told and told != "application/octet-stream":
        return told
    return mimetypes.guess_type(attachment.filename)[0] or ""
