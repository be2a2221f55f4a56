"""Only one at a time has the right to write to a store."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cadenza.bot.store import locking
from cadenza.bot.store.locking import Lock
from cadenza.bot.store.store import StoreError


def test_a_lock_can_be_had_once_and_again_when_it_was_released(tmp_path: Path) -> None:
    path = tmp_path / "cadenza.db"
    lock = Lock(path)
    with pytest.raises(StoreError, match=r"another bot uses the store .*; stop that one"):
        Lock(path)
    lock.release()

    Lock(path).release()

    assert not path.exists()


def test_stores_beside_each_other_have_locks_of_their_own(tmp_path: Path) -> None:
    one, two = Lock(tmp_path / "one.db"), Lock(tmp_path / "two.db")
    one.release()
    two.release()


def test_a_process_that_is_killed_leaves_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "cadenza.db"
    script = (
        "import sys; from pathlib import Path; from cadenza.bot.store.locking import Lock;"
        "lock = Lock(Path(sys.argv[1])); print('locked', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", script, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        with pytest.raises(StoreError):
            Lock(path)
        process.kill()
        process.wait(60)

    Lock(path).release()


def test_a_disk_that_knows_no_locks_is_no_other_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: int) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(locking, "_lock", refuse)
    with pytest.raises(OSError, match="not supported"):
        Lock(tmp_path / "cadenza.db")
