"""Fetch the pictures and videos that a prompt links to, shrink large ones, and put them into the prompt.

A reply never fails because of a picture. One that cannot be loaded is marked, and the model is told. Anyone in a chat
can post a link, so everything is limited: addresses, time, bytes, and pixels after decompression.
"""

from __future__ import annotations

import asyncio
from base64 import b64decode
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from io import BytesIO
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

from ..errors import CadenzaError, InputError, Sentence
from ..explain.tracebacks import get_logger
from ..settings import HttpSettings
from ..stages.s1_parts import STORE, is_seen, is_youtube
from ..types import Abilities, Links, Media, MediaKind, Part, Prompt, PromptTurn
from .http import Fetched, Http

if TYPE_CHECKING:
    from PIL import Image

logger = get_logger(__name__)

_MOST_DOWNLOADS = 8
"""Concurrent downloads."""
_SIDES = (2048, 1448, 1024, 724, 512)
"""Pixels of the longer side of a shrunk picture, tried in this order; models do not see more in a larger one."""
_BYTES = 3_750_000
"""Larger pictures are shrunk. As base64 this is 5 MB, the limit of most models."""
_PIXELS = 64_000_000
"""Pictures with more pixels are not decoded: they would fill the memory."""
_MOST_DECODING = 2
"""Pictures that are decoded at the same time, for the same reason."""
_KINDS = ("image/", "video/", "application/octet-stream")
"""Accepted content types; servers that do not look at the file send the last one."""
_FORMATS = {"image/png": "PNG", "image/jpeg": "JPEG", "image/gif": "GIF", "image/webp": "WEBP"}
"""Formats that are decoded. Pillow knows many more, some of which run programs."""
_LONGEST_ADDRESS = 2048
"""Longer addresses are not cached, and neither are ``data:`` URIs."""
_CACHE_BYTES = 64 * 2**20
"""Bytes in the cache. Later rounds and turns repeat the same pictures."""
_CACHE_ENTRIES = 256
"""Entries in the cache."""
_CACHE_SECONDS = 600.0
"""Seconds for which a file stays in the cache."""
_FAILURE_SECONDS = 60.0
"""Seconds for which a failure stays in the cache: a slow server would delay every turn."""


def fetcher(
    http: Http, settings: HttpSettings, abilities: Abilities | None = None
) -> Callable[[Prompt], Awaitable[Prompt]]:
    """A function that loads the media of a prompt that are only links.

    With *abilities*, media that the model cannot see are not fetched; they stay links, which the dialect mentions.
    Files are cached for a while, so that a round after a tool, or the next turn, does not fetch them again.
    """
    decoding, cache = asyncio.Semaphore(_MOST_DECODING), _Cache()

    async def filled(prompt: Prompt) -> Prompt:
        if not any(turn.media for turn in prompt.turns):
            return prompt
        loader = _Loader(http, settings, decoding, cache, abilities)
        await loader.load(prompt)
        return replace(prompt, turns=tuple(loader.filled(turn) for turn in prompt.turns))

    return filled


class _Cache:
    """A cache of files and failures by address. The oldest entries are dropped first."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[float, Fetched | None]] = {}

    def __contains__(self, address: str) -> bool:
        return address in self._kept and self._kept[address][0] > asyncio.get_running_loop().time()

    def __getitem__(self, address: str) -> Fetched | None:
        return self._kept[address][1]

    def keep(self, address: str, found: Fetched | None) -> None:
        """Cache what *address* led to, and drop old and excess entries."""
        if len(address) > _LONGEST_ADDRESS or address.startswith("data:"):
            return
        now = asyncio.get_running_loop().time()
        self._kept.pop(address, None)
        self._kept[address] = (now + (_FAILURE_SECONDS if found is None else _CACHE_SECONDS), found)
        room, most = _CACHE_BYTES, _CACHE_ENTRIES
        for name, (until, file) in reversed(list(self._kept.items())):
            room -= 0 if file is None else len(file.data)
            most -= 1
            if until <= now or room < 0 or most < 0:
                del self._kept[name]


class _Loader:
    """Loads the media of one prompt. Each address is requested once."""

    def __init__(
        self,
        http: Http,
        settings: HttpSettings,
        decoding: asyncio.Semaphore,
        cache: _Cache,
        abilities: Abilities | None,
    ) -> None:
        self._http = http
        self._settings = settings
        self._decoding = decoding
        self._cache = cache
        self._abilities = abilities
        self._downloads = asyncio.Semaphore(_MOST_DOWNLOADS)
        self._found: dict[str, Fetched | None] = {}

    async def load(self, prompt: Prompt) -> None:
        """Load everything that is missing; try the fallback address where the first one fails."""
        wanted = [medium for turn in prompt.turns for medium in turn.media if self._is_wanted(medium)]
        await self._ask(medium.url for medium in wanted)
        await self._ask(medium.fallback for medium in wanted if self._found.get(medium.url) is None)

    def filled(self, turn: PromptTurn) -> PromptTurn:
        """*turn* with the loaded media."""
        return replace(turn, parts=tuple(self._part(part) for part in turn.parts)) if turn.media else turn

    async def _ask(self, addresses: Iterable[str]) -> None:
        new = list(dict.fromkeys(address for address in addresses if address and address not in self._found))
        self._found.update(zip(new, await asyncio.gather(*map(self._cached, new)), strict=True))

    async def _cached(self, address: str) -> Fetched | None:
        """What *address* leads to, from the cache or freshly fetched."""
        if address in self._cache:
            return self._cache[address]
        found = await self._fetched(address)
        self._cache.keep(address, found)
        return found

    async def _fetched(self, address: str) -> Fetched | None:
        """The file at *address*, or ``None`` on any failure."""
        async with self._downloads:
            try:
                async with asyncio.timeout(self._settings.media_timeout):
                    found = await self._load_file(address)
                async with self._decoding:
                    return await asyncio.to_thread(_shrunk, found)
            except CadenzaError as error:
                logger.info("could not load a picture or video: %s", error)
            except Exception as error:  # Pillow and networks raise many; a reply must not fail
                logger.info("could not load a picture or video", exc_info=error)
        return None

    async def _load_file(self, address: str) -> Fetched:
        most = self._settings.media_bytes
        if address.startswith("data:"):
            found = _from_data_uri(address, most)
        elif address.startswith(("http://", "https://")):
            private = self._settings.private_addresses
            found = await self._http.fetch(address, kinds=_KINDS, most=most, private=private)
        else:
            message = "its address is not a URL that can be fetched"
            raise InputError(message)
        return replace(found, mime=_mime(found))

    def _is_wanted(self, medium: Media) -> bool:
        return not (medium.data or self._is_left(medium) or is_youtube(medium)) and self._is_shown(medium)

    def _is_shown(self, medium: Media) -> bool:
        return self._abilities is None or is_seen(medium, self._abilities)

    def _is_left(self, medium: Media) -> bool:
        """Whether only the model's API can fetch *medium*; the dialect knows whether it does."""
        if is_youtube(medium):
            return medium.is_watched
        return medium.url.startswith(STORE) and (self._abilities is None or self._abilities.links is Links.OWN)

    def _part(self, part: Part) -> Part:
        if isinstance(part, str) or part.data or self._is_left(part) or not self._is_shown(part):
            return part
        found = self._found.get(part.url) or self._found.get(part.fallback)
        if found is None:
            return replace(part, is_lost=True)
        return replace(part, data=found.data, mime=found.mime, kind=MediaKind(found.mime.partition("/")[0]))


