"""Back ends that may be on other machines; dask and ray where they are installed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

import joblib
import numpy as np
import pytest

from earnest.core.protocols import Task
from earnest.engine.run import run
from tests.engine.test_run import Elsewhere, collected, same_all
from tests.engine.works import Counted, powers, processes, trouble

PACKAGES = {"dask": "distributed", "ray": "ray"}
CLUSTERS = ["elsewhere", *(name for name, package in PACKAGES.items() if find_spec(package))]
TASKS = [Task((number, 0), number) for number in range(40)]
SHARED = np.arange(100_000.0)

# Their own warnings are their own affair.
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module", params=CLUSTERS)
def cluster(request: pytest.FixtureRequest) -> Iterator[str]:
    with ExitStack() as stack:
        if request.param == "elsewhere":
            joblib.register_parallel_backend("elsewhere", Elsewhere)
        elif request.param == "dask":
            from distributed import Client, LocalCluster

            made = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
            stack.enter_context(Client(stack.enter_context(made)))
        else:
            start_ray(stack)
        yield request.param


def start_ray(stack: ExitStack) -> None:
    os.environ.setdefault("RAY_AUTH_MODE", "disabled")  # else it writes into the home folder
    import ray
    from ray.util.joblib import register_ray

    room = {"num_cpus": 2, "object_store_memory": 100_000_000}
    ray.init(include_dashboard=False, log_to_driver=False, **room)
    stack.callback(ray.shutdown)
    register_ray()


def test_outcomes_are_those_of_a_plain_loop(cluster: str) -> None:
    with joblib.parallel_config(backend=cluster):
        found = collected(run(powers, SHARED, TASKS, n_jobs=2))
    assert same_all(found, {task.key: powers(SHARED, task) for task in TASKS})


def test_data_is_unpacked_once_by_each_process(cluster: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with joblib.parallel_config(backend=cluster):
        found = collected(run(processes, Counted(SHARED, str(log)), TASKS, n_jobs=2))
    loads = log.read_text().split("\n")[:-1]
    assert not any(o.failed for o in found.values())
    assert len(set(loads)) == len({o.numbers["pid"] for o in found.values()})
    assert len(loads) <= 4  # a pool may have been replaced; never one for each of forty tasks


def test_errors_and_late_tasks_are_outcomes(cluster: str) -> None:
    kinds = ["raise", "exit", "spin", None]
    tasks = [Task((number,), kind) for number, kind in enumerate(kinds)]
    with joblib.parallel_config(backend=cluster):
        found = collected(run(trouble, SHARED, tasks, n_jobs=2, time_limit=0.5))
    assert [found[n,].failed for n in range(4)] == [True, True, True, False]
    assert found[2,].note == "time limit"
