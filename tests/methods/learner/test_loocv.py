"""Leave-one-out cross-validation."""

from __future__ import annotations

import numpy as np
import pytest

from earnest import Predictions, estimate
from earnest.errors import EvidenceError, MetricError
from tests.methods.learners import cross_validated, line_data

X, Y = line_data(50)
GUESS = cross_validated(X, Y, np.arange(50)[:, None])[:, 0]
PI = Predictions.from_arrays(Y, GUESS, np.arange(50))


def test_it_is_the_mean_loss_with_the_spread_of_all_cases() -> None:
    losses = (GUESS - Y) ** 2
    made = estimate(PI, method="loocv", metric="mse")
    assert made.value == pytest.approx(losses.mean(), abs=1e-12)
    assert made.standard_error == pytest.approx(losses.std() / np.sqrt(50), rel=1e-12)
    same = estimate(PI, method="bayle_all_pairs", metric="mse")
    assert made.interval == same.interval


def test_a_function_of_sums_is_that_of_all_cases() -> None:
    made = estimate(PI, method="loocv", metric="r2")
    assert made.value == pytest.approx(1 - ((GUESS - Y) ** 2).sum() / ((Y - Y.mean()) ** 2).sum())


def test_an_auc_is_refused_for_it_would_rank_scores_of_different_models() -> None:
    y = np.tile([0, 1], 25)
    pi = Predictions.from_arrays(y, np.linspace(0, 1, 50), np.arange(50))
    with pytest.raises(MetricError, match="different models"):
        estimate(pi, method="loocv", metric="roc_auc")


def test_folds_of_several_cases_are_refused() -> None:
    pi = Predictions.from_arrays(Y, GUESS, np.arange(50) // 2)
    with pytest.raises(EvidenceError, match="a fold for every case"):
        estimate(pi, method="loocv", metric="mse")


def test_two_cases_are_answered_with_a_caution() -> None:
    pi = Predictions.from_arrays([1.0, 3.0], [2.0, 2.5], [0, 1], task="regression")
    made = estimate(pi, method="loocv", metric="mse")
    assert made.value == pytest.approx((1 + 0.25) / 2)
    assert "EN036" in {c.code for c in made.cautions}
