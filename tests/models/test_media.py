"""Pictures and films in a prompt: fetched, bounded, made smaller, and never a reason to fail."""

from __future__ import annotations

import asyncio
import base64
import struct
import sys
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from io import BytesIO
from random import Random

import pytest

from cadenza.models.http import Http
from cadenza.models.media import fetcher
from cadenza.settings import HttpSettings
from cadenza.stages.s1_context import fit
from cadenza.types import Abilities, Links, Media, MediaKind, Part, Prompt, PromptTurn, Role
from tests.loopback import Act, Answer, Asked, Loopback, serving

Image = pytest.importorskip("PIL.Image")


def picture(size: tuple[int, int] = (8, 6), *, mode: str = "RGB", kind: str = "PNG", **options: object) -> bytes:
    """A picture of one colour."""
    file = BytesIO()
    Image.new(mode, size, 77).save(file, kind, **options)
    return file.getvalue()


def noise(size: tuple[int, int], mode: str) -> bytes:
    """A picture that cannot be written down in few bytes."""
    file = BytesIO()
    length = size[0] * size[1] * len(mode)
    Image.frombytes(mode, size, Random(1).randbytes(length)).save(file, "PNG", compress_level=1)
    return file.getvalue()


PNG, JPEG, GIF, WEBP = (picture(kind=kind) for kind in ("PNG", "JPEG", "GIF", "WEBP"))
MP4 = b"\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2" + bytes(40)
WEBM = b"\x1a\x45\xdf\xa3\x9fB\x86\x81\x01B\xf7\x81\x01B\xf2\x81\x04B\xf3\x81\x08B\x82\x84webm" + bytes(40)


