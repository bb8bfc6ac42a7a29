"""The 610 configurations of Tsamardinos et al. 2018, trained together or one by one."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from benchmarks.papers.tsamardinos2018 import portfolio
from benchmarks.papers.tsamardinos2018.dropping import score
from benchmarks.papers.tsamardinos2018.portfolio import load_models, score_machines, score_new
from earnest.training import KernelClassifier

Floats = NDArray[np.float64]


def draw(n: int, noise: float = 0.5) -> tuple[Floats, Floats]:
    """Six columns, the first of which tells the outcome, more or less. Seed 610."""
    rng = np.random.default_rng(610)
    X = rng.standard_normal((n, 6))
    return X, (X[:, 0] + noise * rng.standard_normal(n) > 0).astype(np.float64)


def score_alone(models: list[Pipeline], X: Floats, y: Floats, new: Floats) -> Floats:
    """The plain way: every pipeline on its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of solvers that did not converge
        return np.stack([score(clone(model).fit(X, y), new) for model in models], axis=1)


def assert_near(together: Floats, alone: Floats) -> None:
    """Others agree to 24 bits, but libsvm stops once its conditions hold up to 1e-3 of a margin."""
    away = np.abs(together - alone).max(axis=0) / np.abs(alone).max(axis=0)
    assert away.max() < 5e-3
    assert np.mean(away < 1e-6) > 0.8


def test_models_that_share_their_preparation_score_as_each_pipeline_alone() -> None:
    X, y = draw(40)
    models = list(load_models("abcdef", 30, seed=3, every=23, trees=5).values())
    kinds = {type(model[-1]).__name__ for model in models}
    selections = {repr(model[1]) for model in models}
    assert len(models) == 27
    assert len(kinds) == 3  # forests, elastic nets, support vector machines
    assert len(selections) == 5
    together = score_new(models, X[:30], y[:30], X[30:])
    alone = score_alone(models, X[:30], y[:30], X[30:])
    assert_near(together, alone)


def test_what_is_the_same_by_definition_is_trained_once(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = draw(40)
    models = list(load_models("abcdef", 30, seed=3, every=1, trees=5).values())
    trained: list[object] = []

    def count(model: object, new: Floats) -> Floats:
        trained.append(model)
        return score(model, new)

    monkeypatch.setattr(portfolio, "score", count)
    together = score_new(models, X[:30], y[:30], X[30:])
    assert len(models) == 610
    assert len(trained) < 305
    alone = score_alone(models, X[:30], y[:30], X[30:])
    assert_near(together, alone)


@pytest.mark.parametrize("degree", [2, 3])
def test_a_polynomial_machine_is_told_by_its_cost_times_a_power_of_gamma(degree: int) -> None:
    X, y = draw(60, noise=2.0)  # no polynomial of these degrees separates the classes
    pairs = [(0.01 * 10.0**degree, 0.1), (0.01, 1.0), (0.01 * 10.0**-degree, 10.0)]
    machines = [
        KernelClassifier("poly", C=C, gamma=gamma, degree=degree, relative=False, coef0=0.0)
        for C, gamma in pairs
    ]
    alone = np.stack([score(clone(one).fit(X, y), X) for one in machines], axis=1)
    np.testing.assert_allclose(alone, alone[:, :1].repeat(3, axis=1), atol=5e-3)  # libsvm: 1e-3
    together = score_machines(machines, X, y, X)
    np.testing.assert_array_equal(together, together[:, :1].repeat(3, axis=1))
    np.testing.assert_allclose(together, alone, atol=5e-3)


def test_a_machine_that_no_case_bounds_is_the_same_with_any_larger_cost() -> None:
    X, y = draw(40, noise=0.0)
    X[:, 0] += np.where(y == 1, 1.0, -1.0)  # separated by a margin
    machines = [KernelClassifier("linear", C=C) for C in (1000.0, 0.001, 100.0, 10.0)]
    alone = np.stack([score(clone(one).fit(X, y), X) for one in machines], axis=1)
    together = score_machines(machines, X, y, X)
    # libsvm's conditions hold up to 1e-3 of a margin of 1
    np.testing.assert_allclose(together, alone, atol=5e-3)
    np.testing.assert_array_equal(together[:, 0], together[:, 2])
    assert not np.allclose(together[:, 1], together[:, 0], atol=0.1)
