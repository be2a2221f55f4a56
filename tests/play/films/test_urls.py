"""Where a page finds pictures and files."""

from __future__ import annotations

from base64 import b64decode

import pytest

from cadenza.bot.characters.png import plain
from cadenza.play.films.urls import LARGEST_AVATAR, LARGEST_PICTURE, LARGEST_TEXT, Addresses, InlineAddresses, Paths
from cadenza.sim.payloads import as_picture
from cadenza.sim.wire import File, Json
from cadenza.sim.world import World

FACE = plain("Ren")
ELSEWHERE = "https://pictures.example/fox.png"


class _Scene:
    """A channel with a webhook in it."""

    def __init__(self) -> None:
        self.world = World()
        self.bot = self.world.add_bot()
        guild = self.world.add_guild("Home", members=[self.bot])
        self.channel = self.world.add_channel(guild, "general")

    def author(self, *, avatar: bytes | None = None, url: str | None = None) -> Json:
        """Who has spoken through a webhook."""
        made = self.world.create_webhook(
            self.bot.id, self.channel, {"name": "Ren", "avatar": avatar and as_picture(avatar)}
        )
        said = self.world.execute_webhook(made["id"], made["token"], {"content": "a", "avatar_url": url})
        author: Json = said["author"]
        return author

    def file(self, name: str, data: bytes) -> Json:
        """A file that was sent."""
        sent = self.world.create_message(self.bot.id, self.channel, {}, [File(name, data)])
        attachment: Json = sent["attachments"][0]
        return attachment


@pytest.fixture
def scene() -> _Scene:
    return _Scene()


def _content(address: str | None) -> tuple[str, bytes]:
    assert address is not None
    head, data = address.split(";base64,")
    return head, b64decode(data)


def test_a_face_is_a_path_or_itself(scene: _Scene) -> None:
    author = scene.author(avatar=FACE)

    assert f"/avatars/{author['avatar']}" == Paths(scene.world).avatar(author)
    assert ("data:image/png", FACE) == _content(InlineAddresses(scene.world).avatar(author))


@pytest.mark.parametrize("kind", [Paths, InlineAddresses])
def test_who_has_no_face_or_one_that_is_kept_elsewhere_is_shown_without(
    scene: _Scene, kind: type[Paths | InlineAddresses]
) -> None:
    addresses: Addresses = kind(scene.world)

    assert addresses.avatar(scene.author()) is None
    assert addresses.avatar(scene.author(url=ELSEWHERE)) is None
    assert addresses.avatar({"avatar": "0123456789abcdef"}) is None
    assert addresses.picture(ELSEWHERE) is None
    assert addresses.picture("") is None
    assert addresses.picture("javascript:alert(1)") is None


def test_a_face_that_is_a_file_of_this_world_is_found_there(scene: _Scene) -> None:
    fox = scene.file("fox.png", FACE)
    author = scene.author(url=fox["url"] + "?ex=1")

    assert f"/files/{fox['id']}/fox.png" == Paths(scene.world).avatar(author)
    assert ("data:image/png", FACE) == _content(InlineAddresses(scene.world).avatar(author))


def test_a_face_that_is_the_face_of_another_is_found_there(scene: _Scene) -> None:
    avatar = scene.author(avatar=FACE)["avatar"]
    author = scene.author(url=f"{scene.world.cdn}/avatars/1/{avatar}.png?size=128")

    assert f"/avatars/{avatar}" == Paths(scene.world).avatar(author)
    assert ("data:image/png", FACE) == _content(InlineAddresses(scene.world).avatar(author))


def test_a_file_is_a_path(scene: _Scene) -> None:
    file = scene.file("a b/ü?.txt", b"a")

    assert f"/files/{file['id']}/a%20b%2F%C3%BC%3F.txt" == Paths(scene.world).file(file)


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("a.png", FACE, "data:image/png"),
        ("a.txt", "ü".encode(), "data:text/plain;charset=utf-8"),
        ("a.html", b"<script>alert(1)</script>", "data:text/plain;charset=utf-8"),
        ("a.svg", b"<svg onload='alert(1)'/>", "data:text/plain;charset=utf-8"),
    ],
    ids=["a picture", "a text", "a page is only text", "a drawing is only text"],
)
def test_a_file_is_in_the_film(scene: _Scene, name: str, data: bytes, expected: str) -> None:
    assert (expected, data) == _content(InlineAddresses(scene.world).file(scene.file(name, data)))


@pytest.mark.parametrize(
    "data",
    [FACE + bytes(LARGEST_PICTURE), b"a" * (LARGEST_TEXT + 1), b"a\0b", b"\xff\xfe", b""],
    ids=["a large picture", "a long text", "with a zero", "no text", "nothing"],
)
def test_a_file_is_not_in_the_film(scene: _Scene, data: bytes) -> None:
    assert InlineAddresses(scene.world).file(scene.file("a.bin", data)) is None


def test_a_large_face_is_not_in_the_film(scene: _Scene) -> None:
    assert InlineAddresses(scene.world).avatar(scene.author(avatar=FACE + bytes(LARGEST_AVATAR))) is None


def test_what_is_in_a_file_that_nobody_has_is_nothing(scene: _Scene) -> None:
    assert b"" == Paths(scene.world).data({"id": "1"})
    assert InlineAddresses(scene.world).file({"id": "1"}) is None