def bomb(width: int, height: int) -> bytes:
    """A few bytes that say they are a picture of *width* by *height*."""
    head = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = [
        struct.pack(">I", 13) + head + struct.pack(">I", zlib.crc32(head)),
        b"\x00\x00\x00\x00IDAT\x35\xaf\x06\x1e",
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def image(url: str = "", **fields: object) -> Media:
    return Media(MediaKind.IMAGE, "image/png", url, **fields)  # type: ignore[arg-type]  # a test gives what it needs


def video(url: str = "", **fields: object) -> Media:
    return Media(MediaKind.VIDEO, "video/mp4", url, **fields)  # type: ignore[arg-type]  # likewise


def prompt(*parts: Part) -> Prompt:
    return Prompt("", (PromptTurn(Role.USER, parts),))


def answers(files: Mapping[str, tuple[str, bytes] | Answer]) -> Callable[[Asked], Answer]:
    """A server of *files*, each with its type, by path."""

    def answer(asked: Asked) -> Answer:
        found = files.get(asked.path, Answer((), 404))
        return found if isinstance(found, Answer) else Answer((found[1],), headers={"content-type": found[0]})

    return answer


async def filled(
    files: Mapping[str, tuple[str, bytes] | Answer],
    make: Callable[[str], Prompt],
    *,
    settings: HttpSettings | None = None,
) -> tuple[Prompt, Loopback]:
    """What becomes of the prompt that *make* makes with the address of a server of *files*."""
    settings = settings or HttpSettings(private_addresses=True)
    async with serving(answers(files)) as loopback, Http(settings) as http:
        result = await fetcher(http, settings)(make(loopback.url))
    if loopback.accepted:
        await loopback.quiet()
    return result, loopback


async def one(
    files: Mapping[str, tuple[str, bytes] | Answer],
    make: Callable[[str], Media],
    *,
    settings: HttpSettings | None = None,
) -> Part:
    result, _ = await filled(files, lambda url: prompt(make(url)), settings=settings)
    return result.turns[0].parts[0]


def shown(part: Part) -> tuple[MediaKind, str, bytes]:
    assert isinstance(part, Media), part
    return part.kind, part.mime, part.data


# --- what is fetched --------------------------------------------------------------------------


async def test_pictures_are_fetched_into_their_places() -> None:
    def make(url: str) -> Prompt:
        first = PromptTurn(Role.USER, ("look", image(f"{url}/a", reference="m1"), "and", image(f"{url}/b")))
        return Prompt(
            "be kind", (first, PromptTurn.said(Role.MODEL, "nice"), PromptTurn(Role.TOOL, (image(f"{url}/a"),)))
        )

    result, loopback = await filled({"/a": ("image/png", PNG), "/b": ("image/jpeg", JPEG)}, make)

    url = loopback.url
    a = image(f"{url}/a", data=PNG)
    b = Media(MediaKind.IMAGE, "image/jpeg", f"{url}/b", JPEG)
    assert ("look", image(f"{url}/a", data=PNG, reference="m1"), "and", b) == result.turns[0].parts
    assert (PromptTurn.said(Role.MODEL, "nice"), (a,)) == (result.turns[1], result.turns[2].parts)
    assert "be kind" == result.system


async def test_the_same_address_is_asked_once() -> None:
    _, loopback = await filled(
        {"/a": ("image/png", PNG)}, lambda url: prompt(*[image(f"{url}/a", reference=str(n)) for n in range(5)])
    )

    assert ["/a"] == [asked.path for asked in loopback.asked]


async def test_a_prompt_without_media_is_left_alone() -> None:
    settings = HttpSettings()
    words = prompt("just words")
    async with Http(settings) as http:
        assert words is await fetcher(http, settings)(words)


async def test_they_are_fetched_at_the_same_time() -> None:
    """No one of the answers is given before all have been asked for."""
    asked: list[Asked] = []
    together = asyncio.Event()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        asked.append(Asked("GET", "", {}, b""))
        if len(asked) == 5:
            together.set()
        await together.wait()
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: image/png\r\nconnection: close\r\n\r\n" + PNG)
        writer.close()

    settings = HttpSettings(private_addresses=True)
    async with await asyncio.start_server(connected, "127.0.0.1", 0) as server, Http(settings) as http:
        port = server.sockets[0].getsockname()[1]
        links = prompt(*[image(f"http://127.0.0.1:{port}/{number}") for number in range(5)])
        result = await fetcher(http, settings)(links)

    assert [PNG] * 5 == [medium.data for medium in result.turns[0].media]


async def test_what_is_there_already_is_not_fetched_and_not_touched() -> None:
    there = image("http://127.0.0.1:1/x", data=b"whatever it is")

    assert there == await one({}, lambda _: there)


@pytest.mark.parametrize(
    "uri",
    [
        pytest.param(f"data:image/png;base64,{base64.b64encode(PNG).decode()}", id="base64"),
        pytest.param(f"data:image/jpeg;name=x;base64,{base64.b64encode(PNG).decode()}", id="with the wrong type"),
        pytest.param(f"data:;base64,{base64.b64encode(PNG).decode().replace('=', '%3D')}", id="without a type"),
        pytest.param("data:image/png," + "".join(f"%{byte:02x}" for byte in PNG), id="percents"),
    ],
)
async def test_a_data_uri_holds_its_picture(uri: str) -> None:
    assert (MediaKind.IMAGE, "image/png", PNG) == shown(await one({}, lambda _: image(uri)))


@pytest.mark.parametrize(
    "uri",
    [
        pytest.param("data:image/png;base64,", id="nothing"),
        pytest.param("data:image/png", id="no comma"),
        pytest.param("data:image/png;base64,AAAAA", id="no base64"),
        pytest.param("data:text/html;base64,PGh0bWw+", id="a page"),
        pytest.param("data:image/png;base64," + "A" * 4000, id="too long"),
        pytest.param("data:image/png;base64," + "A" * 40_000, id="much too long"),
        pytest.param("file:///etc/passwd", id="a file"),
        pytest.param("ftp://example.com/x.png", id="another protocol"),
        pytest.param("http://[", id="no address"),
        pytest.param("", id="none"),
    ],
)
async def test_what_is_no_picture_is_lost(uri: str) -> None:
    assert image(uri, is_lost=True) == await one({}, lambda _: image(uri), settings=HttpSettings(media_bytes=1000))


@pytest.mark.parametrize(
    ("said", "data", "expected"),
    [
        pytest.param("image/png", JPEG, "image/jpeg", id="a server that is wrong"),
        pytest.param("application/octet-stream", WEBP, "image/webp", id="a server that does not look"),
        pytest.param("image/gif", GIF, "image/gif", id="a gif"),
        pytest.param("IMAGE/BMP; q=1", b"BM" + bytes(60), "image/bmp", id="what only the server knows"),
        pytest.param("video/mp4", MP4, "video/mp4", id="a film"),
        pytest.param("video/mp4", WEBM, "video/webm", id="another film"),
        pytest.param("video/mp4", MP4.replace(b"isom", b"qt  "), "video/quicktime", id="a film of another kind"),
        pytest.param("image/heic", MP4.replace(b"isom", b"heic", 1), "image/heic", id="a picture in a film's clothes"),
        pytest.param("image/avif", MP4.replace(b"isom", b"avif", 1), "image/avif", id="another one"),
    ],
)
async def test_a_medium_is_what_its_bytes_say(said: str, data: bytes, expected: str) -> None:
    found = await one({"/a": (said, data)}, lambda url: image(f"{url}/a"))

    assert (MediaKind(expected.partition("/")[0]), expected, data) == shown(found)


# --- what goes wrong --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Answer((), 404), id="gone"),
        pytest.param(("text/html", b"<html>"), id="a page"),
        pytest.param(("application/octet-stream", b"MZ\x90"), id="a program"),
        pytest.param(("image/svg+xml", b"<svg/>"), id="a drawing"),
        pytest.param(("image/png", b"not a picture"), id="a lie"),
        pytest.param(("image/png", PNG + bytes(1000)), id="too long"),
        pytest.param(Answer((PNG, Act.DROP), headers={"content-type": "image/png"}), id="broken off"),
        pytest.param(Answer((PNG, Act.STALL), headers={"content-type": "image/png"}), id="without an end"),
        pytest.param(Answer((Act.STALL,), headers={"content-type": "image/png"}), id="without a beginning"),
    ],
)
async def test_a_picture_that_cannot_be_had_is_told_of(answer: Answer | tuple[str, bytes]) -> None:
    settings = HttpSettings(private_addresses=True, media_bytes=1000, media_timeout=0.05)

    def make(url: str) -> Prompt:
        return prompt("a", image(f"{url}/bad"), video(f"{url}/bad"), "b")

    result, _ = await filled({"/bad": answer}, make, settings=settings)

    assert [True, True] == [medium.is_lost for medium in result.turns[0].media]
    told = "a\n[An image and a video were sent here that cannot be loaded.]\nb"
    assert told == fit(result, Abilities(videos=True)).turns[0].text


