"""Scores of folds: their mean difference, its variance, and which folds count."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from earnest import Scores, compare
from earnest.errors import EvidenceError
from tests.comparison.evidence import classified, columns


def fold_means(losses: np.ndarray, fold: np.ndarray) -> np.ndarray:
    return np.array([losses[fold == f].mean() for f in np.unique(fold)])


@pytest.mark.parametrize(("test", "corrected"), [("cv_t", False), ("corrected_t", True)])
def test_the_standard_error_is_that_of_the_definition(test: str, corrected: bool) -> None:
    rng = np.random.default_rng(0)
    fold, losses = np.arange(53) % 5, rng.random((53, 2))
    apart = fold_means(losses[:, 0], fold) - fold_means(losses[:, 1], fold)
    given = Scores({"a": losses[:, 0], "b": losses[:, 1]}, fold=fold, greater_is_better=False)
    made = compare(given, "a", "b", test=test)
    factor = 1 / 5 + (1 / 4 if corrected else 0.0)
    assert made.difference == pytest.approx(apart.mean())
    assert made.standard_error == pytest.approx(np.sqrt(apart.var(ddof=1) * factor))


def test_folds_that_were_not_evaluated_still_count_for_the_overlap() -> None:
    pi = classified(n=100, seed=3)
    responses = pi.responses.copy()
    late = pi.folds[:, 0] >= 3
    responses[late, 1] = np.nan  # dropped after three of five folds
    made = compare(
        replace(pi, responses=responses), "good", "fair", test="corrected_t", metric="accuracy"
    )
    right = (pi.responses[:, :2, 0] > 0.5) == (pi.target.y == 1)[:, None]
    apart = [np.diff(right[pi.folds[:, 0] == f].mean(axis=0))[0] for f in range(3)]
    # training sets were four fifths of all cases, whichever folds were scored
    expected = np.sqrt(np.var(apart, ddof=1) * (1 / 3 + 1 / 4))
    assert expected > 0.01
    assert made.standard_error == pytest.approx(expected)


def test_units_without_spread_are_the_folds_of_one_repeat() -> None:
    y = np.tile([0, 1], 20)
    fold = np.stack([np.arange(40) // 2 % 4, np.arange(40) // 10], axis=1)
    scores = np.repeat(np.stack([y, 1 - y], axis=1)[:, :, None], 2, axis=2).astype(float)
    pi = columns(y, scores, fold, response="label")
    made = compare(pi, "a", "b", test="corrected_t", metric="accuracy")
    assert made.p_values is not None
    assert made.p_values["greater"] == 0.5**4  # not to the eighth


def test_folds_without_a_score_are_left_out_with_a_caution() -> None:
    rng = np.random.default_rng(1)
    y = np.tile([0, 1], 20)
    fold = np.arange(40) // 2 % 4
    fold[y == 1] = np.where(fold[y == 1] == 3, 0, fold[y == 1])  # no positive in the last
    made = compare(columns(y, rng.random((40, 2)), fold), 0, 1, test="cv_t", metric="roc_auc")
    assert "EN017" in {caution.code for caution in made.cautions}
    left = columns(y, rng.random((40, 2)), fold).take(np.flatnonzero(fold < 3))
    again = compare(left, 0, 1, test="cv_t", metric="roc_auc")
    assert again.difference != made.difference  # other scores
    assert "EN017" not in {caution.code for caution in again.cautions}


@pytest.mark.parametrize("test", ["cv_t", "corrected_t", "bayesian_t"])
def test_too_few_folds_name_a_test_that_answers(test: str) -> None:
    rng = np.random.default_rng(2)
    pi = columns(np.tile([0, 1], 20), rng.random((40, 2)), np.arange(40))
    with pytest.raises(EvidenceError, match="test='bootstrap'"):
        compare(pi, "a", "b", test=test, metric="roc_auc")
    assert compare(pi, "a", "b", test="bootstrap", metric="roc_auc", rng=0).p_value is not None
