"""The winner's own cross-validated score."""

from __future__ import annotations

import numpy as np
import pytest

import earnest as en
from earnest import Predictions, estimate
from earnest.methods import Naive
from earnest.testing import squared_error
from tests.methods import oracles

EXACT = 1e-12


def test_naive_is_the_best_mean_of_folds(binary: Predictions) -> None:
    table = oracles.fold_table(
        binary.target.y, binary.responses[:, :, 0], binary.folds[:, 0], oracles.auc
    )
    made = estimate(binary, method="naive", metric="roc_auc")
    assert made.value == made.naive == pytest.approx(table.mean(axis=0).max(), abs=EXACT)
    assert made.winner == f"c{int(table.mean(axis=0).argmax())}"
    assert made.optimism == 0


def test_naive_of_a_loss_is_the_smallest(regression: Predictions) -> None:
    y, scores = regression.target.y, regression.responses[:, :, 0]
    table = oracles.fold_table(y, scores, regression.folds[:, 0], oracles.minus_mse)
    made = estimate(regression, method="naive", metric=squared_error)
    assert made.value == pytest.approx(-table.mean(axis=0).max(), abs=EXACT)


def test_pooled_naive_is_the_best_score_of_all_cases(binary: Predictions) -> None:
    y, scores = binary.target.y, binary.responses[:, :, 0]
    aucs = [oracles.auc(y, scores[:, c]) for c in range(5)]
    made = estimate(binary, method=Naive(selector="pooled"), metric="roc_auc")
    assert made.value == pytest.approx(max(aucs), abs=EXACT)


def test_repeats_count_all_folds_alike(repeated: Predictions) -> None:
    tables = [
        oracles.fold_table(
            repeated.target.y, repeated.responses[:, :, r], repeated.folds[:, r], oracles.accuracy
        )
        for r in range(3)
    ]
    made = estimate(repeated, method="naive", metric="accuracy")
    means = np.concatenate(tables).mean(axis=0)
    assert made.value == pytest.approx(means.max(), abs=EXACT)


def test_one_standard_error_prefers_the_simpler_configuration(regression: Predictions) -> None:
    y, scores = regression.target.y, regression.responses[:, :, 0]
    table = oracles.fold_table(y, scores, regression.folds[:, 0], oracles.minus_mse)
    for complexity in ([0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2]):
        configs = regression.configs.with_complexity(complexity)
        pi = Predictions.from_arrays(y, scores, regression.folds[:, 0], configs=configs)
        best = oracles.one_standard_error(table, list(np.argsort(complexity)))
        made = estimate(pi, method=Naive(selector="one_standard_error"), metric=squared_error)
        assert made.winner == f"c{best}"
        assert made.value == pytest.approx(-table[:, best].mean(), abs=EXACT)


def test_there_is_no_interval_at_any_level(binary: Predictions) -> None:
    made = estimate(binary, method="naive", metric="roc_auc")
    assert made.interval is None
    assert made.standard_error is None
    with pytest.raises(en.errors.EvidenceError, match="no interval"):
        made.at(confidence_level=0.9)


def test_the_missing_correction_is_said_where_something_was_selected(binary: Predictions) -> None:
    many = estimate(binary, method="naive", metric="roc_auc")
    one = estimate(binary.select("c0"), method="naive", metric="roc_auc")
    assert "EN022" in {c.code for c in many.cautions}
    assert "EN022" not in {c.code for c in one.cautions}


def test_a_fold_without_a_class_is_left_out_with_a_caution() -> None:
    y = np.array([0, 1] * 10 + [0] * 5)
    fold = np.array([0, 0, 1, 1] * 5 + [2] * 5)
    scores = y[:, None] + np.random.default_rng(2).standard_normal((25, 3))
    made = estimate(Predictions.from_arrays(y, scores, fold), method="naive", metric="roc_auc")
    rest = Predictions.from_arrays(y[:20], scores[:20], fold[:20])
    assert made.value == estimate(rest, method="naive", metric="roc_auc").value
    assert "EN017" in {c.code for c in made.cautions}


def test_a_metric_undefined_in_every_fold_is_refused() -> None:
    y = np.repeat([0, 1], 6)
    pi = Predictions.from_arrays(y, np.linspace(0, 1, 12), np.repeat([0, 1], 6))
    with pytest.raises(en.errors.EvidenceError, match="in every fold") as refusal:
        estimate(pi, method="naive", metric="roc_auc")
    assert "method='bbc'" in refusal.value.cure
    assert estimate(pi, method="bbc", metric="roc_auc", rng=0).value == 1.0
    assert estimate(pi, method=Naive(selector="pooled"), metric="roc_auc").value == 1.0