async def test_what_the_model_itself_has_sent_and_cannot_be_had_is_told_behind_its_words() -> None:
    """Else it would learn to write such words itself."""

    def make(url: str) -> Prompt:
        links = (image(f"{url}/gone"), video("https://youtu.be/1"))
        return Prompt("", (PromptTurn(Role.MODEL, ("look", *links)),), speaker="Ren")

    result, _ = await filled({}, make)

    said, told = fit(result, Abilities()).turns
    assert PromptTurn.said(Role.MODEL, "look") == said
    assert Role.USER is told.role
    assert told.text.splitlines() == [
        "[System: An image and a video were sent by Ren.]",
        "[An image was sent here that cannot be loaded.]",
        "[A video was sent here that you cannot watch: https://youtu.be/1]",
    ]


@pytest.mark.parametrize("first", ["/gone", "/page", "data:,x"])
async def test_the_other_address_is_asked_if_the_first_has_nothing(first: str) -> None:
    def make(url: str) -> Media:
        return image(f"{url}{first}" if first.startswith("/") else first, fallback=f"{url}/small")

    found = await one({"/page": ("text/html", b"<html>"), "/small": ("image/png", PNG)}, make)

    assert (MediaKind.IMAGE, "image/png", PNG) == shown(found)


async def test_the_other_address_is_not_asked_if_the_first_has_something() -> None:
    _, loopback = await filled(
        {"/a": ("image/png", PNG)}, lambda url: prompt(image(f"{url}/a", fallback=f"{url}/b"), image(f"{url}/a"))
    )

    assert ["/a"] == [asked.path for asked in loopback.asked]


async def test_a_private_address_is_not_fetched_from() -> None:
    settings = HttpSettings()
    async with serving(answers({"/a": ("image/png", PNG)})) as loopback, Http(settings) as http:
        result = await fetcher(http, settings)(prompt(image(f"{loopback.url}/a")))

    assert ([True], 0) == ([medium.is_lost for medium in result.turns[0].media], loopback.accepted)


