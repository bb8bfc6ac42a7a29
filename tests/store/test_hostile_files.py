"""A SQLite file from anyone is refused in seconds if it is more than plain tables."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import optuna
import pytest

import earnest as en
from earnest.core import TaskOutcome
from earnest.store import SqliteStore, guard, read_run
from tests.adapters.studies import open_database
from tests.snapshots import Golden
from tests.store.examples import IDENTITY
from tests.store.hostile_files import HOSTILE, share_pages

optuna.logging.set_verbosity(optuna.logging.ERROR)
SECONDS, MEMORY = 60, 3 << 30  # for a process that imports scikit-learn and Optuna
ASK = """
import json, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
import earnest as en
from earnest.cli import main
from earnest.store import SqliteStore, read_run

def ask(call):
    try:
        call()
    except en.errors.EarnestError as error:
        return [error.what, error.needs, error.got]
    return None

runs, studies = json.loads(sys.argv[1])
said = {}
for path in runs:
    said[path] = [
        ask(lambda: read_run(path)),
        ask(lambda: read_run(path, arrays=False)),
        ask(lambda: SqliteStore(path).open({"data": "ndarray 3x2 float64 0a", "seed": "7"})),
        ask(lambda: en.explain(path)),
        ask(lambda: en.predictions_from(path, [0, 1])),
    ]
for path in studies:
    said[path] = [
        ask(lambda: en.explain(path)),
        ask(lambda: en.explain(f"sqlite:///{path}")),
        ask(lambda: en.predictions_from(path, [0, 1], store=".")),
    ]
print(json.dumps(said))
""".replace("MEMORY", str(MEMORY))


def write_run(path: Path, cases: int = 3) -> Path:
    with SqliteStore(path) as store:
        store.open(IDENTITY)
        store.put(TaskOutcome((0, 0, 0), {"response": np.zeros(cases)}, {"score": 0.5}))
        store.put_document("name", "text")
    return path


def write_study(path: Path) -> Path:
    with open_database(path) as storage:
        study = optuna.create_study(study_name="s", storage=storage)
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=5)
    return path


def test_hostile_schemas_are_refused_within_a_limit_of_time_and_memory(tmp_path: Path) -> None:
    runs, studies = [], []
    for make in HOSTILE:
        for table in ("outcome", "identity", "document"):
            path = write_run(tmp_path / f"{make.__name__}-{table}.db")
            make(path, table)
            runs.append(str(path))
        for table in ("trials", "trial_values", "studies"):
            path = write_study(tmp_path / f"{make.__name__}-{table}.db")
            make(path, table)
            studies.append(str(path))
    done = subprocess.run(
        [sys.executable, "-c", ASK, json.dumps([runs, studies])],
        capture_output=True,
        timeout=SECONDS,
        check=False,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout)
    accepted = {path: answers for path, answers in said.items() if None in answers}
    assert not accepted


@pytest.mark.parametrize("make", HOSTILE)
def test_an_object_of_any_other_kind_or_name_is_refused_in_a_run_file(
    make: object, tmp_path: Path
) -> None:
    import sqlite3
    from contextlib import closing

    path = write_run(tmp_path / "run.db")
    with closing(sqlite3.connect(path)) as base:
        base.execute("CREATE TABLE mine (x)")
        base.commit()
    make(path, "mine")  # type: ignore[operator]
    with pytest.raises(en.errors.FormatError, match="damaged"):
        read_run(path)


def test_rows_that_share_their_pages_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "LEAST", 1 << 14)
    for cases in range(20_000, 20_512, 40):  # until little of the row lies on its first page
        path = write_run(tmp_path / f"{cases}.db", cases=cases)
        assert len(read_run(path).outcomes) == 1
        if share_pages(path, "outcome") > 5:
            break
    for read in (read_run, lambda at: SqliteStore(at).open(IDENTITY)):
        with pytest.raises(en.errors.FormatError) as refused:
            read(path)
        assert "larger than the file" in refused.value.got


def test_a_study_whose_rows_share_their_pages_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "LEAST", 1 << 14)
    for length in range(400_000, 404_000, 320):
        path = tmp_path / f"{length}.db"
        with open_database(path) as storage:
            study = optuna.create_study(study_name="s", storage=storage)
            study.set_user_attr("note", "x" * length)
        if share_pages(path, "study_user_attributes") > 5:
            break
    with pytest.raises(en.errors.FormatError) as refused:
        en.explain(path)
    assert "larger than the file" in refused.value.got


def test_a_run_that_does_not_fit_into_the_memory_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    path = write_run(tmp_path / "run.db", cases=10_000)
    monkeypatch.setattr("earnest.store.sqlite.measure_free_memory", lambda: 50_000)
    with golden.raises(en.errors.FormatError, hide="[0-9.]+(?= kB)"):
        read_run(path)
    assert len(read_run(path, arrays=False).outcomes) == 1  # one row at a time


def test_numbers_in_place_of_text_are_refused(tmp_path: Path) -> None:
    import sqlite3
    from contextlib import closing

    for table in ("identity", "document"):
        path = write_run(tmp_path / f"{table}.db")
        with closing(sqlite3.connect(path)) as base, base:
            base.execute(f"INSERT INTO {table} VALUES ('a', x'00ff')")
        with pytest.raises(en.errors.FormatError, match="damaged"):
            read_run(path)
