"""The characters of a server: those of the configuration, and those that the server created or changed.

A character is one record and each of its sprites another, so that concurrent changes to different parts do not overwrite
each other. Stored characters are cached; the cache expires after a change here, and after a while.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from secrets import token_hex
from weakref import WeakValueDictionary

from ...errors import InputError, Sentence
from ...explain.tracebacks import get_logger
from ..store.store import Namespace, Record, Store
from . import native
from .character import Character, CharacterSprite
from .names import character_name, key_of, sprite_name
from .tavern import read_sprite, write_sprite

logger = get_logger(__name__)

MOST_CHARACTERS = 100
"""How many characters a server may store."""
MOST_SPRITES = 50
LONGEST_INSTRUCTIONS = 1000
MOST_TRIGGERS = 25
LONGEST_TRIGGER = 100
_CACHED = 64
"""Servers whose characters are cached."""
_FRESH = 30.0
"""Seconds that a cache entry is valid."""
_DEFAULT = Character("Cadenza", is_main=True)
"""The character if none is configured."""
_MOST_FORMER = 5
"""How many earlier names are kept."""


def named(characters: Sequence[Character], name: str) -> Character | None:
    """The character called *name* in any case, else the one that was called so before."""
    wanted = key_of(name)
    now = (one for one in characters if key_of(one.name) == wanted)
    before = (one for one in characters if wanted in map(key_of, one.former))
    return next(now, None) or next(before, None)


class Cast:
    """The characters of all servers. *shared* gives those of the configuration, the main one first."""

    def __init__(
        self,
        store: Store,
        shared: Callable[[], Sequence[Character]],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._shared = shared
        self._clock = clock
        self._known: OrderedDict[str, tuple[float, tuple[Character, ...]]] = OrderedDict()
        self._changes = 0
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    # --- reading -----------------------------------------------------------------------

    async def of(self, server: str) -> tuple[Character, ...]:
        """All characters of *server* (empty for direct messages), the main one first, then by name.

        A stored character replaces the one of the configuration with the same name in any case.
        """
        kept = await self._kept(server)
        replacements = {one.id: one for one in kept} | {key_of(one.name): one for one in kept}
        chosen = next((one for one in kept if one.is_main), None)
        everybody = {key_of(one.name): one for one in kept}
        for one in sorted(self._shared(), key=lambda one: not one.is_main):
            there = replacements.get(key_of(one.name)) or replacements.get(_shared_id(one.name)) or one
            chosen = chosen or there
            everybody.setdefault(key_of(there.name), there)
        if not everybody:
            return (_DEFAULT,)
        main = everybody.pop(key_of(chosen.name) if chosen else min(everybody))
        others = (everybody[key] for key in sorted(everybody))
        return (replace(main, is_main=True), *(replace(one, is_main=False) for one in others))

    async def find(self, server: str, name: str) -> Character | None:
        """The character called *name* in any case."""
        wanted = key_of(name)
        return next((one for one in await self.of(server) if key_of(one.name) == wanted), None)

    async def keeps(self, server: str, name: str) -> bool:
        """Whether *server* has stored a character of this name."""
        return any(key_of(character.name) == key_of(name) for character in await self._kept(server))

    # --- changing ----------------------------------------------------------------------

    async def save(self, server: str, character: Character, *, by: str = "") -> Character:
        """Store *character*, with a new id if it has none; raises an ``InputError`` if it is invalid there."""
        character = checked(character)
        _check_server(server)
        async with self._lock(server):
            kept = await self._kept(server)
            character = replace(character, id=character.id or self._new_id(character.name, kept))
            if any(one.id != character.id and key_of(one.name) == key_of(character.name) for one in kept):
                msg = Sentence("There is a character called {name} already; choose another name.", name=character.name)
                raise InputError(msg)
            if character.id not in {one.id for one in kept} and len(kept) >= MOST_CHARACTERS:
                msg = Sentence(
                    "A server has at most {most} characters; delete one first.",
                    most=MOST_CHARACTERS,
                )
                raise InputError(msg)
            await self._write(server, character)
            await self._only_main(server, character, kept)
        logger.info("a character of server %s was saved by %s", server, by or "the bot")
        return character

    async def change(
        self, server: str, name: str, change: Callable[[Character], Character], *, by: str = ""
    ) -> Character:
        """Store what *change* makes of the character called *name*, except for sprites; raises an ``InputError``.

        Concurrent changes are not lost: *change* gets the character as stored at that moment.
        """
        _check_server(server)
        change = _remembering_names(change)
        async with self._lock(server):
            before = await self._adopted(server, name)
            after = replace(checked(change(before)), id=before.id, sprites=before.sprites)
            kept = await self._kept(server)
            if any(one.id != before.id and key_of(one.name) == key_of(after.name) for one in await self.of(server)):
                msg = Sentence("There is a character called {name} already; choose another name.", name=after.name)
                raise InputError(msg)
            await self._store.change(
                Namespace.PERSONAS, f"{server}/{before.id}", lambda record: _changed(server, record, before, change)
            )
            self._forget(server)
            await self._only_main(server, after, kept)
        logger.info("a character of server %s was changed by %s", server, by or "the bot")
        return await self._by_id(server, before.id) or after

    async def remove(self, server: str, name: str) -> bool:
        """Delete a stored character; return whether there was one. One of the configuration reappears."""
        async with self._lock(server):
            found = [one for one in await self._kept(server) if key_of(one.name) == key_of(name)]
            for character in found:
                sprites = await self._store.find(Namespace.SPRITES, prefix=f"{server}/{character.id}/")
                await self._store.delete(Namespace.PERSONAS, f"{server}/{character.id}")
                await self._store.delete(Namespace.SPRITES, *(record.key for record in sprites))
            self._forget(server)
        return bool(found)

    # --- sprites -------------------------------------------------------------------------

    async def add_sprite(self, server: str, name: str, sprite: CharacterSprite) -> CharacterSprite:
        """Add *sprite* to the character called *name*; raises an ``InputError`` if the sprite exists already."""
        _check_server(server)
        sprite = checked_sprite(sprite)
        async with self._lock(server):
            id_ = (await self._adopted(server, name)).id
            worn = await self._store.find(Namespace.SPRITES, prefix=f"{server}/{id_}/")
            if len(worn) >= MOST_SPRITES:
                msg = Sentence("A character has at most {most} sprites; delete one first.", most=MOST_SPRITES)
                raise InputError(msg)
            new = _sprite_record(server, id_, sprite, max(map(_place, worn), default=-1) + 1)
            kept = await self._store.change(Namespace.SPRITES, new.key, lambda record: record or new)
            self._forget(server)
        if kept != new:
            msg = Sentence(
                "There is a sprite called {name} already; edit it, or choose another name.", name=sprite.name
            )
            raise InputError(msg)
        return sprite

    async def change_sprite(
        self, server: str, name: str, sprite: str, change: Callable[[CharacterSprite], CharacterSprite]
    ) -> CharacterSprite:
        """Store what *change* makes of a sprite; raises an ``InputError`` if it is missing or invalid."""
        _check_server(server)
        async with self._lock(server):
            character = await self._adopted(server, name)
            before = _sprite_of(character, sprite)
            after = checked_sprite(change(before))
            key = _sprite_key(server, character.id, before.name)
            record = await self._store.get(Namespace.SPRITES, key)
            new = _sprite_record(server, character.id, after, _place(record))
            if key != new.key and any(key_of(one.name) == key_of(after.name) for one in character.sprites):
                msg = Sentence("There is a sprite called {name} already; choose another name.", name=after.name)
                raise InputError(msg)
            await self._store.put(new)
            if key != new.key:
                await self._store.delete(Namespace.SPRITES, key)
            self._forget(server)
        return after

    async def remove_sprite(self, server: str, name: str, sprite: str) -> CharacterSprite:
        """Delete a sprite; raises an ``InputError`` if it is missing."""
        _check_server(server)
        async with self._lock(server):
            character = await self._adopted(server, name)
            gone = _sprite_of(character, sprite)
            await self._store.delete(Namespace.SPRITES, _sprite_key(server, character.id, gone.name))
            self._forget(server)
        return gone

    # --- storage -----------------------------------------------------------------------

    def _lock(self, server: str) -> asyncio.Lock:
        """Lock for changes to the characters of *server*, so that names stay unique."""
        return self._locks.setdefault(server, asyncio.Lock())

    def _forget(self, server: str) -> None:
        self._changes += 1
        self._known.pop(server, None)

    async def _kept(self, server: str) -> tuple[Character, ...]:
        """The stored characters of *server*, each name once, in the order of the store."""
        if not server:
            return ()
        at, known = self._known.get(server, (0.0, ()))
        if server in self._known and self._clock() - at < _FRESH:
            self._known.move_to_end(server)
            return known
        changes, at = self._changes, self._clock()
        found = await self._read(server)
        if changes == self._changes:  # unchanged since the read began
            self._known[server] = at, found
            while len(self._known) > _CACHED:
                self._known.popitem(last=False)
        return found

    async def _read(self, server: str) -> tuple[Character, ...]:
        records = await self._store.find(Namespace.PERSONAS, prefix=f"{server}/")
        sprites: dict[str, list[tuple[int, CharacterSprite]]] = {}
        for record in await self._store.find(Namespace.SPRITES, prefix=f"{server}/"):
            sprites.setdefault(record.key.split("/")[1], []).append((_place(record), read_sprite(record.value)))
        found: dict[str, Character] = {}
        for record in records:
            try:
                character = native.of_value(record.value)
            except InputError as error:
                logger.warning(
                    "the stored character %s cannot be read; delete it and create it again", record.key, exc_info=error
                )
                continue
            worn = sorted(sprites.get(character.id, []), key=lambda pair: pair[0])
            found.setdefault(key_of(character.name), replace(character, sprites=tuple(sprite for _, sprite in worn)))
        return tuple(found.values())

    async def _by_id(self, server: str, id_: str) -> Character | None:
        return next((one for one in await self._kept(server) if one.id == id_), None)

    async def _adopted(self, server: str, name: str) -> Character:
        """The character called *name* as a stored one of *server*; raises an ``InputError`` if there is none."""
        found = await self.find(server, name)
        if found is None:
            msg = Sentence("There is no character called {name}; see /persona list.", name=name.strip()[:80])
            raise InputError(msg)
        if await self.keeps(server, name):
            return found
        # The id follows from the name: a concurrent adoption writes the same records, and the character of the
        # configuration stays replaced even after a rename.
        adopted = replace(checked(found), id=_shared_id(found.name))
        await self._write(server, replace(adopted, is_main=False))  # the main one was not chosen here
        return adopted

    def _new_id(self, name: str, kept: Sequence[Character]) -> str:
        shared = _shared_id(name)
        is_shared = any(key_of(one.name) == key_of(name) for one in self._shared())
        return shared if is_shared and all(one.id != shared for one in kept) else token_hex(8)

    async def _write(self, server: str, character: Character) -> None:
        """Store all of *character*, with exactly its sprites."""
        before = await self._store.find(Namespace.SPRITES, prefix=f"{server}/{character.id}/")
        sprites = [
            _sprite_record(server, character.id, sprite, place) for place, sprite in enumerate(character.sprites)
        ]
        await self._store.put(_record(server, character), *sprites)
        gone = {record.key for record in before} - {record.key for record in sprites}
        if gone:
            await self._store.delete(Namespace.SPRITES, *sorted(gone))
        self._forget(server)

    async def _only_main(self, server: str, character: Character, kept: Sequence[Character]) -> None:
        """If *character* is the main one, unset that for all others of *kept*."""
        for other in kept if character.is_main else ():
            if other.is_main and other.id != character.id:
                await self._store.change(Namespace.PERSONAS, f"{server}/{other.id}", _not_main)
        self._forget(server)


# --- validation -----------------------------------------------------------------------------


def checked(character: Character) -> Character:
    """*character*, validated and normalised for the store; raises an ``InputError``."""
    sprites = tuple(checked_sprite(sprite) for sprite in character.sprites)
    if len(sprites) > MOST_SPRITES:
        msg = Sentence("A character has at most {most} sprites; remove some.", most=MOST_SPRITES)
        raise InputError(msg)
    if len({key_of(sprite.name) for sprite in sprites}) < len(sprites):
        msg = Sentence("Two sprites of the character have the same name; give one of them another.")
        raise InputError(msg)
    if character.own.degree not in (None, 0, 1, 2, 3):
        msg = Sentence("A degree is a number from 0 to 3.")
        raise InputError(msg)
    return replace(
        character, name=character_name(character.name), sprites=sprites, triggers=checked_triggers(character.triggers)
    )


def checked_triggers(triggers: Sequence[str]) -> tuple[str, ...]:
    """Trigger words, validated and without duplicates."""
    words: dict[str, str] = {}
    for word in triggers:
        if word.strip():
            words.setdefault(key_of(word), word.strip())
    if len(words) > MOST_TRIGGERS or any(len(word) > LONGEST_TRIGGER for word in words.values()):
        msg = Sentence(
            "A character has at most {most_triggers} trigger words of at most {longest_trigger} characters.",
            most_triggers=MOST_TRIGGERS,
            longest_trigger=LONGEST_TRIGGER,
        )
        raise InputError(msg)
    return tuple(words.values())


def checked_sprite(sprite: CharacterSprite) -> CharacterSprite:
    """*sprite*, validated and normalised for the store; raises an ``InputError``."""
    if len(sprite.instructions) > LONGEST_INSTRUCTIONS:
        msg = Sentence(
            "The instructions of a sprite have at most {most} characters; shorten them.",
            most=LONGEST_INSTRUCTIONS,
        )
        raise InputError(msg)
    return replace(sprite, name=sprite_name(sprite.name), instructions=sprite.instructions.strip())


def _check_server(server: str) -> None:
    if not server:
        msg = "Characters can be created only in servers."
        raise InputError(msg)


def _record(server: str, character: Character) -> Record:
    value = native.as_value(replace(character, sprites=()))
    return Record(Namespace.PERSONAS, f"{server}/{character.id}", value, server=server)


def _changed(
    server: str, record: Record | None, before: Character, change: Callable[[Character], Character]
) -> Record | None:
    """The record of a changed character, based on what is stored now."""
    if record is None:
        return None  # deleted meanwhile
    try:
        now = native.of_value(record.value)
        after = checked(change(replace(now, is_main=before.is_main)))
    except InputError:  # the change is no longer valid for what is stored now
        return record
    is_main = now.is_main if after.is_main == before.is_main else after.is_main
    return _record(server, replace(after, id=before.id, is_main=is_main))


def _remembering_names(change: Callable[[Character], Character]) -> Callable[[Character], Character]:
    """*change*, extended to record the earlier name after a rename."""

    def remembering(before: Character) -> Character:
        after = change(before)
        names = {key_of(name): name for name in reversed((before.name, *before.former))}
        names.pop(key_of(after.name), None)
        return replace(after, former=tuple(reversed(names.values()))[:_MOST_FORMER])

    return remembering


def _shared_id(name: str) -> str:
    """The id under which a server stores the configuration's character called *name*."""
    return sha256(key_of(name).encode()).hexdigest()[:16]


def _not_main(record: Record | None) -> Record | None:
    return record and replace(record, value={name: item for name, item in record.value.items() if name != "is_main"})


def _sprite_key(server: str, character: str, name: str) -> str:
    return f"{server}/{character}/{key_of(name)}"


def _sprite_record(server: str, character: str, sprite: CharacterSprite, place: int) -> Record:
    value = write_sprite(sprite) | {"place": place}
    return Record(Namespace.SPRITES, _sprite_key(server, character, sprite.name), value, server=server)


def _place(record: Record | None) -> int:
    """The position of a sprite among those of its character."""
    place = None if record is None else record.value.get("place")
    return place if isinstance(place, int) else 0


def _sprite_of(character: Character, name: str) -> CharacterSprite:
    for sprite in character.sprites:
        if key_of(sprite.name) == key_of(name):
            return sprite
    msg = Sentence(
        "{name} has no sprite called {sprite}; see /sprite list.", name=character.name, sprite=name.strip()[:64]
    )
    raise InputError(msg)
