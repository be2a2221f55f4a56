"""Backups of a store that is in use."""

# ruff: noqa: ASYNC240  # nobody else runs in these loops

from __future__ import annotations

import asyncio
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from cadenza.bot.store.backup import back_up, problems, reading
from cadenza.bot.store.sqlite import SqliteStore
from cadenza.bot.store.store import Namespace, Record, StoreError
from tests.contracts.store import NOTE


async def test_a_copy_is_a_store_with_all_that_was_there(tmp_path: Path) -> None:
    source, target = tmp_path / "cadenza.db", tmp_path / "copy.db"
    async with SqliteStore(str(source)) as store:
        await store.put(NOTE, Record(Namespace.PEOPLE, "1"))
        assert 2 == back_up(source, target)
        await store.put(Record(Namespace.NOTES, "later"))

    assert 0o600 == stat.S_IMODE(target.stat().st_mode)
    assert ["copy.db"] == [path.name for path in tmp_path.glob("copy*")]
    async with SqliteStore(str(target)) as store:
        assert [NOTE] == await store.find(Namespace.NOTES)


async def test_a_copy_made_while_many_write_is_whole(tmp_path: Path) -> None:
    source = tmp_path / "cadenza.db"
    async with SqliteStore(str(source)) as store:

        async def write(n: int) -> None:
            await store.put(Record(Namespace.NOTES, f"{n}", {"t": "x" * 900}), Record(Namespace.TURNS, f"{n}"))

        await write(0)
        writing = asyncio.gather(*map(write, range(1, 300)))
        await asyncio.to_thread(back_up, source, tmp_path / "copy.db")
        await writing
    async with SqliteStore(str(tmp_path / "copy.db")) as copy:
        notes, turns = await copy.find(Namespace.NOTES), await copy.find(Namespace.TURNS)

    assert [note.key for note in notes] == [turn.key for turn in turns]


async def made(path: Path) -> Path:
    async with SqliteStore(str(path)) as store:
        await store.put(*(Record(Namespace.NOTES, f"{n:04}", {"text": "x" * 500}) for n in range(200)))
    return path


async def test_a_file_that_is_there_is_written_over_only_if_that_is_asked_for(tmp_path: Path) -> None:
    source, target = await made(tmp_path / "cadenza.db"), tmp_path / "copy.db"
    target.write_text("dear diary", encoding="utf-8")

    with pytest.raises(StoreError, match="already; name another one, or add --force"):
        back_up(source, target)
    assert "dear diary" == target.read_text(encoding="utf-8")

    assert 200 == back_up(source, target, force=True)


async def test_the_store_itself_is_never_written_over(tmp_path: Path) -> None:
    source = await made(tmp_path / "cadenza.db")
    (tmp_path / "link.db").symlink_to(source)

    with pytest.raises(StoreError, match="is the store itself"):
        back_up(source, tmp_path / "link.db", force=True)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nothing.db", "there is no store"),
        ("empty.db", "is empty"),
        ("diary.db", "is not a store"),
        (".", "there is no"),
    ],
)
def test_what_is_no_store_cannot_be_copied(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / "empty.db").touch()
    (tmp_path / "diary.db").write_text("dear diary, " * 100, encoding="utf-8")

    with pytest.raises(StoreError, match=words):
        back_up(tmp_path / name, tmp_path / "copy.db")

    assert not (tmp_path / "copy.db").exists()


async def test_a_damaged_store_is_not_copied(tmp_path: Path) -> None:
    source = await made(tmp_path / "cadenza.db")
    whole = source.read_bytes()
    source.write_bytes(whole[:-20_480] + b"\xff" * 20_480)
    (tmp_path / "copy.db").write_text("the last good one", encoding="utf-8")

    with pytest.raises(StoreError, match="damaged"):
        back_up(source, tmp_path / "copy.db", force=True)

    assert {"cadenza.db", "cadenza.db.lock", "copy.db"} == {path.name for path in tmp_path.iterdir()}
    assert "the last good one" == (tmp_path / "copy.db").read_text(encoding="utf-8")
    with closing(reading(source)) as connection:
        assert problems(connection)


async def test_a_place_that_cannot_be_written_is_told_of(tmp_path: Path) -> None:
    source = await made(tmp_path / "cadenza.db")

    with pytest.raises(StoreError, match="its folder must exist"):
        back_up(source, tmp_path / "nowhere" / "copy.db")


async def test_a_copy_in_whose_middle_somebody_died_is_in_nobodys_way(tmp_path: Path) -> None:
    source = await made(tmp_path / "cadenza.db")
    for name in ("copy.db.part", "copy.db.part-journal"):
        (tmp_path / name).write_text("half", encoding="utf-8")

    assert 200 == back_up(source, tmp_path / "copy.db")
    assert [] == list(tmp_path.glob("copy.db.part*"))


async def test_a_whole_store_has_no_complaints(tmp_path: Path) -> None:
    with closing(sqlite3.connect(await made(tmp_path / "cadenza.db"))) as connection:
        assert [] == problems(connection)