async def test_cancelling_hangs_up() -> None:
    settings = HttpSettings(private_addresses=True)
    async with serving(Answer((Act.STALL,), headers={"content-type": "image/png"})) as loopback, Http(settings) as http:
        fetching = asyncio.ensure_future(fetcher(http, settings)(prompt(image(loopback.url))))
        while not loopback.asked:  # noqa: ASYNC110  # nobody is there to set an event
            await asyncio.sleep(0)
        fetching.cancel()
        with pytest.raises(asyncio.CancelledError):
            await fetching
        await loopback.quiet()


# --- what is not fetched, or not again ---------------------------------------------------------


async def test_what_was_had_is_not_fetched_again_in_the_next_round() -> None:
    files = {"/a": ("image/png", PNG), "/b": Answer((), 404)}
    settings = HttpSettings(private_addresses=True)
    async with serving(answers(files)) as loopback, Http(settings) as http:
        fill, asked = fetcher(http, settings), prompt(image(f"{loopback.url}/a"), image(f"{loopback.url}/b"))
        first, second = await fill(asked), await fill(asked)

        assert first == second
        found, lost = image(f"{loopback.url}/a", data=PNG), image(f"{loopback.url}/b", is_lost=True)
        assert (found, lost) == second.turns[0].parts
        assert ["/a", "/b"] == sorted(request.path for request in loopback.asked)


async def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cadenza.models.media._CACHE_BYTES", 2 * len(PNG))
    files = {f"/{name}": ("image/png", PNG) for name in "abc"}
    settings = HttpSettings(private_addresses=True)
    async with serving(answers(files)) as loopback, Http(settings) as http:
        fill = fetcher(http, settings)
        for name in "abccba":
            await fill(prompt(image(f"{loopback.url}/{name}")))

        assert ["/a", "/b", "/c", "/a"] == [request.path for request in loopback.asked]


async def test_what_was_had_is_fetched_again_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cadenza.models.media._CACHE_SECONDS", 0.0)
    settings = HttpSettings(private_addresses=True)
    async with serving(answers({"/a": ("image/png", PNG)})) as loopback, Http(settings) as http:
        fill = fetcher(http, settings)
        for _ in range(2):
            await fill(prompt(image(f"{loopback.url}/a")))

        assert 2 == len(loopback.asked)


@pytest.mark.parametrize(
    ("abilities", "expected"),
    [
        pytest.param(Abilities(images=False), [], id="blind"),
        pytest.param(Abilities(), ["/a"], id="sees pictures"),
        pytest.param(Abilities(images=False, videos=True), ["/b"], id="watches films"),
    ],
)
async def test_what_a_model_cannot_be_shown_is_not_fetched(abilities: Abilities, expected: list[str]) -> None:
    files = {"/a": ("image/png", PNG), "/b": ("video/mp4", MP4)}
    settings = HttpSettings(private_addresses=True)
    async with serving(answers(files)) as loopback, Http(settings) as http:
        links = prompt(image(f"{loopback.url}/a"), video(f"{loopback.url}/b"))
        result = await fetcher(http, settings, abilities)(links)

        assert expected == [request.path for request in loopback.asked]
        assert expected == [part.url.removeprefix(loopback.url) for part in result.turns[0].media if part.data]
        assert 2 == len(result.turns[0].media)


# --- pages with films -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        "https://www.youtube.com/watch?v=1",
        "https://youtu.be/1",
        "https://m.youtube.com/shorts/1",
        "HTTPS://YOUTUBE.com/1",
    ],
)
async def test_a_youtube_link_is_left_to_a_model_that_watches_or_else_told(url: str) -> None:
    watched = video(url, is_watched=True)

    assert watched == await one({}, lambda _: watched)
    assert replace(watched, is_watched=False, is_lost=True) == await one({}, lambda _: video(url))


@pytest.mark.parametrize(
    ("abilities", "is_left"),
    [
        pytest.param(None, True, id="nobody knows"),
        pytest.param(Abilities(links=Links.OWN), True, id="the owner"),
        pytest.param(Abilities(), False, id="somebody else"),
    ],
)
async def test_what_lies_in_a_vendors_own_store_is_left_to_it(abilities: Abilities | None, *, is_left: bool) -> None:
    settings, kept = HttpSettings(), image("gs://bucket/a.png")
    async with Http(settings) as http:
        result = await fetcher(http, settings, abilities)(prompt(kept))

    assert (replace(kept, is_lost=not is_left),) == result.turns[0].parts


