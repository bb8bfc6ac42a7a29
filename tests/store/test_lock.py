"""One writer at a time, and a dead one blocks nobody."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from earnest.core import TaskOutcome
from earnest.errors import StoreError
from earnest.store import SqliteStore, read_run
from earnest.store.sqlite import WriterLock

ROOT = Path(__file__).parents[2]
HOLD = """
import sys
from earnest.core.base.protocols import TaskOutcome
from earnest.store import SqliteStore
store = SqliteStore(sys.argv[1])
store.open({"seed": "7"})
store.put(TaskOutcome((0,)))
print("open", flush=True)
sys.stdin.read()
store.close()
"""


@contextmanager
def another_writer(path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that has the file open until its input ends."""
    command = [sys.executable, "-c", HOLD, str(path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        yield process


def test_a_refusal_names_the_file_as_the_user_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with SqliteStore("run.db") as first:
        first.open({"seed": "7"})
        with SqliteStore("run.db") as second, pytest.raises(StoreError) as refused:
            second.open({"seed": "7"})
    assert "'run.db'" in str(refused.value)
    assert str(tmp_path) not in str(refused.value)


def test_a_second_process_is_refused_by_file_and_process(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with another_writer(path) as process:
        with SqliteStore(path) as store, pytest.raises(StoreError) as refused:
            store.open({"seed": "7"})
        assert str(path) in str(refused.value)
        assert f"process {process.pid} on " in str(refused.value)
        assert len(read_run(path).outcomes) == 1
    with SqliteStore(path) as store:  # the first has closed it
        store.open({"seed": "7"})
        assert list(store.done()) == [(0,)]
    assert [p.name for p in tmp_path.iterdir()] == ["run.db"]


def test_a_killed_writer_blocks_nobody_and_has_lost_nothing(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with another_writer(path) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert (tmp_path / "run.db-lock").exists()
    assert (tmp_path / "run.db-wal").exists()
    assert list(read_run(path).outcomes) == [(0,)]
    with SqliteStore(path) as store:
        store.open({"seed": "7"})
        assert list(store.done()) == [(0,)]
        store.put(TaskOutcome((1,)))
    assert [p.name for p in tmp_path.iterdir()] == ["run.db"]


def test_the_same_process_is_refused_too_and_the_first_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with SqliteStore(path) as first:
        first.open({})
        link = tmp_path / "link.db"
        link.symlink_to(path)
        for other in (SqliteStore(path), SqliteStore(link)):
            with pytest.raises(StoreError, match="which is this one"):
                other.open({})
        first.put(TaskOutcome((0,)))
        with SqliteStore(path) as second, pytest.raises(StoreError, match="which is this one"):
            second.open({})
    with SqliteStore(path) as again:
        again.open({})
        assert list(again.done()) == [(0,)]


def test_a_refused_run_gives_the_lock_back(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    for identity in ({"seed": "1"}, {"seed": "2"}, {"seed": "1"}):
        with SqliteStore(path) as store:
            if identity == {"seed": "2"}:
                with pytest.raises(StoreError, match="another seed"):
                    store.open(identity)
            else:
                store.open(identity)
    assert [p.name for p in tmp_path.iterdir()] == ["run.db"]


def test_a_lock_file_left_behind_is_no_lock(tmp_path: Path) -> None:
    (tmp_path / "run.db-lock").write_text("process 1 on somewhere")
    lock = WriterLock(tmp_path / "run.db")
    lock.acquire()
    lock.release()
    lock.release()
    assert list(tmp_path.iterdir()) == []
