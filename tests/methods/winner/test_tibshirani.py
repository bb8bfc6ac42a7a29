"""The correction of Tibshirani and Tibshirani."""

from __future__ import annotations

import numpy as np
import pytest

import earnest as en
from earnest import Predictions, estimate
from earnest.testing import squared_error
from tests.methods import oracles

EXACT = 1e-12


def test_gains_equal_the_plain_loop(binary: Predictions) -> None:
    table = oracles.fold_table(
        binary.target.y, binary.responses[:, :, 0], binary.folds[:, 0], oracles.auc
    )
    made = estimate(binary, method="tibshirani", metric="roc_auc")
    assert made.value == pytest.approx(oracles.tibshirani(table), abs=EXACT)
    assert made.naive == pytest.approx(table.mean(axis=0).max(), abs=EXACT)


def test_losses_equal_the_plain_loop(regression: Predictions) -> None:
    y, scores = regression.target.y, regression.responses[:, :, 0]
    table = oracles.fold_table(y, scores, regression.folds[:, 0], oracles.minus_mse)
    made = estimate(regression, method="tibshirani", metric=squared_error)
    assert made.value == pytest.approx(-oracles.tibshirani(table), abs=EXACT)


def test_worked_example_of_the_definition() -> None:
    # losses of two folds: config 0 (0, 3), config 1 (2, 2); CVT = 1.5, folds' own bests (0, 2)
    y = np.array([0.5, 0.5, 1.5, 1.5])
    losses = np.array([[0.0, 2.0], [0.0, 2.0], [3.0, 2.0], [3.0, 2.0]])
    pi = Predictions.from_arrays(y, y[:, None] + np.sqrt(losses), [0, 0, 1, 1], task="regression")
    made = estimate(pi, method="tibshirani", metric=squared_error)
    assert made.naive == pytest.approx(1.5)
    assert made.details.bias == pytest.approx(0.5)
    assert made.value == pytest.approx(2.0)


def test_a_loss_is_between_cvt_and_twice_cvt(regression: Predictions) -> None:
    made = estimate(regression, method="tibshirani", metric=squared_error)
    assert made.naive is not None
    assert made.naive <= made.details.unclipped <= 2 * made.naive


def test_what_leaves_the_range_is_brought_back_with_a_caution() -> None:
    # four configurations, each right in one fold only: accuracy .25, every fold's own best 1
    y = np.tile([0, 1], 8)
    fold = np.arange(16) // 2 % 4
    right = fold[:, None] == np.arange(4)
    labels = np.where(right, y[:, None], 1 - y[:, None])
    pi = Predictions.from_arrays(y, labels, fold, response="label")
    made = estimate(pi, method="tibshirani", metric="accuracy")
    assert made.details.unclipped == pytest.approx(2 * 0.25 - 1)
    assert made.value == 0.0
    assert "EN011" in {c.code for c in made.cautions}


def test_one_configuration_needs_no_correction(binary: Predictions) -> None:
    made = estimate(binary.select("c1"), method="tibshirani", metric="roc_auc")
    assert made.details.bias == 0
    assert made.value == made.naive


def test_folds_of_all_repeats_count(repeated: Predictions) -> None:
    tables = [
        oracles.fold_table(
            repeated.target.y, repeated.responses[:, :, r], repeated.folds[:, r], oracles.accuracy
        )
        for r in range(3)
    ]
    made = estimate(repeated, method="tibshirani", metric="accuracy")
    assert made.value == pytest.approx(oracles.tibshirani(np.concatenate(tables)), abs=EXACT)


def test_folds_are_needed() -> None:
    pi = Predictions.from_arrays([0, 1] * 5, np.linspace(0, 1, 10))
    with pytest.raises(en.errors.EvidenceError, match="needs more folds"):
        estimate(pi, method="tibshirani", metric="roc_auc")


def test_there_are_no_knobs(binary: Predictions) -> None:
    with pytest.raises(en.errors.InputError, match="no option"):
        estimate(binary, method="tibshirani", metric="roc_auc", selector="pooled")
    with pytest.raises(en.errors.InputError, match="no option"):
        estimate(binary, method="tt", metric="roc_auc", n_resamples=10)


def test_a_fold_without_a_class_is_left_out_with_a_caution() -> None:
    y = np.array([0, 1] * 10 + [0] * 5)
    fold = np.array([0, 0, 1, 1] * 5 + [2] * 5)
    scores = y[:, None] + np.random.default_rng(2).standard_normal((25, 3))
    made = estimate(Predictions.from_arrays(y, scores, fold), method="tt", metric="roc_auc")
    rest = Predictions.from_arrays(y[:20], scores[:20], fold[:20])
    assert made.value == estimate(rest, method="tt", metric="roc_auc").value
    assert "EN017" in {c.code for c in made.cautions}