async def test_what_only_looks_like_youtube_is_fetched() -> None:
    found = await one(
        {"/youtube.com/x": ("video/mp4", MP4)}, lambda url: video(f"{url}/youtube.com/x", is_watched=True)
    )

    assert (MediaKind.VIDEO, "video/mp4", MP4) == shown(found)


# --- large pictures ---------------------------------------------------------------------------


def opened(part: Part) -> tuple[str, str, tuple[int, int]]:
    """The type, the mode and the size of a picture."""
    _, mime, data = shown(part)
    with Image.open(BytesIO(data)) as found:
        return mime, found.mode, found.size


@pytest.mark.parametrize(
    ("draw", "expected"),
    [
        pytest.param(partial(picture, (4096, 1024)), ("image/jpeg", "RGB", (2048, 512)), id="wide"),
        pytest.param(partial(picture, (300, 3000), kind="JPEG"), ("image/jpeg", "RGB", (205, 2048)), id="high"),
        pytest.param(
            partial(picture, (3000, 3000), mode="RGBA"), ("image/png", "RGBA", (2048, 2048)), id="one sees through it"
        ),
        pytest.param(partial(picture, (3000, 30), mode="P"), ("image/jpeg", "RGB", (2048, 20)), id="with a palette"),
        pytest.param(
            partial(picture, (3000, 30), mode="CMYK", kind="JPEG"), ("image/jpeg", "RGB", (2048, 20)), id="for print"
        ),
        pytest.param(partial(picture, (3000, 30), kind="WEBP"), ("image/jpeg", "RGB", (2048, 20)), id="webp"),
        pytest.param(partial(noise, (1300, 1300), "RGB"), ("image/jpeg", "RGB", (1300, 1300)), id="not wide, but long"),
        pytest.param(partial(noise, (1300, 1300), "RGBA"), ("image/png", "RGBA", (724, 724)), id="long in every size"),
    ],
)
async def test_a_large_picture_is_made_smaller(
    draw: Callable[[], bytes], expected: tuple[str, str, tuple[int, int]]
) -> None:
    found = await one({"/a": ("image/png", draw())}, lambda url: image(f"{url}/a"))

    assert expected == opened(found)
    assert len(shown(found)[2]) <= 3_750_000


async def test_a_picture_that_was_taken_lying_down_stands_up() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # turn it by a quarter
    data = picture((3000, 1000), kind="JPEG", exif=exif)

    found = await one({"/a": ("image/jpeg", data)}, lambda url: image(f"{url}/a"))

    assert ("image/jpeg", "RGB", (683, 2048)) == opened(found)


async def test_the_same_picture_is_the_same_every_time() -> None:
    """Or no provider could remember what it has read before."""
    data = noise((2100, 500), "RGB")

    first, second = [shown(await one({"/a": ("image/png", data)}, lambda url: image(f"{url}/a"))) for _ in range(2)]

    assert first == second


async def test_a_moving_picture_stays_as_it_is() -> None:
    file = BytesIO()
    frames = [Image.new("RGB", (2100, 4), colour) for colour in ("red", "blue")]
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:])

    found = await one({"/a": ("image/gif", file.getvalue())}, lambda url: image(f"{url}/a"))

    assert file.getvalue() == shown(found)[2]


@pytest.mark.parametrize("size", [(9000, 9000), (12_000, 12_000), (60_000, 60_000)])
async def test_a_picture_that_would_fill_the_memory_is_not_unfolded(size: tuple[int, int]) -> None:
    found = await one({"/a": ("image/png", bomb(*size))}, lambda url: image(f"{url}/a"))

    assert isinstance(found, Media)
    assert found.is_lost


async def test_without_pillow_a_large_picture_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    data = picture((4096, 1024))
    monkeypatch.setitem(sys.modules, "PIL", None)

    found = await one({"/a": ("image/png", data)}, lambda url: image(f"{url}/a"))

    assert (MediaKind.IMAGE, "image/png", data) == shown(found)
