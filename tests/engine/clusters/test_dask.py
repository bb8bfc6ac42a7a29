"""On a dask cluster of real processes a run gives the bytes of a plain loop, whoever dies."""

from __future__ import annotations

import shutil
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from distributed import Client
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

import earnest as en
from earnest import SearchCV, nested_cv
from earnest.core import TaskOutcome
from earnest.core.base.protocols import EngineTask
from earnest.engine import Place, backends, on_backend, plan_backend
from earnest.engine import scores as engine_scores
from earnest.engine.clusters import dask as on_dask
from earnest.engine.parcels import keep
from earnest.engine.run import run_tasks
from earnest.errors import ClusterError, EarnestError
from earnest.kernels import score as kernel
from earnest.store import SqliteStore, read_run
from tests.engine.local_clusters import WORKER, DaskProcesses, dask_processes, end
from tests.engine.searches import searched
from tests.engine.test_run import collected, same_all
from tests.engine.works import (
    Counted,
    allow_deaths,
    lasting,
    nested,
    noted,
    powers,
    processes,
    ran_there,
    seconds_and_process,
    trouble,
)
from tests.snapshots import Golden
from tests.store.examples import same

SHARED = np.arange(100_000.0)
TASKS = [EngineTask((number, 0), number) for number in range(40)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskProcesses]:
    with dask_processes(tmp_path_factory.mktemp("dask")) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def client(whole: DaskProcesses) -> Iterator[Client]:
    with Client(whole.address, timeout=60, set_as_default=False) as client:
        yield client


@pytest.fixture
def cluster(whole: DaskProcesses, client: Client) -> Iterator[DaskProcesses]:
    """Two workers, and joblib's configuration as a user writes it."""
    whole.ready(client, 2)
    with joblib.parallel_config(backend="dask", client=client):
        yield whole


