"""Folds and residuals of the winner are what a plain loop over the cases gives."""

from __future__ import annotations

import math

import numpy as np
import pytest

from earnest import Predictions, metric
from earnest.errors import EvidenceError
from earnest.inference import residuals, running, winner_folds
from earnest.testing import example_predictions
from tests.methods import oracles

EXACT = 1e-12


def test_the_scores_of_folds_equal_the_plain_loop() -> None:
    pi = example_predictions("binary")
    made = winner_folds(pi, metric("roc_auc"), "config 2")
    y, fold = pi.target.y, pi.folds[:, 0]
    for k in range(5):
        rows = fold == k
        mine = pi.responses[rows, 2, 0]
        assert made.scores[k] == pytest.approx(oracles.auc(y[rows], mine), abs=EXACT)
        assert made.cases[k] == rows.sum()
        assert made.positives is not None
        assert made.positives[k] == y[rows].sum()
    assert made.names == ("0", "1", "2", "3", "4")


def test_a_fold_that_misses_a_class_has_no_score() -> None:
    y = np.array([0, 0, 0, 1, 0, 1])
    pi = Predictions.from_arrays(y, np.arange(6.0), [0, 0, 0, 1, 1, 1])
    made = winner_folds(pi, metric("roc_auc"), 0)
    assert math.isnan(made.scores[0])
    assert made.scores[1] == 0.5


def test_folds_of_several_repeats_stand_one_after_the_other() -> None:
    y = np.tile([0, 1], 6)
    scores = np.random.default_rng(0).random((12, 2, 2))
    fold = np.stack([np.arange(12) // 4, np.arange(12) % 2], axis=1)
    made = winner_folds(Predictions.from_arrays(y, scores, fold), metric("accuracy"), 1)
    assert made.repeats.tolist() == [0, 0, 0, 1, 1]
    assert made.cases.tolist() == [4, 4, 4, 6, 6]


def test_regression_folds_have_no_positives() -> None:
    made = winner_folds(example_predictions("regression"), metric("rmse"), 0)
    assert made.positives is None
    assert np.isfinite(made.scores).all()


def test_residuals_are_what_is_left_in_the_order_of_the_fitted() -> None:
    pi = example_predictions("regression", n_cases=120)
    made = residuals(pi, 1)
    fitted = pi.responses[:, 1, 0]
    order = np.argsort(fitted)
    np.testing.assert_allclose(made.fitted, fitted[order])
    np.testing.assert_allclose(made.residuals, (pi.target.y - fitted)[order])
    first = slice(0, 20)
    assert made.at[0] == pytest.approx(made.fitted[first].mean(), abs=EXACT)
    assert made.mean[0] == pytest.approx(made.residuals[first].mean(), abs=EXACT)
    ends = np.quantile(made.residuals[-20:], [0.05, 0.95])
    assert (made.low[-1], made.high[-1]) == pytest.approx(tuple(ends), abs=EXACT)
    assert (made.low <= made.high).all()


def test_few_cases_have_no_band() -> None:
    made = residuals(example_predictions("regression", n_cases=30), 0)
    assert len(made.at) == len(made.mean) == 0
    assert len(made.residuals) == 30


def test_repeats_are_averaged_and_untested_cases_left_out() -> None:
    y = np.arange(6.0)
    scores = np.stack([y + 1, y - 1], axis=1)[:, None]
    scores[0] = np.nan
    fold = np.array([[-1, -1], [0, 0], [0, 1], [1, 0], [1, 1], [1, 1]])
    made = residuals(Predictions.from_arrays(y, scores, fold), 0)
    np.testing.assert_allclose(made.residuals, np.zeros(5), atol=EXACT)


def test_equal_values_have_a_flat_band() -> None:
    at, mean, low, high = running(np.ones(50), np.full(50, 2.0))
    assert set(at) == {1.0}
    assert set(mean) == set(low) == set(high) == {2.0}


def test_classes_have_no_residuals() -> None:
    with pytest.raises(EvidenceError, match="no residuals"):
        residuals(example_predictions("binary"), 0)
