"""A run that is killed resumes by the same call: what was finished is not run again."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
from pyarrow import csv

from earnest.core import TaskOutcome
from earnest.errors import StoreError
from earnest.store import SqliteStore, read_run
from tests.engine import killed_run
from tests.engine.killed_run import IDENTITY
from tests.store.examples import same
from tests.training.tune_tables import of, portfolio

ROOT = Path(__file__).parents[2]
N_TASKS = 24


def begin(store: Path, log: Path, n_jobs: int, n_tasks: int = N_TASKS) -> subprocess.Popen[bytes]:
    """Start the run in a session of its own, so that its workers can be killed with it."""
    arguments = [str(store), str(log), str(n_jobs), str(n_tasks)]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.engine.killed_run", *arguments],
        cwd=ROOT,
        start_new_session=True,
        stderr=subprocess.DEVNULL,  # the tracker of loky tells what it cleans up
    )


def lines(log: Path) -> list[str]:
    return log.read_text().splitlines() if log.exists() else []


def kill_at(process: subprocess.Popen[bytes], log: Path, count: int, after: float) -> None:
    """Kill a little after the log has grown to so many lines, unless the run is over before."""
    while len(lines(log)) < count and process.poll() is None:
        time.sleep(0.001)
    time.sleep(after)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[int, ...], TaskOutcome]:
    """The outcomes of a run that nobody kills: in this process, without its waits."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(killed_run, "SECONDS", 0.0)
        killed_run.run_and_keep(folder / "run.db", folder / "log", 1, N_TASKS)
    return dict(read_run(folder / "run.db").outcomes)


# With workers more is under way when the kill comes; alone, at other moments, it is slow.
@pytest.mark.parametrize(
    ("n_jobs", "seed", "kills"),
    [
        pytest.param(1, 1, 3, marks=pytest.mark.slow),
        pytest.param(1, 2, 3, marks=pytest.mark.slow),
        (1, 1, 1),
        (2, 3, 2),
    ],
)
def test_killed_again_and_again_it_gives_the_same_bytes(
    tmp_path: Path, whole: dict[tuple[int, ...], TaskOutcome], n_jobs: int, seed: int, kills: int
) -> None:
    store, log = tmp_path / "run.db", tmp_path / "log"
    rng = random.Random(seed)
    repeated = 0
    for _ in range(kills):
        process = begin(store, log, n_jobs)
        kill_at(process, log, len(lines(log)) + rng.randrange(1, 15), rng.random() * 0.03)
        begun = {int(line.split()[1]) for line in lines(log) if line.startswith("begin")}
        kept = read_run(store).outcomes
        assert all(same(outcome, whole[key]) for key, outcome in kept.items())
        under_way = len(begun - {key[0] for key in kept})
        assert under_way <= in_flight(n_jobs)
        repeated += in_flight(n_jobs)
    assert begin(store, log, n_jobs).wait() == 0
    outcomes = read_run(store).outcomes
    assert outcomes.keys() == whole.keys()
    assert all(same(outcomes[key], whole[key]) for key in whole)
    begins = Counter(line for line in lines(log) if line.startswith("begin"))
    assert sum(begins.values()) - N_TASKS <= repeated
    assert sorted(p.name for p in tmp_path.iterdir()) == ["log", "run.db"]


def in_flight(n_jobs: int) -> int:
    """The most tasks that a kill may repeat.

    Alone it is the one that runs. Workers take tasks of 30 ms in chunks of at most 0.1 s, three
    each, and one that has just given its chunk back has begun the next: two chunks a worker.
    """
    return 1 if n_jobs == 1 else 2 * n_jobs * 3


def test_workers_of_a_killed_run_end_and_their_data_is_removed(tmp_path: Path) -> None:
    store, log = tmp_path / "run.db", tmp_path / "log"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.engine.killed_run", str(store), str(log), "2", "1000"],
        cwd=ROOT,
        start_new_session=True,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    while len(lines(log)) < 10:
        time.sleep(0.005)
    assert len(list(tmp_path.glob("earnest-*"))) == 1
    process.send_signal(signal.SIGKILL)
    process.wait()
    limit = time.monotonic() + 20.0  # they look once a second
    while alive(process.pid) or list(tmp_path.glob("earnest-*")):
        assert time.monotonic() < limit
        time.sleep(0.05)


