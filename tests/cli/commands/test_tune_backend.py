"""`earnest tune` on a cluster: the same files, and errors in one line."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from distributed import LocalCluster
from pyarrow import csv

from earnest.core import TaskOutcome
from earnest.engine import backends
from earnest.store import SqliteStore, read_run
from tests.cli.conftest import Run
from tests.engine.local_clusters import dask_processes
from tests.snapshots import Golden
from tests.training.tune_tables import of, portfolio

ASK = ("tune", "patients.csv", "--target", "relapse", "--rng", "7", "--portfolio", "quick.toml")
QUICK = (*ASK, "--n-configs", "2", "--folds", "3", "--no-report", "--quiet")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    csv.write_csv(of("relapse"), "patients.csv")
    portfolio(tmp_path)
    return tmp_path


@pytest.fixture
def address() -> Iterator[str]:
    """Where a scheduler listens, with a worker in threads: tests/engine/clusters has processes."""
    with LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=False,
        protocol="tcp://",
        host="127.0.0.1",
        dashboard_address=":0",
    ) as made:
        yield made.scheduler_address


def test_a_run_on_a_dask_cluster_writes_what_a_run_here_writes(
    run: Run, here: Path, address: str
) -> None:
    assert run(*QUICK, "--n-jobs", "1", "--out", "here").code == 0
    asked = ("--backend", "dask", "--scheduler", address)
    done = run(*QUICK, *asked, "--out", "there")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert_same_files(here)


def assert_same_files(folder: Path) -> None:
    """Two runs wrote the same estimate, predictions and model."""
    there, alone = (
        json.loads((folder / name / "estimate.json").read_text()) for name in ("there", "here")
    )
    assert there == alone
    for name in ("predictions.parquet", "model.skops"):
        files = [folder / run / name for run in ("here", "there")]
        assert files[0].read_bytes() == files[1].read_bytes()


def test_a_run_whose_scheduler_dies_says_how_to_resume_and_resumes_to_the_same_files(
    run: Run, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backends, "CONNECT", 2.0)
    assert run(*QUICK, "--n-jobs", "1", "--out", "here").code == 0
    put, stored = SqliteStore.put, []

    def watched(store: SqliteStore, outcome: TaskOutcome) -> None:
        put(store, outcome)
        stored.append(outcome.key)
        if len(stored) == 2:
            cluster.kill_scheduler()

    with dask_processes(here) as cluster, monkeypatch.context() as patch:
        cluster.add()
        patch.setattr(SqliteStore, "put", watched)
        lost = run(*QUICK, "--backend", "dask", "--scheduler", cluster.address, "--out", "there")
    assert (lost.code, lost.out) == (2, "")
    assert "scheduler" in lost.err
    assert f"{len(stored)} finished" in lost.err
    assert "--resume" in lost.err
    assert "Traceback" not in lost.err
    assert len(read_run(here / "there" / "run.db").outcomes) == len(stored)
    assert run(*QUICK, "--n-jobs", "1", "--out", "there", "--resume").code == 0
    assert_same_files(here)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (
            ["--backend", "dsk"],
            "unknown back end 'dsk'. Expected loky, threading, dask, ray. Did you mean 'dask'?",
        ),
        (
            ["--backend", "dask"],
            "dask needs a cluster. Expected the address of its scheduler, such as "
            "tcp://127.0.0.1:8786. Start one with `dask scheduler`, and workers with "
            "`dask worker ADDRESS`.",
        ),
        (
            ["--scheduler", "tcp://127.0.0.1:8786"],
            "back end 'loky' has no scheduler. Expected dask or ray for a cluster, got "
            "'tcp://127.0.0.1:8786'.",
        ),
    ],
)
def test_what_cannot_be_asked_is_told_before_any_work(
    run: Run, here: Path, asked: list[str], message: str
) -> None:
    done = run(*QUICK, *asked)
    assert (done.code, done.out, done.err) == (2, "", f"error: {message}\n")
    assert not (here / "run").exists()


def test_a_missing_extra_is_told_with_its_cure(
    run: Run, here: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    monkeypatch.setattr(backends, "find_spec", lambda name: None)
    done = run(*QUICK, "--backend", "dask", "--scheduler", "tcp://127.0.0.1:8786")
    golden.check(done.err)


def test_where_nobody_listens_the_address_is_named(
    run: Run, here: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    monkeypatch.setattr(backends, "CONNECT", 0.5)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, but listening to nobody
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        done = run(*QUICK, "--backend", "dask", "--scheduler", address)
    assert done.err.count(address) == 2  # as it was asked for, and in what dask says of it
    golden.check(done.err, hide=address)
