"""The small samples after Tsamardinos et al. 2018: fast configurations and nested folds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from benchmarks.papers.tsamardinos2018 import study
from benchmarks.papers.tsamardinos2018.data import Problem
from benchmarks.papers.tsamardinos2018.fast_grid import (
    KERNELS,
    NAMES,
    NEIGHBOURS,
    PENALTIES,
    SMOOTHING,
    Grid,
)


def made(n: int = 40, p: int = 3, seed: int = 1) -> Grid:
    rng = np.random.default_rng(seed)
    y = np.tile([0.0, 1.0], n // 2)
    return Grid(0.8 * y[:, None] + rng.standard_normal((n, p)), y)


def test_every_configuration_is_scikit_learns() -> None:
    grid, train, test = made(), np.arange(30), np.arange(30, 40)
    said = dict(zip(NAMES, grid.scores(train, test).T, strict=True))
    x, y = grid.X[train], grid.y[train]
    for place, kernel in enumerate(KERNELS):
        for penalty in PENALTIES:
            model = KernelRidge(alpha=penalty, kernel="precomputed")
            model.fit(grid.kernels[place][np.ix_(train, train)], y - y.mean())
            wanted = model.predict(grid.kernels[place][np.ix_(test, train)]) + y.mean()
            name = f"{kernel} penalty={penalty:.3g}"
            np.testing.assert_allclose(said[name], wanted, rtol=1e-5, atol=1e-7, err_msg=name)
    for k in NEIGHBOURS:
        wanted = KNeighborsClassifier(k).fit(x, y).predict_proba(grid.X[test])[:, 1]
        np.testing.assert_allclose(said[f"neighbours k={k}"], wanted)
    for smooth in SMOOTHING:
        model = GaussianNB(var_smoothing=smooth / x.var(axis=0).max()).fit(x, y)
        both = model.predict_joint_log_proba(grid.X[test])
        np.testing.assert_allclose(said[f"bayes smoothing={smooth:g}"], both[:, 1] - both[:, 0])


def test_new_cases_are_scored_as_those_of_the_sample() -> None:
    grid = made()
    every = np.arange(40)
    np.testing.assert_allclose(grid.scores_of_new(grid.X), grid.scores(every, every), atol=1e-8)


def test_the_nested_estimate_is_that_of_plain_loops() -> None:
    def auc(said: np.ndarray) -> np.ndarray:  # of a fold: a case of class 0, then one of class 1
        return (np.sign(said[1] - said[0]) + 1) / 2

    grid = made(20)
    folds = np.arange(20) // 2
    outer = study.predict_folds(grid.scores, folds)
    scores = []
    for k in range(10):
        inner = []
        for j in range(10):
            if j != k:
                train, test = (folds != k) & (folds != j), folds == j
                said = grid.scores(np.flatnonzero(train), np.flatnonzero(test))
                inner.append(auc(said))
        best = int(np.mean(inner, axis=0).argmax())
        scores.append(auc(outer[folds == k])[best])
    found, refit = study.nest_folds(grid.y, folds, outer, grid.scores)
    assert found == pytest.approx(np.mean(scores))
    each = [auc(outer[folds == k]) for k in range(10)]
    assert refit == int(np.mean(each, axis=0).argmax())


def test_a_draw_has_all_its_columns_and_does_not_hang_on_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(study, "RESAMPLES", 100)  # with 610 configurations the law is the same
    rng = np.random.default_rng(2)
    y = (np.arange(400) % 4 == 0).astype(np.int64)
    problem = Problem("made", pd.DataFrame(y[:, None] + rng.standard_normal((400, 3))), y)
    row = study.draw_sample(problem, 20, np.random.default_rng(3))
    assert all(np.isfinite(value) for value in row.values())
    assert row["bbc_low_0.95"] <= row["bbc"] <= row["bbc_high_0.95"]
    assert row == study.draw_sample(problem, 20, np.random.default_rng(3))
    grid, new, outcome = study.sample(problem, 20, np.random.default_rng(3))
    assert grid.y.sum() == 10
    assert len(new) == len(outcome) == 280
