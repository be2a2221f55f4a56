"""``cadenza store …`` on the command line."""

from __future__ import annotations

import argparse
import asyncio
import json
import stat
from collections.abc import Sequence
from pathlib import Path

import pytest

from cadenza.bot.store.sealing import Seal, new_key, seal_from
from cadenza.bot.store.secrets import everything
from cadenza.bot.store.sqlite import SqliteStore
from cadenza.bot.store.store import Namespace, Record, StoreError
from cadenza.cli.store import StoreLocation, add_store, run_store
from cadenza.errors import InputError

SECRET = "a-token-4711"  # noqa: S105  # it opens nothing


class Desk:
    """A folder with a store, and a command line."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.path = folder / "cadenza.db"
        self.key_file = folder / "cadenza.key"
        self._capsys = capsys

    def types(self, *words: str, status: int = 0) -> str:
        """Run a command and return its output."""
        parser = argparse.ArgumentParser()
        add_store(parser.add_subparsers(dest="command"))
        options = parser.parse_args(["store", *words, "--path", str(self.path)])
        assert status == run_store(options)
        return self._capsys.readouterr().out

    def kept(self) -> Sequence[Record]:
        async def read() -> Sequence[Record]:
            async with SqliteStore(str(self.path)) as store:
                return await everything(store)

        return asyncio.run(read())

    def keeps(self, *records: Record) -> None:
        async def write() -> None:
            async with SqliteStore(str(self.path)) as store:
                await store.put(*records)

        asyncio.run(write())


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.delenv("CADENZA_KEY", raising=False)
    desk = Desk(tmp_path, capsys)
    token = seal_from(None, desk.key_file).seal(SECRET)
    desk.keeps(
        Record(Namespace.NOTES, "a", {"text": "tea"}, owner="1", server="7"),
        Record(Namespace.NOTES, "b", {"text": "coffee"}, owner="2"),
        Record(Namespace.WEBHOOKS, "10", {"id": "9", "token": token}, server="7"),
    )
    return desk


def test_a_backup_is_made_while_the_bot_runs(desk: Desk) -> None:
    copy = desk.folder / "copy.db"
    expected = desk.kept()

    async def run() -> str:
        async with SqliteStore(str(desk.path)):
            return await asyncio.to_thread(desk.types, "backup", str(copy))

    assert f"3 records copied to {str(copy)!r}; the copy is intact\n" == asyncio.run(run())
    desk.path = copy
    assert expected == desk.kept()


def test_an_export_is_taken_in_by_another_store(desk: Desk) -> None:
    expected, file = desk.kept(), desk.folder / "all.json"
    said = desk.types("export", str(file))
    assert "3 records written to" in said
    assert "1 secret in it sealed" in said
    assert SECRET not in file.read_text(encoding="utf-8")
    assert 0o600 == stat.S_IMODE(file.stat().st_mode)
    with pytest.raises(InputError, match="already; name another one, or add --force"):
        desk.types("export", str(file))
    desk.types("export", str(file), "--force")

    desk.path = desk.folder / "other.db"
    assert "3 records imported\n" == desk.types("import", str(file))

    assert expected == desk.kept()


def test_secrets_go_out_readable_only_if_asked(desk: Desk) -> None:
    file = desk.folder / "all.json"
    assert "1 secret in it in plain text: keep the file safe" in desk.types("export", str(file), "--with-secrets")
    assert SECRET in file.read_text(encoding="utf-8")

    desk.path = desk.folder / "other" / "cadenza.db"
    desk.path.parent.mkdir()
    desk.types("import", str(file))

    (webhook,) = [record for record in desk.kept() if record.namespace is Namespace.WEBHOOKS]
    assert SECRET == seal_from(None, desk.path.with_name("cadenza.key")).open(str(webhook.value["token"]))


def test_an_export_that_could_not_open_every_secret_says_so(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CADENZA_KEY", new_key())

    said = desk.types("export", str(desk.folder / "all.json"), "--with-secrets", status=1)

    assert "1 secret could not be opened with this key and stayed sealed" in said


def test_an_import_says_which_secrets_are_of_no_use_here(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.types("export", str(desk.folder / "all.json"))
    monkeypatch.setenv("CADENZA_KEY", new_key())

    said = desk.types("import", str(desk.folder / "all.json"), status=1)
    assert "1 secret cannot be opened with this key" in said


@pytest.mark.parametrize("content", [None, "[]"], ids=["missing", "nonsense"])
def test_what_cannot_be_imported_changes_nothing(desk: Desk, content: str | None) -> None:
    expected, file = desk.kept(), desk.folder / "all.json"
    if content:
        file.write_text(content, encoding="utf-8")

    with pytest.raises(InputError):
        desk.types("import", str(file))

    assert expected == desk.kept()


def test_a_check_says_what_is_there(desk: Desk) -> None:
    said = desk.types("check")

    assert f"the store {str(desk.path)!r} is intact; 3 records\n  notes: 2\n  webhooks: 1\n" == said


def test_a_check_says_if_a_key_is_lost(desk: Desk) -> None:
    desk.key_file.unlink()

    assert "1 of 1 secret cannot be opened with this key" in desk.types("check", status=1)
    assert not desk.key_file.exists()


def test_a_check_says_if_the_store_is_damaged(desk: Desk) -> None:
    desk.keeps(*(Record(Namespace.NOTES, f"{n:04}", {"text": "x" * 500}) for n in range(200)))
    whole = desk.path.read_bytes()
    desk.path.write_bytes(whole[:-20_480] + b"\xff" * 20_480)

    with pytest.raises(StoreError, match="is damaged; stop the bot, and restore a backup"):
        desk.types("check")


@pytest.mark.parametrize(
    ("whom", "left"),
    [(("--person", "1"), ["b", "10"]), (("--server", "7"), ["b"]), (("--person", "3"), ["a", "b", "10"])],
    ids=["person", "server", "unknown"],
)
def test_whoever_is_forgotten_is_gone(desk: Desk, whom: tuple[str, str], left: list[str]) -> None:
    said = desk.types("forget", *whom)

    assert "backups and exports may still hold them" in said
    assert left == [record.key for record in desk.kept()]


def test_nobody_is_not_forgotten(desk: Desk) -> None:
    with pytest.raises(InputError, match="the id is empty"):
        desk.types("forget", "--person", "")


@pytest.mark.parametrize("words", [("forget", "--person", "1"), ("reseal",), ("reseal", "--new-key"), ("import", "all.json")], ids=" ".join)  # fmt: skip
def test_nothing_is_changed_under_a_bot_that_runs(desk: Desk, words: tuple[str, ...]) -> None:
    keys = desk.key_file.read_text(encoding="ascii")
    file = desk.folder / "all.json"
    file.write_text(json.dumps({"format": "cadenza store", "version": 1, "records": []}), encoding="utf-8")
    asked = [str(file) if word == "all.json" else word for word in words]

    async def run() -> None:
        async with SqliteStore(str(desk.path)):
            with pytest.raises(StoreError, match="another bot uses the store"):
                await asyncio.to_thread(desk.types, *asked)

    asyncio.run(run())

    assert keys == desk.key_file.read_text(encoding="ascii")


def test_a_new_key_seals_everything_anew(desk: Desk) -> None:
    (old,) = desk.key_file.read_text(encoding="ascii").split()

    assert "1 secret sealed with the current key" in desk.types("reseal", "--new-key")

    new, kept = desk.key_file.read_text(encoding="ascii").split()
    (webhook,) = [record for record in desk.kept() if record.namespace is Namespace.WEBHOOKS]
    assert (old, SECRET) == (kept, Seal(new).open(str(webhook.value["token"])))


def test_keys_of_the_environment_are_changed_there(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = desk.key_file.read_text(encoding="ascii").strip(), new_key()
    monkeypatch.setenv("CADENZA_KEY", f"{new},{old}")
    with pytest.raises(InputError, match="and a comma before it"):
        desk.types("reseal", "--new-key")

    desk.types("reseal")

    monkeypatch.setenv("CADENZA_KEY", new)
    assert "cannot be opened" not in desk.types("check")


def test_a_secret_that_cannot_be_resealed_is_told_of(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CADENZA_KEY", new_key())

    assert "1 secret cannot be opened with any of the keys and stayed as before" in desk.types("reseal", status=1)


@pytest.mark.parametrize("words", [("backup", "x"), ("export", "x"), ("check",), ("forget", "--person", "1"), ("reseal",)], ids=" ".join)  # fmt: skip
def test_a_store_that_is_not_there_is_told_of_and_not_made(desk: Desk, words: tuple[str, ...]) -> None:
    desk.path = desk.folder / "nowhere.db"

    with pytest.raises(StoreError, match="there is no store"):
        desk.types(*words)

    assert not desk.path.exists()


@pytest.mark.parametrize("words", [("backup", "x"), ("export", "x"), ("import", "x"), ("check",), ("forget", "--person", "1"), ("reseal",)], ids=" ".join)  # fmt: skip
@pytest.mark.parametrize("path", [".", "/"])
def test_a_folder_is_not_taken_for_a_store(desk: Desk, path: str, words: tuple[str, ...]) -> None:
    desk.path = Path(path)

    with pytest.raises(InputError, match=f"'{path}' is a folder; name the store in it with --path"):
        desk.types(*words)


@pytest.mark.parametrize("action", ["backup", "export"])
@pytest.mark.parametrize("file", [".", "/"])
def test_a_folder_is_not_written_over(desk: Desk, action: str, file: str) -> None:
    with pytest.raises(InputError, match=f"'{file}' is a folder; name a file in it"):
        desk.types(action, file, "--force")


def test_a_place_does_not_show_its_key() -> None:
    key = new_key()

    assert key not in repr(StoreLocation(Path("cadenza.db"), Path("cadenza.key"), key))


def test_the_store_of_a_configuration_is_found(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("cadenza.bot.config.reading")
    (desk.folder / "cadenza.toml").write_text('[store]\npath = "cadenza.db"\n', encoding="utf-8")
    monkeypatch.chdir(desk.folder)
    parser = argparse.ArgumentParser()
    add_store(parser.add_subparsers(dest="command"))

    assert 0 == run_store(parser.parse_args(["store", "check"]))
