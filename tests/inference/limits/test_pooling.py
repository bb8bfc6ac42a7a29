"""Limits of a pooled AUC allow for what it gains where some models of the folds found nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom, norm
from sklearn.metrics import roc_auc_score

import earnest as en
from earnest.core import MovedLimits

APART = 1.5  # standard deviations between the classes, for a model that found the pattern
AREA = float(norm.cdf(APART / 2**0.5))
METHOD = en.methods.BBC(n_resamples=300)


def draw_search(share: float, number: int) -> tuple[en.Predictions, float]:
    """Two configurations whose fold models find the pattern with a chance; their mean true AUC."""
    rng = np.random.default_rng([5, number])
    y, fold = np.arange(200) % 2, rng.permutation(200) % 5
    models = rng.random(5) < share
    noise = rng.standard_normal((200, 2))
    with_pattern = (2 * y[:, None] - 1) * APART / 2 + noise
    scores = np.where(models[fold][:, None], with_pattern, 0.01 * noise)
    truth = float(np.where(models, AREA, 0.5).mean())
    return en.Predictions.from_arrays(y, scores, fold, response="decision"), truth


def estimate(pi: en.Predictions, number: int) -> en.results.Estimate:
    return en.estimate(pi, metric="roc_auc", method=METHOD, rng=number)


def lower_bound(answer: en.results.Estimate) -> float:
    interval = answer.at(side="lower").interval
    assert interval is not None
    return interval.low


def test_the_bad_end_lies_further_out_by_what_pooling_gains() -> None:
    pi, _ = draw_search(0.6, 1)
    answer = estimate(pi, 1)
    source = answer.source
    assert isinstance(source, MovedLimits)
    y, fold = pi.target.y, pi.folds[:, 0]
    scores = pi.responses[:, pi.configs.index(str(answer.winner)), 0]
    in_folds = [roc_auc_score(y[fold == place], scores[fold == place]) for place in range(5)]
    assert source.by == pytest.approx(roc_auc_score(y, scores) - np.mean(in_folds), abs=1e-12)
    assert lower_bound(replace(answer, source=source.inner)) - lower_bound(answer) == pytest.approx(
        source.by, abs=1e-12
    )
    assert "EN007" in {caution.code for caution in answer.cautions}


def test_equal_models_seldom_seem_to_gain() -> None:
    # A gain of two standard errors has a chance of .023; the .997 quantile of 60 searches.
    moved = [
        isinstance(estimate(draw_search(1.0, number)[0], number).source, MovedLimits)
        for number in range(60)
    ]
    assert sum(moved) <= binom.ppf(0.997, 60, norm.sf(2.0))


@pytest.mark.slow
def test_bounds_hold_the_mean_of_models_of_which_some_found_nothing() -> None:
    # 200 searches, seeds [5, 0] to [5, 199]; without the allowance 177 bounds hold.
    held, without = 0, 0
    for number in range(200):
        pi, truth = draw_search(0.6, number)
        answer = estimate(pi, number)
        held += lower_bound(answer) <= truth
        if isinstance(answer.source, MovedLimits):
            answer = replace(answer, source=answer.source.inner)
        without += lower_bound(answer) <= truth
    assert held >= binom.ppf(0.05, 200, 0.95)
    assert without < binom.ppf(0.05, 200, 0.95)
