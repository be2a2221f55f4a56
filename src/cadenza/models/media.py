"""Pictures and films that a prompt only links to: fetched, made smaller if need be, and put into it.

A picture is never worth a reply. One that cannot be had, for whatever reason, is marked, and the model is told of it.
Whoever writes in a chat decides what is fetched here, so everything is bounded: where to, how long, how much, and how
large a picture may become when it is unfolded.
"""

from __future__ import annotations

import asyncio
import logging
from base64 import b64decode
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from io import BytesIO
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

from ..errors import CadenzaError, InputError
from ..settings import HttpSettings
from ..stages.s1_parts import STORE, is_seen, is_youtube
from ..types import Abilities, Links, Media, MediaKind, Part, Prompt, PromptTurn
from .http import Fetched, Http

if TYPE_CHECKING:
    from PIL import Image

logger = logging.getLogger(__name__)

_AT_ONCE = 8
"""How many are fetched at the same time."""
_SIDES = (2048, 1448, 1024, 724, 512)
"""Pixels of the longer side of a picture, tried one after the other; no model sees more in one that is larger."""
_BYTES = 3_750_000
"""Bytes above which a picture is made smaller: as base64 they are 5 MB, which is what models take."""
_PIXELS = 64_000_000
"""Pixels above which a picture is not unfolded: it would fill the memory."""
_UNFOLDED = 2
"""How many pictures are looked at or made smaller at the same time, for the same reason."""
_KINDS = ("image/", "video/", "application/octet-stream")
"""What a server may say that it sends; the last is what those say who do not look."""
_FORMATS = {"image/png": "PNG", "image/jpeg": "JPEG", "image/gif": "GIF", "image/webp": "WEBP"}
"""What pictures are read as. Pillow knows many more formats, some of which run programs."""
_LONGEST_ADDRESS = 2048
"""Characters of an address that is worth remembering; a ``data:`` URI is none of those."""
_MEMORY = 64 * 2**20
"""Bytes of what is remembered, for the rounds and turns in which the same pictures stand in the prompt again."""
_MOST_KEPT = 256
"""And how many of them."""
_REMEMBERED = 600.0
"""Seconds for which something that was had is not fetched again."""
_FORGIVEN = 60.0
"""Seconds for which something that could not be had is not tried again: its server may take all its time to say no."""


def fetcher(
    http: Http, settings: HttpSettings, abilities: Abilities | None = None
) -> Callable[[Prompt], Awaitable[Prompt]]:
    """What fills the media of a prompt that are only links.

    With *abilities*, what the model cannot be shown is not fetched: it stays a link, of which the dialect only tells.
    What was had is remembered for a while, so that a round after a tool, or the next turn, does not fetch it again.
    """
    desks, memory = asyncio.Semaphore(_UNFOLDED), _Memory()

    async def filled(prompt: Prompt) -> Prompt:
        if not any(turn.media for turn in prompt.turns):
            return prompt
        loader = _Loader(http, settings, desks, memory, abilities)
        await loader.load(prompt)
        return replace(prompt, turns=tuple(loader.filled(turn) for turn in prompt.turns))

    return filled


