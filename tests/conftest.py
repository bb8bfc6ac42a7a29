"""Predictions that many tests share, and what holds for every test."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator, Iterator
from functools import wraps
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from earnest import Predictions
from earnest.results import Estimate
from tests.snapshots import Golden


def pytest_configure(config: pytest.Config) -> None:
    """Keep the files of tests in memory where there is room, and look for garbage more rarely.

    Run files, reports and studies are written so that a crash leaves them whole, and their writer
    waits for the disk each time. The files of a whole run take 330 MB. Python looks for garbage
    after 700 new objects, and syntax trees have millions: a walk through the package took three
    times as long as without.
    """
    gc.set_threshold(50_000, 20, 50)
    memory = Path("/dev/shm")
    if config.option.basetemp or "PYTEST_DEBUG_TEMPROOT" in os.environ or not memory.is_dir():
        return
    room = os.statvfs(memory)
    if room.f_bavail * room.f_frsize > 2**30 and not room.f_flag & os.ST_NOEXEC:
        os.environ["PYTEST_DEBUG_TEMPROOT"] = str(memory)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Leave what is collected to itself: thousands of tests, which live as long as the process.

    Python would look through them for garbage many times while they are collected, and again in
    every full pass over the objects of later tests.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_runtest_teardown() -> None:
    """Close what a test drew, as pyplot keeps every figure until then."""
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


if find_spec("lightgbm") is not None:

    @pytest.fixture(autouse=True)
    def hide_lightgbm(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
        """Try the same models whether LightGBM is installed or not, but for tests of LightGBM."""
        if "with_lightgbm" in request.fixturenames:
            return
        from earnest.training.learners import catalogue

        monkeypatch.setattr(
            catalogue, "find_spec", lambda name: None if name == "lightgbm" else find_spec(name)
        )


@pytest.fixture
def with_lightgbm() -> None:
    """Let portfolios have LightGBM, which must be installed."""


@pytest.fixture(scope="session", autouse=True)
def keep_normals() -> Iterator[None]:
    """Keep more normal draws of the winner's law: tests ask for the same ones by the hundred."""
    from earnest.inference.limits import local_level

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(local_level, "KEPT", 6)
        patched.setattr(local_level, "MOST_KEPT", 10_000_000)  # those of a gate too
        yield


TUNING = {"cli", "e2e", "properties", "reporting", "training"}  # folders whose tests tune tables
FEWEST_JUDGING = 240  # resamples: what a run with little time takes, where others take 1,000


@pytest.fixture(scope="module", autouse=True)
def judge_quickly(request: pytest.FixtureRequest) -> Iterator[None]:
    """Judge the ensembles of tuned tables by as few resamples as a short budget allows."""
    if not TUNING & set(request.path.parts):
        yield
        return
    from earnest.training.tune import job

    judge = job._estimate

    @wraps(judge)
    def judge_by_few(judged: Any, pi: Predictions, rule: Any, count: int | None) -> Estimate:
        fewer = FEWEST_JUDGING if count is None and rule is not None else count
        return judge(judged, pi, rule, fewer)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(job, "_estimate", judge_by_few)
        yield


@pytest.fixture(scope="session")
def binary() -> Predictions:
    """Sixty cases, five configurations of rising skill, five stratified folds; seed 11."""
    rng = np.random.default_rng(11)
    y = np.tile([0, 1], 30)
    skill = np.linspace(0.2, 1.2, 5)
    scores = skill * y[:, None] + rng.standard_normal((60, 5))
    return Predictions.from_arrays(y, scores, np.arange(60) // 2 % 5)


@pytest.fixture(scope="session")
def regression() -> Predictions:
    """Forty cases, four configurations, four folds; seed 12."""
    rng = np.random.default_rng(12)
    y = rng.standard_normal(40)
    scores = y[:, None] + np.array([0.5, 0.6, 0.9, 2.0]) * rng.standard_normal((40, 4))
    return Predictions.from_arrays(y, scores, np.arange(40) % 4)


@pytest.fixture(scope="session")
def grouped() -> Predictions:
    """Eighty cases in twenty groups of four, groups kept together in five folds; seed 13."""
    rng = np.random.default_rng(13)
    groups = np.repeat(np.arange(20), 4)
    y = np.tile([0, 0, 1, 1], 20)
    scores = 0.8 * y[:, None] + rng.standard_normal((80, 3))
    return Predictions.from_arrays(y, scores, groups % 5, groups=groups)


@pytest.fixture(scope="session")
def repeated() -> Predictions:
    """Sixty cases, three configurations, three repeats with a partition each; seed 14."""
    rng = np.random.default_rng(14)
    y = np.tile([0, 1], 30)
    scores = 0.7 * y[:, None, None] + rng.standard_normal((60, 3, 3))
    folds = np.stack([rng.permutation(60) % 5 for _ in range(3)], axis=1)
    return Predictions.from_arrays(y, scores, folds)


@pytest.fixture
def golden(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Golden]:
    """Check texts against those that are kept for this test: see `tests.snapshots`."""
    texts = Golden(request.path, request.node.name, tmp_path_factory.getbasetemp())
    yield texts
    texts.close()
