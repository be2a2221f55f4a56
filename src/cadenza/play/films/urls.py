"""Addresses of a simulated Discord's pictures and files: on the playground's server, or in the film itself.

A page fetches nothing from anywhere else: an avatar on another host is not shown.
"""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Protocol
from urllib.parse import quote

from ...sim.content_types import kind_of

if TYPE_CHECKING:
    from ...sim.wire import Json
    from ...sim.world import World

LARGEST_AVATAR = 256 * 1024
LARGEST_PICTURE = 1024 * 1024
LARGEST_TEXT = 128 * 1024
"""Files with more bytes than this are not put into a film."""


class Addresses(Protocol):
    """Gives addresses that a page can show."""

    def avatar(self, author: Json, /) -> str | None:
        """The address of the avatar of *author*; ``None`` if it cannot be shown."""

    def file(self, attachment: Json, /) -> str | None:
        """The address of a file; ``None`` if it is not available."""

    def picture(self, address: str, /) -> str | None:
        """The address to show for *address*; ``None`` if it points outside."""

    def data(self, attachment: Json, /) -> bytes:
        """The content of a file; empty if it does not exist."""


class _Kept:
    """The files of a *world*."""

    def __init__(self, world: World) -> None:
        self._world = world

    def data(self, attachment: Json, /) -> bytes:
        """The content of a file; empty if it does not exist."""
        try:
            return self._world.file(str(attachment["id"]))
        except KeyError:
            return b""

    def _stored_avatar(self, author: Json) -> str | bytes | None:
        avatar = author.get("avatar")
        return self._world.portrait(str(avatar)) if avatar else None

    def _parts(self, address: str) -> tuple[str, str, str] | None:
        """The parts of an address in this world: folder, file id or avatar name, and file name."""
        own = f"{self._world.cdn}/"
        folder, *path = address.removeprefix(own).partition("?")[0].split("/")
        match folder, path:
            case "attachments", [_, id_, name] if address.startswith(own):
                return folder, id_, name
            case "avatars", [_, name] if address.startswith(own):
                return folder, name.partition(".")[0], name
        return None


class Paths(_Kept):
    """Paths on the playground's server, which has the same *world*."""

    def avatar(self, author: Json, /) -> str | None:
        """The path of an avatar."""
        match self._stored_avatar(author):
            case bytes():
                return f"/avatars/{author['avatar']}"
            case str(address):
                return self.picture(address)
        return None

    def file(self, attachment: Json, /) -> str | None:
        """The path of a file."""
        return f"/files/{attachment['id']}/{quote(str(attachment['filename']), safe='')}"

    def picture(self, address: str, /) -> str | None:
        """The path of *address* in this world."""
        match self._parts(address):
            case "attachments", id_, name:
                return self.file({"id": id_, "filename": name})
            case "avatars", avatar, _ if isinstance(self._world.portrait(avatar), bytes):
                return f"/avatars/{avatar}"
        return None


class InlineAddresses(_Kept):
    """``data:`` addresses, for a film that holds its own pictures and text files."""

    def avatar(self, author: Json, /) -> str | None:
        """The avatar as data."""
        match self._stored_avatar(author):
            case bytes(data):
                return _as_picture(data, LARGEST_AVATAR)
            case str(address):
                return self.picture(address)
        return None

    def file(self, attachment: Json, /) -> str | None:
        """The file as data, if it is a picture or a text."""
        data = self.data(attachment)
        return _as_picture(data, LARGEST_PICTURE) or _as_text(data)

    def picture(self, address: str, /) -> str | None:
        """The picture at *address* in this world, as data."""
        match self._parts(address):
            case "attachments", id_, _:
                return _as_picture(self.data({"id": id_}), LARGEST_PICTURE)
            case "avatars", avatar, _ if isinstance(data := self._world.portrait(avatar), bytes):
                return _as_picture(data, LARGEST_AVATAR)
        return None


def _as_picture(data: bytes, largest: int) -> str | None:
    kind = kind_of("", data)
    return _as_address(data, kind) if kind.startswith("image/") and len(data) <= largest else None


def _as_text(data: bytes) -> str | None:
    """Show text as plain text, whatever type it claims."""
    if not data or len(data) > LARGEST_TEXT or b"\0" in data:
        return None
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return _as_address(data, "text/plain;charset=utf-8")


def _as_address(data: bytes, kind: str) -> str:
    return f"data:{kind};base64,{b64encode(data).decode('ascii')}"
