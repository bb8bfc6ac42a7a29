"""The influence-function variance of repeated cross-validation: its parts and its limits."""

from __future__ import annotations

import numpy as np
import pytest

from earnest import Predictions
from earnest.inference import case_values, variance_of_mean
from earnest.methods.learner.repeated_cv import influence_variance
from tests.methods.learners import random_folds


def table(losses: np.ndarray, folds: np.ndarray, groups: np.ndarray | None = None) -> Predictions:
    scores = np.sqrt(losses)[:, None, :]
    return Predictions.from_arrays(
        np.zeros(len(losses)), scores, folds, task="regression", groups=groups
    )


def test_models_that_never_change_leave_the_variance_of_the_tests_alone() -> None:
    # the loss of a case is the same in every repeat: training cases do not matter. Seed 0.
    rng = np.random.default_rng(0)
    losses = np.tile(rng.random((40, 1)), (1, 6))
    folds = random_folds(40, 5, 6)
    made = influence_variance(case_values(table(losses, folds), "mse"))
    own = losses[:, 0]
    assert made.total == pytest.approx(((own - own.mean()) ** 2).sum() / 40**2, rel=1e-9)
    assert made.trained == pytest.approx(0.0, abs=1e-12)
    assert made.noise == pytest.approx(0.0, abs=1e-12)


def test_it_is_never_below_that_of_all_pairs() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        losses, folds = rng.random((30, 4)), random_folds(30, 3, 4, seed)
        values = case_values(table(losses, folds), "mse")
        made = influence_variance(values)
        pairs = variance_of_mean(values.terms, values.folds, None, "all_pairs")[0]
        assert made.tested == pytest.approx(pairs, rel=1e-9)
        assert made.total >= made.tested


def test_pure_noise_of_repeats_adds_nothing_on_average() -> None:
    # 100 tables of independent losses: no case matters for training, so that what is added is 0 up
    # to its own standard error over the tables (five of them). Seeds 0 to 99.
    added = []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        losses, folds = rng.random((30, 8)), random_folds(30, 5, 8, seed)
        made = influence_variance(case_values(table(losses, folds), "mse"))
        added.append(made.trained / made.tested)
    assert abs(np.mean(added)) < 5 * np.std(added) / np.sqrt(100)


def test_a_group_is_one_case_that_counts_more() -> None:
    # groups of two with equal losses in the same folds: G / (G - 1) times that of single cases
    rng = np.random.default_rng(1)
    losses, folds = rng.random((20, 5)), random_folds(20, 4, 5)
    twice, both = np.repeat(losses, 2, axis=0), np.repeat(folds, 2, axis=0)
    values = case_values(table(twice, both, np.repeat(np.arange(20), 2)), "mse")
    single = influence_variance(case_values(table(losses, folds), "mse"))
    assert influence_variance(values).tested == pytest.approx(20 / 19 * single.tested, rel=1e-9)