class _Memory:
    """What was had lately, and what could not be had, by address. The oldest is forgotten first."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[float, Fetched | None]] = {}

    def __contains__(self, address: str) -> bool:
        return address in self._kept and self._kept[address][0] > asyncio.get_running_loop().time()

    def __getitem__(self, address: str) -> Fetched | None:
        return self._kept[address][1]

    def keep(self, address: str, found: Fetched | None) -> None:
        """Remember what *address* led to, and forget what is old or too much."""
        if len(address) > _LONGEST_ADDRESS or address.startswith("data:"):
            return
        now = asyncio.get_running_loop().time()
        self._kept.pop(address, None)
        self._kept[address] = (now + (_FORGIVEN if found is None else _REMEMBERED), found)
        room, most = _MEMORY, _MOST_KEPT
        for name, (until, file) in reversed(list(self._kept.items())):
            room -= 0 if file is None else len(file.data)
            most -= 1
            if until <= now or room < 0 or most < 0:
                del self._kept[name]


class _Loader:
    """The media of one prompt. Each address is asked once, however often it stands there."""

    def __init__(
        self,
        http: Http,
        settings: HttpSettings,
        desks: asyncio.Semaphore,
        memory: _Memory,
        abilities: Abilities | None,
    ) -> None:
        self._http = http
        self._settings = settings
        self._desks = desks
        self._memory = memory
        self._abilities = abilities
        self._places = asyncio.Semaphore(_AT_ONCE)
        self._found: dict[str, Fetched | None] = {}

    async def load(self, prompt: Prompt) -> None:
        """Get everything that is not there yet; where the first address has nothing, the other one is asked."""
        wanted = [medium for turn in prompt.turns for medium in turn.media if self._is_wanted(medium)]
        await self._ask(medium.url for medium in wanted)
        await self._ask(medium.fallback for medium in wanted if self._found.get(medium.url) is None)

    def filled(self, turn: PromptTurn) -> PromptTurn:
        """*turn* with what was got."""
        return replace(turn, parts=tuple(self._part(part) for part in turn.parts)) if turn.media else turn

    async def _ask(self, addresses: Iterable[str]) -> None:
        new = list(dict.fromkeys(address for address in addresses if address and address not in self._found))
        self._found.update(zip(new, await asyncio.gather(*map(self._one, new)), strict=True))

    async def _one(self, address: str) -> Fetched | None:
        """What *address* leads to, as far as it is not known already."""
        if address in self._memory:
            return self._memory[address]
        found = await self._fetched(address)
        self._memory.keep(address, found)
        return found

    async def _fetched(self, address: str) -> Fetched | None:
        """What *address* leads to; nothing if anything at all goes wrong."""
        async with self._places:
            try:
                async with asyncio.timeout(self._settings.media_timeout):
                    found = await self._had(address)
                async with self._desks:
                    return await asyncio.to_thread(_fitted, found)
            except CadenzaError as error:
                logger.info("a picture or film could not be had: %s", error)
            except Exception as error:  # noqa: BLE001  # Pillow and the network have many, and none is worth a reply
                logger.info("a picture or film could not be had (%s)", type(error).__name__)
        return None

    async def _had(self, address: str) -> Fetched:
        most = self._settings.media_bytes
        if address.startswith("data:"):
            found = _held(address, most)
        elif address.startswith(("http://", "https://")):
            private = self._settings.private_addresses
            found = await self._http.fetch(address, kinds=_KINDS, most=most, private=private)
        else:
            message = "its address is none that can be fetched"
            raise InputError(message)
        return replace(found, mime=_mime(found))

    def _is_wanted(self, medium: Media) -> bool:
        return not (medium.data or self._is_left(medium) or is_youtube(medium)) and self._is_shown(medium)

    def _is_shown(self, medium: Media) -> bool:
        return self._abilities is None or is_seen(medium, self._abilities)

    def _is_left(self, medium: Media) -> bool:
        """Whether only the model's interface can get *medium*: whether it does, the dialect knows."""
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


def _held(uri: str, most: int) -> Fetched:
    """What a ``data:`` URI holds."""
    head, _, body = uri.removeprefix("data:").partition(",")
    mime, *marks = head.split(";")
    try:
        data = unquote_to_bytes(body if len(body) <= 3 * most else "")  # a byte is three characters at most, %20
        data = b64decode(data) if "base64" in marks else data
    except ValueError:
        data = b""
    if not data or len(data) > most:
        message = f"a data URI holds nothing that can be read, or more than {most} bytes"
        raise InputError(message)
    return Fetched(mime, data)


def _mime(found: Fetched) -> str:
    """What *found* is: by its first bytes and, if they say nothing, by what its server says."""
    mime = _signed(found.data[:64]) or found.mime.lower()
    if not mime.startswith(("image/", "video/")) or mime.startswith("image/svg"):  # SVG is a page, not a picture
        message = "it is neither a picture nor a film"
        raise InputError(message)
    return mime


def _signed(start: bytes) -> str:
    """What a file that begins with *start* is, if it is something that models are shown."""
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


def _fitted(found: Fetched) -> Fetched | None:
    """*found* as a model takes it: smaller, if it is a large picture; nothing, if it is one that cannot be right."""
    if found.mime not in _FORMATS:
        return found
    try:
        from PIL import Image  # noqa: PLC0415  # an extra, and slow to import
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
    """*image*, upright, as a JPEG, or as a PNG if one can see through it, and not too large."""
    from PIL import ImageOps  # noqa: PLC0415  # likewise

    is_clear = image.has_transparency_data
    image.draft("RGB", (_SIDES[0], _SIDES[0]))  # a JPEG need not be unfolded whole
    image = ImageOps.exif_transpose(image).convert("RGBA" if is_clear else "RGB")
    for side in _SIDES:
        image.thumbnail((side, side))
        file = BytesIO()
        image.save(file, "PNG" if is_clear else "JPEG", quality=85)
        if file.tell() <= _BYTES:
            return Fetched("image/png" if is_clear else "image/jpeg", file.getvalue())
    return None