def alive(session: int) -> bool:
    """Whether any process of a session is left."""
    try:
        os.killpg(session, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_killed_run_is_not_resumed_as_another_one(tmp_path: Path) -> None:
    store, log = tmp_path / "run.db", tmp_path / "log"
    kill_at(begin(store, log, 1), log, 5, 0.0)
    with SqliteStore(store) as other, pytest.raises(StoreError, match="another seed") as refused:
        other.open({**IDENTITY, "seed": "8"})
    assert "data" not in str(refused.value)
    assert len(read_run(store).outcomes) > 0


def test_two_runs_on_one_file(tmp_path: Path) -> None:
    store, log = tmp_path / "run.db", tmp_path / "log"
    first = begin(store, log, 1, 2000)  # a minute, in which the other one must have begun
    while not lines(log):
        time.sleep(0.001)
    arguments = [str(store), str(log), "1", str(N_TASKS)]
    second = subprocess.run(
        [sys.executable, "-m", "tests.engine.killed_run", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    before = len(lines(log))
    kill_at(first, log, before + 6, 0.0)  # the first goes on
    assert second.returncode == 1
    assert f"process {first.pid} on " in second.stderr
    done = [line for line in lines(log) if line.startswith("end")]
    assert len(lines(log)) >= before + 6
    assert len(read_run(store).outcomes) >= len(done) - 1  # all but the one that was killed


# ------------------------------------------------------------ files of a killed run


KILLED_AT = """
import os, signal, sys
from earnest.cli import main

left, replace = int(sys.argv[1]), os.replace

def count(old, new, **options):
    global left
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)  # the new file is there, and not in its place yet
    replace(old, new, **options)

os.replace = count
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.parametrize(
    "write", [4, pytest.param(3, marks=pytest.mark.slow), pytest.param(6, marks=pytest.mark.slow)]
)
def test_a_tuning_killed_while_it_writes_leaves_no_temporary_file_after_a_resume(
    tmp_path: Path, write: int
) -> None:
    csv.write_csv(of("relapse"), tmp_path / "patients.csv")
    portfolio(tmp_path)
    options = "--target relapse --rng 7 --portfolio quick.toml --n-configs 2 --folds 3 --n-jobs 1"
    options += " --ensemble none"
    command = ["tune", "patients.csv", *options.split(), "--quiet", "--live", "--out", "run"]
    killed = subprocess.run(
        [sys.executable, "-c", KILLED_AT, str(write), *command],
        cwd=tmp_path,
        timeout=120,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    subprocess.run(
        [sys.executable, "-m", "earnest", *command, "--resume"],
        cwd=tmp_path,
        timeout=120,
        check=True,
    )
    names = sorted(path.name for path in (tmp_path / "run").iterdir())
    assert not [name for name in names if name.startswith(".") or name.endswith(".tmp")]
    assert {"estimate.json", "model.skops", "predictions.parquet", "run.db"} <= set(names)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_a_search_killed_at_a_random_moment_leaves_only_its_run_file_after_a_resume(
    tmp_path: Path, seed: int
) -> None:
    command = [sys.executable, "-m", "tests.training.killed_search", str(tmp_path / "run.db"), "1"]
    process = subprocess.Popen(command, cwd=ROOT, start_new_session=True)
    limit = time.monotonic() + 60.0
    while not (tmp_path / "run.db").exists() and process.poll() is None:
        assert time.monotonic() < limit
        time.sleep(0.001)
    time.sleep(random.Random(seed).random() * 0.2)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    subprocess.run(command, cwd=ROOT, timeout=120, check=True)
    assert [path.name for path in tmp_path.iterdir()] == ["run.db"]