def _from_data_uri(uri: str, most: int) -> Fetched:
    """Decode a ``data:`` URI."""
    head, _, body = uri.removeprefix("data:").partition(",")
    mime, *marks = head.split(";")
    try:
        data = unquote_to_bytes(body if len(body) <= 3 * most else "")  # at most three characters a byte, as in %20
        data = b64decode(data) if "base64" in marks else data
    except ValueError:
        data = b""
    if not data or len(data) > most:
        message = Sentence("its data URI is empty, invalid, or longer than {most} bytes", most=most)
        raise InputError(message)
    return Fetched(mime, data)


def _mime(found: Fetched) -> str:
    """The type of *found*, by its first bytes or else by the server's claim."""
    mime = _sniffed(found.data[:64]) or found.mime.lower()
    if not mime.startswith(("image/", "video/")) or mime.startswith("image/svg"):  # SVG is no picture
        message = "it is neither a picture nor a video"
        raise InputError(message)
    return mime


def _sniffed(start: bytes) -> str:
    """The type of a file that begins with *start*, if models can see it."""
    match start[:4], start[4:8], start[8:12]:
        case b"\x89PNG", _, _:
            return "image/png"
        case b"GIF8", _, _:
            return "image/gif"
        case b"RIFF", _, b"WEBP":
            return "image/webp"
        case _, b"ftyp", b"avif" | b"avis":
            return "image/avif"
        case _, b"ftyp", b"heic" | b"heix" | b"mif1" | b"msf1":
            return "image/heic"
        case _, b"ftyp", b"qt  ":
            return "video/quicktime"
        case _, b"ftyp", _:
            return "video/mp4"
        case b"\x1a\x45\xdf\xa3", _, _:
            return "video/webm" if b"webm" in start else "video/x-matroska"
    return "image/jpeg" if start.startswith(b"\xff\xd8\xff") else ""


# --- in a thread -------------------------------------------------------------------------


def _shrunk(found: Fetched) -> Fetched | None:
    """*found* as models accept it: large pictures are shrunk, and ``None`` for one that is too large to decode."""
    if found.mime not in _FORMATS:
        return found
    try:
        from PIL import Image  # noqa: PLC0415  # optional, and slow to import
    except ImportError:
        return found
    with Image.open(BytesIO(found.data), formats=(_FORMATS[found.mime],)) as image:
        if image.width * image.height > _PIXELS:
            return None
        is_large = max(image.size) > _SIDES[0] or len(found.data) > _BYTES
        if not is_large or getattr(image, "is_animated", False):
            return found
        return _smaller(image)


def _smaller(image: Image.Image) -> Fetched | None:
    """*image* upright and small enough, as a JPEG, or as a PNG if it has transparency."""
    from PIL import ImageOps  # noqa: PLC0415  # optional, and slow to import

    is_clear = image.has_transparency_data
    image.draft("RGB", (_SIDES[0], _SIDES[0]))  # decodes a JPEG at a reduced size
    image = ImageOps.exif_transpose(image).convert("RGBA" if is_clear else "RGB")
    for side in _SIDES:
        image.thumbnail((side, side))
        file = BytesIO()
        image.save(file, "PNG" if is_clear else "JPEG", quality=85)
        if file.tell() <= _BYTES:
            return Fetched("image/png" if is_clear else "image/jpeg", file.getvalue())
    return None
