"""A run file is read at any time, and never changed by it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from earnest.core import TaskOutcome
from earnest.errors import FormatError
from earnest.store import SqliteStore, read_run
from tests.store.examples import IDENTITY, outcomes, same


def test_reading_while_writing_sees_what_is_committed(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with SqliteStore(path) as store:
        store.open(IDENTITY)
        for count, outcome in enumerate(outcomes()):
            assert len(read_run(path).outcomes) == count
            store.put(outcome)
        store.put_document("name", "text")
        run = read_run(path)
    assert run.identity == IDENTITY
    assert run.documents == {"name": "text"}
    assert all(same(run.outcomes[o.key], o) for o in outcomes())
    assert str(path) in repr(run)


def test_reading_leaves_the_file_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with SqliteStore(path) as store:
        store.open(IDENTITY)
        store.put(TaskOutcome((0,)))
    before = path.read_bytes()
    read_run(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["run.db"]


def test_without_arrays_the_rest_of_an_outcome_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with SqliteStore(path) as store:
        store.open(IDENTITY)
        for outcome in outcomes():
            store.put(outcome)
    whole, lean = read_run(path).outcomes, read_run(path, arrays=False).outcomes
    assert any(one.arrays for one in whole.values())
    assert not any(one.arrays for one in lean.values())
    assert all(same(lean[key], replace(one, arrays={})) for key, one in whole.items())


def test_a_reader_does_not_stop_the_writer_from_closing(tmp_path: Path) -> None:
    import sqlite3

    path = tmp_path / "run.db"
    store = SqliteStore(path)
    store.open(IDENTITY)
    store.put(TaskOutcome((0,)))
    reader = sqlite3.connect(path)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM outcome").fetchall()
    store.close()  # the journal stays for the reader
    reader.close()
    with SqliteStore(path) as again:
        again.open(IDENTITY)
        assert list(again.done()) == [(0,)]


def test_no_file_and_an_empty_one_are_told(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="there is no file"):
        read_run(tmp_path / "run.db")
    (tmp_path / "run.db").touch()
    with pytest.raises(FormatError, match="is empty"):
        read_run(tmp_path / "run.db")
