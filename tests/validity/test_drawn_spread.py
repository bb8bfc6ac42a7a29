"""Coverage where a few cases are often separated perfectly."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

import earnest as en
from earnest.core.results.interval import quantile_limits
from earnest.core.results.specs import Side

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
