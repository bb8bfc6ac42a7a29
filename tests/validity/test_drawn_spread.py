"""Coverage where a few cases are often separated perfectly."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

import earnest as en
from earnest.core import Side, quantile_limits

TRUE_AUC = 0.97
RUNS = 200


@pytest.mark.slow
@pytest.mark.parametrize("method", ["bbc", "bbc_fold"])
@pytest.mark.parametrize("configs", [1, 10, 50])
def test_separated_samples_do_not_cost_the_coverage(method: str, configs: int) -> None:
    """Twenty cases, all configurations equally good: the truth is the same whichever wins."""
    distance = np.sqrt(2.0) * NormalDist().inv_cdf(TRUE_AUC)
    held, would_have = 0, 0
    for run in range(RUNS):
        rng = np.random.default_rng([20, configs, run])
        y = np.arange(20) % 2
        scores = distance * y[:, None] + rng.standard_normal((20, configs))
        pi = en.Predictions.from_arrays(y, scores, np.arange(20) // 2 % 5)
        made = en.estimate(pi, method=method, metric="roc_auc", rng=run, n_resamples=500)
        assert made.interval is not None
        assert made.draws is not None
        low, high = quantile_limits(made.draws, 0.95, Side.TWO_SIDED)
        held += TRUE_AUC in made.interval
        would_have += low <= TRUE_AUC <= high
    # Three standard errors of 95 % in 200 runs are 4.6 %.
    assert held >= 0.90 * RUNS
    assert would_have < 0.80 * RUNS  # what the quantiles of the draws alone give


def _scores(
    rng: np.random.Generator, y: np.ndarray, configs: int, shared: float, metric: str, truth: float
) -> np.ndarray:
    """Draw scores of equal configurations whose AUC, or accuracy in each class, is the truth."""
    noise = np.sqrt(shared) * rng.standard_normal((len(y), 1))
    noise = noise + np.sqrt(1.0 - shared) * rng.standard_normal((len(y), configs))
    z = NormalDist().inv_cdf(truth)
    return noise + (np.sqrt(2.0) * z * y if metric == "roc_auc" else z * (2.0 * y - 1.0))[:, None]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["bbc", "bbc_fold"])
@pytest.mark.parametrize("metric", ["accuracy", "balanced_accuracy", "roc_auc"])
@pytest.mark.parametrize("n", [20, 40, 100])
@pytest.mark.parametrize(("configs", "shared"), [(1, 0.0), (40, 0.0), (40, 0.7)])
@pytest.mark.parametrize("truth", [0.95, 0.99, 0.999])
def test_limits_near_the_best_score_hold(
    method: str, metric: str, n: int, configs: int, shared: float, truth: float
) -> None:
    """All configurations are equally good, so that the truth is the same whichever wins."""
    runs, one_sided, two_sided = 150, 0, 0
    y = np.arange(n) % 2 if metric != "balanced_accuracy" else (np.arange(n) % 5 == 0).astype(int)
    folds = np.arange(n) // 2 % 5 if metric != "balanced_accuracy" else np.arange(n) // 5 % 4
    for run in range(runs):
        rng = np.random.default_rng([31, n, configs, int(1000 * truth), run])
        scores = _scores(rng, y, configs, shared, metric, truth)
        pi = en.Predictions.from_arrays(y, scores, folds, response="decision", threshold=0.0)
        made = en.estimate(pi, method=method, metric=metric, rng=run, n_resamples=500)
        lower = made.at(side="lower").interval
        assert made.interval is not None
        assert lower is not None
        one_sided += lower.low <= truth
        two_sided += truth in made.interval
    # Three standard errors of 95 % in 150 runs are 5.3 %.
    assert one_sided >= 0.897 * runs
    assert two_sided >= 0.897 * runs
