"""The run file: one plain file, refusals before any work, nothing lost on a full disk."""

from __future__ import annotations

import os
import pickle
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest

from earnest.core import TaskOutcome
from earnest.errors import FormatError, StoreError
from earnest.store import SqliteStore, read_run
from earnest.store.sqlite import VERSION
from tests.snapshots import Golden
from tests.store.examples import IDENTITY, outcomes

ROOT = Path(__file__).parents[2]


def written(path: Path, count: int = 3) -> Path:
    with SqliteStore(path) as store:
        store.open(IDENTITY)
        for number in range(count):
            store.put(TaskOutcome((number,), {"x": np.arange(number + 5.0)}))
    return path


def changed(path: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return path


def opened(path: Path) -> None:
    with SqliteStore(path) as store:
        store.open(IDENTITY)


@contextmanager
def as_ordinary_user() -> Iterator[None]:
    """Lay down the rights of root, who may write everywhere, for a while."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


# ---- the file


def test_a_closed_run_is_one_file(tmp_path: Path) -> None:
    written(tmp_path / "run.db")
    assert [path.name for path in tmp_path.iterdir()] == ["run.db"]


def test_it_is_read_with_plain_sqlite(tmp_path: Path) -> None:
    written(tmp_path / "run.db")
    with closing(sqlite3.connect(tmp_path / "run.db")) as connection:
        rows = connection.execute("SELECT key, arrays, data FROM outcome").fetchall()
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    assert rows[1][:2] == ("1", '[["x", "<f8", [6]]]')
    assert np.frombuffer(rows[1][2]).tolist() == list(range(6))


@pytest.mark.parametrize("name", ["läufe und 漢字 ?#%20.db", "run", "'; DROP TABLE outcome; --"])
def test_any_name_will_do(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "mit Leerzeichen ü"
    folder.mkdir()
    written(folder / name)
    assert len(read_run(folder / name).outcomes) == 3
    assert [path.name for path in folder.iterdir()] == [name]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link.db").symlink_to(tmp_path / "there" / "run.db")
    written(tmp_path / "link.db")
    assert (tmp_path / "link.db").is_symlink()
    assert len(read_run(tmp_path / "there" / "run.db").outcomes) == 3


def test_a_relative_path_stays_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(Path("run.db"))
    assert len(read_run("run.db").outcomes) == 3


def test_a_pickled_store_is_its_path(tmp_path: Path) -> None:
    with SqliteStore(tmp_path / "run.db") as store:
        store.open(IDENTITY)
        store.put(TaskOutcome((0,)))
        other = pickle.loads(pickle.dumps(store))
        assert other.path == store.path
        with pytest.raises(StoreError, match="not open here"):
            other.put(TaskOutcome((1,)))
    with other:
        other.open(IDENTITY)
        assert list(other.done()) == [(0,)]


def test_a_store_that_is_not_open_says_so(tmp_path: Path, golden: Golden) -> None:
    store = SqliteStore(tmp_path / "run.db")
    with golden.raises(StoreError):
        store.put(TaskOutcome((0,)))
    assert not (tmp_path / "run.db").exists()


FORK = """
import os, sys
from earnest.core.base.errors import StoreError
from earnest.core.base.protocols import TaskOutcome
from earnest.store import SqliteStore
from earnest.store.sqlite import WriterLock
with SqliteStore(sys.argv[1]) as store:
    store.open({})
    child = os.fork()
    if child == 0:
        code = 0
        for attempt in (lambda: store.put(TaskOutcome((0,))), WriterLock(store.path).acquire):
            try:
                attempt()
            except StoreError:
                code += 1
        os._exit(code)
    refused = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    store.put(TaskOutcome((1,)))
print(refused)
"""


def test_a_child_made_by_fork_neither_writes_nor_gets_the_lock(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORK, str(tmp_path / "run.db")],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert done.stdout == "2\n"
    assert list(read_run(tmp_path / "run.db").outcomes) == [(1,)]
    assert [path.name for path in tmp_path.iterdir()] == ["run.db"]


def test_an_empty_file_is_a_new_run(tmp_path: Path) -> None:
    (tmp_path / "run.db").touch()
    assert len(read_run(written(tmp_path / "run.db")).outcomes) == 3


def test_a_run_killed_at_its_first_step_is_a_new_run(tmp_path: Path) -> None:
    changed(tmp_path / "run.db", "PRAGMA journal_mode = WAL")  # a header, and nothing else
    assert (tmp_path / "run.db").stat().st_size > 0
    assert len(read_run(written(tmp_path / "run.db")).outcomes) == 3


# ---- refusals before any work


def test_a_folder_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"no folder .*nowhere"):
        opened(tmp_path / "nowhere" / "run.db")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="got a folder"):
        opened(tmp_path)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter; those of `tmp_path` are shut."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        yield Path(folder)
        os.chmod(folder, 0o777)


@pytest.mark.parametrize("shut", ["file", "folder"])
def test_what_may_not_be_written_is_refused(open_folder: Path, shut: str, golden: Golden) -> None:
    path = written(open_folder / "run.db")
    open_folder.chmod(0o555 if shut == "folder" else 0o777)
    path.chmod(0o444)
    with as_ordinary_user():
        with golden.raises(StoreError):
            opened(path)
        assert len(read_run(path).outcomes) == 3


def test_a_file_that_is_no_database(tmp_path: Path, golden: Golden) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Dear diary, " * 200)
    before = path.read_bytes()
    for attempt in (opened, read_run):
        with golden.raises(FormatError):
            attempt(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["notes.txt"]


def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = changed(tmp_path / "other.db", "CREATE TABLE mine (x)", "INSERT INTO mine VALUES (1)")
    before = path.read_bytes()
    for attempt in (opened, read_run):
        with pytest.raises(FormatError, match="a database of another program"):
            attempt(path)
    assert path.read_bytes() == before


def test_a_newer_version_is_refused(tmp_path: Path, golden: Golden) -> None:
    path = changed(written(tmp_path / "run.db"), f"PRAGMA user_version = {VERSION + 1}")
    for attempt in (opened, read_run):
        with golden.raises(FormatError):
            attempt(path)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE outcome SET data = zeroblob(length(data)) WHERE key = '1'",
        "UPDATE outcome SET numbers = '{' WHERE key = '1'",
        "UPDATE outcome SET key = 'one' WHERE key = '1'",
        "UPDATE outcome SET data = 7 WHERE key = '1'",
        "DROP TABLE outcome",
        "DROP TABLE document",
    ],
)
def test_damage_is_seen_before_any_work(tmp_path: Path, statement: str, golden: Golden) -> None:
    path = changed(written(tmp_path / "run.db"), statement)
    for attempt in (opened, read_run):
        with golden.raises(FormatError):
            attempt(path)


def test_a_page_overwritten_is_seen(tmp_path: Path) -> None:
    path = written(tmp_path / "run.db", 200)
    raw = bytearray(path.read_bytes())
    raw[4096 * 4 : 4096 * 8] = os.urandom(4096 * 4)
    path.write_bytes(raw)
    with pytest.raises(FormatError, match="damaged"):
        opened(path)


def test_a_file_cut_short_is_seen(tmp_path: Path) -> None:
    path = written(tmp_path / "run.db", 200)
    path.write_bytes(path.read_bytes()[: 4096 * 6])
    with pytest.raises(FormatError, match="damaged"):
        opened(path)


# ---- a full disk


def fill(store: SqliteStore) -> int:
    """Put outcomes until no more go in, and return how many did."""
    for number in range(1000):
        try:
            store.put(TaskOutcome((number,), {"x": np.full(500, float(number))}))
        except StoreError:
            return number
    return 1000


def test_a_full_disk_is_told_and_what_is_committed_stays(tmp_path: Path, golden: Golden) -> None:
    path = tmp_path / "run.db"
    with SqliteStore(path) as store:
        store.open(IDENTITY)
        store._connection.execute("PRAGMA max_page_count = 40")
        kept = fill(store)
        assert 5 < kept < 1000
        with golden.raises(StoreError):
            store.put(TaskOutcome((kept,), {"x": np.zeros(500)}))
        assert (kept,) not in store.done()
        assert len(read_run(path).outcomes) == kept
    with SqliteStore(path) as store:  # room was made
        store.open(IDENTITY)
        assert len(store.done()) == kept
        store.put(TaskOutcome((kept,)))
    outcomes_ = read_run(path).outcomes
    assert all(outcomes_[n,].arrays["x"].tolist() == [float(n)] * 500 for n in range(kept))


FILE_LIMIT = """
import resource, sys
import numpy as np
from earnest.core.base.protocols import TaskOutcome
from earnest.store import SqliteStore
with SqliteStore(sys.argv[1]) as store:
    store.open({})
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))
    try:
        for number in range(1000):
            store.put(TaskOutcome((number,), {"x": np.zeros(500)}))
    except Exception as error:
        print(number, type(error).__name__, error)
"""


def test_a_write_that_the_system_refuses_loses_nothing(tmp_path: Path, golden: Golden) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FILE_LIMIT, str(tmp_path / "run.db")],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    kept, kind, text = done.stdout.split(maxsplit=2)
    assert kind == "StoreError"
    golden.check_sentence(text, "the disk is")
    assert int(kept) > 5
    with SqliteStore(tmp_path / "run.db") as store:
        store.open({})
        assert len(store.done()) == int(kept)


def test_an_outcome_that_cannot_be_stored_leaves_the_store_usable(tmp_path: Path) -> None:
    with SqliteStore(tmp_path / "run.db") as store:
        store.open(IDENTITY)
        with pytest.raises(ValueError, match="cannot be stored"):
            store.put(TaskOutcome((0,), {"x": np.array([object()])}))
        for outcome in outcomes():
            store.put(outcome)
        assert len(store.done()) == len(outcomes())
