"""The variance of fold scores when training sets overlap."""

from __future__ import annotations

import numpy as np
import pytest

from earnest import Predictions
from earnest.inference import corrected_variance, overlap_of


@pytest.mark.parametrize("folds", [2, 5, 10])
def test_the_overlap_of_folds_is_one_in_k_less_one(folds: int) -> None:
    pi = Predictions.from_arrays(np.tile([0, 1], 20), np.linspace(0, 1, 40), np.arange(40) % folds)
    assert overlap_of(pi) == pytest.approx(1 / (folds - 1))


def test_folds_that_were_not_evaluated_still_trained_the_others() -> None:
    fold = np.arange(40) % 5
    scores = np.where(fold == 4, np.nan, np.linspace(0, 1, 40))
    pi = Predictions.from_arrays(np.tile([0, 1], 20), scores, fold)
    assert overlap_of(pi) == pytest.approx(1 / 4)


def test_the_variance_is_that_of_the_mean_and_of_what_is_shared() -> None:
    scores = np.random.default_rng(0).random((12, 3))
    expected = scores.var(axis=0, ddof=1) * (1 / 12 + 0.25)
    assert corrected_variance(scores, 0.25) == pytest.approx(expected)
    assert float(corrected_variance(scores[:, 0], 0.0)) == pytest.approx(
        scores[:, 0].var(ddof=1) / 12
    )