def make_predictions() -> en.Predictions:
    """Thirty configurations on 120 cases in five folds; seed 0."""
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 60)
    scores = 1 / (1 + np.exp(-(y[:, None] + rng.standard_normal((120, 30)) - 0.5)))
    return en.Predictions.from_arrays(y, scores, np.arange(120) // 2 % 5)


@pytest.mark.parametrize("metric", ["roc_auc", "accuracy"])
def test_an_estimate_scores_blocks_of_configurations_on_the_workers_to_the_same_bytes(
    cluster: DaskProcesses, monkeypatch: pytest.MonkeyPatch, metric: str
) -> None:
    pi = make_predictions()
    plain = en.estimate(pi, metric=metric, n_resamples=100, rng=0, n_jobs=1)
    tasks: list[int] = []
    real = engine_scores.run_tasks

    def counted(
        work: Any, shared: Any, given: list[EngineTask], **options: Any
    ) -> Iterator[TaskOutcome]:
        tasks.append(len(given))
        return real(work, shared, given, **options)

    monkeypatch.setattr(engine_scores, "run_tasks", counted)
    score_elsewhere(monkeypatch)
    spread = en.estimate(pi, metric=metric, n_resamples=100, rng=0)
    assert 4 in tasks  # two blocks for each of two threads
    assert spread.to_dict(draws=True) == plain.to_dict(draws=True)


def score_elsewhere(patch: pytest.MonkeyPatch) -> None:
    """Send every table of scores to the cluster, and let none be scored here."""
    fill = kernel._fill_table

    def refuse(asked: en.Predictions, *rest: Any, **options: Any) -> Any:
        constants = (asked.responses == asked.responses[0]).all()  # which no block is worth
        assert asked.n_configs == 1 or constants, "a table was scored here"
        return fill(asked, *rest, **options)

    patch.setattr(engine_scores, "WORTH", 0)
    patch.setattr(kernel, "_fill_table", refuse)


DEADLY = """
import os
from earnest.engine import scores
scores._score_block = lambda shared, task: os._exit(9)
"""
SLOW = """
import time
from earnest.engine import scores
plain = scores._score_block
scores._score_block = lambda shared, task: (time.sleep(0.5), plain(shared, task))[1]
"""


def test_an_estimate_whose_worker_dies_gets_the_same_bytes_from_one_that_comes_late(
    whole: DaskProcesses, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    pi = make_predictions()
    plain = en.estimate(pi, metric="roc_auc", n_resamples=100, rng=0, n_jobs=1)
    while whole.workers:
        whole.kill(0)
        whole.workers.pop(0)
    deadly = whole.add(code=f"{DEADLY}\n{WORKER}")
    whole.ready(client, 1)

    def replace_worker() -> None:
        deadly.wait(60)
        whole.add()

    late = threading.Thread(target=replace_worker)
    late.start()
    score_elsewhere(monkeypatch)
    with joblib.parallel_config(backend="dask", client=client):
        spread = en.estimate(pi, metric="roc_auc", n_resamples=100, rng=0)
    late.join(60)
    assert deadly.returncode == 9
    assert spread.to_dict(draws=True) == plain.to_dict(draws=True)


def test_an_estimate_whose_scheduler_dies_says_so_and_gives_the_same_bytes_on_another(
    cluster: DaskProcesses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backends, "CONNECT", 2.0)
    pi = make_predictions()
    plain = en.estimate(pi, metric="roc_auc", n_resamples=100, rng=0, n_jobs=1)
    score_elsewhere(monkeypatch)
    ask = {"metric": "roc_auc", "n_resamples": 100, "rng": 0}
    real = engine_scores.run_tasks
    with dask_processes(tmp_path) as other, on_backend("dask", other.address):
        other.add(code=f"{SLOW}\n{WORKER}")

        def watched(*args: Any, **options: Any) -> Iterator[TaskOutcome]:
            for outcome in real(*args, **options):
                yield outcome
                other.kill_scheduler()  # while the worker scores the next block

        monkeypatch.setattr(engine_scores, "run_tasks", watched)
        with pytest.raises(ClusterError) as lost:
            en.estimate(pi, **ask)
    monkeypatch.setattr(engine_scores, "run_tasks", real)
    assert "scheduler" in lost.value.what
    assert lost.value.resumes_by is None  # an estimate stores nothing
    again = en.estimate(pi, **ask)
    assert again.to_dict(draws=True) == plain.to_dict(draws=True)


def test_a_lost_cluster_is_no_refusal_of_a_method_and_the_question_can_be_asked_again(
    cluster: DaskProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    pi, search = make_predictions(), searched(n_jobs=1)
    monkeypatch.setattr(engine_scores, "WORTH", 0)

    def lose(*args: Any, **options: Any) -> Iterator[TaskOutcome]:
        raise ClusterError("the cluster is gone")

    with monkeypatch.context() as patch:
        patch.setattr(engine_scores, "run_tasks", lose)
        with pytest.raises(ClusterError):
            en.estimate_all(pi, methods=["bbc", "naive"], metric="roc_auc", n_resamples=50)
        with pytest.raises(ClusterError):
            _ = search.set_params(n_jobs=None).estimate_
    assert search.estimate_ == searched(n_jobs=1).estimate_


def test_a_search_whose_scheduler_dies_loses_nothing_and_resumes_here_and_on_another(
    cluster: DaskProcesses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backends, "CONNECT", 2.0)
    alone = searched(n_jobs=1)
    stored = 0

    class Watched(SqliteStore):
        def put(self, outcome: TaskOutcome) -> None:
            nonlocal stored
            super().put(outcome)
            stored += 1
            if stored == 7:
                other.kill_scheduler()

    with dask_processes(tmp_path) as other, on_backend("dask", other.address):
        other.add()
        with pytest.raises(ClusterError) as lost:
            searched(store=Watched(tmp_path / "run.db"))
    assert "scheduler" in lost.value.what
    assert lost.value.resumes_by == "store"
    assert 7 <= stored < 60
    before = dict(read_run(tmp_path / "run.db").outcomes)
    assert len(before) == lost.value.stored == stored
    shutil.copy(tmp_path / "run.db", tmp_path / "copy.db")
    for store, options in (("run.db", {"n_jobs": 1}), ("copy.db", {})):
        assert_same_search(searched(store=tmp_path / store, **options), alone)
        after = read_run(tmp_path / store).outcomes
        assert len(after) == 60
        assert all(same(after[key], outcome) for key, outcome in before.items())


def lines(log: Path) -> list[str]:
    return log.read_text().splitlines() if log.exists() else []


def test_outcomes_are_those_of_a_plain_loop(cluster: DaskProcesses) -> None:
    found = collected(run_tasks(powers, SHARED, TASKS))
    assert same_all(found, {task.key: powers(SHARED, task) for task in TASKS})


def test_both_workers_work_and_each_unpacks_once(cluster: DaskProcesses, tmp_path: Path) -> None:
    log = tmp_path / "log"
    found = collected(run_tasks(processes, Counted(SHARED, str(log)), TASKS))
    loads = lines(log)
    assert len(set(loads)) == len(loads) == len({o.numbers["pid"] for o in found.values()})


def test_what_is_kept_is_sent_once_for_several_runs(cluster: DaskProcesses, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with keep(Counted(SHARED, str(log))) as kept:
        for first in (0, 10, 20):
            assert len(list(run_tasks(processes, kept, TASKS[first : first + 10]))) == 10
    assert len(lines(log)) == len(set(lines(log))) <= 2


def assert_same_search(there: SearchCV, alone: SearchCV) -> None:
    assert there.predictions_.responses.tobytes() == alone.predictions_.responses.tobytes()
    assert there.best_index_ == alone.best_index_
    for name, values in alone.cv_results_.items():
        if not name.endswith("_time"):
            np.testing.assert_array_equal(there.cv_results_[name], values, err_msg=name)


def test_a_search_in_rounds_gives_the_bytes_of_a_serial_one(
    cluster: DaskProcesses, tmp_path: Path
) -> None:
    knobs = {"drop": "bced_adjusted"}
    assert_same_search(searched(store=tmp_path / "run.db", **knobs), searched(n_jobs=1, **knobs))


@pytest.mark.parametrize("when", [pytest.param(1, marks=pytest.mark.slow), 15])
def test_a_worker_that_is_killed_costs_only_what_was_under_way(
    cluster: DaskProcesses, tmp_path: Path, when: int
) -> None:
    log = tmp_path / "log"
    tasks = [EngineTask((number, 0), 0.03) for number in range(40)]
    found = run_tasks(noted, str(log), tasks)
    outcomes = [next(found) for _ in range(when)]
    cluster.kill(0)
    outcomes += found
    expected = {task.key: noted(str(tmp_path / "other"), EngineTask(task.key, 0)) for task in tasks}
    assert same_all(collected(iter(outcomes)), expected)
    begins = Counter(lines(log))
    # On each worker one chunk at work and one that came back unread, of up to 0.1 s: four tasks.
    assert sum(begins.values()) - len(tasks) <= 2 * 2 * 4


def test_one_thread_is_a_cluster_too(whole: DaskProcesses, client: Client) -> None:
    for worker in [worker for worker in whole.workers if worker.poll() is None][1:]:
        end(worker)
    whole.ready(client, 1)
    with joblib.parallel_config(backend="dask", client=client):
        assert plan_backend(None, limited=False).place is Place.DASK


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"drop": "bced_adjusted"}], ids=["all", "dropping"])
def test_a_search_with_a_worker_killed_in_the_middle_gives_the_bytes_of_a_serial_one(
    cluster: DaskProcesses, tmp_path: Path, options: dict[str, Any]
) -> None:
    """Both laws above at once: a worker dies, and a search gives the bytes of a serial one."""
    watch = Killer(cluster, at=10)
    there = searched(store=watch.store(tmp_path / "run.db"), **options)
    assert watch.killed
    assert_same_search(there, searched(n_jobs=1, **options))


class Killer:
    """Kills a worker when a store has got so many outcomes."""

    def __init__(self, cluster: DaskProcesses, at: int) -> None:
        self._cluster, self._at, self.killed = cluster, at, False

    def store(self, path: Path) -> SqliteStore:
        killer = self

        class Watched(SqliteStore):
            def put(self, outcome: TaskOutcome) -> None:
                super().put(outcome)
                if len(self.done()) == killer._at:
                    killer._cluster.kill(1)
                    killer.killed = True

        return Watched(path)


@pytest.mark.slow
def test_nested_cross_validation_survives_the_death_of_a_worker(
    cluster: DaskProcesses, tmp_path: Path
) -> None:
    """A heavier form of the death of a worker under a search that drops configurations."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(80, 4))
    y = (X[:, 0] + rng.normal(size=80) > 0).astype(int)
    search = SearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 3]},
        scoring="roc_auc",
        cv=3,
        random_state=1,
    )
    alone = nested_cv(clone(search).set_params(n_jobs=1), X, y)
    watch = Killer(cluster, at=5)
    there = nested_cv(search, X, y, store=watch.store(tmp_path / "run.db"))
    assert watch.killed
    assert there.fold_scores.tobytes() == alone.fold_scores.tobytes()
    assert there.predictions.responses.tobytes() == alone.predictions.responses.tobytes()
    assert there.winners == alone.winners


def test_a_worker_that_comes_late_works_too(cluster: DaskProcesses, client: Client) -> None:
    found = run_tasks(
        seconds_and_process, None, [EngineTask((number,), 0.01) for number in range(9999)]
    )
    next(found)
    cluster.add()
    ran: set[float] = set()
    while len(ran) < 3:
        ran.add(next(found).numbers["pid"])
    found.close()  # type: ignore[attr-defined]  # a generator
    cluster.kill(2)
    cluster.ready(client, 2)


def test_errors_and_late_tasks_are_outcomes(cluster: DaskProcesses) -> None:
    kinds = ["raise", "exit", "spin", None]
    tasks = [EngineTask((number,), kind) for number, kind in enumerate(kinds)]
    found = collected(run_tasks(trouble, SHARED, tasks, time_limit=0.5))
    assert [found[n,].failed for n in range(4)] == [True, True, True, False]
    assert found[2,].note == "time limit"


def test_what_is_parallel_in_a_task_runs_in_threads_of_its_worker(cluster: DaskProcesses) -> None:
    (outcome,) = run_tasks(nested, SHARED, [EngineTask((0,))])
    assert not outcome.failed, outcome.error


def test_a_run_may_be_a_task_of_the_cluster_itself(cluster: DaskProcesses, client: Client) -> None:
    jobs = [client.submit(ran_there, SHARED, task, pure=False) for task in TASKS[:2]]  # all threads
    assert client.gather(jobs) == [powers(SHARED, task).numbers["s"] for task in TASKS[:2]]


def test_a_run_that_is_left_takes_its_tasks_back(cluster: DaskProcesses, tmp_path: Path) -> None:
    log = tmp_path / "log"
    found = run_tasks(lasting, str(log), [EngineTask((number,), 0.2) for number in range(50)])
    next(found)
    found.close()  # type: ignore[attr-defined]  # a generator
    time.sleep(1.2)  # in which twelve more would be begun
    assert len(lines(log)) <= 8


def test_a_large_cluster_and_a_small_one_plan_as_many_as_there_are_threads(
    cluster: DaskProcesses,
) -> None:
    assert [plan_backend(n, limited=False).n_jobs for n in (None, -1, 2, 7)] == [2, 2, 2, 2]
    assert {plan_backend(n, limited=False).place for n in (None, -1, 2, 7)} == {Place.DASK}
    assert plan_backend(1, limited=False).place is Place.HERE


def test_a_task_that_kills_its_workers_fails_and_the_others_do_not(
    whole: DaskProcesses, client: Client
) -> None:
    whole.ready(client, 3)
    tasks = [EngineTask((number,), "die" if number == 3 else None) for number in range(8)]
    before = client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.allowed_failures)
    client.run_on_scheduler(allow_deaths, 0)  # instead of three, and each means a new process
    try:
        with joblib.parallel_config(backend="dask", client=client):
            found = collected(run_tasks(trouble, SHARED, tasks))
    finally:
        client.run_on_scheduler(allow_deaths, before)
    assert {key for key, outcome in found.items() if outcome.failed} == {(3,)}
    assert found[3,].note == "the process ended"
    expected = {task.key: trouble(SHARED, task) for task in tasks if task.payload is None}
    assert same_all({key: found[key] for key in expected}, expected)


def test_a_cluster_that_is_empty_or_dies_is_told_of_and_the_file_has_what_was_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    monkeypatch.setattr(on_dask, "PATIENCE", 0.5)
    monkeypatch.setattr(backends, "CONNECT", 2.0)
    tasks = [EngineTask((number,), 0.05) for number in range(40)]
    with (
        dask_processes(tmp_path) as cluster,
        on_backend("dask", cluster.address),
        SqliteStore(tmp_path / "run.db") as store,
    ):
        store.open({})
        backend, _ = joblib.parallel.get_active_backend()
        backend.wait_for_workers_timeout = 0.25
        with golden.raises(EarnestError):
            run_tasks(seconds_and_process, None, tasks)

        cluster.ready(backend.client, 1)
        found = run_tasks(seconds_and_process, None, tasks, store=store)
        seen = [next(found).key for _ in range(4)]
        cluster.kill(0)
        with pytest.raises(EarnestError, match=r"no worker for 0\.5 s"):
            seen += [outcome.key for outcome in found]
        assert set(read_run(store.path).outcomes) == set(seen)

        cluster.ready(backend.client, 1)
        found = run_tasks(seconds_and_process, None, tasks, store=store)
        for _ in range(len(seen) + 1):
            next(found)
        cluster.kill_scheduler()
        with golden.raises(EarnestError):
            list(found)


@pytest.mark.parametrize(
    ("trick", "message"),
    [
        ("import sys; sys.modules['earnest'] = None", "a dask worker cannot run tasks.*earnest"),
        ("import numpy; numpy.__version__ = '1.0'", r"different versions.*numpy.*got on .*: 1\.0"),
        pytest.param(
            "import sys; sys.modules['tests'] = None",
            "lacks code that the tasks need.*tests",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_workers_that_cannot_do_it_say_why(
    whole: DaskProcesses, client: Client, trick: str, message: str
) -> None:
    while whole.workers:
        whole.kill(0)
        whole.workers.pop(0)
    whole.add(code=f"{trick}\n{WORKER}")
    whole.ready(client, 1)
    try:
        with (
            joblib.parallel_config(backend="dask", client=client),
            pytest.raises(EarnestError, match=message),
        ):
            list(run_tasks(powers, SHARED, TASKS))
    finally:
        whole.kill(0)


def test_where_nobody_listens_an_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "CONNECT", 0.5)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, but listening to nobody
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        with (
            pytest.raises(EarnestError, match="no dask scheduler answers"),
            on_backend("dask", address),
        ):
            pass
