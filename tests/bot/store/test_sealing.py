"""Sealed secrets."""

from __future__ import annotations

import logging
import stat
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from cadenza.bot.store.sealing import MARK, Seal, add_key, new_key, seal_from
from cadenza.bot.store.store import StoreError

OLD, NEW, OTHER = new_key(), new_key(), new_key()
SECRET = "a-token-4711"  # noqa: S105  # it opens nothing


@settings(max_examples=50)
@given(st.text())
def test_what_is_sealed_can_be_opened_and_not_be_read(secret: str) -> None:
    sealed = Seal(OLD).seal(secret)

    assert sealed.startswith(MARK)
    assert secret == Seal(OLD).open(sealed)
    assert secret not in sealed or len(secret) < 8


def test_nothing_is_sealed_twice_the_same_way() -> None:
    assert Seal(OLD).seal(SECRET) != Seal(OLD).seal(SECRET)


def test_an_older_key_still_opens_and_the_newest_seals() -> None:
    seal = Seal(NEW, OLD)

    assert SECRET == seal.open(Seal(OLD).seal(SECRET))
    assert SECRET == Seal(NEW).open(seal.seal(SECRET))
    assert SECRET == Seal(NEW).open(seal.reseal(Seal(OLD).seal(SECRET)))


@pytest.mark.parametrize(
    "sealed",
    [Seal(OTHER).seal(SECRET), "", "sealed:", "sealed:nonsense", "sealed:茶", "sealed:\ud800", SECRET],
    ids=["another-key", "empty", "mark", "nonsense", "characters", "half-a-character", "unsealed"],
)
def test_what_cannot_be_opened_is_told_of_in_one_sentence(sealed: str) -> None:
    with pytest.raises(StoreError, match="restore the key that it was sealed with") as caught:
        Seal(NEW, OLD).open(sealed)

    assert caught.value.__suppress_context__
    assert not Seal(NEW, OLD).can_open(sealed)


def test_who_looks_sees_no_key(tmp_path: Path) -> None:
    seal = Seal(NEW, OLD, key_file=tmp_path / "cadenza.key")

    assert NEW not in repr(seal) + str(seal)


@pytest.mark.parametrize("key", ["passphrase-4711", "x" * 44, "茶"], ids=["short", "no-key", "characters"])
def test_what_is_no_key_is_refused_when_it_is_needed_and_not_repeated(key: str) -> None:
    seal = Seal(OLD, key)

    with pytest.raises(StoreError, match="a key for secrets is invalid") as caught:
        seal.seal(SECRET)

    assert key not in str(caught.value)
    assert caught.value.__suppress_context__


def test_without_a_key_nothing_is_sealed() -> None:
    with pytest.raises(StoreError, match="there is no key"):
        Seal().seal(SECRET)


def test_half_a_character_is_refused() -> None:
    with pytest.raises(StoreError, match="incomplete character"):
        Seal(OLD).seal("\ud800")


# --- where keys come from ------------------------------------------------------------------------


@pytest.mark.parametrize("text", [f"{NEW},{OLD}", f" {NEW}  {OLD}\n", f"{NEW}, {OLD},"], ids=["comma", "blank", "both"])
def test_the_variable_wins_and_may_hold_several_keys(tmp_path: Path, text: str) -> None:
    seal = seal_from(text, tmp_path / "cadenza.key")

    assert SECRET == seal.open(Seal(OLD).seal(SECRET))
    assert SECRET == Seal(NEW).open(seal.seal(SECRET))
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("variable", [None, "", "  "], ids=["unset", "empty", "blank"])
def test_a_key_file_is_made_when_it_is_first_needed(tmp_path: Path, variable: str | None) -> None:
    key_file = tmp_path / "cadenza.key"
    seal = seal_from(variable, key_file)
    assert not key_file.exists()

    sealed = seal.seal(SECRET)

    assert 0o600 == stat.S_IMODE(key_file.stat().st_mode)
    assert SECRET == seal_from(None, key_file).open(sealed)
    assert SECRET == Seal(key_file.read_text(encoding="ascii").strip()).open(sealed)


def test_a_key_file_that_is_there_is_never_written_over(tmp_path: Path) -> None:
    key_file = tmp_path / "cadenza.key"
    key_file.write_text(f"{NEW}\n{OLD}\n", encoding="ascii")
    key_file.chmod(0o600)

    sealed = seal_from(None, key_file).seal(SECRET)

    assert SECRET == Seal(NEW).open(sealed)
    assert f"{NEW}\n{OLD}\n" == key_file.read_text(encoding="ascii")


def test_a_missing_key_file_is_not_made_to_open_something(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is missing; restore the one"):
        seal_from(None, tmp_path / "cadenza.key").open(Seal(OLD).seal(SECRET))

    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "words"),
    [("nowhere/cadenza.key", "its folder is missing"), ("empty", "is empty; remove it"), ("folder", "check its permissions"), ("odd", "check its permissions")],
)  # fmt: skip
def test_a_key_file_that_is_of_no_use_is_told_of(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / "empty").touch(0o600)
    (tmp_path / "folder").mkdir(0o700)
    (tmp_path / "odd").write_bytes(b"\xff\xff")

    with pytest.raises(StoreError, match=words):
        seal_from(None, tmp_path / name).seal(SECRET)


def test_a_key_file_that_others_can_read_is_a_line_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    key_file = tmp_path / "cadenza.key"
    key_file.write_text(OLD, encoding="ascii")
    key_file.chmod(0o644)

    with caplog.at_level(logging.WARNING):
        seal_from(None, key_file).seal(SECRET)

    assert "chmod 600" in caplog.text
    assert OLD not in caplog.text


def test_a_new_key_comes_before_the_older_ones(tmp_path: Path) -> None:
    key_file = tmp_path / "cadenza.key"
    sealed = seal_from(None, key_file).seal(SECRET)
    before = key_file.read_text(encoding="ascii").split()

    add_key(key_file)

    fresh, *older = key_file.read_text(encoding="ascii").split()
    assert before == older
    assert 0o600 == stat.S_IMODE(key_file.stat().st_mode)
    assert SECRET == seal_from(None, key_file).open(sealed)
    assert SECRET == Seal(fresh).open(seal_from(None, key_file).reseal(sealed))


def test_a_new_key_needs_its_folder(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be written"):
        add_key(tmp_path / "nowhere" / "cadenza.key")


def test_without_the_package_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.fernet", None)

    for ask in (Seal(OLD).seal, Seal(OLD).open, seal_from(None, tmp_path / "cadenza.key").seal):
        with pytest.raises(StoreError, match=r"pip install 'cadenza\[bot\]'"):
            ask(SECRET)
