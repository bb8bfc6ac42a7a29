"""Where tasks run follows from what the active back end can do."""

from __future__ import annotations

import socket

import joblib
import pytest

from earnest.engine import BackendPlan, Place, backends, on_backend, plan_backend
from earnest.errors import EarnestError
from tests.engine.test_run import Elsewhere
from tests.snapshots import Golden


@pytest.mark.parametrize(
    ("backend", "n_jobs", "limited", "expected"),
    [
        (None, None, False, BackendPlan(Place.HERE, 1)),
        (None, 1, False, BackendPlan(Place.HERE, 1)),
        (None, 2, False, BackendPlan(Place.PROCESSES, 2)),
        (None, 1, True, BackendPlan(Place.PROCESSES, 1)),
        ("loky", 3, True, BackendPlan(Place.PROCESSES, 3)),
        ("threading", 2, False, BackendPlan(Place.THREADS, 2)),
        ("threading", 1, True, BackendPlan(Place.HERE, 1)),
        ("sequential", 4, False, BackendPlan(Place.HERE, 1)),
        ("multiprocessing", 2, False, BackendPlan(Place.ELSEWHERE, 2, streams=False)),
        ("elsewhere", 2, False, BackendPlan(Place.ELSEWHERE, 2)),
    ],
)
def test_the_plan(
    backend: str | None, n_jobs: int | None, limited: bool, expected: BackendPlan
) -> None:
    joblib.register_parallel_backend("elsewhere", Elsewhere)
    with joblib.parallel_config(backend=backend) if backend else joblib.parallel_config():
        assert plan_backend(n_jobs, limited=limited) == expected


def test_none_takes_the_number_of_the_configuration() -> None:
    with joblib.parallel_config(backend="loky", n_jobs=3):
        assert plan_backend(None, limited=False) == BackendPlan(Place.PROCESSES, 3)
        assert plan_backend(1, limited=False) == BackendPlan(Place.HERE, 1)


@pytest.mark.parametrize(("n_jobs", "asked"), [(None, 3), (4, 4), (1, None)])
def test_one_task_at_a_time_runs_here_and_not_on_ray(
    n_jobs: int | None, asked: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backends, "_find_place", lambda backend: Place.RAY)
    monkeypatch.setattr(backends, "_plan_ray", lambda backend, n: BackendPlan(Place.RAY, n))
    expected = BackendPlan(Place.HERE, 1) if asked is None else BackendPlan(Place.RAY, asked)
    with joblib.parallel_config(backend="loky", n_jobs=3):
        assert plan_backend(n_jobs, limited=False) == expected


def test_all_cores() -> None:
    assert plan_backend(-1, limited=True).n_jobs == joblib.cpu_count()


@pytest.mark.parametrize("name", ["loky", "threading"])
def test_a_back_end_by_name(name: str) -> None:
    with on_backend(name):
        assert plan_backend(2, limited=False).place.value == {"loky": "processes"}.get(
            name, "threads"
        )


@pytest.mark.parametrize(
    ("name", "scheduler", "message"),
    [
        (
            "dasc",
            None,
            "unknown back end 'dasc'. Expected loky, threading, dask, ray. Did you mean 'dask'?",
        ),
        (
            "dask",
            None,
            "dask needs a cluster. Expected the address of its scheduler, such as "
            "tcp://127.0.0.1:8786. Start one with `dask scheduler`, and workers with "
            "`dask worker ADDRESS`.",
        ),
        (
            "loky",
            "tcp://127.0.0.1:8786",
            "back end 'loky' has no scheduler. Expected dask or ray for a cluster, "
            "got 'tcp://127.0.0.1:8786'.",
        ),
    ],
)
def test_what_cannot_be_a_back_end_is_refused(
    name: str, scheduler: str | None, message: str
) -> None:
    with pytest.raises(EarnestError) as refused, on_backend(name, scheduler):
        pass
    assert str(refused.value) == message


@pytest.mark.parametrize(("name", "package"), [("dask", "distributed"), ("ray", "ray")])
def test_an_extra_that_is_missing_is_named(
    name: str, package: str, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    monkeypatch.setattr(backends, "find_spec", lambda asked: None)
    with golden.raises(EarnestError) as refused, on_backend(name, "tcp://127.0.0.1:8786"):
        pass
    assert f"needs the package {package}" in str(refused.value)
    assert f"'.[{name}]'" in str(refused.value)


def test_an_address_that_is_none_is_told_with_what_dask_says(golden: Golden) -> None:
    with (
        golden.raises(EarnestError, hide=r"\(known.*?\)") as refused,
        on_backend("dask", "no://1:1"),
    ):
        pass
    assert "such as tcp://127.0.0.1:8786" in refused.value.needs


@pytest.mark.extra
@pytest.mark.parametrize("scheme", ["", "ray://"])
def test_where_no_ray_listens_an_error_says_so_at_once(scheme: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, but listening to nobody
        address = f"{scheme}127.0.0.1:{taken.getsockname()[1]}"
        with (
            pytest.raises(EarnestError, match=f"answers at '{address}'.*refused"),
            on_backend("ray", address),
        ):
            pass
