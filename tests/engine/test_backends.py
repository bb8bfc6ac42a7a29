"""Where tasks run follows from what the active back end can do."""

from __future__ import annotations

import joblib
import pytest

from earnest.engine.backends import Place, Plan, plan
from tests.engine.test_run import Elsewhere


@pytest.mark.parametrize(
    ("backend", "n_jobs", "limited", "expected"),
    [
        (None, None, False, Plan(Place.HERE, 1)),
        (None, 1, False, Plan(Place.HERE, 1)),
        (None, 2, False, Plan(Place.PROCESSES, 2)),
        (None, 1, True, Plan(Place.PROCESSES, 1)),
        ("loky", 3, True, Plan(Place.PROCESSES, 3)),
        ("threading", 2, False, Plan(Place.THREADS, 2)),
        ("threading", 1, True, Plan(Place.HERE, 1)),
        ("sequential", 4, False, Plan(Place.HERE, 1)),
        ("multiprocessing", 2, False, Plan(Place.ELSEWHERE, 2, streams=False)),
        ("elsewhere", 2, False, Plan(Place.ELSEWHERE, 2)),
    ],
)
def test_the_plan(backend: str | None, n_jobs: int | None, limited: bool, expected: Plan) -> None:
    joblib.register_parallel_backend("elsewhere", Elsewhere)
    with joblib.parallel_config(backend=backend) if backend else joblib.parallel_config():
        assert plan(n_jobs, limited=limited) == expected


def test_none_takes_the_number_of_the_configuration() -> None:
    with joblib.parallel_config(backend="loky", n_jobs=3):
        assert plan(None, limited=False) == Plan(Place.PROCESSES, 3)
        assert plan(1, limited=False) == Plan(Place.HERE, 1)


def test_all_cores() -> None:
    assert plan(-1, limited=True).n_jobs == joblib.cpu_count()
